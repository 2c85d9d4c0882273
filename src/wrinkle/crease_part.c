/* Part "crease": folds towards target angles, remembers folds that went too far, and reports gaps and angles.
 *
 * Its forces are springs against fold angles (crease.h) with a stiffness k, N m per metre and radian. The product with
 * their derivative is Gauss and Newton's, -k l ∇φ (∇φ · d), which is never positive. A target angle is reached
 * smoothly between two times. It may vary along the curve, be painted, and have keys.
 *
 * Plastic folds. With a yield angle, a fold whose angle is farther than that from its own rest angle takes the rest
 * angle with it: the return mapping of plasticity, once per substep. A fold that is set takes the angle that it has.
 * Rest angles are state. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "body/body.h"
#include "math/vec3.h"
#include "wrinkle/crease.h"

#define PI 3.14159265358979323846
#define SURROUNDINGS 6.0        /* edges: the radius of the flesh that a push turns with */
#define MOST_SHARP (0.999 * PI) /* of a pattern whose tangents stay in proportion: beyond, a fold is flat */
#define CREASE_TAG STATE_TAG('C', 'R', 'S', 'E')

typedef struct crease_part {
    part base;
    size_t stage_count;
    crease_stage *stages; /* (stage_count) their targets are one array, of the first */
    /* Of the current stage. */
    crease_rig rig;
    size_t count; /* of folds */
    const crease_fold *folds;
    const crease_target *targets; /* (curves) */
    double *angles;               /* (count) rad, of the targets at `time` */
    double time;                  /* s; NaN: not known yet */
    int has_keys;                 /* angles change with time */
    double *values;               /* (visible vertices) degrees, of a param */
    double *rests;                /* (count) rad, that plastic folds keep without a target */
    uint32_t *square_points;      /* (6 count) of the preconditioner's squares: left corners, then right ones */
    vec3 *square_vectors;         /* (6 count) √N/m */
    size_t gap, least, most;      /* measures */
    crease_exact *exact;          /* of forms other than the ridge; else NULL */
    vec3 *starts;                 /* (points) m, of their steps */
    crease_soft *soft;            /* with particles; else NULL */
    size_t particle_gap;          /* measure, with particles */
    crease_energy *energy;        /* of a solid; else NULL */
    double *pulls, *pushes;       /* (visible vertices) of a solid with anchors */
    double *pin_weights;          /* (pins) of one anchor */
    crease_surroundings around;   /* of a solid with a push that no pins guide */
    size_t overlap;               /* measure, of a solid */
} crease_part;

/* Of the target at a time: a smooth rise without a jump of velocity. */
static double progress(const crease_target *t, double time) {
    if (!(t->end > t->start)) return time >= t->start;
    double p = fmin(1, fmax(0, (time - t->start) / (t->end - t->start)));
    return p * p * (3 - 2 * p);
}

static double within_turn(double angle) {
    if (angle > PI) angle -= 2 * PI;
    if (angle <= -PI) angle += 2 * PI;
    return angle;
}

/* In a pattern the tangents of half the angles stay in proportion. Beside a flat fold, whose tangent is infinite, all
 * angles follow the time. */
static double rest_of(const crease_part *self, size_t i, double time) {
    const crease_target *t = &self->targets[self->folds[i].curve];
    double angle = self->angles[i], p = progress(t, time);
    if (!(t->sharpest > 0) || t->sharpest > MOST_SHARP || p == 1) return self->rests[i] + angle * p;
    double bent = fmin(t->sharpest, fmax(-t->sharpest, angle));
    return self->rests[i] + 2 * atan(tan(p * t->sharpest / 2) / tan(t->sharpest / 2) * tan(bent / 2)) +
           p * (angle - bent);
}

/* A locked crease is held by the body (body_simulated) until the first substep that begins at its time. */
static int is_locked(const crease_target *t, const substep *s) { return body_is_locked(t->active, s); }

/* ---- Target angles. */

static double angle_between(const crease_target *t, double at) {
    const crease_place *p = t->places;
    size_t k = 1;
    if (at <= p[0].at) return p[0].angle;
    while (k < t->place_count && p[k].at < at) k++;
    if (k == t->place_count) return p[k - 1].angle;
    double share = (at - p[k - 1].at) / (p[k].at - p[k - 1].at);
    return (1 - share) * p[k - 1].angle + share * p[k].angle;
}

