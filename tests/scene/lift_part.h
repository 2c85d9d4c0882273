/* The example of CONTRIBUTING.md, "Adding a part". A test checks that CONTRIBUTING.md has the code below the dashes
 * word for word. */
#include "base/memory.h"
#include "body/kind.h"

/* In include/ruga/scene.h. */
typedef struct ruga_lift_def {
    ruga_param height; /* m */
} ruga_lift_def;

/* ---- */
/* Part "lift": every vertex rises by a height, which may be painted and keyframed. No state. */
typedef struct lift_part {
    part base;
    ruga_param height; /* m */
    double *heights;   /* (vertices) m, at the time of the last frame */
} lift_part;

static void destroy(part *p) {
    lift_part *self = (lift_part *)p;
    ruga_context *context = p->context;
    part_release(p);
    memory_release(context, self->heights);
    memory_release(context, self);
}

static ruga_status update(part *p, const body *b, const substep *s, const ruga_frame *in) {
    lift_part *self = (lift_part *)p;
    (void)b;
    TRY(part_check_frame(p, s, in));
    TRY(ruga_param_evaluate(&self->height, "height", p->input, in->time, self->heights));
    for (size_t v = 0; v < in->vertex_count; v++) {
        p->positions[v] = in->positions[v];
        p->positions[v].y += self->heights[v];
    }
    return RUGA_OK;
}

/* Its table of fields. Parser, checks, options, docs/scene.md and the schema follow from these rows. */
static const ruga_field lift_fields[] = {
    {"height", RUGA_FIELD_PARAM, AT(ruga_lift_def, height), .unit = "m", .preset = "0.1", RANGE(-100, 100),
     .help = "how far each vertex rises; negative values lower it"},
};

static ruga_status make_part(build *b, const void *values, part **out) {
    static const part_interface interface = {.update = update, .destroy = destroy};
    const ruga_lift_def *def = values;
    ruga_param height;
    TRY(build_param(b, &def->height, b->mesh, &height));
    if (b->errors > 0) return RUGA_OK; /* reported: an attribute that the mesh does not have, say */
    lift_part *self = NULL;
    TRY(NEW_ZEROED(b->context, &self, 1));
    self->base.context = b->context;
    self->height = height;
    ruga_status status = part_init(&self->base, &interface, "lift", b->mesh, b->mesh);
    if (!RUGA_FAILED(status)) status = NEW(b->context, &self->heights, b->mesh->vertex_count);
    RETURN_MADE(status, &self->base, out, destroy(&self->base));
}

const kind lift_part_kind = {
    .section = SECTION("lift", ruga_lift_def, lift_fields, .help = "Raises every vertex by a height."),
    .role = KIND_ON_TOP,
    .flags = KIND_KEEPS_MESH, /* the vertices of the mesh below, moved */
    .make_part = make_part,
};
