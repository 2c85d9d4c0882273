/* Demo: meshes. Models by formula, ways to cut a sheet, polygons, subdivision. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "demo.h"

enum { MAX_MODELS = 16 };

/* ---- Every model, in one grid. */
typedef struct model_grid {
    size_t count;
    ruga_mesh *meshes[MAX_MODELS];
    ruga_render_mesh looks[MAX_MODELS];
    ruga_panel panels[MAX_MODELS];
} model_grid;

static int model_grid_make(demo *d, model_grid *g) {
    size_t count = ruga_model_count() < MAX_MODELS ? ruga_model_count() : MAX_MODELS;
    for (g->count = 0; g->count < count; g->count++) {
        size_t i = g->count;
        const char *name = ruga_model_get(i)->name;
        int code = demo_model(d, name, NULL, &g->meshes[i]);
        if (code) return code;
        g->looks[i] = ruga_render_mesh_default(g->meshes[i]);
        g->looks[i].wireframe = 1;
        g->looks[i].wire_width = 1.0f;
        g->panels[i] =
            (ruga_panel){.caption = name, .mesh_count = 1, .meshes = &g->looks[i], .camera = demo_camera(30, 28)};
    }
    return 0;
}

static void model_grid_release(model_grid *g) {
    for (size_t i = 0; i < g->count; i++) ruga_mesh_destroy(g->meshes[i]);
}

static int make_models(demo *d) {
    model_grid g = {0};
    int code = model_grid_make(d, &g);
    ruga_render_def def = demo_def(1800, 1480, g.panels, g.count, 4);
    if (!code) code = demo_still(d, &def, "models.png");
    model_grid_release(&g);
    return code;
}

enum { CAROUSEL_FRAMES = 120 };

static int turn_grid(void *user, size_t frame, ruga_render_def *def) {
    model_grid *g = user;
    (void)def;
    for (size_t i = 0; i < g->count; i++) {
        g->panels[i].camera.azimuth = 30 + 360.0 * (double)frame / CAROUSEL_FRAMES;
        g->panels[i].camera.steady = 1;
    }
    return 0;
}

static int make_carousel(demo *d) {
    model_grid g = {0};
    int code = model_grid_make(d, &g);
    ruga_render_def def = demo_def(1296, 1080, g.panels, g.count, 4);
    if (!code) code = demo_film(d, "carousel.mp4", CAROUSEL_FRAMES, 24, &def, turn_grid, &g);
    model_grid_release(&g);
    return code;
}

/* ---- Three ways to cut a sheet into triangles. */
static int make_triangulations(demo *d) {
    static const char *const captions[] = {"regular", "alternating", "irregular"};
    ruga_mesh *meshes[3] = {NULL};
    ruga_render_mesh looks[3];
    ruga_panel panels[3];
    int code = 0;
    for (int i = 0; i < 3 && !code; i++) {
        demo_parameter parameters[] = {{"triangulation", i}, {"upright", 1}, {"columns", 14}, {"rows", 14}, {NULL, 0}};
        code = demo_model(d, "sheet", parameters, &meshes[i]);
        if (code) break;
        looks[i] = demo_wire(meshes[i]);
        panels[i] =
            (ruga_panel){.caption = captions[i], .mesh_count = 1, .meshes = &looks[i], .camera = demo_camera(0, 0)};
    }
    ruga_render_def def = demo_def(1800, 700, panels, 3, 3);
    if (!code) code = demo_still(d, &def, "triangulations.png");
    for (int i = 0; i < 3; i++) ruga_mesh_destroy(meshes[i]);
    return code;
}

/* ---- Polygons: the dual of a triangle mesh on a sphere has hexagons and twelve pentagons. */
static ruga_vec3 unit_middle(const ruga_mesh *mesh, size_t triangle) {
    ruga_vec3 sum = {0, 0, 0};
    for (int k = 0; k < 3; k++) {
        ruga_vec3 p = mesh->positions[mesh->triangles[3 * triangle + (size_t)k]];
        sum = (ruga_vec3){sum.x + p.x, sum.y + p.y, sum.z + p.z};
    }
    double length = sqrt(sum.x * sum.x + sum.y * sum.y + sum.z * sum.z);
    return (ruga_vec3){sum.x / length, sum.y / length, sum.z / length};
}

