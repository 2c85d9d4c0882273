/* Pictures: what the filter over visibilities gains, and what a picture costs.
 *
 *   filter_gain_db   gain of the filter in peak signal-to-noise ratio against a picture of 64 times the rays: the mean
 *                    over three pictures of default quality, the bust, the mannequin and a sphere in a torus
 *   picture_ms       a picture of 98 thousand triangles, 1280 x 720, default quality, as many threads as are given
 *   filter_share     the filter's share of that time: with it over without, minus one
 */
#include <math.h>

#include "bench.h"
#include "ruga/ruga.h"

enum { PICTURES = 3, MORE_RAYS = 64 };

typedef struct scene {
    const char *name;
    ruga_mesh *meshes[2];
    ruga_render_mesh looks[2];
    ruga_panel panel;
    ruga_render_def def;
} scene;

static ruga_mesh *make_model(const bench_setup *bench, const char *name, const double *values) {
    ruga_mesh *mesh = NULL;
    bench_ok(bench, ruga_model_make(bench->context, name, values, &mesh));
    return mesh;
}

static void fill_scene(scene *s, const char *name, ruga_mesh *first, ruga_mesh *second, ruga_finish finish) {
    memset(s, 0, sizeof *s);
    s->name = name;
    s->meshes[0] = first, s->meshes[1] = second;
    for (int k = 0; k < 2 && s->meshes[k]; k++) {
        s->looks[k] = ruga_render_mesh_default(s->meshes[k]);
        s->looks[k].finish = finish;
        s->panel.mesh_count++;
    }
    s->panel.meshes = s->looks;
    s->panel.camera = ruga_camera_default();
    s->def = ruga_render_def_default();
    s->def.panels = &s->panel, s->def.panel_count = 1, s->def.ground = 1;
}

static void release_scene(scene *s) {
    ruga_mesh_destroy(s->meshes[0]);
    ruga_mesh_destroy(s->meshes[1]);
}

static ruga_image *draw(const bench_setup *bench, const ruga_render_def *def) {
    ruga_image *image = NULL;
    bench_ok(bench, ruga_render(bench->context, def, &image));
    return image;
}

/* dB, of 255. */
static double psnr(const ruga_image *image, const ruga_image *reference) {
    const size_t count = 3 * (size_t)image->width * (size_t)image->height;
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        double d = (double)image->pixels[i] - (double)reference->pixels[i];
        sum += d * d;
    }
    return 10 * log10(255.0 * 255.0 * (double)count / fmax(sum, 1e-9));
}

static double measure_gain(const bench_setup *bench, scene *s, int width, int height) {
    ruga_render_def def = s->def;
    def.width = width, def.height = height;
    ruga_render_def reference = def;
    reference.occlusion_samples *= MORE_RAYS;
    reference.no_filter = 1;
    ruga_image *many = draw(bench, &reference), *filtered = draw(bench, &def);
    def.no_filter = 1;
    ruga_image *plain = draw(bench, &def);
    const double with = psnr(filtered, many), without = psnr(plain, many);
    printf("  %-10s %4d x %-4d %6.2f dB traced, %6.2f dB filtered: %+.2f dB\n", s->name, width, height, without, with,
           with - without);
    ruga_image_destroy(many);
    ruga_image_destroy(filtered);
    ruga_image_destroy(plain);
    return with - without;
}

typedef struct picture_job {
    const bench_setup *bench;
    ruga_render_def filtered, plain;
} picture_job;

static void draw_filtered(void *user) {
    const picture_job *job = user;
    ruga_image_destroy(draw(job->bench, &job->filtered));
}

static void draw_plain(void *user) {
    const picture_job *job = user;
    ruga_image_destroy(draw(job->bench, &job->plain));
}

static void measure_picture(const bench_setup *bench) {
    /* 222 x 222 quads of two triangles: 98,568. */
    const double values[8] = {1, 1, 222, 222, 1, 0, 0, 1};
    scene s;
    fill_scene(&s, "sheet", make_model(bench, "sheet", values), NULL, RUGA_FINISH_CLOTH);
    picture_job job = {bench, s.def, s.def};
    job.plain.no_filter = 1;
    printf("a sheet of %zu triangles, %d x %d, %d samples of %d rays\n", s.meshes[0]->triangle_count, s.def.width,
           s.def.height, s.def.samples, s.def.occlusion_samples);
    bench_result r = bench_compare(bench, &(bench_pair){.a_name = "filtered",
                                                        .a = draw_filtered,
                                                        .b_name = "as traced",
                                                        .b = draw_plain,
                                                        .user = &job,
                                                        .repetitions = 5});
    bench_figure("picture_ms", 1000 * r.a);
    bench_figure("filter_share", r.ratio - 1);
    release_scene(&s);
}

int main(int argc, char **argv) {
    bench_setup bench = bench_init(argc, argv, "pictures");
    const double sphere[2] = {0.35, 16};
    const int width = bench.quick ? 320 : 640, height = bench.quick ? 180 : 360;
    scene scenes[PICTURES];
    fill_scene(&scenes[0], "bust", make_model(&bench, "bust", NULL), NULL, RUGA_FINISH_SKIN);
    fill_scene(&scenes[1], "mannequin", make_model(&bench, "mannequin", NULL), NULL, RUGA_FINISH_PLAIN);
    fill_scene(&scenes[2], "torus", make_model(&bench, "torus", NULL), make_model(&bench, "sphere", sphere),
               RUGA_FINISH_LEATHER);
    double gain = 0;
    printf("against %d times the rays\n", MORE_RAYS);
    for (int i = 0; i < PICTURES; i++) gain += measure_gain(&bench, &scenes[i], width, height) / PICTURES;
    measure_picture(&bench);
    bench_figure("filter_gain_db", gain);
    for (int i = 0; i < PICTURES; i++) release_scene(&scenes[i]);
    ruga_context_destroy(bench.context);
    return 0;
}
