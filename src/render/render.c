/* A def becomes a picture: checked, laid out, each panel traced, then lettered. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"
#include "plot/lettering.h"
#include "render/image.h"
#include "render/layout.h"
#include "render/ray_trace.h"

#define FILL 0.91              /* of the panel's half width and height that an automatic framing fills */
#define FILL_ABOVE_GROUND 0.84 /* with room for the shadow */
#define BAND_PIXELS (1 << 20)  /* traced at a time, about 150 bytes each */

ruga_render_mesh ruga_render_mesh_default(const ruga_mesh *mesh) {
    return (ruga_render_mesh){.mesh = mesh,
                              .front = {0.78f, 0.76f, 0.73f},
                              .back = {0.55f, 0.66f, 0.78f},
                              .wire = {0.16f, 0.17f, 0.20f},
                              .wire_width = 1.5f,
                              .crease_angle = 50};
}

ruga_render_def ruga_render_def_default(void) {
    return (ruga_render_def){.cookie = RUGA_COOKIE,
                             .width = 1280,
                             .height = 720,
                             .background = {0.894f, 0.875f, 0.847f},
                             .ground_height = NAN,
                             .samples = 4,
                             .occlusion_samples = 4};
}

/* ---- Checks. */

static int colour_is_valid(ruga_colour c) {
    return c.r >= 0 && c.r <= 1 && c.g >= 0 && c.g <= 1 && c.b >= 0 && c.b <= 1;
}

static int width_is_valid(float width) { return width >= 0 && width <= 1000; }

static ruga_status check_mesh(ruga_context *context, const ruga_render_mesh *item, size_t panel, size_t i) {
    if (!item->mesh) return fail_argument(context, "panel %zu: its mesh %zu is NULL", panel, i);
    const ruga_frame *frame = item->frame;
    if (frame && (frame->vertex_count != item->mesh->vertex_count || (frame->vertex_count && !frame->positions)))
        return fail_argument(context, "panel %zu: the frame of mesh %zu has %zu vertices, but the mesh has %zu", panel,
                             i, frame->vertex_count, item->mesh->vertex_count);
    if (item->shading != RUGA_SHADING_SMOOTH && item->shading != RUGA_SHADING_FLAT)
        return fail_argument(context, "panel %zu: mesh %zu has an unknown shading %d", panel, i, (int)item->shading);
    if ((unsigned)item->finish >= RUGA_FINISH_COUNT)
        return fail_argument(context, "panel %zu: mesh %zu has an unknown finish %d", panel, i, (int)item->finish);
    if (!colour_is_valid(item->front) || !colour_is_valid(item->back) || !colour_is_valid(item->wire))
        return fail_argument(context, "panel %zu: a colour of mesh %zu is not within 0 and 1", panel, i);
    if (!width_is_valid(item->wire_width) || !(item->crease_angle >= 0))
        return fail_argument(
            context, "panel %zu: mesh %zu has wires of width %g and a crease angle of %g, but neither may be negative",
            panel, i, (double)item->wire_width, item->crease_angle);
    return RUGA_OK;
}

static ruga_status check_panel(ruga_context *context, const ruga_panel *panel, size_t index) {
    if ((panel->mesh_count && !panel->meshes) || (panel->curve_count && !panel->curves) ||
        (panel->point_set_count && !panel->point_sets))
        return fail_argument(context, "panel %zu: it counts items, but their array is NULL", index);
    for (size_t i = 0; i < panel->mesh_count; i++) TRY(check_mesh(context, &panel->meshes[i], index, i));
    for (size_t i = 0; i < panel->curve_count; i++) {
        const ruga_render_curve *curve = &panel->curves[i];
        if ((curve->point_count && !curve->points) || !width_is_valid(curve->width) || !colour_is_valid(curve->colour))
            return fail_argument(context,
                                 "panel %zu: curve %zu needs points, a width of 0 to 1000 and a colour within 0 and 1",
                                 index, i);
    }
    for (size_t i = 0; i < panel->point_set_count; i++) {
        const ruga_render_points *points = &panel->point_sets[i];
        if ((points->point_count && !points->points) || !width_is_valid(points->size) ||
            !colour_is_valid(points->colour))
            return fail_argument(
                context, "panel %zu: point set %zu needs points, a size of 0 to 1000 and a colour within 0 and 1",
                index, i);
    }
    if (!(panel->aspect >= 0 && panel->aspect < 1e6))
        return fail_argument(context, "panel %zu: its aspect is %g, but must be 0 or a positive number", index,
                             panel->aspect);
    char who[32];
    snprintf(who, sizeof who, "panel %zu", index);
    return camera_check(context, &panel->camera, who);
}

