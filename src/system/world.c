/* The step. The order of the stages is the contract of everything that moves; each is timed. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/threads.h"
#include "base/timer.h"
#include "math/vec3.h"
#include "system/objects.h"

#define FINITE_BLOCK 8192 /* points */

/* ---- Numbers that are not finite end the step. */

/* If a sum is finite, all its numbers are; if it is not, it may have overflowed. Eight sums side by side, so that
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

static ruga_status check_finite(world *w, const world_object *o, const char *kind, const char *what, const vec3 *x,
                                size_t count, double time) {
    size_t i = find_not_finite(w->context, x, count);
    if (i == count) return RUGA_OK;
    char step[48] = "";
    if (w->substep > 0) snprintf(step, sizeof step, ", in substep %d of %d", w->substep, w->substeps);
    ruga_status status = fail_input(
        w->context,
        "the %s of vertex %zu is not finite at %g s%s: (%g, %g, %g); check the forces and motions that act on it, or "
        "use more substeps",
        what, i, time, step, x[i].x, x[i].y, x[i].z);
    return object_note(w, o, kind, status);
}

/* Numbers that are not finite stay so from part to part: only when the last one shows some, the first is looked for. */
static ruga_status check_parts(world *w, const world_object *o, double time) {
    const ruga_frame *frame = &o->frame;
    if (frame->positions == o->body->positions || frame->positions == o->visible) return RUGA_OK;
    if (find_not_finite(w->context, frame->positions, frame->vertex_count) == frame->vertex_count) return RUGA_OK;
    for (size_t i = 0; i < o->parts.count; i++) {
        const part *p = o->parts.items[i];
        if (p->interface->update)
            TRY(check_finite(w, o, p->kind, "position", p->positions, p->output->vertex_count, time));
    }
    return RUGA_OK;
}

/* ---- The stages of a substep. */

typedef ruga_status stage_function(world *w, const substep *s);

typedef ruga_status part_function(part *p, body *b, const substep *s);

static part_function *function_of(const part *p, world_stage stage) {
    return stage == STAGE_BEFORE_CONTACT  ? p->interface->before_contact
           : stage == STAGE_AFTER_CONTACT ? p->interface->after_contact
                                          : p->interface->after_velocities;
}

static ruga_status call_parts(world *w, const substep *s, world_stage stage) {
    for (size_t i = 0; i < w->objects.count; i++) {
        world_object *o = &w->objects.items[i];
        for (size_t k = 0; k < o->parts.count; k++) {
            part *p = o->parts.items[k];
            part_function *function = function_of(p, stage);
            if (function) TRY(object_note(w, o, p->kind, function(p, o->body, s)));
        }
    }
    return RUGA_OK;
}

static ruga_status before_contact(world *w, const substep *s) { return call_parts(w, s, STAGE_BEFORE_CONTACT); }

static ruga_status resolve_contact(world *w, const substep *s) {
    gather_surfaces(w, s);
    if (!w->contact || w->surfaces.count == 0) return RUGA_OK;
    w->contact->time = s->time;
    ruga_status status = w->contact->interface->resolve(w->contact, w->surfaces.items, w->surfaces.count, s->dt);
    if (status > 0 && w->warning == RUGA_OK) w->warning = status;
    return status;
}

static ruga_status accept(world *w, const substep *s) {
    for (size_t i = 0; i < w->objects.count; i++) {
        world_object *o = &w->objects.items[i];
        body *b = o->body;
        b->accepted = o->surface;
        TRY(object_note(w, o, NULL, b->interface->accept(b, s, o->surface)));
        TRY(check_finite(w, o, NULL, "position", b->positions, b->point_count, s->time));
        TRY(check_finite(w, o, NULL, "velocity", b->velocities, b->point_count, s->time));
    }
    return RUGA_OK;
}

static ruga_status after_contact(world *w, const substep *s) { return call_parts(w, s, STAGE_AFTER_CONTACT); }
static ruga_status after_velocities(world *w, const substep *s) { return call_parts(w, s, STAGE_AFTER_VELOCITIES); }

