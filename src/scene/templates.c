/* Scenes to start from: `ruga new KIND`. Each row embeds examples/scenes/KIND.json, as it is when the library is built
 * (cmake/embed.cmake); an example without a row is an unused variable, which the compiler reports. */
#include "generated/templates.h"
#include "ruga/scene.h"

#define TEMPLATE(kind, help) \
    { #kind, help, template_##kind }

static const ruga_scene_template templates[] = {
    TEMPLATE(flag, "a flag of cloth on a pole that is waved, wrinkled by splines"),
    TEMPLATE(curtain, "a curtain that is drawn to one side, in a draught"),
    TEMPLATE(tablecloth, "a cloth that falls onto a table"),
    TEMPLATE(drape, "a sheet that falls onto a ball and folds over itself: contact"),
    TEMPLATE(pile, "twenty sheets that fall onto each other: contact of many layers"),
    TEMPLATE(twist, "a cloth that is twisted by its two ends into a rope"),
    TEMPLATE(funnel, "a cloth that is pulled through a funnel"),
    TEMPLATE(ring, "a cloth that is pulled through a ring"),
    TEMPLATE(rope, "two cloths that are twisted together"),
    TEMPLATE(box, "a box that closes upon a cloth"),
    TEMPLATE(skirt, "a skirt on a mannequin that walks"),
    TEMPLATE(discs, "discs of three fabrics that drape over pedestals, as in a drape meter"),
    TEMPLATE(pleats, "a skirt with knife pleats, folded from a flat pattern: creases"),
    TEMPLATE(spin, "a skirt with knife pleats on a stand that turns: the pleats open"),
    TEMPLATE(jump, "a skirt with box pleats on a mannequin that jumps"),
    TEMPLATE(miura, "a sheet of card that folds up from flat as a Miura fold: creases"),
    TEMPLATE(tshirt, "a T-shirt that is sewn from four flat pieces onto a mannequin, which then walks"),
    TEMPLATE(parade, "a walking mannequin that carries two flags on poles"),
    TEMPLATE(page, "the page of a book that is turned, with a folded corner: a crease"),
    TEMPLATE(hang, "three cloths that hang by two corners: without a crease, with one, and with a stiff one"),
    TEMPLATE(arc, "paper that is folded along an arc: a curved crease"),
    TEMPLATE(plane, "a sheet of paper that folds itself into a plane and meets a wall"),
    TEMPLATE(gather, "a coarse curtain that is drawn, with the fine wrinkles of a wrinkle mesh"),
    TEMPLATE(elbow, "an arm that bends and wrinkles at its elbow: a wrinkle mesh on an animation"),
    TEMPLATE(skin, "an arm that bends, with a skin that wrinkles at the wavelength of its material: an embedded shell"),
    TEMPLATE(slab, "a flat skin on a soft interior that is compressed: its wavelength is measured, for sweeps"),
    TEMPLATE(forehead, "a face that raises its brow: a drawn stroke with keys"),
    TEMPLATE(flutter, "a flag in gusty wind, by springs on top of a still sheet"),
    TEMPLATE(shake, "a pillow that is shaken by keyframes and wobbles"),
    TEMPLATE(pillow, "a foam pillow that falls, and a ball that presses into it: a lattice"),
    TEMPLATE(smile, "a face that smiles with one side: flesh with a muscle, in equilibrium at every frame"),
    TEMPLATE(jelly, "a jelly that falls onto the floor and wobbles: dynamic flesh"),
    TEMPLATE(press, "a ball against the floor: colliders"),
    TEMPLATE(displace, "a ball that breathes: displacement with keyframes"),
    TEMPLATE(animate, "details on top of an animation of your own"),
    TEMPLATE(canopy, "a cloth with a gathered edge, two creases and fine wrinkles: sculpt, crease and wrinkle mesh"),
    TEMPLATE(block, "a block of flesh with a crease, in a skin that wrinkles: crease and embedded shell"),
    TEMPLATE(stack, "every section at once: edits, body, hooks, details"),
};

size_t ruga_scene_template_count(void) { return sizeof templates / sizeof templates[0]; }

const ruga_scene_template *ruga_scene_template_get(size_t which) {
    return which < ruga_scene_template_count() ? &templates[which] : NULL;
}
