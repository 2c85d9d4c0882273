/* Helpers of the demo's items. */
#include "demo.h"

#include "cli/picture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *demo_path(const demo *d, const char *file) {
    static char paths[4][4096];
    static size_t next = 0;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", d->folder, file);
    return path;
}

int demo_code(demo *d, ruga_status status) { return output_code(d->s, status); }

/* ---- Objects of an item. */
static void destroy(demo_kind kind, void *object) {
    switch (kind) {
        case DEMO_MEMORY: free(object); break;
        case DEMO_MESH: ruga_mesh_destroy(object); break;
        case DEMO_MOTION: ruga_motion_destroy(object); break;
        case DEMO_SCENE: ruga_scene_destroy(object); break;
        case DEMO_CURVE: ruga_curve_destroy(object); break;
        case DEMO_SCULPT: ruga_sculpt_destroy(object); break;
        case DEMO_STROKES: ruga_strokes_destroy(object); break;
        case DEMO_WRINKLE_MESH: ruga_wrinkle_mesh_destroy(object); break;
        case DEMO_SHELL: ruga_embedded_shell_destroy(object); break;
        case DEMO_MAP: ruga_map_destroy(object); break;
        case DEMO_PICTURE: picture_release(object); break;
    }
}

int demo_keep(demo *d, demo_kind kind, void *object) {
    if (!object) return 0;
    if (d->kept_count < DEMO_MAX_KEPT) {
        d->kept[d->kept_count].kind = kind;
        d->kept[d->kept_count++].object = object;
        return 0;
    }
    destroy(kind, object);
    return session_error(d->s, EXIT_FAILED, "%s: more than %d objects", d->item->name, DEMO_MAX_KEPT);
}

void demo_release(demo *d) {
    while (d->kept_count > 0) {
        d->kept_count--;
        destroy(d->kept[d->kept_count].kind, d->kept[d->kept_count].object);
    }
}

void *demo_allocate(demo *d, size_t count, size_t size) {
    void *memory = calloc(count + 1, size);
    return demo_keep(d, DEMO_MEMORY, memory) ? NULL : memory;
}

int demo_moment(demo *d, const ruga_mesh *mesh, moment *out) {
    int code = moment_create(d->s, mesh, out);
    return code ? code : demo_keep(d, DEMO_MEMORY, out->positions);
}

/* ---- Files. */

/* "turntable.mp4" becomes "turntable.png". */
static const char *stand_in(const char *file) {
    static char name[256];
    const char *ending = strrchr(file, '.');
    snprintf(name, sizeof name, "%.*s.png", (int)(ending ? ending - file : (long)strlen(file)), file);
    return name;
}

const char *demo_existing(const demo *d, const char *file) {
    if (access(demo_path(d, file), R_OK) == 0) return file;
    const char *still = stand_in(file);
    return access(demo_path(d, still), R_OK) == 0 ? still : NULL;
}

enum { DRAFT_FRAMES = 3, DRAFT_SHRINK = 6 };

/* The def itself, or that of a draft. */
static ruga_render_def draft_def(const demo *d, const ruga_render_def *def) {
    ruga_render_def quick = *def;
    if (!d->draft) return quick;
    quick.width /= DRAFT_SHRINK;
    quick.height /= DRAFT_SHRINK;
    quick.samples = 1;
    quick.occlusion_samples = 0;
    return quick;
}

int demo_still(demo *d, const ruga_render_def *def, const char *file) {
    ruga_render_def quick = draft_def(d, def);
    if (d->item->view && def->panel_count > 0)
        TRY_CODE(demo_write_view(d, d->item->name, &def->panels[def->panel_count - 1]));
    return render_png(d->s, &quick, demo_path(d, file));
}

typedef struct film_frames {
    demo *d;
    const char *poster; /* a picture of the film for the page */
    size_t poster_frame;
    demo_frame_function *set_up;
    void *user;
    ruga_render_def *def;
} film_frames;

static int render_frame(session *s, void *user, size_t frame, ruga_image **out) {
    film_frames *f = user;
    int code = f->set_up(f->user, frame, f->def);
    f->def->number = (uint32_t)frame;
    ruga_render_def quick = draft_def(f->d, f->def);
    if (!code) code = output_code(s, ruga_render(s->context, &quick, out));
    if (!code && frame == f->poster_frame) code = output_code(s, ruga_image_write_png(*out, f->poster));
    return code;
}

int demo_has_films(demo *d) {
    ruga_film *film = NULL;
    char path[64];
    snprintf(path, sizeof path, ".ruga-%ld.mp4", (long)getpid());
    ruga_status status = ruga_film_create(d->s->context, path, 24, &film);
    ruga_film_destroy(film);
    return status != RUGA_ERROR_UNSUPPORTED;
}

