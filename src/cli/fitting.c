#include "fitting.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

#define MOST_FRAMES 100       /* of a motion are measured, evenly spread */
#define DRAFT_TRIANGLES 40000 /* of the fine mesh */
#define DRAFT_ITERATIONS 128  /* of the first frame */
#define LONG_WAVE 0.1         /* of the body's size */
#define HUGE_BODY 20.0        /* m */
#define TINY_BODY 0.01

#define DETAIL "objects[0].details[0]."

static int given(const layer *w, const char *name) { return option_given(w->arguments, name) > 0; }

/* Bad frames are skipped here: they are reported when they are used. */
static int measure(session *s, layer *w, ruga_wrinkle_fit *fit, fitting *f) {
    const timeline *times = &w->reader.times;
    ruga_vec3 *positions = malloc((w->body.mesh->vertex_count + 1) * sizeof *positions);
    if (!positions) return session_no_memory(s);
    const size_t count = times->count < MOST_FRAMES ? times->count : MOST_FRAMES;
    for (size_t i = 0; i < count; i++) {
        const size_t frame = count > 1 ? i * (times->count - 1) / (count - 1) : 0;
        if (RUGA_FAILED(ruga_motion_sample(w->body.motion, timeline_time(times, frame), positions))) {
            f->failed++;
            continue;
        }
        ruga_wrinkle_fit_add(fit, positions);
        f->frames++;
    }
    free(positions);
    return session_interrupted(s);
}

static int set_number(session *s, layer *w, const char *name, double value) {
    char path[80], text[40];
    snprintf(path, sizeof path, DETAIL "%s", name);
    snprintf(text, sizeof text, "%.9g", value);
    return input_code(s, ruga_description_set(w->description, path, text));
}

/* Parts of each edge of the body that the options or the motion ask for; fewer for a draft. */
static int choose_parts(const layer *w, const fitting *f) {
    const double most = floor(sqrt(DRAFT_TRIANGLES / (double)w->body.mesh->triangle_count));
    const int parts = given(w, "subdivide") ? atoi(option_text(w->arguments, "subdivide")) : f->found.subdivide;
    return given(w, "draft") && !given(w, "subdivide") ? (int)fmax(1, fmin(parts, most)) : parts;
}

/* A wavelength for which the fine mesh is too coarse is left to the wrinkle mesh, which explains it. */
static int set_values(session *s, layer *w, fitting *f) {
    const int own_mesh = given(w, "edge-length") || given(w, "fine"), parts = choose_parts(w, f);
    f->has_parts = !own_mesh && !given(w, "subdivide");
    f->has_wavelength = !own_mesh && !given(w, "wavelength") && (parts >= f->found.subdivide || !given(w, "subdivide"));
    f->has_stretch = !given(w, "pre-stretch");
    f->has_mask = !given(w, "radius");
    int code = f->has_parts ? set_number(s, w, "subdivide", parts) : 0;
    if (f->has_wavelength && parts < f->found.subdivide) { /* a draft */
        f->found.wavelength *= (double)f->found.subdivide / parts;
        f->found.limited = 3;
    }
    if (!code && f->has_wavelength) code = set_number(s, w, "wavelength", f->found.wavelength);
    if (!code && f->has_stretch) code = set_number(s, w, "pre_stretch", f->found.pre_stretch);
    return code;
}

/* The description keeps its own def; a copy gets the mask. */
static void give_mask(layer *w, fitting *f) {
    const ruga_scene_def *scene = ruga_description_get(w->description);
    const ruga_object_def *object = scene->objects.items;
    f->detail = *(const ruga_variant *)object->details.items;
    f->def = *(const ruga_wrinkle_def *)f->detail.values;
    f->def.mesh.base_mask = f->mask;
    f->detail.values = &f->def;
    w->details = (ruga_list){&f->detail, 1};
}

