/* The order of work in a substep: see the header for the plan. Only the history of repulsion and the list of
 * intersecting pairs are saved; everything else is made for a set of surfaces, or for one substep. */
#include "contact/solver.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/sort.h"
#include "base/threads.h"
#include "contact/collider_mesh.h"
#include "contact/impacts.h"
#include "contact/intersecting_pairs.h"
#include "contact/penetration.h"
#include "contact/zones.h"
#include "math/vec3.h"

#define DEFAULT_THICKNESS 1e-3 /* of the mean edge: for moving surfaces without a thickness */
#define PLACES 3               /* intersections that a message names */
/* How differently the surfaces that a zone touches may move, in greatest thicknesses: with more than WIDEST a piece is
 * cut at once, with less than NARROWEST it is not cut for this reason. */
#define WIDEST 4.0
#define NARROWEST 0.5
#define MOST_HALVES 12 /* depth of the cuts for this reason */
/* Relative motion that is given back to zones, in greatest thicknesses: a quarter of it in each further pass. */
#define LOOSE 8.0
#define LOOSE_PASSES 3
/* Cuts, which zones may need to keep everything apart, continue to so many limits of work, without impulses. */
#define MOST_OVERTIME 8
#define VERTEX_BLOCK 4096
#define FEW_VERTICES 256 /* the limit of work is never that of fewer */
#define SOLVER_TAG STATE_TAG('S', 'O', 'L', 'V')
#define SOLVER_VERSION 1

typedef struct solver {
    contact base;
    contact_def def; /* exclusions and colliders are copies; colliders holds planes alone */
    char **names;    /* (2 exclusions) */
    collider *planes;
    collider_surface *own; /* the colliders that are not planes */
    size_t own_count;
    repulsion *repulsion;
    intersecting_pairs intersecting;
    penetration penetration;
    int started;  /* the start was checked */
    int has_rows; /* find_rows was called for this substep */
    int warned;   /* of the limit of work */

    /* For the current set of surfaces. */
    ARRAY(contact_surface *) surfaces; /* the caller's, then own */
    contact_mesh *mesh;
    broad *broad;
    trajectories trajectories;
    zones zones;
    impacts impacts;
    ARRAY(broad_exclusion) exclusions;
    double *thickness;            /* (parts) m, of parts that had none; 0: they had one */
    vec3 *start, *wanted;         /* (vertices) m: of the whole substep; the ends are those after repulsion */
    vec3 *rates;                  /* (vertices) m per substep, displacements of the last piece */
    vec3 *pushed;                 /* (vertices) m, ends that impulses left to zones */
    contact_hold *holds;          /* (vertices) */
    uint64_t work_begin;          /* of the trajectories, at the start of this attempt at a substep */
    uint32_t limited_at;          /* vertex of a collision that was left at the limit; UINT32_MAX: none */
    ARRAY(unsigned char) ignored; /* (pairs that are near) */

    size_t touching, impact_count, rounds, in_zones, cuts, pinched, intersections, work, limited; /* measures */
} solver;

/* ---- The set of surfaces. */

static void release_set(solver *s) {
    trajectories_release(&s->trajectories);
    zones_release(&s->zones);
    broad_destroy(s->broad);
    contact_mesh_destroy(s->mesh);
    RELEASE_ALL(s->base.context, s->thickness, s->start, s->wanted, s->rates, s->pushed, s->holds);
    s->broad = NULL;
    s->mesh = NULL;
    s->thickness = NULL;
    s->start = s->wanted = s->rates = s->pushed = NULL;
    s->holds = NULL;
}

static void forget(contact *c) {
    solver *s = (solver *)c;
    release_set(s);
    s->has_rows = 0;
    intersecting_pairs_reset(&s->intersecting);
    repulsion_forget(s->repulsion);
    s->started = 0;
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
                "contact between \"%s\" and \"%s\" is excluded, but no object that collides is called \"%s\"; check "
                "the name, and that the object takes part in contact",
                exclusion->names[0], exclusion->names[1], exclusion->names[k]);
    return RUGA_OK;
}

