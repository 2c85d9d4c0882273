/* Springs from meshes; the header derives them. */
#include "energy/spring_mesh.h"

#include <math.h>

#include "mesh/mesh.h"
#include "mesh/topology.h"

typedef ARRAY(spring) spring_array;
typedef ARRAY(axial_spring) axial_array;

typedef struct builder {
    ruga_context *context;
    const ruga_mesh *mesh;
    const spring_material *material;
    topology *topo;
    spring_array springs;
    axial_array axial;
} builder;

/* Energy of a fold by 90 degrees, over that of a spring across it: θ² / (1 - cos(θ / 2))². */
static double right_angle_factor(void) {
    const double angle = 1.57079632679489661923, shortening = 1 - sqrt(0.5);
    return angle * angle / (shortening * shortening);
}

static vec3 at(const builder *b, uint32_t vertex) { return b->mesh->positions[vertex]; }

static ruga_status add_spring(builder *b, spring_kind kind, uint32_t from, uint32_t to, double stiffness) {
    TRY(ARRAY_RESERVE(b->context, &b->springs, 1));
    double length = vec3_distance(at(b, from), at(b, to));
    b->springs.items[b->springs.count++] =
        (spring){from, to, kind, length, stiffness, b->material->damping_time * stiffness};
    return RUGA_OK;
}

/* ---- Checks. */

static ruga_status check_material(ruga_context *context, const spring_material *m) {
    const struct {
        const char *name, *unit;
        double value;
        int zero_allowed;
    } properties[] = {{"stretch", "N/m", m->stretch, 0}, {"shear", "N/m", m->shear, !m->quads},
                      {"bend", "N m", m->bend, 1},       {"damping_time", "s", m->damping_time, 1},
                      {"strain limit", "", m->limit, 1}, {"stiffness beyond the strain limit", "N/m", m->hard, 1}};
    for (size_t k = 0; k < sizeof properties / sizeof properties[0]; k++) {
        double value = properties[k].value;
        if (!(value >= 0) || !isfinite(value) || (value == 0 && !properties[k].zero_allowed))
            return fail_with(context, RUGA_ERROR_INPUT, "the material's %s is %g %s; it must be %s", properties[k].name,
                             value, properties[k].unit,
                             properties[k].zero_allowed ? "finite and not negative" : "finite and positive");
    }
    return RUGA_OK;
}

static double share_of(const builder *b, size_t triangle) {
    return b->material->shares ? b->material->shares[triangle] : 1;
}

/* Of two triangles, weighted by their areas. */
static double mean_share(const builder *b, size_t first, size_t second) {
    if (!b->material->shares) return 1;
    double p = mesh_triangle_area(b->mesh, first), q = mesh_triangle_area(b->mesh, second);
    return (p * share_of(b, first) + q * share_of(b, second)) / (p + q);
}

static ruga_status check_mesh(const builder *b) {
    const ruga_mesh *mesh = b->mesh;
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        if (!vec3_is_finite(mesh->positions[v]))
            return fail_with(b->context, RUGA_ERROR_INPUT, "vertex %zu of the cloth is not finite", v);
        /* Inside a solid, vertices have the mass of tets. */
        if (mesh->tet_count == 0 && b->topo->fan_offsets[v] == b->topo->fan_offsets[v + 1])
            return fail_with(
                b->context, RUGA_ERROR_INPUT,
                "vertex %zu is in no triangle, so it would have no mass; remove such vertices from the cloth", v);
    }
    for (size_t t = 0; t < mesh->triangle_count; t++)
        if (!(mesh_triangle_area(mesh, t) > 0))
            return fail_with(b->context, RUGA_ERROR_INPUT,
                             "triangle %zu (vertices %u, %u, %u) has no area; cloth needs triangles with an area", t,
                             mesh->triangles[3 * t], mesh->triangles[3 * t + 1], mesh->triangles[3 * t + 2]);
    for (size_t t = 0; t < mesh->triangle_count; t++)
        if (!(share_of(b, t) > 0) || !isfinite(share_of(b, t)))
            return fail_with(b->context, RUGA_ERROR_INPUT,
                             "triangle %zu has a share of %g of the material; it must be positive and finite", t,
                             share_of(b, t));
    return RUGA_OK;
}

