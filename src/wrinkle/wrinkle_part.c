/* Part "wrinkle": frames in, the fine mesh of a wrinkle mesh out. */
#include "wrinkle/wrinkle_part.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "body/kind.h"
#include "linalg/map.h"
#include "mesh/carry.h"
#include "mesh/follow.h"
#include "mesh/param.h"
#include "wrinkle/wrinkle.h"

#define WRINKLE_TAG STATE_TAG('W', 'R', 'N', 'K')
#define WRINKLE_VERSION 1

extern const kind wrinkle_part_kind;

typedef struct wrinkle_part {
    part base;
    ruga_wrinkle_def def;   /* its parameters are for the current fine mesh */
    ruga_wrinkle_def first; /* its parameters are for the first one */
    followed_mesh made;     /* the fine mesh, if it is a subdivision of the input; else nothing */
    ruga_map *same;         /* output from itself, after a rebuild with the caller's fine mesh */
    arena carried;          /* memory of the def's parameters after a rebuild */
    ruga_wrinkle_mesh *wrinkles;
    ruga_vec3 *settled;               /* (input vertices) m, the frame that it was settled on last */
    double settled_time;              /* s, of that frame */
    int is_settled;                   /* nothing has happened since */
    size_t offset, error, iterations; /* places among the measures */
} wrinkle_part;

static void destroy(part *p) {
    wrinkle_part *w = (wrinkle_part *)p;
    ruga_context *context = p->context;
    part_release(p);
    ruga_wrinkle_mesh_destroy(w->wrinkles);
    followed_mesh_release(&w->made);
    ruga_map_destroy(w->same);
    arena_release(&w->carried);
    RELEASE_ALL(context, w->settled, w);
}

/* ---- Frames. */

static ruga_view view_of(const ruga_vec3 *points, size_t count) {
    return (ruga_view){.data = (void *)(uintptr_t)points, .count = count, .type = RUGA_F64};
}

/* Reads the fine mesh, and fills in the measures. */
static ruga_status give_out(wrinkle_part *w, int iterations) {
    part *p = &w->base;
    ruga_view positions = view_of(p->positions, p->output->vertex_count);
    ruga_view normals = view_of(p->normals, p->output->vertex_count);
    TRY(ruga_wrinkle_mesh_read(w->wrinkles, &positions, &normals));
    ruga_wrinkle_mesh_report report = ruga_wrinkle_mesh_get_report(w->wrinkles);
    p->measures.items[w->offset].value = report.rms_offset;
    p->measures.items[w->error].value = report.length_error;
    p->measures.items[w->iterations].value = iterations;
    return RUGA_OK;
}

static int was_settled_on(const wrinkle_part *w, const ruga_frame *in) {
    size_t size = in->vertex_count * sizeof *w->settled;
    return w->is_settled && w->settled_time == in->time && (size == 0 || memcmp(w->settled, in->positions, size) == 0);
}

/* A scene settles its first frame when it is made and when it starts: the second time there is nothing left to do. */
static ruga_status settle(part *p, const body *b, const substep *s, const ruga_frame *in) {
    (void)b;
    wrinkle_part *w = (wrinkle_part *)p;
    int iterations = 0;
    TRY(part_check_frame(p, s, in));
    if (was_settled_on(w, in)) return give_out(w, 0);
    w->is_settled = 0;
    TRY(ruga_wrinkle_mesh_set_time(w->wrinkles, in->time));
    const ruga_view positions = view_of(in->positions, in->vertex_count);
    TRY(ruga_wrinkle_mesh_settle(w->wrinkles, &positions, NULL, 0, w->def.settle_iterations, &iterations));
    if (in->vertex_count > 0) memcpy(w->settled, in->positions, in->vertex_count * sizeof *w->settled);
    w->settled_time = in->time;
    w->is_settled = 1;
    return give_out(w, iterations);
}

