/* Ruga: scenes. A description lists objects and their surroundings; a scene simulates them.
 *
 *     description     a JSON file with comments, or values that you set in memory. It can be checked and written back.
 *     scene           meshes, bodies and parts made from a description, and their state. It steps frame by frame.
 *     run             a scene that writes its frames into a directory and can be stopped and resumed: ruga/run.h
 *
 * For each object the rest mesh is read or made, edited, moved by its body, and changed by its details, in this order.
 * All units are SI: metres, seconds, kilograms.
 */
#ifndef RUGA_SCENE_H
#define RUGA_SCENE_H

#include "ruga/crease.h"
#include "ruga/embedded_shell.h"
#include "ruga/field.h"
#include "ruga/io.h"
#include "ruga/subdivide.h"
#include "ruga/wrinkle_mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The structs behind the tables. The tables are the reference for their meaning, units, ranges and defaults
 * (docs/scene.md). ruga_scene_create copies names and texts that it needs after the call. */

/* Frame number f is at the time f / fps. */
typedef struct ruga_time_def {
    double fps;      /* frames per second */
    int start_frame; /* number of the first frame */
    int frames;      /* number of frames */
    int substeps;    /* of a frame; 0: chosen by the scene; ruga_scene_substeps returns it */
    int preroll;     /* frames before the first, in which animated bodies move from the bind pose to the first frame */
} ruga_time_def;

/* Velocity of the air at a point, m, and a time, s. Called from several threads at once. */
typedef ruga_vec3 ruga_wind_function(void *user, ruga_vec3 point, double time);

typedef struct ruga_wind_def {
    ruga_vec3 velocity; /* m/s */
    double gust;        /* fraction of the speed by which speed and direction vary, 0: steady */
    double gust_size;   /* m */
    double gust_time;   /* s */
    int seed;
    /* Without rows: */
    ruga_wind_function *function; /* the caller's, instead of all of the above; NULL: none */
    void *user;
} ruga_wind_def;

/* Numbers that are NaN are taken from `like`. */
typedef struct ruga_material_def {
    const char *name;
    const char *like; /* another material or a preset */
    double density;   /* kg/m² */
    double thickness; /* m */
    double stretch;   /* N/m, of the membrane: Young's modulus times thickness */
    double bend;      /* N m, flexural rigidity */
    double poisson;   /* 1 */
    double damping;   /* 1, of the critical */
    double friction;  /* 1, Coulomb's */
    /* 1, elongation in any direction beyond which cloth of it stiffens; 0, and NaN without `like`: it has no limit */
    double strain_limit;
    double shear_ratio; /* 1, stiffness against shear over `stretch`; NaN without `like`: 0.1 */
    /* 1/m, moment of the friction between yarns over `bend`; 0, and NaN without `like`: it has none */
    double bend_friction;
} ruga_material_def;

/* A preset of the library, with where its numbers come from. All numbers are given. */
typedef struct ruga_material_preset {
    ruga_material_def values;
    const char *help;   /* "plain-woven cotton, shirt weight" */
    const char *source; /* of the numbers: a publication or a standard, and what was derived from it how */
} ruga_material_preset;

RUGA_API size_t ruga_material_preset_count(void);
RUGA_API const ruga_material_preset *ruga_material_preset_get(size_t preset); /* NULL past the end */

/* Kinds of mesh: "file", and one kind for each model of ruga/model.h, whose struct is its array of numbers. */
typedef struct ruga_mesh_file_def {
    const char *file;
    double unit;      /* m per unit of the file */
    int up;           /* ruga_axis */
    const char *mesh; /* of a glTF file with several */
} ruga_mesh_file_def;

/* Kinds of edit of the rest mesh, in their order: "subdivide" (a ruga_subdivide_def), "sculpt" (a ruga_sculpt_def). */

/* Kinds of body: "static" (no fields), "animated", "rigid", "cloth", "lattice", "flesh". */
typedef struct ruga_animated_def {
    const char *motion;    /* cache, sequence or glTF; NULL: the mesh's own file */
    double unit;           /* m per unit of the cache; NaN: as the mesh's file */
    int up;                /* ruga_axis; -1: as the mesh's file */
    const char *animation; /* of a glTF file with several */
    double rate;           /* samples per second of files without a rate; NaN: the scene's fps */
    double start;          /* s, time in the scene at which the motion begins; NaN: its own */
    double speed;          /* 1 */
    int cycle;             /* begins again after its end */
    ruga_variant action; /* of a model that can act ("mannequin"): "walk", "jump"; absent: the motion is from a file */
} ruga_animated_def;

typedef struct ruga_rigid_key {
    double time;    /* s, rising */
    ruga_vec3 move; /* m */
    ruga_vec3 turn; /* degrees, about x, then y, then z */
} ruga_rigid_key;

typedef struct ruga_rigid_def {
    ruga_vec3 pivot;    /* m, that is turned about */
    ruga_list keys;     /* of ruga_rigid_key; may be empty if it follows an object */
    const char *object; /* one of the objects before this one, which carries it; NULL: none */
    ruga_param where;   /* 1, at time 0: the vertices of that object, where it is above a half, that carry it */
} ruga_rigid_def;

