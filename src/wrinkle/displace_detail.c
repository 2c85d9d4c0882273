/* Detail "displace": x = y + amount n, with n the vertex normal of the incoming frame (weighted by angle where the frame does
 * not bring its own). A vertex without area has no normal and stays. */
#include "wrinkle/displace_detail.h"

#include "base/memory.h"
#include "base/threads.h"
#include "math/vec3.h"
#include "mesh/mesh.h"
#include "mesh/param.h"

#define DISPLACE_BLOCK 2048 /* vertices */

typedef struct displace_detail {
    detail base;
    ruga_param amount;
    double *amounts; /* (vertices) m, at the time of the last frame */
    vec3 *normals;   /* (vertices) of the input, where the frame has none */
    void *scratch;   /* for the normals */
} displace_detail;

static void destroy(detail *d) {
    displace_detail *s = (displace_detail *)d;
    ruga_context *context = d->context;
    detail_release(d);
    memory_release(context, s->amounts);
    memory_release(context, s->normals);
    memory_release(context, s->scratch);
    memory_release(context, s);
}

typedef struct displace_task {
    const vec3 *in, *normals;
    const double *amounts;
    vec3 *out;
} displace_task;

static void displace_range(void *argument, size_t begin, size_t end) {
    const displace_task *task = argument;
    for (size_t v = begin; v < end; v++)
        task->out[v] = vec3_add_scaled(task->in[v], task->normals[v], task->amounts[v]);
}

static ruga_status update(detail *d, const ruga_frame *in, double dt, const environment *e) {
    (void)e;
    displace_detail *s = (displace_detail *)d;
    TRY(detail_check_frame(d, in, dt));
    if (param_changes(&s->amount)) TRY(ruga_param_evaluate(&s->amount, "amount", d->input, in->time, s->amounts));
    if (!in->normals) mesh_normals(d->input, in->positions, s->scratch, s->normals);
    displace_task task = {in->positions, in->normals ? in->normals : s->normals, s->amounts, d->positions};
    parallel_for(d->context, in->vertex_count, DISPLACE_BLOCK, displace_range, &task);
    return RUGA_OK;
}

static ruga_status rebuild(detail *d, const ruga_mesh *in, const ruga_map *from_old);

static const detail_interface displace_interface = {.update = update, .rebuild = rebuild, .destroy = destroy};

ruga_status detail_displace_create(const ruga_mesh *input, const ruga_param *amount, detail **out) {
    ruga_context *context = input->context;
    displace_detail *s = ALLOCATE_ZEROED(context, displace_detail, 1);
    if (!s) return fail_memory(context, sizeof *s);
    s->base.context = context;
    s->amount = *amount;
    s->amounts = ALLOCATE(context, double, input->vertex_count);
    s->normals = ALLOCATE(context, vec3, input->vertex_count);
    s->scratch = memory_allocate(context, mesh_normals_scratch(input), 1);
    ruga_status status = s->amounts && s->normals && s->scratch
                             ? detail_init(&s->base, &displace_interface, "displace", input, input)
                             : fail_memory(context, input->vertex_count * sizeof(vec3));
    if (!RUGA_FAILED(status)) status = param_prepare(amount, "amount", input, s->amounts);
    if (RUGA_FAILED(status)) {
        destroy(&s->base);
        return status;
    }
    *out = &s->base;
    return RUGA_OK;
}

/* Another of the same amount takes its place. */
static ruga_status rebuild(detail *d, const ruga_mesh *in, const ruga_map *from_old) {
    (void)from_old;
    displace_detail *s = (displace_detail *)d, old = *s;
    detail *made = NULL;
    TRY(detail_displace_create(in, &s->amount, &made));
    *s = *(displace_detail *)made;
    *(displace_detail *)made = old;
    destroy(made);
    return RUGA_OK;
}