/* Angles at a time. Curves that share a param follow each other, so that it is evaluated once. */
static ruga_status find_angles(crease_part *self, double time) {
    const ruga_param *known = NULL;
    if (self->time == time || (!self->has_keys && !isnan(self->time))) return RUGA_OK;
    for (size_t i = 0; i < self->count; i++) {
        const crease_fold *fold = &self->folds[i];
        const crease_target *t = &self->targets[fold->curve];
        self->angles[i] = t->angle;
        if (t->place_count > 0) {
            self->angles[i] = angle_between(t, fold->part);
        } else if (t->param) {
            if (t->param != known) TRY(ruga_param_evaluate(t->param, "angle", self->rig.visible, time, self->values));
            known = t->param;
            self->angles[i] = 0.5 * (self->values[fold->from] + self->values[fold->to]) * (PI / 180);
        }
    }
    self->time = time;
    return RUGA_OK;
}

/* ---- Forces. */

/* N m per radian, with the body's factor; 0 while it is locked. */
static double stiffness_of(const crease_part *self, const body *b, size_t i, const substep *s) {
    const crease_target *t = &self->targets[self->folds[i].curve];
    return is_locked(t, s) ? 0 : b->stiffness_factor * t->stiffness * self->folds[i].length;
}

static void add_six(const crease_fold *fold, const vec3 gradient[6], double scale, vec3 *out) {
    for (int k = 0; k < 3; k++) {
        out[fold->left[k]] = vec3_add_scaled(out[fold->left[k]], gradient[k], scale);
        out[fold->right[k]] = vec3_add_scaled(out[fold->right[k]], gradient[3 + k], scale);
    }
}

/* The points of both sides, in the order of a spring's weights: left, then right. */
typedef struct six_points {
    uint32_t at[6];
} six_points;

static six_points points_of(const crease_fold *fold) {
    const uint32_t *l = fold->left, *r = fold->right;
    return (six_points){{l[0], l[1], l[2], r[0], r[1], r[2]}};
}

/* The springs of section 6 of one fold. Their derivative is that of Selle et al. 2008, along the springs alone, which
 * is never positive; without a rest length, all of it. */
typedef struct fold_springs {
    const crease_fold *fold;
    size_t count;
    crease_spring springs[CREASE_SPRINGS];
    vec3 vectors[CREASE_SPRINGS]; /* units; the springs' own where rest lengths are 0 */
    double lengths[CREASE_SPRINGS];
} fold_springs;

static void find_springs(const crease_part *self, size_t i, double stiffness, const substep *s, const vec3 *x,
                         fold_springs *out) {
    out->fold = &self->folds[i];
    out->count = crease_springs_make(out->fold, self->targets[out->fold->curve].law, rest_of(self, i, s->time),
                                     stiffness, x, out->springs);
    const six_points points = points_of(out->fold);
    for (size_t k = 0; k < out->count; k++) {
        vec3 d = {0, 0, 0};
        for (int j = 0; j < 6; j++) d = vec3_add_scaled(d, x[points.at[j]], out->springs[k].weights[j]);
        out->lengths[k] = vec3_length(d);
        out->vectors[k] = out->lengths[k] > 1e-12 ? vec3_scale(d, 1 / out->lengths[k]) : out->springs[k].direction;
    }
}

static void add_spring_forces(const fold_springs *f, vec3 *forces) {
    const six_points points = points_of(f->fold);
    for (size_t k = 0; k < f->count; k++)
        for (int j = 0; j < 6; j++) {
            double size = f->springs[k].stiffness * (f->lengths[k] - f->springs[k].rest) * f->springs[k].weights[j];
            vec3 *out = &forces[points.at[j]];
            *out = vec3_add_scaled(*out, f->vectors[k], -size);
        }
}

static void add_spring_product(const fold_springs *f, const vec3 *direction, vec3 *product) {
    const six_points points = points_of(f->fold);
    for (size_t k = 0; k < f->count; k++) {
        vec3 change = {0, 0, 0};
        for (int j = 0; j < 6; j++) change = vec3_add_scaled(change, direction[points.at[j]], f->springs[k].weights[j]);
        if (f->springs[k].rest > 0) change = vec3_scale(f->vectors[k], vec3_dot(f->vectors[k], change));
        for (int j = 0; j < 6; j++) {
            vec3 *out = &product[points.at[j]];
            *out = vec3_add_scaled(*out, change, -f->springs[k].stiffness * f->springs[k].weights[j]);
        }
    }
}

static void add_block(mat3 *block, vec3 g, double scale) {
    const double v[3] = {g.x, g.y, g.z};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) block->at[i][j] += scale * v[i] * v[j];
}

static void add_spring_blocks(const fold_springs *f, mat3 *blocks) {
    const six_points points = points_of(f->fold);
    for (size_t k = 0; k < f->count; k++)
        for (int j = 0; j < 6; j++) {
            double scale = -f->springs[k].stiffness * f->springs[k].weights[j] * f->springs[k].weights[j];
            mat3 *block = &blocks[points.at[j]];
            if (f->springs[k].rest > 0)
                add_block(block, f->vectors[k], scale);
            else
                for (int m = 0; m < 3; m++) block->at[m][m] += scale;
        }
}

