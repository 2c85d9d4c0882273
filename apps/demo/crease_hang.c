/* Demo: cloths that hang by two corners, without and with a crease, and one whose mesh was made for the fold (Patkar,
 * Jin and Fedkiw 2015, figure 9). */
#include "section_crease.h"

#include <stdio.h>
#include <string.h>

#include "cli/files.h"
#include "cli/runs.h"
#include "show.h"

/* ---- The remeshed cloth: the grid of the others with edges along the diagonal between the corners that are held.
 * Right triangles there are halved at their longest edges until no edge on the diagonal is longer than a quarter of the
 * original ones, and so are their neighbours where they would have a vertex within an edge. Old vertices come first. */

enum { CELLS = 16, PARTS = 4, SIDE = CELLS * PARTS + 1, MOST_TRIANGLES = 8 * CELLS * CELLS, TEXT = 400000 };

/* In quarters of an edge. */
typedef struct grid_point {
    int i, j;
} grid_point;

/* The longest edge is from the first to the second corner. */
typedef struct half_square {
    grid_point corners[3];
} half_square;

typedef struct halved_grid {
    size_t triangle_count, vertex_count;
    half_square triangles[MOST_TRIANGLES];
    grid_point vertices[MOST_TRIANGLES];
    int numbers[SIDE][SIDE]; /* 1 + of the vertex there; 0: none */
} halved_grid;

static int *number_at(halved_grid *g, grid_point p) { return &g->numbers[p.j][p.i]; }

static void add_vertex(halved_grid *g, grid_point p) {
    if (*number_at(g, p) > 0) return;
    g->vertices[g->vertex_count] = p;
    *number_at(g, p) = (int)++g->vertex_count;
}

static grid_point middle_of(grid_point a, grid_point b) { return (grid_point){(a.i + b.i) / 2, (a.j + b.j) / 2}; }

static void start_grid(halved_grid *g) {
    for (int j = 0; j <= CELLS; j++)
        for (int i = 0; i <= CELLS; i++) add_vertex(g, (grid_point){PARTS * i, PARTS * j});
    for (int j = 0; j < CELLS; j++)
        for (int i = 0; i < CELLS; i++) {
            grid_point a = {PARTS * i, PARTS * j}, right = {a.i + PARTS, a.j}, up = {a.i, a.j + PARTS};
            g->triangles[g->triangle_count++] = (half_square){{right, up, a}};
            g->triangles[g->triangle_count++] = (half_square){{up, right, {right.i, up.j}}};
        }
}

static int is_on_diagonal(grid_point p) { return p.i + p.j == SIDE - 1; }

/* Whether a triangle is too large beside the diagonal, or a vertex lies within one of its edges. */
static int is_halved(halved_grid *g, const half_square *t) {
    const grid_point *c = t->corners;
    int i = c[1].i - c[0].i, j = c[1].j - c[0].j, touches = 0, hangs = 0;
    for (int k = 0; k < 3; k++) {
        grid_point next = c[(k + 1) % 3];
        touches |= is_on_diagonal(c[k]);
        if ((c[k].i + next.i) % 2 || (c[k].j + next.j) % 2) continue;
        hangs |= *number_at(g, middle_of(c[k], next)) > 0;
    }
    return hangs || (touches && i * i + j * j > 2);
}

static void halve_triangles(halved_grid *g) {
    int changed = 1;
    while (changed) {
        changed = 0;
        for (size_t t = 0; t < g->triangle_count && g->triangle_count < MOST_TRIANGLES; t++) {
            const half_square old = g->triangles[t];
            if (!is_halved(g, &old)) continue;
            const grid_point *c = old.corners, middle = middle_of(c[0], c[1]);
            add_vertex(g, middle);
            g->triangles[t] = (half_square){{c[2], c[0], middle}};
            g->triangles[g->triangle_count++] = (half_square){{c[1], c[2], middle}};
            changed = 1;
        }
    }
}

