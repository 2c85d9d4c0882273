/* The energy of creases in a solid: see crease.h. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "math/vec3.h"
#include "wrinkle/crease.h"

#define PI 3.14159265358979323846

typedef struct fold_state {
    double stiffness, angle;
} fold_state;

/* An element's Hessian: squares of its vectors, or w_i w_j times a matrix. */
typedef struct element {
    uint32_t first, count; /* into points, weights and vectors */
    int is_mean;
    mat3 matrix;
} element;

struct crease_energy {
    energy_term base;
    crease_energy_def def;
    double crack, evenness; /* Pa/m and Pa, times the factor */
    fold_state *folds;      /* (folds) */
    anchor_spring *anchors; /* (anchors) */
    size_t element_count;   /* folds, sections, links, anchors, in this order */
    element *elements;
    size_t entry_count;
    uint32_t *points;                   /* (entries) */
    double *weights;                    /* (entries) of means */
    vec3 *vectors;                      /* (entries) of the others, when linearised */
    uint32_t *row_offsets, *row_points; /* neighbours of each point */
};

static double within_turn(double angle) { return angle > PI ? angle - 2 * PI : angle <= -PI ? angle + 2 * PI : angle; }

/* ---- Sections. */

static vec3 mean_of(const uint32_t *points, const double *weights, const vec3 *x) {
    vec3 sum = {0, 0, 0};
    for (int k = 0; k < 4; k++) sum = vec3_add_scaled(sum, x[points[k]], weights[k]);
    return sum;
}

/* V, and its gradient at the left corners, then at the right ones; NULL: not wanted. */
static double section_volume(const tet_section *s, const vec3 *x, vec3 gradient[8]) {
    vec3 across[2], apart = vec3_sub(mean_of(s->left, s->middle, x), mean_of(s->right, s->middle, x));
    for (int n = 0; n < 2; n++)
        across[n] = vec3_scale(vec3_add(mean_of(s->left, s->across[n], x), mean_of(s->right, s->across[n], x)), 0.5);
    vec3 area = vec3_cross(across[0], across[1]);
    for (int k = 0; k < 4 && gradient; k++) {
        vec3 turn = vec3_scale(vec3_cross(across[1], apart), 0.5 * s->across[0][k]);
        turn = vec3_add_scaled(turn, vec3_cross(apart, across[0]), 0.5 * s->across[1][k]);
        gradient[k] = vec3_add_scaled(turn, area, s->middle[k]);
        gradient[4 + k] = vec3_add_scaled(turn, area, -s->middle[k]);
    }
    return vec3_dot(apart, area);
}

double crease_energy_overlap(const crease_energy *e, const vec3 *positions) {
    double most = 0;
    for (size_t i = 0; i < e->def.section_count; i++)
        most = fmax(most, -section_volume(&e->def.sections[i], positions, NULL) / e->def.sections[i].area);
    return most;
}

/* ---- Means: links, anchors. */

static vec3 element_mean(const crease_energy *e, const element *m, const vec3 *x) {
    vec3 sum = {0, 0, 0};
    for (uint32_t k = m->first; k < m->first + m->count; k++)
        sum = vec3_add_scaled(sum, x[e->points[k]], e->weights[k]);
    return sum;
}

/* The vector of an anchor's spring from its target, its length and direction. */
static vec3 anchor_vector(const crease_energy *e, const element *m, const anchor_spring *a, const vec3 *x,
                          double *length) {
    vec3 d = vec3_sub(element_mean(e, m, x), a->target);
    *length = vec3_length(d);
    return *length > 1e-12 ? vec3_scale(d, 1 / *length) : a->direction;
}

static void add_mean(const crease_energy *e, const element *m, vec3 force, double scale, vec3 *out) {
    for (uint32_t k = m->first; k < m->first + m->count; k++)
        out[e->points[k]] = vec3_add_scaled(out[e->points[k]], force, scale * e->weights[k]);
}

/* A push acts on the edge alone: on the points of positive weight, which sum to 1. */
static double add_push(const crease_energy *e, size_t i, const element *m, const vec3 *x, double scale, vec3 *out) {
    const anchor_spring *a = &e->anchors[i];
    double value = vec3_dot(a->push, a->origin);
    for (uint32_t k = m->first; k < m->first + m->count; k++) {
        if (!(e->weights[k] > 0)) continue;
        value -= e->weights[k] * vec3_dot(a->push, x[e->points[k]]);
        if (out) out[e->points[k]] = vec3_add_scaled(out[e->points[k]], a->push, -scale * e->weights[k]);
    }
    return value;
}

/* ---- Energy and gradient. */

