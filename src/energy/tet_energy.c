/* Forces, products and matrices of tetrahedra; the header has the equations. */
#include "energy/tet_energy.h"

#include <math.h>
#include <string.h>

#include "base/threads.h"
#include "energy/tet_kernels.h"
#include "math/svd_kernels.h"
#include "mesh/mesh.h"

#define TET_BLOCK 128
#define POINT_BLOCK 256

/* ---- Making. */

static ruga_status check_material(ruga_context *context, const tet_material *m) {
    TRY(elastic_check(context, m->young, m->poisson));
    if (!(m->damping_time >= 0) || !isfinite(m->damping_time))
        return fail_input(context, "the damping time is %g s; it must be 0 or more, and finite", m->damping_time);
    return RUGA_OK;
}

static ruga_status check_tet(const ruga_mesh *mesh, size_t tet) {
    const uint32_t *corners = mesh->tets + 4 * tet;
    const double volume = mesh_tet_volume(mesh, tet);
    if (volume > 0 && isfinite(volume)) return RUGA_OK;
    return fail_input(mesh->context,
                      "tet %zu (vertices %u, %u, %u, %u) has a volume of %g m³ at rest; a solid needs positive ones: "
                      "swap two of its vertices if it is inverted, remove it if it is flat",
                      tet, corners[0], corners[1], corners[2], corners[3], volume);
}

ruga_status tet_energy_check_rest(const ruga_mesh *mesh) {
    if (mesh->tet_count == 0)
        return fail_input(mesh->context, "the mesh has no tets, only a surface; fill it with tets first");
    for (size_t t = 0; t < mesh->tet_count; t++) TRY(check_tet(mesh, t));
    return RUGA_OK;
}

static ruga_status prepare_tet(tet_energy *e, const ruga_mesh *mesh, size_t tet, double share) {
    const uint32_t *corners = mesh->tets + 4 * tet;
    const double volume = mesh_tet_volume(mesh, tet);
    if (!(share > 0) || !isfinite(share))
        return fail_input(mesh->context, "tet %zu has a share of %g of the material; it must be positive", tet, share);
    vec3 edges[3];
    for (int k = 0; k < 3; k++) edges[k] = vec3_sub(mesh->positions[corners[k + 1]], mesh->positions[corners[0]]);
    for (int k = 0; k < 3; k++)
        e->rest[tet].gradients[k] = vec3_scale(vec3_cross(edges[(k + 1) % 3], edges[(k + 2) % 3]), 1 / (6 * volume));
    e->rest[tet].volume = volume * share;
    return RUGA_OK;
}

static ruga_status make(tet_energy *e, const ruga_mesh *mesh, const double *shares) {
    ruga_context *context = mesh->context;
    TRY(tet_energy_check_rest(mesh));
    TRY(NEW_COPY(context, &e->points, mesh->tets, 4 * mesh->tet_count));
    TRY(NEW(context, &e->rest, mesh->tet_count));
    TRY(NEW(context, &e->corner_vectors, 4 * mesh->tet_count));
    if (e->material.law != ELASTIC_NEO_HOOKEAN) TRY(NEW(context, &e->kept, mesh->tet_count));
    for (size_t t = 0; e->kept && t < mesh->tet_count; t++) e->kept[t].corners[0].x = NAN; /* of no tet */
    for (size_t t = 0; t < mesh->tet_count; t++) TRY(prepare_tet(e, mesh, t, shares ? shares[t] : 1));
    return element_lists_make(context, mesh->vertex_count, mesh->tet_count, 4, e->points, &e->lists);
}

ruga_status tet_energy_create(const ruga_mesh *mesh, const tet_material *material, const double *shares,
                              tet_energy **out) {
    TRY(check_material(mesh->context, material));
    tet_energy *self;
    TRY(NEW_ZEROED(mesh->context, &self, 1));
    self->base = (energy_term){.interface = &tet_energy_interface,
                               .context = mesh->context,
                               .point_count = mesh->vertex_count,
                               .is_damped = material->damping_time > 0};
    self->material = *material;
    self->factor = 1;
    self->elastic = elastic_make(material->law, material->young, material->poisson);
    self->tet_count = mesh->tet_count;
    ruga_status status = make(self, mesh, shares);
    RETURN_MADE(status, self, out, tet_energy_destroy(self));
}

