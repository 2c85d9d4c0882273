/* Two panels: the mesh before it was folded, with valleys in blue and mountains in red, and the result. */
#include "crease_picture.h"

#include <stdlib.h>

#include "picture.h"

static const ruga_colour valley_colour = {0.10f, 0.30f, 0.75f}, mountain_colour = {0.80f, 0.13f, 0.10f};

typedef struct crease_picture {
    ruga_vec3 *points; /* of all creases */
    ruga_render_curve *curves;
    size_t curve_count;
    ruga_render_mesh looks[2];
    ruga_panel panels[2];
    ruga_render_def def;
} crease_picture;

static int list_curves(session *s, crease_picture *p, const ruga_scene *scene, size_t object) {
    const ruga_mesh *mesh = ruga_scene_object_mesh(scene, object);
    size_t count = ruga_scene_crease_count(scene, object), room = 0;
    ruga_crease_report crease;
    for (size_t i = 0; i < count; i++) {
        TRY_CODE(output_code(s, ruga_scene_crease(scene, object, i, &crease)));
        room += crease.vertex_count;
    }
    p->points = malloc((room + 1) * sizeof *p->points);
    p->curves = malloc((count + 1) * sizeof *p->curves);
    if (!p->points || !p->curves) return session_no_memory(s);
    ruga_vec3 *at = p->points;
    for (size_t i = 0; i < count; i++) {
        TRY_CODE(output_code(s, ruga_scene_crease(scene, object, i, &crease)));
        p->curves[p->curve_count++] = (ruga_render_curve){.points = at,
                                                          .point_count = crease.vertex_count,
                                                          .colour = crease.fold < 0 ? mountain_colour : valley_colour,
                                                          .width = 4,
                                                          .closed = crease.closed};
        for (size_t k = 0; k < crease.vertex_count; k++) *at++ = mesh->positions[crease.vertices[k]];
    }
    return 0;
}

static int arrange(session *s, const arguments *a, crease_picture *p, const ruga_scene *scene, size_t object) {
    const ruga_mesh *mesh = ruga_scene_object_mesh(scene, object);
    ruga_camera camera;
    TRY_CODE(picture_arrange_image(s, a, &p->def, &camera));
    if (!option_given(a, "width")) p->def.width = 1600;
    if (!option_given(a, "height")) p->def.height = p->def.width / 2;
    for (int i = 0; i < 2; i++) p->looks[i] = ruga_render_mesh_default(mesh);
    p->looks[1].frame = ruga_scene_frame(scene, object);
    p->looks[1].crease_angle = 20;
    p->panels[0] = (ruga_panel){.caption = "creases",
                                .mesh_count = 1,
                                .meshes = &p->looks[0],
                                .curve_count = p->curve_count,
                                .curves = p->curves,
                                .camera = camera};
    p->panels[1] = (ruga_panel){.caption = "result", .mesh_count = 1, .meshes = &p->looks[1], .camera = camera};
    p->def.panel_count = 2;
    p->def.columns = 2;
    p->def.panels = p->panels;
    p->def.shared_camera = 1;
    return 0;
}

int draw_creases(session *s, const arguments *a, const ruga_scene *scene, size_t object, const char *path) {
    crease_picture p = {0};
    int code = list_curves(s, &p, scene, object);
    if (!code) code = arrange(s, a, &p, scene, object);
    if (!code) code = render_png(s, &p.def, path);
    free(p.points);
    free(p.curves);
    return code;
}
