/* USD text: what is written is read by a strict parser, and every number comes back as the float it was. */
#include "meshes.h"
#include "usda_parser.h"

static ruga_context *context;

static int start(void **state) {
    (void)state;
    context = context_plain(1);
    return 0;
}

static int stop(void **state) {
    (void)state;
    ruga_context_destroy(context);
    test_folder_remove();
    return 0;
}

static usda_document *parse_file(const char *name) {
    size_t size;
    char *text = read_test_file(test_path(name), &size);
    assert_non_null(text);
    usda_document *d = usda_parse(text);
    free(text);
    return d;
}

static void assert_floats(const usda_value *v, const ruga_vec3 *positions, size_t count) {
    assert_string_equal(v->type, "point3f[]");
    assert_int_equal(v->count, count);
    for (size_t i = 0; i < count; i++) {
        assert_equal_case((float)v->numbers[3 * i], (float)positions[i].x, "i %zu", i);
        assert_equal_case((float)v->numbers[3 * i + 1], (float)positions[i].y, "i %zu", i);
        assert_equal_case((float)v->numbers[3 * i + 2], (float)positions[i].z, "i %zu", i);
    }
}

/* As many values, or indices, as the interpolation wants, and indices within the values. */
static void assert_primvars_fit(const usda_document *d, const char *prim, const ruga_mesh *mesh) {
    size_t primvars = 0;
    for (size_t i = 0; i < d->value_count; i++) {
        const usda_value *v = &d->values[i];
        if (strcmp(v->prim, prim) != 0 || !v->interpolation[0] || v->count == 0) continue;
        primvars++;
        char name[128];
        snprintf(name, sizeof name, "%s:indices", v->name);
        const usda_value *indices = usda_find(d, prim, name, 0);
        const size_t wanted = strcmp(v->interpolation, "vertex") == 0    ? mesh->vertex_count
                              : strcmp(v->interpolation, "uniform") == 0 ? mesh->face_count
                                                                         : mesh->corner_count;
        assert_int_equal(indices ? indices->count : v->count, wanted);
        for (size_t k = 0; indices && k < indices->count; k++) {
            assert_at_most_case(0, indices->numbers[k], "i %zu, k %zu", i, k);
            assert_less_case(indices->numbers[k], (double)v->count, "i %zu, k %zu", i, k);
        }
    }
    assert_ran(primvars, 1);
}

static void a_mesh_is_written_with_its_polygons_and_exact_floats(void **state) {
    (void)state;
    ruga_mesh *mesh = make_rich_mesh(context);
    assert_ok(context, ruga_mesh_write(mesh, NULL, test_path("rich.usda"), NULL));
    usda_document *d = parse_file("rich.usda");
    assert_string_equal(d->default_prim, "rich");
    assert_string_equal(d->up, "Y");
    assert_equal(d->unit, 1);
    assert_true(isnan(d->rate));
    assert_string_equal(d->types[usda_find_prim(d, "/rich")], "Xform");
    assert_string_equal(d->types[usda_find_prim(d, "/rich/rich")], "Mesh");
    assert_floats(usda_get(d, "/rich/rich", "points"), mesh->positions, mesh->vertex_count);
    const usda_value *counts = usda_get(d, "/rich/rich", "faceVertexCounts");
    assert_int_equal(counts->count, 3);
    assert_equal(counts->numbers[0], 4);
    assert_equal(counts->numbers[1], 3);
    assert_equal(counts->numbers[2], 3);
    const usda_value *indices = usda_get(d, "/rich/rich", "faceVertexIndices");
    assert_int_equal(indices->count, mesh->corner_count);
    for (size_t i = 0; i < indices->count; i++)
        assert_equal_case(indices->numbers[i], mesh->face_vertices[i], "i %zu", i);
    assert_string_equal(usda_get(d, "/rich/rich", "subdivisionScheme")->strings[0], "none");
    const usda_value *extent = usda_get(d, "/rich/rich", "extent");
    assert_equal(extent->numbers[0], 0);
    assert_equal(extent->numbers[2], -7);
    assert_equal((float)extent->numbers[4], 2e10f);
    assert_primvars_fit(d, "/rich/rich", mesh);
    usda_release(d);
    ruga_mesh_destroy(mesh);
}

