/* A damped oscillator under a constant push, over one step. */
#ifndef MATH_OSCILLATOR_H
#define MATH_OSCILLATOR_H

/* z'' + 2 c z' + ω² z = f over a time t is linear in z, z' and f:
 *
 *     z (t) =  place  z + travel z' + lag    f        place = 1 − ω² lag
 *     z'(t) = −ω² travel z + speed z' + travel f      speed = 1 − 2 c travel − ω² lag */
typedef struct oscillator_step {
    double place;  /* 1 */
    double travel; /* s */
    double pull;   /* 1/s, −ω² travel */
    double speed;  /* 1 */
    double lag;    /* s² */
} oscillator_step;

/* omega: rad/s, undamped; half_damping: c, 1/s; time: s. None negative, products of them up to 1e150. Exact but for
 * rounding in every regime, and where they meet. */
oscillator_step oscillator_solve(double omega, double half_damping, double time);

#endif
