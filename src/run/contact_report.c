/* The report of contact in a run: intersections before the first frame, with a picture; in every frame pinched pairs
 * and intersections; and a summary at the end. */
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "run/run.h"
#include "scene/frame_intersections.h"
#include "scene/scene.h"

/* ---- The start. */

void ruga_context_set_run_start(ruga_context *context, ruga_run_start_function *draw, void *user) {
    context->run_start = draw;
    context->run_start_user = user;
}

ruga_status contact_check_start(const run_plan *plan, const ruga_contact_def *def, ruga_scene *scene,
                                run_remark remark) {
    const ruga_scene_intersection *found;
    size_t count = 0;
    if (def->on) TRY(ruga_scene_intersections(scene, &found, &count));
    if (count == 0) return RUGA_OK;
    char what[400], where[400] = "";
    run_path path;
    crossings_describe(scene, found, count, what, sizeof what);
    plan_path(plan, START_PICTURE, path);
    /* Without a picture the intersections are reported all the same. */
    ruga_context *context = plan->context;
    if (context->run_start && !RUGA_FAILED(context->run_start(context->run_start_user, scene, found, count, path)))
        snprintf(where, sizeof where, " (see %.380s)", path);
    snprintf(remark, sizeof(run_remark), "before the first frame %s%s", what, where);
    if (def->start != 0) return RUGA_OK;
    return fail_input(plan->context,
                      "%s; move them apart, or set contact.start to \"untangle\", which pushes them apart, or to "
                      "\"go_on\", which ignores them",
                      remark);
}

/* ---- Frames. */

/* Measures that are zero without problems; others are reported. */
typedef struct reported_measure {
    const char *name, *what;
    const char *unless; /* not reported if this measure is not zero; NULL: always reported */
} reported_measure;
static const reported_measure reported[] = {
    {"contact.pinched", "pairs pinched where bodies leave no room", NULL},
    {"contact.limited", "substeps in which contact reached its limit of work (contact.work)", NULL},
    {"frame.intersections", "intersections", NULL},
    /* With colliders, which are not objects of the frame, or if frames are not checked. */
    {"contact.intersections", "intersections that contact ignores, from the start or pinched", "frame.intersections"},
};
enum { REPORTED_COUNT = sizeof reported / sizeof reported[0] };

/* 0 without such a measure. */
static double find_value(const ruga_measure *columns, const double *values, size_t count, const char *name) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(columns[i].name, name) == 0) return values[i];
    return 0;
}

static double reported_value(const reported_measure *t, const ruga_measure *columns, const double *values,
                             size_t count) {
    if (t->unless && find_value(columns, values, count, t->unless) > 0) return 0;
    return find_value(columns, values, count, t->name);
}

void contact_log_frame(run_output *output) {
    for (size_t k = 0; k < REPORTED_COUNT; k++) {
        double value = reported_value(&reported[k], output->columns, output->values, output->column_count);
        if (value > 0) output_log(output, "frame %d: %g %s", output->frame, value, reported[k].what);
    }
}

/* ---- The end. */

static void summarise_measure(run_output *output, const run_table *table, const reported_measure *t) {
    double sum = 0;
    size_t first = 0, last = 0, frames = 0;
    for (size_t r = 0; r < table->row_count; r++) {
        double value = reported_value(t, table->columns, table->values + r * table->column_count, table->column_count);
        if (!(value > 0)) continue;
        if (frames++ == 0) first = r;
        last = r;
        sum += value;
    }
    if (frames == 0) return;
    int start = output->plan->start_frame;
    log_warning(output->context, "%g %s, in %zu frame%s from %d to %d (measures.csv has the numbers of each frame)",
                sum, t->what, frames, frames == 1 ? "" : "s", start + (int)first, start + (int)last);
}

static int has_contact(const run_output *output) {
    for (size_t i = 0; i < output->column_count; i++)
        if (strcmp(output->columns[i].name, reported[0].name) == 0) return 1;
    return 0;
}

ruga_status contact_summarise(run_output *output) {
    if (!has_contact(output)) return RUGA_OK;
    run_path path;
    run_table table;
    arena memory = arena_make(output->context);
    plan_path(output->plan, "measures.csv", path);
    ruga_status status = table_read(output->context, path, output->plan->start_frame, 0, &memory, &table);
    for (size_t k = 0; k < REPORTED_COUNT && !RUGA_FAILED(status); k++) summarise_measure(output, &table, &reported[k]);
    memory_release(output->context, table.values);
    arena_release(&memory);
    return status;
}
