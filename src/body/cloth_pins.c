/* Where the pinned points of a cloth are held. */
#include "body/cloth_pins.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "geom/embed.h"
#include "math/vec3.h"

/* ---- Making. */

static ruga_status check_keys(ruga_context *context, const cloth_pin_def *def) {
    for (size_t k = 0; k < def->key_count; k++) {
        if (!isfinite(def->keys[k].time) || !vec3_is_finite(def->keys[k].move))
            return fail_with(context, RUGA_ERROR_INPUT, "key %zu of a path of pins is not finite", k);
        if (k > 0 && !(def->keys[k].time > def->keys[k - 1].time))
            return fail_with(context, RUGA_ERROR_INPUT,
                             "key %zu of a path of pins is at %g s, which is not after the one before it at %g s", k,
                             def->keys[k].time, def->keys[k - 1].time);
    }
    return RUGA_OK;
}

static ruga_status take_vertices(const ruga_mesh *mesh, const cloth_pin_def *defs, size_t def_count, cloth_pins *pins,
                                 unsigned char *seen) {
    size_t at = 0;
    for (size_t g = 0; g < def_count; g++) {
        pins->groups[g].begin = at;
        for (size_t k = 0; k < defs[g].count; k++, at++) {
            uint32_t vertex = defs[g].vertices[k];
            if (vertex >= mesh->vertex_count)
                return fail_with(mesh->context, RUGA_ERROR_INPUT, "vertex %u is pinned, but the cloth has only %zu",
                                 vertex, mesh->vertex_count);
            if (seen[vertex])
                return fail_with(mesh->context, RUGA_ERROR_INPUT, "vertex %u is pinned twice; it can be held once",
                                 vertex);
            seen[vertex] = 1;
            pins->vertices[at] = pins->points[at] = vertex;
            pins->rest[at] = pins->targets[at] = mesh->positions[vertex];
            pins->velocities[at] = (vec3){0, 0, 0};
        }
        pins->groups[g].end = at;
    }
    return RUGA_OK;
}

/* Axes of a triangle: along its first edge, its normal, and across both. */
static void triangle_axes(const vec3 *positions, const uint32_t *corners, vec3 axes[3]) {
    vec3 a = positions[corners[0]];
    vec3 edge = vec3_sub(positions[corners[1]], a), other = vec3_sub(positions[corners[2]], a);
    axes[0] = vec3_normalise(edge);
    axes[1] = vec3_normalise(vec3_cross(edge, other));
    axes[2] = vec3_cross(axes[0], axes[1]);
}

/* The triangle whose frame carries a pin: the first that has all vertices its row names. */
static const uint32_t *triangle_of_row(const ruga_mesh *mesh, const ruga_map *map, size_t row) {
    size_t begin = map->offsets[row], count = map->offsets[row + 1] - begin;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *corners = mesh->triangles + 3 * t;
        size_t shared = 0;
        for (size_t e = begin; e < begin + count; e++)
            shared += map->indices[e] == corners[0] || map->indices[e] == corners[1] || map->indices[e] == corners[2];
        if (shared == count) return corners;
    }
    return mesh->triangles;
}

static ruga_status follow_body(const cloth_pins *pins, cloth_pin_group *group) {
    size_t count = group->end - group->begin;
    const ruga_mesh *mesh = group->leader->mesh;
    group->leader_mesh = mesh;
    group->leader_revision = group->leader->revision;
    if (mesh->triangle_count == 0)
        return fail_with(pins->context, RUGA_ERROR_INPUT, "pins can't follow a %s body that has no triangles",
                         group->leader->kind);
    TRY(NEW(pins->context, &group->frames, 3 * count));
    TRY(NEW(pins->context, &group->offsets, count));
    if (group->leader->interface->visible) TRY(NEW(pins->context, &group->visible, mesh->vertex_count));
    TRY(embed_in_surface(mesh, pins->rest + group->begin, count, &group->map, group->offsets));
    for (size_t k = 0; k < count; k++) {
        vec3 axes[3], offset = group->offsets[k];
        memcpy(group->frames + 3 * k, triangle_of_row(mesh, group->map, k), 3 * sizeof *group->frames);
        triangle_axes(mesh->positions, group->frames + 3 * k, axes);
        group->offsets[k] = (vec3){vec3_dot(axes[0], offset), vec3_dot(axes[1], offset), vec3_dot(axes[2], offset)};
    }
    return RUGA_OK;
}