/* Where the bodies are, for parts that touch others. */
static void show_surfaces(world *w, double time) {
    w->others.count = 0;
    for (size_t i = 0; w->contact && i < w->objects.count; i++) {
        world_object *o = &w->objects.items[i];
        if (!o->body->touch.collides || o->body->mesh->triangle_count == 0) continue;
        const ruga_frame frame = object_body_frame(o, time);
        w->others.items[w->others.count++] = (environment_surface){o->body, o->body->mesh, frame.positions, 0};
    }
    w->environment.surface_count = w->others.count;
    w->environment.surfaces = w->others.items;
    w->environment.contact = w->contact;
}

/* Parts of each substep lie below all others. */
static ruga_status update_each_substep(world *w, const substep *s) {
    show_surfaces(w, s->time);
    for (size_t i = 0; i < w->objects.count; i++) {
        world_object *o = &w->objects.items[i];
        ruga_frame in = {0};
        for (size_t k = 0; k < o->parts.count; k++) {
            part *p = o->parts.items[k];
            if (!p->interface->update || p->rate != PART_EACH_SUBSTEP) continue;
            if (!in.positions) in = object_body_frame(o, s->time);
            TRY(object_note(w, o, p->kind, p->interface->update(p, o->body, s, &in)));
            in = part_frame(p, &in);
        }
    }
    return RUGA_OK;
}

/* ---- The stages of a frame. */

/* Before the first step, dt = 0, all parts settle. In a step those of each substep are up to date already. */
static ruga_status update_part(part *p, const body *b, const substep *s, const ruga_frame *in) {
    if (s->dt == 0 && p->interface->settle) return p->interface->settle(p, b, s, in);
    if (!p->interface->update || (s->dt > 0 && p->rate == PART_EACH_SUBSTEP)) return RUGA_OK;
    return p->interface->update(p, b, s, in);
}

static ruga_status update(world *w, const substep *s) {
    show_surfaces(w, s->time);
    for (size_t i = 0; i < w->objects.count; i++) {
        world_object *o = &w->objects.items[i];
        ruga_frame in = object_body_frame(o, s->time);
        for (size_t k = 0; k < o->parts.count; k++) {
            part *p = o->parts.items[k];
            TRY(object_note(w, o, p->kind, update_part(p, o->body, s, &in)));
            in = part_frame(p, &in);
        }
        o->frame = in;
        TRY(check_parts(w, o, s->time));
    }
    return RUGA_OK;
}

static ruga_status make_frames(world *w, const substep *s) {
    w->time = s->time;
    for (size_t i = 0; i < w->objects.count; i++) TRY(object_make_frame(w, &w->objects.items[i]));
    return RUGA_OK;
}

/* ---- The step. */

/* Each stage begins when the one before it has ended, at `clock`. */
static ruga_status timed(world *w, double *clock, world_stage stage, stage_function *function, const substep *s) {
    ruga_status status = function(w, s);
    double now = timer_now();
    w->seconds[stage] += now - *clock;
    *clock = now;
    return status;
}

/* Which stages of parts some part has. A step of a small body takes microseconds, and so does asking for the time in
 * every stage. */
static void find_stages(const world *w, unsigned char has[STAGE_COUNT]) {
    memset(has, 0, STAGE_COUNT);
    for (size_t i = 0; i < w->objects.count; i++)
        for (size_t k = 0; k < w->objects.items[i].parts.count; k++) {
            const part *p = w->objects.items[i].parts.items[k];
            for (int stage = STAGE_BEFORE_CONTACT; stage <= STAGE_AFTER_VELOCITIES; stage++)
                has[stage] |= function_of(p, (world_stage)stage) != NULL;
            has[STAGE_UPDATE] |= p->interface->update && p->rate == PART_EACH_SUBSTEP;
        }
}

