/* Shared by all parts. */
#include "body/part.h"

#include <math.h>

#include "base/memory.h"
#include "math/vec3.h"

ruga_status part_init(part *p, const part_interface *interface, const char *kind, const ruga_mesh *input,
                      const ruga_mesh *output) {
    ruga_context *context = input->context;
    *p = (part){.interface = interface, .context = context, .kind = kind, .input = input, .output = output};
    return NEW_COPY(context, &p->positions, output->positions, output->vertex_count);
}

void part_release(part *p) {
    RELEASE_ALL(p->context, p->positions, p->normals);
    p->positions = p->normals = NULL;
}

ruga_status part_follow(part *p, const ruga_mesh *input, const ruga_mesh *output, const ruga_map *from_old) {
    if (from_old->rows != output->vertex_count) /* the old meshes may be gone */
        return fail_argument(p->context, "%s: the map gives %zu vertices, but the new mesh has %zu", p->kind,
                             from_old->rows, output->vertex_count);
    ruga_vec3 *positions, *normals = NULL;
    TRY(NEW(p->context, &positions, output->vertex_count));
    ruga_map_apply(from_old, p->positions, positions);
    memory_release(p->context, p->positions);
    p->positions = positions;
    if (p->normals) {
        TRY(NEW(p->context, &normals, output->vertex_count));
        ruga_map_apply(from_old, p->normals, normals);
        for (size_t v = 0; v < from_old->rows; v++)
            if (from_old->offsets[v + 1] - from_old->offsets[v] > 1) normals[v] = vec3_normalise(normals[v]);
        memory_release(p->context, p->normals);
        p->normals = normals;
    }
    p->input = input;
    p->output = output;
    return RUGA_OK;
}

ruga_status part_check_frame(const part *p, const substep *s, const ruga_frame *in) {
    if (in->vertex_count != p->input->vertex_count)
        return fail_argument(p->context, "%s: the frame has %zu vertices, but the mesh has %zu", p->kind,
                             in->vertex_count, p->input->vertex_count);
    if (!(s->dt >= 0) || !isfinite(s->dt))
        return fail_argument(p->context, "%s: %g s since the last frame, it must be finite and not negative", p->kind,
                             s->dt);
    return RUGA_OK;
}
