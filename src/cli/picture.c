#include "picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const shading_names[] = {"smooth", "flat", NULL}; /* in the order of ruga_shading */

const option look_options[] = {
    {.name = "shading",
     .kind = OPTION_CHOICE,
     .value = "KIND",
     .preset = "smooth",
     .choices = shading_names,
     .help = "how faces meet"},
    {.name = "wireframe", .letter = 'w', .kind = OPTION_FLAG, .help = "draw the edges of the faces"},
    {.name = "wire-width",
     .kind = OPTION_NUMBER,
     .preset = "1.5",
     .value = "W",
     .unit = "pixels of a 1080-line picture",
     .low = 0.1,
     .high = 50,
     .help = "width of the wireframe's lines"},
    {.name = "colour",
     .kind = OPTION_COLOUR,
     .value = "#RRGGBB",
     .help = "colour of the front; repeated, one for each mesh"},
    {.name = "back", .kind = OPTION_COLOUR, .value = "#RRGGBB", .help = "colour of the back"},
    {.name = "attribute",
     .kind = OPTION_TEXT,
     .value = "NAME",
     .help = "show a vertex attribute in colours, with a legend; x, y and z are the coordinates"},
    {.name = "range",
     .kind = OPTION_SPAN,
     .value = "LOW:HIGH",
     .help = "values at the ends of the colours; from the data if not given"},
    {.name = "label",
     .kind = OPTION_TEXT,
     .value = "TEXT",
     .help = "words of the legend, with the unit; the attribute's name if not given"},
    {.name = "diverging", .kind = OPTION_FLAG, .help = "two-sided colours around zero"},
    {.name = "side-by-side", .letter = 's', .kind = OPTION_FLAG, .help = "each mesh in a panel of its own"},
    {.name = "caption",
     .kind = OPTION_TEXT,
     .value = "TEXT",
     .help = "below a panel; repeated, one for each. Side by side, the file's name if not given"},
    {.name = "columns",
     .kind = OPTION_WHOLE,
     .value = "N",
     .low = 1,
     .high = MAX_SUBJECTS,
     .help = "panels in a row; chosen if not given"},
};
const size_t look_option_count = OPTION_COUNT(look_options);

const option camera_options[] = {
    {.name = "azimuth",
     .kind = OPTION_NUMBER,
     .preset = "30",
     .value = "A",
     .unit = "degrees",
     .help = "direction of the eye around the up axis"},
    {.name = "elevation",
     .kind = OPTION_NUMBER,
     .preset = "20",
     .value = "E",
     .unit = "degrees",
     .low = -89,
     .high = 89,
     .help = "height of the eye above the horizon"},
    {.name = "zoom",
     .kind = OPTION_NUMBER,
     .value = "Z",
     .low = 0.01,
     .high = 100,
     .preset = "1",
     .help = "above 1 nearer; 1 shows the whole"},
    {.name = "fov",
     .kind = OPTION_NUMBER,
     .preset = "30",
     .value = "F",
     .unit = "degrees",
     .low = 1,
     .high = 120,
     .help = "vertical angle of view"},
    {.name = "eye",
     .kind = OPTION_VECTOR,
     .value = "X,Y,Z",
     .unit = "m",
     .help = "place of the eye, instead of framing by itself; goes with --target"},
    {.name = "target", .kind = OPTION_VECTOR, .value = "X,Y,Z", .unit = "m", .help = "where the eye looks"},
};
const size_t camera_option_count = OPTION_COUNT(camera_options);

const option image_options[] = {
    {.name = "width",
     .kind = OPTION_WHOLE,
     .preset = "1280",
     .value = "W",
     .unit = "pixels",
     .low = 16,
     .high = 16384,
     .help = "width of the picture"},
    {.name = "height",
     .kind = OPTION_WHOLE,
     .preset = "720",
     .value = "H",
     .unit = "pixels",
     .low = 16,
     .high = 16384,
     .help = "height of the picture"},
    {.name = "title", .kind = OPTION_TEXT, .value = "TEXT", .help = "above the picture"},
    {.name = "background",
     .kind = OPTION_COLOUR,
     .preset = "#ffffff",
     .value = "#RRGGBB",
     .help = "colour behind everything"},
    {.name = "ground", .letter = 'g', .kind = OPTION_FLAG, .help = "a soft shadow on the plane below"},
    {.name = "samples",
     .kind = OPTION_WHOLE,
     .preset = "4",
     .value = "N",
     .low = 1,
     .high = 64,
     .help = "rays a pixel: more give smoother edges"},
    {.name = "occlusion",
     .kind = OPTION_WHOLE,
     .preset = "16",
     .value = "N",
     .low = 0,
     .high = 256,
     .help = "rays of soft light a sample: more give less noise, 0 gives none"},
};
const size_t image_option_count = OPTION_COUNT(image_options);

