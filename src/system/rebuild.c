/* Other meshes: an object's body and parts become another topology, and saved states contain the topology that they
 * belong to.
 *
 * An object remembers the meshes that it was made with and the maps from those points and vertices to its current
 * ones, the products of the maps of all rebuilds. They are enough to get there from a world that was just made: a
 * state of a changed object has its visible mesh, what is simulated for it, and these maps, and loading it is one
 * rebuild. To load the state of another topology the object first returns to its first meshes.
 */
#include <string.h>

#include "linalg/map.h"
#include "mesh/carry.h"
#include "mesh/mesh.h"
#include "system/mesh_state.h"
#include "system/objects.h"

#define VERSION 3 /* simulated meshes since 2, locks since 3 */

void loaded_topology_release(ruga_context *context, loaded_topology *t) {
    ruga_mesh_destroy(t->mesh);
    ruga_mesh_destroy(t->simulated);
    ruga_map_destroy(t->visible);
    ruga_map_destroy(t->bound);
    RELEASE_ALL(context, t->shares, t->collides, t->locks);
    *t = (loaded_topology){0};
}

/* Each part gets the mesh below it and the maps to it; a part that makes a mesh of its own gives its own maps. */
static ruga_status rebuild_parts(world *w, world_object *o, const body_change *change, const ruga_map *from_first) {
    part_change below = {o->body->mesh, change->points_from_old, change->vertices_from_old, from_first};
    for (size_t i = 0; i < o->parts.count; i++) {
        part *p = o->parts.items[i];
        int shows = p->interface->update != NULL, own_mesh = p->output != p->input;
        if (!p->interface->rebuild) continue;
        TRY(object_note(w, o, p->kind, p->interface->rebuild(p, o->body, &below)));
        if (!shows) continue;
        below.input = p->output;
        if (own_mesh) below.input_from_old = p->output_from_old, below.input_from_first = p->output_from_first;
    }
    return RUGA_OK;
}

ruga_status object_check_whole(world *w, const world_object *o) {
    if (!o->is_torn) return RUGA_OK;
    return fail_unsupported(
        w->context, "object \"%s\": its parts did not follow an earlier change of its mesh; make the scene again",
        o->name);
}

/* Parts that keep numbers of points, of this object or of others, can't follow. */
static ruga_status check_numbers(world *w, const world_object *o) {
    for (size_t k = 0; k < w->objects.count; k++) {
        const world_object *other = &w->objects.items[k];
        for (size_t i = 0; i < other->parts.count; i++) {
            const part *p = other->parts.items[i];
            if (p->numbered[0] == o->body || p->numbered[1] == o->body)
                return fail_unsupported(
                    w->context,
                    "object \"%s\" can't become another mesh while it runs: a part \"%s\" of object \"%s\" is sewn or "
                    "attached to it; cut it from the start (creases: \"active\" instead of \"cut\")",
                    o->name, p->kind, other->name);
        }
    }
    return RUGA_OK;
}

static ruga_status check_parts_follow(world *w, const world_object *o, int are_vertices_known) {
    for (size_t i = 0; i < o->parts.count; i++) {
        const part *p = o->parts.items[i];
        if (p->interface->update && (!p->interface->rebuild || !are_vertices_known))
            return fail_unsupported(w->context,
                                    "object \"%s\": part \"%s\" can't follow when the mesh below it becomes another",
                                    o->name, p->kind);
    }
    return check_numbers(w, o);
}

ruga_status world_can_change(world *w, size_t object) { return check_parts_follow(w, &w->objects.items[object], 1); }

/* Whether the body uses anything of it. */
static int is_in_use(const loaded_topology *t, const body *b) {
    const body_simulated *s = &b->given;
    return t->mesh == b->mesh || (t->simulated && t->simulated == s->mesh) ||
           (t->visible && t->visible == s->visible) || (t->bound && t->bound == s->bound) ||
           (t->shares && t->shares == s->shares) || (t->collides && t->collides == s->collides) ||
           (t->locks && t->locks == s->locks);
}

/* The owner's mask for the points after a change: one collides if all first points that it is made of do. A change that
 * has a mask of its own replaces it. */
