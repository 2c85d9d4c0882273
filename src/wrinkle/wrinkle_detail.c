/* Detail "wrinkle": frames in, the fine mesh of a wrinkle mesh out. */
#include "wrinkle/wrinkle_detail.h"

#include <string.h>

#include "base/memory.h"
#include "mesh/param.h"

#define WRINKLE_TAG STATE_TAG('W', 'R', 'N', 'K')
#define WRINKLE_VERSION 1
#define PARTS_OF_AN_EDGE 4 /* unless told otherwise: sixteen fine triangles to one of the base, as in the paper */

enum { PARAM_COUNT = 5 };
static const char *const param_names[PARAM_COUNT] = {"radius", "pre_stretch", "bending", "direction",
                                                     "direction_weight"};

typedef struct wrinkle_detail {
    detail base;
    wrinkle_detail_def def;
    ruga_mesh *fine; /* NULL: the caller's */
    ruga_wrinkle_mesh *wrinkles;
    int changes;                           /* a parameter has keys */
    ruga_vec3 *settled;                    /* (input vertices) m, the frame that it was settled on last */
    double settled_time;                   /* s, of that frame */
    int is_settled;                        /* nothing has happened since */
    size_t offset, error, iterations;      /* places among the measures */
    const ruga_param *params[PARAM_COUNT]; /* of the def */
} wrinkle_detail;

wrinkle_detail_def wrinkle_detail_def_default(void) {
    wrinkle_detail_def def = {.mesh = ruga_wrinkle_mesh_def_default(), .subdivide = ruga_subdivide_def_default()};
    def.subdivide.n = PARTS_OF_AN_EDGE;
    return def;
}

static void destroy(detail *d) {
    wrinkle_detail *w = (wrinkle_detail *)d;
    ruga_context *context = d->context;
    detail_release(d);
    ruga_wrinkle_mesh_destroy(w->wrinkles);
    ruga_mesh_destroy(w->fine);
    memory_release(context, w->settled);
    memory_release(context, w);
}

/* ---- Frames. */

static ruga_view view_of(const ruga_vec3 *points, size_t count) {
    return (ruga_view){.data = (void *)(uintptr_t)points, .count = count, .type = RUGA_F64};
}

/* Hands out the fine mesh, and tells of it. */
static ruga_status give_out(wrinkle_detail *w, int iterations) {
    detail *d = &w->base;
    ruga_view positions = view_of(d->positions, d->output->vertex_count);
    ruga_view normals = view_of(d->normals, d->output->vertex_count);
    TRY(ruga_wrinkle_mesh_read(w->wrinkles, &positions, &normals));
    ruga_wrinkle_mesh_report report = ruga_wrinkle_mesh_get_report(w->wrinkles);
    d->measures.items[w->offset].value = report.rms_offset;
    d->measures.items[w->error].value = report.length_error;
    d->measures.items[w->iterations].value = iterations;
    return RUGA_OK;
}

static int was_settled_on(const wrinkle_detail *w, const ruga_frame *in) {
    size_t size = in->vertex_count * sizeof *w->settled;
    return w->is_settled && w->settled_time == in->time && (size == 0 || memcmp(w->settled, in->positions, size) == 0);
}

/* A scene settles its first frame when it is made and when it starts: the second time there is nothing left to do. */
static ruga_status settle(detail *d, const ruga_frame *in, const environment *e) {
    (void)e;
    wrinkle_detail *w = (wrinkle_detail *)d;
    int iterations = 0;
    TRY(detail_check_frame(d, in, 0));
    if (was_settled_on(w, in)) return give_out(w, 0);
    w->is_settled = 0;
    if (w->changes) TRY(ruga_wrinkle_mesh_set_time(w->wrinkles, in->time));
    const ruga_view positions = view_of(in->positions, in->vertex_count);
    TRY(ruga_wrinkle_mesh_settle(w->wrinkles, &positions, NULL, 0, 0, &iterations));
    if (in->vertex_count > 0) memcpy(w->settled, in->positions, in->vertex_count * sizeof *w->settled);
    w->settled_time = in->time;
    w->is_settled = 1;
    return give_out(w, iterations);
}

static ruga_status update(detail *d, const ruga_frame *in, double dt, const environment *e) {
    wrinkle_detail *w = (wrinkle_detail *)d;
    TRY(detail_check_frame(d, in, dt));
    if (w->def.settle) return settle(d, in, e);
    w->is_settled = 0;
    if (w->changes) TRY(ruga_wrinkle_mesh_set_time(w->wrinkles, in->time));
    const ruga_view positions = view_of(in->positions, in->vertex_count);
    TRY(ruga_wrinkle_mesh_update(w->wrinkles, &positions, NULL));
    return give_out(w, w->def.mesh.iterations);
}

