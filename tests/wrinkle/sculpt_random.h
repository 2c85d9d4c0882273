/* Random sculpts: any number of any strokes on meshes of many kinds, and the laws that every result keeps. */
#ifndef TESTS_SCULPT_RANDOM_H
#define TESTS_SCULPT_RANDOM_H

#include "geom/curve_support.h"
#include "wrinkle/sculpt_bare.h"

/* ---- Meshes. */

/* A model with some of its values; NaN: the preset. */
static inline ruga_mesh *random_model(ruga_context *context, const char *name, const double *values) {
    const ruga_section *section = ruga_model_find(name);
    double all[16];
    ruga_mesh *mesh;
    assert_non_null(section);
    for (size_t i = 0; i < section->field_count; i++)
        all[i] = isnan(values[i]) ? atof(section->fields[i].preset) : values[i];
    assert_ok(context, ruga_model_make(context, name, all, &mesh));
    return mesh;
}

/* Every vertex moved by up to a part of the mean edge. */
static inline ruga_mesh *roughened(ruga_mesh *mesh, test_random *random, double part) {
    ruga_mesh_summary summary;
    assert_ok(mesh->context, ruga_mesh_summarise(mesh, &summary));
    vec3 *p = (vec3 *)(uintptr_t)mesh->positions;
    double most = part * summary.mean_edge;
    for (size_t v = 0; v < mesh->vertex_count; v++) p[v] = vec3_add(p[v], random_vec3(random, -most, most));
    return mesh;
}

static inline double random_count(test_random *random, int low, int high) {
    return (double)(low + (int)(random_bits(random) % (uint64_t)(high - low + 1)));
}

/* Small kinds first; the last SCULPT_LARGE_KINDS have thousands of triangles. */
enum { SCULPT_KINDS = 13, SCULPT_LARGE_KINDS = 2 };

static inline ruga_mesh *random_sculpt_mesh(ruga_context *context, test_random *random, size_t kind) {
    double quads = random_count(random, 0, 1), columns = random_count(random, 6, 24),
           rows = random_count(random, 3, 12);
    switch (kind) {
        case 0: return jittered_sheet(context, 4 + random_bits(random) % 12, 1);
        case 1: return random_model(context, "sheet", (double[]){1, 1, columns, rows, 1, quads, 0, 1});
        case 2: return random_model(context, "sphere", (double[]){NAN, random_count(random, 2, 8)});
        case 3:
            return roughened(random_model(context, "sphere", (double[]){NAN, random_count(random, 3, 8)}), random, 0.2);
        case 4: return random_model(context, "torus", (double[]){NAN, NAN, columns, rows, quads});
        case 5: return random_model(context, "cylinder", (double[]){NAN, NAN, columns, rows, 0, quads});
        case 6: return random_model(context, "cylinder", (double[]){NAN, NAN, columns, rows, 1, 0});
        case 7: return random_model(context, "pillow", (double[]){NAN, NAN, NAN, columns, rows});
        case 8: return random_model(context, "skirt", (double[]){NAN, NAN, NAN, NAN, NAN, columns, rows, quads});
        case 9: return shape_loaded_sheet(context);
        case 10: return roughened(shape_torus(context, 12, 8), random, 0.3);
        case 11: return random_model(context, "bust", (double[]){NAN, 40});
        default: return random_model(context, "shoe", (double[]){NAN, 60});
    }
}

/* ---- Strokes. */

static size_t furrows; /* that were drawn */

static inline double mesh_size(const ruga_mesh *mesh) {
    ruga_mesh_summary summary;
    assert_ok(mesh->context, ruga_mesh_summarise(mesh, &summary));
    return vec3_distance(summary.low, summary.high);
}

