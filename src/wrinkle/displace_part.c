/* Part "displace": x = y + amount n, with n the vertex normal of the incoming frame (weighted by angle where the frame
 * does not bring its own). A vertex without area has no normal and stays. */
#include "wrinkle/displace_part.h"

#include "base/memory.h"
#include "base/threads.h"
#include "body/kind.h"
#include "math/vec3.h"
#include "mesh/carry.h"
#include "mesh/mesh.h"
#include "mesh/param.h"

#define DISPLACE_BLOCK 2048 /* vertices */

typedef struct displace_part {
    part base;
    ruga_param first_amount, amount; /* for the mesh that it was made with, and for the current one */
    arena carried;                   /* memory of the second */
    double *amounts;                 /* (vertices) m, at the time of the last frame */
    vec3 *normals;                   /* (vertices) of the input, where the frame has none */
    void *scratch;                   /* for the normals */
} displace_part;

static void destroy(part *p) {
    displace_part *self = (displace_part *)p;
    ruga_context *context = p->context;
    part_release(p);
    RELEASE_ALL(context, self->amounts, self->normals, self->scratch);
    arena_release(&self->carried);
    memory_release(context, self);
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

static ruga_status update(part *p, const body *b, const substep *s, const ruga_frame *in) {
    (void)b;
    displace_part *self = (displace_part *)p;
    TRY(part_check_frame(p, s, in));
    if (param_changes(&self->amount))
        TRY(ruga_param_evaluate(&self->amount, "amount", p->input, in->time, self->amounts));
    if (!in->normals) mesh_normals(p->input, in->positions, self->scratch, self->normals);
    displace_task task = {in->positions, in->normals ? in->normals : self->normals, self->amounts, p->positions};
    parallel_for(p->context, in->vertex_count, DISPLACE_BLOCK, displace_range, &task);
    return RUGA_OK;
}

/* All that depends on the mesh. */
static ruga_status make_arrays(displace_part *self, const ruga_mesh *input) {
    ruga_context *context = input->context;
    RELEASE_ALL(context, self->amounts, self->normals, self->scratch);
    self->amounts = NULL, self->normals = NULL, self->scratch = NULL;
    TRY(NEW_EACH(context, input->vertex_count, &self->amounts, &self->normals));
    TRY(NEW_SIZED(context, &self->scratch, mesh_normals_scratch(input), 1));
    return param_prepare(&self->amount, "amount", input, self->amounts);
}

static ruga_status rebuild(part *p, const body *b, const part_change *change) {
    (void)b;
    displace_part *self = (displace_part *)p;
    arena_release(&self->carried);
    self->carried = arena_make(p->context);
    TRY(param_carry(p->context, &self->first_amount, change->input_from_first, &self->carried, &self->amount));
    TRY(part_follow(p, change->input, change->input, change->input_from_old));
    return make_arrays(self, change->input);
}

static const part_interface displace_interface = {.update = update, .rebuild = rebuild, .destroy = destroy};

ruga_status displace_part_create(const ruga_mesh *input, const ruga_param *amount, part **out) {
    displace_part *self;
    TRY(NEW_ZEROED(input->context, &self, 1));
    self->base.context = input->context;
    self->first_amount = self->amount = *amount;
    ruga_status status = part_init(&self->base, &displace_interface, "displace", input, input);
    if (!RUGA_FAILED(status)) status = make_arrays(self, input);
    RETURN_MADE(status, &self->base, out, destroy(&self->base));
}

/* ---- The kind. */

static const ruga_field displace_fields[] = {
    {"amount", RUGA_FIELD_PARAM, AT(ruga_displace_def, amount), .unit = "m",
     .help = "distance along the normal; negative moves inwards"},
};

static ruga_status make_part(build *b, const void *values, part **out) {
    const ruga_displace_def *def = values;
    ruga_param amount;
    TRY(build_param(b, &def->amount, b->mesh, &amount));
    return b->errors ? RUGA_OK : displace_part_create(b->mesh, &amount, out);
}

const kind displace_part_kind = {
    .section = SECTION("displace", ruga_displace_def, displace_fields,
                       .help = "Moves every vertex along its normal, by a painted or keyframed amount."),
    .role = KIND_ON_TOP,
    .flags = KIND_KEEPS_MESH,
    .make_part = make_part,
};
