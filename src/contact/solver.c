/* The orchestration: see the header for the plan. What is made once for a set of surfaces is in `set`; what changes from substep to
 * substep and is saved is the repulsion's history and the list of what intersects. */
#include "contact/solver.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"
#include "contact/astray.h"
#include "contact/bad_ways.h"
#include "contact/collider_mesh.h"
#include "contact/impacts.h"
#include "contact/tangle.h"
#include "contact/zones.h"
#include "math/vec3.h"

#define THINNEST 1e-3 /* of the mean edge: the thickness of what moves and has none */
#define PLACES 3      /* intersections that a message names */
#define WIDEST 4.0    /* of the greatest thickness: how differently what a zone touches may move, or the piece is cut */
#define NARROWEST 0.5 /* the same: what is stuck though they move less differently is not cut for it */
#define MOST_HALVES 12 /* of halves, for that */
#define SOLVER_TAG STATE_TAG('S', 'O', 'L', 'V')
#define SOLVER_VERSION 1

typedef struct solver {
    contact base;
    contact_def def; /* exclusions and colliders are copies; colliders holds planes alone */
    char **names;    /* (2 exclusions) */
    collider *planes;
    collider_surface *own; /* the other colliders */
    size_t own_count;
    repulsion *repulsion;
    tangle tangle;
    astray astray;
    int started; /* the start was looked at */

    /* For the present set of surfaces. */
    ARRAY(contact_surface *) surfaces; /* given and own */
    contact_mesh *mesh;
    broad *broad;
    ways ways;
    zones zones;
    impacts impacts;
    ARRAY(broad_exclusion) exclusions;
    double *thickness;            /* (parts) m, of those that had none; 0: they had */
    vec3 *start, *wanted;         /* (vertices) m: of the whole substep; ends as repulsion left them */
    vec3 *rates;                  /* (vertices) m, the ways of the last piece as if it were the whole substep */
    contact_hold *holds;          /* (vertices) */
    ARRAY(unsigned char) ignored; /* (pairs that are near) */

    double pinched_before; /* the measure, at the start of the substep */
    size_t touching, impact_count, rounds, in_zones, cuts, pinched, intersections; /* measures */
} solver;

/* ---- The set of surfaces. */

static void release_set(solver *s) {
    ruga_context *context = s->base.context;
    ways_release(&s->ways);
    zones_release(&s->zones);
    broad_destroy(s->broad);
    contact_mesh_destroy(s->mesh);
    memory_release(context, s->thickness);
    memory_release(context, s->start);
    memory_release(context, s->wanted);
    memory_release(context, s->rates);
    memory_release(context, s->holds);
    s->broad = NULL;
    s->mesh = NULL;
    s->thickness = NULL;
    s->start = s->wanted = s->rates = NULL;
    s->holds = NULL;
}

static int is_named(const contact_surface *surface, const char *name) {
    return surface->name && strcmp(surface->name, name) == 0;
}

/* Every surface has the name of its object, and an object may have several. */
static ruga_status find_exclusion(solver *s, const contact_exclusion *exclusion) {
    size_t found[2] = {0, 0};
    for (size_t i = 0; i < s->surfaces.count; i++) {
        found[0] += (size_t)is_named(s->surfaces.items[i], exclusion->names[0]);
        found[1] += (size_t)is_named(s->surfaces.items[i], exclusion->names[1]);
        for (size_t k = 0; k < s->surfaces.count; k++) {
            if (!is_named(s->surfaces.items[i], exclusion->names[0])) break;
            if (!is_named(s->surfaces.items[k], exclusion->names[1])) continue;
            TRY(ARRAY_RESERVE(s->base.context, &s->exclusions, 1));
            s->exclusions.items[s->exclusions.count++] = (broad_exclusion){{(uint32_t)i, (uint32_t)k}};
        }
    }
    for (int k = 0; k < 2; k++)
        if (found[k] == 0)
            return fail_with(
                s->base.context, RUGA_ERROR_INPUT,
                "contact between \"%s\" and \"%s\" is excluded, but nothing that collides is called \"%s\"",
                exclusion->names[0], exclusion->names[1], exclusion->names[k]);
    return RUGA_OK;
}

