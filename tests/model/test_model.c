/* Models by formula: their shapes against theory, and invalid values. */
#include <math.h>

#include "math/vec3.h"
#include "mesh/mesh.h"
#include "mesh/topology.h"
#include "support/support.h"

#define PI 3.14159265358979323846

static ruga_context *context;
static ruga_mesh *standard[32]; /* by model, NULL until asked for: some take a second to make */

static int set_up(void **state) {
    (void)state;
    context = context_plain(2);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    for (size_t i = 0; i < ruga_model_count(); i++) ruga_mesh_destroy(standard[i]);
    ruga_context_destroy(context);
    return 0;
}

/* A model with its standard parameters; several tests share it. */
static const ruga_mesh *standard_mesh(const char *model) {
    size_t i = 0;
    while (i < ruga_model_count() && strcmp(ruga_model_get(i)->name, model) != 0) i++;
    assert_less(i, ruga_model_count());
    assert_less(i, sizeof standard / sizeof *standard);
    if (!standard[i]) assert_ok(context, ruga_model_make(context, model, NULL, &standard[i]));
    return standard[i];
}

/* A model with some parameters changed: name, value, …, NULL. */
static ruga_status make_with(const char *model, ruga_mesh **mesh, va_list arguments) {
    const ruga_section *info = ruga_model_find(model);
    assert_non_null(info);
    double values[16];
    ruga_section_defaults(info, values);
    for (const char *name; (name = va_arg(arguments, const char *));) {
        double value = va_arg(arguments, double);
        size_t i = 0;
        while (i < info->field_count && strcmp(info->fields[i].name, name) != 0) i++;
        assert_less(i, info->field_count);
        values[i] = value;
    }
    return ruga_model_make(context, model, values, mesh);
}

static ruga_mesh *make(const char *model, ...) {
    va_list arguments;
    va_start(arguments, model);
    ruga_mesh *mesh = NULL;
    assert_ok(context, make_with(model, &mesh, arguments));
    va_end(arguments);
    return mesh;
}

static ruga_status try_make(const char *model, ...) {
    va_list arguments;
    va_start(arguments, model);
    ruga_mesh *mesh = NULL;
    ruga_status status = make_with(model, &mesh, arguments);
    assert_null(mesh);
    va_end(arguments);
    return status;
}

static ruga_mesh_summary summary_of(const ruga_mesh *mesh) {
    ruga_mesh_summary summary;
    assert_ok(context, ruga_mesh_summarise(mesh, &summary));
    return summary;
}

static void assert_no_defects(const ruga_mesh *mesh, const char *name) {
    ruga_validation *validation = NULL;
    assert_ok(context, ruga_mesh_validate(mesh, &validation));
    fail_if(validation->defect_count > 0, "%s: %zu defects, the first a %s at %zu", name, validation->defect_count,
            ruga_defect_name(validation->defects[0].kind), validation->defects[0].element);
    ruga_validation_destroy(mesh, validation);
}

static void every_model_is_without_defects(void **state) {
    (void)state;
    skip_when_sanitized();
    for (size_t i = 0; i < ruga_model_count(); i++) {
        const char *name = ruga_model_get(i)->name;
        assert_no_defects(standard_mesh(name), name);
    }
    assert_null(ruga_model_get(ruga_model_count()));
}

static void models_of_the_least_size_are_without_defects(void **state) {
    (void)state;
    for (size_t i = 0; i < ruga_model_count(); i++) {
        const ruga_section *info = ruga_model_get(i);
        double values[16];
        for (size_t k = 0; k < info->field_count; k++) {
            const ruga_field *p = &info->fields[k];
            values[k] = p->step == 1 ? p->low : strtod(p->preset, NULL);
        }
        ruga_mesh *mesh = NULL;
        assert_ok(context, ruga_model_make(context, info->name, values, &mesh));
        assert_no_defects(mesh, info->name);
        ruga_mesh_destroy(mesh);
    }
}

/* Euler characteristic, boundary loops, genus (-1 where open). */
static void assert_topology(const ruga_mesh *mesh, long euler, size_t loops, int genus) {
    ruga_mesh_summary summary = summary_of(mesh);
    assert_int_equal(summary.euler, euler);
    assert_int_equal(summary.boundary_loops, loops);
    assert_int_equal(summary.genus, genus);
    assert_int_equal(summary.components, 1);
    assert_true(summary.manifold && summary.oriented);
}

