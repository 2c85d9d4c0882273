/* The disk as a file system. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"

#define MAX_LINKS 40
#define LOCK_TRIES 10                  /* a millisecond apart */
#define MAX_TRANSFER ((size_t)1 << 30) /* bytes in one call; systems have limits near 2 GB */

/* A handle is the descriptor itself, one up so that it is never NULL. */
static void *handle_of(int descriptor) { return (void *)((intptr_t)descriptor + 1); }
static int descriptor_of(void *handle) { return (int)((intptr_t)handle - 1); }

static int open_again(const char *path, int flags, mode_t mode) {
    int descriptor;
    do descriptor = open(path, flags | O_CLOEXEC, mode);
    while (descriptor < 0 && errno == EINTR);
    return descriptor;
}

static int kind_error(mode_t mode) { return S_ISREG(mode) ? 0 : S_ISDIR(mode) ? EISDIR : ENODEV; }

/* O_NONBLOCK, since opening a pipe without a writer would block; a regular file ignores it. */
static int disk_open(void *user, const char *path, void **handle, uint64_t *size) {
    (void)user;
    int descriptor = open_again(path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
    if (descriptor < 0) return errno == ENXIO ? ENODEV : errno;
    struct stat info;
    int error = fstat(descriptor, &info) == 0 ? kind_error(info.st_mode) : errno;
    if (error) {
        close(descriptor);
        return error;
    }
    *handle = handle_of(descriptor);
    *size = (uint64_t)info.st_size;
    return 0;
}

/* Replaces `target`, which is a symbolic link, by what it says. */
static int follow_link(char *target, size_t capacity) {
    char link[PATH_MAX];
    ssize_t length = readlink(target, link, sizeof link - 1);
    if (length < 0) return errno;
    link[length] = 0;
    const char *slash = strrchr(target, '/');
    size_t folder = link[0] == '/' || !slash ? 0 : (size_t)(slash - target) + 1;
    if (folder + (size_t)length >= capacity) return ENAMETOOLONG;
    memcpy(target + folder, link, (size_t)length + 1);
    return 0;
}

/* The descriptor that a name of an open stream stands for, -1 for other names. Such a stream is written where it is:
 * opening it again would cut off what others wrote. */
static int stream_descriptor(const char *path) {
    if (!strcmp(path, "/dev/stdout")) return STDOUT_FILENO;
    if (!strcmp(path, "/dev/stderr")) return STDERR_FILENO;
    int descriptor = -1, length = 0;
    int found = sscanf(path, "/dev/fd/%9d%n", &descriptor, &length) == 1 ||
                sscanf(path, "/proc/self/fd/%9d%n", &descriptor, &length) == 1;
    return found && !path[length] ? descriptor : -1;
}

static int disk_resolve(void *user, const char *path, char *target, size_t capacity, int *in_place) {
    (void)user;
    size_t length = strlen(path);
    if (length == 0 || length >= capacity) return length == 0 ? ENOENT : ENAMETOOLONG;
    memcpy(target, path, length + 1);
    *in_place = 0;

    struct stat info;
    if (stat(path, &info) == 0) {
        if (S_ISDIR(info.st_mode)) return EISDIR;
        *in_place = !S_ISREG(info.st_mode) || stream_descriptor(path) >= 0;
        if (*in_place) return 0;
        if (access(path, W_OK) != 0) return errno;
    } else if (errno != ENOENT) {
        return errno;
    }
    for (int links = 0; lstat(target, &info) == 0 && S_ISLNK(info.st_mode); links++) {
        int error = links < MAX_LINKS ? follow_link(target, capacity) : ELOOP;
        if (error) return error;
    }
    return 0;
}

static int disk_create(void *user, const char *path, const char *like, void **handle) {
    (void)user;
    int descriptor = open_again(path, O_RDWR | O_CREAT | O_EXCL, 0666);
    if (descriptor < 0) return errno;
    /* Where permissions can't be set, the file's contents still matter more. */
    struct stat info;
    if (like && stat(like, &info) == 0 && fchmod(descriptor, info.st_mode & 0777) != 0) errno = 0;
    *handle = handle_of(descriptor);
    return 0;
}

/* A pipe waits for its reader; a signal ends the waiting, so that Ctrl-C does. */
static int disk_open_in_place(void *user, const char *path, void **handle) {
    (void)user;
    int stream = stream_descriptor(path);
    int descriptor = stream >= 0 ? fcntl(stream, F_DUPFD_CLOEXEC, 3) : open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC, 0);
    if (descriptor < 0) return errno;
    *handle = handle_of(descriptor);
    return 0;
}

