/* Files of tet meshes: Gmsh, Medit, TetGen. Everything reads back bit for bit; files of other programs are read; bad
 * ones are refused with the place. */
#include "meshes.h"

typedef struct format_case {
    ruga_format format;
    const char *name;
} format_case;

enum { MEMORY_FORMATS = 5 };
static const format_case formats[MEMORY_FORMATS] = {{RUGA_FORMAT_MSH, "a.msh"},
                                                    {RUGA_FORMAT_MSH_BINARY, "a.msh"},
                                                    {RUGA_FORMAT_MSH2, "a.msh"},
                                                    {RUGA_FORMAT_MSH2_BINARY, "a.msh"},
                                                    {RUGA_FORMAT_MEDIT, "a.mesh"}};

static ruga_mesh *make_bar(ruga_context *context) {
    const double values[6] = {1.0 / 3, 0.1, 0.2, 2, 1, 1};
    ruga_mesh *mesh = NULL;
    assert_ok(context, ruga_model_make(context, "bar", values, &mesh));
    return mesh;
}

/* Faces of these sizes, in a row. */
static ruga_mesh *make_faces(ruga_context *context, const uint32_t *sizes, size_t count) {
    static const double positions[15] = {0.1, 0, 0, 1, 1.0 / 3, 0, 1, 1e-300, 1, 0, 2e10, 1, 0.5, 0.25, -7};
    static const uint32_t faces[12] = {0, 1, 2, 3, 4, 0, 2, 1, 3, 4, 1, 0};
    ruga_mesh_def def = ruga_mesh_def_default();
    ruga_mesh *mesh = NULL;
    def.positions = (ruga_view){(void *)(uintptr_t)positions, 5, 0, RUGA_F64};
    def.face_count = count;
    def.face_sizes = sizes;
    def.face_vertices = faces;
    assert_ok(context, ruga_mesh_create(context, &def, &mesh));
    return mesh;
}

static void write_to_memory(const ruga_mesh *mesh, ruga_format format, void **bytes, size_t *size) {
    ruga_file_def def = ruga_file_def_default();
    def.format = format;
    assert_ok(mesh->context, ruga_mesh_write_memory(mesh, NULL, &def, bytes, size));
}

static ruga_mesh *read_bytes(ruga_context *context, const char *name, const void *bytes, size_t size) {
    ruga_mesh *mesh = NULL;
    assert_ok(context, ruga_mesh_read_memory(context, name, bytes, size, NULL, &mesh));
    return mesh;
}

static ruga_mesh *read_text(ruga_context *context, const char *name, const char *text) {
    return read_bytes(context, name, text, strlen(text));
}

static void assert_same_tets(const ruga_mesh *a, const ruga_mesh *b) {
    assert_equal(a->tet_count, b->tet_count);
    assert_memory_equal(a->tets, b->tets, 4 * a->tet_count * sizeof(uint32_t));
    assert_equal(a->triangle_count, b->triangle_count); /* the surface is made again */
}

/* ---- Round trips. */

static void tets_read_back_bit_for_bit(void **state) {
    ruga_mesh *bar = make_bar(*state);
    for (int i = 0; i < MEMORY_FORMATS; i++) {
        void *bytes;
        size_t size;
        write_to_memory(bar, formats[i].format, &bytes, &size);
        ruga_mesh *copy = read_bytes(*state, formats[i].name, bytes, size);
        assert_same_positions(bar, copy);
        assert_same_tets(bar, copy);
        ruga_mesh_destroy(copy);
        ruga_free(*state, bytes);
    }
    ruga_mesh_destroy(bar);
}

/* Medit lists triangles before quads; Gmsh keeps the order. */
static void faces_read_back_and_keep_their_order(void **state) {
    static const uint32_t sizes[4] = {3, 3, 4, 0}, mixed[3] = {4, 3, 3};
    for (int i = 0; i < MEMORY_FORMATS; i++) {
        ruga_mesh *mesh = make_faces(*state, formats[i].format == RUGA_FORMAT_MEDIT ? sizes : mixed, 3);
        void *bytes;
        size_t size;
        write_to_memory(mesh, formats[i].format, &bytes, &size);
        ruga_mesh *copy = read_bytes(*state, formats[i].name, bytes, size);
        assert_same_positions(mesh, copy);
        assert_same_faces(mesh, copy);
        ruga_mesh_destroy(copy);
        ruga_free(*state, bytes);
        ruga_mesh_destroy(mesh);
    }
}