static void topology_is_that_of_the_shape(void **state) {
    (void)state;
    skip_when_sanitized();
    struct {
        ruga_mesh *mesh;
        long euler;
        size_t loops;
        int genus;
    } shapes[] = {
        {make("sheet", NULL), 1, 1, -1},
        {make("sheet", "triangulation", 2.0, NULL), 1, 1, -1},
        {make("sheet", "quads", 1.0, NULL), 1, 1, -1},
        {make("disc", NULL), 1, 1, -1},
        {make("annulus", NULL), 1, 1, -1},
        {make("annulus", "angle", 360.0, NULL), 0, 2, -1},
        {make("cylinder", NULL), 0, 2, -1},
        {make("cylinder", "caps", 1.0, NULL), 2, 0, 0},
        {make("sphere", NULL), 2, 0, 0},
        {make("torus", NULL), 0, 0, 1},
        {make("pillow", NULL), 2, 0, 0},
        {make("pillow", "columns", 3.0, "rows", 5.0, NULL), 2, 0, 0},
        {make("bar", NULL), 2, 0, 0},
        {make("slab", NULL), 2, 0, 0},
        {make("capsule", NULL), 2, 0, 0},
        {make("capsule", "length", 0.01, NULL), 2, 0, 0},
        {make("funnel", NULL), 0, 0, 1},
        {make("funnel", "sides", 17.0, NULL), 0, 0, 1},
        {make("skirt", NULL), 0, 2, -1},
        {make("arm", NULL), 2, 0, 0},
        {make("arm", "rings", 8.0, "sectors", 7.0, NULL), 2, 0, 0},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        assert_topology(shapes[i].mesh, shapes[i].euler, shapes[i].loops, shapes[i].genus);
        ruga_mesh_destroy(shapes[i].mesh);
    }
    assert_topology(standard_mesh("bust"), 2, 0, 0);
    assert_topology(standard_mesh("shoe"), 2, 0, 0);
    assert_topology(standard_mesh("mannequin"), 2, 0, 0);
}

static void assert_relative(double value, double expected, double relative) {
    assert_near(value, expected, relative * fabs(expected));
}

static void assert_area(ruga_mesh *mesh, double expected, double relative) {
    assert_relative(summary_of(mesh).area, expected, relative);
    ruga_mesh_destroy(mesh);
}

static void assert_volume(ruga_mesh *mesh, double expected, double relative) {
    assert_relative(summary_of(mesh).volume, expected, relative);
    ruga_mesh_destroy(mesh);
}

static void areas_and_volumes_are_those_of_theory(void **state) {
    (void)state;
    assert_area(make("sheet", "width", 2.0, "length", 3.0, NULL), 6, 1e-12);
    assert_area(make("sheet", "width", 2.0, "length", 3.0, "triangulation", 2.0, NULL), 6, 1e-12);
    assert_area(make("disc", "rings", 100.0, NULL), PI * 0.25, 1e-3);
    assert_area(make("annulus", "angle", 90.0, "sectors", 300.0, NULL), PI * (0.25 - 0.0625) / 4, 1e-4);
    assert_area(make("cylinder", "sectors", 300.0, NULL), 2 * PI * 0.25, 1e-4);
    assert_volume(make("cylinder", "sectors", 300.0, "caps", 1.0, NULL), PI * 0.0625, 1e-3);
    assert_volume(make("sphere", "frequency", 60.0, NULL), 4.0 / 3 * PI * 0.125, 1e-3);
    assert_volume(make("torus", "sectors", 200.0, "sides", 200.0, NULL), 2 * PI * PI * 0.4 * 0.0225, 1e-3);
    assert_volume(make("bar", NULL), 0.04, 1e-12);
    assert_volume(make("slab", NULL), 0.05, 1e-12);
    assert_volume(make("bar", "solid", 1.0, NULL), 0.04, 1e-12);
    assert_volume(make("capsule", "rings", 60.0, NULL), PI * 0.01 * (0.5 + 4.0 / 3 * 0.1), 1e-3);
    /* Of a cone's frustum, the slant is the given length. */
    assert_area(make("skirt", "depth", 1.0, "columns", 300.0, NULL), PI * (0.137 + 0.42) * 0.6, 1e-3);
    /* By Pappus: the cross-section, a strip with round ends, times the path of its centroid; the bend is tiny. */
    double slant = hypot(0.4 - 0.3, 0.35), half = 0.012, strip = 2 * half * (0.25 + slant) + PI * half * half;
    double radius = (0.25 * 0.3 + slant * 0.35) / (0.25 + slant);
    assert_volume(make("funnel", "throat", 0.3, "fillet", 0.02, "sectors", 300.0, "sides", 400.0, NULL),
                  2 * PI * radius * strip, 2e-3);
}

