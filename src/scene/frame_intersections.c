/* Intersections of the current frame, of the meshes that are written. Pairs of objects that only follow a motion are
 * ignored, and so are pairs that the user excluded and faces that do not collide. */
#include "scene/frame_intersections.h"

#include <stdio.h>
#include <string.h>

#include "geom/embed.h"
#include "mesh/mesh.h"
#include "scene/scene.h"

/* ---- All objects as one mesh. */

static void release_mesh(ruga_context *context, scene_crossings *c) {
    bvh_destroy(c->tree);
    RELEASE_ALL(context, c->positions, c->triangles);
    c->tree = NULL;
    c->is_searched = 0;
    c->positions = NULL;
    c->triangles = NULL;
}

void crossings_release(ruga_scene *scene) {
    scene_crossings *c = &scene->crossings;
    release_mesh(scene->context, c);
    for (size_t p = 0; p < c->part_count; p++) memory_release(scene->context, c->parts[p].collides);
    RELEASE_ALL(scene->context, c->parts, c->excluded);
    ARRAY_RELEASE(scene->context, &c->all);
    ARRAY_RELEASE(scene->context, &c->found);
    *c = (scene_crossings){0};
}

static void exclude(const ruga_scene *scene, const char *name, const char *other) {
    size_t count = ruga_scene_object_count(scene), a = ruga_scene_object_find(scene, name),
           b = ruga_scene_object_find(scene, other);
    if (a == count || b == count) return;
    scene->crossings.excluded[a * count + b] = scene->crossings.excluded[b * count + a] = 1;
}

ruga_status crossings_prepare(ruga_scene *scene, const ruga_scene_def *def) {
    scene_crossings *c = &scene->crossings;
    size_t count = ruga_scene_object_count(scene);
    TRY(NEW_ZEROED(scene->context, &c->parts, count));
    TRY(NEW_ZEROED(scene->context, &c->excluded, count * count));
    const ruga_exclusion_def *exclusions = def->contact.exclusions.items;
    for (size_t i = 0; i < def->contact.exclusions.count; i++)
        exclude(scene, exclusions[i].object, exclusions[i].other);
    for (size_t i = 0; i < count; i++) {
        const body *b = world_body(scene->world, i);
        if (b->touch.collides)
            c->parts[c->part_count++] =
                (crossing_part){.object = i, .moving = b->masses != NULL, .self = b->touch.self};
    }
    return RUGA_OK;
}

static int is_up_to_date(const ruga_scene *scene) {
    const scene_crossings *c = &scene->crossings;
    for (size_t p = 0; p < c->part_count; p++)
        if (c->parts[p].revision != ruga_scene_frame(scene, c->parts[p].object)->topology_revision) return 0;
    return c->positions != NULL;
}

/* Which vertices of an object's current mesh collide. Those of details are at places of the body's mesh: they do if all
 * vertices of these places do. */
static ruga_status find_mask(const ruga_scene *scene, crossing_part *piece) {
    const ruga_mesh *mesh = ruga_scene_object_mesh(scene, piece->object);
    const body *b = world_body(scene->world, piece->object);
    ruga_map *map = NULL;
    memory_release(scene->context, piece->collides);
    piece->collides = NULL;
    if (!b->collides || b->mesh->vertex_count != b->point_count) return RUGA_OK;
    if (mesh != b->mesh) TRY(embed_in_surface(b->mesh, mesh->positions, mesh->vertex_count, &map, NULL));
    ruga_status status = NEW(scene->context, &piece->collides, mesh->vertex_count);
    for (size_t v = 0; !RUGA_FAILED(status) && v < mesh->vertex_count; v++) {
        piece->collides[v] = map ? 1 : b->collides[v];
        for (size_t k = map ? map->offsets[v] : 0; map && k < map->offsets[v + 1]; k++)
            piece->collides[v] &= map->weights[k] == 0 || b->collides[map->indices[k]];
    }
    ruga_map_destroy(map);
    return status;
}