static void attributes_become_primvars_of_a_fitting_type(void **state) {
    (void)state;
    ruga_mesh *mesh = make_rich_mesh(context);
    assert_ok(context, ruga_mesh_write(mesh, NULL, test_path("a.usda"), NULL));
    usda_document *d = parse_file("a.usda");
    static const char *const wanted[][3] = {
        {"primvars:st", "texCoord2f[]", "faceVarying"},   {"primvars:normals", "normal3f[]", "faceVarying"},
        {"primvars:displayColor", "color3f[]", "vertex"}, {"primvars:displayOpacity", "float[]", "vertex"},
        {"primvars:weight", "float2[]", "vertex"},        {"primvars:x", "int[]", "vertex"},
        {"primvars:rest_length", "uint[]", "vertex"},     {"primvars:smoothing", "int[]", "uniform"},
        {"primvars:signed_0", "float[]", "uniform"}};
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        const usda_value *v = usda_get(d, "/a/a", wanted[i][0]);
        assert_string_equal(v->type, wanted[i][1]);
        assert_string_equal(v->interpolation, wanted[i][2]);
    }
    /* Seams: shared values stay shared; the corner without one has the last, zero. */
    const usda_value *st = usda_get(d, "/a/a", "primvars:st"), *at = usda_get(d, "/a/a", "primvars:st:indices");
    assert_int_equal(st->count, 7);
    assert_equal(at->numbers[0], 3);
    assert_equal(at->numbers[6], 6);
    assert_equal(st->numbers[12], 0);
    assert_equal(st->numbers[13], 0);
    assert_equal((float)st->numbers[9], (float)(1.0 / 7));
    assert_equal((float)usda_get(d, "/a/a", "primvars:displayColor")->numbers[3], 1.0f);
    assert_equal((float)usda_get(d, "/a/a", "primvars:displayOpacity")->numbers[0], 3.0f / 255);
    assert_equal(usda_get(d, "/a/a", "primvars:rest_length")->numbers[2], 4294967295.0);
    assert_equal((float)usda_get(d, "/a/a", "primvars:weight")->numbers[1], 1e-30f);
    assert_null(usda_find(d, "/a/a", "primvars:sharpness", 0));
    usda_release(d);
    ruga_mesh_destroy(mesh);
}

static void materials_groups_and_lines_are_prims(void **state) {
    (void)state;
    ruga_mesh *mesh = make_rich_mesh(context);
    assert_ok(context, ruga_mesh_write(mesh, NULL, test_path("b.usda"), NULL));
    usda_document *d = parse_file("b.usda");
    const usda_value *red = usda_get(d, "/b/b/red", "indices"), *blue = usda_get(d, "/b/b/blue", "indices");
    assert_true(red->count == 2);
    assert_equal(red->numbers[0], 0);
    assert_equal(red->numbers[1], 1);
    assert_true(blue->count == 1);
    assert_equal(blue->numbers[0], 2);
    assert_string_equal(usda_get(d, "/b/b/red", "familyName")->strings[0], "materialBind");
    assert_string_equal(usda_get(d, "/b/b/red", "elementType")->strings[0], "face");
    assert_string_equal(d->types[usda_find_prim(d, "/b/materials/red")], "Material");
    const usda_value *sleeve = usda_get(d, "/b/b/left_sleeve", "indices");
    assert_true(sleeve->count == 1);
    assert_equal(sleeve->numbers[0], 1);
    assert_string_equal(usda_get(d, "/b/b/left_sleeve", "familyName")->strings[0], "group");
    assert_string_equal(d->label[usda_find_prim(d, "/b/b/left_sleeve")], "left sleeve");
    assert_equal(usda_get(d, "/b/b/body", "indices")->numbers[0], 0);

    const usda_value *sizes = usda_get(d, "/b/lines", "curveVertexCounts"), *points = usda_get(d, "/b/lines", "points");
    assert_true(sizes->count == 2);
    assert_equal(sizes->numbers[0], 3);
    assert_equal(sizes->numbers[1], 2);
    assert_int_equal(points->count, 5);
    for (size_t i = 0; i < 5; i++)
        assert_equal_case((float)points->numbers[3 * i], (float)mesh->positions[mesh->line_vertices[i]].x, "i %zu", i);
    assert_string_equal(usda_get(d, "/b/lines", "type")->strings[0], "linear");
    usda_release(d);
    ruga_mesh_destroy(mesh);
}

