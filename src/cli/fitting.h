/* `ruga wrinkle` without options: parameters chosen from the motion, and a report of the reasons. */
#ifndef CLI_FITTING_H
#define CLI_FITTING_H

#include "layer.h"

typedef struct fitting {
    int done;                                             /* 0: the defaults of the table count */
    int has_mask, has_wavelength, has_stretch, has_parts; /* chosen here, because no option gave them */
    ruga_wrinkle_fit_result found;
    size_t frames, failed; /* that were measured, and that could not be read */
    double *mask;          /* (body vertices) */
    ruga_wrinkle_def def;
    ruga_variant detail; /* with that def */
} fitting;

/* After layer_open_body: measures the motion, sets values in the description, and gives the mask to the layer. */
int fitting_make(session *s, layer *w, fitting *f);
void fitting_print(session *s, const layer *w, const fitting *f);
void fitting_put(const layer *w, const fitting *f, ruga_json_writer *json);
void fitting_release(fitting *f);

/* Warns of a body or a wavelength whose size suggests another unit. */
void warn_of_size(session *s, const layer *w, double wavelength);

#endif
