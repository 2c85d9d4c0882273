/* The kind "seam": its table, how its borders are found, and what can be wrong with them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "body/kind.h"
#include "body/seam_part.h"

#define STIFFNESS 3.0        /* default: a tie has that many times the stretch of the material */
#define DEFAULT_DURATION 1.0 /* s */

/* ---- The tables. */

static const ruga_field point_fields[] = {
    {"at", RUGA_FIELD_VECTOR, AT(ruga_border_point, at), .unit = "m", .help = "a point near the border, in the scene"},
};
static const ruga_section point_section = SECTION("border_point", ruga_border_point, point_fields, .shorthand = "at",
                                                  .help = "A point; a bare vector stands for it.");
static const ruga_section *const point_sections[] = {&point_section, NULL};

static const ruga_field named_fields[] = {
    {"name", RUGA_FIELD_TEXT, AT(ruga_named_border_def, name),
     .help = "a label of the attribute \"border\" of edges, as the model tshirt has; \"line 0\", \"line 1\" …, for the "
             "polylines of an OBJ file; or an attribute of vertices, which is above 0.5 on the border"},
};
static const ruga_section named_section =
    SECTION("named", ruga_named_border_def, named_fields, .shorthand = "name",
            .help = "A border that the mesh has a name for. A bare text is its name.");

static const ruga_field drawn_fields[] = {
    {"points", RUGA_FIELD_LIST, AT(ruga_drawn_border_def, points), .sections = point_sections,
     .help = "[x, y, z] along a border of the mesh, in coordinates of the scene: from the border vertex nearest to the "
             "first to that nearest to the last, past the others; with two points the shorter of both directions"},
};
static const ruga_section drawn_section = SECTION("drawn", ruga_drawn_border_def, drawn_fields, .shorthand = "points",
                                                  .help = "A border by points. A bare list is its points.");
static const ruga_section *const border_kinds[] = {&named_section, &drawn_section, NULL};

static const char *const directions[] = {"nearest", "forward", "reverse", NULL};
_Static_assert(BORDER_NEAREST == 0 && BORDER_FORWARD == 1 && BORDER_REVERSE == 2, "in the order of border_sense");

static const ruga_field seam_fields[] = {
    {"name", RUGA_FIELD_TEXT, AT(ruga_seam_def, name), .preset = "null",
     .help = "for messages; if absent, those of its borders"},
    {"from", RUGA_FIELD_VARIANT, AT(ruga_seam_def, from), .sections = border_kinds, .help = "one border"},
    {"to", RUGA_FIELD_VARIANT, AT(ruga_seam_def, to), .sections = border_kinds,
     .help = "the border that it is sewn to"},
    {"direction", RUGA_FIELD_CHOICE, AT(ruga_seam_def, direction), .preset = "nearest", .choices = directions,
     .help = "direction in which the second border is traversed; nearest: so that matched places are nearest to each "
             "other"},
    {"start", RUGA_FIELD_NUMBER, AT(ruga_seam_def, start), .unit = "s", .preset = "null",
     .help = "when it begins to close; until then it only keeps its gap from growing; if absent, at the start of the "
             "first frame or of its pre-roll"},
    {"end", RUGA_FIELD_NUMBER, AT(ruga_seam_def, end), .unit = "s", .preset = "null",
     .help = "when it is closed; from then on it holds; if absent, one second after the start"},
    {"stiffness", RUGA_FIELD_NUMBER, AT(ruga_seam_def, stiffness), .unit = "N/m²", .preset = "null", RANGE(0, 1e15),
     .help = "force per metre of the seam and metre of its gap; if absent, three times that of the cloth's edges: the "
             "stretch of the material over the length of an edge"},
    {"ease", RUGA_FIELD_NUMBER, AT(ruga_seam_def, ease), .unit = "1", .preset = "0.15", RANGE(0, 100),
     .help = "by which fraction one border may be longer than the other, which gathers it; a larger difference is an "
             "error"},
};

/* ---- Borders. */