static ruga_status force(part *p, const body *b, const substep *s, const vec3 *positions, const vec3 *velocities,
                         vec3 *forces) {
    crease_part *self = (crease_part *)p;
    (void)velocities;
    TRY(find_angles(self, s->time));
    if (self->rig.form == CREASE_EXACT) crease_exact_add_held(self->exact, forces);
    for (size_t i = 0; i < self->count; i++) {
        const crease_fold *fold = &self->folds[i];
        double stiffness = stiffness_of(self, b, i, s);
        vec3 gradient[6];
        if (!(stiffness > 0)) continue;
        if (self->targets[fold->curve].law != CREASE_ANGLE) {
            fold_springs springs;
            find_springs(self, i, stiffness, s, positions, &springs);
            add_spring_forces(&springs, forces);
            continue;
        }
        double angle = crease_fold_angle(fold, positions, gradient);
        add_six(fold, gradient, -stiffness * within_turn(angle - rest_of(self, i, s->time)), forces);
    }
    return RUGA_OK;
}

/* By the derivative of the last force_blocks. */
static ruga_status force_product(part *p, const body *b, const substep *s, const vec3 *positions, const vec3 *direction,
                                 vec3 *product) {
    const crease_part *self = (const crease_part *)p;
    for (size_t i = 0; i < self->count; i++) {
        const crease_fold *fold = &self->folds[i];
        const vec3 *vectors = self->square_vectors + 6 * i;
        if (self->targets[fold->curve].law == CREASE_ANGLE) {
            double change = 0;
            for (int k = 0; k < 3; k++)
                change += vec3_dot(vectors[k], direction[fold->left[k]]) +
                          vec3_dot(vectors[3 + k], direction[fold->right[k]]);
            add_six(fold, vectors, -change, product);
        } else if (stiffness_of(self, b, i, s) > 0) {
            fold_springs springs;
            find_springs(self, i, stiffness_of(self, b, i, s), s, positions, &springs);
            add_spring_product(&springs, direction, product);
        }
    }
    return RUGA_OK;
}

/* The derivative as squares: those of a fold are √k ∇φ. */
static void find_squares(crease_part *self, const body *b, const substep *s, const vec3 *positions) {
    for (size_t i = 0; i < self->count; i++) {
        double root = sqrt(stiffness_of(self, b, i, s));
        vec3 *vectors = self->square_vectors + 6 * i;
        if (root > 0)
            crease_fold_angle(&self->folds[i], positions, vectors);
        else
            memset(vectors, 0, 6 * sizeof *vectors);
        for (int k = 0; k < 6; k++) vectors[k] = vec3_scale(vectors[k], root);
    }
}

static ruga_status force_blocks(part *p, const body *b, const substep *s, const vec3 *positions, mat3 *blocks) {
    crease_part *self = (crease_part *)p;
    find_squares(self, b, s, positions);
    for (size_t i = 0; i < self->count; i++) {
        const crease_fold *fold = &self->folds[i];
        if (self->targets[fold->curve].law == CREASE_ANGLE) {
            const vec3 *vectors = self->square_vectors + 6 * i;
            for (int k = 0; k < 3; k++) add_block(&blocks[fold->left[k]], vectors[k], -1);
            for (int k = 0; k < 3; k++) add_block(&blocks[fold->right[k]], vectors[3 + k], -1);
        } else if (stiffness_of(self, b, i, s) > 0) {
            fold_springs springs;
            find_springs(self, i, stiffness_of(self, b, i, s), s, positions, &springs);
            add_spring_blocks(&springs, blocks);
        }
    }
    return RUGA_OK;
}

static ruga_status force_squares(part *p, const body *b, const substep *s, const vec3 *positions, block_squares *out) {
    const crease_part *self = (const crease_part *)p;
    (void)b;
    (void)s;
    (void)positions;
    *out = (block_squares){self->count, 6, self->square_points, self->square_vectors, NULL};
    return RUGA_OK;
}

/* ---- Solids: the forces are an energy. */

