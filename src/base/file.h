/* Files through callbacks: the disk, or what a test puts in its place (tests/support/file_systems.h).
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
#include "base/rolling_hash.h"

typedef struct file file;

/* Errors beside those of errno: files of other origin, which are never written. */
enum {
    FILE_LINKED = -1, /* a symbolic link, or a file with several names: writing would change a file elsewhere */
    FILE_FOREIGN = -2 /* a device or a pipe, or a lock that holds something else than a process number */
};

/* The operations of a file system. Every callback returns 0, an errno value or one of these; handles are its own. */
typedef struct file_system {
    void *user;
    /* For reading. EISDIR for a directory, ENODEV for a device, a pipe or a socket. */
    int (*open)(void *user, const char *path, void **handle, uint64_t *size);
    /* Where writing to `path` leads: the end of symbolic links. in_place: it is there and can't be replaced by another
     * file, as with a device or a pipe. EISDIR for a directory, EACCES for a file that may not be written. */
    int (*resolve)(void *user, const char *path, char *target, size_t capacity, int *in_place);
    /* A new file under this very name, EEXIST if there is one, with the permissions of the file `like` if that
     * exists. */
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
     * ENODATA for one that is shorter, FILE_LINKED for a link or a file with several names. */
    int (*open_append)(void *user, const char *path, uint64_t size, void **handle);
    int (*make_directory)(void *user, const char *path); /* EEXIST if there is anything of that name */
    /* Calls found() for each name in a directory, in any order, except "." and "..". */
    int (*list)(void *user, const char *path, void (*found)(void *argument, const char *name), void *argument);
    int (*flush_directory)(void *user, const char *path); /* its names to the disk itself */
    /* Makes a file and holds it for this process alone; EWOULDBLOCK while another holds it, whose number goes to *owner
     * (0: unknown). A process that ends, however it does, holds it no longer. FILE_LINKED or FILE_FOREIGN for a file
     * that is no lock: one that is neither empty nor a process number. */
    int (*lock)(void *user, const char *path, void **handle, long *owner);
    int (*unlock)(void *user, const char *path, void *handle); /* removes it, unless another file has its name now */
    /* 0 when nobody holds it or there is none, EWOULDBLOCK while somebody does; makes and changes nothing. */
    int (*look_at_lock)(void *user, const char *path, long *owner);
} file_system;

const file_system *file_system_disk(void);

/* ---- Reading. Messages name the path and say why. A directory or a device is an error. */
ruga_status file_open(ruga_context *context, const char *path, file **out);
uint64_t file_size(const file *f);
const char *file_path(const file *f);
ruga_status file_read(file *f, void *bytes, size_t size); /* exactly; the file ending early is an error */
ruga_status file_read_some(file *f, void *bytes, size_t size, size_t *got); /* up to */
ruga_status file_seek(file *f, uint64_t offset);

/* The whole file; a zero byte follows the last. Release with memory_release. */
ruga_status file_read_whole(ruga_context *context, const char *path, unsigned char **bytes, size_t *size);

/* ---- Writing, buffered, under `path` plus a temporary ending. Links are followed, and a device or a pipe is written
 * directly; in context->own_folder both are errors. The first error stays: later writes and file_commit return it
 * again. */
ruga_status file_create(ruga_context *context, const char *path, file **out) FOR_RENDER(file_create);
ruga_status file_write(file *f, const void *bytes, size_t size) FOR_RENDER(file_write);
/* For words and whole numbers: "%g" follows the locale, so numbers with a point go through number_print. */
ruga_status file_print(file *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* From now on, bytes that are written go into a hash: those from an offset on, each once, in their order. Patches of
 * earlier bytes do not count. The hash is up to date when the buffer was handed over or the file committed. */
void file_hash(file *f, uint64_t offset, rolling_hash *hash);
/* file_seek works on a file being written too, back to a header and forth again. */
ruga_status file_flush(file *f);                          /* buffer and disk */
ruga_status file_commit(file *f) FOR_RENDER(file_commit); /* flush, close, rename to the final name */
/* The same without waiting for the disk: for what is flushed later by its name, or is soon made again. */
ruga_status file_commit_unflushed(file *f);
void file_close(file *f) FOR_RENDER(file_close); /* NULL is fine; without commit the temporary file is removed */

/* A scratch file: new, beside `path`, under a name that no file has; file_close removes it. It is written, then read
 * from its start, never committed. */
ruga_status file_create_scratch(ruga_context *context, const char *path, file **out);
ruga_status file_read_back(file *f);                    /* from now on it is read; again: from the start again */
ruga_status file_copy_scratch(file *scratch, file *to); /* reads it back, all of it, into another file */

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
int path_is_file(ruga_context *context, const char *path); /* or a device; not a directory */

/* Makes a directory and those it is in, where they are missing. */
ruga_status directory_make(ruga_context *context, const char *path);
ruga_status directory_list(ruga_context *context, const char *path, void (*found)(void *argument, const char *name),
                           void *argument);
ruga_status directory_flush(ruga_context *context, const char *path);

/* Of a temporary file's name, without its folder, the length in bytes of its final name; 0: it is no temporary file. A
 * name above 200 bytes is cut there. */
size_t file_temporary_target(const char *name);

/* A lock: a file that is held as long as this process has it. Fails with RUGA_ERROR_FILE while another has it; `what`
 * says in the message what it stands for. */
typedef struct file_lock file_lock;
ruga_status file_lock_take(ruga_context *context, const char *path, const char *what, file_lock **out);
void file_lock_release(file_lock *lock); /* NULL is fine */
/* Whether somebody has it, and the number of that process (0: unknown). One that may not be looked at counts as
 * free. */
int file_lock_is_held(ruga_context *context, const char *path, long *owner);

/* The message of an errno value: what can't be done with a path and why, with advice. */
ruga_status fail_file(ruga_context *context, const char *path, const char *what, int error, int writing);

#endif
