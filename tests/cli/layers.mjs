// --deform layers from outside: planes between sub-volumes from a file, a mesh without weights, and everything that can be wrong with a mesh and its rig: every
// case is repaired with a note, or refused with a cure.
import { bad, data, equal, finish, good, holds, json, match, run, skip, test } from "./harness.mjs";
import fs from "node:fs";
import path from "node:path";

const arm = "builtin:arm?points=300";

await test("planes are read from a file", folder => {
    const file = path.join(folder, "planes.txt"), out = path.join(folder, "a.pc2");
    const bake = (...flags) => json(["bake", arm, out, "--clip", "flex", "--end", "0.3", "--fps", "10", "--deform", "layers", ...flags]).hash;
    fs.writeFileSync(file, "# the elbow's part is short\nupper_arm=0.8\nforearm=0.2\n");
    const plain = bake(), there = bake("--set", `layers.planes=@${file}`);
    holds(there !== plain, "the planes have moved");
    equal(bake("--set", "layers.planes=upper_arm=0.8 forearm=0.2"), there, "as text");
    equal(bake("--set", "layers.planes=*=0.5"), plain, "in the middles");
    bad(["bake", arm, out, "--deform", "layers", "--set", "layers.planes=knee=0.5"], 1, /no joint called 'knee'.*inspect/);
    bad(["bake", arm, out, "--deform", "layers", "--set", `layers.planes=@${file}.none`], 1, /cannot read/);
});

await test("a mesh without weights gets some and is told so", folder => {
    const mesh = path.join(data, "closed-meshes/human_man.obj"), walk = path.join(data, "mocap/07_01-walk.bvh");
    if (!fs.existsSync(mesh)) skip("the shared data set is not beside the checkout");
    const r = good(["bake", mesh, path.join(folder, "walk.pc2"), "--skeleton", walk, "--motion", walk, "--end", "0.05", "--fps", "20", "--deform", "layers"]);
    match(r.err, /weights were made for 31 joints/);
});

// ------------------------------------------------------------------------------------------------ bad input

const around = 12, rings = 25;

/** A closed tube along x, 60 cm long, as lists that can be spoiled. */
function tube() {
    const points = [[-0.02, 0, 0]], faces = [];
    for (let r = 0; r < rings; ++r)
        for (let a = 0; a < around; ++a) {
            const turn = 2 * Math.PI * a / around;
            points.push([0.6 * r / (rings - 1), 0.05 * Math.cos(turn), 0.05 * Math.sin(turn)]);
        }
    points.push([0.62, 0, 0]);
    const at = (r, a) => 1 + r * around + a % around;
    for (let a = 0; a < around; ++a) {
        faces.push([0, at(0, a + 1), at(0, a)]);
        for (let r = 0; r + 1 < rings; ++r)
            faces.push([at(r, a), at(r + 1, a + 1), at(r + 1, a)], [at(r, a), at(r, a + 1), at(r + 1, a + 1)]);
        faces.push([points.length - 1, at(rings - 1, a), at(rings - 1, a + 1)]);
    }
    const weights = points.map(([x]) => Math.min(1, Math.max(0, 0.5 - (x - 0.3) / 0.1))).map(w => [w, 1 - w]);
    return { points, faces, weights, bones: [[0, 0, 0], [0.3, 0, 0], [0.6, 0, 0]] };
}

/** Bends the tube by 60 degrees with layers, after `spoil` was at it. Gives what was said; all it wrote is finite. */
function bend(folder, spoil, ...flags) {
    const t = tube();
    spoil(t);
    const file = name => path.join(folder, name);
    fs.writeFileSync(file("odd.obj"), t.points.map(p => `v ${p.join(" ")}\n`).join("") + t.faces.map(f => `f ${f.map(i => i + 1).join(" ")}\n`).join(""));
    fs.writeFileSync(file("odd.tgf"), t.bones.map((b, i) => `${i + 1} ${b.join(" ")}\n`).join("") + "#\n1 2\n2 3\n");
    const columns = [0, 1].map(k => t.weights.map(w => w[k]).join("\n")).join("\n");
    fs.writeFileSync(file("odd.dmat"), `2 ${t.weights.length}\n${columns}\n`);
    const r = run(["bake", file("odd.obj"), file("out_####.obj"), "--skeleton", file("odd.tgf"), "--weights", file("odd.dmat"), "--pose", "bone 2-3=0,0,60", "--preroll", "0.2", "--deform", "layers", ...flags.length ? flags : ["--unit", "m"]]);
    if (r.code === 0)
        for (const name of fs.readdirSync(folder).filter(n => n.startsWith("out_")))
            for (const line of fs.readFileSync(file(name), "utf8").split("\n"))
                if (line.startsWith("v ")) holds(line.split(" ").slice(1, 4).every(x => Number.isFinite(+x) && Math.abs(+x) < 5000), `${name}: ${line}`);
    return r;
}

await test("a whole tube with a rig has nothing to say", folder => {
    const r = bend(folder, () => {});
    equal(r.code, 0, "exit code");
    equal(r.err.replace(/.*\r/g, "").trim(), "", "said");
});