static ruga_status carry_mask(const world *w, const world_object *o, const body_change *change,
                              const ruga_map *from_first, unsigned char **out) {
    const unsigned char *first = o->first_collides;
    *out = NULL;
    if (!first || change->simulated.collides || !from_first || from_first->rows != change->points_from_old->rows)
        return RUGA_OK;
    TRY(NEW(w->context, out, from_first->rows));
    for (size_t i = 0; i < from_first->rows; i++) {
        (*out)[i] = 1;
        for (size_t k = from_first->offsets[i]; k < from_first->offsets[i + 1]; k++)
            (*out)[i] &= from_first->weights[k] == 0 || first[from_first->indices[k]];
    }
    return RUGA_OK;
}

/* Body and parts. from_first: vertices from the first ones; NULL: they are the first. Meshes that the object owns and
 * no longer uses are released. */
static ruga_status rebuild(world *w, world_object *o, const body_change *change, const ruga_map *from_first,
                           uint64_t revision) {
    body *b = o->body;
    const ruga_map *vertices = change->vertices_from_old;
    if (!b->interface->rebuild)
        return fail_unsupported(w->context, "object \"%s\": a %s body can't become another mesh", o->name, b->kind);
    TRY(object_check_whole(w, o));
    TRY(check_parts_follow(w, o, vertices != NULL));
    if (vertices && vertices != change->points_from_old &&
        (vertices->rows != change->mesh->vertex_count || vertices->columns != b->mesh->vertex_count))
        return fail_argument(w->context, "object \"%s\": a map of %zu x %zu can't make %zu vertices from %zu", o->name,
                             vertices->rows, vertices->columns, change->mesh->vertex_count, b->mesh->vertex_count);
    unsigned char *mask;
    if (b->revision == 0 && !b->given.collides) o->first_collides = b->collides;
    TRY(carry_mask(w, o, change, from_first, &mask));
    ruga_status changed = b->interface->rebuild(b, change);
    memory_release(w->context, RUGA_FAILED(changed) ? mask : o->collides);
    TRY(object_note(w, o, NULL, changed));
    o->collides = mask;
    if (mask) b->collides = mask;
    if (!from_first && !change->simulated.collides) b->collides = o->first_collides;
    b->revision = revision;
    o->is_torn = 1;
    ruga_status status = rebuild_parts(w, o, change, from_first);
    if (RUGA_FAILED(status)) {
        /* The frame must not refer to the old arrays; nothing but destroying is left. */
        (void)object_resize(w, o);
        return status;
    }
    o->is_torn = 0;
    size_t kept = 0;
    for (size_t i = 0; i < o->loaded.count; i++) {
        if (is_in_use(&o->loaded.items[i], b))
            o->loaded.items[kept++] = o->loaded.items[i];
        else
            loaded_topology_release(w->context, &o->loaded.items[i]);
    }
    o->loaded.count = kept;
    return object_resize(w, o);
}

static uint64_t hash_mesh(const ruga_mesh *mesh, uint64_t hash) {
    hash = state_hash(mesh->positions, mesh->vertex_count * sizeof *mesh->positions, hash);
    hash = state_hash(mesh->triangles, 3 * mesh->triangle_count * sizeof *mesh->triangles, hash);
    hash = state_hash(mesh->face_vertices, mesh->corner_count * sizeof *mesh->face_vertices, hash);
    if (mesh->face_offsets)
        hash = state_hash(mesh->face_offsets, (mesh->face_count + 1) * sizeof *mesh->face_offsets, hash);
    for (size_t i = 0; i < mesh->attribute_count; i++) {
        const ruga_attribute *a = &mesh->attributes[i];
        hash = state_hash(a->name, strlen(a->name), hash);
        hash = state_hash(a->values, a->count * a->components * ruga_scalar_size(a->type), hash);
        if (a->indices) hash = state_hash(a->indices, mesh_domain_size(mesh, a->domain) * sizeof *a->indices, hash);
        for (size_t k = 0; k < a->label_count; k++) hash = state_hash(a->labels[k], strlen(a->labels[k]) + 1, hash);
    }
    return hash;
}

static uint64_t hash_map(const ruga_map *map, uint64_t hash) {
    size_t entries = map->offsets[map->rows];
    hash = state_hash(map->offsets, (map->rows + 1) * sizeof *map->offsets, hash);
    hash = state_hash(map->indices, entries * sizeof *map->indices, hash);
    return state_hash(map->weights, entries * sizeof *map->weights, hash);
}

