/* Part "shell": frames in, the skin of an embedded shell out. */
#include "wrinkle/shell_part.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "body/kind.h"
#include "math/mat3.h"
#include "mesh/carry.h"
#include "mesh/mesh.h"
#include "mesh/param.h"

#define SHELL_TAG STATE_TAG('S', 'K', 'I', 'N')
#define SHELL_VERSION 1

enum { PARAM_COUNT = 4 };
enum { AMPLITUDE, WAVELENGTH, ENERGY, RESIDUAL, STEPS, ITERATIONS, STALLED, CONTACTS, YIELDING, MEASURES };

typedef struct shell_part {
    part base;
    ruga_embedded_shell_def def;   /* for the current mesh */
    ruga_embedded_shell_def first; /* for the one that it was made with */
    arena carried;                 /* memory of the def's parameters after a rebuild */
    ruga_embedded_shell *shell;
    size_t measures[MEASURES]; /* places */
    char label[96];            /* of warnings */
    int was_stalled, was_yielding, was_passing;
    vec3 *settled;                      /* (vertices) m, the frame that it was settled on last */
    double settled_time;                /* s, of that frame */
    int is_settled;                     /* nothing has happened since */
    const environment *environment;     /* of the current substep: its colliders are the skin's obstacle */
    ARRAY(ruga_shell_surface) surfaces; /* scratch: of other objects */
    /* Of two-way coupling. */
    ruga_map *points;             /* Wᵀ, for vertices = W points of the body; NULL: vertex i is point i */
    vec3 *vertices, *vertex_sums; /* (vertices) scratch */
    vec3 *point_sums;             /* (points) scratch */
    mat3 *blocks;                 /* (points) scratch */
    int is_linear;                /* the shell was linearised since its last update */
} shell_part;

static void release_coupling(shell_part *s) {
    ruga_map_destroy(s->points);
    RELEASE_ALL(s->base.context, s->vertices, s->vertex_sums, s->point_sums, s->blocks);
}

static void destroy(part *p) {
    shell_part *s = (shell_part *)p;
    ruga_context *context = p->context;
    part_release(p);
    ruga_embedded_shell_destroy(s->shell);
    release_coupling(s);
    arena_release(&s->carried);
    RELEASE_ALL(context, s->settled, s->surfaces.items, s);
}

/* ---- Frames. */

static void give_out(shell_part *s) {
    part *p = &s->base;
    const ruga_embedded_shell_report r = ruga_embedded_shell_get_report(s->shell);
    const double values[MEASURES] = {r.amplitude,
                                     ruga_embedded_shell_measure_wavelength(s->shell),
                                     r.energy,
                                     r.residual,
                                     r.newton_steps,
                                     r.linear_iterations,
                                     r.stalled ? 1 : 0,
                                     (double)r.contacts,
                                     (double)r.yielding_clusters};
    memcpy(p->positions, ruga_embedded_shell_positions(s->shell), p->output->vertex_count * sizeof *p->positions);
    for (int k = 0; k < MEASURES; k++) p->measures.items[s->measures[k]].value = values[k];
}

/* The signed distance of all colliders together. */
static double collider_height(void *user, ruga_vec3 point, ruga_vec3 *normal) {
    const environment *e = user;
    double least = INFINITY;
    for (size_t c = 0; c < e->collider_count; c++) {
        vec3 here;
        const double height = collider_distance(&e->colliders[c], point, &here);
        if (!(height < least)) continue;
        least = height;
        *normal = here;
    }
    return least;
}

/* Other objects that collide. */
static ruga_status set_surfaces(shell_part *s, const body *b, const environment *e) {
    s->surfaces.count = 0;
    for (size_t i = 0; e && i < e->surface_count; i++) {
        const environment_surface *at = &e->surfaces[i];
        if (at->owner == b) continue;
        TRY(ARRAY_ADD(s->base.context, &s->surfaces, ((ruga_shell_surface){at->mesh, at->positions})));
    }
    return ruga_embedded_shell_set_surfaces(s->shell, s->surfaces.items, s->surfaces.count);
}

static void set_obstacle(shell_part *s, const environment *e) {
    s->environment = e;
    const int is_any = e && e->collider_count > 0;
    ruga_embedded_shell_set_obstacle(s->shell, is_any ? collider_height : NULL, (void *)(uintptr_t)e);
}