/* glTF splits vertices at seams; USD gets the welded surface, with the seams on the corners. */
static void a_mesh_that_was_split_is_written_welded(void **state) {
    (void)state;
    ruga_mesh *mesh = make_rich_mesh(context), *split = NULL;
    assert_ok(context, ruga_mesh_write(mesh, NULL, test_path("split.glb"), NULL));
    assert_ok(context, ruga_mesh_read(context, test_path("split.glb"), NULL, &split));
    assert_less(split->vertex_count, split->split_count);
    assert_ok(context, ruga_mesh_write(split, NULL, test_path("split.usda"), NULL));
    usda_document *d = parse_file("split.usda");
    assert_floats(usda_get(d, "/split/split", "points"), split->positions, split->vertex_count);
    const ruga_attribute *uv = ruga_mesh_attribute(split, "uv", RUGA_DOMAIN_CORNER);
    const usda_value *st = usda_get(d, "/split/split", "primvars:st");
    const usda_value *at = usda_get(d, "/split/split", "primvars:st:indices");
    assert_string_equal(st->interpolation, "faceVarying");
    for (size_t c = 0; c < split->corner_count; c++)
        assert_equal_case((float)st->numbers[2 * (size_t)at->numbers[c]], (float)ruga_attribute_get(uv, c, 0), "c %zu",
                          c);
    assert_primvars_fit(d, "/split/split", split);
    usda_release(d);
    ruga_mesh_destroy(split);
    ruga_mesh_destroy(mesh);
}

/* A triangle fan of `faces` faces with given attributes. */
static ruga_mesh *make_fan(ruga_context *owner, size_t faces, const ruga_attribute *attributes, size_t count) {
    double positions[30] = {0};
    uint32_t corners[24];
    for (size_t i = 0; i < faces + 2; i++) positions[3 * i] = (double)i, positions[3 * i + 1] = (double)(i * i);
    for (size_t i = 0; i < faces; i++)
        corners[3 * i] = 0, corners[3 * i + 1] = (uint32_t)i + 1, corners[3 * i + 2] = (uint32_t)i + 2;
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){positions, faces + 2, 0, RUGA_F64};
    def.face_count = faces;
    def.face_vertices = corners;
    def.attribute_count = count;
    def.attributes = attributes;
    ruga_mesh *mesh = NULL;
    assert_ok(owner, ruga_mesh_create(owner, &def, &mesh));
    return mesh;
}

