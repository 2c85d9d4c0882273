/* The energy of vertices above colliders; the header has the equations. */
#include "contact/obstacles.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"
#include "contact/barrier.h"
#include "linalg/map.h"
#include "math/vec3.h"

#define VERTEX_BLOCK 1024
#define KEPT 0.1   /* of the lesser of height and reach: nearer no step leads */
#define EXACT 1e-3 /* of what may be lost: a remainder below it ends the advance */
enum { MOST_ADVANCES = 200 };

/* A vertex within the reach of a collider. */
typedef struct touch {
    uint32_t vertex;
    vec3 normal;
    double curvature; /* N/m: b'' */
} touch;

struct obstacles {
    energy_term base;
    obstacles_def def;
    uint32_t *vertices; /* (count) those that collide */
    double *stiffness;  /* (count) */
    size_t count;
    size_t collider_count;
    const collider *colliders;
    ARRAY(touch) touches; /* of the last linearisation */
};

static const energy_interface interface_of_obstacles;

static ruga_status make(obstacles *self, const obstacles_def *def) {
    TRY(NEW(def->context, &self->vertices, def->vertex_count));
    TRY(NEW(def->context, &self->stiffness, def->vertex_count));
    for (uint32_t v = 0; v < def->vertex_count; v++) {
        if (def->collides && !def->collides[v]) continue;
        self->stiffness[self->count] = def->stiffness[v];
        self->vertices[self->count++] = v;
    }
    return RUGA_OK;
}

ruga_status obstacles_create(const obstacles_def *def, obstacles **out) {
    obstacles *self;
    TRY(NEW_ZEROED(def->context, &self, 1));
    self->base =
        (energy_term){.interface = &interface_of_obstacles, .context = def->context, .point_count = def->point_count};
    self->def = *def;
    RETURN_MADE(make(self, def), self, out, obstacles_destroy(self));
}

void obstacles_destroy(obstacles *self) {
    if (!self) return;
    ARRAY_RELEASE(self->base.context, &self->touches);
    RELEASE_ALL(self->base.context, self->vertices, self->stiffness, self);
}

energy_term *obstacles_term(obstacles *self) { return &self->base; }
size_t obstacles_touch_count(const obstacles *self) { return self->touches.count; }

void obstacles_set(obstacles *self, size_t count, const collider *colliders) {
    self->collider_count = count;
    self->colliders = colliders;
    self->base.revision++;
}

/* ---- Value and gradient. */

typedef struct obstacle_task {
    const obstacles *self;
    const vec3 *from, *to;
} obstacle_task;

static double sum_energies(void *argument, size_t begin, size_t end) {
    const obstacle_task *task = argument;
    const obstacles *self = task->self;
    double sum = 0, force, curvature;
    vec3 normal;
    for (size_t i = begin; i < end; i++) {
        const vec3 x = map_row_of(self->def.visible, task->from, self->vertices[i]);
        for (size_t c = 0; c < self->collider_count; c++)
            sum += barrier_energy(self->stiffness[i], collider_distance(&self->colliders[c], x, &normal),
                                  self->def.reach, &force, &curvature);
    }
    return sum;
}

static double value(const energy_term *term, const vec3 *positions) {
    obstacle_task task = {.self = (const obstacles *)term, .from = positions};
    return parallel_sum(term->context, task.self->count, VERTEX_BLOCK, sum_energies, &task);
}

static double add_gradient(const energy_term *term, const vec3 *positions, double scale, vec3 *out) {
    const obstacles *self = (const obstacles *)term;
    double sum = 0, force, curvature;
    vec3 normal;
    for (size_t i = 0; i < self->count; i++) {
        const vec3 x = map_row_of(self->def.visible, positions, self->vertices[i]);
        for (size_t c = 0; c < self->collider_count; c++) {
            sum += barrier_energy(self->stiffness[i], collider_distance(&self->colliders[c], x, &normal),
                                  self->def.reach, &force, &curvature);
            if (force != 0) map_add_row(self->def.visible, self->vertices[i], normal, -scale * force, out);
        }
    }
    return sum;
}

/* ---- The Hessian. */

