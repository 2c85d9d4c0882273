#include "contact/bad_ways.h"

#include <math.h>

#include "base/threads.h"
#include "math/vec3.h"

enum { BLOCK = 4096 };

static const char *name_of(const contact_part *part) { return part->name ? part->name : "?"; }

/* ---- Numbers. */

static double sum_ways(void *argument, size_t begin, size_t end) {
    const contact_mesh *m = argument;
    double sum = 0;
    for (size_t i = begin; i < end; i++)
        sum += m->from[i].x + m->from[i].y + m->from[i].z + m->to[i].x + m->to[i].y + m->to[i].z;
    return sum;
}

static ruga_status check_finite(const contact_mesh *m) {
    if (isfinite(parallel_sum(m->context, m->vertex_count, BLOCK, sum_ways, (void *)m))) return RUGA_OK;
    for (size_t i = 0; i < m->vertex_count; i++) {
        if (vec3_is_finite(m->from[i]) && vec3_is_finite(m->to[i])) continue;
        const contact_part *part = &m->parts[m->part_of[i]];
        vec3 x = vec3_is_finite(m->from[i]) ? m->to[i] : m->from[i];
        return fail_with(m->context, RUGA_ERROR_INPUT,
                         "object \"%s\": vertex %zu of its collision surface is not finite: (%g, %g, %g); look at what "
                         "moves it, or take more substeps",
                         name_of(part), i - part->first_vertex, x.x, x.y, x.z);
    }
    return RUGA_OK;
}

/* ---- Lengths. */

static double length_after(const contact_mesh *m, size_t edge) {
    return vec3_distance(m->to[m->edges[2 * edge]], m->to[m->edges[2 * edge + 1]]);
}

static int is_torn(const contact_mesh *m, size_t edge) {
    const contact_part *part = &m->parts[m->part_of[m->edges[2 * edge]]];
    return part->moving && !(length_after(m, edge) <= BAD_STRETCH * part->size);
}

static double count_torn(void *argument, size_t begin, size_t end) {
    size_t count = 0;
    for (size_t e = begin; e < end; e++) count += (size_t)is_torn(argument, e);
    return (double)count;
}

static ruga_status check_lengths(const contact_mesh *m) {
    if (!(parallel_sum(m->context, m->edge_count, BLOCK, count_torn, (void *)m) > 0)) return RUGA_OK;
    size_t e = 0;
    while (!is_torn(m, e)) e++;
    /* The end that has the longer way to go. */
    uint32_t a = m->edges[2 * e], b = m->edges[2 * e + 1];
    uint32_t v = vec3_distance(m->from[b], m->to[b]) > vec3_distance(m->from[a], m->to[a]) ? b : a;
    const contact_part *part = &m->parts[m->part_of[v]];
    return fail_with(
        m->context, RUGA_ERROR_INPUT,
        "object \"%s\": vertex %zu would go to (%g, %g, %g) in one substep, which makes an edge %.3g m long, "
        "but the whole object measures %.3g m: it explodes; take an implicit integrator, more substeps, "
        "less stiffness or pins that move less at once",
        name_of(part), v - part->first_vertex, m->to[v].x, m->to[v].y, m->to[v].z, length_after(m, e), part->size);
}

ruga_status bad_ways_check(const contact_mesh *m) {
    TRY(check_finite(m));
    return check_lengths(m);
}
