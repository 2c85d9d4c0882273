/* The kind "attach": its table, and how places on both meshes are found. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "body/attach_part.h"
#include "body/kind.h"
#include "body/seam_part.h"
#include "geom/bvh.h"
#include "math/vec3.h"

#define STIFFNESS 3.0        /* default: that many times the stretch of the material */
#define DEFAULT_DURATION 1.0 /* s */
#define FARTHEST 2.0         /* mean edges, of a place from the mesh that it is meant on */

static const ruga_field attach_fields[] = {
    {"name", RUGA_FIELD_TEXT, AT(ruga_attach_def, name), .preset = "null", .help = "for messages"},
    {"object", RUGA_FIELD_NAME, AT(ruga_attach_def, object), .preset = "null", .names = "objects",
     .help = "cloth or body that it is attached to; it must precede this cloth in the list of objects; if absent, this "
             "cloth itself, whose mesh may have several pieces"},
    {"at", RUGA_FIELD_VECTOR, AT(ruga_attach_def, at), .unit = "m", .preset = "null",
     .help = "a button: its place on this cloth, at rest in the scene"},
    {"to", RUGA_FIELD_VECTOR, AT(ruga_attach_def, to), .unit = "m", .preset = "null",
     .help = "the place on the object that the button goes to; if absent, the one nearest to \"at\""},
    {"where", RUGA_FIELD_PARAM, AT(ruga_attach_def, where), .unit = "1", .preset = "0",
     .help = "a patch: the vertices where this is above 0.5 are attached to the nearest places of the object"},
    {"start", RUGA_FIELD_NUMBER, AT(ruga_attach_def, start), .unit = "s", .preset = "null",
     .help = "when it begins to close; if absent, at the start of the first frame or of its pre-roll"},
    {"end", RUGA_FIELD_NUMBER, AT(ruga_attach_def, end), .unit = "s", .preset = "null",
     .help = "when it is closed; from then on it holds; if absent, one second after the start"},
    {"gap", RUGA_FIELD_NUMBER, AT(ruga_attach_def, gap), .unit = "m", .preset = "null", RANGE(0, 1000),
     .help = "remaining distance; if absent, the thickness of contact"},
    {"stiffness", RUGA_FIELD_NUMBER, AT(ruga_attach_def, stiffness), .unit = "N/m", .preset = "null", RANGE(0, 1e15),
     .help = "stiffness of each attached place; if absent, three times the stretch of the material"},
};

/* The search for attached places. */
typedef struct attach_search {
    build *b;
    const ruga_attach_def *def;
    const char *name;
    const ruga_mesh *target;
    ARRAY(attach_pair) pairs;
} attach_search;

static double mean_edge(const ruga_mesh *mesh) {
    double sum = 0;
    for (size_t i = 0; i < 3 * mesh->triangle_count; i++)
        sum += vec3_distance(mesh->positions[mesh->triangles[i]],
                             mesh->positions[mesh->triangles[i % 3 == 2 ? i - 2 : i + 1]]);
    return mesh->triangle_count > 0 ? sum / (double)(3 * mesh->triangle_count) : 0;
}

static void take_hit(const ruga_mesh *mesh, const bvh_hit *hit, int side, attach_pair *pair) {
    for (int k = 0; k < 3; k++) {
        pair->points[side][k] = mesh->triangles[3 * (size_t)hit->element + (size_t)k];
        pair->weights[side][k] = hit->barycentric[k];
    }
}

/* The place of a mesh nearest to a point; an error that names the button if it is too far. */
static ruga_status find_place(attach_search *s, const ruga_mesh *mesh, const bvh *tree, const void *value,
                              const char *what, int limited, vec3 point, int side, attach_pair *pair) {
    bvh_hit hit = bvh_closest_point(tree, point, INFINITY);
    double most = FARTHEST * mean_edge(mesh);
    if (hit.element != UINT32_MAX && (!limited || hit.distance <= most)) {
        take_hit(mesh, &hit, side, pair);
        return RUGA_OK;
    }
    return build_found(
        s->b, value, RUGA_ERROR_INPUT,
        "%s: (%g, %g, %g) is outside of %s: %.3g m from its surface, more than %.3g m; give a place on the mesh at "
        "rest, in coordinates of the scene",
        s->name, point.x, point.y, point.z, what, hit.element == UINT32_MAX ? INFINITY : hit.distance, most);
}

static ruga_status find_button(attach_search *s, const bvh *own, const bvh *target) {
    const ruga_attach_def *def = s->def;
    attach_pair pair = {0};
    int has_to = !isnan(def->to.x);
    if (!has_to && !def->object)
        return build_found(s->b, &def->at, RUGA_ERROR_INPUT,
                           "%s: it has a place \"at\" but neither \"object\" nor \"to\"; give one of them", s->name);
    TRY(find_place(s, s->b->mesh, own, &def->at, "this cloth", 1, def->at, 0, &pair));
    TRY(find_place(s, s->target, target, has_to ? &def->to : &def->at, def->object ? def->object : "this cloth", has_to,
                   has_to ? def->to : def->at, 1, &pair));
    if (s->target == s->b->mesh && memcmp(pair.points[0], pair.points[1], sizeof pair.points[0]) == 0)
        return build_found(s->b, &def->to, RUGA_ERROR_INPUT,
                           "%s: it joins a place to itself: \"at\" and \"to\" are on one triangle; move one of them",
                           s->name);
    return ARRAY_ADD(s->b->context, &s->pairs, pair);
}

