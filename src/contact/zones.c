#include "contact/zones.h"

#include "base/sort.h"
#include "math/rigid_motion.h"
#include "math/vec3.h"

#define NO_ZONE UINT32_MAX
#define WIDEST_HALF_TURN 0.5 /* cosine: a zone is carried by rotations below 120 degrees */
#define RIGID 0.1            /* of the separation: deviation of kinematic vertices from a rigid motion, at most */
#define NEAREST 0.1          /* of the thickness: least distance to an anchor that counts */
#define MOST_IDLE 32         /* rounds in which no zone grew; the number of others is bounded */

enum { DIRTY = 1 };

static ruga_status allocate(zones *z, size_t count) {
    TRY(NEW(z->context, &z->zone_of, count));
    TRY(NEW(z->context, &z->next, count));
    TRY(NEW(z->context, &z->last, count));
    TRY(NEW(z->context, &z->size, count));
    TRY(NEW(z->context, &z->kind, count));
    TRY(NEW(z->context, &z->state, count));
    TRY(NEW(z->context, &z->base, count));
    TRY(ARRAY_RESERVE(z->context, &z->members, count));
    for (size_t v = 0; v < count; v++) z->zone_of[v] = NO_ZONE;
    return RUGA_OK;
}

ruga_status zones_init(zones *z, ruga_context *context, size_t vertex_count) {
    *z = (zones){.context = context, .vertex_count = vertex_count};
    ruga_status status = allocate(z, vertex_count);
    if (RUGA_FAILED(status)) zones_release(z);
    return status;
}

void zones_release(zones *z) {
    if (!z->context) return;
    RELEASE_ALL(z->context, z->zone_of, z->next, z->last, z->size, z->kind, z->state, z->base, z->members.items,
                z->contacts.items, z->order.items, z->known.items, z->anchors.items, z->places.items, z->stuck.items);
    *z = (zones){0};
}

/* ---- Joining. */

/* The smaller zone joins the larger one; a parted zone stays parted. */
static uint32_t merge(zones *z, uint32_t a, uint32_t b) {
    if (a == b) return a;
    uint32_t sizes[2] = {z->size[a], z->size[b]};
    if (sizes[0] < sizes[1] || (sizes[0] == sizes[1] && b < a)) {
        uint32_t c = a;
        a = b;
        b = c;
    }
    for (uint32_t v = b; v != NO_ZONE; v = z->next[v]) z->zone_of[v] = a;
    z->next[z->last[a]] = b;
    z->last[a] = z->last[b];
    z->size[a] += z->size[b];
    if (z->kind[b] == ZONE_PARTED) z->kind[a] = ZONE_PARTED;
    return a;
}

/* The zone of the vertices of a pair that forces move; NO_ZONE when none does. */
static uint32_t join(zones *z, const contact_mesh *m, const contact_pair *p) {
    uint32_t zone = NO_ZONE;
    for (int k = 0; k < 4; k++) {
        uint32_t v = p->vertices[k];
        if (m->inverse_masses[v] == 0) continue;
        if (z->zone_of[v] == NO_ZONE) {
            z->zone_of[v] = z->last[v] = v;
            z->next[v] = NO_ZONE;
            z->size[v] = 1;
            z->kind[v] = ZONE_FREE;
            z->state[v] = 0;
            z->base[v] = m->to[v];
            z->members.items[z->members.count++] = v;
        }
        zone = zone == NO_ZONE ? z->zone_of[v] : merge(z, zone, z->zone_of[v]);
    }
    return zone;
}

static ruga_status add_stuck(zones *z, const collision *c) {
    TRY(ARRAY_RESERVE(z->context, &z->stuck, 1));
    z->stuck.items[z->stuck.count++] = *c;
    return RUGA_OK;
}

