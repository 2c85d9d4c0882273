/* Strokes of files: what is said of all of them and of each, and what becomes of it. */
#include "math/vec3.h"
#include "scene/strokes_support.h"

#define CURVE "\"curve\": [[-0.3, 0, 0.01], [0.3, 0, 0.01]], \"particles\": 13"

static void a_stroke_with_a_length_of_its_own_has_no_keys_of_others(void **state) {
    (void)state;
    double end;
    test_strokes t = values_plain();
    open_strokes(&t,
                 "{\"refine\": 0, \"keys\": [{\"time\": 0, \"length\": 1.1}, {\"time\": 2, \"length\": 1.4}], "
                 "\"strokes\": [{" CURVE ", \"length\": 1.2}]}");
    assert_false(ruga_strokes_move(t.strokes, &end));
    assert_equal(end, 0);
    assert_equal(ruga_strokes_get(t.strokes, 0).def.length, 1.2);
    close_strokes(&t);
    t = values_plain();
    open_strokes(&t,
                 "{\"refine\": 0, \"keys\": [{\"time\": 0, \"length\": 1.1}, {\"time\": 2, \"length\": 1.4}], "
                 "\"strokes\": [{" CURVE "}]}");
    assert_true(ruga_strokes_move(t.strokes, &end));
    assert_equal(end, 2);
    assert_equal(ruga_strokes_get(t.strokes, 0).def.length, 1.4);
    close_strokes(&t);
}

static void strokes_are_straight_if_anyone_says_so(void **state) {
    (void)state;
    for (int who = 0; who < 4; who++) {
        char text[400];
        test_strokes t = values_plain();
        t.values.look.straight = who == 1;
        snprintf(text, sizeof text, "{\"refine\": 0%s, \"strokes\": [{" CURVE "%s}]}",
                 who == 2 ? ", \"straight\": true" : "", who == 3 ? ", \"straight\": true" : "");
        open_strokes(&t, text);
        assert_int_equal(ruga_strokes_get(t.strokes, 0).def.straight, who > 0);
        close_strokes(&t);
    }
}

/* Keys, and lengths of a table, that are never above 1: prepared for none. */
static void lengths_below_one_mean_no_wrinkle(void **state) {
    (void)state;
    test_strokes t = values_plain();
    open_strokes(&t, "{\"refine\": 0, \"strokes\": [{" CURVE
                     ", \"keys\": [{\"time\": 0, \"length\": 0.8}, {\"time\": 1, "
                     "\"length\": 0.9}]}]}");
    assert_equal(ruga_strokes_get(t.strokes, 0).def.length, 1);
    const double lengths[] = {0.7, 0.95};
    ruga_length_table table = {.frame_count = 2, .stroke_count = 1, .values = lengths, .context = context};
    assert_ok(context, ruga_strokes_prepare(t.strokes, &table));
    assert_equal(ruga_strokes_get(t.strokes, 0).def.length, 1);
    const ruga_mesh *result = ruga_sculpt_mesh(ruga_strokes_sculpt(t.strokes));
    for (size_t v = 0; v < result->vertex_count; v++) assert_equal_case(result->positions[v].y, 0, "v %zu", v);
    close_strokes(&t);
}

/* NaN stands for what the stroke says itself. */
static void lengths_may_be_given_of_some_strokes(void **state) {
    (void)state;
    test_strokes t = values_plain();
    open_strokes(&t, "{\"refine\": 0, \"strokes\": [{" CURVE
                     ", \"length\": 1.4}, "
                     "{\"curve\": [[-0.3, 0, 0.3], [0.3, 0, 0.3]], \"particles\": 12}]}");
    const double some[] = {NAN, 1.1}, all[] = {1.4, 1.1};
    size_t count = ruga_sculpt_mesh(ruga_strokes_sculpt(t.strokes))->vertex_count;
    ruga_vec3 *a = malloc(count * sizeof *a), *b = malloc(count * sizeof *b);
    assert_ok(context, ruga_strokes_pose(t.strokes, t.mesh->positions, 0, some, a));
    assert_ok(context, ruga_strokes_pose(t.strokes, t.mesh->positions, 0, all, b));
    assert_memory_equal(a, b, count * sizeof *a);
    free(a);
    free(b);
    close_strokes(&t);
}