static ruga_status make_energy(crease_part *self) {
    const crease_solid_rig *solid = self->rig.solid;
    const crease_energy_def def = {.context = self->base.context,
                                   .point_count = self->rig.point_count,
                                   .fold_count = self->count,
                                   .folds = self->folds,
                                   .section_count = solid->section_count,
                                   .sections = solid->sections,
                                   .link_count = solid->link_count,
                                   .links = solid->links,
                                   .anchor_count = solid->anchor_count,
                                   .anchors = solid->anchors,
                                   .visible = solid->shown,
                                   .is_tied = solid->depth > 0 && solid->ground == CREASE_TIED,
                                   .crack = solid->crack,
                                   .evenness = solid->evenness};
    if (solid->anchor_count > 0)
        TRY(NEW_EACH_ZEROED(self->base.context, self->rig.visible->vertex_count, &self->pulls, &self->pushes));
    const size_t pins = solid->bone_count > solid->guide_count ? solid->bone_count : solid->guide_count;
    if (pins > 0) TRY(NEW(self->base.context, &self->pin_weights, pins));
    if (solid->push && solid->guide_count == 0)
        TRY(crease_surroundings_make(solid->simulated, SURROUNDINGS * solid->edge, solid->anchor_count, solid->anchors,
                                     &self->around));
    return crease_energy_create(&def, &self->energy);
}

/* The motion of some pins, mainly of those nearest to a place. */
static crease_motion pin_motion(const crease_part *self, size_t count, const uint32_t *pins, vec3 at) {
    const crease_solid_rig *solid = self->rig.solid;
    const double least = 0.01 * solid->edge;
    for (size_t i = 0; i < count; i++) {
        double d = fmax(least, vec3_distance(at, solid->pin_rest[pins[i]])) / solid->edge;
        self->pin_weights[i] = 1 / (d * d * d * d);
    }
    return crease_motion_fit(count, pins, self->pin_weights, solid->pin_rest, solid->pin_targets);
}

/* Where an anchor's inner end is, of those with infinite mass. */
static vec3 ground_of(const crease_part *self, const crease_anchor *a, const vec3 *positions) {
    const crease_solid_rig *solid = self->rig.solid;
    vec3 at = {0, 0, 0};
    if (solid->ground == CREASE_FIXED) {
        at = vec3_add_scaled(a->at, a->inwards, solid->depth);
        if (solid->bone_count == 0) return at;
        const crease_motion bone = pin_motion(self, solid->bone_count, solid->bones, at);
        return crease_motion_place(&bone, at);
    }
    for (int k = 0; k < 4 && solid->ground == CREASE_FOLLOWING; k++)
        at = vec3_add_scaled(at, positions[a->points[k]], a->weights[k]);
    return at;
}

/* A push turns with pins, or with the flesh around it, as the last substep left that. */
static void turn_push(const crease_part *self, const body *b, size_t i, double size, anchor_spring *spring) {
    const crease_solid_rig *solid = self->rig.solid;
    const crease_anchor *a = &solid->anchors[i];
    const crease_surroundings *s = &self->around;
    crease_motion motion;
    if (solid->guide_count > 0)
        motion = pin_motion(self, solid->guide_count, solid->guides, a->at);
    else
        motion = crease_motion_fit(s->offsets[i + 1] - s->offsets[i], s->points + s->offsets[i],
                                   s->weights + s->offsets[i], solid->simulated->positions, b->positions);
    spring->push = vec3_scale(mat3_apply(&motion.turn, a->inwards), size);
    spring->origin = crease_motion_place(&motion, a->at);
}

static ruga_status update_anchors(crease_part *self, const body *b, double time) {
    const crease_solid_rig *solid = self->rig.solid;
    const ruga_mesh *visible = self->rig.visible;
    if (solid->pull) TRY(ruga_param_evaluate(solid->pull, "pull", visible, time, self->pulls));
    if (solid->push) TRY(ruga_param_evaluate(solid->push, "push", visible, time, self->pushes));
    double active = solid->activation ? fmin(1, *solid->activation) : 1;
    for (size_t i = 0; i < solid->anchor_count; i++) {
        const crease_anchor *a = &solid->anchors[i];
        anchor_spring *spring = crease_energy_anchor(self->energy, i);
        double near = solid->fade > 0 ? fmin(1, a->end / solid->fade) : 1,
               share = near * near * (3 - 2 * near) * active;
        spring->stiffness = solid->depth > 0 ? b->stiffness_factor * solid->stiffness * a->length : 0;
        spring->rest = solid->depth * (1 - share * self->pulls[a->vertex]);
        if (solid->depth > 0 && solid->ground != CREASE_TIED) spring->target = ground_of(self, a, b->positions);
        if (solid->push) turn_push(self, b, i, share * self->pushes[a->vertex] * a->length, spring);
    }
    return RUGA_OK;
}

static ruga_status energy(part *p, const body *b, const substep *s, energy_term **out) {
    crease_part *self = (crease_part *)p;
    *out = crease_energy_term(self->energy);
    if (!s) return RUGA_OK;
    TRY(find_angles(self, s->time));
    crease_energy_set_factor(self->energy, b->stiffness_factor);
    for (size_t i = 0; i < self->count; i++)
        crease_energy_set_fold(self->energy, i, stiffness_of(self, b, i, s), rest_of(self, i, s->time));
    TRY(update_anchors(self, b, s->time));
    crease_energy_changed(self->energy);
    return RUGA_OK;
}

