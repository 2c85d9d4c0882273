/* Activations over time, and the material of muscles. */
#include "body/muscles.h"

#include <math.h>

double number_keys_at(const number_keys *m, double time) {
    const ruga_muscle_key *keys = m->keys;
    size_t next = 0;
    while (next < m->count && keys[next].time <= time) next++;
    if (m->count == 0) return 0;
    if (next == 0) return keys[0].activation;
    if (next == m->count) return keys[next - 1].activation;
    const ruga_muscle_key *a = &keys[next - 1], *b = &keys[next];
    double t = (time - a->time) / (b->time - a->time);
    return a->activation * (1 - t) + b->activation * t;
}

static ruga_status check_muscle(ruga_context *context, const muscle_def *def, size_t index, int may_lack_keys) {
    if (def->key_count == 0 && !may_lack_keys)
        return fail_input(context, "muscle %zu has no keys, and nothing else activates it; give it \"keys\"", index);
    if (!(vec3_length(def->direction) > 0) || !vec3_is_finite(def->direction))
        return fail_input(context, "muscle %zu has no direction; give one of any length, such as [1, 0, 0]", index);
    if (!(def->stress >= 0) || !isfinite(def->stress))
        return fail_input(context, "muscle %zu has a stress of %g Pa; it must be 0 or more, and finite", index,
                          def->stress);
    return RUGA_OK;
}

ruga_status muscles_copy_keys(ruga_context *context, const muscle_def *muscles, size_t count, int may_lack_keys,
                              number_keys *out) {
    for (size_t k = 0; k < count; k++) {
        TRY(check_muscle(context, &muscles[k], k, may_lack_keys));
        TRY(NEW_COPY(context, &out[k].keys, muscles[k].keys, muscles[k].key_count));
        out[k].count = muscles[k].key_count;
    }
    return RUGA_OK;
}

/* Whether a point of the material belongs to a muscle. */
static int is_in_muscle(const muscle_def *def, const ruga_map *nearest, size_t point, vec3 p) {
    vec3 from = def->box_from, to = def->box_to;
    int has_box = !(isnan(from.x) && isnan(to.x));
    if (has_box && !(p.x < from.x || p.y < from.y || p.z < from.z || p.x > to.x || p.y > to.y || p.z > to.z)) return 1;
    double chosen = 0;
    for (size_t e = nearest->offsets[point]; def->chosen && e < nearest->offsets[point + 1]; e++)
        chosen += nearest->weights[e] * def->chosen[nearest->indices[e]];
    return chosen > 0.5;
}

static ruga_status check_material(ruga_context *context, const muscle_fibre *fibres, size_t found, size_t count) {
    for (size_t k = 0; k < count; k++) {
        size_t of_muscle = 0;
        for (size_t f = 0; f < found; f++) of_muscle += fibres[f].muscle == k;
        if (of_muscle == 0)
            return fail_input(context,
                              "muscle %zu has no material: give it a box that contains a part of the mesh, or "
                              "\"where\"",
                              k);
    }
    return RUGA_OK;
}

ruga_status muscles_find_fibres(ruga_context *context, const muscle_def *muscles, size_t count, const ruga_map *nearest,
                                const vec3 *places, size_t points, muscle_fibre **out, size_t *found) {
    ARRAY(muscle_fibre) fibres = {0};
    ruga_status status = RUGA_OK;
    for (size_t q = 0; q < points && !RUGA_FAILED(status); q++)
        for (size_t k = 0; k < count && !RUGA_FAILED(status); k++)
            if (is_in_muscle(&muscles[k], nearest, q, places[q]))
                status = ARRAY_ADD(
                    context, &fibres,
                    ((muscle_fibre){q, (uint32_t)k, vec3_normalise(muscles[k].direction), muscles[k].stress}));
    if (!RUGA_FAILED(status)) status = check_material(context, fibres.items, fibres.count, count);
    *found = fibres.count;
    RETURN_MADE(status, fibres.items, out, ARRAY_RELEASE(context, &fibres));
}
