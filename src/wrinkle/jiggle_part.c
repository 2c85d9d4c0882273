/* Part "jiggle": at each vertex a damped oscillator that is drawn to the input y and blown at by the wind w,
 *
 *     x'' = ω² (y − x) + 2 ζ ω (y' − x') + a (w − x').
 *
 * Over a step the input goes straight, y' = u = (y₁ − y₀) / dt, and the wind is held. The offset z = x − y then obeys
 *
 *     z'' + 2 c z' + ω² z = a (w − u),     c = ζ ω + a / 2,
 *
 * a damped oscillator under a constant push, whose exact solution is in math/oscillator.c: linear in z, z' and the
 * push, with factors that depend on ω, c and dt alone. They are kept for each vertex until one of these changes.
 *
 * The wind is that at the middle of the step, where the vertex was at its beginning. A part that settles is where all
 * forces balance: z = a w / ω², or 0 where nothing draws it (ω = 0).
 *
 * State: x, x' and the input of the last frame. */
#include "wrinkle/jiggle_part.h"

#include <string.h>

#include "base/memory.h"
#include "base/threads.h"
#include "body/kind.h"
#include "math/oscillator.h"
#include "math/vec3.h"
#include "mesh/carry.h"
#include "mesh/param.h"

#define JIGGLE_BLOCK 1024 /* vertices */
#define JIGGLE_TAG STATE_TAG('J', 'I', 'G', 'L')
#define JIGGLE_VERSION 1
#define TIME_BITS 40
#define TWO_PI 6.28318530717958647692

enum { FREQUENCY, DAMPING, WEIGHT, AIR, PARAM_COUNT };
static const char *const param_names[PARAM_COUNT] = {"frequency", "damping", "weight", "air"};
static const char *const param_units[PARAM_COUNT] = {"Hz", "1", "1", "1/s"};
static const double param_highest[PARAM_COUNT] = {1e6, 1e6, 1, 1e6};

/* The share of a block of vertices in the measures. */
typedef struct block_measure {
    double energy; /* J/kg, the sum */
    double offset; /* m, the greatest */
} block_measure;

typedef struct jiggle_part {
    part base;
    ruga_param first_params[PARAM_COUNT]; /* for the mesh that it was made with */
    ruga_param params[PARAM_COUNT];       /* for the current one */
    arena carried;                        /* memory of these */
    double *values[PARAM_COUNT];          /* (vertices) of each parameter, at the time of the last frame */
    oscillator_step *steps;               /* (vertices) over dt */
    double dt;                            /* s, that the steps are for; negative: none yet */
    size_t count;                         /* vertices */
    vec3 *state;                          /* (3 x vertices) x, m; x', m/s; the last input, m */
    block_measure *blocks;
    size_t energy, offset; /* places among the measures */
} jiggle_part;

static void destroy(part *p) {
    jiggle_part *j = (jiggle_part *)p;
    ruga_context *context = p->context;
    part_release(p);
    for (int k = 0; k < PARAM_COUNT; k++) memory_release(context, j->values[k]);
    RELEASE_ALL(context, j->steps, j->state, j->blocks);
    arena_release(&j->carried);
    memory_release(context, j);
}

/* ---- Parameters and factors of the step. */

/* Evaluates the parameters that change with time; *is_changed: one that the factors depend on is among them. */
static ruga_status evaluate_params(jiggle_part *j, double time, int *is_changed) {
    *is_changed = 0;
    for (int p = 0; p < PARAM_COUNT; p++) {
        if (!param_changes(&j->params[p])) continue;
        TRY(ruga_param_evaluate(&j->params[p], param_names[p], j->base.input, time, j->values[p]));
        if (p != WEIGHT) *is_changed = 1;
    }
    return RUGA_OK;
}

/* Painted values are often the same over whole regions: then the factors of the vertex before serve again. */
static void solve_range(void *argument, size_t begin, size_t end) {
    jiggle_part *j = argument;
    const double *frequency = j->values[FREQUENCY], *damping = j->values[DAMPING], *air = j->values[AIR];
    for (size_t v = begin; v < end; v++) {
        int is_same = v > begin && frequency[v] == frequency[v - 1] && damping[v] == damping[v - 1];
        if (is_same && air[v] == air[v - 1]) {
            j->steps[v] = j->steps[v - 1];
            continue;
        }
        double omega = TWO_PI * frequency[v];
        j->steps[v] = oscillator_solve(omega, damping[v] * omega + 0.5 * air[v], j->dt);
    }
}

