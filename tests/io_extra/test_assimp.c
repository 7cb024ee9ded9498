// FBX and COLLADA through assimp: counts, polygons, the skin against assimp's own matrices, and baked files read back.
#include "../io/folder.h"
#include "supple/io_extra.h"
#include "tests/io/bake_support.h"

#ifndef SUPPLE_ASSIMP
int main(void)
{
    puts("skipped: this build is without assimp");
    return 77;
}
#else

#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/scene.h>

static sup_result load(const char* path, sup_character** out, sup_error* error)
{
    sup_load_options options = { .extra = sup_extra_get() };
    return sup_load(path, &options, out, error);
}

static sup_character* load_good(const char* path)
{
    sup_character* c = NULL;
    sup_error      error = { 0 };
    assert_ok(load(path, &c, &error), error);
    return c;
}

static void fbx_keeps_quads_bones_and_unit(void** state)
{
    (void)state;
    TEST_NEEDS_DATA(path, "skinned/animation_with_skeleton.fbx");
    sup_character*  c = load_good(path);
    sup_mesh_report report;
    sup_error       error;
    assert_int_equal(c->mesh.point_count, 1058);
    assert_int_equal(c->mesh.face_count, 1056);
    assert_int_equal(c->mesh.corner_count, 4 * 1056);
    assert_int_equal(c->skeleton.skin_joint_count, 14); // 14 clusters in the file
    assert_ok(sup_mesh_examine(&c->mesh, &report, &error), error);
    assert_true(report.closed);
    assert_false(c->unit_assumed);
    assert_int_equal(c->clip_count, 1);
    assert_float_equal(c->clips[0].seconds, 20.0 / 24, 1e-6);
    sup_character_destroy(c);
}

static void collada_keeps_the_stormtrooper_whole(void** state)
{
    (void)state;
    TEST_NEEDS_DATA(path, "skinned/stormtrooper.dae");
    sup_character*  c = load_good(path);
    sup_mesh_report report;
    sup_error       error;
    assert_int_equal(c->mesh.point_count, 3275);
    assert_int_equal(c->mesh.face_count, 6518);
    assert_int_equal(c->mesh.triangle_count, 6518);
    assert_int_equal(c->skeleton.skin_joint_count, 52);
    assert_ok(sup_mesh_examine(&c->mesh, &report, &error), error);
    assert_int_equal(report.components, 6);
    assert_int_equal(report.boundary_edges, 20);
    assert_int_equal(c->up, SUP_AXIS_Y);
    assert_true(test_warned(c, "Stormtrooper_D.jpg")); // the picture is not beside the file
    sup_character_destroy(c);
}

// ---------------------------------------------------------------------------------------------- assimp's own skin

typedef struct aiMatrix4x4 matrix;

static matrix multiply(const matrix* a, const matrix* b)
{
    const float *x = &a->a1, *y = &b->a1;
    matrix       out;
    float*       z = &out.a1;
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) {
            double sum = 0;
            for (int k = 0; k < 4; ++k) sum += (double)x[4 * i + k] * (double)y[4 * k + j];
            z[4 * i + j] = (float)sum;
        }
    return out;
}

static void find_keys(const double* times, uint32_t count, double tick, uint32_t* a, uint32_t* b, double* ratio)
{
    uint32_t k = 0;
    while (k + 1 < count && times[k + 1] <= tick) ++k;
    *a = k;
    *b = k + 1 < count && tick > times[k] ? k + 1 : k;
    *ratio = *b > *a ? (tick - times[*a]) / (times[*b] - times[*a]) : 0;
}

static struct aiVector3D vector_at(const struct aiVectorKey* keys, uint32_t count, double tick)
{
    double   times[4096], t;
    uint32_t a, b;
    assert_in_range(count, 1, 4096);
    for (uint32_t i = 0; i < count; ++i) times[i] = keys[i].mTime;
    find_keys(times, count, tick, &a, &b, &t);
    struct aiVector3D x = keys[a].mValue, y = keys[b].mValue;
    return (struct aiVector3D){ (float)(x.x + t * (y.x - x.x)), (float)(x.y + t * (y.y - x.y)),
                                (float)(x.z + t * (y.z - x.z)) };
}