static double fold_energy(const crease_energy *e, size_t i, const vec3 *x, double scale, vec3 *out) {
    const crease_fold *fold = &e->def.folds[i];
    vec3 gradient[6];
    double k = e->folds[i].stiffness;
    if (!(k > 0)) return 0;
    double off = within_turn(crease_fold_angle(fold, x, out ? gradient : NULL) - e->folds[i].angle);
    for (int j = 0; j < 6 && out; j++) {
        vec3 *at = &out[j < 3 ? fold->left[j] : fold->right[j - 3]];
        *at = vec3_add_scaled(*at, gradient[j], scale * k * off);
    }
    return 0.5 * k * off * off;
}

static double section_energy(const crease_energy *e, size_t i, const vec3 *x, double scale, vec3 *out) {
    const tet_section *s = &e->def.sections[i];
    vec3 gradient[8];
    double volume = section_volume(s, x, out ? gradient : NULL), k = e->crack / s->area;
    if (!(volume < 0)) return 0;
    for (int j = 0; j < 8 && out; j++) {
        vec3 *at = &out[j < 4 ? s->left[j] : s->right[j - 4]];
        *at = vec3_add_scaled(*at, gradient[j], scale * k * volume);
    }
    return 0.5 * k * volume * volume;
}

static double add_all(const crease_energy *e, const vec3 *x, double scale, vec3 *out) {
    const crease_energy_def *def = &e->def;
    double sum = 0, length;
    for (size_t i = 0; i < def->fold_count; i++) sum += fold_energy(e, i, x, scale, out);
    for (size_t i = 0; i < def->section_count; i++) sum += section_energy(e, i, x, scale, out);
    for (size_t i = 0; i < def->link_count; i++) {
        const element *m = &e->elements[def->fold_count + def->section_count + i];
        double k = e->evenness * def->links[i].size;
        vec3 d = element_mean(e, m, x);
        sum += 0.5 * k * vec3_length2(d);
        if (out) add_mean(e, m, d, scale * k, out);
    }
    for (size_t i = 0; i < def->anchor_count; i++) {
        const element *m = &e->elements[def->fold_count + def->section_count + def->link_count + i];
        const anchor_spring *a = &e->anchors[i];
        vec3 n = anchor_vector(e, m, a, x, &length);
        sum += 0.5 * a->stiffness * (length - a->rest) * (length - a->rest);
        if (out) add_mean(e, m, n, scale * a->stiffness * (length - a->rest), out);
        sum += add_push(e, i, m, x, scale, out);
    }
    return sum;
}

static double value(const energy_term *term, const vec3 *positions) {
    return add_all((const crease_energy *)term, positions, 0, NULL);
}

static double add_gradient(const energy_term *term, const vec3 *positions, double scale, vec3 *out) {
    return add_all((const crease_energy *)term, positions, scale, out);
}

/* ---- The Hessian. */

static void scale_vectors(vec3 *vectors, int count, double factor) {
    for (int k = 0; k < count; k++) vectors[k] = vec3_scale(vectors[k], factor);
}

static void linearise_fold(crease_energy *e, size_t i, const vec3 *x, double stiffness) {
    vec3 *vectors = e->vectors + e->elements[i].first;
    memset(vectors, 0, 6 * sizeof *vectors);
    if (!(e->folds[i].stiffness > 0)) return;
    crease_fold_angle(&e->def.folds[i], x, vectors);
    scale_vectors(vectors, 6, sqrt(stiffness * e->folds[i].stiffness));
}

static void linearise_section(crease_energy *e, size_t i, const vec3 *x, double stiffness) {
    const tet_section *s = &e->def.sections[i];
    vec3 *vectors = e->vectors + e->elements[e->def.fold_count + i].first;
    double volume = section_volume(s, x, vectors);
    scale_vectors(vectors, 8, volume < 0 ? sqrt(stiffness * e->crack / s->area) : 0);
}

static void linearise_anchor(crease_energy *e, size_t i, const vec3 *x, double stiffness) {
    element *m = &e->elements[e->def.fold_count + e->def.section_count + e->def.link_count + i];
    const anchor_spring *a = &e->anchors[i];
    double length;
    vec3 n = anchor_vector(e, m, a, x, &length);
    double along = stiffness * a->stiffness, across = length > a->rest ? along * (1 - a->rest / length) : 0;
    const double v[3] = {n.x, n.y, n.z};
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) m->matrix.at[r][c] = (along - across) * v[r] * v[c] + (r == c ? across : 0);
}