static ruga_status check_number(ruga_context *context, const char *name, int value, int low, int high) {
    if (value >= low && value <= high) return RUGA_OK;
    return fail_argument(context, "the picture's %s is %d, but must be within %d and %d", name, value, low, high);
}

static ruga_status check_def(ruga_context *context, const ruga_render_def *def) {
    if (!def || def->cookie != RUGA_COOKIE)
        return fail_argument(context, "the def of a picture was not made by ruga_render_def_default");
    TRY(check_number(context, "width", def->width, 16, 16384));
    TRY(check_number(context, "height", def->height, 16, 16384));
    TRY(check_number(context, "number of columns", def->columns, 0, 1024));
    TRY(check_number(context, "number of samples", def->samples, 1, 64));
    TRY(check_number(context, "number of occlusion samples", def->occlusion_samples, 0, 256));
    if (def->panel_count > 1024)
        return fail_argument(context, "the picture has %zu panels, but at most 1024 fit", def->panel_count);
    if (def->panel_count && !def->panels)
        return fail_argument(context, "the picture counts panels, but their array is NULL");
    if (!colour_is_valid(def->background))
        return fail_argument(context, "the background's colour is not within 0 and 1");
    if (isinf(def->ground_height))
        return fail_argument(context, "the ground is infinitely far away; give its height, or NaN");
    for (size_t i = 0; i < def->panel_count; i++) TRY(check_panel(context, &def->panels[i], i));
    return RUGA_OK;
}

/* ---- Preparation, once for a picture. */

typedef struct picture {
    ruga_context *context;
    const ruga_render_def *def;
    layout_style style;
    scalar_field *fields;  /* of all meshes, panel after panel */
    layout_panel *panels;  /* (panel_count) */
    double *legend_widths; /* (panel_count) */
    double *aspects;       /* (panel_count) width over height of what a panel shows */
    view_bounds all;       /* of all panels */
    RTCDevice device;      /* the rest is for tracing only */
    float *directions, *offsets;
    colour_map *maps; /* (2) */
    int shadow_samples;
    size_t left_out; /* triangles that are not finite */
    size_t faceted;  /* surfaces that could not be smoothed */
} picture;

/* Calls `add` with every point that a panel shows. */
typedef void point_function(void *argument, vec3 p);
static void visit_points(const ruga_panel *panel, point_function *add, void *argument) {
    for (size_t i = 0; i < panel->mesh_count; i++) {
        const ruga_mesh *mesh = panel->meshes[i].mesh;
        const ruga_vec3 *positions = surface_item_positions(&panel->meshes[i]);
        for (size_t k = 0; k < 3 * mesh->triangle_count; k++) add(argument, positions[mesh->triangles[k]]);
    }
    for (size_t i = 0; i < panel->curve_count; i++)
        for (size_t k = 0; k < panel->curves[i].point_count; k++) add(argument, panel->curves[i].points[k]);
    for (size_t i = 0; i < panel->point_set_count; i++)
        for (size_t k = 0; k < panel->point_sets[i].point_count; k++) add(argument, panel->point_sets[i].points[k]);
}

