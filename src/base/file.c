/* Files: what is the same for every file system. A file that is written has a buffer, a name of its own beside the
 * final one, and the first error that happened to it. */
#include "base/file.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

#define BUFFER_SIZE 65536
#define PATH_CAPACITY 4096
#define TEMPORARY_CAPACITY (PATH_CAPACITY + 64)
#define NAME_CAPACITY 200 /* of the final name's bytes in the temporary one: systems allow 255 in all */
#define SHOWN_PATH 700
#define MAX_TRIES 1000 /* temporary names */

typedef enum file_kind { FILE_READING, FILE_WRITING, FILE_IN_MEMORY } file_kind;

struct file {
    ruga_context *context;
    const file_system *system;
    file_kind kind;
    void *handle; /* NULL when closed */
    char *path;   /* as the caller gave it */
    uint64_t size;

    /* Of a file being written. */
    char *target, *temporary; /* temporary: NULL when it is written in place, or renamed already */
    unsigned char *buffer;    /* in memory: all bytes */
    size_t used, capacity;    /* of the buffer */
    uint64_t position;        /* of the buffer's begin; in memory: of the next byte */
    ruga_status status;       /* the first error */
    rolling_hash *hash;       /* of the bytes written; NULL: none */
    uint64_t hash_end;        /* where the next byte of the hash will be */
};

/* ---- Messages. */

/* The advice to the user about an error. */
static const char *advice(int error, int writing) {
    switch (error) {
        case ENOENT: return writing ? "; make its folder first" : "; check the name";
        case EACCES:
        case EPERM:
        case EROFS: return writing ? "; choose a place that you may write to" : "; check its permissions";
        case ENOSPC:
        case EDQUOT: return "; free some space";
        case EFBIG: return "; this disk can't hold so large a file, choose another";
        case EMFILE:
        case ENFILE: return "; close some, or raise the limit (ulimit -n)";
        case ENAMETOOLONG: return "; choose a shorter one";
        case EIO: return "; the disk may be failing";
        case ENODATA: return "; it was truncated, write it again";
        case ESPIPE: return "; a pipe can't be written out of order, write to a file";
        default: return "";
    }
}

/* Of a very long path the end is shown, so that the reason fits behind it. */
static const char *shown_path(const char *path) {
    size_t length = strlen(path);
    return length > SHOWN_PATH ? path + length - SHOWN_PATH : path;
}

ruga_status fail_file(ruga_context *context, const char *path, const char *what, int error, int writing) {
    char reason[128] = "";
    path = shown_path(path);
    if (error == ENOMEM) return fail_with(context, RUGA_ERROR_MEMORY, "%s: out of memory", path);
    if (error == EISDIR) return fail_with(context, RUGA_ERROR_FILE, "%s: is a directory, not a file", path);
    if (error == FILE_LINKED)
        return fail_with(context, RUGA_ERROR_FILE,
                         "%s: is a link, or has several names; writing it would change a file elsewhere. Remove the "
                         "link, or choose another directory",
                         path);
    if (error == FILE_FOREIGN)
        return fail_with(context, RUGA_ERROR_FILE,
                         "%s: this file was not written by Ruga; move it, or choose another directory", path);
    if (error == ENOTDIR && writing)
        return fail_with(context, RUGA_ERROR_FILE, "%s: %s: a part of this path is a file, not a folder", path, what);
    if (error == ENODEV)
        return fail_with(context, RUGA_ERROR_FILE, "%s: is a device or a pipe, not a file%s", path,
                         writing ? "" : "; copy its content to a file first");
    if (strerror_r(error, reason, sizeof reason) != 0) snprintf(reason, sizeof reason, "error %d", error);
    return fail_with(context, RUGA_ERROR_FILE, "%s: %s: %s%s", path, what, reason, advice(error, writing));
}

static ruga_status fail_writing(file *f, const char *what, int error) {
    f->status = fail_file(f->context, f->path, what, error, 1);
    return f->status;
}

/* ---- Making and closing. */

static void file_free(file *f) { RELEASE_ALL(f->context, f->path, f->target, f->temporary, f->buffer, f); }

static ruga_status file_allocate(ruga_context *context, const char *path, file_kind kind, file **out) {
    file *f;
    TRY(NEW_ZEROED(context, &f, 1));
    f->context = context;
    f->system = context->file_system;
    f->kind = kind;
    RETURN_MADE(NEW_TEXT(context, &f->path, path), f, out, file_free(f));
}

void file_close(file *f) {
    if (!f) return;
    if (f->handle) f->system->close(f->system->user, f->handle);
    if (f->temporary) f->system->remove(f->system->user, f->temporary);
    file_free(f);
}