/* A curve of two to five random points, open or closed. NULL: it can't be drawn. */
static inline const ruga_curve *random_curve(test_sculpt *t, test_random *random) {
    ruga_surface_point points[5];
    size_t count = 2 + random_bits(random) % 4;
    for (size_t k = 0; k < count; k++) points[k] = random_place(t->mesh, random);
    ruga_curve_def def = ruga_curve_def_default();
    def.closed = random_bits(random) % 4 == 0;
    assert_less(t->curve_count, MAX_TEST_CURVES);
    ruga_curve **out = &t->curves[t->curve_count];
    if (RUGA_FAILED(ruga_curve_from_surface_points(t->mesh, points, count, &def, out))) return NULL;
    return t->curves[t->curve_count++];
}

/* A furrow has no region curve; narrow and wide, with any ends and sides. */
static inline ruga_stroke_def random_furrow(test_random *random, double size, const ruga_stroke_def *from) {
    ruga_stroke_def def = *from;
    if (random_bits(random) % 3 == 0) def.radius = NAN;
    if (random_bits(random) % 2) def.tolerance = random_between(random, 0.001, 0.05) * size;
    def.refine = (int)(random_bits(random) % 3);
    def.particles = 13 + (int)(random_bits(random) % 40);
    def.length = random_between(random, 1, 1.3);
    def.taper = random_between(random, 0, 0.5);
    def.asymmetry = random_between(random, -1, 1);
    def.seed = (int)(random_bits(random) % 1000);
    furrows++;
    return def;
}

/* From waves by the stiffness, from a look, some of them as they are, or a furrow. */
static inline ruga_stroke_def random_stroke(test_sculpt *t, test_random *random, double size, const ruga_curve *curve) {
    ruga_stroke_def def = test_stroke(curve, random_between(random, 0.02, 0.35) * size);
    const uint64_t kind = random_bits(random) % 4;
    if (kind == 1) assert_true(ruga_stroke_def_look(ruga_stroke_look_name(random_bits(random) % 7), &def));
    if (kind == 1 && random_bits(random) % 4 == 0) {
        furrows += def.shape == RUGA_SHAPE_FURROW;
        def.refine = (int)(random_bits(random) % 3); /* which looks do not set; for the time of the test */
        return def;
    }
    if (kind == 2) def.shape = RUGA_SHAPE_FURROW;
    if (kind > 0) def.vary = random_between(random, 0, 1);
    if (def.shape == RUGA_SHAPE_FURROW) return random_furrow(random, size, &def);
    if (random_bits(random) % 3 == 0) def.region = random_curve(t, random);
    def.mode = def.region && random_bits(random) % 2 ? RUGA_REGION_BETWEEN : RUGA_REGION_AROUND;
    if (def.mode == RUGA_REGION_AROUND && random_bits(random) % 4 == 0) def.radius = NAN;
    if (random_bits(random) % 2) def.tolerance = random_between(random, 0.001, 0.05) * size;
    def.refine = (int)(random_bits(random) % 3);
    def.particles = 9 + (int)(random_bits(random) % 36);
    def.stiffness = random_bits(random) % 8 == 0 ? 0 : random_between(random, 2, 80);
    def.length = random_bits(random) % 8 == 0 ? 1 : random_between(random, 1, 1.8);
    def.start = (ruga_stroke_start)(random_bits(random) % 64 == 0 ? RUGA_STROKE_SEARCH : random_bits(random) % 2);
    def.wrinkles = 1 + (int)(random_bits(random) % (unsigned)((def.particles - 1) / 4));
    def.seed = (int)(random_bits(random) % 1000);
    def.straight = random_bits(random) % 4 == 0;
    def.attenuation = (ruga_attenuation)(random_bits(random) % 2);
    return def;
}

enum { MAX_RANDOM_STROKES = 4 };

/* Up to four strokes; returns how many. */
static inline size_t random_strokes(test_sculpt *t, test_random *random, ruga_stroke_def *defs) {
    size_t wanted = 1 + random_bits(random) % MAX_RANDOM_STROKES, count = 0;
    double size = mesh_size(t->mesh);
    for (size_t i = 0; i < wanted; i++) {
        const ruga_curve *curve = random_curve(t, random);
        if (curve) defs[count++] = random_stroke(t, random, size, curve);
    }
    return count;
}

