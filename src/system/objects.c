/* Objects: how a world is put together and taken apart, what it tells, and the frames it gives out. */
#include "system/objects.h"

#include <stdio.h>
#include <string.h>

#include "mesh/mesh.h"

const char *world_stage_name(world_stage stage) {
    static const char *const names[STAGE_COUNT] = {"predict",          "before_positions", "contact", "accept",
                                                   "after_velocities", "details",          "frame"};
    return names[stage];
}

/* ---- Making and destroying. */

ruga_status world_create(ruga_context *context, world **out) {
    world *w = ALLOCATE_ZEROED(context, world, 1);
    if (!w) return fail_memory(context, sizeof *w);
    w->context = context;
    *out = w;
    return RUGA_OK;
}

static void release_object(world *w, world_object *o) {
    for (size_t i = o->details.count; i-- > 0;) o->details.items[i]->interface->destroy(o->details.items[i]);
    for (size_t i = o->hooks.count; i-- > 0;) o->hooks.items[i]->interface->destroy(o->hooks.items[i]);
    if (o->body) o->body->interface->destroy(o->body);
    ARRAY_RELEASE(w->context, &o->details);
    ARRAY_RELEASE(w->context, &o->hooks);
    memory_release(w->context, o->visible);
    memory_release(w->context, o->normals);
    memory_release(w->context, o->normals_scratch);
    memory_release(w->context, o->name);
}

void world_destroy(world *w) {
    if (!w) return;
    for (size_t i = w->objects.count; i-- > 0;) release_object(w, &w->objects.items[i]);
    if (w->contact) w->contact->interface->destroy(w->contact);
    ARRAY_RELEASE(w->context, &w->objects);
    ARRAY_RELEASE(w->context, &w->surfaces);
    memory_release(w->context, w);
}

/* Fills an object that has its body; what is made so far is released with the object. */
static ruga_status fill_object(world *w, world_object *o, const char *name) {
    const body *b = o->body;
    o->name = memory_copy_text(w->context, name);
    if (!o->name) return fail_memory(w->context, strlen(name) + 1);
    if (!b->interface->visible && b->point_count != b->mesh->vertex_count)
        return fail_with(w->context, RUGA_ERROR_ARGUMENT,
                         "object \"%s\": a %s body of %zu points does not say where the %zu vertices of its mesh are",
                         name, b->kind, b->point_count, b->mesh->vertex_count);
    TRY(object_resize(w, o));
    /* Room for one more than there are objects, so that a substep finds room for all. */
    w->surfaces.count = w->objects.count;
    ruga_status status = ARRAY_RESERVE(w->context, &w->surfaces, 1);
    w->surfaces.count = 0;
    TRY(status);
    return ARRAY_RESERVE(w->context, &w->objects, 1);
}

ruga_status world_add_object(world *w, const char *name, body *b, size_t *object) {
    world_object o = {.body = b};
    ruga_status status = fill_object(w, &o, name);
    if (RUGA_FAILED(status)) {
        release_object(w, &o);
        return status;
    }
    *object = w->objects.count;
    w->objects.items[w->objects.count++] = o;
    return RUGA_OK;
}

ruga_status world_add_hook(world *w, size_t object, hook *h) {
    world_object *o = &w->objects.items[object];
    ruga_status status = ARRAY_RESERVE(w->context, &o->hooks, 1);
    if (RUGA_FAILED(status)) {
        h->interface->destroy(h);
        return status;
    }
    o->hooks.items[o->hooks.count++] = h;
    o->body->hooks = o->hooks.items;
    o->body->hook_count = o->hooks.count;
    return RUGA_OK;
}

ruga_status world_add_detail(world *w, size_t object, detail *d) {
    world_object *o = &w->objects.items[object];
    ruga_status status =
        d->input == object_mesh(o)
            ? ARRAY_RESERVE(w->context, &o->details, 1)
            : fail_with(w->context, RUGA_ERROR_ARGUMENT,
                        "object \"%s\": detail \"%s\" was made for another mesh than what it is put on", o->name,
                        d->kind);
    if (RUGA_FAILED(status)) {
        d->interface->destroy(d);
        return status;
    }
    o->details.items[o->details.count++] = d;
    return object_resize(w, o);
}

ruga_status world_set_contact(world *w, contact *c) {
    if (w->contact) w->contact->interface->destroy(w->contact);
    w->contact = c;
    return RUGA_OK;
}

/* ---- What a world tells. */

environment *world_environment(world *w) { return &w->environment; }
size_t world_object_count(const world *w) { return w->objects.count; }
const char *world_object_name(const world *w, size_t object) { return w->objects.items[object].name; }
body *world_body(world *w, size_t object) { return w->objects.items[object].body; }
const ruga_mesh *world_mesh(const world *w, size_t object) { return object_mesh(&w->objects.items[object]); }
const detail *world_detail(const world *w, size_t object, size_t index) {
    const world_object *o = &w->objects.items[object];
    return index < o->details.count ? o->details.items[index] : NULL;
}
const ruga_frame *world_frame(const world *w, size_t object) { return &w->objects.items[object].frame; }
void world_want_normals(world *w, int wanted) { w->want_normals = wanted; }
double world_time(const world *w) { return w->time; }
const double *world_stage_seconds(const world *w) { return w->seconds; }

const ruga_mesh *object_mesh(const world_object *o) {
    return o->details.count > 0 ? o->details.items[o->details.count - 1]->output : o->body->mesh;
}

/* Who a list of measures belongs to. */
typedef struct measure_owner {
    const measure_list *list;
    const char *object, *kind; /* of contact no object, of a body no kind */
    size_t same;               /* parts before it of the same kind on the same object */
} measure_owner;

