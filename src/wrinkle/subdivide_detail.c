/* Detail "subdivide": fine positions = W coarse positions. The map W is made once from the rest mesh; a frame is one sparse
 * product, whose rows are spread over threads and each summed in its own order. */
#include "wrinkle/subdivide_detail.h"

#include "linalg/map.h"

typedef struct subdivide_detail {
    detail base;
    ruga_subdivide_def def;
    ruga_mesh *fine;
    ruga_map *map;             /* fine = W coarse */
    ruga_map *output_from_old; /* of the last rebuild */
} subdivide_detail;

static void destroy(detail *d) {
    subdivide_detail *s = (subdivide_detail *)d;
    ruga_context *context = d->context;
    detail_release(d);
    ruga_map_destroy(s->map);
    ruga_map_destroy(s->output_from_old);
    ruga_mesh_destroy(s->fine);
    memory_release(context, s);
}

static ruga_status update(detail *d, const ruga_frame *in, double dt, const environment *e) {
    (void)e;
    TRY(detail_check_frame(d, in, dt));
    ruga_map_apply(((subdivide_detail *)d)->map, in->positions, d->positions);
    return RUGA_OK;
}

/* The coarse vertices among the fine ones, where they come first and do not move. */
static ruga_status select_first(ruga_context *context, size_t count, size_t columns, ruga_map **out) {
    map_builder builder;
    TRY(map_builder_make(context, count, count, &builder));
    for (size_t i = 0; i < count; i++) {
        map_builder_put(&builder, (uint32_t)i, 1);
        map_builder_end_row(&builder);
    }
    return map_builder_finish(&builder, columns, out);
}

/* new fine = (new W) (new coarse from old) (old coarse from old fine). */
static ruga_status compose_from_old(const subdivide_detail *s, const ruga_map *map, const ruga_map *from_old,
                                    ruga_map **out) {
    ruga_map *first = NULL, *coarse = NULL;
    ruga_status status = select_first(s->base.context, s->map->columns, s->map->rows, &first);
    if (!RUGA_FAILED(status)) status = ruga_map_compose(from_old, first, &coarse);
    if (!RUGA_FAILED(status)) status = ruga_map_compose(map, coarse, out);
    ruga_map_destroy(first);
    ruga_map_destroy(coarse);
    return status;
}

static ruga_status rebuild(detail *d, const ruga_mesh *in, const ruga_map *from_old);

static const detail_interface subdivide_interface = {.update = update, .rebuild = rebuild, .destroy = destroy};

ruga_status detail_subdivide_create(const ruga_mesh *input, const ruga_subdivide_def *def, detail **out) {
    subdivide_detail *s = ALLOCATE_ZEROED(input->context, subdivide_detail, 1);
    if (!s) return fail_memory(input->context, sizeof *s);
    s->base.context = input->context;
    s->def = *def;
    ruga_status status = ruga_mesh_subdivide(input, def, &s->fine, &s->map);
    if (!RUGA_FAILED(status)) status = detail_init(&s->base, &subdivide_interface, "subdivide", input, s->fine);
    if (RUGA_FAILED(status)) {
        destroy(&s->base);
        return status;
    }
    *out = &s->base;
    return RUGA_OK;
}

/* Another takes its place. */
static ruga_status rebuild(detail *d, const ruga_mesh *in, const ruga_map *from_old) {
    subdivide_detail *s = (subdivide_detail *)d, old = *s;
    if (s->def.kind == RUGA_SUBDIVIDE_LOOP)
        return fail_with(
            d->context, RUGA_ERROR_UNSUPPORTED,
            "subdivide: Loop's scheme can't follow a mesh that becomes another; choose the method regular");
    ruga_map *map = NULL;
    detail *made = NULL;
    TRY(detail_subdivide_create(in, &s->def, &made));
    ruga_status status = compose_from_old(s, ((subdivide_detail *)made)->map, from_old, &map);
    if (!RUGA_FAILED(status)) {
        *s = *(subdivide_detail *)made;
        *(subdivide_detail *)made = old;
        d->output_from_old = s->output_from_old = map;
    }
    destroy(made);
    return status;
}
