/* Texts of scenes to start from that are in files of their own. */
#ifndef SCENE_TEMPLATES_H
#define SCENE_TEMPLATES_H

extern const char template_drape[], template_pile[], template_twist[], template_funnel[], template_skirt[];
extern const char template_gather[], template_elbow[];
extern const char template_forehead[];

#endif
