/* Ruga: wrinkles, folds and creases on meshes. This header includes all others. */
#ifndef RUGA_RUGA_H
#define RUGA_RUGA_H

#include "ruga/camera.h"
#include "ruga/context.h"
#include "ruga/crease.h"
#include "ruga/curve.h"
#include "ruga/decode.h"
#include "ruga/embedded_shell.h"
#include "ruga/field.h"
#include "ruga/fill.h"
#include "ruga/intersections.h"
#include "ruga/io.h"
#include "ruga/map.h"
#include "ruga/mesh.h"
#include "ruga/model.h"
#include "ruga/motion.h"
#include "ruga/plot.h"
#include "ruga/render.h"
#include "ruga/run.h"
#include "ruga/scene.h"
#include "ruga/sculpt.h"
#include "ruga/selector.h"
#include "ruga/status.h"
#include "ruga/strokes.h"
#include "ruga/subdivide.h"
#include "ruga/text.h"
#include "ruga/wrinkle_mesh.h"

#endif
