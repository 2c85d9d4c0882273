/* The mesh and the motion of an object of a run, as input for other tools. */
#include <stdio.h>
#include <string.h>

#include "io/io.h"
#include "run/run.h"

/* ---- Which object. */

/* "shirt, skirt, …", cut at the end of the buffer. */
static void list_names(const ruga_run_record *r, char *text, size_t size) {
    size_t used = 0;
    text[0] = 0;
    for (size_t i = 0; i < r->object_count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", r->objects[i].name);
}

static ruga_status find_object(ruga_context *context, const ruga_run_record *r, const char *name,
                               const ruga_run_object **out) {
    char names[200];
    list_names(r, names, sizeof names);
    if (!name && r->object_count != 1)
        return fail_input(context, "%s: the run has %zu objects; name one of them (--mesh): %s", r->directory,
                          r->object_count, names);
    for (size_t i = 0; i < r->object_count; i++)
        if (!name || strcmp(r->objects[i].name, name) == 0) {
            *out = &r->objects[i];
            return RUGA_OK;
        }
    return fail_input(context, "%s: the run has no object \"%s\"; it has %s", r->directory, name, names);
}

/* ---- Reading. */

static ruga_file_def file_def(const ruga_run_record *r) {
    ruga_file_def def = ruga_file_def_default();
    def.unit = r->unit;
    def.up = (ruga_axis)r->up;
    def.rate = r->fps;
    def.start = r->start_frame / r->fps;
    return def;
}

static ruga_status read_mesh(ruga_context *context, const ruga_run_record *r, const char *name, ruga_mesh **out) {
    const ruga_run_object *object;
    TRY(find_object(context, r, name, &object));
    if (!object->mesh)
        return fail_input(context, "%s: the run wrote no frames, because output.formats is empty", r->directory);
    const ruga_file_def def = file_def(r);
    return ruga_mesh_read(context, object->mesh, &def, out);
}

static ruga_status read_motion(ruga_context *context, const ruga_run_record *r, const char *name, const ruga_mesh *mesh,
                               ruga_motion **out) {
    const ruga_run_object *object;
    TRY(find_object(context, r, name, &object));
    if (!object->cache || r->frames_done == 0)
        return fail_input(context, "%s: there are no frames of \"%s\" %s", r->directory, object->name,
                          object->cache ? "yet" : "to read; a run writes them with the format pc2, obj, ply or glb");
    ruga_file_def def = file_def(r);
    /* Caches of a run that is not complete have another name. */
    if (io_path_is_part(object->cache)) def.format = RUGA_FORMAT_PC2;
    return ruga_motion_read(context, object->cache, mesh, &def, out);
}

ruga_status ruga_run_mesh_read(ruga_context *context, const char *directory, const char *object, ruga_mesh **out) {
    ruga_run_record *record = NULL;
    TRY(ruga_run_record_read(context, directory, &record));
    ruga_status status = read_mesh(context, record, object, out);
    ruga_run_record_destroy(context, record);
    return status;
}

ruga_status ruga_run_motion_read(ruga_context *context, const char *directory, const char *object,
                                 const ruga_mesh *mesh, ruga_motion **out) {
    ruga_run_record *record = NULL;
    TRY(ruga_run_record_read(context, directory, &record));
    ruga_status status = read_motion(context, record, object, mesh, out);
    ruga_run_record_destroy(context, record);
    return status;
}
