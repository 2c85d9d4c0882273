/* A mesh written back into the glTF file that it came from: the rest of the file is kept. */
#include "base/json.h"
#include "io/gltf_fixture.h"
#include "math/vec3.h"
#include "ruga/subdivide.h"

enum { COLUMNS = 5, ROWS = 3, BAR = COLUMNS * ROWS, FRAMES = 4 };

/* A bent sheet on two joints; the second turns about its own place. Accessors 0 to 8. */
static void add_bar(void) {
    static const float inverse[32] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0,  0, 0, 1,
                                      1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -2, 0, 0, 1};
    static const float times[2] = {0, 1}, turn[8] = {0, 0, 0, 1, 0, 0, 0.6f, 0.8f};
    float points[3 * BAR], uvs[2 * BAR], weights[4 * BAR] = {0};
    uint8_t joints[4 * BAR] = {0};
    uint16_t corners[6 * (COLUMNS - 1) * (ROWS - 1)];
    size_t used = 0;
    for (int v = 0; v < BAR; v++) {
        const float x = (float)(v % COLUMNS), y = (float)(v / COLUMNS), share = fminf(fmaxf(x - 1.5f, 0), 1);
        points[3 * v] = x, points[3 * v + 1] = y, points[3 * v + 2] = 0.1f * x * y;
        uvs[2 * v] = x / (COLUMNS - 1), uvs[2 * v + 1] = y / (ROWS - 1);
        weights[4 * v] = 1 - share, weights[4 * v + 1] = share;
        joints[4 * v + 1] = 1;
    }
    for (uint16_t r = 0; r + 1 < ROWS; r++)
        for (uint16_t c = 0; c + 1 < COLUMNS; c++) {
            const uint16_t a = (uint16_t)(r * COLUMNS + c), b = (uint16_t)(a + COLUMNS);
            const uint16_t two[6] = {a, (uint16_t)(a + 1), b, b, (uint16_t)(a + 1), (uint16_t)(b + 1)};
            for (int k = 0; k < 6; k++) corners[used++] = two[k];
        }
    glb_floats(g, "VEC3", BAR, points);
    glb_indices(g, used, corners);
    glb_floats(g, "VEC2", BAR, uvs);
    glb_accessor(g, "VEC4", GLB_U8, BAR, joints, sizeof joints, "");
    glb_floats(g, "VEC4", BAR, weights);
    glb_floats(g, "MAT4", 2, inverse);
    glb_floats(g, "SCALAR", 2, times);
    glb_floats(g, "VEC4", 2, turn);
    glb_floats(g, "VEC3", 3, triangle);
}

/* Two materials and pictures, a camera, a hat, two animations, and things that Ruga knows nothing of. */
static const char character[] =
    "\"extensionsUsed\":[\"ACME_glow\"],\"extensions\":{\"ACME_glow\":{\"strength\":0.25}},\"extras\":{\"by\":\"me\""
    "},\"scene\":0,\"scenes\":[{\"nodes\":[0,1,3,4]}],\"nodes\":[{\"name\":\"body\",\"mesh\":0,\"skin\":0},{\"name\""
    ":\"hip\",\"children\":[2],\"rotation\":[0,0.6,0,0.8]},{\"name\":\"knee\",\"translation\":[2,0,0]},{\"name\":\"e"
    "ye\",\"camera\":0,\"translation\":[0,0,9]},{\"name\":\"hat\",\"mesh\":1}],\"cameras\":[{\"type\":\"perspective"
    "\",\"perspective\":{\"yfov\":0.7,\"znear\":0.1}}],\"skins\":[{\"joints\":[1,2],\"inverseBindMatrices\":5}],"
    "\"images\":[{\"uri\":\"cloth.png\",\"name\":\"cloth\"},{\"uri\":\"lost.png\"}],\"textures\":[{\"source\":0},"
    "{\"source\":1}],\"materials\":[{\"name\":\"hat\"},{\"name\":\"skin\",\"doubleSided\":true,\"pbrMetallicRoughnes"
    "s\":{\"baseColorTexture\":{\"index\":0},\"roughnessFactor\":0.4}}],\"meshes\":[{\"name\":\"suit\",\"primitives"
    "\":[{\"attributes\":{\"POSITION\":0,\"TEXCOORD_0\":2,\"JOINTS_0\":3,\"WEIGHTS_0\":4},\"indices\":1,\"material\""
    ":1,\"extras\":{\"own\":7}}]},{\"name\":\"hat\",\"primitives\":[{\"attributes\":{\"POSITION\":8},\"material\":0}"
    "]}],\"animations\":[{\"name\":\"rest\",\"samplers\":[{\"input\":6,\"output\":7}],\"channels\":[{\"sampler\":0,"
    "\"target\":{\"node\":3,\"path\":\"rotation\"}}]},{\"name\":\"bend\",\"samplers\":[{\"input\":6,\"output\":7}],"
    "\"channels\":[{\"sampler\":0,\"target\":{\"node\":2,\"path\":\"rotation\"}}]}]";