static ruga_status make_mesh(ruga_scene *scene) {
    scene_crossings *c = &scene->crossings;
    release_mesh(scene->context, c);
    c->vertex_count = c->triangle_count = 0;
    for (size_t p = 0; p < c->part_count; p++) {
        crossing_part *piece = &c->parts[p];
        const ruga_mesh *mesh = ruga_scene_object_mesh(scene, piece->object);
        piece->first_vertex = c->vertex_count;
        piece->first_triangle = c->triangle_count;
        piece->revision = ruga_scene_frame(scene, piece->object)->topology_revision;
        TRY(find_mask(scene, piece));
        c->vertex_count += mesh->vertex_count;
        c->triangle_count += mesh->triangle_count;
    }
    TRY(NEW(scene->context, &c->triangles, 3 * c->triangle_count));
    for (size_t p = 0; p < c->part_count; p++) {
        const ruga_mesh *mesh = ruga_scene_object_mesh(scene, c->parts[p].object);
        uint32_t *out = c->triangles + 3 * c->parts[p].first_triangle;
        for (size_t i = 0; i < 3 * mesh->triangle_count; i++)
            out[i] = (uint32_t)c->parts[p].first_vertex + mesh->triangles[i];
    }
    return NEW(scene->context, &c->positions, c->vertex_count);
}

/* ---- Finding. */

static const crossing_part *part_of(const scene_crossings *c, uint32_t triangle) {
    size_t p = c->part_count - 1;
    while (c->parts[p].first_triangle > triangle) p--;
    return &c->parts[p];
}

static int counts(const ruga_scene *scene, const crossing_part *a, const crossing_part *b) {
    size_t count = ruga_scene_object_count(scene);
    if (!a->moving && !b->moving) return 0;
    if (a == b && !a->self) return 0;
    return !scene->crossings.excluded[a->object * count + b->object];
}

/* Whether a triangle of all objects may collide. */
static int triangle_counts(const scene_crossings *c, const crossing_part *of, uint32_t triangle) {
    for (size_t k = 0; of->collides && k < 3; k++)
        if (!of->collides[c->triangles[3 * (size_t)triangle + k] - of->first_vertex]) return 0;
    return 1;
}

static ruga_status take_found(ruga_scene *scene) {
    scene_crossings *c = &scene->crossings;
    for (size_t i = 0; i < c->all.count; i++) {
        const intersection *x = &c->all.items[i];
        const crossing_part *a = part_of(c, x->triangles[0]), *b = part_of(c, x->triangles[1]);
        if (!counts(scene, a, b) || !triangle_counts(c, a, x->triangles[0]) || !triangle_counts(c, b, x->triangles[1]))
            continue;
        TRY(ARRAY_ADD(scene->context, &c->found,
                      (ruga_scene_intersection){.objects = {a->object, b->object},
                                                .triangles = {x->triangles[0] - (uint32_t)a->first_triangle,
                                                              x->triangles[1] - (uint32_t)b->first_triangle},
                                                .point = x->point}));
    }
    return RUGA_OK;
}

static int anything_moves(const scene_crossings *c) {
    for (size_t p = 0; p < c->part_count; p++)
        if (c->parts[p].moving) return 1;
    return 0;
}

/* Whether the positions are those that were searched last. */
static int is_searched(const ruga_scene *scene) {
    const scene_crossings *c = &scene->crossings;
    for (size_t p = 0; p < c->part_count && c->is_searched; p++) {
        const ruga_frame *frame = ruga_scene_frame(scene, c->parts[p].object);
        if (memcmp(c->positions + c->parts[p].first_vertex, frame->positions,
                   frame->vertex_count * sizeof *c->positions) != 0)
            return 0;
    }
    return c->is_searched;
}

static ruga_status search(ruga_scene *scene) {
    scene_crossings *c = &scene->crossings;
    c->is_searched = 0;
    c->found.count = 0;
    for (size_t p = 0; p < c->part_count; p++) {
        const ruga_frame *frame = ruga_scene_frame(scene, c->parts[p].object);
        memcpy(c->positions + c->parts[p].first_vertex, frame->positions, frame->vertex_count * sizeof *c->positions);
    }
    if (c->tree)
        TRY(bvh_refit(c->tree, c->positions, NULL, 0));
    else
        TRY(bvh_build(scene->context, c->vertex_count, c->positions, c->triangle_count, 3, c->triangles, &c->tree));
    TRY(intersections_find(scene->context, c->vertex_count, c->positions, c->triangle_count, c->triangles, NULL,
                           c->tree, &c->all));
    TRY(take_found(scene));
    c->is_searched = 1;
    return RUGA_OK;
}

