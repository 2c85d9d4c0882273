/* From curves to lines that a mesh is cut along: see cut_lines.h. */
#include "geom/cut_lines.h"

#include <math.h>

#include "base/sort.h"
#include "geom/curve.h"
#include "geom/cut_lines_parts.h"

#define STAR_LEAST 0.01 /* weight of every corner at a star: it lies inside its triangle */
#define ON_EDGE 1e-9    /* weight of the opposite corner */
#define ALONG 0.5       /* sine between a curve and the normal of a triangle that it is not drawn in */

static vec3 triangle_normal(const ruga_mesh *mesh, uint32_t triangle) {
    const uint32_t *v = mesh->triangles + 3 * (size_t)triangle;
    vec3 a = mesh->positions[v[0]];
    return vec3_normalise(vec3_cross(vec3_sub(mesh->positions[v[1]], a), vec3_sub(mesh->positions[v[2]], a)));
}

/* Drawn points on edges of more than two triangles: curves cross them only there. */
static ruga_status check_edges(const liner *l, const strand *s, ruga_surface_point point) {
    for (int k = 0; k < 3; k++)
        if (point.weights[(k + 2) % 3] <= ON_EDGE)
            TRY(strand_check_edge(l, s, l->topo->triangle_edges[3 * (size_t)point.triangle + (size_t)k]));
    return RUGA_OK;
}

/* An end on a sharp edge may be a point of the triangle across it, but the curve has the normal of its own side. */
static void straighten_end(strand *s, int end) {
    const size_t count = s->points.count, at = end ? count - 1 : 0;
    for (size_t k = 1; k < count; k++) {
        const size_t i = end ? count - 1 - k : k;
        const vec3 along = vec3_sub(s->at.items[i], s->at.items[at]);
        if (vec3_length(vec3_cross(s->normals.items[at], along)) > ALONG * vec3_length(along)) return;
        s->normals.items[at] = s->normals.items[i];
    }
}

static ruga_status add_strand(liner *l, size_t curve) {
    const ruga_curve *c = l->curves[curve];
    if (c->point_count < 2) return fail_input(l->context, "curve \"%s\" has fewer than two points", c->name);
    TRY(ARRAY_ADD(l->context, &l->strands, (strand){.curve = curve, .closed = c->closed && c->point_count > 2}));
    strand *s = &l->strands.items[l->strands.count - 1];
    for (size_t i = 0; i < c->point_count; i++) {
        ruga_surface_point point = c->points[i];
        if (point.triangle >= l->mesh->triangle_count)
            return fail_input(l->context, "curve \"%s\": point %zu is on triangle %u of a mesh of %zu", c->name, i,
                              point.triangle, l->mesh->triangle_count);
        TRY(check_edges(l, s, point));
        TRY(ARRAY_ADD(l->context, &s->points, point));
        TRY(ARRAY_ADD(l->context, &s->at, surface_point_at(l->mesh, NULL, point)));
        TRY(ARRAY_ADD(l->context, &s->normals, triangle_normal(l->mesh, point.triangle)));
        double before = i > 0 ? s->marks.items[i - 1].part : 0;
        if (i > 0) before += vec3_distance(s->at.items[i - 1], s->at.items[i]);
        TRY(ARRAY_ADD(l->context, &s->marks, (cut_mark){0, (uint32_t)curve, before}));
    }
    for (int end = 0; end < 2 && !s->closed; end++) straighten_end(s, end);
    double length = s->marks.items[s->marks.count - 1].part;
    if (s->closed) length += vec3_distance(s->at.items[s->at.count - 1], s->at.items[0]);
    for (size_t i = 0; i < s->marks.count; i++) s->marks.items[i].part /= length > 0 ? length : 1;
    return RUGA_OK;
}

/* ---- Stars. */

