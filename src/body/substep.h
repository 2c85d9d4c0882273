/* One substep, as everything in it sees it. */
#ifndef BODY_SUBSTEP_H
#define BODY_SUBSTEP_H

#include "body/environment.h"

typedef struct substep {
    double time;  /* s, at its end */
    double dt;    /* s */
    double blend; /* of the pre-roll, at its end: 0 bind pose, 1 from the start frame on */
    const environment *environment;
    int is_last;  /* it ends the frame */
    double frame; /* number of the frame that it leads to, for messages; 0 where frames have no length */
} substep;

#endif