static ruga_file_def character_def(void) {
    ruga_file_def def = ruga_file_def_default();
    def.mesh = "body";
    def.animation = "bend";
    return def;
}

static void save_character(void) {
    unsigned char picture[64] = "\x89PNG\r\n\x1a\n";
    for (int i = 8; i < 64; i++) picture[i] = (unsigned char)(i * i);
    add_bar();
    write_test_file(test_path("cloth.png"), picture, sizeof picture);
    glb_save(g, character, test_path("character.glb"));
}

static json_document *parse(const char *path) {
    json_document *document = NULL;
    size_t size;
    uint32_t length;
    unsigned char *bytes = (unsigned char *)read_test_file(path, &size);
    memcpy(&length, bytes + 12, 4);
    assert_ok(context, json_parse(context, path, (const char *)bytes + 20, length, 0, &document));
    free(bytes);
    return document;
}

static int same(const json_value *a, const json_value *b) {
    if (!a || !b || a->type != b->type || a->count != b->count || a->number != b->number) return 0;
    if (a->type == JSON_STRING) return strcmp(a->text, b->text) == 0;
    if (a->type != JSON_ARRAY && a->type != JSON_OBJECT) return 1;
    for (const json_value *x = a->first, *y = b->first; x; x = x->next, y = y->next)
        if (!same(x, a->type == JSON_OBJECT ? json_member(b, x->key) : y)) return 0;
    return 1;
}

/* Members that stay in every case; images change, since the picture beside the file goes into it. */
static void assert_kept(const char *path) {
    static const char *const keys[] = {"extensionsUsed", "extensions", "extras",   "scene",     "scenes",
                                       "cameras",        "skins",      "textures", "materials", "asset"};
    json_document *before = parse(test_path("character.glb")), *after = parse(path);
    const json_value *root = json_root(after), *images = json_member(root, "images");
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        fail_if(!same(json_member(json_root(before), keys[i]), json_member(root, keys[i])), "\"%s\" has changed in %s",
                keys[i], path);
    assert_int_equal(json_member(root, "nodes")->count, 5);
    assert_int_equal(json_member(root, "meshes")->count, 2);
    assert_string_equal(json_member(json_item(images, 0), "mimeType")->text, "image/png");
    assert_null(json_member(json_item(images, 0), "uri"));
    assert_string_equal(json_member(json_item(images, 1), "uri")->text, "lost.png");
    json_destroy(before);
    json_destroy(after);
}

static void assert_hat(const char *path) {
    ruga_file_def def = ruga_file_def_default();
    ruga_mesh *hat = NULL;
    def.mesh = "hat";
    assert_ok(context, ruga_mesh_read(context, path, &def, &hat));
    assert_int_equal(hat->vertex_count, 3);
    assert_at(hat, 1, 1, 0, 0);
    ruga_mesh_destroy(hat);
}

/* The buffer has the bytes of its views, which are padded to multiples of 4, and no others. */
static void assert_no_dead_bytes(const char *path) {
    json_document *document = parse(path);
    const json_value *root = json_root(document), *views = json_member(root, "bufferViews");
    double bytes = 0, size = json_member(json_item(json_member(root, "buffers"), 0), "byteLength")->number;
    for (const json_value *v = views->first; v; v = v->next) bytes += json_member(v, "byteLength")->number;
    assert_at_most_case(size, bytes + 4.0 * views->count, "%s", path);
    json_destroy(document);
}