/* Which vertices of the rest mesh, as it stands in the scene, are meant: those that any of these names. */
typedef struct ruga_pin_choice {
    ruga_param where;           /* 1, at time 0: vertices where it is above a half */
    ruga_vec3 box_from, box_to; /* m, corners of a box; NaN: without end on that side; both NaN: no box */
    const char *vertices;       /* numbers from 0, and spans of them: "0-20, 441"; NULL: none */
} ruga_pin_choice;

/* Kinds of pin: "fixed", "path", "follow". */
typedef struct ruga_pin_fixed_def {
    ruga_pin_choice choice;
} ruga_pin_fixed_def;

typedef struct ruga_pin_key {
    double time;    /* s, rising */
    ruga_vec3 move; /* m */
} ruga_pin_key;

typedef struct ruga_pin_path_def {
    ruga_pin_choice choice;
    ruga_list keys; /* of ruga_pin_key */
} ruga_pin_path_def;

typedef struct ruga_pin_follow_def {
    ruga_pin_choice choice;
    const char *object; /* one of the objects before this one */
} ruga_pin_follow_def;

typedef struct ruga_cloth_key {
    double time;      /* s, rising */
    double stiffness; /* 1, of the material's */
    double mass;      /* 1, of the material's */
} ruga_cloth_key;

/* Masses, joined by springs or by a membrane of triangles, in moving air (docs/cloth.md). */
typedef struct ruga_cloth_def {
    int integrator;           /* 0 approximate_implicit, 1 explicit, 2 semi_implicit, 3 implicit, 4 filter, 5 auto */
    int sweeps;               /* approximate_implicit; odd ones become even */
    int conserve_momentum;    /* approximate_implicit */
    double tolerance;         /* 1, semi_implicit and implicit */
    int iterations;           /* at most; semi_implicit and implicit */
    double adaptive;          /* 1, greatest relative change of a spring's length in a step; 0: substeps as they are */
    int most_steps;           /* of a substep */
    double stretch_limit;     /* 1, elongation; 0: none */
    int limit_rounds;         /* at most */
    int elements;             /* 0 auto (the default), 1 springs, 2 membrane */
    ruga_vec3 warp;           /* 1, direction of the warp of a membrane; NaN: along u of the UVs */
    double weft;              /* N/m, stretch along the weft of a membrane; NaN: as along the warp */
    double shear;             /* N/m, of quads and membranes; NaN: shear_ratio times stretch of the material */
    int quads;                /* springs of quads as they are */
    int axial_bending;        /* with axial-bending springs */
    int bending;              /* of springs: 0 auto (the default), 1 by bending springs, 2 by hinges, as membranes do */
    double compression_soft;  /* 1, of the stiffness, up to the limit */
    double compression_hard;  /* 1, of the stiffness, beyond it */
    double compression_limit; /* 1, relative compression */
    double drag, lift;        /* kg/m³, on points kg/m */
    int lift_form;            /* 0 smooth, 1 printed, 2 unit */
    int air_on_points;
    double thickness;  /* m, distance from colliders */
    ruga_list pins;    /* of ruga_variant */
    ruga_list changes; /* of ruga_cloth_key */
} ruga_cloth_def;

/* A muscle of a lattice or of flesh: an active stress along a direction, in a part of the material. */
typedef struct ruga_muscle_key {
    double time;       /* s, rising */
    double activation; /* 1 */
} ruga_muscle_key;

typedef struct ruga_muscle_def {
    ruga_param where;           /* 1, at time 0: material nearest to vertices where it is above a half */
    ruga_vec3 box_from, box_to; /* m, material in a box; NaN: without end on that side; both NaN: no box */
    ruga_vec3 direction;        /* 1, at rest, of any length */
    double stress;              /* Pa, tension at activation 1 */
    ruga_list keys;             /* of ruga_muscle_key; may be empty if there are shapes */
} ruga_muscle_def;

/* A shape of the surface that muscles are to reach, with weights over time: a blend shape. Its activations are
 * estimated when the scene is made. */
typedef struct ruga_shape_key {
    double time;   /* s, rising */
    double weight; /* 1 */
} ruga_shape_key;

typedef struct ruga_shape_def {
    const char *file; /* a mesh with the vertices of the object's file, in their order, moved */
    double unit;      /* m per unit of that file; NaN: as the object's */
    int up;           /* ruga_axis; -1: as the object's */
    double limit;     /* 1, the greatest activation */
    ruga_list keys;   /* of ruga_shape_key */
} ruga_shape_def;

/* A soft solid on a coarse lattice (docs/lattice.md). */
typedef struct ruga_lattice_def {
    double spacing;    /* m, size of a cell; NaN: by the mesh */
    int elements;      /* 0 quadratic, 1 linear */
    double young;      /* Pa */
    double poisson;    /* 1 */
    double density;    /* kg/m³ */
    double damping;    /* s, over stiffness */
    int integrator;    /* 0 implicit, 1 symplectic, 2 quasistatic */
    double tolerance;  /* 1, implicit */
    int iterations;    /* at most; implicit */
    int newton;        /* Newton iterations in a step, at most; implicit */
    double thickness;  /* m, distance from colliders and other objects */
    double friction;   /* 1 */
    double hold;       /* 1, stiffness of pins over that of a cell */
    ruga_list pins;    /* of ruga_variant */
    ruga_list muscles; /* of ruga_muscle_def */
    ruga_list shapes;  /* of ruga_shape_def */
} ruga_lattice_def;