static ruga_status linearise(energy_term *term, const vec3 *positions, energy_weights weights, int definite) {
    crease_energy *e = (crease_energy *)term;
    const crease_energy_def *def = &e->def;
    (void)definite;
    for (size_t i = 0; i < def->fold_count; i++) linearise_fold(e, i, positions, weights.stiffness);
    for (size_t i = 0; i < def->section_count; i++) linearise_section(e, i, positions, weights.stiffness);
    for (size_t i = 0; i < def->link_count; i++) {
        element *m = &e->elements[def->fold_count + def->section_count + i];
        m->matrix = (mat3){{{0}}};
        mat3_add_identity(&m->matrix, weights.stiffness * e->evenness * def->links[i].size);
    }
    for (size_t i = 0; i < def->anchor_count; i++) linearise_anchor(e, i, positions, weights.stiffness);
    return RUGA_OK;
}

static void add_product(const energy_term *term, double scale, const vec3 *direction, vec3 *out) {
    const crease_energy *e = (const crease_energy *)term;
    for (size_t i = 0; i < e->element_count; i++) {
        const element *m = &e->elements[i];
        if (m->is_mean) {
            add_mean(e, m, mat3_apply(&m->matrix, element_mean(e, m, direction)), scale, out);
            continue;
        }
        double change = 0;
        for (uint32_t k = m->first; k < m->first + m->count; k++)
            change += vec3_dot(e->vectors[k], direction[e->points[k]]);
        for (uint32_t k = m->first; k < m->first + m->count; k++)
            out[e->points[k]] = vec3_add_scaled(out[e->points[k]], e->vectors[k], scale * change);
    }
}

/* The block of two entries of an element. */
static mat3 block_of(const crease_energy *e, const element *m, uint32_t i, uint32_t j) {
    mat3 block = m->matrix;
    const vec3 a = e->vectors[i], b = e->vectors[j];
    const double p[3] = {a.x, a.y, a.z}, q[3] = {b.x, b.y, b.z};
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            block.at[r][c] = m->is_mean ? e->weights[i] * e->weights[j] * block.at[r][c] : p[r] * q[c];
    return block;
}

static void add_blocks(const energy_term *term, double scale, mat3 *blocks) {
    const crease_energy *e = (const crease_energy *)term;
    for (size_t n = 0; n < e->element_count; n++) {
        const element *m = &e->elements[n];
        for (uint32_t i = m->first; i < m->first + m->count; i++)
            for (uint32_t j = m->first; j < m->first + m->count; j++) {
                if (e->points[i] != e->points[j]) continue;
                mat3 block = block_of(e, m, i, j), *out = &blocks[e->points[i]];
                for (int k = 0; k < 9; k++) out->at[k / 3][k % 3] += scale * block.at[k / 3][k % 3];
            }
    }
}

static ruga_status add_pattern(const energy_term *term, block_pattern *pattern) {
    const crease_energy *e = (const crease_energy *)term;
    return block_pattern_add_rows(pattern, e->row_offsets, e->row_offsets + 1, e->row_points);
}

static void add_matrix(const energy_term *term, double scale, block_matrix *matrix) {
    const crease_energy *e = (const crease_energy *)term;
    matrix->has_wide_elements = 1;
    for (size_t n = 0; n < e->element_count; n++) {
        const element *m = &e->elements[n];
        for (uint32_t i = m->first; i < m->first + m->count; i++)
            for (uint32_t j = m->first; j < m->first + m->count; j++) {
                mat3 block = block_of(e, m, i, j);
                block_matrix_add_block(matrix, block_matrix_entry(matrix, e->points[i], e->points[j]), scale, &block);
            }
    }
}

static const energy_interface interface = {.name = "creases",
                                           .value = value,
                                           .add_gradient = add_gradient,
                                           .linearise = linearise,
                                           .add_product = add_product,
                                           .add_blocks = add_blocks,
                                           .add_pattern = add_pattern,
                                           .add_matrix = add_matrix};

/* ---- Making. */

typedef struct filler {
    crease_energy *e;
    ARRAY(uint32_t) points;
    ARRAY(double) weights;
} filler;

static ruga_status add_entries(filler *f, const uint32_t *points, const double *weights, double factor, size_t count) {
    for (size_t k = 0; k < count; k++) {
        TRY(ARRAY_ADD(f->e->base.context, &f->points, points[k]));
        TRY(ARRAY_ADD(f->e->base.context, &f->weights, weights ? factor * weights[k] : 0));
    }
    return RUGA_OK;
}

static element *begin_element(filler *f, int is_mean) {
    element *m = &f->e->elements[f->e->element_count++];
    *m = (element){.first = (uint32_t)f->points.count, .is_mean = is_mean};
    return m;
}

static void end_element(const filler *f, element *m) { m->count = (uint32_t)f->points.count - m->first; }