static ruga_status make_groups(const cloth_pin_def *defs, size_t def_count, cloth_pins *pins) {
    for (size_t g = 0; g < def_count; g++) {
        cloth_pin_group *group = &pins->groups[g];
        TRY(check_keys(pins->context, &defs[g]));
        if (defs[g].leader && defs[g].key_count > 0)
            return fail_with(pins->context, RUGA_ERROR_INPUT, "pins can follow a path or a body, not both");
        group->leader = defs[g].leader;
        if (defs[g].key_count > 0) {
            TRY(NEW_COPY(pins->context, &group->keys, defs[g].keys, defs[g].key_count));
            group->key_count = defs[g].key_count;
        }
        if (group->leader) TRY(follow_body(pins, group));
    }
    return RUGA_OK;
}

static ruga_status make(const ruga_mesh *mesh, const cloth_pin_def *defs, size_t def_count, cloth_pins *pins) {
    ruga_context *context = pins->context;
    for (size_t g = 0; g < def_count; g++) pins->count += defs[g].count;
    TRY(NEW(context, &pins->vertices, pins->count));
    TRY(NEW(context, &pins->points, pins->count));
    TRY(NEW(context, &pins->rest, pins->count));
    TRY(NEW(context, &pins->targets, pins->count));
    TRY(NEW(context, &pins->velocities, pins->count));
    TRY(NEW_ZEROED(context, &pins->groups, def_count));
    pins->group_count = def_count;
    unsigned char *seen;
    TRY(NEW_ZEROED(context, &seen, mesh->vertex_count));
    ruga_status status = take_vertices(mesh, defs, def_count, pins, seen);
    memory_release(context, seen);
    return RUGA_FAILED(status) ? status : make_groups(defs, def_count, pins);
}

ruga_status cloth_pins_make(const ruga_mesh *mesh, const cloth_pin_def *defs, size_t def_count, cloth_pins *out) {
    *out = (cloth_pins){.context = mesh->context};
    ruga_status status = make(mesh, defs, def_count, out);
    if (RUGA_FAILED(status)) cloth_pins_release(out);
    return status;
}

/* How a group is tied to its leader. */
static void release_ties(ruga_context *context, const cloth_pin_group *group) {
    memory_release(context, group->frames);
    memory_release(context, group->offsets);
    memory_release(context, group->visible);
    ruga_map_destroy(group->map);
}

void cloth_pins_release(cloth_pins *pins) {
    for (size_t g = 0; g < pins->group_count; g++) {
        memory_release(pins->context, pins->groups[g].keys);
        release_ties(pins->context, &pins->groups[g]);
    }
    memory_release(pins->context, pins->groups);
    memory_release(pins->context, pins->vertices);
    memory_release(pins->context, pins->points);
    memory_release(pins->context, pins->rest);
    memory_release(pins->context, pins->targets);
    memory_release(pins->context, pins->velocities);
    *pins = (cloth_pins){0};
}

ruga_status cloth_pins_make_from(const ruga_mesh *mesh, const ruga_map *visible, const vec3 *start,
                                 const cloth_pin_def *defs, size_t def_count, cloth_pins *out) {
    ruga_mesh posed = *mesh;
    vec3 *positions = NULL;
    if (start && visible) {
        TRY(NEW(mesh->context, &positions, mesh->vertex_count));
        ruga_map_apply(visible, start, positions);
        posed.positions = positions;
    }
    ruga_status status = cloth_pins_make(&posed, defs, def_count, out);
    memory_release(mesh->context, positions);
    return status;
}

