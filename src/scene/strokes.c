/* Strokes of files and scenes: rows become curves and defs of a sculpt, and lengths go over time. See
 * ruga/strokes.h. */
#include "ruga/strokes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "geom/curve.h"
#include "scene/strokes_parts.h"
#include "scene/tables.h"
#include "wrinkle/sculpt.h"
#include "wrinkle/sculpt_looks.h"

#define NO_STROKE SIZE_MAX
enum { MAX_FILES = 3 }; /* of strokes, of curves that it names, of curves that the section names */

typedef struct entry {
    const char *name;
    ruga_curve *curve, *region;
    size_t number; /* in the sculpt; NO_STROKE: it could not be made */
    int off;
    ruga_stroke_def def; /* without its curves */
    ruga_status status;  /* of a stroke that could not be made */
    const char *message;
    const char *advice; /* NULL: none */
    int by_compression, chose_shape;
    ruga_list keys;     /* of ruga_length_key */
    double length;      /* 1, without keys */
    double rest_length; /* m */
} entry;

struct ruga_strokes {
    ruga_context *context;
    const ruga_mesh *mesh;
    ruga_sculpt *sculpt;
    arena memory; /* of names, keys, messages */
    size_t count;
    entry *entries;  /* (count) */
    double *lengths; /* (strokes of the sculpt) */
    int keep_going;
    const char *files[MAX_FILES]; /* (file_count) that were read */
    size_t file_count;
};

/* All that is needed while they are made. */
typedef struct maker {
    ruga_strokes *strokes;
    const ruga_sculpt_def *values;
    stroke_file file;
    curve_pool pool;
    int keep_going;
} maker;

ruga_strokes_def ruga_strokes_def_default(void) {
    return (ruga_strokes_def){.cookie = RUGA_COOKIE, .file = ruga_file_def_default()};
}

/* ---- Looks: what a stroke does not say is as with all of them, then as in the file, then the default. */

/* The values of a look that a def has, too. A look is no copy of a def: each of its values may be absent, whole numbers
 * and choices too, and the looks of a stroke, of its sculpt and of its file are laid over each other before they become
 * a def. Rows of looks therefore have no defaults (null); ruga_stroke_def_default has them. */
typedef struct shared_value {
    size_t in_look, in_def;
    enum { REAL, WHOLE, CHOICE } type;
} shared_value;
#define SHARED(field, type) \
    { offsetof(ruga_stroke_look, field), offsetof(ruga_stroke_def, field), type }
static const shared_value shared[] = {
    SHARED(shape, CHOICE),       SHARED(spread, REAL),    SHARED(vary, REAL),    SHARED(taper, REAL),
    SHARED(asymmetry, REAL),     SHARED(stiffness, REAL), SHARED(length, REAL),  SHARED(mode, CHOICE),
    SHARED(radius, REAL),        SHARED(tolerance, REAL), SHARED(refine, WHOLE), SHARED(particles, WHOLE),
    SHARED(start, CHOICE),       SHARED(wrinkles, WHOLE), SHARED(seed, WHOLE),   SHARED(ends, CHOICE),
    SHARED(attenuation, CHOICE),
};
_Static_assert(sizeof(ruga_stroke_region) == sizeof(int) && sizeof(ruga_stroke_shape) == sizeof(int) &&
                   sizeof(ruga_stroke_start) == sizeof(int) && sizeof(ruga_stroke_ends) == sizeof(int) &&
                   sizeof(ruga_attenuation) == sizeof(int),
               "a choice is an int");

/* Puts the values that a look has into a def. */
static void apply_look(const ruga_stroke_look *look, ruga_stroke_def *def) {
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++) {
        const char *from = (const char *)look + shared[i].in_look;
        char *to = (char *)def + shared[i].in_def;
        if (shared[i].type == CHOICE) {
            int choice;
            memcpy(&choice, from, sizeof choice);
            if (choice >= 0) memcpy(to, &choice, sizeof choice);
            continue;
        }
        double number;
        memcpy(&number, from, sizeof number);
        if (isnan(number)) continue;
        int whole = shared[i].type == WHOLE ? (int)number : 0;
        if (shared[i].type == WHOLE)
            memcpy(to, &whole, sizeof whole);
        else
            memcpy(to, &number, sizeof number);
    }
    def->straight |= look->straight;
}