int path_is_film(const char *path) {
    const char *ending = strrchr(path, '.');
    return path_is_pattern(path) || (ending && (strcmp(ending, ".mp4") == 0 || strcmp(ending, ".gif") == 0));
}

/* ---- Colours by value. */
/* x, y or z of a mesh's vertices; NULL if the name is no coordinate or there is no memory. */
static double *coordinate_values(const ruga_mesh *mesh, const char *name) {
    if (strlen(name) != 1 || name[0] < 'x' || name[0] > 'z') return NULL;
    double *values = malloc((mesh->vertex_count + 1) * sizeof *values);
    for (size_t v = 0; values && v < mesh->vertex_count; v++)
        values[v] = name[0] == 'x'   ? mesh->positions[v].x
                    : name[0] == 'y' ? mesh->positions[v].y
                                     : mesh->positions[v].z;
    return values;
}

static int unknown_attribute(session *s, const subject *who, const char *name) {
    const char *names[MAX_OPTIONS] = {"x", "y", "z"};
    size_t count = 3;
    char all[256] = "x, y, z", meant[128];
    for (size_t i = 0; i < who->mesh->attribute_count && count < MAX_OPTIONS; i++) {
        if (who->mesh->attributes[i].domain != RUGA_DOMAIN_VERTEX) continue;
        names[count++] = who->mesh->attributes[i].name;
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, ", %s", who->mesh->attributes[i].name);
    }
    suggest(meant, sizeof meant, name, names, count, "");
    return session_error(s, EXIT_USAGE, "%s: no vertex attribute '%s'; it has %s%s", who->path, name, all, meant);
}

static int arrange_scalar(session *s, const arguments *a, subject *who, ruga_render_mesh *look) {
    const char *name = option_text(a, "attribute");
    if (!name) return 0;
    look->scalar_label = option_text(a, "label") ? option_text(a, "label") : name;
    look->diverging = option_given(a, "diverging") > 0;
    if (option_given(a, "range")) option_span(a, "range", &look->scalar_low, &look->scalar_high);
    if (ruga_mesh_attribute(who->mesh, name, RUGA_DOMAIN_VERTEX)) {
        look->scalar = name;
        return 0;
    }
    who->values = coordinate_values(who->mesh, name);
    look->scalar_values = who->values;
    if (look->scalar_values && !option_text(a, "label"))
        look->scalar_label = name[0] == 'x' ? "x (m)" : name[0] == 'y' ? "y (m)" : "z (m)";
    return look->scalar_values ? 0 : unknown_attribute(s, who, name);
}

/* ---- Looks, panels, the camera and the image. */
/* Of the objects of a run, so that they stand out from what they meet; front and back. */
static const ruga_colour object_colours[][2] = {
    {{0.74f, 0.50f, 0.41f}, {0.84f, 0.70f, 0.58f}}, {{0.42f, 0.53f, 0.63f}, {0.62f, 0.69f, 0.74f}},
    {{0.77f, 0.64f, 0.36f}, {0.86f, 0.78f, 0.60f}}, {{0.49f, 0.60f, 0.46f}, {0.68f, 0.74f, 0.62f}},
    {{0.60f, 0.48f, 0.60f}, {0.75f, 0.67f, 0.74f}},
};
static const ruga_colour collider_colour = {0.60f, 0.66f, 0.72f}, plane_colour = {0.92f, 0.92f, 0.91f};

/* What a run's subject looks like by itself: an object's colour by its number, a collider's by what it is. */
static void arrange_run_look(const subject *who, ruga_render_mesh *look) {
    const ruga_colour *colours = object_colours[who->number % (sizeof object_colours / sizeof object_colours[0])];
    ruga_colour collider = who->role == SUBJECT_PLANE ? plane_colour : collider_colour;
    look->front = who->role == SUBJECT_OBJECT ? colours[0] : collider;
    look->back = who->role == SUBJECT_OBJECT ? colours[1] : collider;
    if (who->role == SUBJECT_FLAT || who->role == SUBJECT_PLANE) look->shading = RUGA_SHADING_FLAT;
}