void tet_energy_destroy(tet_energy *e) {
    if (!e) return;
    element_lists_release(&e->lists);
    RELEASE_ALL(e->base.context, e->points, e->rest, e->corner_vectors, e->kept, e->states, e->fibres, e->fibre_offsets,
                e->activations, e->fibre_vectors, e);
}

ruga_status tet_energy_set_factor(tet_energy *e, double factor) {
    TRY(check_positive(e->base.context, "stiffness factor", factor));
    if (factor != e->factor) e->base.revision++;
    e->factor = factor;
    e->elastic = elastic_make(e->material.law, e->material.young * factor, e->material.poisson);
    return RUGA_OK;
}

ruga_status tet_energy_set_fibres(tet_energy *e, size_t count, const muscle_fibre *fibres, size_t muscle_count) {
    ruga_context *context = e->base.context;
    muscle_fibre *copy = NULL;
    uint32_t *offsets = NULL;
    double *activations = NULL;
    vec3 *vectors = NULL;
    ruga_status status = NEW_COPY(context, &copy, fibres, count);
    if (!RUGA_FAILED(status)) status = NEW_ZEROED(context, &offsets, e->tet_count + 1);
    if (!RUGA_FAILED(status)) status = NEW_ZEROED(context, &activations, muscle_count);
    if (!RUGA_FAILED(status)) status = NEW_ZEROED(context, &vectors, count);
    if (RUGA_FAILED(status)) {
        RELEASE_ALL(context, copy, offsets, activations, vectors);
        return status;
    }
    RELEASE_ALL(context, e->fibres, e->fibre_offsets, e->activations, e->fibre_vectors);
    for (size_t k = 0; k < count; k++) offsets[copy[k].point + 1]++;
    for (size_t t = 0; t < e->tet_count; t++) offsets[t + 1] += offsets[t];
    e->fibre_count = count;
    e->muscle_count = muscle_count;
    e->fibres = copy;
    e->fibre_offsets = offsets;
    e->activations = activations;
    e->fibre_vectors = vectors;
    e->base.revision++;
    return RUGA_OK;
}

void tet_energy_activate(tet_energy *e, size_t muscle, double activation) {
    if (e->activations[muscle] != activation) e->base.revision++;
    e->activations[muscle] = activation;
}

/* The fibres of a tet are [begin, end). */
static size_t fibres_begin(const tet_energy *e, size_t tet) { return e->fibre_offsets ? e->fibre_offsets[tet] : 0; }
static size_t fibres_end(const tet_energy *e, size_t tet) { return e->fibre_offsets ? e->fibre_offsets[tet + 1] : 0; }

/* ---- One tet. */

/* Σ (x_k - x_0) g_kᵀ, of positions or of directions. */
mat3 tet_energy_deformation(const tet_energy *e, size_t tet, const vec3 *x) {
    const uint32_t *p = e->points + 4 * tet;
    mat3 out = {{{0}}};
    for (int k = 0; k < 3; k++) mat3_add_outer(&out, 1, vec3_sub(x[p[k + 1]], x[p[0]]), e->rest[tet].gradients[k]);
    return out;
}

size_t tet_energy_inverted(const tet_energy *e, const vec3 *positions) {
    size_t count = 0;
    for (size_t t = 0; t < e->tet_count; t++) {
        mat3 f = tet_energy_deformation(e, t, positions);
        count += mat3_determinant(&f) < 0;
    }
    return count;
}

/* Corner vectors weight P g_k; the first is what is left to a zero sum. */
static void to_corners(const tet_rest *rest, const mat3 *p, double weight, vec3 *out) {
    out[0] = (vec3){0, 0, 0};
    for (int k = 0; k < 3; k++) {
        out[k + 1] = vec3_scale(mat3_apply(p, rest->gradients[k]), weight);
        out[0] = vec3_sub(out[0], out[k + 1]);
    }
}

/* ---- Singular values.
 *
 * Newton's method linearises where it measured the gradient last. Where that needed singular values they are kept, and
 * taken over where the corners of a tet are the same, bit for bit. */

/* Whether values are kept for these positions; the corners become those. */
static int take_kept(const tet_energy *e, size_t tet, const vec3 *x) {
    const uint32_t *p = e->points + 4 * tet;
    vec3 corners[4];
    for (int k = 0; k < 4; k++) corners[k] = x[p[k]];
    if (memcmp(corners, e->kept[tet].corners, sizeof corners) == 0) return 1;
    memcpy(e->kept[tet].corners, corners, sizeof corners);
    return 0;
}

