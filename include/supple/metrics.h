/// supple/metrics.h: numbers about skin, each of which can be checked by hand.
///
/// Two plain functions for one mesh, and a *meter*, which prepares once per character what measuring a frame needs (edges,
/// parts around joints, curvature at rest, a hierarchy for intersections). Meters are read-only and shared by threads; nothing
/// here changes a point.
#ifndef SUPPLE_METRICS_H
#define SUPPLE_METRICS_H

#include "supple/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Signed volume enclosed by the triangles, positive when they face outwards, summed in double in fixed order. Measured
/// from the mean of the points: exact for a closed mesh; a hole counts as if a fan to that mean closed it.
SUP_API double sup_metric_volume(const sup_mesh* mesh, const sup_vec3* points);
/// The largest ratio of an edge's deformed to its rest length, or of rest to deformed where it shrank. Edges of zero rest
/// length do not count. 1 when nothing is stretched.
SUP_API double sup_metric_stretch(const sup_mesh* mesh, const sup_vec3* points);

// ---------------------------------------------------------------------------------------------- meter

typedef struct sup_meter sup_meter;

/// The skin around one joint, cut in the middle of its bones: where a bend loses volume.
typedef struct sup_meter_part {
    uint32_t    joint;
    const char* name; ///< the joint's
    uint32_t    triangle_count;
    double      rest_volume; ///< cuts and holes closed by fans; negative where the mesh is inside out
} sup_meter_part;

/// The character must outlive the meter.
SUP_API sup_result sup_meter_create(const sup_character* character, const sup_allocator* allocator, sup_meter** out,
                                    sup_error* error);
SUP_API void       sup_meter_destroy(sup_meter* meter);

/// The number of holes of the mesh. For every volume below, a fan to the mean of its loop closes each of them.
SUP_API uint32_t sup_meter_holes(const sup_meter* meter);
SUP_API double   sup_meter_rest_volume(const sup_meter* meter);
SUP_API double   sup_meter_volume(const sup_meter* meter, const sup_vec3* points);

/// The parts that have a volume, in joint order. Their rest volumes sum to the whole.
SUP_API uint32_t              sup_meter_part_count(const sup_meter* meter);
SUP_API const sup_meter_part* sup_meter_part_at(const sup_meter* meter, uint32_t part);
/// The volume of every part. The fans' centers move with the bones of the pose, so neighbors still sum to the whole.
SUP_API void sup_meter_part_volumes(const sup_meter* meter, const sup_pose* pose, const sup_vec3* points, double* out);

/// For each point, from the volumes of all parts: the change of its part's volume as a fraction of rest; the mean where parts
/// meet.
SUP_API void sup_meter_volume_values(const sup_meter* meter, const double* volumes, float* per_point);

/// Triangles a and b pass through each other; a < b.
typedef struct sup_meter_pair {
    uint32_t a, b;
} sup_meter_pair;

/// The exact number of pairs of triangles that cross, or overlap in one plane. Pairs that share a point or merely touch do not
/// count, nor do triangles without area or with non-finite coordinates. The first `capacity` pairs in rising order go to
/// `pairs` (NULL: none). Where hundreds of triangles lie in one place, counting would be quadratic: the search gives up,
/// returns SUP_METER_UNCOUNTED and leaves no pairs. Needs sup_meter_scratch bytes of scratch, 64-byte aligned. The result is
/// the same for any tasks.
#define SUP_METER_UNCOUNTED UINT32_MAX
SUP_API size_t   sup_meter_scratch(const sup_meter* meter);
SUP_API uint32_t sup_meter_intersections(const sup_meter* meter, const sup_vec3* points, void* scratch, const sup_tasks* tasks,
                                         sup_meter_pair* pairs, uint32_t capacity);

/// The same as sup_metric_stretch. per_point, unless NULL, gets the worst edge of each point as log2 of the ratio, above 0
/// longer, below 0 shorter, clamped to -64..64.
SUP_API double sup_meter_stretch(const sup_meter* meter, const sup_vec3* points, float* per_point);
/// The root mean square, over the area, of the change of mean curvature from rest, times the diagonal: collapsed elbows and
/// candy wrappers show here. per_point, unless NULL, gets the change at each point, times the diagonal. Points on holes do not
/// count. 0 for any rigid motion of the rest shape.
SUP_API double sup_meter_roughness(const sup_meter* meter, const sup_vec3* points, float* per_point);

