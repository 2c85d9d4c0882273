/* ruga resume: goes on with a run that was stopped. */
#include "command.h"
#include "runner.h"

static int add_options(session *s, option_list *list, int argc, char **argv) {
    (void)s, (void)list, (void)argc, (void)argv;
    return 0;
}

static int run(session *s, const arguments *a) {
    if (a->word_count != 1) return session_error(s, EXIT_USAGE, "resume: wants one directory: ruga resume DIR");
    ruga_run *resumed = NULL;
    ruga_status status = ruga_run_resume(s->context, a->words[0], &resumed);
    return RUGA_FAILED(status) ? session_failed_input(s, status) : run_to_end(s, resumed, a->words[0]);
}

const command command_resume = {
    .name = "resume",
    .summary = "goes on with a run that was stopped",
    .usage = "ruga resume DIR",
    .about =
        "From the last checkpoint, to the same frames bit for bit, whatever stopped it: Ctrl-C, a crash, a full disk.\n"
        "The number of threads may differ. A run that is complete stays as it is.",
    .examples =
        "  ruga resume flutter.run\n"
        "  ruga resume flutter.run --threads 2\n",
    .add_options = add_options,
    .run = run,
};