static void names_become_identifiers_and_labels_are_quoted(void **state) {
    (void)state;
    static const char *const labels[6] = {"2nd", "a b", "a_b", "n\xc3\xa4ht \"x\\\"", "\n\x01\xff", ""};
    static const int32_t materials[6] = {0, 1, 2, 3, 4, 5}, regions[8] = {0, 3, 4, -1, 5, 5, 5, 5};
    static const float values[8] = {0};
    const ruga_attribute attributes[] = {
        {"material", RUGA_DOMAIN_FACE, RUGA_I32, 1, 0, 6, materials, NULL, 6, labels},
        {"region", RUGA_DOMAIN_VERTEX, RUGA_I32, 1, 0, 8, regions, NULL, 6, labels},
        {"9 l\xc3\xa4nge:x", RUGA_DOMAIN_VERTEX, RUGA_F32, 1, 0, 8, values, NULL, 0, NULL},
        {"9 l\xc3\xb6nge.x", RUGA_DOMAIN_VERTEX, RUGA_F32, 1, 0, 8, values, NULL, 0, NULL},
    };
    ruga_mesh *mesh = make_fan(context, 6, attributes, 4);
    assert_ok(context, ruga_mesh_write(mesh, NULL, test_path("3 m\xc3\xa4sh.b.usda"), NULL));
    usda_document *d = parse_file("3 m\xc3\xa4sh.b.usda");
    assert_string_equal(d->default_prim, "_3_m_sh_b");
    const char *const prim = "/_3_m_sh_b/_3_m_sh_b";
    static const char *const names[6] = {"_2nd", "a_b", "a_b_2", "n_ht__x__", "___", "material"};
    static const char *const kept[6] = {"2nd", "a b", "", "n\xc3\xa4ht \"x\\\"", "\n\x01\xef\xbf\xbd", ""};
    for (size_t i = 0; i < 5; i++) {
        char path[256];
        snprintf(path, sizeof path, "%s/%s", prim, names[i]);
        const char *label = d->label[usda_find_prim(d, path)];
        assert_string_equal(label, i == 2 ? "a_b" : kept[i]);
        assert_equal_case(usda_get(d, path, "indices")->numbers[0], (double)i, "i %zu", i);
    }
    const usda_value *region = usda_get(d, prim, "primvars:region");
    assert_int_equal(region->count, 7);
    assert_string_equal(region->strings[3], kept[3]);
    assert_string_equal(region->strings[4], kept[4]);
    assert_equal(usda_get(d, prim, "primvars:region:indices")->numbers[3], 6);
    usda_get(d, prim, "primvars:_9_l_nge_x");
    assert_primvars_fit(d, prim, mesh);
    usda_release(d);
    ruga_mesh_destroy(mesh);
}

static void wide_values_doubles_and_labels_out_of_range_are_kept(void **state) {
    (void)state;
    static const char *const labels[1] = {"only"};
    static const int32_t groups[2] = {0, 7};
    double wide[20], far[8] = {1.0 / 3, 1e300, 0, 0, 0, 0, 0, 0};
    for (int i = 0; i < 20; i++) wide[i] = i + 0.1;
    static const uint32_t pairs[8] = {4294967295u, 1, 2, 3, 4, 5, 6, 7};
    static const double uvs[12] = {0, 1, 2};
    const ruga_attribute attributes[] = {
        {"group", RUGA_DOMAIN_FACE, RUGA_I32, 1, 0, 2, groups, NULL, 1, labels},
        {"wide", RUGA_DOMAIN_VERTEX, RUGA_F64, 5, 0, 4, wide, NULL, 0, NULL},
        {"far", RUGA_DOMAIN_VERTEX, RUGA_F64, 2, 0, 4, far, NULL, 0, NULL},
        {"pairs", RUGA_DOMAIN_VERTEX, RUGA_U32, 2, 0, 4, pairs, NULL, 0, NULL},
        {"uv1", RUGA_DOMAIN_VERTEX, RUGA_F64, 3, 0, 4, uvs, NULL, 0, NULL},
    };
    ruga_mesh *mesh = make_fan(context, 2, attributes, 5);
    assert_ok(context, ruga_mesh_write(mesh, NULL, test_path("w.usda"), NULL));
    usda_document *d = parse_file("w.usda");
    assert_equal(usda_get(d, "/w/w", "primvars:group")->numbers[1], 7);
    const usda_value *w = usda_get(d, "/w/w", "primvars:wide");
    assert_string_equal(w->type, "double[]");
    assert_int_equal(w->count, 20);
    for (int i = 0; i < 20; i++) assert_equal_case(w->numbers[i], wide[i], "i %d", i);
    assert_string_equal(usda_get(d, "/w/w", "primvars:far")->type, "double2[]");
    assert_equal(usda_get(d, "/w/w", "primvars:far")->numbers[0], 1.0 / 3);
    assert_string_equal(usda_get(d, "/w/w", "primvars:pairs")->type, "double2[]");
    assert_string_equal(usda_get(d, "/w/w", "primvars:st1")->type, "texCoord3f[]");
    usda_release(d);
    ruga_mesh_destroy(mesh);
}

