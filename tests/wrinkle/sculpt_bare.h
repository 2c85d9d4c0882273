/* Shared by tests of smooth refinement: the bare surface, refined and without wrinkles, held against the mesh. */
#ifndef TESTS_SCULPT_BARE_H
#define TESTS_SCULPT_BARE_H

#include "wrinkle/sculpt_support.h"

typedef struct bare_surface {
    const ruga_mesh *mesh; /* the original */
    const topology *topo;  /* of it */
    const uint8_t *hard;   /* (its edges) */
    const sculpt_surface *surface;
    const vec3 *bare; /* (fine vertices) */
} bare_surface;

static inline bare_surface bare_of(const ruga_sculpt *sculpt) {
    return (bare_surface){sculpt->mesh, sculpt->hard.topo, sculpt->hard.hard, &sculpt->surface, sculpt->surface.rest};
}

static inline vec3 normal_of(const uint32_t *t, const vec3 *p) {
    return vec3_normalise(vec3_cross(vec3_sub(p[t[1]], p[t[0]]), vec3_sub(p[t[2]], p[t[0]])));
}

static inline double angle_of(vec3 a, vec3 b) { return atan2(vec3_length(vec3_cross(a, b)), vec3_dot(a, b)); }

/* rad, the greatest angle between a facet of the mesh and those that share a vertex with it: its own facet angles. */
static inline double facet_angle(const bare_surface *b, uint32_t triangle) {
    const uint32_t *t = b->mesh->triangles + 3 * (size_t)triangle;
    const vec3 *p = b->mesh->positions, own = normal_of(t, p);
    double greatest = 0;
    for (int k = 0; k < 3; k++)
        for (uint32_t i = b->topo->fan_offsets[t[k]]; i < b->topo->fan_offsets[t[k] + 1]; i++)
            greatest =
                fmax(greatest, angle_of(own, normal_of(b->mesh->triangles + 3 * (size_t)b->topo->fan_triangles[i], p)));
    return greatest;
}

/* rad, the greatest angle across an edge, that is not hard, of the triangles that share a vertex with one. */
static inline double edge_angle(const bare_surface *b, uint32_t triangle) {
    const uint32_t *t = b->mesh->triangles + 3 * (size_t)triangle, *all = b->mesh->triangles;
    double greatest = 0;
    for (int k = 0; k < 3; k++)
        for (uint32_t i = b->topo->fan_offsets[t[k]]; i < b->topo->fan_offsets[t[k] + 1]; i++)
            for (size_t side = 0; side < 3; side++) {
                const uint32_t e = b->topo->triangle_edges[3 * (size_t)b->topo->fan_triangles[i] + side];
                const uint32_t *pair = b->topo->edge_triangles + b->topo->edge_offsets[e];
                if (topology_edge_size(b->topo, e) != 2 || b->hard[e]) continue;
                greatest = fmax(greatest, angle_of(normal_of(all + 3 * (size_t)pair[0], b->mesh->positions),
                                                   normal_of(all + 3 * (size_t)pair[1], b->mesh->positions)));
            }
    return greatest;
}

static inline double longest_side(const bare_surface *b, uint32_t triangle) {
    const uint32_t *t = b->mesh->triangles + 3 * (size_t)triangle;
    const vec3 *p = b->mesh->positions;
    return fmax(fmax(vec3_distance(p[t[0]], p[t[1]]), vec3_distance(p[t[1]], p[t[2]])),
                vec3_distance(p[t[2]], p[t[0]]));
}

/* The law: the patch is within a quarter of a side times the facet angle of the original, and none of its facets turns
 * from the one that it replaces by more than that angle. *furthest: over a side; *greatest_turn: rad. */
static inline void assert_bare_law(const bare_surface *b, double *furthest, double *greatest_turn) {
    const sculpt_smooth *s = &b->surface->smooth;
    double *angles = malloc((s->hosts.count + 1) * sizeof *angles);
    for (size_t i = 0; i < s->hosts.count; i++) angles[i] = facet_angle(b, s->hosts.items[i].triangle);
    for (size_t i = 0; i < s->points.count; i++) {
        const smooth_point *point = &s->points.items[i];
        const double side = longest_side(b, s->hosts.items[point->host].triangle);
        const double off = vec3_distance(b->bare[point->vertex], b->surface->flat[point->vertex]);
        assert_at_most_case(off, 0.25 * side * angles[point->host] + 1e-12, "point %zu", i);
        *furthest = fmax(*furthest, off / side);
    }
    for (size_t i = 0; i < s->triangles.count; i++) {
        const uint32_t *t = b->surface->fine->triangles + 3 * (size_t)s->triangles.items[i];
        const double turn = angle_of(normal_of(t, b->surface->flat), normal_of(t, b->bare));
        double most = 0;
        for (int k = 0; k < 3; k++)
            if (s->place_of[t[k]] != NO_INDEX) most = fmax(most, angles[s->points.items[s->place_of[t[k]]].host]);
        assert_at_most_case(turn, most + 1e-7, "triangle %zu", i);
        *greatest_turn = fmax(*greatest_turn, turn);
    }
    free(angles);
}

/* The law: facets of the patch meet at no greater angle than those of the mesh do across edges near there, or than they
 * did before smoothing, which are those of hard edges. Returns the greatest angle, rad. */