/* Weights of a point in the plane of a triangle; returns the least of them. */
static double weights_in(const ruga_mesh *mesh, uint32_t triangle, vec3 at, double w[3]) {
    const uint32_t *v = mesh->triangles + 3 * (size_t)triangle;
    vec3 a = mesh->positions[v[0]], u = vec3_sub(mesh->positions[v[1]], a), q = vec3_sub(mesh->positions[v[2]], a);
    vec3 normal = vec3_cross(u, q), to = vec3_sub(at, a);
    double area2 = vec3_length2(normal);
    w[1] = vec3_dot(vec3_cross(to, q), normal) / area2;
    w[2] = vec3_dot(vec3_cross(u, to), normal) / area2;
    w[0] = 1 - w[1] - w[2];
    return fmin(w[0], fmin(w[1], w[2]));
}

/* Puts a star, after the shift, into the triangle around it that has it farthest inside. */
static void place_star(const liner *l, cut_star *star) {
    const strand *s = &l->strands.items[star->rays[0].line];
    vec3 at = s->at.items[star->rays[0].end ? s->at.count - 1 : 0];
    uint32_t around = star->at.triangle;
    double most = -INFINITY, w[3];
    for (int k = 0; k < 3; k++) {
        uint32_t corner = l->mesh->triangles[3 * (size_t)around + (size_t)k];
        for (uint32_t i = l->topo->fan_offsets[corner]; i < l->topo->fan_offsets[corner + 1]; i++) {
            double least = weights_in(l->mesh, l->topo->fan_triangles[i], at, w);
            if (!(least > most)) continue;
            most = least;
            star->at.triangle = l->topo->fan_triangles[i];
        }
    }
    weights_in(l->mesh, star->at.triangle, at, w);
    double sum = 0;
    for (int k = 0; k < 3; k++) sum += w[k] = fmax(w[k], STAR_LEAST);
    for (int k = 0; k < 3; k++) star->at.weights[k] = w[k] / sum;
    star->position = surface_point_at(l->mesh, NULL, star->at);
    for (size_t i = 0; i < star->ray_count; i++) {
        strand *ray = &l->strands.items[star->rays[i].line];
        ray->at.items[star->rays[i].end ? ray->at.count - 1 : 0] = star->position;
    }
}

/* The direction in which a curve leaves its star, over the first half edge. */
static vec3 curve_direction(const liner *l, const cut_star *star, const cut_ray *ray) {
    const strand *s = &l->strands.items[ray->line];
    vec3 normal = triangle_normal(l->mesh, star->at.triangle), to = {0, 0, 0};
    for (size_t i = 1; i < s->at.count; i++) {
        to = vec3_sub(s->at.items[ray->end ? s->at.count - 1 - i : i], star->position);
        if (vec3_length(to) >= 0.5 * l->edge) break;
    }
    return vec3_normalise(vec3_add_scaled(to, normal, -vec3_dot(to, normal)));
}

/* The same of a ray. Two rays alone that are less than 90 degrees from straight become straight, so that the fold
 * continues through the star. */
static vec3 ray_direction(const liner *l, const cut_star *star, const cut_ray *ray) {
    vec3 own = curve_direction(l, star, ray);
    if (star->ray_count != 2) return own;
    vec3 a = curve_direction(l, star, &star->rays[0]), b = curve_direction(l, star, &star->rays[1]);
    if (vec3_dot(a, b) >= 0) return own;
    return vec3_scale(vec3_normalise(vec3_sub(a, b)), ray == &star->rays[0] ? 1 : -1);
}

/* In the star's triangle distances are those from the straight ray, so that all rays meet in the star exactly. */
static void straighten_at_star(liner *l, strand *s, int end) {
    cut_star *star = &l->stars.items[s->stars[end]];
    const uint32_t *v = l->mesh->triangles + 3 * (size_t)star->at.triangle;
    for (size_t i = 0; i < star->ray_count; i++) {
        cut_ray *ray = &star->rays[i];
        if (&l->strands.items[ray->line] != s || ray->end != end) continue;
        vec3 t = ray_direction(l, star, ray), normal = triangle_normal(l->mesh, star->at.triangle);
        vec3 x = vec3_normalise(vec3_sub(l->mesh->positions[v[1]], l->mesh->positions[v[0]])),
             n = vec3_cross(normal, t);
        ray->direction = (vec2){vec3_dot(t, x), vec3_dot(t, vec3_cross(normal, x))};
        for (int k = 0; k < 3; k++) {
            if (l->slots[v[k]] == NONE) continue;
            strand_place *place = &s->near.items[l->slots[v[k]]];
            vec3 to = vec3_sub(l->mesh->positions[v[k]], star->position);
            place->distance = (end ? -1 : 1) * vec3_dot(n, to);
            place->along = end ? s->length - vec3_dot(t, to) : vec3_dot(t, to);
        }
    }
}

