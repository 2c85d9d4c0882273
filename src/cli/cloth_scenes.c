#include "cloth_scenes.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "field_options.h"
#include "scenes.h"

const named cloth_scenes[] = {
    {"flag", "a flag on a pole, coarse and wrinkled by splines"},
    {"curtain", "a curtain that hangs from rings and is drawn to one side"},
    {"tablecloth", "a cloth that falls onto a table"},
};

/* ---- Options. */
static const option scene_options[] = {
    FLAG_ROW("wave", 0, "flag: the pole is waved"),
    WHOLE_ROW("rings", "N", NULL, "7", 2, 1000, "curtain: rings that it hangs from"),
    NUMBER_ROW("drawn", "X", NULL, "0.45", 0, 0.95, "curtain: part of the width by which it is drawn to one side"),
    {.name = "table",
     .kind = OPTION_VECTOR,
     .value = "X,Y,Z",
     .unit = "m",
     .preset = "1,0.72,1",
     .low = 0.001,
     .high = 1000,
     .help = "tablecloth: size of the table"},
    WHOLE_ROW("spline", "N", NULL, NULL, 0, 10000, "N x N vertices by splines, with wrinkles; 0: none"),
};

/* Options of one kind only. */
static const struct {
    const char *option, *kind;
} own_options[] = {{"wave", "flag"}, {"rings", "curtain"}, {"drawn", "curtain"}, {"table", "tablecloth"}};

/* Groups of options in the order of --help; a target that begins with a dot is within the cloth's object. */
enum { SHEET, MATERIAL, ENVIRONMENT, WIND, CLOTH, SPLINE, TIME, OUTPUT, GROUPS };
static field_options groups[GROUPS] = {
    [SHEET] = {.heading = "The sheet",
               .section = "objects.mesh.sheet",
               .without = "triangulation quads upright seed",
               .target = ".mesh"},
    [MATERIAL] = {.heading = "Material",
                  .section = "materials",
                  .without = "name thickness poisson",
                  .target = "materials[0]"},
    [ENVIRONMENT] = {.heading = "Environment", .section = "", .target = ""},
    [WIND] = {.heading = "Wind", .section = "wind", .target = "wind"},
    [CLOTH] = {.heading = "Cloth", .section = "objects.body.cloth", .target = ".body"},
    [SPLINE] = {.heading = "Splines",
                .section = "objects.details.spline",
                .prefix = "spline-",
                .target = ".details[0]"},
    [TIME] = {.heading = "Time", .section = "time", .target = "time"},
    [OUTPUT] = {.heading = "Output", .section = "output", .target = "output"},
};

void cloth_scene_add_options(option_list *list) {
    option_list_add(list, "Contents", scene_options, OPTION_COUNT(scene_options));
    for (int i = 0; i < GROUPS; i++) field_options_add(list, &groups[i], 0);
    field_options_rename(&groups[SHEET], "length", "height", "extent downwards; of a tablecloth, its other extent");
    field_options_rename(&groups[MATERIAL], "like", "material",
                         "a preset such as cotton, silk, denim or paper, for all that is not given here");
    field_options_rename(&groups[WIND], "velocity", "wind", NULL);
    option_list_add(list, "The scene", set_options, OPTION_COUNT(set_options));
}

/* ---- The scene while it is built. */
typedef struct maker {
    session *s;
    const arguments *a;
    const char *kind; /* name of the template, and of the cloth in it */
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
        snprintf(whole, sizeof whole, "objects[%s].%s", m->kind, path);
    return input_code(m->s, ruga_description_set(m->description, whole, value));
}

/* Current width, length, columns and rows of the sheet. */
static const double *sheet_values(const maker *m) {
    const ruga_scene_def *def = ruga_description_get(m->description);
    const ruga_object_def *objects = def->objects.items;
    size_t i = 0;
    while (strcmp(objects[i].name, m->kind) != 0) i++;
    return objects[i].mesh.values;
}

/* ---- The changes of each kind to its template. */

