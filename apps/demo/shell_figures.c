/* Demo: how an embedded shell is tied to its body (Rémillard and Kry 2013, figures 2 to 4). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/scenes.h"
#include "section_shell.h"

/* ---- Figure 2: regions of clusters. Each colour is a mesh of its own. */

enum { COLOURS = 7 };
static const ruga_colour palette[COLOURS] = {{0.85f, 0.45f, 0.38f}, {0.42f, 0.62f, 0.78f}, {0.56f, 0.72f, 0.45f},
                                             {0.90f, 0.74f, 0.42f}, {0.66f, 0.54f, 0.74f}, {0.45f, 0.72f, 0.70f},
                                             {0.78f, 0.62f, 0.52f}};

/* For each triangle the cluster that weighs it most. */
static int find_regions(demo *d, const ruga_mesh *mesh, const ruga_map *clusters, uint32_t *regions) {
    ruga_map *columns = NULL;
    double *sums = NULL;
    int code = demo_code(d, ruga_map_transpose(clusters, &columns));
    if (!code) code = demo_keep(d, DEMO_MAP, columns);
    if (!code) code = DEMO_NEW(d, sums, clusters->rows);
    for (size_t t = 0; t < mesh->triangle_count && !code; t++) {
        double most = -1;
        for (int pass = 0; pass < 3; pass++) /* 0: sums, 1: the greatest, 2: zeros again */
            for (int k = 0; k < 3; k++) {
                const uint32_t v = mesh->triangles[3 * t + (size_t)k];
                for (size_t e = columns->offsets[v]; e < columns->offsets[v + 1]; e++) {
                    double *sum = &sums[columns->indices[e]];
                    if (pass == 0) *sum += columns->weights[e];
                    if (pass == 1 && *sum > most) most = *sum, regions[t] = columns->indices[e];
                    if (pass == 2) *sum = 0;
                }
            }
    }
    return code;
}

/* Clusters that have a vertex in common have different colours, as far as these suffice. */
static void colour_clusters(const ruga_mesh *mesh, const uint32_t *regions, size_t count, unsigned char *colours,
                            uint32_t *at_vertex) {
    for (size_t k = 0; k < count; k++) {
        int uses[COLOURS] = {0};
        memset(at_vertex, 0, mesh->vertex_count * sizeof *at_vertex);
        for (size_t t = 0; t < mesh->triangle_count; t++)
            for (int c = 0; c < 3 && regions[t] == k; c++) at_vertex[mesh->triangles[3 * t + (size_t)c]] = 1;
        for (size_t t = 0; t < mesh->triangle_count; t++)
            for (int c = 0; c < 3 && regions[t] < k; c++)
                uses[colours[regions[t]]] += (int)at_vertex[mesh->triangles[3 * t + (size_t)c]];
        colours[k] = (unsigned char)(k % COLOURS);
        for (int c = 0; c < COLOURS; c++)
            if (uses[c] < uses[colours[k]]) colours[k] = (unsigned char)c;
    }
}

static int colour_regions(demo *d, const ruga_mesh *mesh, double wavelength, ruga_render_mesh *looks) {
    const ruga_embedded_shell_def def = skinned_def(1, wavelength / 20, wavelength, 1e-2);
    ruga_embedded_shell *shell = NULL;
    uint32_t *regions = NULL, *at_vertex = NULL, *faces = NULL;
    unsigned char *colours = NULL;
    int code = demo_code(d, ruga_embedded_shell_create(mesh, &def, &shell));
    if (!code) code = demo_keep(d, DEMO_SHELL, shell);
    if (!code) code = DEMO_NEW(d, regions, mesh->triangle_count);
    if (!code) code = DEMO_NEW(d, at_vertex, mesh->vertex_count);
    if (!code) code = DEMO_NEW(d, faces, 3 * mesh->triangle_count);
    const ruga_map *clusters = code ? NULL : ruga_embedded_shell_clusters(shell);
    if (!code) code = DEMO_NEW(d, colours, clusters->rows);
    if (!code) code = find_regions(d, mesh, clusters, regions);
    if (!code) colour_clusters(mesh, regions, clusters->rows, colours, at_vertex);
    for (int c = 0; c < COLOURS && !code; c++) {
        ruga_mesh *part = NULL;
        size_t count = 0;
        for (size_t t = 0; t < mesh->triangle_count; t++)
            if (colours[regions[t]] == c) memcpy(faces + 3 * count++, mesh->triangles + 3 * t, 3 * sizeof *faces);
        code = demo_mesh(d, mesh->positions, mesh->vertex_count, NULL, faces, count, &part);
        looks[c] = ruga_render_mesh_default(part);
        looks[c].front = looks[c].back = palette[c];
        looks[c].shading = RUGA_SHADING_FLAT;
    }
    return code;
}

