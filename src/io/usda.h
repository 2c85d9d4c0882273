/* The USD text writers: text with a sticky status, names that USD allows, and the parts of a stage.
 *
 *     #usda 1.0 (metadata)
 *     def Xform "stem"
 *         def Mesh "stem"            points, faces, primvars; a GeomSubset for each material, group and object
 *         def BasisCurves "lines"    the polylines
 *         def Scope "materials"      a Material of each name, without a surface
 */
#ifndef IO_USDA_H
#define IO_USDA_H

#include "io/io.h"
#include "io/label_set.h"
#include "io/text_out.h"

/* ---- Text. */
void usda_put_quoted(text_out *text, const char *words); /* escaped; what is no UTF-8 becomes U+FFFD */
void usda_put_vector(text_out *text, const float v[3]);  /* (x, y, z) */

/* ---- Names. All names that stand beside each other, so that none comes twice. */
typedef struct usda_names {
    arena memory;
    label_set taken;
} usda_names;

/* A unique identifier from `wanted`: letters, digits and _, without a digit first; `otherwise` if that is empty; a
 * number is appended if the name exists. It lives as long as names->memory. */
ruga_status usda_name(usda_names *names, const char *wanted, size_t length, const char *otherwise, const char **out);
void usda_names_release(usda_names *names);

/* ---- A stage. */
typedef struct usda_box {
    float low[3], high[3];
} usda_box;

typedef struct usda_stage {
    const io_target *target;
    ruga_context *context;
    const char *path; /* for messages */
    int moves;        /* points come frame by frame */
    text_out text;
    usda_names children, primvars, subsets; /* of the root, of the mesh */
    const char *name;                       /* of the root and of the mesh */
    const char *lines, *materials;          /* names of the curves and of the materials' scope; NULL: there are none */
    ruga_attribute *attributes;
    size_t attribute_count;
    ARRAY(const char *) material_names; /* of those that have faces */
} usda_stage;

/* Checks what USD can't say, and chooses names. Release with usda_stage_close, also after a failure. */
ruga_status usda_stage_open(usda_stage *stage, const io_target *target);
void usda_stage_close(usda_stage *stage);

/* The box of positions as floats of the file; an error that names the first vertex that has none. */
ruga_status usda_find_box(const usda_stage *stage, const ruga_vec3 *positions, usda_box *box);
/* The same over the vertices of the polylines. */
usda_box usda_lines_box(const usda_stage *stage, const ruga_vec3 *positions);
void usda_put_box(text_out *text, const usda_box *box); /* [low, high] */

/* [(x, y, z), …] of all vertices, of the polylines' vertices, of normals. */
ruga_status usda_put_points(text_out *text, const usda_stage *stage, const ruga_vec3 *positions);
ruga_status usda_put_line_points(text_out *text, const usda_stage *stage, const ruga_vec3 *positions);
ruga_status usda_put_normals(text_out *text, const usda_stage *stage, const ruga_vec3 *normals);

/* From the first byte to the mesh's opening; `end` is where the last time code is to be filled in (a field of
 * NUMBER_CAPACITY bytes), NULL for a mesh that does not move. */
ruga_status usda_write_head(usda_stage *stage, double start, uint64_t *end);
/* Faces and attributes; then, behind the points, the subsets and the mesh's end. */
ruga_status usda_write_topology(usda_stage *stage);
ruga_status usda_write_attributes(usda_stage *stage);
ruga_status usda_write_subsets(usda_stage *stage);
/* The curves but for their points and their end. */
void usda_write_lines_head(usda_stage *stage);
/* The materials, and the root's end. */
ruga_status usda_write_tail(usda_stage *stage);

/* Whether a face attribute becomes subsets: "material", "group" or "object" with a label for every value. */
int usda_is_family(const ruga_attribute *attribute);

#endif
