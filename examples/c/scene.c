/* A scene in memory, without any file: the program's own mesh, moved by the program's own function, with a layer of
 * springs on top. The frames are read step by step, and the state is saved and restored. */
#include <math.h>
#include <ruga/ruga.h>
#include <stdio.h>

/* A sheet that is swung to and fro. */
static ruga_status swing(void *user, double time, ruga_vec3 *positions) {
    const ruga_mesh *sheet = user;
    for (size_t i = 0; i < sheet->vertex_count; i++) {
        positions[i] = sheet->positions[i];
        positions[i].x += 0.2 * sin(8 * time);
    }
    return RUGA_OK;
}

/* How far the springs are from where the sheet itself would be. */
static double lag(const ruga_scene *scene, const ruga_mesh *sheet) {
    const ruga_frame *frame = ruga_scene_frame(scene, 0);
    return frame->positions[0].x - sheet->positions[0].x - 0.2 * sin(8 * frame->time);
}

static ruga_status run(ruga_context *context, const ruga_mesh *sheet, ruga_motion *motion) {
    /* Defs are filled with their defaults; kinds are found by their path in the tables. */
    ruga_jiggle_def jiggle;
    ruga_variant detail = {ruga_scene_section_find("objects.details.jiggle"), &jiggle};
    ruga_section_defaults(detail.section, &jiggle);
    jiggle.frequency = ruga_param_constant(2);

    ruga_object_def object = ruga_object_def_default();
    object.name = "sheet";
    object.given_mesh = sheet;
    object.given_motion = motion;
    object.body.section = ruga_scene_section_find("objects.body.animated");
    object.details = (ruga_list){&detail, 1};

    ruga_scene_def def = ruga_scene_def_default();
    def.objects = (ruga_list){&object, 1};

    ruga_scene *scene = NULL;
    void *state = NULL;
    size_t size = 0;
    ruga_status status = ruga_scene_create(context, &def, &scene);
    for (int i = 0; i < 6 && !RUGA_FAILED(status); i++) {
        if (i == 3) status = ruga_scene_save(scene, &state, &size);
        if (!RUGA_FAILED(status)) status = ruga_scene_step(scene);
        if (!RUGA_FAILED(status))
            printf("frame %d: lags by %+.4f m\n", ruga_scene_frame_number(scene), lag(scene, sheet));
    }
    /* Back to the third frame: the frames after it are bit-identical. */
    if (!RUGA_FAILED(status)) status = ruga_scene_restore(scene, state, size);
    if (!RUGA_FAILED(status)) status = ruga_scene_step(scene);
    if (!RUGA_FAILED(status)) printf("again %d: lags by %+.4f m\n", ruga_scene_frame_number(scene), lag(scene, sheet));
    ruga_free(context, state);
    ruga_scene_destroy(scene);
    return status;
}

int main(void) {
    ruga_context *context = NULL;
    ruga_mesh *sheet = NULL;
    ruga_motion *motion = NULL;
    if (RUGA_FAILED(ruga_context_create(NULL, &context))) return 1;
    ruga_status status = ruga_model_make(context, "sheet", NULL, &sheet);
    if (!RUGA_FAILED(status))
        status = ruga_motion_from_function(context, sheet->vertex_count, 0, 10, swing, sheet, &motion);
    if (!RUGA_FAILED(status)) status = run(context, sheet, motion);
    if (RUGA_FAILED(status)) fprintf(stderr, "%s\n", ruga_context_message(context));
    ruga_motion_destroy(motion);
    ruga_mesh_destroy(sheet);
    ruga_context_destroy(context);
    return RUGA_FAILED(status) ? 1 : 0;
}