/* ---- Rest angles. */

double crease_yield(const crease_target *t, double off, double plastic) {
    double excess = off - t->hardening * plastic;
    if (!(t->yield > 0) || fabs(excess) <= t->yield) return 0;
    return (excess - copysign(t->yield, excess)) / (1 + t->hardening);
}

/* ---- The paper's forms: pre-stabilisation of the candidates, post-stabilisation of the velocities. */

#define PAIR_ROUNDS 10

static ruga_status before_contact(part *p, body *b, const substep *s) {
    crease_part *self = (crease_part *)p;
    int is_soft = self->rig.form == CREASE_SOFT;
    TRY(crease_exact_use(self->exact, b->inverse_masses, is_soft ? 1 / (s->dt * s->dt * self->rig.join_stiffness) : 0));
    if (self->rig.form == CREASE_POST) return RUGA_OK;
    /* Candidates may have been moved already: the step is what leads to them. */
    for (size_t i = 0; i < b->point_count; i++)
        self->starts[i] = vec3_add_scaled(b->candidate_positions[i], b->candidate_velocities[i], -s->dt);
    if (self->rig.form == CREASE_PAIRWISE)
        crease_exact_pairwise(self->exact, PAIR_ROUNDS, b->candidate_velocities);
    else
        crease_exact_pre(self->exact, self->starts, s->dt, b->candidate_velocities);
    if (self->rig.form == CREASE_EXACT) crease_exact_hold(self->exact, s->dt);
    for (size_t i = 0; i < b->point_count; i++)
        if (b->inverse_masses[i] > 0)
            b->candidate_positions[i] = vec3_add_scaled(self->starts[i], b->candidate_velocities[i], s->dt);
    if (self->rig.particles == CREASE_NO_PARTICLES) return RUGA_OK;
    crease_soft_use(self->soft, b->masses, b->inverse_masses);
    return crease_soft_before_contact(self->soft, self->exact, b->positions, s->dt, b->candidate_positions,
                                      b->candidate_velocities);
}

static ruga_status after_contact(part *p, body *b, const substep *s) {
    crease_part *self = (crease_part *)p;
    const contact_surface *surface = b->accepted;
    if (self->rig.particles == CREASE_NO_PARTICLES) return RUGA_OK;
    if (surface && (surface->mesh != b->mesh || !surface->map))
        return fail_unsupported(p->context,
                                "soft-bound particles need the cloth's own surface in contact, but another hook of "
                                "the object collides in its place");
    TRY(crease_soft_after_contact(self->soft, self->exact, self->rig.particles, surface ? surface->map : NULL,
                                  surface ? surface->impulses : NULL, s->dt, b->positions, b->velocities));
    measure *gap = &p->measures.items[self->particle_gap];
    gap->value = fmax(gap->value, crease_soft_gap(self->soft, b->positions));
    return RUGA_OK;
}

static void stabilise_velocities(crease_part *self, body *b) {
    if (self->rig.form == CREASE_EXACT || self->rig.form == CREASE_POST) crease_exact_post(self->exact, b->velocities);
    if (self->rig.form == CREASE_PAIRWISE) crease_exact_pairwise(self->exact, PAIR_ROUNDS, b->velocities);
}

/* ---- Measures. */

/* Whether a fold may yield, or be set, in a substep. */
static int may_change_rests(const crease_part *self, const substep *s) {
    for (size_t i = 0; i < self->rig.curve_count; i++) {
        const crease_target *t = &self->targets[i];
        if (t->yield > 0 || (s->time - s->dt < t->set && t->set <= s->time)) return 1;
    }
    return 0;
}

/* Rest angles of folds that are set or yielded, and measures. */
static ruga_status after_velocities(part *p, body *b, const substep *s) {
    crease_part *self = (crease_part *)p;
    double least = 0, most = 0;
    if (self->exact) stabilise_velocities(self, b);
    if (!s->is_last && !may_change_rests(self, s)) return RUGA_OK;
    TRY(find_angles(self, s->time));
    for (size_t i = 0; i < self->count; i++) {
        const crease_target *t = &self->targets[self->folds[i].curve];
        double rest = rest_of(self, i, s->time);
        double off = within_turn(crease_fold_angle(&self->folds[i], b->positions, NULL) - rest);
        if (t->is_set && s->time - s->dt < t->set && t->set <= s->time)
            self->rests[i] += off;
        else if (!is_locked(t, s))
            self->rests[i] += crease_yield(t, off, self->rests[i]);
        least = fmin(least, rest + off);
        most = fmax(most, rest + off);
    }
    measure *measures = p->measures.items;
    measures[self->gap].value = crease_gap_of(self->rig.nodes, self->rig.node_count, b->positions);
    measures[self->least].value = least * 180 / PI;
    measures[self->most].value = most * 180 / PI;
    if (self->energy) measures[self->overlap].value = crease_energy_overlap(self->energy, b->positions);
    return RUGA_OK;
}

