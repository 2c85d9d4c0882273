/* Demo: items of the section on creases with their own files. */
#ifndef DEMO_CREASE_H
#define DEMO_CREASE_H

#include "demo.h"

int demo_make_drift(demo *d);
int demo_make_hang(demo *d);

#endif
