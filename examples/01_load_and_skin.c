// Load a character, bind a chain to it, and ask for the skin at any time of a clip.
//
//   01_load_and_skin [FILE [CHAIN]]      default: builtin:beast dualquat
#include <supple/supple.h>

#include <stdio.h>
#include <stdlib.h>

static int fail(const sup_error* error)
{
    fprintf(stderr, "%s\n", error->text);
    return 1;
}

int main(int argc, char** argv)
{
    sup_error      error = { 0 };
    sup_character* character = NULL;
    if (sup_load(argc > 1 ? argv[1] : "builtin:beast", NULL, &character, &error) != SUP_OK) return fail(&error);
    const sup_mesh* mesh = &character->mesh;
    const sup_clip* clip = character->clip_count ? &character->clips[0] : NULL;

    // Binding is the slow part, done once. A chain is read-only: any number of instances and threads may share it.
    sup_chain*           chain = NULL;
    const sup_chain_desc chain_desc = { .character = character, .clip = clip, .links = argc > 2 ? argv[2] : "dualquat" };
    if (sup_chain_create(&chain_desc, &chain, &error) != SUP_OK) return fail(&error);

    // An instance is one playing copy: its own clock and state.
    sup_instance*           instance = NULL;
    const sup_instance_desc instance_desc = { .chain = chain, .clip = clip };
    if (sup_instance_create(&instance_desc, &instance, &error) != SUP_OK) return fail(&error);

    // The caller provides the memory of a frame; evaluate neither allocates nor fails.
    void*     scratch = sup_scratch_create(sup_chain_scratch_size(chain), NULL);
    sup_vec3* skin = malloc(mesh->point_count * sizeof *skin);
    if (!scratch || !skin) return 1;

    double rest_volume = sup_metric_volume(mesh, mesh->points);
    printf("%s: %u points, clip '%s', chain %s\n", character->name, mesh->point_count, clip ? clip->name : "none",
           sup_chain_text(chain));
    for (int i = 0; i <= 4; i++) {
        double time = clip ? clip->seconds * i / 4.0 : 0.0;
        sup_instance_evaluate(instance, time, scratch, NULL, skin);
        printf("%6.3f s  volume %+5.1f %%  hash %016llx\n", time, 100.0 * (sup_metric_volume(mesh, skin) / rest_volume - 1.0),
               (unsigned long long)sup_hash_points(skin, mesh->point_count));
    }

    // Any time, forwards or backwards, gives the same bits.
    sup_instance_evaluate(instance, 0.0, scratch, NULL, skin);
    uint64_t first = sup_hash_points(skin, mesh->point_count);
    sup_instance_evaluate(instance, 0.25, scratch, NULL, skin);
    sup_instance_evaluate(instance, 0.0, scratch, NULL, skin);
    bool same = sup_hash_points(skin, mesh->point_count) == first;

    free(skin);
    sup_scratch_destroy(scratch);
    sup_instance_destroy(instance);
    sup_chain_destroy(chain);
    sup_character_destroy(character);
    return same ? 0 : 1;
}
