#include "contact/zones.h"

#include "base/sort.h"
#include "math/rigid.h"
#include "math/vec3.h"

#define NO_ZONE UINT32_MAX
#define WIDEST_HALF_TURN 0.5 /* cosine: a zone is carried through less than 120 degrees */
#define RIGID 0.1            /* of the separation: how far kinematic vertices may be from moving as one */
#define NEAREST 0.1          /* of the thickness: distances to anchors do not count as less */
#define MOST_IDLE 32         /* rounds in which no zone grew; those in which one does end by themselves */

enum { DIRTY = 1 };

/* ---- Making. */

ruga_status zones_init(zones *z, ruga_context *context, size_t vertex_count) {
    *z = (zones){.context = context, .vertex_count = vertex_count};
    z->zone_of = ALLOCATE(context, uint32_t, vertex_count);
    z->next = ALLOCATE(context, uint32_t, vertex_count);
    z->last = ALLOCATE(context, uint32_t, vertex_count);
    z->size = ALLOCATE(context, uint32_t, vertex_count);
    z->kind = ALLOCATE(context, unsigned char, vertex_count);
    z->state = ALLOCATE(context, unsigned char, vertex_count);
    z->base = ALLOCATE(context, vec3, vertex_count);
    int all = z->zone_of && z->next && z->last && z->size && z->kind && z->state && z->base;
    ruga_status status =
        all ? ARRAY_RESERVE(context, &z->members, vertex_count) : fail_memory(context, vertex_count * sizeof(vec3));
    if (RUGA_FAILED(status)) {
        zones_release(z);
        return status;
    }
    for (size_t v = 0; v < vertex_count; v++) z->zone_of[v] = NO_ZONE;
    return RUGA_OK;
}

void zones_release(zones *z) {
    ruga_context *context = z->context;
    if (!context) return;
    memory_release(context, z->zone_of);
    memory_release(context, z->next);
    memory_release(context, z->last);
    memory_release(context, z->size);
    memory_release(context, z->kind);
    memory_release(context, z->state);
    memory_release(context, z->base);
    ARRAY_RELEASE(context, &z->members);
    ARRAY_RELEASE(context, &z->contacts);
    ARRAY_RELEASE(context, &z->order);
    ARRAY_RELEASE(context, &z->known);
    ARRAY_RELEASE(context, &z->anchors);
    ARRAY_RELEASE(context, &z->places);
    ARRAY_RELEASE(context, &z->stuck);
    *z = (zones){0};
}

static void clear(zones *z) {
    for (size_t i = 0; i < z->members.count; i++) z->zone_of[z->members.items[i]] = NO_ZONE;
    z->members.count = z->contacts.count = z->known.count = z->stuck.count = 0;
    z->idle = 0;
    z->spread = 0;
}

/* ---- Joining. */

static void begin_zone(zones *z, const contact_mesh *m, uint32_t v) {
    z->zone_of[v] = z->last[v] = v;
    z->next[v] = NO_ZONE;
    z->size[v] = 1;
    z->kind[v] = ZONE_FREE;
    z->state[v] = 0;
    z->base[v] = m->to[v];
    z->members.items[z->members.count++] = v;
}

/* The smaller one joins the larger one; a parted zone stays parted. */
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
        if (z->zone_of[v] == NO_ZONE) begin_zone(z, m, v);
        zone = zone == NO_ZONE ? z->zone_of[v] : merge(z, zone, z->zone_of[v]);
    }
    return zone;
}

