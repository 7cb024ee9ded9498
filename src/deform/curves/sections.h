/// deform/curves/sections.h: how sculpts rotate sections of limbs beyond the skeleton.
///
/// A forearm sculpted with its twist spread from elbow to wrist rotates far from where the wrist joint rotates it. Interpolated
/// along straight lines such points would cut through the limb (8 x 11.25 degrees would become 61.5, 1.78 times the radius). So
/// the rigid motion of every section is removed first: at stations along the limb, the rotation closest to what an example does
/// to the section, and the shift of its center. Rotations are interpolated (and extrapolated) as rotation vectors; curves move
/// the rest of the displacement.
///     q = r + (A - I)(p + r),     A between the two stations beside p,  A_i = turn about the section's center, then its shift
#ifndef SUP_DEFORM_CURVES_SECTIONS_H
#define SUP_DEFORM_CURVES_SECTIONS_H

#include "deform/curves/segments.h"
#include "geom/curves/curves.h"
#include "math/wide.h"

typedef struct sup_sections {
    uint32_t        station_count; ///< 0: no section rotates enough, nothing was removed
    const sup_vec3* centers;
    const float*    turns;   ///< [example][station][6]: rotation vector, shift
    const uint32_t* station; ///< per point: the first of its two; SUP_NONE: it does not rotate
    const float*    ratio;   ///< between the two
    float           angle;   ///< the largest rotation, in radians
} sup_sections;

/// Under 10 degrees straight lines are as good to 0.4% of the radius; where displacements are scaled up, under half a degree.
#define SUP_SECTIONS_ANGLE 0.1745f
#define SUP_SECTIONS_ANGLE_SCALED 0.0087f

/// Replaces the segments' displacements by those without the sections' motion. Does nothing if no section rotates by
/// least_angle (radians).
sup_result sup_sections_create(const sup_character* character, const sup_curves* curves, float least_angle,
                               sup_segments* segments, sup_arena* arena, sup_sections* out, sup_error* error);

/// A - I, column by column; the last is the translation. The fourth row is not used.
typedef struct sup_station {
    float column[4][4];
} sup_station;

/// How far the examples are trusted at each station (deform/curves/trust.h), and between which two.
typedef struct sup_sections_trust {
    sup_trusted trusted;
    uint32_t    from, to;
} sup_sections_trust;

/// A - I of every station when the examples have these shares. `trust` may be NULL.
void sup_sections_prepare(const sup_sections* sections, const uint32_t* examples, const float* shares, uint32_t count,
                          const sup_sections_trust* trust, sup_station* stations);
/// Adds it back: q for points begin to end.
SUP_WIDE_DECLARE(void, sup_sections_turn,
                 (const sup_sections* sections, const sup_station* stations, const sup_vec3* rest, uint32_t begin, uint32_t end,
                  sup_vec3* q));

#endif
