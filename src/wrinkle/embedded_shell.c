/* Embedded thin shells: making, updating, reading. */
#include "wrinkle/embedded_shell.h"

#include <math.h>

#include "base/threads.h"
#include "mesh/mesh.h"

#define NOISE 1e-3        /* of the thickness: what a flat skin starts to buckle from */
#define LEAST_STRAIN 1e-9 /* compression of an edge that is more than rounding */
#define FULL_STRAIN 1e-4  /* that gets all of the noise */
#define LEAST_FORCE 1e-11 /* strain whose forces count as none */
#define VERTEX_BLOCK 1024

ruga_embedded_shell_def ruga_embedded_shell_def_default(void) {
    return (ruga_embedded_shell_def){.cookie = RUGA_COOKIE,
                                     .thickness = ruga_param_constant(0.001),
                                     .stiffness = ruga_param_constant(1e6),
                                     .interior_stiffness = ruga_param_constant(1e4),
                                     .hold = ruga_param_constant(0),
                                     .poisson = 0.3,
                                     .interior_poisson = 0.3,
                                     .spacing = NAN,
                                     .cluster_wavelength = NAN,
                                     .tolerance = 1e-5,
                                     .iterations = 60};
}

/* ---- Making. */

static ruga_status copy_mesh(const ruga_mesh *mesh, ruga_mesh **out) {
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){(void *)(uintptr_t)mesh->positions, mesh->vertex_count, 0, RUGA_F64};
    def.face_count = mesh->triangle_count;
    def.face_vertices = mesh->triangles;
    return ruga_mesh_create(mesh->context, &def, out);
}

static ruga_status make_scratch(ruga_embedded_shell *shell) {
    ruga_context *context = shell->context;
    TRY(NEW_EACH(context, shell->count, &shell->x, &shell->carrier, &shell->kept, &shell->offsets));
    TRY(NEW_EACH(context, shell->count, &shell->normals, &shell->forces));
    TRY(NEW(context, &shell->constraints, shell->rows ? shell->rows->rows : 1));
    TRY(NEW_SIZED(context, &shell->normal_scratch, mesh_normals_scratch(shell->mesh), 1));
    memcpy(shell->x, shell->mesh->positions, shell->count * sizeof *shell->x);
    memcpy(shell->carrier, shell->mesh->positions, shell->count * sizeof *shell->x);
    return RUGA_OK;
}

static ruga_status make(ruga_embedded_shell *shell, const ruga_mesh *mesh) {
    if (mesh->vertex_count == 0 || mesh->triangle_count == 0)
        return fail_input(shell->context, "shell: the mesh has no triangles; a skin needs a surface");
    TRY(copy_mesh(mesh, &shell->mesh));
    TRY(topology_build_mesh(shell->mesh, &shell->topo));
    TRY(shell_prepare_material(shell, mesh));
    shell_warn(shell);
    TRY(shell_make_energy(shell));
    TRY(shell_make_rows(shell));
    TRY(make_scratch(shell));
    if (shell->def.solver == RUGA_SHELL_REFERENCE) return shell_reference_create(shell, &shell->reference);
    return shell_solver_create(shell, &shell->solver);
}

ruga_status ruga_embedded_shell_create(const ruga_mesh *mesh, const ruga_embedded_shell_def *def,
                                       ruga_embedded_shell **out) {
    ruga_embedded_shell *shell;
    if (def->cookie != RUGA_COOKIE)
        return fail_argument(mesh->context, "the shell's def was not made by ruga_embedded_shell_def_default");
    TRY(NEW_ZEROED(mesh->context, &shell, 1));
    shell->context = mesh->context;
    shell->def = *def;
    shell->count = mesh->vertex_count;
    RETURN_MADE(make(shell, mesh), shell, out, ruga_embedded_shell_destroy(shell));
}

void ruga_embedded_shell_destroy(ruga_embedded_shell *shell) {
    if (!shell) return;
    shell_solver_destroy(shell->solver);
    shell_reference_destroy(shell->reference);
    membrane_destroy(shell->membrane);
    hinges_destroy(shell->hinges);
    block_matrix_destroy(shell->hessian);
    ruga_map_destroy(shell->rows);
    ruga_map_destroy(shell->columns);
    topology_destroy(shell->topo);
    ruga_mesh_destroy(shell->mesh);
    RELEASE_ALL(shell->context, shell->areas, shell->thickness, shell->stretch, shell->bend, shell->wavelengths,
                shell->shifts, shell->foundation, shell->held, shell->x, shell->carrier, shell->multipliers,
                shell->kept, shell->offsets, shell->normals, shell->forces, shell->constraints, shell->normal_scratch,
                shell);
}

