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

static ruga_status check_leader(ruga_context *context, const cloth_pin_def *def) {
    const body *leader = def->leader;
    if (!leader) return RUGA_OK;
    if (def->key_count > 0) return fail_with(context, RUGA_ERROR_INPUT, "pins can follow a path or a body, not both");
    if (leader->interface->visible || leader->point_count != leader->mesh->vertex_count ||
        leader->mesh->triangle_count == 0)
        return fail_with(context, RUGA_ERROR_INPUT,
                         "pins can't follow a %s body whose vertices are not its points, or that has no triangles",
                         leader->kind);
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
            pins->points[at] = vertex;
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

static ruga_status follow_body(cloth_pins *pins, cloth_pin_group *group) {
    size_t count = group->end - group->begin;
    const ruga_mesh *mesh = group->leader->mesh;
    group->frames = ALLOCATE(pins->context, uint32_t, 3 * count);
    group->offsets = ALLOCATE(pins->context, vec3, count);
    if (!group->frames || !group->offsets) return fail_memory(pins->context, count * sizeof(vec3));
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
        TRY(check_leader(pins->context, &defs[g]));
        group->leader = defs[g].leader;
        if (defs[g].key_count > 0) {
            group->keys = memory_copy(pins->context, defs[g].keys, defs[g].key_count, sizeof *group->keys);
            if (!group->keys) return fail_memory(pins->context, defs[g].key_count * sizeof *group->keys);
            group->key_count = defs[g].key_count;
        }
        if (group->leader) TRY(follow_body(pins, group));
    }
    return RUGA_OK;
}

static ruga_status make(const ruga_mesh *mesh, const cloth_pin_def *defs, size_t def_count, cloth_pins *pins) {
    ruga_context *context = pins->context;
    for (size_t g = 0; g < def_count; g++) pins->count += defs[g].count;
    pins->points = ALLOCATE(context, uint32_t, pins->count);
    pins->rest = ALLOCATE(context, vec3, pins->count);
    pins->targets = ALLOCATE(context, vec3, pins->count);
    pins->velocities = ALLOCATE(context, vec3, pins->count);
    pins->groups = ALLOCATE_ZEROED(context, cloth_pin_group, def_count);
    unsigned char *seen = ALLOCATE_ZEROED(context, unsigned char, mesh->vertex_count);
    ruga_status status = RUGA_OK;
    if (!pins->points || !pins->rest || !pins->targets || !pins->velocities || !pins->groups || !seen)
        status = fail_memory(context, mesh->vertex_count);
    else
        pins->group_count = def_count;
    if (!RUGA_FAILED(status)) status = take_vertices(mesh, defs, def_count, pins, seen);
    memory_release(context, seen);
    return RUGA_FAILED(status) ? status : make_groups(defs, def_count, pins);
}

ruga_status cloth_pins_make(const ruga_mesh *mesh, const cloth_pin_def *defs, size_t def_count, cloth_pins *out) {
    *out = (cloth_pins){.context = mesh->context};
    ruga_status status = make(mesh, defs, def_count, out);
    if (RUGA_FAILED(status)) cloth_pins_release(out);
    return status;
}

void cloth_pins_release(cloth_pins *pins) {
    for (size_t g = 0; g < pins->group_count; g++) {
        memory_release(pins->context, pins->groups[g].keys);
        memory_release(pins->context, pins->groups[g].frames);
        memory_release(pins->context, pins->groups[g].offsets);
        ruga_map_destroy(pins->groups[g].map);
    }
    memory_release(pins->context, pins->groups);
    memory_release(pins->context, pins->points);
    memory_release(pins->context, pins->rest);
    memory_release(pins->context, pins->targets);
    memory_release(pins->context, pins->velocities);
    *pins = (cloth_pins){0};
}

/* ---- Placing. */

static vec3 path_at(const cloth_pin_group *group, double time) {
    const cloth_path_key *keys = group->keys;
    size_t next = 0;
    while (next < group->key_count && keys[next].time <= time) next++;
    if (next == 0) return keys[0].move;
    if (next == group->key_count) return keys[next - 1].move;
    const cloth_path_key *a = &keys[next - 1], *b = &keys[next];
    return vec3_mix(a->move, b->move, (time - a->time) / (b->time - a->time));
}

static void place_on_body(const cloth_pin_group *group, vec3 *targets) {
    const vec3 *leader = group->leader->candidate_positions;
    ruga_map_apply(group->map, leader, targets);
    for (size_t k = 0; k < group->end - group->begin; k++) {
        vec3 axes[3];
        triangle_axes(leader, group->frames + 3 * k, axes);
        targets[k] = vec3_add_scaled(targets[k], axes[0], group->offsets[k].x);
        targets[k] = vec3_add_scaled(targets[k], axes[1], group->offsets[k].y);
        targets[k] = vec3_add_scaled(targets[k], axes[2], group->offsets[k].z);
    }
}

void cloth_pins_place(cloth_pins *pins, double time) {
    for (size_t g = 0; g < pins->group_count; g++) {
        const cloth_pin_group *group = &pins->groups[g];
        if (group->leader) {
            place_on_body(group, pins->targets + group->begin);
        } else if (group->key_count > 0) {
            vec3 move = path_at(group, time);
            for (size_t k = group->begin; k < group->end; k++) pins->targets[k] = vec3_add(pins->rest[k], move);
        }
    }
}
