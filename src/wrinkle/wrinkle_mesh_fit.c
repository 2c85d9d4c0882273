/* Parameters and a mask of a wrinkle mesh, from the strain of its base over a motion: see ruga/wrinkle_mesh.h. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "geom/seams.h"
#include "math/vec3.h"
#include "mesh/mesh.h"
#include "mesh/sets.h"
#include "mesh/topology.h"
#include "wrinkle/wrinkle_mesh.h"

#define RIGID 0.005           /* strain over the motion below which a piece is rigid */
#define COMPRESSED 0.01       /* compression below which nothing wrinkles */
#define CURVED 0.001          /* mask where nothing is compressed: no wrinkles, but on the curved surface */
#define MASK_RISE 0.03        /* compression from the first wrinkle to the full radius */
#define STRETCH_SHARE 0.1     /* of the compression, taken up by the pre-stretch */
#define LEAST_STRETCH 0.9     /* the paper's */
#define TYPICAL 0.95          /* share of the compressed area below c */
#define RADIUS_SHARE 0.5      /* wavelength over radius of curvature */
#define SIZE_SHARE (1.0 / 12) /* greatest wavelength over the size of the base */
#define NARROW 1.5            /* wavelengths: narrower pieces have no room for a wave */
#define MOST_TRIANGLES 250000
#define MOST_PARTS 16
#define BLEND 0.5 /* of the mask, from vertex to vertex outside of the compressed regions */

struct ruga_wrinkle_fit {
    ruga_context *context;
    const ruga_mesh *base;
    double *compression; /* (triangles) 1, greatest */
    double *strain;      /* (triangles) 1, greatest, of either sign */
    double *inverse;     /* (triangles x 3) 1 / length of edge 01, along / length, 1 / across: as wrinkle_rest */
    double *areas;       /* (triangles) m² at rest */
    uint32_t *piece;     /* (triangles) lowest triangle of the piece */
    uint8_t *masked;     /* (triangles) the reason, or 0 */
};

enum { MASK_NONE, MASK_RIGID, MASK_NARROW, MASK_NAMED };

void ruga_wrinkle_fit_destroy(ruga_wrinkle_fit *fit) {
    if (!fit) return;
    RELEASE_ALL(fit->context, fit->compression, fit->strain, fit->inverse, fit->areas, fit->piece, fit->masked, fit);
}

/* ---- Pieces. */

/* Triangles are of one piece if they share a vertex, also across a seam. */
static ruga_status find_pieces(ruga_wrinkle_fit *fit) {
    const ruga_mesh *base = fit->base;
    uint32_t *lowest, *first;
    TRY(NEW(fit->context, &lowest, base->vertex_count));
    ruga_status status = NEW(fit->context, &first, base->vertex_count);
    if (RUGA_FAILED(status)) first = NULL;
    if (!RUGA_FAILED(status)) status = seams_find(base, lowest);
    for (size_t v = 0; !RUGA_FAILED(status) && v < base->vertex_count; v++) first[v] = NO_INDEX;
    for (size_t t = 0; !RUGA_FAILED(status) && t < base->triangle_count; t++) {
        fit->piece[t] = (uint32_t)t;
        for (size_t k = 0; k < 3; k++) {
            uint32_t *other = &first[lowest[base->triangles[3 * t + k]]];
            if (*other == NO_INDEX) *other = (uint32_t)t;
            sets_unite(fit->piece, (uint32_t)t, *other);
        }
    }
    for (size_t t = 0; !RUGA_FAILED(status) && t < base->triangle_count; t++)
        fit->piece[t] = set_lowest(fit->piece, (uint32_t)t);
    RELEASE_ALL(fit->context, lowest, first);
    return status;
}

static void measure_rest(ruga_wrinkle_fit *fit) {
    for (size_t t = 0; t < fit->base->triangle_count; t++) {
        const uint32_t *v = fit->base->triangles + 3 * t;
        const vec3 a = fit->base->positions[v[0]], e = vec3_sub(fit->base->positions[v[1]], a);
        const vec3 f = vec3_sub(fit->base->positions[v[2]], a);
        const double length = vec3_length(e), area2 = vec3_length(vec3_cross(e, f));
        fit->areas[t] = 0.5 * area2;
        fit->inverse[3 * t] = 1 / length;
        fit->inverse[3 * t + 1] = vec3_dot(e, f) / (length * length);
        fit->inverse[3 * t + 2] = length / area2;
    }
}