/* ---- Lines. */

static void keep_off_vertices(const liner *l, strand *s) {
    double least = CUT_LEAST * l->edge;
    for (size_t k = 0; k < s->near.count; k++) {
        double *d = &s->near.items[k].distance;
        if (fabs(*d) < least) *d = *d < -1e-6 * least ? -least : least;
    }
}

static ruga_status trace_strand(liner *l, uint32_t index) {
    strand *s = &l->strands.items[index];
    TRY(strand_measure(l, s));
    keep_off_vertices(l, s);
    for (int end = 0; end < 2; end++)
        if (!s->closed && s->ends[end] == CUT_STAR) straighten_at_star(l, s, end);
    ruga_status status = strand_trace(l, index);
    strand_forget(l, s);
    return status;
}

/* Stems come after their bars. */
static ruga_status trace_all(liner *l) {
    size_t traced = 0, before = SIZE_MAX;
    while (traced < l->strands.count && traced != before) {
        before = traced;
        for (uint32_t i = 0; i < l->strands.count; i++) {
            const strand *s = &l->strands.items[i];
            int waits = 0;
            for (int end = 0; end < 2 && !s->closed; end++)
                waits |= s->ends[end] == CUT_STEM && !l->strands.items[s->bars[end]].is_traced;
            if (s->is_traced || waits) continue;
            TRY(trace_strand(l, i));
            traced++;
        }
    }
    for (uint32_t i = 0; i < l->strands.count; i++)
        if (!l->strands.items[i].is_traced)
            return strand_fail(l, &l->strands.items[i], l->strands.items[i].points.items[0].triangle,
                               "it ends on a curve that ends on it in turn; let their ends meet in one point");
    return RUGA_OK;
}

/* ---- Results. */

/* The corners of its triangles, rising. */
static ruga_status keep_places(const liner *l, const strand *s, cut_line *out) {
    uint32_t *corners = NULL;
    size_t count = 0;
    TRY(NEW(l->context, &corners, 3 * s->triangles.count));
    for (size_t i = 0; i < 3 * s->triangles.count; i++)
        corners[i] = l->mesh->triangles[3 * (size_t)s->triangles.items[i / 3] + i % 3];
    sort_indices(corners, 3 * s->triangles.count);
    ruga_status status = NEW(l->context, &out->places, 3 * s->triangles.count);
    for (size_t k = 0; k < s->near.count; k++) l->slots[s->near.items[k].vertex] = (uint32_t)k;
    for (size_t i = 0; i < 3 * s->triangles.count && !RUGA_FAILED(status); i++) {
        if ((count > 0 && out->places[count - 1].vertex == corners[i]) || l->slots[corners[i]] == NONE) continue;
        const strand_place *near = &s->near.items[l->slots[corners[i]]];
        out->places[count++] = (cut_place){corners[i], near->distance, near->along};
    }
    out->place_count = count;
    for (size_t k = 0; k < s->near.count; k++) l->slots[s->near.items[k].vertex] = NONE;
    memory_release(l->context, corners);
    return status;
}

static double mean_edge_along(const liner *l, const strand *s) {
    double sum = 0;
    for (size_t i = 0; i < 3 * s->triangles.count; i++) {
        const uint32_t *v = l->mesh->triangles + 3 * (size_t)s->triangles.items[i / 3];
        sum += vec3_distance(l->mesh->positions[v[i % 3]], l->mesh->positions[v[(i + 1) % 3]]);
    }
    return sum / (3 * (double)s->triangles.count);
}

