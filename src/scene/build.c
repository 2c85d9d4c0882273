/* A description comes to life: ruga_scene_create. Of each object the mesh is read or made, put in its place and edited; its
 * motion is carried along; then its body, hooks and details are made and handed to the world. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/vec3.h"
#include "scene/cloth.h"
#include "scene/contact.h"
#include "scene/object.h"
#include "scene/scene.h"
#include "scene/sculpt.h"
#include "scene/surroundings.h"
#include "scene/tables.h"
#include "scene/values.h"
#include "scene/wrinkle.h"
#include "wrinkle/displace_detail.h"
#include "wrinkle/jiggle_detail.h"
#include "wrinkle/subdivide_detail.h"

/* One object on its way into the world. What it still owns is released at the end. */
typedef struct builder {
    ruga_context *context;
    ruga_scene *scene;
    const ruga_scene_def *def;
    const ruga_object_def *object;
    object_mesh mesh;
    ruga_map *map; /* the edited mesh's vertices from those of the mesh as it was read; NULL: no edits */
    ruga_motion *motion;
    int own_motion;
    size_t index; /* in the world */
} builder;

static void builder_release(builder *b) {
    ruga_mesh_destroy(b->mesh.made);
    ruga_map_destroy(b->map);
    if (b->own_motion) ruga_motion_destroy(b->motion);
}

/* ---- Mesh and motion. */

static int is_animated(const ruga_object_def *object) { return object->body.section == &body_animated_section; }

static ruga_status find_motion(builder *b) {
    const ruga_object_def *object = b->object;
    if (!is_animated(object)) {
        if (!object->given_motion) return RUGA_OK;
        return fail_with(b->context, RUGA_ERROR_ARGUMENT, "it is given a motion, but its body is not \"animated\"");
    }
    if (object->given_motion) {
        b->motion = object->given_motion;
        return object_motion_fits(b->context, b->motion, b->mesh.mesh);
    }
    TRY(object_motion_read(b->context, &b->scene->memory, object, b->def->time.fps, b->mesh.mesh, &b->motion));
    b->own_motion = 1;
    return RUGA_OK;
}

/* The map of an edit goes on top of those before it. */
static ruga_status add_map(builder *b, ruga_map *map) {
    if (!b->map) {
        b->map = map;
        return RUGA_OK;
    }
    ruga_map *both = NULL;
    ruga_status status = ruga_map_compose(map, b->map, &both);
    ruga_map_destroy(map);
    if (RUGA_FAILED(status)) return status;
    ruga_map_destroy(b->map);
    b->map = both;
    return RUGA_OK;
}

static ruga_status apply_edits(builder *b) {
    const ruga_variant *edits = b->object->edits.items;
    for (size_t i = 0; i < b->object->edits.count; i++) {
        ruga_mesh *edited = NULL;
        ruga_map *map = NULL;
        TRY(edit_apply(&b->scene->memory, b->object, b->mesh.mesh, &edits[i], &edited, &map));
        ruga_mesh_destroy(b->mesh.made);
        b->mesh = (object_mesh){edited, edited};
        TRY(add_map(b, map));
    }
    return RUGA_OK;
}

/* The motion of the mesh as it was read becomes one of the edited mesh. */
static ruga_status carry_motion(builder *b) {
    if (!b->motion || !b->map) return RUGA_OK;
    ruga_motion *inner = b->motion;
    ruga_map *map = b->map;
    int own = b->own_motion;
    b->motion = NULL;
    b->map = NULL;
    b->own_motion = 0;
    TRY(motion_carry(inner, own, map, &b->motion));
    b->own_motion = 1;
    return RUGA_OK;
}

/* The scene keeps the mesh until its end. */
static ruga_status keep_mesh(builder *b) {
    if (!b->mesh.made) return RUGA_OK;
    TRY(ARRAY_RESERVE(b->context, &b->scene->meshes, 1));
    b->scene->meshes.items[b->scene->meshes.count++] = b->mesh.made;
    b->mesh.made = NULL;
    return RUGA_OK;
}

static ruga_status make_mesh(builder *b) {
    TRY(object_mesh_load(b->context, &b->scene->memory, b->object, &b->mesh));
    if (b->mesh.mesh->context != b->context)
        return fail_with(b->context, RUGA_ERROR_ARGUMENT, "its mesh was made with another context");
    TRY(find_motion(b));
    TRY(object_mesh_place(b->object, &b->mesh));
    TRY(apply_edits(b));
    TRY(carry_motion(b));
    return keep_mesh(b);
}

