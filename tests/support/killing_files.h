/* A file system that kills its own process: whatever a program does with files, it can be stopped there. */
#ifndef TESTS_KILLING_FILES_H
#define TESTS_KILLING_FILES_H

#include "base/file.h"

/* Passes everything on to another, except that nothing is flushed: what is killed loses no more than it had handed
 * over. Each call that changes something is a moment, a write is two: before it, and when half of its bytes are
 * there. */
typedef struct killing_file_system {
    file_system interface; /* user is this very struct */
    const file_system *inner;
    long kill_at; /* the n-th moment, from 0, raises SIGKILL; -1: never */
    long moments;
    long writes, flushes, renames; /* that came to pass */
} killing_file_system;
void killing_file_system_init(killing_file_system *files, const file_system *inner, long kill_at);

#endif
