/* Curves of origami patterns (io/fold.h): every crease is a curve over the UVs. The box of the pattern is laid over
 * the box of the UVs, x along u and y along v. Mountains and valleys are seen from the side from which the UVs are not
 * mirrored. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/curves.h"

#define STRETCH 0.02 /* relative difference of scales along x and y that is reported */

typedef struct uv_layout {
    double low[2], high[2]; /* box of the UVs */
    double size[2];         /* m, mean lengths of its sides on the surface */
    int is_mirrored;        /* seen from the front of the faces */
} uv_layout;

/* Of one triangle: its area, m², area in UVs with sign, and m per unit of u and v. */
static int measure_triangle(const uv_places *places, size_t t, double *area, double *signed_area, double scales[2]) {
    const ruga_mesh *mesh = places->mesh;
    const vec3 *uv = places->corners + 3 * t;
    const uint32_t *v = mesh->triangles + 3 * t;
    vec3 e = vec3_sub(mesh->positions[v[1]], mesh->positions[v[0]]),
         f = vec3_sub(mesh->positions[v[2]], mesh->positions[v[0]]);
    double a = uv[1].x - uv[0].x, b = uv[2].x - uv[0].x, c = uv[1].y - uv[0].y, d = uv[2].y - uv[0].y;
    double determinant = a * d - b * c;
    *area = vec3_length(vec3_cross(e, f)) / 2;
    *signed_area = determinant / 2;
    if (!(fabs(determinant) > 0)) return 0;
    scales[0] = vec3_length(vec3_sub(vec3_scale(e, d), vec3_scale(f, c))) / fabs(determinant);
    scales[1] = vec3_length(vec3_sub(vec3_scale(f, a), vec3_scale(e, b))) / fabs(determinant);
    return 1;
}

static ruga_status find_layout(const curve_source *source, const uv_places *places, uv_layout *out) {
    double sums[2] = {0, 0}, weight = 0, turned = 0;
    *out = (uv_layout){{INFINITY, INFINITY}, {-INFINITY, -INFINITY}, {0, 0}, 0};
    for (size_t t = 0; t < source->mesh->triangle_count; t++) {
        const vec3 *corners = places->corners + 3 * t;
        double area, signed_area, scales[2];
        if (!vec3_is_finite(corners[0]) || !vec3_is_finite(corners[1]) || !vec3_is_finite(corners[2])) continue;
        for (size_t k = 0; k < 3; k++) {
            vec3 uv = corners[k];
            out->low[0] = fmin(out->low[0], uv.x), out->high[0] = fmax(out->high[0], uv.x);
            out->low[1] = fmin(out->low[1], uv.y), out->high[1] = fmax(out->high[1], uv.y);
        }
        if (!measure_triangle(places, t, &area, &signed_area, scales)) continue;
        for (int k = 0; k < 2; k++) sums[k] += area * scales[k];
        weight += area;
        turned += signed_area;
    }
    if (!(weight > 0 && out->high[0] > out->low[0] && out->high[1] > out->low[1]))
        return fail_input(source->context, "%s: the UVs of the mesh have no area to lay a pattern over", source->name);
    for (int k = 0; k < 2; k++) out->size[k] = sums[k] / weight * (out->high[k] - out->low[k]);
    out->is_mirrored = turned < 0;
    return RUGA_OK;
}

typedef struct pattern_drawer {
    const curve_source *source;
    uv_places *places;
    uv_layout layout;
    curve_list *list;
    curve_fold_array *folds; /* NULL: not wanted */
    vec2 low, size;          /* box of the pattern */
} pattern_drawer;

static void find_box(const fold_pattern *p, pattern_drawer *d) {
    vec2 low = {INFINITY, INFINITY}, high = {-INFINITY, -INFINITY};
    for (size_t i = 0; i < p->vertex_count; i++) {
        low = (vec2){fmin(low.x, p->vertices[i].x), fmin(low.y, p->vertices[i].y)};
        high = (vec2){fmax(high.x, p->vertices[i].x), fmax(high.y, p->vertices[i].y)};
    }
    d->low = low;
    d->size = (vec2){high.x - low.x, high.y - low.y};
}