/* The triangles around every vertex, one after the other: next[3t + k] is the triangle that follows t around its k-th
 * vertex. For a closed, oriented surface. Quadratic, which is fine for a few hundred triangles. */
static void follow_triangles(const ruga_mesh *mesh, uint32_t *next) {
    const uint32_t *t = mesh->triangles;
    for (size_t i = 0; i < 3 * mesh->triangle_count; i++) {
        uint32_t v = t[i], before = t[i / 3 * 3 + (i + 2) % 3];
        for (size_t j = 0; j < 3 * mesh->triangle_count; j++)
            if (t[j] == v && t[j / 3 * 3 + (j + 1) % 3] == before) next[i] = (uint32_t)j;
    }
}

/* The polygons of the dual: for every vertex, the triangles around it. Returns how many. */
static size_t fill_dual(const ruga_mesh *mesh, const uint32_t *next, uint8_t *seen, uint32_t *sizes,
                        uint32_t *vertices) {
    size_t used = 0, faces = 0;
    for (size_t first = 0; first < 3 * mesh->triangle_count; first++) {
        if (seen[first]) continue;
        size_t begin = used, corner = first;
        for (; !seen[corner]; corner = next[corner]) {
            seen[corner] = 1;
            vertices[used++] = (uint32_t)(corner / 3);
        }
        sizes[faces++] = (uint32_t)(used - begin);
    }
    return faces;
}

static int make_dual(demo *d, const ruga_mesh *mesh, ruga_mesh **out) {
    size_t triangles = mesh->triangle_count;
    ruga_vec3 *points = calloc(triangles, sizeof *points);
    uint32_t *numbers = calloc(9 * triangles, sizeof *numbers);
    uint8_t *seen = calloc(3 * triangles, 1);
    int code = points && numbers && seen ? 0 : session_no_memory(d->s);
    if (!code) {
        uint32_t *next = numbers, *sizes = numbers + 3 * triangles, *vertices = numbers + 6 * triangles;
        for (size_t i = 0; i < triangles; i++) points[i] = unit_middle(mesh, i);
        follow_triangles(mesh, next);
        size_t faces = fill_dual(mesh, next, seen, sizes, vertices);
        code = demo_mesh(d, points, triangles, sizes, vertices, faces, out);
    }
    free(points);
    free(numbers);
    free(seen);
    return code;
}

static int make_polygons(demo *d) {
    static const demo_parameter quads[] = {{"quads", 1}, {"sectors", 40}, {"sides", 18}, {NULL, 0}};
    static const demo_parameter frequency[] = {{"frequency", 5}, {NULL, 0}};
    ruga_mesh *torus = NULL, *sphere = NULL, *dual = NULL;
    int code = demo_model(d, "torus", quads, &torus);
    if (!code) code = demo_model(d, "sphere", frequency, &sphere);
    if (!code) code = make_dual(d, sphere, &dual);
    if (!code) {
        ruga_render_mesh looks[] = {demo_wire(torus), demo_wire(dual)};
        ruga_panel panels[] = {
            {.caption = "quadrilaterals", .mesh_count = 1, .meshes = &looks[0], .camera = demo_camera(30, 35)},
            {.caption = "hexagons and 12 pentagons",
             .mesh_count = 1,
             .meshes = &looks[1],
             .camera = demo_camera(20, 20)}};
        ruga_render_def def = demo_def(1800, 900, panels, 2, 2);
        code = demo_still(d, &def, "polygons.png");
    }
    ruga_mesh_destroy(dual);
    ruga_mesh_destroy(sphere);
    ruga_mesh_destroy(torus);
    return code;
}

/* ---- Subdivision: one coarse mesh, refined in three ways. */
static int refine(demo *d, const ruga_mesh *mesh, ruga_subdivision kind, int n, double length, ruga_mesh **out) {
    ruga_subdivide_def def = ruga_subdivide_def_default();
    def.kind = kind;
    def.n = n;
    def.length = length;
    ruga_status status = ruga_mesh_subdivide(mesh, &def, out, NULL);
    return demo_failed(d, status);
}

