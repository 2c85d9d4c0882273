/* Lists every defect of a mesh by kind and element. Each check is linear but for small sorts. Duplicates are found by
 * hashing; the element with the lowest number counts as the original. */
#include <string.h>

#include "base/hash.h"
#include "base/sort.h"
#include "math/vec3.h"
#include "mesh/inspect.h"
#include "mesh/mesh.h"
#include "mesh/places.h"

/* Twice the area over the longest side squared, below which a triangle counts as having none. */
#define FLAT_TRIANGLE 1e-12

static const char *const defect_names[RUGA_DEFECT_KIND_COUNT] = {
    "not finite",        "degenerate face",     "duplicate face",           "duplicate vertex", "loose vertex",
    "non-manifold edge", "non-manifold vertex", "inconsistent orientation", "inverted tet"};

const char *ruga_defect_name(ruga_defect_kind kind) {
    return (unsigned)kind < RUGA_DEFECT_KIND_COUNT ? defect_names[kind] : "unknown defect";
}

typedef ARRAY(ruga_defect) defect_array;

/* Shared by the checks. */
typedef struct validator {
    const ruga_mesh *mesh;
    ruga_context *context;
    inspection in;
    defect_array defects;
    size_t counts[RUGA_DEFECT_KIND_COUNT];
    uint32_t *per_vertex; /* scratch (vertex_count) */
    uint64_t *per_face;   /* scratch (face_count) */
    uint32_t *two_faces;  /* scratch (2 x vertices of the largest face) */
    uint32_t *slots;      /* hash table of faces, a power of two above twice their count */
    size_t slot_mask;
} validator;

static ruga_status report(validator *v, ruga_defect_kind kind, size_t element, size_t other) {
    TRY(ARRAY_ADD(v->context, &v->defects, (ruga_defect){kind, element, other}));
    v->counts[kind]++;
    return RUGA_OK;
}

static ruga_status check_finite(validator *v) {
    for (size_t i = 0; i < v->mesh->vertex_count; i++)
        if (!vec3_is_finite(v->mesh->positions[i])) TRY(report(v, RUGA_DEFECT_NOT_FINITE, i, 0));
    return RUGA_OK;
}

/* ---- Degenerate faces. */

static double largest_component(vec3 a) { return fmax(fabs(a.x), fmax(fabs(a.y), fabs(a.z))); }

/* Whether a triangle has no area. A triangle with points that are not finite is another defect. */
static int is_flat(const ruga_mesh *mesh, size_t triangle) {
    const uint32_t *t = mesh->triangles + 3 * triangle;
    vec3 p = mesh->positions[t[0]], q = mesh->positions[t[1]], r = mesh->positions[t[2]];
    if (!vec3_is_finite(p) || !vec3_is_finite(q) || !vec3_is_finite(r)) return 0;
    vec3 a = vec3_sub(q, p), b = vec3_sub(r, q);

    /* Sides of about unit length keep products of very small and very large triangles within range. */
    double size = fmax(largest_component(a), largest_component(b));
    if (!(size > 0) || !isfinite(size)) return size == 0;
    a = vec3_make(a.x / size, a.y / size, a.z / size);
    b = vec3_make(b.x / size, b.y / size, b.z / size);
    double longest2 = fmax(vec3_length2(a), fmax(vec3_length2(b), vec3_length2(vec3_add(a, b))));
    return vec3_length(vec3_cross(a, b)) <= FLAT_TRIANGLE * longest2;
}

static ruga_status check_degenerate_faces(validator *v) {
    const ruga_mesh *mesh = v->mesh;
    uint32_t *named_by = v->per_vertex; /* the last face that named each vertex */
    for (size_t i = 0; i < mesh->vertex_count; i++) named_by[i] = UINT32_MAX;
    size_t t = 0;
    for (size_t f = 0; f < mesh->face_count; f++) {
        int flat = 1;
        size_t repeated = SIZE_MAX; /* the vertex that the face names twice */
        for (; t < mesh->triangle_count && mesh_triangle_face(mesh, t) == f; t++) flat &= is_flat(mesh, t);
        for (size_t c = mesh_face_begin(mesh, f); c < mesh_face_end(mesh, f) && repeated == SIZE_MAX; c++) {
            uint32_t vertex = mesh->face_vertices[c];
            if (named_by[vertex] == f) repeated = vertex;
            named_by[vertex] = (uint32_t)f;
        }
        if (flat || repeated != SIZE_MAX)
            TRY(report(v, RUGA_DEFECT_DEGENERATE_FACE, f, repeated != SIZE_MAX ? repeated : 0));
    }
    return RUGA_OK;
}

/* ---- Duplicates. */

/* scratch: twice the size of a face. */
static int are_same_face(const ruga_mesh *mesh, size_t a, size_t b, uint32_t *scratch) {
    size_t size = mesh_face_end(mesh, a) - mesh_face_begin(mesh, a);
    if (mesh_face_end(mesh, b) - mesh_face_begin(mesh, b) != size) return 0;
    memcpy(scratch, mesh->face_vertices + mesh_face_begin(mesh, a), size * sizeof *scratch);
    memcpy(scratch + size, mesh->face_vertices + mesh_face_begin(mesh, b), size * sizeof *scratch);
    sort_indices(scratch, size);
    sort_indices(scratch + size, size);
    return !memcmp(scratch, scratch + size, size * sizeof *scratch);
}