// A textbook slerp, on purpose not the library's own.
static struct aiQuaternion turn_at(const struct aiQuatKey* keys, uint32_t count, double tick)
{
    double   times[4096], t;
    uint32_t a, b;
    assert_in_range(count, 1, 4096);
    for (uint32_t i = 0; i < count; ++i) times[i] = keys[i].mTime;
    find_keys(times, count, tick, &a, &b, &t);
    struct aiQuaternion p = keys[a].mValue, q = keys[b].mValue;
    double              dot = (double)p.x * q.x + (double)p.y * q.y + (double)p.z * q.z + (double)p.w * q.w;
    double              sign = dot < 0 ? -1 : 1, angle = acos(fmin(fabs(dot), 1));
    double              u = angle > 1e-6 ? sin((1 - t) * angle) / sin(angle) : 1 - t;
    double              v = sign * (angle > 1e-6 ? sin(t * angle) / sin(angle) : t);
    struct aiQuaternion out = { (float)(u * p.w + v * q.w), (float)(u * p.x + v * q.x), (float)(u * p.y + v * q.y),
                                (float)(u * p.z + v * q.z) };
    return out;
}

static matrix compose(struct aiVector3D t, struct aiQuaternion q, struct aiVector3D s)
{
    matrix m = { .d4 = 1, .a4 = t.x, .b4 = t.y, .c4 = t.z };
    m.a1 = (1 - 2 * (q.y * q.y + q.z * q.z)) * s.x, m.a2 = 2 * (q.x * q.y - q.z * q.w) * s.y,
    m.a3 = 2 * (q.x * q.z + q.y * q.w) * s.z;
    m.b1 = 2 * (q.x * q.y + q.z * q.w) * s.x, m.b2 = (1 - 2 * (q.x * q.x + q.z * q.z)) * s.y,
    m.b3 = 2 * (q.y * q.z - q.x * q.w) * s.z;
    m.c1 = 2 * (q.x * q.z - q.y * q.w) * s.x, m.c2 = 2 * (q.y * q.z + q.x * q.w) * s.y,
    m.c3 = (1 - 2 * (q.x * q.x + q.y * q.y)) * s.z;
    return m;
}

static const struct aiNodeAnim* channel_of(const struct aiAnimation* a, const char* name)
{
    for (uint32_t c = 0; c < a->mNumChannels; ++c)
        if (strcmp(a->mChannels[c]->mNodeName.data, name) == 0) return a->mChannels[c];
    return NULL;
}

// "Arm_$AssimpFbx$_Rotation" stands still where "Arm" itself has a channel.
static bool is_replaced(const struct aiAnimation* a, const char* name)
{
    const char* mark = strstr(name, "_$AssimpFbx$_");
    char        bare[1024] = "";
    if (!mark || channel_of(a, name)) return false;
    memcpy(bare, name, (size_t)(mark - name));
    return channel_of(a, bare) != NULL;
}

static matrix global_of(const struct aiAnimation* a, const struct aiNode* node, double tick)
{
    const struct aiNodeAnim* c = channel_of(a, node->mName.data);
    matrix                   local = node->mTransformation;
    if (c)
        local =
            compose(vector_at(c->mPositionKeys, c->mNumPositionKeys, tick),
                    turn_at(c->mRotationKeys, c->mNumRotationKeys, tick), vector_at(c->mScalingKeys, c->mNumScalingKeys, tick));
    else if (is_replaced(a, node->mName.data)) local = (matrix){ .a1 = 1, .b2 = 1, .c3 = 1, .d4 = 1 };
    if (!node->mParent) return local;
    matrix above = global_of(a, node->mParent, tick);
    return multiply(&above, &local);
}

static const struct aiNode* node_named(const struct aiNode* node, const char* name)
{
    if (strcmp(node->mName.data, name) == 0) return node;
    for (uint32_t i = 0; i < node->mNumChildren; ++i) {
        const struct aiNode* found = node_named(node->mChildren[i], name);
        if (found) return found;
    }
    return NULL;
}