static ruga_status find_exclusions(solver *s) {
    s->exclusions.count = 0;
    for (size_t i = 0; i < s->def.exclusion_count; i++) TRY(find_exclusion(s, &s->def.exclusions[i]));
    s->tangle.exclusions = s->exclusions.items;
    s->tangle.exclusion_count = s->exclusions.count;
    return RUGA_OK;
}

static size_t edges_end(const contact_mesh *m, size_t part) {
    return part + 1 < m->part_count ? m->parts[part + 1].first_edge : m->edge_count;
}

/* Shortest and mean edge at rest. */
static void measure_edges(const contact_mesh *m, size_t part, double *shortest, double *mean) {
    size_t begin = m->parts[part].first_edge, end = edges_end(m, part);
    *shortest = INFINITY;
    *mean = 0;
    for (size_t e = begin; e < end; e++) {
        double length = vec3_distance(m->rest[m->edges[2 * e]], m->rest[m->edges[2 * e + 1]]);
        *shortest = fmin(*shortest, length);
        *mean += length / (double)(end - begin);
    }
}

/* A thickness that makes no sense is an error; what moves and has none gets a small one; one that is larger than edges are
 * is told. */
static ruga_status look_at_thickness(solver *s) {
    const contact_mesh *m = s->mesh;
    for (size_t i = 0; i < m->part_count; i++) {
        const contact_part *part = &m->parts[i];
        const char *name = part->name ? part->name : "a surface";
        double shortest, mean;
        if (!isfinite(part->thickness) || part->thickness < 0)
            return fail_with(s->base.context, RUGA_ERROR_INPUT,
                             "object \"%s\": its thickness for contact is %g m; give it one that is not negative", name,
                             part->thickness);
        if (!part->moving) continue;
        measure_edges(m, i, &shortest, &mean);
        if (part->thickness == 0) {
            s->thickness[i] = mean > 0 ? THINNEST * mean : THINNEST;
            log_warning(s->base.context,
                        "object \"%s\" has no thickness for contact: it gets %g m, a thousandth of its mean edge", name,
                        s->thickness[i]);
        } else if (part->thickness > shortest) {
            log_warning(s->base.context,
                        "object \"%s\": its thickness of %g m for contact is above its shortest edge of %g m; "
                        "what is nearer at rest keeps the distance that it has there",
                        name, part->thickness, shortest);
        }
    }
    return RUGA_OK;
}

static void repair_thickness(solver *s) {
    for (size_t i = 0; i < s->mesh->part_count; i++)
        if (s->thickness[i] > 0) s->mesh->parts[i].thickness = s->thickness[i];
}

static ruga_status make_set(solver *s) {
    ruga_context *context = s->base.context;
    TRY(find_exclusions(s));
    TRY(contact_mesh_create(context, s->surfaces.items, s->surfaces.count, &s->mesh));
    size_t count = s->mesh->vertex_count;
    s->thickness = ALLOCATE_ZEROED(context, double, s->mesh->part_count);
    s->start = ALLOCATE(context, vec3, count);
    s->wanted = ALLOCATE(context, vec3, count);
    s->rates = ALLOCATE(context, vec3, count);
    s->holds = ALLOCATE(context, contact_hold, count);
    if (!s->thickness || !s->start || !s->wanted || !s->rates || !s->holds)
        return fail_memory(context, count * sizeof(vec3));
    TRY(look_at_thickness(s));
    repair_thickness(s);
    TRY(broad_create(s->mesh, s->exclusions.items, s->exclusions.count, &s->broad));
    TRY(ways_init(&s->ways, s->mesh, s->broad, s->def.separation, s->planes, s->def.collider_count));
    return zones_init(&s->zones, context, count);
}

