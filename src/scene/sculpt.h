/* Strokes in scenes: an edit of the rest mesh, and a detail on top of what moves. Messages say what is wrong; the caller says whose
 * it is. */
#ifndef SCENE_SCULPT_H
#define SCENE_SCULPT_H

#include "base/memory.h"
#include "body/detail.h"
#include "ruga/strokes.h"

/* The strokes of a section on a mesh of an object, which is in its place. Points and files are those of the mesh before it was put
 * there, in the unit of its file. */
ruga_status sculpt_strokes(arena *memory, const ruga_object_def *object, const ruga_sculpt_def *values,
                           const ruga_mesh *mesh, ruga_strokes **out);

/* The wrinkled mesh, and the map to it without the wrinkles, NULL: not asked for. Keys and compression are refused: they belong to
 * a detail. */
ruga_status sculpt_edit(arena *memory, const ruga_object_def *object, const ruga_sculpt_def *values,
                        const ruga_mesh *mesh, ruga_mesh **out, ruga_map **map);

/* Takes the strokes over, also when it fails. */
ruga_status detail_sculpt_create(const ruga_mesh *input, ruga_strokes *strokes, detail **out);

#endif