/* ---- Faces: quads only where the material wants them. */

static size_t face_size(const builder *b, size_t face) {
    return b->material->quads && b->mesh->face_offsets ? b->mesh->face_offsets[face + 1] - b->mesh->face_offsets[face]
                                                       : 3;
}

static int triangle_is_of_quad(const builder *b, size_t triangle) {
    return face_size(b, mesh_triangle_face(b->mesh, triangle)) == 4;
}

static const uint32_t *quad_of(const builder *b, size_t triangle) {
    return b->mesh->face_vertices + b->mesh->face_offsets[mesh_triangle_face(b->mesh, triangle)];
}

static double quad_area(const builder *b, const uint32_t *quad) {
    vec3 d = vec3_sub(at(b, quad[2]), at(b, quad[0])), e = vec3_sub(at(b, quad[3]), at(b, quad[1]));
    return vec3_length(vec3_cross(d, e)) / 2;
}

/* ---- Stretch and shear. */

static double length2(const builder *b, uint32_t from, uint32_t to) {
    return vec3_length2(vec3_sub(at(b, to), at(b, from)));
}

static void stretch_triangle(const builder *b, size_t t, double *edge_stiffness) {
    const uint32_t *corners = b->mesh->triangles + 3 * t;
    double strength = b->material->stretch * mesh_triangle_area(b->mesh, t) * share_of(b, t);
    for (size_t k = 0; k < 3; k++)
        edge_stiffness[b->topo->triangle_edges[3 * t + k]] += strength / length2(b, corners[k], corners[(k + 1) % 3]);
}

/* The diagonal that the quad was cut along is an edge of the triangles; the other is a spring of its own. */
static ruga_status stretch_quad(builder *b, size_t triangle, double *edge_stiffness) {
    const uint32_t *quad = quad_of(b, triangle);
    double share = mean_share(b, triangle, triangle + 1), area = quad_area(b, quad);
    double strength = b->material->stretch * area / 2 * share;
    for (int k = 0; k < 4; k++) {
        uint32_t from = quad[k], to = quad[(k + 1) % 4];
        edge_stiffness[topology_find_edge(b->topo, from, to)] += strength / length2(b, from, to);
    }
    for (int k = 0; k < 2; k++) {
        uint32_t edge = topology_find_edge(b->topo, quad[k], quad[k + 2]);
        double stiffness = b->material->shear * length2(b, quad[k], quad[k + 2]) / (2 * area) * share;
        if (edge != NO_INDEX)
            edge_stiffness[edge] += stiffness;
        else
            TRY(add_spring(b, SPRING_EDGE, quad[k], quad[k + 2], stiffness));
    }
    return RUGA_OK;
}

static ruga_status stretch_faces(builder *b, double *edge_stiffness) {
    for (size_t t = 0; t < b->mesh->triangle_count; t++) {
        /* The two triangles of a quad follow each other. */
        if (!triangle_is_of_quad(b, t))
            stretch_triangle(b, t, edge_stiffness);
        else if (t == 0 || mesh_triangle_face(b->mesh, t - 1) != mesh_triangle_face(b->mesh, t))
            TRY(stretch_quad(b, t, edge_stiffness));
    }
    return RUGA_OK;
}

static ruga_status add_edges(builder *b) {
    const topology *topo = b->topo;
    double *edge_stiffness;
    TRY(NEW_ZEROED(b->context, &edge_stiffness, topo->edge_count));
    ruga_status status = ARRAY_RESERVE(b->context, &b->springs, topo->edge_count + topo->pair_count);
    if (!RUGA_FAILED(status)) status = stretch_faces(b, edge_stiffness);
    for (size_t e = 0; e < topo->edge_count && !RUGA_FAILED(status); e++)
        status =
            add_spring(b, SPRING_EDGE, topo->edge_vertices[2 * e], topo->edge_vertices[2 * e + 1], edge_stiffness[e]);
    memory_release(b->context, edge_stiffness);
    return status;
}

/* ---- Bending. */