// sum of w G(bone) offset v, weights normalized, in the file's units.
static void skin_by_assimp(const struct aiScene* scene, const struct aiMesh* mesh, double tick, double (*out)[3])
{
    double* sums = calloc(mesh->mNumVertices, sizeof *sums);
    memset(out, 0, mesh->mNumVertices * sizeof *out);
    for (uint32_t b = 0; b < mesh->mNumBones; ++b) {
        const struct aiBone* bone = mesh->mBones[b];
        matrix               global = global_of(scene->mAnimations[0], node_named(scene->mRootNode, bone->mName.data), tick);
        matrix               m = multiply(&global, &bone->mOffsetMatrix);
        for (uint32_t i = 0; i < bone->mNumWeights; ++i) {
            struct aiVector3D v = mesh->mVertices[bone->mWeights[i].mVertexId];
            double            w = (double)bone->mWeights[i].mWeight, *p = out[bone->mWeights[i].mVertexId];
            const float*      rows = &m.a1;
            for (int k = 0; k < 3; ++k)
                p[k] += w * ((double)rows[4 * k] * v.x + (double)rows[4 * k + 1] * v.y + (double)rows[4 * k + 2] * v.z +
                             rows[4 * k + 3]);
            sums[bone->mWeights[i].mVertexId] += w;
        }
    }
    for (uint32_t v = 0; v < mesh->mNumVertices; ++v)
        for (int k = 0; k < 3; ++k) out[v][k] /= sums[v];
    free(sums);
}

// Faces are in file order; each may start at another corner.
static double face_distance(const sup_character* c, const sup_vec3* points, uint32_t f, const struct aiFace* face,
                            double (*wanted)[3], double unit)
{
    uint32_t begin = c->mesh.face_begin[f], size = c->mesh.face_begin[f + 1] - begin;
    double   best = INFINITY;
    assert_int_equal(size, face->mNumIndices);
    for (uint32_t start = 0; start < size; ++start) {
        double worst = 0;
        for (uint32_t k = 0; k < size; ++k) {
            sup_vec3      p = points[c->mesh.corner_points[begin + (start + k) % size]];
            const double* q = wanted[face->mIndices[k]];
            double        dx = p.x - unit * q[0], dy = p.y - unit * q[1], dz = p.z - unit * q[2];
            worst = fmax(worst, sqrt(dx * dx + dy * dy + dz * dz));
        }
        best = fmin(best, worst);
    }
    return best;
}

static void compare_with_assimp(const char* path, double unit)
{
    sup_character*          c = load_good(path);
    struct aiPropertyStore* properties = aiCreatePropertyStore();
    aiSetImportPropertyInteger(properties, AI_CONFIG_IMPORT_FBX_PRESERVE_PIVOTS, 1);
    const struct aiScene* scene = aiImportFileExWithProperties(path, 0, NULL, properties);
    aiReleasePropertyStore(properties);
    assert_non_null(scene);
    const struct aiMesh* mesh = scene->mMeshes[0];
    double(*wanted)[3] = calloc(mesh->mNumVertices, sizeof *wanted);
    sup_vec3*  points = calloc(c->mesh.point_count, sizeof *points);
    sup_arena* arena = sup_arena_create(NULL);
    sup_pose   pose;
    sup_error  error;
    double     worst = 0;
    assert_ok(sup_pose_create(c, arena, &pose, &error), error);
    assert_int_equal(c->mesh.face_count, mesh->mNumFaces);
    for (int i = 0; i <= 7; ++i) {
        double tick = scene->mAnimations[0]->mDuration * i / 7;
        sup_clip_sample(c, &c->clips[0], tick / scene->mAnimations[0]->mTicksPerSecond, &pose);
        test_viewer_points(c, &pose, points);
        skin_by_assimp(scene, mesh, tick, wanted);
        for (uint32_t f = 0; f < mesh->mNumFaces; ++f)
            worst = fmax(worst, face_distance(c, points, f, &mesh->mFaces[f], wanted, unit));
    }
    print_message("%s: largest distance from assimp's own skin %.3g of the diagonal\n", path, worst / (double)c->mesh.diagonal);
    assert_true(worst <= 1e-4 * (double)c->mesh.diagonal);
    sup_arena_destroy(arena);
    free(points);
    free(wanted);
    aiReleaseImport(scene);
    sup_character_destroy(c);
}

static void fbx_moves_as_assimp_says(void** state)
{
    (void)state;
    TEST_NEEDS_DATA(path, "skinned/animation_with_skeleton.fbx");
    compare_with_assimp(path, 0.01);
}

static void collada_moves_as_assimp_says(void** state)
{
    (void)state;
    TEST_NEEDS_DATA(path, "skinned/stormtrooper.dae");
    compare_with_assimp(path, 1);
}