/* As an OBJ with the UVs of a sheet. */
static int write_remeshed(demo *d, size_t *triangles) {
    halved_grid *g;
    char *text;
    size_t size = 0;
    TRY_CODE(DEMO_NEW(d, g, 1));
    TRY_CODE(DEMO_NEW(d, text, TEXT));
    start_grid(g);
    halve_triangles(g);
    for (size_t v = 0; v < g->vertex_count; v++) {
        double u = g->vertices[v].i / (double)(SIDE - 1), w = g->vertices[v].j / (double)(SIDE - 1);
        size += (size_t)snprintf(text + size, TEXT - size, "v %.9g 0 %.9g\nvt %.9g %.9g\n", u - 0.5, 0.5 - w, u, w);
    }
    for (size_t t = 0; t < g->triangle_count; t++) {
        const grid_point *c = g->triangles[t].corners;
        int a = *number_at(g, c[0]), b = *number_at(g, c[1]), e = *number_at(g, c[2]);
        size += (size_t)snprintf(text + size, TEXT - size, "f %d/%d %d/%d %d/%d\n", a, a, b, b, e, e);
    }
    *triangles = g->triangle_count;
    return write_text_file(d->s, demo_path(d, "hang-remeshed.obj"), text, size);
}

/* ---- The picture. */

enum { PANELS = 4 };

/* A cloth of a run, `place` in its objects, and where it hangs. */
typedef struct hung {
    const char *run;
    size_t place;
    double x; /* m */
    int is_creased;
    const char *caption;
    ruga_colour colours[2];
} hung;

/* Of the simulated mesh: each triangle that a crease cuts is two of them, and three of what is seen. */
static size_t simulated_triangles(const hung *what, size_t visible) {
    const size_t original = 2 * CELLS * CELLS;
    return what->is_creased ? original + (visible - original) / 2 : visible;
}

static int add_panel(demo *d, const hung *what, picture *scene, char caption[64], ruga_panel *out) {
    int code = demo_keep(d, DEMO_PICTURE, scene);
    if (!code) code = run_add_objects(d->s, demo_path(d, what->run), scene);
    if (code) return code;
    subject *who = &scene->subjects[what->place];
    ruga_render_mesh *look = &scene->looks[what->place];
    *look = ruga_render_mesh_default(who->mesh);
    look->front = what->colours[0];
    look->back = what->colours[1];
    look->crease_angle = 30;
    look->frame = &who->current.frame;
    ruga_motion_info info = ruga_motion_get_info(who->motion);
    code = picture_move(d->s, scene, info.end);
    snprintf(caption, 64, "%s, %zu triangles", what->caption, simulated_triangles(what, who->mesh->triangle_count));
    ruga_vec3 eye = {what->x + 1.35, 0.5, 2.95}, target = {what->x + 0.02, -0.29, 0};
    *out = (ruga_panel){.mesh_count = 1, .meshes = look, .camera = demo_eye(eye, target, 22), .caption = caption};
    return code;
}

int demo_make_hang(demo *d) {
    static const hung cloths[PANELS] = {{"hang.run", 0, -1.3, 0, "plain", SHOW_RED},
                                        {"hang-remeshed.run", 0, 0, 0, "remeshed", SHOW_GREEN},
                                        {"hang.run", 1, 0, 1, "a crease", SHOW_BLUE},
                                        {"hang.run", 2, 1.3, 1, "a stiff crease", SHOW_YELLOW}};
    static char captions[PANELS][64];
    ruga_panel panels[PANELS];
    picture *scenes;
    size_t triangles;
    TRY_CODE(write_remeshed(d, &triangles));
    TRY_CODE(demo_commands(d, d->item->commands));
    TRY_CODE(DEMO_NEW(d, scenes, PANELS));
    for (int k = 0; k < PANELS; k++) TRY_CODE(add_panel(d, &cloths[k], &scenes[k], captions[k], &panels[k]));
    ruga_render_def def = demo_def(1400, 420, panels, PANELS, PANELS);
    return demo_still(d, &def, "hang.png");
}
