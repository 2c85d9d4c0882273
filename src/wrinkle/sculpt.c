/* Sculpts: the list of strokes, and which stages have to be done again. See ruga/sculpt.h and sculpt.h. */
#include "ruga/sculpt.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "geom/curve.h"
#include "wrinkle/sculpt.h"

enum { MAX_PARTICLES = 10000, MAX_REFINE = 6, PARTICLES_A_WRINKLE = 4 };

/* ---- Strokes. */

ruga_stroke_def ruga_stroke_def_default(void) {
    return (ruga_stroke_def){.cookie = RUGA_COOKIE,
                             .stiffness = 10,
                             .length = 1.3,
                             .radius = NAN,
                             .tolerance = NAN,
                             .refine = 4,
                             .particles = 50,
                             .wrinkles = 3,
                             .seed = 1};
}

static ruga_status stroke_error(const ruga_sculpt *s, const ruga_stroke_def *def, const char *what) {
    return fail_with(s->context, RUGA_ERROR_INPUT, "stroke \"%s\": %s", def->name, what);
}

static ruga_status check_numbers(const ruga_sculpt *s, const ruga_stroke_def *def) {
    char text[200];
    if (!(def->stiffness >= 0) || isinf(def->stiffness)) {
        snprintf(text, sizeof text, "its stiffness k_r is %g, it should not be negative; 5 to 70 is usual",
                 def->stiffness);
        return stroke_error(s, def, text);
    }
    if (!(def->length >= 1 && def->length <= 100)) {
        snprintf(text, sizeof text,
                 "its target length is %g times that of the curve; it should be 1 (no wrinkle) to 100, and 1.2 to 1.7 "
                 "is usual",
                 def->length);
        return stroke_error(s, def, text);
    }
    if (!isnan(def->radius) && !(def->radius > 0 && !isinf(def->radius)))
        return stroke_error(s, def, "its radius should be above 0 m");
    if (!isnan(def->tolerance) && !(def->tolerance > 0))
        return stroke_error(s, def, "its tolerance should be above 0 m");
    if (def->refine < 0 || def->refine > MAX_REFINE) return stroke_error(s, def, "it may be refined 0 to 6 times");
    if (def->particles < 8 || def->particles > MAX_PARTICLES)
        return stroke_error(s, def, "it should have 8 to 10000 particles");
    if (def->start == RUGA_STROKE_COUNT &&
        (def->wrinkles < 1 || def->wrinkles > (def->particles - 1) / PARTICLES_A_WRINKLE)) {
        snprintf(text, sizeof text, "%d wrinkles are wanted, but %d particles can show 1 to %d; ask for more particles",
                 def->wrinkles, def->particles, (def->particles - 1) / PARTICLES_A_WRINKLE);
        return stroke_error(s, def, text);
    }
    return RUGA_OK;
}

static ruga_status check_curve(const ruga_sculpt *s, const ruga_stroke_def *def, const ruga_curve *curve) {
    for (size_t i = 0; i < curve->point_count; i++)
        if (curve->points[i].triangle >= s->mesh->triangle_count)
            return stroke_error(s, def, "its curve is not on this mesh: a triangle is out of range");
    if (!(ruga_curve_length(curve, s->mesh, NULL) > 0)) return stroke_error(s, def, "its curve has no length");
    return RUGA_OK;
}

static ruga_status check_def(const ruga_sculpt *s, const ruga_stroke_def *def) {
    if (def->cookie != RUGA_COOKIE)
        return fail_with(s->context, RUGA_ERROR_ARGUMENT,
                         "the def of a stroke is not initialised; start from ruga_stroke_def_default");
    if (!def->curve) return stroke_error(s, def, "it has no curve");
    TRY(check_numbers(s, def));
    TRY(check_curve(s, def, def->curve));
    if (def->region) TRY(check_curve(s, def, def->region));
    if (def->mode == RUGA_REGION_BETWEEN && !def->region)
        return stroke_error(s, def, "a region between two curves needs a region curve");
    if (def->mode == RUGA_REGION_BETWEEN && isnan(def->radius))
        return stroke_error(s, def, "a region between two curves needs a radius");
    return RUGA_OK;
}

static void release_results(ruga_sculpt *s, sculpt_stroke *k) {
    sculpt_drawn_release(&k->drawn);
    sculpt_path_release(s->context, &k->cut_base);
    sculpt_path_release(s->context, &k->cut_region);
    sculpt_path_release(s->context, &k->fine_base);
    sculpt_path_release(s->context, &k->fine_region);
    sculpt_line_release(s->context, &k->line);
}