/* The looks of a stroke together. Keys go with the length: those of the first look that has either. */
typedef struct merged_look {
    ruga_stroke_def def;
    int by_compression, chose_shape;
    ruga_list keys;
} merged_look;

/* looks: the stroke's own, then those of all; the last may be NULL. */
static merged_look merge_looks(const ruga_stroke_look *const looks[3]) {
    merged_look merged = {.def = ruga_stroke_def_default()};
    int has_start = 0, has_wrinkles = 0;
    for (int k = 2; k >= 0; k--) {
        const ruga_stroke_look *look = looks[k];
        if (!look) continue;
        if (look->look >= 0) stroke_look_apply((enum stroke_look)look->look, &merged.def);
        apply_look(look, &merged.def);
        if (look->drive >= 0) merged.by_compression = look->drive == 1;
        if (look->keys.count > 0 || !isnan(look->length)) merged.keys = look->keys;
        if (look->look >= 0) merged.keys = look->keys;
        merged.chose_shape |= look->shape >= 0;
        has_start |= look->start >= 0;
        has_wrinkles |= !isnan(look->wrinkles) || look->look >= 0;
    }
    if (has_wrinkles && !has_start) merged.def.start = RUGA_STROKE_COUNT;
    /* Few particles show fewer wrinkles than by default. */
    int most = (merged.def.particles - 1) / 4;
    if (!has_wrinkles && merged.def.wrinkles > most) merged.def.wrinkles = most;
    return merged;
}

/* With keys a stroke is prepared for the longest of them, from 1 on. */
static double longest(const merged_look *look) {
    const ruga_length_key *keys = look->keys.items;
    double length = 1;
    for (size_t k = 0; k < look->keys.count; k++) length = fmax(length, keys[k].length);
    return look->keys.count > 0 ? length : look->def.length;
}

/* ---- Failures. */

/* The message again, with the stroke that it is about. */
static ruga_status fail_stroke(ruga_context *context, ruga_status status, const char *name) {
    char message[900];
    snprintf(message, sizeof message, "%s", ruga_context_message(context));
    if (status != RUGA_ERROR_INPUT || strncmp(message, "stroke \"", 8) == 0) return status;
    /* Its curves have its name. */
    char curve[320];
    size_t length = (size_t)snprintf(curve, sizeof curve, "curve \"%.300s\": ", name);
    const char *what = strncmp(message, curve, length) == 0 ? message + length : message;
    return fail_with(context, status, "stroke \"%s\": %s", name, what);
}

/* A stroke that can't be done ends it all, or is left out. */
static ruga_status take_failure(maker *m, entry *e, ruga_status status) {
    status = fail_stroke(m->strokes->context, status, e->name);
    if (status != RUGA_ERROR_INPUT || !m->keep_going) return status;
    const char *message = ruga_context_message(m->strokes->context);
    e->status = status;
    return ARENA_TEXT(&m->strokes->memory, &e->message, message);
}

/* ---- One stroke. */

static ruga_status check_keys(ruga_context *context, const ruga_list *list) {
    const ruga_length_key *keys = list->items;
    for (size_t k = 1; k < list->count; k++)
        if (!(keys[k].time > keys[k - 1].time))
            return fail_input(context, "its key %zu is at %g s, but the one before it is at %g s; times must rise", k,
                              keys[k].time, keys[k - 1].time);
    return RUGA_OK;
}

static ruga_status copy_keys(ruga_strokes *s, const ruga_list *from, ruga_list *out) {
    ruga_length_key *keys = NULL;
    TRY(check_keys(s->context, from));
    TRY(ARENA_NEW(&s->memory, &keys, from->count + 1));
    if (from->count > 0) memcpy(keys, from->items, from->count * sizeof *keys);
    *out = (ruga_list){keys, from->count};
    return RUGA_OK;
}

/* The name of the curve that a row asks for; NULL: it has points, or nothing. */
static const char *wanted_curve(const ruga_stroke_row *row) {
    if (!row->curve.section) return row->name;
    if (row->curve.section != &curve_named_section) return NULL;
    return ((const ruga_named_curve_def *)row->curve.values)->name;
}

