// Animations. Times are in ticks of the clip's own rate; of keys that do not advance in time only the first is visible.
#include "io_extra/assimp.h"
#include "math/vec.h"

#include <assimp/cimport.h>
#include <assimp/version.h>
#include <string.h>

// The rate of assimp's own viewer if the file has none.
static const double TICKS_USUAL = 25;

typedef struct maker {
    assimp_reader*            r;
    const struct aiAnimation* from;
    const char*               name;
    sup_json*                 animation;
    double                    rate;     // ticks a second
    double                    earliest; // the tick that becomes time 0 if negative
    bool*                     moved;    // nodes with a channel of their own
    uint32_t                  missing;  // channels that name no node
    uint32_t                  stale;    // keys that were dropped
} maker;

// ---------------------------------------------------------------------------------------------- keys

// The time of key i in seconds. glTF has no negative times.
static float time_of(const maker* m, double ticks) { return (float)((ticks - m->earliest) / m->rate); }

typedef struct keys {
    uint32_t count;
    float*   times;
    float*   values;
} keys;

static bool start_keys(maker* m, uint32_t count, uint32_t width, keys* out)
{
    *out = (keys){ .times = SUP_NEW(m->r->keep, float, count), .values = SUP_NEW(m->r->keep, float, (size_t)count* width) };
    if (!out->times || !out->values) m->r->edit.failed = true;
    return out->times && out->values;
}

static void add_key(maker* m, keys* k, double ticks, const float* values, uint32_t width)
{
    float time = time_of(m, ticks);
    bool  good = isfinite(time) && time >= 0 && (k->count == 0 || time > k->times[k->count - 1]);
    for (uint32_t i = 0; i < width; ++i) good = good && isfinite(values[i]);
    if (!good) {
        m->stale++;
        return;
    }
    k->times[k->count] = time;
    memcpy(k->values + (size_t)k->count * width, values, width * sizeof *values);
    k->count++;
}

static void put_channel(maker* m, const keys* k, uint32_t width, uint32_t components, uint32_t node, const char* path)
{
    gltf_edit* edit = &m->r->edit;
    if (k->count == 0) return;
    uint32_t input = gltf_edit_floats(edit, k->times, k->count, 1, 0, true);
    uint32_t output = gltf_edit_floats(edit, k->values, k->count * (width / components), components, 0, false);
    gltf_clip_channel(edit, m->animation, gltf_clip_sampler(edit, m->animation, input, output, "LINEAR"), node, path);
}

// ---------------------------------------------------------------------------------------------- nodes

static void put_vectors(maker* m, const struct aiVectorKey* from, uint32_t count, uint32_t node, const char* path)
{
    keys k;
    if (count == 0 || !start_keys(m, count, 3, &k)) return;
    for (uint32_t i = 0; i < count; ++i) {
        const float values[3] = { from[i].mValue.x, from[i].mValue.y, from[i].mValue.z };
        add_key(m, &k, from[i].mTime, values, 3);
    }
    put_channel(m, &k, 3, 3, node, path);
}

// Each key is followed by `after`.
static void put_rotations(maker* m, const struct aiQuatKey* from, uint32_t count, uint32_t node, sup_quat after)
{
    keys k;
    if (count == 0 || !start_keys(m, count, 4, &k)) return;
    for (uint32_t i = 0; i < count; ++i) {
        sup_quat q = quat(from[i].mValue.x, from[i].mValue.y, from[i].mValue.z, from[i].mValue.w);
        q = quat_normalize(quat_mul(q, after));
        add_key(m, &k, from[i].mTime, &q.x, 4);
    }
    put_channel(m, &k, 4, 4, node, "rotation");
}