/* Folds that are set from the beginning take the angles of the first pose. */
static ruga_status settle(part *p, const body *b, const substep *s, const ruga_frame *in) {
    crease_part *self = (crease_part *)p;
    (void)in;
    TRY(find_angles(self, s->time));
    memset(self->rests, 0, self->count * sizeof *self->rests);
    if (self->rig.form == CREASE_EXACT)
        memset(crease_exact_held(self->exact), 0, crease_exact_count(self->exact) * sizeof(vec3));
    if (self->rig.particles != CREASE_NO_PARTICLES) crease_soft_settle(self->soft, b->positions, b->velocities);
    for (size_t i = 0; i < self->count; i++)
        if (self->targets[self->folds[i].curve].is_set && self->targets[self->folds[i].curve].set <= s->time)
            self->rests[i] +=
                within_turn(crease_fold_angle(&self->folds[i], b->positions, NULL) - rest_of(self, i, s->time));
    return RUGA_OK;
}

static void save(const part *p, state_writer *writer) {
    const crease_part *self = (const crease_part *)p;
    uint64_t count = self->count;
    uint64_t held = self->rig.form == CREASE_EXACT ? crease_exact_count(self->exact) : 0;
    uint64_t particles = crease_soft_count(self->soft);
    state_begin(writer, CREASE_TAG, 3);
    state_put_u64(writer, &count, 1);
    state_put_f64(writer, self->rests, self->count);
    state_put_u64(writer, &held, 1);
    if (held > 0) state_put_f64(writer, &crease_exact_held(self->exact)->x, 3 * held);
    state_put_u64(writer, &particles, 1);
    if (particles > 0) state_put_f64(writer, &crease_soft_positions(self->soft)->x, 3 * particles);
    state_end(writer);
}

static ruga_status load_particles(crease_part *self, uint32_t version, state_reader *entry) {
    uint64_t count = 0;
    if (version >= 3) TRY(state_get_u64(entry, &count, 1));
    if (count != crease_soft_count(self->soft))
        return fail_input(self->base.context,
                          "the saved creases have %llu particles, but the scene has %zu; use the scene that was saved",
                          (unsigned long long)count, crease_soft_count(self->soft));
    return count > 0 ? state_get_f64(entry, &crease_soft_positions(self->soft)->x, 3 * count) : RUGA_OK;
}

static ruga_status load(part *p, state_reader *reader) {
    crease_part *self = (crease_part *)p;
    state_reader entry;
    uint32_t version;
    uint64_t count;
    TRY(state_enter(reader, CREASE_TAG, 3, &version, &entry));
    TRY(state_get_u64(&entry, &count, 1));
    if (count != self->count)
        return fail_input(p->context,
                          "the saved creases have %llu folds, but the scene has %zu; use the scene that was "
                          "saved",
                          (unsigned long long)count, self->count);
    TRY(state_get_f64(&entry, self->rests, self->count));
    if (version < 2) return RUGA_OK;
    uint64_t held = 0, expected = self->rig.form == CREASE_EXACT ? crease_exact_count(self->exact) : 0;
    TRY(state_get_u64(&entry, &held, 1));
    if (held != expected)
        return fail_input(p->context,
                          "the saved creases have %llu equations, but the scene has %llu; use the scene "
                          "that was saved",
                          (unsigned long long)held, (unsigned long long)expected);
    if (held > 0) TRY(state_get_f64(&entry, &crease_exact_held(self->exact)->x, 3 * held));
    return load_particles(self, version, &entry);
}

/* ---- Stages. */

static void leave_stage(crease_part *self) {
    RELEASE_ALL(self->base.context, self->angles, self->values, self->rests, self->square_points, self->square_vectors,
                self->starts, self->pulls, self->pushes, self->pin_weights);
    crease_surroundings_release(self->base.context, &self->around);
    crease_exact_destroy(self->exact);
    crease_soft_destroy(self->soft);
    self->soft = NULL;
    crease_energy_destroy(self->energy);
    self->energy = NULL;
    self->angles = self->values = self->rests = self->pulls = self->pushes = self->pin_weights = NULL;
    self->square_points = NULL;
    self->square_vectors = self->starts = NULL;
    self->exact = NULL;
}