static void other_models_move_as_assimp_says(void** state)
{
    (void)state;
    const char* path = "/usr/share/assimp/models/FBX/huesitos.fbx";
    if (access(path, R_OK) != 0) {
        print_message("skipped: Debian's assimp-testmodels are not installed\n");
        skip();
    }
    compare_with_assimp(path, 0.01);
}

// ---------------------------------------------------------------------------------------------- bakes

static void bake_and_read_back(const char* path, const char* chain, uint32_t corners)
{
    sup_character* c = load_good(path);
    sup_error      error;
    char           name[256];
    test_bake      b = { .character = c,
                         .clip = &c->clips[0],
                         .chain = chain,
                         .path = test_folder_file(&folder, "baked.glb"),
                         .fps = 10,
                         .frames = (uint32_t)(c->clips[0].seconds * 10) + 1 };
    assert_ok(test_bake_run(&b, NULL, &error), error);
    snprintf(name, sizeof name, "%s.%s", c->clips[0].name, chain);
    assert_true(test_bake_error(&b, name) < 1e-5);
    sup_character* again = test_load(b.path);
    assert_int_equal(again->mesh.point_count, c->mesh.point_count);
    assert_int_equal(again->mesh.face_count, c->mesh.face_count);
    assert_int_equal(again->mesh.corner_count, corners);
    sup_character_destroy(again);
    sup_character_destroy(c);
}

static void a_baked_fbx_shows_the_baked_points_and_its_quads(void** state)
{
    (void)state;
    TEST_NEEDS_DATA(path, "skinned/animation_with_skeleton.fbx");
    bake_and_read_back(path, "linear", 4 * 1056);
    bake_and_read_back(path, "dualquat", 4 * 1056);
}

static void a_baked_collada_shows_the_baked_points(void** state)
{
    (void)state;
    TEST_NEEDS_DATA(path, "skinned/stormtrooper.dae");
    bake_and_read_back(path, "linear", 3 * 6518);
    bake_and_read_back(path, "dualquat", 3 * 6518);
}

// ---------------------------------------------------------------------------------------------- small files

// A box of OFF: six quads, one of them with a dent would need another start; here all corners are in file order.
static const char cube_off[] = "OFF\n8 6 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n0 0 1\n1 0 1\n1 1 1\n0 1 1\n"
                               "4 0 3 2 1\n4 4 5 6 7\n4 0 1 5 4\n4 1 2 6 5\n4 2 3 7 6\n4 3 0 4 7\n";

static void a_cube_keeps_its_eight_points_and_six_quads(void** state)
{
    (void)state;
    const char* path = test_folder_file(&folder, "cube.off");
    test_write(path, cube_off, strlen(cube_off));
    sup_character* c = load_good(path);
    assert_int_equal(c->mesh.point_count, 8);
    assert_int_equal(c->mesh.face_count, 6);
    assert_int_equal(c->mesh.corner_count, 24);
    assert_true(c->unit_assumed);
    assert_true(c->up_assumed);
    sup_character_destroy(c);
}

static void unit_and_axis_of_the_user_are_obeyed(void** state)
{
    (void)state;
    const char*       path = test_folder_file(&folder, "tall.off");
    static const char off[] = "OFF\n3 1 0\n0 0 0\n1 0 0\n0 0 100\n3 0 1 2\n";
    test_write(path, off, strlen(off));
    sup_load_options options = { .unit = 0.01, .up = SUP_UP_Z, .extra = sup_extra_get() };
    sup_character*   c;
    sup_error        error;
    assert_ok(sup_load(path, &options, &c, &error), error);
    assert_false(c->unit_assumed);
    assert_false(c->up_assumed);
    float high = 0;
    for (uint32_t p = 0; p < 3; ++p) high = fmaxf(high, c->mesh.points[p].y);
    assert_float_equal(high, 1, 1e-6); // 100 cm along z became 1 m along y
    sup_character_destroy(c);
}

