/* Woven membranes: forces and Hessians, triangle by triangle; the header has the equations. */
#include "energy/membrane.h"

#include "base/threads.h"
#include "energy/collapse.h"
#include "energy/principal_limit.h"
#include "mesh/mesh.h"

#define TRIANGLE_BLOCK 512
#define POINT_BLOCK 512
#define LEAST_LENGTH 1e-12  /* of u and v: shorter ones have no direction */
#define LEAST_IN_PLANE 1e-3 /* part of a warp's direction that lies in the plane of its triangle */

/* ---- Making. */

static ruga_status check_material(ruga_context *context, const membrane_material *m) {
    const struct {
        const char *name, *unit;
        double value;
        int zero_allowed;
    } numbers[] = {{"stretch along the warp", "N/m", m->warp, 0},
                   {"stretch along the weft", "N/m", m->weft, 0},
                   {"shear", "N/m", m->shear, 0},
                   {"damping time", "s", m->damping_time, 1},
                   {"strain limit", "", m->limit, 1},
                   {"stiffness beyond the limit", "N/m", m->hard, 1},
                   {"stiffness against collapse", "N/m", m->collapse, 1}};
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++)
        if (!(numbers[k].value >= 0) || !isfinite(numbers[k].value) ||
            (numbers[k].value == 0 && !numbers[k].zero_allowed))
            return fail_with(context, RUGA_ERROR_INPUT, "the membrane's %s is %g %s; it must be finite and %s",
                             numbers[k].name, numbers[k].value, numbers[k].unit,
                             numbers[k].zero_allowed ? "not negative" : "positive");
    if (!(m->poisson > -1 && m->poisson < 1))
        return fail_with(context, RUGA_ERROR_INPUT,
                         "the membrane's Poisson ratio is %g; it must be above -1 and below 1", m->poisson);
    return RUGA_OK;
}

static ruga_status prepare_triangle(membrane *m, const ruga_mesh *mesh, size_t t, vec3 warp, double share) {
    const uint32_t *corners = mesh->triangles + 3 * t;
    vec3 a = vec3_sub(mesh->positions[corners[1]], mesh->positions[corners[0]]);
    vec3 b = vec3_sub(mesh->positions[corners[2]], mesh->positions[corners[0]]);
    double area = mesh_triangle_area(mesh, t);
    if (!(area > 0) || !isfinite(area) || !(share > 0) || !isfinite(share))
        return fail_with(m->base.context, RUGA_ERROR_INPUT,
                         "triangle %zu (vertices %u, %u, %u) has an area of %g m2 and a share of %g of the material; a "
                         "membrane needs both positive",
                         t, corners[0], corners[1], corners[2], area, share);
    vec3 normal = vec3_normalise(vec3_cross(a, b));
    vec3 along = vec3_add_scaled(warp, normal, -vec3_dot(warp, normal));
    if (!(vec3_length(along) > LEAST_IN_PLANE * vec3_length(warp)))
        return fail_with(m->base.context, RUGA_ERROR_INPUT,
                         "the warp of triangle %zu is at right angles to its plane; give another direction", t);
    along = vec3_normalise(along);
    vec3 across = vec3_cross(normal, along);
    double r[2][2] = {{vec3_dot(along, a), vec3_dot(along, b)}, {vec3_dot(across, a), vec3_dot(across, b)}};
    double inverse = 1 / (r[0][0] * r[1][1] - r[0][1] * r[1][0]);
    m->triangles[t] = (membrane_triangle){
        .inverse = {{r[1][1] * inverse, -r[0][1] * inverse}, {-r[1][0] * inverse, r[0][0] * inverse}},
        .area = area * share};
    return RUGA_OK;
}