/* A solid of tetrahedra, with muscles and a skin (docs/flesh.md). */
typedef struct ruga_flesh_def {
    int material;      /* 0 neo_hookean, 1 corotated, 2 invertible */
    double young;      /* Pa */
    double poisson;    /* 1 */
    double density;    /* kg/m³ */
    double damping;    /* s, over stiffness; steps in time alone */
    int integrator;    /* 0 implicit, 1 semi_implicit, 2 quasistatic */
    double tolerance;  /* 1, of conjugate gradients in a step, or of the forces in an equilibrium; NaN: 1e-4, 1e-5 */
    int iterations;    /* of conjugate gradients, at most */
    int newton_steps;  /* of an equilibrium, at most */
    double skin;       /* N/m, stiffness of the surface against stretch; 0: no skin */
    double skin_bend;  /* N m, of a skin against bending */
    double spacing;    /* m, size of the tets that fill a surface; NaN: about 30 000 tets */
    double drag, lift; /* kg/m³ */
    double thickness;  /* m, distance from colliders and other objects */
    double friction;   /* 1 */
    double hold;       /* 1, stiffness of pins on a mesh that rides on tets, over that of a tet */
    ruga_list pins;    /* of ruga_variant */
    ruga_list muscles; /* of ruga_muscle_def */
} ruga_flesh_def;

/* Kinds of hook inside a body: "collide", "seam", "attach", "crease". "collide" keeps the body's points outside the
 * colliders. */
typedef struct ruga_collide_def {
    double thickness; /* m */
} ruga_collide_def;

/* Kinds of border of a mesh: "named" and "drawn". */
typedef struct ruga_named_border_def {
    const char *name; /* a label of the attribute "border" of edges, "line 0", …, or an attribute of vertices */
} ruga_named_border_def;
typedef struct ruga_border_point {
    ruga_vec3 at; /* m, in the scene */
} ruga_border_point;
typedef struct ruga_drawn_border_def {
    ruga_list points; /* of ruga_border_point: along a border of the mesh */
} ruga_drawn_border_def;

/* Two borders of one cloth, which are pulled together and then held (docs/cloth.md, Sewing). */
typedef struct ruga_seam_def {
    const char *name;      /* for messages; NULL: those of its borders */
    ruga_variant from, to; /* borders */
    int direction;         /* 0 nearest, 1 forward, 2 reverse */
    double start, end;     /* s: it closes between them; NaN: the first frame, and one second after the start */
    double stiffness;      /* N/m per metre of the seam; NaN: by the material */
    double ease;           /* 1: the longer border may be longer by this fraction */
} ruga_seam_def;

/* Points of a cloth that are attached to another object: buttons and patches. */
typedef struct ruga_attach_def {
    const char *name;   /* for messages; NULL: that of the object */
    const char *object; /* one of the objects before this one; NULL: this cloth itself */
    ruga_vec3 at;       /* m: the place of a button on this cloth, in the scene; NaN: none */
    ruga_vec3 to;       /* m: its place on the other object; NaN: the nearest one */
    ruga_param where;   /* 1, at time 0: vertices where it is above a half are attached to the nearest place */
    double start, end;  /* s: it closes between them; NaN: the first frame, and one second after the start */
    double gap;         /* m, that is left; NaN: the thickness of contact */
    double stiffness;   /* N/m; NaN: by the material */
} ruga_attach_def;

/* A fold at a place along a crease. */
typedef struct ruga_crease_angle {
    double at;    /* 1, of the length of the crease: 0 its first point, 1 its last */
    double angle; /* degrees */
} ruga_crease_angle;

/* A curve that a cloth is creased along, by its points in the scene. */
typedef struct ruga_crease_line {
    const char *name; /* for messages; NULL: "crease" and its number */
    ruga_list points; /* of ruga_border_point */
    int closed;
    ruga_param angle; /* degrees; NaN: that of all */
    ruga_list angles; /* of ruga_crease_angle: linear between these, instead of `angle` */
    /* NaN: as of all */
    double start, end, active, set; /* s */
    double cut, remove;             /* s */
    double stiffness, yield;
} ruga_crease_line;

/* Kinds of pattern of creases: "knife" and "box", pleats along the radii of a flat sector of an annulus, which begins
 * folded and rolled to a skirt; "miura", of parallelograms over the UVs. */
typedef struct ruga_pleats_def {
    int count;    /* of pleats */
    double depth; /* m, between outer and inner creases at the waist */
    double gap;   /* m, between both ends at the waist, for a seam to close */
    double oval;  /* 1, extent along z over that along x, of the skirt cut at one height */
} ruga_pleats_def;

typedef struct ruga_miura_def {
    int columns, rows;
    double angle; /* degrees, of the parallelograms */
    double fold;  /* degrees, of the zigzags; that of the straight creases follows */
} ruga_miura_def;

