#include <math.h>
#include <stdio.h>

#include "geom/geodesic.h"
#include "math/vec3.h"
#include "support/shapes.h"

/* A surface with its topology and geodesics. */
typedef struct terrain {
    ruga_context *context;
    ruga_mesh *mesh;
    ruga_vec3 *positions;
    topology *topo;
    geodesic *geodesics;
    double *distances, *parameters;
} terrain;

static void terrain_make(terrain *t, ruga_context *context, ruga_mesh *mesh, const ruga_vec3 *positions) {
    *t = (terrain){.context = context, .mesh = mesh};
    t->positions = malloc(mesh->vertex_count * sizeof *t->positions);
    memcpy(t->positions, positions, mesh->vertex_count * sizeof *t->positions);
    t->distances = malloc(mesh->vertex_count * sizeof(double));
    t->parameters = malloc(mesh->vertex_count * sizeof(double));
    assert_ok(context, topology_build(context, mesh->vertex_count, mesh->triangle_count, mesh->triangles, &t->topo));
    assert_ok(context, geodesic_create(context, t->topo, mesh->triangles, t->positions, &t->geodesics));
}

static void terrain_release(terrain *t) {
    geodesic_destroy(t->geodesics);
    topology_destroy(t->topo);
    ruga_mesh_destroy(t->mesh);
    free(t->positions);
    free(t->distances);
    free(t->parameters);
}

/* An irregular sheet of 1 m by 1 m with about this many vertices a side, stretched along x. */
static void make_sheet(terrain *t, ruga_context *context, double side, double stretch) {
    const ruga_section *section = ruga_model_find("sheet");
    double values[32];
    for (size_t i = 0; i < section->field_count; i++) {
        const char *name = section->fields[i].name;
        values[i] = strcmp(name, "rows") == 0 || strcmp(name, "columns") == 0 ? side
                    : strcmp(name, "triangulation") == 0                      ? 2
                                                                              : atof(section->fields[i].preset);
    }
    ruga_mesh *mesh;
    assert_ok(context, ruga_model_make(context, "sheet", values, &mesh));
    ruga_vec3 *positions = malloc(mesh->vertex_count * sizeof *positions);
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        positions[i] = mesh->positions[i];
        positions[i].x *= stretch;
    }
    terrain_make(t, context, mesh, positions);
    free(positions);
}

/* The vertices of a walk over the sheet along its edges, from the vertex nearest to `from` to that nearest to `to`. */
static uint32_t nearest_vertex(const terrain *t, ruga_vec3 to) {
    uint32_t best = 0;
    for (uint32_t i = 1; i < t->mesh->vertex_count; i++)
        if (vec3_distance(t->positions[i], to) < vec3_distance(t->positions[best], to)) best = i;
    return best;
}

static size_t walk(const terrain *t, ruga_vec3 from, ruga_vec3 to, uint32_t *vertices, double *parameters) {
    uint32_t at = nearest_vertex(t, from), end = nearest_vertex(t, to);
    size_t count = 0;
    vertices[count] = at;
    parameters[count++] = 0;
    while (at != end) {
        uint32_t best = at;
        for (uint32_t e = t->topo->ring_offsets[at]; e < t->topo->ring_offsets[at + 1]; e++) {
            uint32_t next = t->topo->ring_vertices[e];
            if (vec3_distance(t->positions[next], t->positions[end]) <
                vec3_distance(t->positions[best], t->positions[end]))
                best = next;
        }
        parameters[count] = parameters[count - 1] + vec3_distance(t->positions[at], t->positions[best]);
        vertices[count++] = at = best;
    }
    return count;
}

/* The distance of a point to a walk in the plane, and the parameter of the nearest place. */
static double plane_distance(const terrain *t, const geodesic_sources *s, ruga_vec3 point, double *parameter) {
    double best = INFINITY;
    for (size_t i = 0; i + 1 < s->count; i++) {
        ruga_vec3 a = t->positions[s->vertices[i]], edge = vec3_sub(t->positions[s->vertices[i + 1]], a);
        double f = fmin(1, fmax(0, vec3_dot(vec3_sub(point, a), edge) / vec3_length2(edge)));
        double distance = vec3_distance(point, vec3_add_scaled(a, edge, f));
        if (distance >= best) continue;
        best = distance;
        *parameter = s->parameters[i] + f * (s->parameters[i + 1] - s->parameters[i]);
    }
    return best;
}

