#include "base/context.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/default_allocator.h"
#include "base/file.h"
#include "base/isa.h"
#include "base/memory.h"
#include "base/threads.h"

#define MAX_THREADS 256

const char *ruga_version(void) { return RUGA_VERSION_TEXT; }

ruga_context_def ruga_context_def_default(void) {
    ruga_context_def def = {.cookie = RUGA_COOKIE, .allocator = default_allocator()};
    return def;
}

/* Everything that can be wrong with a def; there is no context yet to hold a message. */
static int def_is_valid(const ruga_context_def *def) {
    int allocator_whole = (def->allocator.allocate != NULL) == (def->allocator.release != NULL);
    return def->cookie == RUGA_COOKIE && def->thread_count >= 0 && def->thread_count <= MAX_THREADS && allocator_whole;
}

ruga_status ruga_context_create(const ruga_context_def *given, ruga_context **out) {
    ruga_context_def def = given ? *given : ruga_context_def_default();
    if (!out || !def_is_valid(&def)) return RUGA_ERROR_ARGUMENT;
    if (!def.allocator.allocate) def.allocator = default_allocator();

    ruga_isa isa = isa_choose(def.isa);
    if (isa == RUGA_ISA_AUTO) return RUGA_ERROR_ARGUMENT;

    ruga_context *context = def.allocator.allocate(def.allocator.user, sizeof *context);
    if (!context) return RUGA_ERROR_MEMORY;
    memset(context, 0, sizeof *context);
    context->def = def;
    context->isa = isa;
    context->file_system = file_system_disk();
    context->thread_count = def.thread_count > 0 ? def.thread_count : machine_core_count();
    pthread_mutex_init(&context->message_lock, NULL);

    if (!def.parallel_for && context->thread_count > 1) {
        TRY_OR(thread_pool_create(context, context->thread_count, &context->pool), ruga_context_destroy(context));
    }
    *out = context;
    return RUGA_OK;
}

void ruga_context_destroy(ruga_context *context) {
    if (!context) return;
    thread_pool_destroy(context->pool);
    pthread_mutex_destroy(&context->message_lock);
    ruga_allocator allocator = context->def.allocator;
    allocator.release(allocator.user, context);
}

const char *ruga_context_message(const ruga_context *context) { return context ? context->message : ""; }
int ruga_context_thread_count(const ruga_context *context) { return context->thread_count; }
ruga_isa ruga_context_isa(const ruga_context *context) { return context->isa; }
void ruga_free(ruga_context *context, void *memory) { memory_release(context, memory); }

ruga_status fail_with(ruga_context *context, ruga_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    pthread_mutex_lock(&context->message_lock);
    vsnprintf(context->message, sizeof context->message, format, arguments);
    pthread_mutex_unlock(&context->message_lock);
    va_end(arguments);
    return status;
}

ruga_status check_positive(ruga_context *context, const char *name, double value) {
    if (value > 0 && isfinite(value)) return RUGA_OK;
    return fail_argument(context, "the %s is %g; it must be positive and finite", name, value);
}

ruga_status fail_memory(ruga_context *context, size_t size) {
    return fail_with(context, RUGA_ERROR_MEMORY, "out of memory (%zu bytes wanted)", size);
}

static void log_line(ruga_context *context, ruga_log_level level, const char *format, va_list arguments) {
    if (!context->def.log) return;
    char line[1024];
    vsnprintf(line, sizeof line, format, arguments);
    context->def.log(context->def.log_user, level, line);
}

void log_info(ruga_context *context, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    log_line(context, RUGA_LOG_INFO, format, arguments);
    va_end(arguments);
}

void log_warning(ruga_context *context, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    log_line(context, RUGA_LOG_WARNING, format, arguments);
    va_end(arguments);
}

ruga_status report_progress(ruga_context *context, const char *stage, double fraction) {
    if (!context->def.progress || !context->def.progress(context->def.progress_user, stage, fraction)) return RUGA_OK;
    return fail_with(context, RUGA_ERROR_CANCELLED, "cancelled while %s", stage);
}
