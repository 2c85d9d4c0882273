/* Intersections of the present frame: what is written is what is looked at. Objects that only follow a motion may intersect each
 * other and themselves as they please; so may those that the user let pass through each other. */
#include "scene/intersections.h"

#include <stdio.h>
#include <string.h>

#include "mesh/mesh.h"
#include "scene/scene.h"

/* ---- All objects as one mesh. */

static void release_mesh(ruga_context *context, scene_crossings *c) {
    bvh_destroy(c->tree);
    memory_release(context, c->positions);
    memory_release(context, c->triangles);
    c->tree = NULL;
    c->positions = NULL;
    c->triangles = NULL;
}

void crossings_release(ruga_scene *scene) {
    scene_crossings *c = &scene->crossings;
    release_mesh(scene->context, c);
    memory_release(scene->context, c->parts);
    memory_release(scene->context, c->excluded);
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
    c->parts = ALLOCATE_ZEROED(scene->context, crossing_part, count);
    c->excluded = ALLOCATE_ZEROED(scene->context, unsigned char, count *count);
    if (!c->parts || !c->excluded) return fail_memory(scene->context, count * sizeof *c->parts);
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

static void add_triangles(const crossing_part *part, const ruga_mesh *mesh, uint32_t *triangles) {
    uint32_t *out = triangles + 3 * part->first_triangle;
    for (size_t i = 0; i < 3 * mesh->triangle_count; i++) out[i] = (uint32_t)part->first_vertex + mesh->triangles[i];
}

static ruga_status make_mesh(ruga_scene *scene) {
    scene_crossings *c = &scene->crossings;
    release_mesh(scene->context, c);
    c->vertex_count = c->triangle_count = 0;
    for (size_t p = 0; p < c->part_count; p++) {
        crossing_part *part = &c->parts[p];
        const ruga_mesh *mesh = ruga_scene_object_mesh(scene, part->object);
        part->first_vertex = c->vertex_count;
        part->first_triangle = c->triangle_count;
        part->revision = ruga_scene_frame(scene, part->object)->topology_revision;
        c->vertex_count += mesh->vertex_count;
        c->triangle_count += mesh->triangle_count;
    }
    c->positions = ALLOCATE(scene->context, ruga_vec3, c->vertex_count);
    c->triangles = ALLOCATE(scene->context, uint32_t, 3 * c->triangle_count);
    if (!c->positions || !c->triangles) {
        release_mesh(scene->context, c);
        return fail_memory(scene->context, c->vertex_count * sizeof *c->positions);
    }
    for (size_t p = 0; p < c->part_count; p++)
        add_triangles(&c->parts[p], ruga_scene_object_mesh(scene, c->parts[p].object), c->triangles);
    return RUGA_OK;
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

static ruga_status take_found(ruga_scene *scene) {
    scene_crossings *c = &scene->crossings;
    c->found.count = 0;
    for (size_t i = 0; i < c->all.count; i++) {
        const intersection *x = &c->all.items[i];
        const crossing_part *a = part_of(c, x->triangles[0]), *b = part_of(c, x->triangles[1]);
        if (!counts(scene, a, b)) continue;
        TRY(ARRAY_RESERVE(scene->context, &c->found, 1));
        c->found.items[c->found.count++] = (ruga_scene_intersection){
            .objects = {a->object, b->object},
            .triangles = {x->triangles[0] - (uint32_t)a->first_triangle, x->triangles[1] - (uint32_t)b->first_triangle},
            .point = x->point};
    }
    return RUGA_OK;
}

static int anything_moves(const scene_crossings *c) {
    for (size_t p = 0; p < c->part_count; p++)
        if (c->parts[p].moving) return 1;
    return 0;
}

static ruga_status take_positions(ruga_scene *scene) {
    scene_crossings *c = &scene->crossings;
    for (size_t p = 0; p < c->part_count; p++) {
        const ruga_frame *frame = ruga_scene_frame(scene, c->parts[p].object);
        memcpy(c->positions + c->parts[p].first_vertex, frame->positions, frame->vertex_count * sizeof *c->positions);
    }
    if (c->tree) return bvh_refit(c->tree, c->positions, NULL, 0);
    return bvh_build(scene->context, c->vertex_count, c->positions, c->triangle_count, 3, c->triangles, &c->tree);
}

ruga_status ruga_scene_intersections(ruga_scene *scene, const ruga_scene_intersection **found, size_t *count) {
    scene_crossings *c = &scene->crossings;
    c->found.count = 0;
    if (anything_moves(c)) {
        if (!is_up_to_date(scene)) TRY(make_mesh(scene));
        TRY(take_positions(scene));
        TRY(intersections_find(scene->context, c->vertex_count, c->positions, c->triangle_count, c->triangles, NULL,
                               c->tree, &c->all));
        TRY(take_found(scene));
    }
    if (found) *found = c->found.items;
    *count = c->found.count;
    return RUGA_OK;
}

/* ---- Telling. */

static size_t count_alike(const ruga_scene_intersection *found, size_t count, size_t which) {
    size_t alike = 0;
    for (size_t i = 0; i < count; i++)
        alike += found[i].objects[0] == found[which].objects[0] && found[i].objects[1] == found[which].objects[1];
    return alike;
}

void crossings_describe(const ruga_scene *scene, const ruga_scene_intersection *found, size_t count, char *text,
                        size_t size) {
    /* Sorted by triangle, and so by the first object: each pair of objects is looked at where it begins. */
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