static int arrange_look(session *s, const arguments *a, picture *p, size_t i) {
    ruga_render_mesh *look = &p->looks[i];
    *look = ruga_render_mesh_default(p->subjects[i].mesh);
    if (p->subjects[i].in_run) arrange_run_look(&p->subjects[i], look);
    if (p->subjects[i].role != SUBJECT_OBJECT) return 0;
    if (p->subjects[i].motion) look->frame = &p->subjects[i].present.frame;
    look->shading = (ruga_shading)option_choice(a, "shading");
    look->wireframe = option_given(a, "wireframe") > 0;
    look->wire_width = (float)option_number(a, "wire-width");
    size_t colours = option_given(a, "colour");
    if (colours) look->front = option_colour_at(a, "colour", i < colours ? i : colours - 1);
    if (option_given(a, "back")) look->back = option_colour(a, "back");
    return arrange_scalar(s, a, &p->subjects[i], look);
}

static ruga_camera choose_camera(const arguments *a) {
    ruga_camera camera = ruga_camera_default();
    camera.azimuth = option_number(a, "azimuth");
    camera.elevation = option_number(a, "elevation");
    camera.fov = option_number(a, "fov");
    camera.zoom = option_number(a, "zoom");
    if (option_given(a, "eye")) {
        camera.given = 1;
        camera.eye = option_vector(a, "eye");
        camera.target = option_vector(a, "target");
        camera.up = (ruga_vec3){0, 1, 0};
    }
    return camera;
}

/* One panel, or one for each word. */
static void arrange_panels(const arguments *a, ruga_camera camera, picture *p) {
    int apart = option_given(a, "side-by-side") > 0;
    size_t count = 0;
    for (size_t i = 0; i < p->subject_count; i++) {
        const subject *who = &p->subjects[i];
        if (count > 0 && (!apart || who->number > 0)) {
            p->panels[count - 1].mesh_count++;
            continue;
        }
        const char *slash = strrchr(who->word, '/'), *name = slash && slash[1] ? slash + 1 : who->word;
        const char *caption = count < option_given(a, "caption") ? option_text_at(a, "caption", count)
                              : apart                            ? name
                                                                 : "";
        snprintf(p->captions[count], sizeof p->captions[count], "%s", caption);
        p->panels[count] = (ruga_panel){
            .caption = *caption ? p->captions[count] : NULL, .mesh_count = 1, .meshes = &p->looks[i], .camera = camera};
        count++;
    }
    p->def.panel_count = count;
    p->def.panels = p->panels;
    if (option_given(a, "columns")) p->def.columns = option_whole(a, "columns");
}

int picture_arrange_image(session *s, const arguments *a, ruga_render_def *def, ruga_camera *camera) {
    if (option_given(a, "eye") != option_given(a, "target"))
        return session_error(s, EXIT_USAGE, "--eye and --target go together");
    *camera = choose_camera(a);
    *def = ruga_render_def_default();
    def->width = option_whole(a, "width");
    def->height = option_whole(a, "height");
    def->samples = option_whole(a, "samples");
    def->occlusion_samples = option_whole(a, "occlusion");
    def->background = option_colour(a, "background");
    if (option_given(a, "ground")) def->ground = 1;
    def->title = option_text(a, "title");
    return 0;
}

int picture_arrange(session *s, const arguments *a, picture *p) {
    ruga_camera camera;
    int code = picture_arrange_image(s, a, &p->def, &camera);
    for (size_t i = 0; i < p->subject_count && !code; i++) code = arrange_look(s, a, p, i);
    if (!code) arrange_panels(a, camera, p);
    return code;
}

/* ---- Framing of films: the box of all moments, and the distance at which every point is within the view. */
enum { BOUND_SAMPLES = 64 };
#define FILM_MARGIN 0.92 /* of the view that is filled */

typedef struct framing {
    ruga_vec3 low, high;
    ruga_vec3 right, up, back, centre; /* the camera's axes */
    double slope_x, slope_y;           /* tangents of the half angles of view */
    double distance;                   /* least so far, from the centre */
    int turning;
} framing;

typedef void point_visitor(framing *f, ruga_vec3 p);

static void grow_box(framing *f, ruga_vec3 p) {
    f->low = (ruga_vec3){fmin(f->low.x, p.x), fmin(f->low.y, p.y), fmin(f->low.z, p.z)};
    f->high = (ruga_vec3){fmax(f->high.x, p.x), fmax(f->high.y, p.y), fmax(f->high.z, p.z)};
}

