/* Shared by the formats of tet meshes: Gmsh .msh, Medit .mesh, TetGen .node and .ele.
 *
 * They hold vertices, tets, triangles and quads. Vertices have numbers of their own (tags). A reader passes elements
 * with these tags; solid_finish turns them into indices. With tets, the mesh gets their surface, and triangles
 * and quads of the file are dropped: files list inner ones too, such as those between two materials.
 */
#ifndef IO_SOLID_H
#define IO_SOLID_H

#include "io/io.h"
#include "io/text_out.h"

typedef struct solid_in {
    ruga_context *context;
    const char *name;
    const char *begin, *at, *end;
    int is_binary, is_swapped; /* numbers are bytes; of the other byte order */
    ARRAY(ruga_vec3) positions;
    ARRAY(uint64_t) tags;          /* (positions) tag << 32 | index */
    ARRAY(uint32_t) tets, corners; /* tags of their vertices */
    ARRAY(unsigned char) sizes;    /* (faces) 3 or 4 */
} solid_in;

/* The bytes of a source; they must outlive it. */
void solid_open(const io_source *source, solid_in *out);
void solid_release(solid_in *in);

/* RUGA_ERROR_INPUT with the file and the line, or the byte of a binary file. */
ruga_status solid_fail(const solid_in *in, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The next word, without blanks and comments (# to the end of the line); 0 at the end. */
size_t solid_word(solid_in *in, const char **word);
/* The same without taking it. */
size_t solid_peek(solid_in *in, const char **word);
int solid_word_is(const char *word, size_t length, const char *expected);

/* The next number, as text or as bytes: 4 or 8 of them for a whole number. `what` is for messages. */
ruga_status solid_whole(solid_in *in, const char *what, unsigned bytes, int64_t *out);
ruga_status solid_real(solid_in *in, const char *what, double *out);
/* A whole number of things that take at least so many bytes each, so that the file has room for them. */
ruga_status solid_count(solid_in *in, const char *what, unsigned bytes, size_t least_each, size_t *out);

ruga_status solid_add_vertex(solid_in *in, int64_t tag, ruga_vec3 position);
/* Reads the tags of an element with 3 or 4 corners, a tet or a face. */
ruga_status solid_add_element(solid_in *in, unsigned bytes, int is_tet, unsigned corners);

/* Moves everything into the parts. */
ruga_status solid_finish(solid_in *in, mesh_parts *parts);

/* ---- Writing. */

/* The elements that are written: tets, or, without tets, faces. Polygons of more than four corners are cut into
 * triangles, with a note. RUGA_ERROR_INPUT for a mesh without any, and for positions that are not finite. */
typedef struct solid_out {
    const io_target *target;
    const ruga_mesh *mesh;
    const ruga_vec3 *positions;
    size_t face_count;
    int as_triangles; /* faces are the mesh's triangles */
    text_out text;
} solid_out;
ruga_status solid_out_open(const io_target *target, const char *format_name, solid_out *out);
void solid_out_close(solid_out *out);
/* Notes what the file can't hold. */
void solid_note_losses(const solid_out *out, const char *format_name);

/* The corners of a face, and their number. */
const uint32_t *solid_face(const solid_out *out, size_t face, unsigned *corners);
ruga_vec3 solid_position(const solid_out *out, size_t vertex);

#endif