/* Whether all vertices of a pair that forces move are in one zone already. */
static int is_within(const zones *z, const contact_mesh *m, const contact_pair *p) {
    uint32_t zone = NO_ZONE;
    for (int k = 0; k < 4; k++) {
        uint32_t v = p->vertices[k];
        if (m->inverse_masses[v] == 0) continue;
        if (z->zone_of[v] == NO_ZONE || (zone != NO_ZONE && z->zone_of[v] != zone)) return 0;
        zone = z->zone_of[v];
    }
    return 1;
}

/* Adds the collisions of the last check; *more: there are zones whose displacement must be found. */
static ruga_status take_collisions(zones *z, const trajectories *t, int *more) {
    const contact_mesh *m = t->mesh;
    const size_t known = z->known.count;
    int grew = 0;
    *more = 0;
    for (size_t i = 0; i < t->collisions.count; i++) {
        const collision *c = &t->collisions.items[i];
        int within = is_within(z, m, &c->pair);
        uint32_t zone = join(z, m, &c->pair);
        int is_known = within && (zone == NO_ZONE || z->idle > MOST_IDLE ||
                                  keys_contain(z->known.items, known, pair_key(&c->pair)));
        /* A known pair still collides within its zone, so the zone does not meet the conditions above: a carried zone
         * becomes parted, and in a parted one the pair is stuck. */
        if (is_known && (zone == NO_ZONE || z->kind[zone] == ZONE_PARTED)) {
            TRY(add_stuck(z, c));
            continue;
        }
        z->state[zone] = DIRTY;
        *more = 1;
        if (is_known) {
            z->kind[zone] = ZONE_PARTED;
            continue;
        }
        grew |= !within;
        TRY(ARRAY_RESERVE(z->context, &z->contacts, 1));
        TRY(ARRAY_RESERVE(z->context, &z->known, 1));
        z->contacts.items[z->contacts.count++] = c->pair;
        z->known.items[z->known.count++] = pair_key(&c->pair);
    }
    z->idle += !grew;
    sort_keys(z->known.items, z->known.count);
    return RUGA_OK;
}

/* ---- Displacements. */

static void set_end(trajectories *t, uint32_t v, vec3 end) {
    vec3 *to = &t->mesh->to[v];
    if (end.x == to->x && end.y == to->y && end.z == to->z) return;
    *to = end;
    trajectories_change(t, v);
}

/* The rigid velocity field with the momentum and the angular momentum of the displacements that it replaces. */
static void move_free(const zones *z, trajectories *t, uint32_t zone) {
    const contact_mesh *m = t->mesh;
    double mass = 0;
    vec3 centre = {0, 0, 0}, shift = {0, 0, 0}, moment = {0, 0, 0};
    for (uint32_t v = zone; v != NO_ZONE; v = z->next[v]) {
        double own = 1 / m->inverse_masses[v];
        mass += own;
        centre = vec3_add_scaled(centre, m->from[v], own);
        shift = vec3_add_scaled(shift, vec3_sub(z->base[v], m->from[v]), own);
    }
    centre = vec3_scale(centre, 1 / mass);
    shift = vec3_scale(shift, 1 / mass);
    symmetric3 inertia = {0};
    for (uint32_t v = zone; v != NO_ZONE; v = z->next[v]) {
        double own = 1 / m->inverse_masses[v];
        vec3 arm = vec3_sub(m->from[v], centre), rest = vec3_sub(vec3_sub(z->base[v], m->from[v]), shift);
        moment = vec3_add_scaled(moment, vec3_cross(arm, rest), own);
        symmetric3_add_inertia(&inertia, own, arm);
    }
    symmetric3 inverse = symmetric3_pseudo_inverse(&inertia);
    vec3 turn = symmetric3_apply(&inverse, moment);
    for (uint32_t v = zone; v != NO_ZONE; v = z->next[v]) {
        vec3 arm = vec3_sub(m->from[v], centre);
        set_end(t, v, vec3_add(m->from[v], vec3_add(shift, vec3_cross(turn, arm))));
    }
}