static ruga_status make(membrane *m, const ruga_mesh *mesh, const vec3 *warps, const double *shares) {
    ruga_context *context = mesh->context;
    TRY(NEW_COPY(context, &m->points, mesh->triangles, 3 * mesh->triangle_count));
    TRY(NEW(context, &m->triangles, mesh->triangle_count));
    TRY(NEW(context, &m->corner_vectors, 3 * mesh->triangle_count));
    for (size_t t = 0; t < mesh->triangle_count; t++)
        TRY(prepare_triangle(m, mesh, t, warps[t], shares ? shares[t] : 1));
    return element_lists_make(context, mesh->vertex_count, mesh->triangle_count, 3, m->points, &m->lists);
}

ruga_status membrane_create(const ruga_mesh *mesh, const membrane_material *material, const vec3 *warps,
                            const double *shares, membrane **out) {
    TRY(check_material(mesh->context, material));
    membrane *m;
    TRY(NEW_ZEROED(mesh->context, &m, 1));
    m->base = (energy_term){.interface = &membrane_interface,
                            .context = mesh->context,
                            .point_count = mesh->vertex_count,
                            .is_damped = material->damping_time > 0};
    m->material = *material;
    double plane = 1 / (1 - material->poisson * material->poisson);
    m->plane_warp = material->warp * plane;
    m->plane_weft = material->weft * plane;
    m->plane_both = material->poisson * sqrt(material->warp * material->weft) * plane;
    m->factor = 1;
    m->triangle_count = mesh->triangle_count;
    ruga_status status = make(m, mesh, warps, shares);
    if (RUGA_FAILED(status))
        membrane_destroy(m);
    else
        *out = m;
    return status;
}

void membrane_destroy(membrane *m) {
    if (!m) return;
    element_lists_release(&m->lists);
    RELEASE_ALL(m->base.context, m->points, m->triangles, m->corner_vectors, m->blocks, m);
}

ruga_status membrane_set_factor(membrane *m, double factor) {
    TRY(check_positive(m->base.context, "stiffness factor", factor));
    if (factor != m->factor) m->base.revision++;
    m->factor = factor;
    return RUGA_OK;
}

/* ---- One triangle. */

/* Where the yarns are, their strains, and what resists them, per area. */
typedef struct weave {
    vec3 u, v, d, c;             /* d, c: unit, or zero where u, v have no length */
    double inverse_u, inverse_v; /* 1 / |u|, 1 / |v|, or zero */
    membrane_strain strain;
    double s, t, q;           /* N/m: tensions and shear */
    double energy;            /* J/m² */
    vec3 p, r;                /* N/m: gradients of the energy by u and v */
    double warp, weft, shear; /* N/m: tangents of s, t and q */
    double coupling;          /* N/m: ds/df */
    int is_limited;
    principal_strain limited; /* where it is */
    int is_collapsing;
    collapse collapsed; /* where it is */
} weave;

static void to_yarns(const membrane_triangle *r, const uint32_t *points, const vec3 *values, vec3 *u, vec3 *v) {
    vec3 a = vec3_sub(values[points[1]], values[points[0]]), b = vec3_sub(values[points[2]], values[points[0]]);
    *u = vec3_add_scaled(vec3_scale(a, r->inverse[0][0]), b, r->inverse[1][0]);
    *v = vec3_add_scaled(vec3_scale(a, r->inverse[0][1]), b, r->inverse[1][1]);
}

static void place_yarns(const membrane *m, size_t triangle, const vec3 *positions, weave *w) {
    to_yarns(&m->triangles[triangle], m->points + 3 * triangle, positions, &w->u, &w->v);
    double along = vec3_length(w->u), across = vec3_length(w->v);
    w->inverse_u = along > LEAST_LENGTH ? 1 / along : 0;
    w->inverse_v = across > LEAST_LENGTH ? 1 / across : 0;
    w->d = vec3_scale(w->u, w->inverse_u);
    w->c = vec3_scale(w->v, w->inverse_v);
    w->strain = (membrane_strain){along - 1, across - 1, vec3_dot(w->u, w->v)};
}