/* ---- Frames. */

/* The body's motion on the fine mesh, with a bump that comes and goes. */
static void make_frame(ruga_motion *motion, const ruga_map *map, size_t frame, ruga_vec3 *fine) {
    ruga_vec3 coarse[BAR];
    assert_ok(context, ruga_motion_sample(motion, (double)frame / (FRAMES - 1), coarse));
    ruga_map_apply(map, coarse, fine);
    for (size_t v = 0; v < map->rows; v++) fine[v].z += 0.1 * sin((double)(v + frame));
}

static void write_frames(const ruga_mesh *mesh, ruga_motion *motion, const ruga_map *map, const char *path,
                         const ruga_file_def *def, ruga_vec3 *fine) {
    ruga_motion_writer *writer = NULL;
    assert_ok(context, ruga_motion_writer_create(mesh, path, def, &writer));
    for (size_t k = 0; k < FRAMES; k++) {
        make_frame(motion, map, k, fine);
        const ruga_frame frame = {
            .time = (double)k / (FRAMES - 1), .vertex_count = mesh->vertex_count, .positions = fine};
        assert_ok(context, ruga_motion_writer_append(writer, &frame));
    }
    assert_ok(context, ruga_motion_writer_finish(writer));
    ruga_motion_writer_destroy(writer);
}

/* Another topology, written into the file with its skin or baked, is where it was at every frame; through the skin, it
 * also is at rest. */
static void frames_come_back_through_the_skin(void **state) {
    (void)state;
    ruga_file_def def = character_def();
    ruga_mesh *coarse = NULL, *fine = NULL, *back = NULL;
    ruga_motion *motion = NULL, *again = NULL;
    ruga_map *map = NULL;
    save_character();
    assert_ok(context, ruga_mesh_read(context, test_path("character.glb"), &def, &coarse));
    assert_ok(context, ruga_motion_read(context, test_path("character.glb"), coarse, &def, &motion));
    ruga_subdivide_def twice = ruga_subdivide_def_default();
    twice.n = 2;
    assert_ok(context, ruga_mesh_subdivide(coarse, &twice, &fine, &map));
    ruga_vec3 *expected = malloc(fine->vertex_count * sizeof *expected),
              *found = malloc(fine->vertex_count * sizeof *found);
    for (int baked = 0; baked < 2; baked++) {
        ruga_file_def out = def;
        out.origin = test_path("character.glb");
        out.baked = baked;
        write_frames(fine, motion, map, test_path("fine.glb"), &out, expected);
        assert_kept(test_path("fine.glb"));
        assert_hat(test_path("fine.glb"));
        assert_no_dead_bytes(test_path("fine.glb"));
        assert_ok(context, ruga_mesh_read(context, test_path("fine.glb"), &def, &back));
        assert_int_equal(back->vertex_count, fine->vertex_count);
        assert_int_equal(back->joint_count, baked ? 0 : 2);
        for (size_t v = 0; v < fine->vertex_count; v++)
            assert_less(vec3_distance(back->positions[v], fine->positions[v]), 1e-5);
        assert_ok(context, ruga_motion_read(context, test_path("fine.glb"), back, &def, &again));
        for (size_t k = 0; k < FRAMES; k++) {
            make_frame(motion, map, k, expected);
            assert_ok(context, ruga_motion_sample(again, (double)k / (FRAMES - 1), found));
            for (size_t v = 0; v < fine->vertex_count; v++) assert_less(vec3_distance(expected[v], found[v]), 1e-5);
        }
        ruga_motion_destroy(again);
        ruga_mesh_destroy(back);
    }
    free(expected);
    free(found);
    ruga_map_destroy(map);
    ruga_motion_destroy(motion);
    ruga_mesh_destroy(fine);
    ruga_mesh_destroy(coarse);
}

/* ---- Morph targets of the mesh itself. */

