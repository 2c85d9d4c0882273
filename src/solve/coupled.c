/* The common solve of bodies that touch; the header has the method. */
#include "solve/coupled.h"

#include <math.h>
#include <string.h>

#include "base/threads.h"
#include "solve/integrators.h"

#define STIFFNESS 30.0      /* of what resists a row locally */
#define ROUNDS 3            /* of solving again, at most: the rest comes with the next substeps */
#define PULLED_ROUNDS 6     /* the same where a part pulls, as seams do: cloth then slides far in a substep */
#define MAPPED_INERTIA 30.0 /* of the inertia of a row's vertices, that mapped surfaces resist by at most (coupled.h) */
#define ROW_BLOCK 256
#define POINT_BLOCK 512
#define SLOW 0.1            /* of the speed that gravity gives in a step, as a root of the mean square: bodies settle */
#define FINE 0.1            /* of the members' tolerance, for those: they would move by the error */
#define PRESS_ERROR 0.02    /* of a row's impulse: less is missing */
#define REPEATS 2           /* of a solve that added energy, at most */
#define HALVINGS 6          /* of the step to its result, where energy rises; after the last it is given up */
#define MOST_RISE 0.25      /* of the energy at the start of a step: a smaller rise is accepted */
#define FRICTION_ERROR 0.05 /* of Coulomb's friction: a smaller error is accepted */

typedef enum row_state { ROW_OFF, ROW_SLIDES, ROW_STICKS } row_state;

/* A row during a solve. */
typedef struct solve_row {
    vec3 normal, tangents[2];
    double weights[4], turns[2][4];
    double stiffness[3];  /* kg, that resists approach and slips in its state */
    uint32_t unknowns[4]; /* over all members, slots behind them; COUPLED_NONE: no solve moves the vertex */
    double mass[2];       /* kg, that resists an impulse along the normal, and along the surface */
    double constant[3];   /* N s: λ + c (target - fixed), λ_t - c_t fixed */
    double fixed[3];      /* m/s */
    double target;        /* m/s */
    double friction, drag;
    double before; /* N s, the normal impulse of the last substep */
    double light;  /* kg, that resists an impulse along the surface if all neighbours slide, too */
    row_state state;
} solve_row;

/* A vertex that is a weighted sum of unknowns. */
typedef struct slot {
    const uint32_t *indices; /* (count) unknowns of its member */
    const double *weights;
    size_t count, offset; /* of the member's unknowns */
    vec3 velocity, push;
} slot;

struct coupled {
    ruga_context *context;
    const coupled_member *members;
    size_t member_count, count; /* of unknowns */
    ARRAY(size_t) offsets;      /* (members + 1) into the unknowns */
    ARRAY(size_t) mapped;       /* (members) into slot_of, of those with a map */
    ARRAY(uint32_t) slot_of;    /* (vertices of mapped members) its slot, or COUPLED_NONE */
    ARRAY(slot) slots;          /* vertices of mapped members that touch */
    ARRAY(vec3 *) residuals;    /* (members) of their own, while they use the common one */
    ARRAY(solve_row) rows;
    ARRAY(point_block) blocks;      /* of all unknowns with rows, rising */
    ARRAY(size_t) block_ends;       /* (members) in blocks; those of slots are behind */
    ARRAY(uint32_t) block_of;       /* (unknowns, slots) in blocks; COUPLED_NONE: none */
    ARRAY(uint32_t) active;         /* rows that press, rising; the most do not */
    ARRAY(uint32_t) entries;        /* (active x 4) places in `pushes`, by blocks */
    ARRAY(uint32_t) block_unknowns; /* (blocks) */
    ARRAY(size_t) entry_ends;       /* (blocks) in entries */
    ARRAY(vec3) pushes;             /* (active x 4) N s, on each vertex of a row */
    cg_scratch scratch;             /* (capacity) */
    vec3 *velocities;               /* (capacity) */
    ARRAY(vec3) kept;               /* (count) velocities of the solve before, while it is repeated */
    ARRAY(double) kept_impulses;    /* (rows x 3) N s, with them */
    size_t capacity;
};

ruga_status coupled_create(ruga_context *context, coupled **out) {
    coupled *self;
    TRY(NEW_ZEROED(context, &self, 1));
    self->context = context;
    *out = self;
    return RUGA_OK;
}

void coupled_destroy(coupled *self) {
    if (!self) return;
    cg_scratch_release(self->context, &self->scratch);
    RELEASE_ALL(self->context, self->offsets.items, self->residuals.items, self->rows.items, self->blocks.items,
                self->block_ends.items, self->block_of.items, self->active.items, self->entries.items,
                self->entry_ends.items, self->block_unknowns.items, self->pushes.items, self->velocities,
                self->mapped.items, self->slot_of.items, self->slots.items, self->kept.items, self->kept_impulses.items,
                self);
}

/* ---- Slots. */

static int is_mapped(const coupled *self, size_t m) { return self->members[m].vertices != NULL; }

