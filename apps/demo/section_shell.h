/* Demo: embedded shells. Skins on models that a formula moves. */
#ifndef DEMO_SECTION_SHELL_H
#define DEMO_SECTION_SHELL_H

#include "demo.h"

/* A skin on a mesh, and a smooth copy of it for display. */
typedef struct skinned {
    const ruga_mesh *mesh;
    ruga_embedded_shell *shell;
    ruga_mesh *smooth;
    ruga_map *map; /* from mesh to smooth */
    double time;   /* that the body has moved to */
    moment now;    /* of the smooth copy */
} skinned;

/* Where a point of the body is after the part t, 0 to 1, of its motion. */
typedef ruga_vec3 body_function(ruga_vec3 rest, double t);

/* A skin of a preset, with another thickness, and a wavelength that sets the stiffness of the interior. */
ruga_embedded_shell_def skinned_def(size_t preset, double thickness, double wavelength, double tolerance);
int skinned_make(demo *d, const ruga_mesh *mesh, const ruga_embedded_shell_def *def, skinned *out);
/* Moves the body on to a time, in frames. */
int skinned_move(demo *d, skinned *s, body_function *body, double to, int frames);
/* As it is now, which stays in `kept`. */
ruga_render_mesh skinned_look(skinned *s, moment *kept, ruga_colour colour);

int demo_make_shell_regions(demo *d); /* shell_figures.c */
int demo_make_shell_spectral(demo *d);
int demo_make_shell_elements(demo *d);
int demo_make_shell_volume(demo *d); /* shell_plots.c */
int demo_make_shell_sweep(demo *d);

#endif
