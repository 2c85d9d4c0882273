/* Files of strokes: strokes are made or refused with a message. Refinement makes any file as slow as it asks for: what
 * is read is not refined, but for the text's own value. */
#include <string.h>

#include "fuzz/fuzz_files.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static ruga_mesh *mesh;
    ruga_context *context;
    (void)fuzz_files(&context);
    if (!mesh) mesh = fuzz_model(context);
    fuzz_put("strokes.json", bytes, size);
    for (int keep_going = 0; keep_going < 2; keep_going++) {
        ruga_strokes *strokes = NULL;
        if (RUGA_FAILED(fuzz_strokes(mesh, "strokes.json", keep_going, &strokes))) {
            require(!strokes && ruga_context_message(context)[0]);
            continue;
        }
        for (size_t i = 0; i < ruga_strokes_count(strokes); i++) {
            const ruga_stroke_report report = ruga_strokes_get(strokes, i);
            require(report.name && strlen(report.name) <= size);
            require(keep_going || !RUGA_FAILED(report.info.status));
        }
        ruga_strokes_destroy(strokes);
    }
    return 0;
}
