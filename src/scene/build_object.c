/* One object of a scene: its mesh is read or made, put in its place and edited; its motion is carried along; then its
 * body and its parts are made and handed to the world. A build that collects findings continues after each error with
 * whatever does not depend on it. */
#include <string.h>

#include "scene/build.h"
#include "scene/contact.h"
#include "scene/object.h"
#include "scene/start.h"
#include "scene/tables.h"

/* Owned until the object is built; then released. */
typedef struct object_build {
    object_mesh mesh; /* NULL: it could not be made */
    ruga_map *map;    /* the edited mesh's vertices from those of the mesh as it was read; NULL: no edits */
    body_transform transform;
    ARRAY(part *) loose; /* made though there is no body for them, so that the parts after them can be checked */
} object_build;

/* Starts to make a kind: NULL if its variant is absent, which the reader reported. */
static ruga_status enter(builder *b, const ruga_variant *variant, kind_role role, const kind **out) {
    *out = NULL;
    b->base.variant = variant;
    b->base.errors = 0;
    if (!variant->section) return RUGA_OK;
    const kind *found = kind_find(b->more_kinds, variant->section, role);
    if (!found)
        return build_found(&b->base, variant, RUGA_ERROR_ARGUMENT,
                           "the kind \"%s\" is not in the list of kinds of this place (src/scene/kinds.h)",
                           variant->section->name);
    b->kind = found;
    b->flags[role] |= found->flags;
    TRY(variant_values(b->base.memory, variant, &b->base.values));
    *out = found;
    return RUGA_OK;
}

/* ---- Name and material. */

static ruga_status check_name(builder *b) {
    const ruga_object_def *objects = b->base.scene->objects.items, *object = b->base.object;
    if (!object->name) return RUGA_OK; /* the reader reported it */
    const char *problem = object_name_problem(object->name);
    if (problem) TRY(build_found(&b->base, &object->name, RUGA_ERROR_INPUT, "%s; files are called after it", problem));
    for (size_t k = 0; k < b->index; k++)
        if (objects[k].name && object_names_clash(objects[k].name, object->name))
            return build_found(&b->base, &object->name, RUGA_ERROR_INPUT,
                               "objects[%zu] is called \"%s\" too%s; give each object a name of its own", k,
                               objects[k].name,
                               strcmp(objects[k].name, object->name) ? ", but for the number of a frame" : "");
    return RUGA_OK;
}

/* Errors of the scene's own materials are reported where these stand. */
static ruga_status find_material(builder *b) {
    const char *name = b->base.object->material;
    b->has_material = 0;
    if (!name) return RUGA_OK;
    ruga_status status = material_get(&b->materials, name, &b->material);
    b->has_material = !RUGA_FAILED(status);
    if (!b->has_material && b->findings && material_find(&b->materials, name) != MATERIAL_NONE) return RUGA_OK;
    return build_about(&b->base, &b->base.object->material, status);
}

/* ---- Mesh and motion. */

static ruga_status load_mesh(builder *b, object_build *o) {
    const ruga_object_def *object = b->base.object;
    const ruga_mesh_file_def *file = object->mesh.values;
    if (!object->given_mesh && !object->mesh.section && b->base.incomplete) return RUGA_OK; /* the reader reported it */
    int has_file = file && object->mesh.section == &mesh_file_section;
    ruga_status status = object_mesh_load(&b->base, &o->mesh);
    if (!RUGA_FAILED(status) && o->mesh.mesh->context != b->base.context)
        status = fail_argument(b->base.context, "its mesh was made with another context");
    return build_about(&b->base, has_file ? (const void *)&file->file : &object->mesh, status);
}

static ruga_status find_motion(builder *b, const kind *k) {
    const ruga_object_def *object = b->base.object;
    build *base = &b->base;
    if (object->given_motion && !k->read_motion)
        return build_found(base, &object->body, RUGA_ERROR_ARGUMENT,
                           "it is given a motion, but its body is not \"animated\"");
    if (object->given_motion) {
        ruga_status fits = object_motion_fits(base->context, object->given_motion, base->mesh);
        if (!RUGA_FAILED(fits)) base->motion = object->given_motion;
        return build_about(base, &object->body, fits);
    }
    if (!k->read_motion) return RUGA_OK;
    ruga_status status = k->read_motion(base, base->values, &base->motion);
    base->owns_motion = base->motion != NULL;
    return build_about(base, &object->body, status);
}

