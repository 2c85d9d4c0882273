/* The wavelength that a flat skin has: the spectrum (wave_spectrum.h) of its distances from the carrier.
 *
 * At rest the skin, or the side of a closed one that faces upwards, has to lie in a plane: its vertices within 0.02 of
 * the shorter side of the least rectangle around them. Waves are measured along the skin at rest. */
#include <math.h>

#include "math/rigid_motion.h"
#include "math/wave_spectrum.h"
#include "mesh/mesh.h"
#include "wrinkle/embedded_shell.h"

#define FLAT 0.02  /* distance from the plane, over the shorter side */
#define FACING 0.7 /* cosine between a normal and that of the plane: such vertices lie in it */
#define DIRECTIONS 90

struct shell_waves {
    ruga_context *context;
    size_t count;       /* samples */
    uint32_t *vertices; /* (count) */
    double *heights;    /* (count) scratch */
    wave_spectrum *spectrum;
};

typedef struct plane {
    vec3 normal, along, across; /* of length 1 */
} plane;

/* The direction in which the normals of a surface differ least from one line, upwards. */
static vec3 facing(const ruga_embedded_shell *shell, const vec3 *normals) {
    double a[4][4] = {{0}}, vectors[4][4];
    for (size_t v = 0; v < shell->count; v++) {
        const double n[3] = {normals[v].x, normals[v].y, normals[v].z};
        for (int i = 0; i < 9; i++) a[i / 3][i % 3] += shell->areas[v] * n[i / 3] * n[i % 3];
    }
    symmetric_eigen(3, a, vectors);
    int best = 0;
    for (int k = 1; k < 3; k++)
        if (a[k][k] > a[best][best]) best = k;
    const vec3 n = {vectors[0][best], vectors[1][best], vectors[2][best]};
    const int is_down = fabs(n.y) > 1e-9 ? n.y < 0 : fabs(n.z) > 1e-9 ? n.z < 0 : n.x < 0;
    return is_down ? vec3_scale(n, -1) : n;
}

/* The axes of a plane, turned by a part of a right angle from those of the world. */
static plane plane_at(vec3 normal, double part) {
    const vec3 axis = fabs(normal.x) < 0.8 ? (vec3){1, 0, 0} : (vec3){0, 1, 0};
    const vec3 a = vec3_normalise(vec3_sub(axis, vec3_scale(normal, vec3_dot(axis, normal)))),
               b = vec3_cross(normal, a);
    const double c = cos(part * SHELL_PI / 2), s = sin(part * SHELL_PI / 2);
    return (plane){normal, vec3_add(vec3_scale(a, c), vec3_scale(b, s)), vec3_sub(vec3_scale(b, c), vec3_scale(a, s))};
}

static double extent_along(const ruga_embedded_shell *shell, const shell_waves *w, vec3 axis) {
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < w->count; i++) {
        const double at = vec3_dot(shell->mesh->positions[w->vertices[i]], axis);
        low = fmin(low, at);
        high = fmax(high, at);
    }
    return high - low;
}

/* The axes of the least rectangle; 0: the vertices do not lie in a plane. */
static int find_plane(const ruga_embedded_shell *shell, const shell_waves *w, vec3 normal, plane *out) {
    double least = INFINITY, shorter = 0;
    for (int k = 0; k < DIRECTIONS; k++) {
        const plane tried = plane_at(normal, (double)k / DIRECTIONS);
        const double a = extent_along(shell, w, tried.along), b = extent_along(shell, w, tried.across);
        if (!(a * b < least * (1 - 1e-9))) continue;
        least = a * b;
        shorter = fmin(a, b);
        *out = tried;
    }
    return extent_along(shell, w, normal) <= FLAT * shorter;
}

static ruga_status make_spectrum(const ruga_embedded_shell *shell, shell_waves *w, const plane *axes) {
    double(*places)[2] = NULL, *areas = NULL;
    ruga_status status = NEW(w->context, &places, w->count);
    if (!RUGA_FAILED(status)) status = NEW(w->context, &areas, w->count);
    for (size_t i = 0; i < w->count && !RUGA_FAILED(status); i++) {
        const vec3 p = shell->mesh->positions[w->vertices[i]];
        places[i][0] = vec3_dot(p, axes->along);
        places[i][1] = vec3_dot(p, axes->across);
        areas[i] = shell->areas[w->vertices[i]];
    }
    if (!RUGA_FAILED(status))
        status = wave_spectrum_create(w->context, w->count, (const double(*)[2])places, areas, shell->report.wavelength,
                                      &w->spectrum);
    RELEASE_ALL(w->context, places, areas);
    return status;
}

static ruga_status make(const ruga_embedded_shell *shell, shell_waves *w) {
    TRY(NEW(w->context, &w->vertices, shell->count));
    TRY(NEW(w->context, &w->heights, shell->count));
    mesh_normals(shell->mesh, shell->mesh->positions, shell->normal_scratch, shell->normals);
    const vec3 normal = facing(shell, shell->normals);
    for (size_t v = 0; v < shell->count; v++)
        if (vec3_dot(shell->normals[v], normal) > FACING) w->vertices[w->count++] = (uint32_t)v;
    plane axes = plane_at(normal, 0);
    if (w->count < 3 || !find_plane(shell, w, normal, &axes)) return RUGA_OK;
    const double longer = fmax(extent_along(shell, w, axes.along), extent_along(shell, w, axes.across));
    return longer < 3 * shell->report.wavelength ? RUGA_OK : make_spectrum(shell, w, &axes);
}

ruga_status shell_waves_create(const ruga_embedded_shell *shell, shell_waves **out) {
    shell_waves *w;
    TRY(NEW_ZEROED(shell->context, &w, 1));
    w->context = shell->context;
    RETURN_MADE(make(shell, w), w, out, shell_waves_destroy(w));
}

void shell_waves_destroy(shell_waves *w) {
    if (!w) return;
    wave_spectrum_destroy(w->spectrum);
    RELEASE_ALL(w->context, w->vertices, w->heights, w);
}

double ruga_embedded_shell_measure_wavelength(const ruga_embedded_shell *shell) {
    shell_waves *w = shell->waves;
    if (!w->spectrum) return NAN;
    mesh_normals(shell->mesh, shell->carrier, shell->normal_scratch, shell->normals);
    for (size_t i = 0; i < w->count; i++) {
        const uint32_t v = w->vertices[i];
        w->heights[i] = vec3_dot(vec3_sub(shell->x[v], shell->carrier[v]), shell->normals[v]);
    }
    const double found = wave_spectrum_measure(w->spectrum, w->heights);
    return found > 0 ? found : NAN;
}