membrane_strain membrane_strain_of(const membrane *m, size_t triangle, const vec3 *positions) {
    weave w;
    place_yarns(m, triangle, positions, &w);
    return w.strain;
}

double membrane_elongation(const membrane *m, size_t triangle, const vec3 *positions) {
    vec3 u, v;
    to_yarns(&m->triangles[triangle], m->points + 3 * triangle, positions, &u, &v);
    return principal_elongation(u, v);
}

static void add_limit(const membrane_material *m, weave *w) {
    vec3 p, r;
    w->limited = principal_strain_of(w->u, w->v, m->limit);
    principal_strain_gradient(&w->limited, &p, &r);
    w->p = vec3_add_scaled(w->p, p, m->hard);
    w->r = vec3_add_scaled(w->r, r, m->hard);
    w->energy += m->hard * (w->limited.laws[0].energy + w->limited.laws[1].energy);
}

static void load_yarns(const membrane *m, weave *w) {
    membrane_strain e = w->strain;
    w->warp = m->plane_warp;
    w->weft = m->plane_weft;
    w->coupling = m->plane_both;
    w->shear = m->material.shear;
    w->s = w->warp * e.warp + w->coupling * e.weft;
    w->t = w->weft * e.weft + w->coupling * e.warp;
    w->q = w->shear * e.shear;
    w->energy = (w->s * e.warp + w->t * e.weft + w->q * e.shear) / 2;
    w->p = vec3_add_scaled(vec3_scale(w->d, w->s), w->v, w->q);
    w->r = vec3_add_scaled(vec3_scale(w->c, w->t), w->u, w->q);
    w->is_limited = m->material.limit > 0 && principal_limit_is_passed(w->u, w->v, m->material.limit);
    if (w->is_limited) add_limit(&m->material, w);
    w->is_collapsing =
        m->material.collapse > 0 && !(vec3_length2(vec3_cross(w->u, w->v)) >= COLLAPSE_AREA * COLLAPSE_AREA);
    if (!w->is_collapsing) return;
    w->collapsed = collapse_of(w->u, w->v);
    w->energy += m->material.collapse * w->collapsed.energy;
    collapse_add_gradient(&w->collapsed, m->material.collapse, &w->p, &w->r);
}

/* The vectors p of u and q of v, taken to the corners. */
static void to_corners(const membrane_triangle *r, vec3 p, vec3 q, double scale, vec3 *out) {
    out[1] = vec3_add_scaled(vec3_scale(p, scale * r->inverse[0][0]), q, scale * r->inverse[0][1]);
    out[2] = vec3_add_scaled(vec3_scale(p, scale * r->inverse[1][0]), q, scale * r->inverse[1][1]);
    out[0] = vec3_scale(vec3_add(out[1], out[2]), -1);
}

/* ---- Value and gradient. */

typedef struct membrane_task {
    membrane *m;
    const vec3 *in;
    energy_weights weights;
    int definite;
} membrane_task;

static double sum_energy(void *argument, size_t begin, size_t end) {
    const membrane_task *task = argument;
    double sum = 0;
    for (size_t t = begin; t < end; t++) {
        weave w;
        place_yarns(task->m, t, task->in, &w);
        load_yarns(task->m, &w);
        sum += task->m->triangles[t].area * w.energy;
    }
    return sum;
}

static double membrane_value(const energy_term *term, const vec3 *positions) {
    membrane_task task = {.m = (membrane *)term, .in = positions};
    return task.m->factor * parallel_sum(term->context, task.m->triangle_count, TRIANGLE_BLOCK, sum_energy, &task);
}

static double find_gradients(void *argument, size_t begin, size_t end) {
    const membrane_task *task = argument;
    const membrane *m = task->m;
    double sum = 0;
    for (size_t t = begin; t < end; t++) {
        weave w;
        place_yarns(m, t, task->in, &w);
        load_yarns(m, &w);
        to_corners(&m->triangles[t], w.p, w.r, m->triangles[t].area, m->corner_vectors + 3 * t);
        sum += m->triangles[t].area * w.energy;
    }
    return sum;
}

