/* See the header for the contract. Without branches, so that several angles are computed at a time. */
#include "wrinkle/sculpt.h"

#include <math.h>

#define PI 3.14159265358979323846

/* atan(x) for x of 0 to 1, within 2e-8: Chebyshev's polynomial of atan(x) / x in x². */
static inline double short_atan(double x) {
    double z = x * x, sum = 0.0028340642993135;
    sum = sum * z - 0.016005030504602;
    sum = sum * z + 0.042587607465987;
    sum = sum * z - 0.074954454431686;
    sum = sum * z + 0.10636754097864;
    sum = sum * z - 0.14202570511545;
    sum = sum * z + 0.19992483578459;
    sum = sum * z - 0.33333066780687;
    sum = sum * z + 0.99999998424263;
    return x * sum;
}

void ISA_NAME(sculpt_angles)(const double *restrict sines, const double *restrict cosines, double *restrict angles,
                             size_t count) {
    for (size_t i = 0; i < count; i++) {
        double sine = sines[i], size = fabs(cosines[i]);
        int is_steep = sine > size;
        double greater = is_steep ? sine : size, lesser = is_steep ? size : sine, ratio = lesser / greater;
        double angle = short_atan(greater > 0 ? ratio : 0);
        angle = is_steep ? 0.5 * PI - angle : angle;
        angles[i] = cosines[i] < 0 ? PI - angle : angle;
    }
}