/* F and its singular values, of up to four tets from `begin` on. */
static void decompose(const tet_energy *e, size_t begin, size_t count, const vec3 *x, mat3 f[4], svd3 out[4]) {
    size_t kept = 0;
    f[0] = tet_energy_deformation(e, begin, x);
    for (size_t i = 1; i < 4; i++) f[i] = i < count ? tet_energy_deformation(e, begin + i, x) : f[0];
    for (size_t i = 0; e->kept && i < count; i++) kept += (size_t)take_kept(e, begin + i, x);
    if (kept < count) ISA_SELECT(e->base.context->isa, svd3_four)(f, out);
    for (size_t i = 0; e->kept && i < count; i++) {
        if (kept < count) e->kept[begin + i].svd = out[i];
        out[i] = e->kept[begin + i].svd;
    }
}

/* ---- Values and gradients. */

typedef struct tet_task {
    const tet_energy *e;
    const vec3 *in;
    energy_weights weights; /* damping: times the damping time */
    int definite;
    int with_gradient;
} tet_task;

static tet_arrays arrays_of(const tet_energy *e) {
    _Static_assert(sizeof(tet_rest) == TET_REST_NUMBERS * sizeof(double), "kernels read it as numbers");
    _Static_assert(sizeof(tet_state) == TET_STATE_NUMBERS * sizeof(double), "kernels read it as numbers");
    return (tet_arrays){.points = e->points,
                        .rest = &e->rest[0].gradients[0].x,
                        .states = e->states ? &e->states[0].u[0].x : NULL,
                        .shear = e->elastic.shear,
                        .bulk = e->elastic.bulk};
}

/* Energies of the material, J, and V P g_k at the corners, by singular values. */
static void measure_by_values(const tet_task *task, size_t begin, size_t end, double *energies) {
    const tet_energy *e = task->e;
    for (size_t t = begin; t < end; t += 4) {
        const size_t count = end - t < 4 ? end - t : 4;
        mat3 f[4];
        svd3 s[4];
        decompose(e, t, count, task->in, f, s);
        for (size_t i = 0; i < count; i++) {
            mat3 p = {{{0}}};
            double stress[3];
            energies[t + i - begin] = e->rest[t + i].volume * elastic_density(&e->elastic, s[i].values);
            if (!task->with_gradient) continue;
            elastic_stress(&e->elastic, s[i].values, stress);
            for (int k = 0; k < 3; k++) mat3_add_outer(&p, stress[k], s[i].u[k], s[i].v[k]);
            to_corners(&e->rest[t + i], &p, e->rest[t + i].volume, e->corner_vectors + 4 * (t + i));
        }
    }
}

/* The same of the fibres of a tet: added to its corners; J. */
static double add_fibres(const tet_task *task, size_t tet) {
    const tet_energy *e = task->e;
    const size_t end = fibres_end(e, tet);
    double density = 0;
    size_t k = fibres_begin(e, tet);
    if (k == end) return 0;
    const mat3 f = tet_energy_deformation(e, tet, task->in);
    mat3 p = {{{0}}};
    vec3 vectors[4];
    for (; k < end; k++) density += fibre_add_stress(&e->fibres[k], e->activations[e->fibres[k].muscle], &f, &p);
    to_corners(&e->rest[tet], &p, e->rest[tet].volume, vectors);
    for (size_t c = 0; task->with_gradient && c < 4; c++)
        e->corner_vectors[4 * tet + c] = vec3_add(e->corner_vectors[4 * tet + c], vectors[c]);
    return e->rest[tet].volume * density;
}

static double sum_energies(void *argument, size_t begin, size_t end) {
    const tet_task *task = argument;
    const tet_energy *e = task->e;
    double energies[TET_BLOCK], sum = 0;
    if (e->kept) {
        measure_by_values(task, begin, end, energies);
    } else {
        const tet_arrays arrays = arrays_of(e);
        ISA_SELECT(e->base.context->isa, tet_neo_hookean)
        (&arrays, task->in, begin, end, energies, task->with_gradient ? e->corner_vectors : NULL);
    }
    for (size_t t = begin; t < end; t++) sum += energies[t - begin] + add_fibres(task, t);
    return sum;
}

static double value(const energy_term *term, const vec3 *positions) {
    tet_task task = {.e = (const tet_energy *)term, .in = positions};
    return parallel_sum(term->context, task.e->tet_count, TET_BLOCK, sum_energies, &task);
}

