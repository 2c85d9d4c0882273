/* Shared by the fuzz targets of curves: whatever is read is traced over the surface, and can be cut into it, but for
 * curves that are too short for that. */
#ifndef TESTS_FUZZ_CURVE_H
#define TESTS_FUZZ_CURVE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "geom/curve_cut.h"
#include "geom/surface_path.h"
#include "io/curves.h"

static inline void require(int condition) {
    if (!condition) abort();
}

/* A sheet of 4 by 4 squares whose UVs are its places. */
static inline ruga_mesh *fuzz_sheet(ruga_context *context) {
    enum { N = 4 };
    ruga_vec3 positions[(N + 1) * (N + 1)];
    double uvs[2 * (N + 1) * (N + 1)];
    uint32_t faces[6 * N * N];
    size_t count = 0;
    for (uint32_t i = 0; i < (N + 1) * (N + 1); i++) {
        double x = (double)(i % (N + 1)) / N, y = (double)(i / (N + 1)) / N;
        positions[i] = (ruga_vec3){x, y, 0.1 * x * y};
        uvs[2 * i] = x, uvs[2 * i + 1] = y;
        if (i % (N + 1) == N || i / (N + 1) == N) continue;
        const uint32_t two[6] = {i, i + 1, i + N + 2, i, i + N + 2, i + N + 1};
        memcpy(faces + count, two, sizeof two);
        count += 6;
    }
    const ruga_attribute uv = {.name = "uv",
                               .domain = RUGA_DOMAIN_VERTEX,
                               .type = RUGA_F64,
                               .components = 2,
                               .count = (N + 1) * (N + 1),
                               .values = uvs};
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){positions, (N + 1) * (N + 1), 0, RUGA_F64};
    def.face_count = count / 3;
    def.face_vertices = faces;
    def.attribute_count = 1;
    def.attributes = &uv;
    ruga_mesh *mesh = NULL;
    require(!RUGA_FAILED(ruga_mesh_create(context, &def, &mesh)));
    return mesh;
}

static inline void require_curve(const ruga_mesh *mesh, const tracer *t, const ruga_curve *curve) {
    require(curve->point_count >= 2);
    for (size_t i = 0; i < curve->point_count; i++) {
        const ruga_surface_point *p = &curve->points[i];
        require(p->triangle < mesh->triangle_count);
        for (int k = 0; k < 3; k++) require(p->weights[k] >= 0 && p->weights[k] <= 1);
        if (i > 0) require(trace_shared_triangle(t, curve->points[i - 1], *p, NO_INDEX) != NO_INDEX);
    }
    const ruga_curve *one[] = {curve};
    const curve_cut_def def = curve_cut_def_default();
    curve_cut cut;
    ruga_status status = curve_cut_make(mesh, one, 1, &def, &cut);
    require(!RUGA_FAILED(status) || strstr(ruga_context_message(mesh->context), "shorter") != NULL);
    if (!RUGA_FAILED(status)) curve_cut_release(&cut);
}

static inline void fuzz_curve(const char *name, const uint8_t *bytes, size_t size) {
    static ruga_context *context;
    static ruga_mesh *mesh;
    static tracer t;
    static curve_canvas canvas; /* both hold trees over the mesh: to make them for each input took half of its time */
    static uv_places places;
    if (!context) {
        ruga_context_def def = ruga_context_def_default();
        def.thread_count = 1;
        require(!RUGA_FAILED(ruga_context_create(&def, &context)));
        mesh = fuzz_sheet(context);
        require(!RUGA_FAILED(tracer_make(mesh, &t)));
        require(!RUGA_FAILED(curve_canvas_make(mesh, &canvas)));
        require(!RUGA_FAILED(uv_places_make(mesh, &places)));
    }
    /* Readers rely on a zero behind the text. */
    unsigned char *copy = malloc(size + 1);
    require(copy != NULL);
    if (size > 0) memcpy(copy, bytes, size);
    copy[size] = 0;
    const ruga_curve_def def = ruga_curve_def_default();
    const curve_source source = {.context = context,
                                 .mesh = mesh,
                                 .name = name,
                                 .bytes = copy,
                                 .size = size,
                                 .conversion = io_conversion_reading(NULL),
                                 .def = &def,
                                 .canvas = &canvas,
                                 .places = &places};
    curve_list list = {0};
    (void)curves_read_bytes(&source, curve_format_from_path(name), &list);
    for (size_t i = 0; i < list.count; i++) require_curve(mesh, &t, list.items[i]);
    curve_list_release(context, &list);
    free(copy);
}

#endif