static ruga_status check_duplicate_faces(validator *v) {
    const ruga_mesh *mesh = v->mesh;
    memset(v->slots, 0xff, (v->slot_mask + 1) * sizeof *v->slots);
    for (size_t f = 0; f < mesh->face_count; f++) {
        /* The same vertices in any order have the same sum. */
        uint64_t hash = 0;
        for (size_t c = mesh_face_begin(mesh, f); c < mesh_face_end(mesh, f); c++)
            hash += mix_bits(mesh->face_vertices[c] + UINT64_C(0x9e3779b97f4a7c15));
        v->per_face[f] = hash;
        size_t slot = mix_bits(hash) & v->slot_mask;
        for (; v->slots[slot] != UINT32_MAX; slot = (slot + 1) & v->slot_mask)
            if (v->per_face[v->slots[slot]] == hash && are_same_face(mesh, v->slots[slot], f, v->two_faces)) break;
        if (v->slots[slot] != UINT32_MAX)
            TRY(report(v, RUGA_DEFECT_DUPLICATE_FACE, f, v->slots[slot]));
        else
            v->slots[slot] = (uint32_t)f;
    }
    return RUGA_OK;
}

static ruga_status check_duplicate_vertices(validator *v) {
    TRY(places_find(v->context, v->mesh->vertex_count, v->mesh->positions, v->per_vertex));
    for (size_t i = 0; i < v->mesh->vertex_count; i++)
        if (v->per_vertex[i] != i) TRY(report(v, RUGA_DEFECT_DUPLICATE_VERTEX, i, v->per_vertex[i]));
    return RUGA_OK;
}

/* ---- Topology. */

static ruga_status check_loose(validator *v) {
    uint8_t *used = (uint8_t *)v->per_vertex;
    mark_used_vertices(v->mesh, used);
    for (size_t i = 0; i < v->mesh->vertex_count; i++)
        if (!used[i]) TRY(report(v, RUGA_DEFECT_LOOSE_VERTEX, i, 0));
    return RUGA_OK;
}

static ruga_status check_edges(validator *v) {
    const topology *topo = v->in.topo;
    for (size_t e = 0; e < topo->edge_count; e++)
        if (topology_edge_size(topo, e) > 2)
            TRY(report(v, RUGA_DEFECT_NON_MANIFOLD_EDGE, topo->edge_vertices[2 * e], topo->edge_vertices[2 * e + 1]));
    return RUGA_OK;
}

static ruga_status check_fans(validator *v) {
    for (size_t i = 0; i < v->mesh->vertex_count; i++)
        if (fan_count(&v->in, (uint32_t)i, v->per_vertex) > 1) TRY(report(v, RUGA_DEFECT_NON_MANIFOLD_VERTEX, i, 0));
    return RUGA_OK;
}

static ruga_status check_orientation(validator *v) {
    const topology *topo = v->in.topo;
    for (size_t e = 0; e < topo->edge_count; e++)
        if (edge_runs_twice(&v->in, e))
            TRY(report(v, RUGA_DEFECT_ORIENTATION, topo->edge_vertices[2 * e], topo->edge_vertices[2 * e + 1]));
    return RUGA_OK;
}

static ruga_status check_tets(validator *v) {
    const ruga_mesh *mesh = v->mesh;
    for (size_t t = 0; t < mesh->tet_count; t++) {
        int finite = 1;
        for (size_t k = 0; k < 4; k++) finite &= vec3_is_finite(mesh->positions[mesh->tets[4 * t + k]]);
        if (finite && !(mesh_tet_volume(mesh, t) > 0)) TRY(report(v, RUGA_DEFECT_INVERTED_TET, t, 0));
    }
    return RUGA_OK;
}

/* ---- All together. The checks are in the order of the kinds, and each lists rising elements. */

static ruga_status run_checks(validator *v, ruga_validation **out) {
    static ruga_status (*const checks[])(validator *) = {check_finite,
                                                         check_degenerate_faces,
                                                         check_duplicate_faces,
                                                         check_duplicate_vertices,
                                                         check_loose,
                                                         check_edges,
                                                         check_fans,
                                                         check_orientation,
                                                         check_tets};
    const size_t count = sizeof checks / sizeof *checks;
    const ruga_mesh *mesh = v->mesh;
    size_t largest = 3; /* vertices of a face */
    for (size_t f = 0; mesh->face_offsets && f < mesh->face_count; f++) {
        size_t size = mesh_face_end(mesh, f) - mesh_face_begin(mesh, f);
        largest = size > largest ? size : largest;
    }
    v->slot_mask = 15;
    while (v->slot_mask < 2 * mesh->face_count) v->slot_mask = 2 * v->slot_mask + 1;
    TRY(NEW(v->context, &v->per_vertex, mesh->vertex_count));
    TRY(NEW(v->context, &v->per_face, mesh->face_count));
    TRY(NEW(v->context, &v->two_faces, 2 * largest));
    TRY(NEW(v->context, &v->slots, v->slot_mask + 1));
    TRY(inspection_make(mesh, &v->in));
    for (size_t i = 0; i < count; i++) {
        TRY(report_progress(v->context, "inspecting", 0.5 + 0.5 * (double)i / (double)count));
        TRY(checks[i](v));
    }
    ruga_validation *validation;
    TRY(NEW_ZEROED(v->context, &validation, 1));
    memcpy(validation->counts, v->counts, sizeof v->counts);
    validation->defect_count = v->defects.count;
    validation->defects = v->defects.items;
    v->defects.items = NULL;
    *out = validation;
    return RUGA_OK;
}

ruga_status ruga_mesh_validate(const ruga_mesh *mesh, ruga_validation **out) {
    validator v = {.mesh = mesh, .context = mesh->context};
    ruga_status status = run_checks(&v, out);
    RELEASE_ALL(v.context, v.per_vertex, v.per_face, v.two_faces, v.slots, v.defects.items);
    inspection_release(mesh, &v.in);
    return status;
}

void ruga_validation_destroy(const ruga_mesh *mesh, ruga_validation *validation) {
    if (!validation) return;
    RELEASE_ALL(mesh->context, (void *)validation->defects, validation);
}