/* ---- Against exact distances. */

static void on_a_plane(double stretch, double mean_bound, double greatest_bound) {
    ruga_context *context = context_plain(1);
    terrain t;
    make_sheet(&t, context, 60, stretch);
    uint32_t vertices[400];
    double parameters[400];
    size_t count =
        walk(&t, (ruga_vec3){-0.3 * stretch, 0, -0.2}, (ruga_vec3){0.2 * stretch, 0, 0.3}, vertices, parameters);
    geodesic_sources sources = {count, vertices, parameters, NULL, 0, NULL};
    geodesic_distances(t.geodesics, &sources, INFINITY, t.distances, t.parameters, NULL, NULL);
    double sum = 0, greatest = 0, exact_sum = 0;
    size_t far_parameters = 0;
    for (size_t v = 0; v < t.mesh->vertex_count; v++) {
        double parameter = 0, exact = plane_distance(&t, &sources, t.positions[v], &parameter);
        sum += fabs(t.distances[v] - exact);
        exact_sum += exact;
        greatest = fmax(greatest, fabs(t.distances[v] - exact));
        far_parameters += fabs(t.parameters[v] - parameter) > 0.1 * stretch;
    }
    print_message("plane, stretched by %g: mean error %.3g of the mean, greatest %.3g m, %zu far parameters of %zu\n",
                  stretch, sum / exact_sum, greatest, far_parameters, t.mesh->vertex_count);
    assert_less(sum / exact_sum, mean_bound);
    assert_less(greatest, greatest_bound);
    assert_less((double)far_parameters, 0.03 * (double)t.mesh->vertex_count);
    terrain_release(&t);
    ruga_context_destroy(context);
}

static void distances_to_a_curve_in_a_plane_are_exact_to_half_a_percent(void **state) {
    (void)state;
    on_a_plane(1, 0.005, 0.02);
}

/* A straight line through no vertex, from the exact distances of the vertices within 0.02 m. */
static void distances_given_near_a_line_are_continued(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    terrain t;
    make_sheet(&t, context, 60, 1);
    size_t n = t.mesh->vertex_count, count = 0;
    uint32_t *vertices = malloc(n * sizeof *vertices);
    double *parameters = malloc(n * sizeof *parameters), *distances = malloc(n * sizeof *distances);
    const ruga_vec3 across = {-0.6, 0, 0.8}, along = {0.8, 0, 0.6};
    for (uint32_t v = 0; v < n; v++) {
        double distance = fabs(vec3_dot(across, t.positions[v]));
        if (distance > 0.02) continue;
        vertices[count] = v;
        parameters[count] = vec3_dot(along, t.positions[v]);
        distances[count++] = distance;
    }
    geodesic_sources sources = {count, vertices, parameters, NULL, 0, distances};
    double worst = 0, worst_parameter = 0;
    size_t near_line = 0;
    geodesic_distances(t.geodesics, &sources, INFINITY, t.distances, t.parameters, NULL, NULL);
    for (size_t v = 0; v < n; v++) {
        double place = vec3_dot(along, t.positions[v]);
        if (fabs(place) > 0.3 || fabs(vec3_dot(across, t.positions[v])) > 0.3) continue;
        worst = fmax(worst, fabs(t.distances[v] - fabs(vec3_dot(across, t.positions[v]))));
        worst_parameter = fmax(worst_parameter, fabs(t.parameters[v] - place));
        near_line++;
    }
    assert_ran(near_line, 100);
    print_message("given distances: worst %.3g m, parameters %.3g m\n", worst, worst_parameter);
    assert_less(worst, 0.005);
    assert_less(worst_parameter, 0.02);
    free(vertices);
    free(parameters);
    free(distances);
    terrain_release(&t);
    ruga_context_destroy(context);
}

/* Triangles with obtuse angles everywhere. */
static void obtuse_triangles_are_unfolded(void **state) {
    (void)state;
    on_a_plane(4, 0.006, 0.04);
}

