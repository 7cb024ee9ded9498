#include "solve/lattice/lattice_volume.h"

typedef struct v8 {
    fr x, y, z;
} v8;

static inline v8 add(v8 a, v8 b) { return (v8){ a.x + b.x, a.y + b.y, a.z + b.z }; }
static inline v8 cross(v8 a, v8 b) { return (v8){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x }; }
static inline fr dot(v8 a, v8 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

// Vectors of four: one load each, where planes would need a gather per component.
static inline v8 gather(const float* places, const uint32_t* index)
{
    fr rows[4];
    fr_gather4(places, index, rows);
    return (v8){ rows[0], rows[1], rows[2] };
}

void SUP_WIDE(sup_lattice_outward)(const sup_lattice_volume* v, const sup_mat3* matrices, bool core, uint32_t begin,
                                   uint32_t end, sup_vec3* out)
{
    const float *a = &matrices->m[0][0], *u = core ? &v->core->x : &v->outward->x;
    fr           tiny = fr_all(1e-12f), one = fr_all(1), zero = fr_all(0);
    for (uint32_t s = begin; s < end; s += SUP_REGISTER) {
        uint32_t slot[SUP_REGISTER], count = end - s < SUP_REGISTER ? end - s : SUP_REGISTER;
        for (uint32_t i = 0; i < SUP_REGISTER; ++i) slot[i] = s + (i < count ? i : 0);
        fr row[3], ux = fr_gather(u, 3, slot), uy = fr_gather(u + 1, 3, slot), uz = fr_gather(u + 2, 3, slot);
        for (int i = 0; i < 3; ++i)
            row[i] = fr_gather(a + 3 * i, 9, slot) * ux + fr_gather(a + 3 * i + 1, 9, slot) * uy +
                     fr_gather(a + 3 * i + 2, 9, slot) * uz;
        if (core) {
            fr_scatter3(&out->x, 3, slot, count, row[0], row[1], row[2]);
            continue;
        }
        fr length2 = row[0] * row[0] + row[1] * row[1] + row[2] * row[2];
        ir sound = length2 > tiny; // a direction that skinning has collapsed does not count
        fr size = fr_select(sound, fr_gather(v->reach, 1, slot) / fr_sqrt(fr_select(sound, length2, one)), zero);
        fr_scatter3(&out->x, 3, slot, count, size * row[0], size * row[1], size * row[2]);
    }
}

void SUP_WIDE(sup_lattice_shift)(const sup_lattice_shift_job* j, uint32_t begin, uint32_t end)
{
    const sup_lattice_volume* v = j->volume;
    const sup_vec3*           other = j->back ? j->back : j->toward;
    fr                        h = fr_all((float)v->h), one = fr_all(1);
    uint32_t                  whole = begin + (end - begin) / SUP_REGISTER * SUP_REGISTER;
    for (uint32_t s = begin; s < whole; s += SUP_REGISTER) {
        fr mixed = fr_all(0), sum = fr_all(0), x[3], y[3];
        for (uint32_t k = 0; k < LATTICE_SHARES; ++k) {
            size_t row = (size_t)k * v->share_stride + s;
            fr     share = fr_load(j->shares + row);
            mixed += share * fr_gather(j->lengths, 1, v->row_parts + row);
            sum += share;
        }
        fr_load3(&j->points[s].x, &x[0], &x[1], &x[2]);
        fr_load3(&other[s].x, &y[0], &y[1], &y[2]);
        if (j->back) {
            ir less = mixed < sum;
            fr kept = mixed / fr_select(less, sum, one);
            for (int a = 0; a < 3; ++a) x[a] = fr_select(less, y[a] + kept * (x[a] - y[a]), x[a]);
        } else
            for (int a = 0; a < 3; ++a) x[a] = x[a] + h * mixed * y[a];
        if (j->hold) {
            fr m[3], off[3];
            fr_load3(&j->middle[s].x, &m[0], &m[1], &m[2]);
            for (int a = 0; a < 3; ++a) off[a] = x[a] - m[a];
            fr over = fr_load(j->hold + s) * (off[0] * off[0] + off[1] * off[1] + off[2] * off[2]);
            ir out = over > one;
            fr less = one / fr_sqrt(fr_select(out, over, one));
            for (int a = 0; a < 3; ++a) x[a] = fr_select(out, m[a] + less * off[a], x[a]);
        }
        fr_store3(&j->points[s].x, x[0], x[1], x[2]);
    }
    for (uint32_t s = whole; s < end; ++s) {
        float mixed = 0, sum = 0;
        for (uint32_t k = 0; k < LATTICE_SHARES; ++k) {
            size_t row = (size_t)k * v->share_stride + s;
            mixed += j->shares[row] * j->lengths[v->row_parts[row]];
            sum += j->shares[row];
        }
        for (int a = 0; a < 3; ++a) {
            float *x = &j->points[s].x + a, y = (&other[s].x)[a];
            if (!j->back) *x = *x + (float)v->h * mixed * y;
            else if (mixed < sum) *x = y + mixed / sum * (*x - y);
        }
        if (!j->hold) continue;
        float m[3] = { j->middle[s].x, j->middle[s].y, j->middle[s].z }, *x = &j->points[s].x, off[3];
        for (int a = 0; a < 3; ++a) off[a] = x[a] - m[a];
        float over = j->hold[s] * (off[0] * off[0] + off[1] * off[1] + off[2] * off[2]);
        for (int a = 0; a < 3 && over > 1; ++a) x[a] = m[a] + 1 / sqrtf(over) * off[a];
    }
}

void SUP_WIDE(sup_lattice_spots)(const sup_vec3* from, uint32_t begin, uint32_t end, float* out)
{
    uint32_t whole = begin + (end - begin) / SUP_REGISTER * SUP_REGISTER;
    for (uint32_t s = begin; s < whole; s += SUP_REGISTER) {
        fr rows[4];
        rows[3] = fr_all(0);
        fr_load3(&from[s].x, &rows[0], &rows[1], &rows[2]);
        fr_store4(out + 4 * (size_t)s, rows);
    }
    for (uint32_t s = whole; s < end; ++s) {
        float spot[4] = { from[s].x, from[s].y, from[s].z, 0 };
        memcpy(out + 4 * (size_t)s, spot, sizeof spot);
    }
}

// The weighted sum of the vectors of eight slots from an origin, two at a time.
static inline f4 mix(const float* spots, f4 origin, const uint32_t* slots, const float* weights)
{
    f8 sum = f8_all(0), o = __builtin_shufflevector(origin, origin, 0, 1, 2, 3, 4, 5, 6, 7);
    for (uint32_t k = 0; k < LATTICE_NODE_SLOTS; k += 2) {
        f4 one = f4_all(weights[k]), two = f4_all(weights[k + 1]);
        sum += __builtin_shufflevector(one, two, 0, 1, 2, 3, 4, 5, 6, 7) *
               (f8_join(spots + 4 * (size_t)slots[k], spots + 4 * (size_t)slots[k + 1]) - o);
    }
    return __builtin_shufflevector(sum, sum, 0, 1, 2, 3) + __builtin_shufflevector(sum, sum, 4, 5, 6, 7);
}

// Of a center, over all slots that its points lie between.
static inline f4 mix_middle(const sup_lattice_middle* r, const float* spots, f4 origin, const uint32_t* slots,
                            const float* weights)
{
    f4 sum = f4_all(0);
    for (uint32_t k = r->begin; k < r->end; ++k) sum += f4_all(weights[k]) * (f4_load(spots + 4 * (size_t)slots[k]) - origin);
    return sum;
}

void SUP_WIDE(sup_lattice_field)(const sup_lattice_field_job* j)
{
    const sup_lattice_volume* v = j->volume;
    const f4                  o = f4_load(j->points + 4 * (size_t)j->part->origin), scale = f4_all((float)(1.0 / v->h));
    for (uint32_t m = j->begin; m < j->end && j->known; ++m) {
        f4 at = scale * ((f4){ j->known[m].x, j->known[m].y, j->known[m].z, 0 } - o);
        memcpy(j->places + 4 * (size_t)(m - j->part->member_begin), &at, sizeof at);
    }
    if (j->known) return;
    const sup_lattice_middle* middle = v->middles;
    while (middle < v->middles + v->middle_count && middle->member < j->begin) ++middle;
    for (uint32_t m = j->begin; m < j->end; ++m) {
        size_t row = LATTICE_NODE_SLOTS * (size_t)m, to = 4 * (size_t)(m - j->part->member_begin);
        bool   mean = middle < v->middles + v->middle_count && middle->member == m;
        f4     at = mean ? mix_middle(middle, j->points, o, v->middle_slots, v->middle_places)
                         : mix(j->points, o, v->members + row, v->places + row);
        if (j->offsets) {
            sup_vec3 off = j->offsets[m];
            at = at + ((f4){ off.x, off.y, off.z, 0 } - f4_all(v->carried[m]) * o);
        }
        at = scale * at;
        memcpy(j->places + to, &at, sizeof at);
        if (j->outward) {
            f4 field = mean ? mix_middle(middle, j->outward, f4_all(0), v->middle_slots, v->middle_fields)
                            : mix(j->outward, f4_all(0), v->members + row, v->fields + row);
            memcpy(j->fields + to, &field, sizeof field);
        }
        middle += mean;
    }
}

// Six times the volume of triangles, a . (b x c), the same way.
static void triangle_cubic(const sup_lattice_field_job* j, double out[4])
{
    bool moves = j->outward != NULL;
    for (uint32_t block = j->begin; block < j->end; ++block) {
        float sums[4][SUP_LANES];
        for (uint32_t lane = 0; lane < SUP_LANES; lane += SUP_REGISTER) {
            const uint32_t* index = j->volume->faces + 4 * SUP_LANES * (size_t)block + lane;
            v8              x[3], m[3];
            for (int k = 0; k < 3; ++k) x[k] = gather(j->places, index + 8 * k);
            v8 bc = cross(x[1], x[2]);
            fr_store(sums[0] + lane, dot(x[0], bc));
            if (!moves) continue;
            for (int k = 0; k < 3; ++k) m[k] = gather(j->fields, index + 8 * k);
            v8 bc1 = add(cross(x[1], m[2]), cross(m[1], x[2])), bc2 = cross(m[1], m[2]);
            fr_store(sums[1] + lane, dot(m[0], bc) + dot(x[0], bc1));
            fr_store(sums[2] + lane, dot(m[0], bc1) + dot(x[0], bc2));
            fr_store(sums[3] + lane, dot(m[0], bc2));
        }
        for (int i = 0; i < (moves ? 4 : 1); ++i) out[i] += (double)f8_sum(f8_load(sums[i]));
    }
    for (int i = 0; i < 4; ++i) out[i] /= 6;
}

// With S = (a x b) . (c + d) + (a + b) . (c x d), twelve times the volume of a patch, and all four corners moving along l:
// products of polynomials.
void SUP_WIDE(sup_lattice_cubic)(const sup_lattice_field_job* j, double out[4])
{
    bool moves = j->outward != NULL;
    for (int i = 0; i < 4; ++i) out[i] = 0;
    if (j->volume->exact) {
        triangle_cubic(j, out);
        return;
    }
    for (uint32_t block = j->begin; block < j->end; ++block) {
        float sums[4][SUP_LANES];
        for (uint32_t lane = 0; lane < SUP_LANES; lane += SUP_REGISTER) {
            const uint32_t* index = j->volume->faces + 4 * SUP_LANES * (size_t)block + lane;
            v8              x[4], m[4];
            for (int k = 0; k < 4; ++k) x[k] = gather(j->places, index + 8 * k);
            v8 f = add(x[0], x[1]), e = add(x[2], x[3]), ab = cross(x[0], x[1]), cd = cross(x[2], x[3]);
            fr_store(sums[0] + lane, dot(ab, e) + dot(f, cd));
            if (!moves) continue;
            for (int k = 0; k < 4; ++k) m[k] = gather(j->fields, index + 8 * k);
            v8 df = add(m[0], m[1]), de = add(m[2], m[3]);
            v8 ab1 = add(cross(x[0], m[1]), cross(m[0], x[1])), ab2 = cross(m[0], m[1]);
            v8 cd1 = add(cross(x[2], m[3]), cross(m[2], x[3])), cd2 = cross(m[2], m[3]);
            fr_store(sums[1] + lane, (dot(ab1, e) + dot(ab, de)) + (dot(df, cd) + dot(f, cd1)));
            fr_store(sums[2] + lane, (dot(ab2, e) + dot(ab1, de)) + (dot(df, cd1) + dot(f, cd2)));
            fr_store(sums[3] + lane, dot(ab2, de) + dot(df, cd2));
        }
        for (int i = 0; i < (moves ? 4 : 1); ++i) out[i] += (double)f8_sum(f8_load(sums[i]));
    }
    for (int i = 0; i < 4; ++i) out[i] /= 12;
}
