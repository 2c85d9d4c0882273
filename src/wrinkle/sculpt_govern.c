/* Governing curves of a sculpt: where they cross, which of them have to be minimised together, and that. */
#include <math.h>
#include <string.h>

#include "base/sort.h"
#include "wrinkle/sculpt.h"

/* Where along the particles an arc is. */
static void particle_place(const sculpt_line *line, double arc, size_t *segment, double *fraction) {
    double at = arc / line->length * (double)(line->count - 1), last = (double)(line->count - 2);
    *segment = (size_t)fmin(fmax(floor(at), 0), last);
    *fraction = fmin(1, at - (double)*segment);
}

/* A place on the path of a stroke. */
typedef struct path_visit {
    size_t curve, place;
} path_visit;

/* Whether the neighbours of a place on one path are none of those of a place on another: they cross, and do not run together. */
static int parts_there(const sculpt_path *x, size_t i, const sculpt_path *y, size_t j) {
    for (size_t a = i > 0 ? i - 1 : i; a <= i + 1 && a < x->count; a++)
        for (size_t b = j > 0 ? j - 1 : j; b <= j + 1 && b < y->count; b++)
            if (a != i && b != j && x->vertices[a] == y->vertices[b]) return 0;
    return 1;
}

static governing_crossing crossing_of(const ruga_sculpt *s, path_visit a, path_visit b) {
    const sculpt_stroke *x = active_stroke(s, a.curve), *y = active_stroke(s, b.curve);
    governing_crossing c = {.curves = {a.curve, b.curve},
                            .level = parts_there(&x->cut_base, a.place, &y->cut_base, b.place)};
    particle_place(&x->line, x->cut_base.arcs[a.place], &c.segments[0], &c.fractions[0]);
    particle_place(&y->line, y->cut_base.arcs[b.place], &c.segments[1], &c.fractions[1]);
    return c;
}

/* keys: (count) a vertex, and below it the number of the visit. Where several curves run together, each shares its height with the first: what
 * the others would say follows from that. */
static ruga_status list_crossings(ruga_sculpt *s, const uint64_t *keys, const path_visit *visits, size_t count) {
    for (size_t i = 0; i < count; i++) {
        int is_first = i == 0 || keys[i - 1] >> 32 != keys[i] >> 32;
        for (size_t j = i + 1; j < count && keys[j] >> 32 == keys[i] >> 32; j++) {
            governing_crossing crossing = crossing_of(s, visits[(uint32_t)keys[i]], visits[(uint32_t)keys[j]]);
            if (!is_first && !crossing.level) continue;
            TRY(ARRAY_RESERVE(s->context, &s->crossings, 1));
            s->crossings.items[s->crossings.count++] = crossing;
        }
    }
    return RUGA_OK;
}

/* Vertices that paths share, with others or with themselves: crossings of their lines. */
ruga_status sculpt_find_crossings(ruga_sculpt *s) {
    size_t count = 0;
    s->crossings.count = 0;
    for (size_t i = 0; i < s->active.count; i++) count += active_stroke(s, i)->cut_base.count;
    path_visit *visits = ALLOCATE(s->context, path_visit, count);
    uint64_t *keys = ALLOCATE(s->context, uint64_t, count);
    ruga_status status = visits && keys ? RUGA_OK : fail_memory(s->context, count * sizeof *visits);
    count = 0;
    for (size_t i = 0; i < s->active.count && !RUGA_FAILED(status); i++)
        for (size_t k = 0; k < active_stroke(s, i)->cut_base.count; k++) {
            visits[count] = (path_visit){i, k};
            keys[count] = (uint64_t)active_stroke(s, i)->cut_base.vertices[k] << 32 | count;
            count++;
        }
    if (!RUGA_FAILED(status)) {
        sort_keys(keys, count);
        status = list_crossings(s, keys, visits, count);
    }
    memory_release(s->context, visits);
    memory_release(s->context, keys);
    return status;
}

/* What governing is done for. */
typedef enum govern_pass {
    AT_REST,
    FOR_SHAPE, /* what strokes without wrinkles at rest look like in motion */
    IN_MOTION  /* keeping the shapes, higher or lower */
} govern_pass;

/* 1, L̃ / L for which strokes that have no wrinkles at rest get their shape: what they have when nothing is said. */
#define SHAPE_LENGTH 1.3

/* The length that a stroke in motion reaches, of what is asked for: as at rest. */
static double reached_length(const sculpt_line *line, double length) {
    return 1 + (length - 1) * (line->shape_reached - 1) / (line->shape_length - 1);
}

/* The governing curve of a stroke whose particles are placed. */
static governing_curve governing_of(sculpt_stroke *k, double length, govern_pass pass) {
    static const governing_start starts[] = {GOVERNING_BAND, GOVERNING_COUNT, GOVERNING_SEARCH};
    const ruga_stroke_def *def = &k->def;
    sculpt_line *line = &k->line;
    return (governing_curve){.def = {.stiffness = def->stiffness,
                                     .length = pass == IN_MOTION ? reached_length(line, length) : length,
                                     .start = starts[def->start],
                                     .wrinkles = def->wrinkles,
                                     .seed = def->seed,
                                     .rest_angles = !def->straight,
                                     .node_length = pass == IN_MOTION ? line->shape_length : length,
                                     .ends = def->ends == RUGA_ENDS_SOFT ? GOVERNING_SOFT : GOVERNING_PRINTED},
                             .count = line->count,
                             .points = line->points,
                             .normals = line->normals,
                             .shape = pass == IN_MOTION ? line->shape : NULL,
                             .deflections = pass == FOR_SHAPE ? line->shape : line->deflections};
}

