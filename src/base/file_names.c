/* Operations on files and directories by name: renaming, removing, listing, locking. */
#include <errno.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"

#define PATH_CAPACITY 4096

ruga_status file_rename(ruga_context *context, const char *from, const char *to) {
    const file_system *files = context->file_system;
    int error = files->rename(files->user, from, to);
    return error ? fail_file(context, from, "can't be renamed", error, 1) : RUGA_OK;
}

ruga_status file_remove(ruga_context *context, const char *path) {
    const file_system *files = context->file_system;
    int error = files->remove(files->user, path);
    return error && error != ENOENT ? fail_file(context, path, "can't be removed", error, 1) : RUGA_OK;
}

ruga_status file_flush_named(ruga_context *context, const char *path) {
    const file_system *files = context->file_system;
    void *handle;
    uint64_t size;
    int error = files->open(files->user, path, &handle, &size);
    if (error) return fail_file(context, path, "can't be opened", error, 0);
    error = files->flush(files->user, handle);
    int closed = files->close(files->user, handle);
    if (!error) error = closed;
    return error ? fail_file(context, path, "can't be flushed to the disk", error, 1) : RUGA_OK;
}

ruga_status file_look(ruga_context *context, const char *path, int *found, uint64_t *size) {
    const file_system *files = context->file_system;
    void *handle;
    int error = files->open(files->user, path, &handle, size);
    *found = error == 0;
    if (error == 0) (void)files->close(files->user, handle);
    if (error == 0 && context->file_found) context->file_found(context->file_found_user, path);
    /* A folder that is missing, or is a file, has no files in it. */
    if (error == 0 || error == ENOENT || error == ENOTDIR) return RUGA_OK;
    return fail_file(context, path, "can't be opened", error, 0);
}

/* ---- Directories. */

int path_is_file(ruga_context *context, const char *path) {
    const file_system *files = context->file_system;
    void *handle;
    uint64_t size;
    int error = files->open(files->user, path, &handle, &size);
    if (error == 0) (void)files->close(files->user, handle);
    return error == 0 || error == ENODEV;
}

ruga_status directory_make(ruga_context *context, const char *path) {
    const file_system *files = context->file_system;
    char part[PATH_CAPACITY];
    const size_t length = strlen(path);
    if (length == 0 || length >= sizeof part)
        return fail_file(context, path, "can't be made", length == 0 ? ENOENT : ENAMETOOLONG, 1);
    int error = 0;
    for (size_t i = 1; i <= length && !error; i++) {
        if (path[i] != '/' && path[i] != 0) continue;
        memcpy(part, path, i);
        part[i] = 0;
        error = files->make_directory(files->user, part);
        if (error == EEXIST && path_is_file(context, part)) error = ENOTDIR;
        if (error == EEXIST) error = 0;
    }
    return error ? fail_file(context, path, "this folder can't be made", error, 1) : RUGA_OK;
}

ruga_status directory_list(ruga_context *context, const char *path, void (*found)(void *argument, const char *name),
                           void *argument) {
    const file_system *files = context->file_system;
    int error = files->list(files->user, path, found, argument);
    return error ? fail_file(context, path, "this folder can't be listed", error, 0) : RUGA_OK;
}

ruga_status directory_flush(ruga_context *context, const char *path) {
    const file_system *files = context->file_system;
    int error = files->flush_directory(files->user, path);
    return error ? fail_file(context, path, "this folder can't be flushed to the disk", error, 1) : RUGA_OK;
}

/* ---- Locks. */

struct file_lock {
    ruga_context *context;
    const file_system *system;
    void *handle;
    char *path;
};

static ruga_status fail_lock(ruga_context *context, const char *path, const char *what, int error, long owner) {
    if (error != EWOULDBLOCK) return fail_file(context, path, "can't be locked", error, 1);
    if (owner > 0)
        return fail_with(context, RUGA_ERROR_FILE, "%s: %s by process %ld; wait for it or stop it first", path, what,
                         owner);
    return fail_with(context, RUGA_ERROR_FILE, "%s: %s by another process; wait for it or stop it first", path, what);
}

ruga_status file_lock_take(ruga_context *context, const char *path, const char *what, file_lock **out) {
    file_lock *lock;
    TRY(NEW(context, &lock, 1));
    *lock = (file_lock){.context = context, .system = context->file_system};
    ruga_status status = NEW_TEXT(context, &lock->path, path);
    if (!RUGA_FAILED(status)) {
        long owner = 0;
        int error = lock->system->lock(lock->system->user, path, &lock->handle, &owner);
        if (error) status = fail_lock(context, path, what, error, owner);
    }
    RETURN_MADE(status, lock, out, RELEASE_ALL(context, lock->path, lock));
}

int file_lock_is_held(ruga_context *context, const char *path, long *owner) {
    const file_system *files = context->file_system;
    *owner = 0;
    return files->look_at_lock(files->user, path, owner) == EWOULDBLOCK;
}

void file_lock_release(file_lock *lock) {
    if (!lock) return;
    (void)lock->system->unlock(lock->system->user, lock->path, lock->handle);
    RELEASE_ALL(lock->context, lock->path, lock);
}