/* The map of an edit comes on top of those before it. Takes the map over. */
static ruga_status add_map(object_build *o, ruga_map *map) {
    ruga_map *both = map;
    ruga_status status = o->map ? ruga_map_compose(map, o->map, &both) : RUGA_OK;
    if (o->map || RUGA_FAILED(status)) ruga_map_destroy(map);
    if (RUGA_FAILED(status)) return status;
    ruga_map_destroy(o->map);
    o->map = both;
    return RUGA_OK;
}

/* Whether the caller wants to stop: asked between the steps of an object, which may be a large one. */
static ruga_status ask(const builder *b) {
    return report_progress(b->base.context, "building", (double)b->index / (double)b->base.scene->objects.count);
}

static ruga_status apply_edits(builder *b, object_build *o) {
    const ruga_variant *edits = b->base.object->edits.items;
    for (size_t i = 0; i < b->base.object->edits.count && b->base.mesh; i++) {
        const kind *k = NULL;
        TRY(enter(b, &edits[i], KIND_EDIT, &k));
        if (!k) return RUGA_OK;
        ruga_mesh *edited = NULL;
        ruga_map *map = NULL;
        TRY(ask(b));
        TRY(build_about(&b->base, &edits[i], k->edit(&b->base, b->base.values, &edited, &map)));
        ruga_mesh_destroy(o->mesh.made);
        o->mesh = (object_mesh){edited, edited};
        b->base.mesh = edited;
        if (edited) TRY(add_map(o, map));
    }
    return RUGA_OK;
}

/* The motion of the mesh as it was read becomes one of the edited mesh. */
static ruga_status carry_motion(builder *b, object_build *o) {
    build *base = &b->base;
    if (!base->motion || !o->map) return RUGA_OK;
    ruga_motion *inner = base->motion;
    ruga_map *map = o->map;
    int own = base->owns_motion;
    base->motion = NULL;
    o->map = NULL;
    base->owns_motion = 0;
    TRY(motion_carry(inner, own, map, &base->motion));
    base->owns_motion = 1;
    return RUGA_OK;
}

/* The scene keeps the mesh until its end. */
static ruga_status keep_mesh(builder *b, object_build *o) {
    if (!o->mesh.made) return RUGA_OK;
    TRY(ARRAY_ADD(b->base.context, &b->made->meshes, o->mesh.made));
    o->mesh.made = NULL;
    return RUGA_OK;
}

static void close_file(builder *b) {
    ruga_mesh_file_close(b->base.mesh_file);
    b->base.mesh_file = NULL;
}

static ruga_status make_mesh(builder *b, object_build *o, const kind *body_kind) {
    TRY(load_mesh(b, o));
    b->base.mesh = o->mesh.mesh;
    if (!o->mesh.mesh) return RUGA_OK;
    if (body_kind) TRY(find_motion(b, body_kind));
    close_file(b);
    TRY(object_mesh_place(b->base.object, &o->mesh));
    b->base.mesh = o->mesh.mesh;
    if (object_is_placed(b->base.object)) {
        o->transform = object_transform(b->base.object);
        b->base.placement = &o->transform;
    }
    TRY(apply_edits(b, o));
    TRY(carry_motion(b, o));
    return keep_mesh(b, o);
}

/* ---- Body and parts. */

static ruga_status make_cuts(builder *b) {
    const ruga_list *hooks = &b->base.object->hooks;
    const ruga_variant *variants = hooks->items;
    for (size_t i = 0; i < hooks->count && b->base.mesh; i++) {
        const kind *k = variants[i].section ? kind_find(b->more_kinds, variants[i].section, KIND_INSIDE) : NULL;
        if (!k || !k->cut) continue; /* an unknown kind is reported when parts are made */
        if (!(k->flags & KIND_CUTS))
            return fail_argument(b->base.context, "the kind \"%s\" has a cut, but no flag KIND_CUTS", k->section.name);
        TRY(enter(b, &variants[i], KIND_INSIDE, &k));
        TRY(build_about(&b->base, &variants[i], k->cut(&b->base, b->base.values)));
    }
    return RUGA_OK;
}