static ruga_status update(part *p, const body *b, const substep *s, const ruga_frame *in) {
    wrinkle_part *w = (wrinkle_part *)p;
    TRY(part_check_frame(p, s, in));
    if (w->def.settle) return settle(p, b, s, in);
    w->is_settled = 0;
    TRY(ruga_wrinkle_mesh_set_time(w->wrinkles, in->time));
    const ruga_view positions = view_of(in->positions, in->vertex_count);
    TRY(ruga_wrinkle_mesh_update(w->wrinkles, &positions, NULL));
    return give_out(w, w->def.mesh.iterations);
}

/* ---- State. */

static void save(const part *p, state_writer *writer) {
    const wrinkle_part *w = (const wrinkle_part *)p;
    void *bytes = NULL;
    size_t size = 0;
    ruga_status status = ruga_wrinkle_mesh_save(w->wrinkles, &bytes, &size);
    state_put_saved(writer, WRINKLE_TAG, WRINKLE_VERSION, status, bytes, size);
    ruga_free(p->context, bytes);
}

static ruga_status load(part *p, state_reader *reader) {
    wrinkle_part *w = (wrinkle_part *)p;
    state_reader entry;
    const void *bytes;
    size_t size;
    w->is_settled = 0;
    TRY(state_enter(reader, WRINKLE_TAG, WRINKLE_VERSION, NULL, &entry));
    TRY(state_get_bytes(&entry, &bytes, &size));
    return ruga_wrinkle_mesh_load(w->wrinkles, bytes, size);
}

/* ---- The fine mesh. */

static ruga_subdivide_def subdivision_of(const ruga_wrinkle_def *def) {
    ruga_subdivide_def subdivide = def->subdivide;
    subdivide.cookie = RUGA_COOKIE;
    subdivide.kind = isnan(subdivide.length) ? RUGA_SUBDIVIDE_REGULAR : RUGA_SUBDIVIDE_LONG_EDGES;
    return subdivide;
}

static ruga_status subdivide_input(const ruga_mesh *input, const ruga_wrinkle_def *def, followed_mesh *out) {
    const ruga_subdivide_def subdivide = subdivision_of(def);
    ruga_mesh *mesh = NULL;
    ruga_map *map = NULL;
    TRY(ruga_mesh_subdivide(input, &subdivide, &mesh, &map));
    *out = followed_mesh_make(mesh, map);
    return RUGA_OK;
}

/* ---- Rebuilding. A subdivision is made again; a caller's fine mesh stays and is bound to the new input. Wavelength
 * and radii that were chosen by the lengths of edges stay, so that a refinement changes nothing elsewhere. */

static void keep_choices(wrinkle_part *w) {
    const ruga_wrinkle_mesh_report report = ruga_wrinkle_mesh_get_report(w->wrinkles);
    w->def.mesh.wavelength = isnan(report.wavelength) ? 0 : report.wavelength;
    if (report.radius_origin == RUGA_WRINKLE_RADIUS_FINE_EDGES) w->def.mesh.radius.constant = report.radius_unit;
}

/* The fine mesh on the new input, with the painted parameters for it. */
static ruga_status change_fine(wrinkle_part *w, const part_change *change) {
    followed_mesh subdivided;
    TRY(subdivide_input(change->input, &w->def, &subdivided));
    TRY(followed_mesh_change(&w->made, subdivided.mesh, subdivided.map, change->input_from_old,
                             change->input_from_first));
    arena_release(&w->carried);
    w->carried = arena_make(w->base.context);
    const ruga_section *table = &wrinkle_part_kind.section;
    for (size_t i = 0; i < table->field_count; i++) {
        ruga_param *param = row_param(&table->fields[i], &w->def);
        if (param && param->kind != RUGA_PARAM_CONSTANT)
            TRY(param_carry(w->base.context, row_param(&table->fields[i], &w->first), w->made.from_first, &w->carried,
                            param));
    }
    w->base.output_from_old = w->made.from_old;
    w->base.output_from_first = w->made.from_first;
    return RUGA_OK;
}