static ruga_status keep_marks(const liner *l, const strand *s, cut_line *out) {
    size_t count = s->points.count;
    TRY(NEW(l->context, &out->marks, count + 1));
    for (size_t i = 0; i < count; i++) {
        out->marks[i] = s->marks.items[i];
        out->marks[i].along = s->along.items[i];
    }
    out->mark_count = count;
    if (!s->closed || out->marks[0].curve != out->marks[count - 1].curve) return RUGA_OK;
    /* One closed curve: it ends where it begins. */
    out->marks[out->mark_count++] = (cut_mark){s->length, out->marks[0].curve, out->marks[0].part > 0.5 ? 0 : 1};
    return RUGA_OK;
}

static ruga_status keep_line(const liner *l, const strand *s, cut_line *out) {
    *out = (cut_line){.curve = s->curve,
                      .closed = s->closed,
                      .length = s->length,
                      .edge = mean_edge_along(l, s),
                      .ends = {s->ends[0], s->ends[1]},
                      .stars = {s->stars[0], s->stars[1]},
                      .bars = {s->bars[0], s->bars[1]}};
    TRY(keep_places(l, s, out));
    TRY(keep_marks(l, s, out));
    return curve_from_array(l->context, strand_name(l, s), s->closed, s->trace.items, s->trace.count, &out->trace);
}

static ruga_status run(liner *l, size_t count, cut_lines *out) {
    TRY(tracer_make(l->mesh, &l->t));
    l->topo = l->t.topo;
    out->edge = l->edge = topology_mean_edge(l->topo, l->mesh->positions);
    TRY(NEW(l->context, &l->slots, l->mesh->vertex_count));
    TRY(NEW_ZEROED(l->context, &l->stamps, l->mesh->vertex_count));
    TRY(NEW(l->context, &l->first_pieces, l->mesh->triangle_count));
    memset(l->slots, 0xff, l->mesh->vertex_count * sizeof *l->slots);
    memset(l->first_pieces, 0xff, l->mesh->triangle_count * sizeof *l->first_pieces);
    for (size_t i = 0; i < count; i++) TRY(add_strand(l, i));
    TRY(strands_find_ends(l));
    TRY(strands_shift(l));
    for (size_t i = 0; i < l->stars.count; i++) place_star(l, &l->stars.items[i]);
    TRY(trace_all(l));
    TRY(NEW_ZEROED(l->context, &out->lines, l->strands.count));
    for (size_t i = 0; i < l->strands.count; i++) {
        out->line_count = i + 1;
        TRY(keep_line(l, &l->strands.items[i], &out->lines[i]));
        out->lines[i].number = (uint32_t)i;
    }
    return RUGA_OK;
}

static void liner_release(liner *l) {
    for (size_t i = 0; i < l->strands.count; i++) {
        strand *s = &l->strands.items[i];
        ARRAY_RELEASE(l->context, &s->points);
        ARRAY_RELEASE(l->context, &s->at);
        ARRAY_RELEASE(l->context, &s->normals);
        ARRAY_RELEASE(l->context, &s->marks);
        ARRAY_RELEASE(l->context, &s->along);
        ARRAY_RELEASE(l->context, &s->near);
        ARRAY_RELEASE(l->context, &s->trace);
        ARRAY_RELEASE(l->context, &s->triangles);
    }
    ARRAY_RELEASE(l->context, &l->strands);
    ARRAY_RELEASE(l->context, &l->pieces);
    RELEASE_ALL(l->context, l->slots, l->stamps, l->first_pieces);
    tracer_release(&l->t);
}

/* *near_itself: the curve of a strand that came too near to itself, or SIZE_MAX. */
static ruga_status make_lines(const ruga_mesh *mesh, const ruga_curve *const *curves, size_t count,
                              unsigned char *divided, size_t *near_itself, cut_lines *out) {
    *out = (cut_lines){.context = mesh->context};
    liner l = {.context = mesh->context, .mesh = mesh, .curves = curves, .divided = divided, .near_itself = SIZE_MAX};
    ruga_status status = run(&l, count, out);
    out->stars = l.stars.items;
    out->star_count = l.stars.count;
    *near_itself = l.near_itself;
    liner_release(&l);
    if (RUGA_FAILED(status)) cut_lines_release(out);
    return status;
}

