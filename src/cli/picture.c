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
     .value = "A",
     .unit = "degrees",
     .help = "direction of the eye around the up axis"},
    {.name = "elevation",
     .kind = OPTION_NUMBER,
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
     .value = "W",
     .unit = "pixels",
     .low = 16,
     .high = 16384,
     .help = "width of the picture"},
    {.name = "height",
     .kind = OPTION_WHOLE,
     .value = "H",
     .unit = "pixels",
     .low = 16,
     .high = 16384,
     .help = "height of the picture"},
    {.name = "title", .kind = OPTION_TEXT, .value = "TEXT", .help = "above the picture"},
    {.name = "background", .kind = OPTION_COLOUR, .value = "#RRGGBB", .help = "colour behind everything"},
    {.name = "ground", .letter = 'g', .kind = OPTION_FLAG, .help = "a soft shadow on the plane below"},
    {.name = "samples",
     .kind = OPTION_WHOLE,
     .value = "N",
     .low = 1,
     .high = 64,
     .help = "rays a pixel: more give smoother edges"},
    {.name = "occlusion",
     .kind = OPTION_WHOLE,
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
static ruga_colour colour_from(const char *text) {
    unsigned long bits = strtoul(text + 1, NULL, 16);
    return (ruga_colour){(float)(bits >> 16) / 255.0f, (float)(bits >> 8 & 255) / 255.0f, (float)(bits & 255) / 255.0f};
}

static int arrange_look(session *s, const arguments *a, picture *p, size_t i) {
    ruga_render_mesh *look = &p->looks[i];
    *look = ruga_render_mesh_default(p->subjects[i].mesh);
    if (p->subjects[i].motion) look->frame = &p->subjects[i].present.frame;
    look->shading = (ruga_shading)option_choice(a, "shading");
    look->wireframe = option_given(a, "wireframe") > 0;
    if (option_given(a, "wire-width")) look->wire_width = (float)option_number(a, "wire-width");
    size_t colours = option_given(a, "colour");
    if (colours) look->front = colour_from(option_text_at(a, "colour", i < colours ? i : colours - 1));
    if (option_given(a, "back")) look->back = option_colour(a, "back");
    return arrange_scalar(s, a, &p->subjects[i], look);
}

static ruga_camera arrange_camera(const arguments *a) {
    ruga_camera camera = ruga_camera_default();
    if (option_given(a, "azimuth")) camera.azimuth = option_number(a, "azimuth");
    if (option_given(a, "elevation")) camera.elevation = option_number(a, "elevation");
    if (option_given(a, "fov")) camera.fov = option_number(a, "fov");
    camera.zoom = option_number(a, "zoom");
    if (option_given(a, "eye")) {
        camera.given = 1;
        camera.eye = option_vector(a, "eye");
        camera.target = option_vector(a, "target");
        camera.up = (ruga_vec3){0, 1, 0};
    }
    return camera;
}

static void arrange_panels(const arguments *a, picture *p) {
    int apart = option_given(a, "side-by-side") > 0;
    size_t count = apart ? p->subject_count : 1;
    for (size_t i = 0; i < count; i++) {
        const char *slash = strrchr(p->subjects[i].path, '/');
        const char *name = slash ? slash + 1 : p->subjects[i].path;
        const char *caption = i < option_given(a, "caption") ? option_text_at(a, "caption", i) : apart ? name : "";
        snprintf(p->captions[i], sizeof p->captions[i], "%s", caption);
        p->panels[i] = (ruga_panel){.caption = *p->captions[i] ? p->captions[i] : NULL,
                                    .mesh_count = apart ? 1 : p->subject_count,
                                    .meshes = &p->looks[i],
                                    .camera = arrange_camera(a)};
    }
    p->def.panel_count = count;
    p->def.panels = p->panels;
    if (option_given(a, "columns")) p->def.columns = option_whole(a, "columns");
}

int picture_arrange(session *s, const arguments *a, picture *p) {
    if (option_given(a, "eye") != option_given(a, "target"))
        return session_error(s, EXIT_USAGE, "render: --eye and --target go together");
    for (size_t i = 0; i < p->subject_count; i++) {
        int code = arrange_look(s, a, p, i);
        if (code) return code;
    }
    p->def = ruga_render_def_default();
    arrange_panels(a, p);
    if (option_given(a, "width")) p->def.width = option_whole(a, "width");
    if (option_given(a, "height")) p->def.height = option_whole(a, "height");
    if (option_given(a, "samples")) p->def.samples = option_whole(a, "samples");
    if (option_given(a, "occlusion")) p->def.occlusion_samples = option_whole(a, "occlusion");
    if (option_given(a, "background")) p->def.background = option_colour(a, "background");
    if (option_given(a, "ground")) p->def.ground = 1;
    p->def.title = option_text(a, "title");
    return 0;
}

void picture_release(picture *p) {
    for (size_t i = 0; i < p->subject_count; i++) {
        subject *who = &p->subjects[i];
        free(who->values);
        moment_release(&who->present);
        ruga_motion_destroy(who->motion);
        ruga_mesh_destroy(who->mesh);
    }
}

/* ---- Framing of films. */
enum { BOUND_SAMPLES = 16 };

static void grow_box(ruga_vec3 *low, ruga_vec3 *high, const ruga_vec3 *points, size_t count) {
    for (size_t i = 0; i < count; i++) {
        low->x = fmin(low->x, points[i].x), high->x = fmax(high->x, points[i].x);
        low->y = fmin(low->y, points[i].y), high->y = fmax(high->y, points[i].y);
        low->z = fmin(low->z, points[i].z), high->z = fmax(high->z, points[i].z);
    }
}

int picture_bounds(session *s, picture *p, ruga_vec3 *centre, double *radius) {
    ruga_vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < p->subject_count; i++) {
        subject *who = &p->subjects[i];
        if (!who->motion) grow_box(&low, &high, who->mesh->positions, who->mesh->vertex_count);
        ruga_motion_info info = who->motion ? ruga_motion_get_info(who->motion) : (ruga_motion_info){0};
        for (int k = 0; who->motion && k < BOUND_SAMPLES; k++) {
            double time = info.start + (info.end - info.start) * k / (BOUND_SAMPLES - 1);
            int code = moment_sample(s, who->motion, time, &who->present);
            if (code) return code;
            grow_box(&low, &high, who->present.positions, who->mesh->vertex_count);
        }
    }
    ruga_vec3 size = {high.x - low.x, high.y - low.y, high.z - low.z};
    *centre = (ruga_vec3){0.5 * (low.x + high.x), 0.5 * (low.y + high.y), 0.5 * (low.z + high.z)};
    *radius = 0.5 * sqrt(size.x * size.x + size.y * size.y + size.z * size.z);
    if (!(*radius > 0) || !isfinite(*radius)) *radius = 1;
    return 0;
}

double picture_aspect(const picture *p) {
    size_t columns = p->def.columns > 0 ? (size_t)p->def.columns : p->def.panel_count;
    size_t rows = (p->def.panel_count + columns - 1) / columns;
    return ((double)p->def.width / (double)columns) / ((double)p->def.height / (double)rows);
}

ruga_camera camera_around(ruga_camera given, ruga_vec3 centre, double radius, double azimuth, double aspect) {
    const double degree = acos(-1.0) / 180;
    double half = 0.5 * given.fov * degree;
    if (aspect < 1) half = atan(tan(half) * aspect);
    double distance = radius / sin(half) / given.zoom, a = azimuth * degree, e = given.elevation * degree;
    given.given = 1;
    given.target = centre;
    given.up = (ruga_vec3){0, 1, 0};
    given.eye = (ruga_vec3){centre.x + distance * cos(e) * sin(a), centre.y + distance * sin(e),
                            centre.z + distance * cos(e) * cos(a)};
    given.zoom = 1;
    return given;
}
