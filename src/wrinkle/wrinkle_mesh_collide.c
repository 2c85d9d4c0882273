/* Self-collision: the fine mesh never intersects itself. Müller and Chentanez 2010 leave it as future work.
 *
 * The flat triangles of the base, cut into those of the fine mesh, intersect themselves nowhere unless the base does.
 * From there every fine vertex advances on a straight line to the curved surface, and then to its offset. Continuous
 * collision (contact/ccd.h) checks both steps: the vertices of a pair that would touch advance less far, until no pair
 * touches. Pairs without a common vertex are enough. Two triangles with a common vertex begin to intersect elsewhere
 * only where a vertex of one meets the other, or two of their other edges meet; both are such pairs.
 *
 * Points end exactly where they were checked. `shown` has absolute positions in double that are also floats, so that
 * rounding to float, for a caller or a file, changes none. Far from the origin, where floats are coarse, it has
 * any doubles.
 *
 * Only the output is held back. The solver's state has the offsets as they would be without collisions, so the result
 * of a frame does not depend on how far earlier ones got. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/timer.h"
#include "contact/trajectories.h"
#include "math/vec3.h"
#include "wrinkle/wrinkle_mesh.h"

#define THICKNESS 1e-3   /* of the average fine edge: the distance that pairs keep; half of theirs if that is smaller */
#define REACHED 0.9      /* of the time until a collision */
#define LEAST_SHARE 0.05 /* of a displacement: below this a vertex stays */
#define SOFT_ROUNDS 8    /* then vertices that collide stay */
#define GRADE 0.25       /* greatest difference of the shares of neighbours */
#define GRADE_SWEEPS 8
#define MOST_ROUNDS 256 /* then all stay */
#define COARSE 1e-3     /* of the average fine edge: the rounding of floats above which positions are doubles */

struct wrinkle_collide {
    ruga_context *context;
    ruga_mesh *layer; /* of the welded triangles */
    double *inverse_masses;
    contact_mesh *mesh;
    broad *broad;
    trajectories paths;
    vec3 *flat, *shown;    /* (fine vertices) m, absolute; flat is filled again in every frame */
    vec3 *targets;         /* (contact vertices) m */
    double *shares, *next; /* (contact vertices) 1, of the displacement, and those after this round */
    double thickness;      /* m */
    int is_float;          /* positions are floats, in this frame */
    size_t held, frames;
    double seconds;
};

/* ---- Making. */

static ruga_status make_layer(const ruga_wrinkle_mesh *w, wrinkle_collide *c) {
    ruga_mesh_def def = ruga_mesh_def_default();
    uint32_t *sizes = NULL;
    TRY(NEW(w->context, &sizes, w->fine->triangle_count));
    for (size_t t = 0; t < w->fine->triangle_count; t++) sizes[t] = 3;
    def.positions = (ruga_view){(void *)(uintptr_t)w->fine->positions, w->fine->vertex_count, 0, RUGA_F64};
    def.face_count = w->fine->triangle_count;
    def.face_sizes = sizes;
    def.face_vertices = w->welded;
    ruga_status status = ruga_mesh_create(w->context, &def, &c->layer);
    memory_release(w->context, sizes);
    return status;
}

static ruga_status make_paths(wrinkle_collide *c) {
    const size_t count = c->layer->vertex_count;
    contact_surface surface = {.name = "wrinkle mesh",
                               .mesh = c->layer,
                               .accepted = c->flat,
                               .candidate = c->shown,
                               .inverse_masses = c->inverse_masses,
                               .thickness = c->thickness,
                               .rest_part = 1,
                               .self = 1};
    contact_surface *const surfaces[] = {&surface};
    for (size_t v = 0; v < count; v++) c->inverse_masses[v] = 1;
    TRY(contact_mesh_create(c->context, surfaces, 1, &c->mesh));
    TRY(broad_create(c->mesh, NULL, 0, &c->broad));
    return trajectories_init(&c->paths, c->mesh, c->broad, 1, NULL, 0);
}

