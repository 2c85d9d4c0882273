/* Files through callbacks: the disk, memory, and one that fails on demand for tests.
 *
 * Readers mostly want a whole file (file_read_whole); caches seek. A file that is written appears under its final name
 * only by file_commit; file_close without it leaves nothing behind. So a writer is:
 *
 *     file *f;
 *     TRY(file_create(context, path, &f));
 *     status = write_all(f);
 *     if (!RUGA_FAILED(status)) status = file_commit(f);
 *     file_close(f);
 */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/context.h"

typedef struct file file;

/* What a file system does. Every callback returns 0 or an errno value; handles are its own. */
typedef struct file_system {
    void *user;
    /* For reading. EISDIR for a directory, ENODEV for a device, a pipe or a socket. */
    int (*open)(void *user, const char *path, void **handle, uint64_t *size);
    /* Where writing to `path` leads: the end of symbolic links. in_place: it is there and can't be replaced by another
     * file, as with a device or a pipe. EISDIR for a directory, EACCES for a file that may not be written. */
    int (*resolve)(void *user, const char *path, char *target, size_t capacity, int *in_place);
    /* A new file under this very name, EEXIST if there is one, with the permissions of the file `like` if that exists. */
    int (*create)(void *user, const char *path, const char *like, void **handle);
    int (*open_in_place)(void *user, const char *path, void **handle); /* for writing what resolve said is so */
    int (*read)(void *user, void *handle, void *bytes, size_t size, size_t *got); /* got 0: the end */
    int (*write)(void *user, void *handle, const void *bytes, size_t size);       /* all of it */
    int (*seek)(void *user, void *handle, uint64_t offset);
    int (*flush)(void *user, void *handle); /* to the disk itself */
    int (*close)(void *user, void *handle);
    int (*rename)(void *user, const char *from, const char *to); /* replaces */
    int (*remove)(void *user, const char *path);
    /* A plain file for writing at its end, cut back to `size` bytes; made if there is none and the size is 0.
     * ENODATA for one that is shorter. */
    int (*open_append)(void *user, const char *path, uint64_t size, void **handle);
    int (*make_directory)(void *user, const char *path); /* EEXIST if there is anything of that name */
    /* Calls found() for each name in a directory, in any order, except "." and "..". */
    int (*list)(void *user, const char *path, void (*found)(void *argument, const char *name), void *argument);
    int (*flush_directory)(void *user, const char *path); /* its names to the disk itself */
    /* Makes a file and holds it for this process alone; EWOULDBLOCK while another holds it, whose number goes to *owner
     * (0: unknown). A process that ends, however it does, holds it no longer. */
    int (*lock)(void *user, const char *path, void **handle, long *owner);
    int (*unlock)(void *user, const char *path, void *handle); /* removes it */
    /* 0 when nobody holds it or there is none, EWOULDBLOCK while somebody does; makes and changes nothing. */
    int (*look_at_lock)(void *user, const char *path, long *owner);
} file_system;

const file_system *file_system_disk(void);

/* A file system in memory: named byte arrays; a directory is what stands before a slash, whether it was made or not. For
 * one thread at a time. */
typedef struct memory_file_system memory_file_system;
ruga_status memory_file_system_create(ruga_context *context, memory_file_system **out);
void memory_file_system_destroy(memory_file_system *files);
const file_system *memory_file_system_interface(memory_file_system *files);
ruga_status memory_file_system_put(memory_file_system *files, const char *path, const void *bytes, size_t size);
const void *memory_file_system_get(memory_file_system *files, const char *path, size_t *size); /* NULL: no such file */
size_t memory_file_system_count(const memory_file_system *files);
const char *memory_file_system_name(const memory_file_system *files, size_t i);

/* Wraps another and fails on demand. Counters say how often each was called. Written bytes up to fail_at_byte arrive.
 * Opening to append counts as a create, flushing a directory as a flush. */