ruga_status ruga_wrinkle_fit_create(const ruga_mesh *base, ruga_wrinkle_fit **out) {
    const size_t count = base->triangle_count;
    ruga_wrinkle_fit *fit;
    TRY(NEW_ZEROED(base->context, &fit, 1));
    fit->context = base->context;
    fit->base = base;
    ruga_status status = NEW_EACH_ZEROED(base->context, count, &fit->compression, &fit->strain, &fit->areas);
    if (!RUGA_FAILED(status)) status = NEW(base->context, &fit->inverse, 3 * count);
    if (!RUGA_FAILED(status)) status = NEW(base->context, &fit->piece, count);
    if (!RUGA_FAILED(status)) status = NEW_ZEROED(base->context, &fit->masked, count);
    if (!RUGA_FAILED(status)) status = find_pieces(fit);
    if (!RUGA_FAILED(status)) measure_rest(fit);
    RETURN_MADE(status, fit, out, ruga_wrinkle_fit_destroy(fit));
}

/* ---- Frames. */

void ruga_wrinkle_fit_add(ruga_wrinkle_fit *fit, const ruga_vec3 *positions) {
    for (size_t t = 0; t < fit->base->triangle_count; t++) {
        const uint32_t *v = fit->base->triangles + 3 * t;
        const double *rest = fit->inverse + 3 * t;
        const vec3 e = vec3_sub(positions[v[1]], positions[v[0]]), f = vec3_sub(positions[v[2]], positions[v[0]]);
        const vec3 x = vec3_scale(e, rest[0]), y = vec3_scale(vec3_add_scaled(f, e, -rest[1]), rest[2]);
        const double xx = vec3_dot(x, x), yy = vec3_dot(y, y), xy = vec3_dot(x, y), middle = 0.5 * (xx + yy);
        const double half = hypot(0.5 * (xx - yy), xy);
        const double least = sqrt(fmax(0, middle - half)), greatest = sqrt(middle + half);
        if (!isfinite(greatest)) continue; /* no area at rest */
        fit->compression[t] = fmax(fit->compression[t], 1 - least);
        fit->strain[t] = fmax(fit->strain[t], fmax(1 - least, greatest - 1));
    }
}

/* ---- The mask. */

/* Words in names of materials, groups and meshes that do not wrinkle. */
static const char *const firm_words[] = {
    "eye",     "eyeball",    "cornea",    "iris",   "pupil", "teeth",   "tooth",    "tongue",
    "nail",    "fingernail", "toenail",   "shoe",   "boot",  "sneaker", "footwear", "sole",
    "glass",   "sunglass",   "spectacle", "goggle", "lens",  "metal",   "hair",     "lash",
    "eyelash", "armor",      "armour",    "horn",   "claw",  "buckle",  "button"};

static int is_letter(char c) { return isalpha((unsigned char)c) != 0; }

/* The end of the word that begins here: names are in_parts, in parts, or inParts. */
static const char *word_end(const char *word) {
    const char *end = word + 1;
    while (is_letter(*end) && !(isupper((unsigned char)*end) && islower((unsigned char)end[-1]))) end++;
    return end;
}

/* Whether the word is `plain`, in the singular or the plural. */
static int is_word(const char *word, size_t length, const char *plain) {
    size_t n = strlen(plain);
    for (size_t k = 0; k < n; k++)
        if (k >= length || tolower((unsigned char)word[k]) != plain[k]) return 0;
    return length == n || (length == n + 1 && tolower((unsigned char)word[n]) == 's') ||
           (length == n + 2 && tolower((unsigned char)word[n]) == 'e' && tolower((unsigned char)word[n + 1]) == 's');
}