static void release_def(ruga_sculpt *s, ruga_stroke_def *def) {
    memory_release(s->context, (void *)(uintptr_t)def->name);
    ruga_curve_destroy((ruga_curve *)(uintptr_t)def->curve);
    ruga_curve_destroy((ruga_curve *)(uintptr_t)def->region);
    def->name = NULL;
    def->curve = def->region = NULL;
}

static ruga_status copy_curve(ruga_sculpt *s, const char *name, const ruga_curve *curve, const ruga_curve **out) {
    ruga_curve *copy = NULL;
    if (curve) TRY(curve_from_array(s->context, name, curve->closed, curve->points, curve->point_count, &copy));
    *out = copy;
    return RUGA_OK;
}

/* A checked copy of a def; curves are called by the stroke's name, which messages then have. */
static ruga_status copy_def(ruga_sculpt *s, size_t number, const ruga_stroke_def *def, ruga_stroke_def *out) {
    char own_name[32];
    snprintf(own_name, sizeof own_name, "%zu", number);
    ruga_stroke_def copy = *def;
    if (!copy.name) copy.name = own_name;
    TRY(check_def(s, &copy));
    const char *name = copy.name;
    copy.name = memory_copy_text(s->context, name);
    copy.curve = copy.region = NULL;
    ruga_status status =
        copy.name ? copy_curve(s, name, def->curve, &copy.curve) : fail_memory(s->context, strlen(name));
    if (!RUGA_FAILED(status)) status = copy_curve(s, name, def->region, &copy.region);
    if (RUGA_FAILED(status)) {
        release_def(s, &copy);
        return status;
    }
    *out = copy;
    return RUGA_OK;
}

/* ---- The list. */

static ruga_status find_stroke(const ruga_sculpt *s, size_t number, sculpt_stroke **out) {
    if (number >= s->strokes.count || !s->strokes.items[number].used)
        return fail_with(s->context, RUGA_ERROR_ARGUMENT, "there is no stroke %zu", number);
    *out = &s->strokes.items[number];
    return RUGA_OK;
}

ruga_status ruga_sculpt_add(ruga_sculpt *s, const ruga_stroke_def *def, size_t *number) {
    sculpt_stroke k = {.used = 1, .shape_is_stale = 1, .drawn = {.context = s->context}};
    TRY(ARRAY_RESERVE(s->context, &s->strokes, 1));
    TRY(ARRAY_RESERVE(s->context, &s->order, 1));
    TRY(copy_def(s, s->strokes.count, def, &k.def));
    if (number) *number = s->strokes.count;
    s->order.items[s->order.count++] = s->strokes.count;
    s->strokes.items[s->strokes.count++] = k;
    s->curves_are_stale = 1;
    return RUGA_OK;
}

static int same_curve(const ruga_curve *a, const ruga_curve *b) {
    if (!a || !b) return a == b;
    return a->closed == b->closed && a->point_count == b->point_count &&
           memcmp(a->points, b->points, a->point_count * sizeof *a->points) == 0;
}