static void a_polygon_with_a_dent_starts_in_the_dent(void** state)
{
    (void)state;
    const char* path = test_folder_file(&folder, "dart.off");
    // An arrowhead: corner 2 is the dent. A fan from corner 0 of the file's order 1 2 3 0 would fold.
    static const char off[] = "OFF\n4 1 0\n0 2 0\n-1 -1 0\n0 0 0\n1 -1 0\n4 1 2 3 0\n";
    test_write(path, off, strlen(off));
    sup_character* c = load_good(path);
    assert_int_equal(c->mesh.face_count, 1);
    for (uint32_t t = 0; t < c->mesh.triangle_count; ++t) {
        const uint32_t* i = c->mesh.triangles + 3 * t;
        sup_vec3        a = c->mesh.points[i[0]], b = c->mesh.points[i[1]], d = c->mesh.points[i[2]];
        assert_true(v3_cross(v3_sub(b, a), v3_sub(d, a)).z > 0.5f);
    }
    sup_character_destroy(c);
}

// A triangle on a node whose rotation goes from 0 to 90 degrees in a second, lifted to (10 0 0).
#define TURNING_FBX(PROPERTIES)                                                                                                \
    "; FBX 7.4.0 project file\nFBXHeaderExtension:  {\n FBXHeaderVersion: 1003\n FBXVersion: 7400\n}\n"                        \
    "GlobalSettings:  {\n Version: 1000\n Properties70:  {\n  P: \"UpAxis\", \"int\", \"Integer\", \"\",1\n"                   \
    "  P: \"UnitScaleFactor\", \"double\", \"Number\", \"\",100\n }\n}\n"                                                      \
    "Objects:  {\n"                                                                                                            \
    " Geometry: 1000, \"Geometry::Tri\", \"Mesh\" {\n  Vertices: *9 {\n   a: 2,0,0,3,0,0,2,1,0\n  }\n"                         \
    "  PolygonVertexIndex: *3 {\n   a: 0,1,-3\n  }\n  GeometryVersion: 124\n }\n"                                              \
    " Model: 2000, \"Model::Arm\", \"Mesh\" {\n  Version: 232\n  Properties70:  {\n"                                           \
    "   P: \"RotationActive\", \"bool\", \"\", \"\",1\n" PROPERTIES                                                            \
    "   P: \"Lcl Translation\", \"Lcl Translation\", \"\", \"A\",10,0,0\n  }\n }\n"                                            \
    " AnimationStack: 3000, \"AnimStack::Take\", \"\" {\n  Properties70:  {\n"                                                 \
    "   P: \"LocalStop\", \"KTime\", \"Time\", \"\",46186158000\n  }\n }\n"                                                    \
    " AnimationLayer: 3001, \"AnimLayer::Base\", \"\" {\n }\n"                                                                 \
    " AnimationCurveNode: 3002, \"AnimCurveNode::R\", \"\" {\n  Properties70:  {\n"                                            \
    "   P: \"d|X\", \"Number\", \"\", \"A\",0\n   P: \"d|Y\", \"Number\", \"\", \"A\",0\n   P: \"d|Z\", \"Number\", \"\", "    \
    "\"A\",0\n  }\n }\n"                                                                                                       \
    " AnimationCurve: 3003, \"AnimCurve::\", \"\" {\n  Default: 0\n  KeyVer: 4008\n  KeyTime: *2 {\n   a: 0,46186158000\n  "   \
    "}\n"                                                                                                                      \
    "  KeyValueFloat: *2 {\n   a: 0,90\n  }\n  KeyAttrFlags: *1 {\n   a: 24836\n  }\n  KeyAttrRefCount: *1 {\n   a: 2\n  }\n " \
    "}\n}\n"                                                                                                                   \
    "Connections:  {\n C: \"OO\",2000,0\n C: \"OO\",1000,2000\n C: \"OO\",3001,3000\n C: \"OO\",3002,3001\n"                   \
    " C: \"OP\",3002,2000, \"Lcl Rotation\"\n C: \"OP\",3003,3002, \"d|Z\"\n}\n"

// Turned by 90 degrees before its own rotation, about a pivot at (1 0 0): p' = T P Rpre R P^-1 p, by the FBX rules.
static const char pivot_fbx[] = TURNING_FBX("   P: \"RotationPivot\", \"Vector3D\", \"Vector\", \"\",1,0,0\n"
                                            "   P: \"PreRotation\", \"Vector3D\", \"Vector\", \"\",0,0,90\n");
