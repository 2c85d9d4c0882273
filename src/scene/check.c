/* All that can be found wrong with a description without running it, at once: ruga_description_check. Meshes and motions are
 * loaded as for a scene; after each finding the check goes on with what is left. */
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "math/vec3.h"
#include "mesh/param.h"
#include "scene/check_contact.h"
#include "scene/cloth.h"
#include "scene/description.h"
#include "scene/field.h"
#include "scene/object.h"
#include "scene/sculpt.h"
#include "scene/surroundings.h"
#include "scene/tables.h"
#include "scene/wrinkle.h"

typedef struct checker {
    ruga_description *d;
    ruga_context *context;
    const ruga_scene_def *def;
    arena memory;   /* of what is loaded for the check alone */
    unsigned felt;  /* RUGA_SECTION_FEELS_… of all that there is */
    unsigned asked; /* the same of hooks: nothing else is there for */
} checker;

/* A failed call becomes a finding about a value; only what no description can help ends the check. */
static ruga_status tell(checker *c, const void *value, ruga_status status) {
    if (!RUGA_FAILED(status) || status == RUGA_ERROR_MEMORY || status == RUGA_ERROR_CANCELLED) return status;
    return description_found(c->d, value, status, "%s", ruga_context_message(c->context));
}

static int has_errors(const checker *c) { return description_has_errors(c->d); }

/* ---- Materials. */

static int is_own_material(const ruga_scene_def *def, const char *name) {
    const ruga_material_def *materials = def->materials.items;
    for (size_t i = 0; i < def->materials.count; i++)
        if (materials[i].name && strcmp(materials[i].name, name) == 0) return 1;
    return 0;
}

static const ruga_material_def *next_material(const ruga_scene_def *def, const ruga_material_def *m) {
    const ruga_material_def *materials = def->materials.items;
    for (size_t i = 0; m->like && i < def->materials.count; i++)
        if (materials[i].name && strcmp(materials[i].name, m->like) == 0) return &materials[i];
    return NULL;
}

/* Every circle is told once, at the first of its materials; those that lead into one are not told of. */
static int is_told_elsewhere(const ruga_scene_def *def, const ruga_material_def *m) {
    const ruga_material_def *at = m;
    int earlier = 0;
    for (size_t steps = 0; steps <= def->materials.count; steps++) {
        at = next_material(def, at);
        if (!at) return 0;
        if (at == m) return earlier;
        earlier |= at < m;
    }
    return 1;
}

static ruga_status check_material(checker *c, size_t i) {
    const ruga_material_def *materials = c->def->materials.items, *m = &materials[i];
    if (!m->name) return RUGA_OK;
    for (size_t k = 0; k < i; k++)
        if (materials[k].name && strcmp(materials[k].name, m->name) == 0)
            return description_found(c->d, &m->name, RUGA_ERROR_INPUT,
                                     "there is another material \"%s\"; give each a name of its own", m->name);
    ruga_material_def whole;
    ruga_status status = material_resolve(c->context, c->def, m->name, &whole);
    if (RUGA_FAILED(status) && is_told_elsewhere(c->def, m)) return RUGA_OK;
    return tell(c, m->like ? (const void *)&m->like : &m->name, status);
}

/* ---- Times. */

static ruga_status check_time(checker *c) {
    if (c->def->time.frames > 0) return RUGA_OK;
    return description_found(c->d, &c->def->time.frames, RUGA_WARNING_INPUT,
                             "there are no frames to give out; 1 gives the first alone");
}

/* Times of keys rise; `keys` are of a struct that begins with the time. */
static ruga_status check_keys(checker *c, const ruga_list *keys, size_t size) {
    if (keys->count == 0 && !has_errors(c))
        return description_found(c->d, keys, RUGA_ERROR_INPUT, "there are no keys; give at least one");
    for (size_t k = 1; k < keys->count; k++) {
        const double *before = (const double *)((const char *)keys->items + (k - 1) * size);
        const double *time = (const double *)((const char *)keys->items + k * size);
        if (!(*time > *before))
            TRY(description_found(c->d, time, RUGA_ERROR_INPUT,
                                  "the key is at %g s, but the one before it is at %g s; times must rise", *time,
                                  *before));
    }
    return RUGA_OK;
}