/* The names of a border and of a seam in messages. */
static void name_border(const ruga_variant *variant, char *text, size_t size) {
    const ruga_named_border_def *named = variant->values;
    if (variant->section == &named_section && named && named->name)
        snprintf(text, size, "\"%.80s\"", named->name);
    else
        snprintf(text, size, "a drawn border");
}

static void name_seam(const ruga_seam_def *def, char *text, size_t size) {
    char from[100], to[100];
    if (def->name) {
        snprintf(text, size, "\"%.80s\"", def->name);
        return;
    }
    name_border(&def->from, from, sizeof from);
    name_border(&def->to, to, sizeof to);
    snprintf(text, size, "%s to %s", from, to);
}

static ruga_status find_border(const build *b, const topology *topo, const ruga_variant *variant, border *out) {
    if (variant->section == &named_section) {
        const ruga_named_border_def *named = variant->values;
        return border_by_name(b->mesh, topo, named->name ? named->name : "", out);
    }
    const ruga_drawn_border_def *drawn = variant->values;
    return border_by_points(b->mesh, topo, (const ruga_vec3 *)drawn->points.items, drawn->points.count, out);
}
_Static_assert(sizeof(ruga_border_point) == sizeof(ruga_vec3), "a list of points is an array of them");

/* A failed search becomes an error that names the seam. */
static ruga_status take_border(build *b, const topology *topo, const char *seam, const ruga_variant *variant,
                               border *out) {
    if (!variant->section || !variant->values) {
        b->errors++; /* reported by the reader */
        return RUGA_OK;
    }
    ruga_status status = find_border(b, topo, variant, out);
    if (!RUGA_FAILED(status) || status == RUGA_ERROR_MEMORY) return status;
    char message[1400];
    snprintf(message, sizeof message, "%s", ruga_context_message(b->context));
    return build_found(b, variant, status, "seam %s: %s", seam, message);
}

/* ---- Checks. */

static int is_end_of(const border *b, size_t i) { return !b->closed && (i == 0 || i + 1 == b->vertices.count); }

/* Borders may have vertices in common that are ends of both. */
static ruga_status check_overlap(build *b, const ruga_seam_def *def, const char *seam, const border *from,
                                 const border *to) {
    enum { ABSENT, INSIDE, END };
    unsigned char *seen = NULL;
    size_t common = 0;
    uint32_t crossing = UINT32_MAX;
    TRY(NEW_ZEROED(b->context, &seen, b->mesh->vertex_count));
    for (size_t i = 0; i < from->vertices.count; i++) seen[from->vertices.items[i]] = is_end_of(from, i) ? END : INSIDE;
    for (size_t i = 0; i < to->vertices.count; i++) {
        unsigned char there = seen[to->vertices.items[i]];
        common += there != ABSENT;
        if (crossing == UINT32_MAX && there != ABSENT && !(there == END && is_end_of(to, i)))
            crossing = to->vertices.items[i];
    }
    memory_release(b->context, seen);
    if (common == to->vertices.count && common == from->vertices.count)
        return build_found(b, &def->to, RUGA_ERROR_INPUT,
                           "seam %s: it sews a border to itself; give the border that it is sewn to", seam);
    if (crossing == UINT32_MAX) return RUGA_OK;
    return build_found(b, &def->to, RUGA_ERROR_INPUT,
                       "seam %s: its borders cross: both have vertex %u, which is not an end of both; choose borders "
                       "that have at most their ends in common",
                       seam, crossing);
}

static ruga_status check_lengths(build *b, const ruga_seam_def *def, const char *seam, const border *from,
                                 const border *to) {
    double a = border_length(b->mesh, from), c = border_length(b->mesh, to), ratio = a > c ? a / c : c / a;
    if (from->closed != to->closed)
        return build_found(b, &def->to, RUGA_ERROR_INPUT,
                           "seam %s: one border is closed and the other has ends; sew a closed one to a closed one, or "
                           "cut it into lines",
                           seam);
    if (!(a > 0) || !(c > 0))
        return build_found(b, &def->to, RUGA_ERROR_INPUT, "seam %s: a border has no length; look at its vertices",
                           seam);
    if (ratio <= 1 + def->ease) return RUGA_OK;
    return build_found(b, &def->to, RUGA_ERROR_INPUT,
                       "seam %s: its borders are %.4g m and %.4g m long, a ratio of %.3g, but \"ease\" allows %.3g; "
                       "change the pieces, or raise \"ease\" to gather the longer one",
                       seam, a, c, ratio, 1 + def->ease);
}

