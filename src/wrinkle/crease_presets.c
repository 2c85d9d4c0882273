/* Presets of creases: stiffness and yield angle of materials, each with the source of its numbers.
 *
 * Stiffness. A crease is a strip of damaged sheet. Experiments describe it by the length L = B / k over which a sheet
 * of bending stiffness B bends as much as its crease (F. Lechenault, B. Thiria, M. Adda-Bedia: Mechanical response of a
 * creased sheet, Physical Review Letters 112, 2014, which introduces it). Here L is chosen, an order of magnitude for
 * paper and card and a guess for fabrics, and k = B / L with B of the material presets.
 *
 * Yield. A strip that is folded flat and released opens by its crease recovery angle (ISO 2313, AATCC 66). A fold with
 * the return mapping of crease.h that is bent by 180 degrees and released opens by the yield angle. So yield is the
 * crease recovery angle. The values are chosen: wool recovers well, cotton without a finish poorly, paper hardly.
 */
#include "wrinkle/crease.h"

static const crease_preset presets[] = {
    {"paper", 0.013, 30, "B of office paper of 80 g/m² over L = 30 mm. A sharp fold in paper hardly opens: chosen."},
    {"card", 0.15, 20,
     "B = 8.9e-3 N m, a sheet of 0.3 mm with Young's modulus 3.5 GPa and Poisson's ratio 1/3, over L = 60 mm. Scored "
     "card opens little: chosen."},
    {"wool", 0.003, 150,
     "B of worsted wool over L = 3 mm. Both are chosen; worsteds recover well. A crease that was pressed in is its "
     "\"angle\", to which it returns."},
    {"cotton", 0.002, 80, "B of shirt cotton over L = 3 mm. Both are chosen; cotton without a finish recovers poorly."},
    {"denim", 0.016, 70, "B of denim over L = 5 mm. Both are chosen; heavy cotton recovers somewhat less than light."},
};

size_t crease_preset_count(void) { return sizeof presets / sizeof presets[0]; }

const crease_preset *crease_preset_get(size_t preset) {
    return preset < crease_preset_count() ? &presets[preset] : NULL;
}