int demo_film(demo *d, const char *file, size_t frames, double rate, ruga_render_def *def, demo_frame_function *set_up,
              void *user) {
    char poster[4096];
    snprintf(poster, sizeof poster, "%s/%.*s-poster.png", d->folder, (int)strcspn(file, "."), file);
    film_frames f = {d, poster, (d->draft ? DRAFT_FRAMES : frames) * 2 / 3, set_up, user, def};
    if (demo_has_films(d))
        return frames_film(d->s, "rendering the film", d->draft ? DRAFT_FRAMES : frames, rate, render_frame, &f,
                           demo_path(d, file));
    for (int i = 0; i < DEMO_MAX_FILES && d->item->files[i]; i++)
        if (strcmp(d->item->files[i], stand_in(file)) == 0) return 0;  // the item has a still of this name
    int code = set_up(user, 0, def);
    if (!code) code = demo_still(d, def, stand_in(file));
    if (!code) session_note(d->s, "%s is a still: install ffmpeg for the film", stand_in(file));
    return code;
}

int demo_model(demo *d, const char *name, const demo_parameter *parameters, ruga_mesh **out) {
    const ruga_section *model = ruga_model_find(name);
    if (!model) return session_error(d->s, EXIT_FAILED, "unknown model '%s' in the demo", name);
    double values[64];
    ruga_section_defaults(model, values);
    for (size_t i = 0; i < model->field_count; i++)
        for (const demo_parameter *p = parameters; p && p->name; p++)
            if (strcmp(p->name, model->fields[i].name) == 0) values[i] = p->value;
    int code = demo_code(d, ruga_model_make(d->s->context, name, values, out));
    return code ? code : demo_keep(d, DEMO_MESH, *out);
}

int demo_mesh(demo *d, const ruga_vec3 *points, size_t point_count, const uint32_t *sizes, const uint32_t *vertices,
              size_t face_count, ruga_mesh **out) {
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){(void *)(uintptr_t)points, point_count, 0, RUGA_F64};
    def.face_count = face_count;
    def.face_sizes = sizes;
    def.face_vertices = vertices;
    int code = demo_code(d, ruga_mesh_create(d->s->context, &def, out));
    return code ? code : demo_keep(d, DEMO_MESH, *out);
}

ruga_render_def demo_def(int width, int height, const ruga_panel *panels, size_t panel_count, int columns) {
    ruga_render_def def = ruga_render_def_default();
    def.width = width;
    def.height = height;
    def.panels = panels;
    def.panel_count = panel_count;
    def.columns = columns;
    return def;
}

ruga_render_def demo_film_def(const ruga_panel *panel, int width, int height, int occlusion_samples) {
    ruga_render_def def = demo_def(width, height, panel, 1, 1);
    def.samples = 2;
    def.occlusion_samples = occlusion_samples;
    return def;
}

ruga_render_mesh demo_wire(const ruga_mesh *mesh) {
    ruga_render_mesh look = ruga_render_mesh_default(mesh);
    look.wireframe = 1;
    look.shading = RUGA_SHADING_FLAT;
    return look;
}

ruga_camera demo_camera(double azimuth, double elevation) {
    ruga_camera camera = ruga_camera_default();
    camera.azimuth = azimuth;
    camera.elevation = elevation;
    return camera;
}

ruga_camera demo_eye(ruga_vec3 eye, ruga_vec3 target, double fov) {
    ruga_camera camera = ruga_camera_default();
    camera.given = 1;
    camera.eye = eye;
    camera.target = target;
    camera.up = (ruga_vec3){0, 1, 0};
    camera.fov = fov;
    return camera;
}

const ruga_colour demo_skin = {0.85f, 0.66f, 0.55f};

void demo_colour_cloth(ruga_render_mesh *look) {
    look->finish = RUGA_FINISH_CLOTH;
    look->smooth = 1;
    look->front = (ruga_colour){0.74f, 0.44f, 0.36f};
    look->back = (ruga_colour){0.86f, 0.72f, 0.62f};
}

ruga_plot_def demo_plot(const char *title, const char *x_label, const char *y_label, const ruga_plot_series *series,
                        size_t count) {
    ruga_plot_def def = ruga_plot_def_default();
    if (title) def.title = title;
    def.x_label = x_label;
    def.y_label = y_label;
    def.series = series;
    def.series_count = count;
    return def;
}

int demo_write_plot(demo *d, const ruga_plot_def *def, const char *png, const char *svg) {
    ruga_status status = ruga_plot_write_png(d->s->context, def, demo_path(d, png));
    if (!RUGA_FAILED(status) && svg) status = ruga_plot_write_svg(d->s->context, def, demo_path(d, svg));
    return demo_code(d, status);
}

ruga_panel *gallery_add(gallery *g, const char *caption, ruga_render_mesh look, ruga_camera camera) {
    size_t i = g->count++;
    g->looks[i] = look;
    g->panels[i] = (ruga_panel){
        .caption = caption, .mesh_count = 1, .meshes = &g->looks[i], .curves = g->curves[i], .camera = camera};
    return &g->panels[i];
}