static void distances_to_a_point_of_a_sphere_are_angles(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh;
    assert_ok(context, ruga_model_make(context, "sphere", NULL, &mesh));
    terrain t;
    terrain_make(&t, context, mesh, mesh->positions);
    double radius = vec3_length(mesh->positions[0]), zero = 0, sum = 0, exact_sum = 0;
    uint32_t pole = 0;
    geodesic_sources sources = {1, &pole, &zero, NULL, 0, NULL};
    geodesic_distances(t.geodesics, &sources, INFINITY, t.distances, NULL, NULL, NULL);
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        ruga_vec3 a = mesh->positions[0], b = mesh->positions[v];
        double exact = radius * atan2(vec3_length(vec3_cross(a, b)), vec3_dot(a, b));
        sum += fabs(t.distances[v] - exact);
        exact_sum += exact;
    }
    print_message("sphere of %zu vertices: mean error %.3g\n", mesh->vertex_count, sum / exact_sum);
    assert_less(sum / exact_sum, 0.01);
    terrain_release(&t);
    ruga_context_destroy(context);
}

/* ---- A rough surface, against shortest paths through many points on every edge. */

enum { STEINER = 24 };

/* The position of a node: the vertices, then STEINER points on each edge. */
static ruga_vec3 node_at(const terrain *t, size_t node) {
    if (node < t->mesh->vertex_count) return t->positions[node];
    size_t edge = (node - t->mesh->vertex_count) / STEINER, k = (node - t->mesh->vertex_count) % STEINER;
    const uint32_t *ends = t->topo->edge_vertices + 2 * edge;
    return vec3_mix(t->positions[ends[0]], t->positions[ends[1]], (double)(k + 1) / (STEINER + 1));
}

static size_t triangle_nodes(const terrain *t, size_t triangle, size_t *nodes) {
    size_t count = 0;
    for (size_t k = 0; k < 3; k++) {
        nodes[count++] = t->mesh->triangles[3 * triangle + k];
        for (size_t i = 0; i < STEINER; i++)
            nodes[count++] = t->mesh->vertex_count + (size_t)t->topo->triangle_edges[3 * triangle + k] * STEINER + i;
    }
    return count;
}

/* Label correcting: over all triangles until nothing changes. */
static void steiner_distances(const terrain *t, uint32_t source, double *distances) {
    size_t count = t->mesh->vertex_count + t->topo->edge_count * STEINER;
    for (size_t i = 0; i < count; i++) distances[i] = INFINITY;
    distances[source] = 0;
    uint8_t *stirred = malloc(t->mesh->triangle_count);
    memset(stirred, 1, t->mesh->triangle_count);
    for (int changed = 1; changed;) {
        changed = 0;
        for (size_t triangle = 0; triangle < t->mesh->triangle_count; triangle++) {
            if (!stirred[triangle]) continue;
            stirred[triangle] = 0;
            size_t nodes[3 * (STEINER + 1)], n = triangle_nodes(t, triangle, nodes);
            ruga_vec3 at[3 * (STEINER + 1)];
            int moved = 0;
            for (size_t i = 0; i < n; i++) at[i] = node_at(t, nodes[i]);
            for (size_t i = 0; i < n; i++)
                for (size_t j = 0; j < n; j++) {
                    double offered = distances[nodes[i]] + vec3_distance(at[i], at[j]);
                    if (!(offered < distances[nodes[j]] - 1e-12)) continue;
                    distances[nodes[j]] = offered;
                    moved = 1;
                }
            if (!moved) continue;
            changed = 1;
            for (size_t k = 0; k < 3; k++) {
                uint32_t v = t->mesh->triangles[3 * triangle + k];
                for (uint32_t f = t->topo->fan_offsets[v]; f < t->topo->fan_offsets[v + 1]; f++)
                    stirred[t->topo->fan_triangles[f]] = 1;
            }
        }
    }
    free(stirred);
}

