/* Saving and loading a world.
 *
 *     WRLD            time, number of objects
 *       OBJT          of each: which it is, its revision, its points' positions and velocities
 *         BODY        what the body saves beyond these
 *         HOOK        of each hook, in their order
 *         DETL        of each detail that has a state: its positions and normals, and what it saves beyond these
 *       CNTC          what contact saves
 *
 * Frames and details without a state are made again from the positions, to the same bits.
 */
#include <math.h>
#include <string.h>

#include "system/objects.h"

#define VERSION 1
#define TAG_WORLD STATE_TAG('W', 'R', 'L', 'D')
#define TAG_OBJECT STATE_TAG('O', 'B', 'J', 'T')
#define TAG_BODY STATE_TAG('B', 'O', 'D', 'Y')
#define TAG_HOOK STATE_TAG('H', 'O', 'O', 'K')
#define TAG_DETAIL STATE_TAG('D', 'E', 'T', 'L')
#define TAG_CONTACT STATE_TAG('C', 'N', 'T', 'C')

/* What has to be the same in the world that is saved and in the one that loads it. */
enum { IDENTITY_SIZE = 6 };
static const char *const identity_names[IDENTITY_SIZE] = {"name and parts",  "topology revision", "number of points",
                                                          "number of hooks", "number of details", "number of vertices"};

static void object_identity(const world_object *o, uint64_t identity[IDENTITY_SIZE]) {
    uint64_t hash = state_hash(o->name, strlen(o->name), 0);
    hash = state_hash(o->body->kind, strlen(o->body->kind), hash);
    for (size_t i = 0; i < o->hooks.count; i++)
        hash = state_hash(o->hooks.items[i]->kind, strlen(o->hooks.items[i]->kind), hash);
    for (size_t i = 0; i < o->details.count; i++)
        hash = state_hash(o->details.items[i]->kind, strlen(o->details.items[i]->kind), hash);
    const uint64_t all[IDENTITY_SIZE] = {hash,           o->body->revision, o->body->point_count,
                                         o->hooks.count, o->details.count,  object_mesh(o)->vertex_count};
    memcpy(identity, all, sizeof all);
}

static void put_points(state_writer *writer, const ruga_vec3 *points, size_t count) {
    state_put_f64(writer, (const double *)points, 3 * count);
}

static ruga_status get_points(state_reader *reader, ruga_vec3 *points, size_t count) {
    return state_get_f64(reader, (double *)points, 3 * count);
}

/* ---- Saving. */

static void save_object(const world_object *o, state_writer *writer) {
    const body *b = o->body;
    uint64_t identity[IDENTITY_SIZE];
    object_identity(o, identity);
    state_begin(writer, TAG_OBJECT, VERSION);
    state_put_u64(writer, identity, IDENTITY_SIZE);
    put_points(writer, b->positions, b->point_count);
    put_points(writer, b->velocities, b->point_count);
    state_begin(writer, TAG_BODY, VERSION);
    if (b->interface->save) b->interface->save(b, writer);
    state_end(writer);
    for (size_t i = 0; i < o->hooks.count; i++) {
        const hook *h = o->hooks.items[i];
        state_begin(writer, TAG_HOOK, VERSION);
        if (h->interface->save) h->interface->save(h, writer);
        state_end(writer);
    }
    for (size_t i = 0; i < o->details.count; i++) {
        const detail *d = o->details.items[i];
        if (!d->interface->save) continue;
        state_begin(writer, TAG_DETAIL, VERSION);
        put_points(writer, d->positions, d->output->vertex_count);
        if (d->normals) put_points(writer, d->normals, d->output->vertex_count);
        d->interface->save(d, writer);
        state_end(writer);
    }
    state_end(writer);
}

void world_save(const world *w, state_writer *writer) {
    uint64_t count = w->objects.count;
    state_begin(writer, TAG_WORLD, VERSION);
    state_put_f64(writer, &w->time, 1);
    state_put_u64(writer, &count, 1);
    for (size_t i = 0; i < w->objects.count; i++) save_object(&w->objects.items[i], writer);
    if (w->contact && w->contact->interface->save) {
        state_begin(writer, TAG_CONTACT, VERSION);
        w->contact->interface->save(w->contact, writer);
        state_end(writer);
    }
    state_end(writer);
}