/* Sharp folds of a cloth along curves (docs/crease.md). */
typedef struct ruga_crease_def {
    const char *curves;   /* file of curves; NULL: none */
    ruga_list lines;      /* of ruga_crease_line */
    ruga_variant pattern; /* creases by formula; all zero: none */
    ruga_param angle;     /* degrees, that the folds have without load: up to 180 valleys, down to -180 mountains */
    double start, end;    /* s: the angle is reached between them; NaN: it is there from the beginning */
    double active;        /* s: before it the creases are locked, as if uncut; NaN: never locked */
    double set;           /* s: the folds at this time become the rest folds; NaN: never */
    double cut, remove;   /* s: the cloth is whole before and after; NaN: cut from the beginning, never removed */
    int preset;           /* of stiffness and yield: 0 none, 1 paper, 2 card, 3 wool, 4 cotton, 5 denim */
    double stiffness;     /* N m per metre and radian; 0: they fold freely; NaN: the preset's, or enough for an angle */
    double yield;     /* degrees off the rest angle beyond which a fold stays; 0: never; NaN: the preset's, or never */
    int springs;      /* 0 against angles; of the paper: 1 between vertices and copies, 2 across the cut */
    double hardening; /* 1, of the stiffness: further yield takes that much more */
    double spacing;   /* 1, edges between two places where the fold may change */
    int form;         /* how the pieces are joined: 0 ridge; of the paper: 1 exact, 2 springs, 3 pairwise,
                       * 4 post-stabilisation alone */
    int particles;    /* of the form exact, the paper's contact by soft-bound particles: 0 none, 1 that hand over all of
                       * an impulse, 2 by equation 6 as printed */
    int several;      /* edges that several creases cross: 0 kept, 1 the mesh is refined there, 2 an error */
    double fade;      /* m: the mesh gets the attribute "off_creases", 0 at creases and borders, 1 from there on; NaN:
                       * none */
    /* Of flesh. */
    double depth;         /* 1, edges of the mesh that a cut is deep */
    double crack;         /* 1, stiffness against overlap of the crack, over Young's modulus per edge */
    double evenness;      /* 1, stiffness against a fold that changes along the crease, over that of the flesh */
    ruga_variant anchors; /* of kind "anchors", a ruga_anchors_def: springs inwards; all zero: none */
    ruga_param push;      /* N per metre of crease, inwards */
    double push_fade;     /* m from the ends of a crease, over which pull and push rise; 0: at once */
    int muscle;           /* number of the flesh's muscle whose activation pull and push follow; -1: none */
} ruga_crease_def;

/* Springs from the edges of folds in flesh to points below. */
typedef struct ruga_anchors_def {
    double depth;     /* m, of their inner ends, and their length at rest */
    ruga_param pull;  /* 1, of the depth, by which they are shorter */
    double stiffness; /* N/m per metre of crease; NaN: Young's modulus */
    int ground;       /* of their inner ends: 0 fixed, 1 following the body, 2 tied to it */
} ruga_anchors_def;

/* Kinds of detail, in their order: "subdivide" (a ruga_subdivide_def), "displace", "jiggle", "spline", "wrinkle",
 * "shell", "sculpt" (a ruga_sculpt_def). */
typedef struct ruga_displace_def {
    ruga_param amount; /* m, along the normal */
} ruga_displace_def;

/* A damped oscillator at each vertex that is drawn to where the input has it, and is blown at. */
typedef struct ruga_jiggle_def {
    ruga_param frequency; /* Hz, of the undamped oscillation */
    ruga_param damping;   /* 1, of the critical */
    ruga_param weight;    /* 1: 0 follows the input exactly, 1 is free */
    ruga_param air;       /* 1/s: acceleration by the wind is air times the velocity relative to it */
} ruga_jiggle_def;

/* A fine surface through a coarse grid, which wrinkles where it is compressed (Kang et al. 2001). */
typedef struct ruga_spline_def {
    int rows, columns;         /* of the output's vertices; 0: five to a cell of the input */
    int key_rows, key_columns; /* of the input's vertices; 0: found from its faces */
    int curve;                 /* 0 natural, 1 catmull_rom */
    int waves;                 /* 0 coherent, 1 segments: of equation 14, with the two that follow */
    int envelope;              /* 0 smooth, 1 paper */
    int order;                 /* 0 together, 1 rows_first */
    double threshold;          /* 1, compression without wrinkles */
    double frequency;          /* rad, per relative compression */
    ruga_param amplitude;      /* 1, of the paper's */
    double limit;              /* m, of a deflection; NaN: none */
} ruga_spline_def;

/* A fine mesh that keeps its lengths where the input is compressed, and so wrinkles (ruga/wrinkle_mesh.h). */
typedef struct ruga_wrinkle_def {
    ruga_wrinkle_mesh_def mesh; /* a reach that is NaN attaches all vertices */
    /* The fine mesh: the input with each edge in subdivide.n parts; or, unless it is NaN, split until no edge is longer
     * than subdivide.length; or, unless it is NULL, the mesh of the file `fine`. */
    ruga_subdivide_def subdivide;
    const char *fine;
    double fine_unit;      /* m per unit of that file; NaN: as the mesh's file */
    int fine_up;           /* ruga_axis; -1: as the mesh's file */
    int settle;            /* each frame by itself, until nothing moves */
    int settle_iterations; /* at most, from rest; 0: 10,000 */
} ruga_wrinkle_def;

