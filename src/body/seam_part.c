/* Two borders of a cloth that become one; the header has the plan. */
#include "body/seam_part.h"

#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "body/kind.h"
#include "body/vertex_space.h"
#include "energy/ties.h"

#define DAMPING_TIME 0.002 /* s, damping of a tie over its stiffness */
#define PATIENCE 0.5       /* s after the end, when a seam that is still open is reported */
#define OPEN 2.0           /* thicknesses of contact: a wider gap is open */

typedef struct seam_part {
    part base;
    char *name;
    vertex_space space;
    tie *ties; /* of vertices */
    size_t count;
    size_t corners;          /* points of a square, at most */
    uint32_t *square_points; /* (3 count, corners) of the squares that the derivative is; three a tie */
    vec3 *square_vectors;
    double *weights; /* (corners) scratch */
    double start, end;
    int reported; /* the log has it once per run */
    size_t gap;   /* measure */
} seam_part;

double seam_first_time(const ruga_time_def *time) { return (time->start_frame - time->preroll) / time->fps; }

double seam_progress(double start, double end, double time) {
    if (!(time > start)) return time > end ? 1 : 0;
    if (!(time < end)) return 1;
    double t = (time - start) / (end - start);
    return t * t * (3 - 2 * t);
}

static tie_law law_at(const seam_part *self, const body *b, const substep *s) {
    return (tie_law){.progress = seam_progress(self->start, self->end, s->time),
                     .closed = SEAM_CLOSED * b->touch.thickness,
                     .damping_time = DAMPING_TIME,
                     .dt = s->dt};
}

/* ---- The step. */

static ruga_status seam_force(part *p, const body *b, const substep *s, const vec3 *positions, const vec3 *velocities,
                              vec3 *forces) {
    const seam_part *self = (const seam_part *)p;
    (void)velocities; /* damping is in the product */
    tie_law law = law_at(self, b, s);
    const vec3 *x = vertex_space_positions(&self->space, positions);
    ties_add_forces(self->ties, self->count, &law, x, vertex_space_open(&self->space, forces));
    vertex_space_close(&self->space, forces);
    return RUGA_OK;
}

static ruga_status seam_product(part *p, const body *b, const substep *s, const vec3 *positions, const vec3 *direction,
                                vec3 *product) {
    const seam_part *self = (const seam_part *)p;
    tie_law law = law_at(self, b, s);
    const vec3 *x = vertex_space_positions(&self->space, positions);
    const vec3 *d = vertex_space_directions(&self->space, direction);
    ties_add_product(self->ties, self->count, &law, x, d, vertex_space_open(&self->space, product));
    vertex_space_close(&self->space, product);
    return RUGA_OK;
}

static ruga_status seam_blocks(part *p, const body *b, const substep *s, const vec3 *positions, mat3 *blocks) {
    const seam_part *self = (const seam_part *)p;
    tie_law law = law_at(self, b, s);
    const vec3 *x = vertex_space_positions(&self->space, positions);
    ties_add_blocks(self->ties, self->count, &law, x, vertex_space_open_blocks(&self->space, blocks));
    vertex_space_close_blocks(&self->space, blocks);
    return RUGA_OK;
}

/* ---- The derivative as squares, for the preconditioner. */

/* The points that a tie's vertices are made of, and their weights in its vector; returns how many. */
static size_t tie_points(const seam_part *self, const tie *t, uint32_t *points, double *weights) {
    const ruga_map *map = self->space.map;
    size_t count = 0;
    for (uint32_t i = 0; i < t->count; i++) {
        size_t begin = map ? map->offsets[t->points[i]] : 0, end = map ? map->offsets[t->points[i] + 1] : 1;
        for (size_t k = begin; k < end; k++, count++) {
            if (points) points[count] = map ? map->indices[k] : t->points[i];
            if (weights) weights[count] = t->weights[i] * (map ? map->weights[k] : 1);
        }
    }
    return count;
}

/* Squares with fewer points than others repeat their first one. */
static ruga_status make_squares(seam_part *self) {
    for (size_t k = 0; k < self->count; k++) {
        size_t corners = tie_points(self, &self->ties[k], NULL, NULL);
        if (corners > self->corners) self->corners = corners;
    }
    TRY(NEW(self->base.context, &self->square_points, 3 * self->count * self->corners));
    TRY(NEW(self->base.context, &self->weights, self->corners));
    TRY(NEW_ZEROED(self->base.context, &self->square_vectors, 3 * self->count * self->corners));
    for (size_t e = 0; e < 3 * self->count; e++) {
        uint32_t *points = self->square_points + self->corners * e;
        size_t count = tie_points(self, &self->ties[e / 3], points, NULL);
        for (size_t c = count; c < self->corners; c++) points[c] = points[0];
    }
    return RUGA_OK;
}