static void closed_models_face_outwards(void **state) {
    (void)state;
    skip_when_sanitized();
    static const char *const closed[] = {"sphere", "torus", "pillow",    "bar", "slab", "capsule", "funnel",
                                         "bust",   "shoe",  "mannequin", "arm", "ball", "skull",   "head"};
    for (size_t i = 0; i < sizeof closed / sizeof *closed; i++) {
        assert_less_case(0, summary_of(standard_mesh(closed[i])).volume, "%s", closed[i]);
    }
}

static void flat_models_face_up_and_upright_ones_face_z(void **state) {
    (void)state;
    ruga_mesh *flat[] = {make("sheet", NULL), make("disc", NULL), make("annulus", NULL),
                         make("sheet", "triangulation", 2.0, NULL), make("sheet", "upright", 1.0, NULL)};
    for (size_t i = 0; i < sizeof flat / sizeof *flat; i++) {
        ruga_vec3 *normals = malloc(flat[i]->vertex_count * sizeof *normals);
        assert_ok(context, ruga_mesh_normals(flat[i], NULL, normals));
        for (size_t v = 0; v < flat[i]->vertex_count; v++)
            assert_less_case(1 - 1e-12, (i == 4 ? normals[v].z : normals[v].y), "i %zu, v %zu", i, v);
        free(normals);
        ruga_mesh_destroy(flat[i]);
    }
}

/* The UVs of every triangle have the orientation of the triangle and do not cross a seam. */
static void uvs_are_not_mirrored_and_do_not_cross_seams(void **state) {
    (void)state;
    skip_when_sanitized();
    for (size_t i = 0; i < ruga_model_count(); i++) {
        const ruga_mesh *mesh = standard_mesh(ruga_model_get(i)->name);
        const ruga_attribute *uv = ruga_mesh_attribute(mesh, "uv", RUGA_DOMAIN_CORNER);
        int by_corner = uv != NULL;
        if (!uv) uv = ruga_mesh_attribute(mesh, "uv", RUGA_DOMAIN_VERTEX);
        assert_non_null(uv);
        for (size_t t = 0; t < mesh->triangle_count; t++) {
            double u[3], v[3];
            for (size_t k = 0; k < 3; k++) {
                size_t element = by_corner ? mesh_triangle_corner(mesh, t, k) : mesh->triangles[3 * t + k];
                u[k] = ruga_attribute_get(uv, element, 0);
                v[k] = ruga_attribute_get(uv, element, 1);
            }
            double area = (u[1] - u[0]) * (v[2] - v[0]) - (u[2] - u[0]) * (v[1] - v[0]);
            assert_less_case(0, area, "%s, triangle %zu", ruga_model_get(i)->name, t);
            assert_less_case(fmax(fmax(fabs(u[1] - u[0]), fabs(u[2] - u[0])), fabs(u[2] - u[1])), 0.5, "i %zu, t %zu",
                             i, t);
        }
    }
}

/* By angles: those opposite an edge sum to at most 180 degrees. A regular sheet has six neighbours inside. */
static void an_irregular_sheet_is_delaunay_and_irregular(void **state) {
    (void)state;
    ruga_mesh *mesh = make("sheet", "triangulation", 2.0, "width", 2.0, NULL);
    topology *topo = NULL;
    assert_ok(context, topology_build(context, mesh->vertex_count, mesh->triangle_count, mesh->triangles, &topo));
    for (size_t p = 0; p < topo->pair_count; p++) {
        const uint32_t *v = topo->pairs + 4 * p;
        double sum = 0;
        for (int side = 2; side < 4; side++) {
            vec3 a = vec3_sub(mesh->positions[v[0]], mesh->positions[v[side]]);
            vec3 b = vec3_sub(mesh->positions[v[1]], mesh->positions[v[side]]);
            sum += atan2(vec3_length(vec3_cross(a, b)), vec3_dot(a, b));
        }
        assert_at_most_case(sum, PI + 1e-6, "p %zu", p);
    }
    size_t odd = 0;
    for (size_t v = 0; v < topo->vertex_count; v++) odd += topo->ring_offsets[v + 1] - topo->ring_offsets[v] != 6;
    assert_less(mesh->vertex_count / 3, odd);
    topology_destroy(topo);
    ruga_mesh_destroy(mesh);
}