static double membrane_add_gradient(const energy_term *term, const vec3 *positions, double scale, vec3 *out) {
    membrane_task task = {.m = (membrane *)term, .in = positions};
    double sum = parallel_sum(term->context, task.m->triangle_count, TRIANGLE_BLOCK, find_gradients, &task);
    element_lists_add(&task.m->lists, task.m->corner_vectors, scale * task.m->factor, out);
    return task.m->factor * sum;
}

/* ---- The Hessian. */

/* The coefficients of the Hessian's three lines, with weights and damping. */
typedef struct weave_weights {
    double turn_u, turn_v, turn_uv; /* of the first */
    double warp, weft, coupling;    /* of the second */
    double shear;                   /* of the third */
} weave_weights;

/* The nearest positive semidefinite matrix to [a b; b c]. */
static void make_semidefinite(double *a, double *b, double *c) {
    double mean = (*a + *c) / 2, half = (*a - *c) / 2, radius = sqrt(half * half + *b * *b);
    double least = mean - radius, most = mean + radius;
    if (least >= 0) return;
    if (most <= 0) {
        *a = *b = *c = 0;
        return;
    }
    /* Along the eigenvector of the greater one alone. */
    double scale = most / (2 * radius);
    *a = scale * (radius + half);
    *c = scale * (radius - half);
    *b *= scale;
}

static weave_weights weigh(const membrane *m, const weave *w, energy_weights weights, int definite) {
    weave_weights k = {.turn_u = w->s * w->inverse_u, .turn_v = w->t * w->inverse_v, .turn_uv = w->q};
    k.warp = w->warp - k.turn_u;
    k.weft = w->weft - k.turn_v;
    if (definite) {
        /* Both at least |ν| of the stiffness: then their product is not less than the square of the coupling. */
        double least = fabs(m->material.poisson);
        k.warp = fmax(w->warp - fmax(k.turn_u, 0), least * w->warp);
        k.weft = fmax(w->weft - fmax(k.turn_v, 0), least * w->weft);
        make_semidefinite(&k.turn_u, &k.turn_uv, &k.turn_v);
    }
    double stiff = weights.stiffness, damp = weights.damping * m->material.damping_time;
    k.turn_u *= stiff;
    k.turn_v *= stiff;
    k.turn_uv *= stiff;
    k.warp = stiff * k.warp + damp * m->plane_warp;
    k.weft = stiff * k.weft + damp * m->plane_weft;
    k.coupling = (stiff + damp) * w->coupling;
    k.shear = stiff * w->shear + damp * m->material.shear;
    return k;
}

/* out = scale (isotropic I + first a aᵀ + second b bᵀ) */
static void symmetric_block(double scale, double isotropic, double first, vec3 a, double second, vec3 b,
                            double out[6]) {
    vec3 p = vec3_scale(a, first), q = vec3_scale(b, second);
    out[0] = scale * (isotropic + p.x * a.x + q.x * b.x);
    out[1] = scale * (isotropic + p.y * a.y + q.y * b.y);
    out[2] = scale * (isotropic + p.z * a.z + q.z * b.z);
    out[3] = scale * (p.x * a.y + q.x * b.y);
    out[4] = scale * (p.x * a.z + q.x * b.z);
    out[5] = scale * (p.y * a.z + q.y * b.z);
}