static ruga_status draw_crease(pattern_drawer *d, const fold_pattern *p, const fold_creases *creases, size_t number) {
    const curve_source *source = d->source;
    const fold_crease *crease = &creases->creases.items[number];
    ruga_curve_def def = *source->def;
    ruga_curve *curve = NULL;
    double *uvs = NULL;
    char name[60];
    snprintf(name, sizeof name, "edge %u", crease->edge);
    def.name = name;
    def.closed = 0;
    TRY(NEW(source->context, &uvs, 2 * crease->count));
    for (size_t k = 0; k < crease->count; k++) {
        vec2 at = p->vertices[creases->vertices.items[crease->first + k]];
        uvs[2 * k] = d->layout.low[0] + (at.x - d->low.x) / d->size.x * (d->layout.high[0] - d->layout.low[0]);
        uvs[2 * k + 1] = d->layout.low[1] + (at.y - d->low.y) / d->size.y * (d->layout.high[1] - d->layout.low[1]);
    }
    ruga_status status = curve_draw_uvs(source->canvas, d->places, uvs, crease->count, &def, &curve);
    memory_release(source->context, uvs);
    if (status == RUGA_ERROR_INPUT) {
        char message[900];
        snprintf(message, sizeof message, "%s", ruga_context_message(source->context));
        status = fail_with(source->context, status, "%s: %s", source->name, message);
    }
    size_t before = d->list->count;
    TRY(curve_list_take(source, d->list, name, status, curve));
    if (!d->folds || d->list->count == before) return RUGA_OK;
    curve_fold fold = {crease->kind, crease->angle};
    if (d->layout.is_mirrored) {
        fold.angle = -fold.angle;
        fold.kind = fold.kind == FOLD_MOUNTAIN ? FOLD_VALLEY : fold.kind == FOLD_VALLEY ? FOLD_MOUNTAIN : fold.kind;
    }
    return ARRAY_ADD(source->context, d->folds, fold);
}

static ruga_status draw_pattern(pattern_drawer *d, const fold_pattern *p) {
    fold_creases creases;
    find_box(p, d);
    double along_x = d->layout.size[0] / d->size.x, along_y = d->layout.size[1] / d->size.y;
    if (fabs(along_x - along_y) > STRETCH * fmax(along_x, along_y))
        log_warning(d->source->context,
                    "%s: the pattern is stretched over the mesh: one unit is %g m along x and %g m along y; give the "
                    "mesh the shape of the pattern's box, %g x %g",
                    d->source->name, along_x, along_y, d->size.x, d->size.y);
    TRY(fold_find_creases(p, &creases));
    ruga_status status = RUGA_OK;
    for (size_t i = 0; i < creases.creases.count && !RUGA_FAILED(status); i++) status = draw_crease(d, p, &creases, i);
    fold_creases_release(&creases);
    return status;
}

/* A pattern that is made for the layout: of a file, or by formula. */
typedef ruga_status pattern_function(const curve_source *source, const uv_layout *layout, const void *user,
                                     fold_pattern *out);

static ruga_status draw(const curve_source *source, pattern_function *make, const void *user, curve_list *list,
                        curve_fold_array *folds) {
    uv_places own = {0};
    fold_pattern pattern;
    pattern_drawer d = {.source = source, .places = source->places, .list = list, .folds = folds};
    if (!d.places) TRY(uv_places_make(source->mesh, d.places = &own));
    ruga_status status = find_layout(source, d.places, &d.layout);
    if (!RUGA_FAILED(status)) status = make(source, &d.layout, user, &pattern);
    if (!RUGA_FAILED(status)) {
        status = draw_pattern(&d, &pattern);
        fold_release(&pattern);
    }
    if (!source->places) uv_places_release(&own);
    return status;
}

static ruga_status from_file(const curve_source *source, const uv_layout *layout, const void *user, fold_pattern *out) {
    (void)layout;
    (void)user;
    return fold_read(source->context, source->name, (const char *)source->bytes, source->size, out);
}

static ruga_status from_miura(const curve_source *source, const uv_layout *layout, const void *user,
                              fold_pattern *out) {
    fold_miura def = *(const fold_miura *)user;
    def.width = layout->size[0];
    def.height = layout->size[1];
    return fold_make_miura(source->context, &def, out);
}

ruga_status curve_fold_read(const curve_source *source, curve_list *list) {
    return draw(source, from_file, NULL, list, NULL);
}

static ruga_status draw_all(const curve_source *given, pattern_function *make, const void *user, ruga_curve ***curves,
                            size_t *count, curve_fold **folds) {
    const ruga_curve_def preset = ruga_curve_def_default();
    curve_canvas canvas;
    curve_list list = {0};
    curve_fold_array found = {0};
    curve_source source = *given;
    source.def = &preset;
    TRY(curve_canvas_make(source.mesh, source.canvas = &canvas));
    ruga_status status = draw(&source, make, user, &list, &found);
    curve_canvas_release(&canvas);
    if (RUGA_FAILED(status)) {
        curve_list_release(source.context, &list);
        ARRAY_RELEASE(source.context, &found);
        return status;
    }
    *curves = list.items;
    *count = list.count;
    *folds = found.items;
    return status;
}

ruga_status curve_folds_read(const ruga_mesh *mesh, const char *path, ruga_curve ***curves, size_t *count,
                             curve_fold **folds) {
    curve_source source = {.context = mesh->context, .mesh = mesh, .name = path};
    unsigned char *bytes = NULL;
    TRY(file_read_whole(mesh->context, path, &bytes, &source.size));
    source.bytes = bytes;
    ruga_status status = draw_all(&source, from_file, NULL, curves, count, folds);
    memory_release(mesh->context, bytes);
    return status;
}

ruga_status curve_folds_miura(const ruga_mesh *mesh, const fold_miura *def, ruga_curve ***curves, size_t *count,
                              curve_fold **folds) {
    curve_source source = {.context = mesh->context, .mesh = mesh, .name = "the Miura fold"};
    return draw_all(&source, from_miura, def, curves, count, folds);
}