ruga_status wrinkle_collide_create(ruga_wrinkle_mesh *w) {
    if (!w->def.self_collision) return RUGA_OK;
    if (!w->map)
        return fail_input(w->context,
                          "wrinkle mesh: self_collision starts on the flat triangles of the base, so it needs a "
                          "subdivision of the base as the fine mesh; leave out the fine mesh, or self_collision");
    wrinkle_collide *c;
    TRY(NEW_ZEROED(w->context, &c, 1));
    w->collide = c; /* released with it */
    c->context = w->context;
    c->thickness = THICKNESS * w->mean_edge;
    const size_t count = w->fine->vertex_count;
    TRY(NEW_ALIGNED_ZEROED(w->context, &w->exact_base, w->base->vertex_count));
    TRY(make_layer(w, c));
    TRY(NEW(w->context, &c->inverse_masses, count));
    TRY(NEW_ZEROED(w->context, &c->flat, count));
    TRY(NEW_ZEROED(w->context, &c->shown, count));
    TRY(NEW(w->context, &c->targets, count));
    TRY(NEW(w->context, &c->shares, count));
    TRY(NEW(w->context, &c->next, count));
    memcpy(w->exact_base, w->base->positions, w->base->vertex_count * sizeof *w->exact_base);
    return make_paths(c);
}

void wrinkle_collide_destroy(wrinkle_collide *c) {
    if (!c) return;
    trajectories_release(&c->paths);
    broad_destroy(c->broad);
    contact_mesh_destroy(c->mesh);
    ruga_mesh_destroy(c->layer);
    RELEASE_ALL(c->context, c->inverse_masses, c->flat, c->shown, c->targets, c->shares, c->next, c);
}

/* ---- One step: all vertices towards their targets. */

/* Volatile, since gcc 12 omits the rounding of two of three coordinates where it vectorises them. */
static double rounded_number(double x) {
    const volatile float nearest = (float)x;
    return (double)nearest;
}

static vec3 rounded(const wrinkle_collide *c, vec3 p) {
    return c->is_float ? vec3_make(rounded_number(p.x), rounded_number(p.y), rounded_number(p.z)) : p;
}

static int is_same(vec3 a, vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

/* The end of a vertex's trajectory: its share of the displacement. */
static void set_end(wrinkle_collide *c, size_t v) {
    const vec3 from = c->mesh->from[v], away = vec3_sub(c->targets[v], from);
    c->mesh->to[v] = c->shares[v] > 0 ? rounded(c, vec3_add_scaled(from, away, c->shares[v])) : from;
}

static int moves(const contact_mesh *m, size_t v) { return !is_same(m->from[v], m->to[v]); }

/* The shares after this round: those of the vertices of colliding pairs. Returns whether any of these moves. */
static int find_next(wrinkle_collide *c, int round) {
    const collision_array *found = &c->paths.collisions;
    int any = 0;
    for (size_t i = 0; i < found->count; i++) {
        const collision *one = &found->items[i];
        const double scale = round < SOFT_ROUNDS ? REACHED * one->time : 0;
        for (size_t k = 0; k < 4; k++) {
            const uint32_t v = one->pair.vertices[k];
            if (!moves(c->mesh, v)) continue;
            const double share = c->shares[v] * scale;
            c->next[v] = fmin(c->next[v], share < LEAST_SHARE ? 0 : share);
            any = 1;
        }
    }
    return any;
}

/* Neighbours of a vertex that stops go not much farther than it, or they would meet it or each other soon. */
static void grade(wrinkle_collide *c) {
    const contact_mesh *m = c->mesh;
    for (int sweep = 0, changed = 1; changed && sweep < GRADE_SWEEPS; sweep++) {
        changed = 0;
        for (size_t v = 0; v < m->vertex_count; v++)
            for (uint32_t k = m->ring_offsets[v]; k < m->ring_offsets[v + 1]; k++) {
                const double most = c->next[m->ring_vertices[k]] + GRADE;
                if (c->next[v] > most) c->next[v] = most, changed = 1;
            }
    }
}

/* Stops pairs that collide, and repeats, since a vertex that advances less far may meet others. From some round on each
 * stops a vertex or more, so this ends. */
static ruga_status stop_collisions(wrinkle_collide *c) {
    const contact_mesh *m = c->mesh;
    for (int round = 0;; round++) {
        TRY(trajectories_check(&c->paths, NULL, NULL));
        if (!find_next(c, round)) return RUGA_OK;
        grade(c);
        for (size_t v = 0; v < m->vertex_count; v++) {
            if (round >= MOST_ROUNDS) c->next[v] = 0;
            if (!(c->next[v] < c->shares[v])) continue;
            c->shares[v] = c->next[v];
            set_end(c, v);
            trajectories_change(&c->paths, (uint32_t)v);
        }
    }
}

static ruga_status advance(wrinkle_collide *c) {
    contact_mesh *m = c->mesh;
    for (size_t v = 0; v < m->vertex_count; v++) {
        c->shares[v] = c->next[v] = 1;
        set_end(c, v);
    }
    TRY(trajectories_find(&c->paths));
    TRY(stop_collisions(c));
    c->held = 0;
    for (size_t v = 0; v < m->vertex_count; v++) {
        c->held += !is_same(m->to[v], rounded(c, c->targets[v]));
        m->from[v] = m->to[v];
    }
    return RUGA_OK;
}

/* ---- A frame. */

/* Positions in the order of slots as targets. */
static void aim_at(const ruga_wrinkle_mesh *w, wrinkle_collide *c, const float *points) {
    for (size_t i = 0; i < c->mesh->vertex_count; i++) {
        const float *p = points + 4 * (size_t)w->slots[c->mesh->numbers[i]];
        c->targets[i] =
            vec3_make(w->origin[0] + (double)p[0], w->origin[1] + (double)p[1], w->origin[2] + (double)p[2]);
    }
}

static void start_flat(ruga_wrinkle_mesh *w, wrinkle_collide *c) {
    double greatest = 0;
    ruga_map_apply(w->map, w->exact_base, c->flat);
    for (size_t i = 0; i < c->mesh->vertex_count; i++) {
        const vec3 p = c->flat[c->mesh->numbers[i]];
        c->mesh->from[i] = p;
        greatest = fmax(greatest, fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z))));
    }
    c->is_float = greatest * FLT_EPSILON < COARSE * w->mean_edge;
}