_Static_assert(offsetof(ruga_rigid_key, time) == 0 && offsetof(ruga_pin_key, time) == 0, "keys begin with the time");

/* ---- Meshes and motions. */

/* An object whose mesh is on its way through edits and details. */
typedef struct subject {
    const ruga_object_def *object;
    size_t index; /* of the object */
    object_mesh mesh;
} subject;

static void subject_take(subject *s, ruga_mesh *mesh) {
    ruga_mesh_destroy(s->mesh.made);
    s->mesh = (object_mesh){mesh, mesh};
}

/* Where a mesh that can't be loaded is to be blamed. */
static const void *mesh_place(const ruga_object_def *object) {
    const ruga_mesh_file_def *values = object->mesh.values;
    return values && object->mesh.section == &mesh_file_section ? (const void *)&values->file : &object->mesh;
}

static ruga_status check_mesh(checker *c, subject *s) {
    if (!s->object->mesh.section && has_errors(c)) return RUGA_OK; /* the reader has told */
    return tell(c, mesh_place(s->object), object_mesh_load(c->context, &c->memory, s->object, &s->mesh));
}

/* A motion that is over before the first frame, or begins after the last, moves nothing. */
static ruga_status check_motion_times(checker *c, const ruga_animated_def *values, const void *place,
                                      const ruga_motion *motion) {
    const ruga_time_def *time = &c->def->time;
    ruga_motion_info info = ruga_motion_get_info(motion);
    double start = isnan(values->start) ? info.start : values->start;
    double speed = values->speed > 0 ? values->speed : DBL_MIN, end = start + (info.end - info.start) / speed;
    double first = (time->start_frame - time->preroll) / time->fps;
    double last = (time->start_frame + time->frames) / time->fps;
    if (values->cycle || (end >= first && start <= last) || info.start == info.end) return RUGA_OK;
    return description_found(c->d, place, RUGA_WARNING_INPUT,
                             "nothing moves: the motion runs from %g to %g s, but the scene from %g to %g s; \"start\" "
                             "says when the motion begins",
                             start, end, first, last);
}

static ruga_status check_animated(checker *c, const subject *s) {
    const ruga_animated_def *values = variant_values(&c->memory, &s->object->body);
    if (!values) return fail_memory(c->context, sizeof *values);
    const void *place = s->object->body.values && values->motion ? (const void *)&values->motion : &s->object->body;
    ruga_motion *motion = NULL;
    TRY(tell(c, place, object_motion_read(c->context, &c->memory, s->object, c->def->time.fps, s->mesh.mesh, &motion)));
    ruga_status status = motion ? check_motion_times(c, values, place, motion) : RUGA_OK;
    ruga_motion_destroy(motion);
    return status;
}

static ruga_status check_body(checker *c, const subject *s) {
    const ruga_variant *kind = &s->object->body;
    if (!kind->section) return RUGA_OK;
    c->felt |= kind->section->flags;
    if (kind->section == &body_rigid_section && kind->values)
        return check_keys(c, &((const ruga_rigid_def *)kind->values)->keys, sizeof(ruga_rigid_key));
    if (kind->section == &body_animated_section && s->mesh.mesh) return check_animated(c, s);
    return RUGA_OK;
}

static ruga_status check_edits(checker *c, subject *s) {
    const ruga_variant *edits = s->object->edits.items;
    for (size_t i = 0; i < s->object->edits.count && s->mesh.mesh && edits[i].section; i++) {
        ruga_mesh *edited = NULL;
        TRY(tell(c, &edits[i], edit_apply(&c->memory, s->object, s->mesh.mesh, &edits[i], &edited, NULL)));
        subject_take(s, edited);
    }
    return RUGA_OK;
}