/* Of an object the body's, the hooks' and the details'; behind the last object that of contact. */
static size_t measured_parts(const world *w, size_t object) {
    if (object == w->objects.count) return w->contact ? 1 : 0;
    const world_object *o = &w->objects.items[object];
    return 1 + o->hooks.count + o->details.count;
}

static measure_owner object_owner(const world_object *o, size_t part) {
    measure_owner owner = {.object = o->name};
    if (part == 0) {
        owner.list = &o->body->measures;
    } else if (part <= o->hooks.count) {
        size_t h = part - 1;
        owner.list = &o->hooks.items[h]->measures;
        owner.kind = o->hooks.items[h]->kind;
        for (size_t i = 0; i < h; i++) owner.same += strcmp(o->hooks.items[i]->kind, owner.kind) == 0;
    } else {
        size_t d = part - 1 - o->hooks.count;
        owner.list = &o->details.items[d]->measures;
        owner.kind = o->details.items[d]->kind;
        for (size_t i = 0; i < d; i++) owner.same += strcmp(o->details.items[i]->kind, owner.kind) == 0;
    }
    return owner;
}

static measure_owner find_owner(const world *w, const measure_place *at) {
    if (at->object < w->objects.count) return object_owner(&w->objects.items[at->object], at->part);
    return (measure_owner){.list = &w->contact->measures};
}

static void print_owner(const measure_owner *found, char *owner, size_t size) {
    if (!found->object) {
        snprintf(owner, size, "contact");
    } else if (!found->kind) {
        snprintf(owner, size, "%s", found->object);
    } else if (found->same == 0) {
        snprintf(owner, size, "%s.%s", found->object, found->kind);
    } else {
        snprintf(owner, size, "%s.%s%zu", found->object, found->kind, found->same + 1);
    }
}

const measure *world_next_measure(const world *w, measure_place *at, char *owner, size_t size) {
    for (; at->object <= w->objects.count; at->object++, at->part = 0)
        for (; at->part < measured_parts(w, at->object); at->part++, at->item = 0) {
            measure_owner found = find_owner(w, at);
            if (at->item >= found.list->count) continue;
            print_owner(&found, owner, size);
            return &found.list->items[at->item++];
        }
    return NULL;
}

size_t world_measure_count(const world *w) {
    measure_place at = {0};
    size_t count = 0;
    while (world_next_measure(w, &at, NULL, 0)) count++;
    return count;
}

ruga_status object_note(world *w, const world_object *o, const char *part, ruga_status status) {
    if (status > 0 && w->warning == RUGA_OK) w->warning = status;
    if (!RUGA_FAILED(status)) return status;
    char message[sizeof w->context->message];
    snprintf(message, sizeof message, "%s", ruga_context_message(w->context));
    if (part) return fail_with(w->context, status, "object \"%s\", %s: %s", o->name, part, message);
    return fail_with(w->context, status, "object \"%s\": %s", o->name, message);
}

/* ---- Frames. */

ruga_status object_resize(world *w, world_object *o) {
    memory_release(w->context, o->visible);
    memory_release(w->context, o->normals);
    memory_release(w->context, o->normals_scratch);
    o->visible = o->normals = NULL;
    o->normals_scratch = NULL;
    size_t count = o->body->mesh->vertex_count;
    if (o->body->interface->visible) {
        o->visible = ALLOCATE_ZEROED(w->context, ruga_vec3, count);
        if (!o->visible) return fail_memory(w->context, count * sizeof *o->visible);
    }
    o->frame = object_body_frame(o, w->time);
    for (size_t i = 0; i < o->details.count; i++) o->frame = detail_frame(o->details.items[i], &o->frame);
    o->frame.normals = NULL;
    return RUGA_OK;
}

ruga_frame object_body_frame(world_object *o, double time) {
    const body *b = o->body;
    if (o->visible) b->interface->visible(b, o->visible);
    return (ruga_frame){.time = time,
                        .topology_revision = b->revision,
                        .vertex_count = b->mesh->vertex_count,
                        .positions = o->visible ? o->visible : b->positions};
}

ruga_frame detail_frame(const detail *d, const ruga_frame *in) {
    ruga_frame frame = *in;
    frame.vertex_count = d->output->vertex_count;
    frame.positions = d->positions;
    frame.normals = d->normals;
    return frame;
}

ruga_status object_refresh(world *w, world_object *o) {
    ruga_frame in = object_body_frame(o, w->time);
    for (size_t i = 0; i < o->details.count; i++) {
        detail *d = o->details.items[i];
        if (!d->interface->save) TRY(object_note(w, o, d->kind, d->interface->update(d, &in, 0, &w->environment)));
        in = detail_frame(d, &in);
    }
    o->frame = in;
    return RUGA_OK;
}

/* The last detail's normals where it makes them, else those of the mesh. */
ruga_status object_make_frame(world *w, world_object *o) {
    if (!w->want_normals) {
        o->frame.normals = NULL;
        return RUGA_OK;
    }
    if (o->frame.normals) return RUGA_OK;
    const ruga_mesh *mesh = object_mesh(o);
    if (!o->normals) o->normals = ALLOCATE(w->context, ruga_vec3, mesh->vertex_count);
    if (!o->normals_scratch) o->normals_scratch = memory_allocate(w->context, mesh_normals_scratch(mesh), 1);
    if (!o->normals || !o->normals_scratch) return fail_memory(w->context, mesh->vertex_count * sizeof *o->normals);
    mesh_normals(mesh, o->frame.positions, o->normals_scratch, o->normals);
    o->frame.normals = o->normals;
    return RUGA_OK;
}