static void add_to_bounds(void *argument, vec3 p) { view_bounds_add(argument, p); }
static void add_to_fit(void *argument, vec3 p) { view_fit_add(argument, p); }

static view_bounds panel_bounds(const ruga_panel *panel) {
    view_bounds bounds = view_bounds_empty();
    visit_points(panel, add_to_bounds, &bounds);
    return bounds;
}

static const scalar_field *panel_fields(const picture *p, size_t panel) {
    const scalar_field *fields = p->fields;
    for (size_t i = 0; i < panel; i++) fields += p->def->panels[i].mesh_count;
    return fields;
}

/* A legend is drawn for the first mesh that needs it. */
static int has_own_legend(const scalar_field *fields, size_t i) {
    int own = fields[i].shown;
    for (size_t k = 0; k < i; k++) own &= !scalar_field_same_legend(&fields[k], &fields[i]);
    return own;
}

static ruga_status find_fields(picture *p) {
    scalar_field *field = p->fields;
    for (size_t i = 0; i < p->def->panel_count; i++) {
        const ruga_panel *panel = &p->def->panels[i];
        p->legend_widths[i] = 0;
        for (size_t k = 0; k < panel->mesh_count; k++, field++) {
            TRY(scalar_field_find(p->context, &panel->meshes[k], field));
            if (has_own_legend(field - k, k)) p->legend_widths[i] += legend_width(field, &p->style);
        }
    }
    return RUGA_OK;
}

#define NARROWEST 0.4 /* aspect of a panel */
#define WIDEST 2.5

/* The width over the height of what a panel shows, from the direction of its camera. */
static double panel_aspect(const ruga_panel *panel) {
    if (panel->aspect > 0) return fmin(fmax(panel->aspect, NARROWEST), WIDEST);
    view_bounds bounds = panel_bounds(panel);
    view_fit fit;
    view_fit_begin(&fit, &panel->camera, &bounds, 1, 1, 1);
    fit.tan_x = fit.tan_y = 0;  // from far away
    visit_points(panel, add_to_fit, &fit);
    double aspect = (fit.left + fit.rightmost) / (fit.top + fit.bottom);
    return fit.count && isfinite(aspect) ? fmin(fmax(aspect, NARROWEST), WIDEST) : 1;
}

/* Panels that are framed alike are of one size, so that they can be compared. */
static int follows_aspects(const ruga_render_def *def) {
    int own = def->panel_count > 1 && !def->shared_camera;
    for (size_t i = 0; i < def->panel_count; i++) own &= !def->panels[i].camera.given || def->panels[i].aspect > 0;
    return own;
}

static ruga_status lay_out(picture *p) {
    size_t panels = p->def->panel_count, meshes = 0;
    for (size_t i = 0; i < panels; i++) meshes += p->def->panels[i].mesh_count;
    p->style = layout_style_of(p->def);
    TRY(NEW_ZEROED(p->context, &p->fields, meshes));
    TRY(NEW_EACH_ZEROED(p->context, panels, &p->panels, &p->legend_widths, &p->aspects));
    TRY(find_fields(p));
    const int follows = follows_aspects(p->def);
    for (size_t i = 0; follows && i < panels; i++) p->aspects[i] = panel_aspect(&p->def->panels[i]);
    layout_panels(p->def, p->legend_widths, follows ? p->aspects : NULL, p->panels);
    p->all = view_bounds_empty();
    for (size_t i = 0; p->def->shared_camera && i < panels; i++)
        visit_points(&p->def->panels[i], add_to_bounds, &p->all);
    return RUGA_OK;
}

static void picture_release(picture *p) {
    RELEASE_ALL(p->context, p->fields, p->panels, p->legend_widths, p->aspects, p->directions, p->offsets, p->maps);
    if (p->device) rtcReleaseDevice(p->device);
}