/* A value that the section gives for all strokes overrides the value that the file gives for all. */
static void the_section_decides_what_drives_strokes(void **state) {
    (void)state;
    for (int drive = -1; drive < 2; drive++) {
        double end;
        test_strokes t = values_plain();
        t.values.look.drive = drive;
        open_strokes(&t, "{\"refine\": 0, \"drive\": \"compression\", \"strokes\": [{" CURVE "}]}");
        assert_int_equal(ruga_strokes_move(t.strokes, &end), drive != 0);
        close_strokes(&t);
    }
}

/* Lines drawn side by side are meant as furrows; a furrow wider than long is not. */
static void strokes_that_look_meant_otherwise_have_advice(void **state) {
    (void)state;
    static const char sides[] =
        "\"strokes\": [{\"name\": \"low\", \"curve\": [[-0.3, 0, 0], [0.3, 0, 0]]}, {\"name\": \"high\", \"curve\": "
        "[[-0.3, 0, 0.1], [0.3, 0, 0.1]]}]}";
    char text[400];
    for (int i = 0; i < 2; i++) {
        test_strokes t = values_plain();
        snprintf(text, sizeof text, "{\"refine\": 0, \"particles\": 30%s, %s", i ? ", \"look\": \"line\"" : "", sides);
        open_strokes(&t, text);
        const char *advice = ruga_strokes_get(t.strokes, 0).advice;
        assert_int_equal(advice != NULL, i == 0);
        if (advice) assert_non_null(strstr(advice, "\"shape\": \"furrow\""));
        close_strokes(&t);
    }
    test_strokes t = values_plain();
    open_strokes(&t, "{\"refine\": 0, \"shape\": \"furrow\", \"radius\": 0.3, \"strokes\": [{" CURVE "}]}");
    assert_non_null(strstr(ruga_strokes_get(t.strokes, 0).advice, "\"shape\": \"wrinkles\""));
    close_strokes(&t);
    /* Who asks for wrinkles means them. */
    t = values_plain();
    snprintf(text, sizeof text, "{\"refine\": 0, \"particles\": 30, \"shape\": \"wrinkles\", %s", sides);
    open_strokes(&t, text);
    assert_null(ruga_strokes_get(t.strokes, 0).advice);
    close_strokes(&t);
}

#define BUST \
    "bust", { 0.371, 50 }
#define FINE_BUST \
    "bust", { 0.371, 80 }

/* A stroke along a wrinkle follows the form: around an arm or a toe cap, over a forehead, between the brows, beside an
 * eye, down the fold beside the nose. A stroke across wrinkles does not. */
