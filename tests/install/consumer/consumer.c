// What a stranger's program looks like: only installed headers, only installed libraries.
#include <supple/supple.h>

#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    sup_character* character = NULL;
    sup_chain*     chain = NULL;
    sup_instance*  instance = NULL;
    sup_error      error;
    if (sup_load("builtin:arm", NULL, &character, &error) != SUP_OK) return 1;
    if (sup_chain_create(&(sup_chain_desc){ .character = character, .links = "dualquat" }, &chain, &error) != SUP_OK) return 1;
    sup_instance_desc desc = { .chain = chain, .clip = &character->clips[0] };
    if (sup_instance_create(&desc, &instance, &error) != SUP_OK) return 1;
    void*     scratch = sup_scratch_create(sup_chain_scratch_size(chain), NULL);
    sup_vec3* skin = malloc(character->mesh.point_count * sizeof *skin);
    if (!scratch || !skin) return 1;
    sup_instance_evaluate(instance, 0.5, scratch, NULL, skin);
    printf("%s %016llx\n", SUP_VERSION, (unsigned long long)sup_hash_points(skin, character->mesh.point_count));
    free(skin);
    sup_scratch_destroy(scratch);
    sup_instance_destroy(instance);
    sup_chain_destroy(chain);
    sup_character_destroy(character);
    return 0;
}
