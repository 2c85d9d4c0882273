/* Buttons and patches; the header has the plan. */
#include "body/attach_part.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "body/seam_part.h"
#include "body/vertex_space.h"
#include "energy/ties.h"
#include "math/vec3.h"

typedef struct attach_part {
    part base;
    char *name;
    body *other;
    vertex_space space, other_space; /* ties and pairs are of vertices */
    tie *ties;
    attach_pair *pairs;
    size_t count;
    vec3 *impulses, *moved; /* (points of the other) N s and m/s; NULL: it is kinematic, or this cloth */
    mat3 *answers, *series; /* (count) 1/kg, S; N/m, of the tie and the other cloth in series; NULL with these */
    double start, end, closed;
    size_t gap; /* measure */
} attach_part;

static tie_law law_at(const attach_part *self, const body *b, const substep *s) {
    double thickness = self->other ? fmax(b->touch.thickness, self->other->touch.thickness) : b->touch.thickness;
    return (tie_law){.progress = seam_progress(self->start, self->end, s->time),
                     .closed = isnan(self->closed) ? thickness : self->closed,
                     .dt = s->dt};
}

static vec3 place_of(const attach_pair *pair, int side, const vec3 *positions) {
    vec3 place = {0, 0, 0};
    for (int k = 0; k < 3; k++)
        place = vec3_add_scaled(place, positions[pair->points[side][k]], pair->weights[side][k]);
    return place;
}

/* From points of the other object. */
static void set_anchors(attach_part *self, const vec3 *points) {
    const vec3 *positions = self->other ? vertex_space_positions(&self->other_space, points) : NULL;
    for (size_t i = 0; self->other && i < self->count; i++)
        self->ties[i].anchor = place_of(&self->pairs[i], 1, positions);
}

/* Adds an impulse on the other object at the end of a tie, by its weights. */
static void add_impulse(const attach_part *self, size_t i, vec3 impulse, vec3 *impulses) {
    const attach_pair *pair = &self->pairs[i];
    for (int k = 0; k < 3; k++)
        impulses[pair->points[1][k]] = vec3_add_scaled(impulses[pair->points[1][k]], impulse, pair->weights[1][k]);
}

/* ---- Ties to another cloth. */

/* Inverse of a symmetric matrix; 0: it is not positive definite. */
static int invert(const mat3 *m, mat3 *out) {
    const double(*a)[3] = m->at;
    double xx = a[1][1] * a[2][2] - a[1][2] * a[1][2], xy = a[0][2] * a[1][2] - a[0][1] * a[2][2];
    double xz = a[0][1] * a[1][2] - a[0][2] * a[1][1], determinant = a[0][0] * xx + a[0][1] * xy + a[0][2] * xz;
    double minor = a[0][0] * a[1][1] - a[0][1] * a[0][1];
    if (!(a[0][0] > 0 && minor > 0 && determinant > 0)) return 0;
    double yy = a[0][0] * a[2][2] - a[0][2] * a[0][2], yz = a[0][1] * a[0][2] - a[0][0] * a[1][2];
    *out = (mat3){{{xx, xy, xz}, {xy, yy, yz}, {xz, yz, minor}}};
    for (int i = 0; i < 9; i++) out->at[i / 3][i % 3] /= determinant;
    return 1;
}

/* (1/k + h² S)⁻¹ of every tie, with the columns of S in `answers`. Where rounding left S without sense, as stiff as its
 * largest entry allows. */
static void soften_ties(attach_part *self, double dt) {
    for (size_t i = 0; i < self->count; i++) {
        mat3 series = {{{0}}};
        double largest = 0;
        for (int k = 0; k < 9; k++) {
            double answer = (self->answers[i].at[k / 3][k % 3] + self->answers[i].at[k % 3][k / 3]) / 2;
            series.at[k / 3][k % 3] = dt * dt * answer;
            largest = fmax(largest, fabs(answer));
        }
        mat3_add_identity(&series, 1 / self->ties[i].stiffness);
        if (invert(&series, &self->series[i])) continue;
        self->series[i] = (mat3){{{0}}};
        mat3_add_identity(&self->series[i], 1 / (1 / self->ties[i].stiffness + 3 * dt * dt * largest));
    }
}

/* How the other cloth answers when all ties pull alike, along each axis. */
static ruga_status find_answers(attach_part *self, const substep *s) {
    static const vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    body *other = self->other;
    for (int axis = 0; axis < 3; axis++) {
        memset(self->impulses, 0, other->point_count * sizeof *self->impulses);
        vec3 *impulses = vertex_space_open(&self->other_space, self->impulses);
        for (size_t i = 0; i < self->count; i++) add_impulse(self, i, axes[axis], impulses);
        vertex_space_close(&self->other_space, self->impulses);
        TRY(other->interface->respond(other, s, self->impulses, self->moved));
        const vec3 *moved = vertex_space_directions(&self->other_space, self->moved);
        for (size_t i = 0; i < self->count; i++) {
            vec3 answer = place_of(&self->pairs[i], 1, moved);
            self->answers[i].at[0][axis] = answer.x;
            self->answers[i].at[1][axis] = answer.y;
            self->answers[i].at[2][axis] = answer.z;
        }
    }
    soften_ties(self, s->dt);
    return RUGA_OK;
}

