/* Three panels of a sculpt: the mesh with the curves that were drawn, the deflection within the regions, the result. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sculpting.h"

static const ruga_colour base_colour = {0.80f, 0.13f, 0.10f}, region_colour = {0.10f, 0.30f, 0.75f};

typedef struct sculpt_picture {
    const ruga_mesh *mesh, *fine;
    const ruga_strokes *strokes;
    ruga_vec3 *points; /* of all curves, one after the other */
    size_t point_count;
    ruga_render_curve *curves;
    size_t curve_count;
    ruga_vec3 *rest;   /* (fine vertices) without wrinkles */
    double *amplitude; /* (fine vertices) m, along the normals */
    ruga_frame rest_frame;
    ruga_render_mesh looks[3];
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

/* ---- How far vertices were moved. */

static int measure(session *s, sculpt_picture *p) {
    size_t count = p->fine->vertex_count;
    ruga_vec3 *normals = malloc((count + 1) * sizeof *normals);
    p->rest = malloc((count + 1) * sizeof *p->rest);
    p->amplitude = malloc((count + 1) * sizeof *p->amplitude);
    int code = normals && p->rest && p->amplitude ? 0 : session_no_memory(s);
    if (!code) {
        ruga_map_apply(ruga_sculpt_map(ruga_strokes_sculpt(p->strokes)), p->mesh->positions, p->rest);
        ruga_status status = ruga_mesh_normals(p->fine, p->rest, normals);
        if (RUGA_FAILED(status)) code = session_failed_output(s, status);
    }
    for (size_t i = 0; i < count && !code; i++)
        p->amplitude[i] = dot(add(p->fine->positions[i], -1, p->rest[i]), normals[i]);
    free(normals);
    p->rest_frame = (ruga_frame){.vertex_count = count, .positions = p->rest};
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

static void look_at_curves(const sculpt_picture *p, ruga_camera *camera) {
    ruga_vec3 middle, of_mesh, normal = mean_normal(p), up = {0, 1, 0};
    double whole = bound(p->mesh->positions, p->mesh->vertex_count, &of_mesh);
    double extent = p->point_count > 0 ? bound(p->points, p->point_count, &middle) : INFINITY;
    extent = 1.6 * (extent + greatest_radius(p->strokes));
    if (!(extent < whole)) extent = whole, middle = of_mesh;
    int lies = fabs(normal.y) > 0.7;
    ruga_vec3 side = lies ? (ruga_vec3){1, 0, 0} : unit(cross(up, normal)), direction = add(normal, 0.25, side);
    direction = unit(lies ? add(direction, 0.8, (ruga_vec3){0, 0, 1}) : add(direction, 0.1, up));
    camera->given = 1;
    camera->target = middle;
    camera->up = up;
    camera->eye = add(middle, extent / tan(camera->fov * 3.14159265358979 / 360), direction);
}

/* ---- The picture. */

static int arrange(session *s, const arguments *a, sculpt_picture *p) {
    static const char *const given[] = {"azimuth", "elevation", "zoom", "eye"};
    ruga_camera camera;
    int code = picture_arrange_image(s, a, &p->def, &camera), by_hand = 0;
    if (code) return code;
    if (!option_given(a, "width")) p->def.width = 1920;
    if (!option_given(a, "height")) p->def.height = p->def.width * 3 / 8;
    for (size_t i = 0; i < OPTION_COUNT(given); i++) by_hand |= option_given(a, given[i]) > 0;
    if (!by_hand) look_at_curves(p, &camera);
    p->looks[0] = ruga_render_mesh_default(p->mesh);
    p->looks[1] = p->looks[2] = ruga_render_mesh_default(p->fine);
    p->looks[1].frame = &p->rest_frame;
    p->looks[1].scalar_values = p->amplitude;
    p->looks[1].scalar_label = "deflection (m)";
    p->looks[1].diverging = 1;
    static const char *const captions[] = {"strokes", "region", "result"};
    for (int i = 0; i < 3; i++)
        p->panels[i] = (ruga_panel){.caption = captions[i], .mesh_count = 1, .meshes = &p->looks[i], .camera = camera};
    p->panels[0].curve_count = p->curve_count;
    p->panels[0].curves = p->curves;
    p->def.panel_count = 3;
    p->def.columns = 3;
    p->def.panels = p->panels;
    p->def.shared_camera = 1;
    return 0;
}

static int render(session *s, const sculpt_picture *p, const char *path) {
    ruga_image *image = NULL;
    ruga_status status = ruga_render(s->context, &p->def, &image);
    if (!RUGA_FAILED(status)) status = ruga_image_write_png(image, path);
    ruga_image_destroy(image);
    return RUGA_FAILED(status) ? session_failed_output(s, status) : 0;
}

int draw_sculpt(session *s, const arguments *a, const ruga_mesh *mesh, const ruga_strokes *strokes, const char *path) {
    sculpt_picture p = {.mesh = mesh, .strokes = strokes, .fine = ruga_sculpt_mesh(ruga_strokes_sculpt(strokes))};
    int code = list_curves(s, &p);
    if (!code) code = measure(s, &p);
    if (!code) code = arrange(s, a, &p);
    if (!code) code = render(s, &p, path);
    free(p.points);
    free(p.curves);
    free(p.rest);
    free(p.amplitude);
    return code;
}