// Turned back by 30 degrees behind it: p' = T R Rpost^-1 p. assimp makes nodes of the pivots, but its channel has the bare name
// of the node and holds all of them.
static const char bare_fbx[] = TURNING_FBX("   P: \"PostRotation\", \"Vector3D\", \"Vector\", \"\",0,0,30\n");

static void assert_near(sup_vec3 p, float x, float y, float z)
{
    assert_float_equal(p.x, x, 1e-4);
    assert_float_equal(p.y, y, 1e-4);
    assert_float_equal(p.z, z, 1e-4);
}

static void fbx_pivots_turn_where_the_file_says(void** state)
{
    (void)state;
    const char* path = test_folder_file(&folder, "pivot.fbx");
    test_write(path, pivot_fbx, strlen(pivot_fbx));
    sup_character* c = load_good(path);
    sup_arena*     arena = sup_arena_create(NULL);
    sup_pose       pose;
    sup_error      error;
    sup_vec3       shown[3];
    assert_int_equal(c->mesh.point_count, 3);
    assert_int_equal(c->clip_count, 1);
    assert_float_equal(c->clips[0].seconds, 1, 1e-6);
    assert_ok(sup_pose_create(c, arena, &pose, &error), error);
    // (2 0 0) is (1 0 0) from the pivot: turned by 90 degrees (0 1 0), by 180 (-1 0 0), from (11 0 0) on.
    sup_clip_sample(c, &c->clips[0], 0, &pose);
    test_viewer_points(c, &pose, shown);
    assert_near(shown[c->mesh.vertex_points[0]], 11, 1, 0);
    assert_near(shown[c->mesh.vertex_points[1]], 11, 2, 0);
    sup_clip_sample(c, &c->clips[0], 1, &pose);
    test_viewer_points(c, &pose, shown);
    assert_near(shown[c->mesh.vertex_points[0]], 10, 0, 0);
    assert_near(shown[c->mesh.vertex_points[1]], 9, 0, 0);
    assert_near(shown[c->mesh.vertex_points[2]], 10, -1, 0);
    sup_arena_destroy(arena);
    sup_character_destroy(c);
}

static void a_channel_of_the_bare_node_holds_its_pivots(void** state)
{
    (void)state;
    const char* path = test_folder_file(&folder, "bare.fbx");
    test_write(path, bare_fbx, strlen(bare_fbx));
    sup_character* c = load_good(path);
    sup_arena*     arena = sup_arena_create(NULL);
    sup_pose       pose;
    sup_error      error;
    sup_vec3       shown[3];
    assert_ok(sup_pose_create(c, arena, &pose, &error), error);
    // (2 0 0) turned by -30 degrees and by 60, from (10 0 0) on; at rest as at the start.
    for (int rest = 0; rest < 2; ++rest) {
        if (rest) sup_pose_rest(c, &pose);
        else sup_clip_sample(c, &c->clips[0], 0, &pose);
        test_viewer_points(c, &pose, shown);
        assert_near(shown[c->mesh.vertex_points[0]], 11.732051f, -1, 0);
    }
    sup_clip_sample(c, &c->clips[0], 1, &pose);
    test_viewer_points(c, &pose, shown);
    assert_near(shown[c->mesh.vertex_points[0]], 11, 1.7320508f, 0);
    assert_near(shown[c->mesh.vertex_points[2]], 10.133975f, 2.232051f, 0);
    sup_arena_destroy(arena);
    sup_character_destroy(c);
}