/* A thin, stiff skin on a soft interior, which wrinkles where the input is compressed (ruga/embedded_shell.h). */
typedef enum ruga_shell_coupling {
    RUGA_SHELL_AUTO = 0, /* two_way on a lattice or flesh if nothing lies between both, else one_way */
    RUGA_SHELL_ONE_WAY,  /* the skin follows the body */
    RUGA_SHELL_TWO_WAY   /* and its forces act on the body, which must be a simulated one */
} ruga_shell_coupling;

typedef struct ruga_shell_def {
    ruga_embedded_shell_def shell; /* numbers that are NaN are those of `skin` */
    int skin;                      /* index of a ruga_skin_preset */
    double wavelength;             /* m: sets the interior's stiffness; NaN: not wanted */
    ruga_shell_coupling coupling;
} ruga_shell_def;

/* Wrinkles along curves (ruga/sculpt.h), as an edit, or as a detail that changes over time. */
typedef struct ruga_length_key {
    double time;   /* s, rising */
    double length; /* 1, target length over that of the curve */
} ruga_length_key;

/* The look of a stroke. A stroke takes absent values from its sculpt; a sculpt takes them from
 * ruga_stroke_def_default. */
typedef struct ruga_stroke_look {
    int look;                 /* number of a named look, as ruga_stroke_look_name lists them; -1: none. The other values
                                 override it */
    int shape;                /* ruga_stroke_shape; -1: absent */
    double spread;            /* 1 */
    double vary;              /* 1 */
    double taper, asymmetry;  /* 1 */
    double stiffness;         /* 1; absent numbers are NaN */
    double length;            /* 1 */
    int mode;                 /* ruga_stroke_region; -1: absent */
    double radius, tolerance; /* m */
    double refine, particles; /* whole numbers */
    int start;                /* ruga_stroke_start; -1: absent */
    double wrinkles, seed;    /* whole numbers */
    int attenuation;          /* ruga_attenuation; -1: absent */
    int ends;                 /* ruga_stroke_ends; -1: absent */
    int straight;             /* if the sculpt or the stroke says so */
    int drive;                /* over time: 0 length or keys, 1 compression; -1: absent */
    ruga_list keys;           /* of ruga_length_key */
} ruga_stroke_look;

typedef struct ruga_stroke_point {
    ruga_vec3 at; /* a point in space; on a mesh: triangle, and weights of its corners 1 and 2 */
} ruga_stroke_point;

/* Kinds of curve of a stroke: "named", "drawn", "placed", "textured". */
typedef struct ruga_named_curve_def {
    const char *name;
} ruga_named_curve_def;
/* "drawn" has points in space, "placed" points on triangles, "textured" points (u, v, 0). */
typedef struct ruga_drawn_curve_def {
    ruga_list points; /* of ruga_stroke_point */
    int closed;
    double triangles; /* "placed": whole number, of the mesh that it was placed on; NaN: not known */
} ruga_drawn_curve_def;

typedef struct ruga_stroke_row {
    const char *name;    /* NULL: its curve's, or its number */
    ruga_variant curve;  /* absent: that of its name */
    ruga_variant region; /* absent: that of its name with " region" or "_region" after it, if there is one */
    ruga_variant along;  /* a path for copies; absent: none */
    double copies;       /* whole number, with the stroke itself, at equal steps along the path */
    int mirror;          /* 0 none; 1, 2, 3: also its mirror image across the plane x, y, z = 0 */
    int off;
    ruga_stroke_look look;
} ruga_stroke_row;

typedef struct ruga_sculpt_def {
    const char *file;   /* of strokes, or of curves that are each a stroke; NULL: none */
    const char *curves; /* file of curves that strokes name; NULL: none */
    ruga_list strokes;  /* of ruga_stroke_row; none here and in the file: each of the curves is one */
    ruga_stroke_look look;
} ruga_sculpt_def;

/* How an object meets others, where the scene has contact. */
typedef struct ruga_object_contact_def {
    int collides;     /* 0: others pass through it */
    ruga_param where; /* 1, at time 0: only vertices where it is above a half collide */
    int self;         /* objects with dynamics: it collides with itself */
    double thickness; /* m; NaN: that of the body, 0 without one */
    double friction;  /* 1; NaN: that of the material, or else of the body; 0 without both */
} ruga_object_contact_def;

/* Where an object that moves by forces is when the scene begins. */
typedef struct ruga_start_def {
    const char *file;   /* a run or a cache; NULL: at rest */
    const char *object; /* of a run; NULL: the one of the same name, or the only one */
    double frame;       /* as a run numbers them, from 0 in a cache; NaN: the last */
    int velocities;     /* with the velocity since the frame before, else none */
    double unit;        /* m, of a cache; NaN: that of the mesh's file */
    int up;             /* ruga_axis of a cache; -1: that of the mesh's file */
    double rate;        /* 1/s, of files without a rate; NaN: the scene's fps */
} ruga_start_def;

