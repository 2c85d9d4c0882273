/* The step. The order of the stages is the contract of everything that moves; each is timed. */
#include <math.h>
#include <stdio.h>

#include "base/threads.h"
#include "base/timer.h"
#include "math/vec3.h"
#include "system/objects.h"

#define FINITE_BLOCK 8192 /* points */

/* ---- What is not finite ends the step. */

/* A sum that is finite tells that all numbers are; one that is not may have overflowed. Eight sums side by side, so that
 * they run in parallel. */
static double sum_of_all(void *argument, size_t begin, size_t end) {
    const double *x = (const double *)((const vec3 *)argument + begin);
    size_t count = 3 * (end - begin), i = 0;
    double sums[8] = {0};
    for (; i + 8 <= count; i += 8)
        for (size_t k = 0; k < 8; k++) sums[k] += x[i + k];
    for (; i < count; i++) sums[0] += x[i];
    double total = 0;
    for (size_t k = 0; k < 8; k++) total += sums[k];
    return total;
}

/* The first point that is not finite; count if there is none. */
static size_t find_not_finite(ruga_context *context, const vec3 *x, size_t count) {
    if (isfinite(parallel_sum(context, count, FINITE_BLOCK, sum_of_all, (void *)x))) return count;
    size_t i = 0;
    while (i < count && vec3_is_finite(x[i])) i++;
    return i;
}

static ruga_status check_finite(world *w, const world_object *o, const char *part, const char *what, const vec3 *x,
                                size_t count, double time) {
    size_t i = find_not_finite(w->context, x, count);
    if (i == count) return RUGA_OK;
    char step[48] = "";
    if (w->substep > 0) snprintf(step, sizeof step, ", in substep %d of %d", w->substep, w->substeps);
    ruga_status status = fail_with(w->context, RUGA_ERROR_INPUT,
                                   "the %s of vertex %zu is not finite at %g s%s: (%g, %g, %g); look at what moves it, "
                                   "or take more substeps",
                                   what, i, time, step, x[i].x, x[i].y, x[i].z);
    return object_note(w, o, part, status);
}

/* What is not finite stays so from detail to detail: only when the last one shows it, the first that did is looked for. */
static ruga_status check_details(world *w, const world_object *o, double time) {
    const ruga_frame *frame = &o->frame;
    if (o->details.count == 0 ||
        find_not_finite(w->context, frame->positions, frame->vertex_count) == frame->vertex_count)
        return RUGA_OK;
    for (size_t i = 0; i < o->details.count; i++) {
        const detail *d = o->details.items[i];
        TRY(check_finite(w, o, d->kind, "position", d->positions, d->output->vertex_count, time));
    }
    return RUGA_OK;
}

/* ---- The stages of a substep. */

typedef ruga_status stage_function(world *w, const substep *s);

static ruga_status predict(world *w, const substep *s) {
    for (size_t i = 0; i < w->objects.count; i++) {
        world_object *o = &w->objects.items[i];
        TRY(object_note(w, o, NULL, o->body->interface->predict(o->body, s)));
    }
    return RUGA_OK;
}

static ruga_status before_positions(world *w, const substep *s) {
    for (size_t i = 0; i < w->objects.count; i++) {
        world_object *o = &w->objects.items[i];
        for (size_t k = 0; k < o->hooks.count; k++) {
            hook *h = o->hooks.items[k];
            if (h->interface->before_positions)
                TRY(object_note(w, o, h->kind, h->interface->before_positions(h, o->body, s)));
        }
    }
    return RUGA_OK;
}

/* What contact sees of an object: the surface of the last detail that has one, else the body's. */
static ruga_status gather_surface(world *w, world_object *o) {
    body *b = o->body;
    o->own = o->seen = NULL;
    if (b->interface->surface && (w->contact || b->masses)) o->own = o->seen = b->interface->surface(b);
    if (!w->contact) return RUGA_OK;
    for (size_t i = 0; i < o->details.count; i++) {
        detail *d = o->details.items[i];
        contact_surface *surface = d->interface->surface ? d->interface->surface(d, b) : NULL;
        if (surface) o->seen = surface;
    }
    if (o->seen != o->own && (!o->own || o->own->map))
        return fail_with(w->context, RUGA_ERROR_UNSUPPORTED,
                         "object \"%s\": a detail can't collide for a %s body, whose own surface is not of its points",
                         o->name, b->kind);
    if (!o->seen || !b->touch.collides) return RUGA_OK;
    o->seen->name = o->name;
    w->surfaces.items[w->surfaces.count++] = o->seen;
    return RUGA_OK;
}