/* A panel's camera as a given one: its own, or fitted to what it (or every panel) shows. */
static ruga_camera fit_camera(const picture *p, size_t index) {
    const ruga_panel *panel = &p->def->panels[index];
    const layout_panel *place = &p->panels[index];
    ruga_camera camera = panel->camera;
    if (camera.given) return camera;
    int shared = p->def->shared_camera != 0;
    view_bounds bounds = shared ? p->all : panel_bounds(panel);
    view_fit fit;
    view_fit_begin(&fit, &camera, &bounds, place->width, place->height, p->def->ground ? FILL_ABOVE_GROUND : FILL);
    for (size_t i = shared ? 0 : index; i < (shared ? p->def->panel_count : index + 1); i++)
        visit_points(&p->def->panels[i], add_to_fit, &fit);
    camera.given = 1;
    camera.eye = view_fit_eye(&fit, &bounds);
    double distance = fmax(vec3_distance(camera.eye, view_bounds_centre(&bounds)), 1e-9);
    camera.target = vec3_add_scaled(camera.eye, fit.back, -distance);
    camera.up = fit.up;
    return camera;
}

ruga_status ruga_render_fit(ruga_context *context, const ruga_render_def *def, size_t panel, ruga_camera *out) {
    TRY(check_def(context, def));
    if (panel >= def->panel_count)
        return fail_argument(context, "the picture has %zu panels, but number %zu was asked for", def->panel_count,
                             panel);
    picture p = {.context = context, .def = def};
    ruga_status status = lay_out(&p);
    if (!RUGA_FAILED(status)) *out = fit_camera(&p, panel);
    picture_release(&p);
    return status;
}

/* ---- Tracing. */

static const char *isa_of_embree(ruga_isa isa) {
    switch (isa) {
        case RUGA_ISA_AVX512: return ",isa=avx512";
        case RUGA_ISA_AVX2: return ",isa=avx2";
        case RUGA_ISA_SSE4: return ",isa=sse4.2";
        default: return ",isa=sse2";
    }
}

/* One thread builds, so that the tree, and with it the winner among equal hits, is always the same. */
static ruga_status open_device(picture *p) {
    char config[64];
#if defined(__x86_64__)
    snprintf(config, sizeof config, "threads=1%s", isa_of_embree(p->context->isa));
#else
    snprintf(config, sizeof config, "threads=1");
#endif
    p->device = rtcNewDevice(config);
    if (!p->device)
        return fail_unsupported(p->context, "Embree can't be started (error %d)", (int)rtcGetDeviceError(NULL));
    return RUGA_OK;
}

static ruga_status prepare_tracing(picture *p) {
    const ruga_render_def *def = p->def;
    p->shadow_samples = def->occlusion_samples ? (def->occlusion_samples + 3) / 4 : 0;
    size_t rays = (size_t)def->samples * (size_t)def->occlusion_samples;
    size_t shadows = FLOOR_RAYS * (size_t)def->samples * (size_t)p->shadow_samples;
    TRY(NEW(p->context, &p->directions, 3 * rays));
    TRY(NEW(p->context, &p->offsets, 2 * shadows));
    TRY(NEW(p->context, &p->maps, 2));
    trace_make_directions(rays, p->directions);
    trace_make_offsets(shadows, p->offsets);
    colour_map_make(0, &p->maps[0]);
    colour_map_make(1, &p->maps[1]);
    return open_device(p);
}

/* Hands a surface to Embree, which reads our arrays in place. */
static void attach_surface(RTCDevice device, RTCScene scene, const surface *s, unsigned id) {
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, s->positions, 0,
                               3 * sizeof(float), s->vertex_count);
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, s->triangles, 0,
                               3 * sizeof(uint32_t), s->triangle_count);
    rtcCommitGeometry(geometry);
    rtcAttachGeometryByID(scene, geometry, id);
    rtcReleaseGeometry(geometry);
}

