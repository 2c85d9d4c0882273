/* Exact volumes and first moments of regions, in the 27 boxes of each: sums over prisms that reach down from the
 * surface (lattice_slices.h). */
#include "geom/lattice_slices.h"

enum { X, Y, Z };

slice_thirds slice_thirds_of(const slice_region *region) {
    slice_thirds out;
    for (int a = 0; a < 3; a++)
        for (int k = 0; k < 4; k++)
            out.at[a][k] =
                k == 3 ? region->high.at[a] : region->low.at[a] + k * (region->high.at[a] - region->low.at[a]) / 3;
    return out;
}

/* The part of a convex polygon on one side of a plane; sides are not kept. */
static void clip(const slice_polygon *in, int axis, double plane, int above, slice_polygon *out) {
    out->count = 0;
    for (int i = 0; i < in->count; i++) {
        const slice_point *p = &in->points[i], *q = &in->points[(i + 1) % in->count];
        double a = above ? p->at[axis] - plane : plane - p->at[axis];
        double b = above ? q->at[axis] - plane : plane - q->at[axis];
        if (a >= 0 && out->count < SLICE_CORNERS) out->points[out->count++] = *p;
        if ((a >= 0) == (b >= 0) || out->count == SLICE_CORNERS) continue;
        slice_point *cut = &out->points[out->count++];
        for (int k = 0; k < 3; k++) cut->at[k] = p->at[k] + (q->at[k] - p->at[k]) * (a / (a - b));
        cut->at[axis] = plane;
    }
}

/* The part between two planes; 0: there is none. */
static int clip_between(const slice_polygon *in, int axis, double low, double high, slice_polygon *out) {
    double least = in->points[0].at[axis], most = least;
    for (int i = 1; i < in->count; i++) {
        least = fmin(least, in->points[i].at[axis]);
        most = fmax(most, in->points[i].at[axis]);
    }
    if (most < low || least > high) return 0;
    if (least >= low && most <= high) {
        *out = *in;
        return 1;
    }
    slice_polygon part;
    clip(in, axis, low, 1, &part);
    clip(&part, axis, high, 0, out);
    return out->count >= 3;
}

/* ∫ f g over a triangle of area 1, of linear functions by their values at its corners. */
static double triangle_product(const double f[3], const double g[3]) {
    return ((f[0] + f[1] + f[2]) * (g[0] + g[1] + g[2]) + f[0] * g[0] + f[1] * g[1] + f[2] * g[2]) / 12;
}

/* Prisms between the level y = low and each triangle of a polygon; with a top, between both levels. */
static void add_prisms(const slice_polygon *p, double low, const double *top, slice_sums *sums) {
    for (int i = 1; i + 1 < p->count; i++) {
        const slice_point *c[3] = {&p->points[0], &p->points[i], &p->points[i + 1]};
        double x[3], z[3], height[3], middle[3];
        for (int k = 0; k < 3; k++) {
            x[k] = c[k]->at[X];
            z[k] = c[k]->at[Z];
            height[k] = (top ? *top : c[k]->at[Y]) - low;
            middle[k] = ((top ? *top : c[k]->at[Y]) + low) / 2;
        }
        double area = ((z[1] - z[0]) * (x[2] - x[0]) - (z[2] - z[0]) * (x[1] - x[0])) / 2;
        sums->volume += area * (height[0] + height[1] + height[2]) / 3;
        sums->moments[X] += area * triangle_product(x, height);
        sums->moments[Y] += area * triangle_product(middle, height);
        sums->moments[Z] += area * triangle_product(z, height);
    }
}

static double highest(const slice_polygon *p) {
    double most = p->points[0].at[Y];
    for (int i = 1; i < p->count; i++) most = fmax(most, p->points[i].at[Y]);
    return most;
}

void slice_add_below_polygon(const slice_thirds *thirds, const slice_polygon *polygon, slice_sums sums[SLICE_BOXES]) {
    slice_polygon slab, column, part;
    for (int ix = 0; ix < 3; ix++) {
        if (!clip_between(polygon, X, thirds->at[X][ix], thirds->at[X][ix + 1], &slab)) continue;
        for (int iz = 0; iz < 3; iz++) {
            if (!clip_between(&slab, Z, thirds->at[Z][iz], thirds->at[Z][iz + 1], &column)) continue;
            for (int iy = 0; iy < 3; iy++) {
                slice_sums *box = &sums[ix + 3 * iy + 9 * iz];
                double low = thirds->at[Y][iy], high = thirds->at[Y][iy + 1];
                if (clip_between(&column, Y, low, high, &part)) add_prisms(&part, low, NULL, box);
                if (!(highest(&column) > high)) continue;
                clip(&column, Y, high, 1, &part);
                if (part.count >= 3) add_prisms(&part, low, &high, box);
            }
        }
    }
}