static int excludes(const contact *c, const char *name, const char *other) {
    const contact_def *def = &((const solver *)c)->def;
    for (size_t i = 0; i < def->exclusion_count; i++) {
        const char *const *names = def->exclusions[i].names;
        if (strcmp(names[0], name) == 0 && strcmp(names[1], other) == 0) return 1;
        if (strcmp(names[1], name) == 0 && strcmp(names[0], other) == 0) return 1;
    }
    return 0;
}

/* Shortest and mean edge at rest. */
static void measure_edges(const contact_mesh *m, size_t part, double *shortest, double *mean) {
    size_t begin = m->parts[part].first_edge;
    size_t end = part + 1 < m->part_count ? m->parts[part + 1].first_edge : m->edge_count;
    *shortest = INFINITY;
    *mean = 0;
    for (size_t e = begin; e < end; e++) {
        double length = vec3_distance(m->rest[m->edges[2 * e]], m->rest[m->edges[2 * e + 1]]);
        *shortest = fmin(*shortest, length);
        *mean += length / (double)(end - begin);
    }
}

/* Refuses an invalid thickness, gives moving surfaces without one a small one, and warns of one above the shortest
 * edge. */
static ruga_status check_thickness(solver *s) {
    const contact_mesh *m = s->mesh;
    for (size_t i = 0; i < m->part_count; i++) {
        const contact_part *part = &m->parts[i];
        const char *name = part->name ? part->name : "a surface";
        double shortest, mean;
        if (!isfinite(part->thickness) || part->thickness < 0)
            return fail_with(s->base.context, RUGA_ERROR_INPUT,
                             "object \"%s\": its thickness for contact is %g m; set one that is not negative", name,
                             part->thickness);
        if (!part->moving) continue;
        measure_edges(m, i, &shortest, &mean);
        if (part->thickness == 0) {
            s->thickness[i] = mean > 0 ? DEFAULT_THICKNESS * mean : DEFAULT_THICKNESS;
            log_warning(s->base.context,
                        "object \"%s\" has no thickness for contact; %g m is used, 0.001 times its mean edge. Set "
                        "contact.thickness to choose another one",
                        name, s->thickness[i]);
        } else if (part->rest_part == 1 && part->thickness > shortest) {
            log_warning(
                s->base.context,
                "object \"%s\": its thickness of %g m for contact is above its shortest edge of %g m. Parts of it "
                "that are nearer to each other at rest keep their distance at rest; set a smaller thickness to "
                "avoid this",
                name, part->thickness, shortest);
        }
    }
    return RUGA_OK;
}

static void apply_default_thickness(solver *s) {
    for (size_t i = 0; i < s->mesh->part_count; i++)
        if (s->thickness[i] > 0) s->mesh->parts[i].thickness = s->thickness[i];
}

static ruga_status make_set(solver *s) {
    ruga_context *context = s->base.context;
    s->exclusions.count = 0;
    for (size_t i = 0; i < s->def.exclusion_count; i++) TRY(find_exclusion(s, &s->def.exclusions[i]));
    s->intersecting.exclusions = s->exclusions.items;
    s->intersecting.exclusion_count = s->exclusions.count;
    TRY(contact_mesh_create(context, s->surfaces.items, s->surfaces.count, &s->mesh));
    size_t count = s->mesh->vertex_count;
    TRY(NEW_ZEROED(context, &s->thickness, s->mesh->part_count));
    TRY(NEW(context, &s->start, count));
    TRY(NEW(context, &s->wanted, count));
    TRY(NEW(context, &s->rates, count));
    TRY(NEW(context, &s->pushed, count));
    TRY(NEW(context, &s->holds, count));
    TRY(check_thickness(s));
    apply_default_thickness(s);
    TRY(broad_create(s->mesh, s->exclusions.items, s->exclusions.count, &s->broad));
    TRY(trajectories_init(&s->trajectories, s->mesh, s->broad, s->def.values.separation, s->planes,
                          s->def.collider_count));
    TRY(zones_init(&s->zones, context, count));
    if (!intersecting_pairs_fit(&s->intersecting, s->mesh))
        return fail_with(
            context, RUGA_ERROR_INPUT,
            "the saved intersections of contact do not belong to the current surfaces; resume with the scene "
            "that the state was saved from");
    return RUGA_OK;
}