static void take_shape(sculpt_line *line, double length, double reached) {
    line->shape_length = length;
    line->shape_reached = reached;
}

/* A stroke with wrinkles at rest keeps their shape, also where others of its group need another. */
static void take_governed(sculpt_stroke *k, const governing_curve *curve, govern_pass pass) {
    sculpt_line *line = &k->line;
    if (pass != FOR_SHAPE) sculpt_line_smooth(line);
    if (pass == AT_REST) {
        line->reached = curve->reached;
        line->energy = curve->energy;
        line->wrinkles = governing_extrema(line->deflections, line->count);
    }
    if (pass == FOR_SHAPE && !(k->def.length > 1)) take_shape(line, SHAPE_LENGTH, curve->reached);
    if (pass == IN_MOTION || !(k->def.length > 1)) return;
    take_shape(line, k->def.length, line->reached);
    memcpy(line->shape, line->deflections, line->count * sizeof *line->shape);
}

void sculpt_govern_room_release(ruga_sculpt *s) {
    sculpt_govern_room *room = &s->govern_room;
    memory_release(s->context, room->curves);
    memory_release(s->context, room->crossings);
    memory_release(s->context, room->places);
    governing_room_release(s->context, &room->minimiser);
    *room = (sculpt_govern_room){0};
}

static ruga_status govern_room_make(ruga_sculpt *s) {
    size_t count = s->active.count;
    sculpt_govern_room_release(s);
    s->govern_room = (sculpt_govern_room){.curves = ALLOCATE(s->context, governing_curve, count),
                                          .crossings = ALLOCATE(s->context, governing_crossing, s->crossings.count),
                                          .places = ALLOCATE(s->context, size_t, count)};
    if (s->govern_room.curves && s->govern_room.crossings && s->govern_room.places) return RUGA_OK;
    return fail_memory(s->context, count * sizeof(governing_curve));
}

ruga_status sculpt_group_strokes(ruga_sculpt *s) {
    TRY(govern_room_make(s));
    memory_release(s->context, s->groups);
    s->groups = ALLOCATE(s->context, size_t, s->active.count);
    if (!s->groups) return fail_memory(s->context, s->active.count * sizeof *s->groups);
    for (size_t i = 0; i < s->active.count; i++) s->groups[i] = i;
    for (int changed = 1; changed;) {
        changed = 0;
        for (size_t i = 0; i < s->crossings.count; i++) {
            const size_t *curves = s->crossings.items[i].curves;
            size_t *a = &s->groups[curves[0]], *b = &s->groups[curves[1]];
            if (*a == *b) continue;
            *a = *b = *a < *b ? *a : *b;
            changed = 1;
        }
    }
    return RUGA_OK;
}

/* lengths: (active) L̃ / L. */
static ruga_status govern_group(ruga_sculpt *s, size_t group, const double *lengths, govern_pass pass) {
    sculpt_govern_room *room = &s->govern_room;
    size_t count = 0, crossing_count = 0;
    for (size_t i = 0; i < s->active.count; i++) {
        if (s->groups[i] != group) continue;
        double length = pass == FOR_SHAPE && !(lengths[i] > 1) ? SHAPE_LENGTH : lengths[i];
        room->places[i] = count;
        room->curves[count++] = governing_of(active_stroke(s, i), length, pass);
    }
    for (size_t i = 0; i < s->crossings.count; i++) {
        if (s->groups[s->crossings.items[i].curves[0]] != group) continue;
        governing_crossing *c = &room->crossings[crossing_count++];
        *c = s->crossings.items[i];
        for (int k = 0; k < 2; k++) c->curves[k] = room->places[c->curves[k]];
    }
    TRY(governing_minimise_in(s->context, &room->minimiser, room->curves, count, room->crossings, crossing_count));
    for (size_t i = 0; i < s->active.count; i++)
        if (s->groups[i] == group) take_governed(active_stroke(s, i), &room->curves[room->places[i]], pass);
    if (pass != FOR_SHAPE) s->counts.governed += count;
    return RUGA_OK;
}

/* Whether a stroke of a group has no wrinkles at rest. */
static int group_has_plain(const ruga_sculpt *s, size_t group) {
    for (size_t i = 0; i < s->active.count; i++)
        if (s->groups[i] == group && !(active_stroke(s, i)->def.length > 1)) return 1;
    return 0;
}

/* The deflections at rest, and where it has none the shape for motion. */
static ruga_status govern_rest(ruga_sculpt *s, size_t group, const double *lengths) {
    TRY(govern_group(s, group, lengths, AT_REST));
    return group_has_plain(s, group) ? govern_group(s, group, lengths, FOR_SHAPE) : RUGA_OK;
}

static int group_is_stale(const ruga_sculpt *s, size_t group) {
    for (size_t i = 0; i < s->active.count; i++)
        if (s->groups[i] == group && active_stroke(s, i)->shape_is_stale) return 1;
    return 0;
}

ruga_status sculpt_govern(ruga_sculpt *s, const double *lengths, int is_posed) {
    size_t count = s->active.count;
    for (size_t i = 0; i < count; i++) {
        if (s->groups[i] != i) continue;
        if (is_posed)
            TRY(govern_group(s, i, lengths, IN_MOTION));
        else if (group_is_stale(s, i))
            TRY(govern_rest(s, i, lengths));
    }
    for (size_t i = 0; i < count && !is_posed; i++) active_stroke(s, i)->shape_is_stale = 0;
    return RUGA_OK;
}