int ruga_wrinkle_is_firm(const char *name) {
    int firm = 0;
    for (const char *word = name; *word;) {
        if (!is_letter(*word)) {
            word++;
            continue;
        }
        const char *end = word_end(word);
        if (is_word(word, (size_t)(end - word), "lid")) return 0; /* an eye lid */
        for (size_t i = 0; i < sizeof firm_words / sizeof *firm_words; i++)
            firm |= is_word(word, (size_t)(end - word), firm_words[i]);
        word = end;
    }
    return firm;
}

static void mask_label(ruga_wrinkle_fit *fit, const ruga_attribute *labels, size_t label,
                       ruga_wrinkle_fit_result *result) {
    const size_t before = result->named_triangles, length = strlen(result->materials);
    for (size_t t = 0; t < fit->base->triangle_count; t++) {
        const double own = ruga_attribute_get(labels, mesh_triangle_face(fit->base, t), 0);
        if (fit->masked[t] || own != (double)label) continue;
        fit->masked[t] = MASK_NAMED;
        result->named_triangles++;
    }
    if (result->named_triangles > before)
        snprintf(result->materials + length, sizeof result->materials - length, "%s%s", length ? ", " : "",
                 labels->labels[label]);
}

static void mask_names(ruga_wrinkle_fit *fit, ruga_wrinkle_fit_result *result) {
    static const char *const kinds[] = {"material", "group", "object"};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        const ruga_attribute *labels = ruga_mesh_attribute(fit->base, kinds[k], RUGA_DOMAIN_FACE);
        for (size_t i = 0; labels && i < labels->label_count; i++)
            if (ruga_wrinkle_is_firm(labels->labels[i])) mask_label(fit, labels, i, result);
    }
}

typedef struct piece_sum {
    double area, strain;
    vec3 low, high;
} piece_sum;

static void sum_pieces(const ruga_wrinkle_fit *fit, piece_sum *sums) {
    for (size_t t = 0; t < fit->base->triangle_count; t++)
        sums[t] = (piece_sum){.low = {INFINITY, INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY, -INFINITY}};
    for (size_t t = 0; t < fit->base->triangle_count; t++) {
        piece_sum *sum = &sums[fit->piece[t]];
        sum->area += fit->areas[t];
        sum->strain = fmax(sum->strain, fit->strain[t]);
        for (size_t k = 0; k < 3; k++) {
            const vec3 p = fit->base->positions[fit->base->triangles[3 * t + k]];
            sum->low = (vec3){fmin(sum->low.x, p.x), fmin(sum->low.y, p.y), fmin(sum->low.z, p.z)};
            sum->high = (vec3){fmax(sum->high.x, p.x), fmax(sum->high.y, p.y), fmax(sum->high.z, p.z)};
        }
    }
}

static void mask_rigid(ruga_wrinkle_fit *fit, const piece_sum *sums, ruga_wrinkle_fit_result *result) {
    for (size_t t = 0; t < fit->base->triangle_count; t++) {
        const int first = fit->piece[t] == t, rigid = sums[fit->piece[t]].strain < RIGID;
        result->pieces += (size_t)first;
        result->rigid_pieces += (size_t)(first && rigid);
        if (!rigid || fit->masked[t]) continue;
        fit->masked[t] = MASK_RIGID;
        result->rigid_triangles++;
    }
}

/* A piece other than the largest whose average width has no room for waves. */
static void mask_narrow(ruga_wrinkle_fit *fit, const piece_sum *sums, ruga_wrinkle_fit_result *result) {
    size_t largest = 0;
    for (size_t t = 0; t < fit->base->triangle_count; t++)
        if (sums[t].area > sums[largest].area) largest = t;
    for (size_t t = 0; t < fit->base->triangle_count; t++) {
        const piece_sum *sum = &sums[fit->piece[t]];
        const double width = sum->area / vec3_distance(sum->low, sum->high);
        if (fit->piece[t] == largest || !(width < NARROW * result->wavelength) || sum->strain < RIGID) continue;
        result->narrow_pieces += fit->piece[t] == t;
        if (fit->masked[t]) continue;
        fit->masked[t] = MASK_NARROW;
        result->narrow_triangles++;
    }
}

