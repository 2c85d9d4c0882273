#include "cloth_scenes.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "field_options.h"

const cloth_scene cloth_scenes[] = {
    {"flag", "a flag on a pole, coarse and wrinkled by splines"},
    {"curtain", "a curtain that hangs from rings and is drawn to one side"},
    {"tablecloth", "a cloth that falls onto a table"},
};
const size_t cloth_scene_count = OPTION_COUNT(cloth_scenes);

const cloth_scene *cloth_scene_find(const char *name) {
    for (size_t i = 0; i < cloth_scene_count; i++)
        if (strcmp(cloth_scenes[i].name, name) == 0) return &cloth_scenes[i];
    return NULL;
}

/* ---- Options. */
static const option scene_options[] = {
    {.name = "wave", .kind = OPTION_FLAG, .help = "flag: the pole is waved"},
    {.name = "rings",
     .kind = OPTION_WHOLE,
     .value = "N",
     .preset = "7",
     .low = 2,
     .high = 1000,
     .help = "curtain: rings that it hangs from"},
    {.name = "drawn",
     .kind = OPTION_NUMBER,
     .value = "X",
     .preset = "0.45",
     .low = 0,
     .high = 0.95,
     .help = "curtain: part of the width by which it is drawn to one side"},
    {.name = "table",
     .kind = OPTION_VECTOR,
     .value = "X,Y,Z",
     .unit = "m",
     .preset = "1,0.72,1",
     .low = 0.001,
     .high = 1000,
     .help = "tablecloth: size of the table"},
    {.name = "spline",
     .kind = OPTION_WHOLE,
     .value = "N",
     .low = 0,
     .high = 10000,
     .help = "N x N vertices by splines, with wrinkles; 0: none"},
};

/* What only one kind has. */
static const struct {
    const char *option, *kind;
} own_options[] = {{"wave", "flag"}, {"rings", "curtain"}, {"drawn", "curtain"}, {"table", "tablecloth"}};

static field_options sheet, material, cloth, spline, scene, wind, time_of, output;

void cloth_scene_add_options(option_list *list) {
    field_options_make(&sheet, ruga_scene_section_find("objects.mesh.sheet"), 0);
    field_options_drop(&sheet, "triangulation");
    field_options_drop(&sheet, "quads");
    field_options_drop(&sheet, "upright");
    field_options_drop(&sheet, "seed");
    field_options_rename(&sheet, "length", "height", "extent downwards; of a tablecloth, its other extent");
    field_options_make(&material, ruga_scene_section_find("materials"), 0);
    field_options_drop(&material, "name");
    field_options_drop(&material, "thickness");
    field_options_drop(&material, "poisson");
    field_options_rename(&material, "like", "material",
                         "a preset such as cotton, silk, denim or paper, for what is not given here");
    field_options_make(&cloth, ruga_scene_section_find("objects.body.cloth"), 0);
    field_options_make(&spline, ruga_scene_section_find("objects.details.spline"), 0);
    field_options_prefix(&spline, "spline-");
    field_options_make(&scene, ruga_scene_section(), 0);
    field_options_make(&wind, ruga_scene_section_find("wind"), 0);
    field_options_rename(&wind, "velocity", "wind", NULL);
    field_options_make(&time_of, ruga_scene_section_find("time"), 0);
    field_options_make(&output, ruga_scene_section_find("output"), 0);
    option_list_add(list, "What there is", scene_options, OPTION_COUNT(scene_options));
    option_list_add(list, "The sheet", sheet.options, sheet.count);
    option_list_add(list, "What it is made of", material.options, material.count);
    option_list_add(list, "What surrounds it", scene.options, scene.count);
    option_list_add(list, "Wind", wind.options, wind.count);
    option_list_add(list, "How it moves", cloth.options, cloth.count);
    option_list_add(list, "Splines", spline.options, spline.count);
    option_list_add(list, "Time", time_of.options, time_of.count);
    option_list_add(list, "What is written", output.options, output.count);
    option_list_add(list, "The scene", set_options, set_option_count);
}