static void warn(shell_part *s, double time) {
    const ruga_embedded_shell_report r = ruga_embedded_shell_get_report(s->shell);
    if (r.stalled && !s->was_stalled)
        log_warning(
            s->base.context,
            "%s: at %.4g s the solve stalled: %s; %d Newton steps left %.2g of the residual. Beyond 100 "
            "times the tolerance the skin keeps its last wrinkles. Give the motion more frames, or a looser tolerance",
            s->label, time, r.stalled, r.newton_steps, r.residual);
    if (r.yielding_clusters && !s->was_yielding)
        log_warning(
            s->base.context,
            "%s: from %.4g s on the body pushes its skin into itself, a collider or an object; %zu of %zu clusters "
            "yield, by up to %.3g m, so that the skin does not intersect",
            s->label, time, r.yielding_clusters, r.clusters, r.greatest_yield);
    if (r.passing_vertices && !s->was_passing)
        log_warning(
            s->base.context,
            "%s: at %.4g s %zu of its vertices intersect, are inside a collider, or an object moved through them; "
            "they are ignored until they are free. Move the body apart, give it more frames, or set \"contact\" to "
            "false",
            s->label, time, r.passing_vertices);
    s->was_passing |= r.passing_vertices > 0;
    s->was_stalled = r.stalled != NULL;
    s->was_yielding |= r.yielding_clusters > 0;
}

static ruga_status solve(shell_part *s, const ruga_frame *in) {
    s->is_linear = 0;
    TRY(ruga_embedded_shell_update(s->shell, in->positions));
    warn(s, in->time);
    give_out(s);
    return RUGA_OK;
}

static ruga_status update(part *p, const body *b, const substep *s, const ruga_frame *in) {
    TRY(part_check_frame(p, s, in));
    shell_part *self = (shell_part *)p;
    self->is_settled = 0;
    set_obstacle(self, s->environment);
    TRY(set_surfaces(self, b, s->environment));
    return solve(self, in);
}

/* A scene settles its first frame when it is made and when it starts: the second time there is nothing left to do. */
static ruga_status settle(part *p, const body *b, const substep *s, const ruga_frame *in) {
    TRY(part_check_frame(p, s, in));
    shell_part *self = (shell_part *)p;
    set_obstacle(self, s->environment);
    TRY(set_surfaces(self, b, s->environment));
    const size_t size = in->vertex_count * sizeof *self->settled;
    if (self->is_settled && self->settled_time == in->time && memcmp(self->settled, in->positions, size) == 0) {
        give_out(self);
        return RUGA_OK;
    }
    self->is_settled = 0;
    ruga_embedded_shell_reset(self->shell);
    TRY(solve(self, in));
    memcpy(self->settled, in->positions, size);
    self->settled_time = in->time;
    self->is_settled = 1;
    return RUGA_OK;
}

/* ---- Two-way coupling (section 6.2): the forces of the skin as it was solved for the body's accepted positions, and
 * their derivative. Points feel those of vertices by the transpose of the embedding. */

/* out += scale Wᵀ of the sums over vertices. */
static void add_to_points(const shell_part *s, double scale, vec3 *out) {
    const vec3 *sums = s->vertex_sums;
    size_t count = s->base.input->vertex_count;
    if (s->points) {
        ruga_map_apply(s->points, s->vertex_sums, s->point_sums);
        sums = s->point_sums;
        count = s->points->rows;
    }
    for (size_t i = 0; i < count; i++) out[i] = vec3_add_scaled(out[i], sums[i], scale);
}

static ruga_status force(part *p, const body *b, const substep *s, const vec3 *positions, const vec3 *velocities,
                         vec3 *forces) {
    shell_part *self = (shell_part *)p;
    (void)positions;
    (void)velocities;
    if (!self->environment) { /* after a load */
        set_obstacle(self, s->environment);
        TRY(set_surfaces(self, b, s->environment));
    }
    memset(self->vertex_sums, 0, p->input->vertex_count * sizeof *self->vertex_sums);
    TRY(ruga_embedded_shell_add_forces(self->shell, self->vertex_sums));
    add_to_points(self, 1, forces);
    return RUGA_OK;
}

static ruga_status linearise(shell_part *self) {
    if (!self->is_linear) TRY(ruga_embedded_shell_linearise(self->shell));
    self->is_linear = 1;
    return RUGA_OK;
}