static ruga_status rebuild(part *p, const body *b, const part_change *change) {
    (void)b;
    wrinkle_part *w = (wrinkle_part *)p;
    const ruga_mesh *fine = p->output;
    ruga_wrinkle_mesh *wrinkles = NULL;
    w->is_settled = 0;
    keep_choices(w);
    if (w->made.mesh) {
        TRY(change_fine(w, change));
        fine = w->made.mesh;
    } else {
        if (!w->same) TRY(map_select_first(p->context, fine->vertex_count, fine->vertex_count, &w->same));
        p->output_from_old = w->same;
    }
    const wrinkle_mesh_change all = {change->input, fine, w->made.map, change->input_from_old, p->output_from_old};
    TRY(wrinkle_mesh_follow(w->wrinkles, &all, &w->def.mesh, &wrinkles));
    ruga_wrinkle_mesh_destroy(w->wrinkles);
    w->wrinkles = wrinkles;
    memory_release(p->context, w->settled);
    w->settled = NULL;
    TRY(NEW(p->context, &w->settled, change->input->vertex_count));
    return part_follow(p, change->input, fine, p->output_from_old);
}

/* ---- Making. */

static const part_interface interface = {
    .update = update, .settle = settle, .rebuild = rebuild, .save = save, .load = load, .destroy = destroy};

static ruga_status make(wrinkle_part *w, const ruga_mesh *input, const ruga_mesh *fine) {
    ruga_context *context = input->context;
    const int n = w->made.mesh && isnan(w->def.subdivide.length) ? w->def.subdivide.n : 0;
    TRY(wrinkle_mesh_create_mapped(input, fine, w->made.map, n, &w->def.mesh, &w->wrinkles));
    TRY(part_init(&w->base, &interface, "wrinkle", input, fine));
    w->offset = measure_add(&w->base.measures, "offset", "m");
    w->error = measure_add(&w->base.measures, "length_error", "1");
    w->iterations = measure_add(&w->base.measures, "iterations", "1");
    TRY(NEW(context, &w->settled, input->vertex_count));
    TRY(NEW(context, &w->base.normals, fine->vertex_count));
    return ruga_mesh_normals(fine, fine->positions, w->base.normals);
}

/* made: a subdivision of the input, which is taken over, also on failure; empty: `fine` is bound by closest points. */
static ruga_status create(const ruga_mesh *input, const ruga_mesh *fine, followed_mesh *made,
                          const ruga_wrinkle_def *def, part **out) {
    wrinkle_part *w;
    TRY_OR(NEW_ZEROED(input->context, &w, 1), followed_mesh_release(made));
    w->base.context = input->context;
    w->def = *def;
    w->made = *made;
    w->def.mesh.cookie = RUGA_COOKIE;
    if (isnan(def->mesh.reach)) w->def.mesh.reach = INFINITY;
    w->first = w->def;
    TRY_OR(make(w, input, made->mesh ? made->mesh : fine), destroy(&w->base));
    *out = &w->base;
    return RUGA_OK;
}

ruga_status wrinkle_part_create(const ruga_mesh *input, const ruga_mesh *fine, const ruga_wrinkle_def *def,
                                part **out) {
    followed_mesh made = {0};
    if (!fine) TRY(subdivide_input(input, def, &made));
    return create(input, fine, &made, def, out);
}

int part_is_wrinkle(const part *p) { return p->interface == &interface; }

ruga_wrinkle_mesh_report wrinkle_part_report(const part *p) {
    return ruga_wrinkle_mesh_get_report(((const wrinkle_part *)p)->wrinkles);
}

/* ---- The kind. The default and the range of each parameter stand in its row alone, painted ones too
 * (wrinkle_mesh_values.c). The value of an absent one depends on the wavelength. */

static const char *const surfaces[] = {"pn", "linear", "loop", NULL};
static const char *const solvers[] = {"compliant", "projection", NULL};
static const char *const spaces[] = {"local", "world", NULL};
static const char *const bends[] = {"opposite", "dihedral", "curvature", NULL};
static const char *const sides[] = {"both", "outside", "neighbourhood", NULL};
_Static_assert(RUGA_WRINKLE_PN == 0 && RUGA_WRINKLE_LINEAR == 1 && RUGA_WRINKLE_LOOP == 2,
               "in the order of ruga_wrinkle_surface");