static ruga_status linearise(energy_term *term, const vec3 *positions, energy_weights weights, int definite) {
    obstacles *self = (obstacles *)term;
    double force;
    (void)definite;
    self->touches.count = 0;
    for (size_t i = 0; i < self->count; i++) {
        const vec3 x = map_row_of(self->def.visible, positions, self->vertices[i]);
        for (size_t c = 0; c < self->collider_count; c++) {
            touch t = {.vertex = self->vertices[i]};
            const double height = collider_distance(&self->colliders[c], x, &t.normal);
            barrier_energy(self->stiffness[i], height, self->def.reach, &force, &t.curvature);
            t.curvature *= weights.stiffness;
            if (t.curvature > 0) TRY(ARRAY_ADD(term->context, &self->touches, t));
        }
    }
    return RUGA_OK;
}

static void add_product(const energy_term *term, double scale, const vec3 *direction, vec3 *out) {
    const obstacles *self = (const obstacles *)term;
    for (size_t i = 0; i < self->touches.count; i++) {
        const touch *t = &self->touches.items[i];
        const double along = vec3_dot(t->normal, map_row_of(self->def.visible, direction, t->vertex));
        map_add_row(self->def.visible, t->vertex, t->normal, scale * t->curvature * along, out);
    }
}

static void add_blocks(const energy_term *term, double scale, mat3 *blocks) {
    const obstacles *self = (const obstacles *)term;
    const ruga_map *map = self->def.visible;
    for (size_t i = 0; i < self->touches.count; i++) {
        const touch *t = &self->touches.items[i];
        const double k = scale * t->curvature;
        if (!map) mat3_add_outer(&blocks[t->vertex], k, t->normal, t->normal);
        for (size_t e = map ? map->offsets[t->vertex] : 0; map && e < map->offsets[t->vertex + 1]; e++)
            mat3_add_outer(&blocks[map->indices[e]], k * map->weights[e] * map->weights[e], t->normal, t->normal);
    }
}

static const energy_interface interface_of_obstacles = {.name = "colliders",
                                                        .value = value,
                                                        .add_gradient = add_gradient,
                                                        .linearise = linearise,
                                                        .add_product = add_product,
                                                        .add_blocks = add_blocks};

/* ---- Limits. */

ruga_status obstacles_check(const obstacles *self, const ruga_vec3 *points) {
    vec3 normal;
    for (size_t i = 0; i < self->count; i++) {
        const vec3 x = map_row_of(self->def.visible, points, self->vertices[i]);
        for (size_t c = 0; c < self->collider_count; c++) {
            const double height = collider_distance(&self->colliders[c], x, &normal);
            if (height > 0) continue;
            return fail_input(self->base.context,
                              "vertex %u at (%g, %g, %g) is %g m inside of collider %zu; bodies in equilibrium have to "
                              "begin outside: move it, or the collider, by at least %g m",
                              self->vertices[i], x.x, x.y, x.z, -height, c, self->def.reach / 2 - height);
        }
    }
    return RUGA_OK;
}

/* The part of one vertex's displacement after which a collider is not nearer than allowed. */
static double advance(const collider *c, double reach, vec3 from, vec3 to) {
    vec3 normal;
    const double length = vec3_distance(from, to), start = collider_distance(c, from, &normal);
    const double kept = KEPT * fmin(start, reach), exact = EXACT * (start - kept);
    double part = 0, height = start;
    if (!(start > kept)) return 0; /* no number, or inside */
    for (int k = 0; k < MOST_ADVANCES && part < 1; k++) {
        if (height - kept <= exact) return part;
        part = fmin(1, part + (height - kept) / length);
        height = collider_distance(c, vec3_mix(from, to, part), &normal);
    }
    return part;
}

static void limit_block(const obstacle_task *task, size_t begin, size_t end, double *least) {
    const obstacles *self = task->self;
    for (size_t i = begin; i < end; i++) {
        const vec3 from = map_row_of(self->def.visible, task->from, self->vertices[i]);
        const vec3 to = map_row_of(self->def.visible, task->to, self->vertices[i]);
        if (!(vec3_distance(from, to) > 0)) continue;
        for (size_t c = 0; c < self->collider_count; c++)
            *least = fmin(*least, advance(&self->colliders[c], self->def.reach, from, to));
    }
}

double obstacles_limit(const obstacles *self, const ruga_vec3 *from, const ruga_vec3 *to) {
    const obstacle_task task = {self, from, to};
    double least = 1;
    limit_block(&task, 0, self->count, &least);
    return least;
}
