// The coat of builtin:beast, as colors of its points: ochre back, cream underside, dark paws and nose, eyes that look at you.
// Edges are as sharp as the mesh allows: they fade over about one edge of the face.
#include "math/vec.h"
#include "scenes/beast.h"
#include "scenes/scenes.h"

/// sRGB, 0 to 1.
static const sup_vec3 OCHRE = { 0.87f, 0.55f, 0.30f };
static const sup_vec3 CREAM = { 0.98f, 0.89f, 0.76f };
static const sup_vec3 COCOA = { 0.30f, 0.19f, 0.15f };
static const sup_vec3 ROSE = { 0.93f, 0.62f, 0.56f };
static const sup_vec3 BLACK = { 0.07f, 0.05f, 0.06f };
static const sup_vec3 WHITE = { 1, 1, 1 };
static const sup_vec3 IRIS = { 0.42f, 0.24f, 0.12f };

/// The ball of the left eye (beast.c's lump), and where on it things are, in units of its radius.
static const sup_vec3 EYE = { 0.092f, 0.800f, 0.530f };
static const float    EYE_RADIUS = 0.054f;
static const sup_vec3 GAZE = { 0.327f, 0.020f, 0.945f };
static const sup_vec3 GLINT = { 0.16f, 0.40f, 0.90f };
static const sup_vec3 NOSE = { 0, 0.752f, 0.658f };

static sup_vec3 over(sup_vec3 below, sup_vec3 color, float share)
{
    return v3_lerp(below, color, sup_clampf(share, 0.0f, 1.0f));
}

/// 1 within `radius` of the middle, 0 beyond `radius + edge`.
static float spot(sup_vec3 p, sup_vec3 middle, float radius, float edge)
{
    return 1.0f - sup_smoothstep(radius, radius + edge, v3_distance(p, middle));
}

/// A dark button with a brown iris and one highlight: anything smaller falls between the points.
static sup_vec3 eye(sup_vec3 coat, sup_vec3 p)
{
    sup_vec3 from = v3(fabsf(p.x) - EYE.x, p.y - EYE.y, p.z - EYE.z);
    sup_vec3 on = v3_normalize(from, GAZE);
    float    ball = 1.0f - sup_smoothstep(1.00f, 1.10f, v3_length(from) / EYE_RADIUS);
    sup_vec3 color = over(IRIS, BLACK, spot(on, GAZE, 0.42f, 0.22f));
    color = over(color, BLACK, sup_smoothstep(0.62f, 0.86f, v3_distance(on, GAZE)));
    return over(coat, over(color, WHITE, spot(on, GLINT, 0.13f, 0.11f)),
                ball * (1.0f - sup_smoothstep(0.92f, 1.06f, v3_distance(on, GAZE))));
}

static sup_vec3 coat(sup_vec3 p, const float* row)
{
    float legs = 0.0f, feet = 0.0f, trunk = 0.0f, ears = row[BEAST_EAR_L] + row[BEAST_EAR_R];
    for (uint32_t j = BEAST_FRONT_L; j < BEAST_JOINTS; ++j) legs += row[j];
    for (uint32_t j = BEAST_FRONT_L + 2; j < BEAST_JOINTS; j += 3) feet += row[j];
    for (uint32_t j = BEAST_HIPS; j <= BEAST_NECK_2; ++j) trunk += row[j];

    sup_vec3 color = OCHRE;
    // Underside: the belly, and a bib down the front of neck and chest.
    float belly = 1.0f - sup_smoothstep(0.295f, 0.345f, p.y + 0.35f * fabsf(p.x));
    float ahead = 0.73f * (p.z - 0.225f) - 0.68f * (p.y - 0.525f);
    float bib = sup_smoothstep(0.015f, 0.055f, ahead) * (1.0f - sup_smoothstep(0.075f, 0.105f, fabsf(p.x)));
    color = over(color, CREAM, (belly > bib ? belly : bib) * (1.0f - legs) * trunk);
    float muzzle =
        1.0f - sup_smoothstep(0.92f, 1.10f, v3_length(v3_mul(v3_sub(p, v3(0, 0.690f, 0.575f)), v3(7.6f, 10.5f, 7.0f))));
    color = over(color, CREAM, muzzle);
    // Inner ears face ahead; tips of ears and tail are dark.
    color = over(color, ROSE,
                 0.9f * sup_smoothstep(0.398f, 0.412f, p.z) *
                     spot(v3(fabsf(p.x), p.y, 0), v3(0.158f, 0.894f, 0), 0.030f, 0.020f) * (ears > 0.3f ? 1.0f : 0.0f));
    color = over(color, COCOA, sup_smoothstep(0.770f, 0.800f, p.y) * row[BEAST_TAIL_5]);
    color = over(color, COCOA, sup_smoothstep(0.45f, 0.75f, feet) * (1.0f - sup_smoothstep(0.070f, 0.115f, p.y)));
    color =
        over(color, BLACK, 1.0f - sup_smoothstep(0.96f, 1.12f, v3_length(v3_mul(v3_sub(p, NOSE), v3(21.0f, 28.0f, 26.0f)))));
    return eye(color, p);
}

void sup_scene_beast_colors(const sup_character* character, float* rgba)
{
    const sup_weights* w = &character->weights;
    for (uint32_t p = 0; p < character->mesh.point_count; ++p, rgba += 4) {
        float row[BEAST_JOINTS] = { 0 };
        for (uint32_t i = w->begin[p]; i < w->begin[p + 1]; ++i) row[w->joints[i]] += w->values[i];
        sup_vec3 color = coat(character->mesh.points[p], row);
        rgba[0] = color.x, rgba[1] = color.y, rgba[2] = color.z, rgba[3] = 1.0f;
    }
}