static void seeds_differ_and_one_seed_repeats(void **state) {
    (void)state;
    ruga_mesh *a = make("sheet", "triangulation", 2.0, "seed", 5.0, NULL);
    ruga_mesh *b = make("sheet", "triangulation", 2.0, "seed", 5.0, NULL);
    ruga_mesh *c = make("sheet", "triangulation", 2.0, "seed", 6.0, NULL);
    size_t bytes = a->vertex_count * sizeof(ruga_vec3);
    assert_memory_equal(a->positions, b->positions, bytes);
    assert_memory_equal(a->triangles, b->triangles, 3 * a->triangle_count * sizeof(uint32_t));
    assert_memory_not_equal(a->positions, c->positions, bytes);
    ruga_mesh_destroy(a);
    ruga_mesh_destroy(b);
    ruga_mesh_destroy(c);
}

/* The surface is the boundary of the tets. */
static void a_solid_box_is_filled_and_has_the_same_surface(void **state) {
    (void)state;
    ruga_mesh *hollow = make("bar", "cells_across", 3.0, NULL);
    ruga_mesh *solid = make("bar", "cells_across", 3.0, "solid", 1.0, NULL);
    assert_int_equal(solid->tet_count, 6 * 20 * 3 * 3);
    assert_int_equal(hollow->tet_count, 0);
    assert_int_equal(solid->vertex_count, 21 * 4 * 4);
    assert_int_equal(solid->triangle_count, hollow->triangle_count);
    assert_relative(summary_of(solid).area, summary_of(hollow).area, 1e-12);
    assert_no_defects(solid, "solid bar");

    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){(void *)(uintptr_t)solid->positions, solid->vertex_count, 0, RUGA_F64};
    def.tet_count = solid->tet_count;
    def.tets = solid->tets;
    ruga_mesh *derived = NULL;
    assert_ok(context, ruga_mesh_create(context, &def, &derived));
    assert_int_equal(derived->triangle_count, solid->triangle_count);
    assert_relative(summary_of(derived).area, summary_of(solid).area, 1e-12);
    ruga_mesh_destroy(derived);
    ruga_mesh_destroy(hollow);
    ruga_mesh_destroy(solid);
}

static int is_sculpture(const char *name) {
    static const char *const names[] = {"bust", "shoe", "skull", "head"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0) return 1;
    return 0;
}

/* Tets around the middles of cells. */
static void a_body_centred_box_is_filled_and_has_the_same_surface(void **state) {
    (void)state;
    ruga_mesh *hollow = make("bar", "cells_across", 3.0, "cells", 5.0, NULL);
    ruga_mesh *solid = make("bar", "cells_across", 3.0, "cells", 5.0, "solid", 2.0, NULL);
    size_t cells = 5 * 3 * 3, sides = 2 * (5 * 3 + 5 * 3 + 3 * 3);
    assert_int_equal(solid->tet_count, 12 * cells);
    assert_int_equal(solid->vertex_count, 6 * 4 * 4 + cells);
    assert_int_equal(solid->triangle_count, 2 * sides);
    assert_relative(summary_of(solid).area, summary_of(hollow).area, 1e-12);
    assert_relative(summary_of(solid).volume, 1 * 0.2 * 0.2, 1e-12);
    assert_no_defects(solid, "body-centred bar");
    double sum = 0;
    for (size_t t = 0; t < solid->tet_count; t++) sum += mesh_tet_volume(solid, t);
    assert_relative(sum, 0.04, 1e-12);
    /* The surface is the boundary of the tets. */
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){(void *)(uintptr_t)solid->positions, solid->vertex_count, 0, RUGA_F64};
    def.tet_count = solid->tet_count;
    def.tets = solid->tets;
    ruga_mesh *derived = NULL;
    assert_ok(context, ruga_mesh_create(context, &def, &derived));
    assert_int_equal(derived->triangle_count, solid->triangle_count);
    assert_relative(summary_of(derived).area, summary_of(solid).area, 1e-12);
    ruga_mesh_destroy(derived);
    ruga_mesh_destroy(solid);
    ruga_mesh_destroy(hollow);
}

