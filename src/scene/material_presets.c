/* Materials that the library brings, each with where its numbers come from.
 *
 * Fabrics are nonlinear, differ between warp and weft, and from bolt to bolt by far more than any third digit here: these
 * are honest starting points. For solid sheets bend follows from stretch by the theory of thin plates,
 * D = E h³ / 12 (1 - ν²), with E h = stretch; for fabrics, whose yarns slide on each other, it does not.
 * In the units of Kawabata's system 1 gf cm²/cm is 98.07 µN m.
 */
#include "base/context.h"
#include "ruga/scene.h"

#define CHOSEN "Damping and friction are chosen for plausible motion, not measured."
#define UNCHECKED "The publication is cited from memory and was not looked up again: check it before you rely on it. "

static const ruga_material_preset presets[] = {
    {{"cotton", NULL, .density = 0.12, .thickness = 0.00025, .stretch = 5000, .bend = 6e-6, .poisson = 0.2,
      .damping = 0.05, .friction = 0.5},
     "plain-woven cotton, shirt weight",
     "Typical of shirtings, not one publication's sample: areal mass 0.10 to 0.14 kg/m², thickness 0.2 to 0.3 mm, "
     "bending "
     "rigidity of some 0.06 gf cm²/cm in Kawabata's system (KES-FB2), and an extension of a few per cent at 500 gf/cm, "
     "from which stretch is the order of magnitude. Poisson's ratio is an order of magnitude too. " CHOSEN},
    {{"silk", NULL, .density = 0.0434, .thickness = 0.0001, .stretch = 3000, .bend = 3e-6, .poisson = 0.2,
      .damping = 0.03, .friction = 0.3},
     "habutai silk of 10 momme, scarf weight",
     "Areal mass by definition: 10 momme of 4.34 g/m². All else is typical of light plain-woven silks, not one "
     "publication's "
     "sample: thickness 0.1 mm, bending rigidity of some 0.03 gf cm²/cm in Kawabata's system (KES-FB2), stretch and "
     "Poisson's ratio as orders of magnitude. " CHOSEN},
    {{"wool", NULL, .density = 0.19, .thickness = 0.0004, .stretch = 3300, .bend = 9e-6, .poisson = 0.2,
      .damping = 0.08, .friction = 0.5},
     "worsted wool, suit weight",
     "In the middle of what the SiroFAST system calls fit for tailoring (A. De Boos, D. Tester: SiroFAST, CSIRO report "
     "WT92.02, 1994): bending rigidity about 5 to 14 µN m, extension E100 at 98.1 N/m about 2 to 4 %, from which "
     "stretch is "
     "98.1 / 0.03. Areal mass and thickness are typical of summer suitings, Poisson's ratio is an order of "
     "magnitude. " UNCHECKED CHOSEN},
    {{"denim", NULL, .density = 0.324, .thickness = 0.0008, .stretch = 456, .bend = 7.8e-5, .poisson = 0.022,
      .damping = 0.08, .friction = 0.6},
     "denim of 11 oz with 1 % elastane, jeans weight",
     "H. Wang, J. F. O'Brien, R. Ramamoorthi: Data-driven elastic models for cloth: modeling and measurement, ACM "
     "Transactions on Graphics 30(4), 2011, sample 11oz-black-denim (99 % cotton, 1 % spandex): areal mass as it is; "
     "stretch "
     "the geometric mean of the unstrained c11 = 205.4 and c22 = 1013.9 N/m; Poisson's ratio c12 over that mean; bend "
     "the "
     "mean over the three directions (64.2, 73.4, 97.0 µN m) at the least curvature. Thickness, which it does not "
     "give: the "
     "lower end of six denims under KES-FB3, 0.80 to 1.19 mm (Journal of Textiles 2016, 4614168, table 5). " CHOSEN},
    {{"paper", NULL, .density = 0.08, .thickness = 0.000105, .stretch = 367500, .bend = 3.7985e-4, .poisson = 1.0 / 3,
      .damping = 0.1, .friction = 0.5},
     "office paper of 80 g/m²",
     "Grammage 80 g/m² (ISO 536) at a thickness of 105 µm (ISO 534), the usual office sheet; Young's modulus 3.5 GPa, "
     "a "
     "typical mean between cross and machine direction, which differ by a factor of two or so; stretch = E h. "
     "Poisson's "
     "ratio 1/3 for sheets of chemical pulp: K. Schulgasser: The in-plane Poisson ratio of paper, Fibre Science and "
     "Technology, 1983, 297-309. Bend is derived by plate theory. " CHOSEN},
    {{"skin", NULL, .density = 1.32, .thickness = 0.0012, .stretch = 504, .bend = 7.8587e-5, .poisson = 0.48,
      .damping = 0.3, .friction = 0.5},
     "human skin of a young adult, without the fat beneath",
     "Young's modulus 0.42 MPa, in vivo by torsion: P. G. Agache, C. Monneur, J. L. Leveque, J. De Rigal: Mechanical "
     "properties and Young's modulus of human skin in vivo, Archives of Dermatological Research 269, 1980 (it doubles "
     "with "
     "age). Thickness 1.2 mm and 1100 kg/m³ are typical; stretch = E h; nearly incompressible; bend is derived by "
     "plate "
     "theory. Published moduli of skin spread over orders of magnitude with the method. " UNCHECKED CHOSEN},
    {{"rubber", NULL, .density = 0.46, .thickness = 0.0005, .stretch = 585, .bend = 1.625e-5, .poisson = 0.5,
      .damping = 0.05, .friction = 1},
     "natural rubber, a sheet of half a millimetre",
     "Shear modulus 0.39 MPa of vulcanised natural rubber at moderate strains: L. R. G. Treloar: The Physics of Rubber "
     "Elasticity, 3rd edition, Oxford 1975; incompressible, so E = 3 G; 920 kg/m³; stretch = E h; bend is derived by "
     "plate "
     "theory. " UNCHECKED CHOSEN},
};

size_t ruga_material_preset_count(void) { return sizeof presets / sizeof presets[0]; }

const ruga_material_preset *ruga_material_preset_get(size_t preset) {
    return preset < ruga_material_preset_count() ? &presets[preset] : NULL;
}
