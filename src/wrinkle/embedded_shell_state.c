/* Save and load: the skin, its carrier, its multipliers, and what the factors of the fast path were made of. */
#include "base/state.h"

#include "wrinkle/embedded_shell.h"

#define SHELL_TAG STATE_TAG('S', 'H', 'E', 'L')
enum { SHELL_VERSION = 5, SHAPE_COUNT = 4 };

/* Numbers that identify mesh, rest pose and coupling. */
static void shape_of(const ruga_embedded_shell *shell, uint64_t shape[SHAPE_COUNT]) {
    const ruga_mesh *mesh = shell->mesh;
    uint64_t hash = state_hash(mesh->triangles, 3 * mesh->triangle_count * sizeof(uint32_t), 0);
    shape[0] = mesh->vertex_count;
    shape[1] = shell->rows ? shell->rows->rows : 0;
    shape[2] = (uint64_t)shell->def.solver;
    shape[3] = state_hash(mesh->positions, mesh->vertex_count * sizeof *mesh->positions, hash);
}

ruga_status ruga_embedded_shell_save(const ruga_embedded_shell *shell, void **bytes, size_t *size) {
    state_writer *writer = NULL;
    uint64_t shape[SHAPE_COUNT];
    TRY(state_writer_create(shell->context, &writer));
    shape_of(shell, shape);
    state_begin(writer, SHELL_TAG, SHELL_VERSION);
    state_put_u64(writer, shape, SHAPE_COUNT);
    state_put_f64(writer, &shell->x->x, 3 * shell->count);
    state_put_f64(writer, &shell->carrier->x, 3 * shell->count);
    if (shell->rows) state_put_f64(writer, &shell->multipliers->x, 3 * shell->rows->rows);
    shell_contact_save(shell, writer);
    if (shell->solver) shell_solver_save(shell, writer);
    state_end(writer);
    ruga_status status = state_writer_take(writer, bytes, size);
    state_writer_destroy(writer);
    return status;
}

static ruga_status check_finite(const ruga_embedded_shell *shell, const vec3 *values) {
    for (size_t i = 0; i < shell->count; i++)
        if (!vec3_is_finite(values[i]))
            return fail_input(shell->context, "shell: vertex %zu of the saved state is not finite; it is damaged", i);
    return RUGA_OK;
}

/* x, carrier and multipliers into scratch, and only then into the shell. */
static ruga_status read_values(ruga_embedded_shell *shell, state_reader *reader) {
    TRY(state_get_f64(reader, &shell->kept->x, 3 * shell->count));
    TRY(check_finite(shell, shell->kept));
    TRY(state_get_f64(reader, &shell->offsets->x, 3 * shell->count));
    TRY(check_finite(shell, shell->offsets));
    if (shell->rows) TRY(state_get_f64(reader, &shell->constraints->x, 3 * shell->rows->rows));
    memcpy(shell->x, shell->kept, shell->count * sizeof *shell->x);
    memcpy(shell->carrier, shell->offsets, shell->count * sizeof *shell->x);
    if (shell->rows) memcpy(shell->multipliers, shell->constraints, shell->rows->rows * sizeof *shell->multipliers);
    TRY(shell_contact_load(shell, reader));
    return shell->solver ? shell_solver_load(shell, reader) : RUGA_OK;
}

ruga_status ruga_embedded_shell_load(ruga_embedded_shell *shell, const void *bytes, size_t size) {
    state_reader all, reader;
    uint32_t version;
    uint64_t found[SHAPE_COUNT], shape[SHAPE_COUNT];
    TRY(state_reader_open(shell->context, bytes, size, &all));
    TRY(state_enter(&all, SHELL_TAG, SHELL_VERSION, &version, &reader));
    TRY(state_get_u64(&reader, found, SHAPE_COUNT));
    shape_of(shell, shape);
    if (memcmp(found, shape, sizeof shape) != 0)
        return fail_input(shell->context,
                          "shell: the saved state has %llu vertices and %llu clusters and this shell %zu and %llu%s; "
                          "load it into the shell that it was saved from",
                          (unsigned long long)found[0], (unsigned long long)found[1], shell->count,
                          (unsigned long long)shape[1],
                          memcmp(found, shape, 2 * sizeof *shape) == 0 ? ", but another rest pose or solver" : "");
    return read_values(shell, &reader);
}