static ruga_status force_product(part *p, const body *b, const substep *s, const vec3 *positions, const vec3 *direction,
                                 vec3 *product) {
    shell_part *self = (shell_part *)p;
    const ruga_map *map = body_vertex_map(b);
    (void)s;
    (void)positions;
    TRY(linearise(self));
    if (map) ruga_map_apply(map, direction, self->vertices);
    ruga_embedded_shell_multiply(self->shell, map ? self->vertices : direction, self->vertex_sums);
    add_to_points(self, -1, product);
    return RUGA_OK;
}

static ruga_status force_blocks(part *p, const body *b, const substep *s, const vec3 *positions, mat3 *blocks) {
    shell_part *self = (shell_part *)p;
    (void)s;
    (void)positions;
    TRY(linearise(self));
    memset(self->blocks, 0, b->point_count * sizeof *self->blocks);
    ruga_embedded_shell_add_blocks(self->shell, body_vertex_map(b), &self->blocks->at[0][0]);
    for (size_t i = 0; i < 9 * b->point_count; i++)
        blocks[i / 9].at[i % 9 / 3][i % 3] -= self->blocks[i / 9].at[i % 9 / 3][i % 3];
    return RUGA_OK;
}

/* ---- State. */

static void save(const part *p, state_writer *writer) {
    void *bytes = NULL;
    size_t size = 0;
    ruga_status status = ruga_embedded_shell_save(((const shell_part *)p)->shell, &bytes, &size);
    state_put_saved(writer, SHELL_TAG, SHELL_VERSION, status, bytes, size);
    ruga_free(p->context, bytes);
}

static ruga_status load(part *p, state_reader *reader) {
    state_reader entry;
    const void *bytes;
    size_t size;
    ((shell_part *)p)->is_settled = 0;
    TRY(state_enter(reader, SHELL_TAG, SHELL_VERSION, NULL, &entry));
    TRY(state_get_bytes(&entry, &bytes, &size));
    return ruga_embedded_shell_load(((shell_part *)p)->shell, bytes, size);
}

/* ---- Making. */

static ruga_status rebuild(part *p, const body *b, const part_change *change);

static const part_interface one_way = {
    .update = update, .settle = settle, .rebuild = rebuild, .save = save, .load = load, .destroy = destroy};
static const part_interface two_way = {.force = force,
                                       .force_product = force_product,
                                       .force_blocks = force_blocks,
                                       .update = update,
                                       .settle = settle,
                                       .rebuild = rebuild,
                                       .save = save,
                                       .load = load,
                                       .destroy = destroy};

static ruga_status make_coupling(shell_part *s, const body *b, const ruga_mesh *input) {
    ruga_context *context = s->base.context;
    const ruga_map *map = body_vertex_map(b);
    release_coupling(s);
    s->points = NULL;
    s->vertices = s->vertex_sums = s->point_sums = NULL;
    s->blocks = NULL;
    TRY(NEW_EACH(context, input->vertex_count, &s->vertices, &s->vertex_sums));
    TRY(NEW(context, &s->point_sums, b->point_count));
    TRY(NEW(context, &s->blocks, b->point_count));
    return map ? ruga_map_transpose(map, &s->points) : RUGA_OK;
}

/* carrier: the body whose mesh the input is, to be coupled in both directions; NULL: one way. */
static ruga_status make(shell_part *s, const body *carrier, const ruga_mesh *input) {
    static const char *const names[MEASURES] = {"amplitude", "wavelength",   "energy",
                                                "residual",  "newton_steps", "linear_iterations",
                                                "stalled",   "contacts",     "yielding_clusters"};
    static const char *const units[MEASURES] = {"m", "m", "J", "1", "1", "1", "1", "1", "1"};
    TRY(ruga_embedded_shell_create(input, &s->def, &s->shell));
    TRY(NEW(s->base.context, &s->settled, input->vertex_count));
    TRY(part_init(&s->base, carrier ? &two_way : &one_way, "shell", input, input));
    if (carrier) {
        s->base.rate = PART_EACH_SUBSTEP;
        TRY(make_coupling(s, carrier, input));
    }
    for (int k = 0; k < MEASURES; k++) s->measures[k] = measure_add(&s->base.measures, names[k], units[k]);
    return RUGA_OK;
}

static int is_absent(const ruga_param *param) { return param->kind == RUGA_PARAM_CONSTANT && isnan(param->constant); }

/* Absent numbers are those of a solid body, then those of the preset. A wanted wavelength sets the stiffness of the
 * interior. */
