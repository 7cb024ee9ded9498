// A game or an editor: poses arrive frame by frame, at whatever rate the display runs, and the future is unknown.
#include <supple/supple.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// The host's own animation: every joint but the roots sways a little about z.
static void animate(const sup_character* character, double time, double phase, sup_transform* local)
{
    float half = (float)(0.15 * sin(6.0 * time + phase)), s = sinf(half), c = cosf(half);
    for (uint32_t j = 0; j < character->skeleton.joint_count; j++) {
        const sup_joint* joint = &character->skeleton.joints[j];
        sup_quat         q = joint->rest.rotation;
        local[j] = joint->rest;
        if (joint->parent == SUP_NONE) continue;
        local[j].rotation = (sup_quat){ q.x * c + q.y * s, q.y * c - q.x * s, q.z * c + q.w * s, q.w * c - q.z * s };
    }
}

static float farthest(const sup_vec3* a, const sup_vec3* b, uint32_t count)
{
    float most = 0.0f;
    for (uint32_t i = 0; i < count; i++) {
        float d = hypotf(hypotf(a[i].x - b[i].x, a[i].y - b[i].y), a[i].z - b[i].z);
        if (!(d <= most)) most = d; // written so that a NaN propagates and is noticed
    }
    return most;
}

int main(void)
{
    sup_error      error = { 0 };
    sup_character* character = NULL;
    sup_chain*     chain = NULL;
    sup_instance*  twins[2] = { NULL, NULL };
    if (sup_load("builtin:beast", NULL, &character, &error) != SUP_OK) return fprintf(stderr, "%s\n", error.text), 1;

    // No clip: nothing ahead is known. Both instances share the bound chain; each has its own clock.
    const sup_chain_desc desc = { .character = character, .links = "dualquat" };
    if (sup_chain_create(&desc, &chain, &error) != SUP_OK) return fprintf(stderr, "%s\n", error.text), 1;
    for (int i = 0; i < 2; i++) {
        const sup_instance_desc live = { .chain = chain, .live = true };
        if (sup_instance_create(&live, &twins[i], &error) != SUP_OK) return fprintf(stderr, "%s\n", error.text), 1;
    }

    uint32_t       points = character->mesh.point_count;
    void*          scratch = sup_scratch_create(sup_chain_scratch_size(chain), NULL);
    sup_vec3*      skins[2] = { malloc(points * sizeof **skins), malloc(points * sizeof **skins) };
    sup_transform* local = malloc(character->skeleton.joint_count * sizeof *local);
    if (!scratch || !skins[0] || !skins[1] || !local) return 1;

    // One second of a stuttering display: the clock inside is fixed, so a late frame affects only itself.
    double time = 0.0;
    for (int frame = 0; time < 1.0; frame++) {
        double dt = frame % 7 == 6 ? 3.0 / 60.0 : 1.0 / 60.0;
        time += dt;
        for (int i = 0; i < 2; i++) {
            animate(character, time, (double)i, local);
            sup_instance_live(twins[i], dt, local, NULL, /* teleport */ false, scratch, NULL, skins[i]);
        }
    }
    float apart = farthest(skins[0], skins[1], points), moved = farthest(skins[0], character->mesh.points, points);
    printf("%s, live: moved by up to %.3f units, the two copies are %.3f apart\n", character->name, (double)moved,
           (double)apart);

    for (int i = 0; i < 2; i++) {
        free(skins[i]);
        sup_instance_destroy(twins[i]);
    }
    free(local);
    sup_scratch_destroy(scratch);
    sup_chain_destroy(chain);
    sup_character_destroy(character);
    return isfinite(moved) && moved > 0.0f && apart > 0.0f ? 0 : 1;
}