typedef struct panel_job {
    trace_scene scene;
    surface *surfaces;
    size_t surface_count;
    stroke_set strokes;
    placement place;
    canvas image;
    int left, top;
    trace_band band;
    size_t first_tile; /* of the current batch */
    int first_row;     /* that is finished */
} panel_job;

static void panel_job_release(picture *p, panel_job *job) {
    if (job->scene.scene) rtcReleaseScene(job->scene.scene);
    for (size_t i = 0; job->surfaces && i < job->surface_count; i++) surface_release(p->context, &job->surfaces[i]);
    memory_release(p->context, job->surfaces);
    stroke_set_release(p->context, &job->strokes);
    RELEASE_ALL(p->context, job->band.pixels, job->band.guides, job->band.seen);
}

static ruga_status build_scene(picture *p, size_t index, panel_job *job) {
    const ruga_panel *panel = &p->def->panels[index];
    job->surface_count = panel->mesh_count;
    TRY(NEW_ZEROED(p->context, &job->surfaces, panel->mesh_count));
    job->scene.scene = rtcNewScene(p->device);
    rtcSetSceneFlags(job->scene.scene, RTC_SCENE_FLAG_ROBUST);
    TRY(surfaces_make(p->context, panel, panel_fields(p, index), &job->place, p->style.pixel, job->surfaces,
                      &p->left_out));
    for (size_t i = 0; i < panel->mesh_count; i++) {
        p->faceted += job->surfaces[i].faceted != 0;
        if (job->surfaces[i].triangle_count)
            attach_surface(p->device, job->scene.scene, &job->surfaces[i], (unsigned)i);
    }
    rtcCommitScene(job->scene.scene);
    struct RTCBounds box;
    rtcGetSceneBounds(job->scene.scene, &box);
    job->scene.low = (vec3){(double)box.lower_x, (double)box.lower_y, (double)box.lower_z};
    job->scene.high = (vec3){(double)box.upper_x, (double)box.upper_y, (double)box.upper_z};
    enum RTCError error = rtcGetDeviceError(p->device);
    if (error == RTC_ERROR_OUT_OF_MEMORY)
        return fail_with(p->context, RUGA_ERROR_MEMORY, "panel %zu: Embree is out of memory", index);
    if (error != RTC_ERROR_NONE)
        return fail_unsupported(p->context, "panel %zu: Embree can't build its tree (error %d)", index, (int)error);
    return RUGA_OK;
}

/* The floor of a panel, in the units of its tracer. */
static trace_floor find_floor(const picture *p, size_t index, placement *place) {
    const layout_panel *at = &p->panels[index];
    const ruga_camera camera = fit_camera(p, index);
    const view_bounds bounds = panel_bounds(&p->def->panels[index]);
    *place = (placement){view_bounds_centre(&bounds), 1 / view_bounds_radius(&bounds)};
    const double ground = isnan(p->def->ground_height) ? bounds.low.y : p->def->ground_height;
    trace_floor floor = {.v = view_make(&camera, at->width, at->height),
                         .height = (ground - place->centre.y) * place->scale,
                         .shown = p->def->ground && bounds.low.x <= bounds.high.x};
    floor.v.eye = placement_apply(place, floor.v.eye);
    return floor;
}

/* The area of a panel with a floor, and its neighbours' floors. Without a floor the area is the panel. */
static void set_floor(const picture *p, size_t index, panel_job *job) {
    const layout_panel *at = &p->panels[index];
    trace_scene *scene = &job->scene;
    const int wide = scene->floor.shown;
    job->left = wide ? at->area_left : at->left, job->top = wide ? at->area_top : at->top;
    scene->area_left = at->left - job->left, scene->area_top = at->top - job->top;
    scene->left = at->left, scene->picture_width = p->def->width;
    scene->area_width = wide ? at->area_right - at->area_left : at->width;
    scene->area_height = wide ? at->area_bottom - at->area_top : at->height;
    scene->has_row_above = !layout_same_row(at, p->panels);
    scene->has_row_below = !layout_same_row(at, p->panels + p->def->panel_count - 1);
    placement other;
    if (index > 0 && layout_same_row(at, at - 1)) scene->beside[0] = find_floor(p, index - 1, &other);
    if (index + 1 < p->def->panel_count && layout_same_row(at, at + 1))
        scene->beside[1] = find_floor(p, index + 1, &other);
}