// ---------------------------------------------------------------------------------------------- against a truth

/// Distances of points to a ground truth, summed over frames. Zero-initialize.
typedef struct sup_errors {
    double   max, sum, sum_squares;
    uint64_t count;
} sup_errors;

SUP_API void   sup_errors_add(sup_errors* errors, const sup_vec3* points, const sup_vec3* truth, uint32_t count,
                              float* per_point); ///< per_point: NULL or the distances
SUP_API double sup_errors_mean(const sup_errors* errors);
SUP_API double sup_errors_rms(const sup_errors* errors);
/// 1000 sqrt(sum of squares / (3 points frames)) with the rest diagonal = 1, as the papers quote it.
SUP_API double sup_errors_erms(const sup_errors* errors, double diagonal);

// ---------------------------------------------------------------------------------------------- over time

/// Speed and jerk (third difference over dt^3) of every point from successive, equally spaced frames. Lives in the arena.
typedef struct sup_motion sup_motion;

SUP_API sup_result sup_motion_create(uint32_t point_count, double dt, sup_arena* arena, sup_motion** out, sup_error* error);
/// Adds a frame. Returns the largest speed (from the second frame on) and the rms and largest jerk (from the fourth on), else
/// 0.
SUP_API void sup_motion_push(sup_motion* motion, const sup_vec3* points, double* speed_max, double* jerk_rms, double* jerk_max);
/// When the speeds were last above the threshold, in seconds after frame `from`: 0 if never, negative if still so at the end.
SUP_API double sup_settle_time(const double* speeds, uint32_t count, uint32_t from, double dt, double threshold);

// ---------------------------------------------------------------------------------------------- a verdict

/// The most frames of a motion that a verdict measures, evenly spread: finding crossings costs far more than skinning.
#define SUP_VERDICT_FRAMES 12

/// A summary of a motion: the part whose volume changes most, the triangles that pass through each other, and the same numbers
/// for linear skinning. Filled by sup_verdict_push.
typedef struct sup_verdict {
    uint32_t    frames;                ///< measured so far
    bool        compared;              ///< the numbers of linear skinning are valid
    const char* part;                  ///< name of its joint; NULL: no part has a volume
    double      volume_time;           ///< when that part is at its worst; a gain counts half as much as a loss
    double      volume, volume_linear; ///< its change then, as a fraction of rest
    double      crossings_time;        ///< when most triangles cross
    uint32_t    crossings, crossings_linear, crossings_rest; ///< pairs, or SUP_METER_UNCOUNTED; linear at that time
    const char* better;        ///< a chain that was tried at those times and did better; NULL: none
    double      better_volume; ///< of that part under it
    uint32_t    better_crossings;
} sup_verdict;

/// Bytes of scratch, 64-byte aligned, for begin and push.
SUP_API size_t sup_verdict_scratch(const sup_meter* meter);
SUP_API void   sup_verdict_begin(const sup_meter* meter, void* scratch, const sup_tasks* tasks, sup_verdict* out);
/// Whether frame i of count is one of those to measure: first, last and evenly between.
SUP_API bool sup_verdict_takes(uint32_t frame, uint32_t count);
/// One frame. `linear` are the points of linear skinning at the same time; NULL: not compared.
SUP_API void sup_verdict_push(const sup_meter* meter, double time, const sup_pose* pose, const sup_vec3* points,
                              const sup_vec3* linear, void* scratch, const sup_tasks* tasks, sup_verdict* verdict);
/// The change of the verdict's part under other points at volume_time's pose; 0 where there is none.
SUP_API double sup_verdict_volume(const sup_meter* meter, const sup_verdict* verdict, const sup_pose* pose,
                                  const sup_vec3* points, void* scratch);
/// Whether something is wrong: a part loses or gains 1 % or more, or more triangles cross than at rest.
SUP_API bool sup_verdict_complains(const sup_verdict* verdict);
/// The verdict in words, one to three sentences. Returns the length of the full text.
SUP_API size_t sup_verdict_text(const sup_verdict* verdict, char* text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
