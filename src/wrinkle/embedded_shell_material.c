/* Materials of embedded shells: the critical wavelength, what gives a wanted one, presets, and whether a mesh can carry
 * the waves. */
#include <math.h>

#include "geom/intersections.h"
#include "mesh/mesh.h"
#include "mesh/param.h"
#include "mesh/places.h"
#include "wrinkle/embedded_shell.h"

#define COARSE_EDGES 5  /* edges per wave below which it is not resolved */
#define WANTED_EDGES 10 /* edges per wave for a wavelength as predicted */
#define SLIVER_HEIGHT 0.1

/* ---- Equation 3. */

/* λ = 2π h c (E_x / E_q)^(1/3) */
static double plane_strain(const ruga_skin *skin) {
    return cbrt((1 - skin->interior_poisson * skin->interior_poisson) / (3 * (1 - skin->poisson * skin->poisson)));
}

double ruga_skin_wavelength(const ruga_skin *skin) {
    return 2 * SHELL_PI * skin->thickness * plane_strain(skin) * cbrt(skin->stiffness / skin->interior_stiffness);
}

double ruga_skin_thickness_for(const ruga_skin *skin, double wavelength) {
    return wavelength / (2 * SHELL_PI * plane_strain(skin) * cbrt(skin->stiffness / skin->interior_stiffness));
}

double ruga_skin_ratio_for(const ruga_skin *skin, double wavelength) {
    double root = wavelength / (2 * SHELL_PI * skin->thickness * plane_strain(skin));
    return root * root * root;
}

const ruga_skin_preset *ruga_skin_preset_get(size_t index) {
    static const ruga_skin_preset presets[] = {
        {"leather on foam",
         "Rémillard and Kry 2013, section 4.1; Poisson's ratios are chosen",
         {0.002, 40e6, 0.3, 0.5e6, 0.3}},
        {"skin on flesh",
         "0.42 MPa and 2 mm of epidermis and dermis are chosen: published moduli of skin range from 5 kPa to 140 MPa "
         "(Kalra, Lowe and Al-Jumaily: Mechanical behaviour of skin: a review). Fat of 2 kPa is the order of "
         "magnitude of 6 C10 with C10 = 0.42 kPa (Tran et al.: In vivo characterization of the mechanical properties "
         "of human skin derived from MRI and indentation techniques, Computer Methods in Biomechanics and Biomedical "
         "Engineering 10(6), 2007). Poisson's ratios are chosen",
         {0.002, 0.42e6, 0.45, 2e3, 0.45}},
        {"drying fruit",
         "24 MPa is the greatest modulus of apple peels in tension (Wang, Cui, Li and Liu: Experimental research on "
         "mechanical properties of apple peels, Journal of Engineering and Technological Sciences 47, 2015, 688-705). "
         "The thickness, with cells that dry along with the peel, Poisson's ratios, and the softened flesh are chosen: "
         "about 13 ridges around a plum of 4 cm",
         {0.0005, 24e6, 0.4, 0.24e6, 0.45}},
        {"epidermis on dermis",
         "fine lines: epidermis at 1 to 2 MPa (Geerligs et al.: In vitro indentation to determine the mechanical "
         "properties of epidermis, Journal of Biomechanics 44, 2011). A dermis of 35 kPa is the order of magnitude "
         "of 66 kPa on cheeks (Hara et al.: The relationship between the Young's modulus of the stratum corneum and "
         "age: a pilot study, Skin Research and Technology 19(3), 2013, 339-345). Thickness and Poisson's ratios are "
         "chosen",
         {0.00014, 1.5e6, 0.45, 35e3, 0.45}},
    };
    return index < sizeof presets / sizeof presets[0] ? &presets[index] : NULL;
}

/* ---- Values of the vertices. */