/* An area of the upper face with its first moments becomes the material below it. */
static void add_column(const slice_thirds *thirds, int ix, int iz, double area, double along_x, double along_z,
                       slice_sums sums[SLICE_BOXES]) {
    for (int iy = 0; iy < 3; iy++) {
        slice_sums *box = &sums[ix + 3 * iy + 9 * iz];
        double low = thirds->at[Y][iy], high = thirds->at[Y][iy + 1];
        box->volume += area * (high - low);
        box->moments[X] += along_x * (high - low);
        box->moments[Y] += area * (high - low) * (high + low) / 2;
        box->moments[Z] += along_z * (high - low);
    }
}

/* ∫ f g over [0, 1], of linear functions by their values at the ends. */
static double segment_product(const double f[2], const double g[2]) {
    return (f[0] * g[0] + f[1] * g[1]) / 3 + (f[0] * g[1] + f[1] * g[0]) / 6;
}

/* Trapezes between the line z = low and a segment; with a top, between both lines. */
static void add_trapeze(const slice_thirds *thirds, int ix, int iz, const double x[2], const double z[2],
                        const double *top, slice_sums sums[SLICE_BOXES]) {
    double low = thirds->at[Z][iz], width = x[0] - x[1], depth[2], middle[2];
    for (int k = 0; k < 2; k++) {
        depth[k] = (top ? *top : z[k]) - low;
        middle[k] = ((top ? *top : z[k]) + low) / 2;
    }
    add_column(thirds, ix, iz, width * (depth[0] + depth[1]) / 2, width * segment_product(x, depth),
               width * segment_product(middle, depth), sums);
}

/* The part of a segment between two values of one coordinate; 0: there is none. */
static int clip_segment(double u[2], double v[2], double low, double high) {
    double a = u[0], b = u[1], c = v[0], d = v[1];
    if (fmax(a, b) < low || fmin(a, b) > high) return 0;
    for (int k = 0; k < 2; k++) {
        double bounded = fmin(fmax(u[k], low), high);
        if (bounded == u[k]) continue;
        v[k] = c + (d - c) * ((bounded - a) / (b - a));
        u[k] = bounded;
    }
    return 1;
}

void slice_add_below_side(const slice_thirds *thirds, slice_point from, slice_point to, slice_sums sums[SLICE_BOXES]) {
    for (int ix = 0; ix < 3; ix++) {
        double x[2] = {from.at[X], to.at[X]}, z[2] = {from.at[Z], to.at[Z]};
        if (!clip_segment(x, z, thirds->at[X][ix], thirds->at[X][ix + 1])) continue;
        for (int iz = 0; iz < 3; iz++) {
            double low = thirds->at[Z][iz], high = thirds->at[Z][iz + 1];
            double px[2] = {x[0], x[1]}, pz[2] = {z[0], z[1]};
            if (clip_segment(pz, px, low, high)) add_trapeze(thirds, ix, iz, px, pz, NULL, sums);
            double qx[2] = {x[0], x[1]}, qz[2] = {z[0], z[1]};
            if (fmax(z[0], z[1]) > high && clip_segment(qz, qx, high, INFINITY))
                add_trapeze(thirds, ix, iz, qx, qz, &high, sums);
        }
    }
}

void slice_add_below_stretch(const slice_thirds *thirds, double from, double to, slice_sums sums[SLICE_BOXES]) {
    for (int ix = 0; ix < 3; ix++) {
        double a = fmax(from, thirds->at[X][ix]), b = fmin(to, thirds->at[X][ix + 1]);
        if (!(a < b)) continue;
        for (int iz = 0; iz < 3; iz++) {
            double low = thirds->at[Z][iz], high = thirds->at[Z][iz + 1], area = (b - a) * (high - low);
            add_column(thirds, ix, iz, area, area * (a + b) / 2, area * (low + high) / 2, sums);
        }
    }
}
