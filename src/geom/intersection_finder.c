/* Several meshes as one, whose triangles are looked at all at once; the tree over them is made for the first frame and
 * refitted for the others. */
#include <stdio.h>
#include <string.h>

#include "geom/bvh_tree.h"
#include "geom/intersections.h"
#include "mesh/places.h"
#include "ruga/intersections.h"

/* A mesh, and where its vertices and triangles begin among all. */
typedef struct member {
    const ruga_mesh *mesh;
    char *name;
    size_t first_vertex, first_triangle;
} member;

struct ruga_intersection_finder {
    ruga_context *context;
    size_t member_count, vertex_count, triangle_count;
    member *members;
    ruga_vec3 *positions; /* (vertex_count) m, of this frame */
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

/* A name of its own, so that messages can tell which mesh they are about. */
static char *copy_name(ruga_context *context, const char *name, size_t number) {
    char text[32];
    snprintf(text, sizeof text, "mesh %zu", number);
    return memory_copy_text(context, name ? name : text);
}

static ruga_status add_members(ruga_intersection_finder *f, const ruga_intersection_finder_def *def) {
    f->members = ALLOCATE_ZEROED(f->context, member, def->mesh_count);
    if (!f->members) return fail_memory(f->context, def->mesh_count * sizeof *f->members);
    for (size_t i = 0; i < def->mesh_count; i++) {
        member *m = f->members + f->member_count++;
        *m = (member){def->meshes[i].mesh, NULL, f->vertex_count, f->triangle_count};
        m->name = copy_name(f->context, def->meshes[i].name, i);
        if (!m->name) return fail_memory(f->context, sizeof "mesh");
        f->vertex_count += m->mesh->vertex_count;
        f->triangle_count += m->mesh->triangle_count;
    }
    if (f->triangle_count < BVH_LEAF && f->vertex_count < UINT32_MAX) return RUGA_OK;
    return fail_with(f->context, RUGA_ERROR_INPUT,
                     "%zu triangles with %zu vertices are too many: intersections are counted among fewer than %u "
                     "triangles and %u vertices",
                     f->triangle_count, f->vertex_count, BVH_LEAF, UINT32_MAX);
}

static void join_triangles(ruga_intersection_finder *f) {
    for (size_t i = 0; i < f->member_count; i++) {
        const member *m = f->members + i;
        uint32_t *out = f->triangles + 3 * m->first_triangle, first = (uint32_t)m->first_vertex;
        for (size_t k = 0; k < 3 * m->mesh->triangle_count; k++) out[k] = m->mesh->triangles[k] + first;
    }
}

static ruga_status weld_members(ruga_intersection_finder *f) {
    f->welds = ALLOCATE(f->context, uint32_t, f->vertex_count);
    if (!f->welds) return fail_memory(f->context, f->vertex_count * sizeof *f->welds);
    for (size_t i = 0; i < f->member_count; i++) {
        const member *m = f->members + i;
        uint32_t *welds = f->welds + m->first_vertex, first = (uint32_t)m->first_vertex;
        TRY(places_find(f->context, m->mesh->vertex_count, m->mesh->positions, welds));
        for (size_t k = 0; k < m->mesh->vertex_count; k++) welds[k] += first;
    }
    return RUGA_OK;
}

static ruga_status fill(ruga_intersection_finder *f, const ruga_intersection_finder_def *def) {
    TRY(add_members(f, def));
    f->positions = ALLOCATE(f->context, ruga_vec3, f->vertex_count);
    f->triangles = ALLOCATE(f->context, uint32_t, 3 * f->triangle_count);
    if (!f->positions || !f->triangles)
        return fail_memory(f->context, f->vertex_count * sizeof *f->positions + 12 * f->triangle_count);
    join_triangles(f);
    return def->weld ? weld_members(f) : RUGA_OK;
}

ruga_status ruga_intersection_finder_create(ruga_context *context, const ruga_intersection_finder_def *def,
                                            ruga_intersection_finder **out) {
    if (def->cookie != RUGA_COOKIE)
        return fail_with(context, RUGA_ERROR_ARGUMENT, "make the def with ruga_intersection_finder_def_default");
    ruga_intersection_finder *f = ALLOCATE_ZEROED(context, ruga_intersection_finder, 1);
    if (!f) return fail_memory(context, sizeof *f);
    f->context = context;
    ruga_status status = fill(f, def);
    if (RUGA_FAILED(status)) {
        ruga_intersection_finder_destroy(f);
        return status;
    }
    *out = f;
    return RUGA_OK;
}

void ruga_intersection_finder_destroy(ruga_intersection_finder *f) {
    if (!f) return;
    for (size_t i = 0; i < f->member_count; i++) memory_release(f->context, f->members[i].name);
    memory_release(f->context, f->members);
    memory_release(f->context, f->positions);
    memory_release(f->context, f->triangles);
    memory_release(f->context, f->welds);
    bvh_destroy(f->tree);
    ARRAY_RELEASE(f->context, &f->pairs);
    ARRAY_RELEASE(f->context, &f->found);
    memory_release(f->context, f);
}

/* ---- Finding */

static ruga_status place_member(ruga_intersection_finder *f, const member *m, const ruga_vec3 *positions) {
    ruga_vec3 *out = f->positions + m->first_vertex;
    for (size_t i = 0; i < m->mesh->vertex_count; i++) {
        ruga_vec3 p = out[i] = positions[i];
        if (!bvh_is_usable(p))
            return fail_with(f->context, RUGA_ERROR_INPUT,
                             "%s: vertex %zu is at (%g, %g, %g), but coordinates must be finite and within %g; "
                             "`ruga validate` lists all such vertices of a mesh",
                             m->name, i, p.x, p.y, p.z, BVH_LARGEST);
    }
    return RUGA_OK;
}

static ruga_status fit_tree(ruga_intersection_finder *f) {
    if (f->tree) return bvh_refit(f->tree, f->positions, NULL, 0);
    return bvh_build(f->context, f->vertex_count, f->positions, f->triangle_count, 3, f->triangles, &f->tree);
}

/* The member that a triangle is of. */
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

static ruga_intersection describe(const ruga_intersection_finder *f, const intersection *pair) {
    ruga_intersection one = {.point = pair->point};
    for (int k = 0; k < 2; k++) {
        one.meshes[k] = find_member(f, pair->triangles[k]);
        const member *m = f->members + one.meshes[k];
        one.triangles[k] = pair->triangles[k] - (uint32_t)m->first_triangle;
        one.faces[k] = m->mesh->triangle_faces ? m->mesh->triangle_faces[one.triangles[k]] : one.triangles[k];
    }
    return one;
}

ruga_status ruga_intersection_finder_find(ruga_intersection_finder *f, const ruga_vec3 *const *positions,
                                          ruga_intersections *found) {
    TRY(report_progress(f->context, "finding intersections", 0));
    for (size_t i = 0; i < f->member_count; i++) {
        const ruga_vec3 *given = positions ? positions[i] : NULL;
        TRY(place_member(f, f->members + i, given ? given : f->members[i].mesh->positions));
    }
    TRY(fit_tree(f));
    TRY(intersections_find(f->context, f->vertex_count, f->positions, f->triangle_count, f->triangles, f->welds,
                           f->tree, &f->pairs));
    f->found.count = 0;
    TRY(ARRAY_RESERVE(f->context, &f->found, f->pairs.count));
    for (size_t i = 0; i < f->pairs.count; i++) f->found.items[f->found.count++] = describe(f, f->pairs.items + i);
    *found = (ruga_intersections){f->found.count, f->found.items};
    return RUGA_OK;
}