static ruga_status find_curves(maker *m, const ruga_stroke_row *row, entry *e) {
    const char *name = wanted_curve(row);
    if (row->curve.section)
        TRY(curve_pool_make(&m->pool, &row->curve, e->name, &e->curve));
    else if (row->name)
        TRY(curve_pool_find(&m->pool, row->name, e->name, 0, &e->curve));
    else
        return fail_input(m->strokes->context, "it has no curve; give \"curve\" points, or the name of a curve");
    if (row->region.section) return curve_pool_make(&m->pool, &row->region, e->name, &e->region);
    if (!name) name = row->name;
    return name ? curve_pool_region(&m->pool, name, e->name, &e->region) : RUGA_OK;
}

/* A sculpt can do that; as a rule it is not what was meant. */
static ruga_status check_border(const ruga_strokes *s, const ruga_curve *curve) {
    ruga_vec3 at;
    uint32_t edge[2];
    if (!sculpt_runs_along_border(s->sculpt, curve, &at, edge)) return RUGA_OK;
    return fail_input(
        s->context,
        "at (%g, %g, %g) it runs along the open edge (%u, %u) of the mesh: a border, or a hole that it was "
        "drawn over; draw it a little inside, or around the hole",
        at.x, at.y, at.z, edge[0], edge[1]);
}

/* Adds the stroke of an entry that has its curves. */
static ruga_status make_stroke(maker *m, const merged_look *look, entry *e) {
    ruga_strokes *s = m->strokes;
    if (!e->off) TRY(check_border(s, e->curve));
    TRY(copy_keys(s, &look->keys, &e->keys));
    ruga_stroke_def def = look->def;
    def.length = longest(look);
    def.name = e->name;
    def.off = e->off;
    e->def = def;
    def.curve = e->curve;
    def.region = e->region;
    e->by_compression = look->by_compression;
    e->chose_shape = look->chose_shape;
    e->length = look->def.length;
    e->rest_length = ruga_curve_length(e->curve, s->mesh, NULL);
    size_t number;
    TRY(ruga_sculpt_add(s->sculpt, &def, &number));
    e->number = number;
    return RUGA_OK;
}

static const char *name_of(const ruga_stroke_row *row, const char *number) {
    const char *curve = wanted_curve(row);
    return row->name ? row->name : curve ? curve : number;
}

/* How an entry differs from another. */
typedef struct stroke_copy {
    const ruga_curve *path; /* NULL: it is a mirror image */
    double part;            /* of the path */
    int axis;               /* of the mirror */
    size_t begin;           /* the point of the curve at which the entry begins, and so does its copy */
} stroke_copy;

static ruga_status copy_curve(const maker *m, const ruga_curve *from, const stroke_copy *c, const char *name,
                              ruga_curve **out) {
    const ruga_mesh *mesh = &m->pool.drawn;
    if (!from) return RUGA_OK;
    const size_t begin = from->closed ? c->begin % from->point_count : 0;
    if (c->path) return curve_copied(mesh, from, begin, c->path, c->part, name, out);
    return curve_mirrored(mesh, from, begin, c->axis, name, out);
}

/* A mirror image has its higher ridge on the other side. */
static ruga_status add_copy(maker *m, const entry *from, merged_look look, const stroke_copy *kind, const char *name) {
    ruga_strokes *s = m->strokes;
    entry *e = &s->entries[s->count++];
    stroke_copy own = *kind, *c = &own;
    if (!from->def.begins_as_drawn) own.begin = sculpt_first_point(s->mesh, from->curve);
    look.def.begins_as_drawn = 1;
    *e = (entry){.number = NO_STROKE, .off = from->off};
    TRY(ARENA_TEXT(&s->memory, &e->name, name));
    if (!c->path) look.def.asymmetry = -look.def.asymmetry;
    ruga_status status = copy_curve(m, from->curve, c, e->name, &e->curve);
    if (!c->path && e->curve && curves_coincide(&m->pool.drawn, e->curve, from->curve)) {
        log_warning(s->context, "stroke \"%s\" lies on its own mirror image, which is left out", from->name);
        ruga_curve_destroy(e->curve);
        s->count--;
        return RUGA_OK;
    }
    if (!RUGA_FAILED(status)) status = copy_curve(m, from->region, c, e->name, &e->region);
    if (!RUGA_FAILED(status)) status = make_stroke(m, &look, e);
    return RUGA_FAILED(status) ? take_failure(m, e, status) : RUGA_OK;
}