/* Where between two points the line through them is nearest to another such line, clamped to both. */
static void nearest_parameters(vec3 a, vec3 b, vec3 c, vec3 d, double *t, double *s) {
    vec3 u = vec3_sub(b, a), v = vec3_sub(d, c), w = vec3_sub(a, c);
    double uu = vec3_dot(u, u), uv = vec3_dot(u, v), vv = vec3_dot(v, v), uw = vec3_dot(u, w), vw = vec3_dot(v, w);
    double determinant = uu * vv - uv * uv;
    *t = determinant > 0 ? fmin(fmax((uv * vw - vv * uw) / determinant, 0), 1) : 0.5;
    *s = vv > 0 ? fmin(fmax((*t * uv + vw) / vv, 0), 1) : 0.5;
}

static ruga_status add_axial(builder *b, const uint32_t hinge[4], double t, double s, double hinge_stiffness,
                             double arms) {
    if (!b->material->axial) return RUGA_OK;
    TRY(ARRAY_RESERVE(b->context, &b->axial, 1));
    axial_spring axial = {
        {hinge[0], hinge[1], hinge[2], hinge[3]}, {1 - t, t, s - 1, -s}, 0, hinge_stiffness / (arms * arms)};
    vec3 span = {0, 0, 0};
    for (int p = 0; p < 4; p++) span = vec3_add_scaled(span, at(b, hinge[p]), axial.weights[p]);
    axial.rest_length = vec3_length(span);
    /* A length that is zero but for rounding becomes zero, so that its meaningless direction is not held. */
    double size = vec3_distance(at(b, hinge[2]), at(b, hinge[3]));
    if (axial.rest_length < 1e-9 * size) axial.rest_length = 0;
    b->axial.items[b->axial.count++] = axial;
    return RUGA_OK;
}

/* a, b: the edge; c, d: the corners opposite. */
static ruga_status add_hinge(builder *b, const uint32_t hinge[4], double share) {
    vec3 edge = vec3_sub(at(b, hinge[1]), at(b, hinge[0]));
    vec3 c = vec3_sub(at(b, hinge[2]), at(b, hinge[0])), d = vec3_sub(at(b, hinge[3]), at(b, hinge[0]));
    double length = vec3_length(edge);
    double p = vec3_length(vec3_cross(edge, c)) / length, q = vec3_length(vec3_cross(edge, d)) / length;
    double hinge_stiffness = b->material->bend * length * 2 / (p + q) * share, t, s;
    /* Corners that coincide, as on a surface folded flat onto itself, have no spring between them. */
    if (hinge[2] == hinge[3] || !(vec3_distance(c, d) > 0)) return RUGA_OK;
    TRY(add_spring(b, SPRING_BEND, hinge[2], hinge[3], right_angle_factor() * hinge_stiffness / ((p + q) * (p + q))));
    nearest_parameters(at(b, hinge[0]), at(b, hinge[1]), at(b, hinge[2]), at(b, hinge[3]), &t, &s);
    return add_axial(b, hinge, t, s, hinge_stiffness, p * q / (p + q));
}

static uint32_t beside(const uint32_t *quad, uint32_t vertex, uint32_t not_this) {
    for (int k = 0; k < 4; k++)
        if (quad[k] == vertex) return quad[(k + 1) % 4] == not_this ? quad[(k + 3) % 4] : quad[(k + 1) % 4];
    return NO_INDEX;
}

/* The line of a grid that crosses an edge's end, of half the edge's width: the other end's line has the other half. */
static ruga_status add_line(builder *b, uint32_t end, uint32_t other, const uint32_t *quad, const uint32_t *next,
                            double share) {
    uint32_t c = beside(quad, end, other), d = beside(next, end, other);
    double p = vec3_distance(at(b, end), at(b, c)), q = vec3_distance(at(b, end), at(b, d));
    double width = vec3_distance(at(b, end), at(b, other)) / 2, span = p + q;
    double hinge_stiffness = b->material->bend * width * 2 / span * share;
    if (c == d || !(vec3_distance(at(b, c), at(b, d)) > 0)) return RUGA_OK;
    TRY(add_spring(b, SPRING_BEND, c, d, right_angle_factor() * hinge_stiffness / (span * span)));
    uint32_t hinge[4] = {end, other, c, d};
    return add_axial(b, hinge, 0, p / span, hinge_stiffness, p * q / span);
}

