/* Monotonic time, for timings and progress; never for results. */
#ifndef BASE_TIMER_H
#define BASE_TIMER_H

double timer_now(void); /* s, from an arbitrary start */

#endif
