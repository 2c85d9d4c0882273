/* The ends of curves: at the border, at other ends, on other curves, or free. See cut_lines.h. */
#include <math.h>

#include "geom/cut_lines_parts.h"

/* An end of a strand. */
typedef struct strand_end {
    uint32_t strand;
    int end;
    uint32_t group; /* the first of the ends that meet here; its own index if it is alone or the first */
} strand_end;

typedef ARRAY(strand_end) end_array;

static size_t end_index(const strand *s, int end) { return end ? s->points.count - 1 : 0; }
static vec3 end_at(const liner *l, const strand_end *e) {
    const strand *s = &l->strands.items[e->strand];
    return s->at.items[end_index(s, e->end)];
}

static double segment_distance(vec3 p, vec3 a, vec3 b, double *part) {
    vec3 d = vec3_sub(b, a);
    double length2 = vec3_length2(d), t = length2 > 0 ? vec3_dot(vec3_sub(p, a), d) / length2 : 0;
    *part = fmin(1, fmax(0, t));
    return vec3_distance(p, vec3_add_scaled(a, d, *part));
}

/* ---- The border. */

/* Whether a place in the triangles around that of the point is within reach of the border. */
static int is_near_border(const liner *l, ruga_surface_point point, vec3 at, double reach) {
    const topology *topo = l->topo;
    for (int k = 0; k < 3; k++) {
        uint32_t corner = l->mesh->triangles[3 * (size_t)point.triangle + (size_t)k];
        for (uint32_t i = topo->fan_offsets[corner]; i < topo->fan_offsets[corner + 1]; i++)
            for (int j = 0; j < 3; j++) {
                uint32_t edge = topo->triangle_edges[3 * (size_t)topo->fan_triangles[i] + (size_t)j];
                const uint32_t *v = topo->edge_vertices + 2 * (size_t)edge;
                double part;
                if (topology_edge_size(topo, edge) == 1 &&
                    segment_distance(at, l->mesh->positions[v[0]], l->mesh->positions[v[1]], &part) <= reach)
                    return 1;
            }
    }
    return 0;
}

/* Before the shift off the vertices, which would decide whether the strip beside the border is a panel. */
static ruga_status check_border(const liner *l, const strand *s) {
    double run = 0, reach = CUT_SHIFT * l->edge;
    for (size_t i = 0; i < strand_segments(s); i++) {
        ruga_surface_point point = s->points.items[i];
        vec3 from = s->at.items[i], to = s->at.items[strand_next(s, i)];
        int is_along = is_near_border(l, point, from, reach) && is_near_border(l, point, to, reach) &&
                       is_near_border(l, point, vec3_mix(from, to, 0.5), reach);
        run = is_along ? run + vec3_distance(from, to) : 0;
        if (run > CUT_REACH * l->edge)
            return strand_fail(l, s, point.triangle, "it runs along the border; draw it farther inside");
    }
    return RUGA_OK;
}

static int is_near_box(const strand *s, vec3 at, double reach) {
    return at.x >= s->low.x - reach && at.y >= s->low.y - reach && at.z >= s->low.z - reach &&
           at.x <= s->high.x + reach && at.y <= s->high.y + reach && at.z <= s->high.z + reach;
}

static ruga_status list_ends(liner *l, end_array *ends) {
    for (uint32_t i = 0; i < l->strands.count; i++) {
        strand *s = &l->strands.items[i];
        vec3_bounds(s->at.items, s->at.count, &s->low, &s->high);
        for (int end = 0; end < 2 && !s->closed; end++) {
            size_t k = end_index(s, end);
            s->ends[end] = CUT_BORDER;
            if (is_near_border(l, s->points.items[k], s->at.items[k], CUT_REACH * l->edge)) continue;
            s->ends[end] = CUT_TIP;
            const strand_end found = {i, end, (uint32_t)ends->count};
            TRY(ARRAY_ADD(l->context, ends, found));
        }
    }
    return RUGA_OK;
}

static void group_ends(const liner *l, end_array *ends) {
    for (uint32_t i = 0; i < ends->count; i++)
        for (uint32_t j = 0; j < i; j++) {
            if (ends->items[j].group != j) continue;
            if (vec3_distance(end_at(l, &ends->items[i]), end_at(l, &ends->items[j])) > CUT_REACH * l->edge) continue;
            ends->items[i].group = j;
            break;
        }
}

static size_t group_size(const end_array *ends, uint32_t group) {
    size_t count = 0;
    for (size_t i = 0; i < ends->count; i++) count += ends->items[i].group == group;
    return count;
}

/* ---- Joining and splitting strands. */

static void strand_empty(strand *s) { s->points.count = s->at.count = s->normals.count = s->marks.count = 0; }