static double add_gradient(const energy_term *term, const vec3 *positions, double scale, vec3 *out) {
    tet_task task = {.e = (const tet_energy *)term, .in = positions, .with_gradient = 1};
    double energy = parallel_sum(term->context, task.e->tet_count, TET_BLOCK, sum_energies, &task);
    element_lists_add(&task.e->lists, task.e->corner_vectors, scale, out);
    return energy;
}

/* ---- Linearising. */

static void add_tangent(const elastic_tangent *tangent, double weight, tet_state *out) {
    for (int k = 0; k < 3; k++) {
        int i = elastic_pairs[k][0], j = elastic_pairs[k][1];
        out->stretch[k] += weight * tangent->stretch[k][k];
        out->across[k] += weight * tangent->stretch[i][j];
        out->same[k] += weight * (tangent->flips[k] + tangent->twists[k]) / 2;
        out->other[k] += weight * (tangent->flips[k] - tangent->twists[k]) / 2;
    }
}

static void linearise_tet(const tet_task *task, size_t t, const mat3 *f, const svd3 *s) {
    const tet_energy *e = task->e;
    const double extra = task->weights.damping + (task->definite ? task->weights.stiffness : 0);
    tet_state state = {.u = {s->u[0], s->u[1], s->u[2]}, .v = {s->v[0], s->v[1], s->v[2]}};
    elastic_tangent tangent;
    if (!task->definite) {
        elastic_tangent_at(&e->elastic, s->values, 0, &tangent);
        add_tangent(&tangent, e->rest[t].volume * task->weights.stiffness, &state);
    }
    if (extra != 0) {
        elastic_tangent_at(&e->elastic, s->values, 1, &tangent);
        add_tangent(&tangent, e->rest[t].volume * extra, &state);
    }
    e->states[t] = state;
    for (size_t k = fibres_begin(e, t); k < fibres_end(e, t); k++)
        e->fibre_vectors[k] = mat3_apply(f, e->fibres[k].direction);
}

static void linearise_tets(void *argument, size_t begin, size_t end) {
    const tet_task *task = argument;
    for (size_t t = begin; t < end; t += 4) {
        const size_t count = end - t < 4 ? end - t : 4;
        mat3 f[4];
        svd3 s[4];
        decompose(task->e, t, count, task->in, f, s);
        for (size_t i = 0; i < count; i++) linearise_tet(task, t + i, &f[i], &s[i]);
    }
}

static ruga_status linearise(energy_term *term, const vec3 *positions, energy_weights weights, int definite) {
    tet_energy *e = (tet_energy *)term;
    if (!e->states) TRY(NEW(term->context, &e->states, e->tet_count));
    tet_task task = {.e = e,
                     .in = positions,
                     .weights = {weights.stiffness, weights.damping * e->material.damping_time},
                     .definite = definite};
    e->stiffness_weight = weights.stiffness;
    parallel_for(term->context, e->tet_count, TET_BLOCK, linearise_tets, &task);
    return RUGA_OK;
}

/* The tension of a fibre over its length, and its direction now; 0: none. */
static double stiffness_of(const tet_energy *e, size_t k, vec3 *direction) {
    const muscle_fibre *at = &e->fibres[k];
    return fibre_stiffness(at, e->stiffness_weight * e->rest[at->point].volume, e->activations[at->muscle],
                           e->fibre_vectors[k], direction);
}

/* W dF, as a stress times the volume. */
static mat3 stress_change(const tet_energy *e, size_t tet, const mat3 *df) {
    const tet_state *s = &e->states[tet];
    double d[3][3], m[3][3];
    for (int j = 0; j < 3; j++) {
        vec3 column = mat3_apply(df, s->v[j]);
        for (int i = 0; i < 3; i++) d[i][j] = vec3_dot(s->u[i], column);
    }
    for (int k = 0; k < 3; k++) {
        int i = elastic_pairs[k][0], j = elastic_pairs[k][1];
        m[k][k] = s->stretch[k] * d[k][k] + s->across[j] * d[i][i] + s->across[i] * d[j][j];
        m[i][j] = s->same[k] * d[i][j] + s->other[k] * d[j][i];
        m[j][i] = s->same[k] * d[j][i] + s->other[k] * d[i][j];
    }
    mat3 out = {{{0}}};
    for (int i = 0; i < 3; i++) {
        vec3 row = {0, 0, 0};
        for (int j = 0; j < 3; j++) row = vec3_add_scaled(row, s->v[j], m[i][j]);
        mat3_add_outer(&out, 1, s->u[i], row);
    }
    return out;
}