static void clear_measures(world *w) {
    for (size_t i = 0; i < w->objects.count; i++) {
        world_object *o = &w->objects.items[i];
        measure_clear(&o->body->measures);
        for (size_t k = 0; k < o->parts.count; k++) measure_clear(&o->parts.items[k]->measures);
    }
    if (w->contact) measure_clear(&w->contact->measures);
    for (int stage = 0; stage < STAGE_COUNT; stage++) w->seconds[stage] = 0;
    w->warning = RUGA_OK;
}

/* Substep number i of `count` over a frame; the last ends exactly at the frame's time. */
static substep substep_of(const world *w, const substep *frame, double start, double blend_from, int i, int count) {
    double fraction = (double)i / count;
    return (substep){.time = i == count ? frame->time : start + frame->dt * fraction,
                     .dt = frame->dt / count,
                     .blend = i == count ? frame->blend : blend_from + (frame->blend - blend_from) * fraction,
                     .environment = frame->environment,
                     .is_last = i == count,
                     .frame = w->frame_length > 0 ? round(frame->time / w->frame_length) : 0};
}

void world_set_frame_length(world *w, double length) { w->frame_length = length; }

static double step_length(const world *w, double time) {
    double length = time - w->time;
    return fabs(length - w->frame_length) < 1e-9 * w->frame_length ? w->frame_length : length;
}

ruga_status world_step(world *w, double time, int substeps, double blend_from, double blend_to) {
    double start = w->time;
    if (!(time > start) || !isfinite(time) || substeps < 1)
        return fail_argument(w->context, "a step can't go from %g s to %g s in %d substeps", start, time, substeps);
    for (size_t i = 0; i < w->objects.count; i++) TRY(object_check_whole(w, &w->objects.items[i]));
    clear_measures(w);
    show_surfaces(w, start);
    const substep frame = {.time = time, .dt = step_length(w, time), .blend = blend_to, .environment = &w->environment};
    double clock = timer_now();
    unsigned char has[STAGE_COUNT];
    find_stages(w, has);
    for (int i = 1; i <= substeps; i++) {
        const substep s = substep_of(w, &frame, start, blend_from, i, substeps);
        w->substep = i;
        w->substeps = substeps;
        TRY(report_progress(w->context, "stepping", (double)(i - 1) / substeps));
        TRY(timed(w, &clock, STAGE_PREDICT, predict_bodies, &s));
        if (has[STAGE_BEFORE_CONTACT]) TRY(timed(w, &clock, STAGE_BEFORE_CONTACT, before_contact, &s));
        TRY(w->contact ? timed(w, &clock, STAGE_CONTACT, resolve_contact, &s) : resolve_contact(w, &s));
        TRY(timed(w, &clock, STAGE_ACCEPT, accept, &s));
        if (has[STAGE_AFTER_CONTACT]) TRY(timed(w, &clock, STAGE_AFTER_CONTACT, after_contact, &s));
        if (has[STAGE_AFTER_VELOCITIES]) TRY(timed(w, &clock, STAGE_AFTER_VELOCITIES, after_velocities, &s));
        if (has[STAGE_UPDATE] || w->contact) TRY(timed(w, &clock, STAGE_UPDATE, update_each_substep, &s));
    }
    w->substep = 0;
    TRY(timed(w, &clock, STAGE_UPDATE, update, &frame));
    TRY(timed(w, &clock, STAGE_FRAME, make_frames, &frame));
    return w->warning;
}

ruga_status world_settle(world *w, double time, double blend) {
    if (!isfinite(time)) return fail_argument(w->context, "the time to settle at is %g s; it must be finite", time);
    clear_measures(w);
    w->substep = 0;
    const substep frame = {.time = time, .blend = blend, .environment = &w->environment};
    for (size_t i = 0; i < w->objects.count; i++) {
        world_object *o = &w->objects.items[i];
        if (o->body->interface->settle) TRY(object_note(w, o, NULL, o->body->interface->settle(o->body, &frame)));
        TRY(check_finite(w, o, NULL, "position", o->body->positions, o->body->point_count, time));
    }
    TRY(update(w, &frame));
    TRY(make_frames(w, &frame));
    return w->warning;
}
