/* Pictures of intersections: each subject is split into its intersecting triangles and the others, with their own
 * colours. */
#include <stdlib.h>
#include <string.h>

#include "intersections_picture.h"

static const ruga_colour red = {0.86f, 0.10f, 0.10f}, light_red = {0.95f, 0.45f, 0.40f};
static const ruga_colour grey = {0.80f, 0.80f, 0.79f}, light_grey = {0.87f, 0.87f, 0.86f};
static const ruga_colour orange = {0.95f, 0.58f, 0.12f}, light_orange = {0.98f, 0.74f, 0.42f};
static const ruga_colour dark = {0.25f, 0.02f, 0.02f};

/* The panels with their meshes: of each subject the free triangles, then the intersecting ones. */
typedef struct cut_picture {
    size_t count;
    ruga_mesh *meshes[2 * MAX_SUBJECTS];
    ruga_render_mesh looks[2 * MAX_SUBJECTS], alone[MAX_SUBJECTS];
    ruga_panel panels[2];
    ruga_render_def def;
} cut_picture;

/* 1 for each triangle of a subject that intersects. NULL: no memory. */
static uint8_t *mark_triangles(const picture *p, size_t subject_index, const ruga_intersections *found) {
    uint8_t *marks = calloc(p->subjects[subject_index].mesh->triangle_count + 1, 1);
    for (size_t i = 0; marks && i < found->count; i++)
        for (int k = 0; k < 2; k++)
            if (found->items[i].meshes[k] == subject_index) marks[found->items[i].triangles[k]] = 1;
    return marks;
}

/* In the second panel, meshes alternate between two colours, which shows which one goes through which. */
static void add_intersecting(cut_picture *c, const ruga_mesh *mesh, size_t subject_index) {
    ruga_render_mesh look = ruga_render_mesh_default(mesh);
    look.shading = RUGA_SHADING_FLAT;
    look.front = red;
    look.back = light_red;
    c->looks[c->panels[0].mesh_count++] = look;
    if (subject_index % 2) look.front = orange, look.back = light_orange;
    look.wireframe = 1;
    look.wire = dark;
    c->alone[c->panels[1].mesh_count++] = look;
}

static int cut_subjects(session *s, const picture *p, const ruga_intersections *found, cut_picture *c) {
    int code = 0;
    for (size_t i = 0; i < p->subject_count && !code; i++) {
        uint8_t *marks = mark_triangles(p, i, found);
        if (!marks) return session_no_memory(s);
        ruga_mesh **pieces = c->meshes + c->count;
        c->count += 2;
        const subject *who = &p->subjects[i];
        code = pick_triangles(s, who->mesh, subject_positions(who), marks, 0, &pieces[0]);
        if (!code) code = pick_triangles(s, who->mesh, subject_positions(who), marks, 1, &pieces[1]);
        free(marks);
        if (!code && pieces[0]) {
            ruga_render_mesh look = ruga_render_mesh_default(pieces[0]);
            look.front = grey;
            look.back = light_grey;
            c->looks[c->panels[0].mesh_count++] = look;
        }
        if (!code && pieces[1]) add_intersecting(c, pieces[1], i);
    }
    return code;
}

int draw_intersections(session *s, const arguments *a, const picture *p, const ruga_intersections *found,
                       const char *caption, const char *path) {
    cut_picture *c = calloc(1, sizeof *c);
    if (!c) return session_no_memory(s);
    ruga_camera camera;
    int code = picture_arrange_image(s, a, &c->def, &camera);
    if (!code) code = cut_subjects(s, p, found, c);
    if (!code) {
        ruga_panel *whole = &c->panels[0], *beside = &c->panels[1];
        *whole =
            (ruga_panel){.caption = caption, .mesh_count = whole->mesh_count, .meshes = c->looks, .camera = camera};
        *beside = (ruga_panel){.caption = "intersecting triangles only",
                               .mesh_count = beside->mesh_count,
                               .meshes = c->alone,
                               .camera = camera};
        c->def.panel_count = found->count ? 2 : 1;
        c->def.panels = c->panels;
        code = render_png(s, &c->def, path);
    }
    for (size_t i = 0; i < c->count; i++) ruga_mesh_destroy(c->meshes[i]);
    free(c);
    return code;
}