typedef struct ruga_object_def {
    const char *name;
    ruga_variant mesh;
    ruga_vec3 move; /* m, after turn and scale; of the rest mesh and of its motion */
    ruga_vec3 turn; /* degrees, about x, then y, then z */
    double scale;
    const char *material;
    ruga_object_contact_def contact;
    ruga_list edits; /* of ruga_variant */
    ruga_variant body;
    ruga_start_def start;
    ruga_list hooks;   /* of ruga_variant */
    ruga_list details; /* of ruga_variant */
    /* Without rows: */
    const ruga_mesh *given_mesh; /* instead of `mesh`; must outlive the scene */
    ruga_motion *given_motion;   /* instead of an animated body's file; must outlive the scene */
} ruga_object_def;

/* Kinds of collider: "plane", "sphere", "capsule", "box". */
typedef struct ruga_plane_def {
    ruga_vec3 point, normal;
    double friction;
} ruga_plane_def;
typedef struct ruga_sphere_def {
    ruga_vec3 centre;
    double radius;
    double friction;
} ruga_sphere_def;
typedef struct ruga_capsule_def {
    ruga_vec3 from, to; /* m, the ends of its axis */
    double radius;
    double friction;
} ruga_capsule_def;
typedef struct ruga_box_def {
    ruga_vec3 centre, size; /* m */
    ruga_vec3 turn;         /* degrees, about x, then y, then z */
    double friction;
} ruga_box_def;

/* Contact between all objects and with the colliders (docs/contact.md). */
typedef struct ruga_exclusion_def {
    const char *object, *other; /* both the same: it passes through itself */
} ruga_exclusion_def;
typedef struct ruga_contact_def {
    int on;                  /* 0: objects pass through each other */
    int start;               /* intersections at the start: 0 fail, 1 go_on, 2 untangle */
    int strict;              /* pinched cloth, without room between bodies, is an error */
    int check;               /* intersections of every frame are counted */
    double friction_at_rest; /* 1, over that while sliding */
    double separation;       /* 1, smallest distance as a fraction of the thickness */
    double spring;           /* 1, part of an overlap that a substep removes */
    int rounds;              /* over all that touches, at most */
    int impact_rounds;       /* of impulses, before rigid pieces */
    int cuts;                /* of a substep into shorter ones, at most */
    int work;                /* pairs per vertex that a substep checks and pushes, about */
    ruga_list exclusions;    /* of ruga_exclusion_def */
} ruga_contact_def;

typedef enum ruga_output_format {
    RUGA_OUTPUT_PC2 = 0, /* with the rest mesh as OBJ */
    RUGA_OUTPUT_OBJ = 1, /* a sequence */
    RUGA_OUTPUT_PLY = 2, /* a sequence */
    RUGA_OUTPUT_GLB = 3, /* at the end, from the PC2 */
    RUGA_OUTPUT_USDA = 4 /* the same */
} ruga_output_format;

typedef struct ruga_output_def {
    uint32_t formats; /* bit i: ruga_output_format i; 0: no frames are written */
    int checkpoint;   /* frames between checkpoints; 0: only at the end, and when stopped */
    double unit;      /* m per unit of the files */
    int up;           /* ruga_axis of the files */
} ruga_output_def;

typedef struct ruga_scene_def {
    uint32_t cookie;
    ruga_time_def time;
    ruga_vec3 gravity; /* m/s² */
    ruga_wind_def wind;
    ruga_list materials; /* of ruga_material_def */
    ruga_list colliders; /* of ruga_variant */
    ruga_contact_def contact;
    ruga_list objects; /* of ruga_object_def */
    ruga_output_def output;
} ruga_scene_def;

/* How a surface reflects light in pictures (ruga/render.h). */
typedef enum ruga_finish {
    RUGA_FINISH_PLAIN = 0, /* clay: matt, with a broad highlight */
    RUGA_FINISH_CLOTH,     /* sheen, a weave where it is near enough, a little light from behind */
    RUGA_FINISH_SKIN,      /* light wraps softly around shadows, red farthest; a highlight */
    RUGA_FINISH_LEATHER,   /* grain and a clear highlight */
    RUGA_FINISH_PAPER,     /* matt, light comes through */
    RUGA_FINISH_METAL,     /* reflects its surroundings in its colour */
    RUGA_FINISH_COUNT
} ruga_finish;

/* The defaults, with no objects. */
RUGA_API ruga_scene_def ruga_scene_def_default(void);
RUGA_API ruga_object_def ruga_object_def_default(void);
/* The root of all tables. */
RUGA_API const ruga_section *ruga_scene_section(void);
/* The section that a path of names leads to: "objects.body.animated", "time"; NULL if there is none. */
RUGA_API const ruga_section *ruga_scene_section_find(const char *path);
/* Whether forces and contact move bodies of this kind, a section of "objects.body"; 0 for NULL and other sections. */
RUGA_API int ruga_scene_body_has_dynamics(const ruga_section *kind);
/* How pictures show an object: by its body, its material or its details. */
RUGA_API ruga_finish ruga_scene_object_finish(const ruga_scene_def *scene, const ruga_object_def *object);
/* Whether hooks cut it, so that it has edges that are to look sharp. */
RUGA_API int ruga_scene_object_is_cut(const ruga_object_def *object);