static ruga_status take_surfaces(solver *s, contact_surface *const *given, size_t count) {
    s->surfaces.count = 0;
    TRY(ARRAY_RESERVE(s->base.context, &s->surfaces, count + s->own_count));
    for (size_t i = 0; i < count; i++) s->surfaces.items[s->surfaces.count++] = given[i];
    for (size_t i = 0; i < s->own_count; i++) s->surfaces.items[s->surfaces.count++] = &s->own[i].surface;
    if (s->mesh && contact_mesh_fits(s->mesh, s->surfaces.items, s->surfaces.count)) {
        contact_mesh_take(s->mesh, s->surfaces.items);
        apply_default_thickness(s);
        return RUGA_OK;
    }
    /* In another set the elements have other numbers. A state that was loaded belongs to the first set. */
    if (s->mesh) forget(&s->base);
    ruga_status status = make_set(s);
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
    for (size_t i = 0; i < s->intersecting.found.count && i < PLACES; i++) {
        const intersection *at = &s->intersecting.found.items[i];
        int written =
            snprintf(places + length, sizeof places - length, "%s\"%.60s\" and \"%.60s\" at (%.4g, %.4g, %.4g)",
                     i > 0 ? ", " : "", name_of_triangle(s->mesh, at->triangles[0]),
                     name_of_triangle(s->mesh, at->triangles[1]), at->point.x, at->point.y, at->point.z);
        length += (size_t)written;
    }
    return fail_with(
        s->base.context, RUGA_ERROR_INPUT,
        "contact starts with %zu pairs of triangles that intersect: %s%s; move them apart, or set contact.start to "
        "\"go_on\" or \"untangle\"",
        s->intersecting.found.count, places, s->intersecting.found.count > PLACES ? ", …" : "");
}

static ruga_status check_start(solver *s) {
    if (s->started) return RUGA_OK;
    TRY(intersecting_pairs_find(&s->intersecting, s->mesh, s->mesh->from));
    if (s->def.values.start == CONTACT_START_FAIL && s->intersecting.found.count > 0) return fail_at_start(s);
    TRY(intersecting_pairs_store(&s->intersecting, s->def.values.start == CONTACT_START_UNTANGLE));
    if (s->intersecting.pairs.count > 0)
        log_warning(s->base.context, "contact starts with %zu pairs of triangles that intersect",
                    s->intersecting.pairs.count);
    s->started = 1;
    return RUGA_OK;
}

/* ---- Repulsion. */

/* Repulsion ignores pairs of triangles that intersect and of penetrating vertices: it might push them to the wrong
 * side. */
static ruga_status find_ignored(solver *s, const unsigned char **ignored) {
    const contact_pairs *pairs = &s->trajectories.near;
    const key_array *near = &s->intersecting.near;
    *ignored = NULL;
    if (near->count == 0 && s->trajectories.penetrating.count == 0) return RUGA_OK;
    s->ignored.count = 0;
    TRY(ARRAY_RESERVE(s->base.context, &s->ignored, pairs->count));
    for (size_t i = 0; i < pairs->count; i++)
        s->ignored.items[i] = keys_contain(near->items, near->count, pair_key(&pairs->items[i])) ||
                              trajectories_may_pass(&s->trajectories, &pairs->items[i]);
    *ignored = s->ignored.items;
    return RUGA_OK;
}

/* From the accepted positions alone: which pairs touch. */
static ruga_status find_touching(solver *s, pair_reach reach, double dt) {
    const unsigned char *ignored;
    TRY(trajectories_find_near(&s->trajectories, reach));
    TRY(find_ignored(s, &ignored));
    return repulsion_begin(s->repulsion, s->mesh, &s->trajectories.near, ignored, reach, dt);
}

static ruga_status repel(solver *s, double dt) {
    size_t touching;
    if (!s->has_rows) TRY(find_touching(s, (pair_reach){.thicknesses = 1}, dt));
    s->has_rows = 0;
    TRY(repulsion_apply(s->repulsion, s->mesh, &s->trajectories.near, NULL, dt, &touching));
    s->base.measures.items[s->touching].value += (double)touching;
    intersecting_pairs_push(&s->intersecting, &s->trajectories);
    penetration_push(&s->penetration, &s->trajectories);
    return RUGA_OK;
}

