/* The picture of a run's start: the objects that intersect before the first frame, and one of the places from
 * nearby. */
#include "base/memory.h"
#include "math/vec3.h"
#include "ruga/render.h"

static ruga_render_mesh mesh_to_draw(const ruga_scene *scene, size_t object) {
    static const ruga_colour colours[] = {
        {0.85f, 0.83f, 0.78f}, {0.55f, 0.68f, 0.82f}, {0.90f, 0.78f, 0.55f}, {0.66f, 0.78f, 0.60f}};
    ruga_render_mesh mesh = ruga_render_mesh_default(ruga_scene_object_mesh(scene, object));
    mesh.frame = ruga_scene_frame(scene, object);
    mesh.front = mesh.back = colours[object % (sizeof colours / sizeof colours[0])];
    mesh.wireframe = 1;
    mesh.wire_width = 0.8f;
    return mesh;
}

/* Everything in one panel, and a place in another: from the same side, twelve times as near. */
static ruga_status draw_panels(ruga_context *context, const ruga_panel *whole, ruga_vec3 place, const char *path) {
    ruga_panel panels[2] = {*whole, *whole};
    ruga_render_def def = ruga_render_def_default();
    def.width = 1200;
    def.height = 540;
    def.samples = 2;
    def.occlusion_samples = 4;
    def.panel_count = 2;
    def.panels = panels;
    TRY(ruga_render_fit(context, &def, 0, &panels[0].camera));
    panels[1].caption = "one of the places, from nearby";
    panels[1].camera = panels[0].camera;
    panels[1].camera.target = place;
    ruga_vec3 away = vec3_sub(panels[0].camera.eye, panels[0].camera.target);
    panels[1].camera.eye = vec3_add_scaled(place, away, 1.0 / 12);
    ruga_image *image = NULL;
    TRY(ruga_render(context, &def, &image));
    ruga_status status = ruga_image_write_png(image, path);
    ruga_image_destroy(image);
    return status;
}

static ruga_status draw_start(void *user, const ruga_scene *scene, const ruga_scene_intersection *found, size_t count,
                              const char *path) {
    ruga_context *context = user;
    size_t objects = ruga_scene_object_count(scene);
    ruga_render_mesh *meshes = NULL;
    ruga_vec3 *points = NULL;
    ruga_status status = NEW(context, &meshes, objects);
    if (!RUGA_FAILED(status)) status = NEW(context, &points, count);
    if (!RUGA_FAILED(status)) {
        for (size_t i = 0; i < count; i++) points[i] = found[i].point;
        for (size_t i = 0; i < objects; i++) meshes[i] = mesh_to_draw(scene, i);
        const ruga_render_points dots = {points, count, {0.85f, 0.1f, 0.1f}, 12};
        const ruga_panel whole = {.caption = "what intersects before the first frame",
                                  .mesh_count = objects,
                                  .meshes = meshes,
                                  .point_set_count = 1,
                                  .point_sets = &dots,
                                  .camera = ruga_camera_default()};
        status = draw_panels(context, &whole, found[0].point, path);
    }
    RELEASE_ALL(context, meshes, points);
    return status;
}

void ruga_render_run_starts(ruga_context *context) { ruga_context_set_run_start(context, draw_start, context); }
