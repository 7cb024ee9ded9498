#include "base/internal.h"

void sup_tasks_run(const sup_tasks* tasks, uint32_t count, uint32_t grain, sup_task_fn* task, void* data)
{
    SUP_ASSERT(grain > 0);
    if (count == 0) return;
    if (tasks && tasks->workers > 1 && count > grain) {
        tasks->run(tasks->user, count, grain, task, data);
        return;
    }
    // In pieces even without threads: a task may keep its scratch by piece.
    for (uint32_t begin = 0; begin < count;) {
        uint32_t end = count - begin > grain ? begin + grain : count;
        task(data, begin, end);
        begin = end;
    }
}