static void linearise_triangles(void *argument, size_t begin, size_t end) {
    const membrane_task *task = argument;
    const membrane *m = task->m;
    for (size_t t = begin; t < end; t++) {
        weave w;
        place_yarns(m, t, task->in, &w);
        load_yarns(m, &w);
        weave_weights k = weigh(m, &w, task->weights, task->definite);
        double scale = m->factor * m->triangles[t].area;
        membrane_block *block = &m->blocks[t];
        symmetric_block(scale, k.turn_u, k.warp, w.d, k.shear, w.v, block->uu);
        symmetric_block(scale, k.turn_v, k.weft, w.c, k.shear, w.u, block->vv);
        const double d[3] = {w.d.x, w.d.y, w.d.z}, c[3] = {w.c.x, w.c.y, w.c.z};
        const double u[3] = {w.u.x, w.u.y, w.u.z}, v[3] = {w.v.x, w.v.y, w.v.z};
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                block->uv[3 * i + j] =
                    scale * ((i == j ? k.turn_uv : 0) + k.coupling * d[i] * c[j] + k.shear * v[i] * u[j]);
        if (w.is_limited)
            principal_strain_add_hessian(&w.limited, scale * task->weights.stiffness * m->material.hard, block->uu,
                                         block->vv, block->uv);
        if (w.is_collapsing)
            collapse_add_hessian(&w.collapsed, scale * task->weights.stiffness * m->material.collapse, task->definite,
                                 block->uu, block->vv, block->uv);
    }
}

static ruga_status membrane_linearise(energy_term *term, const vec3 *positions, energy_weights weights, int definite) {
    membrane *m = (membrane *)term;
    if (!m->blocks) TRY(NEW(term->context, &m->blocks, m->triangle_count));
    membrane_task task = {m, positions, weights, definite};
    parallel_for(term->context, m->triangle_count, TRIANGLE_BLOCK, linearise_triangles, &task);
    return RUGA_OK;
}

static vec3 apply_symmetric(const double b[6], vec3 x) {
    return (vec3){b[0] * x.x + b[3] * x.y + b[4] * x.z, b[3] * x.x + b[1] * x.y + b[5] * x.z,
                  b[4] * x.x + b[5] * x.y + b[2] * x.z};
}

static void find_products(void *argument, size_t begin, size_t end) {
    const membrane_task *task = argument;
    const membrane *m = task->m;
    for (size_t t = begin; t < end; t++) {
        const membrane_block *block = &m->blocks[t];
        const double *b = block->uv;
        vec3 u, v;
        to_yarns(&m->triangles[t], m->points + 3 * t, task->in, &u, &v);
        vec3 across = {b[0] * v.x + b[1] * v.y + b[2] * v.z, b[3] * v.x + b[4] * v.y + b[5] * v.z,
                       b[6] * v.x + b[7] * v.y + b[8] * v.z};
        vec3 back = {b[0] * u.x + b[3] * u.y + b[6] * u.z, b[1] * u.x + b[4] * u.y + b[7] * u.z,
                     b[2] * u.x + b[5] * u.y + b[8] * u.z};
        vec3 p = vec3_add(apply_symmetric(block->uu, u), across), q = vec3_add(apply_symmetric(block->vv, v), back);
        to_corners(&m->triangles[t], p, q, 1, m->corner_vectors + 3 * t);
    }
}

static void membrane_add_product(const energy_term *term, double scale, const vec3 *direction, vec3 *out) {
    membrane_task task = {.m = (membrane *)term, .in = direction};
    parallel_for(term->context, task.m->triangle_count, TRIANGLE_BLOCK, find_products, &task);
    element_lists_add(&task.m->lists, task.m->corner_vectors, scale, out);
}

/* ---- Blocks. */

/* The weights of u and v at a corner. */
static void corner_weights(const membrane_triangle *r, size_t corner, double *u, double *v) {
    *u = corner ? r->inverse[corner - 1][0] : -r->inverse[0][0] - r->inverse[1][0];
    *v = corner ? r->inverse[corner - 1][1] : -r->inverse[0][1] - r->inverse[1][1];
}

