// The boxes of a pack's eight triangles, swept from where their corners are to where they are expected.
#include "solve/contact/contact_internal.h"

void SUP_WIDE(sup_contact_measure)(const contact_search* s, uint32_t begin, uint32_t end)
{
    const float shift[3] = { s->shift.x, s->shift.y, s->shift.z };
    f8          huge = f8_all(__builtin_inff());
    for (uint32_t p = begin; p < end; ++p) {
        const contact_lanes* lanes = &s->c->lanes[p];
        contact_pack*        pack = &s->m.packs[p];
        sup_box*             node = &s->m.nodes[s->c->pack_count + p];
        f8 from[3][4], to[3][4], low[3], high[3], none = f8_all(0), grow = f8_all(s->c->grow) * f8_load(lanes->unit);
        for (int k = 0; k < 3; ++k) {
            f8_gather4(&s->from->x, lanes->corners[k], from[k]);
            f8_gather4(&s->to->x, lanes->corners[k], to[k]);
        }
        for (int i = 0; i < 3; ++i) {
            low[i] = huge, high[i] = -huge;
            for (int k = 0; k < 3; ++k) {
                f8 moved = from[k][i] + f8_all(shift[i]);
                low[i] = f8_min(low[i], f8_min(moved, to[k][i]));
                high[i] = f8_max(high[i], f8_max(moved, to[k][i]));
                none += f8_all(0) * (moved + to[k][i]); // 0 where all are finite
            }
        }
        i8 real = i8_load(lanes->solid) & (none == f8_all(0));
        for (int i = 0; i < 3; ++i) {
            f8_store(pack->min[i], f8_select(real, low[i] - grow, huge));
            f8_store(pack->max[i], f8_select(real, high[i] + grow, -huge));
            node->min[i] = pack->min[i][0], node->max[i] = pack->max[i][0];
            for (uint32_t k = 1; k < CONTACT_PACK; ++k) {
                node->min[i] = pack->min[i][k] < node->min[i] ? pack->min[i][k] : node->min[i];
                node->max[i] = pack->max[i][k] > node->max[i] ? pack->max[i][k] : node->max[i];
            }
        }
    }
}
