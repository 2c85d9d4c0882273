/* Objects: how a world is put together and taken apart, its measures, and the frames it gives out. */
#include "system/objects.h"

#include <stdio.h>
#include <string.h>

#include "mesh/mesh.h"

const char *world_stage_name(world_stage stage) {
    static const char *const names[STAGE_COUNT] = {"predict",       "before_contact",   "contact", "accept",
                                                   "after_contact", "after_velocities", "update",  "frame"};
    return names[stage];
}

/* ---- Making and destroying. */

ruga_status world_create(ruga_context *context, world **out) {
    world *w;
    TRY(NEW_ZEROED(context, &w, 1));
    w->context = context;
    *out = w;
    return RUGA_OK;
}

static void release_object(world *w, world_object *o) {
    for (size_t i = o->parts.count; i-- > 0;) o->parts.items[i]->interface->destroy(o->parts.items[i]);
    if (o->body) o->body->interface->destroy(o->body);
    for (size_t i = 0; i < o->loaded.count; i++) loaded_topology_release(w->context, &o->loaded.items[i]);
    ruga_map_destroy(o->from_first);
    ruga_map_destroy(o->vertices_from_first);
    memory_release(w->context, o->collides);
    ARRAY_RELEASE(w->context, &o->loaded);
    ARRAY_RELEASE(w->context, &o->parts);
    RELEASE_ALL(w->context, o->visible, o->normals, o->normals_scratch, o->name);
}

void world_destroy(world *w) {
    if (!w) return;
    for (size_t i = w->objects.count; i-- > 0;) release_object(w, &w->objects.items[i]);
    if (w->contact) w->contact->interface->destroy(w->contact);
    ARRAY_RELEASE(w->context, &w->objects);
    ARRAY_RELEASE(w->context, &w->surfaces);
    ARRAY_RELEASE(w->context, &w->others);
    common_solve_release(w->context, &w->common);
    memory_release(w->context, w);
}

/* Fills an object that has its body; what is made so far is released with the object. */
static ruga_status fill_object(world *w, world_object *o, const char *name) {
    const body *b = o->body;
    TRY(NEW_TEXT(w->context, &o->name, name));
    if (!b->interface->visible && b->point_count != b->mesh->vertex_count)
        return fail_argument(
            w->context, "object \"%s\": a %s body of %zu points does not say where the %zu vertices of its mesh are",
            name, b->kind, b->point_count, b->mesh->vertex_count);
    TRY(object_resize(w, o));
    /* Room for one more than there are objects, so that a substep finds room for all. */
    w->surfaces.count = w->others.count = w->common.members.count = w->common.objects.count = 0;
    TRY(ARRAY_RESERVE(w->context, &w->surfaces, w->objects.count + 1));
    TRY(ARRAY_RESERVE(w->context, &w->others, w->objects.count + 1));
    TRY(ARRAY_RESERVE(w->context, &w->common.members, w->objects.count + 1));
    TRY(ARRAY_RESERVE(w->context, &w->common.objects, w->objects.count + 1));
    return ARRAY_RESERVE(w->context, &w->objects, 1);
}

ruga_status world_add_object(world *w, const char *name, body *b, size_t *object) {
    world_object o = {.body = b,
                      .first_mesh = b->mesh,
                      .first_simulated = b->given,
                      .first_is_mapped = b->interface->visible != NULL};
    TRY_OR(fill_object(w, &o, name), release_object(w, &o));
    *object = w->objects.count;
    b->name = o.name;
    w->objects.items[w->objects.count++] = o;
    return RUGA_OK;
}

/* The last part that shows a mesh; NULL: none does. */
static const part *top_part(const world_object *o) {
    for (size_t i = o->parts.count; i-- > 0;)
        if (o->parts.items[i]->interface->update) return o->parts.items[i];
    return NULL;
}

static ruga_status check_part(world *w, const world_object *o, const part *p) {
    const part_interface *does = p->interface;
    if (does->energy && !does->force && !o->body->interface->takes_energies)
        return fail_unsupported(
            w->context, "the forces of \"%s\" are given as an energy, and a body of kind %s does not solve by energies",
            p->kind, o->body->kind);
    for (size_t i = 0; p->interface->surface && i < o->parts.count; i++)
        if (o->parts.items[i]->interface->surface)
            return fail_unsupported(
                w->context,
                "object \"%s\": the parts \"%s\" and \"%s\" both have a collision surface, but an object "
                "collides with one; remove one of them, or put it on an object of its own",
                o->name, o->parts.items[i]->kind, p->kind);
    if (!p->interface->update) return RUGA_OK;
    if (p->input != object_mesh(o))
        return fail_argument(w->context, "object \"%s\": part \"%s\" was made for another mesh than the one below it",
                             o->name, p->kind);
    const part *below = top_part(o);
    if (p->rate == PART_EACH_SUBSTEP && below && below->rate == PART_EACH_FRAME)
        return fail_argument(w->context,
                             "object \"%s\": part \"%s\" is updated each substep, but \"%s\" below it once a frame; "
                             "put \"%s\" first",
                             o->name, p->kind, below->kind, p->kind);
    return RUGA_OK;
}

ruga_status world_add_part(world *w, size_t object, part *p) {
    world_object *o = &w->objects.items[object];
    ruga_status status = check_part(w, o, p);
    if (!RUGA_FAILED(status)) status = ARRAY_RESERVE(w->context, &o->parts, 1);
    if (!RUGA_FAILED(status) && o->body->interface->take_part) status = o->body->interface->take_part(o->body, p);
    TRY_OR(status, p->interface->destroy(p));
    o->parts.items[o->parts.count++] = p;
    o->body->parts = o->parts.items;
    o->body->part_count = o->parts.count;
    return p->interface->update ? object_resize(w, o) : RUGA_OK;
}