static ruga_status add_bending(builder *b) {
    const topology *topo = b->topo;
    for (size_t e = 0; e < topo->edge_count; e++) {
        if (topo->edge_offsets[e + 1] - topo->edge_offsets[e] != 2) continue;
        const uint32_t *pair = topo->edge_triangles + topo->edge_offsets[e];
        uint32_t from = topo->edge_vertices[2 * e], to = topo->edge_vertices[2 * e + 1];
        double share = mean_share(b, pair[0], pair[1]);
        if (triangle_is_of_quad(b, pair[0]) && triangle_is_of_quad(b, pair[1])) {
            const uint32_t *quad = quad_of(b, pair[0]), *next = quad_of(b, pair[1]);
            if (quad == next) continue;
            TRY(add_line(b, from, to, quad, next, share));
            TRY(add_line(b, to, from, quad, next, share));
        } else {
            uint32_t hinge[4] = {from, to, 0, 0};
            for (int side = 0; side < 2; side++) {
                const uint32_t *corners = b->mesh->triangles + 3 * (size_t)pair[side];
                for (int k = 0; k < 3; k++)
                    if (corners[k] != from && corners[k] != to) hinge[2 + side] = corners[k];
            }
            TRY(add_hinge(b, hinge, share));
        }
    }
    return RUGA_OK;
}

/* ---- All. */

ruga_status spring_mesh_masses(const ruga_mesh *mesh, double density, const double *shares, double *masses) {
    TRY(ruga_mesh_masses(mesh, density, masses));
    if (!shares) return RUGA_OK;
    for (size_t i = 0; i < mesh->vertex_count; i++) masses[i] = 0;
    for (size_t t = 0; t < mesh->triangle_count; t++)
        for (size_t k = 0; k < 3; k++)
            masses[mesh->triangles[3 * t + k]] += density * shares[t] * mesh_triangle_area(mesh, t) / 3;
    return RUGA_OK;
}

/* Whether an edge spring is a diagonal of a quad: no edge of triangles, or one within a quad. */
static int is_diagonal(const builder *b, uint32_t from, uint32_t to) {
    uint32_t edge = topology_find_edge(b->topo, from, to);
    if (edge == NO_INDEX) return 1;
    const uint32_t *pair = b->topo->edge_triangles + b->topo->edge_offsets[edge];
    return topology_edge_size(b->topo, edge) == 2 && triangle_is_of_quad(b, pair[0]) &&
           mesh_triangle_face(b->mesh, pair[0]) == mesh_triangle_face(b->mesh, pair[1]);
}

/* A quad that shears by g has diagonals of √(1 + g) and √(1 - g) of their length. */
static ruga_status limit_edges(const builder *b, spring_network *n) {
    const spring_material *m = b->material;
    TRY(spring_network_make_limits(n));
    n->hard = m->hard / m->stretch;
    for (size_t i = 0; i < n->point_count; i++)
        for (size_t e = n->offsets[i]; e < n->edge_ends[i]; e++)
            n->limits[e] = m->quads && is_diagonal(b, (uint32_t)i, n->others[e]) ? sqrt(1 + m->jam) - 1 : m->limit;
    return RUGA_OK;
}

static ruga_status build(builder *b, spring_network **out) {
    spring_network *made;
    TRY(check_mesh(b));
    TRY(add_edges(b));
    if (b->material->bend > 0) TRY(add_bending(b));
    TRY(spring_network_create(b->context, b->mesh->vertex_count, b->springs.items, b->springs.count,
                              b->material->phases, b->axial.items, b->axial.count, &made));
    ruga_status status = b->material->limit > 0 ? limit_edges(b, made) : RUGA_OK;
    if (RUGA_FAILED(status))
        spring_network_destroy(made);
    else
        *out = made;
    return status;
}

ruga_status spring_network_of_mesh(const ruga_mesh *mesh, const spring_material *material, spring_network **out) {
    TRY(check_material(mesh->context, material));
    builder b = {.context = mesh->context, .mesh = mesh, .material = material};
    TRY(topology_build(mesh->context, mesh->vertex_count, mesh->triangle_count, mesh->triangles, &b.topo));
    ruga_status status = build(&b, out);
    topology_destroy(b.topo);
    ARRAY_RELEASE(b.context, &b.springs);
    ARRAY_RELEASE(b.context, &b.axial);
    return status;
}