/* ---- Laws. */

/* The reference for a result. */
typedef struct lawful_sculpt {
    const test_sculpt *t;
    const ruga_mesh *result;
    topology *topo;    /* of the mesh */
    ruga_vec3 *flat;   /* (fine vertices) the result's places on the mesh */
    uint32_t *parents; /* (fine triangles) triangles of the mesh */
} lawful_sculpt;

/* The triangle of the mesh that has all these vertices. */
static inline uint32_t triangle_with(const topology *topo, const ruga_mesh *mesh, const uint32_t *vertices) {
    for (uint32_t i = topo->fan_offsets[vertices[0]]; i < topo->fan_offsets[vertices[0] + 1]; i++) {
        const uint32_t *t = mesh->triangles + 3 * (size_t)topo->fan_triangles[i];
        int found = 0;
        for (int k = 0; k < 3; k++) found += t[k] == vertices[0] || t[k] == vertices[1] || t[k] == vertices[2];
        if (found == 3) return topo->fan_triangles[i];
    }
    return NO_INDEX;
}

/* The triangle of the mesh that a triangle of the result is a part of: all vertices that its corners are made of are
 * corners of it. */
static inline uint32_t parent_of(const lawful_sculpt *l, const ruga_map *map, size_t triangle) {
    uint32_t made_of[3];
    size_t count = 0;
    for (size_t k = 0; k < 3; k++) {
        uint32_t v = l->result->triangles[3 * triangle + k];
        for (size_t i = map->offsets[v]; i < map->offsets[v + 1]; i++) {
            size_t j = 0;
            while (j < count && made_of[j] != map->indices[i]) j++;
            if (j < count) continue;
            assert_less(count, 3);
            made_of[count++] = map->indices[i];
        }
    }
    assert_int_equal(count, 3);
    uint32_t parent = triangle_with(l->topo, l->t->mesh, made_of);
    assert_int_not_equal(parent, NO_INDEX);
    return parent;
}

static inline void lawful_open(lawful_sculpt *l, const test_sculpt *t) {
    const ruga_mesh *mesh = t->mesh, *result = ruga_sculpt_mesh(t->sculpt);
    *l = (lawful_sculpt){.t = t, .result = result};
    assert_ok(mesh->context,
              topology_build(mesh->context, mesh->vertex_count, mesh->triangle_count, mesh->triangles, &l->topo));
    l->flat = malloc(result->vertex_count * sizeof *l->flat);
    l->parents = malloc(result->triangle_count * sizeof *l->parents);
    ruga_map_apply(ruga_sculpt_map(t->sculpt), mesh->positions, l->flat);
    for (size_t i = 0; i < result->triangle_count; i++) l->parents[i] = parent_of(l, ruga_sculpt_map(t->sculpt), i);
}

static inline void lawful_close(lawful_sculpt *l) {
    topology_destroy(l->topo);
    free(l->flat);
    free(l->parents);
}

static inline vec3 triangle_area(const ruga_mesh *mesh, const ruga_vec3 *p, size_t triangle) {
    const uint32_t *v = mesh->triangles + 3 * triangle;
    return vec3_scale(vec3_cross(vec3_sub(p[v[1]], p[v[0]]), vec3_sub(p[v[2]], p[v[0]])), 0.5);
}

/* Without wrinkles, the parts of a triangle lie in it, face as it does, and make up its area. */
static inline void assert_parts_make_up_the_mesh(const lawful_sculpt *l) {
    const ruga_mesh *mesh = l->t->mesh;
    double *areas = calloc(mesh->triangle_count, sizeof *areas);
    for (size_t i = 0; i < l->result->triangle_count; i++) {
        vec3 whole = triangle_area(mesh, mesh->positions, l->parents[i]), part = triangle_area(l->result, l->flat, i);
        assert_less(0, vec3_dot(whole, part));
        areas[l->parents[i]] += vec3_length(part);
    }
    for (size_t i = 0; i < mesh->triangle_count; i++) {
        double whole = vec3_length(triangle_area(mesh, mesh->positions, i));
        assert_at_most(fabs(areas[i] - whole), 1e-9 * whole);
    }
    free(areas);
}