static size_t copies_of(const ruga_stroke_row *row) { return row->along.section ? (size_t)row->copies : 1; }

/* The copies of a stroke along a path, and the mirror images of it and them. Wrinkles keep their seed, so that ridges
 * continue from copy to copy; furrows vary. */
static ruga_status add_copies(maker *m, const ruga_stroke_row *row, merged_look look, const entry *first) {
    ruga_curve *path = NULL;
    char name[400];
    size_t count = copies_of(row);
    ruga_status status = count > 1 ? curve_pool_make(&m->pool, &row->along, first->name, &path) : RUGA_OK;
    if (RUGA_FAILED(status)) return fail_stroke(m->strokes->context, status, first->name);
    const size_t steps = path && !path->closed ? count - 1 : count; /* a closed path ends where it begins */
    for (size_t i = 0; i < count && !RUGA_FAILED(status); i++) {
        const entry *own = first;
        stroke_copy copy = {path, (double)i / (double)steps, curve_pool_axis(&m->pool, row->mirror - 1), 0};
        snprintf(name, sizeof name, "%.300s %zu", first->name, i + 1);
        if (i > 0) {
            look.def.seed += look.def.shape == RUGA_SHAPE_FURROW;
            own = &m->strokes->entries[m->strokes->count];
            status = add_copy(m, first, look, &copy, name);
        }
        copy.path = NULL;
        snprintf(name, sizeof name, "%.300s mirror", own->name);
        if (row->mirror > 0 && own->curve && !RUGA_FAILED(status)) status = add_copy(m, own, look, &copy, name);
    }
    ruga_curve_destroy(path);
    return status;
}

/* The number of strokes that a list of rows makes at most. */
static size_t count_strokes(const ruga_stroke_row *rows, size_t count) {
    size_t sum = 0;
    for (size_t i = 0; i < count; i++) sum += (rows[i].mirror > 0 ? 2 : 1) * copies_of(&rows[i]);
    return sum;
}

static ruga_status add_stroke(maker *m, const ruga_stroke_row *row, const ruga_finding *wrong) {
    ruga_strokes *s = m->strokes;
    char number[32];
    snprintf(number, sizeof number, "%zu", s->count);
    const char *name = name_of(row, number);
    entry *e = &s->entries[s->count++];
    *e = (entry){.number = NO_STROKE, .off = row->off};
    TRY(ARENA_TEXT(&s->memory, &e->name, name));
    if (wrong)
        return take_failure(m, e,
                            fail_input(s->context, "%s:%u:%u: %s: %s", m->file.description->name, wrong->line,
                                       wrong->column, wrong->path, wrong->message));
    merged_look look = merge_looks((const ruga_stroke_look *const[3]){
        &row->look, &m->values->look, m->file.description ? &m->file.values.look : NULL});
    ruga_status status = RUGA_OK;
    if (row->copies > 1 && !row->along.section)
        status = fail_input(s->context, "stroke \"%s\": its %g copies have no path; give \"along\" the points of one",
                            e->name, row->copies);
    if (row->copies <= 1 && row->along.section)
        status = fail_input(s->context,
                            "stroke \"%s\": it has a path, but no copies; give \"copies\" their number, "
                            "at least 2",
                            e->name);
    if (!RUGA_FAILED(status)) status = find_curves(m, row, e);
    if (!RUGA_FAILED(status)) status = make_stroke(m, &look, e);
    if (RUGA_FAILED(status)) return take_failure(m, e, status);
    return add_copies(m, row, look, e);
}

/* ---- All of them. */

/* Each curve that was read, but for regions of others. */
static ruga_status add_curves(maker *m) {
    const ruga_section *sculpt = ruga_scene_section_find("objects.edits.sculpt");
    for (size_t i = 0; i < m->pool.count + m->pool.bad.count; i++) {
        int read = i < m->pool.count;
        const char *name = read ? m->pool.curves[i]->name : m->pool.bad.items[i - m->pool.count].name;
        if (curve_pool_is_region(&m->pool, name)) continue;
        ruga_stroke_row row;
        ruga_section_defaults(ruga_section_field(sculpt, "strokes")->sections[0], &row);
        row.name = name;
        TRY(add_stroke(m, &row, NULL));
    }
    return RUGA_OK;
}

