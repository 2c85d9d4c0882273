/* The PLY reader: the header, and a window on the bytes after it.
 *
 * PLY as G. Turk described it, 1994: a text header names elements (vertex, face, …) with their properties, scalars or
 * lists; the elements' rows follow as text or as binary numbers of either byte order. */
#ifndef IO_PLY_H
#define IO_PLY_H

#include "base/memory.h"
#include "io/io.h"

typedef struct ply_property {
    const char *name; /* as in the file */
    ruga_scalar type; /* of the scalar, or of the list's items */
    int is_list;
    ruga_scalar count_type; /* of a list's count */
} ply_property;

typedef struct ply_element {
    const char *name;
    uint64_t count;
    ARRAY(ply_property) properties;
    size_t least_row; /* minimum bytes of a binary row; exact without lists */
    int has_list;
} ply_element;

/* A comment of Ruga about an attribute: a label, or (label NULL) that its integers are normalised. */
typedef struct ply_remark {
    ruga_domain domain;
    const char *attribute;
    const char *label;
} ply_remark;

typedef struct ply_header {
    arena texts;
    int is_ascii, is_big_endian;
    ARRAY(ply_element) elements;
    ARRAY(ply_remark) remarks; /* labels of one attribute in their order */
    unsigned line_count;       /* of the header */
} ply_header;

/* A window on the bytes of a file or of memory; `at` is the next one. */
typedef struct ply_input {
    ruga_context *context;
    const char *name;
    file *stream;    /* NULL: all bytes are in the window */
    uint64_t size;   /* bytes of the whole file */
    uint64_t unread; /* bytes that are still in the file */
    unsigned char *buffer;
    size_t capacity;
    const unsigned char *at, *end;
} ply_input;

/* Reports progress. */
ruga_status ply_report(const ply_input *input, uint64_t remaining);

/* Makes at least `need` bytes available at `at`; fails if the file has fewer. */
ruga_status ply_fill(ply_input *input, size_t need);
static inline size_t ply_available(const ply_input *input) { return (size_t)(input->end - input->at); }
static inline uint64_t ply_remaining(const ply_input *input) { return ply_available(input) + input->unread; }

/* Reads the header and moves the input after it. Release it also after a failure. */
ruga_status ply_header_read(ply_input *input, ply_header *header);
void ply_header_release(ruga_context *context, ply_header *header);
const ply_element *ply_header_find(const ply_header *header, const char *name); /* NULL if there is none */

/* The rows of one element from text, as the binary little-endian rows they stand for. The text must be whole in the
 * window; *line is the next line's number. Release the bytes with memory_release. */
ruga_status ply_rows_from_text(ply_input *text, const ply_element *element, unsigned *line, unsigned char **bytes,
                               size_t *size);

/* ---- Names. Attributes stand under the field's usual names: "normal" as nx ny nz, and so on; others with several
 * components as name_0 name_1 …; what a property's name can't hold, or would be mistaken for, is written as %41. */
typedef struct ply_known_name {
    const char *attribute;
    uint32_t components;
    const char *properties[4];
} ply_known_name;
extern const ply_known_name ply_known_names[]; /* ends with attribute NULL */

int ply_name_is_reserved(const char *name);
size_t ply_name_decode(const char *name, char *out); /* out: as long as name, and a zero; returns the length */

/* Properties that stand together for one attribute. */
typedef struct ply_group {
    const char *name; /* in the file's spelling, or known */
    size_t name_length;
    uint32_t components;
    size_t properties[256];
} ply_group;

size_t ply_find_property(const ply_element *element, const char *name); /* SIZE_MAX if there is none */
/* The group that begins with a property, if it has one of the field's usual names; 0 if not. */
int ply_find_known_group(const ply_element *element, size_t first, ply_group *group);
/* name_0, name_1, … of one type, one behind the other, at least two; 0 if not. */
int ply_find_numbered_group(const ply_element *element, size_t first, ply_group *group);

extern const char *const ply_type_names[8]; /* by ruga_scalar */
extern const char *const ply_domain_names[4];

#endif