/* Whether all anchors move by the same vector, bit for bit: nothing is lost to rounding then. */
static int moves_as_one(const zones *z, const contact_mesh *m, vec3 *shift) {
    for (size_t i = 0; i < z->anchors.count; i++) {
        uint32_t v = z->anchors.items[i];
        vec3 own = vec3_sub(m->to[v], m->from[v]);
        if (i == 0) *shift = own;
        if (own.x != shift->x || own.y != shift->y || own.z != shift->z) return 0;
    }
    return 1;
}

/* Moves a zone with its anchors if those move rigidly; plane: it touches a static plane too. Returns 0 if they
 * don't. */
static int move_carried(const zones *z, trajectories *t, uint32_t zone, int plane) {
    const contact_mesh *m = t->mesh;
    vec3 shift = {0, 0, 0};
    if (moves_as_one(z, m, &shift) && !(plane && vec3_length2(shift) > 0)) {
        for (uint32_t v = zone; v != NO_ZONE; v = z->next[v]) set_end(t, v, vec3_add(m->from[v], shift));
        return 1;
    }
    rigid_motion motion;
    if (plane || rigid_motion_fit(z->anchors.count, z->anchors.items, m->from, m->to, &motion) < WIDEST_HALF_TURN)
        return 0;
    for (size_t i = 0; i < z->anchors.count; i++) {
        uint32_t v = z->anchors.items[i];
        double off = vec3_distance(rigid_motion_apply(&motion, m->from[v]), m->to[v]);
        if (!(off <= RIGID * t->separation * t->most)) return 0;
    }
    for (uint32_t v = zone; v != NO_ZONE; v = z->next[v]) set_end(t, v, rigid_motion_apply(&motion, m->from[v]));
    return 1;
}

/* Each vertex follows the anchors, mostly the nearest: the weights are distance to the power of -4, so the field is
 * smooth, and flat at the anchors. Shorter displacements make it as flat as needed everywhere. */
static void move_parted(const zones *z, trajectories *t, uint32_t zone) {
    const contact_mesh *m = t->mesh;
    double least = NEAREST * t->most * NEAREST * t->most;
    for (uint32_t v = zone; v != NO_ZONE; v = z->next[v]) {
        vec3 sum = {0, 0, 0};
        double total = 0;
        for (size_t i = 0; i < z->places.count; i++) {
            const zone_place *place = &z->places.items[i];
            double near = vec3_length2(vec3_sub(m->from[v], place->point)) + least, weight = 1 / (near * near);
            sum = vec3_add_scaled(sum, place->displacement, weight);
            total += weight;
        }
        set_end(t, v, vec3_add_scaled(m->from[v], sum, 1 / total));
    }
}

/* ---- Rounds. */

static ruga_status order_contacts(zones *z, const contact_mesh *m) {
    z->order.count = 0;
    TRY(ARRAY_RESERVE(z->context, &z->order, z->contacts.count));
    for (size_t i = 0; i < z->contacts.count; i++) {
        const uint32_t *v = z->contacts.items[i].vertices;
        int k = 0;
        while (m->inverse_masses[v[k]] == 0) k++;
        z->order.items[z->order.count++] = (uint64_t)z->zone_of[v[k]] << 32 | i;
    }
    sort_keys(z->order.items, z->order.count);
    return RUGA_OK;
}

/* The kinematic vertices that a zone touches, each once, and places on planes. */
static ruga_status find_anchors(zones *z, const trajectories *t, size_t begin, size_t end, int *plane) {
    const contact_mesh *m = t->mesh;
    *plane = 0;
    z->anchors.count = z->places.count = 0;
    TRY(ARRAY_RESERVE(z->context, &z->anchors, 4 * (end - begin)));
    TRY(ARRAY_RESERVE(z->context, &z->places, 4 * (end - begin)));
    for (size_t i = begin; i < end; i++) {
        const contact_pair *p = &z->contacts.items[(uint32_t)z->order.items[i]];
        for (int k = 0; k < 4; k++)
            if (m->inverse_masses[p->vertices[k]] == 0) z->anchors.items[z->anchors.count++] = p->vertices[k];
        if (p->kind != PAIR_PLANE) continue;
        *plane = 1;
        const collider *c = &t->planes[p->elements[1]];
        vec3 x = m->from[p->vertices[0]];
        z->places.items[z->places.count++] =
            (zone_place){vec3_add_scaled(x, c->axes[1], -plane_height(c, x)), {0, 0, 0}};
    }
    sort_indices(z->anchors.items, z->anchors.count);
    size_t count = 0;
    for (size_t i = 0; i < z->anchors.count; i++) {
        uint32_t v = z->anchors.items[i];
        if (i > 0 && v == z->anchors.items[count - 1]) continue;
        z->anchors.items[count++] = v;
        z->places.items[z->places.count++] = (zone_place){m->from[v], vec3_sub(m->to[v], m->from[v])};
    }
    z->anchors.count = count;
    return RUGA_OK;
}

