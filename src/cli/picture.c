#include "picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "selection.h"
#include "vectors.h"

static const char *const shading_names[] = {"smooth", "flat", NULL}; /* in the order of ruga_shading */

static const char *const finish_names[] = {"auto",    "plain", "cloth", "skin",
                                           "leather", "paper", "metal", NULL}; /* one more than ruga_finish */

const option look_options[] = {
    CHOICE_ROW("shading", "KIND", "smooth", shading_names, "shading across edges"),
    CHOICE_ROW("finish", "KIND", "auto", finish_names,
               "how the surface reflects light; auto: by the material of a run's scene, else plain"),
    FLAG_ROW("facets", 0, "draw cloth and skin without smoothing"),
    FLAG_ROW("wireframe", 'w', "draw the edges of the faces"),
    NUMBER_ROW("wire-width", "W", "pixels of a 1080-line picture", "1.5", 0.1, 50, "width of the wireframe's lines"),
    COLOUR_ROW("colour", NULL, "colour of the front; repeated, one for each mesh"),
    COLOUR_ROW("back", NULL, "colour of the back"),
    TEXT_ROW("attribute", "NAME", "show a vertex attribute in colours, with a legend; x, y and z are the coordinates"),
    TEXT_ROW("select", "TEXT", "show the weights of a selector in colours, from 0 to 1: 'joint:*Hand'"),
    SPAN_ROW("range", "LOW:HIGH", "values at the ends of the colours (default: from the data)"),
    TEXT_ROW("label", "TEXT", "text of the legend, with the unit (default: the attribute's name)"),
    FLAG_ROW("diverging", 0, "two-sided colours around zero"),
    FLAG_ROW("side-by-side", 's', "each mesh in its own panel"),
    TEXT_ROW("caption", "TEXT", "caption below a panel; repeated, one for each. Default side by side: the file's name"),
    WHOLE_ROW("columns", "N", NULL, NULL, 1, MAX_SUBJECTS, "panels in a row (default: automatic)"),
};

const option camera_options[] = {
    NUMBER_ROW("azimuth", "A", "degrees", "30", 0, 0, "angle of the camera around the up axis"),
    NUMBER_ROW("elevation", "E", "degrees", "20", -89, 89, "angle of the camera above the horizon"),
    NUMBER_ROW("zoom", "Z", NULL, "1", 0.01, 100, "1 shows everything; larger values zoom in"),
    NUMBER_ROW("fov", "F", "degrees", "30", 1, 120, "vertical angle of view"),
    VECTOR_ROW("eye", "m", NULL, "position of the camera, instead of automatic framing; needs --target"),
    VECTOR_ROW("target", "m", NULL, "the point that the camera looks at"),
};

const option image_options[] = {
    WHOLE_ROW("width", "W", "pixels", "1280", 16, 16384, "width of the picture"),
    WHOLE_ROW("height", "H", "pixels", "720", 16, 16384, "height of the picture"),
    TEXT_ROW("title", "TEXT", "above the picture"),
    COLOUR_ROW("background", "#e4dfd8", "colour of the background, and of the floor that fades into it"),
    FLAG_ROW("ground", 'g', "a floor below, with shadows, that fades into the background"),
    WHOLE_ROW("samples", "N", NULL, "4", 1, 64, "rays per pixel: more give smoother edges"),
    WHOLE_ROW("occlusion", "N", NULL, "4", 0, 256, "rays of soft light per sample: more give less noise; 0: none"),
};

int path_is_film(const char *path) {
    return path_is_pattern(path) || path_ends_in(path, ".mp4") || path_ends_in(path, ".gif");
}

/* ---- Subjects. */
int picture_add(session *s, picture *p, const char *word, const char *label, subject **out) {
    if (p->subject_count == MAX_SUBJECTS)
        return session_error(s, EXIT_USAGE, "%s: too many meshes; at most %d go together", word, MAX_SUBJECTS);
    const subject *before = p->subject_count ? &p->subjects[p->subject_count - 1] : NULL;
    subject *who = &p->subjects[p->subject_count++];
    snprintf(who->label, sizeof who->label, "%s", label);
    who->path = who->label;
    who->word = word;
    who->number = before && before->word == word ? before->number + 1 : 0;
    *out = who;
    return 0;
}

