/* Demo: discs of fabric drape over pedestals, with their drape coefficients. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/runs.h"
#include "section_cloth.h"

enum { FABRICS = 3, PIXELS = 500 };

#define PLATE 0.09  /* m, radius of the plates that hold a disc */
#define FABRIC 0.15 /* m, of the disc */
#define APART 0.4   /* m, from disc to disc */

/* Pixels of a picture from above that a triangle covers. x, z: in pixels. */
static void cover(const double x[3], const double z[3], uint8_t *shadow) {
    double twice = (x[1] - x[0]) * (z[2] - z[0]) - (z[1] - z[0]) * (x[2] - x[0]);
    if (twice == 0) return;
    int left = (int)fmax(fmin(fmin(x[0], x[1]), x[2]), 0), right = (int)fmin(fmax(fmax(x[0], x[1]), x[2]), PIXELS - 1);
    int top = (int)fmax(fmin(fmin(z[0], z[1]), z[2]), 0), low = (int)fmin(fmax(fmax(z[0], z[1]), z[2]), PIXELS - 1);
    for (int j = top; j <= low; j++)
        for (int i = left; i <= right; i++) {
            double u = i + 0.5, v = j + 0.5;
            double a = ((x[1] - u) * (z[2] - v) - (z[1] - v) * (x[2] - u)) / twice;
            double b = ((x[2] - u) * (z[0] - v) - (z[2] - v) * (x[0] - u)) / twice;
            if (a >= -1e-9 && b >= -1e-9 && a + b <= 1 + 1e-9) shadow[j * PIXELS + i] = 1;
        }
}

/* The shadow beyond the plates over that of the flat disc. */
static int measure(demo *d, const subject *who, double centre, double *out) {
    uint8_t *shadow;
    int code = DEMO_NEW(d, shadow, (size_t)PIXELS * PIXELS);
    if (code) return code;
    const double side = 2.1 * FABRIC;
    size_t covered = 0;
    for (size_t t = 0; t < who->mesh->triangle_count; t++) {
        double x[3], z[3];
        for (int k = 0; k < 3; k++) {
            ruga_vec3 p = who->current.positions[who->mesh->triangles[3 * t + (size_t)k]];
            x[k] = ((p.x - centre) / side + 0.5) * PIXELS;
            z[k] = (p.z / side + 0.5) * PIXELS;
        }
        cover(x, z, shadow);
    }
    for (size_t i = 0; i < (size_t)PIXELS * PIXELS; i++) covered += shadow[i];
    double area = (double)covered * side * side / PIXELS / PIXELS, plate = DEMO_PI * PLATE * PLATE;
    *out = (area - plate) / (DEMO_PI * FABRIC * FABRIC - plate);
    return 0;
}

/* A disc and its pedestal from the side, and the disc from above. */
static int show_fabric(demo *d, picture *scene, size_t k, ruga_panel *panels, ruga_render_mesh (*looks)[2],
                       char (*captions)[64]) {
    static const ruga_colour colours[FABRICS][2] = {{{0.45f, 0.42f, 0.40f}, {0.36f, 0.34f, 0.33f}},
                                                    {{0.80f, 0.72f, 0.58f}, {0.66f, 0.58f, 0.46f}},
                                                    {{0.22f, 0.33f, 0.52f}, {0.55f, 0.62f, 0.72f}}};
    double centre = APART * ((double)k - 1), coefficient = 0;
    subject *fabric = &scene->subjects[k], *pedestal = &scene->subjects[FABRICS + k];
    int code = measure(d, fabric, centre, &coefficient);
    looks[k][0] = ruga_render_mesh_default(fabric->mesh);
    looks[k][0].frame = &fabric->current.frame;
    looks[k][0].front = colours[k][0];
    looks[k][0].back = colours[k][1];
    looks[k][1] = ruga_render_mesh_default(pedestal->mesh);
    looks[k][1].front = looks[k][1].back = (ruga_colour){0.75f, 0.75f, 0.74f};
    snprintf(captions[k], sizeof captions[k], "%s: drape coefficient %.2f", fabric->label, coefficient);
    const ruga_vec3 target = {centre, 0.15, 0};
    panels[k] = (ruga_panel){.mesh_count = 2,
                             .meshes = looks[k],
                             .camera = demo_eye((ruga_vec3){centre + 0.25, 0.48, 0.75}, target, 27),
                             .caption = captions[k]};
    panels[FABRICS + k] = (ruga_panel){.mesh_count = 1,
                                       .meshes = looks[k],
                                       .camera = demo_eye((ruga_vec3){centre, 1.2, 0.001}, target, 20),
                                       .caption = "from above"};
    return code;
}

int demo_make_discs(demo *d) {
    picture *scene = NULL;
    ruga_panel panels[2 * FABRICS];
    ruga_render_mesh looks[FABRICS][2];
    char captions[FABRICS][64];
    int code = demo_commands(d, d->item->commands);
    if (!code) code = DEMO_NEW(d, scene, 1);
    if (!code) code = demo_keep(d, DEMO_PICTURE, scene);
    if (!code) code = run_add_objects(d->s, demo_path(d, "discs.run"), scene);
    if (code || !scene) return code;
    const subject *moving = picture_first_moving(scene);
    if (!moving || scene->subject_count < 2 * FABRICS) return 1;
    code = picture_move(d->s, scene, ruga_motion_get_info(moving->motion).end);
    for (size_t k = 0; k < FABRICS && !code; k++) code = show_fabric(d, scene, k, panels, looks, captions);
    if (code) return code;
    ruga_render_def def = demo_def(1800, 1100, panels, 2 * FABRICS, FABRICS);
    return demo_still(d, &def, "discs.png");
}