/* ---- Descriptions: read, changed, checked, written. A description owns the memory behind its def. */
typedef struct ruga_description ruga_description;

/* All defaults, no objects. */
RUGA_API ruga_status ruga_description_create(ruga_context *context, ruga_description **out);
/* A scene as JSON with comments. Texts above 64 MB are refused. If the text has errors, the call fails with the first
 * of them as its message, but *out is made, and ruga_description_finding lists them all. Only a lack of memory or a
 * file that can't be read leaves *out NULL. */
RUGA_API ruga_status ruga_description_read(ruga_context *context, const char *path, ruga_description **out);
RUGA_API ruga_status ruga_description_read_memory(ruga_context *context, const char *name, const char *text,
                                                  size_t size, ruga_description **out);
RUGA_API void ruga_description_destroy(ruga_description *description); /* NULL is fine */

/* Changes one value: ("time.fps", "30"), ("objects[0].body", "static"), ("objects[shirt].scale", "2"). value is JSON,
 * or the text of an option of the command: shirt.obj, pc2,obj, 0,-9.81,0. An index one past the end of a list appends
 * to it. Relative paths are relative to the working directory. On failure, RUGA_ERROR_ARGUMENT, nothing changes and no
 * finding is added. */
RUGA_API ruga_status ruga_description_set(ruga_description *description, const char *path, const char *value);

/* Finds all errors that can be found without running: unknown names, files that are missing or are not meshes,
 * attributes that the mesh does not have, cycles; and warns about values without effect. Adds findings; fails if one of
 * them is an error. The check builds the scene and keeps it for ruga_scene_create_checked and ruga_run_create until the
 * description is changed. */
RUGA_API ruga_status ruga_description_check(ruga_description *description);

RUGA_API size_t ruga_description_finding_count(const ruga_description *description);
RUGA_API const ruga_finding *ruga_description_finding(const ruga_description *description, size_t finding);
RUGA_API const char *ruga_description_name(const ruga_description *description); /* of the file, or "" */

/* Its values; valid until the description is changed or destroyed. */
RUGA_API const ruga_scene_def *ruga_description_get(const ruga_description *description);
/* As JSON with every default filled in and every path absolute; it reads back to the same def. Release with
 * ruga_free. */
RUGA_API ruga_status ruga_description_write_memory(const ruga_description *description, char **text, size_t *size);

/* ---- Schema and reference, from the tables. Release the text with ruga_free. */
RUGA_API ruga_status ruga_scene_schema(ruga_context *context, char **text, size_t *size);    /* JSON Schema, draft 7 */
RUGA_API ruga_status ruga_scene_reference(ruga_context *context, char **text, size_t *size); /* Markdown */

/* Commented scenes to start from, each of which runs as it is. */
typedef struct ruga_scene_template {
    const char *name; /* "flutter" */
    const char *help;
    const char *text;
} ruga_scene_template;
RUGA_API size_t ruga_scene_template_count(void);
RUGA_API const ruga_scene_template *ruga_scene_template_get(size_t which); /* NULL past the end */

/* ---- Scenes. */
typedef struct ruga_scene ruga_scene;

/* Reads meshes and motions and makes all bodies and parts, at rest. Relative paths are relative to the working
 * directory. Messages name the object and the value. */
RUGA_API ruga_status ruga_scene_create(ruga_context *context, const ruga_scene_def *def, ruga_scene **out);
/* The scene that the last ruga_description_check built, if the description was not changed since and the scene was not
 * taken yet; else the scene is built now, and the first error fails. */
RUGA_API ruga_status ruga_scene_create_checked(const ruga_description *description, ruga_scene **out);
RUGA_API void ruga_scene_destroy(ruga_scene *scene); /* NULL is fine */

/* Steps to the next frame; the first call runs the pre-roll and steps to the start frame. You may step past the last
 * frame. After a failure the scene must be restored to a saved state or destroyed. A state that is not finite is such a
 * failure; the message names object, vertex and time. From the third step on it allocates nothing, except in the check
 * of frames for intersections (contact.check). */
RUGA_API ruga_status ruga_scene_step(ruga_scene *scene);

RUGA_API int ruga_scene_frame_number(const ruga_scene *scene); /* start_frame - 1 before the first step */
RUGA_API double ruga_scene_time(const ruga_scene *scene);      /* s */
RUGA_API size_t ruga_scene_object_count(const ruga_scene *scene);
RUGA_API const char *ruga_scene_object_name(const ruga_scene *scene, size_t object);
/* The index of the object of that name; the count if there is none. */
RUGA_API size_t ruga_scene_object_find(const ruga_scene *scene, const char *name);
/* The mesh of its frames, after edits and details. It stays the same until a frame's topology revision rises. */
RUGA_API const ruga_mesh *ruga_scene_object_mesh(const ruga_scene *scene, size_t object);
/* Report of a detail "wrinkle", such as the wavelength that was chosen. RUGA_ERROR_ARGUMENT if that detail of that
 * object is of another kind. */
RUGA_API ruga_status ruga_scene_wrinkle_report(const ruga_scene *scene, size_t object, size_t detail,
                                               ruga_wrinkle_mesh_report *out);