static void a_single_stroke_along_a_wrinkle_has_advice(void **state) {
    (void)state;
    static const struct {
        const char *model;
        double values[10];
        const char *curve;
        int is_along;
    } cases[] = {
        /* Lines of the forehead, and strokes up it. */
        {BUST, "[[-0.036, 0.3215, 0.0755], [-0.006, 0.3248, 0.085], [0.04, 0.322, 0.072]]", 1},
        {BUST, "[[-0.046, 0.3085, 0.073], [-0.015, 0.3135, 0.088], [0.016, 0.3135, 0.0875], [0.046, 0.31, 0.072]]", 1},
        {BUST, "[[-0.028, 0.286, 0.12], [-0.029, 0.3, 0.115], [-0.028, 0.33, 0.1]]", 0},
        {BUST, "[[0, 0.286, 0.125], [0, 0.3, 0.12], [0, 0.33, 0.105]]", 0},
        {BUST, "[[0, 0.295, 0.12], [0, 0.325, 0.105]]", 0},
        {BUST, "[[0.02, 0.295, 0.12], [0.02, 0.322, 0.105]]", 0},
        {FINE_BUST, "[[0, 0.286, 0.125], [0, 0.3, 0.12], [0, 0.33, 0.105]]", 0},
        /* A frown, on either side, and a stroke from brow to brow. */
        {BUST, "[[0.0095, 0.271, 0.098], [0.0066, 0.2785, 0.0985], [0.0062, 0.286, 0.097], [0.0085, 0.295, 0.0935]]",
         1},
        {FINE_BUST,
         "[[0.0095, 0.271, 0.098], [0.0066, 0.2785, 0.0985], [0.0062, 0.286, 0.097], [0.0085, 0.295, 0.0935]]", 1},
        {BUST, "[[-0.009, 0.273, 0.098], [-0.0062, 0.286, 0.097], [-0.0085, 0.293, 0.0935]]", 1},
        {BUST, "[[-0.016, 0.284, 0.1], [0.016, 0.284, 0.1]]", 0},
        /* Crow's feet, whole and short, and strokes down beside the eye. */
        {BUST, "[[0.054, 0.2655, 0.0698], [0.056, 0.2672, 0.064], [0.058, 0.269, 0.0533], [0.0605, 0.271, 0.0455]]", 1},
        {BUST, "[[0.0545, 0.2615, 0.0705], [0.058, 0.262, 0.0628], [0.061, 0.2626, 0.051], [0.0628, 0.2634, 0.0445]]",
         1},
        {FINE_BUST,
         "[[0.0545, 0.2615, 0.0705], [0.058, 0.262, 0.0628], [0.061, 0.2626, 0.051], [0.0628, 0.2634, 0.0445]]", 1},
        {BUST, "[[0.0545, 0.2575, 0.0715], [0.0615, 0.2545, 0.065], [0.0675, 0.2518, 0.0545]]", 1},
        {BUST, "[[0.0545, 0.2615, 0.0705], [0.058, 0.262, 0.0628], [0.0595, 0.2624, 0.057]]", 1},
        {BUST, "[[0.0605, 0.271, 0.0455], [0.0622, 0.2626, 0.0475], [0.0655, 0.2535, 0.0585]]", 0},
        {BUST, "[[0.058, 0.276, 0.06], [0.06, 0.264, 0.06], [0.062, 0.25, 0.062]]", 0},
        {BUST, "[[0.03, 0.25, 0.08], [0.034, 0.235, 0.085]]", 0},
        /* From nose to mouth; across the nose; up the nose, over a cheek and down the neck. */
        {BUST, "[[0.019, 0.2285, 0.092], [0.026, 0.2155, 0.0917], [0.0325, 0.1995, 0.0885], [0.0345, 0.185, 0.083]]",
         1},
        {BUST, "[[-0.01, 0.262, 0.105], [0, 0.2625, 0.108], [0.01, 0.262, 0.105]]", 1},
        {BUST, "[[0, 0.25, 0.12], [0, 0.275, 0.1]]", 0},
        {BUST, "[[0.02, 0.215, 0.095], [0.055, 0.205, 0.07]]", 0},
        {BUST, "[[0, 0.06, 0.06], [0, 0.11, 0.05]]", 0},
        /* A shoe and an arm. */
        {"shoe", {0.29, 60}, "[[-0.03, 0.06, 0.1], [0, 0.07, 0.1], [0.03, 0.06, 0.1]]", 1},
        {"shoe", {0.29, 60}, "[[0, 0.08, 0.075], [-0.002, 0.065, 0.1], [-0.002, 0.055, 0.13]]", 0},
        {"cylinder", {0.045, 0.4, 24, 12}, "[[0.045, 0, 0], [0.032, 0, 0.032], [0, 0, 0.045]]", 1},
        {"cylinder", {0.045, 0.4, 24, 12}, "[[0.045, -0.1, 0], [0.045, 0.1, 0]]", 0},
    };
    static const char *const chosen[] = {"", "\"look\": \"forehead\", ", "\"shape\": \"wrinkles\", "};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int k = 0; k < 3; k++) {
            char text[400];
            test_strokes t = values_plain();
            if (k > 0 && i % 6 > 0) continue; /* a look does not silence advice, a shape does */
            snprintf(text, sizeof text, "{\"refine\": 0, %s\"strokes\": [{\"curve\": %s}]}", chosen[k], cases[i].curve);
            open_strokes_on(&t, make_model(cases[i].model, cases[i].values), text);
            const char *advice = ruga_strokes_get(t.strokes, 0).advice;
            assert_equal_case(advice != NULL, cases[i].is_along && k < 2, "i %zu, chosen %d", i, k);
            close_strokes(&t);
        }
}