static int disk_read(void *user, void *handle, void *bytes, size_t size, size_t *got) {
    (void)user;
    ssize_t count;
    do count = read(descriptor_of(handle), bytes, size < MAX_TRANSFER ? size : MAX_TRANSFER);
    while (count < 0 && errno == EINTR);
    if (count < 0) return errno;
    *got = (size_t)count;
    return 0;
}

static int disk_write(void *user, void *handle, const void *bytes, size_t size) {
    (void)user;
    const char *at = bytes;
    while (size > 0) {
        ssize_t count = write(descriptor_of(handle), at, size < MAX_TRANSFER ? size : MAX_TRANSFER);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return count < 0 ? errno : EIO;
        at += count;
        size -= (size_t)count;
    }
    return 0;
}

static int disk_seek(void *user, void *handle, uint64_t offset) {
    (void)user;
    if (offset > INT64_MAX) return EOVERFLOW;
    return lseek(descriptor_of(handle), (off_t)offset, SEEK_SET) < 0 ? errno : 0;
}

/* Pipes and some file systems have nothing to bring to a disk. */
static int disk_flush(void *user, void *handle) {
    (void)user;
    int result;
    do result = fsync(descriptor_of(handle));
    while (result != 0 && errno == EINTR);
    return result == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS ? 0 : errno;
}

/* After EINTR the descriptor is gone all the same. */
static int disk_close(void *user, void *handle) {
    (void)user;
    return close(descriptor_of(handle)) == 0 || errno == EINTR ? 0 : errno;
}

static int disk_rename(void *user, const char *from, const char *to) {
    (void)user;
    return rename(from, to) == 0 ? 0 : errno;
}

static int disk_remove(void *user, const char *path) {
    (void)user;
    return unlink(path) == 0 ? 0 : errno;
}

/* For reading and writing, without following a link at the end of the path, and without waiting for a pipe. */
static int open_own(const char *path, int flags) {
    return open_again(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | flags, 0666);
}

static int disk_open_append(void *user, const char *path, uint64_t size, void **handle) {
    (void)user;
    if (size > INT64_MAX) return EOVERFLOW;
    int descriptor = open_own(path, size == 0 ? O_CREAT : 0);
    if (descriptor < 0) return errno == ENXIO ? ENODEV : errno == ELOOP ? FILE_LINKED : errno;
    struct stat info;
    int error = fstat(descriptor, &info) == 0 ? kind_error(info.st_mode) : errno;
    if (!error && info.st_nlink > 1) error = FILE_LINKED;
    if (!error && (uint64_t)info.st_size < size) error = ENODATA;
    if (!error && (uint64_t)info.st_size > size && ftruncate(descriptor, (off_t)size) != 0) error = errno;
    if (!error && lseek(descriptor, (off_t)size, SEEK_SET) < 0) error = errno;
    if (error) {
        close(descriptor);
        return error;
    }
    *handle = handle_of(descriptor);
    return 0;
}

static int disk_make_directory(void *user, const char *path) {
    (void)user;
    return mkdir(path, 0777) == 0 ? 0 : errno;
}

static int disk_list(void *user, const char *path, void (*found)(void *argument, const char *name), void *argument) {
    (void)user;
    DIR *directory = opendir(path);
    if (!directory) return errno;
    errno = 0;
    for (struct dirent *entry; (entry = readdir(directory)) != NULL; errno = 0)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) found(argument, entry->d_name);
    int error = errno;
    closedir(directory);
    return error;
}

static int disk_flush_directory(void *user, const char *path) {
    int descriptor = open_again(path, O_RDONLY | O_DIRECTORY, 0);
    if (descriptor < 0) return errno;
    int error = disk_flush(user, handle_of(descriptor));
    close(descriptor);
    return error;
}

/* The number of the process that holds a lock, as it wrote it. */
static long lock_owner(int descriptor) {
    char text[32] = "";
    ssize_t length = pread(descriptor, text, sizeof text - 1, 0);
    return length > 0 ? strtol(text, NULL, 10) : 0;
}