static ruga_status check_numbers(const ruga_embedded_shell *shell) {
    const ruga_embedded_shell_def *def = &shell->def;
    const struct {
        const char *name;
        double value;
    } ratios[] = {{"the skin", def->poisson}, {"the interior", def->interior_poisson}};
    for (int k = 0; k < 2; k++)
        if (!(ratios[k].value >= 0 && ratios[k].value < 0.5))
            return fail_input(shell->context,
                              "shell: the Poisson ratio of %s is %g; it must be at least 0 and below 0.5, say 0.49 for "
                              "rubber",
                              ratios[k].name, ratios[k].value);
    if (!(def->spacing >= 0.2 && def->spacing <= 20) && !isnan(def->spacing))
        return fail_input(shell->context, "shell: the spacing of clusters is %g r; it must be from 0.2 to 20",
                          def->spacing);
    if (!(def->foundation >= 0) || !isfinite(def->foundation))
        return fail_input(shell->context, "shell: the foundation is %g; it must be finite and not negative",
                          def->foundation);
    if (!isnan(def->cluster_wavelength) && !(def->cluster_wavelength > 0 && isfinite(def->cluster_wavelength)))
        return fail_input(shell->context, "shell: the wavelength of its clusters is %g m; it must be positive",
                          def->cluster_wavelength);
    if (def->constraints == RUGA_SHELL_PENALTY && !(def->foundation > 0))
        return fail_input(shell->context,
                          "shell: springs alone tie it to its carrier, but the foundation is 0; choose "
                          "a positive one, or clusters");
    if (!(def->tolerance > 0 && def->tolerance < 1) || def->iterations < 1)
        return fail_input(
            shell->context,
            "shell: the tolerance is %g with at most %d iterations; it must be between 0 and 1, with at least one "
            "iteration",
            def->tolerance, def->iterations);
    return RUGA_OK;
}

static ruga_status evaluate(const ruga_embedded_shell *shell, const ruga_mesh *given, const ruga_param *param,
                            const char *name, const char *unit, double *out) {
    TRY(param_prepare(param, name, given, out));
    for (size_t i = 0; i < shell->count; i++)
        if (!(out[i] > 0) || !isfinite(out[i]))
            return fail_input(shell->context, "shell: the %s at vertex %zu is %g %s; it must be positive and finite",
                              name, i, out[i], unit);
    return RUGA_OK;
}

static ruga_status evaluate_all(ruga_embedded_shell *shell, const ruga_mesh *given, double *skin, double *interior) {
    const ruga_embedded_shell_def *def = &shell->def;
    TRY(evaluate(shell, given, &def->thickness, "thickness", "m", shell->thickness));
    TRY(evaluate(shell, given, &def->stiffness, "stiffness", "Pa", skin));
    TRY(evaluate(shell, given, &def->interior_stiffness, "interior stiffness", "Pa", interior));
    for (size_t i = 0; i < shell->count; i++) {
        const double h = shell->thickness[i];
        const ruga_skin here = {h, skin[i], def->poisson, interior[i], def->interior_poisson};
        shell->stretch[i] = skin[i] * h;
        shell->bend[i] = skin[i] * h * h * h / (12 * (1 - def->poisson * def->poisson));
        shell->wavelengths[i] = ruga_skin_wavelength(&here);
        shell->shifts[i] = shell->areas[i] * shell->bend[i] * pow(2 * SHELL_PI / shell->wavelengths[i], 4);
    }
    return RUGA_OK;
}

/* Springs of the foundation. Vertices in no triangle, as those inside of flesh, have one, too: it alone keeps them on
 * the carrier. */
static ruga_status make_foundation(ruga_embedded_shell *shell) {
    size_t loose = 0;
    double sum = 0;
    for (size_t i = 0; i < shell->count; i++) {
        loose += !(shell->areas[i] > 0);
        sum += shell->shifts[i];
    }
    if (loose && shell->def.constraints == RUGA_SHELL_SPECTRAL)
        return fail_input(shell->context,
                          "shell: %zu of %zu vertices belong to no triangle, as those inside of flesh do; spectral "
                          "constraints need a surface alone. Use clusters",
                          loose, shell->count);
    if (!loose && !(shell->def.foundation > 0)) return RUGA_OK;
    const double mean = sum / (double)(shell->count - loose);
    TRY(NEW(shell->context, &shell->foundation, shell->count));
    for (size_t i = 0; i < shell->count; i++)
        shell->foundation[i] = shell->areas[i] > 0 ? shell->def.foundation * shell->shifts[i] : mean;
    return RUGA_OK;
}

/* scratch: (count). */
static ruga_status find_held(ruga_embedded_shell *shell, const ruga_mesh *given, double *scratch) {
    size_t count = 0;
    TRY(param_prepare(&shell->def.hold, "hold", given, scratch));
    for (size_t i = 0; i < shell->count; i++) {
        if (!(scratch[i] >= 0 && scratch[i] <= 1))
            return fail_input(shell->context, "shell: hold at vertex %zu is %g; it must be from 0, free, to 1, fixed",
                              i, scratch[i]);
        count += scratch[i] > 0.5;
    }
    if (count == 0) return RUGA_OK;
    TRY(NEW(shell->context, &shell->held, shell->count));
    for (size_t i = 0; i < shell->count; i++) shell->held[i] = scratch[i] > 0.5;
    return RUGA_OK;
}