static ruga_status complete(const ruga_mesh *input, const ruga_shell_def *given, const body *b,
                            ruga_embedded_shell_def *out) {
    *out = given->shell;
    out->cookie = RUGA_COOKIE;
    const ruga_skin_preset *preset = ruga_skin_preset_get((size_t)given->skin);
    ruga_skin skin = preset->skin;
    if (b && b->young > 0) {
        skin.interior_stiffness = b->young;
        skin.interior_poisson = fmax(0, b->poisson);
    }
    if (is_absent(&out->thickness)) out->thickness.constant = skin.thickness;
    if (is_absent(&out->stiffness)) out->stiffness.constant = skin.stiffness;
    if (isnan(out->poisson)) out->poisson = skin.poisson;
    if (isnan(out->interior_poisson)) out->interior_poisson = skin.interior_poisson;
    const int wants_stiffness = is_absent(&out->interior_stiffness);
    if (wants_stiffness) out->interior_stiffness.constant = skin.interior_stiffness;
    if (isnan(given->wavelength)) return RUGA_OK;
    if (!wants_stiffness || out->thickness.kind != RUGA_PARAM_CONSTANT || out->stiffness.kind != RUGA_PARAM_CONSTANT)
        return fail_input(input->context,
                          "shell: its wavelength of %g m sets the stiffness of the interior; give a "
                          "thickness and a stiffness that are the same everywhere, and no interior_stiffness",
                          given->wavelength);
    skin = (ruga_skin){out->thickness.constant, out->stiffness.constant, out->poisson, 1, out->interior_poisson};
    out->interior_stiffness.constant = skin.stiffness / ruga_skin_ratio_for(&skin, given->wavelength);
    return RUGA_OK;
}

/* The body to couple with; NULL: one way. */
static ruga_status choose_carrier(const ruga_mesh *input, const ruga_shell_def *def, const body *b, const body **out) {
    const int is_on_body = b && b->mesh == input;
    *out = NULL;
    const int is_solid = is_on_body && b->masses && b->young > 0 && !b->refuses_stiff_forces;
    if (def->coupling == RUGA_SHELL_AUTO && is_solid) *out = b;
    if (def->coupling != RUGA_SHELL_TWO_WAY) return RUGA_OK;
    if (b && !is_on_body)
        return fail_input(input->context,
                          "shell: its coupling is two_way, but another detail lies between it and the body; put the "
                          "shell first, and subdivide the mesh by \"edits\" instead");
    if (!b || !b->masses)
        return fail_input(input->context,
                          "shell: its coupling is two_way, but forces don't move a body of kind \"%s\"; use a lattice, "
                          "flesh or cloth, or one_way",
                          b ? b->kind : "none");
    *out = b;
    return RUGA_OK;
}

ruga_status shell_part_create(const ruga_mesh *input, const ruga_shell_def *def, const body *b, part **out) {
    const body *carrier;
    TRY(choose_carrier(input, def, b, &carrier));
    shell_part *s;
    TRY(NEW_ZEROED(input->context, &s, 1));
    s->base.context = input->context;
    s->carried = arena_make(input->context);
    snprintf(s->label, sizeof s->label, "object \"%.64s\": shell", b && b->name ? b->name : "");
    ruga_status status = complete(input, def, b, &s->def);
    s->def.name = b ? b->name : NULL;
    s->first = s->def;
    if (!RUGA_FAILED(status)) status = make(s, carrier, input);
    RETURN_MADE(status, &s->base, out, destroy(&s->base));
}

/* A new shell on the new mesh, which starts smooth: the next frame wrinkles it again. */
static ruga_status rebuild(part *p, const body *b, const part_change *change) {
    shell_part *s = (shell_part *)p;
    ruga_embedded_shell *made = NULL;
    ruga_param *const params[PARAM_COUNT] = {&s->def.thickness, &s->def.stiffness, &s->def.interior_stiffness,
                                             &s->def.hold};
    const ruga_param *const firsts[PARAM_COUNT] = {&s->first.thickness, &s->first.stiffness,
                                                   &s->first.interior_stiffness, &s->first.hold};
    arena_release(&s->carried);
    s->carried = arena_make(p->context);
    for (int k = 0; k < PARAM_COUNT; k++)
        TRY(param_carry(p->context, firsts[k], change->input_from_first, &s->carried, params[k]));
    TRY(ruga_embedded_shell_create(change->input, &s->def, &made));
    ruga_embedded_shell_destroy(s->shell);
    s->shell = made;
    s->is_linear = s->is_settled = 0;
    memory_release(p->context, s->settled);
    s->settled = NULL;
    TRY(NEW(p->context, &s->settled, change->input->vertex_count));
    if (p->interface == &two_way) TRY(make_coupling(s, b, change->input));
    return part_follow(p, change->input, change->input, change->input_from_old);
}

