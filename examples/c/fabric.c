/* Fabric: two pieces of woven cloth, as a membrane of triangles that stretches more along its weft than along its warp,
 * are sewn together. One piece is held by its upper edge; the other one then hangs on the seam. */
#include <math.h>
#include <ruga/ruga.h>
#include <stdio.h>
#include <string.h>

enum { CELLS = 8, SIDE = CELLS + 1, POINTS = 2 * SIDE * SIDE, TRIANGLES = 4 * CELLS * CELLS };

#define SIZE 0.24 /* m, of a piece */
#define GAP 0.04  /* m, between them at first */

/* Two upright squares beside each other, in one mesh. */
static ruga_status make_pieces(ruga_context *context, ruga_mesh **out) {
    static ruga_vec3 points[POINTS];
    static uint32_t triangles[3 * TRIANGLES];
    uint32_t *at = triangles;
    for (uint32_t i = 0; i < POINTS; i++) {
        uint32_t piece = i / (SIDE * SIDE), column = i % SIDE, row = i / SIDE % SIDE;
        points[i] = (ruga_vec3){piece * (SIZE + GAP) + SIZE * column / CELLS, SIZE * row / CELLS, 0};
        if (column == CELLS || row == CELLS) continue;
        const uint32_t square[6] = {i, i + 1, i + SIDE + 1, i, i + SIDE + 1, i + SIDE};
        memcpy(at, square, sizeof square);
        at += 6;
    }
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){.data = points, .count = POINTS, .stride = sizeof *points, .type = RUGA_F64};
    def.face_count = TRIANGLES;
    def.face_vertices = triangles;
    return ruga_mesh_create(context, &def, out);
}

/* A measure of the frame by its name. */
static double measure(const ruga_scene *scene, const char *name) {
    double values[256];
    if (ruga_scene_measure_count(scene) > 256) return NAN;
    ruga_scene_measures(scene, values);
    for (size_t i = 0; i < ruga_scene_measure_count(scene); i++)
        if (strcmp(ruga_scene_measure_info(scene, i).name, name) == 0) return values[i];
    return NAN;
}

/* A border of the mesh from one point to another. */
static ruga_variant border(ruga_border_point ends[2], double x, ruga_drawn_border_def *def) {
    ends[0].at = (ruga_vec3){x, 0, 0};
    ends[1].at = (ruga_vec3){x, SIZE, 0};
    def->points = (ruga_list){ends, 2};
    return (ruga_variant){ruga_scene_section_find("objects.hooks.seam.from.drawn"), def};
}

static ruga_status run(ruga_context *context, const ruga_mesh *pieces) {
    ruga_pin_fixed_def top;
    ruga_variant pin = {ruga_scene_section_find("objects.body.cloth.pins.fixed"), &top};
    ruga_section_defaults(pin.section, &top);
    top.choice.box_from = (ruga_vec3){-1, SIZE - 1e-6, -1};
    top.choice.box_to = (ruga_vec3){SIZE + 1e-6, 1, 1};

    ruga_cloth_def cloth;
    ruga_object_def object = ruga_object_def_default();
    object.body = (ruga_variant){ruga_scene_section_find("objects.body.cloth"), &cloth};
    ruga_section_defaults(object.body.section, &cloth);
    cloth.elements = 2; /* a membrane, which is also the default for triangles */
    cloth.warp = (ruga_vec3){0, 1, 0};
    cloth.weft = 800; /* N/m; along the warp it is the stretch of the material */
    cloth.pins = (ruga_list){&pin, 1};

    ruga_seam_def seam;
    ruga_border_point left[2], right[2];
    ruga_drawn_border_def from, to;
    ruga_variant hook = {ruga_scene_section_find("objects.hooks.seam"), &seam};
    ruga_section_defaults(hook.section, &seam);
    seam.from = border(left, SIZE, &from);
    seam.to = border(right, SIZE + GAP, &to);
    seam.end = 0.5; /* s */

    object.name = "cloth";
    object.given_mesh = pieces;
    object.material = "cotton";
    object.hooks = (ruga_list){&hook, 1};
    ruga_scene_def def = ruga_scene_def_default();
    def.objects = (ruga_list){&object, 1};

    ruga_scene *scene = NULL;
    ruga_status status = ruga_scene_create(context, &def, &scene);
    for (int i = 1; i <= 24 && !RUGA_FAILED(status); i++) {
        status = ruga_scene_step(scene);
        if (!RUGA_FAILED(status) && i % 6 == 0)
            printf("%.2f s: the seam is open by %.1f mm, the cloth is stretched by %.2f %%\n", i / 24.0,
                   1000 * measure(scene, "cloth.seam.gap"), 100 * measure(scene, "cloth.elongation_p99"));
    }
    ruga_scene_destroy(scene);
    return status;
}

int main(void) {
    ruga_context *context = NULL;
    ruga_mesh *pieces = NULL;
    if (RUGA_FAILED(ruga_context_create(NULL, &context))) return 1;
    ruga_status status = make_pieces(context, &pieces);
    if (!RUGA_FAILED(status)) status = run(context, pieces);
    if (RUGA_FAILED(status)) fprintf(stderr, "%s\n", ruga_context_message(context));
    ruga_mesh_destroy(pieces);
    ruga_context_destroy(context);
    return RUGA_FAILED(status) ? 1 : 0;
}