/* The same with its fibres, at the corners. */
static void put_change(const tet_energy *e, size_t tet, const mat3 *df) {
    mat3 p = stress_change(e, tet, df);
    for (size_t k = fibres_begin(e, tet); k < fibres_end(e, tet); k++) {
        vec3 now, change = mat3_apply(df, e->fibres[k].direction);
        double stiffness = stiffness_of(e, k, &now);
        if (stiffness == 0) continue;
        change = vec3_sub(change, vec3_scale(now, vec3_dot(now, change)));
        mat3_add_outer(&p, stiffness, change, e->fibres[k].direction);
    }
    to_corners(&e->rest[tet], &p, 1, e->corner_vectors + 4 * tet);
}

static void find_products(void *argument, size_t begin, size_t end) {
    const tet_task *task = argument;
    for (size_t t = begin; t < end; t++) {
        const mat3 df = tet_energy_deformation(task->e, t, task->in);
        put_change(task->e, t, &df);
    }
}

static void add_product(const energy_term *term, double scale, const vec3 *direction, vec3 *out) {
    tet_task task = {.e = (const tet_energy *)term, .in = direction};
    parallel_for(term->context, task.e->tet_count, TET_BLOCK, find_products, &task);
    element_lists_add(&task.e->lists, task.e->corner_vectors, scale, out);
}

/* ---- Turns: R F - F for the rotation R from that of F to that of the tet at its new place. */

typedef struct turn_task {
    const tet_energy *e;
    const vec3 *from, *to;
} turn_task;

/* U Vᵀ A. */
static mat3 rotated(const vec3 u[3], const vec3 v[3], const mat3 *a) {
    mat3 out = {{{0}}};
    for (int k = 0; k < 3; k++) {
        const vec3 row = {v[k].x * a->at[0][0] + v[k].y * a->at[1][0] + v[k].z * a->at[2][0],
                          v[k].x * a->at[0][1] + v[k].y * a->at[1][1] + v[k].z * a->at[2][1],
                          v[k].x * a->at[0][2] + v[k].y * a->at[1][2] + v[k].z * a->at[2][2]};
        mat3_add_outer(&out, 1, u[k], row);
    }
    return out;
}

static void find_turns(void *argument, size_t begin, size_t end) {
    const turn_task *task = argument;
    const tet_energy *e = task->e;
    for (size_t t = begin; t < end; t += 4) {
        const size_t count = end - t < 4 ? end - t : 4;
        mat3 f[4];
        svd3 s[4];
        for (size_t i = 0; i < 4; i++) f[i] = tet_energy_deformation(e, t + (i < count ? i : 0), task->to);
        ISA_SELECT(e->base.context->isa, svd3_four)(f, s);
        for (size_t i = 0; i < count; i++) {
            const tet_state *state = &e->states[t + i];
            const mat3 before = tet_energy_deformation(e, t + i, task->from);
            const mat3 stretch = rotated(state->v, state->u, &before);
            mat3 turned = rotated(s[i].u, s[i].v, &stretch);
            for (int k = 0; k < 9; k++) turned.at[k / 3][k % 3] -= before.at[k / 3][k % 3];
            put_change(e, t + i, &turned);
        }
    }
}

static void add_turned(const energy_term *term, const vec3 *from, const vec3 *to, vec3 *out) {
    turn_task task = {(const tet_energy *)term, from, to};
    parallel_for(term->context, task.e->tet_count, TET_BLOCK, find_turns, &task);
    element_lists_add(&task.e->lists, task.e->corner_vectors, 1, out);
}

/* ---- Blocks. */

static void in_frame(const vec3 v[3], vec3 gradient, double out[3]) {
    for (int k = 0; k < 3; k++) out[k] = vec3_dot(v[k], gradient);
}