static void destroy(part *p) {
    crease_part *self = (crease_part *)p;
    ruga_context *context = p->context;
    leave_stage(self);
    if (self->stages) memory_release(context, (void *)self->stages[0].targets);
    memory_release(context, self->stages);
    memory_release(context, self);
}

static ruga_status make_squares(crease_part *self) {
    TRY(NEW(self->base.context, &self->square_points, 6 * self->count));
    for (size_t i = 0; i < self->count; i++)
        for (int k = 0; k < 3; k++) {
            self->square_points[6 * i + (size_t)k] = self->folds[i].left[k];
            self->square_points[6 * i + 3 + (size_t)k] = self->folds[i].right[k];
        }
    return NEW_ZEROED(self->base.context, &self->square_vectors, 6 * self->count);
}

/* Makes the arrays of a stage; those of another one were left before. After a failure it can only be destroyed. */
static ruga_status enter_stage(crease_part *self, size_t stage) {
    ruga_context *context = self->base.context;
    int has_params = 0;
    self->rig = self->stages[stage].rig;
    self->targets = self->stages[stage].targets;
    self->count = self->rig.fold_count;
    self->folds = self->rig.folds;
    self->time = NAN;
    for (size_t i = 0; i < self->rig.curve_count; i++) has_params |= self->targets[i].param != NULL;
    TRY(NEW_ZEROED(context, &self->angles, self->count));
    if (has_params) TRY(NEW(context, &self->values, self->rig.visible->vertex_count));
    TRY(NEW_ZEROED(context, &self->rests, self->count));
    if (self->base.interface->force) TRY(make_squares(self));
    if (self->rig.solid) TRY(make_energy(self));
    if (self->rig.form == CREASE_RIDGE) return RUGA_OK;
    TRY(NEW(context, &self->starts, self->rig.point_count));
    if (self->rig.particles != CREASE_NO_PARTICLES)
        TRY(crease_soft_create(context, self->rig.nodes, self->rig.node_count, self->rig.point_count, &self->soft));
    return crease_exact_of_nodes(context, self->rig.nodes, self->rig.node_count, self->rig.point_count, &self->exact);
}

/* Rest angles of folds continue at the same places of their curves; new curves have none yet. */
static void carry_rests(const crease_part *old, crease_part *self) {
    for (size_t i = 0; i < self->count; i++) {
        double nearest = INFINITY;
        for (size_t k = 0; k < old->count; k++) {
            double distance = fabs(old->folds[k].part - self->folds[i].part);
            if (old->folds[k].curve != self->folds[i].curve || !(distance < nearest)) continue;
            nearest = distance;
            self->rests[i] = old->rests[k];
        }
    }
}

/* The body's revision is the stage. */
static ruga_status rebuild(part *p, const body *b, const part_change *change) {
    crease_part *self = (crease_part *)p, old = *self;
    (void)change;
    if (b->revision >= self->stage_count || self->stages[b->revision].rig.point_count != b->point_count)
        return fail_unsupported(p->context,
                                "creased cloth can't become another mesh while it runs, except by its own creases");
    self->angles = self->values = self->rests = NULL;
    self->square_points = NULL;
    self->square_vectors = self->starts = NULL;
    self->exact = NULL;
    self->soft = NULL;
    ruga_status status = enter_stage(self, b->revision);
    if (!RUGA_FAILED(status)) carry_rests(&old, self);
    leave_stage(&old);
    return status;
}

#define CLOTH_INTERFACE                                                                                     \
    .after_velocities = after_velocities, .settle = settle, .rebuild = rebuild, .save = save, .load = load, \
    .destroy = destroy
#define STIFF_INTERFACE \
    .force = force, .force_product = force_product, .force_blocks = force_blocks, .force_squares = force_squares
static const part_interface loose = {CLOTH_INTERFACE};
static const part_interface stiff = {CLOTH_INTERFACE, STIFF_INTERFACE};
/* Of the paper's forms. */
#define JOINED_INTERFACE .before_contact = before_contact, .after_contact = after_contact
static const part_interface joined_loose = {CLOTH_INTERFACE, JOINED_INTERFACE, .force = force};
static const part_interface joined_stiff = {CLOTH_INTERFACE, STIFF_INTERFACE, JOINED_INTERFACE};

static const part_interface solid_interface = {.energy = energy,
                                               .after_velocities = after_velocities,
                                               .settle = settle,
                                               .save = save,
                                               .load = load,
                                               .destroy = destroy};

static int is_stiff(const crease_stage *stage) {
    for (size_t i = 0; i < stage->rig.curve_count; i++)
        if (stage->targets[i].stiffness > 0) return 1;
    return 0;
}