static ruga_status add_rows(maker *m) {
    const ruga_stroke_row *of_file = m->file.values.strokes.items, *own = m->values->strokes.items;
    size_t file_count = m->file.values.strokes.count, own_count = m->values->strokes.count;
    TRY(NEW_ZEROED(
        m->strokes->context, &m->strokes->entries,
        count_strokes(of_file, file_count) + count_strokes(own, own_count) + m->pool.count + m->pool.bad.count));
    for (size_t i = 0; i < file_count; i++) TRY(add_stroke(m, &of_file[i], stroke_file_finding(&m->file, i)));
    for (size_t i = 0; i < own_count; i++) TRY(add_stroke(m, &own[i], NULL));
    if (file_count + own_count == 0) TRY(add_curves(m));
    curve_pool_warn(&m->pool);
    if (m->strokes->count > 0) return RUGA_OK;
    return fail_input(m->strokes->context, "%s%sthere are no strokes; give curves in a file, or a list \"strokes\"",
                      m->values->file ? m->values->file : "", m->values->file ? ": " : "");
}

static ruga_status note_file(ruga_strokes *s, const char *path) {
    if (path) TRY(ARENA_TEXT(&s->memory, &s->files[s->file_count], path));
    s->file_count += path != NULL;
    return RUGA_OK;
}

static ruga_status read_files(maker *m) {
    const ruga_sculpt_def *values = m->values;
    if (values->file) {
        TRY(stroke_file_read(m->strokes->context, values->file, &m->file));
        TRY(stroke_file_check(&m->file, m->keep_going));
        if (!m->file.description) TRY(curve_pool_read(&m->pool, values->file));
        if (m->file.values.curves) TRY(curve_pool_read(&m->pool, m->file.values.curves));
    }
    if (values->curves) TRY(curve_pool_read(&m->pool, values->curves));
    TRY(note_file(m->strokes, values->file));
    TRY(note_file(m->strokes, m->file.values.curves));
    return note_file(m->strokes, values->curves);
}

static ruga_status advise(ruga_strokes *s) {
    const ruga_vec3 *normals = sculpt_mesh_normals(s->sculpt);
    for (size_t i = 0; i < s->count; i++) {
        char advice[600];
        if (strokes_advise(s, s->mesh, normals, i, advice, sizeof advice))
            TRY(ARENA_TEXT(&s->memory, &s->entries[i].advice, advice));
    }
    return RUGA_OK;
}

static ruga_status make_all(maker *m) {
    ruga_strokes *s = m->strokes;
    TRY(read_files(m));
    TRY(ruga_sculpt_create(s->mesh, &s->sculpt));
    TRY(add_rows(m));
    TRY(NEW_ZEROED(s->context, &s->lengths, ruga_sculpt_stroke_count(s->sculpt)));
    TRY(ruga_sculpt_update(s->sculpt, m->keep_going, NULL));
    return advise(s);
}

ruga_status ruga_strokes_create(const ruga_mesh *mesh, const ruga_strokes_def *def, ruga_strokes **out) {
    if (!def || def->cookie != RUGA_COOKIE || !def->values)
        return fail_argument(mesh->context,
                             "the def of strokes is not initialised; start from ruga_strokes_def_default");
    ruga_strokes *s = NULL;
    TRY(NEW_ZEROED(mesh->context, &s, 1));
    s->context = mesh->context;
    s->mesh = mesh;
    s->memory = arena_make(mesh->context);
    s->keep_going = def->keep_going;
    maker m = {.strokes = s, .values = def->values, .keep_going = def->keep_going};
    m.pool = (curve_pool){.drawn = *mesh, .file = def->file, .model = def->model};
    m.pool.memory = &s->memory;
    if (def->drawn) m.pool.drawn.positions = def->drawn;
    ruga_status status = make_all(&m);
    curve_pool_release(&m.pool);
    stroke_file_release(&m.file);
    TRY_OR(status, ruga_strokes_destroy(s));
    *out = s;
    return RUGA_OK;
}