int picture_read(session *s, const arguments *a, const char *path, const char *cache, picture *p) {
    subject *who = NULL;
    int code = picture_add(s, p, path, "", &who);
    return code ? code : subject_read(s, a, path, cache, who);
}

void picture_release(picture *p) {
    for (size_t i = 0; i < p->subject_count; i++) subject_release(&p->subjects[i]);
    ruga_mesh_destroy(p->nothing);
    memset(p, 0, sizeof *p);
}

const subject *picture_first_moving(const picture *p) {
    for (size_t i = 0; i < p->subject_count; i++)
        if (p->subjects[i].motion) return &p->subjects[i];
    return NULL;
}

int picture_move(session *s, picture *p, double time) {
    int code = 0;
    for (size_t i = 0; i < p->subject_count && !code; i++) {
        subject *who = &p->subjects[i];
        code = subject_move(s, who, time);
        if (code || !who->changes) continue;
        if (who->values)
            return session_error(
                s, EXIT_INPUT,
                "%s: \"%s\" changes its number of vertices, so that coordinates and selectors can't be "
                "shown in colours; show an attribute",
                who->word, who->label);
        p->looks[i].mesh = who->mesh;
    }
    return code;
}

int render_png(session *s, const ruga_render_def *def, const char *path) {
    ruga_image *image = NULL;
    ruga_status status = ruga_render(s->context, def, &image);
    if (!RUGA_FAILED(status)) status = ruga_image_write_png(image, path);
    ruga_image_destroy(image);
    return output_code(s, status);
}

int pick_triangles(session *s, const ruga_mesh *mesh, const ruga_vec3 *positions, const uint8_t *marks, uint8_t mark,
                   ruga_mesh **out) {
    uint32_t *triangles = malloc((3 * mesh->triangle_count + 1) * sizeof *triangles);
    if (!triangles) return session_no_memory(s);
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){(void *)(uintptr_t)positions, mesh->vertex_count, 0, RUGA_F64};
    def.face_vertices = triangles;
    for (size_t t = 0; t < mesh->triangle_count; t++)
        if (marks[t] == mark) memcpy(triangles + 3 * def.face_count++, mesh->triangles + 3 * t, 3 * sizeof *triangles);
    ruga_status status = def.face_count ? ruga_mesh_create(s->context, &def, out) : RUGA_OK;
    free(triangles);
    return output_code(s, status);
}

/* ---- Colours by value. */
/* x, y or z of a mesh's vertices; NULL if the name is no coordinate or there is no memory. */
static double *coordinate_values(const ruga_mesh *mesh, const char *name) {
    if (strlen(name) != 1 || name[0] < 'x' || name[0] > 'z') return NULL;
    double *values = malloc((mesh->vertex_count + 1) * sizeof *values);
    for (size_t v = 0; values && v < mesh->vertex_count; v++) {
        const double place[3] = {mesh->positions[v].x, mesh->positions[v].y, mesh->positions[v].z};
        values[v] = place[name[0] - 'x'];
    }
    return values;
}

