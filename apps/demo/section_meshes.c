/* Demo: meshes. Models by formula, triangulations, polygons, subdivision. */
#include "demo.h"

/* ---- Every model, in one grid. */
static int add_models(demo *d, gallery *g) {
    int code = 0;
    for (size_t i = 0; i < ruga_model_count() && i < GALLERY_PANELS && !code; i++) {
        ruga_mesh *mesh = NULL;
        code = demo_model(d, ruga_model_get(i)->name, NULL, &mesh);
        if (code) break;
        ruga_render_mesh look = ruga_render_mesh_default(mesh);
        look.wireframe = 1;
        look.wire_width = 1.0f;
        gallery_add(g, ruga_model_get(i)->name, look, demo_camera(30, 28));
    }
    return code;
}

static int make_models(demo *d) {
    gallery g = {0};
    int code = add_models(d, &g);
    ruga_render_def def = demo_def(1800, 1480, g.panels, g.count, 4);
    return code ? code : demo_still(d, &def, "models.png");
}

enum { CAROUSEL_FRAMES = 120 };

static int turn_models(void *user, size_t frame, ruga_render_def *def) {
    gallery *g = user;
    (void)def;
    for (size_t i = 0; i < g->count; i++) {
        g->panels[i].camera.azimuth = 30 + 360.0 * (double)frame / CAROUSEL_FRAMES;
        g->panels[i].camera.steady = 1;
    }
    return 0;
}

static int make_carousel(demo *d) {
    gallery g = {0};
    int code = add_models(d, &g);
    const demo_film_def film = {.file = "carousel.mp4",
                                .frames = CAROUSEL_FRAMES,
                                .panels = g.panels,
                                .panel_count = g.count,
                                .set_up = turn_models,
                                .user = &g};
    return code ? code : demo_film(d, &film);
}

/* ---- Three triangulations of a sheet. */
static int make_triangulations(demo *d) {
    static const char *const captions[] = {"regular", "alternating", "irregular"};
    gallery g = {0};
    int code = 0;
    for (int i = 0; i < 3 && !code; i++) {
        demo_parameter parameters[] = {{"triangulation", i}, {"upright", 1}, {"columns", 14}, {"rows", 14}, {NULL, 0}};
        ruga_mesh *sheet = NULL;
        code = demo_model(d, "sheet", parameters, &sheet);
        if (!code) gallery_add(&g, captions[i], demo_wire(sheet), demo_camera(0, 0));
    }
    ruga_render_def def = demo_def(1800, 700, g.panels, g.count, 3);
    return code ? code : demo_still(d, &def, "triangulations.png");
}

/* ---- Polygons: the dual of a triangle mesh on a sphere has hexagons and twelve pentagons. */
/* The triangles around every vertex: next[3t + k] is the corner of the triangle that follows t around its k-th
 * vertex. For a closed, oriented surface. Quadratic time, which is fine for a few hundred triangles. */
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
    ruga_vec3 *points;
    uint32_t *next, *sizes, *vertices;
    uint8_t *seen;
    int code = DEMO_NEW(d, points, triangles);
    if (!code) code = DEMO_NEW(d, next, 3 * triangles);
    if (!code) code = DEMO_NEW(d, sizes, 3 * triangles);
    if (!code) code = DEMO_NEW(d, vertices, 3 * triangles);
    if (!code) code = DEMO_NEW(d, seen, 3 * triangles);
    if (code) return code;
    /* A vertex of the dual for each triangle: its middle, on the unit sphere. */
    for (size_t i = 0; i < triangles; i++) {
        ruga_vec3 sum = {0, 0, 0};
        for (size_t k = 0; k < 3; k++) sum = vec_add(sum, 1, mesh->positions[mesh->triangles[3 * i + k]]);
        points[i] = vec_unit(sum, sum);
    }
    follow_triangles(mesh, next);
    size_t faces = fill_dual(mesh, next, seen, sizes, vertices);
    return demo_mesh(d, points, triangles, sizes, vertices, faces, out);
}