uint64_t file_size(const file *f) {
    if (f->kind == FILE_READING) return f->size;
    uint64_t end = f->kind == FILE_IN_MEMORY ? f->used : f->position + f->used;
    return end > f->size ? end : f->size;
}

const char *file_path(const file *f) { return f->path; }

/* ---- Reading. */

ruga_status file_open(ruga_context *context, const char *path, file **out) {
    file *f = NULL;
    TRY(file_allocate(context, path, FILE_READING, &f));
    int error = f->system->open(f->system->user, path, &f->handle, &f->size);
    if (error) {
        ruga_status status = fail_file(context, path, "can't be opened", error, 0);
        file_free(f);
        return status;
    }
    if (context->file_found) context->file_found(context->file_found_user, path);
    *out = f;
    return RUGA_OK;
}

ruga_status file_read_some(file *f, void *bytes, size_t size, size_t *got) {
    size_t count = 0;
    while (count < size) {
        size_t now = 0;
        int error = f->system->read(f->system->user, f->handle, (char *)bytes + count, size - count, &now);
        if (error) return fail_file(f->context, f->path, "can't be read", error, 0);
        if (now == 0) break;
        count += now;
    }
    *got = count;
    return RUGA_OK;
}

ruga_status file_read(file *f, void *bytes, size_t size) {
    size_t got = 0;
    TRY(file_read_some(f, bytes, size, &got));
    if (got == size) return RUGA_OK;
    return fail_input(f->context, "%s: ends early: %zu more bytes were expected, but it has only %zu", f->path, size,
                      got);
}

/* Reads to the end, which is where the size said unless the file is growing or of a kind that does not know its
 * size. */
static ruga_status read_to_end(file *f, unsigned char **bytes, size_t *size) {
    struct {
        unsigned char *items;
        size_t count, capacity;
    } all = {0};
    ruga_status status = f->size < PTRDIFF_MAX ? ARRAY_RESERVE(f->context, &all, f->size + 1) : RUGA_ERROR_MEMORY;
    if (RUGA_FAILED(status))
        return fail_with(f->context, status, "%s: there is not enough memory for its %llu bytes", f->path,
                         (unsigned long long)f->size);
    for (;;) {
        size_t got = 0;
        status = file_read_some(f, all.items + all.count, all.capacity - all.count, &got);
        all.count += got;
        if (!RUGA_FAILED(status) && all.count == all.capacity)
            status = ARRAY_RESERVE(f->context, &all, 1);
        else
            break;
        if (RUGA_FAILED(status)) break;
    }
    TRY_OR(status, ARRAY_RELEASE(f->context, &all));
    all.items[all.count] = 0;
    *bytes = all.items;
    *size = all.count;
    return RUGA_OK;
}

ruga_status file_read_whole(ruga_context *context, const char *path, unsigned char **bytes, size_t *size) {
    file *f = NULL;
    TRY(file_open(context, path, &f));
    ruga_status status = read_to_end(f, bytes, size);
    file_close(f);
    return status;
}

/* ---- Writing. */

/* The target with an ending that no other process and no other file of this one has. */
static void temporary_name(const char *target, unsigned number, char *name, size_t capacity) {
    const char *slash = strrchr(target, '/');
    size_t folder = slash ? (size_t)(slash - target) + 1 : 0;
    snprintf(name, capacity, "%.*s%.*s.%ld-%u.tmp", (int)folder, target, NAME_CAPACITY, target + folder, (long)getpid(),
             number);
}

/* Where a run of digits that ends at `end` begins. */
static const char *digits_before(const char *begin, const char *end) {
    while (end > begin && end[-1] >= '0' && end[-1] <= '9') end--;
    return end;
}

size_t file_temporary_target(const char *name) {
    const size_t length = strlen(name), ending = strlen(".tmp");
    if (length < ending || strcmp(name + length - ending, ".tmp") != 0) return 0;
    const char *number_end = name + length - ending, *number = digits_before(name, number_end);
    if (number == number_end || number == name || number[-1] != '-') return 0;
    const char *process = digits_before(name, number - 1);
    if (process == number - 1 || process == name || process[-1] != '.') return 0;
    return (size_t)(process - 1 - name);
}

static int create_temporary(file *f) {
    static atomic_uint counter; /* only makes names differ */
    int error = EEXIST;
    for (int i = 0; error == EEXIST && i < MAX_TRIES; i++) {
        temporary_name(f->target, atomic_fetch_add(&counter, 1), f->temporary, TEMPORARY_CAPACITY);
        error = f->system->create(f->system->user, f->temporary, f->target, &f->handle);
    }
    return error;
}