static ruga_status check_triangles(const ruga_mesh *mesh) {
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *c = mesh->triangles + 3 * t;
        const vec3 a = vec3_sub(mesh->positions[c[1]], mesh->positions[c[0]]),
                   b = vec3_sub(mesh->positions[c[2]], mesh->positions[c[0]]);
        if (vec3_length(vec3_cross(a, b)) > 0) continue;
        return fail_input(
            mesh->context,
            "shell: triangle %zu (vertices %u, %u, %u) has no area; a skin can't bend there. Remove it, or "
            "remesh the surface with triangles of even shape",
            t, c[0], c[1], c[2]);
    }
    return RUGA_OK;
}

ruga_status shell_prepare_material(ruga_embedded_shell *shell, const ruga_mesh *given) {
    ruga_context *context = shell->context;
    double *skin = NULL, *interior = NULL;
    TRY(check_numbers(shell));
    TRY(check_triangles(shell->mesh));
    TRY(NEW_EACH(context, shell->count, &shell->thickness, &shell->stretch, &shell->bend));
    TRY(NEW_EACH(context, shell->count, &shell->wavelengths, &shell->shifts, &shell->areas));
    TRY(ruga_mesh_masses(shell->mesh, 1, shell->areas));
    ruga_status status = NEW_EACH(context, shell->count, &skin, &interior);
    if (!RUGA_FAILED(status)) status = evaluate_all(shell, given, skin, interior);
    if (!RUGA_FAILED(status)) status = find_held(shell, given, skin);
    RELEASE_ALL(context, skin, interior);
    TRY(status);
    return make_foundation(shell);
}

/* ---- Warnings. */

static void measure_edges(ruga_embedded_shell *shell) {
    ruga_embedded_shell_report *r = &shell->report;
    double sum = 0;
    for (size_t e = 0; e < shell->topo->edge_count; e++) {
        const uint32_t *v = shell->topo->edge_vertices + 2 * e;
        double length = vec3_distance(shell->mesh->positions[v[0]], shell->mesh->positions[v[1]]);
        sum += length;
        r->longest_edge = fmax(r->longest_edge, length);
    }
    r->mean_edge = shell->mean_edge = shell->topo->edge_count ? sum / (double)shell->topo->edge_count : 0;
}

/* Returns by how much the waves would have to be longer to have COARSE_EDGES edges at every vertex; below 1: they have.
 */
static double measure_waves(ruga_embedded_shell *shell) {
    ruga_embedded_shell_report *r = &shell->report;
    double area = 0, sum = 0, worst = 0;
    r->least_wavelength = INFINITY;
    for (size_t i = 0; i < shell->count; i++) {
        r->least_wavelength = fmin(r->least_wavelength, shell->wavelengths[i]);
        r->greatest_wavelength = fmax(r->greatest_wavelength, shell->wavelengths[i]);
        sum += shell->areas[i] * shell->wavelengths[i];
        area += shell->areas[i];
        double edges = 0;
        const uint32_t begin = shell->topo->ring_offsets[i], end = shell->topo->ring_offsets[i + 1];
        for (uint32_t k = begin; k < end; k++)
            edges += vec3_distance(shell->mesh->positions[i], shell->mesh->positions[shell->topo->ring_vertices[k]]);
        if (end == begin) continue; /* inside flesh */
        const double lengthening = edges * COARSE_EDGES / (shell->wavelengths[i] * (end - begin));
        worst = fmax(worst, lengthening);
        r->coarse_vertices += lengthening > 1;
    }
    r->wavelength = sum / area;
    r->wanted_edge = r->least_wavelength / WANTED_EDGES;
    return worst;
}

static double longest_edge_of(const ruga_mesh *mesh, size_t t) {
    const uint32_t *c = mesh->triangles + 3 * t;
    double longest = 0;
    for (int k = 0; k < 3; k++)
        longest = fmax(longest, vec3_distance(mesh->positions[c[k]], mesh->positions[c[(k + 1) % 3]]));
    return longest;
}

