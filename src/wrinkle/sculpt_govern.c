/* Governing curves of a sculpt: their crossings, the groups that are minimised together, and the minimisation. */
#include <math.h>
#include <string.h>

#include "base/sort.h"
#include "wrinkle/sculpt.h"

/* The place of an arc between the particles. */
static void particle_place(const sculpt_line *line, double arc, size_t *segment, double *fraction) {
    double at = arc / line->length * (double)(line->count - 1), last = (double)(line->count - 2);
    *segment = (size_t)fmin(fmax(floor(at), 0), last);
    *fraction = fmin(1, at - (double)*segment);
}

/* A vertex of the path of a stroke. */
typedef struct path_visit {
    size_t curve, place;
} path_visit;

/* Whether two paths at a common vertex have no common neighbours: they cross there, and do not run together. */
static int paths_cross(const sculpt_path *x, size_t i, const sculpt_path *y, size_t j) {
    for (size_t a = i > 0 ? i - 1 : i; a <= i + 1 && a < x->count; a++)
        for (size_t b = j > 0 ? j - 1 : j; b <= j + 1 && b < y->count; b++)
            if (a != i && b != j && x->vertices[a] == y->vertices[b]) return 0;
    return 1;
}

static governing_crossing crossing_of(const ruga_sculpt *s, path_visit a, path_visit b) {
    const sculpt_stroke *x = active_stroke(s, a.curve), *y = active_stroke(s, b.curve);
    governing_crossing c = {.curves = {a.curve, b.curve},
                            .level = paths_cross(&x->cut_base, a.place, &y->cut_base, b.place)};
    particle_place(&x->line, x->cut_base.arcs[a.place], &c.segments[0], &c.fractions[0]);
    particle_place(&y->line, y->cut_base.arcs[b.place], &c.segments[1], &c.fractions[1]);
    return c;
}

/* keys: (count) a vertex << 32, and the index of its visit. Where several curves run together, each shares its height
 * with the first, which implies the rest. */
static ruga_status list_crossings(ruga_sculpt *s, const uint64_t *keys, const path_visit *visits, size_t count) {
    for (size_t i = 0; i < count; i++) {
        int is_first = i == 0 || keys[i - 1] >> 32 != keys[i] >> 32;
        for (size_t j = i + 1; j < count && keys[j] >> 32 == keys[i] >> 32; j++) {
            governing_crossing crossing = crossing_of(s, visits[(uint32_t)keys[i]], visits[(uint32_t)keys[j]]);
            if (!is_first && !crossing.level) continue;
            TRY(ARRAY_ADD(s->context, &s->crossings, crossing));
        }
    }
    return RUGA_OK;
}

/* Crossings are vertices that paths share, with others or with themselves. */
ruga_status sculpt_find_crossings(ruga_sculpt *s) {
    size_t count = 0;
    s->crossings.count = 0;
    for (size_t i = 0; i < s->active.count; i++) count += active_stroke(s, i)->cut_base.count;
    /* Furrows add up where they cross. */
    path_visit *visits;
    uint64_t *keys = NULL;
    TRY(NEW(s->context, &visits, count));
    ruga_status status = NEW(s->context, &keys, count);
    count = 0;
    for (size_t i = 0; i < s->active.count && !RUGA_FAILED(status); i++)
        for (size_t k = 0; k < active_stroke(s, i)->cut_base.count && !stroke_is_furrow(active_stroke(s, i)); k++) {
            visits[count] = (path_visit){i, k};
            keys[count] = (uint64_t)active_stroke(s, i)->cut_base.vertices[k] << 32 | count;
            count++;
        }
    if (!RUGA_FAILED(status)) {
        sort_keys(keys, count);
        status = list_crossings(s, keys, visits, count);
    }
    RELEASE_ALL(s->context, visits, keys);
    return status;
}

/* The purposes of a minimisation. */
typedef enum govern_pass {
    AT_REST,
    FOR_SHAPE, /* the shape in motion of strokes without wrinkles at rest */
    IN_MOTION  /* the same shapes, higher or lower */
} govern_pass;

/* 1, L̃ / L of the shape of strokes without wrinkles at rest. */
#define SHAPE_LENGTH 1.3

