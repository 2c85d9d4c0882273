/* A part that is inside a body and on top of it: a finer mesh that collides with a state of its own, is shown as
 * contact left it, and pulls the body's points towards it. */
#ifndef TESTS_OWN_SURFACE_PART_H
#define TESTS_OWN_SURFACE_PART_H

#include "base/memory.h"
#include "body/part_surface.h"
#include "math/vec3.h"
#include "ruga/subdivide.h"
#include "support/support.h"

typedef struct shell_def {
    int n;            /* each edge in n parts */
    double stiffness; /* N/m, between a vertex of the surface and where the points have it */
    part_rate rate;
} shell_def;

typedef struct shell {
    part base;
    shell_def def;
    ruga_mesh *fine;
    ruga_map *map; /* fine vertices = W points */
    ruga_map *from_old;
    part_surface surface;
    vec3 *pull; /* (fine vertices) N */
    int updates, settles, kept;
} shell;

static inline void shell_destroy(part *p) {
    shell *self = (shell *)p;
    ruga_context *context = p->context;
    part_release(p);
    part_surface_release(&self->surface);
    ruga_mesh_destroy(self->fine);
    ruga_map_destroy(self->map);
    ruga_map_destroy(self->from_old);
    memory_release(context, self->pull);
    memory_release(context, self);
}

/* f = Wᵀ k (accepted − W x) */
static inline ruga_status shell_force(part *p, const body *b, const substep *s, const vec3 *positions,
                                      const vec3 *velocities, vec3 *forces) {
    (void)b, (void)s, (void)velocities;
    shell *self = (shell *)p;
    ruga_map_apply(self->map, positions, self->pull);
    for (size_t v = 0; v < self->fine->vertex_count; v++)
        self->pull[v] = vec3_scale(vec3_sub(self->surface.accepted[v], self->pull[v]), self->def.stiffness);
    ruga_map_apply_transpose_add(self->map, self->pull, forces);
    return RUGA_OK;
}

static inline ruga_status shell_force_product(part *p, const body *b, const substep *s, const vec3 *positions,
                                              const vec3 *direction, vec3 *product) {
    (void)b, (void)s, (void)positions;
    shell *self = (shell *)p;
    ruga_map_apply(self->map, direction, self->pull);
    for (size_t v = 0; v < self->fine->vertex_count; v++)
        self->pull[v] = vec3_scale(self->pull[v], -self->def.stiffness);
    ruga_map_apply_transpose_add(self->map, self->pull, product);
    return RUGA_OK;
}

static inline ruga_status shell_force_blocks(part *p, const body *b, const substep *s, const vec3 *positions,
                                             mat3 *blocks) {
    (void)b, (void)s, (void)positions;
    const shell *self = (const shell *)p;
    for (size_t k = 0; k < self->map->offsets[self->map->rows]; k++) {
        double weight = self->map->weights[k];
        mat3_add_identity(&blocks[self->map->indices[k]], -self->def.stiffness * weight * weight);
    }
    return RUGA_OK;
}

static inline contact_surface *shell_surface(part *p, const body *b, const substep *s) {
    (void)s;
    return part_surface_fill(&((shell *)p)->surface, b);
}

static inline ruga_status shell_after_contact(part *p, body *b, const substep *s) {
    (void)b, (void)s;
    part_surface_keep(&((shell *)p)->surface);
    ((shell *)p)->kept++;
    return RUGA_OK;
}

static inline void shell_show(shell *self) {
    memcpy(self->base.positions, self->surface.accepted, self->fine->vertex_count * sizeof *self->surface.accepted);
}

static inline ruga_status shell_update(part *p, const body *b, const substep *s, const ruga_frame *in) {
    (void)b;
    TRY(part_check_frame(p, s, in));
    ((shell *)p)->updates++;
    shell_show((shell *)p);
    return RUGA_OK;
}

static inline ruga_status shell_settle(part *p, const body *b, const substep *s, const ruga_frame *in) {
    TRY(part_check_frame(p, s, in));
    ((shell *)p)->settles++;
    part_surface_settle(&((shell *)p)->surface, b);
    shell_show((shell *)p);
    return RUGA_OK;
}

static inline ruga_status shell_refine(const shell *self, const ruga_mesh *input, ruga_mesh **fine, ruga_map **map) {
    ruga_subdivide_def def = ruga_subdivide_def_default();
    def.n = self->def.n;
    return ruga_mesh_subdivide(input, &def, fine, map);
}