/* ---- Bodies. */

static ruga_status make_animated(builder *b, const ruga_animated_def *values, body **out) {
    body_transform transform = object_transform(b->object);
    const body_animated_def def = {.motion = b->motion,
                                   .own = b->own_motion,
                                   .start = values->start,
                                   .speed = values->speed,
                                   .cycle = values->cycle,
                                   .transform = object_is_placed(b->object) ? &transform : NULL};
    b->own_motion = 0;
    return body_animated_create(b->mesh.mesh, &def, out);
}

static ruga_status make_rigid(builder *b, const ruga_rigid_def *values, body **out) {
    const ruga_rigid_key *given = values->keys.items;
    body_rigid_key *keys = arena_allocate(&b->scene->memory, values->keys.count + 1, sizeof *keys);
    if (!keys) return fail_memory(b->context, values->keys.count * sizeof *keys);
    for (size_t k = 0; k < values->keys.count; k++)
        keys[k] = (body_rigid_key){given[k].time, given[k].move, given[k].turn};
    return body_rigid_create(b->mesh.mesh, values->pivot, keys, values->keys.count, out);
}

/* The message again, with the number of the pin that it is about. */
static ruga_status fail_pin(ruga_context *context, ruga_status status, size_t pin) {
    char message[sizeof context->message];
    snprintf(message, sizeof message, "%s", ruga_context_message(context));
    return fail_with(context, status, "pins[%zu]: %s", pin, message);
}

static ruga_status make_pin(builder *b, const ruga_variant *variant, cloth_pin_def *out) {
    const void *values = variant_values(&b->scene->memory, variant);
    if (!values) return fail_memory(b->context, variant->section->size);
    TRY(pin_choose(&b->scene->memory, pin_choice(values), b->mesh.mesh, out));
    if (variant->section == &pin_path_section) return pin_path(&b->scene->memory, values, out);
    if (variant->section != &pin_follow_section) return RUGA_OK;
    size_t leader, own = (size_t)(b->object - (const ruga_object_def *)b->def->objects.items);
    TRY(pin_leader(b->context, b->def, own, ((const ruga_pin_follow_def *)values)->object, &leader));
    out->leader = world_body(b->scene->world, leader);
    return RUGA_OK;
}

static ruga_status make_cloth(builder *b, const ruga_cloth_def *values, body **out) {
    cloth_def def;
    TRY(cloth_def_from(b->def, b->object, values, b->mesh.mesh, &def));
    const ruga_variant *variants = values->pins.items;
    cloth_pin_def *pins = arena_allocate(&b->scene->memory, values->pins.count + 1, sizeof *pins);
    if (!pins) return fail_memory(b->context, values->pins.count * sizeof *pins);
    for (size_t i = 0; i < values->pins.count; i++) {
        pins[i] = (cloth_pin_def){0};
        ruga_status status = make_pin(b, &variants[i], &pins[i]);
        if (RUGA_FAILED(status)) return fail_pin(b->context, status, i);
    }
    def.pin_def_count = values->pins.count;
    def.pins = pins;
    TRY(cloth_take_changes(&b->scene->memory, values, &def));
    def.colliders_by_contact = b->def->contact.on && b->object->contact.collides;
    return cloth_create(b->mesh.mesh, &def, out);
}

static ruga_status make_body(builder *b) {
    const ruga_variant *variant = &b->object->body;
    const void *values = variant_values(&b->scene->memory, variant);
    if (!values) return fail_memory(b->context, variant->section->size);
    body *made = NULL;
    if (variant->section == &body_animated_section)
        TRY(make_animated(b, values, &made));
    else if (variant->section == &body_rigid_section)
        TRY(make_rigid(b, values, &made));
    else if (variant->section == &body_cloth_section)
        TRY(make_cloth(b, values, &made));
    else
        TRY(body_static_create(b->mesh.mesh, &made));
    ruga_status status = touch_from(b->context, b->def, b->object, &made->touch);
    if (RUGA_FAILED(status)) {
        made->interface->destroy(made);
        return status;
    }
    return world_add_object(b->scene->world, b->object->name, made, &b->index);
}

/* ---- Hooks. */

static ruga_status make_hook(builder *b, const ruga_variant *variant) {
    const ruga_collide_def *values = variant_values(&b->scene->memory, variant);
    if (!values) return fail_memory(b->context, variant->section->size);
    hook *made = NULL;
    TRY(hook_collide_create(b->context, values->thickness, &made));
    return world_add_hook(b->scene->world, b->index, made);
}