static int make_subdivision(demo *d) {
    static const demo_parameter coarse[] = {{"sectors", 9}, {"sides", 6}, {NULL, 0}};
    static const char *const captions[] = {"coarse", "regular, n = 3", "Loop, 2 rounds", "long edges, 0.1 m"};
    ruga_mesh *meshes[4] = {NULL};
    int code = demo_model(d, "torus", coarse, &meshes[0]);
    if (!code) code = refine(d, meshes[0], RUGA_SUBDIVIDE_REGULAR, 3, 1, &meshes[1]);
    if (!code) code = refine(d, meshes[0], RUGA_SUBDIVIDE_LOOP, 2, 1, &meshes[2]);
    if (!code) code = refine(d, meshes[0], RUGA_SUBDIVIDE_LONG_EDGES, 1, 0.1, &meshes[3]);
    if (!code) {
        ruga_render_mesh looks[4];
        ruga_panel panels[4];
        for (int i = 0; i < 4; i++) {
            looks[i] = demo_wire(meshes[i]);
            panels[i] = (ruga_panel){
                .caption = captions[i], .mesh_count = 1, .meshes = &looks[i], .camera = demo_camera(30, 40)};
        }
        ruga_render_def def = demo_def(1800, 1260, panels, 4, 2);
        code = demo_still(d, &def, "subdivision.png");
    }
    for (int i = 0; i < 4; i++) ruga_mesh_destroy(meshes[i]);
    return code;
}

static const demo_item items[] = {
    {.name = "models",
     .title = "Models by formula",
     .caption = "Shapes with texture coordinates; the same parameters always give the same mesh, bit for bit.",
     .commands = "ruga make torus -o torus.obj\nruga render torus.obj --wireframe -o torus.png",
     .files = {"models.png"},
     .wide = 1,
     .make = make_models},
    {.name = "triangulations",
     .title = "Regular and irregular sheets",
     .caption = "A sheet whose diagonals all run one way prefers to bend along them; alternating and irregular "
                "triangulations take that bias away.",
     .commands = "ruga make sheet --triangulation 2 --upright 1 --columns 14 --rows 14 -o sheet.obj\n"
                 "ruga render sheet.obj --wireframe --shading flat --azimuth 0 --elevation 0 -o sheet.png",
     .files = {"triangulations.png"},
     .wide = 1,
     .make = make_triangulations},
    {.name = "subdivision",
     .title = "Three subdivisions",
     .caption = "Regular splitting keeps the surface, Loop's scheme smooths it, and the longest edges are halved until "
                "none is above a given length.",
     .commands =
         "ruga make torus --sectors 9 --sides 6 -o coarse.obj\n"
         "ruga subdivide coarse.obj --kind regular --n 3 -o regular.obj\n"
         "ruga subdivide coarse.obj --kind loop --n 2 -o loop.obj\n"
         "ruga subdivide coarse.obj --kind long-edges --length 0.1 -o long.obj\n"
         "ruga render coarse.obj regular.obj loop.obj long.obj --side-by-side --columns 2 --wireframe -o all.png",
     .files = {"subdivision.png"},
     .wide = 1,
     .make = make_subdivision},
    {.name = "polygons",
     .title = "Polygons stay polygons",
     .caption = "Faces are cut into triangles to compute with, but drawn and written as they were.",
     .commands = "ruga make torus --quads 1 --sectors 40 --sides 18 -o quads.obj\n"
                 "ruga render quads.obj --wireframe --shading flat -o quads.png",
     .files = {"polygons.png"},
     .wide = 1,
     .make = make_polygons},
    {.name = "carousel",
     .title = "The models, turning",
     .caption = "Nine panels, 120 frames.",
     .files = {"carousel.mp4"},
     .wide = 1,
     .is_long = 1,
     .make = make_carousel},
};

const demo_section demo_meshes = {"meshes", "Meshes",
                                  "Shapes to start from, and ways to make them finer. Vertex order never changes: new "
                                  "vertices are appended.",
                                  items, sizeof items / sizeof items[0]};
