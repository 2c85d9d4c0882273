#include "energy/anchors.h"

#include "linalg/map.h"

static ruga_status copy_rows(const ruga_map *vertices, size_t count, const uint32_t *rows, ruga_map **out) {
    size_t entries = 0;
    map_builder builder;
    for (size_t k = 0; k < count; k++) entries += vertices->offsets[rows[k] + 1] - vertices->offsets[rows[k]];
    TRY(map_builder_make(vertices->context, count, entries, &builder));
    for (size_t k = 0; k < count; k++) {
        for (size_t e = vertices->offsets[rows[k]]; e < vertices->offsets[rows[k] + 1]; e++)
            map_builder_put(&builder, vertices->indices[e], vertices->weights[e]);
        map_builder_end_row(&builder);
    }
    return map_builder_finish_rising(&builder, vertices->columns, out);
}

ruga_status anchors_create(const ruga_map *vertices, size_t count, const uint32_t *rows, const double *stiffness,
                           const vec3 *targets, anchors **out) {
    ruga_context *context = vertices->context;
    anchors *self;
    TRY(NEW_ZEROED(context, &self, 1));
    self->base = (energy_term){.interface = &anchors_interface, .context = context, .point_count = vertices->columns};
    self->targets = targets;
    self->factor = 1;
    ruga_status status = copy_rows(vertices, count, rows, &self->places);
    if (!RUGA_FAILED(status)) status = NEW_COPY(context, &self->stiffness, stiffness, count);
    if (!RUGA_FAILED(status)) status = NEW(context, &self->scratch, count);
    RETURN_MADE(status, self, out, anchors_destroy(self));
}

void anchors_destroy(anchors *a) {
    if (!a) return;
    ruga_map_destroy(a->places);
    RELEASE_ALL(a->base.context, a->stiffness, a->scratch);
    memory_release(a->base.context, a);
}

/* Forces on the anchors' places, times -scale, in the scratch; returns the energy. */
static double pull(const anchors *a, const vec3 *positions, double scale) {
    double energy = 0;
    ruga_map_apply(a->places, positions, a->scratch);
    for (size_t k = 0; k < a->places->rows; k++) {
        double stiffness = a->factor * a->stiffness[k];
        vec3 d = vec3_sub(a->scratch[k], a->targets[k]);
        energy += stiffness * vec3_length2(d) / 2;
        a->scratch[k] = vec3_scale(d, scale * stiffness);
    }
    return energy;
}

static double value(const energy_term *term, const vec3 *positions) {
    return pull((const anchors *)term, positions, 1);
}

static double add_gradient(const energy_term *term, const vec3 *positions, double scale, vec3 *out) {
    const anchors *a = (const anchors *)term;
    double energy = pull(a, positions, scale);
    ruga_map_apply_transpose_add(a->places, a->scratch, out);
    return energy;
}

static ruga_status linearise(energy_term *term, const vec3 *positions, energy_weights weights, int definite) {
    anchors *a = (anchors *)term;
    (void)positions;
    (void)definite;
    a->weight = weights.stiffness * a->factor;
    return RUGA_OK;
}

static void add_product(const energy_term *term, double scale, const vec3 *direction, vec3 *out) {
    const anchors *a = (const anchors *)term;
    ruga_map_apply(a->places, direction, a->scratch);
    for (size_t k = 0; k < a->places->rows; k++)
        a->scratch[k] = vec3_scale(a->scratch[k], scale * a->weight * a->stiffness[k]);
    ruga_map_apply_transpose_add(a->places, a->scratch, out);
}

static void add_blocks(const energy_term *term, double scale, mat3 *blocks) {
    const anchors *a = (const anchors *)term;
    for (size_t k = 0; k < a->places->rows; k++)
        for (size_t e = a->places->offsets[k]; e < a->places->offsets[k + 1]; e++) {
            double weight = a->places->weights[e];
            mat3_add_identity(&blocks[a->places->indices[e]], scale * a->weight * a->stiffness[k] * weight * weight);
        }
}

void anchors_add_matrix(const anchors *a, block_matrix *matrix) {
    const ruga_map *p = a->places;
    for (size_t k = 0; k < p->rows; k++)
        for (size_t e = p->offsets[k]; e < p->offsets[k + 1]; e++)
            for (size_t f = p->offsets[k]; f < p->offsets[k + 1]; f++) {
                mat3 block = {{{0}}};
                mat3_add_identity(&block, a->factor * a->stiffness[k] * p->weights[e] * p->weights[f]);
                block_matrix_add_block(matrix, block_matrix_entry(matrix, p->indices[e], p->indices[f]), 1, &block);
            }
}

const energy_interface anchors_interface = {.name = "anchors",
                                            .value = value,
                                            .add_gradient = add_gradient,
                                            .linearise = linearise,
                                            .add_product = add_product,
                                            .add_blocks = add_blocks};