/* Differences of times differ in their last bits from frame to frame. They are rounded, so that the factors can stay,
 * and that which ones are used depends on nothing that happened before. */
static double round_time(double dt) {
    int exponent = 0;
    double mantissa = frexp(dt, &exponent);
    return ldexp(rint(ldexp(mantissa, TIME_BITS)), exponent - TIME_BITS);
}

static ruga_status prepare_step(jiggle_part *j, double time, double dt) {
    int is_changed = 0;
    TRY(evaluate_params(j, time, &is_changed));
    if (!is_changed && dt == j->dt) return RUGA_OK;
    j->dt = dt;
    parallel_for(j->base.context, j->count, JIGGLE_BLOCK, solve_range, j);
    return RUGA_OK;
}

/* ---- The step. */

typedef struct jiggle_task {
    jiggle_part *j;
    const ruga_frame *in;
    const environment *environment;
} jiggle_task;

/* Between input and oscillator; exactly one of them where the weight is 0 or 1. */
static vec3 weigh(vec3 input, vec3 place, double weight) {
    if (weight == 0) return input;
    return weight == 1 ? place : vec3_add_scaled(input, vec3_sub(place, input), weight);
}

/* Hands out the vertex and takes its measures; z and z' are relative to the input. */
static void output_vertex(const jiggle_task *task, size_t v, vec3 z, vec3 z_dot, block_measure *block) {
    jiggle_part *j = task->j;
    vec3 input = task->in->positions[v];
    j->state[2 * j->count + v] = input;
    j->base.positions[v] = weigh(input, j->state[v], j->values[WEIGHT][v]);
    double omega = TWO_PI * j->values[FREQUENCY][v];
    block->energy += 0.5 * (vec3_length2(z_dot) + omega * omega * vec3_length2(z));
    block->offset = fmax(block->offset, vec3_distance(j->base.positions[v], input));
}

static void step_range(void *argument, size_t begin, size_t end) {
    const jiggle_task *task = argument;
    jiggle_part *j = task->j;
    vec3 *places = j->state, *velocities = places + j->count;
    const vec3 *before = velocities + j->count, *now = task->in->positions;
    const double *air = j->values[AIR], middle = task->in->time - 0.5 * j->dt;
    block_measure block = {0, 0};
    for (size_t v = begin; v < end; v++) {
        const oscillator_step *s = &j->steps[v];
        vec3 u = vec3_sub(now[v], before[v]);
        u = (vec3){u.x / j->dt, u.y / j->dt, u.z / j->dt};
        vec3 z = vec3_sub(places[v], before[v]), z_dot = vec3_sub(velocities[v], u);
        vec3 z_next = vec3_add_scaled(vec3_scale(z, s->place), z_dot, s->travel);
        vec3 z_dot_next = vec3_add_scaled(vec3_scale(z, s->pull), z_dot, s->speed);
        if (air[v] > 0) {
            vec3 push = vec3_scale(vec3_sub(environment_wind(task->environment, places[v], middle), u), air[v]);
            z_next = vec3_add_scaled(z_next, push, s->lag);
            z_dot_next = vec3_add_scaled(z_dot_next, push, s->travel);
        }
        places[v] = vec3_add(now[v], z_next);
        velocities[v] = vec3_add(u, z_dot_next);
        output_vertex(task, v, z_next, z_dot_next, &block);
    }
    j->blocks[begin / JIGGLE_BLOCK] = block;
}

/* No time has passed: the oscillators are where they are. */
static void stay_range(void *argument, size_t begin, size_t end) {
    const jiggle_task *task = argument;
    jiggle_part *j = task->j;
    block_measure block = {0, 0};
    for (size_t v = begin; v < end; v++)
        output_vertex(task, v, vec3_sub(j->state[v], task->in->positions[v]), j->state[j->count + v], &block);
    j->blocks[begin / JIGGLE_BLOCK] = block;
}

