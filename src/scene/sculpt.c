/* Strokes in scenes: where their curves were drawn, the edit, and the detail "sculpt". */
#include "scene/sculpt.h"

#include "linalg/map.h"
#include "math/vec3.h"
#include "scene/object.h"
#include "scene/tables.h"

/* ---- Where curves were drawn: on the mesh before it was turned, scaled and moved. */

static ruga_vec3 *undo_placement(const ruga_object_def *object, const ruga_mesh *mesh) {
    ruga_vec3 *drawn = ALLOCATE(mesh->context, ruga_vec3, mesh->vertex_count);
    body_transform t = object_transform(object);
    double share = 1 / (object->scale * object->scale);
    for (size_t i = 0; drawn && i < mesh->vertex_count; i++) {
        vec3 p = vec3_sub(mesh->positions[i], t.move);
        drawn[i] =
            vec3_scale((vec3){vec3_dot(p, t.columns[0]), vec3_dot(p, t.columns[1]), vec3_dot(p, t.columns[2])}, share);
    }
    return drawn;
}

static const char *model_of(const ruga_object_def *object) {
    const ruga_section *section = object->given_mesh ? NULL : object->mesh.section;
    return section && section != &mesh_file_section ? section->name : NULL;
}

ruga_status sculpt_strokes(arena *memory, const ruga_object_def *object, const ruga_sculpt_def *values,
                           const ruga_mesh *mesh, ruga_strokes **out) {
    ruga_strokes_def def = ruga_strokes_def_default();
    ruga_vec3 *drawn = NULL;
    TRY(object_file_def(mesh->context, memory, object, &def.file));
    def.values = values;
    def.model = model_of(object);
    if (object_is_placed(object)) {
        drawn = undo_placement(object, mesh);
        if (!drawn) return fail_memory(mesh->context, mesh->vertex_count * sizeof *drawn);
        def.drawn = drawn;
    }
    ruga_status status = ruga_strokes_create(mesh, &def, out);
    memory_release(mesh->context, drawn);
    return status;
}

/* ---- The edit. */

static ruga_status take_mesh(const ruga_strokes *strokes, ruga_mesh **out, ruga_map **map) {
    const ruga_sculpt *sculpt = ruga_strokes_sculpt(strokes);
    ruga_mesh *mesh = NULL;
    TRY(object_mesh_copy(ruga_sculpt_mesh(sculpt), &mesh));
    ruga_status status = map ? map_copy(ruga_sculpt_map(sculpt), map) : RUGA_OK;
    if (RUGA_FAILED(status))
        ruga_mesh_destroy(mesh);
    else
        *out = mesh;
    return status;
}

ruga_status sculpt_edit(arena *memory, const ruga_object_def *object, const ruga_sculpt_def *values,
                        const ruga_mesh *mesh, ruga_mesh **out, ruga_map **map) {
    ruga_strokes *strokes = NULL;
    double end;
    if (object->body.section == &body_animated_section)
        return fail_with(mesh->context, RUGA_ERROR_INPUT,
                         "a motion moves the mesh as it was without wrinkles; make \"sculpt\" one of the \"details\"");
    TRY(sculpt_strokes(memory, object, values, mesh, &strokes));
    ruga_status status = RUGA_OK;
    if (ruga_strokes_move(strokes, &end))
        status =
            fail_with(mesh->context, RUGA_ERROR_INPUT,
                      "lengths that go over time are for \"sculpt\" as one of the \"details\"; an edit is made once");
    if (!RUGA_FAILED(status)) status = take_mesh(strokes, out, map);
    ruga_strokes_destroy(strokes);
    return status;
}

/* ---- The detail. It is a function of the frame before and its time alone. */

typedef struct sculpt_detail {
    detail base;
    ruga_strokes *strokes;
} sculpt_detail;

static void destroy(detail *d) {
    sculpt_detail *s = (sculpt_detail *)d;
    ruga_context *context = d->context;
    detail_release(d);
    ruga_strokes_destroy(s->strokes);
    memory_release(context, s);
}

static ruga_status update(detail *d, const ruga_frame *in, double dt, const environment *e) {
    (void)e;
    TRY(detail_check_frame(d, in, dt));
    return ruga_strokes_pose(((sculpt_detail *)d)->strokes, in->positions, in->time, NULL, d->positions);
}

static const detail_interface sculpt_interface = {.update = update, .destroy = destroy};

ruga_status detail_sculpt_create(const ruga_mesh *input, ruga_strokes *strokes, detail **out) {
    sculpt_detail *s = ALLOCATE_ZEROED(input->context, sculpt_detail, 1);
    if (!s) {
        ruga_strokes_destroy(strokes);
        return fail_memory(input->context, sizeof *s);
    }
    s->base.context = input->context;
    s->strokes = strokes;
    ruga_status status =
        detail_init(&s->base, &sculpt_interface, "sculpt", input, ruga_sculpt_mesh(ruga_strokes_sculpt(strokes)));
    if (RUGA_FAILED(status)) {
        destroy(&s->base);
        return status;
    }
    *out = &s->base;
    return RUGA_OK;
}