/* ---- Parameters. */

/* The message of a parameter begins with its name, which the finding's path ends in. */
static ruga_status tell_param(checker *c, const ruga_field *field, const ruga_param *param, ruga_status status) {
    if (!RUGA_FAILED(status) || status == RUGA_ERROR_MEMORY || status == RUGA_ERROR_CANCELLED) return status;
    const char *message = ruga_context_message(c->context);
    size_t length = strlen(field->name);
    if (strncmp(message, field->name, length) == 0 && strncmp(message + length, ": ", 2) == 0) message += length + 2;
    return description_found(c->d, param, status, "%s", message);
}

static ruga_status check_param(checker *c, const ruga_field *field, const ruga_param *param, const ruga_mesh *mesh) {
    ruga_param loaded;
    double *values = ALLOCATE(c->context, double, mesh->vertex_count);
    if (!values) return fail_memory(c->context, mesh->vertex_count * sizeof *values);
    ruga_status status = param_load(&c->memory, param, mesh->vertex_count, &loaded);
    if (!RUGA_FAILED(status)) status = param_prepare(&loaded, field->name, mesh, values);
    memory_release(c->context, values);
    return tell_param(c, field, param, status);
}

/* Whether the mesh is a grid; what follows works on the finer one. */
static ruga_status check_spline(checker *c, subject *s, const ruga_variant *variant) {
    const ruga_spline_def *values = variant_values(&c->memory, variant);
    if (!values) return fail_memory(c->context, variant->section->size);
    spline_detail_def def = spline_def_from(values);
    ruga_mesh *finer = NULL;
    TRY(tell(c, variant, spline_detail_mesh(s->mesh.mesh, &def, &finer)));
    subject_take(s, finer);
    return RUGA_OK;
}

static ruga_status check_params(checker *c, const ruga_variant *variant, const ruga_mesh *mesh) {
    for (size_t i = 0; variant->values && i < variant->section->field_count; i++) {
        const ruga_field *field = &variant->section->fields[i];
        const ruga_param *param = field_at(field, variant->values);
        if (field->kind == RUGA_FIELD_PARAM && !param_is_absent(param)) TRY(check_param(c, field, param, mesh));
    }
    return RUGA_OK;
}

/* The fine mesh: that of a file, or a finer one of the mesh below. */
static ruga_status find_fine(checker *c, const subject *s, const ruga_wrinkle_def *values, wrinkle_detail_def *def,
                             ruga_mesh **fine) {
    if (!values->fine) return ruga_mesh_subdivide(s->mesh.mesh, &def->subdivide, fine, NULL);
    TRY(wrinkle_fine_read(c->context, &c->memory, s->object, values, fine));
    def->fine = *fine;
    return RUGA_OK;
}

/* Whether the fine mesh hangs on the mesh below; that is asked only when its parameters are right. What is logged on the way
 * is left to the scene, which says it again. */
static ruga_status check_bound(checker *c, const subject *s, const ruga_wrinkle_def *values,
                               const ruga_variant *variant, wrinkle_detail_def *def) {
    ruga_log_function *log = c->context->def.log;
    detail *made = NULL;
    c->context->def.log = NULL;
    ruga_status status = wrinkle_load_params(&c->memory, values, s->mesh.mesh, def);
    if (!RUGA_FAILED(status)) status = detail_wrinkle_create(s->mesh.mesh, def, &made);
    if (made) made->interface->destroy(made);
    c->context->def.log = log;
    return tell(c, variant, status);
}