/* ---- Pieces of a substep. */

/* The rest of `times` the limit of work of this attempt at a substep. */
static uint64_t work_left(const solver *s, uint64_t times) {
    size_t count = s->mesh->vertex_count > FEW_VERTICES ? s->mesh->vertex_count : FEW_VERTICES;
    uint64_t most = times * (uint64_t)s->def.values.work * count;
    uint64_t done = s->trajectories.work - s->work_begin;
    return done < most ? most - done : 0;
}

/* Rounds of impulses, as many as fit into `most` work. Leaves the collisions of the last check. */
static ruga_status push_apart(solver *s, uint64_t most) {
    trajectories *t = &s->trajectories;
    measure *measures = s->base.measures.items;
    impacts_clear(&s->impacts);
    uint64_t end = t->work + most;
    for (int round = 0;; round++) {
        TRY(trajectories_check(t, NULL, NULL));
        if (t->collisions.count == 0 || round == s->def.values.impact_rounds) return RUGA_OK;
        if (t->work + IMPACT_SWEEPS * (s->impacts.items.count + t->collisions.count) > end) break;
        measures[s->rounds].value++;
        measures[s->impact_count].value += (double)t->collisions.count;
        TRY(impacts_add(&s->impacts, t));
        impacts_solve(&s->impacts, t);
        trajectories_recheck(t);
    }
    s->limited_at = t->collisions.items[0].pair.vertices[0];
    return RUGA_OK;
}

/* Zones took all relative motion out of their vertices. This gives back a part of what impulses left of it, `loose`
 * thicknesses at most. It does not change the momentum, since both motions have the same. */
static void loosen_zones(solver *s, double loose) {
    const zones *z = &s->zones;
    vec3 *to = s->mesh->to;
    double most = 0;
    for (size_t i = 0; i < z->members.count; i++) {
        uint32_t v = z->members.items[i];
        most = fmax(most, vec3_distance(s->pushed[v], to[v]));
    }
    double part = fmin(1, loose * s->trajectories.most / most);
    for (size_t i = 0; i < z->members.count && most > 0; i++) {
        uint32_t v = z->members.items[i];
        to[v] = vec3_mix(to[v], s->pushed[v], part);
        trajectories_change(&s->trajectories, v);
    }
}

/* Impacts, then zones; then both again for a part of the motion that zones stopped. Each pass may use half of the work
 * that is left. Leaves pairs that still collide in s->zones.stuck. */
static ruga_status resolve_collisions(solver *s, double widest) {
    s->zones.spread = 0;
    double loose = LOOSE;
    for (int pass = 0;; pass++, loose /= 4) {
        TRY(push_apart(s, work_left(s, 1) / 2));
        s->zones.stuck.count = 0;
        if (s->trajectories.collisions.count == 0) return RUGA_OK;
        memcpy(s->pushed, s->mesh->to, s->mesh->vertex_count * sizeof *s->pushed);
        TRY(zones_resolve(&s->zones, &s->trajectories, widest));
        s->base.measures.items[s->in_zones].value += (double)s->zones.members.count;
        if (pass == LOOSE_PASSES || s->zones.spread > widest || s->zones.stuck.count > 0) return RUGA_OK;
        if (work_left(s, 1) == 0) {
            /* The motion that zones stopped is not given back. */
            if (s->zones.members.count > 0) s->limited_at = s->zones.members.items[0];
            return RUGA_OK;
        }
        loosen_zones(s, loose);
    }
}

static ruga_status fail_pinched(const solver *s) {
    const contact_pair *p = &s->zones.stuck.items[0].pair;
    const contact_mesh *m = s->mesh;
    const contact_part *a = &m->parts[m->part_of[p->vertices[0]]], *b = &m->parts[m->part_of[p->vertices[3]]];
    vec3 x = m->to[p->vertices[0]];
    return fail_with(
        s->base.context, RUGA_ERROR_INPUT,
        "%zu pairs are pinched at %.6g s: kinematic surfaces leave no room for them. The first is vertex %u of "
        "\"%s\" and vertex %u of \"%s\", at (%.4g, %.4g, %.4g); leave more room between these surfaces, or turn "
        "strict contact off",
        s->zones.stuck.count, s->base.time, m->numbers[p->vertices[0]], a->name ? a->name : "?",
        m->numbers[p->vertices[3]], b->name ? b->name : "?", x.x, x.y, x.z);
}