/* ---- Loading. */

/* Opens the next entry of a tag, and goes on behind it. */
static ruga_status next_entry(state_reader *parent, uint32_t tag, state_reader *out) {
    TRY(state_enter(parent, tag, VERSION, NULL, out));
    parent->at = out->end;
    return RUGA_OK;
}

static ruga_status check_identity(world *w, const world_object *o, state_reader *reader) {
    uint64_t here[IDENTITY_SIZE], there[IDENTITY_SIZE];
    object_identity(o, here);
    TRY(state_get_u64(reader, there, IDENTITY_SIZE));
    for (size_t i = 0; i < IDENTITY_SIZE; i++)
        if (here[i] != there[i])
            return fail_with(w->context, RUGA_ERROR_INPUT,
                             "the saved state is of another scene: object \"%s\" has another %s in it; use the scene "
                             "that it was saved from",
                             o->name, identity_names[i]);
    return RUGA_OK;
}

static ruga_status load_parts(world_object *o, state_reader *reader) {
    body *b = o->body;
    state_reader entry;
    TRY(next_entry(reader, TAG_BODY, &entry));
    if (b->interface->load) TRY(b->interface->load(b, &entry));
    for (size_t i = 0; i < o->hooks.count; i++) {
        hook *h = o->hooks.items[i];
        TRY(next_entry(reader, TAG_HOOK, &entry));
        if (h->interface->load) TRY(h->interface->load(h, &entry));
    }
    for (size_t i = 0; i < o->details.count; i++) {
        detail *d = o->details.items[i];
        if (!d->interface->save) continue;
        TRY(next_entry(reader, TAG_DETAIL, &entry));
        TRY(get_points(&entry, d->positions, d->output->vertex_count));
        if (d->normals) TRY(get_points(&entry, d->normals, d->output->vertex_count));
        TRY(d->interface->load(d, &entry));
    }
    return RUGA_OK;
}

static ruga_status load_object(world *w, world_object *o, state_reader *world_reader) {
    state_reader reader;
    TRY(next_entry(world_reader, TAG_OBJECT, &reader));
    TRY(check_identity(w, o, &reader));
    TRY(get_points(&reader, o->body->positions, o->body->point_count));
    TRY(get_points(&reader, o->body->velocities, o->body->point_count));
    return object_note(w, o, NULL, load_parts(o, &reader));
}

/* Whether the state is of a world like this one, before anything of it is taken. */
static ruga_status check_world(world *w, state_reader reader, uint64_t count) {
    if (count != w->objects.count)
        return fail_with(
            w->context, RUGA_ERROR_INPUT,
            "the saved state has %llu objects, but the scene has %zu; use the scene that it was saved from",
            (unsigned long long)count, w->objects.count);
    for (size_t i = 0; i < w->objects.count; i++) {
        state_reader object;
        TRY(next_entry(&reader, TAG_OBJECT, &object));
        TRY(check_identity(w, &w->objects.items[i], &object));
    }
    return RUGA_OK;
}

ruga_status world_load(world *w, state_reader *reader) {
    state_reader world_reader, entry;
    double time;
    uint64_t count;
    TRY(state_enter(reader, TAG_WORLD, VERSION, NULL, &world_reader));
    TRY(state_get_f64(&world_reader, &time, 1));
    TRY(state_get_u64(&world_reader, &count, 1));
    if (!isfinite(time))
        return fail_with(w->context, RUGA_ERROR_INPUT, "the saved state is damaged: its time is %g s", time);
    TRY(check_world(w, world_reader, count));
    w->time = time;
    for (size_t i = 0; i < w->objects.count; i++) TRY(load_object(w, &w->objects.items[i], &world_reader));
    if (w->contact && w->contact->interface->load) {
        TRY(state_enter(&world_reader, TAG_CONTACT, VERSION, NULL, &entry));
        TRY(w->contact->interface->load(w->contact, &entry));
    }
    for (size_t i = 0; i < w->objects.count; i++) {
        TRY(object_refresh(w, &w->objects.items[i]));
        TRY(object_make_frame(w, &w->objects.items[i]));
    }
    return RUGA_OK;
}