/* The same of a detail "shell". */
RUGA_API ruga_status ruga_scene_shell_report(const ruga_scene *scene, size_t object, size_t detail,
                                             ruga_embedded_shell_report *out);
/* The muscles of an object with a body "lattice", 0 of others; and the activations, (muscles) out, each from 0 to
 * `limit`, whose static shape comes closest to positions of the first `count` vertices of its body, m. residual: the
 * distance that is left over that from rest, 1; NULL: not wanted. The scene does not change. RUGA_ERROR_INPUT: no
 * muscles, more positions than vertices, or one that is not finite. */
RUGA_API size_t ruga_scene_muscle_count(const ruga_scene *scene, size_t object);
RUGA_API ruga_status ruga_scene_estimate_muscles(ruga_scene *scene, size_t object, size_t count,
                                                 const ruga_vec3 *positions, double limit, double *activations,
                                                 double *residual);
/* The creases of an object, from its hook "crease": how many, 0 without one, and what they are now. Texts and arrays
 * live as long as the scene. RUGA_ERROR_ARGUMENT for a number that is too large. */
RUGA_API size_t ruga_scene_crease_count(const ruga_scene *scene, size_t object);
RUGA_API ruga_status ruga_scene_crease(const ruga_scene *scene, size_t object, size_t crease, ruga_crease_report *out);
/* The current frame of an object, with all its details. Valid until the next step. Normals are NULL unless
 * ruga_scene_want_normals asked for them. */
RUGA_API const ruga_frame *ruga_scene_frame(const ruga_scene *scene, size_t object);
RUGA_API void ruga_scene_want_normals(ruga_scene *scene, int wanted); /* from the next step on */

/* A place where the current frames of two objects, or of one and itself, intersect. */
typedef struct ruga_scene_intersection {
    size_t objects[2];
    uint32_t triangles[2]; /* of the objects' meshes */
    ruga_vec3 point;       /* m, near the intersection */
} ruga_scene_intersection;
/* All pairs of triangles that intersect and that contact should keep apart, by exact tests: objects with dynamics, such
 * as cloth, with themselves and with other objects, except pairs that the scene excludes. Works without contact too.
 * Sorted; valid until the next call or step. A second call on the same frame does not search again. found may be
 * NULL. */
RUGA_API ruga_status ruga_scene_intersections(ruga_scene *scene, const ruga_scene_intersection **found, size_t *count);
/* Whether the scene lets two triangles of its objects' current meshes pass through each other: those of objects that do
 * not collide, of pairs that are excluded, or of faces outside an object's contact.where. Bodies without dynamics are
 * not treated specially. RUGA_ERROR_ARGUMENT: there is no such object or triangle. */
RUGA_API ruga_status ruga_scene_ignores(ruga_scene *scene, const size_t objects[2], const uint32_t triangles[2],
                                        int *ignores);

/* ---- Changes while it runs, from the next step on. RUGA_ERROR_ARGUMENT for values that are not allowed. A saved state
 * contains the factors of stiffness and mass; wind and substeps are those of the scene that it is restored into. */
/* Every stiffness, or every mass, of an object that has dynamics (cloth, flesh, lattice) becomes `factor` times that of
 * the def; the factor is positive. Creases follow. */
RUGA_API ruga_status ruga_scene_set_stiffness(ruga_scene *scene, size_t object, double factor);
RUGA_API ruga_status ruga_scene_set_mass(ruga_scene *scene, size_t object, double factor);
RUGA_API ruga_status ruga_scene_set_wind(ruga_scene *scene, const ruga_wind_def *def);
RUGA_API ruga_status ruga_scene_set_substeps(ruga_scene *scene, int substeps); /* of a frame */
RUGA_API int ruga_scene_substeps(const ruga_scene *scene); /* of a frame, as set or as the scene chose them */

/* ---- State: everything that a step changes. A scene of the same def continues from it bit-identically. A scene whose
 * def differs in numbers and choices alone (an integrator, a stiffness, the wind) continues from it with its own
 * values. */
RUGA_API ruga_status ruga_scene_save(const ruga_scene *scene, void **bytes, size_t *size);  /* release with ruga_free */
RUGA_API ruga_status ruga_scene_restore(ruga_scene *scene, const void *bytes, size_t size); /* all or nothing */
RUGA_API ruga_status ruga_scene_state_hash(const ruga_scene *scene, uint64_t *hash);

/* ---- Measures of the last frame, for plots and tables. Columns stay the same for the life of a scene.
 * Timings first ("time.predict", s, …), then measures of the solvers ("shirt.jiggle.energy", J/kg, …). */
typedef struct ruga_measure {
    const char *name;
    const char *unit; /* "s", "J", "1" */
    int is_time;      /* wall time, which differs from run to run; all else is deterministic */
} ruga_measure;
RUGA_API size_t ruga_scene_measure_count(const ruga_scene *scene);
RUGA_API ruga_measure ruga_scene_measure_info(const ruga_scene *scene, size_t measure);
RUGA_API void ruga_scene_measures(const ruga_scene *scene, double *values); /* (measure count) */

#ifdef __cplusplus
}
#endif
#endif
