/* Three panels of a sculpt: the mesh with its strokes, their regions, the result. */
#include <math.h>
#include <stdlib.h>

#include "picture.h"
#include "sculpt_picture.h"
#include "vectors.h"

static const ruga_colour base_colour = {0.80f, 0.13f, 0.10f}, region_colour = {0.10f, 0.30f, 0.75f};

static const ruga_vec3 forward = {0, 0, 1};

#define DEGREES 57.29577951308232 /* a radian */

typedef struct sculpt_picture {
    const ruga_mesh *mesh, *fine;
    const ruga_strokes *strokes;
    ruga_vec3 *points; /* of all curves */
    size_t point_count;
    ruga_render_curve *curves;
    size_t curve_count;
    double *shares;              /* (fine vertices) 1, of the regions */
    ruga_mesh *inside, *outside; /* triangles in the regions and the others, without wrinkles; NULL: none */
    ruga_render_mesh strokes_look, region_looks[2], result_look;
    ruga_panel panels[3];
    ruga_render_def def;
} sculpt_picture;

/* ---- Curves. */

static void add_curve(sculpt_picture *p, const ruga_curve *curve, ruga_colour colour) {
    if (!curve) return;
    ruga_vec3 *points = p->points + p->point_count;
    ruga_curve_points(curve, p->mesh, NULL, points);
    p->curves[p->curve_count++] = (ruga_render_curve){
        .points = points, .point_count = curve->point_count, .colour = colour, .width = 4, .closed = curve->closed};
    p->point_count += curve->point_count;
}

static int list_curves(session *s, sculpt_picture *p) {
    size_t count = ruga_strokes_count(p->strokes), room = 0;
    for (size_t i = 0; i < count; i++) {
        ruga_stroke_report stroke = ruga_strokes_get(p->strokes, i);
        room += (stroke.curve ? stroke.curve->point_count : 0) + (stroke.region ? stroke.region->point_count : 0);
    }
    p->points = malloc((room + 1) * sizeof *p->points);
    p->curves = malloc((2 * count + 1) * sizeof *p->curves);
    if (!p->points || !p->curves) return session_no_memory(s);
    for (size_t i = 0; i < count; i++) {
        add_curve(p, ruga_strokes_get(p->strokes, i).region, region_colour);
        add_curve(p, ruga_strokes_get(p->strokes, i).curve, base_colour);
    }
    return 0;
}

/* ---- Regions, on the surface at rest: triangles inside a region have colours. */

static int split_regions(session *s, sculpt_picture *p) {
    const ruga_sculpt *sculpt = ruga_strokes_sculpt(p->strokes);
    size_t count = p->fine->vertex_count;
    ruga_vec3 *rest = malloc((count + 1) * sizeof *rest);
    uint8_t *inside = malloc(p->fine->triangle_count + 1);
    p->shares = malloc((count + 1) * sizeof *p->shares);
    int code = rest && inside && p->shares ? 0 : session_no_memory(s);
    if (!code) {
        ruga_map_apply(ruga_sculpt_map(sculpt), p->mesh->positions, rest);
        ruga_sculpt_regions(sculpt, p->shares);
        for (size_t i = 0; i < p->fine->triangle_count; i++) {
            const uint32_t *t = p->fine->triangles + 3 * i;
            inside[i] = p->shares[t[0]] > 0 || p->shares[t[1]] > 0 || p->shares[t[2]] > 0;
        }
        code = pick_triangles(s, p->fine, rest, inside, 1, &p->inside);
    }
    if (!code) code = pick_triangles(s, p->fine, rest, inside, 0, &p->outside);
    free(inside);
    free(rest);
    return code;
}

/* ---- The camera: in front of the curves, slightly from the side, so near that they fill the panels. */

/* Half the diagonal of the bounding box, and its middle. */
static double bound(const ruga_vec3 *points, size_t count, ruga_vec3 *middle) {
    ruga_vec3 low = BOX_EMPTY_LOW, high = BOX_EMPTY_HIGH;
    for (size_t i = 0; i < count; i++) box_grow(points[i], &low, &high);
    *middle = (ruga_vec3){(low.x + high.x) / 2, (low.y + high.y) / 2, (low.z + high.z) / 2};
    return vec_length(vec_add(high, -1, low)) / 2;
}

static ruga_vec3 mean_normal(const sculpt_picture *p) {
    ruga_vec3 sum = {0, 0, 0};
    for (size_t i = 0; i < ruga_strokes_count(p->strokes); i++) {
        const ruga_curve *curve = ruga_strokes_get(p->strokes, i).curve;
        for (size_t k = 0; curve && k < curve->point_count; k++) {
            const uint32_t *t = p->mesh->triangles + 3 * (size_t)curve->points[k].triangle;
            ruga_vec3 a = p->mesh->positions[t[0]], b = p->mesh->positions[t[1]], c = p->mesh->positions[t[2]];
            sum = vec_add(sum, 1, vec_unit(vec_cross(vec_add(b, -1, a), vec_add(c, -1, a)), forward));
        }
    }
    return vec_unit(sum, forward);
}