/* ---- A scene on its way. */
typedef struct maker {
    session *s;
    const arguments *a;
    const cloth_scene *kind;
    ruga_description *description;
} maker;

/* Sets a value of the cloth's object, or of the scene when the path begins with a slash. */
static int set(const maker *m, const char *path, const char *format, ...) __attribute__((format(printf, 3, 4)));

static int set(const maker *m, const char *path, const char *format, ...) {
    char whole[160], value[512];
    va_list list;
    va_start(list, format);
    vsnprintf(value, sizeof value, format, list);
    va_end(list);
    if (*path == '/')
        snprintf(whole, sizeof whole, "%s", path + 1);
    else
        snprintf(whole, sizeof whole, "objects[%s].%s", m->kind->name, path);
    ruga_status status = ruga_description_set(m->description, whole, value);
    return RUGA_FAILED(status) ? session_failed_input(m->s, status) : 0;
}

/* Width, length, columns and rows of the sheet as they are now. */
static const double *sheet_values(const maker *m) {
    const ruga_scene_def *def = ruga_description_get(m->description);
    const ruga_object_def *objects = def->objects.items;
    size_t i = 0;
    while (strcmp(objects[i].name, m->kind->name) != 0) i++;
    return objects[i].mesh.values;
}

/* ---- What each kind adds to its template. */

/* The hoist is at x = 0, from top to bottom of a pole that is as long as it has to be. */
static int fit_flag(const maker *m) {
    const double *v = sheet_values(m);
    double width = v[0], height = v[1], cell = v[0] / v[2], pole = height + 1.2;
    int code = set(m, "move", "[%.9g, %.9g, 0]", width / 2, pole - 0.05 - height / 2);
    if (!code) code = set(m, "body.pins[0].box_to", "[%.9g, 1e6, 1e6]", cell / 2);
    if (!code) code = set(m, "/objects[pole].mesh.height", "%.9g", pole);
    if (!code) code = set(m, "/objects[pole].move", "[-0.02, %.9g, 0]", pole / 2);
    if (!code && !option_given(m->a, "wave")) code = set(m, "/objects[pole].body", "static");
    return code;
}

/* Rings along the topmost row, of which the last goes the whole way. */
static int add_ring(const maker *m, int ring, int rings) {
    const double *v = sheet_values(m);
    double part = (double)ring / (rings - 1), way = part * option_number(m->a, "drawn") * v[0];
    size_t columns = (size_t)v[2], rows = (size_t)v[3];
    size_t vertex = rows * (columns + 1) + (size_t)(part * (double)columns + 0.5);
    char path[64];
    snprintf(path, sizeof path, "body.pins[%d]", ring);
    return set(m, path,
               "{\"kind\": \"path\", \"vertices\": \"%zu\", \"keys\": [{\"time\": 0}, {\"time\": 1.5, \"move\": "
               "[%.9g, 0, 0]}]}",
               vertex, -way);
}

static int fit_curtain(const maker *m) {
    const double *v = sheet_values(m);
    int rings = option_whole(m->a, "rings");
    if (rings > v[2] + 1)
        return session_error(m->s, EXIT_USAGE, "--rings %d: there are only %g columns of vertices; give more --columns",
                             rings, v[2] + 1);
    int code = set(m, "move", "[%.9g, %.9g, 0]", v[0] / 2, v[1] / 2 + 0.4);
    if (!code) code = set(m, "body.pins", "[]");
    for (int i = 0; i < rings && !code; i++) code = add_ring(m, i, rings);
    if (!code) code = set(m, "/materials", "[{\"name\": \"curtain cloth\", \"like\": \"cotton\"}]");
    return code ? code : set(m, "material", "curtain cloth");
}