static int is_in_folder(const char *path, const char *folder) {
    const size_t length = folder ? strlen(folder) : 0;
    return folder && strncmp(path, folder, length) == 0 && path[length] == '/';
}

/* Renaming replaces a link, not the file that it leads to: even if a link is put there later, nothing else changes. */
static int open_target(file *f) {
    int in_place;
    int error = f->system->resolve(f->system->user, f->path, f->target, PATH_CAPACITY, &in_place);
    if (!error && is_in_folder(f->path, f->context->own_folder))
        error = in_place ? FILE_FOREIGN : strcmp(f->path, f->target) != 0 ? FILE_LINKED : 0;
    if (error) {
        memory_release(f->context, f->temporary);
        f->temporary = NULL;
        return error;
    }
    error = in_place ? f->system->open_in_place(f->system->user, f->target, &f->handle) : create_temporary(f);
    /* Only what is there may be removed later. */
    if (error || in_place) {
        memory_release(f->context, f->temporary);
        f->temporary = NULL;
    }
    return error;
}

/* Beside the path itself, whatever that is. */
static int open_scratch(file *f) {
    const size_t length = strlen(f->path);
    if (length >= PATH_CAPACITY) return ENAMETOOLONG;
    memcpy(f->target, f->path, length + 1);
    return create_temporary(f);
}

static ruga_status open_for_writing(file *f, int scratch) {
    TRY(NEW(f->context, &f->target, PATH_CAPACITY));
    TRY(NEW(f->context, &f->temporary, TEMPORARY_CAPACITY));
    TRY(NEW(f->context, &f->buffer, BUFFER_SIZE));
    f->capacity = BUFFER_SIZE;
    int error = scratch ? open_scratch(f) : open_target(f);
    return error ? fail_file(f->context, f->path, "can't be written", error, 1) : RUGA_OK;
}

static ruga_status create(ruga_context *context, const char *path, int scratch, file **out) {
    file *f = NULL;
    TRY(file_allocate(context, path, FILE_WRITING, &f));
    RETURN_MADE(open_for_writing(f, scratch), f, out, file_free(f));
}

ruga_status file_create(ruga_context *context, const char *path, file **out) { return create(context, path, 0, out); }

ruga_status file_create_scratch(ruga_context *context, const char *path, file **out) {
    return create(context, path, 1, out);
}

ruga_status file_append(ruga_context *context, const char *path, uint64_t size, file **out) {
    file *f = NULL;
    TRY(file_allocate(context, path, FILE_WRITING, &f));
    f->capacity = BUFFER_SIZE;
    f->position = size;
    ruga_status status = NEW(context, &f->buffer, BUFFER_SIZE);
    if (!RUGA_FAILED(status)) {
        int error = f->system->open_append(f->system->user, path, size, &f->handle);
        if (error) status = fail_file(context, path, "can't be written", error, 1);
    }
    RETURN_MADE(status, f, out, file_free(f));
}

ruga_status file_create_in_memory(ruga_context *context, file **out) {
    return file_allocate(context, "memory", FILE_IN_MEMORY, out);
}

static ruga_status write_through(file *f, const void *bytes, size_t size) {
    if (size == 0) return RUGA_OK;
    int error = f->system->write(f->system->user, f->handle, bytes, size);
    if (error) return fail_writing(f, "can't be written", error);
    if (f->hash && f->position <= f->hash_end && f->hash_end - f->position < size) {
        const size_t skipped = (size_t)(f->hash_end - f->position);
        rolling_hash_add(f->hash, (const char *)bytes + skipped, size - skipped);
        f->hash_end += size - skipped;
    }
    f->position += size;
    return RUGA_OK;
}

void file_hash(file *f, uint64_t offset, rolling_hash *hash) {
    f->hash = hash;
    f->hash_end = offset;
}

static ruga_status empty_buffer(file *f) {
    size_t used = f->used;
    f->used = 0;
    return write_through(f, f->buffer, used);
}

/* In memory the buffer is the file: bytes go to the position, and what is skipped becomes zero. */
static ruga_status write_to_memory(file *f, const void *bytes, size_t size) {
    size_t position = (size_t)f->position;
    if (size > SIZE_MAX - position) return f->status = fail_memory(f->context, SIZE_MAX);
    size_t end = position + size;
    if (end > f->capacity) {
        ruga_status status =
            array_grow(f->context, (void **)&f->buffer, f->used, &f->capacity, end - f->used, sizeof *f->buffer);
        if (RUGA_FAILED(status)) return f->status = status;
    }
    if (position > f->used) memset(f->buffer + f->used, 0, position - f->used);
    memcpy(f->buffer + position, bytes, size);
    if (end > f->used) f->used = end;
    f->position = end;
    return RUGA_OK;
}

