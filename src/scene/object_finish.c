/* How pictures show the objects of a scene, by the descriptors of their kinds and by their materials. */
#include <string.h>

#include "scene/kinds.h"

/* By the name of a material or of the one that it is like: those of a user count too. */
static ruga_finish material_finish(const ruga_list *materials, const char *name, int depth) {
    static const struct {
        const char *word;
        ruga_finish finish;
    } words[] = {{"paper", RUGA_FINISH_PAPER},  {"card", RUGA_FINISH_PAPER},  {"leather", RUGA_FINISH_LEATHER},
                 {"skin", RUGA_FINISH_SKIN},    {"metal", RUGA_FINISH_METAL}, {"rubber", RUGA_FINISH_PLAIN},
                 {"cotton", RUGA_FINISH_CLOTH}, {"silk", RUGA_FINISH_CLOTH},  {"wool", RUGA_FINISH_CLOTH},
                 {"denim", RUGA_FINISH_CLOTH}};
    if (!name || depth > 8) return RUGA_FINISH_CLOTH;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strstr(name, words[i].word)) return words[i].finish;
    const ruga_material_def *all = materials->items;
    for (size_t i = 0; i < materials->count; i++)
        if (all[i].name && strcmp(all[i].name, name) == 0) return material_finish(materials, all[i].like, depth + 1);
    return RUGA_FINISH_CLOTH;
}

static ruga_finish own_finish(const kind *k, const ruga_variant *variant) {
    return k && k->finish ? k->finish(variant->values) : RUGA_FINISH_PLAIN;
}

static const kind *kind_of(const ruga_variant *variant, kind_role role) {
    return variant->section ? kind_find(NULL, variant->section, role) : NULL;
}

ruga_finish ruga_scene_object_finish(const ruga_scene_def *scene, const ruga_object_def *object) {
    const kind *base = kind_of(&object->body, KIND_BODY);
    const ruga_variant *details = object->details.items;
    if (base && (base->flags & KIND_SHOWS_MATERIAL)) return material_finish(&scene->materials, object->material, 0);
    ruga_finish finish = own_finish(base, &object->body);
    for (size_t i = 0; i < object->details.count && finish == RUGA_FINISH_PLAIN; i++)
        finish = own_finish(kind_of(&details[i], KIND_ON_TOP), &details[i]);
    return finish;
}

int ruga_scene_object_is_cut(const ruga_object_def *object) {
    const ruga_variant *hooks = object->hooks.items;
    for (size_t i = 0; i < object->hooks.count; i++) {
        const kind *hook = kind_of(&hooks[i], KIND_INSIDE);
        if (hook && (hook->flags & KIND_CUTS)) return 1;
    }
    return 0;
}