/* Nor does the smoothing of new vertices turn any over. */
static inline void assert_nothing_is_turned_over(const test_sculpt *t) {
    const sculpt_surface *surface = &t->sculpt->surface;
    for (size_t i = 0; i < surface->fine->triangle_count; i++)
        assert_less(0, vec3_dot(triangle_area(surface->fine, surface->flat, i),
                                triangle_area(surface->fine, surface->rest, i)));
}

/* The mesh's vertices come first, each as it is in the map. Weights are within [0, 1] and sum to 1. */
static inline void assert_vertices_are_first(const lawful_sculpt *l) {
    const ruga_map *map = ruga_sculpt_map(l->t->sculpt);
    assert_int_equal(map->rows, l->result->vertex_count);
    assert_int_equal(map->columns, l->t->mesh->vertex_count);
    assert_memory_equal(l->flat, l->t->mesh->positions, l->t->mesh->vertex_count * sizeof *l->flat);
    for (size_t v = 0; v < map->rows; v++) {
        double sum = 0;
        for (size_t i = map->offsets[v]; i < map->offsets[v + 1]; i++) {
            assert_at_most(0, map->weights[i]);
            assert_at_most(map->weights[i], 1);
            sum += map->weights[i];
        }
        assert_near(sum, 1, 1e-12);
    }
}

/* m, the straight distance of a point from a curve: at most the one over the surface. */
static inline double curve_distance(const ruga_curve *curve, const ruga_vec3 *points, ruga_vec3 p) {
    double least = INFINITY;
    for (size_t i = 0; i + (curve->closed ? 0 : 1) < curve->point_count; i++) {
        vec3 a = points[i], edge = vec3_sub(points[(i + 1) % curve->point_count], a);
        double length2 = vec3_length2(edge), part = length2 > 0 ? vec3_dot(vec3_sub(p, a), edge) / length2 : 0;
        least = fmin(least, vec3_distance(p, vec3_add_scaled(a, edge, fmin(1, fmax(0, part)))));
    }
    return least;
}

/* Marks vertices that are surely not within the radius of a curve. */
static inline void mark_reached(const lawful_sculpt *l, const ruga_curve *curve, double radius, uint8_t *reached) {
    ruga_vec3 *points = malloc(curve->point_count * sizeof *points);
    ruga_curve_points(curve, l->t->mesh, NULL, points);
    for (size_t v = 0; v < l->result->vertex_count; v++)
        if (!reached[v]) reached[v] = curve_distance(curve, points, l->flat[v]) <= radius;
    free(points);
}

/* None of the mesh's vertices that no stroke reaches moves by a bit; new ones there lie on the smooth surface, near.
 * Counts the vertices that this was checked of. */
static size_t untouched, untouched_old;
static inline void assert_untouched_outside(const lawful_sculpt *l, const ruga_stroke_def *defs, size_t count) {
    uint8_t *reached = calloc(l->result->vertex_count, 1);
    ruga_mesh_summary summary;
    assert_ok(l->t->context, ruga_mesh_summarise(l->t->mesh, &summary));
    double slack = 0.2 * summary.longest_edge; /* as far as distances over few triangles are right */
    for (size_t i = 0; i < count; i++) {
        ruga_stroke_info info = ruga_sculpt_stroke_info(l->t->sculpt, i);
        if (RUGA_FAILED(info.status) || defs[i].off) continue;
        double radius = info.radius + slack;
        mark_reached(l, defs[i].curve, radius, reached);
        if (defs[i].mode == RUGA_REGION_BETWEEN) mark_reached(l, defs[i].region, radius, reached);
    }
    for (size_t v = 0; v < l->result->vertex_count; v++) {
        if (reached[v]) continue;
        untouched++;
        if (v >= l->t->mesh->vertex_count) {
            assert_at_most_case(vec3_distance(l->flat[v], l->result->positions[v]), 0.25 * summary.longest_edge,
                                "vertex %zu", v);
            continue;
        }
        assert_memory_equal(&l->flat[v], &l->result->positions[v], sizeof l->flat[v]);
        untouched_old++;
    }
    free(reached);
}

