/* Motions that are stored in samples: point caches and sequences. Two samples are kept, and times between them are
 * interpolated. Each format has a function that loads one sample. */
#ifndef IO_SAMPLES_H
#define IO_SAMPLES_H

#include "io/io.h"

typedef struct stored_motion stored_motion;

struct stored_motion {
    ruga_motion base; /* info.vertex_count is the mesh's */
    char *path;       /* for messages */
    io_conversion conversion;
    double *times;         /* (sample_count) s, strictly increasing; NULL: evenly spaced from info.start by info.rate */
    size_t point_count;    /* in a stored sample: vertices, or vertices of the file that was split at seams */
    uint32_t *first_split; /* (vertex_count) the point of each vertex; NULL: in order */
    size_t held[2];        /* samples in the slots; SIZE_MAX: none */
    ruga_vec3 *slots[2];   /* (vertex_count) m */
    ruga_status (*load)(stored_motion *motion, size_t sample, ruga_vec3 *positions); /* converted */
    void (*close)(stored_motion *motion); /* releases members of the format; may be NULL */
    /* Of a point cache. */
    file *in;
    uint64_t data; /* offset of the first sample */
    int big_endian;
    uint32_t *words; /* (point_count x 3) */
};

/* Makes the shared part of a motion of `size` bytes whose first member is a stored_motion; destroy it with
 * ruga_motion_destroy from here on. point_count must be the mesh's vertex count or its split count (any, when mesh is
 * NULL): else an error that names both. */
ruga_status stored_motion_create(ruga_context *context, const char *path, const ruga_mesh *mesh,
                                 const ruga_file_def *def, size_t point_count, size_t size, stored_motion **out);

/* Sets start, end and rate of the info evenly, from a start and a rate. */
void stored_motion_set_even(stored_motion *motion, size_t sample_count, double start, double rate);

/* The head of a point cache. Samples of 32-bit floats (point_count x 3) follow each other from byte `data` on. */
typedef struct cache_head {
    size_t point_count, sample_count;
    uint64_t data;
    int big_endian;
    double start, rate; /* s, samples a second; without times */
    double *times;      /* (sample_count) s, strictly rising; NULL: even */
} cache_head;

/* Opens a point cache whose head that function reads and checks: the file has all samples. */
typedef ruga_status cache_head_function(ruga_context *context, file *in, const ruga_file_def *def, cache_head *head);
ruga_status cache_open(ruga_context *context, const char *path, const ruga_mesh *mesh, const ruga_file_def *def,
                       cache_head_function *read_head, ruga_motion **out);
/* The message of a cache that ends before its samples do. */
ruga_status cache_check_size(ruga_context *context, const file *in, const cache_head *head, const char *samples);

/* For writers of caches: a frame as 32-bit floats in the units of the file; fails if a number is too large for them.
 * `words` has room for (vertex_count x 3). Encoding only fills `words`; `f` is for messages. */
ruga_status stored_frame_encode(ruga_motion_writer *writer, const ruga_frame *frame, const file *f, int big_endian,
                                uint32_t *words);
ruga_status stored_frame_write(ruga_motion_writer *writer, const ruga_frame *frame, file *f, int big_endian,
                               uint32_t *words);

#endif