/* What follows works on the fine mesh. */
static ruga_status check_wrinkle(checker *c, subject *s, const ruga_variant *variant) {
    const ruga_wrinkle_def *values = variant_values(&c->memory, variant);
    if (!values) return fail_memory(c->context, variant->section->size);
    wrinkle_detail_def def = wrinkle_def_from(values);
    ruga_mesh *fine = NULL;
    const void *place = values->fine ? (const void *)&values->fine : variant;
    TRY(tell(c, place, find_fine(c, s, values, &def, &fine)));
    size_t before = c->d->findings.count;
    ruga_status status = fine ? check_params(c, variant, fine) : RUGA_OK;
    if (fine && !RUGA_FAILED(status) && c->d->findings.count == before)
        status = check_bound(c, s, values, variant, &def);
    subject_take(s, fine);
    return status;
}

/* What follows works on the wrinkled mesh. */
static ruga_status check_sculpt(checker *c, subject *s, const ruga_variant *variant) {
    const ruga_sculpt_def *values = variant_values(&c->memory, variant);
    if (!values) return fail_memory(c->context, variant->section->size);
    ruga_strokes *strokes = NULL;
    ruga_mesh *finer = NULL;
    TRY(tell(c, variant, sculpt_strokes(&c->memory, s->object, values, s->mesh.mesh, &strokes)));
    ruga_status status = RUGA_OK;
    if (strokes) status = object_mesh_copy(ruga_sculpt_mesh(ruga_strokes_sculpt(strokes)), &finer);
    ruga_strokes_destroy(strokes);
    subject_take(s, finer);
    return status;
}

static ruga_status check_detail(checker *c, subject *s, const ruga_variant *variant) {
    if (!variant->section) return RUGA_OK;
    c->felt |= variant->section->flags;
    if (!s->mesh.mesh) return RUGA_OK;
    if (variant->section == &detail_wrinkle_section) return check_wrinkle(c, s, variant);
    if (variant->section == &detail_sculpt_section) return check_sculpt(c, s, variant);
    if (variant->section == &detail_subdivide_section) {
        ruga_mesh *finer = NULL;
        TRY(tell(c, variant, edit_apply(&c->memory, s->object, s->mesh.mesh, variant, &finer, NULL)));
        subject_take(s, finer);
        return RUGA_OK;
    }
    TRY(check_params(c, variant, s->mesh.mesh));
    return variant->section == &detail_spline_section ? check_spline(c, s, variant) : RUGA_OK;
}

/* ---- Cloth. */

static ruga_status check_pin(checker *c, const subject *s, const ruga_variant *pin, cloth_pin_def *out) {
    const void *values = variant_values(&c->memory, pin);
    if (!values) return fail_memory(c->context, pin->section->size);
    const ruga_pin_choice *choice = pin_choice(values);
    size_t before = c->d->findings.count, leader;
    TRY(check_param(c, ruga_section_field(pin->section, "where"), &choice->where, s->mesh.mesh));
    if (c->d->findings.count > before) return RUGA_OK;
    const void *place = choice->vertices ? (const void *)&choice->vertices : pin;
    TRY(tell(c, place, pin_choose(&c->memory, choice, s->mesh.mesh, out)));
    if (pin->section == &pin_path_section)
        return check_keys(c, &((const ruga_pin_path_def *)values)->keys, sizeof(ruga_pin_key));
    const ruga_pin_follow_def *follow = values;
    if (pin->section != &pin_follow_section || !follow->object) return RUGA_OK;
    return tell(c, &follow->object, pin_leader(c->context, c->def, s->index, follow->object, &leader));
}

/* Each by itself, then whether two of them hold the same vertex. */
static ruga_status check_pins(checker *c, const subject *s, const ruga_list *list) {
    const ruga_variant *variants = list->items;
    cloth_pin_def *defs = arena_allocate(&c->memory, list->count + 1, sizeof *defs);
    if (!defs) return fail_memory(c->context, list->count * sizeof *defs);
    for (size_t i = 0; i < list->count; i++) {
        defs[i] = (cloth_pin_def){0};
        if (variants[i].section) TRY(check_pin(c, s, &variants[i], &defs[i]));
    }
    cloth_pins pins;
    ruga_status status = cloth_pins_make(s->mesh.mesh, defs, list->count, &pins);
    if (!RUGA_FAILED(status)) cloth_pins_release(&pins);
    return tell(c, list, status);
}