/* ---- The choice. */

static int compare_amounts(const void *a, const void *b) {
    const double x = **(double *const *)a, y = **(double *const *)b;
    return (x > y) - (x < y);
}

static int is_compressed(const ruga_wrinkle_fit *fit, size_t t) {
    return !fit->masked[t] && fit->compression[t] > COMPRESSED;
}

/* The value that a share of the compressed area stays below. values: (triangles) */
static ruga_status find_quantile(const ruga_wrinkle_fit *fit, const double *values, double share, double *out) {
    const size_t triangles = fit->base->triangle_count;
    const double **sorted;
    size_t count = 0;
    double whole = 0, sum = 0;
    TRY(NEW(fit->context, &sorted, triangles));
    for (size_t t = 0; t < triangles; t++)
        if (is_compressed(fit, t)) sorted[count++] = values + t, whole += fit->areas[t];
    qsort(sorted, count, sizeof *sorted, compare_amounts);
    *out = 0;
    for (size_t i = 0; i < count && sum <= share * whole; i++) {
        *out = *sorted[i];
        sum += fit->areas[sorted[i] - values];
    }
    memory_release(fit->context, sorted);
    return RUGA_OK;
}

/* 1/m, of each triangle: the angles to its neighbours over the distances across, the greatest of three; so the
 * curvature around a limb, whatever its length. */
static ruga_status find_curvatures(const ruga_wrinkle_fit *fit, double *curvatures) {
    const ruga_mesh *base = fit->base;
    topology *topo;
    TRY(topology_build_mesh(base, &topo));
    for (size_t p = 0; p < topo->pair_count; p++) {
        const uint32_t *pair = topo->pairs + 4 * p, e = topology_find_edge(topo, pair[0], pair[1]);
        const vec3 a = base->positions[pair[0]], b = base->positions[pair[1]];
        const vec3 c = base->positions[pair[2]], d = base->positions[pair[3]];
        const vec3 m = vec3_cross(vec3_sub(b, a), vec3_sub(c, a)), n = vec3_cross(vec3_sub(d, a), vec3_sub(b, a));
        const double areas = vec3_length(m) + vec3_length(n), length = vec3_distance(a, b);
        const double angle = atan2(vec3_length(vec3_cross(m, n)), vec3_dot(m, n));
        /* Half the sum of the heights lies between the middles of the two triangles, nearly. */
        const double curvature = areas > 0 ? angle * 2 * length / areas : 0;
        for (size_t k = 0; k < 2; k++) {
            double *own = &curvatures[topo->edge_triangles[topo->edge_offsets[e] + k]];
            *own = fmax(*own, curvature);
        }
    }
    topology_destroy(topo);
    return RUGA_OK;
}

static double mean_edge(const ruga_wrinkle_fit *fit, int compressed_only) {
    double sum = 0;
    size_t count = 0;
    for (size_t t = 0; t < fit->base->triangle_count; t++) {
        if (compressed_only && !is_compressed(fit, t)) continue;
        const uint32_t *v = fit->base->triangles + 3 * t;
        for (int k = 0; k < 3; k++)
            sum += vec3_distance(fit->base->positions[v[k]], fit->base->positions[v[(k + 1) % 3]]);
        count += 3;
    }
    return count ? sum / (double)count : 0;
}

static void choose_wave(const ruga_wrinkle_fit *fit, ruga_wrinkle_fit_result *r) {
    const double by_edges = 1.5 * r->edge, by_curvature = RADIUS_SHARE * r->curvature_radius;
    const double by_size = SIZE_SHARE * wrinkle_size(fit->base), all_edges = mean_edge(fit, 0);
    r->wavelength = fmin(by_edges, fmin(by_curvature, by_size));
    r->limited = r->wavelength == by_edges ? 0 : r->wavelength == by_curvature ? 1 : 2;
    const double parts = ceil(WRINKLE_WAVE_EDGES * all_edges / r->wavelength - 1e-6);
    const double most = fmin(MOST_PARTS, floor(sqrt(MOST_TRIANGLES / (double)fit->base->triangle_count)));
    r->subdivide = (int)fmax(1, fmin(parts, most));
    if (parts <= r->subdivide) return;
    r->wavelength = fmax(r->wavelength, WRINKLE_WAVE_EDGES * all_edges / r->subdivide);
    r->limited = 3;
}

