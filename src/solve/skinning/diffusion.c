#include "solve/skinning/diffusion.h"

bool sup_diffusion_solve_asking(const sup_diffusion* d, float* w, float* work, const sup_progress* progress, double share,
                                const char* what)
{
    sup_diffusion_run run = { 0 };
    while (!run.ended) {
        SUP_WIDE_PICK(sup_diffusion_go_on)(d, &run, sup_diffusion_some(d->count), w, work);
        if (!sup_progress_report(progress, share, what)) return false;
    }
    return true;
}