/* Distances along edges only, as the front of Wang et al. 2006, appendix, has them. */
static double *edge_distances(const terrain *t, uint32_t source) {
    double *along = malloc(t->mesh->vertex_count * sizeof *along);
    for (size_t v = 0; v < t->mesh->vertex_count; v++) along[v] = v == source ? 0 : INFINITY;
    for (int changed = 1; changed;) {
        changed = 0;
        for (size_t e = 0; e < 2 * t->topo->edge_count; e++) {
            const uint32_t *ends = t->topo->edge_vertices + 2 * (e / 2);
            uint32_t from = ends[e % 2], to = ends[1 - e % 2];
            double offered = along[from] + vec3_distance(t->positions[from], t->positions[to]);
            if (!(offered < along[to])) continue;
            along[to] = offered;
            changed = 1;
        }
    }
    return along;
}

static void on_a_rough_surface_errors_stay_small(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    terrain flat, t;
    make_sheet(&flat, context, 14, 1);
    test_random random = {5};
    for (size_t i = 0; i < flat.mesh->vertex_count; i++) flat.positions[i].y = random_between(&random, -0.03, 0.03);
    ruga_mesh *mesh;
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){flat.positions, flat.mesh->vertex_count, 0, RUGA_F64};
    def.face_count = flat.mesh->triangle_count;
    def.face_vertices = flat.mesh->triangles;
    assert_ok(context, ruga_mesh_create(context, &def, &mesh));
    terrain_make(&t, context, mesh, mesh->positions);
    uint32_t source = nearest_vertex(&t, (ruga_vec3){0.1, 0, 0.2});
    double zero = 0, *exact = malloc((mesh->vertex_count + t.topo->edge_count * STEINER) * sizeof *exact);
    geodesic_sources sources = {1, &source, &zero, NULL, 0, NULL};
    steiner_distances(&t, source, exact);
    double error = 0, edge_error = 0, sum = 0, *along = edge_distances(&t, source);
    geodesic_distances(t.geodesics, &sources, INFINITY, t.distances, NULL, NULL, NULL);
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        sum += exact[v];
        error += fabs(t.distances[v] - exact[v]);
        edge_error += fabs(along[v] - exact[v]);
        assert_less_case(exact[v] - 1e-3, along[v], "v %zu", v);
    }
    print_message("rough surface: mean error %.3g by marching, %.3g along edges\n", error / sum, edge_error / sum);
    assert_less(error, 0.01 * sum);
    assert_less(error, 0.25 * edge_error);
    free(along);
    free(exact);
    terrain_release(&flat);
    terrain_release(&t);
    ruga_context_destroy(context);
}

/* ---- The rest of the contract. */

static void a_limit_gives_the_same_distances_up_to_it(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    terrain t;
    make_sheet(&t, context, 30, 1);
    uint32_t source = 17;
    double zero = 0, *whole = malloc(t.mesh->vertex_count * sizeof *whole);
    geodesic_sources sources = {1, &source, &zero, NULL, 0, NULL};
    const uint32_t *reached;
    size_t reached_count, within = 0;
    geodesic_distances(t.geodesics, &sources, INFINITY, whole, NULL, NULL, NULL);
    geodesic_distances(t.geodesics, &sources, 0.4, t.distances, t.parameters, &reached, &reached_count);
    for (size_t v = 0; v < t.mesh->vertex_count; v++) {
        assert_equal_case(t.distances[v], whole[v] <= 0.4 ? whole[v] : INFINITY, "v %zu", v);
        assert_int_equal(isnan(t.parameters[v]) != 0, isinf(t.distances[v]) != 0);
        within += whole[v] <= 0.4;
    }
    assert_less(10, within);
    assert_less(within, t.mesh->vertex_count);
    assert_int_equal(reached_count, within);
    for (size_t i = 0; i < reached_count; i++) assert_at_most_case(t.distances[reached[i]], 0.4, "i %zu", i);
    free(whole);
    terrain_release(&t);
    ruga_context_destroy(context);
}

static void other_pieces_are_out_of_reach(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    const ruga_vec3 positions[] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {5, 0, 0}, {6, 0, 0}, {5, 0, 1}};
    const uint32_t faces[] = {0, 2, 1, 3, 5, 4};
    terrain t;
    terrain_make(&t, context, shape_make(context, 6, positions, 2, NULL, faces), positions);
    uint32_t source = 1;
    double zero = 0;
    geodesic_sources sources = {1, &source, &zero, NULL, 0, NULL};
    geodesic_distances(t.geodesics, &sources, INFINITY, t.distances, NULL, NULL, NULL);
    assert_near(t.distances[0], 1, 1e-6);
    assert_near(t.distances[2], sqrt(2), 1e-6);
    for (size_t v = 3; v < 6; v++) assert_true(isinf(t.distances[v]));
    terrain_release(&t);
    ruga_context_destroy(context);
}

