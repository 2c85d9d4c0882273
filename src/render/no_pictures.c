/* The build without Embree and libpng: every call that would make a picture fails. */
#include "base/context.h"
#include "ruga/render.h"

static ruga_status no_pictures(ruga_context *context) {
    return fail_unsupported(context, "Ruga was built without pictures; build it without RUGA_MINIMAL to have them");
}

ruga_render_mesh ruga_render_mesh_default(const ruga_mesh *mesh) { return (ruga_render_mesh){.mesh = mesh}; }
ruga_render_def ruga_render_def_default(void) { return (ruga_render_def){.cookie = RUGA_COOKIE}; }

ruga_status ruga_render(ruga_context *context, const ruga_render_def *def, ruga_image **out) {
    (void)def;
    (void)out;
    return no_pictures(context);
}

ruga_status ruga_render_fit(ruga_context *context, const ruga_render_def *def, size_t panel, ruga_camera *out) {
    (void)def;
    (void)panel;
    (void)out;
    return no_pictures(context);
}

ruga_status ruga_image_write_png(const ruga_image *image, const char *path) {
    (void)path;
    return no_pictures(image->context);
}

void ruga_image_destroy(ruga_image *image) { (void)image; }

ruga_status ruga_plot_draw(ruga_context *context, const ruga_plot_def *def, ruga_image **out) {
    (void)def;
    (void)out;
    return no_pictures(context);
}

ruga_status ruga_plot_write_png(ruga_context *context, const ruga_plot_def *def, const char *path) {
    (void)def;
    (void)path;
    return no_pictures(context);
}

void ruga_render_run_starts(ruga_context *context) { (void)context; }

struct ruga_film {
    ruga_context *context;
};

ruga_status ruga_film_create(ruga_context *context, const char *path, double rate, ruga_film **out) {
    (void)path;
    (void)rate;
    (void)out;
    return no_pictures(context);
}

ruga_status ruga_film_append(ruga_film *film, const ruga_image *image) {
    (void)image;
    return no_pictures(film->context);
}

ruga_status ruga_film_finish(ruga_film *film) { return no_pictures(film->context); }
void ruga_film_destroy(ruga_film *film) { (void)film; }
