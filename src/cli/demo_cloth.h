/* Demo: what the files of the section on cloth share. */
#ifndef CLI_DEMO_CLOTH_H
#define CLI_DEMO_CLOTH_H

#include "demo.h"

int demo_make_spline_pair(demo *d);
int demo_make_velocity_changes(demo *d);
int demo_make_hanging(demo *d);
int demo_make_rest(demo *d);

#endif
