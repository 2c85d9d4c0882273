/* The exact solution of z'' + 2 c z' + ω² z = f over a time t, f constant.
 *
 * Let G denote the answer to f = 1 from rest: G'' + 2 c G' + ω² G = 1, G(0) = G'(0) = 0. All else follows from it. Its
 * derivative B = G' is the answer to a unit velocity, since B solves the equation without f and B(0) = 0, B'(0) = 1.
 * The answer to a unit place is A = 1 − ω² G, as A solves it without f and A(0) = 1, A'(0) = 0; and A' = −ω² B. The
 * velocity that is left of a unit one is D = B' = 1 − 2 c B − ω² G. By linearity
 *
 *     z(t) = A z + B z' + G f,        z'(t) = −ω² B z + D z' + B f.
 *
 * The roots of λ² + 2 c λ + ω² = 0 are −c ± s, s² = c² − ω² = (c − ω)(c + ω).
 *
 * Overdamped, s real. With the fast rate R = c + s and the slow one r = ω² / R (not c − s, which cancels), and φ(x) =
 * (1 − e^−x) / x, φ(0) = 1:
 *
 *     B = (e^−rt − e^−Rt) / (R − r) = t e^−rt φ(2 s t),     A = e^−rt + r B,     D = e^−Rt − r B,
 *     G = (1 − A) / ω² = (t φ(rt) − B) / R,
 *
 * which holds for critical damping (s = 0) and for ω = 0 (r = 0) as it stands.
 *
 * Underdamped, s = i σ:  B = e^−ct sin(σt) / σ,   A = e^−ct cos(σt) + c B,   D = e^−ct cos(σt) − c B,   G = (1 − A) /
 * ω².
 *
 * For short steps both forms of G cancel: there the power series in t serves, G = Σ gₙ, g₂ = t² / 2,
 *
 *     gₙ₊₂ = −(2 c t (n + 1) gₙ₊₁ + ω² t² gₙ) / ((n + 1)(n + 2)),     t B = Σ n gₙ.
 */
#include "math/oscillator.h"

#include <math.h>

#define SHORT_STEP 0.5 /* of ωt and ct */
#define TERMS 24       /* the last is below 1e-20 of the first for steps that are short */

/* (1 − e^−x) / x for x ≥ 0. */
static double phi(double x) { return x > 0 ? -expm1(-x) / x : 1; }

static oscillator_step solve_short(double omega, double c, double t) {
    double g[2] = {0, 0.5 * t * t}; /* of order n and n + 1 */
    double lag = g[1], travel = t;
    for (int n = 1; n < TERMS; n++) {
        double next = -(2 * c * t * (n + 1) * g[1] + omega * t * omega * t * g[0]) / ((n + 1.0) * (n + 2.0));
        lag += next;
        travel += (n + 2) * next / t;
        g[0] = g[1];
        g[1] = next;
    }
    double pulled = omega * omega * lag;
    return (oscillator_step){1 - pulled, travel, -omega * omega * travel, 1 - 2 * c * travel - pulled, lag};
}

static oscillator_step solve_overdamped(double omega, double c, double t) {
    double s = sqrt(c - omega) * sqrt(c + omega), fast = c + s, slow = omega * (omega / fast);
    double travel = t * exp(-slow * t) * phi(2 * s * t);
    return (oscillator_step){.place = exp(-slow * t) + slow * travel,
                             .travel = travel,
                             .pull = -omega * omega * travel,
                             .speed = exp(-fast * t) - slow * travel,
                             .lag = (t * phi(slow * t) - travel) / fast};
}

static oscillator_step solve_underdamped(double omega, double c, double t) {
    double sigma = sqrt(omega - c) * sqrt(omega + c);
    double decay = exp(-c * t), swing = decay * cos(sigma * t), travel = decay * sin(sigma * t) / sigma;
    return (oscillator_step){.place = swing + c * travel,
                             .travel = travel,
                             .pull = -omega * omega * travel,
                             .speed = swing - c * travel,
                             .lag = (1 - swing - c * travel) / (omega * omega)};
}

oscillator_step oscillator_solve(double omega, double half_damping, double time) {
    if (!(time > 0)) return (oscillator_step){.place = 1, .speed = 1};
    if (omega * time < SHORT_STEP && half_damping * time < SHORT_STEP) return solve_short(omega, half_damping, time);
    return half_damping >= omega ? solve_overdamped(omega, half_damping, time)
                                 : solve_underdamped(omega, half_damping, time);
}