static ruga_status add_contact(zones *z, const contact_pair *p) {
    TRY(ARRAY_RESERVE(z->context, &z->contacts, 1));
    TRY(ARRAY_RESERVE(z->context, &z->known, 1));
    z->contacts.items[z->contacts.count++] = *p;
    z->known.items[z->known.count++] = pair_key(p);
    return RUGA_OK;
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

/* A pair that collides within its zone though the zone knew it does so because the zone is not what the theorems ask for:
 * carried zones are parted then, and in parted ones it is stuck. Whether it was dealt with so. */
static ruga_status take_hopeless(zones *z, uint32_t zone, const collision *c, int *more) {
    if (zone == NO_ZONE || z->kind[zone] == ZONE_PARTED) return add_stuck(z, c);
    z->kind[zone] = ZONE_PARTED;
    z->state[zone] = DIRTY;
    *more = 1;
    return RUGA_OK;
}

/* Takes the collisions of the last check in; *more tells whether there are zones to find ways for. */
static ruga_status take_collisions(zones *z, const ways *w, int *more) {
    const contact_mesh *m = w->mesh;
    const size_t known = z->known.count;
    int grew = 0;
    *more = 0;
    for (size_t i = 0; i < w->collisions.count; i++) {
        const collision *c = &w->collisions.items[i];
        int within = is_within(z, m, &c->pair);
        uint32_t zone = join(z, m, &c->pair);
        if (within &&
            (zone == NO_ZONE || z->idle > MOST_IDLE || keys_have(z->known.items, known, pair_key(&c->pair)))) {
            TRY(take_hopeless(z, zone, c, more));
            continue;
        }
        TRY(add_contact(z, &c->pair));
        z->state[zone] = DIRTY;
        grew |= !within;
        *more = 1;
    }
    z->idle += !grew;
    sort_keys(z->known.items, z->known.count);
    return RUGA_OK;
}

/* ---- Ways. */

static void set_end(ways *w, uint32_t v, vec3 end) {
    vec3 *to = &w->mesh->to[v];
    if (end.x == to->x && end.y == to->y && end.z == to->z) return;
    *to = end;
    ways_change(w, v);
}

/* The rigid velocity field with the momentum and the angular momentum of the ways that it replaces. */
static void move_free(const zones *z, ways *w, uint32_t zone) {
    const contact_mesh *m = w->mesh;
    double mass = 0;
    vec3 centre = {0, 0, 0}, way = {0, 0, 0}, moment = {0, 0, 0};
    for (uint32_t v = zone; v != NO_ZONE; v = z->next[v]) {
        double own = 1 / m->inverse_masses[v];
        mass += own;
        centre = vec3_add_scaled(centre, m->from[v], own);
        way = vec3_add_scaled(way, vec3_sub(z->base[v], m->from[v]), own);
    }
    centre = vec3_scale(centre, 1 / mass);
    way = vec3_scale(way, 1 / mass);
    symmetric3 inertia = {0};
    for (uint32_t v = zone; v != NO_ZONE; v = z->next[v]) {
        double own = 1 / m->inverse_masses[v];
        vec3 arm = vec3_sub(m->from[v], centre), rest = vec3_sub(vec3_sub(z->base[v], m->from[v]), way);
        moment = vec3_add_scaled(moment, vec3_cross(arm, rest), own);
        symmetric3_add_inertia(&inertia, own, arm);
    }
    symmetric3 inverse = symmetric3_pseudo_inverse(&inertia);
    vec3 turn = symmetric3_apply(&inverse, moment);
    for (uint32_t v = zone; v != NO_ZONE; v = z->next[v]) {
        vec3 arm = vec3_sub(m->from[v], centre);
        set_end(w, v, vec3_add(m->from[v], vec3_add(way, vec3_cross(turn, arm))));
    }
}

/* Whether all anchors move by the same vector, to the bit: nothing is lost to rounding then. */
static int move_alike(const zones *z, const contact_mesh *m, vec3 *way) {
    for (size_t i = 0; i < z->anchors.count; i++) {
        uint32_t v = z->anchors.items[i];
        vec3 own = vec3_sub(m->to[v], m->from[v]);
        if (i == 0) *way = own;
        if (own.x != way->x || own.y != way->y || own.z != way->z) return 0;
    }
    return 1;
}

/* Goes with the anchors if those move as one; plane: it touches what stands still. Returns 0 when they don't. */
static int move_carried(const zones *z, ways *w, uint32_t zone, int plane) {
    const contact_mesh *m = w->mesh;
    vec3 way = {0, 0, 0};
    if (move_alike(z, m, &way) && !(plane && vec3_length2(way) > 0)) {
        for (uint32_t v = zone; v != NO_ZONE; v = z->next[v]) set_end(w, v, vec3_add(m->from[v], way));
        return 1;
    }
    rigid_motion motion;
    if (plane || rigid_motion_fit(z->anchors.count, z->anchors.items, m->from, m->to, &motion) < WIDEST_HALF_TURN)
        return 0;
    for (size_t i = 0; i < z->anchors.count; i++) {
        uint32_t v = z->anchors.items[i];
        double off = vec3_distance(rigid_motion_apply(&motion, m->from[v]), m->to[v]);
        if (!(off <= RIGID * w->separation * w->most)) return 0;
    }
    for (uint32_t v = zone; v != NO_ZONE; v = z->next[v]) set_end(w, v, rigid_motion_apply(&motion, m->from[v]));
    return 1;
}

/* Each vertex takes over what the anchors move by, those near it most: the weights are distance to the power of -4, so the field
 * is smooth, and flat at the anchors. Shorter ways make it as flat as one likes everywhere. */
static void move_parted(const zones *z, ways *w, uint32_t zone) {
    const contact_mesh *m = w->mesh;
    double least = NEAREST * w->most * NEAREST * w->most;
    for (uint32_t v = zone; v != NO_ZONE; v = z->next[v]) {
        vec3 sum = {0, 0, 0};
        double total = 0;
        for (size_t i = 0; i < z->places.count; i++) {
            const zone_place *place = &z->places.items[i];
            double near = vec3_length2(vec3_sub(m->from[v], place->point)) + least, weight = 1 / (near * near);
            sum = vec3_add_scaled(sum, place->way, weight);
            total += weight;
        }
        set_end(w, v, vec3_add_scaled(m->from[v], sum, 1 / total));
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

/* What a zone touches that no force moves: kinematic vertices, each once, and places on planes. */
static ruga_status find_anchors(zones *z, const ways *w, size_t begin, size_t end, int *plane) {
    const contact_mesh *m = w->mesh;
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
        const collider *c = &w->planes[p->elements[1]];
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

/* m: how far the ways of what a zone touches are from the first of them. */
static double spread_of(const zones *z) {
    double most = 0;
    for (size_t i = 1; i < z->places.count; i++)
        most = fmax(most, vec3_distance(z->places.items[i].way, z->places.items[0].way));
    return most;
}

static ruga_status find_way(zones *z, ways *w, uint32_t zone, size_t begin, size_t end) {
    int plane;
    TRY(find_anchors(z, w, begin, end, &plane));
    if (z->places.count == 0) {
        move_free(z, w, zone);
        return RUGA_OK;
    }
    if (z->kind[zone] != ZONE_PARTED) z->kind[zone] = move_carried(z, w, zone, plane) ? ZONE_CARRIED : ZONE_PARTED;
    if (z->kind[zone] != ZONE_PARTED) return RUGA_OK;
    z->spread = fmax(z->spread, spread_of(z));
    move_parted(z, w, zone);
    return RUGA_OK;
}

static ruga_status find_ways(zones *z, ways *w) {
    TRY(order_contacts(z, w->mesh));
    for (size_t begin = 0, end; begin < z->order.count; begin = end) {
        uint32_t zone = (uint32_t)(z->order.items[begin] >> 32);
        for (end = begin; end < z->order.count && (uint32_t)(z->order.items[end] >> 32) == zone;) end++;
        if (z->state[zone] == DIRTY) TRY(find_way(z, w, zone, begin, end));
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

/* Those of the stuck pairs that still collide, each once. */
static void settle_stuck(zones *z, const ways *w) {
    size_t kept = 0;
    for (size_t i = 0; i < z->stuck.count; i++) {
        collision c = z->stuck.items[i];
        size_t k = 0;
        while (k < kept && pair_key(&z->stuck.items[k].pair) != pair_key(&c.pair)) k++;
        if (k == kept && ways_collide(w, &c.pair, &c.time)) z->stuck.items[kept++] = c;
    }
    z->stuck.count = kept;
}

static ruga_status take_all_as_stuck(zones *z, const ways *w) {
    z->stuck.count = 0;
    for (size_t i = 0; i < w->collisions.count; i++) TRY(add_stuck(z, &w->collisions.items[i]));
    return RUGA_OK;
}

ruga_status zones_resolve(zones *z, ways *w, double widest) {
    clear(z);
    for (;;) {
        int more;
        TRY(take_collisions(z, w, &more));
        if (!more) break;
        TRY(find_ways(z, w));
        if (z->spread > widest) return take_all_as_stuck(z, w);
        ways_ask_again(w);
        TRY(ways_check(w, is_safe, z));
    }
    settle_stuck(z, w);
    return RUGA_OK;
}