static inline size_t corner_of(const ruga_mesh *mesh, size_t triangle, size_t k) {
    return mesh->triangle_corners ? mesh->triangle_corners[3 * triangle + k] : 3 * triangle + k;
}

static inline size_t face_of(const ruga_mesh *mesh, size_t triangle) {
    return mesh->triangle_faces ? mesh->triangle_faces[triangle] : triangle;
}

/* How much of corner k of a triangle of the mesh is in a vertex of the result. */
static inline double weight_of(const lawful_sculpt *l, uint32_t v, uint32_t parent, size_t k) {
    const ruga_map *map = ruga_sculpt_map(l->t->sculpt);
    for (size_t i = map->offsets[v]; i < map->offsets[v + 1]; i++)
        if (map->indices[i] == l->t->mesh->triangles[3 * (size_t)parent + k]) return map->weights[i];
    return 0;
}

/* Texture coordinates at the corners of every part are those of the triangle it lies in, on either side of seams;
 * groups of faces are kept. */
static inline void assert_attributes_are_interpolated(const lawful_sculpt *l) {
    const ruga_mesh *mesh = l->t->mesh, *result = l->result;
    const ruga_attribute *uv = ruga_mesh_attribute(mesh, "uv", RUGA_DOMAIN_CORNER),
                         *fine_uv = ruga_mesh_attribute(result, "uv", RUGA_DOMAIN_CORNER);
    const ruga_attribute *group = ruga_mesh_attribute(mesh, "group", RUGA_DOMAIN_FACE),
                         *fine_group = ruga_mesh_attribute(result, "group", RUGA_DOMAIN_FACE);
    assert_true(!uv == !fine_uv && !group == !fine_group);
    for (size_t i = 0; i < 3 * result->triangle_count; i++) {
        uint32_t parent = l->parents[i / 3];
        for (uint32_t c = 0; uv && c < 2; c++) {
            double expected = 0, found = ruga_attribute_get(fine_uv, corner_of(result, i / 3, i % 3), c);
            for (size_t k = 0; k < 3; k++)
                expected += weight_of(l, result->triangles[i], parent, k) *
                            ruga_attribute_get(uv, corner_of(mesh, parent, k), c);
            assert_near(found, expected, 1e-5 * (1 + fabs(expected)));
        }
        if (group)
            assert_true(ruga_attribute_get(fine_group, face_of(result, i / 3), 0) ==
                        ruga_attribute_get(group, face_of(mesh, parent), 0));
    }
}

static inline void assert_normals_are_unit(const lawful_sculpt *l) {
    const ruga_vec3 *normals = ruga_sculpt_normals(l->t->sculpt);
    size_t checked = 0;
    for (size_t v = 0; v < l->result->vertex_count; v++) {
        if (v < l->topo->vertex_count && l->topo->fan_offsets[v + 1] == l->topo->fan_offsets[v]) continue; /* no face */
        assert_near_case(vec3_length(normals[v]), 1, 1e-6, "vertex %zu", v);
        checked++;
    }
    assert_ran(checked, l->result->vertex_count / 2);
}

/* The info of each stroke: as near as asked for, or refined as often as allowed; failures have a message that names
 * it. */