_Static_assert(RUGA_WRINKLE_COMPLIANT == 0 && RUGA_WRINKLE_PROJECTION == 1, "in the order of ruga_wrinkle_solver");
_Static_assert(RUGA_WRINKLE_FRAME_LOCAL == 0 && RUGA_WRINKLE_FRAME_WORLD == 1, "in the order of ruga_wrinkle_frame");
_Static_assert(RUGA_WRINKLE_BEND_OPPOSITE == 0 && RUGA_WRINKLE_BEND_DIHEDRAL == 1 && RUGA_WRINKLE_BEND_CURVATURE == 2,
               "in the order of ruga_wrinkle_bend");
_Static_assert(RUGA_WRINKLE_BOTH_SIDES == 0 && RUGA_WRINKLE_OUTSIDE == 1 && RUGA_WRINKLE_NEIGHBOURHOOD == 2,
               "in the order of ruga_wrinkle_side");

static const ruga_field wrinkle_fields[] = {
    {"subdivide", RUGA_FIELD_WHOLE, AT(ruga_wrinkle_def, subdivide.n), .unit = "1", .preset = "4", RANGE(1, 256),
     .help = "the fine mesh: parts of each edge of the mesh below; n gives n² triangles for each"},
    {"edge_length", RUGA_FIELD_NUMBER, AT(ruga_wrinkle_def, subdivide.length), .unit = "m", .preset = "null",
     RANGE(1e-9, 1e9), .help = "the fine mesh, instead: long edges are split until none is longer than this"},
    {"fine", RUGA_FIELD_PATH, AT(ruga_wrinkle_def, fine), .preset = "null",
     .help = "the fine mesh, instead: a file with a mesh of any tessellation around the mesh below at rest; "
             "each vertex is attached to the closest point"},
    {"fine_unit", RUGA_FIELD_UNIT, AT(ruga_wrinkle_def, fine_unit), .unit = "m", .preset = "null", RANGE(1e-9, 1e9),
     .help = "unit of length of that file; if absent, that of the mesh's file"},
    {"fine_up", RUGA_FIELD_CHOICE, AT(ruga_wrinkle_def, fine_up), .preset = "null", .choices = axis_choices,
     .help = "axis that points up in that file; if absent, that of the mesh's file"},
    {"wavelength", RUGA_FIELD_NUMBER, AT(ruga_wrinkle_def, mesh.wavelength), .unit = "m", .preset = "null",
     RANGE(0, 1e6),
     .help = "from crest to crest, whatever the resolution of the fine mesh; sets radii and bending. If "
             "absent, 1.5 average edges of the mesh below, or five of the fine mesh if that is more; a wave "
             "needs five edges, so 4 is the smallest useful division. With 0, and if absent with projection, "
             "there is none, and radii and bending are used as given"},
    {"radius", RUGA_FIELD_PARAM, AT(ruga_wrinkle_def, mesh.radius), .unit = "m", .preset = "null", RANGE(0, 1e6),
     .help = "largest distance of a vertex from the surface that it is attached to; if absent, as the wavelength "
             "needs, or half the average edge. A painted radius (an attribute, a group, a list) is a factor of "
             "the radius that the wavelength needs, so a mask from 0 to 1 works; without a wavelength it is "
             "in metres"},
    {"pre_stretch", RUGA_FIELD_PARAM, AT(ruga_wrinkle_def, mesh.pre_stretch), .unit = "1", .preset = "0.9",
     RANGE(0.001, 100),
     .help = "length of edges that the solver keeps, over that at rest: below 1 small compressions stay "
             "smooth, above 1 there are wrinkles at rest"},
    {"strength", RUGA_FIELD_NUMBER, AT(ruga_wrinkle_def, mesh.strength), .unit = "1", .preset = "1", RANGE(0, 2),
     .help = "0: no wrinkles; 0.5: half as high; 1: as the compression makes them; above 1 the fine mesh has more "
             "length than the mesh below, so there are wrinkles even without compression"},
    {"bending", RUGA_FIELD_PARAM, AT(ruga_wrinkle_def, mesh.bending), .unit = "1", .preset = "null", RANGE(0, 1e6),
     .help = "stiffness against bending: low gives many fine wrinkles, high gives few. With a wavelength, a "
             "factor of the stiffness that it sets; if absent, 1. Without one from 0 to 1; if absent, 0.1"},
    {"direction", RUGA_FIELD_PARAM, AT(ruga_wrinkle_def, mesh.direction), .unit = "degree", .preset = "0",
     RANGE(-360, 360), .help = "direction of crests, from the u axis of the UVs towards v; needs UVs"},
    {"direction_weight", RUGA_FIELD_PARAM, AT(ruga_wrinkle_def, mesh.direction_weight), .unit = "1", .preset = "0",
     RANGE(0, 1), .help = "strength of the direction: 0 ignores it, 1 flattens the wrinkles across it"},
    {"surface", RUGA_FIELD_CHOICE, AT(ruga_wrinkle_def, mesh.surface), .preset = "pn", .choices = surfaces,
     .help = "surface that the fine mesh is attached to: pn: smooth patches through the mesh below; linear: its "
             "triangles; loop: the limit of its subdivision by the scheme of Loop"},
    {"crease_angle", RUGA_FIELD_NUMBER, AT(ruga_wrinkle_def, mesh.crease_angle), .unit = "degree", .preset = "75",
     RANGE(0, 180),
     /* A tube with five sides is still round, a box is not. */
     .help = "hard edges of the mesh below are creases of that surface: where its normals are split, or, without "
             "normals, where faces meet at a greater angle than this at rest. 180: none"},
    {"solver", RUGA_FIELD_CHOICE, AT(ruga_wrinkle_def, mesh.solver), .preset = "compliant", .choices = solvers,
     .help = "compliant: the look does not depend on the number of iterations; projection: as in the paper, "
             "stiffer with more iterations"},
    {"iterations", RUGA_FIELD_WHOLE, AT(ruga_wrinkle_def, mesh.iterations), .unit = "1", .preset = "10",
     RANGE(0, 1000000), .help = "per frame: more follow fast motion better, and take longer"},
    {"bend", RUGA_FIELD_CHOICE, AT(ruga_wrinkle_def, mesh.bend), .preset = "opposite", .choices = bends,
     .help = "resistance to bending: opposite: distances across an edge, as in the paper, which removes sharp "
             "folds and smooths little else; dihedral: angles at edges; curvature: of the offsets, as always "
             "with a wavelength"},
    {"side", RUGA_FIELD_CHOICE, AT(ruga_wrinkle_def, mesh.side), .preset = "both", .choices = sides,
     .help = "where vertices may move: both: on both sides of the surface; outside: outside only; "
             "neighbourhood: outside of all triangles of the mesh below around their own"},
    {"normal_only", RUGA_FIELD_FLAG, AT(ruga_wrinkle_def, mesh.normal_only), .preset = "false",
     .help = "vertices move along their normals only"},
    {"space", RUGA_FIELD_CHOICE, AT(ruga_wrinkle_def, mesh.frame), .preset = "local", .choices = spaces,
     .help = "local: wrinkles turn with the body; world: they do not, as in the paper"},
    {"reach", RUGA_FIELD_NUMBER, AT(ruga_wrinkle_def, mesh.reach), .unit = "m", .preset = "null", RANGE(0, 1e9),
     .help = "vertices of a file's mesh that are farther from the mesh below are not attached: their edges alone hold "
             "them; if absent, all are attached"},
    {"settle", RUGA_FIELD_FLAG, AT(ruga_wrinkle_def, settle), .preset = "false",
     .help = "each frame starts from rest and is iterated until nothing moves: it does not depend on the "
             "frames before, and takes longer"},
    {"settle_iterations", RUGA_FIELD_WHOLE, AT(ruga_wrinkle_def, settle_iterations), .unit = "1", .preset = "10000",
     RANGE(1, 1000000), .help = "the most iterations of a frame that starts from rest: fewer for a quick look"},
    {"variation", RUGA_FIELD_NUMBER, AT(ruga_wrinkle_def, mesh.variation), .unit = "1", .preset = "0", RANGE(0, 1),
     .help = "variation of the wavelength over the surface, random by the seed: 1 varies it from 0.7 to 1.4 times, so "
             "that wrinkles do not look corrugated"},
    {"calm", RUGA_FIELD_NUMBER, AT(ruga_wrinkle_def, mesh.calm), .unit = "1", .preset = "1", RANGE(0, 1e6),
     .help =
         "limits how fast wrinkles appear and disappear: in a frame a vertex moves, relative to the surface that it "
         "is attached to, by at most 1/50 of its radius, plus its radius for each 10 % by which the mesh below is "
         "stretched or compressed in that frame, both divided by this. 0: no limit. Keyed parameters have none"},
    {"squeeze", RUGA_FIELD_NUMBER, AT(ruga_wrinkle_def, mesh.squeeze), .unit = "1", .preset = "0.7", RANGE(0, 1),
     .help = "stretch of the mesh below, 1 at rest, below which radii shrink by the square of its ratio to this: where "
             "it closes up, as in the crook of an elbow, folds have no room. 0: never"},
    {"upright", RUGA_FIELD_FLAG, AT(ruga_wrinkle_def, mesh.upright), .preset = "true",
     .help = "no triangle of the fine mesh turns inside out: one that would be turned against the mesh below goes back "
             "towards it, with its neighbours"},
    {"self_collision", RUGA_FIELD_FLAG, AT(ruga_wrinkle_def, mesh.self_collision), .preset = "false",
     .help = "the fine mesh never intersects itself, unless the mesh below does: vertices stop before they touch "
             "anything. Takes several times as long; needs a subdivision as the fine mesh"},
    {"seed", RUGA_FIELD_WHOLE, AT(ruga_wrinkle_def, mesh.seed), .unit = "1", .preset = "0",
     .help = "seed: another number gives other wrinkles of the same kind where nothing else decides"},
    {"reference", RUGA_FIELD_FLAG, AT(ruga_wrinkle_def, mesh.reference), .preset = "false",
     .help = "the plain loop over all constraints in the order of the mesh: slow, for comparison"},
};
_Static_assert(sizeof(ruga_wrinkle_surface) == sizeof(int) && sizeof(ruga_wrinkle_solver) == sizeof(int) &&
                   sizeof(ruga_wrinkle_frame) == sizeof(int) && sizeof(ruga_wrinkle_bend) == sizeof(int) &&
                   sizeof(ruga_wrinkle_side) == sizeof(int),
               "a choice is an int");