static ruga_status choose(const ruga_wrinkle_fit *fit, ruga_wrinkle_fit_result *r) {
    double *curvatures, curvature = 0, whole = 0, compressed = 0;
    TRY(find_quantile(fit, fit->compression, TYPICAL, &r->compression));
    TRY(NEW_ZEROED(fit->context, &curvatures, fit->base->triangle_count));
    ruga_status status = find_curvatures(fit, curvatures);
    if (!RUGA_FAILED(status)) status = find_quantile(fit, curvatures, 0.5, &curvature);
    memory_release(fit->context, curvatures);
    TRY(status);
    for (size_t t = 0; t < fit->base->triangle_count; t++) {
        whole += fit->areas[t];
        compressed += is_compressed(fit, t) ? fit->areas[t] : 0;
    }
    r->compressed_share = whole > 0 ? compressed / whole : 0;
    r->pre_stretch = fmax(LEAST_STRETCH, 1 - STRETCH_SHARE * r->compression);
    r->edge = mean_edge(fit, r->compression > 0);
    r->curvature_radius = 1 / curvature;
    choose_wave(fit, r);
    return RUGA_OK;
}

/* Around the compressed regions the mask halves from vertex to vertex: within one ring it would show as a step. Repeats
 * until nothing changes, so the order of the triangles does not matter; below CURVED nothing does. */
static void blend(const ruga_wrinkle_fit *fit, double *mask) {
    for (int changed = 1; changed;) {
        changed = 0;
        for (size_t t = 0; t < fit->base->triangle_count; t++) {
            const uint32_t *v = fit->base->triangles + 3 * t;
            const double most = BLEND * fmax(mask[v[0]], fmax(mask[v[1]], mask[v[2]]));
            for (size_t k = 0; k < 3 && !fit->masked[t]; k++)
                if (mask[v[k]] < most) mask[v[k]] = most, changed = 1;
        }
    }
}

/* A vertex of a masked triangle does not move; others as far as a triangle around them is compressed. Without any
 * compression, all but the masked ones are free. */
static void fill_mask(const ruga_wrinkle_fit *fit, const ruga_wrinkle_fit_result *r, double *mask) {
    const double begin = fmax(COMPRESSED, 0.5 * (1 - r->pre_stretch));
    for (size_t v = 0; v < fit->base->vertex_count; v++) mask[v] = r->compression > 0 ? CURVED : 1;
    for (size_t t = 0; t < fit->base->triangle_count; t++) {
        const double x = fmin(1, fmax(0, (fit->compression[t] - begin) / MASK_RISE)), value = x * x * (3 - 2 * x);
        for (size_t k = 0; k < 3; k++) {
            double *own = &mask[fit->base->triangles[3 * t + k]];
            *own = fmax(*own, value);
        }
    }
    if (r->compression > 0) blend(fit, mask);
    for (size_t t = 0; t < fit->base->triangle_count; t++)
        for (size_t k = 0; fit->masked[t] && k < 3; k++) mask[fit->base->triangles[3 * t + k]] = 0;
}

ruga_status ruga_wrinkle_fit_finish(ruga_wrinkle_fit *fit, double *mask, ruga_wrinkle_fit_result *result) {
    piece_sum *sums;
    *result = (ruga_wrinkle_fit_result){0};
    TRY(NEW(fit->context, &sums, fit->base->triangle_count));
    memset(fit->masked, MASK_NONE, fit->base->triangle_count);
    sum_pieces(fit, sums);
    mask_names(fit, result);
    mask_rigid(fit, sums, result);
    ruga_status status = choose(fit, result);
    if (!RUGA_FAILED(status)) {
        mask_narrow(fit, sums, result);
        fill_mask(fit, result, mask);
    }
    memory_release(fit->context, sums);
    return status;
}