static ruga_status take_surfaces(solver *s, contact_surface *const *given, size_t count) {
    s->surfaces.count = 0;
    TRY(ARRAY_RESERVE(s->base.context, &s->surfaces, count + s->own_count));
    for (size_t i = 0; i < count; i++) s->surfaces.items[s->surfaces.count++] = given[i];
    for (size_t i = 0; i < s->own_count; i++) s->surfaces.items[s->surfaces.count++] = &s->own[i].surface;
    if (s->mesh && contact_mesh_fits(s->mesh, s->surfaces.items, s->surfaces.count)) {
        contact_mesh_take(s->mesh, s->surfaces.items);
        repair_thickness(s);
        return RUGA_OK;
    }
    /* Another set: what is remembered by number is worth nothing, but for what was loaded for the first one. */
    if (s->mesh) {
        release_set(s);
        tangle_reset(&s->tangle);
        repulsion_forget(s->repulsion);
        s->started = 0;
    }
    ruga_status status = make_set(s);
    if (!RUGA_FAILED(status) && !tangle_fits(&s->tangle, s->mesh))
        status = fail_with(s->base.context, RUGA_ERROR_INPUT,
                           "the saved intersections of contact are not of the surfaces that there are now");
    if (RUGA_FAILED(status)) release_set(s);
    return status;
}

/* ---- The start. */

static const char *name_of_triangle(const contact_mesh *m, uint32_t triangle) {
    const char *name = m->parts[m->part_of[m->triangles[3 * (size_t)triangle]]].name;
    return name ? name : "?";
}

static ruga_status fail_at_start(const solver *s) {
    char places[600];
    size_t length = 0;
    for (size_t i = 0; i < s->tangle.found.count && i < PLACES; i++) {
        const intersection *at = &s->tangle.found.items[i];
        int written =
            snprintf(places + length, sizeof places - length, "%s\"%.60s\" and \"%.60s\" at (%.4g, %.4g, %.4g)",
                     i > 0 ? ", " : "", name_of_triangle(s->mesh, at->triangles[0]),
                     name_of_triangle(s->mesh, at->triangles[1]), at->point.x, at->point.y, at->point.z);
        length += (size_t)written;
    }
    return fail_with(
        s->base.context, RUGA_ERROR_INPUT,
        "contact starts with %zu pairs of triangles that intersect: %s%s; part them, or choose what to do with "
        "contact.start: \"go_on\" or \"untangle\"",
        s->tangle.found.count, places, s->tangle.found.count > PLACES ? ", …" : "");
}

static ruga_status look_at_start(solver *s) {
    if (s->started) return RUGA_OK;
    TRY(tangle_look(&s->tangle, s->mesh, s->mesh->from));
    if (s->def.start == CONTACT_START_FAIL && s->tangle.found.count > 0) return fail_at_start(s);
    TRY(tangle_take(&s->tangle, s->def.start == CONTACT_START_UNTANGLE));
    if (s->tangle.pairs.count > 0)
        log_warning(s->base.context, "contact starts with %zu pairs of triangles that intersect",
                    s->tangle.pairs.count);
    s->started = 1;
    return RUGA_OK;
}

/* ---- Repulsion. */

/* Which of the pairs that are near are of triangles that intersect, or of vertices that are astray: what would push them apart may
 * push them to the wrong side. */
static ruga_status find_ignored(solver *s, const unsigned char **ignored) {
    const contact_pairs *pairs = &s->ways.near;
    *ignored = NULL;
    if (s->tangle.near.count == 0 && s->ways.astray.count == 0) return RUGA_OK;
    s->ignored.count = 0;
    TRY(ARRAY_RESERVE(s->base.context, &s->ignored, pairs->count));
    for (size_t i = 0; i < pairs->count; i++)
        s->ignored.items[i] = keys_have(s->tangle.near.items, s->tangle.near.count, pair_key(&pairs->items[i])) ||
                              ways_pass(&s->ways, &pairs->items[i]);
    *ignored = s->ignored.items;
    return RUGA_OK;
}