/* Vertices that have not moved yet may not be floats: a last step rounds them. */
static ruga_status round_rest(wrinkle_collide *c) {
    const size_t held = c->held;
    size_t count = 0;
    for (size_t i = 0; i < c->mesh->vertex_count; i++) {
        c->targets[i] = rounded(c, c->mesh->from[i]);
        count += !is_same(c->targets[i], c->mesh->from[i]);
    }
    if (count > 0) TRY(advance(c));
    c->held = held;
    return RUGA_OK;
}

/* `shown`, and the same as the points that normals and lengths are measured on. */
static void show(ruga_wrinkle_mesh *w, wrinkle_collide *c) {
    for (size_t v = 0; v < w->fine->vertex_count; v++) c->shown[v] = c->flat[v];
    for (size_t i = 0; i < c->mesh->vertex_count; i++) c->shown[c->mesh->numbers[i]] = c->mesh->from[i];
    for (size_t v = 0; v < w->fine->vertex_count; v++) {
        c->shown[v] = c->shown[w->lowest[v]];
        const double p[3] = {c->shown[v].x, c->shown[v].y, c->shown[v].z};
        for (size_t k = 0; k < 3; k++) w->points[4 * (size_t)w->slots[v] + k] = (float)(p[k] - w->origin[k]);
    }
}

ruga_status wrinkle_collide_apply(ruga_wrinkle_mesh *w) {
    wrinkle_collide *c = w->collide;
    if (!c) return RUGA_OK;
    const double start = timer_now();
    start_flat(w, c);
    aim_at(w, c, w->anchors);
    TRY(advance(c));
    aim_at(w, c, w->points);
    TRY(advance(c));
    if (c->held > 0) TRY(advance(c)); /* others may have made room */
    TRY(round_rest(c));
    show(w, c);
    c->frames++;
    c->seconds += timer_now() - start;
    return RUGA_OK;
}

void wrinkle_collide_copy(const ruga_wrinkle_mesh *from, ruga_wrinkle_mesh *to) {
    if (!from->collide) return;
    memcpy(to->exact_base, from->exact_base, from->base->vertex_count * sizeof *from->exact_base);
    memcpy(to->collide->shown, from->collide->shown, from->fine->vertex_count * sizeof *from->collide->shown);
    to->collide->held = from->collide->held;
}

const ruga_vec3 *wrinkle_collide_shown(const wrinkle_collide *c) { return c ? c->shown : NULL; }

void wrinkle_collide_report(const wrinkle_collide *c, ruga_wrinkle_mesh_report *report) {
    if (!c) return;
    report->held_back = c->held;
    report->collision_seconds = c->frames > 0 ? c->seconds / (double)c->frames : 0;
}