/* The velocities of slots, from those of all unknowns. */
static void move_slots(coupled *self, const vec3 *v) {
    for (size_t i = 0; i < self->slots.count; i++) {
        slot *s = &self->slots.items[i];
        s->velocity = (vec3){0, 0, 0};
        for (size_t k = 0; k < s->count; k++)
            s->velocity = vec3_add_scaled(s->velocity, v[s->offset + s->indices[k]], s->weights[k]);
    }
}

static void push_slot(const slot *s, vec3 push, vec3 *out) {
    for (size_t k = 0; k < s->count; k++) {
        vec3 *to = &out[s->offset + s->indices[k]];
        *to = vec3_add_scaled(*to, push, s->weights[k]);
    }
}

/* Adds the impulse on an unknown or a slot. */
static void add_push(const coupled *self, uint32_t unknown, vec3 push, vec3 *out) {
    if (unknown >= self->count)
        push_slot(&self->slots.items[unknown - self->count], push, out);
    else
        out[unknown] = vec3_add(out[unknown], push);
}

/* Finds the slot of a vertex of a mapped member, or adds it; there is room. */
static uint32_t take_slot(coupled *self, uint32_t member, uint32_t vertex) {
    uint32_t *found = &self->slot_of.items[self->mapped.items[member] + vertex];
    if (*found == COUPLED_NONE) {
        const ruga_map *map = self->members[member].vertices;
        size_t begin = map->offsets[vertex];
        *found = (uint32_t)self->slots.count;
        self->slots.items[self->slots.count++] = (slot){.indices = map->indices + begin,
                                                        .weights = map->weights + begin,
                                                        .count = map->offsets[vertex + 1] - begin,
                                                        .offset = self->offsets.items[member]};
    }
    return (uint32_t)(self->count + *found);
}

/* Room for the slots of all vertices. */
static ruga_status clear_slots(coupled *self) {
    size_t count = 0;
    self->mapped.count = self->slot_of.count = self->slots.count = 0;
    TRY(ARRAY_RESERVE(self->context, &self->mapped, self->member_count));
    for (size_t m = 0; m < self->member_count; m++) {
        self->mapped.items[m] = count;
        if (is_mapped(self, m)) count += self->members[m].vertices->rows;
    }
    TRY(ARRAY_RESERVE(self->context, &self->slot_of, count));
    if (count > 0) memset(self->slot_of.items, 0xff, count * sizeof *self->slot_of.items);
    return ARRAY_RESERVE(self->context, &self->slots, count);
}

/* ---- Rows. */

/* bᵀ M b for a symmetric M (xx, yy, zz, xy, xz, yz). */
static double square_of(const double m[6], vec3 b) {
    return m[0] * b.x * b.x + m[1] * b.y * b.y + m[2] * b.z * b.z +
           2 * (m[3] * b.x * b.y + m[4] * b.x * b.z + m[5] * b.y * b.z);
}

/* How approach (k = 0) or a slip changes with the velocity of vertex i. */
static vec3 row_gradient(const solve_row *row, int i, int k) {
    if (k == 0) return vec3_scale(row->normal, row->weights[i]);
    return vec3_add_scaled(vec3_scale(row->tangents[k - 1], row->weights[i]), row->normal, row->turns[k - 1][i]);
}

/* 1/kg: approach or slip that a unit impulse leads to while all other points stay; `more` of the blocks has their
 * inverse. */
static double row_answer(const coupled *self, const solve_row *row, int k) {
    double sum = 0;
    for (int i = 0; i < 4; i++)
        if (row->unknowns[i] != COUPLED_NONE)
            sum += square_of(self->blocks.items[self->block_of.items[row->unknowns[i]]].more, row_gradient(row, i, k));
    return sum;
}

/* Of velocities of all unknowns, which the slots' are up to date with. */
static void row_motion_of(const coupled *self, const solve_row *row, const vec3 *v, double out[3]) {
    vec3 relative = {0, 0, 0};
    double turn[2] = {0, 0};
    for (int i = 0; i < 4; i++) {
        if (row->unknowns[i] == COUPLED_NONE) continue;
        vec3 u = row->unknowns[i] < self->count ? v[row->unknowns[i]]
                                                : self->slots.items[row->unknowns[i] - self->count].velocity;
        double along = vec3_dot(row->normal, u);
        relative = vec3_add_scaled(relative, u, row->weights[i]);
        turn[0] += row->turns[0][i] * along;
        turn[1] += row->turns[1][i] * along;
    }
    out[0] = vec3_dot(row->normal, relative);
    out[1] = vec3_dot(row->tangents[0], relative) + turn[0];
    out[2] = vec3_dot(row->tangents[1], relative) + turn[1];
}

/* The impulses on the four vertices of a row. */
static void row_pushes(const solve_row *row, const double amount[3], vec3 out[4]) {
    vec3 whole = vec3_scale(row->normal, amount[0]);
    for (int k = 0; k < 2; k++) whole = vec3_add_scaled(whole, row->tangents[k], amount[k + 1]);
    for (int i = 0; i < 4; i++) {
        double turn = row->turns[0][i] * amount[1] + row->turns[1][i] * amount[2];
        out[i] = vec3_add_scaled(vec3_scale(whole, row->weights[i]), row->normal, turn);
    }
}

