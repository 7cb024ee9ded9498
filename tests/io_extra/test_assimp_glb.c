// A reader that nobody here wrote opens our GLB: assimp finds the vertices, the faces and every baked frame where we put them.
#include "../io/folder.h"
#include "tests/io/bake_support.h"

#ifndef SUPPLE_ASSIMP
int main(void)
{
    puts("skipped: this build is without assimp");
    return 77;
}
#else

#include <assimp/cimport.h>
#include <assimp/scene.h>

enum { FRAMES = 4 };

static const struct aiScene* bake_and_import(const sup_character* c, const char* file, bool flat)
{
    test_bake b = {
        .character = c, .clip = &c->clips[0], .path = test_folder_file(&folder, file), .fps = 10, .frames = FRAMES
    };
    sup_error error;
    b.flat = flat;
    assert_ok(test_bake_run(&b, NULL, &error), error);
    const struct aiScene* scene = aiImportFile(b.path, 0);
    if (!scene) fail_msg("assimp: %s", aiGetErrorString());
    assert_int_equal(scene->mNumMeshes, 1);
    assert_int_equal(scene->mMeshes[0]->mNumVertices, c->mesh.vertex_count);
    return scene;
}

static double distance(struct aiVector3D a, sup_vec3 b)
{
    double x = (double)a.x - (double)b.x, y = (double)a.y - (double)b.y, z = (double)a.z - (double)b.z;
    return sqrt(x * x + y * y + z * z);
}

static void assimp_finds_the_baked_points(void** state)
{
    (void)state;
    sup_character* c = test_tube(40, 16, 4, 8, 1);
    sup_arena*     arena = sup_arena_create(NULL);
    sup_pose       pose;
    sup_error      error;
    sup_vec3*      points = sup_arena_alloc(arena, c->mesh.point_count, sizeof *points);
    assert_ok(sup_pose_create(c, arena, &pose, &error), error);
    const struct aiScene* scene = bake_and_import(c, "flat.glb", true);
    const struct aiMesh*  mesh = scene->mMeshes[0];
    assert_int_equal(mesh->mNumFaces, c->mesh.triangle_count);
    assert_int_equal(mesh->mNumAnimMeshes, FRAMES);
    for (uint32_t f = 0; f < FRAMES; ++f) {
        double worst = 0;
        sup_clip_sample(c, &c->clips[0], f / 10.0, &pose);
        test_living_points(c, &pose, f / 10.0, points);
        for (uint32_t v = 0; v < c->mesh.vertex_count; ++v) {
            double d = distance(mesh->mAnimMeshes[f]->mVertices[v], points[c->mesh.vertex_points[v]]);
            if (!(d <= worst)) worst = d;
        }
        if (!(worst < 1e-6 * (double)c->mesh.diagonal)) fail_msg("frame %u is off by %g", f, worst);
    }
    assert_int_equal(scene->mNumAnimations, 2); // its own and the baked one
    aiReleaseImport(scene);
    sup_arena_destroy(arena);
    sup_character_destroy(c);
}

static void assimp_finds_the_skin_and_the_rest_shape(void** state)
{
    (void)state;
    sup_character*        c = test_tube(40, 16, 4, 8, 1);
    const struct aiScene* scene = bake_and_import(c, "skinned.glb", false);
    const struct aiMesh*  mesh = scene->mMeshes[0];
    assert_int_equal(mesh->mNumBones, c->skeleton.skin_joint_count);
    assert_int_equal(mesh->mNumAnimMeshes, FRAMES);
    for (uint32_t v = 0; v < c->mesh.vertex_count; ++v)
        assert_true(distance(mesh->mVertices[v], c->mesh.points[c->mesh.vertex_points[v]]) == 0);
    double sum = 0;
    for (uint32_t b = 0; b < mesh->mNumBones; ++b)
        for (uint32_t w = 0; w < mesh->mBones[b]->mNumWeights; ++w) sum += (double)mesh->mBones[b]->mWeights[w].mWeight;
    assert_float_equal(sum, c->mesh.vertex_count, 1e-3);
    aiReleaseImport(scene);
    sup_character_destroy(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(assimp_finds_the_baked_points),
        cmocka_unit_test(assimp_finds_the_skin_and_the_rest_shape),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
#endif