/* What begins inside is put outside in the first step, or is for contact to deal with: worth a word. */
static ruga_status check_begin(checker *c, const subject *s) {
    static const char *const then[] = {"they are put on its surface in the first step",
                                       "contact.start says what happens where it intersects them",
                                       "contact pushes them out, a little in every step"};
    int contact = c->def->contact.on && s->object->contact.collides;
    const ruga_variant *variants = c->def->colliders.items;
    for (size_t k = 0; k < c->def->colliders.count; k++) {
        collider shape;
        if (!variants[k].section || RUGA_FAILED(collider_make(&c->memory, &variants[k], k, &shape))) continue;
        size_t inside = 0;
        for (size_t i = 0; i < s->mesh.mesh->vertex_count; i++) {
            ruga_vec3 normal;
            inside += collider_distance(&shape, s->mesh.mesh->positions[i], &normal) < 0;
        }
        if (inside > 0)
            TRY(description_found(
                c->d, &s->object->body, RUGA_WARNING_INPUT, "%zu of its %zu vertices begin inside colliders[%zu]; %s",
                inside, s->mesh.mesh->vertex_count, k, then[contact ? 1 + (shape.kind == COLLIDER_PLANE) : 0]));
    }
    return RUGA_OK;
}

/* Material and mesh make springs; pins hold something; colliders are outside. */
static ruga_status check_cloth(checker *c, const subject *s) {
    const ruga_cloth_def *values = variant_values(&c->memory, &s->object->body);
    if (!values) return fail_memory(c->context, sizeof *values);
    if (!s->mesh.mesh) return RUGA_OK;
    cloth_def def;
    spring_network *network = NULL;
    ruga_status status = cloth_def_from(c->def, s->object, values, s->mesh.mesh, &def);
    if (!RUGA_FAILED(status)) {
        TRY(tell(c, &s->object->body, spring_network_of_mesh(s->mesh.mesh, &def.material, &network)));
        spring_network_destroy(network);
    }
    TRY(check_pins(c, s, &values->pins));
    if (values->changes.count > 0) TRY(check_keys(c, &values->changes, sizeof(ruga_cloth_key)));
    TRY(check_touch(c->d, s->object, s->mesh.mesh));
    return check_begin(c, s);
}

/* ---- Objects. */

static ruga_status check_object_material(checker *c, const ruga_object_def *object) {
    ruga_material_def whole;
    if (!object->material || is_own_material(c->def, object->material)) return RUGA_OK;
    return tell(c, &object->material, material_resolve(c->context, c->def, object->material, &whole));
}

static ruga_status check_names(checker *c, size_t i) {
    const ruga_object_def *objects = c->def->objects.items, *object = &objects[i];
    if (!object->name) return RUGA_OK; /* the reader has told */
    const char *problem = object_name_problem(object->name);
    if (problem)
        TRY(description_found(c->d, &object->name, RUGA_ERROR_INPUT, "%s; files are called after it", problem));
    for (size_t k = 0; k < i; k++)
        if (objects[k].name && object_names_clash(objects[k].name, object->name))
            return description_found(c->d, &object->name, RUGA_ERROR_INPUT,
                                     "objects[%zu] is called \"%s\" too%s; give each object a name of its own", k,
                                     objects[k].name,
                                     strcmp(objects[k].name, object->name) ? ", but for the number of a frame" : "");
    return RUGA_OK;
}

static ruga_status check_parts(checker *c, subject *s) {
    const ruga_variant *hooks = s->object->hooks.items, *details = s->object->details.items;
    TRY(check_object_material(c, s->object));
    TRY(check_mesh(c, s));
    TRY(check_body(c, s));
    if (s->mesh.made) TRY(object_mesh_place(s->object, &s->mesh));
    TRY(check_edits(c, s));
    if (s->object->body.section == &body_cloth_section) TRY(check_cloth(c, s));
    for (size_t i = 0; i < s->object->hooks.count; i++) c->asked |= hooks[i].section ? hooks[i].section->flags : 0;
    c->felt |= c->asked;
    for (size_t i = 0; i < s->object->details.count; i++) TRY(check_detail(c, s, &details[i]));
    return RUGA_OK;
}

