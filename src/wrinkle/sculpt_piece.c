/* The piece of a mesh that strokes can touch, found without distances along the surface, since these are never shorter
 * than straight ones. Triangles are taken that are connected with the curve by ones that come near a place of it:
 * within the radius plus half the distance to the next such place. */
#include <math.h>
#include <string.h>

#include "wrinkle/sculpt.h"

/* Places of a curve around which triangles are taken, per radius of its length. */
#define PLACES_PER_RADIUS 8.0

static ruga_status allocate(ruga_context *context, sculpt_finder *f) {
    size_t vertices = f->mesh->vertex_count, triangles = f->mesh->triangle_count;
    TRY(NEW(context, &f->places, vertices));
    TRY(NEW_ZEROED(context, &f->vertex_visits, vertices));
    TRY(NEW_EACH_ZEROED(context, triangles, &f->triangle_visits, &f->taken));
    TRY(NEW(context, &f->triangles, triangles));
    TRY(NEW(context, &f->queue, vertices));
    memset(f->places, 0xff, vertices * sizeof *f->places);
    return RUGA_OK;
}

ruga_status sculpt_finder_make(const ruga_mesh *mesh, const topology *topo, sculpt_finder *out) {
    *out = (sculpt_finder){.mesh = mesh, .topo = topo};
    ruga_status status = allocate(mesh->context, out);
    if (RUGA_FAILED(status)) sculpt_finder_release(mesh->context, out);
    return status;
}

void sculpt_finder_release(ruga_context *context, sculpt_finder *f) {
    RELEASE_ALL(context, f->places, f->vertex_visits, f->triangle_visits, f->taken, f->triangles, f->queue);
    *f = (sculpt_finder){0};
}

/* ---- Taking triangles. */

static void take(sculpt_finder *f, uint32_t triangle) {
    if (f->taken[triangle]) return;
    f->taken[triangle] = 1;
    f->triangles[f->count++] = triangle;
}

void sculpt_finder_take_all(sculpt_finder *f) {
    for (size_t t = 0; t < f->mesh->triangle_count; t++) take(f, (uint32_t)t);
}

void sculpt_finder_take_curve(sculpt_finder *f, const ruga_curve *curve) {
    for (size_t i = 0; i < curve->point_count; i++) take(f, curve->points[i].triangle);
}

/* A new visit, which has reached no vertex or triangle yet. */
static void begin_visit(sculpt_finder *f) {
    if (++f->visit > 0) return;
    memset(f->vertex_visits, 0, f->mesh->vertex_count * sizeof *f->vertex_visits);
    memset(f->triangle_visits, 0, f->mesh->triangle_count * sizeof *f->triangle_visits);
    f->visit = 1;
}

/* Queues the corners of a triangle that the visit has not reached yet. */
static size_t queue_corners(sculpt_finder *f, uint32_t triangle, size_t queued) {
    for (size_t k = 0; k < 3; k++) {
        uint32_t v = f->mesh->triangles[3 * (size_t)triangle + k];
        if (f->vertex_visits[v] == f->visit) continue;
        f->vertex_visits[v] = f->visit;
        f->queue[queued++] = v;
    }
    return queued;
}

/* A place of a curve, and the distance (m) from it within which triangles are taken. */
typedef struct near_place {
    vec3 at;
    double distance;
} near_place;

/* The ball around a triangle. */
typedef struct triangle_ball {
    vec3 middle;
    double radius; /* m */
} triangle_ball;

static triangle_ball ball_around(const sculpt_finder *f, uint32_t triangle) {
    const uint32_t *t = f->mesh->triangles + 3 * (size_t)triangle;
    vec3 a = f->mesh->positions[t[0]], b = f->mesh->positions[t[1]], c = f->mesh->positions[t[2]];
    vec3 middle = vec3_scale(vec3_add(a, vec3_add(b, c)), 1.0 / 3);
    double to_a = vec3_length2(vec3_sub(a, middle)), to_b = vec3_length2(vec3_sub(b, middle)),
           to_c = vec3_length2(vec3_sub(c, middle)), most = to_a > to_b ? to_a : to_b;
    return (triangle_ball){middle, sqrt(most > to_c ? most : to_c)};
}