/* ---- Details. */

static ruga_status load_param(builder *b, const ruga_section *section, const char *name, const ruga_param *param,
                              const ruga_mesh *mesh, ruga_param *out) {
    TRY(param_load(&b->scene->memory, param, mesh->vertex_count, out));
    param_limit(ruga_section_field(section, name), out);
    return RUGA_OK;
}

static ruga_status make_displace(builder *b, const ruga_displace_def *values, const ruga_mesh *mesh, detail **out) {
    ruga_param *amount = arena_allocate(&b->scene->memory, 1, sizeof *amount);
    if (!amount) return fail_memory(b->context, sizeof *amount);
    TRY(load_param(b, &detail_displace_section, "amount", &values->amount, mesh, amount));
    return detail_displace_create(mesh, amount, out);
}

static ruga_status make_jiggle(builder *b, const ruga_jiggle_def *values, const ruga_mesh *mesh, detail **out) {
    const ruga_section *section = &detail_jiggle_section;
    jiggle_def def;
    TRY(load_param(b, section, "frequency", &values->frequency, mesh, &def.frequency));
    TRY(load_param(b, section, "damping", &values->damping, mesh, &def.damping));
    TRY(load_param(b, section, "weight", &values->weight, mesh, &def.weight));
    TRY(load_param(b, section, "air", &values->air, mesh, &def.air));
    return detail_jiggle_create(mesh, &def, out);
}

static ruga_status make_spline(builder *b, const ruga_spline_def *values, const ruga_mesh *mesh, detail **out) {
    spline_detail_def def = spline_def_from(values);
    TRY(load_param(b, &detail_spline_section, "amplitude", &values->amplitude, mesh, &def.amplitude));
    return detail_spline_create(mesh, &def, out);
}

/* The mesh of a file stays until the scene's end. */
static ruga_status make_wrinkle(builder *b, const ruga_wrinkle_def *values, const ruga_mesh *mesh, detail **out) {
    wrinkle_detail_def def = wrinkle_def_from(values);
    if (values->fine) {
        TRY(ARRAY_RESERVE(b->context, &b->scene->meshes, 1));
        ruga_mesh **kept = &b->scene->meshes.items[b->scene->meshes.count];
        TRY(wrinkle_fine_read(b->context, &b->scene->memory, b->object, values, kept));
        def.fine = *kept;
        b->scene->meshes.count++;
    }
    TRY(wrinkle_load_params(&b->scene->memory, values, mesh, &def));
    TRY(detail_wrinkle_create(mesh, &def, out));
    wrinkle_warn(b->context, b->object->name, *out);
    return RUGA_OK;
}

static ruga_status make_sculpt(builder *b, const ruga_sculpt_def *values, const ruga_mesh *mesh, detail **out) {
    ruga_strokes *strokes = NULL;
    TRY(sculpt_strokes(&b->scene->memory, b->object, values, mesh, &strokes));
    return detail_sculpt_create(mesh, strokes, out);
}

static ruga_status make_detail(builder *b, const ruga_variant *variant) {
    const ruga_mesh *mesh = world_mesh(b->scene->world, b->index);
    const void *values = variant_values(&b->scene->memory, variant);
    if (!values) return fail_memory(b->context, variant->section->size);
    detail *made = NULL;
    if (variant->section == &detail_displace_section) {
        TRY(make_displace(b, values, mesh, &made));
    } else if (variant->section == &detail_jiggle_section) {
        TRY(make_jiggle(b, values, mesh, &made));
    } else if (variant->section == &detail_spline_section) {
        TRY(make_spline(b, values, mesh, &made));
    } else if (variant->section == &detail_wrinkle_section) {
        TRY(make_wrinkle(b, values, mesh, &made));
    } else if (variant->section == &detail_sculpt_section) {
        TRY(make_sculpt(b, values, mesh, &made));
    } else {
        ruga_subdivide_def def = subdivide_def_from(values);
        TRY(detail_subdivide_create(mesh, &def, &made));
    }
    return world_add_detail(b->scene->world, b->index, made);
}

/* ---- Objects. */

static ruga_status check_name(const builder *b) {
    const char *problem = object_name_problem(b->object->name);
    if (problem) return fail_with(b->context, RUGA_ERROR_INPUT, "%s; files are called after it", problem);
    for (size_t i = 0; i < world_object_count(b->scene->world); i++) {
        const char *other = world_object_name(b->scene->world, i);
        if (object_names_clash(other, b->object->name))
            return fail_with(b->context, RUGA_ERROR_INPUT,
                             "another object is called \"%s\", and so would be their files; give it another name",
                             other);
    }
    return RUGA_OK;
}