/* Why there would be no wrinkles, with what helps. */
static int fail_without_compression(session *s, const layer *w, const fitting *f) {
    const ruga_wrinkle_fit_result *r = &f->found;
    const size_t all = w->body.mesh->triangle_count;
    if (all > 0 && r->rigid_triangles + r->narrow_triangles + r->named_triangles >= all)
        return session_error(
            s, EXIT_INPUT,
            "%s: the mask that was chosen covers all %zu triangles (%zu move rigidly, %zu are in pieces "
            "too narrow for a wave, %zu have materials that do not wrinkle%s%s), so there would be no "
            "wrinkles; --radius with a mask of your own or --no-fit overrides it, --strength 2 gives "
            "wrinkles without compression",
            w->body.motion_path, all, r->rigid_triangles, r->narrow_triangles, r->named_triangles,
            r->named_triangles > 0 ? ": " : "", r->named_triangles > 0 ? r->materials : "");
    return session_error(
        s, EXIT_INPUT,
        "%s: no part that may wrinkle is compressed by more than 1 %% in %zu frames, so there would be no wrinkles; "
        "--strength 2 gives wrinkles without compression, --no-fit uses the default values",
        w->body.motion_path, f->frames);
}

static int fit_motion(session *s, layer *w, ruga_wrinkle_fit *fit, fitting *f) {
    int code = measure(s, w, fit, f);
    if (!code) code = output_code(s, ruga_wrinkle_fit_finish(fit, f->mask, &f->found));
    if (code) return code;
    const char *strength = option_text(w->arguments, "strength"), *mesh = option_text(w->arguments, "mesh");
    const int is_one_of_many = mesh && strcmp(mesh, "all") == 0;
    if (f->found.compression <= 0 && is_one_of_many) { /* it is written as it is, with the others */
        for (size_t v = 0; v < w->body.mesh->vertex_count; v++) f->mask[v] = 0;
        f->found.subdivide = 1;
    } else if (f->found.compression <= 0 && !given(w, "fine") && !given(w, "radius") && !given(w, "pre-stretch") &&
               !(strength && strtod(strength, NULL) > 1))
        return fail_without_compression(s, w, f);
    f->done = 1;
    code = set_values(s, w, f);
    if (!code && f->has_mask) give_mask(w, f);
    return code;
}

/* The defaults of the paper's method, but for options that are given. */
static int set_plain_defaults(session *s, layer *w) {
    static const struct {
        const char *option, *path, *value;
    } plain[] = {{"calm", DETAIL "calm", "0"},
                 {"squeeze", DETAIL "squeeze", "0"},
                 {"upright", DETAIL "upright", "false"},
                 {"crease-angle", DETAIL "crease_angle", "180"}};
    int code = 0;
    for (size_t i = 0; i < sizeof plain / sizeof *plain && !code; i++)
        if (!given(w, plain[i].option))
            code = input_code(s, ruga_description_set(w->description, plain[i].path, plain[i].value));
    return code;
}

int fitting_make(session *s, layer *w, fitting *f) {
    const char *solver = option_text(w->arguments, "solver");
    const int is_projection = solver && strcmp(solver, "projection") == 0;
    int code = given(w, "draft") ? set_number(s, w, "settle_iterations", DRAFT_ITERATIONS) : 0;
    if (code) return code;
    if (given(w, "no-fit")) return set_plain_defaults(s, w);
    if (is_projection || given(w, "reference")) {
        session_remark(s, "%s: nothing is chosen from the motion, and nothing is masked\n",
                       is_projection ? "--solver projection" : "--reference");
        return 0;
    }
    ruga_wrinkle_fit *fit = NULL;
    f->mask = malloc((w->body.mesh->vertex_count + 1) * sizeof *f->mask);
    if (!f->mask) return session_no_memory(s);
    code = output_code(s, ruga_wrinkle_fit_create(w->body.mesh, &fit));
    if (!code) code = fit_motion(s, w, fit, f);
    ruga_wrinkle_fit_destroy(fit);
    return code;
}

void fitting_release(fitting *f) {
    free(f->mask);
    f->mask = NULL;
}

/* ---- The report. */

static const char *const limits[] = {
    "one and a half average edges of the body where it is compressed",
    "half the radius of curvature where the body is compressed",
    "a twelfth of the body's size",
    "five edges of the fine mesh, whose number of triangles is limited",
};

static void print_masked(session *s, const ruga_wrinkle_fit_result *r) {
    const size_t masked = r->rigid_triangles + r->narrow_triangles + r->named_triangles;
    if (masked == 0) return;
    session_remark(s, "no wrinkles on %s triangles:", with_commas(masked));
    if (r->rigid_triangles > 0)
        session_remark(s, " %s in %zu of %zu pieces, which move rigidly;", with_commas(r->rigid_triangles),
                       r->rigid_pieces, r->pieces);
    if (r->narrow_triangles > 0)
        session_remark(s, " %s in %zu pieces too narrow for a wave;", with_commas(r->narrow_triangles),
                       r->narrow_pieces);
    if (r->named_triangles > 0)
        session_remark(s, " %s of the materials %s;", with_commas(r->named_triangles), r->materials);
    session_remark(s, " --radius overrides this\n");
}