/* The hoist is at x = 0; the pole is long enough for it. */
static int fit_flag(const maker *m) {
    const double *v = sheet_values(m);
    double width = v[0], height = v[1], cell = v[0] / v[2], pole = height + 1.2;
    int code = set(m, "move", "[%.9g, %.9g, 0]", width / 2, pole - 0.05 - height / 2);
    if (!code) code = set(m, "body.pins[0].box_to", "[%.9g, 1e6, 1e6]", cell / 2);
    if (!code) code = set(m, "/objects[pole].mesh.height", "%.9g", pole);
    if (!code) code = set(m, "/objects[pole].move", "[-0.025, %.9g, 0]", pole / 2);
    if (!code && !option_given(m->a, "wave")) code = set(m, "/objects[pole].body", "static");
    return code;
}

/* Rings along the topmost row; the last one moves by the whole distance. */
static int add_ring(const maker *m, int ring, int rings) {
    const double *v = sheet_values(m);
    double part = (double)ring / (rings - 1), distance = part * option_number(m->a, "drawn") * v[0];
    size_t columns = (size_t)v[2], rows = (size_t)v[3];
    size_t vertex = rows * (columns + 1) + (size_t)(part * (double)columns + 0.5);
    char path[64];
    snprintf(path, sizeof path, "body.pins[%d]", ring);
    return set(m, path,
               "{\"kind\": \"path\", \"vertices\": \"%zu\", \"keys\": [{\"time\": 0}, {\"time\": 1.5, \"move\": "
               "[%.9g, 0, 0]}]}",
               vertex, -distance);
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

static int wants_spline(const arguments *a) {
    for (size_t i = 0; i < groups[SPLINE].count; i++)
        if (option_given(a, groups[SPLINE].options[i].name)) return 1;
    return option_given(a, "spline") && option_whole(a, "spline") > 0;
}

static int fit_spline(const maker *m) {
    int given = option_given(m->a, "spline") > 0, n = given ? option_whole(m->a, "spline") : 0, code = 0;
    if (given) code = set(m, "details", "[]");
    if (code || !wants_spline(m->a)) return code;
    /* The flag's template has one. */
    if (given || strcmp(m->kind, "flag") != 0) code = set(m, "details[0]", "{\"kind\": \"spline\"}");
    if (!code && n > 0) code = set(m, "details[0].columns", "%d", n);
    return code || n == 0 ? code : set(m, "details[0].rows", "%d", n);
}

/* ---- All options. */
static int apply(const maker *m, const field_options *group) {
    char path[128];
    snprintf(path, sizeof path, "objects[%s]%s", m->kind, group->target);
    return field_options_apply(m->s, m->a, group, *group->target == '.' ? path : group->target, m->description);
}

/* The mesh comes first, since the rest of the template is fitted to it. */
static int apply_all(const maker *m) {
    /* An option of another kind would have no effect, so it is a mistake. */
    for (size_t i = 0; i < OPTION_COUNT(own_options); i++)
        if (option_given(m->a, own_options[i].option) && strcmp(own_options[i].kind, m->kind) != 0)
            return session_error(m->s, EXIT_USAGE, "cloth: --%s is an option of a %s; a %s has none",
                                 own_options[i].option, own_options[i].kind, m->kind);
    int code = apply(m, &groups[SHEET]);
    if (!code)
        code = strcmp(m->kind, "flag") == 0      ? fit_flag(m)
               : strcmp(m->kind, "curtain") == 0 ? fit_curtain(m)
                                                 : fit_tablecloth(m);
    if (!code) code = fit_spline(m);
    for (int i = SHEET + 1; i < GROUPS && !code; i++)
        if (i != SPLINE || wants_spline(m->a)) code = apply(m, &groups[i]);
    return code ? code : set_options_apply(m->s, m->a, m->description);
}

int cloth_scene_describe(session *s, const arguments *a, const char *kind, ruga_description **out) {
    const char *text = "";
    for (size_t i = 0; i < ruga_scene_template_count(); i++)
        if (strcmp(ruga_scene_template_get(i)->name, kind) == 0) text = ruga_scene_template_get(i)->text;
    int code = scene_describe(s, kind, text, out);
    maker m = {s, a, kind, *out};
    if (!code) code = apply_all(&m);
    return code ? code : scene_check(s, *out);
}