static ruga_status move_zone(zones *z, trajectories *t, uint32_t zone, size_t begin, size_t end) {
    int plane;
    TRY(find_anchors(z, t, begin, end, &plane));
    if (z->places.count == 0) {
        move_free(z, t, zone);
        return RUGA_OK;
    }
    if (z->kind[zone] != ZONE_PARTED) z->kind[zone] = move_carried(z, t, zone, plane) ? ZONE_CARRIED : ZONE_PARTED;
    if (z->kind[zone] != ZONE_PARTED) return RUGA_OK;
    for (size_t i = 1; i < z->places.count; i++)
        z->spread = fmax(z->spread, vec3_distance(z->places.items[i].displacement, z->places.items[0].displacement));
    move_parted(z, t, zone);
    return RUGA_OK;
}

/* Moves all zones that are dirty. */
static ruga_status move_zones(zones *z, trajectories *t) {
    TRY(order_contacts(z, t->mesh));
    for (size_t begin = 0, end; begin < z->order.count; begin = end) {
        uint32_t zone = (uint32_t)(z->order.items[begin] >> 32);
        for (end = begin; end < z->order.count && (uint32_t)(z->order.items[end] >> 32) == zone;) end++;
        if (z->state[zone] == DIRTY) TRY(move_zone(z, t, zone, begin, end));
        z->state[zone] = 0;
    }
    return RUGA_OK;
}

/* Pairs within a free or a carried zone can't collide. */
static int is_safe(const void *argument, const contact_pair *p) {
    const zones *z = argument;
    uint32_t zone = z->zone_of[p->vertices[0]];
    if (p->kind == PAIR_PLANE || zone == NO_ZONE || z->kind[zone] == ZONE_PARTED) return 0;
    for (int k = 1; k < 4; k++)
        if (z->zone_of[p->vertices[k]] != zone) return 0;
    return 1;
}

/* Keeps the stuck pairs that still collide, each once. */
static void settle_stuck(zones *z, const trajectories *t) {
    size_t kept = 0;
    for (size_t i = 0; i < z->stuck.count; i++) {
        collision c = z->stuck.items[i];
        size_t k = 0;
        while (k < kept && pair_key(&z->stuck.items[k].pair) != pair_key(&c.pair)) k++;
        if (k == kept && trajectories_collide(t, &c.pair, &c.time)) z->stuck.items[kept++] = c;
    }
    z->stuck.count = kept;
}

ruga_status zones_resolve(zones *z, trajectories *t, double widest) {
    for (size_t i = 0; i < z->members.count; i++) z->zone_of[z->members.items[i]] = NO_ZONE;
    z->members.count = z->contacts.count = z->known.count = z->stuck.count = 0;
    z->idle = 0;
    z->spread = 0;
    for (;;) {
        int more;
        TRY(take_collisions(z, t, &more));
        if (!more) break;
        TRY(move_zones(z, t));
        if (z->spread > widest) {
            z->stuck.count = 0;
            for (size_t i = 0; i < t->collisions.count; i++) TRY(add_stuck(z, &t->collisions.items[i]));
            return RUGA_OK;
        }
        trajectories_recheck(t);
        TRY(trajectories_check(t, is_safe, z));
    }
    settle_stuck(z, t);
    return RUGA_OK;
}