static void polygons_become_triangles(void **state) {
    static const uint32_t sizes[2] = {5, 3};
    ruga_mesh *mesh = make_faces(*state, sizes, 2);
    for (int i = 0; i < MEMORY_FORMATS; i++) {
        void *bytes;
        size_t size;
        write_to_memory(mesh, formats[i].format, &bytes, &size);
        ruga_mesh *copy = read_bytes(*state, formats[i].name, bytes, size);
        assert_equal(copy->face_count, mesh->triangle_count);
        assert_memory_equal(copy->triangles, mesh->triangles, 3 * mesh->triangle_count * sizeof(uint32_t));
        ruga_mesh_destroy(copy);
        ruga_free(*state, bytes);
    }
    ruga_mesh_destroy(mesh);
}

/* Either name of the pair stands for both, for writing and for reading. */
static void tetgen_pairs_read_back(void **state) {
    static const char *const names[2] = {"pair.node", "pair.ele"};
    ruga_mesh *bar = make_bar(*state);
    for (int write = 0; write < 2; write++)
        for (int read = 0; read < 2; read++) {
            ruga_mesh *copy = NULL;
            assert_ok(*state, ruga_mesh_write(bar, NULL, test_path(names[write]), NULL));
            assert_equal(test_folder_entry_count(), 2);
            assert_ok(*state, ruga_mesh_read(*state, test_path(names[read]), NULL, &copy));
            assert_same_positions(bar, copy);
            assert_same_tets(bar, copy);
            ruga_mesh_destroy(copy);
            remove(test_path(names[0]));
            remove(test_path(names[1]));
        }
    ruga_mesh_destroy(bar);
}

static void units_and_axes_are_converted_there_and_back(void **state) {
    static const char *const names[4] = {"a.msh", "a.mesh", "a.node", "a.ele"};
    ruga_mesh *bar = make_bar(*state);
    ruga_file_def def = ruga_file_def_default();
    def.unit = 0.5;
    def.up = RUGA_AXIS_Z;
    for (int i = 0; i < 4; i++) {
        ruga_mesh *as_it_is = NULL, *copy = NULL;
        assert_ok(*state, ruga_mesh_write(bar, NULL, test_path(names[i]), &def));
        assert_ok(*state, ruga_mesh_read(*state, test_path(names[i]), NULL, &as_it_is));
        assert_ok(*state, ruga_mesh_read(*state, test_path(names[i]), &def, &copy));
        assert_same_positions(bar, copy);
        for (size_t v = 0; v < bar->vertex_count; v++) {
            assert_near(as_it_is->positions[v].z, 2 * bar->positions[v].y, 0);
            assert_near(as_it_is->positions[v].y, -2 * bar->positions[v].z, 0);
        }
        ruga_mesh_destroy(as_it_is);
        ruga_mesh_destroy(copy);
        remove(test_path(names[i]));
    }
    remove(test_path("a.node"));
    remove(test_path("a.ele"));
    ruga_mesh_destroy(bar);
}

/* A frame's positions are written instead of those at rest, also in a sequence. */
static void frames_are_written(void **state) {
    ruga_mesh *bar = make_bar(*state), *copy = NULL;
    ruga_vec3 *moved = calloc(bar->vertex_count, sizeof *moved);
    ruga_motion_writer *writer = NULL;
    assert_non_null(moved);
    for (size_t i = 0; i < bar->vertex_count; i++) moved[i] = (ruga_vec3){bar->positions[i].x + 1, 2, (double)i};
    const ruga_frame frame = {.vertex_count = bar->vertex_count, .positions = moved};
    assert_ok(*state, ruga_motion_writer_create(bar, test_path("f_###.msh"), NULL, &writer));
    assert_ok(*state, ruga_motion_writer_append(writer, &frame));
    assert_ok(*state, ruga_motion_writer_finish(writer));
    ruga_motion_writer_destroy(writer);
    assert_ok(*state, ruga_mesh_read(*state, test_path("f_001.msh"), NULL, &copy));
    assert_memory_equal(copy->positions, moved, bar->vertex_count * sizeof *moved);
    assert_same_tets(bar, copy);
    remove(test_path("f_001.msh"));
    free(moved);
    ruga_mesh_destroy(copy);
    ruga_mesh_destroy(bar);
}

/* ---- Files of other programs. */