static void add_row(const coupled *self, const solve_row *row, const double amount[3], vec3 *out) {
    vec3 pushes[4];
    row_pushes(row, amount, pushes);
    for (int i = 0; i < 4; i++)
        if (row->unknowns[i] != COUPLED_NONE) add_push(self, row->unknowns[i], pushes[i], out);
}

static void set_state(solve_row *row, row_state state, double drag) {
    row->state = state;
    row->drag = drag;
    row->stiffness[0] = state == ROW_OFF ? 0 : STIFFNESS * row->mass[0];
    row->stiffness[1] = row->stiffness[2] = state == ROW_STICKS ? STIFFNESS * row->mass[1] : drag;
}

/* N s: the impulses of a row that moves like this, without its fixed part. */
static void row_impulse(const solve_row *row, const double motion[3], double out[3]) {
    out[0] = row->state == ROW_OFF ? 0 : row->constant[0] - row->stiffness[0] * motion[0];
    for (int k = 1; k < 3; k++) {
        out[k] = row->state == ROW_STICKS ? row->constant[k] - row->stiffness[k] * motion[k] : 0;
        if (row->state == ROW_SLIDES) out[k] = -row->drag * (motion[k] + row->fixed[k]);
    }
}

/* A row's part of the right-hand side: its impulses without motion. */
static void row_constant(const solve_row *row, double out[3]) { row_impulse(row, (const double[3]){0, 0, 0}, out); }

/* λ becomes the impulse that the row has now, k of 0 to 2. Returns how much is missing of it. */
static double take_multiplier(solve_row *row, int k, double stiffness, double impulse, double motion) {
    double missing = stiffness * ((k == 0 ? row->target : 0) - row->fixed[k] - motion);
    row->constant[k] = impulse + missing + stiffness * motion;
    return fabs(missing);
}

/* Of a row that presses: sticks, or slides against another drag. */
static int update_friction(solve_row *row, const double motion[3], double press) {
    double impulse[3], stick = STIFFNESS * row->mass[1], most = row->friction * press;
    row_impulse(row, motion, impulse);
    double rub = hypot(impulse[1], impulse[2]);
    if (row->state == ROW_STICKS && rub > most) {
        set_state(row, ROW_SLIDES, fmin(most * row->light / (rub - most), stick));
        return 1;
    }
    if (row->state == ROW_SLIDES) {
        double slip = hypot(motion[1] + row->fixed[1], motion[2] + row->fixed[2]);
        double drag = slip > 0 ? most / slip : stick;
        if (fabs(rub - most) <= FRICTION_ERROR * most) return 0;
        set_state(row, drag >= stick ? ROW_STICKS : ROW_SLIDES, drag >= stick ? 0 : drag);
        if (row->state == ROW_SLIDES) return 1;
    }
    double missing = 0;
    for (int k = 1; k < 3; k++) missing += take_multiplier(row, k, stick, impulse[k], motion[k]);
    return missing > PRESS_ERROR * most;
}

/* Of a row that begins to press: it slides if it slips so fast that friction can't stop it. If all rows began by
 * sticking, those that begin in the last rounds, as pairs do that cloth gets while it slides, would hold the cloth by
 * more than its friction. */
static void start_friction(solve_row *row, const double motion[3], double press) {
    double stick = STIFFNESS * row->mass[1];
    double most = row->friction * (row->before > 0 ? fmin(row->before, press) : press);
    double slip = hypot(motion[1] + row->fixed[1], motion[2] + row->fixed[2]);
    int slides = most < stick * slip;
    set_state(row, slides ? ROW_SLIDES : ROW_STICKS, slides ? most / slip : 0);
}

/* Chooses state and multipliers for the next round by the motion of this one; returns whether they change much. */
static int update_row(solve_row *row, const double motion[3]) {
    double stiffness = STIFFNESS * row->mass[0], press = row->constant[0] - stiffness * motion[0];
    row_state before = row->state;
    int has_friction = row->friction > 0 && row->mass[1] > 0;
    if (!(press > 0)) {
        set_state(row, ROW_OFF, 0);
        return before != ROW_OFF;
    }
    if (before == ROW_OFF) {
        set_state(row, ROW_SLIDES, 0);
        if (has_friction) start_friction(row, motion, press);
        return 1;
    }
    int changes = has_friction && update_friction(row, motion, press);
    return take_multiplier(row, 0, stiffness, press, motion[0]) > PRESS_ERROR * press || changes;
}

/* ---- Set-up. */

static ruga_status make_room(coupled *self) {
    self->offsets.count = self->block_ends.count = self->residuals.count = 0;
    TRY(ARRAY_RESERVE(self->context, &self->residuals, self->member_count));
    TRY(ARRAY_RESERVE(self->context, &self->offsets, self->member_count + 1));
    TRY(ARRAY_RESERVE(self->context, &self->block_ends, self->member_count));
    self->count = 0;
    for (size_t m = 0; m < self->member_count; m++) {
        self->offsets.items[self->offsets.count++] = self->count;
        self->count += self->members[m].solver->unknowns.count;
    }
    self->offsets.items[self->offsets.count++] = self->count;
    if (self->count <= self->capacity) return RUGA_OK;
    cg_scratch_release(self->context, &self->scratch);
    memory_release(self->context, self->velocities);
    self->velocities = NULL;
    self->capacity = 0;
    TRY(cg_scratch_make(self->context, self->count, &self->scratch));
    TRY(NEW(self->context, &self->velocities, self->count));
    self->capacity = self->count;
    return RUGA_OK;
}