/* Cutting a piece helps only pairs with a vertex that forces move. */
static int can_cutting_help(const solver *s) {
    for (size_t i = 0; i < s->zones.stuck.count; i++)
        for (int k = 0; k < 4; k++)
            if (s->mesh->inverse_masses[s->zones.stuck.items[i].pair.vertices[k]] != 0) return 1;
    return 0;
}

/* A piece of the substep, one of its halves, or of theirs. */
typedef struct piece {
    double begin, end; /* 1, times in [0, 1] */
    int cuts;          /* that it may use; each half gets half of the rest */
    int halves;        /* how often it may be halved because surfaces move differently */
} piece;

/* Sets the trajectories of a piece, from where everything is. Kinematic vertices follow their straight trajectory. The
 * others continue as in the piece before, so that vertices that were pushed need not be pushed again. */
static void set_piece(solver *s, double begin, double end) {
    const contact_mesh *m = s->mesh;
    for (size_t v = 0; v < m->vertex_count; v++) {
        if (m->inverse_masses[v] == 0)
            m->to[v] = end < 1 ? vec3_mix(s->start[v], s->wanted[v], end) : s->wanted[v];
        else
            m->to[v] = vec3_add_scaled(m->from[v], s->rates[v], end - begin);
    }
}

/* Ends a piece; pairs that are still stuck are pinched, and ignored for the rest of the substep. */
static ruga_status end_piece(solver *s, const piece *p) {
    const contact_mesh *m = s->mesh;
    for (size_t v = 0; v < m->vertex_count && p->end < 1; v++)
        s->rates[v] = vec3_scale(vec3_sub(m->to[v], m->from[v]), 1 / (p->end - p->begin));
    if (s->zones.stuck.count == 0) return RUGA_OK;
    if (s->def.values.strict) return fail_pinched(s);
    s->base.measures.items[s->pinched].value += (double)s->zones.stuck.count;
    return trajectories_ignore(&s->trajectories, &s->zones.stuck);
}

/* Resolves a piece whose trajectories are set; in two halves if pairs are stuck. */
static ruga_status resolve_piece(solver *s, const piece *p) {
    double most = s->trajectories.most;
    TRY(resolve_collisions(s, p->halves > 0 ? WIDEST * most : INFINITY));
    int differs = p->halves > 0 && s->zones.spread > NARROWEST * most;
    if (!can_cutting_help(s) || (p->cuts == 0 && !differs) || work_left(s, MOST_OVERTIME) == 0) return end_piece(s, p);
    double middle = (p->begin + p->end) / 2;
    int cuts = p->cuts > 0 ? (p->cuts - 1) / 2 : 0, halves = p->halves > 0 ? p->halves - 1 : 0;
    s->base.measures.items[s->cuts].value++;
    set_piece(s, p->begin, middle);
    TRY(trajectories_find(&s->trajectories));
    TRY(resolve_piece(s, &(piece){p->begin, middle, cuts, halves}));
    memcpy(s->mesh->from, s->mesh->to, s->mesh->vertex_count * sizeof *s->mesh->from);
    set_piece(s, middle, p->end);
    TRY(trajectories_find(&s->trajectories));
    return resolve_piece(s, &(piece){middle, p->end, cuts, halves});
}

/* ---- The substep. */

/* The hold of a vertex in its surface; NULL: not wanted. */
static contact_hold *hold_of(const solver *s, size_t v) {
    uint32_t part = s->mesh->part_of[v];
    contact_hold *holds = s->surfaces.items[part]->holds;
    return holds ? holds + s->mesh->numbers[v] : NULL;
}

static void gather_holds(void *argument, size_t begin, size_t end) {
    const solver *s = argument;
    for (size_t v = begin; v < end; v++) {
        const contact_hold *hold = hold_of(s, v);
        s->holds[v] = hold ? *hold : (contact_hold){0};
    }
}