/* Copies of all stages and their targets. */
static ruga_status keep_stages(crease_part *self, const crease_stage *stages, size_t count) {
    ruga_context *context = self->base.context;
    size_t curves = stages[0].rig.curve_count;
    crease_target *targets;
    TRY(NEW(context, &targets, count * curves));
    for (size_t k = 0; k < count && curves > 0; k++)
        memcpy(targets + k * curves, stages[k].targets, curves * sizeof *targets);
    TRY_OR(NEW_COPY(context, &self->stages, stages, count), memory_release(context, targets));
    for (size_t k = 0; k < count; k++) self->stages[k].targets = targets + k * curves;
    self->stage_count = count;
    return RUGA_OK;
}

ruga_status crease_part_create_staged(ruga_context *context, const crease_stage *stages, size_t count, int is_implicit,
                                      part **out) {
    crease_part *self = NULL;
    TRY(NEW_ZEROED(context, &self, 1));
    const part_interface *of_cloth[2][2] = {{&loose, &stiff}, {&joined_loose, &joined_stiff}};
    self->base.interface = stages[0].rig.solid
                               ? &solid_interface
                               : of_cloth[stages[0].rig.form != CREASE_RIDGE][is_implicit || is_stiff(&stages[0])];
    self->base.context = context;
    self->base.kind = "crease";
    self->base.instead = PART_FOR_CLOTH;
    for (size_t i = 0; i < stages[0].rig.curve_count; i++)
        self->has_keys |= stages[0].targets[i].param && stages[0].targets[i].param->kind == RUGA_PARAM_KEYS;
    self->gap = measure_add(&self->base.measures, "crease_gap", "m");
    self->least = measure_add(&self->base.measures, "mountain", "deg");
    self->most = measure_add(&self->base.measures, "valley", "deg");
    if (stages[0].rig.particles != CREASE_NO_PARTICLES)
        self->particle_gap = measure_add(&self->base.measures, "particle_gap", "m");
    if (stages[0].rig.solid) self->overlap = measure_add(&self->base.measures, "crack_overlap", "m");
    ruga_status status = keep_stages(self, stages, count);
    if (!RUGA_FAILED(status)) status = enter_stage(self, 0);
    RETURN_MADE(status, &self->base, out, destroy(&self->base));
}

ruga_status crease_part_create(ruga_context *context, const crease_rig *rig, const crease_target *targets, part **out) {
    const crease_stage stage = {*rig, targets};
    return crease_part_create_staged(context, &stage, 1, 0, out);
}

/* ---- Reports. */

int part_is_crease(const part *p) { return p->interface->destroy == destroy; }

size_t crease_part_line_count(const part *p) { return ((const crease_part *)p)->rig.line_count; }

/* The first of the nodes of a vertex. */
static size_t first_node(const crease_rig *rig, uint32_t vertex) {
    size_t low = 0, high = rig->node_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (rig->nodes[middle].vertex < vertex)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

ruga_crease_report crease_part_report(const part *p, const body *b, size_t line, double time) {
    const crease_part *self = (const crease_part *)p;
    const crease_rig_line *l = &self->rig.lines[line];
    ruga_crease_report out = {.name = l->name,
                              .closed = l->closed,
                              .length = l->length,
                              .triangles = l->triangles,
                              .vertex_count = l->vertex_count,
                              .vertices = l->vertices,
                              .least = INFINITY,
                              .most = -INFINITY};
    double length = 0;
    for (int end = 0; end < 2 && !l->closed; end++) out.ends[end] = (ruga_crease_end)l->ends[end];
    for (size_t i = 0; i < self->count; i++) {
        const crease_fold *fold = &self->folds[i];
        if (fold->line != line) continue;
        double rest = rest_of(self, i, time);
        double angle = (rest + within_turn(crease_fold_angle(fold, b->positions, NULL) - rest)) * 180 / PI;
        out.fold += fold->length * angle;
        out.target += fold->length * rest * 180 / PI;
        out.stiffness += fold->length * self->targets[fold->curve].stiffness;
        length += fold->length;
        out.least = fmin(out.least, angle);
        out.most = fmax(out.most, angle);
    }
    if (length > 0)
        out.fold /= length, out.target /= length, out.stiffness /= length;
    else
        out.least = out.most = 0;
    for (size_t i = 0; i < l->vertex_count; i++) {
        size_t first = first_node(&self->rig, l->vertices[i]), next = first;
        while (next < self->rig.node_count && self->rig.nodes[next].vertex == l->vertices[i]) next++;
        out.gap = fmax(out.gap, crease_gap_of(self->rig.nodes + first, next - first, b->positions));
    }
    return out;
}
