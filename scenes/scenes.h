/// scenes/scenes.h: characters made by code, shared by tests, bench, examples and the page. One file each.
#ifndef SUP_SCENES_H
#define SUP_SCENES_H

#include "supple/scene.h"

/// Makes the character with about `points` points (0: its usual size).
typedef sup_result sup_scene_make(uint32_t points, const sup_allocator* allocator, sup_character** out, sup_error* error);

sup_scene_make sup_scene_arm;
sup_scene_make sup_scene_bar;
sup_scene_make sup_scene_beast;

/// sRGB and alpha of every point, 0 to 1: four floats each.
typedef void sup_scene_colors(const sup_character* character, float* rgba);

sup_scene_colors sup_scene_beast_colors;

/// One sentence each, for menus.
extern const char sup_scene_arm_summary[];
extern const char sup_scene_bar_summary[];
extern const char sup_scene_beast_summary[];

#endif