static void spread_holds(void *argument, size_t begin, size_t end) {
    const solver *s = argument;
    for (size_t v = begin; v < end; v++) {
        contact_hold *hold = hold_of(s, v);
        if (hold) *hold = s->holds[v];
    }
}

static void give_holds(solver *s) {
    int wanted = 0;
    for (size_t i = 0; i < s->surfaces.count; i++) wanted |= s->surfaces.items[i]->holds != NULL;
    if (!wanted) return;
    parallel_for(s->base.context, s->mesh->vertex_count, VERTEX_BLOCK, gather_holds, s);
    repulsion_holds(s->repulsion, s->mesh, s->holds);
    parallel_for(s->base.context, s->mesh->vertex_count, VERTEX_BLOCK, spread_holds, s);
}

/* The list of intersecting pairs becomes those that were found at the end of the substep. */
static ruga_status store_intersecting(solver *s) {
    const intersecting_pairs *set = &s->intersecting;
    size_t before = set->pairs.count;
    TRY(intersecting_pairs_store(&s->intersecting, 1));
    size_t count = set->pairs.count;
    s->base.measures.items[s->intersections].value = (double)count;
    if (before == 0 && count > 0)
        log_warning(
            s->base.context,
            "kinematic surfaces leave no room: %zu pairs of triangles intersect, the first of \"%s\" and \"%s\"; "
            "they are pushed apart when there is room again",
            count, name_of_triangle(s->mesh, set->pairs.items[0].triangles[0]),
            name_of_triangle(s->mesh, set->pairs.items[0].triangles[1]));
    if (before > 0 && count == 0) log_info(s->base.context, "no triangles intersect any more");
    return RUGA_OK;
}

/* Resolves the whole substep from s->start to s->wanted, while the events `which` of intersecting pairs are allowed.
 * Leaves the triangles that intersect at the end in s->intersecting.found. */
static ruga_status resolve_allowing(solver *s, crossing_events which) {
    TRY(intersecting_pairs_allow(&s->intersecting, which, &s->trajectories));
    s->work_begin = s->trajectories.work;
    for (size_t v = 0; v < s->mesh->vertex_count; v++) s->rates[v] = vec3_sub(s->wanted[v], s->start[v]);
    TRY(resolve_piece(s, &(piece){0, 1, s->def.values.cuts, MOST_HALVES}));
    s->intersecting.found.count = 0;
    if (s->trajectories.ignored.count > 0 || s->trajectories.penetrating.count > 0 || s->intersecting.pairs.count > 0)
        TRY(intersecting_pairs_find(&s->intersecting, s->mesh, s->mesh->to));
    return RUGA_OK;
}

static ruga_status resolve_again_allowing(solver *s, crossing_events which, double pinched_before) {
    s->base.measures.items[s->pinched].value = pinched_before;
    memcpy(s->mesh->from, s->start, s->mesh->vertex_count * sizeof *s->start);
    memcpy(s->mesh->to, s->wanted, s->mesh->vertex_count * sizeof *s->wanted);
    TRY(trajectories_find(&s->trajectories));
    return resolve_allowing(s, which);
}

static int has_more_intersections(const solver *s) {
    return s->intersecting.pairs.count > 0 && s->intersecting.found.count > s->intersecting.pairs.count;
}

/* Allows as many events as leave no more intersections than before. */
static ruga_status resolve_substep(solver *s) {
    const measure *pinched = &s->base.measures.items[s->pinched];
    double before = pinched->value;
    TRY(resolve_allowing(s, CROSSING_ALL));
    if (has_more_intersections(s)) TRY(resolve_again_allowing(s, CROSSING_FEWER, before));
    int involves_kinematic = s->trajectories.penetrating.count > 0 || pinched->value != before;
    if (has_more_intersections(s) && !involves_kinematic) TRY(resolve_again_allowing(s, CROSSING_NONE, before));
    return RUGA_OK;
}

