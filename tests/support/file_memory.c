/* A file system in memory: a list of named byte arrays. */
#include <errno.h>
#include <string.h>

#include "base/memory.h"
#include "support/file_systems.h"

typedef struct memory_file {
    char *name;
    unsigned char *bytes;
    size_t size, capacity;
    int is_locked;
} memory_file;

typedef struct memory_handle {
    memory_file *file;
    size_t position;
} memory_handle;

struct memory_file_system {
    ruga_context *context;
    file_system interface;
    ARRAY(memory_file *) files;
};

/* The place of a name in the list; the list's count if there is none. */
static size_t find(const memory_file_system *files, const char *name) {
    size_t i = 0;
    while (i < files->files.count && strcmp(files->files.items[i]->name, name) != 0) i++;
    return i;
}

static void file_release(ruga_context *context, memory_file *f) {
    if (!f) return;
    memory_release(context, f->name);
    memory_release(context, f->bytes);
    memory_release(context, f);
}

static void forget(memory_file_system *files, size_t i) {
    file_release(files->context, files->files.items[i]);
    memmove(&files->files.items[i], &files->files.items[i + 1], (--files->files.count - i) * sizeof(memory_file *));
}

/* An empty file at the end of the list. */
static memory_file *append(memory_file_system *files, const char *name) {
    if (RUGA_FAILED(ARRAY_RESERVE(files->context, &files->files, 1))) return NULL;
    memory_file *f = memory_allocate_zeroed(files->context, 1, sizeof *f);
    if (!f) return NULL;
    f->name = memory_copy_text(files->context, name);
    if (!f->name) {
        file_release(files->context, f);
        return NULL;
    }
    return files->files.items[files->files.count++] = f;
}

static int make_handle(memory_file_system *files, memory_file *f, void **handle) {
    memory_handle *made = memory_allocate(files->context, 1, sizeof *made);
    if (!made) return ENOMEM;
    *made = (memory_handle){f, 0};
    *handle = made;
    return 0;
}

static int memory_open(void *user, const char *path, void **handle, uint64_t *size) {
    memory_file_system *files = user;
    size_t i = find(files, path);
    if (i == files->files.count) return ENOENT;
    *size = files->files.items[i]->size;
    return make_handle(files, files->files.items[i], handle);
}

static int memory_resolve(void *user, const char *path, char *target, size_t capacity, int *in_place) {
    (void)user;
    size_t length = strlen(path);
    if (length >= capacity) return ENAMETOOLONG;
    memcpy(target, path, length + 1);
    *in_place = 0;
    return 0;
}

static int memory_create(void *user, const char *path, const char *like, void **handle) {
    (void)like;
    memory_file_system *files = user;
    if (find(files, path) != files->files.count) return EEXIST;
    memory_file *f = append(files, path);
    if (!f) return ENOMEM;
    int error = make_handle(files, f, handle);
    if (error) forget(files, files->files.count - 1);
    return error;
}

static int memory_open_in_place(void *user, const char *path, void **handle) {
    uint64_t size;
    return memory_open(user, path, handle, &size);
}

static int memory_read(void *user, void *handle, void *bytes, size_t size, size_t *got) {
    (void)user;
    memory_handle *h = handle;
    size_t left = h->position < h->file->size ? h->file->size - h->position : 0;
    *got = size < left ? size : left;
    if (*got > 0) memcpy(bytes, h->file->bytes + h->position, *got);
    h->position += *got;
    return 0;
}

/* Makes room for `size` bytes in all; new ones are zero. */
static int grow_file(ruga_context *context, memory_file *f, size_t size) {
    if (size > f->capacity) {
        size_t capacity = size > SIZE_MAX / 2 ? size : 2 * size;
        unsigned char *bytes = memory_allocate_zeroed(context, capacity, 1);
        if (!bytes) return ENOMEM;
        if (f->size > 0) memcpy(bytes, f->bytes, f->size);
        memory_release(context, f->bytes);
        f->bytes = bytes;
        f->capacity = capacity;
    }
    if (size > f->size) f->size = size;
    return 0;
}

static int memory_write(void *user, void *handle, const void *bytes, size_t size) {
    memory_file_system *files = user;
    memory_handle *h = handle;
    if (size == 0) return 0;
    if (size > SIZE_MAX - h->position) return EFBIG;
    int error = grow_file(files->context, h->file, h->position + size);
    if (error) return error;
    memcpy(h->file->bytes + h->position, bytes, size);
    h->position += size;
    return 0;
}

static int memory_seek(void *user, void *handle, uint64_t offset) {
    (void)user;
    if (offset > SIZE_MAX) return EOVERFLOW;
    ((memory_handle *)handle)->position = (size_t)offset;
    return 0;
}

static int memory_flush(void *user, void *handle) {
    (void)user;
    (void)handle;
    return 0;
}

static int memory_close(void *user, void *handle) {
    memory_release(((memory_file_system *)user)->context, handle);
    return 0;
}

static int memory_remove(void *user, const char *path) {
    memory_file_system *files = user;
    size_t i = find(files, path);
    if (i == files->files.count) return ENOENT;
    forget(files, i);
    return 0;
}