static inline void assert_infos(const test_sculpt *t, const ruga_stroke_def *defs, size_t count, size_t failed) {
    for (size_t i = 0; i < count; i++) {
        ruga_stroke_info info = ruga_sculpt_stroke_info(t->sculpt, i);
        const int is_failed = RUGA_FAILED(info.status);
        assert_true(!is_failed || (failed > 0 && strstr(info.message, "\"")));
        if (is_failed) {
            failed--;
            continue;
        }
        const double usual = defs[i].shape == RUGA_SHAPE_FURROW ? info.radius / 120 : info.drawn_length / 600;
        double tolerance = isnan(defs[i].tolerance) ? usual : defs[i].tolerance;
        int may_exceed = info.refinements == defs[i].refine;
        assert_at_most_case(info.error, may_exceed ? INFINITY : tolerance, "stroke %zu", i);
        assert_at_most(0, info.refinements);
        assert_at_most(info.refinements, defs[i].refine);
        assert_less(0, info.drawn_length);
        assert_less(0, info.radius);
        assert_less(0, info.reached);
        assert_true(isfinite(info.energy));
    }
    assert_int_equal(failed, 0);
}

/* The greatest of all: over a side, and rad. */
static double bare_furthest, bare_turn;
static inline void assert_lawful(const test_sculpt *t, const ruga_stroke_def *defs, size_t count) {
    lawful_sculpt l;
    assert_valid_sculpt(t->mesh, ruga_sculpt_mesh(t->sculpt));
    lawful_open(&l, t);
    assert_vertices_are_first(&l);
    assert_parts_make_up_the_mesh(&l);
    assert_nothing_is_turned_over(t);
    const bare_surface bare = bare_of(t->sculpt);
    assert_no_nicks(&bare);
    assert_bare_law(&bare, &bare_furthest, &bare_turn);
    assert_untouched_outside(&l, defs, count);
    assert_attributes_are_interpolated(&l);
    assert_normals_are_unit(&l);
    lawful_close(&l);
}

/* ---- One sculpt. */

/* Which sculpt is at work; 0: none. */
static uint64_t random_seed;
static size_t random_kind;

/* A teardown that says where a test has failed. */
static inline int say_seed(void **state) {
    (void)state;
    if (random_seed > 0) print_message("random sculpt: seed %d, kind %d\n", (int)random_seed, (int)random_kind);
    random_seed = 0;
    return 0;
}

/* Draws the sculpt of a seed, updates it, and tests it. The caller closes it; returns how many strokes it has. */
static inline size_t open_random_sculpt(test_sculpt *t, ruga_context *context, uint64_t seed, size_t kind,
                                        ruga_stroke_def *defs) {
    test_random random = {seed};
    random_seed = seed;
    random_kind = kind;
    test_sculpt_open(t, context, random_sculpt_mesh(context, &random, kind));
    size_t count = random_strokes(t, &random, defs);
    for (size_t i = 0; i < count; i++) test_add(t, &defs[i]);
    return count;
}

static inline void close_random_sculpt(test_sculpt *t) {
    test_sculpt_close(t);
    random_seed = 0;
}

static inline void run_random_sculpt(ruga_context *context, uint64_t seed, size_t kind) {
    test_sculpt t;
    ruga_stroke_def defs[MAX_RANDOM_STROKES];
    size_t count = open_random_sculpt(&t, context, seed, kind, defs), failed;
    assert_ok(context, ruga_sculpt_update(t.sculpt, 1, &failed));
    assert_infos(&t, defs, count, failed);
    assert_lawful(&t, defs, count);
    close_random_sculpt(&t);
}

/* ---- The same by other steps. */

/* A sculpt on the same mesh, with strokes as those of the other and numbers of their own. */
typedef struct wanderer {
    ruga_context *context;
    ruga_sculpt *sculpt;
    const ruga_stroke_def *defs;
    size_t count, numbers[MAX_RANDOM_STROKES];
} wanderer;