ruga_status cut_lines_make(const ruga_mesh *mesh, const ruga_curve *const *curves, size_t count, cut_lines *out) {
    unsigned char *divided = NULL;
    size_t near_itself;
    *out = (cut_lines){.context = mesh->context};
    TRY(NEW_ZEROED(mesh->context, &divided, count + 1));
    ruga_status status = make_lines(mesh, curves, count, divided, &near_itself, out);
    /* Only curves that need it are divided. */
    while (RUGA_FAILED(status) && near_itself != SIZE_MAX && !divided[near_itself]) {
        divided[near_itself] = 1;
        status = make_lines(mesh, curves, count, divided, &near_itself, out);
    }
    memory_release(mesh->context, divided);
    return status;
}

static void release_line(ruga_context *context, cut_line *line) {
    RELEASE_ALL(context, line->places, line->marks);
    ruga_curve_destroy(line->trace);
}

void cut_lines_release(cut_lines *lines) {
    for (size_t i = 0; i < lines->line_count; i++) release_line(lines->context, &lines->lines[i]);
    for (size_t i = 0; i < lines->star_count; i++) memory_release(lines->context, lines->stars[i].rays);
    RELEASE_ALL(lines->context, lines->lines, lines->stars);
    *lines = (cut_lines){.context = lines->context};
}

/* The new number of a line or a star, counted among those that are wanted. */
static uint32_t number_among(const unsigned char *wanted, uint32_t index) {
    uint32_t number = 0;
    for (uint32_t i = 0; i < index; i++) number += wanted[i] != 0;
    return number;
}

void cut_lines_select(cut_lines *lines, const unsigned char *wanted) {
    size_t kept_stars = 0, kept = 0;
    for (size_t i = 0; i < lines->star_count; i++) {
        cut_star star = lines->stars[i];
        if (star.ray_count == 0 || !wanted[star.rays[0].line]) {
            memory_release(lines->context, star.rays);
            continue;
        }
        for (size_t r = 0; r < star.ray_count; r++) {
            cut_line *line = &lines->lines[star.rays[r].line];
            line->stars[star.rays[r].end] = (uint32_t)kept_stars;
            star.rays[r].line = number_among(wanted, star.rays[r].line);
        }
        lines->stars[kept_stars++] = star;
    }
    for (size_t i = 0; i < lines->line_count; i++) {
        cut_line *line = &lines->lines[i];
        if (!wanted[i]) {
            release_line(lines->context, line);
            continue;
        }
        for (int end = 0; end < 2; end++)
            if (!line->closed && line->ends[end] == CUT_STEM) line->bars[end] = number_among(wanted, line->bars[end]);
        lines->lines[kept++] = *line;
    }
    lines->line_count = kept;
    lines->star_count = kept_stars;
}

const cut_place *cut_line_place(const cut_line *line, uint32_t vertex) {
    size_t low = 0, high = line->place_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (line->places[middle].vertex < vertex)
            low = middle + 1;
        else
            high = middle;
    }
    return low < line->place_count && line->places[low].vertex == vertex ? &line->places[low] : NULL;
}

uint32_t cut_line_curve(const cut_line *line, double along, double *part) {
    size_t low = 0, high = line->mark_count - 1;
    if (line->closed) along -= floor(along / line->length) * line->length;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (line->marks[middle].along <= along)
            low = middle;
        else
            high = middle;
    }
    const cut_mark *a = &line->marks[low], *b = &line->marks[high];
    double length = b->along - a->along, t = length > 0 ? fmin(1, fmax(0, (along - a->along) / length)) : 0;
    *part = a->curve == b->curve ? (1 - t) * a->part + t * b->part : t < 0.5 ? a->part : b->part;
    return t < 0.5 ? a->curve : b->curve;
}