/* Unit vector from the curves to the best place of the eye. */
static ruga_vec3 view_direction(const sculpt_picture *p) {
    ruga_vec3 normal = mean_normal(p), up = {0, 1, 0};
    int lies = fabs(normal.y) > 0.7;
    ruga_vec3 side = lies ? (ruga_vec3){1, 0, 0} : vec_unit(vec_cross(up, normal), forward);
    ruga_vec3 direction = vec_add(normal, 0.25, side);
    return vec_unit(lies ? vec_add(direction, 0.8, forward) : vec_add(direction, 0.1, up), forward);
}

static void look_at_curves(const sculpt_picture *p, ruga_camera *camera) {
    ruga_vec3 middle, of_mesh, direction = view_direction(p);
    double whole = bound(p->mesh->positions, p->mesh->vertex_count, &of_mesh), radius = 0;
    for (size_t i = 0; i < ruga_strokes_count(p->strokes); i++)
        radius = fmax(radius, ruga_strokes_get(p->strokes, i).info.radius);
    double extent = p->point_count > 0 ? bound(p->points, p->point_count, &middle) : INFINITY;
    extent = 1.2 * (extent + radius);
    if (!(extent < 0.6 * whole)) { /* the renderer frames the whole mesh */
        camera->azimuth = atan2(direction.x, direction.z) * DEGREES;
        camera->elevation = asin(direction.y) * DEGREES;
        return;
    }
    /* The height of a panel over its width, beside the legend in the middle one. */
    double height = p->def.height, width = p->def.width / 3.0 - 0.25 * height;
    double slimness = height / fmax(width, 0.1 * height);
    camera->given = 1;
    camera->target = middle;
    camera->up = (ruga_vec3){0, 1, 0};
    extent *= fmax(1, slimness);
    camera->eye = vec_add(middle, extent / tan(camera->fov / 2 / DEGREES), direction);
}

/* ---- The picture. */

static int arrange(session *s, const arguments *a, sculpt_picture *p) {
    static const char *const given[] = {"azimuth", "elevation", "zoom", "eye"};
    ruga_camera camera;
    int by_hand = 0;
    TRY_CODE(picture_arrange_image(s, a, &p->def, &camera));
    if (!option_given(a, "width")) p->def.width = 1920;
    if (!option_given(a, "height")) p->def.height = p->def.width / 3;
    for (size_t i = 0; i < OPTION_COUNT(given); i++) by_hand |= option_given(a, given[i]) > 0;
    if (!by_hand) look_at_curves(p, &camera);
    p->strokes_look = ruga_render_mesh_default(p->mesh);
    p->result_look = ruga_render_mesh_default(p->fine);
    p->region_looks[0] = ruga_render_mesh_default(p->inside ? p->inside : p->outside);
    p->region_looks[1] = ruga_render_mesh_default(p->outside);
    if (p->inside) {
        p->region_looks[0].scalar_values = p->shares;
        p->region_looks[0].scalar_high = 1;
        p->region_looks[0].scalar_label = "share of the wrinkle (1)";
    }
    p->panels[0] = (ruga_panel){.caption = "strokes", .mesh_count = 1, .meshes = &p->strokes_look};
    p->panels[1] = (ruga_panel){.caption = "region", .mesh_count = 2, .meshes = p->region_looks};
    p->panels[2] = (ruga_panel){.caption = "result", .mesh_count = 1, .meshes = &p->result_look};
    if (!p->inside || !p->outside) p->panels[1].mesh_count = 1;
    for (int i = 0; i < 3; i++) p->panels[i].camera = camera;
    for (int i = 0; i < 2; i++) p->panels[i].curve_count = p->curve_count, p->panels[i].curves = p->curves;
    p->def.panel_count = 3;
    p->def.columns = 3;
    p->def.panels = p->panels;
    p->def.shared_camera = 1;
    return 0;
}

int draw_sculpt(session *s, const arguments *a, const ruga_mesh *mesh, const ruga_strokes *strokes, const char *path) {
    sculpt_picture p = {.mesh = mesh, .strokes = strokes, .fine = ruga_sculpt_mesh(ruga_strokes_sculpt(strokes))};
    ruga_camera camera;
    int code = list_curves(s, &p);
    if (!code) code = split_regions(s, &p);
    if (!code) code = arrange(s, a, &p);
    if (!code) code = output_code(s, ruga_render_fit(s->context, &p.def, 1, &camera));
    /* All panels have the camera of the one with the legend, which has the least room. */
    for (int i = 0; i < 3 && !code; i++) p.panels[i].camera = camera;
    if (!code) code = render_png(s, &p.def, path);
    free(p.points);
    free(p.curves);
    ruga_mesh_destroy(p.inside);
    ruga_mesh_destroy(p.outside);
    free(p.shares);
    return code;
}