/* Its height over its longest edge. */
static double flatness_of(const ruga_mesh *mesh, size_t t) {
    const double longest = longest_edge_of(mesh, t);
    return 2 * mesh_triangle_area(mesh, t) / (longest * longest);
}

static void count_slivers(ruga_embedded_shell *shell) {
    for (size_t t = 0; t < shell->mesh->triangle_count; t++)
        shell->report.sliver_count += flatness_of(shell->mesh, t) < SLIVER_HEIGHT;
}

ruga_status shell_fail_at_sliver(const ruga_embedded_shell *shell) {
    const ruga_mesh *mesh = shell->mesh;
    size_t worst = 0;
    for (size_t t = 1; t < mesh->triangle_count; t++)
        if (flatness_of(mesh, t) < flatness_of(mesh, worst)) worst = t;
    const uint32_t *c = mesh->triangles + 3 * worst;
    const double longest = longest_edge_of(mesh, worst);
    return fail_input(
        shell->context,
        "shell: triangle %zu (vertices %u, %u, %u) has nearly no area: it is %.2g m high, and its longest "
        "edge is %.2g m. Merge its vertices, or remesh the surface with triangles of even shape",
        worst, c[0], c[1], c[2], flatness_of(mesh, worst) * longest, longest);
}

static ruga_status count_intersections(ruga_embedded_shell *shell) {
    const ruga_mesh *mesh = shell->mesh;
    intersection_array found = {0};
    uint32_t *welds = NULL;
    TRY(NEW(shell->context, &welds, shell->count));
    ruga_status status = places_find(shell->context, shell->count, mesh->positions, welds);
    if (!RUGA_FAILED(status))
        status = intersections_find(shell->context, shell->count, mesh->positions, mesh->triangle_count,
                                    mesh->triangles, welds, NULL, &found);
    shell->report.self_intersections = found.count;
    if (found.count)
        log_warning(shell->context,
                    "%s: the mesh intersects itself at %zu pairs of triangles, first %u and %u near (%.3g, %.3g, "
                    "%.3g); its skin passes through itself there. Separate these parts in a modeller",
                    shell->label, found.count, found.items[0].triangles[0], found.items[0].triangles[1],
                    found.items[0].point.x, found.items[0].point.y, found.items[0].point.z);
    ARRAY_RELEASE(shell->context, &found);
    memory_release(shell->context, welds);
    return status;
}

static double size_of(const ruga_mesh *mesh) {
    vec3 low = mesh->positions[0], high = low;
    for (size_t i = 1; i < mesh->vertex_count; i++) {
        vec3 p = mesh->positions[i];
        low = (vec3){fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z)};
        high = (vec3){fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z)};
    }
    return vec3_distance(low, high);
}

ruga_status shell_warn(ruga_embedded_shell *shell) {
    ruga_embedded_shell_report *r = &shell->report;
    r->vertices = shell->count;
    r->triangles = shell->mesh->triangle_count;
    measure_edges(shell);
    const double coarsest = measure_waves(shell);
    count_slivers(shell);
    const double size = shell->size = size_of(shell->mesh);
    if (r->coarse_vertices)
        log_warning(shell->context,
                    "%s: the wavelength is %.3g m, but edges are %.3g m long on average; at %zu of %zu vertices a "
                    "wave has fewer than %d edges, and wrinkles there are weak or missing. Use edges of %.3g m: "
                    "subdivide the mesh by n = %.0f, or give a wavelength: this mesh, %.3g m in size, carries waves "
                    "from %.2g m on where its edges are of average length, and from %.2g m on everywhere",
                    shell->label, r->least_wavelength, r->mean_edge, r->coarse_vertices, shell->count, COARSE_EDGES,
                    r->wanted_edge, ceil(r->mean_edge / r->wanted_edge), size, COARSE_EDGES * r->mean_edge,
                    coarsest * r->least_wavelength);
    if (r->wavelength > size)
        log_warning(shell->context,
                    "%s: the wavelength of %.3g m is above the object's size of %.3g m; it will not wrinkle. Choose "
                    "a thinner skin, or check the unit of the mesh",
                    shell->label, r->wavelength, size);
    if (r->sliver_count)
        log_warning(shell->context,
                    "%s: %zu of %zu triangles are slivers, lower than a tenth of their longest edge; they bend too "
                    "stiffly. Remesh the surface with triangles of even shape",
                    shell->label, r->sliver_count, r->triangles);
    return count_intersections(shell);
}