int part_is_shell(const part *p) { return p->interface == &one_way || p->interface == &two_way; }

ruga_embedded_shell *shell_part_shell(const part *p) { return ((const shell_part *)p)->shell; }

ruga_embedded_shell_report shell_part_report(const part *p) {
    return ruga_embedded_shell_get_report(shell_part_shell(p));
}

/* ---- The kind. */

static const char *const skins[] = {"leather", "skin", "fruit", "epidermis", NULL};
static const char *const constraints[] = {"clusters", "penalty", "spectral", NULL};
static const char *const couplings[] = {"auto", "one_way", "two_way", NULL};
static const char *const centres[] = {"relaxed", "farthest", NULL};
static const char *const solvers[] = {"fast", "reference", NULL};
_Static_assert(RUGA_SHELL_CLUSTERS == 0 && RUGA_SHELL_PENALTY == 1 && RUGA_SHELL_SPECTRAL == 2,
               "in the order of ruga_shell_constraints");
_Static_assert(RUGA_SHELL_AUTO == 0 && RUGA_SHELL_ONE_WAY == 1 && RUGA_SHELL_TWO_WAY == 2,
               "in the order of ruga_shell_coupling");
_Static_assert(RUGA_SHELL_RELAXED == 0 && RUGA_SHELL_FARTHEST == 1, "in the order of ruga_shell_centres");
_Static_assert(RUGA_SHELL_FAST == 0 && RUGA_SHELL_REFERENCE == 1, "in the order of ruga_shell_solver");
_Static_assert(sizeof(ruga_shell_coupling) == sizeof(int) && sizeof(ruga_shell_constraints) == sizeof(int) &&
                   sizeof(ruga_shell_centres) == sizeof(int) && sizeof(ruga_shell_solver) == sizeof(int),
               "a choice is an int");