/* Nearer to itself than its radius, a furrow has a step; the command says so. */
static void a_furrow_that_comes_near_itself_has_advice(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        char text[300];
        test_strokes t = values_plain();
        snprintf(text, sizeof text,
                 "{\"refine\": 0, \"shape\": \"furrow\", \"radius\": %g, \"strokes\": [{\"curve\": [[-0.3, 0, 0], "
                 "[0.3, 0, 0], "
                 "[0.3, 0, 0.08], [-0.3, 0, 0.08]]}]}",
                 i ? 0.1 : 0.05);
        t.cells = 20;
        open_strokes(&t, text);
        const char *advice = ruga_strokes_get(t.strokes, 0).advice;
        assert_int_equal(advice != NULL, i);
        if (i) assert_non_null(strstr(advice, "of itself"));
        close_strokes(&t);
    }
}

static void keep_warning(void *user, ruga_log_level level, const char *message) {
    if (level == RUGA_LOG_WARNING) snprintf(user, 1000, "%s", message);
}

/* Strokes whose text is bad on a sheet of that many cells. */
static void refuse_strokes(const char *text, double cells, const char *message) {
    test_strokes t = values_plain();
    ruga_mesh *sheet = make_model("sheet", (double[10]){1, 1, cells, cells});
    char path[512];
    snprintf(path, sizeof path, "%s", test_path("bad.json"));
    write_test_file(path, text, strlen(text));
    t.values.file = path;
    ruga_strokes_def def = ruga_strokes_def_default();
    def.values = &t.values;
    assert_status(ruga_strokes_create(sheet, &def, &t.strokes), RUGA_ERROR_INPUT);
    assert_message_has(context, message);
    ruga_mesh_destroy(sheet);
}

/* A curve that was placed on triangles: exact on the same ones, an error on others. */
static void placed_curves_are_for_the_same_triangles(void **state) {
    (void)state;
    static const char text[] =
        "{\"refine\": 0, \"particles\": 12, \"strokes\": [{\"name\": \"a\", \"curve\": {\"kind\": \"placed\", "
        "\"triangles\": 72, \"on\": [[14, 0.25, 0.5], [22, 0.5, 0.125]]}}]}";
    ruga_vec3 ends[2];
    test_strokes t = values_plain();
    open_strokes(&t, text);
    ends_of(&t, 0, ends);
    for (int k = 0; k < 2; k++) {
        const uint32_t *v = t.mesh->triangles + 3 * (size_t)(k ? 22 : 14);
        const double a = k ? 0.5 : 0.25, b = k ? 0.125 : 0.5;
        const ruga_vec3 *p = t.mesh->positions;
        assert_near(ends[k].x, (1 - a - b) * p[v[0]].x + a * p[v[1]].x + b * p[v[2]].x, 1e-15);
        assert_near(ends[k].z, (1 - a - b) * p[v[0]].z + a * p[v[1]].z + b * p[v[2]].z, 1e-15);
    }
    close_strokes(&t);
    refuse_strokes(text, 7, "stroke \"a\": it was placed on a mesh of 72 triangles, but this one has 98");
}

/* A curve of a file that does not fit the mesh is an error of the stroke that names it, and only a warning otherwise.
 * "near" is on the sheet, "far" is not. */