static ruga_status check_direction(build *b, const ruga_seam_def *def, const char *seam, int twist, int crossed) {
    if (crossed && def->direction != BORDER_NEAREST)
        TRY(build_found(b, &def->direction, RUGA_WARNING_INPUT,
                        "seam %s: its lines cross, the other direction is nearer; leave \"direction\" at \"nearest\", "
                        "unless the seam is meant to be twisted",
                        seam));
    if (twist <= 0) return RUGA_OK;
    return build_found(
        b, &def->to, RUGA_WARNING_INPUT,
        "seam %s: the front of one piece meets the back of the other; flip one piece, or set \"direction\" "
        "to \"%s\"",
        seam, def->direction == BORDER_REVERSE ? "forward" : "reverse");
}

static ruga_status check_times(build *b, const ruga_seam_def *def, const char *seam, double start, double end) {
    if (end >= start) return RUGA_OK;
    return build_found(b, &def->end, RUGA_ERROR_INPUT,
                       "seam %s: it ends at %g s, before it starts at %g s; give \"end\" a later time", seam, end,
                       start);
}

/* ---- Making. */

static ruga_status make_from(build *b, const ruga_seam_def *def, const char *seam, const border *from, const border *to,
                             border_matches *matches, part **out) {
    double start = isnan(def->start) ? seam_first_time(&b->scene->time) : def->start;
    double end = isnan(def->end) ? start + DEFAULT_DURATION : def->end;
    ruga_material_def material;
    int reversed, crossed;
    TRY(build_find_material(b, "cotton", &material));
    TRY(check_overlap(b, def, seam, from, to));
    TRY(check_lengths(b, def, seam, from, to));
    TRY(check_times(b, def, seam, start, end));
    if (b->errors || !b->body) return RUGA_OK;
    TRY(border_match_all(b->mesh, from, to, (border_sense)def->direction, matches, &reversed, &crossed));
    TRY(check_direction(b, def, seam, from->direction * to->direction * (reversed ? -1 : 1), crossed));
    const border *fine = from->vertices.count >= to->vertices.count ? from : to;
    double edge = border_length(b->mesh, fine) / (double)(fine->vertices.count - 1);
    seam_part_def made = {.name = seam,
                          .matches = matches->items,
                          .match_count = matches->count,
                          .start = start,
                          .end = end,
                          .stiffness = isnan(def->stiffness) ? STIFFNESS * material.stretch / edge : def->stiffness};
    return build_about(b, b->variant, seam_part_create(b->body, &made, out));
}

static ruga_status make_part(build *b, const void *values, part **out) {
    const ruga_seam_def *def = values;
    char seam[240];
    topology *topo = NULL;
    border from = {0}, to = {0};
    border_matches matches = {0};
    name_seam(def, seam, sizeof seam);
    TRY(topology_build_mesh(b->mesh, &topo));
    ruga_status status = take_border(b, topo, seam, &def->from, &from);
    if (!RUGA_FAILED(status)) status = take_border(b, topo, seam, &def->to, &to);
    if (!RUGA_FAILED(status) && !b->errors) status = make_from(b, def, seam, &from, &to, &matches, out);
    topology_destroy(topo);
    border_release(b->context, &from);
    border_release(b->context, &to);
    ARRAY_RELEASE(b->context, &matches);
    return status;
}

const kind seam_part_kind = {
    .section =
        SECTION("seam", ruga_seam_def, seam_fields,
                .help = "Sews two borders of a cloth: pulls them together over time, then holds them. The cloth's "
                        "mesh may consist of several pieces."),
    .role = KIND_INSIDE,
    .make_part = make_part,
};
