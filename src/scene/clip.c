// Samples a clip at any time, with the three interpolations of glTF 2.0.
#include "base/internal.h"
#include "math/vec.h"
#include "scene/posing.h"

#include <string.h>

// Where a time falls between keys: at key `first`, and `ratio` of the way to the next.
typedef struct moment {
    uint32_t first;
    double   ratio;
    double   seconds; // between the two keys; 0 where the first key's value holds
} moment;

static moment find_moment(const sup_channel* c, double time)
{
    if (!(time > (double)c->times[0])) return (moment){ 0, 0, 0 }; // also if time is NaN
    if (time >= (double)c->times[c->key_count - 1]) return (moment){ c->key_count - 1, 0, 0 };
    uint32_t low = 0, high = c->key_count - 1; // times[low] <= time < times[high]
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if ((double)c->times[middle] <= time) low = middle;
        else high = middle;
    }
    double seconds = (double)c->times[high] - (double)c->times[low];
    return (moment){ low, (time - (double)c->times[low]) / seconds, seconds };
}

// One number of a channel at a moment; rotations between linear keys move along arcs instead, see below.
static float sample_number(const sup_channel* c, moment m, uint32_t component)
{
    bool         cubic = c->interpolation == SUP_INTERPOLATE_CUBIC;
    size_t       stride = (size_t)c->width * (cubic ? 3 : 1);
    const float* a = c->values + m.first * stride + component;
    const float* b = a + stride;
    if (m.seconds == 0 || c->interpolation == SUP_INTERPOLATE_STEP) return cubic ? a[c->width] : a[0];
    double t = m.ratio;
    if (!cubic) return (float)((double)a[0] * (1 - t) + (double)b[0] * t);
    double t2 = t * t, t3 = t2 * t;
    double value = (2 * t3 - 3 * t2 + 1) * (double)a[c->width] +
                   m.seconds * (t3 - 2 * t2 + t) * (double)a[2 * (size_t)c->width] + (-2 * t3 + 3 * t2) * (double)b[c->width] +
                   m.seconds * (t3 - t2) * (double)b[0];
    return (float)value;
}

static sup_quat sample_rotation(const sup_channel* c, moment m)
{
    if (c->interpolation == SUP_INTERPOLATE_LINEAR && m.seconds > 0) {
        const float* a = c->values + 4 * (size_t)m.first;
        return quat_normalize(quat_slerp(quat(a[0], a[1], a[2], a[3]), quat(a[4], a[5], a[6], a[7]), (float)m.ratio));
    }
    sup_quat q = { sample_number(c, m, 0), sample_number(c, m, 1), sample_number(c, m, 2), sample_number(c, m, 3) };
    return c->interpolation == SUP_INTERPOLATE_CUBIC ? quat_normalize(q) : q;
}

static sup_vec3 sample_vec3(const sup_channel* c, moment m)
{
    return v3(sample_number(c, m, 0), sample_number(c, m, 1), sample_number(c, m, 2));
}

void sup_clip_sample(const sup_character* character, const sup_clip* clip, double time, sup_pose* pose)
{
    sup_pose_set_rest(character, pose);
    for (uint32_t i = 0; clip && i < clip->channel_count; ++i) {
        const sup_channel* c = &clip->channels[i];
        moment             m = find_moment(c, time);
        switch (c->path) {
        case SUP_PATH_TRANSLATION: pose->local[c->target].translation = sample_vec3(c, m); break;
        case SUP_PATH_ROTATION: pose->local[c->target].rotation = sample_rotation(c, m); break;
        case SUP_PATH_SCALE: pose->local[c->target].scale = sample_vec3(c, m); break;
        case SUP_PATH_WEIGHTS:
            for (uint32_t k = 0; k < c->width; ++k)
                pose->morph_weights[character->mesh.parts[c->target].morph_begin + k] = sample_number(c, m, k);
            break;
        }
    }
    sup_pose_update(character, pose);
}
