/* Demo: plots of the section on creases. */
#ifndef DEMO_CREASE_H
#define DEMO_CREASE_H

#include "demo.h"

int demo_make_drift(demo *d);

#endif
