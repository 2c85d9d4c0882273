/* Strands that come near to themselves, divided: see cut_lines.h. A vertex has one distance from a strand, so a strand
 * that crosses itself or turns sharply needs parts, which cross and meet as different curves do. */
#include <math.h>

#include "geom/cut_lines_parts.h"

#define SHARP 75.0    /* degrees between both sides of a corner, over half an edge */
#define BACK 1.0      /* degrees: a curve that turns back along itself */
#define NEAR_SELF 2.5 /* edges: parts of a strand at twice this length along it should not be nearer */
#define DEGREE 0.017453292519943295

ruga_status strand_add_point(const liner *l, strand *s, ruga_surface_point point, vec3 at, vec3 normal, cut_mark mark) {
    TRY(ARRAY_ADD(l->context, &s->points, point));
    TRY(ARRAY_ADD(l->context, &s->at, at));
    TRY(ARRAY_ADD(l->context, &s->marks, mark));
    return ARRAY_ADD(l->context, &s->normals, normal);
}

static ruga_status copy_point(const liner *l, strand *to, const strand *from, size_t i) {
    return strand_add_point(l, to, from->points.items[i], from->at.items[i], from->normals.items[i],
                            from->marks.items[i]);
}

static void release_points(const liner *l, strand *s) {
    ARRAY_RELEASE(l->context, &s->points);
    ARRAY_RELEASE(l->context, &s->at);
    ARRAY_RELEASE(l->context, &s->normals);
    ARRAY_RELEASE(l->context, &s->marks);
}

/* From a point of a strand to the first that is half an edge away, forwards or backwards. */
static vec3 direction_from(const liner *l, const strand *s, size_t i, int step) {
    size_t count = s->points.count, k = i;
    vec3 to = {0, 0, 0};
    for (size_t n = 1; n < count && vec3_length(to) < 0.5 * l->edge; n++) {
        if (!s->closed && k == (step > 0 ? count - 1 : 0)) break;
        k = (k + (step > 0 ? 1 : count - 1)) % count;
        to = vec3_sub(s->at.items[k], s->at.items[i]);
    }
    return vec3_normalise(to);
}

/* The cosine between both sides of a corner; -1: straight, or an end. */
static double corner_cosine(const liner *l, const strand *s, size_t i) {
    if (!s->closed && (i == 0 || i + 1 == s->points.count)) return -1;
    return vec3_dot(direction_from(l, s, i, 1), direction_from(l, s, i, -1));
}

/* Whether a point is the sharpest of a corner: none within half an edge is sharper. */
static int is_sharp(const liner *l, const strand *s, size_t i) {
    double own = corner_cosine(l, s, i);
    if (own < cos(SHARP * DEGREE)) return 0;
    for (size_t k = 0; k < s->points.count; k++) {
        if (k == i || vec3_distance(s->at.items[k], s->at.items[i]) > 0.5 * l->edge) continue;
        double other = corner_cosine(l, s, k);
        if (other > own || (other == own && k < i)) return 0;
    }
    return 1;
}

/* An open copy of a strand; a closed one begins and ends at its first sharp corner. */
static ruga_status open_strand(const liner *l, const strand *s, strand *out) {
    size_t count = s->points.count, first = 0;
    while (s->closed && first < count && !is_sharp(l, s, first)) first++;
    for (size_t i = 0; i < count + (s->closed ? 1 : 0); i++) TRY(copy_point(l, out, s, (first + i) % count));
    return RUGA_OK;
}

/* The last point of a part that begins at a point: the next sharp corner; or, if the strand comes near to itself before
 * that, halfway between; or its end. */
static size_t part_end(const liner *l, const strand *s, size_t begin) {
    double reach = NEAR_SELF * l->edge;
    for (size_t j = begin + 1; j < s->points.count; j++) {
        for (size_t i = begin; s->along.items[j] - s->along.items[i] > 2 * reach; i++) {
            if (vec3_distance(s->at.items[i], s->at.items[j]) > reach) continue;
            size_t middle = i;
            while (s->along.items[middle] < 0.5 * (s->along.items[i] + s->along.items[j])) middle++;
            return middle;
        }
        if (is_sharp(l, s, j)) return j;
    }
    return s->points.count - 1;
}

static int turns_back(const liner *l, const strand *s, size_t i) { return corner_cosine(l, s, i) > cos(BACK * DEGREE); }

/* Curves whose ends meet were joined, and lie on each other if the strand turns back there. */
static ruga_status check_joints(const liner *l, const strand *s) {
    for (size_t i = 0; i < strand_segments(s); i++) {
        size_t next = strand_next(s, i), one = s->marks.items[i].curve, two = s->marks.items[next].curve;
        if (one == two || !(turns_back(l, s, i) || turns_back(l, s, next))) continue;
        uint32_t triangle = s->points.items[i].triangle;
        vec3 at = s->at.items[i];
        return fail_input(l->context,
                          "curves \"%s\" and \"%s\" run along each other in triangle %u at (%g, %g, %g); draw one of "
                          "them, or move them apart",
                          l->curves[one < two ? one : two]->name, l->curves[one < two ? two : one]->name, triangle,
                          at.x, at.y, at.z);
    }
    return RUGA_OK;
}

/* Appends the parts of strand `index`, and empties it. */
static ruga_status divide(liner *l, size_t index, strand *open) {
    const strand *s = &l->strands.items[index];
    for (size_t i = 0; i < s->points.count; i++)
        if (turns_back(l, s, i))
            return strand_fail(l, s, s->points.items[i].triangle,
                               "it turns back and runs along itself; draw it through there once");
    TRY(open_strand(l, s, open));
    TRY(strand_measure_lengths(l, open));
    for (size_t begin = 0, end; begin + 1 < open->points.count; begin = end) {
        end = part_end(l, open, begin);
        TRY(ARRAY_ADD(l->context, &l->strands, (strand){.curve = l->strands.items[index].curve}));
        for (size_t i = begin; i <= end; i++) TRY(copy_point(l, &l->strands.items[l->strands.count - 1], open, i));
    }
    l->strands.items[index].points.count = 0;
    return RUGA_OK;
}

ruga_status strands_divide(liner *l) {
    size_t count = l->strands.count;
    for (size_t i = 0; i < count; i++) {
        TRY(check_joints(l, &l->strands.items[i]));
        if (!l->divided[l->strands.items[i].curve]) continue;
        strand open = {0};
        ruga_status status = divide(l, i, &open);
        release_points(l, &open);
        ARRAY_RELEASE(l->context, &open.along);
        TRY(status);
    }
    return RUGA_OK;
}