ruga_status ruga_scene_intersections(ruga_scene *scene, const ruga_scene_intersection **found, size_t *count) {
    scene_crossings *c = &scene->crossings;
    if (anything_moves(c)) {
        if (!is_up_to_date(scene)) TRY(make_mesh(scene));
        if (!is_searched(scene)) TRY(search(scene));
    }
    if (found) *found = c->found.items;
    *count = c->found.count;
    return RUGA_OK;
}

/* The part of an object; NULL: it does not collide. */
static const crossing_part *part_of_object(const scene_crossings *c, size_t object) {
    for (size_t p = 0; p < c->part_count; p++)
        if (c->parts[p].object == object) return &c->parts[p];
    return NULL;
}

ruga_status ruga_scene_ignores(ruga_scene *scene, const size_t objects[2], const uint32_t triangles[2], int *ignores) {
    scene_crossings *c = &scene->crossings;
    const size_t count = ruga_scene_object_count(scene);
    *ignores = 0;
    for (int k = 0; k < 2; k++)
        if (objects[k] >= count || triangles[k] >= ruga_scene_object_mesh(scene, objects[k])->triangle_count)
            return fail_argument(scene->context, "there is no triangle %u of an object %zu", triangles[k], objects[k]);
    if (!is_up_to_date(scene)) TRY(make_mesh(scene));
    const crossing_part *a = part_of_object(c, objects[0]), *b = part_of_object(c, objects[1]);
    if (!a || !b)
        *ignores = 1;
    else
        *ignores = (a == b && a->moving && !a->self) || c->excluded[objects[0] * count + objects[1]] ||
                   !triangle_counts(c, a, (uint32_t)a->first_triangle + triangles[0]) ||
                   !triangle_counts(c, b, (uint32_t)b->first_triangle + triangles[1]);
    return RUGA_OK;
}

/* ---- Before a change of a mesh. */

/* All bodies' surfaces as one mesh, with another surface in place of one of them. */
typedef struct joined_surfaces {
    crossing_part *parts; /* (parts of the scene) */
    size_t vertex_count, triangle_count;
    ruga_vec3 *positions;
    uint32_t *triangles;
} joined_surfaces;

static ruga_status join_surfaces(const ruga_scene *scene, size_t object, const ruga_mesh *mesh,
                                 const ruga_vec3 *positions, joined_surfaces *j) {
    const scene_crossings *c = &scene->crossings;
    TRY(NEW_COPY(scene->context, &j->parts, c->parts, c->part_count));
    for (size_t p = 0; p < c->part_count; p++) {
        const body *b = world_body(scene->world, c->parts[p].object);
        const ruga_mesh *m = b->mesh;
        if (c->parts[p].object == object) m = mesh;
        j->parts[p].first_vertex = j->vertex_count;
        j->parts[p].first_triangle = j->triangle_count;
        j->vertex_count += m->vertex_count;
        j->triangle_count += m->triangle_count;
    }
    TRY(NEW(scene->context, &j->positions, j->vertex_count));
    TRY(NEW(scene->context, &j->triangles, 3 * j->triangle_count));
    for (size_t p = 0; p < c->part_count; p++) {
        const body *b = world_body(scene->world, c->parts[p].object);
        const ruga_mesh *m = b->mesh;
        ruga_vec3 *at = j->positions + j->parts[p].first_vertex;
        if (c->parts[p].object == object) {
            m = mesh;
            memcpy(at, positions, mesh->vertex_count * sizeof *at);
        } else {
            body_make_visible(b, b->positions, at);
        }
        uint32_t *out = j->triangles + 3 * j->parts[p].first_triangle;
        for (size_t i = 0; i < 3 * m->triangle_count; i++)
            out[i] = (uint32_t)j->parts[p].first_vertex + m->triangles[i];
    }
    return RUGA_OK;
}

