/* What the demo's items share. */
#include "demo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *demo_path(const demo *d, const char *file) {
    static char paths[4][4096];
    static size_t next = 0;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", d->folder, file);
    return path;
}

int demo_failed(demo *d, ruga_status status) { return RUGA_FAILED(status) ? session_failed_output(d->s, status) : 0; }

/* "turntable.mp4" becomes "turntable.png". */
static const char *stand_in(const char *file) {
    static char name[256];
    const char *ending = strrchr(file, '.');
    snprintf(name, sizeof name, "%.*s.png", (int)(ending ? ending - file : (long)strlen(file)), file);
    return name;
}

const char *demo_existing(const demo *d, const char *file) {
    if (access(demo_path(d, file), R_OK) == 0) return file;
    const char *still = stand_in(file);
    return access(demo_path(d, still), R_OK) == 0 ? still : NULL;
}

enum { DRAFT_FRAMES = 3, DRAFT_SHRINK = 6 };

/* Renders at full quality, or as a draft. */
static ruga_status render(const demo *d, const ruga_render_def *def, ruga_image **out) {
    ruga_render_def quick = *def;
    quick.width /= DRAFT_SHRINK;
    quick.height /= DRAFT_SHRINK;
    quick.samples = 1;
    quick.occlusion_samples = 0;
    return ruga_render(d->s->context, d->draft ? &quick : def, out);
}

int demo_still(demo *d, const ruga_render_def *def, const char *file) {
    ruga_image *image = NULL;
    ruga_status status = render(d, def, &image);
    if (!RUGA_FAILED(status)) status = ruga_image_write_png(image, demo_path(d, file));
    ruga_image_destroy(image);
    return demo_failed(d, status);
}

static int append_frame(demo *d, ruga_film *film, const ruga_render_def *def) {
    ruga_image *image = NULL;
    ruga_status status = render(d, def, &image);
    if (!RUGA_FAILED(status)) status = ruga_film_append(film, image);
    ruga_image_destroy(image);
    return demo_failed(d, status);
}

int demo_film(demo *d, const char *file, size_t frames, double rate, ruga_render_def *def, demo_frame_function *set_up,
              void *user) {
    ruga_film *film = NULL;
    ruga_status status = ruga_film_create(d->s->context, demo_path(d, file), rate, &film);
    if (status == RUGA_ERROR_UNSUPPORTED) {
        int code = set_up(user, 0, def);
        if (!code) code = demo_still(d, def, stand_in(file));
        if (!code) session_note(d->s, "%s is a still: install ffmpeg for the film", stand_in(file));
        return code;
    }
    if (RUGA_FAILED(status)) return session_failed_output(d->s, status);
    int code = 0;
    if (d->draft) frames = DRAFT_FRAMES;
    for (size_t i = 0; i < frames && !code; i++) {
        progress_part(&d->s->bar, "rendering the film", i, frames);
        code = session_interrupted(d->s);
        if (!code) code = set_up(user, i, def);
        if (!code) code = append_frame(d, film, def);
    }
    progress_part(&d->s->bar, NULL, 0, 0);
    if (!code) {
        status = ruga_film_finish(film);
        if (RUGA_FAILED(status)) code = session_failed_output(d->s, status);
    }
    ruga_film_destroy(film);
    return code;
}

int demo_model(demo *d, const char *name, const demo_parameter *parameters, ruga_mesh **out) {
    const ruga_section *model = ruga_model_find(name);
    if (!model) return session_error(d->s, EXIT_FAILED, "the demo wants a model '%s', which there is not", name);
    double values[64];
    ruga_section_defaults(model, values);
    for (size_t i = 0; i < model->field_count; i++)
        for (const demo_parameter *p = parameters; p && p->name; p++)
            if (strcmp(p->name, model->fields[i].name) == 0) values[i] = p->value;
    ruga_status status = ruga_model_make(d->s->context, name, values, out);
    return demo_failed(d, status);
}

int demo_mesh(demo *d, const ruga_vec3 *points, size_t point_count, const uint32_t *sizes, const uint32_t *vertices,
              size_t face_count, ruga_mesh **out) {
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){(void *)(uintptr_t)points, point_count, 0, RUGA_F64};
    def.face_count = face_count;
    def.face_sizes = sizes;
    def.face_vertices = vertices;
    ruga_status status = ruga_mesh_create(d->s->context, &def, out);
    return demo_failed(d, status);
}

ruga_render_def demo_def(int width, int height, const ruga_panel *panels, size_t panel_count, int columns) {
    ruga_render_def def = ruga_render_def_default();
    def.width = width;
    def.height = height;
    def.panels = panels;
    def.panel_count = panel_count;
    def.columns = columns;
    return def;
}

ruga_render_def demo_film_def(const ruga_panel *panel) {
    ruga_render_def def = demo_def(720, 405, panel, 1, 1);
    def.samples = 2;
    def.occlusion_samples = 8;
    return def;
}

ruga_render_mesh demo_wire(const ruga_mesh *mesh) {
    ruga_render_mesh look = ruga_render_mesh_default(mesh);
    look.wireframe = 1;
    look.shading = RUGA_SHADING_FLAT;
    return look;
}

ruga_camera demo_camera(double azimuth, double elevation) {
    ruga_camera camera = ruga_camera_default();
    camera.azimuth = azimuth;
    camera.elevation = elevation;
    return camera;
}

ruga_camera demo_eye(ruga_vec3 eye, ruga_vec3 target, double fov) {
    ruga_camera camera = ruga_camera_default();
    camera.given = 1;
    camera.eye = eye;
    camera.target = target;
    camera.up = (ruga_vec3){0, 1, 0};
    camera.fov = fov;
    return camera;
}

void demo_colour_cloth(ruga_render_mesh *look) {
    look->front = (ruga_colour){0.74f, 0.44f, 0.36f};
    look->back = (ruga_colour){0.86f, 0.72f, 0.62f};
}

int demo_write_plot(demo *d, const ruga_plot_def *def, const char *png, const char *svg) {
    ruga_status status = ruga_plot_write_png(d->s->context, def, demo_path(d, png));
    if (!RUGA_FAILED(status) && svg) status = ruga_plot_write_svg(d->s->context, def, demo_path(d, svg));
    return demo_failed(d, status);
}