/* Appends strand b to strand a, from the end where they meet; b is left empty. */
static ruga_status join_strands(const liner *l, strand *a, int end_a, strand *b, int end_b) {
    size_t count = a->points.count;
    for (size_t i = 0; end_a == 0 && i < count / 2; i++) {
        size_t j = count - 1 - i;
        ruga_surface_point point = a->points.items[i];
        vec3 at = a->at.items[i], normal = a->normals.items[i];
        cut_mark mark = a->marks.items[i];
        a->marks.items[i] = a->marks.items[j];
        a->marks.items[j] = mark;
        a->points.items[i] = a->points.items[j];
        a->at.items[i] = a->at.items[j];
        a->normals.items[i] = a->normals.items[j];
        a->points.items[j] = point;
        a->at.items[j] = at;
        a->normals.items[j] = normal;
    }
    if (end_a == 0) a->ends[0] = a->ends[1];
    for (size_t i = 0; i < b->points.count; i++) {
        size_t k = end_b ? b->points.count - 1 - i : i;
        TRY(strand_add_point(l, a, b->points.items[k], b->at.items[k], b->normals.items[k], b->marks.items[k]));
    }
    a->ends[1] = b->ends[!end_b];
    strand_empty(b);
    return RUGA_OK;
}

/* Joins the first two ends that meet alone, or closes a strand; *joined: whether there were any. */
static ruga_status join_pair(liner *l, const end_array *ends, int *joined) {
    *joined = 0;
    for (uint32_t j = 0; j < ends->count; j++)
        for (uint32_t i = 0; i < j; i++) {
            const strand_end a = ends->items[i], b = ends->items[j];
            if (b.group != i || group_size(ends, i) != 2) continue;
            strand *s = &l->strands.items[a.strand];
            *joined = 1;
            if (a.strand != b.strand) return join_strands(l, s, a.end, &l->strands.items[b.strand], b.end);
            s->closed = 1;
            return RUGA_OK;
        }
    return RUGA_OK;
}

/* The strand that passes nearest to a point, other than those of a group, with its segment. */
static uint32_t find_bar(const liner *l, const end_array *ends, uint32_t group, vec3 at, size_t *segment,
                         double *part) {
    double nearest = CUT_REACH * l->edge;
    uint32_t found = NONE;
    for (uint32_t i = 0; i < l->strands.count; i++) {
        const strand *s = &l->strands.items[i];
        if (!is_near_box(s, at, nearest)) continue;
        int is_own = s->points.count < 2;
        for (size_t k = 0; k < ends->count; k++) is_own |= ends->items[k].group == group && ends->items[k].strand == i;
        for (size_t k = 0; !is_own && k < strand_segments(s); k++) {
            double p, d = segment_distance(at, s->at.items[k], s->at.items[strand_next(s, k)], &p);
            if (!(d < nearest)) continue;
            nearest = d;
            found = i;
            *segment = k;
            *part = p;
        }
    }
    return found;
}

/* The point of a strand at a part of a segment. */
static ruga_surface_point point_between(const liner *l, const strand *s, size_t segment, double part) {
    ruga_surface_point a = s->points.items[segment], b = s->points.items[strand_next(s, segment)], out;
    uint32_t t = trace_shared_triangle(&l->t, a, b, a.triangle);
    if (t == NO_INDEX) return part < 0.5 ? a : b;
    a = surface_point_in(&l->t, t, a);
    b = surface_point_in(&l->t, t, b);
    out.triangle = t;
    for (int k = 0; k < 3; k++) out.weights[k] = (1 - part) * a.weights[k] + part * b.weights[k];
    return out;
}

/* Divides an open strand in two at a part of a segment; the second becomes the last strand. */
static ruga_status split_strand(liner *l, uint32_t index, size_t segment, double part) {
    TRY(ARRAY_ADD(l->context, &l->strands, (strand){0}));
    strand *s = &l->strands.items[index], *made = &l->strands.items[l->strands.count - 1];
    ruga_surface_point point = point_between(l, s, segment, part);
    vec3 at = vec3_mix(s->at.items[segment], s->at.items[segment + 1], part), normal = s->normals.items[segment];
    made->curve = s->curve;
    made->ends[1] = s->ends[1];
    cut_mark mark = s->marks.items[part < 0.5 ? segment : segment + 1];
    if (s->marks.items[segment].curve == s->marks.items[segment + 1].curve)
        mark.part = (1 - part) * s->marks.items[segment].part + part * s->marks.items[segment + 1].part;
    TRY(strand_add_point(l, made, point, at, normal, mark));
    for (size_t k = segment + 1; k < s->points.count; k++)
        TRY(strand_add_point(l, made, s->points.items[k], s->at.items[k], s->normals.items[k], s->marks.items[k]));
    s->points.count = s->at.count = s->normals.count = s->marks.count = segment + 1;
    return strand_add_point(l, s, point, at, normal, mark);
}

