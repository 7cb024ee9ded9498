// A crowd: instances share nothing that moves, so each is one thread's work, and no order of them changes a bit. Memory of a
// frame goes by threads, not by characters.
#include "base/internal.h"
#include "supple/deformer.h"

typedef struct batch {
    const sup_batch_item* items;
    void* const*          scratch;
    uint32_t              grain;
} batch;

static void batch_task(void* data, uint32_t begin, uint32_t end)
{
    const batch* b = data;
    void*        scratch = b->scratch[begin / b->grain];
    for (uint32_t i = begin; i < end; ++i) {
        const sup_batch_item* item = &b->items[i];
        if (item->local)
            sup_instance_live(item->instance, item->dt, item->local, item->morph_weights, item->teleport, scratch, item->stats,
                              item->out);
        else sup_instance_evaluate(item->instance, item->time, scratch, item->stats, item->out);
    }
}

void sup_batch_evaluate(const sup_batch_item* items, uint32_t count, void* const* scratch, uint32_t blocks,
                        const sup_tasks* tasks)
{
    SUP_ASSERT((items || !count) && scratch && blocks);
    if (!count) return;
    batch b = { items, scratch, (count + blocks - 1) / blocks };
    sup_tasks_run(tasks, count, b.grain, batch_task, &b);
}
