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

/* A name with another ending: "turntable.mp4" becomes "turntable.png". In one of four rotating buffers. */
static const char *with_ending(const char *file, const char *ending) {
    static char names[4][256];
    static size_t next = 0;
    char *name = names[next++ % 4];
    const char *dot = strrchr(file, '.');
    snprintf(name, sizeof names[0], "%.*s%s", (int)(dot ? dot - file : (long)strlen(file)), file, ending);
    return name;
}

const char *demo_poster(const char *file) { return with_ending(file, "-poster.png"); }

const char *demo_existing(const demo *d, const char *file) {
    if (access(demo_path(d, file), R_OK) == 0) return file;
    const char *still = with_ending(file, ".png");
    return access(demo_path(d, still), R_OK) == 0 ? still : NULL;
}

enum { DRAFT_FRAMES = 3, DRAFT_SHRINK = 6, FILM_RATE = 24, FILM_FRAMES = 4 * FILM_RATE };

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
    ruga_image *image = NULL;
    ruga_status status = ruga_render(d->s->context, &quick, &image);
    if (!RUGA_FAILED(status)) status = ruga_image_write_png(image, demo_path(d, file));
    if (image && image->faceted > 0)
        session_remark(d->s, "%s: %zu of its meshes drawn with facets, because the smooth ones would intersect\n", file,
                       image->faceted);
    ruga_image_destroy(image);
    return demo_code(d, status);
}

typedef struct film_job {
    demo *d;
    const demo_film_def *film;
    ruga_render_def def;
    ruga_film *out;
    size_t frames, lead, tail; /* the first picture stays for so many more, and the last */
    size_t faceted;
    ruga_image **kept; /* (frames) of a film that does not hold; else NULL */
} film_job;

static int append_times(film_job *job, const ruga_image *image, size_t times) {
    ruga_status status = RUGA_OK;
    for (size_t i = 0; i < times && !RUGA_FAILED(status); i++) status = ruga_film_append(job->out, image);
    return demo_code(job->d, status);
}

static int film_frame(session *s, void *user, size_t frame) {
    film_job *job = user;
    TRY_CODE(job->film->set_up(job->film->user, frame, &job->def));
    job->def.number = (uint32_t)frame;
    ruga_render_def quick = draft_def(job->d, &job->def);
    ruga_image *image = NULL;
    TRY_CODE(output_code(s, ruga_render(s->context, &quick, &image)));
    job->faceted += image->faceted > 0;
    const size_t more = (frame == 0 ? job->lead : 0) + (frame + 1 == job->frames ? job->tail : 0);
    int code = append_times(job, image, 1 + more);
    if (!code && frame == job->frames * 2 / 3)
        code = output_code(s, ruga_image_write_png(image, demo_path(job->d, demo_poster(job->film->file))));
    if (job->kept)
        job->kept[frame] = image;
    else
        ruga_image_destroy(image);
    return code;
}

/* The pictures once more, backwards where the film returns, until it is long enough and back at its first picture. */
static int begin_again(film_job *job) {
    const int returns = job->film->course == FILM_RETURNS;
    int code = 0;
    for (size_t shown = job->frames, turn = 1; (shown < FILM_FRAMES || (returns && turn % 2)) && !code; turn++) {
        const size_t count = returns ? job->frames - 1 : job->frames;
        const int backwards = returns && turn % 2;
        for (size_t i = 0; i < count && !code; i++)
            code = append_times(job, job->kept[backwards ? count - 1 - i : i + (size_t)returns], 1);
        shown += count;
    }
    return code;
}

static int make_film(demo *d, film_job *job) {
    const demo_film_def *film = job->film;
    job->frames = d->draft ? DRAFT_FRAMES : film->frames;
    const size_t missing = !d->draft && film->frames < FILM_FRAMES ? FILM_FRAMES - film->frames : 0;
    if (missing && film->course != FILM_HOLDS) TRY_CODE(DEMO_NEW(d, job->kept, job->frames));
    if (!job->kept) job->lead = missing / 5, job->tail = missing - job->lead;
    int code = demo_code(d, ruga_film_create(d->s->context, demo_path(d, film->file), FILM_RATE, &job->out));
    if (!code) code = frames_each(d->s, "rendering the film", 0, job->frames, film_frame, job);
    if (!code && job->kept) code = begin_again(job);
    if (!code) code = demo_code(d, ruga_film_finish(job->out));
    ruga_film_destroy(job->out);
    for (size_t i = 0; job->kept && i < job->frames; i++) ruga_image_destroy(job->kept[i]);
    if (!code && job->faceted)
        session_remark(d->s, "%s: %zu of %zu frames are drawn with facets, because smooth meshes would intersect\n",
                       film->file, job->faceted, job->frames);
    return code;
}

int demo_has_films(demo *d) {
    if (!d->all_films && !d->item->film_now) return 0;
    ruga_film *film = NULL;
    char path[64];
    snprintf(path, sizeof path, ".ruga-%ld.mp4", (long)getpid());
    ruga_status status = ruga_film_create(d->s->context, path, FILM_RATE, &film);
    ruga_film_destroy(film);
    if (status == RUGA_ERROR_UNSUPPORTED)
        session_note(d->s, "%s.png is a still: install ffmpeg for the film", d->item->name);
    return status != RUGA_ERROR_UNSUPPORTED;
}

int demo_film(demo *d, const demo_film_def *film) {
    film_job job = {.d = d, .film = film, .def = demo_def(1280, 720, film->panels, film->panel_count, 0)};
    job.def.samples = 2;
    job.def.occlusion_samples = 4;
    if (film->ground) job.def.ground = 1, job.def.ground_height = 0;
    if (demo_has_films(d)) return make_film(d, &job);
    const char *still = with_ending(film->file, ".png");
    for (int i = 0; i < DEMO_MAX_FILES && d->item->files[i]; i++)
        if (strcmp(d->item->files[i], still) == 0) return 0;  // the item has a still of this name
    int code = film->set_up(film->user, 0, &job.def);
    return code ? code : demo_still(d, &job.def, still);
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
