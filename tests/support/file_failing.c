/* A file system that passes everything on to another and fails on demand, to prove that every error is borne. */
#include <errno.h>

#include "support/file_systems.h"

/* The error of a call that is to fail. */
static int failure(const failing_file_system *files, int likely) { return files->error ? files->error : likely; }

static int failing_open(void *user, const char *path, void **handle, uint64_t *size) {
    failing_file_system *files = user;
    if (files->opens++ == files->fail_open) return failure(files, EIO);
    return files->inner->open(files->inner->user, path, handle, size);
}

static int failing_resolve(void *user, const char *path, char *target, size_t capacity, int *in_place) {
    failing_file_system *files = user;
    return files->inner->resolve(files->inner->user, path, target, capacity, in_place);
}

static int failing_create(void *user, const char *path, const char *like, void **handle) {
    failing_file_system *files = user;
    if (files->creates++ == files->fail_create) return failure(files, EACCES);
    return files->inner->create(files->inner->user, path, like, handle);
}

static int failing_open_in_place(void *user, const char *path, void **handle) {
    failing_file_system *files = user;
    if (files->creates++ == files->fail_create) return failure(files, EACCES);
    return files->inner->open_in_place(files->inner->user, path, handle);
}

static int failing_read(void *user, void *handle, void *bytes, size_t size, size_t *got) {
    failing_file_system *files = user;
    if (files->reads++ == files->fail_read) return failure(files, EIO);
    return files->inner->read(files->inner->user, handle, bytes, size, got);
}

/* Writes the bytes that still fit, as on a disk that fills up. */
static int failing_write(void *user, void *handle, const void *bytes, size_t size) {
    failing_file_system *files = user;
    if (files->writes++ == files->fail_write) return failure(files, ENOSPC);
    uint64_t room = files->fail_at_byte - files->bytes_written;
    size_t fits = size < room ? size : (size_t)room;
    int error = files->inner->write(files->inner->user, handle, bytes, fits);
    if (error) return error;
    files->bytes_written += fits;
    return fits < size ? ENOSPC : 0;
}

static int failing_seek(void *user, void *handle, uint64_t offset) {
    failing_file_system *files = user;
    return files->inner->seek(files->inner->user, handle, offset);
}

static int failing_flush(void *user, void *handle) {
    failing_file_system *files = user;
    if (files->flushes++ == files->fail_flush) return failure(files, EIO);
    return files->inner->flush(files->inner->user, handle);
}

/* The handle is gone even if closing fails, as on a disk. */
static int failing_close(void *user, void *handle) {
    failing_file_system *files = user;
    int error = files->inner->close(files->inner->user, handle);
    return files->closes++ == files->fail_close ? failure(files, EIO) : error;
}

static int failing_rename(void *user, const char *from, const char *to) {
    failing_file_system *files = user;
    if (files->renames++ == files->fail_rename) return failure(files, EACCES);
    return files->inner->rename(files->inner->user, from, to);
}

static int failing_remove(void *user, const char *path) {
    failing_file_system *files = user;
    if (files->removes++ == files->fail_remove) return failure(files, EACCES);
    return files->inner->remove(files->inner->user, path);
}

static int failing_open_append(void *user, const char *path, uint64_t size, void **handle) {
    failing_file_system *files = user;
    if (files->creates++ == files->fail_create) return failure(files, EACCES);
    return files->inner->open_append(files->inner->user, path, size, handle);
}

static int failing_make_directory(void *user, const char *path) {
    failing_file_system *files = user;
    if (files->directories++ == files->fail_make_directory) return failure(files, EACCES);
    return files->inner->make_directory(files->inner->user, path);
}

static int failing_list(void *user, const char *path, void (*found)(void *argument, const char *name), void *argument) {
    failing_file_system *files = user;
    if (files->lists++ == files->fail_list) return failure(files, EIO);
    return files->inner->list(files->inner->user, path, found, argument);
}

static int failing_flush_directory(void *user, const char *path) {
    failing_file_system *files = user;
    if (files->flushes++ == files->fail_flush) return failure(files, EIO);
    return files->inner->flush_directory(files->inner->user, path);
}

static int failing_lock(void *user, const char *path, void **handle, long *owner) {
    failing_file_system *files = user;
    *owner = 0;
    if (files->locks++ == files->fail_lock) return failure(files, EACCES);
    return files->inner->lock(files->inner->user, path, handle, owner);
}

static int failing_unlock(void *user, const char *path, void *handle) {
    failing_file_system *files = user;
    return files->inner->unlock(files->inner->user, path, handle);
}

static int failing_look_at_lock(void *user, const char *path, long *owner) {
    failing_file_system *files = user;
    return files->inner->look_at_lock(files->inner->user, path, owner);
}

void failing_file_system_init(failing_file_system *files, const file_system *inner) {
    *files = (failing_file_system){.inner = inner,
                                   .fail_at_byte = UINT64_MAX,
                                   .fail_open = -1,
                                   .fail_create = -1,
                                   .fail_read = -1,
                                   .fail_write = -1,
                                   .fail_flush = -1,
                                   .fail_close = -1,
                                   .fail_rename = -1,
                                   .fail_remove = -1,
                                   .fail_make_directory = -1,
                                   .fail_list = -1,
                                   .fail_lock = -1};
    files->interface = (file_system){.user = files,
                                     .open = failing_open,
                                     .resolve = failing_resolve,
                                     .create = failing_create,
                                     .open_in_place = failing_open_in_place,
                                     .read = failing_read,
                                     .write = failing_write,
                                     .seek = failing_seek,
                                     .flush = failing_flush,
                                     .close = failing_close,
                                     .rename = failing_rename,
                                     .remove = failing_remove,
                                     .open_append = failing_open_append,
                                     .make_directory = failing_make_directory,
                                     .list = failing_list,
                                     .flush_directory = failing_flush_directory,
                                     .lock = failing_lock,
                                     .unlock = failing_unlock,
                                     .look_at_lock = failing_look_at_lock};
}
