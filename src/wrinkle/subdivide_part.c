/* Part "subdivide": fine positions = W coarse positions. The map W is made once from the rest mesh; a frame is one
 * sparse product, whose rows are spread over threads and each summed in its own order. */
#include "wrinkle/subdivide_part.h"

#include "body/kind.h"
#include "mesh/follow.h"

typedef struct subdivide_part {
    part base;
    ruga_subdivide_def def;
    followed_mesh fine;
} subdivide_part;

static void destroy(part *p) {
    subdivide_part *self = (subdivide_part *)p;
    ruga_context *context = p->context;
    part_release(p);
    followed_mesh_release(&self->fine);
    memory_release(context, self);
}

static ruga_status update(part *p, const body *b, const substep *s, const ruga_frame *in) {
    (void)b;
    TRY(part_check_frame(p, s, in));
    ruga_map_apply(((subdivide_part *)p)->fine.map, in->positions, p->positions);
    return RUGA_OK;
}

static ruga_status rebuild(part *p, const body *b, const part_change *change) {
    (void)b;
    subdivide_part *self = (subdivide_part *)p;
    followed_mesh *f = &self->fine;
    ruga_mesh *mesh = NULL;
    ruga_map *map = NULL;
    TRY(ruga_mesh_subdivide(change->input, &self->def, &mesh, &map));
    TRY(followed_mesh_change(f, mesh, map, change->input_from_old, change->input_from_first));
    p->output_from_old = f->from_old;
    p->output_from_first = f->from_first;
    return part_follow(p, change->input, f->mesh, f->from_old);
}

static const part_interface subdivide_interface = {.update = update, .rebuild = rebuild, .destroy = destroy};

ruga_status subdivide_part_create(const ruga_mesh *input, const ruga_subdivide_def *def, part **out) {
    subdivide_part *self;
    ruga_mesh *mesh = NULL;
    ruga_map *map = NULL;
    TRY(NEW_ZEROED(input->context, &self, 1));
    self->base.context = input->context;
    self->def = *def;
    ruga_status status = ruga_mesh_subdivide(input, def, &mesh, &map);
    self->fine = followed_mesh_make(mesh, map);
    if (!RUGA_FAILED(status)) status = part_init(&self->base, &subdivide_interface, "subdivide", input, mesh);
    RETURN_MADE(status, &self->base, out, destroy(&self->base));
}

/* ---- The kinds: an edit of the rest mesh, and a part on top of a moving one. */

static const char *const subdivisions[] = {"regular", "loop", "long_edges", NULL};
_Static_assert(RUGA_SUBDIVIDE_REGULAR == 0 && RUGA_SUBDIVIDE_LOOP == 1 && RUGA_SUBDIVIDE_LONG_EDGES == 2,
               "in the order of ruga_subdivision");

static const ruga_field subdivide_fields[] = {
    {"method", RUGA_FIELD_CHOICE, AT(ruga_subdivide_def, kind), .preset = "regular", .choices = subdivisions,
     .help = "regular: divides each edge into n parts, on the same surface; loop: n rounds of smoothing subdivision; "
             "long_edges: splits edges until none is longer than `length`"},
    {"n", RUGA_FIELD_WHOLE, AT(ruga_subdivide_def, n), .unit = "1", .preset = "2", RANGE(0, 256),
     .help = "parts of an edge (regular, 1 to 256), or rounds (loop, 0 to 8)"},
    {"length", RUGA_FIELD_NUMBER, AT(ruga_subdivide_def, length), .unit = "m", .preset = "0.01", RANGE(1e-9, 1e9),
     .help = "largest length of an edge (long_edges)"},
};
_Static_assert(sizeof(ruga_subdivision) == sizeof(int), "a choice is an int");

static ruga_status edit(build *b, const void *values, ruga_mesh **out, ruga_map **map) {
    ruga_subdivide_def def = *(const ruga_subdivide_def *)values;
    def.cookie = RUGA_COOKIE;
    return ruga_mesh_subdivide(b->mesh, &def, out, map);
}

const kind subdivide_edit_kind = {
    .section = SECTION("subdivide", ruga_subdivide_def, subdivide_fields,
                       .help = "A finer rest mesh. The old vertices come first, in their order; a motion of the coarse "
                               "mesh still fits."),
    .role = KIND_EDIT,
    .edit = edit,
};

static ruga_status make_part(build *b, const void *values, part **out) {
    ruga_subdivide_def def = *(const ruga_subdivide_def *)values;
    def.cookie = RUGA_COOKIE;
    return subdivide_part_create(b->mesh, &def, out);
}

const kind subdivide_part_kind = {
    .section = SECTION(
        "subdivide", ruga_subdivide_def, subdivide_fields,
        .help =
            "A finer mesh that follows the coarse one, so that the details after it have more vertices to work with."),
    .role = KIND_ON_TOP,
    .make_part = make_part,
};