void ruga_strokes_destroy(ruga_strokes *s) {
    if (!s) return;
    ruga_sculpt_destroy(s->sculpt);
    for (size_t i = 0; i < s->count; i++) {
        ruga_curve_destroy(s->entries[i].curve);
        ruga_curve_destroy(s->entries[i].region);
    }
    RELEASE_ALL(s->context, s->entries, s->lengths);
    arena_release(&s->memory);
    memory_release(s->context, s);
}

/* ---- Other meshes. */

/* On the mesh that it is on already, a curve stays bit-identical. */
static ruga_status follow_curve(const ruga_curve *curve, const ruga_mesh *first, const ruga_mesh *mesh,
                                const ruga_map *map, ruga_curve **out) {
    int same = mesh->vertex_count == first->vertex_count && mesh->triangle_count == first->triangle_count &&
               !memcmp(mesh->triangles, first->triangles, 3 * mesh->triangle_count * sizeof *mesh->triangles);
    for (size_t v = 0; map && same && v < map->rows; v++)
        same = map->offsets[v + 1] == v + 1 && map->indices[v] == v && map->weights[v] == 1;
    if (!same) return ruga_curve_transfer(curve, first, mesh, map, out);
    return curve_from_array(curve->context, curve->name, curve->closed, curve->points, curve->point_count, out);
}

static ruga_status follow_stroke(ruga_strokes *s, const ruga_strokes *first, const ruga_map *map, const entry *from,
                                 entry *e) {
    TRY(follow_curve(from->curve, first->mesh, s->mesh, map, &e->curve));
    if (from->region) TRY(follow_curve(from->region, first->mesh, s->mesh, map, &e->region));
    ruga_stroke_def def = e->def;
    def.curve = e->curve;
    def.region = e->region;
    e->rest_length = ruga_curve_length(e->curve, s->mesh, NULL);
    return ruga_sculpt_add(s->sculpt, &def, &e->number);
}

static ruga_status follow_all(ruga_strokes *s, const ruga_strokes *first, const ruga_map *map) {
    TRY(ruga_sculpt_create(s->mesh, &s->sculpt));
    TRY(NEW_ZEROED(s->context, &s->entries, first->count));
    while (s->count < first->count) {
        const entry *from = &first->entries[s->count];
        entry *e = &s->entries[s->count++];
        *e = *from;
        e->curve = e->region = NULL;
        e->number = NO_STROKE;
        if (from->number == NO_STROKE) continue;
        ruga_status status = follow_stroke(s, first, map, from, e);
        if (!RUGA_FAILED(status)) continue;
        if (status != RUGA_ERROR_INPUT && status != RUGA_ERROR_ARGUMENT) return status;
        e->number = NO_STROKE;
        e->status = status;
        TRY(ARENA_TEXT(&s->memory, &e->message, ruga_context_message(s->context)));
    }
    TRY(NEW_ZEROED(s->context, &s->lengths, ruga_sculpt_stroke_count(s->sculpt)));
    TRY(ruga_sculpt_update(s->sculpt, 1, NULL));
    for (size_t i = 0; i < s->count; i++) {
        ruga_stroke_info then = ruga_strokes_get(first, i).info, now = ruga_strokes_get(s, i).info;
        if (RUGA_FAILED(now.status) && !RUGA_FAILED(then.status))
            log_warning(s->context, "stroke \"%s\" can't follow the change of the mesh and is left out: %s",
                        s->entries[i].name, now.message);
    }
    return RUGA_OK;
}

ruga_status strokes_follow(const ruga_strokes *first, const ruga_mesh *mesh, const ruga_map *from_first,
                           ruga_strokes **out) {
    ruga_strokes *s = NULL;
    TRY(NEW_ZEROED(mesh->context, &s, 1));
    s->context = mesh->context;
    s->mesh = mesh;
    s->memory = arena_make(mesh->context);
    s->keep_going = 1;
    RETURN_MADE(follow_all(s, first, from_first), s, out, ruga_strokes_destroy(s));
}

/* ---- Results. */

