/* The start of the minimisation: waves with their nodes, each span scaled to its target length. */
#include "base/hash.h"
#include "solve/governing_model.h"

static const double pi = 3.14159265358979323846;
/* Half waves of the band: from wide bumps to ripples that are too short for a stiff curve. */
enum { BAND_FIRST = 2, BAND_LAST = 14, LEAST_SEGMENTS = 4 };

/* The width of the span at an end relative to others. A wave from the surface, where it has no slope, is half a
 * wavelength long up to its crest, and a quarter from there to its node; a bump between two nodes is half a
 * wavelength. */
static double end_width(const governing_curve *curve) {
    return !curve->closed && curve->def.ends == GOVERNING_SOFT ? 1.5 : 1;
}

size_t governing_most_spans(size_t particles) { return particles / LEAST_SEGMENTS + BAND_LAST + 1; }

/* From 0 at the fixed particles of one end to 1 at those of the other. */
static double inner_fraction(const governing_curve *curve, size_t i) {
    size_t count = curve->count;
    if (curve->closed) return (double)i / (double)(count - 1);
    if (i < 2) return 0;
    return i + 2 < count ? (double)(i - 1) / (double)(count - 3) : 1;
}

static double length_at(const governing_model *model, const double *shape, size_t first, size_t last,
                        double amplitude) {
    double length = 0;
    const governing_curve *curve = model->curve;
    for (size_t i = first; i < last; i++) {
        vec3 a = vec3_add_scaled(vec3_scale(curve->points[i], model->scale), curve->normals[i], amplitude * shape[i]);
        vec3 b = vec3_add_scaled(vec3_scale(curve->points[i + 1], model->scale), curve->normals[i + 1],
                                 amplitude * shape[i + 1]);
        length += vec3_distance(a, b);
    }
    return length;
}

/* Scales a shape of heights about 1 until the span has its target length, by bisection. A span that no height makes
 * long enough (it shrinks as it rises) stops at a height equal to its own length. */
static void scale_span(const governing_model *model, size_t first, size_t last, double length, double *heights) {
    double rest = 0, low = 0;
    for (size_t i = first; i < last; i++) rest += vec3_distance(model->curve->points[i], model->curve->points[i + 1]);
    rest *= model->scale;
    double high = 1e-3 * rest, target = rest * length;
    while (high < rest && length_at(model, heights, first, last, high) < target) high *= 2;
    for (int i = 0; i < 40; i++) {
        double middle = 0.5 * (low + high);
        *(length_at(model, heights, first, last, middle) < target ? &low : &high) = middle;
    }
    for (size_t i = first + 1; i < last; i++) heights[i] *= low;
}

/* Within [-1, 1], by the seed and a number. */
static double random_number(const governing_def *def, size_t number) {
    uint64_t bits = mix_bits(((uint64_t)(uint32_t)def->seed << 32) + 0x5eed0000u + (uint64_t)number);
    return (double)(bits >> 11) * 0x1p-52 - 1;
}

/* Target lengths of the spans: they vary, with the curve's own as their mean. */
static void vary_lengths(const governing_model *model) {
    const governing_def *def = &model->curve->def;
    double sum = 0;
    for (size_t s = 0, first = 0; s < model->span_count && model->span_lengths; first = model->span_ends[s++]) {
        model->span_lengths[s] = 1 + def->vary * random_number(def, 2 * s);
        sum += model->span_lengths[s] * (double)(model->span_ends[s] - first);
    }
    double mean = def->vary > 0 && sum > 0 ? sum / (double)(model->curve->count - 1) : 1;
    for (size_t s = 0; s < model->span_count && model->span_lengths; s++)
        model->span_lengths[s] = def->vary > 0 ? 1 + (def->length - 1) * model->span_lengths[s] / mean : def->length;
}

/* A bump over each span, alternately up and down. */
static void fill_spans(const governing_model *model, double sign, double *heights) {
    size_t count = model->curve->count, first = 0, fixed = model->curve->closed ? 0 : 1; /* segments at either end */
    for (size_t i = 0; i < count; i++) heights[i] = 0;
    vary_lengths(model);
    for (size_t s = 0; s < model->span_count; s++) {
        size_t last = model->span_ends[s], begin = first < fixed ? fixed : first;
        size_t end = last + fixed >= count ? count - 1 - fixed : last;
        for (size_t i = begin + 1; i < end; i++)
            heights[i] = sign * sin(pi * (double)(i - begin) / (double)(end - begin));
        scale_span(model, first, last, model->span_lengths ? model->span_lengths[s] : model->curve->def.length,
                   heights);
        first = last;
        sign = -sign;
    }
}

/* ---- Nodes of a band of waves. */

static void band_shape(const governing_curve *curve, int seed, double *shape) {
    size_t count = curve->count;
    for (size_t i = 0; i < count; i++) shape[i] = 0;
    for (int m = BAND_FIRST; m <= BAND_LAST; m++) {
        uint64_t bits = mix_bits(((uint64_t)(uint32_t)seed << 8) + (uint64_t)m);
        double weight = ((double)(bits >> 11) * 0x1p-52 - 1) / sqrt(m);
        for (size_t i = 0; i < count; i++) shape[i] += weight * sin(m * pi * inner_fraction(curve, i));
    }
}

/* Units: in shorter spans a bump costs more bending than it gains length. The bends of a span of a zigzag turn by twice
 * the slope whose length is L̃, so it costs about 6 k_r e^-π acos(L / L̃); in a somewhat wider span the bump reaches
 * most of its length. The factor is chosen to match the counts of figure 5. */
