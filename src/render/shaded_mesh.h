/* A panel's meshes, prepared for tracing: single precision, in units where everything drawn lies within a sphere of
 * radius 1 about the origin. */
#ifndef RENDER_SHADED_MESH_H
#define RENDER_SHADED_MESH_H

#include <embree3/rtcore.h>

#include "geom/loop_smooth.h"
#include "math/vec3.h"
#include "render/colour.h"
#include "render/scalar.h"

typedef struct surface {
    const ruga_render_mesh *item;
    scalar_field field;
    size_t vertex_count, triangle_count;
    float *positions;      /* (vertex_count x 3, and one more number, which Embree may read) */
    uint32_t *triangles;   /* (triangle_count x 3): those whose vertices are finite */
    float *normals;        /* (triangle_count x 3 x 3) at the corners; NULL: flat */
    uint8_t *edges;        /* (triangle_count) bit k: from corner k to k + 1 runs an edge of a face */
    const ruga_vec3 *rest; /* (vertex_count) m, the mesh's: for the finish's structure */
    ruga_finish finish;
    double scale; /* tracer's units per metre */
    light front, back, wire;
    float wire_radius; /* pixels; 0: no wires */
    loop_smooth fine;  /* empty unless it is smoothed; rest and values are then its */
    int faceted;       /* it should be smooth, but would intersect itself or another surface */
} surface;

/* From metres to the tracer's units. */
typedef struct placement {
    vec3 centre;
    double scale;
} placement;
static inline vec3 placement_apply(const placement *p, vec3 x) { return vec3_scale(vec3_sub(x, p->centre), p->scale); }

static inline vec3 surface_position(const surface *s, uint32_t vertex) {
    const float *p = s->positions + 3 * (size_t)vertex;
    return (vec3){(double)p[0], (double)p[1], (double)p[2]};
}

/* All surfaces of a panel: surfaces (count), zeroed; fields (count). `left_out` grows by the triangles that were not
 * finite. pixel_scale: pixels for a pixel of a 1080-line picture. Smooth surfaces that would intersect themselves or
 * others are drawn with facets. When this fails, the caller still releases what was made. */
ruga_status surfaces_make(ruga_context *context, const ruga_panel *panel, const scalar_field *fields,
                          const placement *place, double pixel_scale, surface *surfaces, size_t *left_out);
void surface_release(ruga_context *context, surface *s);
/* The positions that an item shows, m. */
const ruga_vec3 *surface_item_positions(const ruga_render_mesh *item);

#endif