static ruga_status repel(solver *s, double dt) {
    const unsigned char *ignored;
    size_t touching;
    TRY(ways_find_near(&s->ways));
    TRY(find_ignored(s, &ignored));
    TRY(repulsion_apply(s->repulsion, s->mesh, &s->ways.near, ignored, dt, &touching));
    s->base.measures.items[s->touching].value += (double)touching;
    tangle_push(&s->tangle, &s->ways);
    astray_push(&s->astray, &s->ways);
    return RUGA_OK;
}

/* ---- A piece of the substep: impacts, then zones. Leaves what is stuck in the zones. */

static ruga_status resolve_piece(solver *s, double widest) {
    measure *measures = s->base.measures.items;
    impacts_clear(&s->impacts);
    s->zones.stuck.count = 0;
    s->zones.spread = 0;
    for (int round = 0;; round++) {
        TRY(ways_check(&s->ways, NULL, NULL));
        if (s->ways.collisions.count == 0) return RUGA_OK;
        if (round == s->def.impact_rounds) break;
        measures[s->rounds].value++;
        measures[s->impact_count].value += (double)s->ways.collisions.count;
        TRY(impacts_add(&s->impacts, &s->ways));
        impacts_solve(&s->impacts, &s->ways);
        ways_ask_again(&s->ways);
    }
    TRY(zones_resolve(&s->zones, &s->ways, widest));
    measures[s->in_zones].value += (double)s->zones.members.count;
    return RUGA_OK;
}

/* ---- What is pinched. */

static ruga_status fail_pinched(const solver *s) {
    const contact_pair *p = &s->zones.stuck.items[0].pair;
    const contact_mesh *m = s->mesh;
    const contact_part *a = &m->parts[m->part_of[p->vertices[0]]], *b = &m->parts[m->part_of[p->vertices[3]]];
    vec3 x = m->to[p->vertices[0]];
    return fail_with(
        s->base.context, RUGA_ERROR_INPUT,
        "%zu pairs are pinched at %.6g s: kinematic surfaces leave no room for them. The first is vertex %zu of "
        "\"%s\" and vertex %zu of \"%s\", at (%.4g, %.4g, %.4g); move those surfaces less closely, or "
        "don't ask for strict contact",
        s->zones.stuck.count, s->base.time, p->vertices[0] - a->first_vertex, a->name ? a->name : "?",
        p->vertices[3] - b->first_vertex, b->name ? b->name : "?", x.x, x.y, x.z);
}

/* Lets pairs be that are stuck, for the rest of this substep. */
static ruga_status let_pinched(solver *s) {
    if (s->zones.stuck.count == 0) return RUGA_OK;
    if (s->def.strict) return fail_pinched(s);
    s->base.measures.items[s->pinched].value += (double)s->zones.stuck.count;
    return ways_let(&s->ways, &s->zones.stuck);
}

/* ---- Pieces. */

static int has_room_in_time(const solver *s) {
    for (size_t i = 0; i < s->zones.stuck.count; i++)
        for (int k = 0; k < 4; k++)
            if (s->mesh->inverse_masses[s->zones.stuck.items[i].pair.vertices[k]] != 0) return 1;
    return 0;
}

/* A piece of the substep: a half of halves of it. */
typedef struct piece {
    double begin, end; /* 1, times in [0, 1] */
    int cuts;          /* that it may take; each of its halves half of the others */
    int halves;        /* how often it may be halved for what moves very differently */
} piece;

/* The ways of a piece from where everything is: kinematic vertices on their straight way, the others as in the piece before:
 * what was pushed goes on so, and need not be pushed again. */
static void set_piece(solver *s, double begin, double end) {
    const contact_mesh *m = s->mesh;
    for (size_t v = 0; v < m->vertex_count; v++) {
        if (m->inverse_masses[v] == 0)
            m->to[v] = end < 1 ? vec3_mix(s->start[v], s->wanted[v], end) : s->wanted[v];
        else
            m->to[v] = vec3_add_scaled(m->from[v], s->rates[v], end - begin);
    }
}