static ruga_status fill_anchor(filler *f, size_t i, const crease_energy_def *def) {
    const crease_anchor *a = &def->anchors[i];
    const ruga_map *map = def->visible;
    size_t row = map->offsets[a->vertex];
    element *m = begin_element(f, 1);
    TRY(add_entries(f, map->indices + row, map->weights + row, 1, map->offsets[a->vertex + 1] - row));
    if (def->is_tied) TRY(add_entries(f, a->points, a->weights, -1, 4));
    end_element(f, m);
    f->e->anchors[i] =
        (anchor_spring){.first = m->first, .count = m->count, .direction = vec3_scale(a->inwards, -1), .origin = a->at};
    return RUGA_OK;
}

static ruga_status fill(filler *f, const crease_energy_def *def) {
    for (size_t i = 0; i < def->fold_count; i++) {
        element *m = begin_element(f, 0);
        TRY(add_entries(f, def->folds[i].left, NULL, 0, 3));
        TRY(add_entries(f, def->folds[i].right, NULL, 0, 3));
        end_element(f, m);
    }
    for (size_t i = 0; i < def->section_count; i++) {
        element *m = begin_element(f, 0);
        TRY(add_entries(f, def->sections[i].left, NULL, 0, 4));
        TRY(add_entries(f, def->sections[i].right, NULL, 0, 4));
        end_element(f, m);
    }
    for (size_t i = 0; i < def->link_count; i++) {
        element *m = begin_element(f, 1);
        TRY(add_entries(f, def->links[i].points, def->links[i].weights, 1, 4));
        end_element(f, m);
    }
    for (size_t i = 0; i < def->anchor_count; i++) TRY(fill_anchor(f, i, def));
    return RUGA_OK;
}

/* All points that share an element, each pair from both ends. */
static ruga_status make_rows(crease_energy *e) {
    size_t points = e->base.point_count, total = 0;
    TRY(NEW_ZEROED(e->base.context, &e->row_offsets, points + 2));
    for (size_t n = 0; n < e->element_count; n++)
        for (uint32_t k = 0; k < e->elements[n].count; k++)
            e->row_offsets[e->points[e->elements[n].first + k] + 2] += e->elements[n].count;
    for (size_t i = 0; i < points; i++) e->row_offsets[i + 2] += e->row_offsets[i + 1];
    total = e->row_offsets[points + 1];
    TRY(NEW(e->base.context, &e->row_points, total));
    for (size_t n = 0; n < e->element_count; n++)
        for (uint32_t k = 0; k < e->elements[n].count; k++)
            for (uint32_t j = 0; j < e->elements[n].count; j++)
                e->row_points[e->row_offsets[e->points[e->elements[n].first + k] + 1]++] =
                    e->points[e->elements[n].first + j];
    return RUGA_OK;
}

static ruga_status make(crease_energy *e, const crease_energy_def *def) {
    size_t count = def->fold_count + def->section_count + def->link_count + def->anchor_count;
    filler f = {.e = e};
    TRY(NEW_ZEROED(def->context, &e->folds, def->fold_count));
    TRY(NEW_ZEROED(def->context, &e->anchors, def->anchor_count));
    TRY(NEW_ZEROED(def->context, &e->elements, count));
    ruga_status status = fill(&f, def);
    e->points = f.points.items;
    e->weights = f.weights.items;
    e->entry_count = f.points.count;
    TRY(status);
    TRY(NEW_ZEROED(def->context, &e->vectors, e->entry_count));
    return make_rows(e);
}

ruga_status crease_energy_create(const crease_energy_def *def, crease_energy **out) {
    crease_energy *e;
    TRY(NEW_ZEROED(def->context, &e, 1));
    e->base = (energy_term){.interface = &interface, .context = def->context, .point_count = def->point_count};
    e->def = *def;
    crease_energy_set_factor(e, 1);
    RETURN_MADE(make(e, def), e, out, crease_energy_destroy(e));
}

void crease_energy_destroy(crease_energy *e) {
    if (!e) return;
    RELEASE_ALL(e->base.context, e->folds, e->anchors, e->elements, e->points, e->weights, e->vectors, e->row_offsets,
                e->row_points, e);
}

energy_term *crease_energy_term(crease_energy *e) { return &e->base; }

void crease_energy_set_fold(crease_energy *e, size_t fold, double stiffness, double angle) {
    e->folds[fold] = (fold_state){stiffness, angle};
}

void crease_energy_set_factor(crease_energy *e, double factor) {
    e->crack = factor * e->def.crack;
    e->evenness = factor * e->def.evenness;
}

anchor_spring *crease_energy_anchor(crease_energy *e, size_t anchor) { return &e->anchors[anchor]; }

void crease_energy_changed(crease_energy *e) { e->base.revision++; }
