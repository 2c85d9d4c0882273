#include "crease_sheets.h"

static const environment still = {.gravity = {0, -9.81, 0}};

ruga_mesh *make_mesh(ruga_context *context, size_t vertices, const vec3 *positions, size_t triangles,
                     const uint32_t *corners) {
    ruga_mesh_def def = ruga_mesh_def_default();
    ruga_mesh *mesh = NULL;
    def.positions = (ruga_view){(void *)(uintptr_t)positions, vertices, 0, RUGA_F64};
    def.face_count = triangles;
    def.face_vertices = corners;
    bench_require(!RUGA_FAILED(ruga_mesh_create(context, &def, &mesh)), ruga_context_message(context));
    return mesh;
}

ruga_mesh *make_grid(ruga_context *context, size_t columns, size_t rows, grid_place *place, const double *sizes) {
    size_t width = columns + 1, vertices = width * (rows + 1), triangles = 0;
    vec3 *x = malloc(vertices * sizeof *x);
    uint32_t *t = malloc(6 * columns * rows * sizeof *t);
    bench_require(x && t, "no memory");
    for (size_t v = 0; v < vertices; v++)
        x[v] = place((double)(v % width) / (double)columns, (double)(v / width) / (double)rows, sizes);
    for (uint32_t j = 0; j < rows; j++)
        for (uint32_t i = 0; i < columns; i++) {
            const uint32_t a = j * (uint32_t)width + i, b = a + 1, c = a + (uint32_t)width, d = c + 1;
            memcpy(t + 3 * triangles, (uint32_t[6]){a, b, d, a, d, c}, 6 * sizeof *t);
            triangles += 2;
        }
    ruga_mesh *mesh = make_mesh(context, vertices, x, triangles, t);
    free(x);
    free(t);
    return mesh;
}

ruga_curve *draw_curve(const ruga_mesh *mesh, const vec3 *points, size_t count) {
    ruga_curve_def def = ruga_curve_def_default();
    ruga_curve *curve = NULL;
    bench_require(!RUGA_FAILED(ruga_curve_from_points(mesh, points, count, &def, &curve)),
                  ruga_context_message(mesh->context));
    return curve;
}

crease cut_along(const ruga_mesh *mesh, ruga_curve *const *curves, size_t count) {
    crease_def def = crease_def_default();
    crease c;
    bench_require(!RUGA_FAILED(crease_make(mesh, (const ruga_curve *const *)curves, count, &def, &c)),
                  ruga_context_message(mesh->context));
    return c;
}

/* The part "crease", loose: it measures angles and gaps. Its arrays are released with the process. */
static part *make_part(const crease *c) {
    crease_fold *folds = NULL;
    size_t count = 0, curves = 0;
    part *made = NULL;
    bench_require(!RUGA_FAILED(crease_folds_make(c, &count, &folds)), ruga_context_message(c->context));
    for (size_t i = 0; i < count; i++)
        if (folds[i].curve >= curves) curves = folds[i].curve + 1;
    crease_target *targets = calloc(curves, sizeof *targets);
    bench_require(targets != NULL, "no memory");
    for (size_t i = 0; i < curves; i++) targets[i] = (crease_target){.active = -INFINITY, .set = NAN};
    crease_rig rig = {.curve_count = curves,
                      .fold_count = count,
                      .node_count = c->nodes.embedded_count,
                      .folds = folds,
                      .nodes = c->nodes.embedded,
                      .visible = c->cut.mesh};
    bench_require(!RUGA_FAILED(crease_part_create(c->context, &rig, targets, &made)), ruga_context_message(c->context));
    free(targets);
    return made;
}

world *make_sheet_world(const sheet_def *sheet) {
    const ruga_mesh *mesh = sheet->creases ? sheet->creases->cut.mesh : sheet->mesh;
    const cloth_pin_def pin = {.count = sheet->pin_count, .vertices = sheet->pins};
    cloth_def def = cotton(sheet->mesh, sheet->kind);
    def.damping_time = sheet->damping_time;
    def.pin_def_count = 1;
    def.pins = &pin;
    def.values.drag = def.values.lift = 0;
    def.values.axial_bending = 1;
    def.material.strain_limit = 0;
    if (sheet->bend > 0) def.material.bend = sheet->bend;
    if (sheet->creases)
        def.simulated = (body_simulated){.mesh = sheet->creases->nodes.simulated,
                                         .visible = sheet->creases->nodes.visible,
                                         .shares = sheet->creases->nodes.shares,
                                         .bound = sheet->is_bound ? sheet->creases->bound : NULL};
    world *w = NULL;
    body *b = NULL;
    size_t object;
    ruga_status status = world_create(mesh->context, &w);
    if (!RUGA_FAILED(status)) status = cloth_create(mesh, &def, &b);
    if (!RUGA_FAILED(status)) status = world_add_object(w, "sheet", b, &object);
    if (!RUGA_FAILED(status) && sheet->is_bound) status = world_add_part(w, object, make_part(sheet->creases));
    if (!RUGA_FAILED(status)) *world_environment(w) = still;
    if (!RUGA_FAILED(status)) status = world_settle(w, 0, 0);
    bench_require(!RUGA_FAILED(status), ruga_context_message(mesh->context));
    return w;
}

void step_sheet(world *w, double dt, int frames, int substeps) {
    for (int i = 0; i < frames; i++)
        bench_require(!RUGA_FAILED(world_step(w, world_time(w) + dt * substeps, substeps, 0, 0)),
                      "a step of the world failed");
}

double sheet_measure(world *w, const char *name) {
    const body *b = world_body(w, 0);
    for (size_t i = 0; i < b->measures.count; i++)
        if (strcmp(b->measures.items[i].name, name) == 0) return b->measures.items[i].value;
    bench_require(0, "no such measure");
    return 0;
}