static void units_and_axes_are_said_and_applied(void **state) {
    (void)state;
    static const double normals[12] = {0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0};
    static const ruga_attribute normal = {"normal", RUGA_DOMAIN_VERTEX, RUGA_F64, 3, 0, 4, normals, NULL, 0, NULL};
    ruga_mesh *mesh = make_fan(context, 2, &normal, 1);
    ruga_file_def def = ruga_file_def_default();
    def.unit = 0.01;
    def.up = RUGA_AXIS_Z;
    assert_ok(context, ruga_mesh_write(mesh, NULL, test_path("u.usda"), &def));
    usda_document *d = parse_file("u.usda");
    assert_string_equal(d->up, "Z");
    assert_equal(d->unit, 0.01);
    const usda_value *points = usda_get(d, "/u/u", "points"), *n = usda_get(d, "/u/u", "normals");
    assert_equal(points->numbers[9], 300);
    assert_equal(points->numbers[10], 0);
    assert_equal(points->numbers[11], 900);
    assert_string_equal(n->interpolation, "vertex");
    assert_equal(n->numbers[0], 0);
    assert_equal(n->numbers[1], 0);
    assert_equal(n->numbers[2], 1);
    usda_release(d);
    def.up = RUGA_AXIS_X;
    ruga_motion_writer *writer = NULL;
    assert_status(ruga_mesh_write(mesh, NULL, test_path("x.usda"), &def), RUGA_ERROR_ARGUMENT);
    assert_message_has(context, "but not x");
    assert_status(ruga_motion_writer_create(mesh, test_path("x.usda"), &def, &writer), RUGA_ERROR_ARGUMENT);
    assert_false(test_file_exists(test_path("x.usda")));
    ruga_mesh_destroy(mesh);
}

/* ---- Motions. */

static void move(const ruga_mesh *mesh, double time, ruga_vec3 *positions) {
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        const ruga_vec3 p = mesh->positions[i];
        positions[i] = (ruga_vec3){p.x * cos(time) - p.y * sin(time), p.x * sin(time) + p.y * cos(time), p.z + time};
    }
}

static ruga_status write_motion(const ruga_mesh *mesh, const char *path, const ruga_file_def *def, size_t frames,
                                int with_normals) {
    ruga_motion_writer *writer = NULL;
    TRY(ruga_motion_writer_create(mesh, path, def, &writer));
    ruga_vec3 *positions = malloc(mesh->vertex_count * sizeof *positions);
    ruga_status status = RUGA_OK;
    for (size_t i = 0; i < frames && !RUGA_FAILED(status); i++) {
        ruga_frame frame = {.time = 0.5 + (double)i / def->rate, .vertex_count = mesh->vertex_count};
        move(mesh, frame.time, positions);
        frame.positions = positions;
        frame.normals = with_normals ? positions : NULL;
        status = ruga_motion_writer_append(writer, &frame);
    }
    if (!RUGA_FAILED(status)) status = ruga_motion_writer_finish(writer);
    ruga_motion_writer_destroy(writer);
    free(positions);
    return status;
}

