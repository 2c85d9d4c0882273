/* Shared by tests of strokes: a mesh, and the strokes of a file on it. */
#ifndef TESTS_STROKES_SUPPORT_H
#define TESTS_STROKES_SUPPORT_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "ruga/strokes.h"
#include "support/support.h"

typedef struct test_strokes {
    ruga_mesh *mesh;
    ruga_strokes *strokes;
    ruga_sculpt_def values; /* of the section, may be changed before they are opened */
    double cells;           /* along each side of the sheet */
} test_strokes;

static ruga_context *context;

static inline int set_up(void **state) {
    (void)state;
    context = context_plain(1);
    return 0;
}

static inline int tear_down(void **state) {
    (void)state;
    ruga_context_destroy(context);
    test_folder_remove();
    return 0;
}

static inline test_strokes values_plain(void) {
    test_strokes t = {.cells = 6};
    ruga_section_defaults(ruga_scene_section_find("objects.edits.sculpt"), &t.values);
    return t;
}

/* The strokes of a file on a mesh, which is taken. */
static inline void open_strokes_on(test_strokes *t, ruga_mesh *mesh, const char *text) {
    char path[512];
    snprintf(path, sizeof path, "%s", test_path("strokes.json"));
    write_test_file(path, text, strlen(text));
    t->values.file = path;
    t->mesh = mesh;
    ruga_strokes_def def = ruga_strokes_def_default();
    def.values = &t->values;
    assert_ok(context, ruga_strokes_create(t->mesh, &def, &t->strokes));
}

static inline ruga_mesh *make_model(const char *name, const double *values) {
    ruga_mesh *mesh = NULL;
    assert_ok(context, ruga_model_make(context, name, values, &mesh));
    return mesh;
}

/* The same on a sheet of a metre around the origin. */
static inline void open_strokes(test_strokes *t, const char *text) {
    open_strokes_on(t, make_model("sheet", (double[10]){1, 1, t->cells, t->cells}), text);
}

static inline void close_strokes(test_strokes *t) {
    ruga_strokes_destroy(t->strokes);
    ruga_mesh_destroy(t->mesh);
}

/* The ends of a stroke. */
static inline void ends_of(const test_strokes *t, size_t stroke, ruga_vec3 out[2]) {
    const ruga_curve *curve = ruga_strokes_get(t->strokes, stroke).curve;
    ruga_vec3 *points = malloc(curve->point_count * sizeof *points);
    ruga_curve_points(curve, t->mesh, NULL, points);
    out[0] = points[0];
    out[1] = points[curve->point_count - 1];
    free(points);
}

#endif