static ruga_status make_body(builder *b) {
    build *base = &b->base;
    const kind *k = NULL;
    const ruga_object_def *object = base->object;
    TRY(enter(b, &object->body, KIND_BODY, &k));
    if (!base->mesh) return RUGA_OK;
    if (k->read_motion && !base->motion) return RUGA_OK; /* reported */
    if (body_is_given(&base->simulated) && !(k->flags & KIND_HAS_DYNAMICS))
        return build_found(base, &object->body, RUGA_ERROR_UNSUPPORTED,
                           "a hook cuts the object, but its body is %s, which has no dynamics; use cloth or flesh",
                           k->section.name);
    body *made = NULL;
    TRY(touch_mask(base, base->mesh, &b->mask));
    int is_given = body_is_given(&base->simulated);
    if (b->mask && is_given) TRY(touch_mask_simulated(base, base->mesh, b->mask, &base->simulated));
    TRY(build_about(base, &object->body, k->make_body(base, base->values, &made)));
    if (!made) return RUGA_OK;
    touch_set(object, b->has_material && !(k->flags & KIND_HAS_DYNAMICS) ? &b->material : NULL, &made->touch);
    if (!is_given) made->collides = b->mask;
    TRY(world_add_object(b->made->world, object->name ? object->name : "", made, &b->world_objects[b->index]));
    base->body = made;
    TRY(start_place(base, (k->flags & KIND_HAS_DYNAMICS) != 0));
    if (b->findings && k->check) TRY(k->check(base, base->values));
    return b->findings && (k->flags & KIND_HAS_DYNAMICS) ? check_dynamic_body(b) : RUGA_OK;
}

static ruga_status make_parts(builder *b, object_build *o, const ruga_list *list, kind_role role) {
    build *base = &b->base;
    const ruga_variant *variants = list->items;
    for (size_t i = 0; i < list->count; i++) {
        const kind *k = NULL;
        part *made = NULL;
        TRY(enter(b, &variants[i], role, &k));
        /* Without a body, parts inside it can't be made; without a mesh, none. */
        if (!k || !base->mesh || (role == KIND_INSIDE && !base->body)) continue;
        TRY(ask(b));
        TRY(ARRAY_RESERVE(base->context, &o->loose, 1));
        TRY(build_about(base, &variants[i], k->make_part(base, base->values, &made)));
        if (made && base->body) {
            const size_t object = b->world_objects[b->index], errors = b->errors;
            TRY(build_about(base, &variants[i], world_add_part(b->made->world, object, made)));
            if (b->errors > errors) continue; /* the body refused it, and it is gone */
            base->mesh = world_mesh(b->made->world, object);
        } else if (made) {
            o->loose.items[o->loose.count++] = made;
            base->mesh = made->output;
        } else if (role == KIND_ON_TOP && !(k->flags & KIND_KEEPS_MESH)) {
            base->mesh = NULL;
        }
        if (made && b->findings && k->check) TRY(k->check(base, base->values));
    }
    return RUGA_OK;
}

/* ---- The object. */

static ruga_status make_object(builder *b, object_build *o) {
    const kind *body_kind = NULL;
    TRY(check_name(b));
    TRY(find_material(b));
    TRY(enter(b, &b->base.object->body, KIND_BODY, &body_kind));
    TRY(make_mesh(b, o, body_kind));
    TRY(make_cuts(b));
    TRY(ask(b));
    if (body_kind) TRY(make_body(b));
    TRY(ask(b));
    TRY(make_parts(b, o, &b->base.object->hooks, KIND_INSIDE));
    return make_parts(b, o, &b->base.object->details, KIND_ON_TOP);
}

ruga_status build_object(builder *b, size_t index) {
    build *base = &b->base;
    object_build o = {0};
    b->index = index;
    b->mask = NULL;
    b->world_objects[index] = NOT_MADE;
    base->object = (const ruga_object_def *)base->scene->objects.items + index;
    base->mesh = NULL;
    base->body = NULL;
    base->simulated = (body_simulated){0};
    base->uncut = base->cut_mesh = NULL;
    base->from_uncut = NULL;
    base->cut = NULL;
    base->motion = NULL;
    base->owns_motion = 0;
    base->placement = NULL;
    base->mesh_file = NULL;
    ruga_status status = make_object(b, &o);
    close_file(b);
    if (base->owns_motion) ruga_motion_destroy(base->motion);
    while (o.loose.count > 0) {
        part *last = o.loose.items[--o.loose.count];
        last->interface->destroy(last);
    }
    ARRAY_RELEASE(base->context, &o.loose);
    ruga_mesh_destroy(o.mesh.made);
    ruga_map_destroy(o.map);
    return status;
}