ruga_status world_set_contact(world *w, contact *c) {
    if (w->contact) w->contact->interface->destroy(w->contact);
    w->contact = c;
    return RUGA_OK;
}

/* ---- Contents and measures. */

environment *world_environment(world *w) { return &w->environment; }
size_t world_object_count(const world *w) { return w->objects.count; }
const char *world_object_name(const world *w, size_t object) { return w->objects.items[object].name; }
body *world_body(world *w, size_t object) { return w->objects.items[object].body; }
const ruga_mesh *world_mesh(const world *w, size_t object) { return object_mesh(&w->objects.items[object]); }
const part *world_part(const world *w, size_t object, size_t index) {
    const world_object *o = &w->objects.items[object];
    return index < o->parts.count ? o->parts.items[index] : NULL;
}
const ruga_frame *world_frame(const world *w, size_t object) { return &w->objects.items[object].frame; }
void world_want_normals(world *w, int wanted) { w->want_normals = wanted; }
double world_time(const world *w) { return w->time; }
const double *world_stage_seconds(const world *w) { return w->seconds; }

const ruga_mesh *object_mesh(const world_object *o) {
    const part *top = top_part(o);
    return top ? top->output : o->body->mesh;
}

/* Who a list of measures belongs to. */
typedef struct measure_owner {
    const measure_list *list;
    const char *object, *kind; /* of contact no object, of a body no kind */
    size_t same;               /* parts before it of the same kind on the same object */
} measure_owner;

/* Of an object the body's and the parts'; behind the last object that of contact. */
static size_t measured_parts(const world *w, size_t object) {
    if (object == w->objects.count) return w->contact ? 1 : 0;
    return 1 + w->objects.items[object].parts.count;
}

/* The body is 0, part i is i + 1. */
static measure_owner object_owner(const world_object *o, size_t at) {
    if (at == 0) return (measure_owner){.list = &o->body->measures, .object = o->name};
    const part *p = o->parts.items[at - 1];
    measure_owner owner = {.list = &p->measures, .object = o->name, .kind = p->kind};
    for (size_t i = 0; i + 1 < at; i++) owner.same += strcmp(o->parts.items[i]->kind, owner.kind) == 0;
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

ruga_status object_note(world *w, const world_object *o, const char *kind, ruga_status status) {
    if (status > 0 && w->warning == RUGA_OK) w->warning = status;
    if (!RUGA_FAILED(status)) return status;
    char message[sizeof w->context->message];
    snprintf(message, sizeof message, "%s", ruga_context_message(w->context));
    if (kind) return fail_with(w->context, status, "object \"%s\", %s: %s", o->name, kind, message);
    return fail_with(w->context, status, "object \"%s\": %s", o->name, message);
}

/* ---- Frames. */

ruga_status object_resize(world *w, world_object *o) {
    RELEASE_ALL(w->context, o->visible, o->normals, o->normals_scratch);
    o->visible = o->normals = NULL;
    o->normals_scratch = NULL;
    size_t count = o->body->mesh->vertex_count;
    if (o->body->interface->visible) TRY(NEW_ZEROED(w->context, &o->visible, count));
    o->frame = object_body_frame(o, w->time);
    for (size_t i = 0; i < o->parts.count; i++) o->frame = part_frame(o->parts.items[i], &o->frame);
    o->frame.normals = NULL;
    return RUGA_OK;
}

ruga_frame object_body_frame(world_object *o, double time) {
    const body *b = o->body;
    if (o->visible) b->interface->visible(b, b->positions, o->visible);
    return (ruga_frame){.time = time,
                        .topology_revision = b->revision,
                        .vertex_count = b->mesh->vertex_count,
                        .positions = o->visible ? o->visible : b->positions};
}

ruga_frame part_frame(const part *p, const ruga_frame *in) {
    ruga_frame frame = *in;
    if (!p->interface->update) return frame;
    frame.vertex_count = p->output->vertex_count;
    frame.positions = p->positions;
    frame.normals = p->normals;
    return frame;
}

ruga_status object_refresh(world *w, world_object *o) {
    const substep now = {.time = w->time, .blend = 1, .environment = &w->environment};
    ruga_frame in = object_body_frame(o, w->time);
    for (size_t i = 0; i < o->parts.count; i++) {
        part *p = o->parts.items[i];
        if (p->interface->update && !p->interface->save)
            TRY(object_note(w, o, p->kind, p->interface->update(p, o->body, &now, &in)));
        in = part_frame(p, &in);
    }
    o->frame = in;
    return RUGA_OK;
}

/* The last part's normals where it makes them, else those of the mesh. */
ruga_status object_make_frame(world *w, world_object *o) {
    if (!w->want_normals) {
        o->frame.normals = NULL;
        return RUGA_OK;
    }
    if (o->frame.normals) return RUGA_OK;
    const ruga_mesh *mesh = object_mesh(o);
    if (!o->normals) TRY(NEW(w->context, &o->normals, mesh->vertex_count));
    if (!o->normals_scratch) TRY(NEW_SIZED(w->context, &o->normals_scratch, mesh_normals_scratch(mesh), 1));
    mesh_normals(mesh, o->frame.positions, o->normals_scratch, o->normals);
    o->frame.normals = o->normals;
    return RUGA_OK;
}