static ruga_status prepare_panel(picture *p, size_t index, const ruga_image *image, panel_job *job) {
    const ruga_render_def *def = p->def;
    const ruga_panel *panel = &def->panels[index];
    job->image = (canvas){image->width, image->height, image->pixels};
    trace_scene *scene = &job->scene;
    *scene = (trace_scene){.floor = find_floor(p, index, &job->place),
                           .maps = p->maps,
                           .background = colour_to_light(def->background),
                           .number = def->number,
                           .samples = def->samples,
                           .occlusion_samples = def->occlusion_samples,
                           .shadow_samples = p->shadow_samples,
                           .occlusion_directions = p->directions,
                           .shadow_offsets = p->offsets};
    scene->v = scene->floor.v;
    scene->lights = light_rig_of(&scene->v);
    scene->surface_count = (uint32_t)panel->mesh_count;
    set_floor(p, index, job);
    TRY(build_scene(p, index, job));
    TRY(stroke_set_make(p->context, panel, &job->place, &scene->v, p->style.pixel, &job->strokes));
    scene->surfaces = job->surfaces;
    scene->strokes = &job->strokes;
    return RUGA_OK;
}

static void tile_task(void *argument, size_t index) {
    panel_job *job = argument;
    trace_tile(&job->scene, job->first_tile + index, &job->band);
}

static void row_task(void *argument, size_t index) {
    panel_job *job = argument;
    const int y = job->first_row + (int)index;
    uint8_t *row = job->image.pixels + 3 * ((size_t)(job->top + y) * (size_t)job->image.width + (size_t)job->left);
    trace_finish_row(&job->scene, y, &job->band, row);
}

/* Batches of tiles, so that the caller's progress function is called and may cancel. */
static ruga_status trace_band_tiles(picture *p, size_t index, panel_job *job) {
    const size_t columns = (size_t)trace_tile_columns(&job->scene),
                 all = columns * (size_t)((job->scene.area_height + TILE_SIZE - 1) / TILE_SIZE), batch = all / 24 + 8;
    size_t tile = columns * (size_t)(job->band.top / TILE_SIZE);
    const size_t end = columns * (size_t)((job->band.bottom + TILE_SIZE - 1) / TILE_SIZE);
    for (; tile < end; tile += batch) {
        job->first_tile = tile;
        double done = ((double)index + (double)tile / (double)all) / (double)p->def->panel_count;
        TRY(report_progress(p->context, "rendering", done));
        parallel_tasks(p->context, end - tile < batch ? end - tile : batch, tile_task, job);
    }
    return RUGA_OK;
}

/* Rays of a pixel; the filter knows by it how large noise is. */
static ruga_status filter_band(const picture *p, panel_job *job) {
    const double sky = (double)p->def->samples * p->def->occlusion_samples,
                 shadow = (double)p->def->samples * p->shadow_samples;
    if (p->def->no_filter || !(sky > 0)) return RUGA_OK;
    filter_def def = {.width = job->scene.area_width,
                      .height = job->band.bottom - job->band.top,
                      .guides = job->band.guides,
                      .floor = job->scene.surface_count,
                      .rays = {[SEEN_SKY] = sky, [SEEN_KEY] = shadow, [SEEN_RIM] = shadow},
                      .floor_rays = {[SEEN_SKY] = sky, [SEEN_KEY] = FLOOR_RAYS * shadow}};
    return filter_visibilities(p->context, &def, job->band.seen);
}