static char *replaced(char *text, const char *from, const char *to) {
    const char *at = strstr(text, from);
    assert_non_null(at);
    const size_t before = (size_t)(at - text);
    char *out = malloc(strlen(text) + strlen(to) + 1);
    memcpy(out, text, before);
    strcpy(out + before, to);
    strcat(out + before, at + strlen(from));
    free(text);
    return out;
}

/* The character with two controls, "smile" and "frown", which both animations move. */
static void save_face(void) {
    float smile[3 * BAR], frown[3 * BAR];
    const float keys[4] = {0, 0, 1, 0.5f};
    save_character();
    for (int v = 0; v < BAR; v++)
        for (int x = 0; x < 3; x++) {
            smile[3 * v + x] = 0.1f * sinf((float)(v + x));
            frown[3 * v + x] = x == 1 ? 0.2f * cosf((float)v) : 0;
        }
    glb_floats(g, "VEC3", BAR, smile);
    glb_floats(g, "VEC3", BAR, frown);
    glb_floats(g, "SCALAR", 4, keys);
    char *text = malloc(sizeof character);
    memcpy(text, character, sizeof character);
    text = replaced(text, "\"extras\":{\"own\":7}}]}",
                    "\"extras\":{\"own\":7},\"targets\":[{\"POSITION\":9},{\"POSITION\":10}]}],\"weights\":[0.25,0],"
                    "\"extras\":{\"note\":3,\"targetNames\":[\"smile\",\"frown\"]}}");
    for (int node = 2; node <= 3; node++) {
        char from[160], to[320];
        snprintf(
            from, sizeof from,
            "{\"input\":6,\"output\":7}],\"channels\":[{\"sampler\":0,\"target\":{\"node\":%d,\"path\":\"rotation\"}}]",
            node);
        snprintf(
            to, sizeof to,
            "{\"input\":6,\"output\":7},{\"input\":6,\"output\":11}],\"channels\":[{\"sampler\":0,\"target\":{\"node\":%d,"
            "\"path\":\"rotation\"}},{\"sampler\":1,\"target\":{\"node\":0,\"path\":\"weights\"}}]",
            node);
        text = replaced(text, from, to);
    }
    glb_save(g, text, test_path("character.glb"));
    free(text);
}

static void assert_names(const char *path) {
    json_document *document = parse(path);
    const json_value *mesh = json_item(json_member(json_root(document), "meshes"), 0);
    const json_value *extras = json_member(mesh, "extras"), *names = json_member(extras, "targetNames");
    assert_int_equal((int)json_member(extras, "note")->number, 3);
    assert_int_equal(names->count, 2 + FRAMES);
    assert_string_equal(json_item(names, 0)->text, "smile");
    assert_string_equal(json_item(names, 1)->text, "frown");
    assert_string_equal(json_item(names, 2)->text, "frame 0");
    assert_int_equal(json_member(mesh, "weights")->count, 2 + FRAMES);
    json_destroy(document);
}

/* Frames come back; in another animation, which has none of them, the mesh follows its own targets as before. */
static void assert_face(const char *path, const ruga_mesh *fine, const ruga_map *map, ruga_motion *motions[2]) {
    static const char *const names[2] = {"bend", "rest"};
    ruga_vec3 coarse[BAR], *expected = malloc(fine->vertex_count * sizeof *expected),
                           *found = malloc(fine->vertex_count * sizeof *found);
    for (int i = 0; i < 2; i++) {
        ruga_file_def def = character_def();
        ruga_mesh *back = NULL;
        ruga_motion *again = NULL;
        def.animation = names[i];
        assert_ok(context, ruga_mesh_read(context, path, &def, &back));
        assert_ok(context, ruga_motion_read(context, path, back, &def, &again));
        for (size_t v = 0; v < fine->vertex_count; v++)
            assert_less(vec3_distance(back->positions[v], fine->positions[v]), 1e-5);
        for (size_t k = 0; k < FRAMES; k++) {
            const double time = (double)k / (FRAMES - 1);
            assert_ok(context, ruga_motion_sample(motions[i], time, coarse));
            ruga_map_apply(map, coarse, expected);
            if (i == 0) make_frame(motions[0], map, k, expected);
            assert_ok(context, ruga_motion_sample(again, time, found));
            for (size_t v = 0; v < fine->vertex_count; v++) assert_less(vec3_distance(expected[v], found[v]), 1e-5);
        }
        ruga_motion_destroy(again);
        ruga_mesh_destroy(back);
    }
    free(expected);
    free(found);
}

