#include "solve/lattice/lattice_embed.h"

// What is added to the lattice's own result, for some lanes.
static inline fr extra(const sup_lattice_embed_call* c, const uint32_t* index, int axis)
{
    fr r = fr_all(0);
    if (c->plus) r = fr_gather(&c->plus->x + axis, 3, index);
    if (c->minus) r = r - fr_gather(&c->minus->x + axis, 3, index);
    return r;
}

void SUP_WIDE(sup_lattice_embed_blocks)(const sup_lattice_embed_call* c, uint32_t begin, uint32_t end)
{
    const sup_lattice_embed* e = c->embed;
    for (uint32_t b = begin; b < end; ++b) {
        const uint32_t* slots = e->corners + 8 * (size_t)b;
        const float *   at = e->places + 24 * (size_t)b, *corner[8];
        for (int k = 0; k < 8; ++k) corner[k] = c->x + 4 * (size_t)slots[k];
        for (uint32_t lane = 0; lane < e->lanes[b]; lane += SUP_REGISTER) {
            const uint32_t* index = e->index + 8 * (size_t)b + lane;
            fr              fx = fr_load(at + lane), fy = fr_load(at + 8 + lane), fz = fr_load(at + 16 + lane), out[3];
            for (int a = 0; a < 3; ++a) {
                fr x[4];
                for (int k = 0; k < 4; ++k) {
                    float low = corner[2 * k][a], high = corner[2 * k + 1][a];
                    x[k] = fr_all(low) + fx * fr_all(high - low);
                }
                fr y0 = x[0] + fy * (x[1] - x[0]), y1 = x[2] + fy * (x[3] - x[2]);
                out[a] = y0 + fz * (y1 - y0);
                if (c->plus || c->minus) out[a] = out[a] + extra(c, index, a);
            }
            uint32_t left = e->lanes[b] - lane;
            fr_scatter3(&c->out->x, 3, index, left < SUP_REGISTER ? left : SUP_REGISTER, out[0], out[1], out[2]);
        }
    }
}

void SUP_WIDE(sup_lattice_embed_product)(const sup_lattice_products_job* j, uint32_t begin, uint32_t end)
{
    const sup_lattice_embed* e = j->embed;
    fr                       one = fr_all(1);
    for (uint32_t b = begin; b < end; ++b) {
        const uint32_t* slots = e->corners + 8 * (size_t)b;
        const float*    at = e->places + 24 * (size_t)b;
        for (uint32_t lane = 0; lane < e->lanes[b]; lane += SUP_REGISTER) {
            fr    x[2], y[2], z[2], sum = fr_all(0);
            float rows[SUP_REGISTER];
            x[1] = fr_load(at + lane), y[1] = fr_load(at + 8 + lane), z[1] = fr_load(at + 16 + lane);
            x[0] = one - x[1], y[0] = one - y[1], z[0] = one - z[1];
            for (uint32_t k = 0; k < 8; ++k)
                sum += x[k & 1] * y[k >> 1 & 1] * z[k >> 2] * fr_all(j->a[slots[k]]) * fr_all(j->b ? j->b[slots[k]] : 1.0f);
            fr_store(rows, sum);
            for (uint32_t i = 0; i < SUP_REGISTER && lane + i < e->lanes[b]; ++i)
                j->out[e->index[8 * (size_t)b + lane + i]] = rows[i];
        }
    }
}

void SUP_WIDE(sup_lattice_embed_smooth)(const sup_lattice_embed_call* c, uint32_t begin, uint32_t end)
{
    const sup_lattice_embed* e = c->embed;
    for (uint32_t p = begin; p < end; ++p) {
        f4 sum = { 0, 0, 0, 0 };
        for (uint32_t i = e->begin[p]; i < e->begin[p + 1]; ++i) {
            f4    x;
            float w = e->weights[i];
            memcpy(&x, c->x + 4 * (size_t)e->near[i], sizeof x);
            sum += x * (f4){ w, w, w, w };
        }
        sup_vec3 out = { sum[0], sum[1], sum[2] };
        if (c->plus) out = (sup_vec3){ out.x + c->plus[p].x, out.y + c->plus[p].y, out.z + c->plus[p].z };
        if (c->minus) out = (sup_vec3){ out.x - c->minus[p].x, out.y - c->minus[p].y, out.z - c->minus[p].z };
        c->out[p] = out;
    }
}