/* ---- The start of a frame: the wrinkles of the last one, turned with the carrier. */

/* A direction in the surface that moves with it: towards the first neighbour. */
static vec3 tangent_at(const ruga_embedded_shell *shell, const vec3 *positions, size_t v, vec3 normal) {
    const uint32_t begin = shell->topo->ring_offsets[v];
    if (begin == shell->topo->ring_offsets[v + 1]) return (vec3){0, 0, 0};
    vec3 edge = vec3_sub(positions[shell->topo->ring_vertices[begin]], positions[v]);
    return vec3_normalise(vec3_add_scaled(edge, normal, -vec3_dot(edge, normal)));
}

typedef struct transport_task {
    ruga_embedded_shell *shell;
    const vec3 *positions; /* of the carrier */
} transport_task;

/* Offsets in the frame of each vertex, from the carrier of the last frame. */
static void take_offsets(void *argument, size_t begin, size_t end) {
    const transport_task *task = argument;
    ruga_embedded_shell *shell = task->shell;
    for (size_t v = begin; v < end; v++) {
        vec3 n = shell->normals[v], t = tangent_at(shell, task->positions, v, n), b = vec3_cross(n, t);
        vec3 d = vec3_sub(shell->x[v], task->positions[v]);
        shell->offsets[v] = (vec3){vec3_dot(d, t), vec3_dot(d, b), vec3_dot(d, n)};
    }
}

/* The same offsets on the new carrier. */
static void put_offsets(void *argument, size_t begin, size_t end) {
    const transport_task *task = argument;
    ruga_embedded_shell *shell = task->shell;
    for (size_t v = begin; v < end; v++) {
        vec3 n = shell->normals[v], t = tangent_at(shell, task->positions, v, n), b = vec3_cross(n, t);
        vec3 o = shell->offsets[v], d = vec3_add_scaled(vec3_scale(t, o.x), b, o.y);
        shell->x[v] = vec3_add(task->positions[v], vec3_add_scaled(d, n, o.z));
    }
}

static void move_offsets(ruga_embedded_shell *shell, const vec3 *carrier) {
    transport_task task = {shell, shell->carrier};
    mesh_normals(shell->mesh, shell->carrier, shell->normal_scratch, shell->normals);
    parallel_for(shell->context, shell->count, VERTEX_BLOCK, take_offsets, &task);
    memcpy(shell->carrier, carrier, shell->count * sizeof *carrier);
    mesh_normals(shell->mesh, carrier, shell->normal_scratch, shell->normals);
    parallel_for(shell->context, shell->count, VERTEX_BLOCK, put_offsets, &task);
}

static double scatter(uint32_t i) {
    uint32_t x = (i + 1) * 2654435761u;
    x = (x ^ x >> 15) * 2246822519u;
    return (double)(x ^ x >> 13) / 2147483648.0 - 1;
}

/* The greatest compression of an edge at a vertex. */
static double compression_at(const ruga_embedded_shell *shell, size_t v) {
    const vec3 *rest = shell->mesh->positions, *now = shell->carrier;
    double most = 0;
    for (uint32_t e = shell->topo->ring_offsets[v]; e < shell->topo->ring_offsets[v + 1]; e++) {
        const uint32_t u = shell->topo->ring_vertices[e];
        most = fmax(most, 1 - vec3_distance(now[v], now[u]) / vec3_distance(rest[v], rest[u]));
    }
    return most;
}

/* In a flat skin nothing says to which side it should buckle. Where the carrier is compressed and the skin still lies
 * on it, noise along the normal decides; elsewhere the skin keeps every bit. */
static void add_noise(ruga_embedded_shell *shell) {
    for (size_t v = 0; v < shell->count; v++) {
        const double size = NOISE * shell->thickness[v];
        if (vec3_length2(shell->offsets[v]) > size * size) continue;
        const double strain = compression_at(shell, v);
        if (strain < LEAST_STRAIN) continue;
        const double noise = scatter((uint32_t)v ^ (uint32_t)shell->def.seed * 7919u);
        shell->x[v] = vec3_add_scaled(shell->x[v], shell->normals[v], size * noise * fmin(1, strain / FULL_STRAIN));
    }
}

/* ---- Update. */

