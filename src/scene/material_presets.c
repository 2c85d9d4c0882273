/* Material presets, each with the source of its numbers.
 *
 * The numbers are starting points. Fabrics are nonlinear, differ between warp and weft, and vary from bolt to bolt by
 * more than the second digit here. For solid sheets bend follows from stretch by the theory of thin plates, D = E h³ /
 * 12 (1 - ν²), with E h = stretch. It does not for fabrics, because their yarns slide on each other. In the units of
 * Kawabata's system 1 gf cm²/cm is 98.07 µN m, and a shear stiffness of 1 gf/(cm degree) is 56.2 N/m. For solid sheets
 * shear_ratio is 1 / (2 + 2 poisson).
 */
#include "base/context.h"
#include "ruga/scene.h"

#define CHOSEN "Damping, friction and strain limit are chosen for plausible motion, not measured."

/* 1/m: chosen so that `tablecloth` settles within two seconds; for denim as measured (docs/cloth.md, "Settling"). */
#define YARNS 7

static const ruga_material_preset presets[] = {
    {{"cotton", NULL, .density = 0.12, .thickness = 0.00025, .stretch = 5000, .bend = 6e-6, .poisson = 0.2,
      .damping = 0.05, .friction = 0.5, .strain_limit = 0.03, .shear_ratio = 0.01, .bend_friction = YARNS},
     "plain-woven cotton, shirt weight",
     "Typical of shirtings, not one publication's sample: areal mass 0.10 to 0.14 kg/m², thickness 0.2 to 0.3 mm, "
     "bending rigidity of some 0.06 gf cm²/cm in Kawabata's system (KES-FB2), and an extension of a few per cent at "
     "500 gf/cm, from which stretch is the order of magnitude; a shear stiffness of some 0.9 gf/(cm degree) (KES-FB1). "
     "Poisson's ratio is an order of magnitude too. " CHOSEN},
    {{"silk", NULL, .density = 0.0434, .thickness = 0.0001, .stretch = 3000, .bend = 3e-6, .poisson = 0.2,
      .damping = 0.03, .friction = 0.3, .strain_limit = 0.03, .shear_ratio = 0.007, .bend_friction = YARNS},
     "habutai silk of 10 momme, scarf weight",
     "Areal mass by definition: 10 momme of 4.34 g/m². All else is typical of light plain-woven silks, not one "
     "publication's sample: thickness 0.1 mm, bending rigidity of some 0.03 gf cm²/cm in Kawabata's system (KES-FB2), "
     "shear stiffness of some 0.4 gf/(cm degree) (KES-FB1), stretch and Poisson's ratio as orders of "
     "magnitude. " CHOSEN},
    {{"wool", NULL, .density = 0.19, .thickness = 0.0004, .stretch = 3300, .bend = 9e-6, .poisson = 0.2,
      .damping = 0.08, .friction = 0.5, .strain_limit = 0.04, .shear_ratio = 0.01, .bend_friction = YARNS},
     "worsted wool, suit weight",
     "Typical of worsted summer suitings, not the sample of one publication: areal mass, thickness, a bending "
     "rigidity of 9 µN m, 3 % extension at 98.1 N/m, from which stretch is 98.1 / 0.03, and a shear stiffness of some "
     "0.6 gf/(cm degree) (KES-FB1). Poisson's ratio is an order of magnitude. " CHOSEN},
    {{"denim", NULL, .density = 0.324, .thickness = 0.0008, .stretch = 456, .bend = 7.8e-5, .poisson = 0.022,
      .damping = 0.08, .friction = 0.6, .strain_limit = 0.03, .shear_ratio = 0.1, .bend_friction = YARNS},
     "denim of 11 oz with 1 % elastane, jeans weight",
     "H. Wang, J. F. O'Brien, R. Ramamoorthi: Data-driven elastic models for cloth: modeling and measurement, ACM "
     "Transactions on Graphics 30(4), 2011, sample 11oz-black-denim of the data that the authors publish with it (99 "
     "% cotton, 1 % spandex): areal mass unchanged; stretch is the geometric mean of the unstrained c11 = 205.4 and "
     "c22 = 1013.9 N/m; Poisson's ratio is c12 = 10.2 N/m over that mean; bend is the mean over the three directions "
     "(64.2, 73.4, 97.0 µN m) at the least curvature. Thickness, which it does not give: the lower end of six denims "
     "under KES-FB3, 0.80 to 1.19 mm (Journal of Textiles 2016, 4614168, table 5), whose hysteresis 2HB of 0.105 to "
     "0.214 gf cm/cm is twice a moment of 0.5 to 1.05 mN; that of bend_friction is 0.55 mN. Shear is chosen as an "
     "order of magnitude. " CHOSEN},
    {{"paper", NULL, .density = 0.08, .thickness = 0.000105, .stretch = 367500, .bend = 3.7985e-4, .poisson = 1.0 / 3,
      .damping = 0.1, .friction = 0.5, .strain_limit = 0.02, .shear_ratio = 0.375, .bend_friction = 0},
     "office paper of 80 g/m²",
     "Grammage 80 g/m² (ISO 536) at a thickness of 105 µm (ISO 534), the usual office sheet; Young's modulus 3.5 GPa, "
     "a typical mean between cross and machine direction, which differ by a factor of two or so; stretch = E h. "
     "Poisson's ratio 1/3 for sheets of chemical pulp: K. Schulgasser: The in-plane Poisson ratio of paper, Fibre "
     "Science and Technology, 1983, 297-309. Bend is derived by plate theory. " CHOSEN},
    {{"skin", NULL, .density = 1.32, .thickness = 0.0012, .stretch = 504, .bend = 7.8587e-5, .poisson = 0.48,
      .damping = 0.3, .friction = 0.5, .strain_limit = 0, .shear_ratio = 1 / 2.96, .bend_friction = 0},
     "human skin of a young adult, without the fat beneath",
     "Young's modulus 0.42 MPa is chosen within the published range, which the review of A. Kalra, A. Lowe and A. M. "
     "Al-Jumaily (Mechanical behaviour of skin: a review) gives as 5 kPa to 140 MPa, depending on method, site and "
     "age. Thickness 1.2 mm and 1100 kg/m³ are typical; stretch = E h; skin is nearly incompressible; bend follows "
     "from plate theory. " CHOSEN},
    {{"rubber", NULL, .density = 0.46, .thickness = 0.0005, .stretch = 585, .bend = 1.625e-5, .poisson = 0.5,
      .damping = 0.05, .friction = 1, .strain_limit = 0, .shear_ratio = 1.0 / 3, .bend_friction = 0},
     "natural rubber, a sheet of half a millimetre",
     "Typical of a soft vulcanised natural rubber, not the sample of one publication: shear modulus 0.39 MPa at small "
     "strains, 920 kg/m³. Rubber is incompressible, so E = 3 G; stretch = E h; bend follows from plate "
     "theory. " CHOSEN},
};

size_t ruga_material_preset_count(void) { return sizeof presets / sizeof presets[0]; }

const ruga_material_preset *ruga_material_preset_get(size_t preset) {
    return preset < ruga_material_preset_count() ? &presets[preset] : NULL;
}