// The same triangle on a plain node, with a shape that lifts its third corner by 2 and comes in from 0 to 100 % in a second.
static const char morph_fbx[] =
    "; FBX 7.4.0 project file\nFBXHeaderExtension:  {\n FBXHeaderVersion: 1003\n FBXVersion: 7400\n}\n"
    "GlobalSettings:  {\n Version: 1000\n Properties70:  {\n  P: \"UpAxis\", \"int\", \"Integer\", \"\",1\n"
    "  P: \"UnitScaleFactor\", \"double\", \"Number\", \"\",100\n }\n}\n"
    "Objects:  {\n"
    " Geometry: 1000, \"Geometry::Tri\", \"Mesh\" {\n  Vertices: *9 {\n   a: 0,0,0,1,0,0,0,1,0\n  }\n"
    "  PolygonVertexIndex: *3 {\n   a: 0,1,-3\n  }\n  GeometryVersion: 124\n }\n"
    " Geometry: 1001, \"Geometry::lift\", \"Shape\" {\n  Version: 100\n  Indexes: *1 {\n   a: 2\n  }\n"
    "  Vertices: *3 {\n   a: 0,2,0\n  }\n  Normals: *3 {\n   a: 0,0,0\n  }\n }\n"
    " Model: 2000, \"Model::Face\", \"Mesh\" {\n  Version: 232\n  Properties70:  {\n  }\n }\n"
    " Deformer: 4000, \"Deformer::shapes\", \"BlendShape\" {\n  Version: 100\n }\n"
    " Deformer: 4001, \"SubDeformer::lift\", \"BlendShapeChannel\" {\n  Version: 100\n  DeformPercent: 0\n"
    "  FullWeights: *1 {\n   a: 100\n  }\n }\n"
    " AnimationStack: 3000, \"AnimStack::Take\", \"\" {\n  Properties70:  {\n"
    "   P: \"LocalStop\", \"KTime\", \"Time\", \"\",46186158000\n  }\n }\n"
    " AnimationLayer: 3001, \"AnimLayer::Base\", \"\" {\n }\n"
    " AnimationCurveNode: 3002, \"AnimCurveNode::DeformPercent\", \"\" {\n  Properties70:  {\n"
    "   P: \"d|DeformPercent\", \"Number\", \"\", \"A\",0\n  }\n }\n"
    " AnimationCurve: 3003, \"AnimCurve::\", \"\" {\n  Default: 0\n  KeyVer: 4008\n  KeyTime: *2 {\n   a: 0,46186158000\n  }\n"
    "  KeyValueFloat: *2 {\n   a: 0,100\n  }\n  KeyAttrFlags: *1 {\n   a: 24836\n  }\n  KeyAttrRefCount: *1 {\n   a: 2\n  }\n "
    "}\n}\n"
    "Connections:  {\n C: \"OO\",2000,0\n C: \"OO\",1000,2000\n C: \"OO\",4000,1000\n C: \"OO\",4001,4000\n"
    " C: \"OO\",1001,4001\n C: \"OO\",3001,3000\n C: \"OO\",3002,3001\n"
    " C: \"OP\",3002,4001, \"DeformPercent\"\n C: \"OP\",3003,3002, \"d|DeformPercent\"\n}\n";

static void fbx_shapes_are_displacements_and_move(void** state)
{
    (void)state;
    const char* path = test_folder_file(&folder, "morph.fbx");
    test_write(path, morph_fbx, strlen(morph_fbx));
    sup_character* c = load_good(path);
    sup_arena*     arena = sup_arena_create(NULL);
    sup_pose       pose;
    sup_error      error;
    sup_vec3       shown[3];
    assert_int_equal(c->morph_count, 1);
    assert_float_equal(c->morphs[0].rest_weight, 0, 0);
    assert_int_equal(c->clip_count, 1);
    assert_ok(sup_pose_create(c, arena, &pose, &error), error);
    const float heights[] = { 1, 2, 3 };
    for (int i = 0; i < 3; ++i) {
        sup_clip_sample(c, &c->clips[0], 0.5 * i, &pose);
        test_viewer_points(c, &pose, shown);
        assert_near(shown[c->mesh.vertex_points[1]], 1, 0, 0);
        assert_near(shown[c->mesh.vertex_points[2]], 0, heights[i], 0);
    }
    sup_arena_destroy(arena);
    sup_character_destroy(c);
}

static void refuse(const char* file, const char* text, const char* words)
{
    const char*    path = test_folder_file(&folder, file);
    sup_character* c = NULL;
    sup_error      error = { 0 };
    test_write(path, text, strlen(text));
    assert_int_not_equal(load(path, &c, &error), SUP_OK);
    assert_null(c);
    if (!strstr(error.text, words)) fail_msg("'%s' does not say '%s'", error.text, words);
}

static void broken_files_are_refused_with_a_sentence(void** state)
{
    (void)state;
    refuse("empty.fbx", "", "is empty; copy or download it again");
    refuse("words.fbx", "these are words", "cannot be read (assimp: ");
    refuse("huge.off", "OFF\n353535235358 6 0\n", "announces 353535235358 items");
    refuse("nothing.dae",
           "<?xml version=\"1.0\"?><COLLADA version=\"1.4.1\"><library_visual_scenes><visual_scene id=\"s\"><node id=\"n\"/>"
           "</visual_scene></library_visual_scenes><scene><instance_visual_scene url=\"#s\"/></scene></COLLADA>",
           "the file has no mesh");
    refuse("odd.xyzzy", "odd", ".fbx .dae");
}