static void hold_still(maker* m, uint32_t node)
{
    static const struct aiVectorKey none = { 0, { 0, 0, 0 } }, whole = { 0, { 1, 1, 1 } };
    static const struct aiQuatKey   turn = { 0, { .w = 1 } };
    struct aiVectorKey              at = none, size = whole;
    struct aiQuatKey                rotation = turn;
    at.mTime = size.mTime = rotation.mTime = m->earliest;
    put_vectors(m, &at, 1, node, "translation");
    put_rotations(m, &rotation, 1, node, quat(0, 0, 0, 1));
    put_vectors(m, &size, 1, node, "scale");
}

static bool is_pivot_of(const maker* m, uint32_t above, uint32_t node)
{
    const char *name = m->r->nodes[node].name, *other = m->r->nodes[above].name;
    size_t      length = strlen(name);
    return assimp_pivot_length(other) == length && strncmp(other, name, length) == 0;
}

// assimp up to 5.2 applies the post-rotation to the channel of a bare node the wrong way round: R post, where FBX means R
// post^-1, which is what its own PostRotation node holds. Twice that node's rotation after each key corrects it.
static sup_quat forgotten_turn(const maker* m, uint32_t node)
{
    static const char post[] = "PostRotation";
    sup_quat          none = quat(0, 0, 0, 1);
    if (aiGetVersionMajor() > 5 || (aiGetVersionMajor() == 5 && aiGetVersionMinor() > 2)) return none;
    for (uint32_t p = m->r->nodes[node].parent; p != SUP_NONE && is_pivot_of(m, p, node); p = m->r->nodes[p].parent) {
        const char* name = m->r->nodes[p].name;
        size_t      length = strlen(name);
        if (m->moved[p] || length < sizeof post || strcmp(name + length - (sizeof post - 1), post) != 0) continue;
        struct aiQuaternion turn;
        struct aiVector3D   scale, at;
        aiDecomposeMatrix(&m->r->nodes[p].from->mTransformation, &scale, &turn, &at);
        sup_quat q = quat(turn.x, turn.y, turn.z, turn.w);
        return quat_normalize(quat_mul(q, q));
    }
    return none;
}

// FBX pivots are nodes above their node. A channel that names the node itself includes all of them.
static void still_pivots(maker* m, uint32_t node)
{
    for (uint32_t p = m->r->nodes[node].parent; p != SUP_NONE && is_pivot_of(m, p, node); p = m->r->nodes[p].parent) {
        if (m->moved[p]) continue;
        m->moved[p] = true;
        hold_still(m, p);
    }
}

static uint32_t find_node(maker* m, const struct aiNodeAnim* channel)
{
    return assimp_node_find(m->r, assimp_text(m->r, &channel->mNodeName));
}

static void put_nodes(maker* m)
{
    memset(m->moved, 0, m->r->node_count * sizeof *m->moved);
    bool* done = SUP_NEW(m->r->work, bool, m->r->node_count);
    if (!done) {
        m->r->edit.failed = true;
        return;
    }
    for (uint32_t c = 0; c < m->from->mNumChannels; ++c) {
        uint32_t node = find_node(m, m->from->mChannels[c]);
        if (node == SUP_NONE) m->missing++;
        else m->moved[node] = true;
    }
    for (uint32_t c = 0; c < m->from->mNumChannels; ++c) {
        const struct aiNodeAnim* channel = m->from->mChannels[c];
        uint32_t                 node = find_node(m, channel);
        if (node == SUP_NONE || done[node]) continue;
        done[node] = true;
        put_vectors(m, channel->mPositionKeys, channel->mNumPositionKeys, node, "translation");
        put_rotations(m, channel->mRotationKeys, channel->mNumRotationKeys, node, forgotten_turn(m, node));
        put_vectors(m, channel->mScalingKeys, channel->mNumScalingKeys, node, "scale");
        still_pivots(m, node);
    }
}

// ---------------------------------------------------------------------------------------------- morphs