static void a_ball_of_tets_converges_to_the_sphere(void **state) {
    (void)state;
    double errors[2];
    for (int i = 0; i < 2; i++) {
        ruga_mesh *ball = make("ball", "radius", 2.0, "cells", i ? 24.0 : 12.0, NULL);
        double volume = 0;
        for (size_t t = 0; t < ball->tet_count; t++) {
            assert_less(0, mesh_tet_volume(ball, t));
            volume += mesh_tet_volume(ball, t);
        }
        for (size_t k = 0; k < 3 * ball->triangle_count; k++)
            assert_near(vec3_length(ball->positions[ball->triangles[k]]), 2, 1e-12);
        errors[i] = 1 - volume / (4 * PI * 8 / 3);
        assert_topology(ball, 2, 0, 0);
        ruga_mesh_destroy(ball);
    }
    assert_less(0, errors[1]);
    assert_less(errors[1], 0.01);
    assert_less(errors[1], 0.3 * errors[0]); /* theory: a quarter */
}

/* Every number of cells that the tables allow, one at a time and the others at their least. */
static void the_largest_numbers_that_are_allowed_are_made(void **state) {
    (void)state;
    skip_unless_long();
    size_t made = 0;
    for (size_t i = 0; i < ruga_model_count(); i++) {
        const ruga_section *info = ruga_model_get(i);
        for (size_t k = 0; k < info->field_count; k++) {
            const ruga_field *p = &info->fields[k];
            /* A full disc takes 25 million triangles, a full ball as many tets; the sculptures take long, and have
             * tests of their sizes. */
            int takes_long = !strcmp(info->name, "disc") || !strcmp(info->name, "ball") || is_sculpture(info->name);
            if (p->step != 1 || p->high < 10 || takes_long) continue;
            double values[16];
            for (size_t m = 0; m < info->field_count; m++)
                values[m] = info->fields[m].step == 1 ? info->fields[m].low : strtod(info->fields[m].preset, NULL);
            values[k] = p->high;
            ruga_mesh *mesh = NULL;
            assert_ok(context, ruga_model_make(context, info->name, values, &mesh));
            ruga_mesh_destroy(mesh);
            made++;
        }
    }
    assert_ran(made, 10);
}

static void wrong_parameters_are_named(void **state) {
    (void)state;
    assert_status(try_make("sheet", "width", -1.0, NULL), RUGA_ERROR_ARGUMENT);
    assert_message_has(context, "width is -1");
    assert_status(try_make("sheet", "rows", 2.5, NULL), RUGA_ERROR_ARGUMENT);
    assert_message_has(context, "whole number");
    assert_status(try_make("sheet", "rows", NAN, NULL), RUGA_ERROR_ARGUMENT);
    assert_status(try_make("sheet", "triangulation", 2.0, "quads", 1.0, NULL), RUGA_ERROR_ARGUMENT);
    assert_status(try_make("cylinder", "caps", 1.0, "quads", 1.0, NULL), RUGA_ERROR_ARGUMENT);
    assert_status(try_make("annulus", "inner", 1.0, NULL), RUGA_ERROR_ARGUMENT);
    assert_status(try_make("torus", "tube", 1.0, NULL), RUGA_ERROR_ARGUMENT);
    assert_status(try_make("skirt", "length", 0.2, NULL), RUGA_ERROR_ARGUMENT);
    assert_message_has(context, "difference of waist and hem");
    assert_status(try_make("funnel", "throat", 0.5, NULL), RUGA_ERROR_ARGUMENT);
    assert_status(try_make("funnel", "thickness", 0.2, NULL), RUGA_ERROR_ARGUMENT);
    assert_status(try_make("funnel", "tube", 0.001, NULL), RUGA_ERROR_ARGUMENT);
    assert_message_has(context, "fillet");
    assert_status(try_make("bar", "cells", 1024.0, "cells_across", 1024.0, NULL), RUGA_ERROR_ARGUMENT);
    ruga_mesh *mesh = NULL;
    assert_status(ruga_model_make(context, "cube", NULL, &mesh), RUGA_ERROR_ARGUMENT);
    assert_message_has(context, "cube");
}

