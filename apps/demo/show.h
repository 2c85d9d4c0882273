/* Films and strips of runs: an item of the demo runs a scene by its command lines, then shows what the run has. */
#ifndef DEMO_SHOW_H
#define DEMO_SHOW_H

#include "demo.h"

enum { SHOW_MOMENTS = 4 };

/* How to show the run NAME.run of the item NAME: as the strip NAME.png, and as the film NAME.mp4 if the item has it. */
typedef struct show {
    int moments[SHOW_MOMENTS]; /* frames of the strip */
    ruga_vec3 eye, target;     /* the camera, if it follows; else the direction from which it frames the whole film */
    double follows;            /* the camera moves by this part of the displacement of the first object along z */
    int ground;                /* draws a floor at height 0 */
    int hidden;                /* 1 + the object that is not drawn; 0: none */
    int opened;                /* 1 + the object whose half before z = 0 is not drawn; 0: none */
    double crease_angle;       /* degrees, of the shading; 0: the default */
    int strip_height;          /* pixels */
    int columns;               /* of the strip; 0: all moments in one row */
    int colour_count;          /* objects take them in turn */
    ruga_colour colours[6][2]; /* front and back */
} show;

/* Makes the item whose data is a show: runs its commands, and renders strip and film. */
int show_make(demo *d);

/* The fields of an item that runs the template of its name, with options, and shows the run as a film and a strip. */
#define SHOW_TEMPLATE(NAME, OPTIONS, SHOW)                                                          \
    .name = NAME, .commands = "ruga new " NAME " -o " NAME ".json\nruga run " NAME ".json" OPTIONS, \
    .files = {NAME ".mp4", NAME ".png"}, .data = SHOW, .make = show_make

/* Colours of a show: front and back. */
#define SHOW_BLUE                                      \
    {                                                  \
        {0.36f, 0.53f, 0.69f}, { 0.80f, 0.66f, 0.42f } \
    }
#define SHOW_RED                                       \
    {                                                  \
        {0.74f, 0.44f, 0.36f}, { 0.86f, 0.72f, 0.62f } \
    }
#define SHOW_YELLOW                                    \
    {                                                  \
        {0.80f, 0.64f, 0.34f}, { 0.48f, 0.58f, 0.66f } \
    }
#define SHOW_GREEN                                     \
    {                                                  \
        {0.49f, 0.62f, 0.46f}, { 0.68f, 0.76f, 0.62f } \
    }
#define SHOW_VIOLET                                    \
    {                                                  \
        {0.60f, 0.47f, 0.61f}, { 0.76f, 0.67f, 0.75f } \
    }
#define SHOW_STONE                                     \
    {                                                  \
        {0.82f, 0.76f, 0.69f}, { 0.82f, 0.76f, 0.69f } \
    }
#define SHOW_PAPER                                     \
    {                                                  \
        {0.86f, 0.84f, 0.78f}, { 0.66f, 0.72f, 0.76f } \
    }

#endif