static ruga_status make_part(build *b, const void *values, part **out) {
    const ruga_wrinkle_def *given = values;
    ruga_wrinkle_def def = *given;
    const ruga_mesh *fine = NULL;
    followed_mesh made = {0};
    if (given->fine)
        TRY(build_about(b, &given->fine, build_read_mesh(b, given->fine, given->fine_unit, given->fine_up, &fine)));
    if (b->errors) return RUGA_OK;
    if (!fine) TRY(subdivide_input(b->mesh, &def, &made));
    ruga_status status = build_params(b, fine ? fine : made.mesh, &def);
    if (RUGA_FAILED(status) || b->errors) {
        followed_mesh_release(&made);
        return status;
    }
    TRY(create(b->mesh, fine, &made, &def, out));
    ruga_wrinkle_mesh_report report = wrinkle_part_report(*out);
    if (report.unattached > 0)
        log_warning(
            b->context,
            "object \"%s\": wrinkle: %zu of %zu vertices of the fine mesh are not attached; their edges alone hold "
            "them",
            b->object->name ? b->object->name : "", report.unattached, report.fine_vertices);
    return RUGA_OK;
}

const kind wrinkle_part_kind = {
    .section =
        SECTION("wrinkle", ruga_wrinkle_def, wrinkle_fields,
                .help = "A fine mesh that hangs on the moving mesh and keeps the lengths of its edges: where the "
                        "mesh below is compressed, it wrinkles (Müller and Chentanez 2010)."),
    .role = KIND_ON_TOP,
    .make_part = make_part,
};

const ruga_section *wrinkle_section(void) { return &wrinkle_part_kind.section; }
