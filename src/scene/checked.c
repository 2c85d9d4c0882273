#include "scene/checked.h"

#include "scene/build.h"

typedef struct log_entry {
    ruga_log_level level;
    const char *text;
} log_entry;

/* The description points to it, so that taking the scene leaves a const description as it is. */
struct checked_scene {
    arena memory;      /* texts */
    ruga_scene *scene; /* NULL: taken, or there were errors */
    ARRAY(const char *) files;
    ARRAY(log_entry) log;
    ruga_status status; /* RUGA_ERROR_MEMORY once there was none for a text */
};

static void keep_file(void *user, const char *path) {
    checked_scene *c = user;
    if (RUGA_FAILED(c->status)) return;
    char *copy;
    c->status = ARENA_TEXT(&c->memory, &copy, path);
    if (!RUGA_FAILED(c->status)) c->status = ARRAY_ADD(c->memory.context, &c->files, copy);
}

static void keep_log(void *user, ruga_log_level level, const char *message) {
    checked_scene *c = user;
    if (RUGA_FAILED(c->status)) return;
    char *copy;
    c->status = ARENA_TEXT(&c->memory, &copy, message);
    if (!RUGA_FAILED(c->status)) c->status = ARRAY_ADD(c->memory.context, &c->log, (log_entry){level, copy});
}

void checked_forget(ruga_description *d) {
    checked_scene *c = d->checked;
    if (!c) return;
    ruga_scene_destroy(c->scene);
    ARRAY_RELEASE(d->context, &c->files);
    ARRAY_RELEASE(d->context, &c->log);
    arena_release(&c->memory);
    memory_release(d->context, c);
    d->checked = NULL;
}

ruga_status checked_build(ruga_description *d) {
    ruga_context *context = d->context;
    checked_forget(d);
    TRY(NEW_ZEROED(context, &d->checked, 1));
    checked_scene *c = d->checked;
    c->memory = arena_make(context);
    const ruga_context_def outside = context->def;
    context->def.log = keep_log;
    context->def.log_user = c;
    context->file_found = keep_file;
    context->file_found_user = c;
    ruga_status status = scene_build(context, &d->def, NULL, d, &c->scene);
    context->def.log = outside.log;
    context->def.log_user = outside.log_user;
    context->file_found = NULL;
    return RUGA_FAILED(status) ? status : c->status;
}

ruga_status checked_take(ruga_context *context, const ruga_description *d,
                         void (*file_found)(void *user, const char *path), void *user, ruga_scene **out) {
    checked_scene *c = d->checked;
    if (!c || !c->scene || context != d->context) {
        context->file_found = file_found;
        context->file_found_user = user;
        ruga_status status = ruga_scene_create(context, &d->def, out);
        context->file_found = NULL;
        return status;
    }
    ruga_scene *scene = c->scene;
    c->scene = NULL;
    for (size_t i = 0; file_found && i < c->files.count; i++) file_found(user, c->files.items[i]);
    for (size_t i = 0; context->def.log && i < c->log.count; i++)
        context->def.log(context->def.log_user, c->log.items[i].level, c->log.items[i].text);
    RETURN_MADE(scene_settle(scene), scene, out, ruga_scene_destroy(scene));
}

ruga_status ruga_scene_create_checked(const ruga_description *description, ruga_scene **out) {
    if (!description || !out) return RUGA_ERROR_ARGUMENT;
    return checked_take(description->context, description, NULL, NULL, out);
}
