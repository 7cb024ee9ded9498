// One substep of the particles, eight at a time. d = x - y is the displacement from the pose, w the speed relative to it:
//   xh - y' = d + dt (w + u - u') + dt^2 a        u, u' = speed of the pose before and in this step
// so a pose that moves uniformly causes no displacement, and nothing large is ever subtracted.
#include "deform/lattice/lattice.h"

static inline f8 at(const float* plane, uint32_t s) { return f8_load(plane + s); }

// Three planes from vectors side by side.
static inline void load3(const sup_vec3* v, uint32_t s, f8 out[3])
{
    float rows[3][SUP_LANES];
    for (uint32_t lane = 0; lane < SUP_LANES; lane += SUP_REGISTER) {
        fr x, y, z;
        fr_load3(&v[s + lane].x, &x, &y, &z);
        fr_store(rows[0] + lane, x);
        fr_store(rows[1] + lane, y);
        fr_store(rows[2] + lane, z);
    }
    for (int i = 0; i < 3; ++i) out[i] = f8_load(rows[i]);
}

// The rest shape moved by the root, relative to the origin.
static inline void rest_reference(const lattice_step* j, uint32_t s, f8 out[3])
{
    sup_affine a = affine_from_rotation(j->rest->rotation, j->rest->translation);
    f8         r[3];
    load3(j->b->rest, s, r);
    const float o[3] = { j->origin->x, j->origin->y, j->origin->z };
    for (int i = 0; i < 3; ++i)
        out[i] = f8_all(a.m[i][0]) * r[0] + f8_all(a.m[i][1]) * r[1] + f8_all(a.m[i][2]) * r[2] + f8_all(a.m[i][3] - o[i]);
}

bool SUP_WIDE(lattice_predict)(const lattice_step* j, uint32_t chunk)
{
    uint32_t begin = j->b->regions.chunks[chunk], end = j->b->regions.chunks[chunk + 1];
    f8       dt = f8_all(j->dt), rate = f8_all(1.0f / j->dt), square = f8_all(j->dt * j->dt);
    i8       moves = i8_all(0);
    f8       origin[3] = { f8_all(j->origin->x), f8_all(j->origin->y), f8_all(j->origin->z) };
    for (uint32_t s = begin; s < end; s += SUP_LANES) {
        f8 zero = f8_all(0), y[3], push[3] = { zero, zero, zero }, reference[3] = { zero, zero, zero },
           free = at(j->b->free, s), hold = at(j->hold, s);
        load3(j->pose, s, y);
        for (int i = 0; i < 3 && j->part < 1; ++i) {
            f8 from = at(j->y[i], s);
            y[i] = from + f8_all(j->part) * (y[i] - from);
        }
        if (j->push) load3(j->push, s, push);
        if (j->rest) rest_reference(j, s, reference);
        f8 ahead[3], asked[3], away = zero;
        for (int i = 0; i < 3; ++i) {
            f8 d = at(j->d[i], s), before = at(j->u[i], s), now = rate * (y[i] - at(j->y[i], s));
            ahead[i] = free * (d + dt * (at(j->w[i], s) + (before - now)) + square * push[i]);
            asked[i] = free * (d - dt * now);
            away = away + ahead[i] * ahead[i];
            f8_store(j->start[i] + s, d);
            f8_store(j->ahead[i] + s, ahead[i]);
            f8_store(j->y[i] + s, y[i]);
            f8_store(j->u[i] + s, now);
        }
        moves = moves | (away != zero);
        // kp dt^2 of hold = 1 / (1 + ks dt^2 + kp dt^2), increasing with the square of the displacement.
        f8 one = f8_all(1), pull = at(j->pull, s), more = one + f8_all(j->limit) * at(j->b->thin, s) * away;
        f8 kept = (one / hold - one - pull) * more, guess = one / (one + kept);
        f8_store(j->held + s, one / (one + pull + kept));
        for (int i = 0; i < 3; ++i) {
            // Where a region would end that only swings about its pose and keeps its shape. Fitted there, and not at xh, one
            // iteration is exact for such regions and for those at rest under a load.
            asked[i] = j->symplectic ? hold * asked[i] : guess * ahead[i];
            f8 here = y[i] - origin[i];
            if (j->rest) {
                f8_store(j->apart[i] + s, here - reference[i]);
                asked[i] = asked[i] + (here - reference[i]);
                here = reference[i];
            }
            f8_store(j->reference[i] + s, here);
            f8_store(j->in[i] + s, asked[i]);
        }
    }
    return i8_bits(moves) == 0;
}

void SUP_WIDE(lattice_update)(const lattice_step* j, uint32_t chunk)
{
    uint32_t begin = j->b->regions.chunks[chunk], end = j->b->regions.chunks[chunk + 1];
    f8       dt = f8_all(j->dt), rate = f8_all(1.0f / j->dt), settle = f8_all(j->settle);
    for (uint32_t s = begin; s < end; s += SUP_LANES) {
        f8 pull = at(j->pull, s), hold = at(j->held, s), free = at(j->b->free, s), keep = at(j->keep, s) * settle;
        for (int i = 0; i < 3; ++i) {
            f8 goal = at(j->goal[i], s), ahead = at(j->ahead[i], s), start = at(j->start[i], s), d;
            if (j->rest) goal = goal - at(j->apart[i], s);
            if (j->symplectic) d = free * (ahead + pull * (goal - (start - dt * at(j->u[i], s))));
            else d = free * hold * (ahead + pull * goal);
            f8_store(j->d[i] + s, d);
            if (j->last) f8_store(j->w[i] + s, keep * rate * (d - start));
            else f8_store(j->in[i] + s, j->rest ? d + at(j->apart[i], s) : d);
        }
    }
}
