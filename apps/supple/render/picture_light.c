// Clay under a warm lamp, a cool sky, light reflected from the ground, and a thin rim.
#include "picture_light.h"

static const picture_color LAMP = { 1.02f, 0.95f, 0.86f };
static const picture_color SKY = { 0.56f, 0.58f, 0.62f };
static const picture_color BOUNCE = { 0.48f, 0.38f, 0.33f };
static const picture_color FILL = { 0.16f, 0.16f, 0.17f };

light light_at(const view* v, sup_vec3 normal, sup_vec3 ray, picture_color albedo)
{
    float upward = 0.5f + 0.5f * dot(normal, v->world_up), facing = clampf(-dot(normal, ray), 0.0f, 1.0f);
    float lit = clampf(dot(normal, v->key), 0.0f, 1.0f), fill = clampf(dot(normal, v->right), 0.0f, 1.0f);
    // Red light travels farther under the skin, so the terminator is warmer than the lit middle.
    float red = lit > 0.0f ? sqrtf(lit) * (0.25f + 0.75f * sqrtf(lit)) : 0.0f;

    // Clay is rough: at a grazing angle it darkens a little, which makes round forms read as round.
    float round = 0.66f + 0.40f * facing;
    light l;
    l.ambient.r = albedo.r * round * (mix(BOUNCE.r, SKY.r, upward) + FILL.r * fill);
    l.ambient.g = albedo.g * round * (mix(BOUNCE.g, SKY.g, upward) + FILL.g * fill);
    l.ambient.b = albedo.b * round * (mix(BOUNCE.b, SKY.b, upward) + FILL.b * fill);

    sup_vec3 half = unit_or(sub(v->key, ray), normal);
    float    gloss = clampf(dot(normal, half), 0.0f, 1.0f);
    gloss *= gloss; // to the 32nd power by squaring: a broad, dull highlight
    gloss *= gloss;
    gloss *= gloss;
    gloss *= gloss;
    gloss *= gloss;
    gloss *= 0.10f * (lit > 0.0f ? 1.0f : 0.0f);
    l.key = (picture_color){ LAMP.r * (albedo.r * red + gloss), LAMP.g * (albedo.g * lit + gloss),
                             LAMP.b * (albedo.b * lit + gloss) };

    float rim = (1.0f - facing) * (1.0f - facing);
    rim *= rim * 0.16f * upward;
    l.rest = (picture_color){ rim * (0.4f + albedo.r), rim * (0.4f + albedo.g), rim * (0.42f + albedo.b) };
    return l;
}

picture_color light_flat(const view* v, sup_vec3 normal, picture_color albedo)
{
    float lit = 0.75f + 0.25f * clampf(dot(normal, v->key), 0.0f, 1.0f);
    return (picture_color){ albedo.r * lit, albedo.g * lit, albedo.b * lit };
}

picture_color light_background(const picture_desc* desc, float height)
{
    static const picture_color top = { 0.93f, 0.945f, 0.96f }, foot = { 0.80f, 0.81f, 0.825f };
    if (desc->background) return *desc->background;
    float t = height * height * (3.0f - 2.0f * height);
    return (picture_color){ mix(top.r, foot.r, t), mix(top.g, foot.g, t), mix(top.b, foot.b, t) };
}

static float shoulder(float c) { return c > 0.7f ? 0.7f + 0.3f * (1.0f - expf((0.7f - c) / 0.3f)) : c; }

picture_color light_soften(picture_color c) { return (picture_color){ shoulder(c.r), shoulder(c.g), shoulder(c.b) }; }

static uint8_t encode(float value, float threshold)
{
    float c = clampf(value, 0.0f, 1.0f);
    float s = c <= 0.0031308f ? 12.92f * c : 1.055f * powf(c, 1.0f / 2.4f) - 0.055f;
    return (uint8_t)(s * 255.0f + threshold);
}

void light_encode(picture_color c, float threshold, uint8_t out[3])
{
    out[0] = encode(c.r, threshold);
    out[1] = encode(c.g, threshold);
    out[2] = encode(c.b, threshold);
}

picture_color picture_color_background_foot(void) { return light_background(&(picture_desc){ 0 }, 1.0f); }