/* The block of a slot: what its unknowns' add up to along it. */
static void make_slot_blocks(coupled *self) {
    for (size_t i = 0; i < self->slots.count; i++) {
        const slot *s = &self->slots.items[i];
        self->block_of.items[self->count + i] = (uint32_t)self->blocks.count;
        self->block_unknowns.items[self->blocks.count] = (uint32_t)(self->count + i);
        point_block *block = &self->blocks.items[self->blocks.count++];
        memset(block->more, 0, sizeof block->more);
        for (size_t k = 0; k < s->count; k++) {
            const double *of = self->blocks.items[self->block_of.items[s->offset + s->indices[k]]].more;
            for (int e = 0; e < 6; e++) block->more[e] += s->weights[k] * s->weights[k] * of[e];
        }
    }
}

/* Blocks of the unknowns that rows reach, member by member; `more` holds the inverse of `base` at first. */
static ruga_status make_blocks(coupled *self) {
    size_t most = 4 * self->rows.count + self->slots.count;
    for (size_t i = 0; i < self->slots.count; i++) most += self->slots.items[i].count;
    self->block_of.count = self->blocks.count = self->block_unknowns.count = 0;
    TRY(ARRAY_RESERVE(self->context, &self->block_of, self->count + self->slots.count));
    TRY(ARRAY_RESERVE(self->context, &self->blocks, most));
    TRY(ARRAY_RESERVE(self->context, &self->block_unknowns, most));
    memset(self->block_of.items, 0xff, (self->count + self->slots.count) * sizeof *self->block_of.items);
    for (size_t r = 0; r < self->rows.count; r++)
        for (int i = 0; i < 4; i++)
            if (self->rows.items[r].unknowns[i] != COUPLED_NONE)
                self->block_of.items[self->rows.items[r].unknowns[i]] = 0;
    for (size_t i = 0; i < self->slots.count; i++)
        for (size_t k = 0; k < self->slots.items[i].count; k++)
            self->block_of.items[self->slots.items[i].offset + self->slots.items[i].indices[k]] = 0;
    for (size_t m = 0; m < self->member_count; m++) {
        const integrator *solver = self->members[m].solver;
        size_t begin = self->blocks.count;
        for (size_t u = self->offsets.items[m]; u < self->offsets.items[m + 1]; u++) {
            if (self->block_of.items[u] == COUPLED_NONE) continue;
            self->block_of.items[u] = (uint32_t)self->blocks.count;
            self->block_unknowns.items[self->blocks.count] = (uint32_t)u;
            point_block *block = &self->blocks.items[self->blocks.count++];
            block->point = (uint32_t)(u - self->offsets.items[m]);
            const double *b = solver->inverse_blocks + INVERSE_NUMBERS * block->point;
            memcpy(block->more, (double[6]){b[0], b[5], b[10], b[1], b[2], b[6]}, sizeof block->more);
        }
        self->block_ends.items[self->block_ends.count++] = self->blocks.count;
        gradients_take_blocks(solver, self->blocks.items + begin, self->blocks.count - begin);
    }
    make_slot_blocks(self);
    return RUGA_OK;
}

static ruga_status reserve_entries(coupled *self) {
    self->active.count = self->entries.count = self->entry_ends.count = self->pushes.count = 0;
    TRY(ARRAY_RESERVE(self->context, &self->active, self->rows.count));
    TRY(ARRAY_RESERVE(self->context, &self->entries, 4 * self->rows.count));
    TRY(ARRAY_RESERVE(self->context, &self->pushes, 4 * self->rows.count));
    return ARRAY_RESERVE(self->context, &self->entry_ends, self->blocks.count + 1);
}

/* The block of vertex e % 4 of the active row e / 4, or COUPLED_NONE. */
static uint32_t entry_block(const coupled *self, size_t e) {
    uint32_t u = self->rows.items[self->active.items[e / 4]].unknowns[e % 4];
    return u == COUPLED_NONE ? COUPLED_NONE : self->block_of.items[u];
}

/* The rows that press, and for every unknown with rows, where their impulses on it are. */
static void list_entries(coupled *self) {
    size_t *ends = self->entry_ends.items;
    self->active.count = 0;
    for (size_t r = 0; r < self->rows.count; r++)
        if (self->rows.items[r].state != ROW_OFF) self->active.items[self->active.count++] = (uint32_t)r;
    memset(ends, 0, (self->blocks.count + 1) * sizeof *ends);
    for (size_t e = 0; e < 4 * self->active.count; e++)
        if (entry_block(self, e) != COUPLED_NONE) ends[entry_block(self, e) + 1]++;
    for (size_t k = 1; k <= self->blocks.count; k++) ends[k] += ends[k - 1];
    for (size_t e = 0; e < 4 * self->active.count; e++)
        if (entry_block(self, e) != COUPLED_NONE) self->entries.items[ends[entry_block(self, e)]++] = (uint32_t)e;
}

