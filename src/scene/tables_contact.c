/* The tables of contact: docs/contact.md says what is behind the numbers. */
#include "contact/solver.h"
#include "field/rows.h"
#include "scene/tables.h"

static const char *const starts[] = {"fail", "go_on", "untangle", NULL};
_Static_assert(CONTACT_START_FAIL == 0 && CONTACT_START_GO_ON == 1 && CONTACT_START_UNTANGLE == 2,
               "in the order of contact_start");

static const ruga_field exclusion_fields[] = {
    {"object", RUGA_FIELD_NAME, AT(ruga_exclusion_def, object), .names = "objects", .help = "one of the two"},
    {"other", RUGA_FIELD_NAME, AT(ruga_exclusion_def, other), .names = "objects",
     .help = "the other; name the same object twice to let it pass through itself"},
};
static const ruga_section exclusion_section =
    SECTION("exclusion", ruga_exclusion_def, exclusion_fields, .help = "Two objects that pass through each other.");
static const ruga_section *const exclusion_sections[] = {&exclusion_section, NULL};

static const ruga_field contact_fields[] = {
    {"on", RUGA_FIELD_FLAG, AT(ruga_contact_def, on), .preset = "true",
     .help = "whether objects collide with each other and with themselves; if the section is absent they do "
             "not"},
    {"start", RUGA_FIELD_CHOICE, AT(ruga_contact_def, start), .preset = "fail", .choices = starts,
     .help = "intersections before the first frame: fail: stop with an error that says where; go_on: ignore "
             "those pairs until they are apart, and allow no new ones; untangle: push them apart"},
    {"strict", RUGA_FIELD_FLAG, AT(ruga_contact_def, strict), .preset = "false",
     .help = "stop with an error where moving bodies leave cloth no room; else warn and continue"},
    {"check", RUGA_FIELD_FLAG, AT(ruga_contact_def, check), .preset = "true",
     .help = "count the intersections of every frame exactly, and warn if there are any"},
    {"friction_at_rest", RUGA_FIELD_NUMBER, AT(ruga_contact_def, friction_at_rest), .unit = "1", .preset = "1.25",
     RANGE(1, 10), .help = "static friction over sliding friction"},
    {"separation", RUGA_FIELD_NUMBER, AT(ruga_contact_def, separation), .unit = "1", .preset = "0.1", RANGE(0.001, 0.5),
     .help = "smallest distance between surfaces under any load, as a fraction of the thickness"},
    {"spring", RUGA_FIELD_NUMBER, AT(ruga_contact_def, spring), .unit = "1", .preset = "0.1", RANGE(0, 1),
     .help = "fraction of a violated thickness that a substep restores (Bridson et al. 2002)"},
    {"rounds", RUGA_FIELD_WHOLE, AT(ruga_contact_def, rounds), .unit = "1", .preset = "4", RANGE(1, 1000),
     .help = "largest number of passes over all contacts; more passes carry impulses farther through a pile"},
    {"impact_rounds", RUGA_FIELD_WHOLE, AT(ruga_contact_def, impact_rounds), .unit = "1", .preset = "8", RANGE(0, 1000),
     .help = "passes of impulses against remaining collisions; colliding regions that remain then move as "
             "rigid pieces"},
    {"cuts", RUGA_FIELD_WHOLE, AT(ruga_contact_def, cuts), .unit = "1", .preset = "15", RANGE(0, 1023),
     .help = "largest number of cuts of a substep where bodies that deform press upon cloth; 15 cut it into 16"},
    {"work", RUGA_FIELD_WHOLE, AT(ruga_contact_def, work), .unit = "1", .preset = "1000", RANGE(1, 1000000),
     .help = "limit on the work of a substep, in pairs per vertex that are checked or pushed; at the limit colliding "
             "regions move as rigid pieces, with a warning"},
    {"exclusions", RUGA_FIELD_LIST, AT(ruga_contact_def, exclusions), .preset = "", .sections = exclusion_sections,
     .help = "pairs of objects that pass through each other"},
};
static const ruga_section contact_section =
    SECTION("contact", ruga_contact_def, contact_fields, .shorthand = "on",
            .help =
                "Keeps objects with dynamics, such as cloth, from passing through themselves, other objects and the "
                "colliders (docs/contact.md). {} or a bare true turns it on.");
const ruga_section *const contact_sections[] = {&contact_section, NULL};

static const ruga_field object_contact_fields[] = {
    {"collides", RUGA_FIELD_FLAG, AT(ruga_object_contact_def, collides), .preset = "true",
     .help = "false: other objects pass through it; its vertices keep away from the colliders as without "
             "contact"},
    {"where", RUGA_FIELD_PARAM, AT(ruga_object_contact_def, where), .unit = "1", .preset = "1",
     .help = "only the vertices where this is above 0.5 collide, and the faces with such vertices alone: a selector "
             "(docs/selectors.md), such as \"!joint:*Hand\", a painted attribute, a group or a file of numbers"},
    {"self", RUGA_FIELD_FLAG, AT(ruga_object_contact_def, self), .preset = "true",
     .help = "whether it collides with itself, if it has dynamics, such as cloth"},
    {"thickness", RUGA_FIELD_NUMBER, AT(ruga_object_contact_def, thickness), .unit = "m", .preset = "null",
     RANGE(0, 1000),
     .help = "distance from others and from itself; the larger one of two objects counts; if absent, the "
             "thickness of the body, 0 for bodies without one"},
    {"friction", RUGA_FIELD_NUMBER, AT(ruga_object_contact_def, friction), .unit = "1", .preset = "null", RANGE(0, 10),
     .help = "Coulomb's coefficient; the larger one of two objects counts; if absent, that of the material, or "
             "else of the body; 0 without both"},
};
static const ruga_section object_contact_section = SECTION(
    "object_contact", ruga_object_contact_def, object_contact_fields, .shorthand = "collides",
    .help =
        "Contact of the object with others, if the scene has contact. A bare false lets it pass through everything.");
const ruga_section *const object_contact_sections[] = {&object_contact_section, NULL};