/* Where several ends meet on a strand, it is split: they become a star together. *split: whether one was. */
static ruga_status split_bar(liner *l, const end_array *ends, int *split) {
    *split = 0;
    for (uint32_t i = 0; i < ends->count; i++) {
        size_t segment = 0;
        double part = 0;
        if (ends->items[i].group != i || group_size(ends, i) < 2) continue;
        uint32_t bar = find_bar(l, ends, i, end_at(l, &ends->items[i]), &segment, &part);
        if (bar == NONE || l->strands.items[bar].closed) continue;
        /* Not near its own ends: it would be split there again and again. */
        const strand *s = &l->strands.items[bar];
        vec3 place = vec3_mix(s->at.items[segment], s->at.items[segment + 1], part);
        if (vec3_distance(place, s->at.items[0]) <= 2 * CUT_REACH * l->edge ||
            vec3_distance(place, s->at.items[s->at.count - 1]) <= 2 * CUT_REACH * l->edge)
            continue;
        *split = 1;
        return split_strand(l, bar, segment, part);
    }
    return RUGA_OK;
}

/* ---- Stars and stems. */

static ruga_status make_star(liner *l, const end_array *ends, uint32_t group) {
    const strand_end *first = &ends->items[group];
    const strand *s = &l->strands.items[first->strand];
    size_t k = end_index(s, first->end), count = group_size(ends, group);
    cut_star star = {.at = s->points.items[k], .position = s->at.items[k]};
    TRY(NEW_ZEROED(l->context, &star.rays, count));
    TRY_OR(ARRAY_RESERVE(l->context, &l->stars, 1), memory_release(l->context, star.rays));
    for (size_t i = 0; i < ends->count; i++) {
        const strand_end *e = &ends->items[i];
        if (e->group != group) continue;
        l->strands.items[e->strand].ends[e->end] = CUT_STAR;
        l->strands.items[e->strand].stars[e->end] = (uint32_t)l->stars.count;
        star.rays[star.ray_count++] = (cut_ray){e->strand, e->end, {0, 0}};
    }
    l->stars.items[l->stars.count++] = star;
    return RUGA_OK;
}

static ruga_status name_ends(liner *l, const end_array *ends) {
    for (uint32_t i = 0; i < ends->count; i++) {
        const strand_end *e = &ends->items[i];
        size_t segment;
        double part;
        if (e->group != i) continue;
        if (group_size(ends, i) > 1) {
            TRY(make_star(l, ends, i));
            continue;
        }
        uint32_t bar = find_bar(l, ends, i, end_at(l, e), &segment, &part);
        if (bar == NONE) continue;
        l->strands.items[e->strand].ends[e->end] = CUT_STEM;
        l->strands.items[e->strand].bars[e->end] = bar;
    }
    return RUGA_OK;
}

/* Strands that were appended to others leave no gap in the list. */
static void drop_empty(liner *l) {
    size_t count = 0;
    for (size_t i = 0; i < l->strands.count; i++) {
        strand s = l->strands.items[i];
        if (s.points.count < 2) {
            ARRAY_RELEASE(l->context, &s.points);
            ARRAY_RELEASE(l->context, &s.at);
            ARRAY_RELEASE(l->context, &s.normals);
            ARRAY_RELEASE(l->context, &s.marks);
            continue;
        }
        l->strands.items[count++] = s;
    }
    l->strands.count = count;
}

ruga_status strands_find_ends(liner *l) {
    end_array ends = {0};
    ruga_status status = RUGA_OK;
    int changed = 1;
    for (size_t i = 0; i < l->strands.count; i++) TRY(check_border(l, &l->strands.items[i]));
    while (changed && !RUGA_FAILED(status)) {
        drop_empty(l);
        ends.count = 0;
        status = list_ends(l, &ends);
        if (RUGA_FAILED(status)) break;
        group_ends(l, &ends);
        status = split_bar(l, &ends, &changed);
        if (!RUGA_FAILED(status) && !changed) status = join_pair(l, &ends, &changed);
    }
    if (!RUGA_FAILED(status)) status = strands_divide(l);
    if (!RUGA_FAILED(status)) {
        drop_empty(l);
        ends.count = 0;
        status = list_ends(l, &ends);
    }
    if (!RUGA_FAILED(status)) {
        group_ends(l, &ends);
        status = name_ends(l, &ends);
    }
    ARRAY_RELEASE(l->context, &ends);
    return status;
}