static void a_motion_has_a_sample_for_every_frame(void **state) {
    (void)state;
    ruga_mesh *mesh = make_rich_mesh(context);
    ruga_file_def def = ruga_file_def_default();
    def.rate = 30;
    /* Files beside it belong to others, whatever their names. */
    static const char *const others[2] = {"walk.usda.normals", "walk.usda.lines"};
    for (int i = 0; i < 2; i++) write_test_file(test_path(others[i]), "mine", 4);
    const size_t before = test_folder_entry_count();
    assert_ok(context, write_motion(mesh, test_path("walk.usda"), &def, 7, 1));
    assert_int_equal(test_folder_entry_count(), before + 1);
    for (int i = 0; i < 2; i++) {
        size_t size = 0;
        char *text = read_test_file(test_path(others[i]), &size);
        assert_non_null(text);
        assert_string_equal(text, "mine");
        free(text);
    }
    usda_document *d = parse_file("walk.usda");
    assert_equal(d->start, 15);
    assert_equal(d->last, 21);
    assert_equal(d->rate, 30);
    ruga_vec3 moved[5], on_lines[5];
    for (size_t i = 0; i < 7; i++) {
        const usda_value *v = usda_find(d, "/walk/walk", "points", i),
                         *n = usda_find(d, "/walk/walk", "normals", i + 1);
        const usda_value *box = usda_find(d, "/walk/walk", "extent", i), *l = usda_find(d, "/walk/lines", "points", i);
        assert_equal_case(v->code, 15 + (double)i, "i %zu", i);
        assert_equal_case(n->code, v->code, "i %zu", i);
        assert_equal_case(box->code, v->code, "i %zu", i);
        assert_equal_case(l->code, v->code, "i %zu", i);
        move(mesh, 0.5 + (double)i / 30, moved);
        assert_floats(v, moved, 5);
        assert_int_equal(n->count, 5);
        assert_equal_case((float)n->numbers[4], (float)moved[1].y, "i %zu", i);
        for (size_t k = 0; k < 5; k++) {
            assert_at_most_case(box->numbers[2], v->numbers[3 * k + 2], "i %zu, k %zu", i, k);
            assert_at_most_case(v->numbers[3 * k + 2], box->numbers[5], "i %zu, k %zu", i, k);
            on_lines[k] = moved[mesh->line_vertices[k]];
        }
        assert_floats(l, on_lines, 5);
    }
    assert_null(usda_find(d, "/walk/walk", "points", 7));
    assert_string_equal(usda_get(d, "/walk/walk", "normals")->interpolation, "vertex");
    /* Normals of the mesh at rest do not come along; topology, seams and subsets do, once. */
    assert_null(usda_find(d, "/walk/walk", "primvars:normals", 0));
    assert_int_equal(usda_get(d, "/walk/walk", "faceVertexCounts")->count, 3);
    assert_int_equal(usda_get(d, "/walk/walk/red", "indices")->count, 2);
    assert_primvars_fit(d, "/walk/walk", mesh);
    usda_release(d);
    ruga_mesh_destroy(mesh);
}

static void frames_between_time_codes_are_allowed_but_times_have_to_rise(void **state) {
    (void)state;
    ruga_mesh *mesh = make_fan(context, 2, NULL, 0);
    ruga_motion_writer *writer = NULL;
    assert_ok(context, ruga_motion_writer_create(mesh, test_path("t.usda"), NULL, &writer));
    ruga_frame frame = {.time = -0.01, .vertex_count = 4, .positions = mesh->positions};
    assert_status(ruga_motion_writer_finish(writer), RUGA_ERROR_ARGUMENT);
    assert_ok(context, ruga_motion_writer_append(writer, &frame));
    assert_status(ruga_motion_writer_append(writer, &frame), RUGA_ERROR_ARGUMENT);
    assert_message_has(context, "times must increase");
    frame.time = NAN;
    assert_status(ruga_motion_writer_append(writer, &frame), RUGA_ERROR_ARGUMENT);
    frame.time = 1;
    frame.normals = mesh->positions;
    assert_status(ruga_motion_writer_append(writer, &frame), RUGA_ERROR_ARGUMENT);
    assert_message_has(context, "all frames or to none");
    /* Refused frames leave no trace. */
    frame.normals = NULL;
    assert_ok(context, ruga_motion_writer_append(writer, &frame));
    assert_ok(context, ruga_motion_writer_finish(writer));
    assert_ok(context, ruga_motion_writer_finish(writer));
    ruga_motion_writer_destroy(writer);
    usda_document *d = parse_file("t.usda");
    assert_equal(d->start, -0.24);
    assert_equal(d->last, 24);
    assert_null(usda_find(d, "/t/t", "points", 2));
    usda_release(d);
    ruga_mesh_destroy(mesh);
}

