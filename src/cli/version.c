/* --version: of the program alone, or as JSON with what it can do here and how it was built. */
#include "version.h"

#include "report.h"

#ifndef RUGA_BUILD_TYPE
#define RUGA_BUILD_TYPE ""
#endif
#ifndef RUGA_BUILD_SANITIZERS
#define RUGA_BUILD_SANITIZERS ""
#endif
#ifdef __clang__
#define COMPILER __VERSION__
#elif defined __GNUC__
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER ""
#endif

/* Whether this machine has an instruction set: a context can be made for it. */
static int has_isa(ruga_isa isa) {
    ruga_context_def def = ruga_context_def_default();
    ruga_context *context = NULL;
    def.isa = isa;
    def.thread_count = 1;
    const int found = !RUGA_FAILED(ruga_context_create(&def, &context));
    ruga_context_destroy(context);
    return found;
}

/* A build without pictures has none of nothing, either. */
static int has_pictures(ruga_context *context) {
    const ruga_render_def nothing = ruga_render_def_default();
    ruga_camera camera;
    return ruga_render_fit(context, &nothing, 0, &camera) != RUGA_ERROR_UNSUPPORTED;
}

static void put_build(ruga_json_writer *json, ruga_context *context) {
    ruga_json_put_object(json, "build");
    ruga_json_put_string(json, "type", RUGA_BUILD_TYPE);
    ruga_json_put_string(json, "compiler", COMPILER);
    ruga_json_put_string(json, "sanitizers", RUGA_BUILD_SANITIZERS);
    ruga_json_put_boolean(json, "pictures", has_pictures(context));
#ifdef NDEBUG
    ruga_json_put_boolean(json, "asserts", 0);
#else
    ruga_json_put_boolean(json, "asserts", 1);
#endif
#ifdef __SSP_STRONG__
    ruga_json_put_boolean(json, "stack_protector", 1);
#else
    ruga_json_put_boolean(json, "stack_protector", 0);
#endif
#ifdef _FORTIFY_SOURCE
    ruga_json_put_integer(json, "fortify", _FORTIFY_SOURCE);
#else
    ruga_json_put_integer(json, "fortify", 0);
#endif
    ruga_json_end_object(json);
}

static int print_json(session *s) {
    ruga_json_writer *json = NULL;
    TRY_CODE(json_begin(s, &json));
    ruga_json_begin_object(json);
    ruga_json_put_string(json, "version", ruga_version());
    ruga_json_put_string(json, "instruction_set", ruga_isa_name(ruga_context_isa(s->context)));
    ruga_json_put_array(json, "instruction_sets");
    for (ruga_isa isa = RUGA_ISA_SCALAR; isa <= RUGA_ISA_AVX512; isa++)
        if (has_isa(isa)) ruga_json_string(json, ruga_isa_name(isa));
    ruga_json_end_array(json);
    ruga_json_put_integer(json, "threads", ruga_context_thread_count(s->context));
    put_build(json, s->context);
    ruga_json_end_object(json);
    return json_finish(s, json);
}

int print_version(session *s) {
    if (s->json) return print_json(s);
    session_print(s, "ruga %s\n", ruga_version());
    return EXIT_FINE;
}