static ruga_status check_material(const builder *b) {
    ruga_material_def material;
    return b->object->material ? material_resolve(b->context, b->def, b->object->material, &material) : RUGA_OK;
}

static ruga_status make_object(builder *b) {
    TRY(check_name(b));
    TRY(check_material(b));
    TRY(make_mesh(b));
    TRY(make_body(b));
    const ruga_variant *hooks = b->object->hooks.items, *details = b->object->details.items;
    for (size_t i = 0; i < b->object->hooks.count; i++) TRY(make_hook(b, &hooks[i]));
    for (size_t i = 0; i < b->object->details.count; i++) TRY(make_detail(b, &details[i]));
    return RUGA_OK;
}

/* The message again, with the object that it is about. */
static ruga_status fail_object(ruga_context *context, ruga_status status, const char *name) {
    char message[sizeof context->message];
    snprintf(message, sizeof message, "%s", ruga_context_message(context));
    return fail_with(context, status, "object \"%s\": %s", name, message);
}

static ruga_status make_objects(ruga_scene *scene, const ruga_scene_def *def) {
    const ruga_object_def *objects = def->objects.items;
    for (size_t i = 0; i < def->objects.count; i++) {
        builder b = {.context = scene->context, .scene = scene, .def = def, .object = &objects[i]};
        ruga_status status = make_object(&b);
        builder_release(&b);
        if (RUGA_FAILED(status)) return fail_object(scene->context, status, objects[i].name);
    }
    return RUGA_OK;
}

/* ---- Surroundings. */

static ruga_status make_surroundings(ruga_scene *scene, const ruga_scene_def *def) {
    const ruga_variant *variants = def->colliders.items;
    collider *colliders = arena_allocate(&scene->memory, def->colliders.count + 1, sizeof *colliders);
    if (!colliders) return fail_memory(scene->context, def->colliders.count * sizeof *colliders);
    for (size_t i = 0; i < def->colliders.count; i++)
        TRY(collider_make(&scene->memory, &variants[i], i, &colliders[i]));
    *world_environment(scene->world) = (environment){
        .gravity = def->gravity,
        .wind = wind_make(&def->wind),
        .collider_count = def->colliders.count,
        .colliders = colliders,
    };
    return RUGA_OK;
}

/* ---- Contact. */

static ruga_status make_contact(ruga_scene *scene, const ruga_scene_def *def) {
    TRY(crossings_prepare(scene, def));
    if (!def->contact.on) return RUGA_OK;
    contact_def of_contact;
    contact *made = NULL;
    TRY(contact_def_from(&scene->memory, def, &of_contact));
    const environment *surroundings = world_environment(scene->world);
    of_contact.collider_count = surroundings->collider_count;
    of_contact.colliders = surroundings->colliders;
    TRY(contact_create(scene->context, &of_contact, &made));
    scene->checks_frames = def->contact.check;
    return world_set_contact(scene->world, made);
}

/* ---- The scene. */

static ruga_status build(ruga_scene *scene, const ruga_scene_def *def) {
    TRY(values_check(scene->context, &scene_section, def));
    TRY(world_create(scene->context, &scene->world));
    world_set_frame_length(scene->world, 1 / def->time.fps);
    TRY(make_surroundings(scene, def));
    TRY(make_objects(scene, def));
    TRY(make_contact(scene, def));
    TRY(scene_list_measures(scene));
    return scene_settle(scene);
}

ruga_status ruga_scene_create(ruga_context *context, const ruga_scene_def *def, ruga_scene **out) {
    if (!context || !out) return RUGA_ERROR_ARGUMENT;
    if (!def || def->cookie != RUGA_COOKIE)
        return fail_with(context, RUGA_ERROR_ARGUMENT, "a scene's def must be made by ruga_scene_def_default");
    ruga_scene *scene = ALLOCATE_ZEROED(context, ruga_scene, 1);
    if (!scene) return fail_memory(context, sizeof *scene);
    scene->context = context;
    scene->memory = arena_make(context);
    scene->time = def->time;
    scene->frame = def->time.start_frame - 1;
    ruga_status status = build(scene, def);
    if (RUGA_FAILED(status)) {
        ruga_scene_destroy(scene);
        return status;
    }
    *out = scene;
    return RUGA_OK;
}