/* Measures the work of a substep, and warns when the limit is reached for the first time. */
static void report_work(solver *s, uint64_t work) {
    measure *measures = s->base.measures.items;
    const contact_mesh *m = s->mesh;
    if (m->vertex_count == 0) return;
    measures[s->work].value = fmax(measures[s->work].value, (double)work / (double)m->vertex_count);
    if (s->limited_at == UINT32_MAX) return;
    measures[s->limited].value++;
    if (s->warned) return;
    vec3 x = m->from[s->limited_at];
    const char *name = m->parts[m->part_of[s->limited_at]].name;
    log_warning(
        s->base.context,
        "contact reached its limit of work at %.6g s, as at vertex %u of \"%s\" (%.4g, %.4g, %.4g): surfaces move "
        "less than they should there; use more substeps, slow the bodies down, or raise contact.work (further ones "
        "are not reported; the measure \"contact.limited\" has them)",
        s->base.time, m->numbers[s->limited_at], name ? name : "?", x.x, x.y, x.z);
    s->warned = 1;
}

/* All that depends on accepted positions, and on the motion of kinematic surfaces. */
static ruga_status begin_substep(solver *s, contact_surface *const *surfaces, size_t count) {
    TRY(take_surfaces(s, surfaces, count));
    TRY(check_start(s));
    TRY(intersecting_pairs_prepare(&s->intersecting, s->mesh));
    return penetration_find(&s->penetration, &s->intersecting, &s->trajectories);
}

static ruga_status find_rows(contact *c, contact_surface *const *surfaces, size_t count, double dt, contact_row **rows,
                             size_t *row_count) {
    solver *s = (solver *)c;
    TRY(begin_substep(s, surfaces, count));
    /* Cloth that intersects has to pass through itself to come free: there only what touches is stopped. */
    c->intersects = s->intersecting.pairs.count > 0;
    TRY(find_touching(s, (pair_reach){REPULSION_REACH, !c->intersects}, dt));
    s->has_rows = 1;
    return repulsion_rows(s->repulsion, s->mesh, rows, row_count);
}

static void take_rows(contact *c) { repulsion_take_rows(((solver *)c)->repulsion); }

static ruga_status resolve(contact *c, contact_surface *const *surfaces, size_t count, double dt) {
    solver *s = (solver *)c;
    TRY(begin_substep(s, surfaces, count));
    contact_mesh *m = s->mesh;
    TRY(contact_mesh_check_trajectories(m));
    TRY(repel(s, dt));
    TRY(trajectories_find(&s->trajectories));
    if (m->vertex_count > 0) {
        memcpy(s->start, m->from, m->vertex_count * sizeof *m->from);
        memcpy(s->wanted, m->to, m->vertex_count * sizeof *m->to);
    }
    uint64_t before = s->trajectories.work;
    s->limited_at = UINT32_MAX;
    TRY(resolve_substep(s));
    report_work(s, s->trajectories.work - before);
    TRY(store_intersecting(s));
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
    intersecting_pairs_save(&s->intersecting, writer);
    state_end(writer);
}

static ruga_status load(contact *c, state_reader *reader) {
    solver *s = (solver *)c;
    state_reader entry;
    uint32_t version, started;
    TRY(state_enter(reader, SOLVER_TAG, SOLVER_VERSION, &version, &entry));
    TRY(state_get_u32(&entry, &started, 1));
    TRY(repulsion_load(s->repulsion, &entry));
    TRY(intersecting_pairs_load(&s->intersecting, &entry));
    /* The current set may differ from the one that was saved: it is made again. */
    release_set(s);
    s->has_rows = 0;
    s->started = started != 0;
    return RUGA_OK;
}

/* ---- Making. */

static void destroy(contact *c) {
    solver *s = (solver *)c;
    ruga_context *context = c->context;
    release_set(s);
    repulsion_destroy(s->repulsion);
    intersecting_pairs_release(&s->intersecting);
    penetration_release(&s->penetration);
    impacts_release(&s->impacts);
    ARRAY_RELEASE(context, &s->surfaces);
    ARRAY_RELEASE(context, &s->exclusions);
    ARRAY_RELEASE(context, &s->ignored);
    for (size_t i = 0; s->names && i < 2 * s->def.exclusion_count; i++) memory_release(context, s->names[i]);
    for (size_t i = 0; s->own && i < s->own_count; i++) collider_surface_release(&s->own[i]);
    RELEASE_ALL(context, s->names, (void *)s->def.exclusions, s->planes, s->own, s);
}