static ruga_status check_carrier(const ruga_embedded_shell *shell, const vec3 *carrier) {
    for (size_t v = 0; v < shell->count; v++)
        if (!vec3_is_finite(carrier[v]))
            return fail_input(shell->context,
                              "shell: vertex %zu of the carrier is at (%g, %g, %g); all numbers must be finite", v,
                              carrier[v].x, carrier[v].y, carrier[v].z);
    return RUGA_OK;
}

static void measure_amplitude(ruga_embedded_shell *shell) {
    ruga_embedded_shell_report *r = &shell->report;
    double sum = 0, area = 0, worst = 0;
    for (size_t v = 0; v < shell->count; v++) {
        vec3 d = vec3_sub(shell->x[v], shell->carrier[v]);
        sum += shell->areas[v] * vec3_length2(d);
        area += shell->areas[v];
        shell->offsets[v] = d;
    }
    r->amplitude = sqrt(sum / area);
    if (shell->rows) {
        ruga_map_apply(shell->rows, shell->offsets, shell->constraints);
        for (size_t k = 0; k < shell->rows->rows; k++) worst = fmax(worst, vec3_length2(shell->constraints[k]));
    }
    r->constraint_error = sqrt(worst);
    r->energy = shell_energy(shell, shell->x);
}

/* From x as it is, on the carrier as it is. start: the residual that tolerances are relative to, N. */
static ruga_status solve(ruga_embedded_shell *shell, double start) {
    ruga_embedded_shell_report *r = &shell->report;
    const double none = LEAST_FORCE * shell->mean_stretch * shell->mean_edge * sqrt((double)shell->count);
    r->newton_steps = r->linear_iterations = r->factorisations = 0;
    r->stalled = NULL;
    r->residual = 0;
    /* A skin without stress, on a carrier that is as long as at rest everywhere, stays as it is. */
    double now = shell_residual(shell, shell->x, NULL, shell->forces, shell->constraints);
    if (now <= none) return RUGA_OK;
    shell->target = fmax(shell->def.tolerance * start, none);
    return shell->reference ? shell_solve_reference(shell, start) : shell_solve(shell, start);
}

ruga_status ruga_embedded_shell_update(ruga_embedded_shell *shell, const ruga_vec3 *carrier) {
    TRY(check_carrier(shell, carrier));
    /* The residual of the last frame's skin on the new carrier: what the paper starts from. */
    memcpy(shell->kept, shell->carrier, shell->count * sizeof *shell->kept);
    memcpy(shell->carrier, carrier, shell->count * sizeof *carrier);
    double start = shell_residual(shell, shell->x, NULL, shell->forces, shell->constraints);
    memcpy(shell->carrier, shell->kept, shell->count * sizeof *shell->kept);

    /* The reference starts where the skin was. */
    if (shell->reference) memcpy(shell->forces, shell->x, shell->count * sizeof *shell->x);
    move_offsets(shell, carrier);
    if (shell->reference) memcpy(shell->x, shell->forces, shell->count * sizeof *shell->x);
    memcpy(shell->kept, shell->x, shell->count * sizeof *shell->kept);
    add_noise(shell);
    ruga_status status = solve(shell, start);
    if (RUGA_FAILED(status)) memcpy(shell->x, shell->kept, shell->count * sizeof *shell->kept);
    TRY(status);
    measure_amplitude(shell);
    return shell->report.stalled ? RUGA_WARNING_NOT_CONVERGED : RUGA_OK;
}

void ruga_embedded_shell_reset(ruga_embedded_shell *shell) {
    memcpy(shell->x, shell->mesh->positions, shell->count * sizeof *shell->x);
    memcpy(shell->carrier, shell->mesh->positions, shell->count * sizeof *shell->x);
    if (shell->rows) memset(shell->multipliers, 0, shell->rows->rows * sizeof *shell->multipliers);
    shell_solver_forget(shell->solver);
}

/* ---- Reading. */

const ruga_vec3 *ruga_embedded_shell_positions(const ruga_embedded_shell *shell) { return shell->x; }
ruga_embedded_shell_report ruga_embedded_shell_get_report(const ruga_embedded_shell *shell) { return shell->report; }

/* At rest the elastic forces balance those of the clusters and the foundation, which act on the carrier with the
 * opposite sign: the carrier feels the elastic forces themselves. */
void ruga_embedded_shell_add_forces(const ruga_embedded_shell *shell, ruga_vec3 *forces) {
    shell_elastic_gradient(shell, shell->x, shell->forces);
    for (size_t v = 0; v < shell->count; v++) forces[v] = vec3_sub(forces[v], shell->forces[v]);
}