/* The block of W between two corners with gradients a and b, which are alpha and beta in the frame of F. */
static mat3 corner_block(const tet_energy *e, size_t tet, vec3 a, vec3 b, const double alpha[3], const double beta[3]) {
    const tet_state *s = &e->states[tet];
    double m[3][3];
    for (int k = 0; k < 3; k++) {
        int i = elastic_pairs[k][0], j = elastic_pairs[k][1];
        m[k][k] =
            s->stretch[k] * alpha[k] * beta[k] + s->same[j] * alpha[i] * beta[i] + s->same[i] * alpha[j] * beta[j];
        m[i][j] = s->across[k] * alpha[i] * beta[j] + s->other[k] * alpha[j] * beta[i];
        m[j][i] = s->across[k] * alpha[j] * beta[i] + s->other[k] * alpha[i] * beta[j];
    }
    mat3 out = {{{0}}};
    for (int i = 0; i < 3; i++) {
        vec3 row = vec3_scale(s->u[0], m[i][0]);
        for (int j = 1; j < 3; j++) row = vec3_add_scaled(row, s->u[j], m[i][j]);
        mat3_add_outer(&out, 1, s->u[i], row);
    }
    for (size_t k = fibres_begin(e, tet); k < fibres_end(e, tet); k++) {
        vec3 now;
        double stiffness = stiffness_of(e, k, &now);
        if (stiffness != 0) fibre_add_block(&e->fibres[k], stiffness, now, a, b, &out);
    }
    return out;
}

static vec3 corner_gradient(const tet_rest *rest, size_t corner) {
    const vec3 *g = rest->gradients;
    return corner ? g[corner - 1] : vec3_scale(vec3_add(vec3_add(g[0], g[1]), g[2]), -1);
}

typedef struct block_task {
    const tet_energy *e;
    double scale;
    mat3 *blocks;
} block_task;

static void add_point_blocks(void *argument, size_t begin, size_t end) {
    const block_task *task = argument;
    const tet_energy *e = task->e;
    for (size_t i = begin; i < end; i++)
        for (uint32_t c = e->lists.offsets[i]; c < e->lists.offsets[i + 1]; c++) {
            size_t tet = e->lists.corners[c] / 4;
            vec3 gradient = corner_gradient(&e->rest[tet], e->lists.corners[c] % 4);
            double alpha[3];
            in_frame(e->states[tet].v, gradient, alpha);
            mat3 block = corner_block(e, tet, gradient, gradient, alpha, alpha);
            for (int k = 0; k < 9; k++) task->blocks[i].at[k / 3][k % 3] += task->scale * block.at[k / 3][k % 3];
        }
}

static void add_blocks(const energy_term *term, double scale, mat3 *blocks) {
    block_task task = {(const tet_energy *)term, scale, blocks};
    parallel_for(term->context, term->point_count, POINT_BLOCK, add_point_blocks, &task);
}

static ruga_status add_pattern(const energy_term *term, block_pattern *pattern) {
    const tet_energy *e = (const tet_energy *)term;
    return block_pattern_add_elements(pattern, term, 0, 4, e->tet_count, e->points);
}

/* Adds the fibres of a tet to its matrix, of TET_MATRIX_NUMBERS. */
static void add_fibre_blocks(const tet_energy *e, size_t tet, double *numbers) {
    for (size_t k = fibres_begin(e, tet); k < fibres_end(e, tet); k++) {
        vec3 now;
        double stiffness = stiffness_of(e, k, &now);
        for (size_t ab = 0; stiffness != 0 && ab < 16; ab++) {
            mat3 block = {{{0}}};
            vec3 a = corner_gradient(&e->rest[tet], ab / 4), b = corner_gradient(&e->rest[tet], ab % 4);
            fibre_add_block(&e->fibres[k], stiffness, now, a, b, &block);
            for (int c = 0; c < 9; c++) numbers[9 * ab + (size_t)c] += block.at[c % 3][c / 3];
        }
    }
}

static void find_matrices(const void *user, size_t count, const uint32_t *elements, double *numbers) {
    const tet_energy *e = user;
    const tet_arrays arrays = arrays_of(e);
    ISA_SELECT(e->base.context->isa, tet_matrices)(&arrays, count, elements, numbers);
    for (size_t k = 0; e->fibre_offsets && k < count; k++)
        add_fibre_blocks(e, elements[k], numbers + TET_MATRIX_NUMBERS * k);
}

static void add_matrix(const energy_term *term, double scale, block_matrix *matrix) {
    block_matrix_add_batches(matrix, term, 0, scale, find_matrices, term);
}

const energy_interface tet_energy_interface = {.name = "tets",
                                               .value = value,
                                               .add_gradient = add_gradient,
                                               .linearise = linearise,
                                               .add_product = add_product,
                                               .add_turned = add_turned,
                                               .add_blocks = add_blocks,
                                               .add_pattern = add_pattern,
                                               .add_matrix = add_matrix};
