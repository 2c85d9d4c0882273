/* Embedded thin shells: making, updating, reading. */
#include "wrinkle/embedded_shell.h"

#include <math.h>
#include <stdio.h>

#include "mesh/mesh.h"

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
                                     .iterations = 200,
                                     .contact = 1};
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
    TRY(NEW_EACH(context, shell->count, &shell->goal, &shell->origin, &shell->moved, &shell->before));
    TRY(NEW(context, &shell->last, shell->count));
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
    TRY(shell_warn(shell));
    TRY(shell_make_energy(shell));
    TRY(shell_make_rows(shell));
    TRY(make_scratch(shell));
    TRY(shell_waves_create(shell, &shell->waves));
    if (shell->def.solver == RUGA_SHELL_REFERENCE) return shell_reference_create(shell, &shell->reference);
    TRY(shell_carry_create(shell, &shell->carry));
    if (shell->def.contact && !(shell->rows && 3 * shell->rows->rows > shell->count)) {
        TRY(shell_contact_create(shell, &shell->contact));
        if (shell->rows) TRY(NEW_ZEROED(shell->context, &shell->softness, shell->rows->rows));
    }
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
    shell->def.name = NULL;
    if (def->name && *def->name)
        snprintf(shell->label, sizeof shell->label, "object \"%.64s\": shell", def->name);
    else
        snprintf(shell->label, sizeof shell->label, "shell");
    shell->count = mesh->vertex_count;
    RETURN_MADE(make(shell, mesh), shell, out, ruga_embedded_shell_destroy(shell));
}

void ruga_embedded_shell_destroy(ruga_embedded_shell *shell) {
    if (!shell) return;
    shell_solver_destroy(shell->solver);
    shell_reference_destroy(shell->reference);
    shell_carry_destroy(shell->carry);
    shell_contact_destroy(shell->contact);
    shell_waves_destroy(shell->waves);
    membrane_destroy(shell->membrane);
    hinge_pairs_destroy(shell->pairs);
    hinges_destroy(shell->hinges);
    block_matrix_destroy(shell->hessian);
    ruga_map_destroy(shell->rows);
    ruga_map_destroy(shell->columns);
    topology_destroy(shell->topo);
    ruga_mesh_destroy(shell->mesh);
    RELEASE_ALL(shell->context, shell->areas, shell->thickness, shell->stretch, shell->bend, shell->wavelengths,
                shell->shifts, shell->foundation, shell->held, shell->x, shell->carrier, shell->multipliers,
                shell->kept, shell->offsets, shell->normals, shell->forces, shell->constraints, shell->normal_scratch,
                shell->goal, shell->origin, shell->moved, shell->before, shell->last, shell->softness, shell);
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
    double sum = 0, area = 0, worst = 0, most = 0;
    for (size_t v = 0; v < shell->count; v++) {
        vec3 d = vec3_sub(shell->x[v], shell->carrier[v]);
        sum += shell->areas[v] * vec3_length2(d);
        area += shell->areas[v];
        shell->offsets[v] = d;
    }
    r->amplitude = sqrt(sum / area);
    if (shell->rows) {
        ruga_map_apply(shell->rows, shell->offsets, shell->constraints);
        for (size_t k = 0; k < shell->rows->rows; k++) {
            const int is_soft = shell->soft_count && shell->softness[k] > 0;
            double *which = is_soft ? &most : &worst;
            *which = fmax(*which, vec3_length2(shell->constraints[k]));
        }
    }
    r->constraint_error = sqrt(worst);
    r->yielding_clusters = shell->soft_count;
    r->greatest_yield = sqrt(most);
    r->energy = shell_energy(shell, shell->x);
}

ruga_status ruga_embedded_shell_update(ruga_embedded_shell *shell, const ruga_vec3 *carrier) {
    TRY(check_carrier(shell, carrier));
    TRY(shell_move(shell, carrier));
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

const ruga_map *ruga_embedded_shell_clusters(const ruga_embedded_shell *shell) { return shell->rows; }

/* At rest the elastic forces balance those of the clusters and the foundation, which act on the carrier with the
 * opposite sign: the carrier feels the elastic forces themselves. */
ruga_status ruga_embedded_shell_add_forces(const ruga_embedded_shell *shell, ruga_vec3 *forces) {
    shell_elastic_gradient(shell, shell->x, shell->forces);
    TRY(shell_contact_status(shell));
    for (size_t v = 0; v < shell->count; v++) forces[v] = vec3_sub(forces[v], shell->forces[v]);
    return RUGA_OK;
}
