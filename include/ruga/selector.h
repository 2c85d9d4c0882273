/* Ruga: selectors. A text chooses a part of a mesh, wherever a mask is wanted. docs/selectors.md explains the grammar.
 *
 *     joint:LeftHand*                       where the joints that match have more than half of the weight
 *     !material:eyes                        all except the faces of a material
 *     attribute:mask>0.3 & box:-,1,-,-,-,-  where a painted value is above 0.3 and y is at least 1 m
 *
 *     selector   = conjunction { ("|" | ",") conjunction }
 *     conjunction = factor { "&" factor }
 *     factor     = "!" factor | "(" selector ")" | "all" | "none" | name [comparison] | kind ":" what
 *
 * Some kinds choose vertices (attribute, colour, joint, box, vertices), others faces (material, group, object, faces,
 * piece). A vertex belongs to a choice of faces if one of its faces does; a face belongs to a choice of vertices if all
 * its vertices do. "!", "&" and "|" then act on the vertices, or on the faces.
 */
#ifndef RUGA_SELECTOR_H
#define RUGA_SELECTOR_H

#include "ruga/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ruga_selector ruga_selector;

/* RUGA_ERROR_INPUT for a text that is not a selector; the message has the column of the error, from 1. */
RUGA_API ruga_status ruga_selector_parse(ruga_context *context, const char *text, ruga_selector **out);
RUGA_API void ruga_selector_destroy(ruga_selector *selector); /* NULL is fine */

/* The selector as text, which parses to the same selector and prints as the same text; release with ruga_free. */
RUGA_API ruga_status ruga_selector_print(const ruga_selector *selector, char **text);

/* Evaluation on a mesh at rest. RUGA_ERROR_INPUT if a name or pattern matches nothing; the message lists what the mesh
 * has of that kind. On failure the output does not change. Chosen are 1, others 0. The number chosen may be 0: a box
 * may be empty. */
RUGA_API ruga_status ruga_selector_vertices(const ruga_selector *selector, const ruga_mesh *mesh,
                                            unsigned char *chosen); /* (vertex_count) */
RUGA_API ruga_status ruga_selector_faces(const ruga_selector *selector, const ruga_mesh *mesh,
                                         unsigned char *chosen); /* (face_count) */
/* Soft weights from 0 to 1 for painting: attributes, colours and joints without a comparison give their own value,
 * clamped; all else is 0 or 1. "!" is 1 - w, "&" the smaller and "|" the larger weight. */
RUGA_API ruga_status ruga_selector_weights(const ruga_selector *selector, const ruga_mesh *mesh,
                                           double *weights); /* (vertex_count) */

/* Whether a text can only be a selector: it is "all" or "none", or has one of : ! & | ( ) < > =. Any other name
 * may be one too. */
RUGA_API int ruga_text_is_selector(const char *text);

#ifdef __cplusplus
}
#endif
#endif
