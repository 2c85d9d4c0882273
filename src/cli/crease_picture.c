/* Two panels: the mesh before it was folded, with valleys in blue and mountains in red, and the result. */
#include "crease_picture.h"

#include <math.h>
#include <stdlib.h>

#include "picture.h"
#include "vectors.h"

static const ruga_colour sheet_colour = {0.80f, 0.64f, 0.34f}; /* both kinds of lines are seen on it */
static const ruga_colour valley_colour = {0.10f, 0.30f, 0.75f}, mountain_colour = {0.80f, 0.13f, 0.10f};

#define SIDEWAYS 0.3     /* a mean normal that is less horizontal than that has no side to look from */
#define ASIDE 20.0       /* degrees, that the camera is beside the normal, so that folds cast shades */
#define LEAST_SHARP 20.0 /* degrees: shading breaks there at least, and at BREAKS times the fold of the least crease */
#define BREAKS 0.7

typedef struct crease_picture {
    ruga_vec3 *points; /* of all creases */
    uint8_t *on;       /* (vertices) on a crease */
    double least;      /* degrees, the least fold of a crease */
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
    p->on = calloc(mesh->vertex_count + 1, 1);
    p->least = INFINITY;
    if (!p->points || !p->curves || !p->on) return session_no_memory(s);
    ruga_vec3 *at = p->points;
    for (size_t i = 0; i < count; i++) {
        TRY_CODE(output_code(s, ruga_scene_crease(scene, object, i, &crease)));
        p->curves[p->curve_count++] = (ruga_render_curve){.points = at,
                                                          .point_count = crease.vertex_count,
                                                          .colour = crease.fold < 0 ? mountain_colour : valley_colour,
                                                          .width = 4,
                                                          .closed = crease.closed};
        p->least = fmin(p->least, fabs(crease.fold));
        for (size_t k = 0; k < crease.vertex_count; k++) {
            *at++ = mesh->positions[crease.vertices[k]];
            p->on[crease.vertices[k]] = 1;
        }
    }
    return 0;
}

/* The camera looks at the side of the mesh with the creases, unless they lie on its top, its bottom or all around. */
static void face_creases(const crease_picture *p, const ruga_mesh *mesh, ruga_camera *camera) {
    ruga_vec3 sum = {0, 0, 0};
    double area = 0;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *v = mesh->triangles + 3 * t;
        const ruga_vec3 *x = mesh->positions;
        if (!p->on[v[0]] && !p->on[v[1]] && !p->on[v[2]]) continue;
        ruga_vec3 normal = vec_cross(vec_add(x[v[1]], -1, x[v[0]]), vec_add(x[v[2]], -1, x[v[0]]));
        sum = vec_add(sum, 1, normal);
        area += vec_length(normal);
    }
    if (!(hypot(sum.x, sum.z) > SIDEWAYS * area)) return;
    camera->azimuth = atan2(sum.x, sum.z) * 180 / 3.14159265358979323846 + ASIDE;
}

static int arrange(session *s, const arguments *a, crease_picture *p, const ruga_scene *scene, size_t object) {
    const ruga_mesh *mesh = ruga_scene_object_mesh(scene, object);
    ruga_camera camera;
    TRY_CODE(picture_arrange_image(s, a, &p->def, &camera));
    if (!camera.given && !option_given(a, "azimuth")) face_creases(p, mesh, &camera);
    if (!option_given(a, "width")) p->def.width = 1600;
    if (!option_given(a, "height")) p->def.height = p->def.width / 2;
    for (int i = 0; i < 2; i++) {
        p->looks[i] = ruga_render_mesh_default(mesh);
        p->looks[i].front = sheet_colour;
    }
    p->looks[1].frame = ruga_scene_frame(scene, object);
    p->looks[1].crease_angle = fmax(LEAST_SHARP, fmin(p->looks[1].crease_angle, BREAKS * p->least));
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
    free(p.on);
    free(p.curves);
    return code;
}