static ruga_status seam_squares(part *p, const body *b, const substep *s, const vec3 *positions, block_squares *out) {
    const seam_part *self = (const seam_part *)p;
    tie_law law = law_at(self, b, s);
    const vec3 *x = vertex_space_positions(&self->space, positions);
    for (size_t k = 0; k < self->count; k++) {
        vec3 squares[3];
        size_t count = tie_points(self, &self->ties[k], NULL, self->weights);
        tie_squares(&self->ties[k], &law, x, squares);
        for (size_t e = 0; e < 3; e++)
            for (size_t c = 0; c < count; c++)
                self->square_vectors[self->corners * (3 * k + e) + c] = vec3_scale(squares[e], self->weights[c]);
    }
    *out = (block_squares){3 * self->count, self->corners, self->square_points, self->square_vectors, NULL};
    return RUGA_OK;
}

/* Measures the gap, and reports a seam that something keeps open. */
static ruga_status seam_after_contact(part *p, body *b, const substep *s) {
    seam_part *self = (seam_part *)p;
    size_t widest = 0;
    double gap = 0;
    const vec3 *x = vertex_space_positions(&self->space, b->positions);
    for (size_t k = 0; k < self->count; k++) {
        double length = vec3_length(tie_vector(&self->ties[k], x));
        if (length > gap) gap = length, widest = k;
    }
    p->measures.items[self->gap].value = gap;
    if (self->reported || s->time < self->end + PATIENCE || gap <= OPEN * b->touch.thickness) return RUGA_OK;
    self->reported = 1;
    vec3 at = x[self->ties[widest].points[0]];
    log_warning(
        p->context,
        "object \"%s\": the seam %s is still open by %.3g m at %.6g s, at (%.4g, %.4g, %.4g), though it should "
        "have closed at %g s; look for a body between its borders, give it more time, or make the pieces larger "
        "(further times are not reported)",
        body_name(b), self->name, gap, s->time, at.x, at.y, at.z, self->end);
    return RUGA_OK;
}

static void seam_destroy(part *p) {
    seam_part *self = (seam_part *)p;
    vertex_space_release(&self->space);
    RELEASE_ALL(p->context, self->name, self->ties, self->square_points, self->square_vectors, self->weights, self);
}

/* ---- Making. */

/* A vertex that stands on the other border already needs no tie. */
static int is_joined(const border_match *m) {
    return (m->vertex == m->on[0] && m->weights[0] > 0) || (m->vertex == m->on[1] && m->weights[1] > 0);
}

static void make_tie(const vec3 *positions, const border_match *m, double stiffness, tie *out) {
    *out = (tie){.points = {m->vertex}, .weights = {1}, .count = 1, .stiffness = stiffness * m->share};
    for (int k = 0; k < 2; k++)
        if (m->weights[k] > 0) {
            out->points[out->count] = m->on[k];
            out->weights[out->count++] = -m->weights[k];
        }
    out->gap = vec3_length(tie_vector(out, positions));
}

static ruga_status add_ties(body *b, const seam_part_def *def, seam_part *self) {
    const vec3 *x = vertex_space_positions(&self->space, b->positions);
    for (size_t i = 0; i < def->match_count; i++) {
        const border_match *m = &def->matches[i];
        if (is_joined(m)) continue;
        make_tie(x, m, def->stiffness, &self->ties[self->count++]);
        for (int k = 0; k < 2; k++)
            if (m->weights[k] > 0) TRY(body_add_link(b, m->vertex, m->on[k], m->weights[k] == 1));
    }
    return RUGA_OK;
}

ruga_status seam_part_create(body *b, const seam_part_def *def, part **out) {
    static const part_interface interface = {.force = seam_force,
                                             .force_product = seam_product,
                                             .force_blocks = seam_blocks,
                                             .force_squares = seam_squares,
                                             .squares_are_whole = 1,
                                             .after_contact = seam_after_contact,
                                             .destroy = seam_destroy};
    seam_part *self;
    TRY(NEW_ZEROED(b->context, &self, 1));
    self->base = (part){
        .interface = &interface, .context = b->context, .kind = "seam", .instead = PART_FOR_CLOTH, .numbered = {b}};
    self->start = def->start;
    self->end = def->end;
    self->gap = measure_add(&self->base.measures, "gap", "m");
    ruga_status status = NEW_TEXT(b->context, &self->name, def->name);
    if (!RUGA_FAILED(status)) status = vertex_space_init(b, &self->space);
    if (!RUGA_FAILED(status)) status = NEW(b->context, &self->ties, def->match_count);
    if (!RUGA_FAILED(status)) status = add_ties(b, def, self);
    if (!RUGA_FAILED(status)) status = make_squares(self);
    RETURN_MADE(status, &self->base, out, seam_destroy(&self->base));
}