ruga_context *strokes_context(const ruga_strokes *s) { return s->context; }
size_t ruga_strokes_count(const ruga_strokes *s) { return s->count; }
ruga_sculpt *ruga_strokes_sculpt(const ruga_strokes *s) { return s->sculpt; }

const char *ruga_strokes_file(const ruga_strokes *s, size_t file) {
    return file < s->file_count ? s->files[file] : NULL;
}

ruga_stroke_report ruga_strokes_get(const ruga_strokes *s, size_t stroke) {
    if (stroke >= s->count) return (ruga_stroke_report){.name = "", .info = {.status = RUGA_ERROR_ARGUMENT}};
    const entry *e = &s->entries[stroke];
    ruga_stroke_report report = {.name = e->name,
                                 .curve = e->curve,
                                 .region = e->region,
                                 .off = e->off,
                                 .chose_shape = e->chose_shape,
                                 .def = e->def,
                                 .advice = e->advice};
    if (e->number == NO_STROKE)
        report.info = (ruga_stroke_info){.status = e->status, .message = e->message};
    else
        report.info = ruga_sculpt_stroke_info(s->sculpt, e->number);
    return report;
}

/* ---- Over time. */

int ruga_strokes_move(const ruga_strokes *s, double *end) {
    int moves = 0;
    *end = 0;
    for (size_t i = 0; i < s->count; i++) {
        const entry *e = &s->entries[i];
        const ruga_length_key *keys = e->keys.items;
        moves |= e->by_compression || e->keys.count > 0;
        if (e->keys.count > 0) *end = fmax(*end, keys[e->keys.count - 1].time);
    }
    return moves;
}

/* Evenly between keys, held before the first and after the last. */
static double length_at(const ruga_list *list, double time) {
    const ruga_length_key *keys = list->items;
    size_t k = 0;
    while (k < list->count && keys[k].time <= time) k++;
    if (k == 0) return keys[0].length;
    if (k == list->count) return keys[k - 1].length;
    double part = (time - keys[k - 1].time) / (keys[k].time - keys[k - 1].time);
    return keys[k - 1].length + part * (keys[k].length - keys[k - 1].length);
}

static double find_length(const ruga_strokes *s, const entry *e, const ruga_vec3 *positions, double time) {
    if (e->by_compression && e->def.shape == RUGA_SHAPE_FURROW) return e->length;
    if (e->by_compression) {
        double now = ruga_curve_length(e->curve, s->mesh, positions);
        return now > 0 ? e->rest_length / now : 1;
    }
    return e->keys.count > 0 ? length_at(&e->keys, time) : e->length;
}

ruga_status ruga_strokes_pose(ruga_strokes *s, const ruga_vec3 *positions, double time, const double *lengths,
                              ruga_vec3 *out) {
    for (size_t i = 0; i < s->count; i++) {
        const entry *e = &s->entries[i];
        if (e->number == NO_STROKE) continue;
        int given = lengths && !isnan(lengths[i]);
        s->lengths[e->number] = given ? lengths[i] : find_length(s, e, positions, time);
    }
    return ruga_sculpt_pose(s->sculpt, positions, s->lengths, out);
}

/* The greatest length of a stroke, at least 1; NaN: the table has none of it. */
static double greatest_length(const ruga_length_table *table, size_t stroke) {
    double greatest = NAN;
    for (size_t i = 0; i < table->frame_count; i++)
        greatest = fmax(greatest, table->values[i * table->stroke_count + stroke]);
    return isnan(greatest) ? NAN : fmax(greatest, 1);
}

ruga_status ruga_strokes_prepare(ruga_strokes *s, const ruga_length_table *table) {
    if (table->stroke_count != s->count)
        return fail_argument(s->context, "the table has lengths of %zu strokes, but there are %zu", table->stroke_count,
                             s->count);
    for (size_t i = 0; i < s->count; i++) {
        entry *e = &s->entries[i];
        double greatest = greatest_length(table, i);
        if (isnan(greatest) || e->number == NO_STROKE) continue;
        ruga_stroke_def def = e->def;
        def.length = greatest;
        def.curve = e->curve;
        def.region = e->region;
        TRY(ruga_sculpt_set(s->sculpt, e->number, &def));
        e->def.length = greatest;
    }
    return ruga_sculpt_update(s->sculpt, s->keep_going, NULL);
}
