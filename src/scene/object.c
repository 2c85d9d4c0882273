/* From an object's def to its mesh. */
#include "scene/object.h"

#include <string.h>

#include "base/name_advice.h"
#include "ruga/model.h"
#include "ruga/run.h"
#include "scene/tables.h"

/* ---- Meshes. */

static ruga_status read_mesh_file(build *b, const ruga_mesh_file_def *values, ruga_mesh **out) {
    b->mesh_path = values->file;
    b->file.unit = values->unit;
    b->file.up = (ruga_axis)values->up;
    b->file.mesh = values->mesh;
    if (!values->file) return fail_input(b->context, "its mesh has no file; give the path of one");
    if (ruga_path_is_run(values->file)) return ruga_run_mesh_read(b->context, values->file, values->mesh, out);
    TRY(ruga_mesh_file_open(b->context, values->file, &b->file, &b->mesh_file));
    return ruga_mesh_file_mesh(b->mesh_file, out);
}

ruga_status object_mesh_load(build *b, object_mesh *out) {
    const ruga_object_def *object = b->object;
    const ruga_section *section = object->mesh.section;
    const void *values;
    *out = (object_mesh){.mesh = object->given_mesh};
    b->file = ruga_file_def_default();
    b->model = b->mesh_path = NULL;
    if (object->given_mesh) return RUGA_OK;
    if (!section) return fail_input(b->context, "it has no mesh; give it a file or a model such as \"sheet\"");
    TRY(variant_values(b->memory, &object->mesh, &values));
    if (section == &mesh_file_section) {
        TRY(read_mesh_file(b, values, &out->made));
    } else {
        b->model = section->name;
        TRY(ruga_model_make(b->context, section->name, values, &out->made));
    }
    out->mesh = out->made;
    return RUGA_OK;
}

/* ---- Motions. */

ruga_status object_motion_fits(ruga_context *context, const ruga_motion *motion, const ruga_mesh *mesh) {
    size_t count = ruga_motion_get_info(motion).vertex_count;
    if (count == mesh->vertex_count) return RUGA_OK;
    return fail_input(context,
                      "its motion moves %zu points, but its mesh has %zu vertices; export both from the same mesh, "
                      "without modifiers that add vertices",
                      count, mesh->vertex_count);
}

/* ---- Names. */

const char *object_name_problem(const char *name) {
    size_t length = name ? strlen(name) : 0;
    if (length == 0) return "it has no name";
    if (length > 100) return "its name is longer than 100 bytes";
    if (strchr(".- ", name[0])) return "its name begins with a dot, a dash or a space";
    if (strchr(". ", name[length - 1])) return "its name ends in a dot or a space";
    for (const char *c = name; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127 || strchr("/\\:*?\"<>|[],", *c))
            return "its name has a character that it can't have (/ \\ : * ? \" < > | [ ] ,)";
    return NULL;
}

int object_names_clash(const char *a, const char *b) {
    for (; *a && *a == *b; a++) b++;
    if (*a && *b) return 0;
    const char *longer = *a ? a : b;
    if (!*longer) return 1;
    /* "shirt.0012" would take the file of a frame of "shirt". */
    return longer[0] == '.' && longer[1] && strspn(longer + 1, "0123456789") == strlen(longer + 1);
}

/* ---- Objects by name. */

ruga_status object_find(ruga_context *context, const ruga_scene_def *scene, const char *name, const char *purpose,
                        size_t *out) {
    enum { MOST_NAMES = 256 };
    const char *names[MOST_NAMES];
    size_t count = 0;
    const ruga_object_def *objects = scene->objects.items;
    for (size_t i = 0; i < scene->objects.count; i++) {
        if (!objects[i].name) continue;
        if (strcmp(objects[i].name, name) == 0) {
            *out = i;
            return RUGA_OK;
        }
        if (count < MOST_NAMES) names[count++] = objects[i].name;
    }
    name_advice advice;
    advise_name(name, names, count, advice);
    return fail_input(context, "there is no object \"%s\" %s; %s", name, purpose, advice);
}

ruga_status object_before(ruga_context *context, const ruga_scene_def *scene, size_t own, const char *name,
                          size_t *out) {
    const ruga_object_def *objects = scene->objects.items;
    TRY(object_find(context, scene, name, "to follow", out));
    if (*out == own) return fail_input(context, "it follows its own object; give the name of another");
    if (*out > own)
        return fail_input(context,
                          "it follows \"%s\", which stands after \"%s\" in the list of objects; put the object that "
                          "leads before the one that follows",
                          name, objects[own].name ? objects[own].name : "");
    return RUGA_OK;
}