/* Version 2.2 with comments, physical names, points, lines, a triangle, tags of any number, vertices in any order. */
static const char gmsh_2[] =
    "$Comments\n$ a mesh\n$EndComments\n"
    "$MeshFormat\r\n2.2 0 8\r\n$EndMeshFormat\r\n"
    "$PhysicalNames\n1\n3 1 \"flesh\"\n$EndPhysicalNames\n"
    "$Nodes\n5\n10 0 0 0\n3 1 0 0\n7 0 1 0\n4 0 0 1e0\n99 1 1 1\n$EndNodes\n"
    "$Elements\n5\n1 15 2 0 1 10\n2 1 2 0 1 10 3\n3 2 2 0 1 10 3 7\n4 4 2 1 1 10 3 7 4\n5 4 3 1 1 0 99 3 4 7\n"
    "$EndElements\n$NodeData\n0\n$EndNodeData\n";

/* Version 4.1 with entities, parameters of vertices on a curve, and two blocks. */
static const char gmsh_4[] =
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
    "$Entities\n0 1 0 1\n1 0 0 0 1 1 1 0 0\n1 0 0 0 1 1 1 0 0\n$EndEntities\n"
    "$Nodes\n2 5 3 99\n1 1 1 2\n10\n3\n0 0 0 0.5\n1 0 0 0.75\n3 1 0 3\n7\n4\n99\n0 1 0\n0 0 1\n1 1 1\n$EndNodes\n"
    "$Elements\n2 3 1 3\n1 1 1 1\n1 10 3\n3 1 4 2\n2 10 3 7 4\n3 99 3 4 7\n$EndElements\n";

static const char medit[] =
    "MeshVersionFormatted 1\n# a comment\nDimension\n3\n"
    "Vertices\n5\n0 0 0 1\n1 0 0 1\n0 1 0 2\n0 0 1 2\n1 1 1 0 # corner\n"
    "Edges 1\n1 2 5\nCorners\n2\n1\n2\nTriangles\n1\n1 2 3 4\nHexahedra 0\nTetrahedra\n2\n1 2 3 4 1\n5 2 4 3 1\nEnd\n"
    "what follows does not matter";

