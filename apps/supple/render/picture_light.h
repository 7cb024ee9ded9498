/// picture_light.h: materials, lamps, background, and encoding to bytes. Colors are linear.
#ifndef SUPPLE_APP_PICTURE_LIGHT_H
#define SUPPLE_APP_PICTURE_LIGHT_H

#include "picture_scene.h"

static const picture_color CLAY = { 0.60f, 0.235f, 0.135f };
static const picture_color INSIDE = { 0.16f, 0.20f, 0.27f };  ///< the back of the skin, seen through a cut
static const picture_color SECTION = { 0.78f, 0.56f, 0.42f }; ///< the cut itself
static const picture_color GHOST = { 0.18f, 0.36f, 0.62f };
static const picture_color WIRE = { 0.015f, 0.013f, 0.012f };

static const float SKY_REACH = 0.35f;     ///< search distance for what hides the sky, in diagonals
static const float LAMP_RADIUS = 0.17f;   ///< tangent of half the lamp's angle: soft, but the shadow still has a shape
static const float DRAFT_SKY = 0.85f;     ///< assumed sky visibility in drafts: about the mean over a body
static const float GROUND_BOUNCE = 0.55f; ///< light reflected from the ground, relative to the sky's
static const float GROUND_SKY = 0.50f, GROUND_LAMP = 0.34f; ///< how dark the ground gets without either

/// Outgoing light of a place, split by what it depends on.
typedef struct light {
    picture_color ambient; ///< times the visible share of the sky
    picture_color key;     ///< times the visible share of the lamp
    picture_color rest;
} light;

light         light_at(const view* v, sup_vec3 normal, sup_vec3 ray, picture_color albedo);
picture_color light_flat(const view* v, sup_vec3 normal, picture_color albedo);
/// height: 0 at the top of the picture, 1 at its foot.
picture_color light_background(const picture_desc* desc, float height);
/// A soft shoulder instead of clipped highlights.
picture_color light_soften(picture_color c);
/// To sRGB bytes. threshold 0.5 rounds to the nearest; others round more up or more down.
void light_encode(picture_color c, float threshold, uint8_t out[3]);

#endif