/* Nothing is stuck, or is to be let be. */
static ruga_status end_piece(solver *s, const piece *p) {
    const contact_mesh *m = s->mesh;
    for (size_t v = 0; v < m->vertex_count && p->end < 1; v++)
        s->rates[v] = vec3_scale(vec3_sub(m->to[v], m->from[v]), 1 / (p->end - p->begin));
    return let_pinched(s);
}

/* Goes from its begin to its end, in two halves if there is something stuck. The ways are set. */
static ruga_status go_piece(solver *s, const piece *p) {
    double most = s->ways.most;
    TRY(resolve_piece(s, p->halves > 0 ? WIDEST * most : INFINITY));
    int differs = p->halves > 0 && s->zones.spread > NARROWEST * most;
    if (!has_room_in_time(s) || (p->cuts == 0 && !differs)) return end_piece(s, p);
    double middle = (p->begin + p->end) / 2;
    int cuts = p->cuts > 0 ? (p->cuts - 1) / 2 : 0, halves = p->halves > 0 ? p->halves - 1 : 0;
    s->base.measures.items[s->cuts].value++;
    set_piece(s, p->begin, middle);
    TRY(ways_find(&s->ways));
    TRY(go_piece(s, &(piece){p->begin, middle, cuts, halves}));
    memcpy(s->mesh->from, s->mesh->to, s->mesh->vertex_count * sizeof *s->mesh->from);
    set_piece(s, middle, p->end);
    TRY(ways_find(&s->ways));
    return go_piece(s, &(piece){middle, p->end, cuts, halves});
}

/* ---- The substep. */

/* A vertex's in its surface; NULL: not wanted. */
static contact_hold *hold_of(const solver *s, size_t v) {
    uint32_t part = s->mesh->part_of[v];
    contact_hold *holds = s->surfaces.items[part]->holds;
    return holds ? holds + (v - s->mesh->parts[part].first_vertex) : NULL;
}

static void give_holds(solver *s) {
    int wanted = 0;
    for (size_t i = 0; i < s->surfaces.count; i++) wanted |= s->surfaces.items[i]->holds != NULL;
    if (!wanted) return;
    for (size_t v = 0; v < s->mesh->vertex_count; v++) {
        const contact_hold *hold = hold_of(s, v);
        s->holds[v] = hold ? *hold : (contact_hold){0};
    }
    repulsion_holds(s->repulsion, s->mesh, s->holds);
    for (size_t v = 0; v < s->mesh->vertex_count; v++)
        if (hold_of(s, v)) *hold_of(s, v) = s->holds[v];
}

/* What was let be is looked at exactly: from now on only what intersects is let be. */
static ruga_status take_tangle(solver *s) {
    const tangle *t = &s->tangle;
    size_t before = t->pairs.count;
    TRY(tangle_take(&s->tangle, 1));
    size_t count = t->pairs.count;
    s->base.measures.items[s->intersections].value = (double)count;
    if (before == 0 && count > 0)
        log_warning(
            s->base.context,
            "kinematic surfaces leave no room: %zu pairs of triangles intersect, the first of \"%s\" and \"%s\"", count,
            name_of_triangle(s->mesh, t->pairs.items[0].triangles[0]),
            name_of_triangle(s->mesh, t->pairs.items[0].triangles[1]));
    if (before > 0 && count == 0) log_info(s->base.context, "nothing intersects any more");
    return RUGA_OK;
}

/* From start to end, letting be what intersects. Leaves what then intersects in the tangle's `found`. */
static ruga_status go(solver *s, tangle_events which) {
    TRY(tangle_let(&s->tangle, which, &s->ways));
    for (size_t v = 0; v < s->mesh->vertex_count; v++) s->rates[v] = vec3_sub(s->wanted[v], s->start[v]);
    TRY(go_piece(s, &(piece){0, 1, s->def.most_cuts, MOST_HALVES}));
    s->tangle.found.count = 0;
    if (s->ways.let.count > 0 || s->ways.astray.count > 0 || s->tangle.pairs.count > 0)
        TRY(tangle_look(&s->tangle, s->mesh, s->mesh->to));
    return RUGA_OK;
}