static inline double assert_no_nicks(const bare_surface *b) {
    const sculpt_smooth *s = &b->surface->smooth;
    const topology *topo = b->surface->topo;
    const uint32_t *fine = b->surface->fine->triangles;
    double *angles = malloc((s->hosts.count + 1) * sizeof *angles), greatest = 0;
    for (size_t i = 0; i < s->hosts.count; i++) angles[i] = edge_angle(b, s->hosts.items[i].triangle);
    for (size_t i = 0; i < 3 * s->triangles.count; i++) {
        const uint32_t e = topo->triangle_edges[3 * (size_t)s->triangles.items[i / 3] + i % 3];
        if (topology_edge_size(topo, e) != 2) continue;
        const uint32_t *pair = topo->edge_triangles + topo->edge_offsets[e];
        const uint32_t *x = fine + 3 * (size_t)pair[0], *y = fine + 3 * (size_t)pair[1];
        const vec3 *flat = b->surface->flat;
        const double angle = angle_of(normal_of(x, b->bare), normal_of(y, b->bare));
        double most = angle_of(normal_of(x, flat), normal_of(y, flat));
        for (int k = 0; k < 6; k++) {
            const uint32_t place = s->place_of[k < 3 ? x[k] : y[k - 3]];
            if (place != NO_INDEX) most = fmax(most, angles[s->points.items[place].host]);
        }
        assert_at_most_case(angle, most + 1e-6, "edge %u", e);
        greatest = fmax(greatest, angle);
    }
    free(angles);
    return greatest;
}

/* rad, angles between neighbouring facets of the patch and at its border: the greatest, and the root mean square of
 * those where the mesh has an edge. */
static inline double sharpest(const bare_surface *b, const vec3 *positions, double *mean) {
    const sculpt_surface *s = b->surface;
    const topology *topo = s->topo;
    double greatest = 0, sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < 3 * s->smooth.triangles.count; i++) {
        uint32_t e = topo->triangle_edges[3 * (size_t)s->smooth.triangles.items[i / 3] + i % 3];
        if (topology_edge_size(topo, e) != 2) continue;
        const uint32_t *pair = topo->edge_triangles + topo->edge_offsets[e];
        const uint32_t *x = s->fine->triangles + 3 * (size_t)pair[0], *y = s->fine->triangles + 3 * (size_t)pair[1];
        double angle = angle_of(normal_of(x, positions), normal_of(y, positions));
        greatest = fmax(greatest, angle);
        if (angle_of(normal_of(x, s->flat), normal_of(y, s->flat)) < 1e-6) continue;
        sum += angle * angle;
        count++;
    }
    *mean = sqrt(sum / (double)count);
    return greatest;
}

/* The border of the patch: edges between a triangle with new vertices and one without. */
typedef struct border_figures {
    size_t edges;
    double flat, bare;           /* rad, greatest angle of two facets at such an edge, before and after smoothing */
    double flat_mean, bare_mean; /* rad, root mean squares */
    double normal; /* rad, greatest angle between the vertex normals of the bare surface and the mesh's own there */
    double facet_angle; /* rad, greatest of the mesh there */
} border_figures;

static inline border_figures measure_border(const bare_surface *b, const ruga_sculpt *sculpt) {
    const sculpt_surface *s = b->surface;
    const topology *topo = s->topo;
    border_figures f = {0};
    uint8_t *has_points = calloc(s->fine->triangle_count, 1);
    vec3 *normals = malloc(s->fine->vertex_count * sizeof *normals);
    assert_ok(s->context, ruga_mesh_normals(s->fine, b->bare, normals));
    for (size_t i = 0; i < s->smooth.triangles.count; i++) has_points[s->smooth.triangles.items[i]] = 1;
    for (size_t i = 0; i < 3 * s->smooth.triangles.count; i++) {
        const uint32_t e = topo->triangle_edges[3 * (size_t)s->smooth.triangles.items[i / 3] + i % 3];
        if (topology_edge_size(topo, e) != 2) continue;
        const uint32_t *pair = topo->edge_triangles + topo->edge_offsets[e];
        if (has_points[pair[0]] && has_points[pair[1]]) continue;
        const uint32_t *x = s->fine->triangles + 3 * (size_t)pair[0], *y = s->fine->triangles + 3 * (size_t)pair[1];
        const double flat = angle_of(normal_of(x, s->flat), normal_of(y, s->flat));
        const double bare = angle_of(normal_of(x, b->bare), normal_of(y, b->bare));
        f.edges++;
        f.flat = fmax(f.flat, flat);
        f.bare = fmax(f.bare, bare);
        f.flat_mean += flat * flat;
        f.bare_mean += bare * bare;
        for (int k = 0; k < 3; k++) {
            const uint32_t v = x[k], own = s->numbers[v];
            if ((v != y[0] && v != y[1] && v != y[2]) || own >= b->mesh->vertex_count) continue;
            f.normal = fmax(f.normal, angle_of(normals[v], sculpt->mesh_normals[own]));
            for (uint32_t j = b->topo->fan_offsets[own]; j < b->topo->fan_offsets[own + 1]; j++)
                f.facet_angle = fmax(f.facet_angle, facet_angle(b, b->topo->fan_triangles[j]));
        }
    }
    f.flat_mean = sqrt(f.flat_mean / (double)f.edges);
    f.bare_mean = sqrt(f.bare_mean / (double)f.edges);
    free(has_points);
    free(normals);
    return f;
}

#endif
