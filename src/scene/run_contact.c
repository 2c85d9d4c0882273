/* What a run tells of contact: intersections before the first frame, with a picture of them; in each frame pairs that bodies left
 * no room, and intersections; and a summary of both at the end. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "math/vec3.h"
#include "ruga/render.h"
#include "scene/intersections.h"
#include "scene/run.h"
#include "scene/scene.h"

/* ---- The start. */

static ruga_render_mesh look_of(const ruga_scene *scene, size_t object) {
    static const ruga_colour colours[] = {
        {0.85f, 0.83f, 0.78f}, {0.55f, 0.68f, 0.82f}, {0.90f, 0.78f, 0.55f}, {0.66f, 0.78f, 0.60f}};
    ruga_render_mesh look = ruga_render_mesh_default(ruga_scene_object_mesh(scene, object));
    look.frame = ruga_scene_frame(scene, object);
    look.front = look.back = colours[object % (sizeof colours / sizeof colours[0])];
    look.wireframe = 1;
    look.wire_width = 0.8f;
    return look;
}

/* Everything in one panel, and the place that was told of in another: from the same side, twelve times as near. */
static ruga_status draw_panels(ruga_context *context, const ruga_panel *whole, ruga_vec3 place, const char *path) {
    ruga_panel panels[2] = {*whole, *whole};
    ruga_render_def def = ruga_render_def_default();
    def.width = 1200;
    def.height = 540;
    def.samples = 2;
    def.occlusion_samples = 4;
    def.panel_count = 2;
    def.panels = panels;
    TRY(ruga_render_fit(context, &def, 0, &panels[0].camera));
    panels[1].caption = "one of the places, from nearby";
    panels[1].camera = panels[0].camera;
    panels[1].camera.target = place;
    ruga_vec3 away = vec3_sub(panels[0].camera.eye, panels[0].camera.target);
    panels[1].camera.eye = vec3_add_scaled(place, away, 1.0 / 12);
    ruga_image *image = NULL;
    TRY(ruga_render(context, &def, &image));
    ruga_status status = ruga_image_write_png(image, path);
    ruga_image_destroy(image);
    return status;
}

static ruga_status draw_start(const ruga_scene *scene, const ruga_scene_intersection *found, size_t count,
                              const char *path) {
    ruga_context *context = scene->context;
    size_t objects = ruga_scene_object_count(scene);
    ruga_render_mesh *meshes = ALLOCATE(context, ruga_render_mesh, objects);
    ruga_vec3 *points = ALLOCATE(context, ruga_vec3, count);
    ruga_status status = meshes && points ? RUGA_OK : fail_memory(context, count * sizeof *points);
    if (!RUGA_FAILED(status)) {
        for (size_t i = 0; i < count; i++) points[i] = found[i].point;
        for (size_t i = 0; i < objects; i++) meshes[i] = look_of(scene, i);
        const ruga_render_points dots = {points, count, {0.85f, 0.1f, 0.1f}, 12};
        const ruga_panel whole = {.caption = "what intersects before the first frame",
                                  .mesh_count = objects,
                                  .meshes = meshes,
                                  .point_set_count = 1,
                                  .point_sets = &dots,
                                  .camera = ruga_camera_default()};
        status = draw_panels(context, &whole, found[0].point, path);
    }
    memory_release(context, meshes);
    memory_release(context, points);
    return status;
}

ruga_status contact_look_at_start(const run_plan *plan, const ruga_contact_def *def, ruga_scene *scene,
                                  run_remark remark) {
    const ruga_scene_intersection *found;
    size_t count = 0;
    if (def->on) TRY(ruga_scene_intersections(scene, &found, &count));
    if (count == 0) return RUGA_OK;
    char what[400], where[400] = "";
    run_path path;
    crossings_describe(scene, found, count, what, sizeof what);
    plan_path(plan, START_PICTURE, path);
    /* Without the picture it is told all the same. */
    if (!RUGA_FAILED(draw_start(scene, found, count, path))) snprintf(where, sizeof where, " (see %.380s)", path);
    snprintf(remark, sizeof(run_remark), "before the first frame %s%s", what, where);
    if (def->start != 0) return RUGA_OK;
    return fail_with(plan->context, RUGA_ERROR_INPUT,
                     "%s; move them apart, or choose what to do with contact.start: \"go_on\" or \"untangle\"", remark);
}

/* ---- Frames. */

/* What is worth telling of a frame: measures that are zero when all is well. */
typedef struct told_measure {
    const char *name, *what;
    const char *unless; /* told already by this one, where it is not zero; NULL: always told */
} told_measure;
static const told_measure told[] = {
    {"contact.pinched", "pairs pinched, where bodies leave no room", NULL},
    {"frame.intersections", "intersections", NULL},
    /* As with colliders, which are no objects of the frame, or when frames are not checked. */
    {"contact.intersections", "intersections that contact lets be, from the start or pinched", "frame.intersections"},
};
enum { TOLD_COUNT = sizeof told / sizeof told[0] };

/* 0 without such a measure. */
static double find_value(const ruga_measure *columns, const double *values, size_t count, const char *name) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(columns[i].name, name) == 0) return values[i];
    return 0;
}

static double value_to_tell(const told_measure *t, const ruga_measure *columns, const double *values, size_t count) {
    if (t->unless && find_value(columns, values, count, t->unless) > 0) return 0;
    return find_value(columns, values, count, t->name);
}

void contact_log_frame(run_output *output) {
    for (size_t k = 0; k < TOLD_COUNT; k++) {
        double value = value_to_tell(&told[k], output->columns, output->values, output->column_count);
        if (value > 0) output_log(output, "frame %d: %g %s", output->frame, value, told[k].what);
    }
}

/* ---- The end. */

static void sum_up_measure(run_output *output, const run_table *table, const told_measure *t) {
    double sum = 0;
    size_t first = 0, last = 0, frames = 0;
    for (size_t r = 0; r < table->row_count; r++) {
        double value = value_to_tell(t, table->columns, table->values + r * table->column_count, table->column_count);
        if (!(value > 0)) continue;
        if (frames++ == 0) first = r;
        last = r;
        sum += value;
    }
    if (frames == 0) return;
    int start = output->plan->start_frame;
    log_warning(output->context, "%g %s, in %zu frame%s from %d to %d (measures.csv has the numbers of each)", sum,
                t->what, frames, frames == 1 ? "" : "s", start + (int)first, start + (int)last);
}

static int has_contact(const run_output *output) {
    for (size_t i = 0; i < output->column_count; i++)
        if (strcmp(output->columns[i].name, told[0].name) == 0) return 1;
    return 0;
}

ruga_status contact_sum_up(run_output *output) {
    if (!has_contact(output)) return RUGA_OK;
    run_path path;
    run_table table;
    arena memory = arena_make(output->context);
    plan_path(output->plan, "measures.csv", path);
    ruga_status status = table_read(output->context, path, output->plan->start_frame, 0, &memory, &table);
    for (size_t k = 0; k < TOLD_COUNT && !RUGA_FAILED(status); k++) sum_up_measure(output, &table, &told[k]);
    memory_release(output->context, table.values);
    arena_release(&memory);
    return status;
}