/* 1/kg, of a vertex whose neighbours do not resist. */
static double inverse_inertia(const coupled *self, uint32_t member, uint32_t vertex) {
    const coupled_member *m = &self->members[member];
    if (!m->vertices) return 1 / m->solver->masses[vertex];
    double sum = 0;
    for (size_t e = m->vertices->offsets[vertex]; e < m->vertices->offsets[vertex + 1]; e++)
        sum += m->vertices->weights[e] * m->vertices->weights[e] / m->solver->unknowns.masses[m->vertices->indices[e]];
    return sum;
}

/* kg, that resists an impulse along the surface if all neighbours slide, too. */
static double light_mass(const coupled *self, const coupled_row *row) {
    double inverse = 0;
    for (int i = 0; i < 4; i++)
        if (row->members[i] != COUPLED_NONE)
            inverse +=
                row->row->weights[i] * row->row->weights[i] * inverse_inertia(self, row->members[i], row->vertices[i]);
    return inverse > 0 ? 1 / inverse : 0;
}

static int touches_mapped(const coupled *self, const coupled_row *row) {
    for (int i = 0; i < 4; i++)
        if (row->members[i] != COUPLED_NONE && is_mapped(self, row->members[i])) return 1;
    return 0;
}

static ruga_status make_rows(coupled *self, const coupled_row *rows, size_t count) {
    self->rows.count = 0;
    TRY(ARRAY_RESERVE(self->context, &self->rows, count));
    TRY(clear_slots(self));
    for (size_t r = 0; r < count; r++) {
        const coupled_row *from = &rows[r];
        solve_row *row = &self->rows.items[self->rows.count++];
        *row = (solve_row){.normal = from->row->normal, .friction = from->row->friction};
        memcpy(row->tangents, from->row->tangents, sizeof row->tangents);
        memcpy(row->weights, from->row->weights, sizeof row->weights);
        memcpy(row->turns, from->row->turns, sizeof row->turns);
        for (int i = 0; i < 4; i++) {
            uint32_t m = from->members[i], vertex = from->vertices[i];
            row->unknowns[i] = COUPLED_NONE;
            if (m != COUPLED_NONE)
                row->unknowns[i] =
                    is_mapped(self, m) ? take_slot(self, m, vertex) : (uint32_t)(self->offsets.items[m] + vertex);
        }
        memcpy(row->fixed, from->fixed, sizeof row->fixed);
    }
    TRY(make_blocks(self));
    TRY(reserve_entries(self));
    for (size_t r = 0; r < count; r++) {
        const contact_row *from = rows[r].row;
        solve_row *row = &self->rows.items[r];
        double answers[3];
        for (int k = 0; k < 3; k++) answers[k] = row_answer(self, row, k);
        double slip = fmax(answers[1], answers[2]);
        row->mass[0] = answers[0] > 0 ? 1 / answers[0] : 0;
        row->mass[1] = slip > 0 ? 1 / slip : 0;
        row->target = from->target;
        row->before = from->impulse[0];
        row->light = light_mass(self, &rows[r]);
        for (int k = 0; k < 2 && touches_mapped(self, &rows[r]); k++)
            row->mass[k] = fmin(row->mass[k], MAPPED_INERTIA * row->light);
        row->constant[0] = from->impulse[0] + STIFFNESS * row->mass[0] * (from->target - row->fixed[0]);
        for (int k = 1; k < 3; k++) row->constant[k] = from->impulse[k] - STIFFNESS * row->mass[1] * row->fixed[k];
    }
    return RUGA_OK;
}

/* Points that touch others are likely to move on as before, and not to fall. */
static void guess_touching(coupled *self) {
    for (size_t m = 0, k = 0; m < self->member_count; m++) {
        const integrator *solver = self->members[m].solver;
        for (; k < self->block_ends.items[m]; k++) {
            uint32_t point = self->blocks.items[k].point;
            if (solver->held[point] == HOLD_NOT)
                self->velocities[self->block_unknowns.items[k]] =
                    solver->bound.space ? (vec3){0, 0, 0} : bound_step_velocities(solver->step)[point];
        }
    }
}

/* The rows that press at the first guess begin by sticking. */
static void start_rows(coupled *self) {
    move_slots(self, self->velocities);
    for (size_t r = 0; r < self->rows.count; r++) {
        double motion[3], constant[3];
        solve_row *row = &self->rows.items[r];
        row_motion_of(self, row, self->velocities, motion);
        update_row(row, motion);
        row_constant(row, constant);
        add_row(self, row, constant, self->scratch.residual);
    }
    list_entries(self);
}

/* ---- The linear system. */

typedef struct row_task {
    coupled *self;
    const vec3 *in;
    vec3 *out;
} row_task;

