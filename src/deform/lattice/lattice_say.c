// Notes about problems of a character, given once at bind, each with its cure.
#include "deform/lattice/lattice_binder.h"
#include "run/binding.h"

#include <math.h>

#define THIN_CELLS 2.0    // a limb thinner than this swings as one piece with its bone
enum { LIMB_POINTS = 6 }; // fewer points do not define a limb's thickness

// The thinnest limb under THIN_CELLS, how many there are, and the cells that would give it that many. A limb's half thickness
// is the mean distance of its points from its bone.
static sup_result note_thin(const binder* m)
{
    const sup_character* c = m->in->character;
    const lattice_bound* b = m->b;
    double*              sums = SUP_NEW(m->scratch, double, b->joint_count);
    uint32_t *           points = SUP_NEW(m->scratch, uint32_t, b->joint_count), count = 0, thinnest = SUP_NONE;
    double               least = INFINITY;
    if (!sums || !points) return sup_fail_memory(m->error, "a lattice");
    for (uint32_t p = 0; p < b->point_count; ++p) {
        uint32_t joint = m->dominant[b->voxels.particles[8 * (size_t)b->embed.cells[p]]];
        double   d2 = lattice_bone_distance2(m, joint, c->mesh.points[p], NULL);
        if (!isfinite(d2)) continue;
        sums[joint] += sqrt(d2);
        points[joint]++;
    }
    for (uint32_t j = 0; j < b->joint_count; ++j) {
        if (points[j] < LIMB_POINTS) continue;
        double thickness = 2 * sums[j] / points[j];
        count += thickness < THIN_CELLS;
        if (thickness < least) least = thickness, thinnest = j;
    }
    if (count == 0) return SUP_OK;
    double      need = ceil((double)m->cells * THIN_CELLS / fmax(least, 1e-3)), most = lattice_rows[ROW_CELLS].max;
    const char* name = c->skeleton.joints[thinnest].name;
    if (count == 1)
        sup_note(m->in->notes,
                 "the limb of '%s' is %.1f cells thick and follows its bone without swinging; cells=%g gives it two%s", name,
                 least, fmin(need, most), need > most ? ", nearly" : "");
    else
        sup_note(
            m->in->notes,
            "%u limbs are under two cells thick and follow their bones without swinging, '%s' the thinnest with %.1f; cells=%g "
            "gives it two%s",
            count, name, least, fmin(need, most), need > most ? ", nearly" : "");
    return SUP_OK;
}

static void note_bones(const binder* m)
{
    const sup_character*     c = m->in->character;
    const sup_nearest_bones* near = &m->lattice.near;
    if (near->lost_count)
        sup_note(m->in->notes, "%u piece%s of '%s' %s no bone inside and move%s without swinging", near->lost_count,
                 near->lost_count == 1 ? "" : "s", c->name, near->lost_count == 1 ? "has" : "have",
                 near->lost_count == 1 ? "s" : "");
    if (near->outside_bones && !m->b->keeps_file) // with weights of its own, the position of its bones does not matter
        sup_note(
            m->in->notes,
            "%u bone%s lie%s over two cells outside of '%s', that of '%s' first, and take the nearest cells; move the joints "
            "inside (weights --center), or check unit and place of the skeleton",
            near->outside_bones, near->outside_bones == 1 ? "" : "s", near->outside_bones == 1 ? "s" : "", c->name,
            c->skeleton.joints[c->skeleton.bones[near->outside_first].joint].name);
}

// Parts of the skin that the cells cannot separate from their neighbors.
static void note_thin_parts(const binder* m)
{
    const sup_joint* joints = m->in->character->skeleton.joints;
    double most = lattice_rows[ROW_CELLS].max, need = ceil((double)m->cells * m->thin_cells / m->thinnest_cells);
    char   names[128];
    size_t used = 0;
    for (uint32_t i = 0; i < m->thin_named; ++i) {
        size_t n = sup_format(names + used, sizeof names - used, "%s'%s'", i ? ", " : "", joints[m->thin_joints[i]].name);
        used = used + n < sizeof names ? used + n : sizeof names - 1;
    }
    if (m->thin_count == 0) return;
    sup_note(m->in->notes,
             "%u part%s under %.1f cells thick (%s%s) and follow%s the bones as the file's skin does, without volume and "
             "swing; %s%g%s",
             m->thin_count, m->thin_count == 1 ? " is" : "s are", m->thin_cells, names,
             m->thin_count > m->thin_named ? ", ..." : "", m->thin_count == 1 ? "s" : "",
             need > most ? "the thinnest would need cells=" : "cells=", need,
             need > most ? ", more than there may be" : " reaches all");
}

sup_result lattice_note(const binder* m)
{
    const sup_character* c = m->in->character;
    if (m->params->weights == WEIGHTS_AUTO && !m->b->keeps_file)
        sup_note(m->in->notes, "'%s' has no weights of its own; those of the cells come from the nearest bones", c->name);
    if (m->b->voxels.open) sup_note(m->in->notes, "'%s' has holes; everything its surface winds around counts as inside", c->name);
    sup_note_size(m->in);
    note_bones(m);
    if (!m->skin_parts) return note_thin(m);
    note_thin_parts(m);
    return SUP_OK;
}