static ruga_status go_again(solver *s, tangle_events which) {
    s->base.measures.items[s->pinched].value = s->pinched_before;
    memcpy(s->mesh->from, s->start, s->mesh->vertex_count * sizeof *s->start);
    memcpy(s->mesh->to, s->wanted, s->mesh->vertex_count * sizeof *s->wanted);
    TRY(ways_find(&s->ways));
    return go(s, which);
}

static int is_worse(const solver *s) {
    return s->tangle.pairs.count > 0 && s->tangle.found.count > s->tangle.pairs.count;
}

/* No kinematic surface has a part in what intersects. */
static int is_free(const solver *s) {
    return s->ways.astray.count == 0 && s->base.measures.items[s->pinched].value == s->pinched_before;
}

/* As freely as leaves no more intersections than there were. */
static ruga_status go_as_freely(solver *s) {
    s->pinched_before = s->base.measures.items[s->pinched].value;
    TRY(go(s, TANGLE_ALL));
    if (is_worse(s)) TRY(go_again(s, TANGLE_FEWER));
    if (is_worse(s) && is_free(s)) TRY(go_again(s, TANGLE_NONE));
    return RUGA_OK;
}

static ruga_status resolve(contact *c, contact_surface *const *surfaces, size_t count, double dt) {
    solver *s = (solver *)c;
    TRY(take_surfaces(s, surfaces, count));
    contact_mesh *m = s->mesh;
    TRY(bad_ways_check(m));
    TRY(look_at_start(s));
    TRY(tangle_prepare(&s->tangle, m));
    TRY(astray_find(&s->astray, &s->tangle, &s->ways));
    TRY(repel(s, dt));
    TRY(ways_find(&s->ways));
    if (m->vertex_count > 0) {
        memcpy(s->start, m->from, m->vertex_count * sizeof *m->from);
        memcpy(s->wanted, m->to, m->vertex_count * sizeof *m->to);
    }
    TRY(go_as_freely(s));
    TRY(take_tangle(s));
    contact_mesh_give(m, s->surfaces.items, dt);
    give_holds(s);
    return RUGA_OK;
}

/* ---- State. */

static void save(const contact *c, state_writer *writer) {
    const solver *s = (const solver *)c;
    uint32_t started = (uint32_t)s->started;
    state_begin(writer, SOLVER_TAG, SOLVER_VERSION);
    state_put_u32(writer, &started, 1);
    repulsion_save(s->repulsion, writer);
    tangle_save(&s->tangle, writer);
    state_end(writer);
}

static ruga_status load(contact *c, state_reader *reader) {
    solver *s = (solver *)c;
    state_reader entry;
    uint32_t version, started;
    TRY(state_enter(reader, SOLVER_TAG, SOLVER_VERSION, &version, &entry));
    TRY(state_get_u32(&entry, &started, 1));
    TRY(repulsion_load(s->repulsion, &entry));
    TRY(tangle_load(&s->tangle, &entry));
    /* A set that is there already may be another than the one that was saved: it is made anew. */
    release_set(s);
    s->started = started != 0;
    return RUGA_OK;
}

/* ---- Making. */

static void destroy(contact *c) {
    solver *s = (solver *)c;
    ruga_context *context = c->context;
    release_set(s);
    repulsion_destroy(s->repulsion);
    tangle_release(&s->tangle);
    astray_release(&s->astray);
    impacts_release(&s->impacts);
    ARRAY_RELEASE(context, &s->surfaces);
    ARRAY_RELEASE(context, &s->exclusions);
    ARRAY_RELEASE(context, &s->ignored);
    for (size_t i = 0; s->names && i < 2 * s->def.exclusion_count; i++) memory_release(context, s->names[i]);
    for (size_t i = 0; s->own && i < s->own_count; i++) collider_surface_release(&s->own[i]);
    memory_release(context, s->names);
    memory_release(context, (void *)s->def.exclusions);
    memory_release(context, s->planes);
    memory_release(context, s->own);
    memory_release(context, s);
}