static int memory_rename(void *user, const char *from, const char *to) {
    memory_file_system *files = user;
    if (find(files, from) == files->files.count) return ENOENT;
    if (!strcmp(from, to)) return 0;
    char *name = memory_copy_text(files->context, to);
    if (!name) return ENOMEM;
    memory_remove(files, to);
    memory_file *f = files->files.items[find(files, from)];
    memory_release(files->context, f->name);
    f->name = name;
    return 0;
}

static int memory_open_append(void *user, const char *path, uint64_t size, void **handle) {
    memory_file_system *files = user;
    if (find(files, path) == files->files.count) return size == 0 ? memory_create(user, path, NULL, handle) : ENOENT;
    memory_file *f = files->files.items[find(files, path)];
    if (f->size < size) return ENODATA;
    int error = make_handle(files, f, handle);
    if (error) return error;
    /* The part that is cut off reads as zeros if the file grows again. */
    if (f->size > size) memset(f->bytes + size, 0, f->size - (size_t)size);
    f->size = (size_t)size;
    ((memory_handle *)*handle)->position = f->size;
    return 0;
}

static int memory_make_directory(void *user, const char *path) {
    memory_file_system *files = user;
    return find(files, path) == files->files.count ? 0 : EEXIST;
}

static int memory_list(void *user, const char *path, void (*found)(void *argument, const char *name), void *argument) {
    memory_file_system *files = user;
    const size_t length = strlen(path);
    for (size_t i = 0; i < files->files.count; i++) {
        const char *name = files->files.items[i]->name;
        if (strncmp(name, path, length) == 0 && name[length] == '/' && !strchr(name + length + 1, '/'))
            found(argument, name + length + 1);
    }
    return 0;
}

static int memory_flush_directory(void *user, const char *path) {
    (void)user;
    (void)path;
    return 0;
}

static int memory_lock(void *user, const char *path, void **handle, long *owner) {
    memory_file_system *files = user;
    *owner = 0;
    size_t i = find(files, path);
    memory_file *f = i < files->files.count ? files->files.items[i] : append(files, path);
    if (!f) return ENOMEM;
    if (f->is_locked) return EWOULDBLOCK;
    f->is_locked = 1;
    *handle = f;
    return 0;
}

static int memory_unlock(void *user, const char *path, void *handle) {
    (void)handle;
    return memory_remove(user, path);
}

static int memory_look_at_lock(void *user, const char *path, long *owner) {
    memory_file_system *files = user;
    *owner = 0;
    size_t i = find(files, path);
    return i < files->files.count && files->files.items[i]->is_locked ? EWOULDBLOCK : 0;
}

ruga_status memory_file_system_create(ruga_context *context, memory_file_system **out) {
    memory_file_system *files;
    TRY(NEW_ZEROED(context, &files, 1));
    files->context = context;
    files->interface = (file_system){.user = files,
                                     .open = memory_open,
                                     .resolve = memory_resolve,
                                     .create = memory_create,
                                     .open_in_place = memory_open_in_place,
                                     .read = memory_read,
                                     .write = memory_write,
                                     .seek = memory_seek,
                                     .flush = memory_flush,
                                     .close = memory_close,
                                     .rename = memory_rename,
                                     .remove = memory_remove,
                                     .open_append = memory_open_append,
                                     .make_directory = memory_make_directory,
                                     .list = memory_list,
                                     .flush_directory = memory_flush_directory,
                                     .lock = memory_lock,
                                     .unlock = memory_unlock,
                                     .look_at_lock = memory_look_at_lock};
    *out = files;
    return RUGA_OK;
}

void memory_file_system_destroy(memory_file_system *files) {
    if (!files) return;
    while (files->files.count > 0) forget(files, files->files.count - 1);
    ARRAY_RELEASE(files->context, &files->files);
    memory_release(files->context, files);
}

const file_system *memory_file_system_interface(memory_file_system *files) { return &files->interface; }

ruga_status memory_file_system_put(memory_file_system *files, const char *path, const void *bytes, size_t size) {
    memory_file *f = append(files, path);
    if (!f) return fail_memory(files->context, sizeof *f);
    if (size > 0 && grow_file(files->context, f, size)) {
        forget(files, files->files.count - 1);
        return fail_memory(files->context, size);
    }
    if (size > 0) memcpy(f->bytes, bytes, size);
    /* Of two with one name the first is the old one. */
    if (find(files, path) != files->files.count - 1) forget(files, find(files, path));
    return RUGA_OK;
}

const void *memory_file_system_get(memory_file_system *files, const char *path, size_t *size) {
    size_t i = find(files, path);
    if (i == files->files.count) return NULL;
    *size = files->files.items[i]->size;
    return files->files.items[i]->bytes ? (const void *)files->files.items[i]->bytes : "";
}

size_t memory_file_system_count(const memory_file_system *files) { return files->files.count; }
const char *memory_file_system_name(const memory_file_system *files, size_t i) { return files->files.items[i]->name; }
