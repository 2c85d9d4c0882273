/* Lengths of strokes frame by frame, as text or JSON: a table has a length within its range for every stroke and frame,
 * or NaN where none is given. */
#include <string.h>

#include "fuzz/fuzz_files.h"

static const char strokes_text[] =
    "{\"refine\": 0, \"radius\": 0.05, \"strokes\": ["
    "{\"name\": \"a\", \"curve\": [[-0.3, 0, -0.2], [0.3, 0, -0.2]]},"
    "{\"name\": \"brow\", \"curve\": [[-0.3, 0, 0], [0.3, 0, 0]]},"
    "{\"name\": \"left eye\", \"curve\": [[-0.3, 0, 0.2], [0.3, 0, 0.2]]}]}";

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static ruga_strokes *strokes;
    ruga_context *context;
    (void)fuzz_files(&context);
    if (!strokes) {
        fuzz_put("strokes.json", strokes_text, sizeof strokes_text - 1);
        require(!RUGA_FAILED(fuzz_strokes(fuzz_model(context), "strokes.json", 0, &strokes)));
    }
    fuzz_put("lengths", bytes, size);
    ruga_length_table *table = NULL;
    if (RUGA_FAILED(ruga_length_table_read(strokes, "lengths", &table))) {
        require(!table && ruga_context_message(context)[0]);
        return 0;
    }
    require(table->frame_count > 0 && table->stroke_count == 3);
    for (size_t i = 0; i < table->frame_count * table->stroke_count; i++)
        require(!(table->values[i] < 0) && !(table->values[i] > 100));
    ruga_length_table_destroy(table);
    return 0;
}