ruga_status file_write(file *f, const void *bytes, size_t size) {
    if (RUGA_FAILED(f->status) || size == 0) return f->status;
    if (f->kind == FILE_IN_MEMORY) return write_to_memory(f, bytes, size);
    if (size > f->capacity - f->used) TRY(empty_buffer(f));
    if (size >= f->capacity) return write_through(f, bytes, size);
    memcpy(f->buffer + f->used, bytes, size);
    f->used += size;
    return RUGA_OK;
}

/* Text that does not fit a small buffer is formatted again into memory of its size. */
static ruga_status print_long(file *f, size_t length, const char *format, va_list arguments) {
    char *text;
    ruga_status status = NEW(f->context, &text, length + 1);
    if (RUGA_FAILED(status)) return f->status = status;
    vsnprintf(text, length + 1, format, arguments);
    status = file_write(f, text, length);
    memory_release(f->context, text);
    return status;
}

ruga_status file_print(file *f, const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length < 0) return fail_writing(f, "text can't be formatted", EINVAL);
    if ((size_t)length < sizeof text) return file_write(f, text, (size_t)length);
    va_start(arguments, format);
    ruga_status status = print_long(f, (size_t)length, format, arguments);
    va_end(arguments);
    return status;
}

ruga_status file_seek(file *f, uint64_t offset) {
    if (f->kind == FILE_READING) {
        int error = f->system->seek(f->system->user, f->handle, offset);
        return error ? fail_file(f->context, f->path, "can't be read there", error, 0) : RUGA_OK;
    }
    if (RUGA_FAILED(f->status)) return f->status;
    if (f->kind == FILE_IN_MEMORY) {
        if (offset > PTRDIFF_MAX) return f->status = fail_memory(f->context, SIZE_MAX);
        f->position = offset;
        return RUGA_OK;
    }
    f->size = file_size(f);
    TRY(empty_buffer(f));
    if (offset == f->position) return RUGA_OK;
    int error = f->system->seek(f->system->user, f->handle, offset);
    if (error) return fail_writing(f, "can't be written there", error);
    f->position = offset;
    return RUGA_OK;
}

ruga_status file_read_back(file *f) {
    TRY(file_seek(f, 0));
    if (f->kind == FILE_READING) return RUGA_OK;
    f->size = file_size(f);
    f->kind = FILE_READING;
    return RUGA_OK;
}

ruga_status file_copy_scratch(file *scratch, file *to) {
    unsigned char bytes[16384];
    size_t got = 1;
    TRY(file_read_back(scratch));
    while (got > 0) {
        TRY(file_read_some(scratch, bytes, sizeof bytes, &got));
        TRY(file_write(to, bytes, got));
    }
    return RUGA_OK;
}

ruga_status file_hand_over(file *f) {
    if (RUGA_FAILED(f->status) || f->kind != FILE_WRITING) return f->status;
    return empty_buffer(f);
}

ruga_status file_flush(file *f) {
    TRY(file_hand_over(f));
    if (f->kind != FILE_WRITING) return RUGA_OK;
    int error = f->system->flush(f->system->user, f->handle);
    return error ? fail_writing(f, "can't be flushed to the disk", error) : RUGA_OK;
}

static ruga_status commit(file *f, int flush) {
    if (f->kind != FILE_WRITING || !f->handle) return f->status;
    TRY(flush ? file_flush(f) : file_hand_over(f));
    void *handle = f->handle;
    f->handle = NULL;
    int error = f->system->close(f->system->user, handle);
    if (error) return fail_writing(f, "can't be closed", error);
    if (!f->temporary) return RUGA_OK;
    error = f->system->rename(f->system->user, f->temporary, f->target);
    if (error) return fail_writing(f, "can't be given its name", error);
    memory_release(f->context, f->temporary);
    f->temporary = NULL;
    return RUGA_OK;
}

ruga_status file_commit(file *f) { return commit(f, 1); }
ruga_status file_commit_unflushed(file *f) { return commit(f, 0); }

ruga_status file_take_bytes(file *f, void **bytes, size_t *size) {
    if (RUGA_FAILED(f->status)) return f->status;
    if (!f->buffer) {
        ruga_status status = NEW(f->context, &f->buffer, 1);
        if (RUGA_FAILED(status)) return f->status = status;
    }
    *bytes = f->buffer;
    *size = f->used;
    f->buffer = NULL;
    f->used = f->capacity = 0;
    f->position = 0;
    return RUGA_OK;
}