/* A band of rows at a time, each with the rows around it that its filter needs: memory does not grow with the
 * picture. */
static ruga_status trace_rows(picture *p, size_t index, panel_job *job) {
    const int width = job->scene.area_width, height = job->scene.area_height;
    const int rows = BAND_PIXELS / width < 64 ? 64 : BAND_PIXELS / width;
    const size_t room = (size_t)width * (size_t)(rows + 2 * FILTER_REACH < height ? rows + 2 * FILTER_REACH : height);
    TRY(NEW(p->context, &job->band.pixels, room));
    TRY(NEW(p->context, &job->band.guides, room));
    TRY(NEW(p->context, &job->band.seen, SEEN_COUNT * room));
    for (int row = 0; row < height; row += rows) {
        const int end = row + rows < height ? row + rows : height;
        job->band.top = row > FILTER_REACH ? row - FILTER_REACH : 0;
        job->band.bottom = end + FILTER_REACH < height ? end + FILTER_REACH : height;
        TRY(trace_band_tiles(p, index, job));
        TRY(filter_band(p, job));
        job->first_row = row;
        parallel_tasks(p->context, (size_t)(end - row), row_task, job);
    }
    return RUGA_OK;
}

/* ---- Lettering. */

/* Centred; smaller where it would not fit. */
static void draw_fitted(canvas *c, const char *text, double left, double right, double baseline, double size,
                        ruga_colour ink) {
    text_style style = {.size = size, .colour = ink, .align = TEXT_CENTRE};
    double room = 0.98 * (right - left), wide = text_width(text, size);
    if (wide > room) style.size *= room / wide;
    canvas_text(c, text, (plot_point){0.5 * (left + right), baseline}, &style);
}

static void letter(picture *p, ruga_image *image) {
    canvas c = canvas_of(image);
    if (p->def->title)
        draw_fitted(&c, p->def->title, 0, image->width, layout_title_baseline(p->def), p->style.title, p->style.ink);
    for (size_t i = 0; i < p->def->panel_count; i++) {
        const ruga_panel *panel = &p->def->panels[i];
        const layout_panel *at = &p->panels[i];
        const scalar_field *fields = panel_fields(p, i);
        double left = at->legend_left;
        for (size_t k = 0; k < panel->mesh_count; k++) {
            if (!has_own_legend(fields, k)) continue;
            legend_draw(&c, &fields[k], &p->maps[fields[k].diverging != 0], at, left, &p->style);
            left += legend_width(&fields[k], &p->style);
        }
        if (panel->caption)
            draw_fitted(&c, panel->caption, at->cell_left, at->cell_right, at->caption_baseline, p->style.caption,
                        p->style.ink);
    }
}

static ruga_status draw_picture(picture *p, ruga_image *image) {
    TRY(lay_out(p));
    TRY(prepare_tracing(p));
    for (size_t i = 0; i < p->def->panel_count; i++) {
        panel_job job = {0};
        ruga_status status = prepare_panel(p, i, image, &job);
        if (!RUGA_FAILED(status)) status = trace_rows(p, i, &job);
        panel_job_release(p, &job);
        TRY(status);
    }
    letter(p, image);
    return report_progress(p->context, "rendering", 1);
}

ruga_status ruga_render(ruga_context *context, const ruga_render_def *def, ruga_image **out) {
    TRY(check_def(context, def));
    ruga_image *image;
    TRY(image_create(context, def->width, def->height, &image));
    canvas c = canvas_of(image);
    canvas_fill(&c, def->background);
    picture p = {.context = context, .def = def};
    ruga_status status = draw_picture(&p, image);
    picture_release(&p);
    TRY_OR(status, ruga_image_destroy(image));
    image->faceted = p.faceted;
    *out = image;
    if (!p.left_out) return RUGA_OK;
    log_warning(context, "%zu triangles with vertices that are not finite were left out of the picture", p.left_out);
    return RUGA_WARNING_INPUT;
}
