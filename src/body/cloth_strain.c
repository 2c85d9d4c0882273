/* Strains of triangles and faces, in threads, and their distribution. */
#include "body/cloth_strain.h"

#include <math.h>

#include "base/threads.h"
#include "mesh/mesh.h"

#define STRAIN_BLOCK 1024
#define POINT_BLOCK 2048
#define BIN 0.0005
enum { BINS = 2000 };
#define TOO_LONG 0.2     /* elongation that no fabric has */
#define LIMIT_SLACK 0.01 /* above a strain limit: its stiffness sets in within this */
#define MOST_SLACK 0.05  /* the same, of single triangles, which crumple more */

size_t cloth_strain_count(const cloth_parts *parts) {
    return parts->membrane ? parts->membrane->triangle_count : parts->simulated.mesh->face_count;
}

typedef struct strain_task {
    const cloth_parts *parts;
    const vec3 *positions;
} strain_task;

/* The greatest elongation of a side. */
static double face_strain(const ruga_mesh *mesh, size_t face, const vec3 *positions) {
    double most = 0;
    size_t begin = mesh_face_begin(mesh, face), end = mesh_face_end(mesh, face);
    uint32_t a = mesh->face_vertices[end - 1];
    for (size_t c = begin; c < end; c++) {
        uint32_t b = mesh->face_vertices[c];
        double rest = vec3_length2(vec3_sub(mesh->positions[b], mesh->positions[a]));
        if (rest > 0) most = fmax(most, vec3_length2(vec3_sub(positions[b], positions[a])) / rest);
        a = b;
    }
    return sqrt(most) - 1;
}

static void find_strains(void *argument, size_t begin, size_t end) {
    const strain_task *task = argument;
    const cloth_parts *parts = task->parts;
    for (size_t k = begin; k < end; k++) {
        parts->strains[k] = parts->membrane ? membrane_elongation(parts->membrane, k, task->positions)
                                            : face_strain(parts->simulated.mesh, k, task->positions);
    }
}

cloth_elongation cloth_measure_elongation(const cloth_parts *parts, const vec3 *positions) {
    const ruga_mesh *mesh = parts->simulated.mesh;
    size_t count = cloth_strain_count(parts), bins[BINS + 1] = {0}, place = 0, above = 0;
    strain_task task = {parts, positions};
    cloth_elongation result = {.p99 = 1};
    parallel_for(mesh->context, count, STRAIN_BLOCK, find_strains, &task);
    for (size_t k = 0; k < count; k++) {
        double strain = parts->strains[k];
        if (strain > result.most) {
            result.most = strain;
            place = k;
        }
        bins[strain > 0 ? (size_t)fmin(strain / BIN, BINS) : 0]++;
    }
    for (size_t bin = BINS + 1; bin-- > 0 && above + bins[bin] <= count / 100;) {
        above += bins[bin];
        result.p99 = BIN * (double)bin;
    }
    if (!(result.most > 0)) result.p99 = 0;
    if (count > 0)
        result.vertex =
            parts->membrane ? mesh->triangles[3 * place] : mesh->face_vertices[mesh_face_begin(mesh, place)];
    return result;
}

typedef struct change_task {
    const spring_network *network;
    const vec3 *from, *to;
    double limit;
} change_task;

/* How many springs change their length by more than the limit, as a part of their rest length. */
static double count_changes(void *argument, size_t begin, size_t end) {
    const change_task *task = argument;
    const spring_network *n = task->network;
    size_t count = 0;
    for (size_t i = begin; i < end; i++)
        for (size_t e = n->offsets[i]; e < n->offsets[i + 1]; e++) {
            uint32_t j = n->others[e];
            if (j <= i || n->rest_lengths[e] == 0) continue;
            double change = vec3_distance(task->to[i], task->to[j]) - vec3_distance(task->from[i], task->from[j]);
            count += !(fabs(change) <= task->limit * n->rest_lengths[e]);
        }
    return (double)count;
}

int cloth_changes_more(const cloth_parts *parts, const vec3 *from, const vec3 *to, double limit) {
    change_task task = {parts->network, from, to, limit};
    const ruga_mesh *points = parts->simulated.mesh;
    return parallel_sum(points->context, points->vertex_count, POINT_BLOCK, count_changes, &task) > 0;
}

/* ---- Reports. */

void cloth_report_elongation(const body *b, const cloth_parts *parts, const substep *s, const cloth_elongation *e,
                             cloth_said *said) {
    const char *name = body_name(b);
    double limit = parts->strain_limit;
    vec3 at = b->positions[e->vertex];
    if (e->most > TOO_LONG && !said->stretched) {
        said->stretched = 1;
        log_warning(
            b->context,
            "object \"%s\": frame %g: the cloth is stretched by %.3g %% at vertex %u (%.3g, %.3g, %.3g); %s, or "
            "let pins and bodies pull less (further ones are not reported; the measure \"elongation\" has them)",
            name, s->frame, 100 * e->most, e->vertex, at.x, at.y, at.z,
            limit > 0 ? "use more substeps or a stiffer material"
            : parts->integrator == INTEGRATOR_IMPLICIT
                ? "use a stiffer material, or one that has a \"strain_limit\""
                : "use the integrator implicit with a material that has a \"strain_limit\", or a "
                  "\"stretch_limit\"");
    }
    const int many = e->p99 > limit + LIMIT_SLACK;
    if (!(limit > 0) || said->limit || !(many || e->most > limit + MOST_SLACK)) return;
    said->limit = 1;
    log_warning(
        b->context,
        "object \"%s\": frame %g: its strain limit of %.3g %% is exceeded: one in a hundred %s is stretched by "
        "more than %.3g %%, most by %.3g %% at vertex %u (%.3g, %.3g, %.3g); pins or bodies pull it longer than "
        "it is: let them pull less, or use more substeps",
        name, s->frame, 100 * limit, parts->membrane ? "triangles" : "faces", 100 * e->p99, 100 * e->most, e->vertex,
        at.x, at.y, at.z);
}