static const crossing_part *joined_part(const joined_surfaces *j, size_t part_count, uint32_t triangle) {
    size_t p = part_count - 1;
    while (j->parts[p].first_triangle > triangle) p--;
    return &j->parts[p];
}

static ruga_status count_joined(const ruga_scene *scene, size_t object, const joined_surfaces *j, size_t *count) {
    intersection_array all = {0};
    bvh *tree = NULL;
    *count = 0;
    TRY(bvh_build(scene->context, j->vertex_count, j->positions, j->triangle_count, 3, j->triangles, &tree));
    ruga_status status = intersections_find(scene->context, j->vertex_count, j->positions, j->triangle_count,
                                            j->triangles, NULL, tree, &all);
    for (size_t i = 0; i < all.count && !RUGA_FAILED(status); i++) {
        const crossing_part *a = joined_part(j, scene->crossings.part_count, all.items[i].triangles[0]);
        const crossing_part *b = joined_part(j, scene->crossings.part_count, all.items[i].triangles[1]);
        *count += (a->object == object || b->object == object) && counts(scene, a, b);
    }
    bvh_destroy(tree);
    ARRAY_RELEASE(scene->context, &all);
    return status;
}

static ruga_status count_with(const ruga_scene *scene, size_t object, const ruga_mesh *mesh, const ruga_vec3 *positions,
                              size_t *count) {
    joined_surfaces j = {0};
    ruga_status status = join_surfaces(scene, object, mesh, positions, &j);
    if (!RUGA_FAILED(status)) status = count_joined(scene, object, &j, count);
    RELEASE_ALL(scene->context, j.parts, j.positions, j.triangles);
    return status;
}

ruga_status crossings_added(const ruga_scene *scene, size_t object, const ruga_mesh *mesh, const ruga_vec3 *positions,
                            size_t *count) {
    const body *b = world_body(scene->world, object);
    ruga_vec3 *now;
    size_t before = 0;
    TRY(count_with(scene, object, mesh, positions, count));
    if (*count == 0) return RUGA_OK;
    TRY(NEW(scene->context, &now, b->mesh->vertex_count));
    body_make_visible(b, b->positions, now);
    ruga_status status = count_with(scene, object, b->mesh, now, &before);
    memory_release(scene->context, now);
    *count = *count > before ? *count - before : 0;
    return status;
}

/* ---- Reports. */

static size_t count_alike(const ruga_scene_intersection *found, size_t count, size_t which) {
    size_t alike = 0;
    for (size_t i = 0; i < count; i++)
        alike += found[i].objects[0] == found[which].objects[0] && found[i].objects[1] == found[which].objects[1];
    return alike;
}

void crossings_describe(const ruga_scene *scene, const ruga_scene_intersection *found, size_t count, char *text,
                        size_t size) {
    /* Sorted by triangle, and so by the first object: each pair of objects is counted at its first entry. */
    size_t most = 0, which = 0;
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && memcmp(found[i].objects, found[i - 1].objects, sizeof found[i].objects) == 0) continue;
        size_t alike = count_alike(found, count, i);
        if (alike > most) most = alike, which = i;
    }
    const ruga_scene_intersection *x = &found[which];
    const char *a = ruga_scene_object_name(scene, x->objects[0]), *b = ruga_scene_object_name(scene, x->objects[1]);
    size_t used = (size_t)snprintf(text, size, "%zu pair%s of triangles of \"%s\"", most, most == 1 ? "" : "s", a);
    if (x->objects[0] != x->objects[1] && used < size)
        used += (size_t)snprintf(text + used, size - used, " and \"%s\"", b);
    if (used < size)
        used += (size_t)snprintf(text + used, size - used, " intersect%s, as at (%.4g, %.4g, %.4g)",
                                 most == 1 ? "s" : "", x->point.x, x->point.y, x->point.z);
    if (count > most && used < size) snprintf(text + used, size - used, ", and %zu others", count - most);
}