/* Two sources joined by an edge of the mesh, but not by the curve: the middle of the edge is no source. */
static void the_edge_across_a_break_is_no_source(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    const ruga_vec3 positions[] = {{0, 0, 0}, {1, 0, 0}, {0.5, 0, 1}};
    const uint32_t faces[] = {0, 2, 1}, vertices[] = {0, 1};
    terrain t;
    terrain_make(&t, context, shape_make(context, 3, positions, 1, NULL, faces), positions);
    const double parameters[] = {0, 1};
    const uint8_t breaks[] = {1, 1};
    geodesic_sources sources = {2, vertices, parameters, NULL, 0, NULL};
    geodesic_distances(t.geodesics, &sources, INFINITY, t.distances, t.parameters, NULL, NULL);
    assert_near(t.distances[2], 1, 1e-6);
    assert_near(t.parameters[2], 0.5, 1e-6);
    sources.breaks = breaks;
    geodesic_distances(t.geodesics, &sources, INFINITY, t.distances, t.parameters, NULL, NULL);
    assert_near(t.distances[2], sqrt(1.25), 1e-6);
    terrain_release(&t);
    ruga_context_destroy(context);
}

/* Around a closed curve the parameter continues from its end to its start. */
static void parameters_wrap_around_closed_curves(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    terrain t;
    ruga_mesh *mesh = shape_cylinder(context, 32, 8);
    terrain_make(&t, context, mesh, mesh->positions);
    uint32_t vertices[32];
    double parameters[32], step = vec3_distance(mesh->positions[0], mesh->positions[1]);
    for (uint32_t i = 0; i < 32; i++) {
        vertices[i] = i;
        parameters[i] = step * i;
    }
    geodesic_sources sources = {32, vertices, parameters, NULL, 32 * step, NULL};
    geodesic_distances(t.geodesics, &sources, INFINITY, t.distances, t.parameters, NULL, NULL);
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        double height = fabs(mesh->positions[v].y - mesh->positions[0].y);
        double away = remainder(t.parameters[v] - parameters[v % 32], sources.period);
        assert_near_case(t.distances[v], height, 1e-5, "v %zu", v);
        assert_near_case(away, 0, 1e-4, "v %zu", v);
        assert_at_most_case(0, t.parameters[v], "v %zu", v);
        assert_at_most_case(t.parameters[v], sources.period, "v %zu", v);
    }
    terrain_release(&t);
    ruga_context_destroy(context);
}

/* A cylinder with a brick pattern, and a closed curve around its foot: the edge between its last and first vertex is a
 * source. */
