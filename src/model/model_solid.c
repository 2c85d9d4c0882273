/* Shared by models from implicit functions: placement on the ground, groups, UVs. */
#include <string.h>

#include "math/vec3.h"
#include "model/model.h"

#define MAX_REGIONS 16 /* of a model, with the rest */

ruga_vec3 model_stand(ruga_vec3 *positions, size_t count) {
    vec3 low = positions[0], high = low;
    for (size_t i = 0; i < count; i++) {
        low = vec3_min(low, positions[i]);
        high = vec3_max(high, positions[i]);
    }
    for (size_t i = 0; i < count; i++) positions[i].y -= low.y;
    return vec3_sub(high, low);
}

/* ---- Regions. */

static int is_in_region(const model_region *region, vec3 p) {
    vec3 d = vec3_sub(vec3_make(region->middle.x > 0 ? fabs(p.x) : p.x, p.y, p.z), region->middle),
         r = region->half_axes;
    return vec3_length2(vec3_make(d.x / r.x, d.y / r.y, d.z / r.z)) < 1;
}

ruga_status model_add_groups(ruga_context *context, mesh_parts *parts, const model_region *regions, size_t count,
                             const char *rest) {
    const char *names[MAX_REGIONS] = {rest};
    int32_t numbers[MAX_REGIONS] = {0}, name_count = 1;
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || strcmp(regions[i].name, regions[i - 1].name) != 0) names[name_count++] = regions[i].name;
        numbers[i] = name_count - 1;
    }
    int32_t *groups;
    TRY(NEW(context, &groups, parts->face_count));
    for (size_t t = 0; t < parts->face_count; t++) {
        const uint32_t *v = parts->face_vertices + 3 * t;
        vec3 sum = vec3_add(vec3_add(parts->positions[v[0]], parts->positions[v[1]]), parts->positions[v[2]]);
        vec3 p = vec3_scale(sum, 1.0 / 3);
        size_t i = 0;
        while (i < count && !is_in_region(&regions[i], p)) i++;
        groups[t] = i < count ? numbers[i] : 0;
    }
    TRY(mesh_parts_add(context, parts, "group", RUGA_DOMAIN_FACE, RUGA_I32, 1, parts->face_count, groups, NULL));
    return mesh_parts_set_labels(context, parts, names, (size_t)name_count);
}

/* ---- UVs. */

/* front: factor of the normal's component towards the front. */
static void box_uv(const vec3 p[3], double unit, double front, float uv[6]) {
    vec3 n = vec3_cross(vec3_sub(p[1], p[0]), vec3_sub(p[2], p[0]));
    double ax = fabs(n.x), ay = fabs(n.y), az = n.z > 0 ? front * n.z : -n.z;
    int axis = az >= ax && az >= ay ? 2 : ax >= ay ? 0 : 1;
    int back = (axis == 0 ? n.x : axis == 1 ? n.y : n.z) < 0;
    for (int k = 0; k < 3; k++) {
        double u = axis == 0 ? -p[k].z : p[k].x, v = axis == 1 ? -p[k].z : p[k].y - 0.5 * unit;
        if (back && axis == 1)
            v = -v;
        else if (back)
            u = -u;
        uv[2 * k] = (float)((axis + 0.5 + 0.9 * u / unit) / 3);
        uv[2 * k + 1] = (float)((back + 0.5 + 0.9 * v / unit) / 2);
    }
}

ruga_status model_add_box_uv(ruga_context *context, mesh_parts *parts, const ruga_vec3 *positions, double unit,
                             double front) {
    float *uv;
    TRY(NEW(context, &uv, 2 * parts->corner_count));
    for (size_t t = 0; t < parts->face_count; t++) {
        vec3 p[3];
        for (size_t k = 0; k < 3; k++) p[k] = positions[parts->face_vertices[3 * t + k]];
        box_uv(p, unit, front, uv + 6 * t);
    }
    return mesh_parts_add(context, parts, "uv", RUGA_DOMAIN_CORNER, RUGA_F32, 2, parts->corner_count, uv, NULL);
}
