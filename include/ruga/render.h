/* Ruga: pictures. A frame becomes a PNG for a paper, a series of frames a film, a plot a PNG.
 *
 * Everything in this header is in a library of its own, libruga_render: link it beside libruga (pkg-config
 * ruga-render). It needs Embree and libpng; libruga needs neither. Both libraries must be of the same version.
 *
 * A picture has one or more panels side by side (or in a grid), each with a caption and its own items: meshes, curves,
 * points. A build without pictures (RUGA_MINIMAL) returns RUGA_ERROR_UNSUPPORTED.
 */
#ifndef RUGA_RENDER_H
#define RUGA_RENDER_H

#include "ruga/camera.h"
#include "ruga/motion.h"
#include "ruga/plot.h"
#include "ruga/run.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ruga_shading { RUGA_SHADING_SMOOTH = 0, RUGA_SHADING_FLAT = 1 } ruga_shading;

/* A surface to draw. */
typedef struct ruga_render_mesh {
    const ruga_mesh *mesh;
    const ruga_frame *frame; /* NULL: at rest */
    ruga_shading shading;
    ruga_colour front, back; /* two-sided */
    int wireframe;           /* draw the edges of the faces */
    ruga_colour wire;
    float wire_width;               /* pixels of a 1080-line picture */
    const char *scalar;             /* NULL, or a vertex attribute to be shown in colours (component 0) */
    const double *scalar_values;    /* NULL, or (vertex_count): shown in colours instead of an attribute */
    double scalar_low, scalar_high; /* equal: from the data */
    const char *scalar_label;       /* for the legend, with its unit: "curvature (1/m)" */
    int diverging;                  /* 0: sequential colour map; 1: diverging around zero */
    double crease_angle;            /* degrees; smooth shading breaks where triangles meet at more; 180: nowhere */
    ruga_finish finish;             /* the structure of cloth and leather follows the mesh's rest shape */
    int smooth;                     /* 1: drawn as a Loop surface, sharp where normals are split, at edges that are
                                       sharper than crease_angle at rest, and along boundaries. A surface that would
                                       intersect itself or another of its panel, has wires or flat shading is not
                                       smoothed. */
} ruga_render_mesh;

/* A polyline in space, drawn as a tube of constant width in pixels, lifted towards the eye so that it stays visible
 * on a surface. */
typedef struct ruga_render_curve {
    const ruga_vec3 *points; /* (point_count) m */
    size_t point_count;
    ruga_colour colour;
    float width; /* pixels of a 1080-line picture */
    int closed;
} ruga_render_curve;

typedef struct ruga_render_points {
    const ruga_vec3 *points; /* (point_count) m */
    size_t point_count;
    ruga_colour colour;
    float size; /* pixels of a 1080-line picture, diameter */
} ruga_render_points;

typedef struct ruga_panel {
    const char *caption; /* UTF-8; letters outside Latin-1 and Greek are drawn as a box. NULL: none */
    size_t mesh_count;
    const ruga_render_mesh *meshes;
    size_t curve_count;
    const ruga_render_curve *curves;
    size_t point_set_count;
    const ruga_render_points *point_sets;
    ruga_camera camera;
    /* Width over height of what the panel shows, which gives it its share of a row; 0: from its meshes, if no panel has
     * a given camera, else all panels have one width. */
    double aspect;
} ruga_panel;

typedef struct ruga_render_def {
    uint32_t cookie;
    int width, height; /* pixels of the whole picture, 16…16384 */
    int columns;       /* of panels; 0: chosen */
    size_t panel_count;
    const ruga_panel *panels;
    ruga_colour background;
    int ground;            /* draw a floor below, with shadows, all along a row of panels; fades towards the horizon */
    double ground_height;  /* m, of that plane; NaN: where the lowest point of a panel is */
    int samples;           /* rays per pixel for edges, 1…64; default 4 */
    int occlusion_samples; /* ambient-occlusion rays per sample, 0…256; default 4 */
    int shared_camera;     /* panels without a given camera are framed for what all of them show together */
    const char *title;     /* NULL: none */
    uint32_t number;       /* of the picture in its film: noise changes with it, so that it does not stick */
    int no_filter;         /* leave the noise of few rays as it is */
} ruga_render_def;

RUGA_API ruga_render_mesh ruga_render_mesh_default(const ruga_mesh *mesh);
RUGA_API ruga_render_def ruga_render_def_default(void);

typedef struct ruga_image {
    int width, height;
    uint8_t *pixels; /* (height x width x 3) sRGB, top row first */
    ruga_context *context;
    size_t faceted; /* meshes with `smooth` that were not smoothed, since they would intersect something */
} ruga_image;

/* Fails with RUGA_ERROR_ARGUMENT (a size or a count out of range, a frame of another mesh) or RUGA_ERROR_INPUT (no such
 * attribute). Triangles with vertices that are not finite are left out, with a warning in the log and
 * RUGA_WARNING_INPUT. The picture does not depend on the number of threads. */
RUGA_API ruga_status ruga_render(ruga_context *context, const ruga_render_def *def, ruga_image **out);

/* The camera that ruga_render would use for a panel, as a given one: to keep it still while a mesh moves. */
RUGA_API ruga_status ruga_render_fit(ruga_context *context, const ruga_render_def *def, size_t panel, ruga_camera *out);

RUGA_API ruga_status ruga_image_write_png(const ruga_image *image, const char *path);
RUGA_API void ruga_image_destroy(ruga_image *image); /* NULL is fine */

/* A plot as a picture: to be a frame of a film, or to be written with ruga_image_write_png. Fails and warns as
 * ruga_plot_write_svg does, and looks the same. */
RUGA_API ruga_status ruga_plot_draw(ruga_context *context, const ruga_plot_def *def, ruga_image **out);
RUGA_API ruga_status ruga_plot_write_png(ruga_context *context, const ruga_plot_def *def, const char *path);

/* From now on, a run of this context whose objects intersect before the first frame draws them: start-intersections.png
 * in its directory, with everything in one panel and one of the places in another. */
RUGA_API void ruga_render_run_starts(ruga_context *context);

/* A film: .mp4 or .gif by the ffmpeg command where it is installed, or a pattern (####.png) of single pictures. */
typedef struct ruga_film ruga_film;
/* rate: pictures per second. Fails with RUGA_ERROR_UNSUPPORTED if ffmpeg is needed but not installed. */
RUGA_API ruga_status ruga_film_create(ruga_context *context, const char *path, double rate, ruga_film **out);
RUGA_API ruga_status ruga_film_append(ruga_film *film, const ruga_image *image); /* all of one size */
RUGA_API ruga_status ruga_film_finish(ruga_film *film);
RUGA_API void ruga_film_destroy(ruga_film *film); /* unfinished: nothing is left behind */

#ifdef __cplusplus
}
#endif
#endif