/* out += scale times the 3 x 3 block of W between two corners of a triangle. */
static void add_corner_block(const membrane *m, size_t triangle, size_t row, size_t column, double scale, mat3 *out) {
    static const unsigned char place[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    const membrane_block *block = &m->blocks[triangle];
    double ru, rv, cu, cv;
    corner_weights(&m->triangles[triangle], row, &ru, &rv);
    corner_weights(&m->triangles[triangle], column, &cu, &cv);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out->at[i][j] += scale * (ru * cu * block->uu[place[i][j]] + rv * cv * block->vv[place[i][j]] +
                                      ru * cv * block->uv[3 * i + j] + rv * cu * block->uv[3 * j + i]);
}

typedef struct block_task {
    const membrane *m;
    double scale;
    mat3 *blocks;
} block_task;

static void add_point_blocks(void *argument, size_t begin, size_t end) {
    const block_task *task = argument;
    const element_lists *l = &task->m->lists;
    for (size_t i = begin; i < end; i++)
        for (size_t e = l->offsets[i]; e < l->offsets[i + 1]; e++) {
            size_t triangle = l->corners[e] / 3, corner = l->corners[e] % 3;
            add_corner_block(task->m, triangle, corner, corner, task->scale, &task->blocks[i]);
        }
}

static void membrane_add_blocks(const energy_term *term, double scale, mat3 *blocks) {
    block_task task = {(const membrane *)term, scale, blocks};
    parallel_for(term->context, term->point_count, POINT_BLOCK, add_point_blocks, &task);
}

/* ---- The matrix. */

static ruga_status membrane_add_pattern(const energy_term *term, block_pattern *pattern) {
    const membrane *m = (const membrane *)term;
    return block_pattern_add_elements(pattern, term, 0, 3, m->triangle_count, m->points);
}

/* p0² uu + p0 p1 (uv + vu) + p1² vv, which is symmetric. */
static void corner_matrix(const membrane_block *block, const double both[6], const double *p, mat3 *out) {
    static const unsigned char place[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    double u = p[0] * p[0], v = p[1] * p[1], uv = p[0] * p[1], sum[6];
    for (int k = 0; k < 6; k++) sum[k] = u * block->uu[k] + v * block->vv[k] + uv * both[k];
    for (int k = 0; k < 9; k++) out->at[k / 3][k % 3] = sum[place[k / 3][k % 3]];
}

/* The blocks of corner 0 are what is left to zero sums of rows. */
static void triangle_matrix(const void *user, size_t triangle, mat3 *blocks) {
    static const unsigned char place[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    const membrane *m = user;
    const membrane_block *block = &m->blocks[triangle];
    const double *p = m->triangles[triangle].inverse[0], *q = m->triangles[triangle].inverse[1], *uv = block->uv;
    const double both[6] = {2 * uv[0], 2 * uv[4], 2 * uv[8], uv[1] + uv[3], uv[2] + uv[6], uv[5] + uv[7]};
    const double u = p[0] * q[0], v = p[1] * q[1], ahead = p[0] * q[1], back = p[1] * q[0];
    corner_matrix(block, both, p, &blocks[4]);
    corner_matrix(block, both, q, &blocks[8]);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            blocks[5].at[i][j] =
                u * block->uu[place[i][j]] + v * block->vv[place[i][j]] + ahead * uv[3 * i + j] + back * uv[3 * j + i];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double a = blocks[4].at[i][j], b = blocks[5].at[i][j], c = blocks[8].at[i][j];
            blocks[1].at[i][j] = -a - blocks[5].at[j][i];
            blocks[2].at[i][j] = -b - c;
            blocks[0].at[i][j] = -blocks[1].at[i][j] - blocks[2].at[i][j];
        }
}

static void membrane_add_matrix(const energy_term *term, double scale, block_matrix *matrix) {
    block_matrix_add_elements(matrix, term, 0, scale, triangle_matrix, term);
}

const energy_interface membrane_interface = {.name = "membrane",
                                             .value = membrane_value,
                                             .add_gradient = membrane_add_gradient,
                                             .linearise = membrane_linearise,
                                             .add_product = membrane_add_product,
                                             .add_blocks = membrane_add_blocks,
                                             .add_pattern = membrane_add_pattern,
                                             .add_matrix = membrane_add_matrix};
