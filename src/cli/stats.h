/* The columns of a run's record: what `ruga stats` tabulates and plots. */
#ifndef CLI_STATS_H
#define CLI_STATS_H

#include "session.h"

/* A column in short. All NaN when it has no numbers. */
typedef struct column_summary {
    double sum, mean, low, high, last;
    size_t count; /* numbers in it */
} column_summary;

static inline double record_value(const ruga_run_record *record, size_t frame, size_t measure) {
    return record->values[frame * record->measure_count + measure];
}
column_summary record_summarise(const ruga_run_record *record, size_t measure);

/* "predict" of "time.predict"; "energy" of "shirt.jiggle.energy": the last word. */
const char *measure_last_word(const ruga_measure *measure);

/* Writes the plots of a record into a folder, as PNG (unless this build has no pictures) and SVG; adds their number. */
int stats_plot(session *s, const ruga_run_record *record, const char *folder, size_t *count);

#endif
