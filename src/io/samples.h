/* Motions that are stored sample by sample: point caches and sequences. Two samples are kept; a time between them is
 * interpolated. A format brings a function that loads one sample. */
#ifndef IO_SAMPLES_H
#define IO_SAMPLES_H

#include "io/io.h"

typedef struct stored_motion stored_motion;

struct stored_motion {
    ruga_motion base; /* info.vertex_count is the mesh's */
    char *path;       /* for messages */
    io_conversion conversion;
    double *times;         /* (sample_count) s, strictly rising; NULL: evenly spaced from info.start by info.rate */
    size_t point_count;    /* in a stored sample: vertices, or vertices of the file that was split at seams */
    uint32_t *first_split; /* (vertex_count) which point of the sample is which vertex; NULL: in order */
    size_t held[2];        /* which samples the slots hold; SIZE_MAX: none */
    ruga_vec3 *slots[2];   /* (vertex_count) m */
    ruga_status (*load)(stored_motion *motion, size_t sample, ruga_vec3 *positions); /* converted */
    void (*close)(stored_motion *motion); /* releases what the format added; may be NULL */
};

/* Makes the shared part of a motion of `size` bytes whose first member is a stored_motion; destroy it with
 * ruga_motion_destroy from here on. point_count must be the mesh's vertex count or its split count (any, when mesh is
 * NULL): else an error that names both. */
ruga_status stored_motion_create(ruga_context *context, const char *path, const ruga_mesh *mesh,
                                 const ruga_file_def *def, size_t point_count, size_t size, stored_motion **out);

/* Opens a file and hands it to a format's opener, which keeps it when all went well; else it is closed. */
typedef ruga_status stored_motion_opener(ruga_context *context, file *in, const char *path, const ruga_mesh *mesh,
                                         const ruga_file_def *def, stored_motion **out);
ruga_status stored_motion_open(ruga_context *context, const char *path, const ruga_mesh *mesh, const ruga_file_def *def,
                               stored_motion_opener *open_motion, ruga_motion **out);

/* Sets start, end and rate of the info from `times`, or evenly from a start and a rate. */
void stored_motion_set_even(stored_motion *motion, size_t sample_count, double start, double rate);
void stored_motion_set_times(stored_motion *motion, size_t sample_count, double *times);

/* One sample of 32-bit floats (point_count x 3) at `offset` of a file, to positions inside. `words` is room for it. */
ruga_status stored_motion_read_floats(stored_motion *motion, file *f, uint64_t offset, int big_endian, uint32_t *words,
                                      ruga_vec3 *positions);

/* What the writers of caches share: a frame as 32-bit floats, in the file's units; an error where one does not fit.
 * `words` is room for (vertex_count x 3). Encoding is writing without writing: `f` gives the name for messages. */
ruga_status stored_frame_encode(ruga_motion_writer *writer, const ruga_frame *frame, const file *f, int big_endian,
                                uint32_t *words);
ruga_status stored_frame_write(ruga_motion_writer *writer, const ruga_frame *frame, file *f, int big_endian,
                               uint32_t *words);

#endif
