/* What all details share. */
#include "body/detail.h"

#include <math.h>

#include "base/memory.h"

ruga_status detail_init(detail *d, const detail_interface *interface, const char *kind, const ruga_mesh *input,
                        const ruga_mesh *output) {
    ruga_context *context = input->context;
    *d = (detail){.interface = interface, .context = context, .kind = kind, .input = input, .output = output};
    d->positions = memory_copy(context, output->positions, output->vertex_count, sizeof *output->positions);
    return d->positions ? RUGA_OK : fail_memory(context, output->vertex_count * sizeof *d->positions);
}

void detail_release(detail *d) {
    memory_release(d->context, d->positions);
    memory_release(d->context, d->normals);
    d->positions = d->normals = NULL;
}

ruga_status detail_check_frame(const detail *d, const ruga_frame *in, double dt) {
    if (in->vertex_count != d->input->vertex_count)
        return fail_with(d->context, RUGA_ERROR_ARGUMENT, "%s: the frame has %zu vertices, but the mesh has %zu",
                         d->kind, in->vertex_count, d->input->vertex_count);
    if (!(dt >= 0) || !isfinite(dt))
        return fail_with(d->context, RUGA_ERROR_ARGUMENT,
                         "%s: %g s since the last frame, it must be finite and not negative", d->kind, dt);
    return RUGA_OK;
}