/* Gives what contact did to a detail's surface to the body's own: impulses by the transpose, and where they lead. */
static void hand_back(world_object *o, double dt) {
    contact_surface *own = o->own, *seen = o->seen;
    if (seen == own) return;
    size_t count = o->body->point_count;
    if (seen->map) {
        ruga_map_apply_transpose_add(seen->map, seen->impulses, own->impulses);
    } else {
        for (size_t i = 0; i < count; i++) own->impulses[i] = vec3_add(own->impulses[i], seen->impulses[i]);
    }
    for (size_t i = 0; i < count; i++)
        own->candidate[i] = vec3_add_scaled(own->candidate[i], own->impulses[i], dt * own->inverse_masses[i]);
}

static ruga_status resolve_contact(world *w, const substep *s) {
    w->surfaces.count = 0;
    for (size_t i = 0; i < w->objects.count; i++) TRY(gather_surface(w, &w->objects.items[i]));
    if (!w->contact || w->surfaces.count == 0) return RUGA_OK;
    w->contact->time = s->time;
    ruga_status status = w->contact->interface->resolve(w->contact, w->surfaces.items, w->surfaces.count, s->dt);
    if (status > 0 && w->warning == RUGA_OK) w->warning = status;
    TRY(status);
    for (size_t i = 0; i < w->objects.count; i++) hand_back(&w->objects.items[i], s->dt);
    return RUGA_OK;
}

static ruga_status accept(world *w, const substep *s) {
    for (size_t i = 0; i < w->objects.count; i++) {
        world_object *o = &w->objects.items[i];
        body *b = o->body;
        TRY(object_note(w, o, NULL, b->interface->accept(b, s)));
        TRY(check_finite(w, o, NULL, "position", b->positions, b->point_count, s->time));
        TRY(check_finite(w, o, NULL, "velocity", b->velocities, b->point_count, s->time));
    }
    return RUGA_OK;
}

static ruga_status after_velocities(world *w, const substep *s) {
    for (size_t i = 0; i < w->objects.count; i++) {
        world_object *o = &w->objects.items[i];
        for (size_t k = 0; k < o->hooks.count; k++) {
            hook *h = o->hooks.items[k];
            if (h->interface->after_velocities)
                TRY(object_note(w, o, h->kind, h->interface->after_velocities(h, o->body, s)));
        }
    }
    return RUGA_OK;
}

/* ---- The stages of a frame. */

static ruga_status update_detail(world *w, detail *d, const ruga_frame *in, double dt) {
    /* Before the first step there is no time that could have passed. */
    if (dt == 0 && d->interface->settle) return d->interface->settle(d, in, &w->environment);
    return d->interface->update(d, in, dt, &w->environment);
}

static ruga_status update_details(world *w, const substep *s) {
    for (size_t i = 0; i < w->objects.count; i++) {
        world_object *o = &w->objects.items[i];
        ruga_frame in = object_body_frame(o, s->time);
        for (size_t k = 0; k < o->details.count; k++) {
            detail *d = o->details.items[k];
            TRY(object_note(w, o, d->kind, update_detail(w, d, &in, s->dt)));
            in = detail_frame(d, &in);
        }
        o->frame = in;
        TRY(check_details(w, o, s->time));
    }
    return RUGA_OK;
}

static ruga_status make_frames(world *w, const substep *s) {
    w->time = s->time;
    for (size_t i = 0; i < w->objects.count; i++) TRY(object_make_frame(w, &w->objects.items[i]));
    return RUGA_OK;
}

/* ---- The step. */

static ruga_status timed(world *w, world_stage stage, stage_function *function, const substep *s) {
    double start = timer_now();
    ruga_status status = function(w, s);
    w->seconds[stage] += timer_now() - start;
    return status;
}

static void clear_measures(world *w) {
    for (size_t i = 0; i < w->objects.count; i++) {
        world_object *o = &w->objects.items[i];
        measure_clear(&o->body->measures);
        for (size_t k = 0; k < o->hooks.count; k++) measure_clear(&o->hooks.items[k]->measures);
        for (size_t k = 0; k < o->details.count; k++) measure_clear(&o->details.items[k]->measures);
    }
    if (w->contact) measure_clear(&w->contact->measures);
    for (int stage = 0; stage < STAGE_COUNT; stage++) w->seconds[stage] = 0;
    w->warning = RUGA_OK;
}