static void the_last_edge_of_a_closed_curve_is_a_source(void **state) {
    (void)state;
    enum { AROUND = 24, ROWS = 6 };
    ruga_context *context = context_plain(1);
    ruga_vec3 positions[AROUND * ROWS];
    uint32_t faces[6 * AROUND * (ROWS - 1)], vertices[AROUND], count = 0;
    double parameters[AROUND], step = 2 * sin(acos(-1) / AROUND), period = AROUND * step;
    for (uint32_t row = 0; row < ROWS; row++)
        for (uint32_t i = 0; i < AROUND; i++) {
            /* From the 24-gon through the middles of its sides and back, on one prism. */
            double turn = 2 * acos(-1) * i / AROUND, next = 2 * acos(-1) * (i + 1) / AROUND, part = row % 2 ? 0.5 : 0;
            positions[row * AROUND + i] = (ruga_vec3){(1 - part) * cos(turn) + part * cos(next), 0.2 * row,
                                                      (1 - part) * sin(turn) + part * sin(next)};
        }
    for (uint32_t row = 0; row + 1 < ROWS; row++)
        for (uint32_t i = 0; i < AROUND; i++) {
            uint32_t a = row * AROUND + i, b = row * AROUND + (i + 1) % AROUND, above = AROUND;
            const uint32_t even[6] = {a, a + above, b, b, a + above, b + above};
            const uint32_t odd[6] = {a, a + above, b + above, a, b + above, b};
            memcpy(faces + count, row % 2 ? odd : even, sizeof even);
            count += 6;
        }
    /* The curve starts at an arbitrary vertex. */
    for (uint32_t i = 0; i < AROUND; i++) {
        vertices[i] = (i + 5) % AROUND;
        parameters[i] = step * i;
    }
    terrain t;
    terrain_make(&t, context, shape_make(context, AROUND * ROWS, positions, count / 3, NULL, faces), positions);
    geodesic_sources sources = {AROUND, vertices, parameters, NULL, period, NULL};
    geodesic_distances(t.geodesics, &sources, INFINITY, t.distances, t.parameters, NULL, NULL);
    /* The triangles of odd rows bridge the prism's edges from side to side: 0.1 % shorter or longer. */
    for (uint32_t v = 0; v < AROUND * ROWS; v++) {
        double place = step * ((double)((v % AROUND + AROUND - 5) % AROUND) + (v / AROUND % 2 ? 0.5 : 0));
        assert_near_case(t.distances[v], positions[v].y, 2e-3, "v %u", v);
        assert_near_case(remainder(t.parameters[v] - place, period), 0, 0.02 * step, "v %u, beside %g m", v, place);
        assert_at_most_case(0, t.parameters[v], "v %u", v);
        assert_less_case(t.parameters[v], period, "v %u", v);
    }
    terrain_release(&t);
    ruga_context_destroy(context);
}

/* Between the arms of a U the nearest place is on one of them, never in between. */
static void parameters_of_different_parts_are_not_mixed(void **state) {
    (void)state;
    enum { N = 20 };
    ruga_context *context = context_plain(1);
    terrain t;
    ruga_mesh *mesh = shape_sheet(context, N, N);
    terrain_make(&t, context, mesh, mesh->positions);
    uint32_t vertices[3 * N + 1];
    double parameters[3 * N + 1];
    for (uint32_t i = 0; i <= 3 * N; i++) {
        uint32_t x = i < N ? 0 : i > 2 * N ? N : i - N, z = i < N ? N - i : i > 2 * N ? i - 2 * N : 0;
        vertices[i] = z * (N + 1) + x;
        parameters[i] = (double)i / N;
    }
    geodesic_sources sources = {3 * N + 1, vertices, parameters, NULL, 0, NULL};
    geodesic_distances(t.geodesics, &sources, INFINITY, t.distances, t.parameters, NULL, NULL);
    size_t beyond = 0;
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        double x = mesh->positions[v].x, z = fabs(mesh->positions[v].z);
        if (z < 0.6) continue;
        double left = fabs(t.parameters[v] - (1 - z)), right = fabs(t.parameters[v] - (2 + z));
        /* In the middle, either side will do. */
        double off = x < 0.5 - 1e-9 ? left : x > 0.5 + 1e-9 ? right : fmin(left, right);
        assert_less_case(off, 0.03, "v %u", v);
        beyond++;
    }
    assert_ran(beyond, 100);
    terrain_release(&t);
    ruga_context_destroy(context);
}

/* Triangles so slanted that a front reaches most corners before both ends of the opposite edge. */
static void slanted_triangles_are_unfolded(void **state) {
    (void)state;
    enum { N = 30 };
    ruga_context *context = context_plain(1);
    terrain t;
    ruga_mesh *mesh = shape_sheet(context, N, N);
    ruga_vec3 *slanted = malloc(mesh->vertex_count * sizeof *slanted);
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        slanted[v] = mesh->positions[v];
        slanted[v].x += 2 * slanted[v].z;
    }
    terrain_make(&t, context, mesh, slanted);
    uint32_t source = (N / 2) * (N + 1) + N / 2;
    double zero = 0, sum = 0, exact_sum = 0;
    geodesic_sources sources = {1, &source, &zero, NULL, 0, NULL};
    geodesic_distances(t.geodesics, &sources, INFINITY, t.distances, NULL, NULL, NULL);
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        double exact = vec3_distance(slanted[v], slanted[source]);
        sum += fabs(t.distances[v] - exact);
        exact_sum += exact;
    }
    print_message("slanted: mean error %.3g\n", sum / exact_sum);
    assert_less(sum / exact_sum, 0.004);
    free(slanted);
    terrain_release(&t);
    ruga_context_destroy(context);
}