static void settle_range(void *argument, size_t begin, size_t end) {
    const jiggle_task *task = argument;
    jiggle_part *j = task->j;
    block_measure block = {0, 0};
    for (size_t v = begin; v < end; v++) {
        vec3 input = task->in->positions[v], z = {0, 0, 0};
        double omega = TWO_PI * j->values[FREQUENCY][v], air = j->values[AIR][v];
        if (air > 0 && omega * omega > 0)
            z = vec3_scale(environment_wind(task->environment, input, task->in->time), air / (omega * omega));
        j->state[v] = vec3_add(input, z);
        j->state[j->count + v] = (vec3){0, 0, 0};
        output_vertex(task, v, z, (vec3){0, 0, 0}, &block);
    }
    j->blocks[begin / JIGGLE_BLOCK] = block;
}

static void run_task(jiggle_part *j, const ruga_frame *in, const environment *e, range_function *range) {
    jiggle_task task = {j, in, e};
    parallel_for(j->base.context, j->count, JIGGLE_BLOCK, range, &task);

    /* In the order of the blocks, whatever the number of threads. */
    block_measure all = {0, 0};
    for (size_t b = 0; b * JIGGLE_BLOCK < j->count; b++) {
        all.energy += j->blocks[b].energy;
        all.offset = fmax(all.offset, j->blocks[b].offset);
    }
    j->base.measures.items[j->energy].value = j->count > 0 ? all.energy / (double)j->count : 0;
    j->base.measures.items[j->offset].value = all.offset;
}

static ruga_status update(part *p, const body *b, const substep *s, const ruga_frame *in) {
    (void)b;
    jiggle_part *j = (jiggle_part *)p;
    TRY(part_check_frame(p, s, in));
    double dt = round_time(s->dt);
    TRY(prepare_step(j, in->time, dt));
    run_task(j, in, s->environment, dt > 0 ? step_range : stay_range);
    return RUGA_OK;
}

static ruga_status settle(part *p, const body *b, const substep *s, const ruga_frame *in) {
    (void)b;
    jiggle_part *j = (jiggle_part *)p;
    int is_changed = 0;
    TRY(part_check_frame(p, s, in));
    TRY(evaluate_params(j, in->time, &is_changed));
    run_task(j, in, s->environment, settle_range);
    return RUGA_OK;
}

/* ---- State. */

static void save(const part *p, state_writer *writer) {
    const jiggle_part *j = (const jiggle_part *)p;
    const uint64_t count = j->count;
    state_begin(writer, JIGGLE_TAG, JIGGLE_VERSION);
    state_put_u64(writer, &count, 1);
    state_put_f64(writer, &j->state->x, 9 * j->count);
    state_end(writer);
}

static ruga_status load(part *p, state_reader *reader) {
    jiggle_part *j = (jiggle_part *)p;
    uint32_t version = 0;
    uint64_t count = 0;
    state_reader entry;
    TRY(state_enter(reader, JIGGLE_TAG, JIGGLE_VERSION, &version, &entry));
    TRY(state_get_u64(&entry, &count, 1));
    if (count != j->count)
        return fail_input(p->context,
                          "jiggle: the saved state has %llu vertices, but the mesh has %zu; it is of another scene",
                          (unsigned long long)count, j->count);
    return state_get_f64(&entry, &j->state->x, 9 * j->count);
}

static ruga_status rebuild(part *p, const body *b, const part_change *change);

static const part_interface jiggle_interface = {
    .update = update, .settle = settle, .rebuild = rebuild, .save = save, .load = load, .destroy = destroy};

/* ---- Making. */

/* The caller's limits and ours. */
static ruga_param limit_param(ruga_param param, int which) {
    int is_free = param.low == param.high;
    param.low = is_free ? 0 : fmax(param.low, 0);
    param.high = is_free ? param_highest[which] : fmin(param.high, param_highest[which]);
    if (!param.unit) param.unit = param_units[which];
    return param;
}

static ruga_status allocate(jiggle_part *j, const ruga_mesh *input) {
    ruga_context *context = input->context;
    for (int p = 0; p < PARAM_COUNT; p++) TRY(NEW(context, &j->values[p], j->count));
    TRY(NEW(context, &j->steps, j->count));
    TRY(NEW_ZEROED(context, &j->state, 3 * j->count));
    TRY(NEW(context, &j->blocks, j->count / JIGGLE_BLOCK + 1));
    for (size_t v = 0; v < j->count; v++) j->state[v] = j->state[2 * j->count + v] = input->positions[v];
    return RUGA_OK;
}