int demo_make_shell_regions(demo *d) {
    static const demo_parameter size[] = {{"cells", 64}, {NULL, 0}};
    static const double waves[2] = {0.07, 0.035};
    static const char *const names[] = {"the mesh", "clusters for waves of 70 mm", "35 mm"};
    const ruga_camera camera = demo_eye((ruga_vec3){0.45, 0.29, 0.85}, (ruga_vec3){0, 0.185, 0}, 26);
    ruga_mesh *bust = NULL;
    ruga_render_mesh *looks = NULL;
    int code = demo_model(d, "bust", size, &bust);
    if (!code) code = DEMO_NEW(d, looks, 1 + 2 * COLOURS);
    for (int i = 0; i < 2 && !code; i++) code = colour_regions(d, bust, waves[i], looks + 1 + COLOURS * i);
    if (code) return code;
    looks[0] = demo_wire(bust);
    looks[0].wire_width = 0.7f;
    ruga_panel panels[3];
    for (int i = 0; i < 3; i++)
        panels[i] = (ruga_panel){.caption = names[i],
                                 .mesh_count = i ? COLOURS : 1,
                                 .meshes = looks + (i ? 1 + COLOURS * (i - 1) : 0),
                                 .camera = camera};
    ruga_render_def picture = demo_def(1800, 700, panels, 3, 3);
    return demo_still(d, &picture, "shell-regions.png");
}

/* ---- Figure 3: a bar that is bent in its middle. */

#define BEND_ANGLE (50 * DEMO_PI / 180)
#define BEND_HALF 0.06 /* m, of the part that bends */

/* The middle becomes an arc about an axis along z; the ends stay straight. */
static ruga_vec3 bent(ruga_vec3 p, double t) {
    const double angle = t * BEND_ANGLE / 2, radius = BEND_HALF / angle, side = p.x < 0 ? -1 : 1;
    const double along = fmin(fabs(p.x), BEND_HALF), rest = fabs(p.x) - along, turn = along / radius;
    const double height = radius - p.y;
    return (ruga_vec3){side * (height * sin(turn) + rest * cos(turn)), radius - height * cos(turn) + rest * sin(turn),
                       p.z};
}

/* The distance of the smooth skin from the smooth body, outwards; cut off at some millimetres. */
static int colour_distances(demo *d, skinned *s, double cut, ruga_render_mesh *look) {
    const size_t count = s->mesh->vertex_count, fine = s->smooth->vertex_count;
    ruga_vec3 *body = NULL, *smooth = NULL, *normals = NULL;
    double *values = NULL;
    int code = DEMO_NEW(d, body, count);
    if (!code) code = DEMO_NEW(d, smooth, fine);
    if (!code) code = DEMO_NEW(d, normals, fine);
    if (!code) code = DEMO_NEW(d, values, fine);
    for (size_t v = 0; v < count && !code; v++) body[v] = bent(s->mesh->positions[v], s->time);
    if (!code) ruga_map_apply(s->map, body, smooth);
    if (!code) code = demo_code(d, ruga_mesh_normals(s->smooth, smooth, normals));
    for (size_t v = 0; v < fine && !code; v++) {
        const ruga_vec3 a = s->now.positions[v], b = smooth[v], n = normals[v];
        values[v] = 1e3 * ((a.x - b.x) * n.x + (a.y - b.y) * n.y + (a.z - b.z) * n.z);
    }
    look->scalar_values = values;
    look->scalar_low = -cut;
    look->scalar_high = cut;
    look->diverging = 1;
    look->scalar_label = "distance (mm)";
    return code;
}