/* Whether a path still leads to the file that is open. */
static int is_same_file(const char *path, int descriptor) {
    struct stat named, opened;
    return lstat(path, &named) == 0 && fstat(descriptor, &opened) == 0 && named.st_dev == opened.st_dev &&
           named.st_ino == opened.st_ino;
}

/* Who only looks whether a lock is held has a share of it for a moment: that is waited for. */
static int lock_for_oneself(int descriptor) {
    const struct timespec moment = {.tv_nsec = 1000000};
    int result = -1;
    for (int i = 0; i < LOCK_TRIES && result != 0; i++) {
        if (i > 0) nanosleep(&moment, NULL);
        do result = flock(descriptor, LOCK_EX | LOCK_NB);
        while (result != 0 && errno == EINTR);
        if (result != 0 && errno != EWOULDBLOCK) break;
    }
    return result == 0 ? 0 : errno;
}

static int disk_look_at_lock(void *user, const char *path, long *owner) {
    (void)user;
    *owner = 0;
    int descriptor = open_again(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);
    if (descriptor < 0) return errno == ENOENT || errno == ENOTDIR || errno == ELOOP ? 0 : errno;
    int error = flock(descriptor, LOCK_SH | LOCK_NB) == 0 ? 0 : errno;
    if (error == EWOULDBLOCK) *owner = lock_owner(descriptor);
    close(descriptor);
    return error;
}

/* Refuses a file that is no lock: users have files of that name, too. */
static int check_lock(int descriptor) {
    struct stat info;
    char text[32] = "";
    if (fstat(descriptor, &info) != 0) return errno;
    if (!S_ISREG(info.st_mode)) return FILE_FOREIGN;
    if (info.st_nlink > 1) return FILE_LINKED;
    if (info.st_size == 0) return 0;
    const ssize_t length = info.st_size < (off_t)sizeof text ? pread(descriptor, text, sizeof text - 1, 0) : 0;
    const size_t digits = strspn(text, "0123456789");
    return length > 0 && digits > 0 && (text[digits] == '\n' || !text[digits]) && digits + 1 >= (size_t)length
               ? 0
               : FILE_FOREIGN;
}

/* A lock that was removed by its owner between opening and locking is one of the past: the next is tried. */
static int disk_lock(void *user, const char *path, void **handle, long *owner) {
    (void)user;
    *owner = 0;
    for (;;) {
        int descriptor = open_own(path, O_CREAT);
        if (descriptor < 0) return errno == ELOOP ? FILE_LINKED : errno;
        int error = lock_for_oneself(descriptor);
        if (error == EWOULDBLOCK) *owner = lock_owner(descriptor);
        if (error || !is_same_file(path, descriptor)) {
            close(descriptor);
            if (error) return error;
            continue;
        }
        if ((error = check_lock(descriptor)) != 0) {
            close(descriptor);
            return error;
        }
        /* The number serves a message only: that it can't be written, as on a full disk, is no reason to stop. */
        if (ftruncate(descriptor, 0) != 0 || dprintf(descriptor, "%ld\n", (long)getpid()) < 0) errno = 0;
        *handle = handle_of(descriptor);
        return 0;
    }
}

static int disk_unlock(void *user, const char *path, void *handle) {
    int error = is_same_file(path, descriptor_of(handle)) ? disk_remove(user, path) : 0;
    int closed = disk_close(user, handle);
    return error ? error : closed;
}

const file_system *file_system_disk(void) {
    static const file_system disk = {.open = disk_open,
                                     .resolve = disk_resolve,
                                     .create = disk_create,
                                     .open_in_place = disk_open_in_place,
                                     .read = disk_read,
                                     .write = disk_write,
                                     .seek = disk_seek,
                                     .flush = disk_flush,
                                     .close = disk_close,
                                     .rename = disk_rename,
                                     .remove = disk_remove,
                                     .open_append = disk_open_append,
                                     .make_directory = disk_make_directory,
                                     .list = disk_list,
                                     .flush_directory = disk_flush_directory,
                                     .lock = disk_lock,
                                     .unlock = disk_unlock,
                                     .look_at_lock = disk_look_at_lock};
    return &disk;
}