static void curves_that_no_stroke_names_do_not_matter(void **state) {
    (void)state;
    static const char points[] =
        "{\"curves\": [{\"name\": \"near\", \"points\": [[-0.3, 0, 0.01], [0.3, 0, 0.01]]}, {\"name\": \"far\", "
        "\"points\": [[-0.3, 5, 0.01], [0.3, 5, 0.01]]}]}";
    static const char triangles[] =
        "{\"triangles\": 98, \"curves\": [{\"name\": \"near\", \"points\": [[-0.3, 0, 0.01], [0.3, 0, 0.01]]}, "
        "{\"name\": \"far\", \"on\": [[14, 0.25, 0.5], [22, 0.5, 0.125]]}]}";
    static const struct {
        const char *curves, *message;
    } cases[] = {{points, "curve \"far\": point 0 at (-0.3, 5, 0.01)"},
                 {triangles, "curve \"far\": it was placed on a mesh of 98 triangles, but this one has 72"}};
    char warnings[1000] = "", text[700], path[512];
    ruga_context *plain = context;
    ruga_context_def context_def = ruga_context_def_default();
    context_def.log = keep_warning;
    context_def.log_user = warnings;
    assert_int_equal(ruga_context_create(&context_def, &context), RUGA_OK);
    for (int i = 0; i < 2; i++) {
        test_strokes t = values_plain();
        snprintf(path, sizeof path, "%s", test_path("curves.json"));
        write_test_file(path, cases[i].curves, strlen(cases[i].curves));
        warnings[0] = 0;
        snprintf(text, sizeof text, "{\"refine\": 0, \"curves\": \"%s\", \"strokes\": [{\"curve\": \"near\"}]}", path);
        open_strokes(&t, text);
        assert_int_equal(ruga_strokes_count(t.strokes), 1);
        assert_non_null(strstr(warnings, cases[i].message));
        assert_non_null(strstr(warnings, "no stroke has this curve, so it is left out"));
        close_strokes(&t);
        snprintf(text, sizeof text,
                 "{\"curves\": \"%s\", \"strokes\": [{\"curve\": \"near\"}, {\"name\": \"b\", \"curve\": \"far\"}]}",
                 path);
        refuse_strokes(text, 6, cases[i].message);
        refuse_strokes(cases[i].curves, 6, cases[i].message); /* all curves of a file of curves are strokes */
    }
    ruga_context_destroy(context);
    context = plain;
}

#define ACROSS "\"curve\": [[-0.3, 0, 0.01], [0.3, 0, 0.01]]"

/* A stroke's look is more particular than the file's values, and its own values more than its look. */
static void values_override_looks(void **state) {
    (void)state;
    test_strokes t = values_plain();
    open_strokes(&t, "{\"refine\": 0, \"particles\": 50, \"look\": \"shoe\", \"vary\": 0.1, \"strokes\": [{" ACROSS
                     "}, {" ACROSS ", \"look\": \"curtain\", \"length\": 1.2}]}");
    ruga_stroke_def first = ruga_strokes_get(t.strokes, 0).def, second = ruga_strokes_get(t.strokes, 1).def;
    assert_equal(first.stiffness, 12);
    assert_equal(first.vary, 0.1);
    assert_equal(second.stiffness, 20);
    assert_equal(second.length, 1.2);
    assert_equal(second.vary, 0.25);
    close_strokes(&t);
}

static void strokes_have_mirror_images_and_copies(void **state) {
    (void)state;
    test_strokes t = values_plain();
    open_strokes(
        &t,
        "{\"refine\": 0, \"strokes\": [{\"name\": \"a\", \"shape\": \"furrow\", \"asymmetry\": 0.5, \"radius\": 0.05, "
        "\"mirror\": \"x\", \"curve\": [[0.1, 0, -0.4], [0.3, 0, -0.35]], \"copies\": 3, \"along\": [[0.1, 0, "
        "-0.4], [0.1, 0, 0.4]]}]}");
    static const char *const names[] = {"a", "a mirror", "a 2", "a 2 mirror", "a 3", "a 3 mirror"};
    assert_int_equal(ruga_strokes_count(t.strokes), 6);
    for (size_t i = 0; i < 6; i++) {
        ruga_stroke_report r = ruga_strokes_get(t.strokes, i);
        ruga_vec3 ends[2];
        double side = i % 2 ? -1 : 1, row = 0.4 * (double)(i / 2);
        assert_string_equal(r.name, names[i]);
        assert_equal(r.def.asymmetry, side * 0.5);
        assert_int_equal(r.def.seed, 1 + i / 2); /* of furrows */
        ends_of(&t, i, ends);
        assert_near(ends[0].x, side * 0.1, 1e-9);
        assert_near(ends[0].z, -0.4 + row, 1e-9);
        assert_near(ends[1].x, side * 0.3, 1e-9);
        assert_near(ends[1].z, -0.35 + row, 1e-9);
    }
    close_strokes(&t);
}

