/* Three panels of a sculpt: the mesh with the curves that were drawn, how much they are felt around them, the result. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sculpting.h"

static const ruga_colour base_colour = {0.80f, 0.13f, 0.10f}, region_colour = {0.10f, 0.30f, 0.75f};

#define DEGREES 57.29577951308232 /* a radian */

typedef struct sculpt_picture {
    const ruga_mesh *mesh, *fine;
    const ruga_strokes *strokes;
    ruga_vec3 *points; /* of all curves, one after the other */
    size_t point_count;
    ruga_render_curve *curves;
    size_t curve_count;
    double *shares;              /* (fine vertices) 1, of the regions */
    ruga_mesh *inside, *outside; /* of the regions, without wrinkles; NULL: nothing is */
    ruga_render_mesh strokes_look, region_looks[2], result_look;
    ruga_panel panels[3];
    ruga_render_def def;
} sculpt_picture;

static ruga_vec3 add(ruga_vec3 a, double t, ruga_vec3 b) {
    return (ruga_vec3){a.x + t * b.x, a.y + t * b.y, a.z + t * b.z};
}
static double dot(ruga_vec3 a, ruga_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static ruga_vec3 cross(ruga_vec3 a, ruga_vec3 b) {
    return (ruga_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static ruga_vec3 unit(ruga_vec3 a) {
    double length = sqrt(dot(a, a));
    return length > 0 ? (ruga_vec3){a.x / length, a.y / length, a.z / length} : (ruga_vec3){0, 0, 1};
}

/* ---- Curves. */

static void count_curve(sculpt_picture *p, const ruga_curve *curve) {
    if (!curve) return;
    p->curve_count++;
    p->point_count += curve->point_count;
}

static void add_curve(sculpt_picture *p, const ruga_curve *curve, ruga_colour colour) {
    if (!curve) return;
    ruga_vec3 *points = p->points + p->point_count;
    ruga_curve_points(curve, p->mesh, NULL, points);
    p->curves[p->curve_count++] = (ruga_render_curve){
        .points = points, .point_count = curve->point_count, .colour = colour, .width = 4, .closed = curve->closed};
    p->point_count += curve->point_count;
}

static int list_curves(session *s, sculpt_picture *p) {
    size_t count = ruga_strokes_count(p->strokes);
    for (size_t i = 0; i < count; i++) {
        count_curve(p, ruga_strokes_get(p->strokes, i).curve);
        count_curve(p, ruga_strokes_get(p->strokes, i).region);
    }
    p->points = malloc((p->point_count + 1) * sizeof *p->points);
    p->curves = malloc((p->curve_count + 1) * sizeof *p->curves);
    if (!p->points || !p->curves) return session_no_memory(s);
    p->point_count = p->curve_count = 0;
    for (size_t i = 0; i < count; i++) {
        add_curve(p, ruga_strokes_get(p->strokes, i).region, region_colour);
        add_curve(p, ruga_strokes_get(p->strokes, i).curve, base_colour);
    }
    return 0;
}

/* ---- Regions, on the surface as it was: what is inside has colours. */

static int is_inside(const sculpt_picture *p, const uint32_t *t) {
    return p->shares[t[0]] > 0 || p->shares[t[1]] > 0 || p->shares[t[2]] > 0;
}

/* The triangles inside, or those outside. */
static int pick_triangles(session *s, const sculpt_picture *p, const ruga_vec3 *rest, int inside, ruga_mesh **out) {
    ruga_mesh_def def = ruga_mesh_def_default();
    uint32_t *triangles = malloc((3 * p->fine->triangle_count + 1) * sizeof *triangles);
    if (!triangles) return session_no_memory(s);
    for (size_t i = 0; i < p->fine->triangle_count; i++) {
        const uint32_t *t = p->fine->triangles + 3 * i;
        if (is_inside(p, t) == inside) memcpy(triangles + 3 * def.face_count++, t, 3 * sizeof *t);
    }
    def.positions = (ruga_view){(void *)(uintptr_t)rest, p->fine->vertex_count, 0, RUGA_F64};
    def.face_vertices = triangles;
    ruga_status status = def.face_count > 0 ? ruga_mesh_create(s->context, &def, out) : RUGA_OK;
    free(triangles);
    return RUGA_FAILED(status) ? session_failed_output(s, status) : 0;
}

static int split_regions(session *s, sculpt_picture *p) {
    const ruga_sculpt *sculpt = ruga_strokes_sculpt(p->strokes);
    size_t count = p->fine->vertex_count;
    ruga_vec3 *rest = malloc((count + 1) * sizeof *rest);
    p->shares = malloc((count + 1) * sizeof *p->shares);
    int code = rest && p->shares ? 0 : session_no_memory(s);
    if (!code) {
        ruga_map_apply(ruga_sculpt_map(sculpt), p->mesh->positions, rest);
        ruga_sculpt_regions(sculpt, p->shares);
        code = pick_triangles(s, p, rest, 1, &p->inside);
    }
    if (!code) code = pick_triangles(s, p, rest, 0, &p->outside);
    free(rest);
    return code;
}

/* ---- The eye: in front of the curves, a little from the side, so near that they fill the panels. */

static void grow(ruga_vec3 p, ruga_vec3 *low, ruga_vec3 *high) {
    *low = (ruga_vec3){fmin(low->x, p.x), fmin(low->y, p.y), fmin(low->z, p.z)};
    *high = (ruga_vec3){fmax(high->x, p.x), fmax(high->y, p.y), fmax(high->z, p.z)};
}

/* Half the diagonal, and the middle. */
static double bound(const ruga_vec3 *points, size_t count, ruga_vec3 *middle) {
    ruga_vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < count; i++) grow(points[i], &low, &high);
    *middle = (ruga_vec3){(low.x + high.x) / 2, (low.y + high.y) / 2, (low.z + high.z) / 2};
    return sqrt(dot(add(high, -1, low), add(high, -1, low))) / 2;
}

static ruga_vec3 triangle_normal(const ruga_mesh *mesh, uint32_t triangle) {
    const uint32_t *t = mesh->triangles + 3 * (size_t)triangle;
    ruga_vec3 a = mesh->positions[t[0]];
    return unit(cross(add(mesh->positions[t[1]], -1, a), add(mesh->positions[t[2]], -1, a)));
}

static ruga_vec3 mean_normal(const sculpt_picture *p) {
    ruga_vec3 sum = {0, 0, 0};
    for (size_t i = 0; i < ruga_strokes_count(p->strokes); i++) {
        const ruga_curve *curve = ruga_strokes_get(p->strokes, i).curve;
        for (size_t k = 0; curve && k < curve->point_count; k++)
            sum = add(sum, 1, triangle_normal(p->mesh, curve->points[k].triangle));
    }
    return unit(sum);
}

static double greatest_radius(const ruga_strokes *strokes) {
    double radius = 0;
    for (size_t i = 0; i < ruga_strokes_count(strokes); i++)
        radius = fmax(radius, ruga_strokes_get(strokes, i).info.radius);
    return radius;
}

/* The height of a panel over its width, beside the legend that the middle one has. */
static double panel_slimness(const ruga_render_def *def) {
    double height = def->height, width = def->width / 3.0 - 0.25 * height;
    return height / fmax(width, 0.1 * height);
}

/* From where the curves are seen best: unit, from them to the eye. */
static ruga_vec3 view_direction(const sculpt_picture *p) {
    ruga_vec3 normal = mean_normal(p), up = {0, 1, 0};
    int lies = fabs(normal.y) > 0.7;
    ruga_vec3 side = lies ? (ruga_vec3){1, 0, 0} : unit(cross(up, normal)), direction = add(normal, 0.25, side);
    return unit(lies ? add(direction, 0.8, (ruga_vec3){0, 0, 1}) : add(direction, 0.1, up));
}

static void look_at_curves(const sculpt_picture *p, ruga_camera *camera) {
    ruga_vec3 middle, of_mesh, direction = view_direction(p);
    double whole = bound(p->mesh->positions, p->mesh->vertex_count, &of_mesh);
    double extent = p->point_count > 0 ? bound(p->points, p->point_count, &middle) : INFINITY;
    extent = 1.2 * (extent + greatest_radius(p->strokes));
    if (!(extent < 0.6 * whole)) { /* the whole mesh, framed by itself */
        camera->azimuth = atan2(direction.x, direction.z) * DEGREES;
        camera->elevation = asin(direction.y) * DEGREES;
        return;
    }
    camera->given = 1;
    camera->target = middle;
    camera->up = (ruga_vec3){0, 1, 0};
    extent *= fmax(1, panel_slimness(&p->def));
    camera->eye = add(middle, extent / tan(camera->fov / 2 / DEGREES), direction);
}

/* ---- The picture. */

static void dress(sculpt_picture *p) {
    ruga_render_mesh inside = ruga_render_mesh_default(p->inside), outside = ruga_render_mesh_default(p->outside);
    inside.scalar_values = p->shares;
    inside.scalar_high = 1;
    inside.scalar_label = "share of the wrinkle (1)";
    p->strokes_look = ruga_render_mesh_default(p->mesh);
    p->region_looks[0] = p->inside ? inside : outside;
    p->region_looks[1] = outside;
    p->result_look = ruga_render_mesh_default(p->fine);
}

static int arrange(session *s, const arguments *a, sculpt_picture *p) {
    static const char *const given[] = {"azimuth", "elevation", "zoom", "eye"};
    ruga_camera camera;
    int code = picture_arrange_image(s, a, &p->def, &camera), by_hand = 0;
    if (code) return code;
    if (!option_given(a, "width")) p->def.width = 1920;
    if (!option_given(a, "height")) p->def.height = p->def.width / 3;
    for (size_t i = 0; i < OPTION_COUNT(given); i++) by_hand |= option_given(a, given[i]) > 0;
    if (!by_hand) look_at_curves(p, &camera);
    dress(p);
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

/* One camera for all: that of the panel with the legend, which has the least room. */
static ruga_status share_camera(session *s, sculpt_picture *p) {
    ruga_camera camera;
    ruga_status status = ruga_render_fit(s->context, &p->def, 1, &camera);
    for (int i = 0; i < 3 && !RUGA_FAILED(status); i++) p->panels[i].camera = camera;
    return status;
}

static int render(session *s, sculpt_picture *p, const char *path) {
    ruga_image *image = NULL;
    ruga_status status = share_camera(s, p);
    if (!RUGA_FAILED(status)) status = ruga_render(s->context, &p->def, &image);
    if (!RUGA_FAILED(status)) status = ruga_image_write_png(image, path);
    ruga_image_destroy(image);
    return RUGA_FAILED(status) ? session_failed_output(s, status) : 0;
}

int draw_sculpt(session *s, const arguments *a, const ruga_mesh *mesh, const ruga_strokes *strokes, const char *path) {
    sculpt_picture p = {.mesh = mesh, .strokes = strokes, .fine = ruga_sculpt_mesh(ruga_strokes_sculpt(strokes))};
    int code = list_curves(s, &p);
    if (!code) code = split_regions(s, &p);
    if (!code) code = arrange(s, a, &p);
    if (!code) code = render(s, &p, path);
    free(p.points);
    free(p.curves);
    ruga_mesh_destroy(p.inside);
    ruga_mesh_destroy(p.outside);
    free(p.shares);
    return code;
}
