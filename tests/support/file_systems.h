/* File systems for tests in place of the disk: one in memory, and one that fails on demand. */
#ifndef TESTS_FILE_SYSTEMS_H
#define TESTS_FILE_SYSTEMS_H

#include "base/file.h"

/* A file system in memory: named byte arrays; a directory is what stands before a slash, whether it was made or not.
 * For one thread at a time. */
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

#endif