/* More triangles at a vertex than rings are chained for. */
static void a_vertex_may_have_any_number_of_triangles(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    terrain t;
    ruga_mesh *mesh = shape_disc(context, 200);
    terrain_make(&t, context, mesh, mesh->positions);
    double zero = 0;
    for (uint32_t source = 0; source < 2; source++) {
        geodesic_sources sources = {1, &source, &zero, NULL, 0, NULL};
        geodesic_distances(t.geodesics, &sources, INFINITY, t.distances, NULL, NULL, NULL);
        for (size_t v = 0; v < mesh->vertex_count; v++) {
            double exact = vec3_distance(mesh->positions[v], mesh->positions[source]);
            assert_less_case(exact - 1e-6, t.distances[v], "source %u, v %zu", source, v);
            assert_less_case(t.distances[v], 1.6 * exact + 1e-6, "source %u, v %zu", source, v);
        }
    }
    terrain_release(&t);
    ruga_context_destroy(context);
}

static void degenerate_triangles_do_no_harm(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    const ruga_vec3 positions[] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {1, 0, 0}, {1, 0, 1}};
    const uint32_t faces[] = {0, 1, 2, 1, 3, 4, 0, 4, 1, 1, 4, 2};
    terrain t;
    terrain_make(&t, context, shape_make(context, 5, positions, 4, NULL, faces), positions);
    uint32_t source = 0;
    double zero = 0;
    geodesic_sources sources = {1, &source, &zero, NULL, 0, NULL};
    geodesic_distances(t.geodesics, &sources, INFINITY, t.distances, NULL, NULL, NULL);
    assert_near(t.distances[2], 2, 1e-6);
    assert_near(t.distances[4], sqrt(2), 1e-6);
    terrain_release(&t);
    ruga_context_destroy(context);
}

static void distances_allocate_nothing(void **state) {
    (void)state;
    counting_allocator counter = {.fail_at = -1};
    ruga_context *context = context_counting(&counter);
    terrain t;
    make_sheet(&t, context, 12, 1);
    long before = counter.allocations;
    uint32_t source = 3;
    double zero = 0;
    geodesic_sources sources = {1, &source, &zero, NULL, 0, NULL};
    geodesic_distances(t.geodesics, &sources, INFINITY, t.distances, NULL, NULL, NULL);
    assert_int_equal(counter.allocations, before);
    terrain_release(&t);
    ruga_context_destroy(context);
}

static ruga_status make_one(ruga_context *context, void *user) {
    const terrain *t = user;
    geodesic *g;
    TRY(geodesic_create(context, t->topo, t->mesh->triangles, t->positions, &g));
    geodesic_destroy(g);
    return RUGA_OK;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    terrain t;
    make_sheet(&t, context, 8, 3);
    assert_at_most(7, assert_every_allocation_may_fail(make_one, &t));
    geodesic_destroy(NULL);
    terrain_release(&t);
    ruga_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_to_a_curve_in_a_plane_are_exact_to_half_a_percent),
        cmocka_unit_test(distances_given_near_a_line_are_continued),
        cmocka_unit_test(obtuse_triangles_are_unfolded),
        cmocka_unit_test(distances_to_a_point_of_a_sphere_are_angles),
        cmocka_unit_test(on_a_rough_surface_errors_stay_small),
        cmocka_unit_test(a_limit_gives_the_same_distances_up_to_it),
        cmocka_unit_test(other_pieces_are_out_of_reach),
        cmocka_unit_test(the_edge_across_a_break_is_no_source),
        cmocka_unit_test(parameters_wrap_around_closed_curves),
        cmocka_unit_test(the_last_edge_of_a_closed_curve_is_a_source),
        cmocka_unit_test(parameters_of_different_parts_are_not_mixed),
        cmocka_unit_test(slanted_triangles_are_unfolded),
        cmocka_unit_test(a_vertex_may_have_any_number_of_triangles),
        cmocka_unit_test(degenerate_triangles_do_no_harm),
        cmocka_unit_test(distances_allocate_nothing),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