/* Each model in the smallest size, so that there are few allocations. */
static ruga_status make_smallest(ruga_context *used, void *user) {
    const ruga_section *info = user;
    double values[16];
    for (size_t k = 0; k < info->field_count; k++) {
        const ruga_field *p = &info->fields[k];
        values[k] = p->step == 1 ? p->low : strtod(p->preset, NULL);
    }
    ruga_mesh *mesh = NULL;
    TRY(ruga_model_make(used, info->name, values, &mesh));
    ruga_mesh_destroy(mesh);
    return RUGA_OK;
}

static ruga_status make_special(ruga_context *used, void *user) {
    (void)user;
    static const double irregular[] = {1, 1, 3, 3, 2, 0, 0, 1};
    static const double closed[] = {1, 1, 3, 1, 1, 0};
    static const double solid[] = {1, 1, 1, 1, 1, 1};
    ruga_mesh *mesh = NULL;
    TRY(ruga_model_make(used, "sheet", irregular, &mesh));
    ruga_mesh_destroy(mesh);
    TRY(ruga_model_make(used, "cylinder", closed, &mesh));
    ruga_mesh_destroy(mesh);
    TRY(ruga_model_make(used, "bar", solid, &mesh));
    ruga_mesh_destroy(mesh);
    return RUGA_OK;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    size_t tried = 0;
    for (size_t i = 0; i < ruga_model_count(); i++) {
        const ruga_section *info = ruga_model_get(i);
        if (is_sculpture(info->name)) continue; /* in test_sculptures.c and test_head.c */
        assert_less_case(2, assert_every_allocation_may_fail(make_smallest, (void *)(uintptr_t)info), "%s", info->name);
        tried++;
    }
    assert_int_equal(tried, ruga_model_count() - 4);
    assert_less(2, assert_every_allocation_may_fail(make_special, NULL));
}

/* Along its width, then along its length; it stays in its plane and starts at rest. */
static void a_pressed_sheet_loses_parts_of_its_width_and_length(void **state) {
    (void)state;
    const double upright[] = {2, 1, 6, 4, 2, 0, 1, 7}, values[] = {0.1, 0.2, 0.5};
    ruga_mesh *mesh = NULL;
    ruga_motion *motion = NULL;
    ruga_vec3 found[35];
    assert_ok(context, ruga_model_make(context, "sheet", upright, &mesh));
    assert_int_equal(mesh->vertex_count, 35);
    assert_ok(context, ruga_model_motion(context, "sheet", upright, "press", values, &motion));
    assert_near(ruga_motion_get_info(motion).end, 1, 0);
    for (int k = 0; k <= 8; k++) {
        const double t = 0.125 * k, x = 1 - 0.1 * fmin(1, t / 0.5), y = 1 - 0.2 * fmax(0, (t - 0.5) / 0.5);
        assert_ok(context, ruga_motion_sample(motion, t, found));
        for (size_t v = 0; v < mesh->vertex_count; v++) {
            assert_near(found[v].x, x * mesh->positions[v].x, 1e-15);
            assert_near(found[v].y, y * mesh->positions[v].y, 1e-15);
            assert_equal(found[v].z, 0);
        }
    }
    ruga_motion_destroy(motion);
    ruga_mesh_destroy(mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_model_is_without_defects),
        cmocka_unit_test(models_of_the_least_size_are_without_defects),
        cmocka_unit_test(topology_is_that_of_the_shape),
        cmocka_unit_test(areas_and_volumes_are_those_of_theory),
        cmocka_unit_test(closed_models_face_outwards),
        cmocka_unit_test(flat_models_face_up_and_upright_ones_face_z),
        cmocka_unit_test(uvs_are_not_mirrored_and_do_not_cross_seams),
        cmocka_unit_test(an_irregular_sheet_is_delaunay_and_irregular),
        cmocka_unit_test(seeds_differ_and_one_seed_repeats),
        cmocka_unit_test(a_solid_box_is_filled_and_has_the_same_surface),
        cmocka_unit_test(a_body_centred_box_is_filled_and_has_the_same_surface),
        cmocka_unit_test(a_ball_of_tets_converges_to_the_sphere),
        cmocka_unit_test(the_largest_numbers_that_are_allowed_are_made),
        cmocka_unit_test(wrong_parameters_are_named),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(a_pressed_sheet_loses_parts_of_its_width_and_length),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