static void push_rows(void *argument, size_t begin, size_t end) {
    const row_task *task = argument;
    for (size_t k = begin; k < end; k++) {
        const solve_row *row = &task->self->rows.items[task->self->active.items[k]];
        vec3 *pushes = task->self->pushes.items + 4 * k;
        double motion[3];
        row_motion_of(task->self, row, task->in, motion);
        for (int i = 0; i < 3; i++) motion[i] *= row->stiffness[i];
        row_pushes(row, motion, pushes);
    }
}

static void gather_pushes(void *argument, size_t begin, size_t end) {
    const row_task *task = argument;
    const coupled *self = task->self;
    for (size_t k = begin; k < end; k++) {
        uint32_t u = self->block_unknowns.items[k];
        vec3 *out = u < self->count ? task->out + u : &self->slots.items[u - self->count].push;
        if (u >= self->count) *out = (vec3){0, 0, 0};
        for (size_t e = k > 0 ? self->entry_ends.items[k - 1] : 0; e < self->entry_ends.items[k]; e++)
            *out = vec3_add(*out, self->pushes.items[self->entries.items[e]]);
    }
}

static ruga_status apply(void *user, const vec3 *in, vec3 *out) {
    coupled *self = user;
    row_task task = {self, in, out};
    for (size_t m = 0; m < self->member_count; m++)
        TRY(gradients_apply(self->members[m].solver, in + self->offsets.items[m], out + self->offsets.items[m]));
    move_slots(self, in);
    parallel_for(self->context, self->active.count, ROW_BLOCK, push_rows, &task);
    parallel_for(self->context, self->blocks.count, POINT_BLOCK, gather_pushes, &task);
    for (size_t i = 0; i < self->slots.count; i++) push_slot(&self->slots.items[i], self->slots.items[i].push, out);
    return RUGA_OK;
}

static void precondition(void *user, const vec3 *in, vec3 *out) {
    coupled *self = user;
    for (size_t m = 0; m < self->member_count; m++)
        gradients_precondition(self->members[m].solver, in + self->offsets.items[m], out + self->offsets.items[m]);
}

static void begin_round(coupled *self, int round, int iterations) {
    for (size_t k = 0; k < self->blocks.count; k++)
        memset(self->blocks.items[k].more, 0, sizeof self->blocks.items[k].more);
    for (size_t r = 0; r < self->active.count; r++) {
        const solve_row *row = &self->rows.items[self->active.items[r]];
        for (int i = 0; i < 4; i++) {
            if (row->unknowns[i] == COUPLED_NONE) continue;
            double *more = self->blocks.items[self->block_of.items[row->unknowns[i]]].more;
            for (int k = 0; k < 3; k++) {
                vec3 a = row_gradient(row, i, k);
                const double products[6] = {a.x * a.x, a.y * a.y, a.z * a.z, a.x * a.y, a.x * a.z, a.y * a.z};
                for (int e = 0; e < 6; e++) more[e] += row->stiffness[k] * products[e];
            }
        }
    }
    for (size_t i = 0; i < self->slots.count; i++) {
        const slot *s = &self->slots.items[i];
        const double *from = self->blocks.items[self->block_of.items[self->count + i]].more;
        for (size_t k = 0; k < s->count; k++) {
            double *more = self->blocks.items[self->block_of.items[s->offset + s->indices[k]]].more;
            for (int e = 0; e < 6; e++) more[e] += s->weights[k] * s->weights[k] * from[e];
        }
    }
    for (size_t m = 0, begin = 0; m < self->member_count; begin = self->block_ends.items[m++])
        gradients_begin_round_with(self->members[m].solver, round, iterations, self->blocks.items + begin,
                                   self->block_ends.items[m] - begin);
}

/* ---- Rounds. */

/* Changes the states that are wrong, of holds and rows, and the residual with them; returns how many, and how many of
 * holds. */
static size_t change_states(coupled *self, int round, size_t *holds) {
    *holds = 0;
    for (size_t m = 0; m < self->member_count; m++)
        *holds += holds_change(self->members[m].solver, round, self->velocities + self->offsets.items[m]);
    size_t count = *holds;
    move_slots(self, self->velocities);
    for (size_t r = 0; r < self->rows.count; r++) {
        solve_row *row = &self->rows.items[r];
        double motion[3], before[3], after[3];
        row_motion_of(self, row, self->velocities, motion);
        row_impulse(row, motion, before);
        count += (size_t)update_row(row, motion);
        row_impulse(row, motion, after);
        for (int k = 0; k < 3; k++) after[k] -= before[k];
        add_row(self, row, after, self->scratch.residual);
    }
    list_entries(self);
    return count;
}

/* The finest tolerance and the most iterations of all members. */
static void find_limits(const coupled *self, double *tolerance, int *most) {
    *tolerance = INFINITY;
    *most = 0;
    for (size_t m = 0; m < self->member_count; m++) {
        const integrator_def *def = &self->members[m].solver->def;
        *tolerance = fmin(*tolerance, integrator_tolerance(self->members[m].solver));
        if (def->most_iterations > *most) *most = def->most_iterations;
    }
}

