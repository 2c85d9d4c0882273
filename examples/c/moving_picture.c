/* A function of time becomes a motion, which is written as a point cache and as an animated GLB,
 * and one of its moments becomes a picture. */
#include <math.h>
#include <ruga/ruga.h>
#include <stdio.h>
#include <stdlib.h>

/* A ring of waves over the sheet at rest. */
static ruga_status wave(void *user, double time, ruga_vec3 *positions) {
    const ruga_mesh *sheet = user;
    for (size_t i = 0; i < sheet->vertex_count; i++) {
        ruga_vec3 p = sheet->positions[i];
        double radius = hypot(p.x, p.z);
        p.y += 0.05 * cos(20 * radius - 6 * time) * exp(-3 * radius);
        positions[i] = p;
    }
    return RUGA_OK;
}

/* Writes a second of it; the ending of the path gives the format. */
static ruga_status write_motion(const ruga_mesh *sheet, ruga_motion *motion, ruga_vec3 *positions, const char *path) {
    ruga_motion_writer *writer = NULL;
    ruga_status status = ruga_motion_writer_create(sheet, path, NULL, &writer);
    for (int i = 0; i < 24 && !RUGA_FAILED(status); i++) {
        ruga_frame frame = {.time = i / 24.0, .vertex_count = sheet->vertex_count, .positions = positions};
        status = ruga_motion_sample(motion, frame.time, positions);
        if (!RUGA_FAILED(status)) status = ruga_motion_writer_append(writer, &frame);
    }
    /* Only now does the file appear under its name. */
    if (!RUGA_FAILED(status)) status = ruga_motion_writer_finish(writer);
    ruga_motion_writer_destroy(writer);
    return status;
}

static ruga_status draw(ruga_context *context, const ruga_mesh *sheet, const ruga_vec3 *positions, const char *path) {
    ruga_frame frame = {.vertex_count = sheet->vertex_count, .positions = positions};
    ruga_render_mesh surface = ruga_render_mesh_default(sheet);
    surface.frame = &frame;
    ruga_panel panel = {.caption = "A wave", .mesh_count = 1, .meshes = &surface, .camera = ruga_camera_default()};
    ruga_render_def def = ruga_render_def_default();
    def.width = 320;
    def.height = 240;
    def.panel_count = 1;
    def.panels = &panel;
    ruga_image *image = NULL;
    ruga_status status = ruga_render(context, &def, &image);
    if (!RUGA_FAILED(status)) status = ruga_image_write_png(image, path);
    ruga_image_destroy(image);
    /* A minimal build makes no pictures; the rest of this program works all the same. */
    return status == RUGA_ERROR_UNSUPPORTED ? RUGA_OK : status;
}

static ruga_status run(ruga_context *context, const ruga_mesh *sheet, ruga_vec3 *positions) {
    ruga_motion *motion = NULL;
    ruga_status status =
        ruga_motion_from_function(context, sheet->vertex_count, 0, 1, wave, (void *)(uintptr_t)sheet, &motion);
    if (!RUGA_FAILED(status)) status = write_motion(sheet, motion, positions, "wave.pc2");
    if (!RUGA_FAILED(status)) status = write_motion(sheet, motion, positions, "wave.glb");
    if (!RUGA_FAILED(status)) status = draw(context, sheet, positions, "wave.png");
    ruga_motion_destroy(motion);
    return status;
}

int main(void) {
    ruga_context *context = NULL;
    ruga_mesh *sheet = NULL;
    if (RUGA_FAILED(ruga_context_create(NULL, &context))) return 1;
    ruga_status status = ruga_model_make(context, "sheet", NULL, &sheet);
    ruga_vec3 *positions = RUGA_FAILED(status) ? NULL : malloc(sheet->vertex_count * sizeof *positions);
    if (positions) status = run(context, sheet, positions);
    if (RUGA_FAILED(status)) fprintf(stderr, "%s\n", ruga_context_message(context));
    free(positions);
    ruga_mesh_destroy(sheet);
    ruga_context_destroy(context);
    return RUGA_FAILED(status) || !positions ? 1 : 0;
}