static int same_number(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

/* What has to be done again for a new def. */
static void mark_stale(ruga_sculpt *s, sculpt_stroke *k, const ruga_stroke_def *now) {
    const ruga_stroke_def *was = &k->def;
    s->curves_are_stale |= k->failed || !same_curve(was->curve, now->curve) || !same_curve(was->region, now->region) ||
                           was->off != now->off || was->particles != now->particles;
    s->regions_are_stale |= was->mode != now->mode || !same_number(was->radius, now->radius) ||
                            was->attenuation != now->attenuation || was->refine != now->refine ||
                            !same_number(was->tolerance, now->tolerance);
    k->shape_is_stale |= was->stiffness != now->stiffness || was->length != now->length || was->start != now->start ||
                         was->wrinkles != now->wrinkles || was->seed != now->seed || was->straight != now->straight ||
                         was->ends != now->ends;
}

ruga_status ruga_sculpt_set(ruga_sculpt *s, size_t number, const ruga_stroke_def *def) {
    sculpt_stroke *k = NULL;
    ruga_stroke_def copy;
    TRY(find_stroke(s, number, &k));
    TRY(copy_def(s, number, def, &copy));
    mark_stale(s, k, &copy);
    release_def(s, &k->def);
    k->def = copy;
    return RUGA_OK;
}

ruga_status ruga_sculpt_remove(ruga_sculpt *s, size_t number) {
    sculpt_stroke *k = NULL;
    TRY(find_stroke(s, number, &k));
    k->used = k->failed = 0;
    k->info = (ruga_stroke_info){0};
    release_def(s, &k->def);
    size_t kept = 0;
    for (size_t i = 0; i < s->order.count; i++)
        if (s->order.items[i] != number) s->order.items[kept++] = s->order.items[i];
    s->order.count = kept;
    s->curves_are_stale = 1;
    return RUGA_OK;
}

ruga_status ruga_sculpt_reorder(ruga_sculpt *s, const size_t *strokes, size_t count) {
    int right = count == s->order.count;
    for (size_t i = 0; i < count && right; i++) {
        right = strokes[i] < s->strokes.count && s->strokes.items[strokes[i]].used;
        for (size_t j = 0; j < i && right; j++) right = strokes[j] != strokes[i];
    }
    if (!right)
        return fail_with(s->context, RUGA_ERROR_ARGUMENT, "a new order has to name each of the %zu strokes once",
                         s->order.count);
    s->curves_are_stale |= memcmp(s->order.items, strokes, count * sizeof *strokes) != 0;
    memcpy(s->order.items, strokes, count * sizeof *strokes);
    return RUGA_OK;
}

size_t ruga_sculpt_stroke_count(const ruga_sculpt *s) { return s->strokes.count; }

/* ---- Making and destroying. */

/* The mesh as the cut sees it. */
static ruga_status make_plain(ruga_sculpt *s) {
    s->attributes = ALLOCATE(s->context, ruga_attribute, s->mesh->attribute_count);
    if (!s->attributes) return fail_memory(s->context, s->mesh->attribute_count * sizeof(ruga_attribute));
    s->plain = *s->mesh;
    s->plain.attributes = s->attributes;
    s->plain.attribute_count = 0;
    for (size_t i = 0; i < s->mesh->attribute_count; i++) {
        const char *name = s->mesh->attributes[i].name;
        if (strcmp(name, "normal") != 0 && strcmp(name, "tangent") != 0)
            s->attributes[s->plain.attribute_count++] = s->mesh->attributes[i];
    }
    return RUGA_OK;
}

ruga_status ruga_sculpt_create(const ruga_mesh *mesh, ruga_sculpt **out) {
    if (mesh->triangle_count == 0)
        return fail_with(mesh->context, RUGA_ERROR_INPUT, "a mesh without faces can't be sculpted");
    for (size_t v = 0; v < mesh->vertex_count; v++)
        if (!vec3_is_finite(mesh->positions[v]))
            return fail_with(mesh->context, RUGA_ERROR_INPUT,
                             "vertex %zu is not finite; a mesh to be sculpted has to be", v);
    ruga_sculpt *s = ALLOCATE_ZEROED(mesh->context, ruga_sculpt, 1);
    if (!s) return fail_memory(mesh->context, sizeof *s);
    s->context = mesh->context;
    s->mesh = mesh;
    s->curves_are_stale = 1;
    s->cut.context = s->surface.context = s->field.context = mesh->context;
    ruga_status status = make_plain(s);
    s->mesh_normals = ALLOCATE(s->context, vec3, mesh->vertex_count);
    if (!RUGA_FAILED(status))
        status = s->mesh_normals ? ruga_mesh_normals(mesh, NULL, s->mesh_normals)
                                 : fail_memory(s->context, mesh->vertex_count * sizeof(vec3));
    if (!RUGA_FAILED(status))
        status =
            topology_build(s->context, mesh->vertex_count, mesh->triangle_count, mesh->triangles, &s->mesh_topology);
    if (RUGA_FAILED(status)) {
        ruga_sculpt_destroy(s);
        return status;
    }
    *out = s;
    return RUGA_OK;
}

static void release_surface(ruga_sculpt *s) {
    sculpt_field_release(&s->field);
    sculpt_surface_release(&s->surface);
    for (size_t i = 0; i < s->strokes.count; i++) {
        sculpt_path_release(s->context, &s->strokes.items[i].fine_base);
        sculpt_path_release(s->context, &s->strokes.items[i].fine_region);
    }
}

static void release_cut(ruga_sculpt *s) {
    release_surface(s);
    for (size_t i = 0; i < s->strokes.count; i++) release_results(s, &s->strokes.items[i]);
    curve_cut_release(&s->cut);
    memory_release(s->context, s->cut_normals);
    s->cut_normals = NULL;
    sculpt_patch_release(s->context, &s->cut_paths);
    s->active.count = 0;
}

void ruga_sculpt_destroy(ruga_sculpt *s) {
    if (!s) return;
    release_cut(s);
    for (size_t i = 0; i < s->strokes.count; i++) {
        if (s->strokes.items[i].used) release_def(s, &s->strokes.items[i].def);
        memory_release(s->context, s->strokes.items[i].message);
    }
    ARRAY_RELEASE(s->context, &s->strokes);
    ARRAY_RELEASE(s->context, &s->order);
    ARRAY_RELEASE(s->context, &s->active);
    ARRAY_RELEASE(s->context, &s->crossings);
    memory_release(s->context, s->groups);
    memory_release(s->context, s->lines);
    memory_release(s->context, s->attributes);
    memory_release(s->context, s->mesh_normals);
    topology_destroy(s->mesh_topology);
    memory_release(s->context, s);
}

/* ---- Stage: the cut. */

static ruga_status note_failure(ruga_sculpt *s, sculpt_stroke *k, ruga_status status) {
    memory_release(s->context, k->message);
    k->message = memory_copy_text(s->context, ruga_context_message(s->context));
    k->info = (ruga_stroke_info){.status = status, .message = k->message};
    k->failed = 1;
    return k->message ? RUGA_OK : fail_memory(s->context, 1);
}

/* Cuts the curves of some strokes. */
static ruga_status cut_strokes(ruga_sculpt *s, const size_t *numbers, size_t count, curve_cut *out) {
    const ruga_curve **curves = ALLOCATE(s->context, const ruga_curve *, 2 * count);
    if (!curves) return fail_memory(s->context, 2 * count * sizeof *curves);
    size_t curve_count = 0;
    for (size_t i = 0; i < count; i++) {
        const ruga_stroke_def *def = &s->strokes.items[numbers[i]].def;
        curves[curve_count++] = def->curve;
        if (def->region) curves[curve_count++] = def->region;
    }
    curve_cut_def def = curve_cut_def_default();
    def.topo = s->mesh_topology;
    ruga_status status = curve_cut_make(&s->plain, curves, curve_count, &def, out);
    memory_release(s->context, (void *)(uintptr_t)curves);
    return status;
}

/* An error about a stroke that the others may do without. */
static ruga_status blame(ruga_sculpt *s, sculpt_stroke *k, const char *what) {
    s->culprit = k;
    return stroke_error(s, &k->def, what);
}

/* Lists the strokes that take part. */
static ruga_status list_active(ruga_sculpt *s) {
    s->active.count = 0;
    for (size_t i = 0; i < s->order.count; i++) {
        sculpt_stroke *k = &s->strokes.items[s->order.items[i]];
        if (k->failed) continue;
        k->info = (ruga_stroke_info){0};
        if (k->def.off) continue;
        TRY(ARRAY_RESERVE(s->context, &s->active, 1));
        s->active.items[s->active.count++] = s->order.items[i];
    }
    return RUGA_OK;
}

/* Whose curves can't be cut? Each by itself, until one fails as all together did. */
static ruga_status find_culprit(ruga_sculpt *s, ruga_status status) {
    for (size_t i = 0; i < s->active.count && status != RUGA_ERROR_MEMORY; i++) {
        curve_cut alone;
        ruga_status own = cut_strokes(s, &s->active.items[i], 1, &alone);
        if (!RUGA_FAILED(own)) {
            curve_cut_release(&alone);
            continue;
        }
        s->culprit = &s->strokes.items[s->active.items[i]];
        return own;
    }
    return status;
}

static ruga_status take_path(ruga_sculpt *s, const curve_path *path, const sculpt_drawn *drawn, sculpt_path *out) {
    TRY(sculpt_path_make(s->context, path->vertices, path->count, path->closed, out));
    sculpt_path_measure(out, s->cut.mesh->positions, drawn);
    return RUGA_OK;
}

/* The paths of a stroke; *path is the next of the cut. */
static ruga_status take_paths(ruga_sculpt *s, sculpt_stroke *k, size_t *path) {
    sculpt_drawn region;
    TRY(sculpt_drawn_make(k->def.curve, s->mesh, &k->drawn));
    TRY(take_path(s, &s->cut.paths[(*path)++], &k->drawn, &k->cut_base));
    if (!k->def.region) return RUGA_OK;
    TRY(sculpt_drawn_make(k->def.region, s->mesh, &region));
    ruga_status status = take_path(s, &s->cut.paths[(*path)++], &region, &k->cut_region);
    sculpt_drawn_release(&region);
    return status;
}

/* The mean over the triangles that a curve runs through of their longest sides, m. */
static double find_stride(const ruga_mesh *mesh, const ruga_curve *curve) {
    double sum = 0;
    for (size_t i = 0; i < curve->point_count; i++) {
        const uint32_t *t = mesh->triangles + 3 * (size_t)curve->points[i].triangle;
        double longest = 0;
        for (int k = 0; k < 3; k++)
            longest = fmax(longest, vec3_distance(mesh->positions[t[k]], mesh->positions[t[(k + 1) % 3]]));
        sum += longest;
    }
    return sum / (double)curve->point_count;
}

static ruga_status make_cut(ruga_sculpt *s) {
    release_cut(s);
    s->counts.cuts++;
    TRY(list_active(s));
    ruga_status status = cut_strokes(s, s->active.items, s->active.count, &s->cut);
    if (RUGA_FAILED(status)) return find_culprit(s, status);
    s->cut_normals = ALLOCATE_ZEROED(s->context, vec3, s->cut.mesh->vertex_count);
    if (!s->cut_normals) return fail_memory(s->context, s->cut.mesh->vertex_count * sizeof(vec3));
    TRY(sculpt_patch_of_paths(&s->cut, &s->cut_paths));
    sculpt_patch_normals(&s->cut_paths, s->cut.mesh, s->cut.mesh->positions, s->cut_normals, s->cut_normals);
    size_t path = 0;
    for (size_t i = 0; i < s->active.count; i++) {
        sculpt_stroke *k = active_stroke(s, i);
        TRY(take_paths(s, k, &path));
        if (k->cut_base.count < 2) return blame(s, k, "its curve is shorter than the mesh can show");
        TRY(sculpt_line_make(s->context, (size_t)k->def.particles, &k->line));
        k->stride = find_stride(s->mesh, k->def.curve);
        k->line.length = k->cut_base.length;
        sculpt_line_place(&k->line, &k->cut_base, s->cut.mesh->positions, s->cut_normals);
        k->chord = sculpt_line_chord(&k->line);
        k->shape_is_stale = 1;
    }
    memory_release(s->context, s->lines);
    s->lines = ALLOCATE(s->context, const sculpt_line *, s->active.count);
    if (!s->lines) return fail_memory(s->context, s->active.count * sizeof *s->lines);
    for (size_t i = 0; i < s->active.count; i++) s->lines[i] = &active_stroke(s, i)->line;
    return RUGA_OK;
}

/* ---- Stage: lines. */

static ruga_status govern_at_rest(ruga_sculpt *s) {
    double *lengths = ALLOCATE(s->context, double, s->active.count);
    if (!lengths) return fail_memory(s->context, s->active.count * sizeof *lengths);
    for (size_t i = 0; i < s->active.count; i++) lengths[i] = active_stroke(s, i)->def.length;
    ruga_status status = sculpt_govern(s, lengths, 0);
    for (size_t i = 0; i < s->active.count && !RUGA_FAILED(status); i++) {
        sculpt_line *line = &active_stroke(s, i)->line;
        memcpy(line->rest_deflections, line->deflections, line->count * sizeof *line->deflections);
    }
    memory_release(s->context, lengths);
    return status;
}

/* ---- Stage: levels and the fine mesh. */

/* Returns whether a stroke needs another level than it has. */
static int find_levels(ruga_sculpt *s) {
    int changed = 0;
    for (size_t i = 0; i < s->active.count; i++) {
        sculpt_stroke *k = active_stroke(s, i);
        k->info.tolerance = isnan(k->def.tolerance) ? k->line.length / 300 : k->def.tolerance;
        int level = sculpt_line_level(&k->line, &k->cut_base, s->cut.mesh->positions, s->cut_normals, k->stride,
                                      k->info.tolerance, k->def.refine, &k->info.error);
        changed |= level != k->level;
        k->level = level;
    }
    return changed;
}

static double mesh_size(const ruga_mesh *mesh) {
    vec3 low = mesh->positions[0], high = low;
    for (size_t v = 1; v < mesh->vertex_count; v++) {
        low = vec3_min(low, mesh->positions[v]);
        high = vec3_max(high, mesh->positions[v]);
    }
    return vec3_distance(low, high);
}

/* The radius of a stroke, m; size: of the mesh. */
static ruga_status find_radius(ruga_sculpt *s, sculpt_stroke *k, double size, geodesic *g, sculpt_measures *measures) {
    char text[160];
    if (!isnan(k->def.radius))
        k->info.radius = k->def.radius;
    else
        k->info.radius =
            k->def.region ? sculpt_greatest_distance(g, &k->cut_base, &k->cut_region, measures) : 0.25 * k->line.length;
    if (!(k->info.radius > 0 && !isinf(k->info.radius)))
        return blame(s, k,
                     "its region curve is not on the same piece of the mesh as its base curve, or lies on it; give a "
                     "radius");
    if (!(k->def.radius > size)) return RUGA_OK;
    snprintf(text, sizeof text, "its radius of %g m is larger than the mesh, which is %g m; radii are in metres",
             k->info.radius, size);
    return blame(s, k, text);
}

static sculpt_reach reach_of(const sculpt_stroke *k, const sculpt_path *base, const sculpt_path *region) {
    return (sculpt_reach){.base = base,
                          .region = k->def.mode == RUGA_REGION_BETWEEN ? region : NULL,
                          .radius = k->info.radius,
                          .attenuation = k->def.attenuation,
                          .drawn = &k->drawn,
                          .stride = k->stride,
                          .fixed_part = 1 / (double)(k->line.count - 1)};
}

/* Levels of the cut's triangles. */
static ruga_status mark_levels(ruga_sculpt *s, const topology *topo, uint8_t *levels) {
    geodesic *g = NULL;
    sculpt_measures measures;
    double size = mesh_size(s->mesh);
    TRY(sculpt_measures_make(s->context, s->cut.mesh->vertex_count, &measures));
    ruga_status status = geodesic_create(s->context, topo, s->cut.mesh->triangles, s->cut.mesh->positions, &g);
    for (size_t i = 0; i < s->active.count && !RUGA_FAILED(status); i++) {
        sculpt_stroke *k = active_stroke(s, i);
        status = find_radius(s, k, size, g, &measures);
        sculpt_reach reach = reach_of(k, &k->cut_base, &k->cut_region);
        if (!RUGA_FAILED(status) && k->level > 0)
            sculpt_mark_levels(g, s->cut.mesh, &reach, (uint8_t)k->level, &measures, levels);
    }
    geodesic_destroy(g);
    sculpt_measures_release(s->context, &measures);
    return status;
}

/* Fine paths start as copies of the cut's. */
static ruga_status list_paths(ruga_sculpt *s, sculpt_path **paths, size_t *count) {
    *count = 0;
    for (size_t i = 0; i < s->active.count; i++) {
        sculpt_stroke *k = active_stroke(s, i);
        TRY(sculpt_path_copy(s->context, &k->cut_base, &k->fine_base));
        paths[(*count)++] = &k->fine_base;
        if (!k->def.region) continue;
        TRY(sculpt_path_copy(s->context, &k->cut_region, &k->fine_region));
        paths[(*count)++] = &k->fine_region;
    }
    return RUGA_OK;
}

static ruga_status make_field(ruga_sculpt *s) {
    sculpt_reach *reaches = ALLOCATE(s->context, sculpt_reach, s->active.count);
    if (!reaches) return fail_memory(s->context, s->active.count * sizeof *reaches);
    for (size_t i = 0; i < s->active.count; i++) {
        sculpt_stroke *k = active_stroke(s, i);
        reaches[i] = reach_of(k, &k->fine_base, &k->fine_region);
    }
    ruga_status status = sculpt_field_make(&s->surface, reaches, s->active.count, &s->field);
    memory_release(s->context, reaches);
    return status;
}

/* The undeformed surface, with its normals; the sculpted one starts as it. */
static void lay_surface(ruga_sculpt *s) {
    sculpt_surface *surface = &s->surface;
    size_t bytes = surface->mesh->vertex_count * sizeof(vec3);
    sculpt_surface_lay(surface, s->mesh->positions, surface->rest);
    memcpy(surface->rest_normals, s->mesh_normals, s->mesh->vertex_count * sizeof(vec3));
    sculpt_patch_normals(&surface->renewed, surface->mesh, surface->rest, surface->umbrellas, surface->rest_normals);
    memcpy(surface->normals, surface->rest_normals, bytes);
    memcpy((vec3 *)(uintptr_t)surface->mesh->positions, surface->rest, bytes);
}

static ruga_status make_surface(ruga_sculpt *s) {
    release_surface(s);
    s->counts.surfaces++;
    size_t triangles = s->cut.mesh->triangle_count, path_count;
    topology *topo = NULL;
    uint8_t *levels = ALLOCATE_ZEROED(s->context, uint8_t, triangles);
    sculpt_path **paths = ALLOCATE(s->context, sculpt_path *, 2 * s->active.count);
    ruga_status status = levels && paths ? topology_build(s->context, s->cut.mesh->vertex_count, triangles,
                                                          s->cut.mesh->triangles, &topo)
                                         : fail_memory(s->context, triangles);
    if (!RUGA_FAILED(status)) status = mark_levels(s, topo, levels);
    if (!RUGA_FAILED(status)) status = list_paths(s, paths, &path_count);
    if (!RUGA_FAILED(status))
        status = sculpt_surface_make(&s->cut, s->mesh->positions, levels, topo, paths, path_count, &s->surface);
    else
        topology_destroy(topo);
    memory_release(s->context, levels);
    memory_release(s->context, paths);
    TRY(status);
    TRY(make_field(s));
    lay_surface(s);
    return RUGA_OK;
}

/* ---- Stage: positions. */

static void apply(ruga_sculpt *s) {
    vec3 *positions = (vec3 *)(uintptr_t)s->surface.mesh->positions;
    sculpt_field_apply(&s->field, s->lines, s->surface.rest, s->surface.rest_normals, positions);
    sculpt_normals(s->surface.mesh, positions, s->field.around, s->field.around_count, s->field.triangles,
                   s->field.triangle_count, s->surface.umbrellas, s->surface.normals);
}

static void fill_infos(ruga_sculpt *s) {
    for (size_t i = 0; i < s->active.count; i++) {
        sculpt_stroke *k = active_stroke(s, i);
        k->info.drawn_length = k->line.length;
        k->info.reached = k->line.reached;
        k->info.energy = k->line.energy;
        k->info.refinements = k->level;
        k->info.extrema = k->line.wrinkles;
        k->info.region_vertices = 0;
    }
    for (size_t i = 0; i < s->field.offsets[s->field.vertex_count]; i++)
        active_stroke(s, s->field.influences[i].stroke)->info.region_vertices++;
}

static ruga_status bring_up_to_date(ruga_sculpt *s) {
    int rebuild = s->curves_are_stale || s->regions_are_stale;
    if (s->curves_are_stale) {
        TRY(make_cut(s));
        TRY(sculpt_find_crossings(s));
        TRY(sculpt_group_strokes(s));
    }
    TRY(govern_at_rest(s));
    rebuild |= find_levels(s);
    if (rebuild || !s->surface.mesh) TRY(make_surface(s));
    apply(s);
    fill_infos(s);
    s->curves_are_stale = s->regions_are_stale = 0;
    return RUGA_OK;
}

/* Strokes that failed are tried again where curves changed, and where their failures count. */
static void forgive(ruga_sculpt *s, int keep_going) {
    for (size_t i = 0; i < s->strokes.count; i++) s->curves_are_stale |= s->strokes.items[i].failed && !keep_going;
    for (size_t i = 0; i < s->strokes.count && s->curves_are_stale; i++) s->strokes.items[i].failed = 0;
}

ruga_status ruga_sculpt_update(ruga_sculpt *s, int keep_going, size_t *failed) {
    ruga_status status;
    forgive(s, keep_going);
    do {
        s->culprit = NULL;
        status = bring_up_to_date(s);
        if (!RUGA_FAILED(status)) break;
        /* Nothing half done is left: the next time starts from the curves. */
        release_cut(s);
        s->curves_are_stale = 1;
        if (!keep_going || !s->culprit || status == RUGA_ERROR_MEMORY) return status;
        TRY(note_failure(s, s->culprit, status));
    } while (1);
    size_t count = 0;
    for (size_t i = 0; i < s->strokes.count; i++) count += s->strokes.items[i].failed ? 1 : 0;
    if (failed) *failed = count;
    return status;
}

/* ---- Results. */

const ruga_mesh *ruga_sculpt_mesh(const ruga_sculpt *s) { return s->surface.mesh; }
const ruga_vec3 *ruga_sculpt_normals(const ruga_sculpt *s) { return s->surface.normals; }
sculpt_counts sculpt_get_counts(const ruga_sculpt *s) { return s->counts; }
const ruga_map *ruga_sculpt_map(const ruga_sculpt *s) { return s->surface.map; }

ruga_stroke_info ruga_sculpt_stroke_info(const ruga_sculpt *s, size_t number) {
    if (number >= s->strokes.count)
        return (ruga_stroke_info){.status = RUGA_ERROR_ARGUMENT, .message = "there is no such stroke"};
    return s->strokes.items[number].info;
}

void ruga_sculpt_regions(const ruga_sculpt *s, double *shares) {
    memset(shares, 0, (s->surface.mesh ? s->surface.mesh->vertex_count : 0) * sizeof *shares);
    for (size_t i = 0; i < s->field.vertex_count; i++)
        for (uint32_t k = s->field.offsets[i]; k < s->field.offsets[i + 1]; k++)
            shares[s->field.vertices[i]] += s->field.influences[k].weight;
}

/* ---- In motion. */

/* The surfaces of a moment. */
typedef struct pose_room {
    vec3 *cut, *cut_normals; /* (the cut's vertices) */
    vec3 *rest, *normals;    /* (fine vertices) */
    double *lengths;         /* (active) L̃ / L */
} pose_room;

static ruga_status pose_room_make(const ruga_sculpt *s, pose_room *room) {
    size_t coarse = s->cut.mesh->vertex_count, fine = s->surface.mesh->vertex_count;
    *room = (pose_room){.cut = ALLOCATE(s->context, vec3, coarse),
                        .cut_normals = ALLOCATE_ZEROED(s->context, vec3, coarse),
                        .rest = ALLOCATE(s->context, vec3, fine),
                        .normals = ALLOCATE(s->context, vec3, fine),
                        .lengths = ALLOCATE(s->context, double, s->active.count)};
    if (room->cut && room->cut_normals && room->rest && room->normals && room->lengths) return RUGA_OK;
    return fail_memory(s->context, fine * sizeof(vec3));
}

static void pose_room_release(const ruga_sculpt *s, pose_room *room) {
    void *all[] = {room->cut, room->cut_normals, room->rest, room->normals, room->lengths};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) memory_release(s->context, all[i]);
}