static int make_polygons(demo *d) {
    static const demo_parameter quads[] = {{"quads", 1}, {"sectors", 40}, {"sides", 18}, {NULL, 0}};
    static const demo_parameter frequency[] = {{"frequency", 5}, {NULL, 0}};
    gallery g = {0};
    ruga_mesh *torus = NULL, *sphere = NULL, *dual = NULL;
    int code = demo_model(d, "torus", quads, &torus);
    if (!code) code = demo_model(d, "sphere", frequency, &sphere);
    if (!code) code = make_dual(d, sphere, &dual);
    if (code) return code;
    gallery_add(&g, "quadrilaterals", demo_wire(torus), demo_camera(30, 35));
    gallery_add(&g, "hexagons and 12 pentagons", demo_wire(dual), demo_camera(20, 20));
    ruga_render_def def = demo_def(1800, 900, g.panels, g.count, 2);
    return demo_still(d, &def, "polygons.png");
}

/* ---- Subdivision: one coarse mesh, refined by three methods. */
static int make_subdivision(demo *d) {
    static const demo_parameter coarse[] = {{"sectors", 9}, {"sides", 6}, {NULL, 0}};
    static const struct {
        const char *caption;
        ruga_subdivision kind;
        int n;
        double length; /* m */
    } methods[] = {{"regular, n = 3", RUGA_SUBDIVIDE_REGULAR, 3, 1},
                   {"Loop, 2 rounds", RUGA_SUBDIVIDE_LOOP, 2, 1},
                   {"long edges, 0.1 m", RUGA_SUBDIVIDE_LONG_EDGES, 1, 0.1}};
    gallery g = {0};
    ruga_mesh *torus = NULL;
    int code = demo_model(d, "torus", coarse, &torus);
    if (!code) gallery_add(&g, "coarse", demo_wire(torus), demo_camera(30, 40));
    for (int i = 0; i < 3 && !code; i++) {
        ruga_subdivide_def def = ruga_subdivide_def_default();
        ruga_mesh *fine = NULL;
        def.kind = methods[i].kind;
        def.n = methods[i].n;
        def.length = methods[i].length;
        code = demo_code(d, ruga_mesh_subdivide(torus, &def, &fine, NULL));
        if (!code) code = demo_keep(d, DEMO_MESH, fine);
        if (!code) gallery_add(&g, methods[i].caption, demo_wire(fine), demo_camera(30, 40));
    }
    ruga_render_def def = demo_def(1800, 1260, g.panels, g.count, 2);
    return code ? code : demo_still(d, &def, "subdivision.png");
}

static const demo_item items[] = {
    {.name = "models",
     .title = "Models by formula",
     .caption = "Shapes with texture coordinates; the same parameters always give the same mesh, bit for bit.",
     .commands = "ruga make torus -o torus.obj\nruga render torus.obj --wireframe -o torus.png",
     .files = {"models.png"},
     .make = make_models},
    {.is_long = 1,
     .name = "triangulations",
     .title = "Regular and irregular sheets",
     .caption = "A sheet whose diagonals are all parallel prefers to bend along them; alternating and irregular "
                "triangulations remove that bias.",
     .commands = "ruga make sheet --triangulation 2 --upright 1 --columns 14 --rows 14 -o sheet.obj\n"
                 "ruga render sheet.obj --wireframe --shading flat --azimuth 0 --elevation 0 -o sheet.png",
     .files = {"triangulations.png"},
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
     .make = make_subdivision},
    {.is_long = 1,
     .name = "polygons",
     .title = "Polygons stay polygons",
     .caption = "Faces are split into triangles for computing, but drawn and written as polygons.",
     .commands = "ruga make torus --quads 1 --sectors 40 --sides 18 -o quads.obj\n"
                 "ruga render quads.obj --wireframe --shading flat -o quads.png",
     .files = {"polygons.png"},
     .make = make_polygons},
    {.name = "carousel",
     .title = "The models, turning",
     .caption = "Nine panels, 120 frames.",
     .files = {"carousel.mp4"},
     .is_long = 1,
     .make = make_carousel},
};

const demo_section demo_meshes = {
    "meshes",
    "Meshes",
    "Shapes to start from, and their refinement. The order of vertices never changes: new "
    "vertices are appended.",
    items,
    sizeof items / sizeof items[0],
    1};