static ruga_status make(jiggle_part *j, const ruga_mesh *input) {
    TRY(allocate(j, input));
    TRY(part_init(&j->base, &jiggle_interface, "jiggle", input, input));
    j->energy = measure_add(&j->base.measures, "energy", "J/kg");
    j->offset = measure_add(&j->base.measures, "offset", "m");
    for (int p = 0; p < PARAM_COUNT; p++) TRY(param_prepare(&j->params[p], param_names[p], input, j->values[p]));
    return RUGA_OK;
}

ruga_status jiggle_part_create(const ruga_mesh *input, const ruga_jiggle_def *def, part **out) {
    const ruga_param params[PARAM_COUNT] = {def->frequency, def->damping, def->weight, def->air};
    jiggle_part *j;
    TRY(NEW_ZEROED(input->context, &j, 1));
    j->base.context = input->context;
    j->count = input->vertex_count;
    j->dt = -1;
    for (int p = 0; p < PARAM_COUNT; p++) j->first_params[p] = j->params[p] = limit_param(params[p], p);
    RETURN_MADE(make(j, input), &j->base, out, destroy(&j->base));
}

/* Another with the same parameters takes its place, and what is seen and the state are carried over. */
static ruga_status rebuild(part *p, const body *b, const part_change *change) {
    (void)b;
    jiggle_part *j = (jiggle_part *)p, old = *j;
    const ruga_map *from_old = change->input_from_old;
    ruga_param params[PARAM_COUNT];
    arena carried = arena_make(p->context);
    part *made = NULL;
    ruga_status status = RUGA_OK;
    for (int k = 0; k < PARAM_COUNT && !RUGA_FAILED(status); k++)
        status = param_carry(p->context, &old.first_params[k], change->input_from_first, &carried, &params[k]);
    ruga_jiggle_def def = {params[FREQUENCY], params[DAMPING], params[WEIGHT], params[AIR]};
    if (!RUGA_FAILED(status)) status = jiggle_part_create(change->input, &def, &made);
    TRY_OR(status, arena_release(&carried));
    *j = *(jiggle_part *)made;
    j->carried = carried;
    memcpy(j->first_params, old.first_params, sizeof old.first_params);
    ruga_map_apply(from_old, old.base.positions, p->positions);
    for (size_t k = 0; k < 3; k++) ruga_map_apply(from_old, old.state + k * old.count, j->state + k * j->count);
    *(jiggle_part *)made = old;
    destroy(made);
    return RUGA_OK;
}

/* ---- The kind. */

static const ruga_field jiggle_fields[] = {
    {"frequency", RUGA_FIELD_PARAM, AT(ruga_jiggle_def, frequency), .unit = "Hz", .preset = "3", RANGE(0.001, 1000),
     .help = "frequency of the oscillation; a low one lags far behind"},
    {"damping", RUGA_FIELD_PARAM, AT(ruga_jiggle_def, damping), .unit = "1", .preset = "0.2", RANGE(0, 10),
     .help = "fraction of critical damping; 0: undamped, 1: no oscillation"},
    {"weight", RUGA_FIELD_PARAM, AT(ruga_jiggle_def, weight), .unit = "1", .preset = "1", RANGE(0, 1),
     .help = "0 follows the body exactly, 1 is free; paint it to hold some regions"},
    {"air", RUGA_FIELD_PARAM, AT(ruga_jiggle_def, air), .unit = "1/s", .preset = "1", RANGE(0, 1000),
     .help = "acceleration per velocity of the air relative to the vertex"},
};

static ruga_status make_part(build *b, const void *values, part **out) {
    ruga_jiggle_def def = *(const ruga_jiggle_def *)values;
    TRY(build_params(b, b->mesh, &def));
    return b->errors ? RUGA_OK : jiggle_part_create(b->mesh, &def, out);
}

const kind jiggle_part_kind = {
    .section =
        SECTION("jiggle", ruga_jiggle_def, jiggle_fields,
                .help = "Every vertex oscillates about its place on the body as on a spring, and wind moves it."),
    .role = KIND_ON_TOP,
    .flags = KIND_KEEPS_MESH | KIND_FEELS_WIND,
    .make_part = make_part,
};