void fitting_print(session *s, const layer *w, const fitting *f) {
    const ruga_wrinkle_fit_result *r = &f->found;
    if (!f->done) return;
    if (f->failed > 0)
        session_warning(s, "%zu of the %zu frames that were measured could not be read; the choices ignore them",
                        f->failed, f->failed + f->frames);
    session_remark(s, "motion: %s %% of the surface is compressed, 95 %% of it by less than %s %%, in %zu frames\n",
                   with_digits(100 * r->compressed_share), with_digits(100 * r->compression), f->frames);
    if (f->has_wavelength) session_remark(s, "  wavelength: %s\n", limits[r->limited]);
    if (f->has_parts) session_remark(s, "  subdivide: %d, five edges per wave\n", choose_parts(w, f));
    if (f->has_stretch)
        session_remark(s, "  pre-stretch: %s, which takes up 0.1 of that compression, at most 0.1\n",
                       with_digits(r->pre_stretch));
    if (f->has_mask) print_masked(s, r);
}

void fitting_put(const layer *w, const fitting *f, ruga_json_writer *json) {
    const ruga_wrinkle_fit_result *r = &f->found;
    if (!f->done) return;
    ruga_json_put_object(json, "fit");
    ruga_json_put_number(json, "compression", r->compression);
    ruga_json_put_number(json, "compressed_share", r->compressed_share);
    if (f->has_wavelength) ruga_json_put_string(json, "wavelength_reason", limits[r->limited]);
    if (f->has_stretch) ruga_json_put_number(json, "pre_stretch", r->pre_stretch);
    if (f->has_parts) ruga_json_put_count(json, "subdivide", (size_t)choose_parts(w, f));
    if (f->failed > 0) ruga_json_put_count(json, "failed_frames", f->failed);
    if (f->has_mask) {
        ruga_json_put_count(json, "rigid_triangles", r->rigid_triangles);
        ruga_json_put_count(json, "narrow_triangles", r->narrow_triangles);
        ruga_json_put_count(json, "named_triangles", r->named_triangles);
        ruga_json_put_string(json, "named_materials", r->materials);
    }
    ruga_json_end_object(json);
}

/* ---- Sizes. */

static double body_size(const ruga_mesh *mesh) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, sum = 0;
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        const double p[3] = {mesh->positions[v].x, mesh->positions[v].y, mesh->positions[v].z};
        for (int k = 0; k < 3; k++) low[k] = fmin(low[k], p[k]), high[k] = fmax(high[k], p[k]);
    }
    for (int k = 0; k < 3; k++) sum += (high[k] - low[k]) * (high[k] - low[k]);
    return sqrt(sum);
}

/* The unit in which a body would be nearest to the size of a person, if the file's is metres now. */
static const char *likely_unit(double size) {
    static const char *const units[] = {"mm", "cm", "in", "ft", "m", "km"};
    const char *best = units[0];
    double least = INFINITY, metres;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (!ruga_unit_parse(units[i], &metres) || !(fabs(log(size * metres / 1.7)) < least)) continue;
        least = fabs(log(size * metres / 1.7));
        best = units[i];
    }
    return best;
}

void warn_of_size(session *s, const layer *w, double wavelength) {
    const double size = body_size(w->body.mesh);
    if (size > HUGE_BODY || (size > 0 && size < TINY_BODY)) {
        if (given(w, "unit"))
            session_warning(s, "the body is %s m across; check --unit", with_digits(size));
        else
            session_warning(s, "the body is %s m across; if its unit is not metres, try --unit %s", with_digits(size),
                            likely_unit(size));
    }
    if (wavelength > LONG_WAVE * size)
        session_warning(
            s,
            "the wavelength of %s m exceeds a tenth of the body, %s m across, so wrinkles look like dents; set "
            "--wavelength %s and --subdivide, or check the unit",
            with_digits(wavelength), with_digits(size), with_digits(size / 50));
}