/* How far a tie is too long, as a vector; zero: it does not pull. */
static vec3 excess_of(const tie *t, const tie_law *law, const vec3 *positions) {
    vec3 d = tie_vector(t, positions);
    double length = vec3_length(d), rest = tie_rest_length(t, law);
    return length > rest ? vec3_scale(d, 1 - rest / length) : (vec3){0, 0, 0};
}

static int pulls(const tie *t, const tie_law *law, const vec3 *positions) {
    return vec3_length2(excess_of(t, law, positions)) > 0;
}

static vec3 weighted(const tie *t, const vec3 *x) {
    vec3 sum = {0, 0, 0};
    for (uint32_t k = 0; k < t->count; k++) sum = vec3_add_scaled(sum, x[t->points[k]], t->weights[k]);
    return sum;
}

static void add_to_points(const tie *t, vec3 value, double scale, vec3 *out) {
    for (uint32_t k = 0; k < t->count; k++)
        out[t->points[k]] = vec3_add_scaled(out[t->points[k]], value, scale * t->weights[k]);
}

/* ---- The step. */

static ruga_status attach_force(part *p, const body *b, const substep *s, const vec3 *positions, const vec3 *velocities,
                                vec3 *forces) {
    attach_part *self = (attach_part *)p;
    (void)velocities;
    tie_law law = law_at(self, b, s);
    if (self->other) set_anchors(self, self->other->candidate_positions);
    if (self->impulses) TRY(find_answers(self, s));
    const vec3 *x = vertex_space_positions(&self->space, positions);
    vec3 *out = vertex_space_open(&self->space, forces);
    if (!self->impulses) ties_add_forces(self->ties, self->count, &law, x, out);
    for (size_t i = 0; self->impulses && i < self->count; i++)
        add_to_points(&self->ties[i], mat3_apply(&self->series[i], excess_of(&self->ties[i], &law, x)), -1, out);
    vertex_space_close(&self->space, forces);
    return RUGA_OK;
}

static ruga_status attach_product(part *p, const body *b, const substep *s, const vec3 *positions,
                                  const vec3 *direction, vec3 *product) {
    const attach_part *self = (const attach_part *)p;
    tie_law law = law_at(self, b, s);
    const vec3 *x = vertex_space_positions(&self->space, positions);
    const vec3 *d = vertex_space_directions(&self->space, direction);
    vec3 *out = vertex_space_open(&self->space, product);
    if (!self->impulses) ties_add_product(self->ties, self->count, &law, x, d, out);
    for (size_t i = 0; self->impulses && i < self->count; i++)
        if (pulls(&self->ties[i], &law, x))
            add_to_points(&self->ties[i], mat3_apply(&self->series[i], weighted(&self->ties[i], d)), -1, out);
    vertex_space_close(&self->space, product);
    return RUGA_OK;
}

static ruga_status attach_blocks(part *p, const body *b, const substep *s, const vec3 *positions, mat3 *blocks) {
    const attach_part *self = (const attach_part *)p;
    tie_law law = law_at(self, b, s);
    const vec3 *x = vertex_space_positions(&self->space, positions);
    mat3 *out = vertex_space_open_blocks(&self->space, blocks);
    if (!self->impulses) ties_add_blocks(self->ties, self->count, &law, x, out);
    for (size_t i = 0; self->impulses && i < self->count; i++) {
        const tie *t = &self->ties[i];
        if (!pulls(t, &law, x)) continue;
        for (uint32_t k = 0; k < t->count; k++)
            for (int e = 0; e < 9; e++)
                out[t->points[k]].at[e / 3][e % 3] -= t->weights[k] * t->weights[k] * self->series[i].at[e / 3][e % 3];
    }
    vertex_space_close_blocks(&self->space, blocks);
    return RUGA_OK;
}