contact_def contact_def_default(void) {
    return (contact_def){.values = {.on = 1,
                                    .spring = 0.1,
                                    .friction_at_rest = 1.25,
                                    .rounds = 4,
                                    .separation = 0.1,
                                    .impact_rounds = 8,
                                    .cuts = 15,
                                    .work = 1000}};
}

/* Values without which contact fails. The table of scenes stands above this folder and has the usual ranges, which lie
 * within these. */
static ruga_status check_def(ruga_context *context, const contact_def *def) {
    if (!(def->values.separation > 0 && def->values.separation <= 0.5))
        return fail_with(context, RUGA_ERROR_ARGUMENT,
                         "the separation of contact is %g of the thickness; it must be above 0, and at most 0.5",
                         def->values.separation);
    if (def->values.impact_rounds < 0 || def->values.cuts < 0)
        return fail_with(context, RUGA_ERROR_ARGUMENT,
                         "contact has %d rounds of impacts and %d cuts of a substep; neither may be negative",
                         def->values.impact_rounds, def->values.cuts);
    if (def->values.work < 1)
        return fail_with(context, RUGA_ERROR_ARGUMENT,
                         "contact may check and push %d pairs per vertex in a substep; it must be at least 1",
                         def->values.work);
    return RUGA_OK;
}

static ruga_status copy_exclusions(solver *s, const contact_def *def) {
    contact_exclusion *copies;
    s->def.exclusions = NULL;
    TRY(NEW_ZEROED(s->base.context, &copies, def->exclusion_count));
    s->def.exclusions = copies;
    TRY(NEW_ZEROED(s->base.context, &s->names, 2 * def->exclusion_count));
    for (size_t i = 0; i < 2 * def->exclusion_count; i++) {
        TRY(NEW_TEXT(s->base.context, &s->names[i], def->exclusions[i / 2].names[i % 2]));
        copies[i / 2].names[i % 2] = s->names[i];
    }
    return RUGA_OK;
}

static ruga_status take_colliders(solver *s, const contact_def *def) {
    ruga_context *context = s->base.context;
    TRY(NEW(context, &s->planes, def->collider_count));
    TRY(NEW_ZEROED(context, &s->own, def->collider_count));
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
    const repulsion_law law = {.spring = def->values.spring,
                               .static_ratio = def->values.friction_at_rest,
                               .rounds = def->values.rounds,
                               .plane_count = s->def.collider_count,
                               .planes = s->planes};
    return repulsion_create(context, &law, &s->repulsion);
}

ruga_status contact_create(ruga_context *context, const contact_def *def, contact **out) {
    static const contact_interface interface = {.find_rows = find_rows,
                                                .take_rows = take_rows,
                                                .excludes = excludes,
                                                .resolve = resolve,
                                                .forget = forget,
                                                .save = save,
                                                .load = load,
                                                .destroy = destroy};
    TRY(check_def(context, def));
    solver *s;
    TRY(NEW_ZEROED(context, &s, 1));
    s->base = (contact){.interface = &interface, .context = context};
    s->intersecting.context = s->penetration.context = context;
    s->def = *def;
    s->def.collider_count = 0;
    measure_list *list = &s->base.measures;
    s->touching = measure_add(list, "touching", "1");
    s->impact_count = measure_add(list, "impacts", "1");
    s->rounds = measure_add(list, "impact_rounds", "1");
    s->in_zones = measure_add(list, "zone_vertices", "1");
    s->cuts = measure_add(list, "cuts", "1");
    s->pinched = measure_add(list, "pinched", "1");
    s->intersections = measure_add(list, "intersections", "1");
    s->work = measure_add(list, "work", "1");
    s->limited = measure_add(list, "limited", "1");
    ruga_status status = copy_exclusions(s, def);
    if (!RUGA_FAILED(status)) status = take_colliders(s, def);
    if (RUGA_FAILED(status)) {
        destroy(&s->base);
        return status;
    }
    *out = &s->base;
    return RUGA_OK;
}