ruga_status cloth_pins_on_mesh(const cloth_pins *pins, const ruga_mesh *mesh, cloth_pins *out) {
    cloth_pin_def *defs;
    ruga_mesh posed = *mesh;
    vec3 *positions;
    TRY(NEW_ZEROED(pins->context, &defs, pins->group_count));
    TRY_OR(NEW_COPY(pins->context, &positions, mesh->positions, mesh->vertex_count),
           memory_release(pins->context, defs));
    posed.positions = positions;
    /* Pins of a cloth that started elsewhere keep their places. */
    for (size_t k = 0; k < pins->count; k++)
        if (pins->vertices[k] < mesh->vertex_count) positions[pins->vertices[k]] = pins->rest[k];
    for (size_t g = 0; g < pins->group_count; g++) {
        const cloth_pin_group *group = &pins->groups[g];
        defs[g] = (cloth_pin_def){.count = group->end - group->begin,
                                  .vertices = pins->vertices + group->begin,
                                  .key_count = group->key_count,
                                  .keys = group->keys,
                                  .leader = group->leader};
    }
    ruga_status status = cloth_pins_make(&posed, defs, pins->group_count, out);
    memory_release(pins->context, defs);
    memory_release(pins->context, positions);
    return status;
}

ruga_status cloth_pins_carry(cloth_pins *pins, const ruga_map *map) {
    for (size_t k = 0; k < pins->count; k++) {
        uint32_t vertex = pins->vertices[k];
        size_t row = map->offsets[vertex];
        if (map->offsets[vertex + 1] != row + 1 || map->weights[row] != 1)
            return fail_with(
                pins->context, RUGA_ERROR_INPUT,
                "vertex %u is pinned, but it is a mean of several simulated points; pin a vertex that is one "
                "of them",
                vertex);
        pins->points[k] = map->indices[row];
    }
    return RUGA_OK;
}

/* ---- Placing. */

static vec3 path_at(const cloth_pin_group *group, double time) {
    const ruga_pin_key *keys = group->keys;
    size_t next = 0;
    while (next < group->key_count && keys[next].time <= time) next++;
    if (next == 0) return keys[0].move;
    if (next == group->key_count) return keys[next - 1].move;
    const ruga_pin_key *a = &keys[next - 1], *b = &keys[next];
    return vec3_mix(a->move, b->move, (time - a->time) / (b->time - a->time));
}

static void place_on_body(const cloth_pin_group *group, vec3 *targets) {
    const body *b = group->leader;
    const vec3 *leader = b->candidate_positions;
    if (group->visible) {
        b->interface->visible(b, leader, group->visible);
        leader = group->visible;
    }
    ruga_map_apply(group->map, leader, targets);
    for (size_t k = 0; k < group->end - group->begin; k++) {
        vec3 axes[3];
        triangle_axes(leader, group->frames + 3 * k, axes);
        targets[k] = vec3_add_scaled(targets[k], axes[0], group->offsets[k].x);
        targets[k] = vec3_add_scaled(targets[k], axes[1], group->offsets[k].y);
        targets[k] = vec3_add_scaled(targets[k], axes[2], group->offsets[k].z);
    }
}

/* After the leader became another mesh. */
static ruga_status follow_again(const cloth_pins *pins, cloth_pin_group *group) {
    cloth_pin_group tied = {.begin = group->begin, .end = group->end, .leader = group->leader};
    ruga_status status = follow_body(pins, &tied);
    if (RUGA_FAILED(status)) {
        release_ties(pins->context, &tied);
        return status;
    }
    release_ties(pins->context, group);
    *group = tied;
    return RUGA_OK;
}

ruga_status cloth_pins_place(cloth_pins *pins, double time) {
    for (size_t g = 0; g < pins->group_count; g++) {
        cloth_pin_group *group = &pins->groups[g];
        const body *leader = group->leader;
        if (leader && (leader->mesh != group->leader_mesh || leader->revision != group->leader_revision))
            TRY(follow_again(pins, group));
        if (leader) {
            place_on_body(group, pins->targets + group->begin);
        } else if (group->key_count > 0) {
            vec3 move = path_at(group, time);
            for (size_t k = group->begin; k < group->end; k++) pins->targets[k] = vec3_add(pins->rest[k], move);
        }
    }
    return RUGA_OK;
}
