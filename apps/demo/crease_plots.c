/* Demo: the drift of creases that are joined by the paper's forms (Patkar, Jin and Fedkiw 2015, figure 6). */
#include "section_crease.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/scenes.h"

enum { FORMS = 4, FRAMES = 36 };
#define EDGE 0.1 /* m */

/* A sheet with two creases that cross, held along one side. */
static const char drift_format[] =
    "{\"time\": {\"fps\": 24, \"frames\": 80, \"substeps\": 400},"
    " \"objects\": [{\"name\": \"sheet\", \"material\": \"denim\","
    " \"mesh\": {\"kind\": \"sheet\", \"columns\": 10, \"rows\": 10, \"triangulation\": 2},"
    " \"body\": {\"kind\": \"cloth\", \"integrator\": \"explicit\","
    " \"pins\": [{\"kind\": \"fixed\", \"box_to\": [2, 2, -0.49]}]},"
    " \"hooks\": [{\"kind\": \"crease\", \"form\": \"%s\","
    " \"lines\": [[[-0.5, 0, 0.08], [0.5, 0, -0.13]], [[0.03, 0, -0.5], [-0.09, 0, 0.5]]]}]}]}";

/* The measure `crease_gap` of the current frame, in edges. */
static double gap_of(const ruga_scene *scene) {
    double values[64];
    size_t count = ruga_scene_measure_count(scene);
    if (count > 64) return NAN;
    ruga_scene_measures(scene, values);
    for (size_t k = 0; k < count; k++)
        if (strcmp(ruga_scene_measure_info(scene, k).name, "sheet.crease.crease_gap") == 0) return values[k] / EDGE;
    return NAN;
}

static int sample_gaps(demo *d, const char *form, size_t frames, double *gaps) {
    ruga_description *description = NULL;
    ruga_scene *scene = NULL;
    char text[1024];
    snprintf(text, sizeof text, drift_format, form);
    int code = scene_describe(d->s, "demo", text, &description);
    if (!code) code = demo_code(d, ruga_scene_create(d->s->context, ruga_description_get(description), &scene));
    for (size_t k = 0; k < frames && !code; k++) {
        ruga_status status = ruga_scene_step(scene);
        code = RUGA_FAILED(status) ? output_code(d->s, status) : session_interrupted(d->s);
        if (!code) gaps[k] = gap_of(scene);
    }
    ruga_scene_destroy(scene);
    ruga_description_destroy(description);
    return code;
}

int demo_make_drift(demo *d) {
    static const struct {
        const char *form, *name;
    } forms[FORMS] = {{"post", "post-stabilisation alone"},
                      {"pairwise", "pairwise impulses"},
                      {"springs", "springs"},
                      {"exact", "pre- and post-stabilisation"}};
    static double times[FRAMES], gaps[FORMS][FRAMES];
    ruga_plot_series series[FORMS];
    size_t frames = d->draft ? 3 : FRAMES;
    int code = 0;
    for (size_t k = 0; k < frames; k++) times[k] = (double)(k + 1) / 24;
    for (size_t i = 0; i < FORMS && !code; i++) {
        code = sample_gaps(d, forms[i].form, frames, gaps[i]);
        series[i] = (ruga_plot_series){
            .name = forms[i].name, .x = times, .y = gaps[i], .count = frames, .kind = RUGA_PLOT_LINE};
    }
    if (code) return code;
    ruga_plot_def def =
        demo_plot("A sheet that swings, with two creases that cross", "time (s)", "gap (edges)", series, FORMS);
    def.y_log = 1;
    def.y_low = 1e-17;
    def.y_high = 1;
    return demo_write_plot(d, &def, "drift.png", "drift.svg");
}