static void what_is_not_finite_is_refused_with_its_number(void **state) {
    (void)state;
    static const float bad_values[4] = {0, 0, NAN, 0};
    static const ruga_attribute bad = {"heat", RUGA_DOMAIN_VERTEX, RUGA_F32, 1, 0, 4, bad_values, NULL, 0, NULL};
    ruga_mesh *mesh = make_fan(context, 2, NULL, 0), *hot = make_fan(context, 2, &bad, 1);
    ruga_vec3 positions[4] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1e200}, {0, 1, 0}}, normals[4] = {{0, INFINITY, 0}};
    ruga_frame frame = {.vertex_count = 4, .positions = positions};
    assert_status(ruga_mesh_write(mesh, &frame, test_path("n.usda"), NULL), RUGA_ERROR_INPUT);
    assert_message_has(context, "vertex 2 ");
    assert_status(ruga_mesh_write(hot, NULL, test_path("n.usda"), NULL), RUGA_ERROR_INPUT);
    assert_message_has(context, "value 2 of attribute \"heat\"");
    ruga_motion_writer *writer = NULL;
    assert_ok(context, ruga_motion_writer_create(mesh, test_path("n.usda"), NULL, &writer));
    positions[2].z = NAN;
    assert_status(ruga_motion_writer_append(writer, &frame), RUGA_ERROR_INPUT);
    assert_message_has(context, "vertex 2 ");
    positions[2].z = 0;
    frame.normals = normals;
    assert_status(ruga_motion_writer_append(writer, &frame), RUGA_ERROR_INPUT);
    assert_message_has(context, "normal of vertex 0");
    ruga_motion_writer_destroy(writer);
    assert_false(test_file_exists(test_path("n.usda")));
    ruga_mesh_destroy(mesh);
    ruga_mesh_destroy(hot);
}

static void reading_says_what_to_do(void **state) {
    (void)state;
    ruga_mesh *mesh = make_fan(context, 2, NULL, 0), *read = NULL;
    ruga_motion *motion = NULL;
    assert_status(ruga_mesh_read(context, "a.usda", NULL, &read), RUGA_ERROR_UNSUPPORTED);
    assert_message_has(context, "export the mesh as glb, obj or ply");
    assert_status(ruga_mesh_read_memory(context, "a.usda", "", 0, NULL, &read), RUGA_ERROR_UNSUPPORTED);
    assert_status(ruga_motion_read(context, "a.usda", mesh, NULL, &motion), RUGA_ERROR_UNSUPPORTED);
    ruga_mesh_destroy(mesh);
}

static void empty_meshes_and_sequences_are_written(void **state) {
    (void)state;
    ruga_mesh_def empty = ruga_mesh_def_default();
    ruga_mesh *mesh = NULL, *fan = make_fan(context, 2, NULL, 0);
    assert_ok(context, ruga_mesh_create(context, &empty, &mesh));
    assert_ok(context, ruga_mesh_write(mesh, NULL, test_path("e.usda"), NULL));
    usda_document *d = parse_file("e.usda");
    assert_int_equal(usda_get(d, "/e/e", "points")->count, 0);
    assert_null(usda_find(d, "/e/e", "extent", 0));
    usda_release(d);
    const ruga_file_def def = ruga_file_def_default();
    assert_ok(context, write_motion(fan, test_path("s_##.usda"), &def, 2, 0));
    d = parse_file("s_02.usda");
    assert_int_equal(usda_get(d, "/s_02/s_02", "points")->count, 4);
    usda_release(d);
    ruga_mesh_destroy(mesh);
    ruga_mesh_destroy(fan);
}

static void the_size_is_foretold(void **state) {
    (void)state;
    ruga_mesh *strip = make_strip(context, 3000);
    const ruga_file_def def = ruga_file_def_default();
    for (size_t frames = 1; frames <= 25; frames += 8) {
        assert_ok(context, write_motion(strip, test_path("size.usda"), &def, frames, 0));
        size_t size;
        free(read_test_file(test_path("size.usda"), &size));
        const double estimate = (double)ruga_motion_written_size(strip, frames, RUGA_FORMAT_USDA);
        assert_near_case(estimate / (double)size, 1, 0.1, "%zu frames: %g expected, %zu written", frames, estimate,
                         size);
    }
    ruga_mesh_destroy(strip);
}