static void truncated_files_never_crash(void** state)
{
    (void)state;
    TEST_NEEDS_DATA(path, "skinned/animation_with_skeleton.fbx");
    const sup_files* files = sup_files_system();
    sup_arena*       arena = sup_arena_create(NULL);
    sup_bytes        whole;
    sup_error        error;
    assert_ok(files->read(files->user, path, arena, &whole, &error), error);
    for (int i = 0; i < 24; ++i) {
        const char* cut = test_folder_file(&folder, "cut.fbx");
        test_write(cut, whole.data, whole.size * (size_t)i / 24);
        sup_character* c = NULL;
        if (load(cut, &c, &error) == SUP_OK) sup_character_destroy(c);
        else assert_true(error.text[0]);
    }
    sup_arena_destroy(arena);
}

// assimp has memory of its own; ours may run out anywhere.
static void every_refused_allocation_is_survived(void** state)
{
    (void)state;
    const char* path = test_folder_file(&folder, "cube.off");
    test_write(path, cube_off, strlen(cube_off));
    for (long fail_at = 0;; ++fail_at) {
        test_allocator a;
        sup_character* c = NULL;
        sup_error      error = { 0 };
        test_allocator_init(&a, fail_at);
        sup_load_options options = { .allocator = &a.allocator, .extra = sup_extra_get() };
        sup_result       result = sup_load(path, &options, &c, &error);
        sup_character_destroy(c);
        assert_int_equal(a.live, 0);
        if (result == SUP_OK) break;
        assert_true(error.text[0] && !strstr(error.text, "assimp crashed"));
    }
}

// What assimp says it reads is what we list, but for the formats that are ours and two that are no geometry.
static void every_ending_of_assimp_is_listed(void** state)
{
    (void)state;
    const sup_extra* extra = sup_extra_get();
    assert_true(extra->format_count > 0);
    const char* listed = extra->formats[0]->endings;
    for (size_t i = 0; i < aiGetImportFormatCount(); ++i) {
        const char* word = aiGetImportFormatDescription(i)->mFileExtensions;
        while (*word) {
            size_t n = strcspn(word, " ");
            char   ending[64], around[68], all[1024];
            snprintf(ending, sizeof ending, "%.*s", (int)n, word);
            snprintf(around, sizeof around, " %s ", ending);
            snprintf(all, sizeof all, " %s ", listed);
            char path[80];
            snprintf(path, sizeof path, "a.%s", ending);
            if (!strchr(ending, '.') && n && !strstr(all, around) && !sup_format_for(path) && strcmp(ending, "bvh") != 0 &&
                strcmp(ending, "ply") != 0)
                fail_msg("assimp reads .%s, which is not listed", ending);
            word += n;
            word += *word == ' ';
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fbx_keeps_quads_bones_and_unit),
        cmocka_unit_test(collada_keeps_the_stormtrooper_whole),
        cmocka_unit_test(fbx_moves_as_assimp_says),
        cmocka_unit_test(collada_moves_as_assimp_says),
        cmocka_unit_test(other_models_move_as_assimp_says),
        cmocka_unit_test(a_baked_fbx_shows_the_baked_points_and_its_quads),
        cmocka_unit_test(a_baked_collada_shows_the_baked_points),
        cmocka_unit_test(a_cube_keeps_its_eight_points_and_six_quads),
        cmocka_unit_test(unit_and_axis_of_the_user_are_obeyed),
        cmocka_unit_test(a_polygon_with_a_dent_starts_in_the_dent),
        cmocka_unit_test(fbx_pivots_turn_where_the_file_says),
        cmocka_unit_test(a_channel_of_the_bare_node_holds_its_pivots),
        cmocka_unit_test(fbx_shapes_are_displacements_and_move),
        cmocka_unit_test(broken_files_are_refused_with_a_sentence),
        cmocka_unit_test(truncated_files_never_crash),
        cmocka_unit_test(every_refused_allocation_is_survived),
        cmocka_unit_test(every_ending_of_assimp_is_listed),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
#endif