static const ruga_field shell_fields[] = {
    {"skin", RUGA_FIELD_CHOICE, AT(ruga_shell_def, skin), .preset = "leather", .choices = skins,
     .help = "the material whose numbers replace absent ones: leather on foam; human skin on flesh; the skin of a "
             "fruit that dries; the epidermis on the dermis, with fine lines"},
    {"thickness", RUGA_FIELD_PARAM, AT(ruga_shell_def, shell.thickness), .unit = "m", .preset = "null",
     RANGE(1e-9, 1e3),
     .help = "thickness of the skin; the wavelength grows with it. Paint it for wrinkles of varying size"},
    {"stiffness", RUGA_FIELD_PARAM, AT(ruga_shell_def, shell.stiffness), .unit = "Pa", .preset = "null",
     RANGE(1e-3, 1e15), .help = "Young's modulus of the skin"},
    {"interior_stiffness", RUGA_FIELD_PARAM, AT(ruga_shell_def, shell.interior_stiffness), .unit = "Pa",
     .preset = "null", RANGE(1e-3, 1e15),
     .help =
         "Young's modulus of the interior; the wavelength grows with the cube root of the ratio of both. If absent, "
         "that of the lattice or flesh below, or else of the skin"},
    {"wavelength", RUGA_FIELD_NUMBER, AT(ruga_shell_def, wavelength), .unit = "m", .preset = "null", RANGE(1e-9, 1e6),
     .help = "instead of interior_stiffness: from crest to crest"},
    {"poisson", RUGA_FIELD_NUMBER, AT(ruga_shell_def, shell.poisson), .unit = "1", .preset = "null", RANGE(0, 0.499),
     .help = "Poisson's ratio of the skin; of little effect"},
    {"interior_poisson", RUGA_FIELD_NUMBER, AT(ruga_shell_def, shell.interior_poisson), .unit = "1", .preset = "null",
     RANGE(0, 0.499), .help = "Poisson's ratio of the interior; if absent, as for interior_stiffness"},
    {"foundation", RUGA_FIELD_NUMBER, AT(ruga_shell_def, shell.foundation), .unit = "1", .preset = "0", RANGE(0, 1e6),
     .help = "springs below the skin, in units of those of the interior: 0: clusters alone set the wavelength; 1: the "
             "material does, which takes longer"},
    {"hold", RUGA_FIELD_PARAM, AT(ruga_shell_def, shell.hold), .unit = "1", .preset = "0", RANGE(0, 1),
     .help =
         "where the skin is fixed to the mesh below and can't wrinkle, as at seams, lips and nails: 0 free, 1 fixed. "
         "A painted attribute or a selector (docs/selectors.md)"},
    {"coupling", RUGA_FIELD_CHOICE, AT(ruga_shell_def, coupling), .preset = "auto", .choices = couplings,
     .help =
         "one_way: the skin follows the body; two_way: it also stiffens a simulated body; auto: two_way directly on "
         "a lattice or flesh, else one_way"},
    {"contact", RUGA_FIELD_FLAG, AT(ruga_shell_def, shell.contact), .preset = "true",
     .help = "the skin does not pass through itself or colliders; where the body pushes it there, clusters yield"},
    {"constraints", RUGA_FIELD_CHOICE, AT(ruga_shell_def, shell.constraints), .preset = "clusters",
     .choices = constraints,
     .help =
         "ties of the skin to the mesh below: clusters: means over clusters of vertices; penalty: springs alone, "
         "as of the foundation; spectral: all smooth functions on the surface, whose ripples spread over all of it"},
    {"centres", RUGA_FIELD_CHOICE, AT(ruga_shell_def, shell.centres), .preset = "relaxed", .choices = centres,
     .help =
         "centres of the clusters: relaxed: evenly spaced; farthest: as in the paper, each farthest from those before"},
    {"spacing", RUGA_FIELD_NUMBER, AT(ruga_shell_def, shell.spacing), .unit = "1", .preset = "null", RANGE(0.2, 20),
     .help =
         "spacing of the centres, in units of 0.64 wavelengths; if absent, as calibrated for the predicted wavelength"},
    {"cluster_wavelength", RUGA_FIELD_NUMBER, AT(ruga_shell_def, shell.cluster_wavelength), .unit = "m",
     .preset = "null", RANGE(1e-9, 1e6),
     .help = "wavelength that sets the size and spacing of the clusters; if absent, that of the material, or twice it "
             "with a foundation"},
    {"solver", RUGA_FIELD_CHOICE, AT(ruga_shell_def, shell.solver), .preset = "fast", .choices = solvers,
     .help = "fast, or reference: as in the paper, for comparison"},
    {"tolerance", RUGA_FIELD_NUMBER, AT(ruga_shell_def, shell.tolerance), .unit = "1", .preset = "1e-4",
     RANGE(1e-12, 0.1), .help = "residual of forces over those at the start of a frame"},
    {"iterations", RUGA_FIELD_WHOLE, AT(ruga_shell_def, shell.iterations), .unit = "1", .preset = "200",
     RANGE(1, 10000), .help = "the most Newton steps of the last substep of a frame, and of all earlier ones together"},
    {"seed", RUGA_FIELD_WHOLE, AT(ruga_shell_def, shell.seed), .unit = "1", .preset = "0", RANGE(0, 1000000000),
     .help = "seed: another number gives other wrinkles of the same kind"},
};

static ruga_status make_part(build *b, const void *values, part **out) {
    ruga_shell_def def = *(const ruga_shell_def *)values;
    TRY(build_params(b, b->mesh, &def));
    return b->errors ? RUGA_OK : shell_part_create(b->mesh, &def, b->body, out);
}

static ruga_finish finish(const void *values) {
    const ruga_shell_def *def = values;
    const ruga_skin_preset *preset = ruga_skin_preset_get(def ? (size_t)def->skin : 0);
    return !preset || strstr(preset->name, "leather") ? RUGA_FINISH_LEATHER : RUGA_FINISH_SKIN;
}

const kind shell_part_kind = {
    .section =
        SECTION("shell", ruga_shell_def, shell_fields,
                .help = "A thin, stiff skin on a soft interior: it wrinkles where the mesh below is compressed, at "
                        "the wavelength that physics predicts (Rémillard and Kry 2013)."),
    .role = KIND_ON_TOP,
    .flags = KIND_KEEPS_MESH | KIND_FEELS_COLLIDERS,
    .make_part = make_part,
    .finish = finish,
};
