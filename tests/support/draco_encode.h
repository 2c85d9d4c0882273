/* Draco data for tests, by the library's own encoder. */
#ifndef TESTS_SUPPORT_DRACO_ENCODE_H
#define TESTS_SUPPORT_DRACO_ENCODE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct draco_input {
    size_t vertex_count, triangle_count;
    const uint32_t *corners; /* (triangle_count x 3) */
    const float *positions;  /* (vertex_count x 3) attribute 0 */
    const float *uvs;        /* (vertex_count x 2) attribute 1; NULL: none */
    const uint8_t *joints;   /* (vertex_count x 4) the next; NULL: none */
    int sequential;          /* keeps the order of vertices and triangles */
    int bits;                /* of quantised positions and uvs; 0: exact */
    int metadata;            /* with metadata that says nothing */
} draco_input;

/* The bytes are malloc'ed; vertex_count and triangle_count: those of the encoded mesh. NULL if the encoder fails. */
unsigned char *draco_encode(const draco_input *in, size_t *size, size_t *vertex_count, size_t *triangle_count);

#ifdef __cplusplus
}
#endif
#endif