/* Substep number i of `count` over a frame; the last ends at the frame's time to the bit. */
static substep substep_of(const substep *frame, double start, double blend_from, int i, int count) {
    double part = (double)i / count;
    return (substep){.time = i == count ? frame->time : start + frame->dt * part,
                     .dt = frame->dt / count,
                     .blend = i == count ? frame->blend : blend_from + (frame->blend - blend_from) * part,
                     .environment = frame->environment};
}

void world_set_frame_length(world *w, double length) { w->frame_length = length; }

static double step_length(const world *w, double time) {
    double length = time - w->time;
    return fabs(length - w->frame_length) < 1e-9 * w->frame_length ? w->frame_length : length;
}

ruga_status world_step(world *w, double time, int substeps, double blend_from, double blend_to) {
    double start = w->time;
    if (!(time > start) || !isfinite(time) || substeps < 1)
        return fail_with(w->context, RUGA_ERROR_ARGUMENT, "a step can't go from %g s to %g s in %d substeps", start,
                         time, substeps);
    clear_measures(w);
    const substep frame = {time, step_length(w, time), blend_to, &w->environment};
    for (int i = 1; i <= substeps; i++) {
        const substep s = substep_of(&frame, start, blend_from, i, substeps);
        w->substep = i;
        w->substeps = substeps;
        TRY(report_progress(w->context, "stepping", (double)(i - 1) / substeps));
        TRY(timed(w, STAGE_PREDICT, predict, &s));
        TRY(timed(w, STAGE_BEFORE_POSITIONS, before_positions, &s));
        TRY(timed(w, STAGE_CONTACT, resolve_contact, &s));
        TRY(timed(w, STAGE_ACCEPT, accept, &s));
        TRY(timed(w, STAGE_AFTER_VELOCITIES, after_velocities, &s));
    }
    w->substep = 0;
    TRY(timed(w, STAGE_DETAILS, update_details, &frame));
    TRY(timed(w, STAGE_FRAME, make_frames, &frame));
    return w->warning;
}

ruga_status world_settle(world *w, double time, double blend) {
    if (!isfinite(time)) return fail_with(w->context, RUGA_ERROR_ARGUMENT, "nothing can settle at %g s", time);
    clear_measures(w);
    w->substep = 0;
    const substep frame = {time, 0, blend, &w->environment};
    for (size_t i = 0; i < w->objects.count; i++) {
        world_object *o = &w->objects.items[i];
        if (o->body->interface->settle) TRY(object_note(w, o, NULL, o->body->interface->settle(o->body, &frame)));
        TRY(check_finite(w, o, NULL, "position", o->body->positions, o->body->point_count, time));
    }
    TRY(update_details(w, &frame));
    TRY(make_frames(w, &frame));
    return w->warning;
}

/* ---- Another mesh. */

/* Each detail gets the mesh before it and the map to it; a detail that makes a mesh of its own gives its own map. */
static ruga_status rebuild_details(world *w, world_object *o, const ruga_map *from_old) {
    const ruga_mesh *mesh = o->body->mesh;
    for (size_t i = 0; i < o->details.count; i++) {
        detail *d = o->details.items[i];
        if (!d->interface->rebuild || !from_old || o->visible)
            return fail_with(w->context, RUGA_ERROR_UNSUPPORTED,
                             "object \"%s\": detail \"%s\" can't follow when the mesh below it becomes another",
                             o->name, d->kind);
        int own_mesh = d->output != d->input;
        TRY(object_note(w, o, d->kind, d->interface->rebuild(d, mesh, from_old)));
        mesh = d->output;
        if (own_mesh) from_old = d->output_from_old;
    }
    return RUGA_OK;
}

ruga_status world_rebuild(world *w, size_t object, const ruga_mesh *mesh, const ruga_map *from_old) {
    world_object *o = &w->objects.items[object];
    body *b = o->body;
    if (!b->interface->rebuild)
        return fail_with(w->context, RUGA_ERROR_UNSUPPORTED, "object \"%s\": a %s body can't become another mesh",
                         o->name, b->kind);
    TRY(object_note(w, o, NULL, b->interface->rebuild(b, mesh, from_old)));
    b->revision++;
    for (size_t i = 0; i < o->hooks.count; i++) {
        hook *h = o->hooks.items[i];
        if (h->interface->rebuild) TRY(object_note(w, o, h->kind, h->interface->rebuild(h, b, from_old)));
    }
    TRY(rebuild_details(w, o, from_old));
    TRY(object_resize(w, o));
    TRY(object_refresh(w, o));
    return object_make_frame(w, o);
}