await test("a mesh without joints is refused with a cure", folder => {
    fs.writeFileSync(path.join(folder, "stone.obj"), tube().points.map(p => `v ${p.join(" ")}\n`).join("") + "f 1 2 3\n");
    bad(["bake", path.join(folder, "stone.obj"), path.join(folder, "out.pc2"), "--deform", "layers"], 1, /stone.*--skeleton.*fit/s);
});

/** Claim, what is spoiled, what is said, flags. */
const mended = [
    ["holes are closed for volumes", t => { t.faces = t.faces.filter(f => !f.includes(0)); }, /closed 1 hole of 'odd'/],
    ["an edge with three faces is split and glued", t => {
        t.points.push([0.15, 0.09, 0]), t.weights.push([1, 0]), t.faces.push([t.faces[100][0], t.faces[100][1], t.points.length - 1]);
    }, /split 2 points of 'odd' that joined several surfaces/],
    ["several pieces each have tissue", t => {
        const n = t.points.length;
        t.faces.push(...t.faces.map(f => f.map(i => i + n)));
        t.points.push(...t.points.map(([x, y, z]) => [x, y, z + 0.4])), t.weights.push(...t.weights);
    }, /^/],
    ["a triangle without area does no harm", t => { // a point on an edge, and the needle between
        const [a, b] = t.faces[100], m = t.points.length, other = t.faces.findIndex(f => [0, 1, 2].some(k => f[k] === b && f[(k + 1) % 3] === a));
        const d = t.faces[other].find(i => i !== a && i !== b);
        t.points.push(t.points[a].map((x, k) => (x + t.points[b][k]) / 2)), t.weights.push(t.weights[a]);
        t.faces.splice(other, 1, [b, m, d], [m, a, d], [b, a, m]);
    }, /1 triangle of 'odd' has no area/],
    ["points without weights take those of a neighbor", t => { for (const i of [50, 51, 52]) t.weights[i] = [0, 0]; }, /3 points without weights take/],
    ["weights that do not sum to 1 are normalized", t => { t.weights[60] = t.weights[60].map(w => 1.5 * w); }, /sum to 1\.5 at most; normalized/],
    ["a bone without length is a point", t => { t.bones[2] = [...t.bones[1]]; }, /^/],
    ["bones outside leave thinner tissue", t => { t.bones = t.bones.map(([x, y, z]) => [x, y, z + 0.2]); }, /the line to the bone leaves the body.*weights --center/s],
    ["a mesh inside out is turned", t => { t.faces = t.faces.map(([a, b, c]) => [a, c, b]); }, /'odd' is inside out/],
    ["what crosses itself all over has no contacts", t => {
        const n = t.points.length;
        t.faces.push(...t.faces.map(f => f.map(i => i + n)));
        t.points.push(...t.points.map(([x, y, z], i) => [x + 0.007, y * (i % 2 ? 1.06 : 0.94), z * (i % 2 ? 1.06 : 0.94)])), t.weights.push(...t.weights);
    }, /cross others at rest .over 30 %.*--mesh/s],
    ["tiny and huge units are questioned", () => {}, /across at 0\.001 m per unit.*--unit/s, ["--unit", "mm"]],
    ["and huge ones", () => {}, /across at 1000 m per unit.*--unit/s, ["--unit", "km"]],
];
for (const [claim, spoil, words, flags = []] of mended)
    await test(claim, folder => {
        const r = bend(folder, spoil, ...flags);
        equal(r.code, 0, `exit code (${r.err})`);
        match(r.err, words, "said");
    });

await test("points of one place that are not joined are named", folder => {
    const r = bend(folder, t => { // the far half has points of its own, at the same places
        const place = new Map();
        for (const f of t.faces.slice(t.faces.length / 2))
            for (let k = 0; k < 3; ++k) {
                if (!place.has(f[k])) place.set(f[k], t.points.length), t.points.push(t.points[f[k]]), t.weights.push(t.weights[f[k]]);
                f[k] = place.get(f[k]);
            }
    });
    equal(r.code, 0, `exit code (${r.err})`);
    match(r.err, /177 points of 'odd' coincide with another point without being connected.*weld the mesh/s);
});

await test("a table with negative weights is another kind of table", folder => {
    const r = bend(folder, t => { t.weights[60] = [1.25, -0.25]; });
    equal(r.code, 1, "exit code");
    match(r.err, /the weight of vertex 61 for 'bone 2-3' is -0\.25; weights go from 0 to 1/);
});

await test("a mesh that is not a surface is refused", folder => {
    // Fins on a quarter of the edges. Duplicate faces would only be left out.
    const r = bend(folder, t => { t.faces.push(...t.faces.filter((_, i) => i % 4 === 0).map(f => [f[0], f[1], (f[2] + 40) % t.points.length])); });
    equal(r.code, 1, "exit code");
    match(r.err, /edges of 'odd' have more than two faces.*repair the mesh/s);
});

finish();