/* It begins a little above the table, and keeps a sixth of an edge off it. */
static int fit_tablecloth(const maker *m) {
    const double *v = sheet_values(m);
    ruga_vec3 size = option_vector(m->a, "table");
    double cell = v[0] / v[2] > v[1] / v[3] ? v[0] / v[2] : v[1] / v[3];
    int code = set(m, "/colliders[1].size", "[%.9g, %.9g, %.9g]", size.x, size.y, size.z);
    if (!code) code = set(m, "/colliders[1].centre", "[0, %.9g, 0]", size.y / 2);
    if (!code) code = set(m, "body.thickness", "%.9g", cell / 6);
    return code ? code : set(m, "move", "[0, %.9g, 0]", size.y + cell / 6 + 0.03);
}

static int fit(const maker *m) {
    if (strcmp(m->kind->name, "flag") == 0) return fit_flag(m);
    if (strcmp(m->kind->name, "curtain") == 0) return fit_curtain(m);
    return fit_tablecloth(m);
}

static int wants_spline(const arguments *a) {
    for (size_t i = 0; i < spline.count; i++)
        if (option_given(a, spline.options[i].name)) return 1;
    return option_given(a, "spline") && option_whole(a, "spline") > 0;
}

static int fit_spline(const maker *m) {
    int given = option_given(m->a, "spline") > 0, n = given ? option_whole(m->a, "spline") : 0, code = 0;
    if (given) code = set(m, "details", "[]");
    if (code || !wants_spline(m->a)) return code;
    /* The flag's template has one. */
    if (given || strcmp(m->kind->name, "flag") != 0) code = set(m, "details[0]", "{\"kind\": \"spline\"}");
    if (!code && n > 0) code = set(m, "details[0].columns", "%d", n);
    return code || n == 0 ? code : set(m, "details[0].rows", "%d", n);
}

/* ---- All of it. */
static int apply(const maker *m, const field_options *group, const char *part) {
    char path[128];
    snprintf(path, sizeof path, "objects[%s].%s", m->kind->name, part);
    return field_options_apply(m->s, m->a, group, path, m->description);
}

/* An option that would do nothing is a mistake. */
static int refuse_foreign_options(const maker *m) {
    for (size_t i = 0; i < OPTION_COUNT(own_options); i++)
        if (option_given(m->a, own_options[i].option) && strcmp(own_options[i].kind, m->kind->name) != 0)
            return session_error(m->s, EXIT_USAGE, "cloth: --%s is of a %s; a %s has none", own_options[i].option,
                                 own_options[i].kind, m->kind->name);
    return 0;
}

static int apply_all(const maker *m) {
    int code = refuse_foreign_options(m);
    if (!code) code = apply(m, &sheet, "mesh");
    if (!code) code = fit(m);
    if (!code) code = fit_spline(m);
    if (!code) code = apply(m, &cloth, "body");
    if (!code && wants_spline(m->a)) code = apply(m, &spline, "details[0]");
    if (!code) code = field_options_apply(m->s, m->a, &material, "materials[0]", m->description);
    if (!code) code = field_options_apply(m->s, m->a, &scene, "", m->description);
    if (!code) code = field_options_apply(m->s, m->a, &wind, "wind", m->description);
    if (!code) code = field_options_apply(m->s, m->a, &time_of, "time", m->description);
    if (!code) code = field_options_apply(m->s, m->a, &output, "output", m->description);
    return code ? code : set_options_apply(m->s, m->a, m->description);
}

static const char *template_text(const char *name) {
    for (size_t i = 0; i < ruga_scene_template_count(); i++)
        if (strcmp(ruga_scene_template_get(i)->name, name) == 0) return ruga_scene_template_get(i)->text;
    return "";
}

int cloth_scene_describe(session *s, const arguments *a, const cloth_scene *kind, ruga_description **out) {
    const char *text = template_text(kind->name);
    maker m = {s, a, kind, NULL};
    ruga_status status = ruga_description_read_memory(s->context, kind->name, text, strlen(text), &m.description);
    int code = RUGA_FAILED(status) ? session_failed_input(s, status) : apply_all(&m);
    if (!code) {
        status = ruga_description_check(m.description);
        if (status == RUGA_ERROR_MEMORY || status == RUGA_ERROR_CANCELLED) code = session_failed_output(s, status);
    }
    if (!code)
        *out = m.description;
    else
        ruga_description_destroy(m.description);
    return code;
}