/* ---- Failures. */

static ruga_status write_everything(ruga_context *owner, void *user) {
    (void)user;
    ruga_mesh *mesh = make_rich_mesh(owner);
    if (!mesh) return RUGA_ERROR_MEMORY;
    const ruga_file_def def = ruga_file_def_default();
    ruga_status status = ruga_mesh_write(mesh, NULL, test_path("m.usda"), NULL);
    if (!RUGA_FAILED(status)) status = write_motion(mesh, test_path("m.usda"), &def, 3, 1);
    ruga_mesh_destroy(mesh);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    assert_less(20, assert_every_allocation_may_fail(write_everything, NULL));
}

static void a_disk_that_fills_up_leaves_nothing(void **state) {
    (void)state;
    fragile_files files;
    fragile_files_open(&files);
    ruga_mesh *mesh = make_rich_mesh(files.context);
    const ruga_file_def def = ruga_file_def_default();
    assert_ok(files.context, write_motion(mesh, "m.usda", &def, 2, 1));
    const uint64_t all = files.failing.bytes_written;
    assert_int_equal(memory_file_system_count(files.memory), 1);
    assert_ok(files.context, ruga_mesh_write(mesh, NULL, "s.usda", NULL));
    const uint64_t still = files.failing.bytes_written - all;
    ruga_mesh_destroy(mesh);
    fragile_files_close(&files);
    for (int moving = 0; moving < 2; moving++)
        for (uint64_t at = 0; at < (moving ? all : still); at += SANITIZED ? 7 : 1) {
            fragile_files_open(&files);
            ruga_mesh *other = make_rich_mesh(files.context);
            files.failing.fail_at_byte = at;
            assert_status(
                moving ? write_motion(other, "m.usda", &def, 2, 1) : ruga_mesh_write(other, NULL, "m.usda", NULL),
                RUGA_ERROR_FILE);
            assert_int_equal(memory_file_system_count(files.memory), 0);
            ruga_mesh_destroy(other);
            fragile_files_close(&files);
        }
}

static void failing_calls_leave_nothing(void **state) {
    (void)state;
    const ruga_file_def def = ruga_file_def_default();
    /* Two scratch files are read back into the third, which alone is flushed and named. */
    static const long calls[4] = {3, 1, 1, 2};
    for (int call = 0; call < 4; call++)
        for (long n = 0; n < calls[call]; n++) {
            fragile_files files;
            fragile_files_open(&files);
            ruga_mesh *mesh = make_rich_mesh(files.context);
            long *const counters[4] = {&files.failing.fail_create, &files.failing.fail_flush,
                                       &files.failing.fail_rename, &files.failing.fail_read};
            *counters[call] = n;
            assert_status(write_motion(mesh, "m.usda", &def, 2, 1), RUGA_ERROR_FILE);
            assert_int_equal(memory_file_system_count(files.memory), 0);
            ruga_mesh_destroy(mesh);
            fragile_files_close(&files);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mesh_is_written_with_its_polygons_and_exact_floats),
        cmocka_unit_test(attributes_become_primvars_of_a_fitting_type),
        cmocka_unit_test(materials_groups_and_lines_are_prims),
        cmocka_unit_test(a_mesh_that_was_split_is_written_welded),
        cmocka_unit_test(names_become_identifiers_and_labels_are_quoted),
        cmocka_unit_test(wide_values_doubles_and_labels_out_of_range_are_kept),
        cmocka_unit_test(units_and_axes_are_said_and_applied),
        cmocka_unit_test(a_motion_has_a_sample_for_every_frame),
        cmocka_unit_test(frames_between_time_codes_are_allowed_but_times_have_to_rise),
        cmocka_unit_test(what_is_not_finite_is_refused_with_its_number),
        cmocka_unit_test(reading_says_what_to_do),
        cmocka_unit_test(empty_meshes_and_sequences_are_written),
        cmocka_unit_test(the_size_is_foretold),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(a_disk_that_fills_up_leaves_nothing),
        cmocka_unit_test(failing_calls_leave_nothing),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