contact_def contact_def_default(void) {
    return (contact_def){.repulsion = {.spring = 0.1, .static_ratio = 1.25, .rounds = 4},
                         .separation = 0.1,
                         .impact_rounds = 8,
                         .most_cuts = 15};
}

static ruga_status check_def(ruga_context *context, const contact_def *def) {
    if (!(def->separation > 0 && def->separation <= 0.5))
        return fail_with(context, RUGA_ERROR_ARGUMENT,
                         "the separation of contact is %g of the thickness; it has to be above 0, and at most 0.5",
                         def->separation);
    if (def->impact_rounds < 0 || def->most_cuts < 0)
        return fail_with(context, RUGA_ERROR_ARGUMENT,
                         "contact can't take %d rounds of impacts and %d cuts of a step; neither may be negative",
                         def->impact_rounds, def->most_cuts);
    return RUGA_OK;
}

static ruga_status copy_exclusions(solver *s, const contact_def *def) {
    ruga_context *context = s->base.context;
    contact_exclusion *copies = ALLOCATE_ZEROED(context, contact_exclusion, def->exclusion_count);
    s->def.exclusions = copies;
    s->names = ALLOCATE_ZEROED(context, char *, 2 * def->exclusion_count);
    if (!copies || !s->names) return fail_memory(context, def->exclusion_count * sizeof *copies);
    for (size_t i = 0; i < 2 * def->exclusion_count; i++) {
        s->names[i] = memory_copy_text(context, def->exclusions[i / 2].names[i % 2]);
        if (!s->names[i]) return fail_memory(context, 1);
        copies[i / 2].names[i % 2] = s->names[i];
    }
    return RUGA_OK;
}

static ruga_status take_colliders(solver *s, const contact_def *def) {
    ruga_context *context = s->base.context;
    s->planes = ALLOCATE(context, collider, def->collider_count);
    s->own = ALLOCATE_ZEROED(context, collider_surface, def->collider_count);
    if (!s->planes || !s->own) return fail_memory(context, def->collider_count * sizeof *s->planes);
    for (size_t i = 0; i < def->collider_count; i++) {
        if (def->colliders[i].kind == COLLIDER_PLANE) {
            s->planes[s->def.collider_count++] = def->colliders[i];
            continue;
        }
        TRY(collider_surface_make(context, &def->colliders[i], i + 1, &s->own[s->own_count]));
        s->own[s->own_count].surface.name = s->own[s->own_count].name;
        s->own_count++;
    }
    s->def.colliders = s->planes;
    repulsion_law law = def->repulsion;
    law.planes = s->planes;
    law.plane_count = s->def.collider_count;
    return repulsion_create(context, &law, &s->repulsion);
}

static void add_measures(solver *s) {
    measure_list *list = &s->base.measures;
    s->touching = measure_add(list, "touching", "1");
    s->impact_count = measure_add(list, "impacts", "1");
    s->rounds = measure_add(list, "impact_rounds", "1");
    s->in_zones = measure_add(list, "zone_vertices", "1");
    s->cuts = measure_add(list, "cuts", "1");
    s->pinched = measure_add(list, "pinched", "1");
    s->intersections = measure_add(list, "intersections", "1");
}

ruga_status contact_create(ruga_context *context, const contact_def *def, contact **out) {
    static const contact_interface interface = {resolve, save, load, destroy};
    TRY(check_def(context, def));
    solver *s = ALLOCATE_ZEROED(context, solver, 1);
    if (!s) return fail_memory(context, sizeof *s);
    s->base = (contact){.interface = &interface, .context = context};
    s->tangle.context = s->astray.context = context;
    s->def = *def;
    s->def.collider_count = 0;
    add_measures(s);
    ruga_status status = copy_exclusions(s, def);
    if (!RUGA_FAILED(status)) status = take_colliders(s, def);
    if (RUGA_FAILED(status)) {
        destroy(&s->base);
        return status;
    }
    *out = &s->base;
    return RUGA_OK;
}
