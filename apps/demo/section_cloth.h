/* Demo: plots and drapes of the section on cloth. */
#ifndef DEMO_CLOTH_H
#define DEMO_CLOTH_H

#include "demo.h"

int demo_make_spline_pair(demo *d);
int demo_make_velocity_changes(demo *d);
int demo_make_hanging(demo *d);
int demo_make_rest(demo *d);
int demo_make_discs(demo *d);

#endif