int demo_make_shell_spectral(demo *d) {
    static const demo_parameter size[] = {{"length", 0.8}, {"height", 0.1},      {"depth", 0.1},
                                          {"cells", 84},   {"cells_across", 11}, {NULL, 0}};
    static const char *const names[] = {"smooth functions on the whole surface", "clusters"};
    ruga_mesh *bar = NULL;
    gallery *g = NULL;
    skinned *skins = NULL;
    moment *views = NULL;
    int code = demo_model(d, "bar", size, &bar);
    if (!code) code = DEMO_NEW(d, g, 1);
    if (!code) code = DEMO_NEW(d, skins, 2);
    if (!code) code = DEMO_NEW(d, views, 2);
    for (int i = 0; i < 2 && !code; i++) {
        ruga_embedded_shell_def def = skinned_def(0, 0.003, 0.06, 1e-2);
        def.constraints = i ? RUGA_SHELL_CLUSTERS : RUGA_SHELL_SPECTRAL;
        code = skinned_make(d, bar, &def, &skins[i]);
        if (!code) code = skinned_move(d, &skins[i], bent, 1, 3);
        if (!code)
            gallery_add(g, names[i], skinned_look(&skins[i], &views[i], demo_skin),
                        demo_eye((ruga_vec3){0.25, 1.05, 1.3}, (ruga_vec3){0, 0.045, 0}, 21.5));
        if (!code) code = colour_distances(d, &skins[i], 0.6, &g->looks[i]);
    }
    ruga_render_def picture = demo_def(1800, 640, code ? NULL : g->panels, 2, 2);
    return code ? code : demo_still(d, &picture, "shell-spectral.png");
}

/* ---- Figure 4: linear and quadratic elements below a skin. */

static const char bar_format[] =
    "{\"time\": {\"fps\": 24, \"frames\": 5, \"substeps\": 4}, \"gravity\": [0, 0, 0],"
    " \"objects\": [{\"name\": \"bar\","
    " \"mesh\": {\"kind\": \"bar\", \"length\": 0.5, \"height\": 0.11, \"depth\": 0.11, \"cells\": %d,"
    " \"cells_across\": %d},"
    " \"body\": {\"kind\": \"lattice\", \"spacing\": 0.1, \"elements\": \"%s\", \"integrator\": \"quasistatic\","
    " \"pins\": [{\"kind\": \"fixed\", \"box_to\": [-0.23, 9, 9]}, {\"kind\": \"fixed\", \"box_from\": [0.23, -9, -9]},"
    " {\"kind\": \"path\", \"box_from\": [-0.025, -9, -9], \"box_to\": [0.025, 9, 9],"
    " \"keys\": [{\"time\": 0}, {\"time\": 0.1667, \"move\": [0, -0.08, 0]}]}]},"
    " \"details\": [{\"kind\": \"shell\", \"coupling\": \"one_way\", \"thickness\": %g, \"stiffness\": 1e6,"
    " \"wavelength\": %g, \"tolerance\": 0.01}, {\"kind\": \"subdivide\", \"method\": \"loop\", \"n\": 1}]}]}";

static int run_bar(demo *d, const char *elements, double wavelength, ruga_scene **scene) {
    ruga_description *description = NULL;
    char text[2048];
    snprintf(text, sizeof text, bar_format, d->draft ? 30 : 72, d->draft ? 7 : 16, elements, wavelength / 20,
             wavelength);
    int code = scene_describe(d->s, "demo", text, &description);
    if (!code) code = demo_code(d, ruga_scene_create(d->s->context, ruga_description_get(description), scene));
    if (!code) code = demo_keep(d, DEMO_SCENE, *scene);
    for (int f = 0; f < (d->draft ? 2 : 5) && !code; f++) {
        code = demo_code(d, ruga_scene_step(*scene));
        if (!code) code = session_interrupted(d->s);
    }
    ruga_description_destroy(description);
    return code;
}

int demo_make_shell_elements(demo *d) {
    static const char *const names[4] = {"linear elements, waves of 80 mm", "30 mm", "quadratic elements, 80 mm",
                                         "30 mm"};
    gallery *g = NULL;
    int code = DEMO_NEW(d, g, 1);
    for (int i = 0; i < 4 && !code; i++) {
        ruga_scene *scene = NULL;
        code = run_bar(d, i < 2 ? "linear" : "quadratic", i % 2 ? 0.03 : 0.08, &scene);
        if (code) break;
        ruga_render_mesh look = ruga_render_mesh_default(ruga_scene_object_mesh(scene, 0));
        look.frame = ruga_scene_frame(scene, 0);
        look.front = demo_skin;
        gallery_add(g, names[i], look, demo_eye((ruga_vec3){0.3, 0.6, 0.85}, (ruga_vec3){0.0, -0.035, 0}, 17));
    }
    ruga_render_def picture = demo_def(1600, 760, code ? NULL : g->panels, 4, 2);
    return code ? code : demo_still(d, &picture, "shell-elements.png");
}