/* ---- State. */

static void save(const detail *d, state_writer *writer) {
    const wrinkle_detail *w = (const wrinkle_detail *)d;
    void *bytes = NULL;
    size_t size = 0;
    ruga_status status = ruga_wrinkle_mesh_save(w->wrinkles, &bytes, &size);
    if (RUGA_FAILED(status)) {
        state_put_failure(writer, status);
        return;
    }
    state_begin(writer, WRINKLE_TAG, WRINKLE_VERSION);
    state_put_bytes(writer, bytes, size);
    state_end(writer);
    ruga_free(d->context, bytes);
}

static ruga_status load(detail *d, state_reader *reader) {
    wrinkle_detail *w = (wrinkle_detail *)d;
    state_reader entry;
    const void *bytes;
    size_t size;
    w->is_settled = 0;
    TRY(state_enter(reader, WRINKLE_TAG, WRINKLE_VERSION, NULL, &entry));
    TRY(state_get_bytes(&entry, &bytes, &size));
    return ruga_wrinkle_mesh_load(w->wrinkles, bytes, size);
}

/* ---- Making. */

static ruga_status make_wrinkles(wrinkle_detail *w, const ruga_mesh *input) {
    const wrinkle_detail_def *def = &w->def;
    if (def->fine) return ruga_wrinkle_mesh_create(input, def->fine, &def->mesh, &w->wrinkles);
    return ruga_wrinkle_mesh_create_subdivided(input, &def->subdivide, &def->mesh, &w->fine, &w->wrinkles);
}

/* Every key of every parameter is looked at before the first frame. */
static ruga_status check_keys(wrinkle_detail *w, const ruga_mesh *fine) {
    for (int p = 0; p < PARAM_COUNT; p++) w->changes |= param_changes(w->params[p]);
    if (!w->changes) return RUGA_OK;
    ruga_context *context = fine->context;
    double *values = ALLOCATE(context, double, fine->vertex_count);
    if (!values) return fail_memory(context, fine->vertex_count * sizeof *values);
    ruga_status status = RUGA_OK;
    for (int p = 0; p < PARAM_COUNT && !RUGA_FAILED(status); p++)
        if (param_changes(w->params[p])) status = param_prepare(w->params[p], param_names[p], fine, values);
    memory_release(context, values);
    return status;
}

static const detail_interface interface = {
    .update = update, .settle = settle, .save = save, .load = load, .destroy = destroy};

static ruga_status make(wrinkle_detail *w, const ruga_mesh *input) {
    ruga_context *context = input->context;
    TRY(make_wrinkles(w, input));
    const ruga_mesh *fine = w->fine ? w->fine : w->def.fine;
    TRY(check_keys(w, fine));
    TRY(detail_init(&w->base, &interface, "wrinkle", input, fine));
    w->offset = measure_add(&w->base.measures, "offset", "m");
    w->error = measure_add(&w->base.measures, "length_error", "1");
    w->iterations = measure_add(&w->base.measures, "iterations", "1");
    w->settled = ALLOCATE(context, ruga_vec3, input->vertex_count);
    w->base.normals = ALLOCATE(context, ruga_vec3, fine->vertex_count);
    if (!w->settled || !w->base.normals) return fail_memory(context, fine->vertex_count * sizeof(ruga_vec3));
    return ruga_mesh_normals(fine, fine->positions, w->base.normals);
}

ruga_status detail_wrinkle_create(const ruga_mesh *input, const wrinkle_detail_def *def, detail **out) {
    wrinkle_detail *w = ALLOCATE_ZEROED(input->context, wrinkle_detail, 1);
    if (!w) return fail_memory(input->context, sizeof *w);
    w->base.context = input->context;
    w->def = *def;
    const ruga_wrinkle_mesh_def *mesh = &w->def.mesh;
    const ruga_param *params[PARAM_COUNT] = {&mesh->radius, &mesh->pre_stretch, &mesh->bending, &mesh->direction,
                                             &mesh->direction_weight};
    memcpy(w->params, params, sizeof params);
    ruga_status status = make(w, input);
    if (RUGA_FAILED(status)) {
        destroy(&w->base);
        return status;
    }
    *out = &w->base;
    return RUGA_OK;
}

int detail_is_wrinkle(const detail *d) { return d->interface == &interface; }

ruga_wrinkle_mesh_report wrinkle_detail_report(const detail *d) {
    return ruga_wrinkle_mesh_get_report(((const wrinkle_detail *)d)->wrinkles);
}
