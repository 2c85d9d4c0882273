/* A file system that passes everything on to another and fails on demand, to prove that every error is borne. */
#include <errno.h>

#include "base/file.h"

static int failing_open(void *user, const char *path, void **handle, uint64_t *size) {
    failing_file_system *files = user;
    if (files->opens++ == files->fail_open) return EIO;
    return files->inner->open(files->inner->user, path, handle, size);
}

static int failing_resolve(void *user, const char *path, char *target, size_t capacity, int *in_place) {
    failing_file_system *files = user;
    return files->inner->resolve(files->inner->user, path, target, capacity, in_place);
}

static int failing_create(void *user, const char *path, const char *like, void **handle) {
    failing_file_system *files = user;
    if (files->creates++ == files->fail_create) return EACCES;
    return files->inner->create(files->inner->user, path, like, handle);
}

static int failing_open_in_place(void *user, const char *path, void **handle) {
    failing_file_system *files = user;
    if (files->creates++ == files->fail_create) return EACCES;
    return files->inner->open_in_place(files->inner->user, path, handle);
}

static int failing_read(void *user, void *handle, void *bytes, size_t size, size_t *got) {
    failing_file_system *files = user;
    if (files->reads++ == files->fail_read) return EIO;
    return files->inner->read(files->inner->user, handle, bytes, size, got);
}

/* What still fits is written, as on a disk that fills up. */
static int failing_write(void *user, void *handle, const void *bytes, size_t size) {
    failing_file_system *files = user;
    files->writes++;
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
    if (files->flushes++ == files->fail_flush) return EIO;
    return files->inner->flush(files->inner->user, handle);
}

/* The handle is gone even if closing fails, as on a disk. */
static int failing_close(void *user, void *handle) {
    failing_file_system *files = user;
    int error = files->inner->close(files->inner->user, handle);
    return files->closes++ == files->fail_close ? EIO : error;
}

static int failing_rename(void *user, const char *from, const char *to) {
    failing_file_system *files = user;
    if (files->renames++ == files->fail_rename) return EACCES;
    return files->inner->rename(files->inner->user, from, to);
}

static int failing_remove(void *user, const char *path) {
    failing_file_system *files = user;
    files->removes++;
    return files->inner->remove(files->inner->user, path);
}

void failing_file_system_init(failing_file_system *files, const file_system *inner) {
    *files = (failing_file_system){.inner = inner,
                                   .fail_at_byte = UINT64_MAX,
                                   .fail_open = -1,
                                   .fail_create = -1,
                                   .fail_read = -1,
                                   .fail_flush = -1,
                                   .fail_close = -1,
                                   .fail_rename = -1};
    files->interface = (file_system){
        files,         failing_open, failing_resolve, failing_create, failing_open_in_place, failing_read,
        failing_write, failing_seek, failing_flush,   failing_close,  failing_rename,        failing_remove};
}
