#include "support/killing_files.h"

#include <signal.h>

static void moment(killing_file_system *files) {
    if (files->moments++ == files->kill_at) raise(SIGKILL);
}

static int killing_open(void *user, const char *path, void **handle, uint64_t *size) {
    killing_file_system *files = user;
    return files->inner->open(files->inner->user, path, handle, size);
}

static int killing_resolve(void *user, const char *path, char *target, size_t capacity, int *in_place) {
    killing_file_system *files = user;
    return files->inner->resolve(files->inner->user, path, target, capacity, in_place);
}

static int killing_create(void *user, const char *path, const char *like, void **handle) {
    killing_file_system *files = user;
    moment(files);
    return files->inner->create(files->inner->user, path, like, handle);
}

static int killing_open_in_place(void *user, const char *path, void **handle) {
    killing_file_system *files = user;
    moment(files);
    return files->inner->open_in_place(files->inner->user, path, handle);
}

static int killing_read(void *user, void *handle, void *bytes, size_t size, size_t *got) {
    killing_file_system *files = user;
    return files->inner->read(files->inner->user, handle, bytes, size, got);
}

static int killing_write(void *user, void *handle, const void *bytes, size_t size) {
    killing_file_system *files = user;
    moment(files);
    const size_t half = size / 2;
    int error = files->inner->write(files->inner->user, handle, bytes, half);
    if (error) return error;
    moment(files);
    files->writes++;
    return files->inner->write(files->inner->user, handle, (const char *)bytes + half, size - half);
}

static int killing_seek(void *user, void *handle, uint64_t offset) {
    killing_file_system *files = user;
    return files->inner->seek(files->inner->user, handle, offset);
}

static int killing_flush(void *user, void *handle) {
    (void)handle;
    killing_file_system *files = user;
    moment(files);
    files->flushes++;
    return 0;
}

static int killing_close(void *user, void *handle) {
    killing_file_system *files = user;
    return files->inner->close(files->inner->user, handle);
}

static int killing_rename(void *user, const char *from, const char *to) {
    killing_file_system *files = user;
    moment(files);
    files->renames++;
    return files->inner->rename(files->inner->user, from, to);
}

static int killing_remove(void *user, const char *path) {
    killing_file_system *files = user;
    moment(files);
    return files->inner->remove(files->inner->user, path);
}

static int killing_open_append(void *user, const char *path, uint64_t size, void **handle) {
    killing_file_system *files = user;
    moment(files);
    return files->inner->open_append(files->inner->user, path, size, handle);
}

static int killing_make_directory(void *user, const char *path) {
    killing_file_system *files = user;
    moment(files);
    return files->inner->make_directory(files->inner->user, path);
}

static int killing_list(void *user, const char *path, void (*found)(void *argument, const char *name), void *argument) {
    killing_file_system *files = user;
    return files->inner->list(files->inner->user, path, found, argument);
}

static int killing_flush_directory(void *user, const char *path) {
    (void)path;
    killing_file_system *files = user;
    moment(files);
    files->flushes++;
    return 0;
}

static int killing_lock(void *user, const char *path, void **handle, long *owner) {
    killing_file_system *files = user;
    moment(files);
    return files->inner->lock(files->inner->user, path, handle, owner);
}

static int killing_unlock(void *user, const char *path, void *handle) {
    killing_file_system *files = user;
    moment(files);
    return files->inner->unlock(files->inner->user, path, handle);
}

static int killing_look_at_lock(void *user, const char *path, long *owner) {
    killing_file_system *files = user;
    return files->inner->look_at_lock(files->inner->user, path, owner);
}

void killing_file_system_init(killing_file_system *files, const file_system *inner, long kill_at) {
    *files = (killing_file_system){.inner = inner, .kill_at = kill_at};
    files->interface = (file_system){.user = files,
                                     .open = killing_open,
                                     .resolve = killing_resolve,
                                     .create = killing_create,
                                     .open_in_place = killing_open_in_place,
                                     .read = killing_read,
                                     .write = killing_write,
                                     .seek = killing_seek,
                                     .flush = killing_flush,
                                     .close = killing_close,
                                     .rename = killing_rename,
                                     .remove = killing_remove,
                                     .open_append = killing_open_append,
                                     .make_directory = killing_make_directory,
                                     .list = killing_list,
                                     .flush_directory = killing_flush_directory,
                                     .lock = killing_lock,
                                     .unlock = killing_unlock,
                                     .look_at_lock = killing_look_at_lock};
}