/* Whether the triangle in a ball may have a place within the distance. */
static int comes_near(const triangle_ball *ball, const near_place *place) {
    double reach = place->distance + ball->radius;
    return vec3_length2(vec3_sub(place->at, ball->middle)) <= reach * reach;
}

/* Takes triangles that are connected with those of the curve's points by ones that come near one of the places. Most
 * are near the place that the triangle before was near. */
static void take_around(sculpt_finder *f, const ruga_curve *curve, const near_place *places, size_t count) {
    const topology *topo = f->topo;
    size_t queued = 0, place = 0;
    begin_visit(f);
    for (size_t i = 0; i < curve->point_count; i++) {
        uint32_t triangle = curve->points[i].triangle;
        take(f, triangle);
        f->triangle_visits[triangle] = f->visit;
        queued = queue_corners(f, triangle, queued);
    }
    for (size_t i = 0; i < queued; i++)
        for (uint32_t e = topo->fan_offsets[f->queue[i]]; e < topo->fan_offsets[f->queue[i] + 1]; e++) {
            uint32_t next = topo->fan_triangles[e];
            if (f->triangle_visits[next] == f->visit) continue;
            f->triangle_visits[next] = f->visit;
            const triangle_ball ball = ball_around(f, next);
            size_t tried = 0;
            while (tried < count && !comes_near(&ball, &places[place])) {
                place = place + 1 < count ? place + 1 : 0;
                tried++;
            }
            if (tried == count) continue;
            take(f, next);
            queued = queue_corners(f, next, queued);
        }
}

ruga_status sculpt_finder_take_near(sculpt_finder *f, const ruga_curve *curve, const sculpt_drawn *drawn,
                                    double radius) {
    size_t last = drawn->count - 1, count = 0;
    double step = radius / PLACES_PER_RADIUS, before = drawn->closed ? drawn->arcs[last + 1] - drawn->arcs[last] : 0;
    near_place *places;
    TRY(NEW(f->mesh->context, &places, drawn->count));
    for (size_t i = 0; i < drawn->count;) {
        /* The last point within a step; at least the next. */
        size_t next = i + 1;
        while (next + 1 < drawn->count && drawn->arcs[next + 1] - drawn->arcs[i] <= step) next++;
        double after = next < drawn->count || drawn->closed ? drawn->arcs[next] - drawn->arcs[i] : 0;
        places[count++] = (near_place){drawn->points[i], radius + 0.5 * fmax(before, after)};
        before = after;
        i = next;
    }
    take_around(f, curve, places, count);
    memory_release(f->mesh->context, places);
    return RUGA_OK;
}

void sculpt_finder_grow(sculpt_finder *f, int rings) {
    const topology *topo = f->topo;
    size_t done = 0;
    begin_visit(f);
    for (int ring = 0; ring < rings; ring++) {
        size_t queued = 0;
        for (; done < f->count; done++) queued = queue_corners(f, f->triangles[done], queued);
        for (size_t i = 0; i < queued; i++)
            for (uint32_t e = topo->fan_offsets[f->queue[i]]; e < topo->fan_offsets[f->queue[i] + 1]; e++)
                take(f, topo->fan_triangles[e]);
    }
}

ruga_status sculpt_finder_cut_out(sculpt_finder *f, mesh_piece *out) {
    size_t triangles = f->mesh->triangle_count, count = 0;
    /* Lists the taken triangles, rising, and clears the marks. Eight marks at a time: most are not set. */
    for (size_t t = 0; t < triangles; t++) {
        uint64_t eight = 0;
        while (t + 8 <= triangles && (memcpy(&eight, f->taken + t, 8), eight == 0)) t += 8;
        if (t >= triangles) break;
        if (f->taken[t]) f->triangles[count++] = (uint32_t)t;
        f->taken[t] = 0;
    }
    f->count = 0;
    return mesh_piece_make(f->mesh, f->triangles, count, f->places, out);
}