/* Lines in their places on the cut as it is now, and how long they are to get. */
static ruga_status place_lines(ruga_sculpt *s, const vec3 *positions, const double *driven, pose_room *room) {
    ruga_map_apply(s->cut.map, positions, room->cut);
    sculpt_patch_normals(&s->cut_paths, s->cut.mesh, room->cut, room->cut_normals, room->cut_normals);
    for (size_t i = 0; i < s->active.count; i++) {
        sculpt_stroke *k = active_stroke(s, i);
        sculpt_line_place(&k->line, &k->cut_base, room->cut, room->cut_normals);
        double now = sculpt_line_chord(&k->line);
        room->lengths[i] = driven ? driven[s->active.items[i]] : now > 0 ? k->chord / now : 1;
        if (!isfinite(room->lengths[i]))
            return fail_with(s->context, RUGA_ERROR_INPUT,
                             "stroke \"%s\": its length is not finite; positions and lengths have to be", k->def.name);
    }
    return RUGA_OK;
}

static ruga_status pose(ruga_sculpt *s, const vec3 *positions, const double *driven, pose_room *room, vec3 *out) {
    TRY(place_lines(s, positions, driven, room));
    TRY(sculpt_govern(s, room->lengths, 1));
    sculpt_surface_lay(&s->surface, positions, room->rest);
    TRY(ruga_mesh_normals(s->mesh, positions, room->normals));
    sculpt_patch_normals(&s->surface.renewed, s->surface.mesh, room->rest, s->surface.umbrellas, room->normals);
    memcpy(out, room->rest, s->surface.mesh->vertex_count * sizeof *out);
    sculpt_field_apply(&s->field, s->lines, room->rest, room->normals, out);
    return RUGA_OK;
}

ruga_status ruga_sculpt_pose(ruga_sculpt *s, const ruga_vec3 *positions, const double *lengths, ruga_vec3 *out) {
    int stale = s->curves_are_stale || s->regions_are_stale || !s->surface.mesh;
    for (size_t i = 0; i < s->active.count; i++) stale |= active_stroke(s, i)->shape_is_stale;
    if (stale)
        return fail_with(s->context, RUGA_ERROR_ARGUMENT,
                         "the sculpt is not up to date; call ruga_sculpt_update first");
    pose_room room;
    ruga_status status = pose_room_make(s, &room);
    if (!RUGA_FAILED(status)) status = pose(s, positions, lengths, &room, out);
    /* Lines are those of the rest again. */
    for (size_t i = 0; i < s->active.count; i++) {
        sculpt_stroke *k = active_stroke(s, i);
        sculpt_line_place(&k->line, &k->cut_base, s->cut.mesh->positions, s->cut_normals);
        memcpy(k->line.deflections, k->line.rest_deflections, k->line.count * sizeof *k->line.deflections);
        sculpt_line_smooth(&k->line);
    }
    pose_room_release(s, &room);
    return status;
}
