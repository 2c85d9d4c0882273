/* Intersections among several meshes, which are joined into one. The tree over its triangles is built for the first
 * frame and refitted for the others. */
#include <stdio.h>
#include <string.h>

#include "geom/bvh_tree.h"
#include "geom/intersections.h"
#include "mesh/mesh.h"
#include "mesh/places.h"
#include "ruga/intersections.h"

/* A mesh, and the offsets of its vertices and triangles among all. */
typedef struct member {
    const ruga_mesh *mesh;
    char *name;
    size_t first_vertex, first_triangle;
} member;

struct ruga_intersection_finder {
    ruga_context *context;
    size_t member_count, vertex_count, triangle_count;
    member *members;
    ruga_vec3 *positions; /* (vertex_count) m, of the current frame */
    uint32_t *triangles;  /* (triangle_count x 3) */
    uint32_t *welds;      /* (vertex_count), NULL: none */
    bvh *tree;            /* NULL before the first frame */
    intersection_array pairs;
    ARRAY(ruga_intersection) found;
};

/* ---- Making */

ruga_intersection_finder_def ruga_intersection_finder_def_default(void) {
    return (ruga_intersection_finder_def){.cookie = RUGA_COOKIE, .weld = 1};
}

static ruga_status add_members(ruga_intersection_finder *f, const ruga_intersection_finder_def *def) {
    TRY(NEW_ZEROED(f->context, &f->members, def->mesh_count));
    for (size_t i = 0; i < def->mesh_count; i++) {
        member *m = f->members + f->member_count++;
        char number[32];
        snprintf(number, sizeof number, "mesh %zu", i);
        *m = (member){def->meshes[i].mesh, NULL, f->vertex_count, f->triangle_count};
        TRY(NEW_TEXT(f->context, &m->name, def->meshes[i].name ? def->meshes[i].name : number));
        f->vertex_count += m->mesh->vertex_count;
        f->triangle_count += m->mesh->triangle_count;
    }
    if (f->triangle_count < BVH_LEAF && f->vertex_count < UINT32_MAX) return RUGA_OK;
    return fail_input(
        f->context, "%zu triangles with %zu vertices are too many: fewer than %u triangles and %u vertices are allowed",
        f->triangle_count, f->vertex_count, BVH_LEAF, UINT32_MAX);
}

static ruga_status fill(ruga_intersection_finder *f, const ruga_intersection_finder_def *def) {
    TRY(add_members(f, def));
    TRY(NEW(f->context, &f->positions, f->vertex_count));
    TRY(NEW(f->context, &f->triangles, 3 * f->triangle_count));
    if (def->weld) TRY(NEW(f->context, &f->welds, f->vertex_count));
    for (size_t i = 0; i < f->member_count; i++) {
        const ruga_mesh *mesh = f->members[i].mesh;
        uint32_t *out = f->triangles + 3 * f->members[i].first_triangle, first = (uint32_t)f->members[i].first_vertex;
        for (size_t k = 0; k < 3 * mesh->triangle_count; k++) out[k] = mesh->triangles[k] + first;
        if (!def->weld) continue;
        TRY(places_find(f->context, mesh->vertex_count, mesh->positions, f->welds + first));
        for (size_t k = 0; k < mesh->vertex_count; k++) f->welds[first + k] += first;
    }
    return RUGA_OK;
}

ruga_status ruga_intersection_finder_create(ruga_context *context, const ruga_intersection_finder_def *def,
                                            ruga_intersection_finder **out) {
    if (def->cookie != RUGA_COOKIE)
        return fail_argument(context, "make the def with ruga_intersection_finder_def_default");
    ruga_intersection_finder *f;
    TRY(NEW_ZEROED(context, &f, 1));
    f->context = context;
    RETURN_MADE(fill(f, def), f, out, ruga_intersection_finder_destroy(f));
}

void ruga_intersection_finder_destroy(ruga_intersection_finder *f) {
    if (!f) return;
    for (size_t i = 0; i < f->member_count; i++) memory_release(f->context, f->members[i].name);
    RELEASE_ALL(f->context, f->members, f->positions, f->triangles, f->welds);
    bvh_destroy(f->tree);
    ARRAY_RELEASE(f->context, &f->pairs);
    ARRAY_RELEASE(f->context, &f->found);
    memory_release(f->context, f);
}

/* ---- Finding */

/* The member that a triangle belongs to. */
static size_t find_member(const ruga_intersection_finder *f, uint32_t triangle) {
    size_t low = 0, high = f->member_count - 1;
    while (low < high) {
        size_t middle = low + (high - low + 1) / 2;
        if (f->members[middle].first_triangle <= triangle)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

ruga_status ruga_intersection_finder_find(ruga_intersection_finder *f, const ruga_vec3 *const *positions,
                                          ruga_intersections *found) {
    TRY(report_progress(f->context, "finding intersections", 0));
    for (size_t i = 0; i < f->member_count; i++) {
        const member *m = f->members + i;
        const ruga_vec3 *given = positions && positions[i] ? positions[i] : m->mesh->positions;
        for (size_t v = 0; v < m->mesh->vertex_count; v++) {
            ruga_vec3 p = f->positions[m->first_vertex + v] = given[v];
            if (!bvh_is_usable(p))
                return fail_input(f->context,
                                  "%s: vertex %zu is at (%g, %g, %g), but coordinates must be finite and within %g; "
                                  "`ruga validate` lists all such vertices of a mesh",
                                  m->name, v, p.x, p.y, p.z, BVH_LARGEST);
        }
    }
    TRY(f->tree ? bvh_refit(f->tree, f->positions, NULL, 0)
                : bvh_build(f->context, f->vertex_count, f->positions, f->triangle_count, 3, f->triangles, &f->tree));
    TRY(intersections_find(f->context, f->vertex_count, f->positions, f->triangle_count, f->triangles, f->welds,
                           f->tree, &f->pairs));
    f->found.count = 0;
    TRY(ARRAY_RESERVE(f->context, &f->found, f->pairs.count));
    for (size_t i = 0; i < f->pairs.count; i++) {
        ruga_intersection one = {.point = f->pairs.items[i].point};
        for (int k = 0; k < 2; k++) {
            one.meshes[k] = find_member(f, f->pairs.items[i].triangles[k]);
            const member *m = f->members + one.meshes[k];
            one.triangles[k] = f->pairs.items[i].triangles[k] - (uint32_t)m->first_triangle;
            one.faces[k] = (uint32_t)mesh_triangle_face(m->mesh, one.triangles[k]);
        }
        f->found.items[f->found.count++] = one;
    }
    *found = (ruga_intersections){f->found.count, f->found.items};
    return RUGA_OK;
}