/* Of everything that the state of a topology contains. */
static uint64_t hash_topology(const world_object *o) {
    const body *b = o->body;
    const body_simulated *s = &b->given;
    uint64_t hash = hash_map(o->from_first, hash_mesh(b->mesh, 0));
    if (o->vertices_from_first) hash = hash_map(o->vertices_from_first, hash + 1);
    if (s->mesh) hash = hash_mesh(s->mesh, hash + 2);
    if (s->visible) hash = hash_map(s->visible, hash + 3);
    if (s->bound) hash = hash_map(s->bound, hash + 4);
    if (s->shares) hash = state_hash(s->shares, b->simulated->triangle_count * sizeof *s->shares, hash + 5);
    for (size_t i = 0; i < s->lock_count; i++) {
        hash = state_hash(&s->locks[i].unknown, sizeof s->locks[i].unknown, hash + 7);
        hash = state_hash(&s->locks[i].until, sizeof s->locks[i].until, hash);
    }
    return s->collides ? state_hash(s->collides, b->point_count, hash + 6) : hash;
}

/* Whether the vertices of the visible mesh are the points. */
static int is_plain(const body_simulated *s) { return !s->mesh && !s->visible && !s->bound; }

/* next = the change of a map from the first elements, times that map; NULL: all are the first. */
static ruga_status add_change(const ruga_map *change, const ruga_map *from_first, ruga_map **next) {
    return from_first ? ruga_map_compose(change, from_first, next) : map_copy(change, next);
}

/* The vertices' map from the first ones after a change; NULL if they are the points at both ends, or not known. */
static ruga_status add_vertex_change(const world_object *o, const body_change *change, ruga_map **next) {
    const ruga_map *map = change->vertices_from_old, *before = o->vertices_from_first;
    if (!map || (!o->first_is_mapped && is_plain(&change->simulated))) return RUGA_OK;
    if (!before && o->from_first) {
        if (o->first_is_mapped || o->visible) return RUGA_OK;
        before = o->from_first;
    }
    return before && map->columns != before->rows ? RUGA_OK : add_change(map, before, next);
}

static ruga_status change_object(world *w, world_object *o, const body_change *change) {
    ruga_map *from_first = NULL, *vertices_from_first = NULL;
    ruga_status status = RUGA_OK;
    /* A map of other points is refused by the body. */
    if (!o->from_first || change->points_from_old->columns == o->from_first->rows)
        status = add_change(change->points_from_old, o->from_first, &from_first);
    if (!RUGA_FAILED(status)) status = add_vertex_change(o, change, &vertices_from_first);
    const ruga_map *vertices = vertices_from_first ? vertices_from_first : from_first;
    if (!RUGA_FAILED(status)) status = rebuild(w, o, change, vertices, o->body->revision + 1);
    if (RUGA_FAILED(status)) {
        ruga_map_destroy(from_first);
        ruga_map_destroy(vertices_from_first);
        return status;
    }
    ruga_map_destroy(o->from_first);
    ruga_map_destroy(o->vertices_from_first);
    o->from_first = from_first;
    o->vertices_from_first = vertices_from_first;
    o->topology = hash_topology(o);
    if (w->contact && w->contact->interface->forget) w->contact->interface->forget(w->contact);
    TRY(object_refresh(w, o));
    return object_make_frame(w, o);
}

ruga_status world_change(world *w, size_t object, const body_change *given) {
    world_object *o = &w->objects.items[object];
    const ruga_mesh *mesh = o->body->mesh;
    body_change change = *given;
    ruga_map *same = NULL;
    if (!change.vertices_from_old && !o->visible && is_plain(&change.simulated))
        change.vertices_from_old = change.points_from_old;
    else if (!change.vertices_from_old && change.mesh == mesh)
        TRY(map_select_first(w->context, mesh->vertex_count, mesh->vertex_count, &same));
    if (same) change.vertices_from_old = same;
    ruga_status status = change_object(w, o, &change);
    ruga_map_destroy(same);
    return status;
}

ruga_status world_rebuild(world *w, size_t object, ruga_mesh *mesh, const ruga_map *from_old) {
    const world_object *o = &w->objects.items[object];
    const ruga_mesh *old = o->body->mesh;
    if (body_is_given(&o->body->given))
        return fail_unsupported(
            w->context,
            "object \"%s\" has a simulated mesh, shares or bound points of its own; give the new ones by "
            "world_change",
            o->name);
    /* A map that does not fit is refused by the body. */
    if (!o->visible && from_old->columns == old->vertex_count && from_old->rows == mesh->vertex_count)
        TRY(mesh_carry_attributes(old, from_old, mesh));
    return world_change(w, object, &(body_change){.mesh = mesh, .points_from_old = from_old});
}