static void files_of_other_programs_are_read(void **state) {
    static const uint32_t tets[8] = {0, 1, 2, 3, 4, 1, 3, 2};
    static const ruga_vec3 positions[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
    const struct { const char *name, *text; } cases[] = {{"a.msh", gmsh_2}, {"a.msh", gmsh_4}, {"a.mesh", medit}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ruga_mesh *mesh = read_text(*state, cases[i].name, cases[i].text);
        assert_equal(mesh->vertex_count, 5);
        assert_memory_equal(mesh->positions, positions, sizeof positions);
        assert_equal(mesh->tet_count, 2);
        assert_memory_equal(mesh->tets, tets, sizeof tets);
        assert_equal(mesh->triangle_count, 6);
        ruga_mesh_destroy(mesh);
    }
}

/* TetGen numbers from 0 or 1, with attributes and markers that do not matter. */
static void tetgen_numbers_from_zero_or_one(void **state) {
    static const char *const nodes[2] = {
        "# Node count, 3 dim, attributes, markers\n4 3 2 1\n"
        "0 0 0 0 9 9 1\n1 1 0 0 9 9 1\n2 0 1 0 9 9 1\n3 0 0 1 9 9 1\n",
        "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n# Generated"};
    static const char *const tets[2] = {"1 4 1\n0 0 1 2 3 7\n", "1 4 0\n1 1 2 3 4\n"};
    static const uint32_t expected[4] = {0, 1, 2, 3};
    for (int i = 0; i < 2; i++) {
        ruga_mesh *mesh = NULL;
        write_test_file(test_path("t.node"), nodes[i], strlen(nodes[i]));
        write_test_file(test_path("t.ele"), tets[i], strlen(tets[i]));
        assert_ok(*state, ruga_mesh_read(*state, test_path("t.ele"), NULL, &mesh));
        assert_equal(mesh->tet_count, 1);
        assert_memory_equal(mesh->tets, expected, sizeof expected);
        assert_near(mesh->positions[3].z, 1, 0);
        ruga_mesh_destroy(mesh);
    }
    remove(test_path("t.node"));
    remove(test_path("t.ele"));
}

/* Reverses the bytes of numbers: (size, count) pairs until 0. */
static void swap_numbers(unsigned char *at, const size_t *runs) {
    for (; *runs; runs += 2)
        for (size_t i = 0; i < runs[1]; i++, at += runs[0])
            for (size_t k = 0; k < runs[0] / 2; k++) {
                unsigned char byte = at[k];
                at[k] = at[runs[0] - 1 - k];
                at[runs[0] - 1 - k] = byte;
            }
}

/* A binary file from a machine of the other byte order. */
static void the_byte_order_is_found(void **state) {
    static const uint32_t sizes[2] = {3, 3};
    ruga_mesh *mesh = make_faces(*state, sizes, 2);
    void *bytes;
    size_t size;
    write_to_memory(mesh, RUGA_FORMAT_MSH_BINARY, &bytes, &size);
    char *text = bytes;
    const char *const marks[3] = {"1 8\n", "$Nodes\n", "$Elements\n"};
    const size_t runs[3][9] = {{4, 1, 0}, {8, 4, 4, 3, 8, 1 + 5 + 15, 0}, {8, 4, 4, 3, 8, 1 + 2 * 4, 0}};
    for (int i = 0; i < 3; i++) {
        size_t at = 0;
        while (memcmp(text + at, marks[i], strlen(marks[i])) != 0) at++;
        swap_numbers((unsigned char *)text + at + strlen(marks[i]), runs[i]);
    }
    ruga_mesh *copy = read_bytes(*state, "a.msh", bytes, size);
    assert_same_positions(mesh, copy);
    assert_same_faces(mesh, copy);
    ruga_mesh_destroy(copy);
    ruga_free(*state, bytes);
    ruga_mesh_destroy(mesh);
}

/* ---- Bad files. */

#define HEAD2 "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define HEAD4 "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
#define NODES2 "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n"
#define MEDIT "MeshVersionFormatted 2\nDimension 3\nVertices\n4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n"

static void bad_files_are_refused_with_the_place(void **state) {
    static const struct {
        const char *name, *text, *part;
    } bad[] = {
        {"a.msh", "", "a.msh:1: there is no $MeshFormat"},
        {"a.msh", "hello", "a.msh:1: expected a section such as $Nodes, but found \"hello\""},
        {"a.msh", NODES2, "a.msh:1: $MeshFormat has to come first"},
        {"a.msh", "$MeshFormat\n3.0 0 8\n", "version 3.0 of the format is not read; save the mesh as version 4.1"},
        {"a.msh", "$MeshFormat\n4.1 7 8\n", "file type is 7"},
        {"a.msh", "$MeshFormat\n4.1 0 4\n", "4 bytes; only 8"},
        {"a.msh", "$MeshFormat\n2.2 1 8\n\x07\x07\x07\x07\n", "byte order must be 1"},
        {"a.msh", HEAD2, "neither tets nor triangles; mesh the volume"},
        {"a.msh", HEAD2 "$Nodes\n4\n1 0 0 0\n2 1 zero 0\n3 0 1 0\n4 0 0 1\n",
         "a.msh:7: expected a coordinate, but found \"zero\""},
        {"a.msh", HEAD2 "$Nodes\n999999999\n1 0 0 0\n", "damaged or cut short"},
        {"a.msh", HEAD2 "$Nodes\n2\n1 0 0 0\n1 0 0 1e999\n", "found \"1e999\""},
        {"a.msh", HEAD2 "$Nodes\n2\n1 0 0 0\n-1 0 0 0\n$EndNodes\n", "renumber"},
        {"a.msh", HEAD2 "$Nodes\n2\n1 0 0 0\n1 0 0 1\n$EndNodes\n$Elements\n1\n1 2 0 1 1 1\n$EndElements\n",
         "two vertices have the number 1"},
        {"a.msh", HEAD2 NODES2 "$Elements\n1\n1 4 0 1 2 3 5\n$EndElements\n", "tet 1 refers to vertex 5"},
        {"a.msh", HEAD2 NODES2 "$Elements\n1\n1 2 0 1 2 9\n$EndElements\n", "face corner 3 refers to vertex 9"},
        {"a.msh", HEAD2 NODES2 "$Elements\n1\n1 5 0 1 2 3 4 1 2 3 4\n$EndElements\n", "without recombination"},
        {"a.msh", HEAD2 NODES2 "$Elements\n1\n1 11 0 1 2 3 4\n$EndElements\n", "Mesh.ElementOrder = 1"},
        {"a.msh", HEAD2 NODES2 "$Elements\n1\n1 77 0 1 2 3 4\n$EndElements\n", "unknown element type 77"},
        {"a.msh", HEAD2 NODES2 "$Elements\n1\n1 4 -2 1 2 3 4\n$EndElements\n", "has -2 tags"},
        {"a.msh", HEAD2 NODES2 "$Elements\n1\n1 4 0 1 2 3 4\n1 4 0 1 2 3 4\n$EndElements\n", "expected $EndElements"},
        {"a.msh", HEAD2 NODES2 NODES2, "second section $Nodes"},
        {"a.msh", HEAD2 "$Periodic\n0\n", "a.msh:4: the section $Periodic has no end"},
        {"a.msh", HEAD4 "$Nodes\n1 9 1 1\n3 1 0 1\n1\n0 0 0\n$EndNodes\n",
         "1 vertices in blocks, but 9 were announced"},
        {"a.msh", HEAD4 "$Nodes\n1 1 1 1\n4 1 0 1\n1\n0 0 0\n$EndNodes\n", "dimension 4"},
        {"a.mesh", "", "begins with MeshVersionFormatted"},
        {"a.mesh", "MeshVersionFormatted 2\nDimension 2\n", "a.mesh:2: the dimension is 2"},
        {"a.mesh", MEDIT "17\n", "a.mesh:9: expected a keyword such as Vertices, but found \"17\""},
        {"a.mesh", MEDIT "Tetrahedra\n1\n1 2 3 0 0\nEnd\n", "tet 1 refers to vertex 0"},
        {"a.mesh", MEDIT "Hexahedra\n1\n1 2 3 4 1 2 3 4 0\nEnd\n", "the file has Hexahedra; only Tetrahedra are read"},
        {"a.mesh", MEDIT "Tetrahedra\n1\n1 2 3", "damaged or cut short"},
        {"a.mesh", MEDIT "Tetrahedra\n1\n1 2 3     \n", "the file ends before a vertex of an element"},
        {"a.mesh", MEDIT "End\n", "neither tets nor triangles"},
        {"a.node", "1 3 0 0\n1 0 0 0\n", "can't be read from memory"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        ruga_mesh *mesh = NULL;
        ruga_status status = ruga_mesh_read_memory(*state, bad[i].name, bad[i].text, strlen(bad[i].text), NULL, &mesh);
        assert_true(status == RUGA_ERROR_INPUT || status == RUGA_ERROR_UNSUPPORTED);
        assert_null(mesh);
        assert_message_has(*state, bad[i].part);
    }
}

static void bad_pairs_are_refused_with_the_file(void **state) {
    static const struct {
        const char *node, *ele, *part;
    } bad[] = {{"1 3 0 0\n1 0 0 0\n", NULL, "p.ele"},
               {"1 2 0 0\n1 0 0\n", "0 4 0\n", "p.node:1: the dimension is 2"},
               {"4 3 0 0\n1 0 0 0\n", "1 4 0\n1 1 1 1 1\n", "p.node:3: the file ends before the number of a vertex"},
               {"1 3 0 0\n1 0 0 0\n", "1 10 0\n", "p.ele:1: tets have 10 vertices; only those with 4 are read"},
               {"1 3 0 0\n1 0 0 0\n", "1 4 0\n1 1 1 1 2\n", "p.ele: tet 1 refers to vertex 2"},
               {"1 3 -5 0\n1 0 0 0\n", "1 4 0\n", "number of attributes is -5"}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        ruga_mesh *mesh = NULL;
        write_test_file(test_path("p.node"), bad[i].node, strlen(bad[i].node));
        if (bad[i].ele) write_test_file(test_path("p.ele"), bad[i].ele, strlen(bad[i].ele));
        assert_true(RUGA_FAILED(ruga_mesh_read(*state, test_path("p.node"), NULL, &mesh)));
        assert_null(mesh);
        assert_message_has(*state, bad[i].part);
    }
    remove(test_path("p.node"));
    remove(test_path("p.ele"));
}

static void meshes_that_do_not_fit_are_refused(void **state) {
    static const double points[6] = {0, 0, 0, 1, 1, 1};
    ruga_mesh_def def = ruga_mesh_def_default();
    ruga_file_def as = ruga_file_def_default();
    ruga_mesh *mesh = NULL, *bar = make_bar(*state);
    void *bytes;
    size_t size;
    def.positions = (ruga_view){(void *)(uintptr_t)points, 2, 0, RUGA_F64};
    assert_ok(*state, ruga_mesh_create(*state, &def, &mesh));
    for (int i = 0; i < MEMORY_FORMATS; i++) {
        as.format = formats[i].format;
        assert_status(ruga_mesh_write_memory(mesh, NULL, &as, &bytes, &size), RUGA_ERROR_INPUT);
        assert_message_has(*state, "neither tets nor faces");
    }
    as.format = RUGA_FORMAT_TETGEN;
    assert_status(ruga_mesh_write_memory(bar, NULL, &as, &bytes, &size), RUGA_ERROR_UNSUPPORTED);
    assert_status(ruga_mesh_write(mesh, NULL, test_path("none.node"), NULL), RUGA_ERROR_INPUT);
    assert_message_has(*state, "no tets");
    assert_equal(test_folder_entry_count(), 0);
    ruga_mesh_destroy(mesh);
    ruga_mesh_destroy(bar);
}

/* Cut at any byte, or with any byte wrong, a file is read or refused with its name; nothing leaks. */
static void damaged_files_are_read_or_refused(void **state) {
    (void)state;
    static const unsigned char wrong[] = {0, 1, ' ', '\n', '-', '9', '$', 0xff};
    const double values[6] = {1, 1, 1, 1, 1, 1};
    for (int i = 0; i < MEMORY_FORMATS; i++) {
        counting_allocator counter = {.fail_at = -1};
        ruga_context *context = context_counting(&counter);
        ruga_mesh *mesh = NULL;
        void *bytes;
        size_t size, refused = 0;
        assert_ok(context, ruga_model_make(context, "bar", values, &mesh));
        write_to_memory(mesh, formats[i].format, &bytes, &size);
        ruga_mesh_destroy(mesh);
        const long live = counter.live;
        unsigned char *text = bytes;
        for (size_t at = 0; at < size; at += SANITIZED ? 3 : 1)
            for (size_t k = 0; k <= sizeof wrong; k++) {
                const unsigned char right = text[at];
                if (k > 0) text[at] = wrong[k - 1];
                mesh = NULL;
                ruga_status status =
                    ruga_mesh_read_memory(context, formats[i].name, bytes, k == 0 ? at : size, NULL, &mesh);
                text[at] = right;
                if (RUGA_FAILED(status)) {
                    refused++;
                    assert_status(status, RUGA_ERROR_INPUT);
                    assert_message_has(context, formats[i].name);
                }
                ruga_mesh_destroy(mesh);
                assert_equal(counter.live, live);
            }
        assert_ran(refused, 100);
        ruga_free(context, bytes);
        ruga_context_destroy(context);
    }
}

static ruga_status write_and_read(ruga_context *context, void *user) {
    const format_case *f = user;
    const double values[6] = {1, 1, 1, 1, 1, 1};
    ruga_mesh *mesh = NULL, *copy = NULL;
    TRY(ruga_model_make(context, "bar", values, &mesh));
    ruga_file_def def = ruga_file_def_default();
    def.format = f->format;
    ruga_status status = ruga_mesh_write(mesh, NULL, test_path(f->name), &def);
    if (!RUGA_FAILED(status)) status = ruga_mesh_read(context, test_path(f->name), &def, &copy);
    ruga_mesh_destroy(copy);
    ruga_mesh_destroy(mesh);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    format_case tetgen = {RUGA_FORMAT_TETGEN, "a.node"};
    for (int i = 0; i <= MEMORY_FORMATS; i++) {
        format_case f = i < MEMORY_FORMATS ? formats[i] : tetgen;
        assert_less(10, assert_every_allocation_may_fail(write_and_read, &f));
    }
}

static int tear_down(void **state) {
    test_folder_remove();
    return tear_down_context(state);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tets_read_back_bit_for_bit),
        cmocka_unit_test(faces_read_back_and_keep_their_order),
        cmocka_unit_test(polygons_become_triangles),
        cmocka_unit_test(tetgen_pairs_read_back),
        cmocka_unit_test(units_and_axes_are_converted_there_and_back),
        cmocka_unit_test(frames_are_written),
        cmocka_unit_test(files_of_other_programs_are_read),
        cmocka_unit_test(tetgen_numbers_from_zero_or_one),
        cmocka_unit_test(the_byte_order_is_found),
        cmocka_unit_test(bad_files_are_refused_with_the_place),
        cmocka_unit_test(bad_pairs_are_refused_with_the_file),
        cmocka_unit_test(meshes_that_do_not_fit_are_refused),
        cmocka_unit_test(damaged_files_are_read_or_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down);
}