typedef struct failing_file_system {
    file_system interface; /* user is this very struct */
    const file_system *inner;
    uint64_t fail_at_byte; /* ENOSPC once so many bytes were written; UINT64_MAX: never */
    /* The n-th call fails, from 0; -1: never. */
    long fail_open, fail_create, fail_read, fail_write, fail_flush, fail_close, fail_rename, fail_remove;
    long fail_make_directory, fail_list, fail_lock;
    int error; /* errno of what fails so; 0: EACCES or EIO, as would be likely */
    uint64_t bytes_written;
    long opens, creates, reads, writes, flushes, closes, renames, removes;
    long directories, lists, locks;
} failing_file_system;
void failing_file_system_init(failing_file_system *files, const file_system *inner);

/* ---- Reading. Messages name the path and say why. A directory or a device is an error. */
ruga_status file_open(ruga_context *context, const char *path, file **out);
uint64_t file_size(const file *f);
const char *file_path(const file *f);
ruga_status file_read(file *f, void *bytes, size_t size); /* exactly; the file ending early is an error */
ruga_status file_read_some(file *f, void *bytes, size_t size, size_t *got); /* up to */
ruga_status file_seek(file *f, uint64_t offset);

/* The whole file; a zero byte follows the last. Release with memory_release. */
ruga_status file_read_whole(ruga_context *context, const char *path, unsigned char **bytes, size_t *size);

/* ---- Writing, buffered, under `path` plus a temporary ending; a device or a pipe is written directly. The first error
 * stays: later writes and file_commit return it again. */
ruga_status file_create(ruga_context *context, const char *path, file **out);
ruga_status file_write(file *f, const void *bytes, size_t size);
/* For words and whole numbers: "%g" follows the locale, so numbers with a point go through number_print. */
ruga_status file_print(file *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* file_seek works on a file being written too, back to a header and forth again. */
ruga_status file_flush(file *f);  /* buffer and disk */
ruga_status file_commit(file *f); /* flush, close, rename to the final name */
/* The same without waiting for the disk: for what is flushed later by its name, or is soon made again. */
ruga_status file_commit_unflushed(file *f);
void file_close(file *f); /* NULL is fine; without commit the temporary file is removed */

/* ---- Growing files have their name from the start, and what was handed over to the system stays when they are closed.
 * The file is cut back to `size` bytes and written from there on; it is made if there is none and the size is 0. */
ruga_status file_append(ruga_context *context, const char *path, uint64_t size, file **out);
ruga_status file_hand_over(file *f); /* the buffer to the system, which needs not be the disk yet */

/* A file being written into memory instead, for ruga_mesh_write_memory: commit is a no-op; take the bytes and release
 * them with memory_release. */
ruga_status file_create_in_memory(ruga_context *context, file **out);
ruga_status file_take_bytes(file *f, void **bytes, size_t *size);

/* ---- Names. */
ruga_status file_rename(ruga_context *context, const char *from, const char *to); /* replaces */
ruga_status file_remove(ruga_context *context, const char *path);                 /* fine if there is none */
ruga_status file_flush_named(ruga_context *context, const char *path);            /* a closed file, to the disk */
/* The size of a plain file; found 0: there is none. Fails when it can't be known. */
ruga_status file_look(ruga_context *context, const char *path, int *found, uint64_t *size);

/* Makes a directory and those it is in, where they are missing. */
ruga_status directory_make(ruga_context *context, const char *path);
ruga_status directory_list(ruga_context *context, const char *path, void (*found)(void *argument, const char *name),
                           void *argument);
ruga_status directory_flush(ruga_context *context, const char *path);

/* Of a temporary file's name, without its folder, how many bytes the name it is on its way to has; 0: it is none. A name
 * above 200 bytes is cut there. */
size_t file_temporary_target(const char *name);

/* A lock: a file that is held as long as this process has it. Fails with RUGA_ERROR_FILE while another has it; `what` says
 * in the message what it stands for. */
typedef struct file_lock file_lock;
ruga_status file_lock_take(ruga_context *context, const char *path, const char *what, file_lock **out);
void file_lock_release(file_lock *lock); /* NULL is fine */
/* Whether somebody has it, and the number of that process (0: unknown). One that may not be looked at counts as free. */
int file_lock_is_held(ruga_context *context, const char *path, long *owner);

/* The message of an errno value: what can't be done with a path and why, with advice. */
ruga_status fail_file(ruga_context *context, const char *path, const char *what, int error, int writing);

#endif