static inline void wander_to_stroke(wanderer *w, test_random *random) {
    size_t i = random_bits(random) % w->count;
    ruga_stroke_def def = changed_stroke(&w->defs[i], random_bits(random) % STROKE_CHANGES);
    assert_ok(w->context, ruga_sculpt_set(w->sculpt, w->numbers[i], &def));
}

static inline void wander_to_order(wanderer *w, test_random *random) {
    size_t order[MAX_RANDOM_STROKES];
    for (size_t i = 0; i < w->count; i++) {
        size_t k = random_bits(random) % (i + 1);
        order[i] = order[k];
        order[k] = w->numbers[i];
    }
    assert_ok(w->context, ruga_sculpt_reorder(w->sculpt, order, w->count));
}

static inline void remove_and_add(wanderer *w, test_random *random) {
    size_t i = random_bits(random) % w->count;
    assert_ok(w->context, ruga_sculpt_remove(w->sculpt, w->numbers[i]));
    if (random_bits(random) % 2) assert_ok(w->context, ruga_sculpt_update(w->sculpt, 1, NULL));
    assert_ok(w->context, ruga_sculpt_add(w->sculpt, &w->defs[i], &w->numbers[i]));
}

static inline void come_back(wanderer *w) {
    for (size_t i = 0; i < w->count; i++) assert_ok(w->context, ruga_sculpt_set(w->sculpt, w->numbers[i], &w->defs[i]));
    assert_ok(w->context, ruga_sculpt_reorder(w->sculpt, w->numbers, w->count));
    assert_ok(w->context, ruga_sculpt_update(w->sculpt, 1, NULL));
}

/* A sculpt on the same mesh whose strokes are not yet as they are to be. */
static inline void open_wanderer(wanderer *w, const ruga_mesh *mesh, test_random *random) {
    assert_ok(w->context, ruga_sculpt_create(mesh, &w->sculpt));
    for (size_t i = 0; i < w->count; i++) {
        ruga_stroke_def def = changed_stroke(&w->defs[i], random_bits(random) % STROKE_CHANGES);
        assert_ok(w->context, ruga_sculpt_add(w->sculpt, &def, &w->numbers[i]));
    }
    assert_ok(w->context, ruga_sculpt_update(w->sculpt, 1, NULL));
}

static inline void wander(wanderer *w, const ruga_mesh *mesh, test_random *random) {
    static void (*const steps[])(wanderer *, test_random *) = {wander_to_stroke, wander_to_order, remove_and_add};
    steps[random_bits(random) % 3](w, random);
    if (random_bits(random) % 3 == 0) return;
    assert_ok(w->context, ruga_sculpt_update(w->sculpt, 1, NULL));
    if (random_bits(random) % 3 > 0) return;
    ruga_vec3 *out = malloc(ruga_sculpt_mesh(w->sculpt)->vertex_count * sizeof *out);
    assert_ok(w->context, ruga_sculpt_pose(w->sculpt, mesh->positions, NULL, out));
    free(out);
}

/* Strokes that were others and were changed, switched off, moved, removed and added, with updates and poses here and
 * there, give the same bits as if nothing had been; also if every second sculpt works on the whole mesh instead of
 * pieces. */
static inline void run_wandering_sculpt(ruga_context *context, uint64_t seed, size_t kind, int steps) {
    test_sculpt t;
    test_random random = {seed + 1000000};
    ruga_stroke_def defs[MAX_RANDOM_STROKES];
    wanderer w = {.context = context, .defs = defs};
    w.count = open_random_sculpt(&t, context, seed, kind, defs);
    assert_ok(context, ruga_sculpt_update(t.sculpt, 1, NULL));
    open_wanderer(&w, t.mesh, &random);
    w.sculpt->is_whole = seed % 2 == 0;
    for (int i = 0; i < steps && w.count > 0; i++) wander(&w, t.mesh, &random);
    if (w.count > 0) come_back(&w);
    assert_same_result(t.sculpt, w.sculpt);
    ruga_sculpt_destroy(w.sculpt);
    close_random_sculpt(&t);
}

#endif
