/* ruga resume: continues a run that was stopped. */
#include "command.h"
#include "runner.h"

static int run(session *s, const arguments *a) {
    if (a->word_count != 1) return session_error(s, EXIT_USAGE, "resume: expected one directory: ruga resume DIR");
    ruga_run *resumed = NULL;
    int code = output_code(s, ruga_run_resume(s->context, a->words[0], &resumed));
    return code ? code : run_to_end(s, resumed, a->words[0]);
}

const command command_resume = {
    .name = "resume",
    .summary = "continues a run that was stopped",
    .usage = "ruga resume DIR",
    .about =
        "Continues a run from its last checkpoint, after Ctrl-C, a crash or a full disk. The frames are "
        "bit-identical to those of an uninterrupted run. The number of threads may differ. A complete run is not "
        "changed.",
    .examples =
        "  ruga resume flutter.run\n"
        "  ruga resume flutter.run --threads 2\n",
    .run = run,
};