static void own_morph_targets_stay_controls(void **state) {
    (void)state;
    ruga_file_def def = character_def(), rest = def;
    ruga_mesh *coarse = NULL, *fine = NULL, *again = NULL;
    ruga_motion *motions[2] = {NULL, NULL};
    ruga_map *map = NULL;
    rest.animation = "rest";
    save_face();
    assert_ok(context, ruga_mesh_read(context, test_path("character.glb"), &def, &coarse));
    assert_ok(context, ruga_motion_read(context, test_path("character.glb"), coarse, &def, &motions[0]));
    assert_ok(context, ruga_motion_read(context, test_path("character.glb"), coarse, &rest, &motions[1]));
    ruga_subdivide_def twice = ruga_subdivide_def_default();
    twice.n = 2;
    assert_ok(context, ruga_mesh_subdivide(coarse, &twice, &fine, &map));
    ruga_vec3 *scratch = malloc(fine->vertex_count * sizeof *scratch);
    def.origin = test_path("character.glb");
    write_frames(fine, motions[0], map, test_path("face.glb"), &def, scratch);
    assert_names(test_path("face.glb"));
    assert_face(test_path("face.glb"), fine, map, motions);
    /* Once more, into the result: new frames take the place of the old ones, the controls stay. */
    def.origin = NULL;
    assert_ok(context, ruga_mesh_read(context, test_path("face.glb"), &def, &again));
    assert_int_equal(again->vertex_count, fine->vertex_count);
    def.origin = test_path("face.glb");
    write_frames(again, motions[0], map, test_path("face2.glb"), &def, scratch);
    assert_names(test_path("face2.glb"));
    assert_face(test_path("face2.glb"), fine, map, motions);
    /* Nothing of the old frames is left: the file does not grow from run to run. */
    assert_no_dead_bytes(test_path("face.glb"));
    assert_no_dead_bytes(test_path("face2.glb"));
    def.origin = test_path("face2.glb");
    write_frames(again, motions[0], map, test_path("face3.glb"), &def, scratch);
    assert_face(test_path("face3.glb"), fine, map, motions);
    size_t sizes[2];
    free(read_test_file(test_path("face2.glb"), &sizes[0]));
    free(read_test_file(test_path("face3.glb"), &sizes[1]));
    assert_int_equal(sizes[1], sizes[0]);
    free(scratch);
    for (int i = 0; i < 2; i++) ruga_motion_destroy(motions[i]);
    ruga_map_destroy(map);
    ruga_mesh_destroy(again);
    ruga_mesh_destroy(fine);
    ruga_mesh_destroy(coarse);
}

/* The file that a second mesh is written into may be the result of the first. */
static void meshes_are_written_one_after_the_other(void **state) {
    (void)state;
    ruga_file_def def = character_def();
    ruga_mesh *body = NULL, *hat = NULL, *back = NULL;
    save_character();
    assert_ok(context, ruga_mesh_read(context, test_path("character.glb"), &def, &body));
    def.origin = test_path("character.glb");
    assert_ok(context, ruga_mesh_write(body, NULL, test_path("first.glb"), &def));
    def.mesh = "hat";
    assert_ok(context, ruga_mesh_read(context, test_path("first.glb"), &def, &hat));
    ruga_vec3 raised[3];
    for (int v = 0; v < 3; v++) raised[v] = vec3_add(hat->positions[v], vec3_make(0, 1, 0));
    const ruga_frame frame = {.vertex_count = 3, .positions = raised};
    def.origin = test_path("first.glb");
    assert_ok(context, ruga_mesh_write(hat, &frame, test_path("second.glb"), &def));
    ruga_mesh_destroy(hat);
    assert_kept(test_path("second.glb"));
    assert_ok(context, ruga_mesh_read(context, test_path("second.glb"), &def, &hat));
    assert_at(hat, 1, 1, 1, 0);
    def.mesh = "body";
    assert_ok(context, ruga_mesh_read(context, test_path("second.glb"), &def, &back));
    assert_int_equal(back->vertex_count, body->vertex_count);
    for (size_t v = 0; v < body->vertex_count; v++)
        assert_less(vec3_distance(back->positions[v], body->positions[v]), 1e-5);
    assert_int_equal(back->joint_count, 2);
    assert_non_null(ruga_mesh_attribute(back, "uv", RUGA_DOMAIN_VERTEX));
    ruga_mesh_destroy(back);
    ruga_mesh_destroy(body);
    ruga_mesh_destroy(hat);
}

