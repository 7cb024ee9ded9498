// The block that every engine gets: SIDE^3 particles, five tetrahedra a cell, mirrored from cell to cell so that faces match.
export const SIDE = 14;
const SIZE = 0.5;

const index = (x, y, z) => (z * SIDE + y) * SIDE + x;

const FIVE = [
    [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]],
    [[1, 1, 0], [0, 1, 0], [1, 0, 0], [1, 1, 1]],
    [[1, 0, 1], [0, 0, 1], [1, 1, 1], [1, 0, 0]],
    [[0, 1, 1], [1, 1, 1], [0, 0, 1], [0, 1, 0]],
    [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]],
];

function sixVolumes(positions, [a, b, c, d]) {
    const at = i => [positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]];
    const minus = (p, q) => p.map((v, k) => v - q[k]);
    const [o, u, v, w] = [at(a), ...[b, c, d].map(i => minus(at(i), at(a)))];
    void o;
    return u[0] * (v[1] * w[2] - v[2] * w[1]) - u[1] * (v[0] * w[2] - v[2] * w[0]) + u[2] * (v[0] * w[1] - v[1] * w[0]);
}

function tetrahedraOf(positions) {
    const list = [];
    for (let z = 0; z + 1 < SIDE; ++z)
        for (let y = 0; y + 1 < SIDE; ++y)
            for (let x = 0; x + 1 < SIDE; ++x)
                for (const tetrahedron of FIVE) {
                    // Odd cells are the mirror image in x.
                    const mirrored = (x + y + z) % 2;
                    const corners = tetrahedron.map(([i, j, k]) => index(x + (mirrored ? 1 - i : i), y + j, z + k));
                    if (sixVolumes(positions, corners) < 0) [corners[2], corners[3]] = [corners[3], corners[2]];
                    list.push(corners);
                }
    return list;
}

function edgesOf(tetrahedra) {
    const seen = new Map();
    for (const corners of tetrahedra)
        for (let i = 0; i < 4; ++i)
            for (let j = i + 1; j < 4; ++j) {
                const [a, b] = [Math.min(corners[i], corners[j]), Math.max(corners[i], corners[j])];
                seen.set(`${a} ${b}`, [a, b]);
            }
    return [...seen.values()];
}

/** Faces that belong to one tetrahedron only, seen from outside. */
function surfaceOf(tetrahedra) {
    const seen = new Map();
    for (const [a, b, c, d] of tetrahedra)
        for (const face of [[a, c, b], [a, b, d], [a, d, c], [b, c, d]]) {
            const key = [...face].sort((p, q) => p - q).join(" ");
            if (!seen.delete(key)) seen.set(key, face);
        }
    return [...seen.values()];
}

/** Positions, tetrahedra, edges, surface, and the particles of the top layer, which are held. */
export function block() {
    const positions = new Float32Array(3 * SIDE ** 3);
    const held = [];
    for (let z = 0; z < SIDE; ++z)
        for (let y = 0; y < SIDE; ++y)
            for (let x = 0; x < SIDE; ++x) {
                positions.set([x, y, z].map(i => i / (SIDE - 1) * SIZE), 3 * index(x, y, z));
                if (y === SIDE - 1) held.push(index(x, y, z));
            }
    const tetrahedra = tetrahedraOf(positions);
    return { positions, tetrahedra, edges: edgesOf(tetrahedra), surface: surfaceOf(tetrahedra), held };
}