/* ---- Saving and loading. */

enum {
    HAS_SIMULATED = 1,
    HAS_VISIBLE = 2,
    HAS_BOUND = 4,
    HAS_SHARES = 8,
    HAS_MASK = 16,
    HAS_VERTICES = 32,
    HAS_LOCKS = 64
};

static void save_locks(const body_simulated *s, state_writer *writer) {
    uint64_t count = s->lock_count;
    state_put_u64(writer, &count, 1);
    for (size_t i = 0; i < s->lock_count; i++) {
        state_put_u32(writer, &s->locks[i].unknown, 1);
        state_put_f64(writer, &s->locks[i].until, 1);
    }
}

void object_save_topology(const world_object *o, state_writer *writer) {
    const body *b = o->body;
    const body_simulated *s = &b->given;
    if (!o->from_first) return;
    uint64_t has = (s->mesh ? HAS_SIMULATED : 0) | (s->visible ? HAS_VISIBLE : 0) | (s->bound ? HAS_BOUND : 0) |
                   (s->shares ? HAS_SHARES : 0) | (s->collides ? HAS_MASK : 0) |
                   (o->vertices_from_first ? HAS_VERTICES : 0) | (s->lock_count > 0 ? HAS_LOCKS : 0);
    state_begin(writer, TAG_TOPOLOGY, VERSION);
    state_put_u64(writer, &has, 1);
    if (s->shares) state_put_bytes(writer, s->shares, b->simulated->triangle_count * sizeof *s->shares);
    if (s->collides) state_put_bytes(writer, s->collides, b->point_count);
    if (s->lock_count > 0) save_locks(s, writer);
    mesh_save(b->mesh, writer);
    if (s->mesh) mesh_save(s->mesh, writer);
    map_save(o->from_first, writer);
    if (o->vertices_from_first) map_save(o->vertices_from_first, writer);
    if (s->visible) map_save(s->visible, writer);
    if (s->bound) map_save(s->bound, writer);
    state_end(writer);
}

/* First elements from current ones: each from one that is a copy of it, and if there is none, from any. The state that
 * is loaded next replaces the values. */
static ruga_status map_back(ruga_context *context, const ruga_map *from_first, ruga_map **out) {
    uint32_t *copies;
    map_builder rows;
    TRY(NEW_ZEROED(context, &copies, from_first->columns));
    TRY_OR(map_builder_make(context, from_first->columns, from_first->columns, &rows), memory_release(context, copies));
    for (size_t i = from_first->rows; i-- > 0;) {
        size_t entry = from_first->offsets[i];
        if (from_first->offsets[i + 1] == entry + 1 && from_first->weights[entry] == 1)
            copies[from_first->indices[entry]] = (uint32_t)i;
    }
    for (size_t i = 0; i < from_first->columns; i++) {
        map_builder_put(&rows, copies[i], 1);
        map_builder_end_row(&rows);
    }
    memory_release(context, copies);
    return map_builder_finish(&rows, from_first->rows, out);
}

static ruga_status return_to_first_mesh(world *w, world_object *o) {
    ruga_map *back = NULL, *vertices_back = NULL;
    const ruga_map *vertices = o->vertices_from_first;
    TRY(map_back(w->context, o->from_first, &back));
    ruga_status status = vertices ? map_back(w->context, vertices, &vertices_back) : RUGA_OK;
    body_change change = {.mesh = o->first_mesh,
                          .simulated = o->first_simulated,
                          .points_from_old = back,
                          .vertices_from_old = vertices_back};
    if (!vertices && !o->first_is_mapped && !o->visible) change.vertices_from_old = back;
    if (!RUGA_FAILED(status)) status = rebuild(w, o, &change, NULL, 0);
    ruga_map_destroy(back);
    ruga_map_destroy(vertices_back);
    TRY(status);
    ruga_map_destroy(o->from_first);
    ruga_map_destroy(o->vertices_from_first);
    o->from_first = o->vertices_from_first = NULL;
    o->topology = 0;
    return RUGA_OK;
}

