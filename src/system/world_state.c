/* Saving and loading a world.
 *
 *     WRLD            time, number of objects
 *       OBJT          of each: which it is, its revision, its points' positions and velocities
 *         TOPO        of an object that became another mesh: the mesh, and the map from the points it was made with
 *         BODY        what the body saves beyond these
 *         PART        of each part that has a state: its positions and normals, and what it saves beyond these
 *       CNTC          what contact saves
 *
 * Frames and parts without a state are made again from the positions, to the same bits.
 */
#include <math.h>
#include <string.h>

#include "system/objects.h"

#define VERSION 4 /* of holds only those that hold since 4 */
#define TAG_WORLD STATE_TAG('W', 'R', 'L', 'D')
#define TAG_OBJECT STATE_TAG('O', 'B', 'J', 'T')
#define TAG_BODY STATE_TAG('B', 'O', 'D', 'Y')
#define TAG_PART STATE_TAG('P', 'A', 'R', 'T')
#define TAG_CONTACT STATE_TAG('C', 'N', 'T', 'C')

/* All of it has to be the same in the world that is saved and in the one that loads it; a revision and a topology that
 * differ are loaded first. */
enum { IDENTITY_PARTS, IDENTITY_REVISION, IDENTITY_TOPOLOGY, IDENTITY_POINTS, IDENTITY_VERTICES, IDENTITY_SIZE };
static const char *const identity_names[IDENTITY_SIZE] = {"name or other parts", "topology revision", "topology",
                                                          "number of points", "number of vertices"};

static void object_identity(const world_object *o, uint64_t identity[IDENTITY_SIZE]) {
    uint64_t hash = state_hash(o->name, strlen(o->name), 0);
    hash = state_hash(o->body->kind, strlen(o->body->kind), hash);
    for (size_t i = 0; i < o->parts.count; i++)
        hash = state_hash(o->parts.items[i]->kind, strlen(o->parts.items[i]->kind), hash);
    const uint64_t all[IDENTITY_SIZE] = {hash, o->body->revision, o->topology, o->body->point_count,
                                         object_mesh(o)->vertex_count};
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
    object_save_topology(o, writer);
    state_begin(writer, TAG_BODY, VERSION);
    if (b->interface->save) b->interface->save(b, writer);
    state_end(writer);
    for (size_t i = 0; i < o->parts.count; i++) {
        const part *p = o->parts.items[i];
        if (!p->interface->save) continue;
        state_begin(writer, TAG_PART, VERSION);
        if (p->positions) put_points(writer, p->positions, p->output->vertex_count);
        if (p->normals) put_points(writer, p->normals, p->output->vertex_count);
        p->interface->save(p, writer);
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

/* Opens the next entry of a tag, and moves the parent behind it. */
static ruga_status next_entry(state_reader *parent, uint32_t tag, state_reader *out) {
    TRY(state_enter(parent, tag, VERSION, NULL, out));
    parent->at = out->end;
    return RUGA_OK;
}

static int has_same_topology(const uint64_t a[IDENTITY_SIZE], const uint64_t b[IDENTITY_SIZE]) {
    return a[IDENTITY_REVISION] == b[IDENTITY_REVISION] && a[IDENTITY_TOPOLOGY] == b[IDENTITY_TOPOLOGY];
}

/* Past the positions and velocities of `count` points. */
static ruga_status skip_points(state_reader *reader, uint64_t count) {
    if (count > (uint64_t)(reader->end - reader->at) / (6 * sizeof(double)))
        return fail_input(reader->context, "the saved state is damaged: %llu points", (unsigned long long)count);
    reader->at += count * 6 * sizeof(double);
    return RUGA_OK;
}

/* Of another topology only the name and the parts can be checked. */
static ruga_status check_identity(world *w, const world_object *o, const uint64_t there[IDENTITY_SIZE]) {
    uint64_t here[IDENTITY_SIZE];
    object_identity(o, here);
    int count = has_same_topology(here, there) ? IDENTITY_SIZE : IDENTITY_PARTS + 1;
    for (int i = 0; i < count; i++)
        if (here[i] != there[i])
            return fail_input(w->context,
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
    for (size_t i = 0; i < o->parts.count; i++) {
        part *p = o->parts.items[i];
        if (!p->interface->save) continue;
        TRY(next_entry(reader, TAG_PART, &entry));
        if (p->positions) TRY(get_points(&entry, p->positions, p->output->vertex_count));
        if (p->normals) TRY(get_points(&entry, p->normals, p->output->vertex_count));
        TRY(p->interface->load(p, &entry));
    }
    return RUGA_OK;
}

static ruga_status load_object(world *w, world_object *o, state_reader *world_reader) {
    state_reader reader;
    uint64_t there[IDENTITY_SIZE], here[IDENTITY_SIZE];
    TRY(next_entry(world_reader, TAG_OBJECT, &reader));
    TRY(state_get_u64(&reader, there, IDENTITY_SIZE));
    object_identity(o, here);
    state_reader behind = reader;
    TRY(skip_points(&behind, there[IDENTITY_POINTS]));
    if (!has_same_topology(here, there)) TRY(object_load_topology(w, o, there[IDENTITY_REVISION], &behind));
    object_identity(o, here);
    if (!has_same_topology(here, there))
        return fail_input(w->context, "the saved state is damaged: object \"%s\" has another topology", o->name);
    TRY(check_identity(w, o, there));
    TRY(get_points(&reader, o->body->positions, o->body->point_count));
    TRY(get_points(&reader, o->body->velocities, o->body->point_count));
    return object_note(w, o, NULL, load_parts(o, &reader));
}

/* Whether the state is of a world like this one, before anything of it is taken. */
static ruga_status check_world(world *w, state_reader reader, uint64_t count) {
    if (count != w->objects.count)
        return fail_input(
            w->context, "the saved state has %llu objects, but the scene has %zu; use the scene that it was saved from",
            (unsigned long long)count, w->objects.count);
    for (size_t i = 0; i < w->objects.count; i++) {
        state_reader object, topology;
        uint64_t there[IDENTITY_SIZE];
        TRY(next_entry(&reader, TAG_OBJECT, &object));
        TRY(state_get_u64(&object, there, IDENTITY_SIZE));
        TRY(check_identity(w, &w->objects.items[i], there));
        TRY(skip_points(&object, there[IDENTITY_POINTS]));
        if (there[IDENTITY_REVISION] != 0) TRY(state_enter(&object, TAG_TOPOLOGY, VERSION, NULL, &topology));
    }
    return RUGA_OK;
}

ruga_status world_load(world *w, state_reader *reader) {
    state_reader world_reader, entry;
    double time;
    uint64_t count;
    uint32_t version;
    TRY(state_enter(reader, TAG_WORLD, VERSION, &version, &world_reader));
    if (version != VERSION)
        return fail_input(w->context,
                          "the saved state has version %u, but this program reads version %u; start the run again",
                          version, VERSION);
    TRY(state_get_f64(&world_reader, &time, 1));
    TRY(state_get_u64(&world_reader, &count, 1));
    if (!isfinite(time)) return fail_input(w->context, "the saved state is damaged: its time is %g s", time);
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