static void put_morph(maker* m, const struct aiMeshMorphAnim* channel, bool* done)
{
    char* name = (char*)(void*)(uintptr_t)assimp_text(m->r, &channel->mName); // ours: a fresh copy
    char* star = strrchr(name, '*');
    if (star) *star = 0; // FBX: "Face*0", the node and the piece of its mesh
    uint32_t index = assimp_node_find(m->r, name);
    if (index == SUP_NONE || m->r->nodes[index].carrier == SUP_NONE) {
        m->missing++;
        return;
    }
    const assimp_node* node = &m->r->nodes[index];
    uint32_t           width = node->morphs;
    keys               k;
    float*             values = SUP_NEW(m->r->work, float, width);
    if (done[index] || channel->mNumKeys == 0 || !start_keys(m, channel->mNumKeys, width, &k) || !values) return;
    done[index] = true;
    for (uint32_t i = 0; i < channel->mNumKeys; ++i) {
        const struct aiMeshMorphKey* key = &channel->mKeys[i];
        memset(values, 0, width * sizeof *values);
        for (uint32_t w = 0; w < key->mNumValuesAndWeights; ++w)
            if (key->mValues[w] < width) values[key->mValues[w]] = (float)key->mWeights[w];
        add_key(m, &k, key->mTime, values, width);
    }
    put_channel(m, &k, width, 1, node->carrier, "weights");
}

static void put_morphs(maker* m)
{
    if (m->from->mNumMorphMeshChannels == 0) return;
    bool* done = SUP_NEW(m->r->work, bool, m->r->node_count);
    for (uint32_t c = 0; c < m->from->mNumMorphMeshChannels && done; ++c) put_morph(m, m->from->mMorphMeshChannels[c], done);
}

// ---------------------------------------------------------------------------------------------- clips

static void note_tick(maker* m, double tick)
{
    if (tick < m->earliest) m->earliest = tick;
}

static void find_earliest(maker* m)
{
    for (uint32_t c = 0; c < m->from->mNumChannels; ++c) {
        const struct aiNodeAnim* channel = m->from->mChannels[c];
        if (channel->mNumPositionKeys) note_tick(m, channel->mPositionKeys[0].mTime);
        if (channel->mNumRotationKeys) note_tick(m, channel->mRotationKeys[0].mTime);
        if (channel->mNumScalingKeys) note_tick(m, channel->mScalingKeys[0].mTime);
    }
    for (uint32_t c = 0; c < m->from->mNumMorphMeshChannels; ++c)
        if (m->from->mMorphMeshChannels[c]->mNumKeys) note_tick(m, m->from->mMorphMeshChannels[c]->mKeys[0].mTime);
}

static void make_clip(maker* m)
{
    gltf_edit* edit = &m->r->edit;
    m->rate = m->from->mTicksPerSecond > 0 && isfinite(m->from->mTicksPerSecond) ? m->from->mTicksPerSecond : TICKS_USUAL;
    m->name = assimp_text(m->r, &m->from->mName);
    m->animation = gltf_edit_new(edit, SUP_JSON_OBJECT);
    if (m->name[0]) gltf_edit_string(edit, m->animation, "name", m->name);
    find_earliest(m);
    put_nodes(m);
    put_morphs(m);
    if (gltf_edit_get(m->animation, "channels")) gltf_edit_add(edit, "animations", m->animation);
    else assimp_warn(m->r, "clip '%.80s' animates no node of the file; it is left out", m->name);
    if (m->missing) assimp_warn(m->r, "clip '%.80s': %u channels animate no node of the file", m->name, m->missing);
    if (m->stale)
        assimp_warn(m->r, "clip '%.80s': %u keys are not later than the one before, or not numbers; they are left out", m->name,
                    m->stale);
}

sup_result assimp_clips_make(assimp_reader* r)
{
    bool* moved = SUP_NEW(r->work, bool, r->node_count);
    if (!moved) return sup_fail_memory(r->error, "the clips");
    for (uint32_t i = 0; i < r->scene->mNumAnimations; ++i) {
        maker m = { .r = r, .from = r->scene->mAnimations[i], .moved = moved };
        make_clip(&m);
    }
    return r->edit.failed ? sup_fail_memory(r->error, "the clips") : SUP_OK;
}