/* The other cloth gets the opposite of the impulses that the solve put on this one. */
static ruga_status attach_before_contact(part *p, body *b, const substep *s) {
    attach_part *self = (attach_part *)p;
    body *other = self->other;
    if (!self->impulses) return RUGA_OK;
    tie_law law = law_at(self, b, s);
    const vec3 *x = vertex_space_positions(&self->space, b->positions);
    const vec3 *velocities = vertex_space_directions(&self->space, b->candidate_velocities);
    memset(self->impulses, 0, other->point_count * sizeof *self->impulses);
    vec3 *impulses = vertex_space_open(&self->other_space, self->impulses);
    for (size_t i = 0; i < self->count; i++) {
        const tie *t = &self->ties[i];
        if (!pulls(t, &law, x)) continue;
        vec3 end = vec3_add_scaled(excess_of(t, &law, x), weighted(t, velocities), s->dt);
        add_impulse(self, i, vec3_scale(mat3_apply(&self->series[i], end), s->dt), impulses);
    }
    vertex_space_close(&self->other_space, self->impulses);
    TRY(other->interface->respond(other, s, self->impulses, self->moved));
    for (size_t v = 0; v < other->point_count; v++) {
        other->candidate_velocities[v] = vec3_add(other->candidate_velocities[v], self->moved[v]);
        other->candidate_positions[v] = vec3_add_scaled(other->candidate_positions[v], self->moved[v], s->dt);
    }
    return RUGA_OK;
}

static ruga_status attach_after_velocities(part *p, body *b, const substep *s) {
    attach_part *self = (attach_part *)p;
    double gap = 0;
    (void)s;
    if (self->other) set_anchors(self, self->other->positions);
    const vec3 *x = vertex_space_positions(&self->space, b->positions);
    for (size_t i = 0; i < self->count; i++) gap = fmax(gap, vec3_length(tie_vector(&self->ties[i], x)));
    p->measures.items[self->gap].value = gap;
    return RUGA_OK;
}

static void attach_destroy(part *p) {
    attach_part *self = (attach_part *)p;
    vertex_space_release(&self->space);
    vertex_space_release(&self->other_space);
    RELEASE_ALL(p->context, self->name, self->ties, self->pairs, self->impulses, self->moved, self->answers,
                self->series, self);
}

/* ---- Making. */

static void add_place(tie *t, const attach_pair *pair, int side, double sign) {
    for (int k = 0; k < 3; k++) {
        if (pair->weights[side][k] == 0) continue;
        t->points[t->count] = pair->points[side][k];
        t->weights[t->count++] = sign * pair->weights[side][k];
    }
}

static void fill_ties(const body *b, const attach_part_def *def, attach_part *self) {
    for (size_t i = 0; i < self->count; i++) {
        tie *t = &self->ties[i];
        *t = (tie){.stiffness = def->stiffness};
        add_place(t, &def->pairs[i], 0, 1);
        if (!def->other) add_place(t, &def->pairs[i], 1, -1);
    }
    for (size_t i = 0; def->other && i < self->count; i++)
        self->ties[i].anchor = place_of(&self->pairs[i], 1, def->other->mesh->positions);
    for (size_t i = 0; i < self->count; i++)
        self->ties[i].gap = vec3_length(tie_vector(&self->ties[i], b->mesh->positions));
}

static ruga_status allocate(const body *b, const attach_part_def *def, attach_part *self) {
    TRY(NEW_TEXT(b->context, &self->name, def->name));
    TRY(vertex_space_init(b, &self->space));
    if (def->other) TRY(vertex_space_init(def->other, &self->other_space));
    TRY(NEW(b->context, &self->ties, def->pair_count));
    if (def->other && def->other->masses) {
        TRY(NEW_EACH(b->context, def->other->point_count, &self->impulses, &self->moved));
        TRY(NEW_EACH(b->context, def->pair_count, &self->answers, &self->series));
    }
    return NEW_COPY(b->context, &self->pairs, def->pairs, def->pair_count);
}

/* The other cloth has to have an implicit step. */
static ruga_status prepare_other(const attach_part *self) {
    body *other = self->other;
    if (!other->interface->respond)
        return fail_unsupported(self->base.context, "nothing can be attached to a %s body", other->kind);
    other->is_asked = 1;
    return other->interface->take_part ? other->interface->take_part(other, &self->base) : RUGA_OK;
}

ruga_status attach_part_create(body *b, const attach_part_def *def, part **out) {
    static const part_interface interface = {.force = attach_force,
                                             .force_product = attach_product,
                                             .force_blocks = attach_blocks,
                                             .before_contact = attach_before_contact,
                                             .after_velocities = attach_after_velocities,
                                             .destroy = attach_destroy};
    attach_part *self;
    TRY(NEW_ZEROED(b->context, &self, 1));
    self->base = (part){.interface = &interface,
                        .context = b->context,
                        .kind = "attach",
                        .instead = PART_FOR_CLOTH,
                        .numbered = {b, def->other}};
    self->other = def->other;
    self->count = def->pair_count;
    self->start = def->start;
    self->end = def->end;
    self->closed = def->gap;
    self->gap = measure_add(&self->base.measures, "gap", "m");
    ruga_status status = allocate(b, def, self);
    if (!RUGA_FAILED(status) && self->impulses) status = prepare_other(self);
    TRY_OR(status, attach_destroy(&self->base));
    fill_ties(b, def, self);
    *out = &self->base;
    return RUGA_OK;
}