/* ---- Copies. */

static void a_copy_is_the_same_file(void **state) {
    (void)state;
    static const char *const names[] = {"copy.glb", "copy.gltf"};
    ruga_file_def def = character_def();
    save_character();
    for (int i = 0; i < 2; i++) {
        ruga_mesh *mesh = NULL, *back = NULL;
        ruga_motion *motion = NULL, *again = NULL;
        ruga_vec3 a[BAR], b[BAR];
        assert_ok(context, ruga_file_copy(context, test_path("character.glb"), test_path(names[i]), NULL));
        if (i == 0) assert_kept(test_path(names[i]));
        assert_hat(test_path(names[i]));
        assert_ok(context, ruga_mesh_read(context, test_path("character.glb"), &def, &mesh));
        assert_ok(context, ruga_mesh_read(context, test_path(names[i]), &def, &back));
        assert_memory_equal(mesh->positions, back->positions, BAR * sizeof *mesh->positions);
        assert_ok(context, ruga_motion_read(context, test_path("character.glb"), mesh, &def, &motion));
        assert_ok(context, ruga_motion_read(context, test_path(names[i]), back, &def, &again));
        assert_ok(context, ruga_motion_sample(motion, 0.3, a));
        assert_ok(context, ruga_motion_sample(again, 0.3, b));
        assert_memory_equal(a, b, sizeof a);
        ruga_motion_destroy(motion);
        ruga_motion_destroy(again);
        ruga_mesh_destroy(mesh);
        ruga_mesh_destroy(back);
    }
}

static void a_copy_may_leave_out_other_meshes_and_animations(void **state) {
    (void)state;
    ruga_file_def def = character_def();
    char *list = NULL;
    save_character();
    assert_ok(context, ruga_file_copy(context, test_path("character.glb"), test_path("body.glb"), &def));
    assert_ok(context, ruga_file_list_meshes(context, test_path("body.glb"), &list));
    assert_string_equal(list, "0 body 16\n");
    ruga_free(context, list);
    assert_ok(context, ruga_file_list_names(context, test_path("body.glb"), NULL, 0, RUGA_FILE_ANIMATIONS, &list));
    assert_string_equal(list, "bend\n");
    ruga_free(context, list);
    assert_status(ruga_file_copy(context, test_path("character.glb"), test_path("body.obj"), &def),
                  RUGA_ERROR_UNSUPPORTED);
}

/* A buffer that only another mesh needs may be missing: this one is read, and the copy keeps its name. */
static void a_missing_buffer_costs_its_own_mesh(void **state) {
    (void)state;
    static const char text[] =
        "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"uri\":\"gone.bin\",\"byteLength\":36},"
        "{\"uri\":\"here.bin\",\"byteLength\":36}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":36},"
        "{\"buffer\":1,\"byteLength\":36}],\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,"
        "\"type\":\"VEC3\"},{\"bufferView\":1,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}],"
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]},{\"primitives\":[{\"attributes\":{"
        "\"POSITION\":1}}]}],\"nodes\":[{\"name\":\"lost\",\"mesh\":0},{\"name\":\"kept\",\"mesh\":1}]}";
    ruga_file_def def = ruga_file_def_default();
    ruga_mesh *mesh = NULL;
    write_test_file(test_path("two.gltf"), text, strlen(text));
    write_test_file(test_path("here.bin"), triangle, sizeof triangle);
    def.mesh = "lost";
    assert_status(ruga_mesh_read(context, test_path("two.gltf"), &def, &mesh), RUGA_ERROR_FILE);
    assert_message_has(context, "gone.bin");
    assert_ok(context, ruga_file_copy(context, test_path("two.gltf"), test_path("two.glb"), NULL));
    def.mesh = "kept";
    for (int i = 0; i < 2; i++) {
        assert_ok(context, ruga_mesh_read(context, test_path(i ? "two.glb" : "two.gltf"), &def, &mesh));
        assert_at(mesh, 1, 1, 0, 0);
        ruga_mesh_destroy(mesh);
    }
    json_document *copy = parse(test_path("two.glb"));
    assert_string_equal(json_member(json_item(json_member(json_root(copy), "buffers"), 1), "uri")->text, "gone.bin");
    json_destroy(copy);
}