static double least_span(const governing_def *def) {
    double length = def->node_length > 1 ? def->node_length : def->length;
    double cost = 6 * def->stiffness * exp(-pi) * acos(1 / length);
    return (def->ends == GOVERNING_SOFT ? 1.15 : 1.5) * sqrt(cost) / (length - 1);
}

static size_t span_begin(const governing_model *model, size_t s) { return s > 0 ? model->span_ends[s - 1] : 0; }

/* Units; end spans are scaled to the width of inner ones. */
static double span_width(const governing_model *model, size_t s) {
    int is_end = s == 0 || s + 1 == model->span_count;
    double share = is_end ? end_width(model->curve) : 1;
    double segments = (double)(model->span_ends[s] - span_begin(model, s)) / share;
    return segments < LEAST_SEGMENTS ? 0 : GOVERNING_LENGTH * segments / (double)(model->curve->count - 1);
}

/* Joins the narrowest span with its narrower neighbour while it is too narrow. The wave of a closed curve closes with
 * an even number of spans; one that stays alone is halved. */
static void join_narrow_spans(governing_model *model) {
    double least = least_span(&model->curve->def);
    while (model->span_count > 1) {
        size_t narrowest = 0;
        for (size_t s = 1; s < model->span_count; s++)
            if (span_width(model, s) < span_width(model, narrowest)) narrowest = s;
        int is_odd = model->curve->closed && model->span_count % 2 == 1;
        if (span_width(model, narrowest) >= least && !is_odd) return;
        int joins_next = narrowest == 0 || (narrowest + 1 < model->span_count &&
                                            span_width(model, narrowest + 1) < span_width(model, narrowest - 1));
        model->span_count--;
        for (size_t s = joins_next ? narrowest : narrowest - 1; s < model->span_count; s++)
            model->span_ends[s] = model->span_ends[s + 1];
    }
    if (!model->curve->closed) return;
    model->span_ends[0] = model->curve->count / 2;
    model->span_ends[1] = model->curve->count - 1;
    model->span_count = 2;
}

void governing_start_band(governing_model *model, int seed, double *heights) {
    size_t count = model->curve->count;
    band_shape(model->curve, seed, heights);
    double sign = heights[2] >= 0 ? 1 : -1;
    model->span_count = 0;
    for (size_t i = 3; i + 3 < count; i++)
        if ((heights[i] >= 0) != (heights[i + 1] >= 0))
            model->span_ends[model->span_count++] = fabs(heights[i]) < fabs(heights[i + 1]) ? i : i + 1;
    model->span_ends[model->span_count++] = count - 1;
    join_narrow_spans(model);
    fill_spans(model, sign, heights);
}

/* Moves the nodes between spans by up to 0.4 of a width (segments). */
static void vary_nodes(governing_model *model, double width) {
    const governing_def *def = &model->curve->def;
    size_t count = model->span_count, last = model->curve->count - 1;
    for (size_t s = 0; s + 1 < count && def->vary > 0; s++) {
        double least = (double)((s > 0 ? model->span_ends[s - 1] : 0) + LEAST_SEGMENTS);
        double most = (double)last - (double)(LEAST_SEGMENTS * (count - 1 - s));
        double at = (double)model->span_ends[s] + 0.4 * width * def->vary * random_number(def, 2 * s + 1);
        model->span_ends[s] = (size_t)(fmax(fmin(at, most), least) + 0.5);
    }
}

void governing_start_count(governing_model *model, int bumps, double *heights) {
    size_t last = model->curve->count - 1, most = last / LEAST_SEGMENTS; /* limited by the particles */
    const int is_closed = model->curve->closed;
    size_t wanted = is_closed ? ((size_t)bumps + 1) / 2 * 2 : (size_t)bumps;
    if (is_closed) most = most / 2 * 2;
    size_t count = wanted < most ? wanted : most, least_count = is_closed ? 2 : 1;
    model->span_count = count = count < least_count ? least_count : count;
    /* Ends of the right width, or as wide as the particles allow. */
    double spare = (double)last / LEAST_SEGMENTS - (double)count;
    double end = fmax(1, fmin(end_width(model->curve), 1 + 0.5 * spare)), whole = (double)count + 2 * (end - 1);
    for (size_t s = 0; s + 1 < count; s++)
        model->span_ends[s] = (size_t)((double)last * ((double)s + end) / whole + 0.5);
    model->span_ends[count - 1] = last;
    vary_nodes(model, (double)last / whole);
    fill_spans(model, model->curve->def.seed % 2 ? 1 : -1, heights);
}

void governing_start_free(governing_model *model, int bumps, int seed, double *heights) {
    size_t count = model->curve->count;
    model->span_count = 1;
    model->span_ends[0] = count - 1;
    const int waves = model->curve->closed ? (bumps + 1) / 2 * 2 : bumps;
    if (bumps > 0)
        for (size_t i = 0; i < count; i++) heights[i] = sin(waves * pi * inner_fraction(model->curve, i));
    else
        band_shape(model->curve, seed, heights);
    if (model->curve->closed) heights[0] = heights[count - 1] = 0;
    if (model->span_lengths) model->span_lengths[0] = model->curve->def.length;
    scale_span(model, 0, count - 1, model->curve->def.length, heights);
}

void governing_start_shape(const governing_model *model, double *heights) {
    size_t count = model->curve->count;
    double highest = 0;
    for (size_t i = 0; i < count; i++) highest = fmax(highest, fabs(model->curve->shape[i]));
    if (!(model->curve->def.length > 1)) highest = 0;
    for (size_t i = 0; i < count; i++) heights[i] = highest > 0 ? model->curve->shape[i] / highest : 0;
    scale_span(model, 0, count - 1, model->curve->def.length, heights);
}
