// Notes of bind: each sentence names a problem, and the cure.
#include "deform/fourier/fourier.h"
#include "math/trig.h"
#include "math/vec.h"

#include <string.h>

/// Shares from which a note is worthwhile, and the most (in diagonals) that two sculpts may differ that should be equal.
#define LOWERED_WORTH 0.5
#define FAR_WORTH 0.05
#define SEAM_WORTH 1e-4f

static void note_curves(const sup_bind_input* in, const fourier_params* p, const fourier_bound* b)
{
    const fourier_net* n = &b->net;
    uint32_t           count = n->curves.curve_count;
    if (n->flat)
        sup_note(in->notes,
                 "curve %u at point %u has no length and moves by its mean (%u of %u are like this); merge its points",
                 n->first_flat, n->curves.points[n->curves.curves[n->first_flat].begin].a, n->flat, count);
    if (n->lowered > LOWERED_WORTH * count)
        sup_note(
            in->notes,
            "%u of %u curves have too few points, or too far apart, for %d waves: they get fewer, down to %u; a finer mesh "
            "carries more",
            n->lowered, count, p->terms, n->least);
    if (n->far > FAR_WORTH * b->dynamics.point_count)
        sup_note(in->notes,
                 "%u of %u points stand far from every curve of their part and move with the nearest; more curves, or parts of "
                 "your own (groups), cover them",
                 n->far, b->dynamics.point_count);
    if (b->dynamics.segments.stand_ins)
        sup_note(in->notes,
                 "%u points are squeezed flat by the skinning at an example: what is sculpted there turns with the nearest "
                 "rotation; dualquat,fourier keeps them",
                 b->dynamics.segments.stand_ins);
}

/// In a loop an example at its end coincides with the first.
static void note_seam(const sup_bind_input* in, const fourier_bound* b)
{
    const sup_segments* s = &b->dynamics.segments;
    for (uint32_t j = b->dynamics.modal.examples; j < s->count; ++j) {
        float most = 0;
        for (uint32_t i = 0; i < b->dynamics.point_count; ++i) most = fmaxf(most, v3_distance(s->q[j][i], s->q[0][i]));
        float size = in->character->mesh.diagonal;
        if (most > SEAM_WORTH * size)
            sup_note(
                in->notes,
                "example '%s' at %g s is where the loop begins again with '%s', which counts; they differ by up to %.2g%% of "
                "the diagonal: make them one",
                s->names[j], s->times[j], s->names[0], 100 * (double)(most / size));
    }
}

/// The physical numbers in an animator's terms, and whether anything can swing with them.
static void note_physics(const sup_bind_input* in, const fourier_params* p, const fourier_bound* b)
{
    const sup_modal* m = &b->dynamics.modal;
    double           T = m->unit, rho = p->density, sigma = p->restoring, h = p->thickness;
    double           beta = p->young * h * h * h / (12 * (1 - (double)p->poisson * p->poisson));
    double           wave = p->order ? 16 * SUP_PI * SUP_PI * SUP_PI * SUP_PI : 4 * SUP_PI * SUP_PI;
    if (rho > 0 && sigma > 0)
        sup_note(in->notes, "these numbers are cycles=%.4g, damping=%.4g, spread=%.4g, law=mass",
                 T * sqrt(sigma / rho) / (2 * SUP_PI), p->viscosity / (2 * sqrt(sigma * rho)), beta * wave / sigma);
    if (m->segments && b->motion.fastest < FOURIER_SLOW_SWING)
        sup_note(in->notes,
                 "even the fastest wave takes %.3g times the whole motion for one swing, so that everything only follows, late "
                 "(t^3); "
                 "a density below %.3g, or cycles and damping without expert, let it swing",
                 2 * SUP_PI / b->motion.fastest, rho * b->motion.fastest * b->motion.fastest / (4 * SUP_PI * SUP_PI));
    if (rho == 0 && p->viscosity > 0 && m->segments > 1)
        sup_note(in->notes,
                 "density=0: without mass no rate is kept over an example, the skin only lags; give one to let it swing");
}

void fourier_note_curves(const sup_bind_input* in, const fourier_params* p, const fourier_bound* b)
{
    const sup_modal* m = &b->dynamics.modal;
    note_curves(in, p, b);
    note_seam(in, b);
    if (p->expert) note_physics(in, p, b);
    if (m->growing)
        sup_note(in->notes,
                 "carried rates of %u waves grow by up to %.3g from example to example; raise cycles or damping, or take "
                 "continuity=auto",
                 m->growing, m->growth);
}

/// A player computes points before skinning; the skinning is the game's, and it must match this chain's.
bool fourier_note(const sup_bind_input* in, const fourier_bound* b, sup_arena* arena, const char** out)
{
    uint32_t leaning = b->dynamics.segments.push.turned_count;
    char     text[512];
    *out = NULL;
    if (in->skinning == SUP_SKINNING_DUALQUAT)
        sup_format(text, sizeof text,
                   "fourier: the runtime file is for a game that skins with dual quaternions; without dualquat in front it is "
                   "for linear blending");
    else if (leaning)
        sup_format(text, sizeof text,
                   "fourier: %u points lean on dual quaternions where linear blending squeezes them, and a game that blends "
                   "linearly leaves them elsewhere; fourier(lean=0) makes a file for it, others find them in the file",
                   leaning);
    else if (b->trusted && (b->dynamics.beside.off || b->dynamics.beside.ahead))
        sup_format(text, sizeof text,
                   "fourier: the runtime file knows the time and not the pose: it plays the sculpts as fourier(trust=0) does");
    else return true;
    *out = sup_arena_text(arena, text, strlen(text));
    return *out != NULL;
}