/* The length that a stroke in motion reaches: the same fraction of its target as at rest. */
static double reached_length(const sculpt_line *line, double length) {
    return 1 + (length - 1) * (line->shape_reached - 1) / (line->shape_length - 1);
}

/* The governing curve of a stroke whose particles are placed. */
static governing_curve governing_of(sculpt_stroke *k, double length, govern_pass pass) {
    static const governing_start starts[] = {GOVERNING_BAND, GOVERNING_COUNT, GOVERNING_SEARCH};
    const ruga_stroke_def *def = &k->def;
    sculpt_line *line = &k->line;
    int is_furrow = stroke_is_furrow(k);
    return (governing_curve){.def = {.stiffness = def->stiffness,
                                     .length = pass == IN_MOTION ? reached_length(line, length) : length,
                                     .start = is_furrow ? GOVERNING_COUNT : starts[def->start],
                                     .wrinkles = is_furrow ? FURROW_SPANS : def->wrinkles,
                                     .seed = is_furrow ? 1 : def->seed,
                                     .vary = is_furrow ? 0 : def->vary,
                                     .rest_angles = !def->straight,
                                     .node_length = pass == IN_MOTION ? line->shape_length : length,
                                     .ends = def->ends == RUGA_ENDS_SOFT ? GOVERNING_SOFT : GOVERNING_PRINTED},
                             .count = line->count,
                             .closed = line->closed,
                             .points = line->points,
                             .normals = line->normals,
                             .shape = pass == IN_MOTION ? line->shape : NULL,
                             .deflections = pass == FOR_SHAPE ? line->shape : line->deflections};
}

/* Stores the results. A stroke with wrinkles at rest keeps their shape, also where others of its group need another. */
static void take_governed(sculpt_stroke *k, const governing_curve *curve, govern_pass pass) {
    sculpt_line *line = &k->line;
    int has_wrinkles = k->def.length > 1;
    if (pass != FOR_SHAPE) sculpt_line_smooth(line);
    if (pass == AT_REST) {
        line->reached = curve->reached;
        line->energy = curve->energy;
        line->wrinkles = governing_extrema(line->deflections, line->count);
    }
    if (pass == FOR_SHAPE && !has_wrinkles) {
        line->shape_length = SHAPE_LENGTH;
        line->shape_reached = curve->reached;
    }
    if (pass == IN_MOTION || !has_wrinkles) return;
    line->shape_length = k->def.length;
    line->shape_reached = line->reached;
    memcpy(line->shape, line->deflections, line->count * sizeof *line->shape);
}

void sculpt_govern_room_release(ruga_sculpt *s) {
    sculpt_govern_room *room = &s->govern_room;
    RELEASE_ALL(s->context, room->curves, room->crossings, room->places);
    governing_room_release(s->context, &room->minimiser);
    *room = (sculpt_govern_room){0};
}

ruga_status sculpt_group_strokes(ruga_sculpt *s) {
    size_t count = s->active.count;
    sculpt_govern_room_release(s);
    TRY(NEW(s->context, &s->govern_room.curves, count));
    TRY(NEW(s->context, &s->govern_room.crossings, s->crossings.count));
    TRY(NEW(s->context, &s->govern_room.places, count));
    memory_release(s->context, s->groups);
    TRY(NEW(s->context, &s->groups, count));
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

ruga_status sculpt_govern(ruga_sculpt *s, const double *lengths, int is_posed) {
    size_t count = s->active.count;
    for (size_t group = 0; group < count; group++) {
        if (s->groups[group] != group) continue;
        int is_stale = 0, has_plain = 0; /* plain: without wrinkles at rest */
        for (size_t i = 0; i < count; i++) {
            is_stale |= s->groups[i] == group && active_stroke(s, i)->shape_is_stale;
            has_plain |= s->groups[i] == group && !(active_stroke(s, i)->def.length > 1);
        }
        if (is_posed) TRY(govern_group(s, group, lengths, IN_MOTION));
        if (!is_posed && is_stale) TRY(govern_group(s, group, lengths, AT_REST));
        if (!is_posed && is_stale && has_plain) TRY(govern_group(s, group, lengths, FOR_SHAPE));
    }
    for (size_t i = 0; i < count && !is_posed; i++) active_stroke(s, i)->shape_is_stale = 0;
    return RUGA_OK;
}
