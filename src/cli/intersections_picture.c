/* Each subject is cut into what intersects and the rest, so that both can have their colours. */
#include <stdlib.h>
#include <string.h>

#include "intersections.h"

static const ruga_colour red = {0.86f, 0.10f, 0.10f}, light_red = {0.95f, 0.45f, 0.40f};
static const ruga_colour grey = {0.80f, 0.80f, 0.79f}, light_grey = {0.87f, 0.87f, 0.86f};
static const ruga_colour orange = {0.95f, 0.58f, 0.12f}, light_orange = {0.98f, 0.74f, 0.42f};
static const ruga_colour dark = {0.25f, 0.02f, 0.02f};

/* The panels, and what they hold: the rest of each subject, then what intersects of each. */
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

/* The triangles of a subject that have a mark; NULL when there are none. */
static int cut(session *s, const subject *who, const uint8_t *marks, uint8_t mark, ruga_mesh **out) {
    const ruga_mesh *mesh = who->mesh;
    uint32_t *triangles = malloc((3 * mesh->triangle_count + 1) * sizeof *triangles);
    if (!triangles) return session_no_memory(s);
    ruga_mesh_def def = ruga_mesh_def_default();
    const ruga_vec3 *positions = who->motion ? who->present.positions : mesh->positions;
    def.positions = (ruga_view){(void *)(uintptr_t)positions, mesh->vertex_count, 0, RUGA_F64};
    def.face_vertices = triangles;
    for (size_t t = 0; t < mesh->triangle_count; t++)
        if (marks[t] == mark) memcpy(triangles + 3 * def.face_count++, mesh->triangles + 3 * t, 3 * sizeof *triangles);
    ruga_status status = def.face_count ? ruga_mesh_create(s->context, &def, out) : RUGA_OK;
    free(triangles);
    return RUGA_FAILED(status) ? session_failed_output(s, status) : 0;
}

static void add_rest(cut_picture *c, const ruga_mesh *mesh) {
    ruga_render_mesh look = ruga_render_mesh_default(mesh);
    look.front = grey;
    look.back = light_grey;
    c->looks[c->panels[0].mesh_count++] = look;
}

/* In the panel beside, meshes alternate between two colours, so that one sees which goes through which. */
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
        code = cut(s, &p->subjects[i], marks, 0, &pieces[0]);
        if (!code) code = cut(s, &p->subjects[i], marks, 1, &pieces[1]);
        free(marks);
        if (code) break;
        if (pieces[0]) add_rest(c, pieces[0]);
        if (pieces[1]) add_intersecting(c, pieces[1], i);
    }
    return code;
}

static int render(session *s, const cut_picture *c, const char *path) {
    ruga_image *image = NULL;
    ruga_status status = ruga_render(s->context, &c->def, &image);
    if (!RUGA_FAILED(status)) status = ruga_image_write_png(image, path);
    ruga_image_destroy(image);
    return RUGA_FAILED(status) ? session_failed_output(s, status) : 0;
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
        *beside = (ruga_panel){.caption = "what intersects, alone",
                               .mesh_count = beside->mesh_count,
                               .meshes = c->alone,
                               .camera = camera};
        c->def.panel_count = found->count ? 2 : 1;
        c->def.panels = c->panels;
        code = render(s, c, path);
    }
    for (size_t i = 0; i < c->count; i++) ruga_mesh_destroy(c->meshes[i]);
    free(c);
    return code;
}
