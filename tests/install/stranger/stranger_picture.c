/* A stranger's program with pictures: renders a sheet, and draws a plot as PNG and as SVG. */
#include <ruga/ruga.h>
#include <stdio.h>

static int fail(ruga_context *context, const char *what) {
    fprintf(stderr, "%s: %s\n", what, ruga_context_message(context));
    return 1;
}

int main(void) {
    ruga_context *context = NULL;
    ruga_mesh *sheet = NULL;
    ruga_image *image = NULL;
    if (RUGA_FAILED(ruga_context_create(NULL, &context))) return 1;
    if (RUGA_FAILED(ruga_model_make(context, "sheet", NULL, &sheet))) return fail(context, "make");

    ruga_render_mesh mesh = ruga_render_mesh_default(sheet);
    ruga_panel panel = {0};
    panel.mesh_count = 1;
    panel.meshes = &mesh;
    panel.camera = ruga_camera_default();
    ruga_render_def def = ruga_render_def_default();
    def.width = def.height = 64;
    def.panel_count = 1;
    def.panels = &panel;
    if (RUGA_FAILED(ruga_render(context, &def, &image))) return fail(context, "render");
    if (RUGA_FAILED(ruga_image_write_png(image, "sheet.png"))) return fail(context, "write");

    const double x[] = {0, 1, 2}, y[] = {0, 1, 4};
    ruga_plot_series series = {0};
    series.x = x;
    series.y = y;
    series.count = 3;
    ruga_plot_def plot = ruga_plot_def_default();
    plot.series_count = 1;
    plot.series = &series;
    if (RUGA_FAILED(ruga_plot_write_png(context, &plot, "plot.png"))) return fail(context, "plot as PNG");
    if (RUGA_FAILED(ruga_plot_write_svg(context, &plot, "plot.svg"))) return fail(context, "plot as SVG");

    printf("ruga %s: a picture of %d x %d pixels\n", ruga_version(), image->width, image->height);
    ruga_image_destroy(image);
    ruga_mesh_destroy(sheet);
    ruga_context_destroy(context);
    return 0;
}