static double dot(ruga_vec3 a, ruga_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

/* When the camera turns, a point counts as if it were at the side and in front at once. */
static void grow_distance(framing *f, ruga_vec3 p) {
    ruga_vec3 d = {p.x - f->centre.x, p.y - f->centre.y, p.z - f->centre.z};
    double out = sqrt(d.x * d.x + d.z * d.z), flat = sqrt(1 - f->back.y * f->back.y);
    double x = f->turning ? out : fabs(dot(d, f->right));
    double y = f->turning ? fabs(d.y) * flat + out * fabs(f->back.y) : fabs(dot(d, f->up));
    double z = f->turning ? d.y * f->back.y + out * flat : dot(d, f->back);
    double wanted = fmax(x / f->slope_x, y / f->slope_y) + z;
    if (isfinite(wanted)) f->distance = fmax(f->distance, wanted);
}

/* Whether a collider's point is behind a plane of its run, where nobody sees it. */
static int is_hidden(const picture *p, const subject *who, ruga_vec3 point) {
    for (size_t i = 0; i < p->subject_count && who->role != SUBJECT_OBJECT; i++) {
        const subject *plane = &p->subjects[i];
        if (plane->role != SUBJECT_PLANE || plane->word != who->word) continue;
        ruga_vec3 on = plane->mesh->positions[0];
        if (dot((ruga_vec3){point.x - on.x, point.y - on.y, point.z - on.z}, plane->normal) < 0) return 1;
    }
    return 0;
}

/* All points of the subjects of a word, or of all, at all sampled times. */
static int visit_points(session *s, picture *p, const char *word, framing *f, point_visitor *visit) {
    for (size_t i = 0; i < p->subject_count; i++) {
        subject *who = &p->subjects[i];
        if (who->role == SUBJECT_PLANE || (word && who->word != word)) continue;
        ruga_motion_info info = who->motion ? ruga_motion_get_info(who->motion) : (ruga_motion_info){0};
        for (int k = 0; k < (who->motion ? BOUND_SAMPLES : 1); k++) {
            double time = info.start + (info.end - info.start) * k / (BOUND_SAMPLES - 1);
            int code = who->motion ? moment_sample(s, who->motion, time, &who->present) : 0;
            if (code) return code;
            const ruga_vec3 *points = who->motion ? who->present.positions : who->mesh->positions;
            for (size_t v = 0; v < who->mesh->vertex_count; v++)
                if (!is_hidden(p, who, points[v])) visit(f, points[v]);
        }
    }
    return 0;
}

/* Width over height of a panel, roughly: captions and legends take a little of it. */
static double panel_aspect(const picture *p) {
    size_t columns = p->def.columns > 0 ? (size_t)p->def.columns : p->def.panel_count;
    size_t rows = (p->def.panel_count + columns - 1) / columns;
    return ((double)p->def.width / (double)columns) / ((double)p->def.height / (double)rows);
}

int picture_bounds(session *s, picture *p, const char *word, ruga_vec3 *low, ruga_vec3 *high) {
    framing f = {.low = {INFINITY, INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY, -INFINITY}};
    int code = visit_points(s, p, word, &f, grow_box);
    *low = f.low;
    *high = f.high;
    return code;
}

int picture_film_camera(session *s, picture *p, int turning, ruga_camera *camera) {
    const double degree = acos(-1.0) / 180;
    double a = camera->azimuth * degree, e = camera->elevation * degree;
    framing f = {.turning = turning};
    int code = picture_bounds(s, p, NULL, &f.low, &f.high);
    if (code) return code;
    f.centre = (ruga_vec3){0.5 * (f.low.x + f.high.x), 0.5 * (f.low.y + f.high.y), 0.5 * (f.low.z + f.high.z)};
    f.back = (ruga_vec3){cos(e) * sin(a), sin(e), cos(e) * cos(a)};
    f.right = (ruga_vec3){cos(a), 0, -sin(a)};
    f.up = (ruga_vec3){-sin(e) * sin(a), cos(e), -sin(e) * cos(a)};
    f.slope_y = tan(0.5 * camera->fov * degree) * FILM_MARGIN;
    f.slope_x = f.slope_y * panel_aspect(p);
    code = visit_points(s, p, NULL, &f, grow_distance);
    if (!(f.distance > 0)) f.distance = 1;
    double distance = f.distance / camera->zoom;
    camera->given = 1;
    camera->target = f.centre;
    camera->up = (ruga_vec3){0, 1, 0};
    camera->eye = (ruga_vec3){f.centre.x + distance * f.back.x, f.centre.y + distance * f.back.y,
                              f.centre.z + distance * f.back.z};
    camera->zoom = 1;
    return code;
}

int picture_hold_ground(session *s, picture *p) {
    ruga_vec3 low, high;
    if (!p->def.ground || !picture_first_moving(p)) return 0;
    int code = picture_bounds(s, p, NULL, &low, &high);
    if (!code && isfinite(low.y)) p->def.ground_height = low.y;
    return code;
}