/* Two nodes that show one mesh: only the chosen one changes. */
static void a_mesh_that_two_nodes_share_changes_at_one_of_them(void **state) {
    (void)state;
    ruga_file_def def = ruga_file_def_default();
    ruga_mesh *mesh = NULL;
    glb_floats(g, "VEC3", 3, triangle);
    glb_save(g,
             "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],"
             "\"nodes\":[{\"name\":\"left\",\"mesh\":0},{\"name\":\"right\",\"mesh\":0,\"translation\":[5,0,0]}]",
             test_path("shared.glb"));
    def.mesh = "right";
    def.origin = test_path("shared.glb");
    assert_ok(context, ruga_mesh_read(context, test_path("shared.glb"), &def, &mesh));
    const ruga_vec3 moved[3] = {{5, 0, 7}, {6, 0, 7}, {5, 1, 7}};
    const ruga_frame frame = {.vertex_count = 3, .positions = moved};
    assert_ok(context, ruga_mesh_write(mesh, &frame, test_path("changed.glb"), &def));
    ruga_mesh_destroy(mesh);
    assert_ok(context, ruga_mesh_read(context, test_path("changed.glb"), &def, &mesh));
    assert_at(mesh, 1, 6, 0, 7);
    ruga_mesh_destroy(mesh);
    def.mesh = "left";
    assert_ok(context, ruga_mesh_read(context, test_path("changed.glb"), &def, &mesh));
    assert_at(mesh, 1, 1, 0, 0);
    ruga_mesh_destroy(mesh);
}

/* ---- Memory. */

/* Frames wait in a file: what is held after ten is held after a hundred. */
static void memory_does_not_grow_with_the_frames(void **state) {
    (void)state;
    counting_allocator counter = {.fail_at = -1};
    ruga_context *counted = context_counting(&counter);
    ruga_mesh *mesh = NULL;
    ruga_motion_writer *writer = NULL;
    ruga_vec3 positions[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    long live = 0;
    glb_floats(g, "VEC3", 3, triangle);
    assert_ok(counted,
              glb_read(counted, g, "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]", NULL, &mesh));
    assert_ok(counted, ruga_motion_writer_create(mesh, test_path("long.glb"), NULL, &writer));
    for (int k = 0; k < 100; k++) {
        positions[0].x = k;
        const ruga_frame frame = {.time = k, .vertex_count = 3, .positions = positions};
        assert_ok(counted, ruga_motion_writer_append(writer, &frame));
        if (k == 10) live = counter.live;
    }
    assert_int_equal(counter.live, live);
    assert_ok(counted, ruga_motion_writer_finish(writer));
    ruga_motion_writer_destroy(writer);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(counted);
}

int main(void) {
#define ORIGIN_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        ORIGIN_TEST(frames_come_back_through_the_skin),
        ORIGIN_TEST(own_morph_targets_stay_controls),
        ORIGIN_TEST(meshes_are_written_one_after_the_other),
        ORIGIN_TEST(a_copy_is_the_same_file),
        ORIGIN_TEST(a_copy_may_leave_out_other_meshes_and_animations),
        ORIGIN_TEST(a_missing_buffer_costs_its_own_mesh),
        ORIGIN_TEST(a_mesh_that_two_nodes_share_changes_at_one_of_them),
        ORIGIN_TEST(memory_does_not_grow_with_the_frames),
    };
    return cmocka_run_group_tests(tests, NULL, remove_folder);
}