/* The old input's vertices come first among the old fine ones: new fine = W (new input from old) (old fine's first). */
static inline ruga_status shell_compose(const shell *self, const ruga_map *map, const ruga_map *input_from_old,
                                        ruga_map **out) {
    ruga_map wide = *input_from_old;
    wide.columns = self->fine->vertex_count;
    return ruga_map_compose(map, &wide, out);
}

static inline ruga_status shell_rebuild(part *p, const body *b, const part_change *change) {
    shell *self = (shell *)p;
    const ruga_mesh *input = change->input;
    ruga_mesh *fine = NULL;
    ruga_map *map = NULL, *from_old = NULL;
    vec3 *positions = NULL, *pull = NULL;
    ruga_status status = shell_refine(self, input, &fine, &map);
    if (!RUGA_FAILED(status)) status = shell_compose(self, map, change->input_from_old, &from_old);
    if (!RUGA_FAILED(status)) status = NEW(p->context, &positions, fine->vertex_count);
    if (!RUGA_FAILED(status)) status = NEW(p->context, &pull, fine->vertex_count);
    if (!RUGA_FAILED(status)) status = part_surface_rebuild(&self->surface, b, fine, map, from_old);
    if (!RUGA_FAILED(status)) {
        ruga_map_apply(from_old, p->positions, positions);
        vec3 *old_positions = p->positions, *old_pull = self->pull;
        ruga_mesh *old_fine = self->fine;
        ruga_map *old_map = self->map, *old_from_old = self->from_old;
        p->positions = positions, positions = old_positions;
        self->pull = pull, pull = old_pull;
        self->fine = fine, fine = old_fine;
        self->map = map, map = old_map;
        self->from_old = from_old, from_old = old_from_old;
        p->input = input;
        p->output = self->fine;
        p->output_from_old = p->output_from_first = self->from_old; /* right for the first change */
    }
    memory_release(p->context, positions);
    memory_release(p->context, pull);
    ruga_mesh_destroy(fine);
    ruga_map_destroy(map);
    ruga_map_destroy(from_old);
    return status;
}

static inline void shell_save(const part *p, state_writer *writer) {
    part_surface_save(&((const shell *)p)->surface, writer);
}
static inline ruga_status shell_load(part *p, state_reader *reader) {
    return part_surface_load(&((shell *)p)->surface, reader);
}

/* On a body whose vertices are not its points, the map has to come from the points. */
static inline ruga_status shell_map_points(shell *self, const body *b) {
    ruga_map *map = NULL;
    if (!b->given.visible) return RUGA_OK;
    TRY(ruga_map_compose(self->map, b->given.visible, &map));
    ruga_map_destroy(self->map);
    self->map = map;
    return RUGA_OK;
}

static inline ruga_status shell_fill(shell *self, const body *b, const ruga_mesh *input,
                                     const part_interface *interface) {
    TRY(shell_refine(self, input, &self->fine, &self->map));
    TRY(shell_map_points(self, b));
    TRY(part_init(&self->base, interface, "shell", input, self->fine));
    self->base.rate = self->def.rate;
    TRY(NEW(input->context, &self->pull, self->fine->vertex_count));
    return part_surface_init(&self->surface, b, self->fine, self->map);
}

/* `input` is the visible mesh of the body. */
static inline ruga_status shell_create(const body *b, const ruga_mesh *input, const shell_def *def, part **out) {
    static const part_interface inside = {.force = shell_force,
                                          .force_product = shell_force_product,
                                          .force_blocks = shell_force_blocks,
                                          .surface = shell_surface,
                                          .after_contact = shell_after_contact,
                                          .update = shell_update,
                                          .settle = shell_settle,
                                          .rebuild = shell_rebuild,
                                          .save = shell_save,
                                          .load = shell_load,
                                          .destroy = shell_destroy};
    static const part_interface on_top = {.surface = shell_surface,
                                          .after_contact = shell_after_contact,
                                          .update = shell_update,
                                          .settle = shell_settle,
                                          .rebuild = shell_rebuild,
                                          .save = shell_save,
                                          .load = shell_load,
                                          .destroy = shell_destroy};
    shell *self = NULL;
    TRY(NEW_ZEROED(input->context, &self, 1));
    self->base.context = self->surface.context = input->context;
    self->def = *def;
    ruga_status status = shell_fill(self, b, input, def->stiffness > 0 ? &inside : &on_top);
    if (RUGA_FAILED(status)) {
        shell_destroy(&self->base);
        return status;
    }
    *out = &self->base;
    return RUGA_OK;
}

#endif
