#include "linalg/bounded.h"

#include <math.h>

int bounded_minimum(size_t n, const double *a, const double *b, double low, double high, double tolerance, int most,
                    double *x) {
    for (size_t i = 0; i < n; i++) x[i] = fmin(fmax(x[i], low), high);
    for (int sweep = 0; sweep < most; sweep++) {
        double largest = 0;
        for (size_t i = 0; i < n; i++) {
            double rest = b[i];
            for (size_t j = 0; j < n; j++) rest -= j == i ? 0 : a[i * n + j] * x[j];
            const double best = fmin(fmax(rest / a[i * n + i], low), high);
            largest = fmax(largest, fabs(best - x[i]));
            x[i] = best;
        }
        if (largest <= tolerance) return sweep + 1;
    }
    return most;
}
