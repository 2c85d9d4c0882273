#include "contact/impacts.h"

#include "contact/thickness.h"
#include "math/vec3.h"

#define TOLERANCE 0.01 /* of the greatest thickness: smaller changes end the sweeps */

void impacts_release(impacts *all) {
    if (all->context) ARRAY_RELEASE(all->context, &all->items);
}

void impacts_clear(impacts *all) { all->items.count = 0; }

/* ---- Conditions. */

/* How near parts may come, in thicknesses: halfway between the thickness and the separation. */
static double nearest(const trajectories *t) { return (1 + t->separation) / 2; }

static void prepare_turn(const contact_mesh *m, const vec3 at[4], impact *i) {
    double total = 0;
    vec3 centre = {0, 0, 0};
    for (int k = 0; k < 4; k++) {
        double inverse_mass = m->inverse_masses[i->vertices[k]];
        if (inverse_mass == 0) return;
        centre = vec3_add_scaled(centre, at[k], 1 / inverse_mass);
        total += 1 / inverse_mass;
    }
    centre = vec3_scale(centre, 1 / total);
    symmetric3 inertia = {0};
    i->gap = (vec3){0, 0, 0};
    for (int k = 0; k < 4; k++) {
        i->arms[k] = vec3_sub(at[k], centre);
        i->gap = vec3_add_scaled(i->gap, at[k], i->weights[k]);
        symmetric3_add_inertia(&inertia, 1 / m->inverse_masses[i->vertices[k]], i->arms[k]);
    }
    i->inverse = symmetric3_pseudo_inverse(&inertia);
    i->turns = 1;
}

static int make_pair_impact(const trajectories *t, const collision *c, impact *out) {
    const contact_mesh *m = t->mesh;
    impact i = {0};
    vec3 at[4];
    for (int k = 0; k < 4; k++) {
        i.vertices[k] = c->pair.vertices[k];
        at[k] = vec3_mix(m->from[i.vertices[k]], m->to[i.vertices[k]], c->time);
    }
    pair_gap gap = gap_of((pair_kind)c->pair.kind, at);
    double start = 0, end = 0, mobility = 0; /* mobility: displacement of the gap per impulse */
    for (int k = 0; k < 4; k++) {
        i.weights[k] = gap.weights[k];
        mobility += i.weights[k] * i.weights[k] * m->inverse_masses[i.vertices[k]];
        start += gap.weights[k] * vec3_dot(gap.direction, m->from[i.vertices[k]]);
        end += gap.weights[k] * vec3_dot(gap.direction, m->to[i.vertices[k]]);
    }
    if (!(end < start) || !(mobility > 0)) return 0;
    i.normal = gap.direction;
    i.target = fmin(start, nearest(t) * pair_thickness(m, &c->pair));
    i.effective = 1 / mobility;
    i.friction = fmax(m->parts[m->part_of[i.vertices[0]]].friction, m->parts[m->part_of[i.vertices[3]]].friction);
    if (i.friction > 0) prepare_turn(m, at, &i);
    *out = i;
    return 1;
}

static impact make_plane_impact(const trajectories *t, const collision *c) {
    const contact_mesh *m = t->mesh;
    uint32_t v = c->pair.vertices[0];
    const collider *plane = &t->planes[c->pair.elements[1]];
    const contact_part *part = &m->parts[m->part_of[v]];
    vec3 normal = plane->axes[1];
    return (impact){
        .vertices = {v, v, v, v},
        .weights = {1, 0, 0, 0},
        .normal = normal,
        .target = vec3_dot(plane->point, normal) + fmin(plane_height(plane, m->from[v]), nearest(t) * part->thickness),
        .effective = 1 / m->inverse_masses[v],
        .friction = fmax(part->friction, plane->friction)};
}

ruga_status impacts_add(impacts *all, const trajectories *t) {
    all->context = t->context;
    TRY(ARRAY_RESERVE(t->context, &all->items, t->collisions.count));
    for (size_t k = 0; k < t->collisions.count; k++) {
        const collision *c = &t->collisions.items[k];
        impact *next = &all->items.items[all->items.count];
        if (c->pair.kind == PAIR_PLANE) *next = make_plane_impact(t, c);
        if (c->pair.kind == PAIR_PLANE || make_pair_impact(t, c, next)) all->items.count++;
    }
    return RUGA_OK;
}

/* ---- Solving. */

/* Moves the ends of the four trajectories by an impulse (kg m) at the gap, and rotates the four by `turn`. */
static void push(trajectories *t, const impact *i, vec3 impulse, vec3 turn) {
    const contact_mesh *m = t->mesh;
    for (int k = 0; k < 4; k++) {
        uint32_t v = i->vertices[k];
        double inverse_mass = m->inverse_masses[v];
        if (inverse_mass == 0 || (i->weights[k] == 0 && !i->turns)) continue;
        vec3 moved = vec3_add_scaled(m->to[v], impulse, i->weights[k] * inverse_mass);
        if (i->turns) moved = vec3_add(moved, vec3_cross(turn, i->arms[k]));
        m->to[v] = moved;
        trajectories_change(t, v);
    }
}

/* Returns how far the gap was moved, m. */
static double solve_normal(trajectories *t, impact *i) {
    const contact_mesh *m = t->mesh;
    double gap = 0;
    for (int k = 0; k < 4; k++) gap += i->weights[k] * vec3_dot(i->normal, m->to[i->vertices[k]]);
    double before = i->normal_sum, after = fmax(0, before + (i->target - gap) * i->effective);
    if (after == before) return 0;
    i->normal_sum = after;
    push(t, i, vec3_scale(i->normal, after - before), (vec3){0, 0, 0});
    return fabs(after - before) / i->effective;
}

/* The impulse that stops sliding, while the sum stays within Coulomb's cone. */
static void solve_friction(trajectories *t, impact *i) {
    const contact_mesh *m = t->mesh;
    vec3 slip = {0, 0, 0};
    for (int k = 0; k < 4; k++)
        slip = vec3_add_scaled(slip, vec3_sub(m->to[i->vertices[k]], m->from[i->vertices[k]]), i->weights[k]);
    slip = vec3_add_scaled(slip, i->normal, -vec3_dot(slip, i->normal));
    vec3 before = i->friction_sum, after = vec3_add_scaled(before, slip, -i->effective);
    double length = vec3_length(after), most = i->friction * i->normal_sum;
    if (length > most) after = vec3_scale(after, most / length);
    vec3 impulse = vec3_sub(after, before);
    if (!(vec3_length2(impulse) > 0)) return;
    i->friction_sum = after;
    vec3 turn = {0, 0, 0};
    if (i->turns) turn = vec3_scale(symmetric3_apply(&i->inverse, vec3_cross(i->gap, impulse)), -1);
    push(t, i, impulse, turn);
}

/* Forwards and backwards in turn: in one of both directions an impulse passes through a whole stack. */
void impacts_solve(impacts *all, trajectories *t) {
    size_t count = all->items.count;
    for (int sweep = 0; sweep < IMPACT_SWEEPS; sweep++) {
        double most = 0;
        t->work += count;
        for (size_t k = 0; k < count; k++) {
            impact *i = &all->items.items[sweep % 2 == 0 ? k : count - 1 - k];
            most = fmax(most, solve_normal(t, i));
            if (i->friction > 0) solve_friction(t, i);
        }
        if (most <= TOLERANCE * t->most) return;
    }
}