/* Whether the velocities at the start are small against those that gravity gives, whose Σ m |h g|² is the scale. */
static int settles(const coupled *self, double scale) {
    double sum = 0;
    for (size_t m = 0; m < self->member_count; m++) {
        const integrator *solver = self->members[m].solver;
        const vec3 *v = bound_step_velocities(solver->step);
        for (size_t i = 0; i < solver->point_count; i++) sum += solver->masses[i] * vec3_length2(v[i]);
    }
    return sum < SLOW * SLOW * scale;
}

static int most_rounds(const coupled *self) {
    for (size_t m = 0; m < self->member_count; m++)
        if (self->members[m].solver->step->force_product) return PULLED_ROUNDS;
    return ROUNDS;
}

/* Moves velocities to where the holds allow them; the residual becomes the right-hand side again. */
static ruga_status follow_holds(coupled *self) {
    TRY(apply(self, self->velocities, self->scratch.product));
    for (size_t i = 0; i < self->count; i++)
        self->scratch.residual[i] = vec3_add(self->scratch.residual[i], self->scratch.product[i]);
    for (size_t m = 0; m < self->member_count; m++)
        holds_apply(self->members[m].solver, self->velocities + self->offsets.items[m]);
    return RUGA_OK;
}

static ruga_status solve_rounds(coupled *self, cg_system *system, double scale, cg_report *sum) {
    double tolerance;
    int most;
    const int rounds = most_rounds(self);
    find_limits(self, &tolerance, &most);
    if (settles(self, scale)) tolerance *= FINE;
    for (int round = 0, longest = 0;; round++) {
        int is_last = round >= rounds;
        cg_report report;
        begin_round(self, round, longest);
        TRY(cg_solve(system, &self->scratch, scale, tolerance * (is_last ? 1 : HOLDS_ROUGH), most, self->velocities,
                     &report));
        longest = report.iterations > longest ? report.iterations : longest;
        report.iterations += sum->iterations;
        *sum = report;
        if (is_last) return RUGA_OK;
        if (round == 0) scale = report.whole;
        size_t holds;
        if (change_states(self, round, &holds) == 0) round = rounds - 1;
        system->has_residual = holds == 0;
        if (holds > 0) TRY(follow_holds(self));
    }
}

/* The members' residuals are parts of the common one while they are solved together. */
static void lend_residuals(coupled *self) {
    for (size_t m = 0; m < self->member_count; m++) {
        cg_scratch *scratch = &self->members[m].solver->scratch;
        self->residuals.items[m] = scratch->residual;
        scratch->residual = self->scratch.residual + self->offsets.items[m];
    }
}

static void finish(coupled *self, const coupled_row *rows, const cg_report *report) {
    for (size_t m = 0; m < self->member_count; m++) {
        integrator *solver = self->members[m].solver;
        const vec3 *v = self->velocities + self->offsets.items[m];
        holds_finish(solver, v);
        memcpy(solver->guess, v, solver->unknowns.count * sizeof *v);
        gradients_end(solver);
        integrator_report *out = self->members[m].report;
        out->iterations += report->iterations;
        out->residual = report->residual;
        out->converged = report->converged;
        out->is_two_level = solver->is_two_level;
    }
    move_slots(self, self->velocities);
    for (size_t r = 0; r < self->rows.count; r++) {
        double motion[3];
        contact_row *to = rows[r].row;
        row_motion_of(self, &self->rows.items[r], self->velocities, motion);
        row_impulse(&self->rows.items[r], motion, to->impulse);
        to->impulse[0] = fmax(to->impulse[0], 0);
        double rub = hypot(to->impulse[1], to->impulse[2]), most = to->friction * to->impulse[0];
        for (int k = 1; k < 3 && rub > most; k++) to->impulse[k] *= most / rub;
        to->solved = 1;
    }
}

/* again: the members' guesses are a solution, and the rows have its impulses. */
static ruga_status solve_together(coupled *self, const coupled_row *rows, size_t row_count, int again) {
    double scale = 0;
    TRY(make_room(self));
    TRY(make_rows(self, rows, row_count));
    for (size_t m = 0; m < self->member_count; m++) {
        integrator *solver = self->members[m].solver;
        size_t size = solver->unknowns.count * sizeof(vec3), at = self->offsets.items[m];
        holds_mark(solver, solver->guess);
        memcpy(self->scratch.residual + at, solver->scratch.residual, size);
        memcpy(self->velocities + at, solver->guess, size);
        scale += solver->scale;
    }
    lend_residuals(self);
    if (!again) guess_touching(self);
    start_rows(self);
    cg_system system = {self->context, self->count, apply, precondition, self, NULL, 0};
    cg_report report = {0};
    ruga_status status = solve_rounds(self, &system, scale, &report);
    finish(self, rows, &report);
    for (size_t m = 0; m < self->member_count; m++)
        self->members[m].solver->scratch.residual = self->residuals.items[m];
    return status;
}

/* ---- Solving once more. */