static ruga_status find_patch(attach_search *s, const double *values, const bvh *target) {
    const ruga_mesh *mesh = s->b->mesh;
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        if (!(values[v] > 0.5)) continue;
        attach_pair pair = {.points = {{(uint32_t)v, (uint32_t)v, (uint32_t)v}}, .weights = {{1}}};
        TRY(find_place(s, s->target, target, &s->def->where, s->def->object, 0, mesh->positions[v], 1, &pair));
        TRY(ARRAY_ADD(s->b->context, &s->pairs, pair));
    }
    return RUGA_OK;
}

static ruga_status find_with_trees(attach_search *s, const double *values, const bvh *own, const bvh *target) {
    build *b = s->b;
    if (!isnan(s->def->at.x)) TRY(find_button(s, own, target));
    if (s->def->object) TRY(find_patch(s, values, target));
    if (s->pairs.count > 0 || b->errors) return RUGA_OK;
    return build_found(b, b->variant, RUGA_ERROR_INPUT,
                       "%s: it attaches nothing: give a button the place \"at\", or a patch \"where\", which chooses "
                       "vertices, and an \"object\"",
                       s->name);
}

static ruga_status find_all(attach_search *s, const ruga_param *where) {
    const ruga_mesh *mesh = s->b->mesh;
    double *values = NULL;
    bvh *own = NULL, *target = NULL;
    TRY(NEW(mesh->context, &values, mesh->vertex_count));
    ruga_status status = ruga_param_evaluate(where, "where", mesh, 0, values);
    if (!RUGA_FAILED(status)) status = bvh_build_triangles(mesh, &own);
    if (!RUGA_FAILED(status)) status = bvh_build_triangles(s->target, &target);
    if (!RUGA_FAILED(status)) status = find_with_trees(s, values, own, target);
    bvh_destroy(own);
    bvh_destroy(target);
    memory_release(mesh->context, values);
    return status;
}

static ruga_status make_found(attach_search *s, body *other, part **out) {
    build *b = s->b;
    const ruga_attach_def *def = s->def;
    ruga_material_def material;
    double start = isnan(def->start) ? seam_first_time(&b->scene->time) : def->start;
    attach_part_def made = {.name = s->name,
                            .other = other,
                            .pairs = s->pairs.items,
                            .pair_count = s->pairs.count,
                            .start = start,
                            .end = isnan(def->end) ? start + DEFAULT_DURATION : def->end,
                            .gap = def->gap};
    TRY(build_find_material(b, "cotton", &material));
    made.stiffness = isnan(def->stiffness) ? STIFFNESS * material.stretch : def->stiffness;
    if (made.end < start)
        TRY(build_found(b, &def->end, RUGA_ERROR_INPUT,
                        "%s: it ends at %g s, before it starts at %g s; give \"end\" a later time", s->name, made.end,
                        start));
    if (b->errors || !b->body) return RUGA_OK;
    return build_about(b, b->variant, attach_part_create(b->body, &made, out));
}

/* The name of an attachment in messages: its own, or its number among those of the object, from 1. */
static void name_attachment(const build *b, const ruga_attach_def *def, char *text, size_t size) {
    const ruga_variant *hooks = b->object->hooks.items;
    size_t number = 0;
    for (size_t k = 0; k < b->object->hooks.count; k++) {
        number += hooks[k].section == b->variant->section;
        if (&hooks[k] == b->variant) break;
    }
    if (def->name)
        snprintf(text, size, "attachment \"%.80s\"", def->name);
    else
        snprintf(text, size, "attachment %zu", number);
}

static ruga_status make_part(build *b, const void *values, part **out) {
    const ruga_attach_def *def = values;
    char name[120];
    const body *other = NULL;
    ruga_param where;
    name_attachment(b, def, name, sizeof name);
    if (def->object) {
        TRY(build_about(b, &def->object, build_find_body(b, def->object, &other)));
        if (!other) return RUGA_OK;
    }
    TRY(build_param(b, &def->where, b->mesh, &where));
    if (b->errors) return RUGA_OK;
    attach_search s = {.b = b, .def = def, .name = name, .target = other ? other->mesh : b->mesh};
    ruga_status status = find_all(&s, &where);
    /* The build knows bodies as const; the world, which owns them, does not. */
    if (!RUGA_FAILED(status)) status = make_found(&s, (body *)(uintptr_t)other, out);
    ARRAY_RELEASE(b->context, &s.pairs);
    return status;
}

const kind attach_part_kind = {
    .section = SECTION("attach", ruga_attach_def, attach_fields,
                       .help = "Attaches a cloth to another object, or to another place of itself: buttons by a place, "
                               "patches by their vertices."),
    .role = KIND_INSIDE,
    .make_part = make_part,
};