static ruga_status load_locks(world *w, state_reader *entry, loaded_topology *t) {
    uint64_t count = 0;
    TRY(state_get_u64(entry, &count, 1));
    if (count > (size_t)(entry->end - entry->at) / sizeof t->locks->until)
        return fail_input(w->context, "the saved state is damaged: it ends within the locks of a topology");
    TRY(NEW_ZEROED(w->context, &t->locks, count));
    for (; t->lock_count < count; t->lock_count++) {
        TRY(state_get_u32(entry, &t->locks[t->lock_count].unknown, 1));
        TRY(state_get_f64(entry, &t->locks[t->lock_count].until, 1));
    }
    return RUGA_OK;
}

/* A copy of the next bytes, and how many. */
static ruga_status get_bytes(state_reader *entry, void *out, size_t *size) {
    const void *bytes;
    TRY(state_get_bytes(entry, &bytes, size));
    void *copy;
    TRY(NEW_SIZED_COPY(entry->context, &copy, bytes, *size, 1));
    memcpy(out, &copy, sizeof copy);
    return RUGA_OK;
}

static int locks_fit(const loaded_topology *t) {
    for (size_t i = 0; i < t->lock_count; i++)
        if (!t->bound || t->locks[i].unknown >= t->bound->columns) return 0;
    return 1;
}

/* Into the object's maps and its last loaded topology. */
static ruga_status read_topology(world *w, world_object *o, state_reader *reader, loaded_topology *t) {
    state_reader entry;
    uint64_t has = 0;
    size_t shares = 0, mask = 0;
    TRY(state_enter(reader, TAG_TOPOLOGY, VERSION, NULL, &entry));
    TRY(state_get_u64(&entry, &has, 1));
    if (has & HAS_SHARES) TRY(get_bytes(&entry, &t->shares, &shares));
    if (has & HAS_MASK) TRY(get_bytes(&entry, &t->collides, &mask));
    if (has & HAS_LOCKS) TRY(load_locks(w, &entry, t));
    TRY(mesh_load(&entry, &t->mesh));
    if (has & HAS_SIMULATED) TRY(mesh_load(&entry, &t->simulated));
    TRY(map_load(&entry, &o->from_first));
    if (has & HAS_VERTICES) TRY(map_load(&entry, &o->vertices_from_first));
    if (has & HAS_VISIBLE) TRY(map_load(&entry, &t->visible));
    if (has & HAS_BOUND) TRY(map_load(&entry, &t->bound));
    const ruga_mesh *points = t->simulated ? t->simulated : t->mesh;
    if (o->from_first->columns != o->body->point_count ||
        (!o->first_is_mapped && o->from_first->rows != points->vertex_count) ||
        (t->shares && shares != points->triangle_count * sizeof *t->shares) ||
        (t->collides && mask != points->vertex_count) || !locks_fit(t))
        return fail_input(w->context,
                          "the saved state is damaged: the topology of object \"%s\" does not fit its points", o->name);
    return RUGA_OK;
}

ruga_status object_load_topology(world *w, world_object *o, uint64_t revision, state_reader *reader) {
    TRY(object_check_whole(w, o));
    if (o->body->revision != 0) TRY(return_to_first_mesh(w, o));
    if (revision == 0) return RUGA_OK;
    TRY(ARRAY_RESERVE(w->context, &o->loaded, 1));
    loaded_topology *t = &o->loaded.items[o->loaded.count++];
    *t = (loaded_topology){0};
    ruga_status status = read_topology(w, o, reader, t);
    if (!RUGA_FAILED(status)) {
        body_change change = {
            .mesh = t->mesh,
            .simulated = {.mesh = t->simulated,
                          .visible = t->visible,
                          .shares = t->shares,
                          .bound = t->bound,
                          .collides = t->collides,
                          .lock_count = t->lock_count,
                          .locks = t->locks},
            .points_from_old = o->from_first,
            .vertices_from_old = o->vertices_from_first,
        };
        if (!change.vertices_from_old && !o->first_is_mapped && is_plain(&change.simulated))
            change.vertices_from_old = o->from_first;
        status = rebuild(w, o, &change, change.vertices_from_old, revision);
    }
    if (o->body->revision == revision) {
        o->topology = hash_topology(o);
        return status;
    }
    ruga_map_destroy(o->from_first);
    ruga_map_destroy(o->vertices_from_first);
    o->from_first = o->vertices_from_first = NULL;
    return status;
}