static int arrange_scalar(session *s, const arguments *a, subject *who, ruga_render_mesh *look) {
    static const char *const labels[] = {"x (m)", "y (m)", "z (m)"};
    const char *name = option_text(a, "attribute"), *select = option_text(a, "select");
    if (!name && !select) return 0;
    if (name && select)
        return session_error(s, EXIT_USAGE, "--attribute and --select exclude each other: a mesh shows one of them");
    look->scalar_label = option_text(a, "label") ? option_text(a, "label") : name ? name : select;
    look->diverging = option_given(a, "diverging") > 0;
    if (select) look->scalar_low = 0, look->scalar_high = 1;
    if (option_given(a, "range")) option_span(a, "range", &look->scalar_low, &look->scalar_high);
    if (select) {
        int code = selection_weights(s, who->path, who->mesh, select, &who->values);
        look->scalar_values = who->values;
        return code;
    }
    if (ruga_mesh_attribute(who->mesh, name, RUGA_DOMAIN_VERTEX)) {
        look->scalar = name;
        return 0;
    }
    look->scalar_values = who->values = coordinate_values(who->mesh, name);
    if (who->values && !option_text(a, "label")) look->scalar_label = labels[name[0] - 'x'];
    if (who->values) return 0;

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

/* ---- Looks, panels, the camera and the image. */
/* Of the objects of a run, front and back, which differ from those of colliders. */
static const ruga_colour object_colours[][2] = {
    {{0.74f, 0.50f, 0.41f}, {0.84f, 0.70f, 0.58f}}, {{0.42f, 0.53f, 0.63f}, {0.62f, 0.69f, 0.74f}},
    {{0.77f, 0.64f, 0.36f}, {0.86f, 0.78f, 0.60f}}, {{0.49f, 0.60f, 0.46f}, {0.68f, 0.74f, 0.62f}},
    {{0.60f, 0.48f, 0.60f}, {0.75f, 0.67f, 0.74f}},
};
static const ruga_colour collider_colour = {0.60f, 0.66f, 0.72f}, plane_colour = {0.92f, 0.92f, 0.91f};

static int arrange_look(session *s, const arguments *a, picture *p, size_t i) {
    subject *who = &p->subjects[i];
    ruga_render_mesh *look = &p->looks[i];
    *look = ruga_render_mesh_default(who->mesh);
    if (who->role != SUBJECT_OBJECT) {
        look->front = look->back = who->role == SUBJECT_PLANE ? plane_colour : collider_colour;
        if (who->role != SUBJECT_ROUND) look->shading = RUGA_SHADING_FLAT;
        return 0;
    }
    if (who->in_run) {
        const ruga_colour *colours = object_colours[who->number % (sizeof object_colours / sizeof object_colours[0])];
        look->front = colours[0];
        look->back = colours[1];
    }
    if (who->motion) look->frame = &who->current.frame;
    look->shading = (ruga_shading)option_choice(a, "shading");
    const size_t finish = option_choice(a, "finish");
    look->finish = finish > 0 ? (ruga_finish)(finish - 1) : who->finish;
    /* The rest mesh does not show which edges are creases: Loop's surface would round them off, in scallops. */
    look->smooth = (look->finish == RUGA_FINISH_CLOTH || look->finish == RUGA_FINISH_SKIN) && !who->is_creased &&
                   !option_given(a, "facets");
    look->wireframe = option_given(a, "wireframe") > 0;
    look->wire_width = (float)option_number(a, "wire-width");
    size_t colours = option_given(a, "colour");
    if (colours) look->front = option_colour_at(a, "colour", i < colours ? i : colours - 1);
    if (option_given(a, "back")) look->back = option_colour(a, "back");
    return arrange_scalar(s, a, who, look);
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
    *camera = ruga_camera_default();
    camera->azimuth = option_number(a, "azimuth");
    camera->elevation = option_number(a, "elevation");
    camera->fov = option_number(a, "fov");
    camera->zoom = option_number(a, "zoom");
    if (option_given(a, "eye")) {
        camera->given = 1;
        camera->eye = option_vector(a, "eye");
        camera->target = option_vector(a, "target");
        camera->up = (ruga_vec3){0, 1, 0};
    }
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

#define LEVEL 0.9999 /* cosine of a plane's slope that counts as none */

/* Planes of runs that are level and at one height are the floor of the picture. */
static int arrange_floor(session *s, picture *p) {
    double height = NAN;
    for (size_t i = 0; i < p->subject_count; i++) {
        const subject *who = &p->subjects[i];
        if (who->role != SUBJECT_PLANE) continue;
        const double own = who->mesh->positions[0].y;
        if (who->normal.y < LEVEL || fabs(own - height) > 1e-6) return 0;
        height = own;
    }
    if (isnan(height)) return 0;
    ruga_mesh_def none = ruga_mesh_def_default();
    TRY_CODE(output_code(s, ruga_mesh_create(s->context, &none, &p->nothing)));
    for (size_t i = 0; i < p->subject_count; i++)
        if (p->subjects[i].role == SUBJECT_PLANE) p->looks[i].mesh = p->nothing;
    p->def.ground = 1;
    p->def.ground_height = height;
    return 0;
}

int picture_arrange(session *s, const arguments *a, picture *p) {
    ruga_camera camera;
    int code = picture_arrange_image(s, a, &p->def, &camera);
    for (size_t i = 0; i < p->subject_count && !code; i++) code = arrange_look(s, a, p, i);
    if (!code) code = arrange_floor(s, p);
    if (!code) arrange_panels(a, camera, p);
    return code;
}

/* ---- Framing of films: the nearest eye from which every point of every moment is within the view. A point (x, y, z)
 * along right, up, back is within it when |x - ex| <= slope_x (ez - z) and |y - ey| <= slope_y (ez - z). These four
 * inequalities are linear in the eye, so that the largest x + slope_x z, -x + slope_x z and so on decide. */
enum { BOUND_SAMPLES = 64 };
#define FILM_MARGIN 0.92    /* of the view that is filled, */
#define SUBJECT_WIDTH 0.80  /* unless the objects alone would then fill less than this much of its width */
#define SUBJECT_HEIGHT 0.60 /* and less than this much of its height: the view is then that of the objects */

typedef struct framing {
    ruga_vec3 low, high;
    ruga_vec3 right, up, back, centre; /* the camera's axes */
    double slope_x, slope_y;           /* tangents of the half angles of view */
    double sides[4];                   /* right, left, top, bottom: the largest so far */
    double nearest;                    /* largest z */
    double eye[3];                     /* from the centre, along right, up, back */
    double view[4];                    /* from the eye: left, right, bottom, top, as tangents */
    const char *word;                  /* whose subjects are framed; NULL: all */
    int turning;
} framing;

typedef void point_visitor(framing *f, ruga_vec3 p);

static void grow_box(framing *f, ruga_vec3 p) { box_grow(p, &f->low, &f->high); }

/* A point along the camera's axes: right, left, up, down, back. */
typedef struct framed_point {
    double right, left, up, down, back;
} framed_point;

/* For a turning camera, a point counts as if it were at either side and in front at once. */
static framed_point place_point(const framing *f, ruga_vec3 p) {
    ruga_vec3 d = vec_add(p, -1, f->centre);
    double x = vec_dot(d, f->right), y = vec_dot(d, f->up), z = vec_dot(d, f->back);
    if (!f->turning) return (framed_point){x, -x, y, -y, z};
    double out = sqrt(d.x * d.x + d.z * d.z), flat = sqrt(1 - f->back.y * f->back.y);
    double high = fabs(d.y) * flat + out * fabs(f->back.y);
    return (framed_point){out, out, high, high, d.y * f->back.y + out * flat};
}

static void grow_sides(framing *f, ruga_vec3 p) {
    if (!isfinite(p.x + p.y + p.z)) return;
    const framed_point q = place_point(f, p);
    f->sides[0] = fmax(f->sides[0], q.right + f->slope_x * q.back);
    f->sides[1] = fmax(f->sides[1], q.left + f->slope_x * q.back);
    f->sides[2] = fmax(f->sides[2], q.up + f->slope_y * q.back);
    f->sides[3] = fmax(f->sides[3], q.down + f->slope_y * q.back);
    f->nearest = fmax(f->nearest, q.back);
}

static void grow_view(framing *f, ruga_vec3 p) {
    if (!isfinite(p.x + p.y + p.z)) return;
    const framed_point q = place_point(f, p);
    const double depth = f->eye[2] - q.back;
    f->view[0] = fmin(f->view[0], (-q.left - f->eye[0]) / depth);
    f->view[1] = fmax(f->view[1], (q.right - f->eye[0]) / depth);
    f->view[2] = fmin(f->view[2], (-q.down - f->eye[1]) / depth);
    f->view[3] = fmax(f->view[3], (q.up - f->eye[1]) / depth);
}

/* Whether a collider's point is hidden behind a plane of its run. */
static int is_hidden(const picture *p, const subject *who, ruga_vec3 point) {
    for (size_t i = 0; i < p->subject_count && who->role != SUBJECT_OBJECT; i++) {
        const subject *plane = &p->subjects[i];
        if (plane->role != SUBJECT_PLANE || plane->word != who->word) continue;
        ruga_vec3 on = plane->mesh->positions[0];
        if (vec_dot(vec_add(point, -1, on), plane->normal) < 0) return 1;
    }
    return 0;
}

/* All points of the subjects of a word, or of all, or of all objects, at all sampled times. */
static int visit_points(session *s, picture *p, const char *word, int objects, framing *f, point_visitor *visit) {
    for (size_t i = 0; i < p->subject_count; i++) {
        subject *who = &p->subjects[i];
        if (who->role == SUBJECT_PLANE || (word && who->word != word)) continue;
        if (objects && who->role != SUBJECT_OBJECT) continue;
        ruga_motion_info info = who->motion ? ruga_motion_get_info(who->motion) : (ruga_motion_info){0};
        for (int k = 0; k < (who->motion ? BOUND_SAMPLES : 1); k++) {
            TRY_CODE(subject_move(s, who, info.start + (info.end - info.start) * k / (BOUND_SAMPLES - 1)));
            const ruga_vec3 *points = subject_positions(who);
            for (size_t v = 0; v < who->mesh->vertex_count; v++)
                if (!is_hidden(p, who, points[v])) visit(f, points[v]);
        }
    }
    return 0;
}

int picture_bounds(session *s, picture *p, const char *word, ruga_vec3 *low, ruga_vec3 *high) {
    framing f = {.low = BOX_EMPTY_LOW, .high = BOX_EMPTY_HIGH};
    int code = visit_points(s, p, word, 0, &f, grow_box);
    *low = f.low;
    *high = f.high;
    return code;
}

/* Fits the eye, relative to the centre along right, up, back. */
static int fit_eye(session *s, picture *p, int objects, framing *f) {
    double *eye = f->eye;
    for (int i = 0; i < 4; i++) f->sides[i] = -INFINITY;
    f->nearest = -INFINITY;
    int code = visit_points(s, p, f->word, objects, f, grow_sides);
    double wide = (f->sides[0] + f->sides[1]) / (2 * f->slope_x), high = (f->sides[2] + f->sides[3]) / (2 * f->slope_y);
    eye[0] = 0.5 * (f->sides[0] - f->sides[1]);
    eye[1] = 0.5 * (f->sides[2] - f->sides[3]);
    eye[2] = fmax(wide, high);
    if (!(eye[2] > f->nearest)) eye[2] = f->nearest + 1;
    for (int i = 0; i < 3; i++)
        if (!isfinite(eye[i])) eye[i] = i == 2;
    return code;
}

/* The axes of a camera, and the middle of what it frames. */
static int begin_framing(session *s, picture *p, const ruga_camera *camera, framing *f) {
    const double degree = acos(-1.0) / 180, a = camera->azimuth * degree, e = camera->elevation * degree;
    TRY_CODE(picture_bounds(s, p, f->word, &f->low, &f->high));
    f->centre = (ruga_vec3){0.5 * (f->low.x + f->high.x), 0.5 * (f->low.y + f->high.y), 0.5 * (f->low.z + f->high.z)};
    f->back = (ruga_vec3){cos(e) * sin(a), sin(e), cos(e) * cos(a)};
    f->right = (ruga_vec3){cos(a), 0, -sin(a)};
    f->up = (ruga_vec3){-sin(e) * sin(a), cos(e), -sin(e) * cos(a)};
    return 0;
}

/* The width over the height of what is framed, from far away. */
static int find_aspect(session *s, picture *p, framing f, double *aspect) {
    f.slope_x = f.slope_y = 0;
    TRY_CODE(fit_eye(s, p, 1, &f));
    *aspect = (f.sides[0] + f.sides[1]) / (f.sides[2] + f.sides[3]);
    *aspect = isfinite(*aspect) ? fmin(fmax(*aspect, 0.4), 2.5) : 1;
    return 0;
}

/* Places the eye for a panel of some width over height. */
static int frame_panel(session *s, picture *p, double slope, double aspect, framing *f) {
    /* Everything, unless large colliders leave little room for the objects. */
    f->slope_y = slope * FILM_MARGIN, f->slope_x = f->slope_y * aspect;
    TRY_CODE(fit_eye(s, p, 0, f));
    f->view[0] = f->view[2] = INFINITY, f->view[1] = f->view[3] = -INFINITY;
    TRY_CODE(visit_points(s, p, f->word, 1, f, grow_view));
    double wide = 0.5 * (f->view[1] - f->view[0]) / (slope * aspect), high = 0.5 * (f->view[3] - f->view[2]) / slope;
    if (!(wide < SUBJECT_WIDTH && high < SUBJECT_HEIGHT)) return 0;
    f->slope_y = slope * SUBJECT_HEIGHT, f->slope_x = slope * aspect * SUBJECT_WIDTH;
    return fit_eye(s, p, 1, f);
}

/* The width over the height of a panel, in pixels, without captions and legends: columns share the picture's width by
 * the widest of what their panels show. */
static double panel_shape(const picture *p, size_t index) {
    const size_t count = p->def.panel_count, columns = (size_t)p->def.columns, rows = (count + columns - 1) / columns;
    double total = 0, own = 0;
    for (size_t c = 0; c < columns; c++) {
        double widest = 0;
        for (size_t i = c; i < count; i += columns) widest = fmax(widest, count % columns ? 1 : p->panels[i].aspect);
        total += widest;
        if (index % columns == c) own = widest;
    }
    return own / total * p->def.width / ((double)p->def.height / (double)rows);
}

int picture_film_cameras(session *s, picture *p, int turning) {
    const size_t count = p->def.panel_count;
    const ruga_camera towards = p->panels[0].camera;
    const double slope = tan(0.5 * towards.fov * acos(-1.0) / 180);
    framing frames[MAX_SUBJECTS];
    double distance = 0;
    if (p->def.columns <= 0 || (size_t)p->def.columns > count) p->def.columns = (int)count;
    for (size_t i = 0; i < count; i++) {
        const subject *first = &p->subjects[p->panels[i].meshes - p->looks];
        frames[i] = (framing){.turning = turning, .word = count > 1 ? first->word : NULL};
        TRY_CODE(begin_framing(s, p, &towards, &frames[i]));
        TRY_CODE(find_aspect(s, p, frames[i], &p->panels[i].aspect));
    }
    for (size_t i = 0; i < count; i++) {
        TRY_CODE(frame_panel(s, p, slope, panel_shape(p, i), &frames[i]));
        distance = fmax(distance, frames[i].eye[2]);
    }
    for (size_t i = 0; i < count; i++) {
        const framing *f = &frames[i];
        ruga_camera *camera = &p->panels[i].camera;
        camera->given = 1;
        camera->target = vec_add(vec_add(f->centre, f->eye[0], f->right), f->eye[1], f->up);
        camera->up = (ruga_vec3){0, 1, 0};
        camera->eye = vec_add(camera->target, distance / camera->zoom, f->back);
        camera->zoom = 1;
    }
    return 0;
}

int picture_hold_ground(session *s, picture *p) {
    ruga_vec3 low, high;
    if (!p->def.ground || p->nothing || !picture_first_moving(p)) return 0;
    int code = picture_bounds(s, p, NULL, &low, &high);
    if (!code && isfinite(low.y)) p->def.ground_height = low.y;
    return code;
}