static ruga_status check_object(checker *c, size_t i) {
    const ruga_object_def *objects = c->def->objects.items;
    subject s = {.object = &objects[i], .index = i};
    TRY(check_names(c, i));
    ruga_status status = check_parts(c, &s);
    ruga_mesh_destroy(s.mesh.made);
    return status;
}

/* ---- Surroundings. */

static ruga_status check_colliders(checker *c) {
    const ruga_variant *colliders = c->def->colliders.items;
    for (size_t i = 0; i < c->def->colliders.count; i++) {
        const ruga_plane_def *plane = colliders[i].values;
        if (colliders[i].section == &plane_section && plane && vec3_length2(plane->normal) == 0)
            TRY(description_found(c->d, &plane->normal, RUGA_ERROR_INPUT,
                                  "the normal is zero; it has to point to the free side"));
    }
    int felt = (c->felt & RUGA_SECTION_FEELS_COLLIDERS) != 0;
    if (c->def->colliders.count > 0 && !felt)
        return description_found(c->d, &c->def->colliders, RUGA_WARNING_INPUT,
                                 "nothing collides: no object is cloth or has a hook such as \"collide\"");
    if (c->def->colliders.count == 0 && (c->asked & RUGA_SECTION_FEELS_COLLIDERS))
        return description_found(c->d, &c->def->objects, RUGA_WARNING_INPUT,
                                 "an object collides, but there is nothing in \"colliders\"");
    return RUGA_OK;
}

static ruga_status check_air(checker *c) {
    const ruga_wind_def *air = &c->def->wind;
    int blows = vec3_length2(air->velocity) > 0 || air->function;
    if (blows && !(c->felt & RUGA_SECTION_FEELS_WIND))
        return description_found(c->d, &air->velocity, RUGA_WARNING_INPUT,
                                 "nothing feels the wind: no object is cloth or has a detail such as \"jiggle\"");
    if (!blows && air->gust > 0)
        return description_found(c->d, &air->gust, RUGA_WARNING_INPUT,
                                 "gusts are a part of the mean speed, which is 0; give the wind a velocity");
    return RUGA_OK;
}

/* That of the earth is always there; another one was asked for. */
static ruga_status check_gravity(checker *c) {
    ruga_vec3 usual = ruga_scene_def_default().gravity;
    if (vec3_distance(usual, c->def->gravity) == 0 || (c->felt & RUGA_SECTION_FEELS_GRAVITY)) return RUGA_OK;
    return description_found(c->d, &c->def->gravity, RUGA_WARNING_INPUT, "nothing falls: no object feels gravity");
}

/* ---- All of it. */

static ruga_status check_all(checker *c) {
    TRY(check_time(c));
    for (size_t i = 0; i < c->def->materials.count; i++) TRY(check_material(c, i));
    if (c->def->objects.count == 0 && !has_errors(c))
        TRY(description_found(c->d, &c->def->objects, RUGA_WARNING_INPUT, "there are no objects, so nothing happens"));
    for (size_t i = 0; i < c->def->objects.count; i++) TRY(check_object(c, i));
    TRY(check_colliders(c));
    TRY(check_air(c));
    TRY(check_gravity(c));
    return check_contact(c->d);
}

ruga_status ruga_description_check(ruga_description *description) {
    checker c = {.d = description,
                 .context = description->context,
                 .def = &description->def,
                 .memory = arena_make(description->context)};
    ruga_status status = check_all(&c);
    arena_release(&c.memory);
    if (RUGA_FAILED(status)) return status;
    description_sort_findings(description);
    return description_verdict(description);
}