/* A stroke on the plane, or symmetric about it, would get its own wrinkles twice. */
static void an_image_that_is_the_stroke_itself_is_left_out(void **state) {
    (void)state;
    static const struct {
        const char *curve;
        size_t count;
    } cases[] = {{"[[0, 0, -0.3], [0, 0, 0.3]]", 1},
                 {"[[-0.3, 0, 0.05], [0.3, 0, 0.05]]", 1},
                 {"[[0.02, 0, -0.3], [0.02, 0, 0.3]]", 2},
                 {"[[-0.3, 0, 0.05], [0.2, 0, 0.05]]", 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[200];
        test_strokes t = values_plain();
        snprintf(text, sizeof text, "{\"refine\": 0, \"strokes\": [{\"mirror\": \"x\", \"curve\": %s}]}",
                 cases[i].curve);
        open_strokes(&t, text);
        assert_equal_case((double)ruga_strokes_count(t.strokes), (double)cases[i].count, "i %zu", i);
        close_strokes(&t);
    }
}

static void copies_without_a_path_are_refused(void **state) {
    (void)state;
    static const char text[] = "{\"strokes\": [{\"name\": \"a\", \"copies\": 3, " CURVE "}]}";
    test_strokes t = values_plain();
    const double size[] = {1, 1, 6, 6, 0, 0, 0, 0, 0, 0};
    write_test_file(test_path("strokes.json"), text, strlen(text));
    t.values.file = test_path("strokes.json");
    ruga_strokes_def def = ruga_strokes_def_default();
    def.values = &t.values;
    assert_ok(context, ruga_model_make(context, "sheet", size, &t.mesh));
    assert_status(ruga_strokes_create(t.mesh, &def, &t.strokes), RUGA_ERROR_INPUT);
    assert_message_has(context, "\"a\": its 3 copies have no path");
    ruga_mesh_destroy(t.mesh);
}

/* One file fits the next version of a mesh: by points in space and by texture coordinates, on other triangles. */
static void strokes_fit_another_version_of_the_mesh(void **state) {
    (void)state;
    static const char *const curves[] = {"[[-0.3, 0, 0.01], [0.3, 0, 0.01]]",
                                         "{\"kind\": \"textured\", \"uv\": [[0.2, 0.49, 0], [0.8, 0.49, 0]]}"};
    for (int by = 0; by < 2; by++) {
        ruga_vec3 before[2], after[2];
        for (int version = 0; version < 2; version++) {
            char text[200];
            test_strokes t = values_plain();
            snprintf(text, sizeof text, "{\"refine\": 0, \"strokes\": [{\"curve\": %s}]}", curves[by]);
            t.cells = version ? 17 : 6;
            open_strokes(&t, text);
            ends_of(&t, 0, version ? after : before);
            close_strokes(&t);
        }
        for (int k = 0; k < 2; k++) {
            assert_near(after[k].x, before[k].x, 1e-7);
            assert_near(after[k].z, before[k].z, 1e-7);
        }
        assert_less(0.5, fabs(before[1].x - before[0].x));
    }
}

/* On a flat sheet every look has wrinkles: at least half of its length beyond that of the curve. */
static void every_look_shows(void **state) {
    (void)state;
    size_t count = 0;
    for (const char *name; (name = ruga_stroke_look_name(count)); count++) {
        char text[200];
        test_strokes t = values_plain();
        snprintf(text, sizeof text,
                 "{\"refine\": 0, \"strokes\": [{\"look\": \"%s\", \"curve\": [[-0.3, 0, 0.01], [0.3, 0, 0.01]]}]}",
                 name);
        open_strokes(&t, text);
        const ruga_stroke_report r = ruga_strokes_get(t.strokes, 0);
        assert_less(0.5 * (r.def.length - 1), r.info.reached - 1);
        close_strokes(&t);
    }
    assert_ran(count, 7);
}

/* m, how far a curve is from another on a version of its mesh: the greatest distance of its points from its pieces. */
static double curve_gap(const ruga_curve *a, const ruga_mesh *of_a, const ruga_curve *b, const ruga_mesh *of_b) {
    ruga_vec3 *from = malloc(a->point_count * sizeof *from), *to = malloc(b->point_count * sizeof *to);
    double gap = 0;
    ruga_curve_points(a, of_a, NULL, from);
    ruga_curve_points(b, of_b, NULL, to);
    for (size_t i = 0; i < a->point_count; i++) {
        double least = INFINITY;
        for (size_t k = 0; k + 1 < b->point_count; k++) {
            const vec3 along = vec3_sub(to[k + 1], to[k]), off = vec3_sub(from[i], to[k]);
            const double length2 = vec3_length2(along), part = length2 > 0 ? vec3_dot(off, along) / length2 : 0;
            least = fmin(least, vec3_length(vec3_add_scaled(off, along, -fmax(0, fmin(1, part)))));
        }
        gap = fmax(gap, least);
    }
    free(from);
    free(to);
    return gap;
}

/* The example's face, drawn on one bust, on another with other triangles: each furrow is in the same place, up to the
 * distance of the surfaces. */
static void a_face_fits_the_next_version_of_a_head(void **state) {
    (void)state;
    static const double sizes[2][2] = {{0.371, 50}, {0.371, 62}}; /* height, cells */
    test_strokes faces[2];
    double triangles[2], greatest = 0;
    for (int k = 0; k < 2; k++) {
        faces[k] = values_plain();
        faces[k].values.file = RUGA_SOURCE_FOLDER "/examples/strokes/face.json";
        faces[k].values.look.refine = 0;
        ruga_strokes_def def = ruga_strokes_def_default();
        def.values = &faces[k].values;
        faces[k].mesh = make_model("bust", sizes[k]);
        assert_ok(context, ruga_strokes_create(faces[k].mesh, &def, &faces[k].strokes));
        triangles[k] = (double)faces[k].mesh->triangle_count;
        assert_in_range((long)triangles[k], 5000, 20000);
    }
    assert_less(1.3 * triangles[0], triangles[1]);
    assert_int_equal(ruga_strokes_count(faces[0].strokes), ruga_strokes_count(faces[1].strokes));
    assert_int_equal(ruga_strokes_count(faces[0].strokes), 13);
    for (size_t i = 0; i < 13; i++)
        for (int k = 0; k < 2; k++) {
            const ruga_stroke_report a = ruga_strokes_get(faces[k].strokes, i),
                                     b = ruga_strokes_get(faces[1 - k].strokes, i);
            const double gap = curve_gap(a.curve, faces[k].mesh, b.curve, faces[1 - k].mesh);
            assert_at_most_case(gap, 0.003, "%s", a.name);
            greatest = fmax(greatest, gap);
        }
    print_message("on busts of %.0f and %.0f triangles, curves are up to %.2f mm apart\n", triangles[0], triangles[1],
                  1000 * greatest);
    for (int k = 0; k < 2; k++) close_strokes(&faces[k]);
}

/* By UVs, curves that were drawn on a shoe fit a finer version of it. */
static void uvs_fit_the_next_version_of_a_shoe(void **state) {
    (void)state;
    static const double sizes[2][2] = {{0.29, 60}, {0.29, 75}}; /* length, cells */
    static const char *const curves[] = {
        "[[0, 0.08, 0.075], [-0.002, 0.065, 0.1], [-0.002, 0.055, 0.13]]", /* along the foot */
        "[[-0.03, 0.06, 0.1], [0, 0.07, 0.1], [0.03, 0.06, 0.1]]",         /* over the toes */
    };
    char path[512], text[700];
    snprintf(path, sizeof path, "%s", test_path("kept.svg"));
    for (int i = 0; i < 2; i++) {
        test_strokes on[2] = {values_plain(), values_plain()};
        const ruga_file_def file = ruga_file_def_default();
        snprintf(text, sizeof text, "{\"refine\": 0, \"strokes\": [{\"name\": \"a\", \"curve\": %s}]}", curves[i]);
        open_strokes_on(&on[0], make_model("shoe", sizes[0]), text);
        const ruga_curve *drawn = ruga_strokes_get(on[0].strokes, 0).curve;
        assert_ok(context, ruga_curves_write(on[0].mesh, &drawn, 1, path, &file));
        snprintf(text, sizeof text, "{\"refine\": 0, \"curves\": \"%s\", \"strokes\": [{\"curve\": \"a\"}]}", path);
        open_strokes_on(&on[1], make_model("shoe", sizes[1]), text);
        const ruga_curve *again = ruga_strokes_get(on[1].strokes, 0).curve;
        assert_in_range(on[0].mesh->triangle_count, 9000, 11000);
        assert_in_range(on[1].mesh->triangle_count, 15000, 18000);
        const double gap =
            fmax(curve_gap(drawn, on[0].mesh, again, on[1].mesh), curve_gap(again, on[1].mesh, drawn, on[0].mesh));
        print_message("on shoes of %zu and %zu triangles, curve %d is up to %.2f mm apart\n",
                      on[0].mesh->triangle_count, on[1].mesh->triangle_count, i, 1000 * gap);
        assert_at_most(gap, 0.002);
        for (int k = 0; k < 2; k++) close_strokes(&on[k]);
    }
}

static void lengths_that_particles_can_not_show_are_refused(void **state) {
    (void)state;
    test_strokes t = values_plain();
    open_strokes(&t, "{\"refine\": 0, \"strokes\": [{" CURVE "}]}");
    const double lengths[] = {50};
    ruga_length_table table = {.frame_count = 1, .stroke_count = 1, .values = lengths, .context = context};
    assert_status(ruga_strokes_prepare(t.strokes, &table), RUGA_ERROR_INPUT);
    assert_message_has(context, "13 particles can show");
    assert_equal(ruga_strokes_get(t.strokes, 0).def.length, 1.08);
    close_strokes(&t);
}

/* Along the border, where a stroke that is on would be refused. */
static void a_stroke_that_is_off_may_be_anywhere(void **state) {
    (void)state;
    test_strokes t = values_plain();
    open_strokes(&t, "{\"strokes\": [{\"off\": true, \"curve\": [[-0.5, 0, -0.2], [-0.5, 0, 0.2]]}]}");
    assert_true(ruga_strokes_get(t.strokes, 0).off);
    assert_int_equal(ruga_strokes_get(t.strokes, 0).info.status, RUGA_OK);
    close_strokes(&t);
}

/* A curve is the region of another only where there is that other. */
static void a_region_without_its_curve_is_a_stroke(void **state) {
    (void)state;
    test_strokes t = values_plain();
    open_strokes(&t,
                 "{\"curves\": [{\"name\": \"a\", \"points\": [[-0.3, 0, 0.01], [0.3, 0, 0.01]]}, "
                 "{\"name\": \"a region\", \"points\": [[-0.3, 0, 0.11], [0.3, 0, 0.11]]}, "
                 "{\"name\": \"b region\", \"points\": [[-0.3, 0, -0.21], [0.3, 0, -0.21]]}]}");
    assert_int_equal(ruga_strokes_count(t.strokes), 2);
    assert_string_equal(ruga_strokes_get(t.strokes, 0).name, "a");
    assert_non_null(ruga_strokes_get(t.strokes, 0).region);
    assert_string_equal(ruga_strokes_get(t.strokes, 1).name, "b region");
    assert_null(ruga_strokes_get(t.strokes, 1).region);
    close_strokes(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stroke_with_a_length_of_its_own_has_no_keys_of_others),
        cmocka_unit_test(strokes_are_straight_if_anyone_says_so),
        cmocka_unit_test(lengths_below_one_mean_no_wrinkle),
        cmocka_unit_test(lengths_may_be_given_of_some_strokes),
        cmocka_unit_test(the_section_decides_what_drives_strokes),
        cmocka_unit_test(strokes_that_look_meant_otherwise_have_advice),
        cmocka_unit_test(a_single_stroke_along_a_wrinkle_has_advice),
        cmocka_unit_test(a_furrow_that_comes_near_itself_has_advice),
        cmocka_unit_test(placed_curves_are_for_the_same_triangles),
        cmocka_unit_test(curves_that_no_stroke_names_do_not_matter),
        cmocka_unit_test(values_override_looks),
        cmocka_unit_test(strokes_have_mirror_images_and_copies),
        cmocka_unit_test(an_image_that_is_the_stroke_itself_is_left_out),
        cmocka_unit_test(copies_without_a_path_are_refused),
        cmocka_unit_test(strokes_fit_another_version_of_the_mesh),
        cmocka_unit_test(every_look_shows),
        cmocka_unit_test(a_face_fits_the_next_version_of_a_head),
        cmocka_unit_test(uvs_fit_the_next_version_of_a_shoe),
        cmocka_unit_test(lengths_that_particles_can_not_show_are_refused),
        cmocka_unit_test(a_stroke_that_is_off_may_be_anywhere),
        cmocka_unit_test(a_region_without_its_curve_is_a_stroke),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