/* Over all members that are not bound. */
static ruga_status sum_energies(coupled *self, step_energies *out) {
    *out = (step_energies){0};
    for (size_t m = 0; m < self->member_count; m++) {
        step_energies one;
        if (self->members[m].solver->bound.space) continue;
        TRY(gradients_energies(self->members[m].solver, &one));
        out->before += one.before;
        out->after += one.after;
        out->merit += one.merit;
    }
    return RUGA_OK;
}

static double sum_errors(const coupled *self) {
    double sum = 0;
    for (size_t m = 0; m < self->member_count; m++)
        if (!self->members[m].solver->bound.space) sum += gradients_model_error(self->members[m].solver);
    return sum;
}

static ruga_status begin_again(coupled *self) {
    for (size_t m = 0; m < self->member_count; m++)
        if (!self->members[m].solver->bound.space) TRY(gradients_begin_again(self->members[m].solver));
    return RUGA_OK;
}

static ruga_status keep_answer(coupled *self, const coupled_row *rows, size_t row_count) {
    self->kept.count = self->kept_impulses.count = 0;
    TRY(ARRAY_RESERVE(self->context, &self->kept, self->count));
    TRY(ARRAY_RESERVE(self->context, &self->kept_impulses, 3 * row_count));
    memcpy(self->kept.items, self->velocities, self->count * sizeof *self->kept.items);
    for (size_t r = 0; r < row_count; r++)
        memcpy(self->kept_impulses.items + 3 * r, rows[r].row->impulse, sizeof rows[r].row->impulse);
    return RUGA_OK;
}

/* Goes back towards the answer that was kept, by a part of the difference. Both fulfil the conditions of rows and
 * holds, which are linear, and so does what lies between them. */
static void go_back(coupled *self, const coupled_row *rows, size_t row_count, double part) {
    for (size_t i = 0; i < self->count; i++)
        self->velocities[i] = vec3_mix(self->velocities[i], self->kept.items[i], part);
    for (size_t m = 0; m < self->member_count; m++) {
        integrator *solver = self->members[m].solver;
        memcpy(solver->guess, self->velocities + self->offsets.items[m], solver->unknowns.count * sizeof(vec3));
        gradients_end(solver);
    }
    for (size_t r = 0; r < row_count; r++)
        for (int k = 0; k < 3; k++)
            rows[r].row->impulse[k] += part * (self->kept_impulses.items[3 * r + (size_t)k] - rows[r].row->impulse[k]);
}

/* The most Newton iterations of a member. */
static int newton_of(const coupled *self) {
    int newton = 1;
    for (size_t m = 0; m < self->member_count; m++)
        if (self->members[m].solver->def.newton > newton) newton = self->members[m].solver->def.newton;
    return newton;
}

/* A second Newton iteration, with a search along the line to its result: the energies at the end of the step become
 * `sum`. */
static ruga_status solve_again(coupled *self, const coupled_row *rows, size_t row_count, step_energies *sum) {
    const double merit = sum->merit;
    TRY(keep_answer(self, rows, row_count));
    TRY(begin_again(self));
    TRY(solve_together(self, rows, row_count, 1));
    TRY(sum_energies(self, sum));
    for (int i = 0; i < HALVINGS && sum->merit > merit; i++) {
        go_back(self, rows, row_count, i < HALVINGS - 1 ? 0.5 : 1);
        TRY(sum_energies(self, sum));
    }
    return RUGA_OK;
}

/* Whether the last Newton iteration changed the velocities of no member by more than its tolerance. */
static int newton_ends(const coupled *self) {
    for (size_t m = 0; m < self->member_count; m++) {
        const integrator *solver = self->members[m].solver;
        const vec3 *v = self->velocities + self->offsets.items[m], *kept = self->kept.items + self->offsets.items[m];
        double change = 0, whole = 0;
        for (size_t i = 0; i < solver->unknowns.count; i++) {
            change += solver->unknowns.masses[i] * vec3_length2(vec3_sub(v[i], kept[i]));
            whole += solver->unknowns.masses[i] * vec3_length2(v[i]);
        }
        if (change > solver->def.tolerance * solver->def.tolerance * fmax(whole, solver->scale)) return 0;
    }
    return 1;
}

ruga_status coupled_solve(coupled *self, const coupled_member *members, size_t member_count, const coupled_row *rows,
                          size_t row_count, int may_repeat) {
    if (row_count == 0) {
        for (size_t m = 0; m < member_count; m++) TRY(integrator_finish(members[m].solver, members[m].report));
        return RUGA_OK;
    }
    self->members = members;
    self->member_count = member_count;
    TRY(solve_together(self, rows, row_count, 0));
    if (!may_repeat) return RUGA_OK;
    step_energies sum;
    TRY(sum_energies(self, &sum));
    const int newton = newton_of(self);
    for (int k = 1; k < newton; k++) {
        TRY(solve_again(self, rows, row_count, &sum));
        if (newton_ends(self)) break;
    }
    for (int i = 0; newton == 1 && i < REPEATS && sum.after > (1 + MOST_RISE) * sum.before; i++) {
        if (i == 0 && sum_errors(self) <= MOST_RISE * sum.before) break;
        TRY(solve_again(self, rows, row_count, &sum));
    }
    return RUGA_OK;
}
