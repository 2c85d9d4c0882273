/* TetGen's pair: the text before a line "---" is the .node file, the text after it the .ele file. Whatever was read can
 * be written and read again. */
#include <string.h>

#include "fuzz/fuzz_files.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static const char line[] = "\n---\n";
    ruga_context *context;
    ruga_mesh *mesh = NULL, *copy = NULL;
    size_t cut = 0;
    (void)fuzz_files(&context);
    while (cut + 5 <= size && memcmp(bytes + cut, line, 5) != 0) cut++;
    const int divided = cut + 5 <= size;
    fuzz_put("in.node", bytes, divided ? cut + 1 : size);
    fuzz_put("in.ele", divided ? bytes + cut + 5 : bytes + size, divided ? size - cut - 5 : 0);
    if (RUGA_FAILED(ruga_mesh_read(context, "in.ele", NULL, &mesh))) return 0;
    require(!RUGA_FAILED(ruga_mesh_write(mesh, NULL, "out.node", NULL)));
    require(!RUGA_FAILED(ruga_mesh_read(context, "out.node", NULL, &copy)));
    require(copy->vertex_count == mesh->vertex_count && copy->tet_count == mesh->tet_count);
    require(memcmp(copy->tets, mesh->tets, 4 * mesh->tet_count * sizeof *mesh->tets) == 0);
    ruga_mesh_destroy(copy);
    ruga_mesh_destroy(mesh);
    return 0;
}
