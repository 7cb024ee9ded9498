// supple inspect: the contract's keys, the built-in characters, and the numbers known of the shared ones.
import { bad, equal, finish, good, holds, json, match, near, shared, strip, test, writeGlb } from "./harness.mjs";
import { writeFileSync } from "node:fs";
import path from "node:path";

const keys = "points vertices triangles faces closed components boundary_edges nonmanifold_edges doubled_faces joints influences_max " +
    "weight_sum_min weight_sum_max parts joint_names clips examples maps unit up warnings";

await test("the JSON has exactly the contract's keys", () => equal(Object.keys(json(["inspect", "builtin:arm"])).join(" "), keys));

await test("the strip made by hand comes back as it was made", folder => {
    const r = json(["inspect", writeGlb(path.join(folder, "strip.glb"), strip())]);
    equal(r.points, 6, "points");
    equal(r.vertices, 6, "vertices");
    equal(r.triangles, 4, "triangles");
    equal(r.closed, false, "closed");
    equal(r.components, 1, "components");
    equal(r.boundary_edges, 6, "boundary edges");
    equal(r.nonmanifold_edges, 0, "nonmanifold edges");
    equal(r.doubled_faces, 0, "doubled faces");
    equal(r.joints, 2, "joints");
    equal(r.influences_max, 2, "influences");
    equal(JSON.stringify(r.parts), '[{"name":"strip","points":6,"vertices":6,"faces":4,"morphs":0,"joint":null}]', "parts");
    equal(r.joint_names.join(), "root,tip", "names of joints");
    equal(r.clips.map(c => `${c.name} ${c.seconds}`).join(), "Wave 1,Nod 1");
    equal(r.unit, 1, "unit");
    equal(r.up, "y", "up");
    match(r.warnings.join("\n"), /6 open edges in 1 hole/);
});
await test("vertices of equal position and weights are one point", folder => {
    const model = strip();
    // The middle row twice: the upper quad gets vertices of its own.
    model.views.positions = new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 2, 0, 1, 2, 0, 0, 1, 0, 1, 1, 0]);
    model.views.joints = new Uint8Array([...model.views.joints, ...model.views.joints.slice(8, 16)]);
    model.views.weights = new Float32Array([...model.views.weights, ...model.views.weights.slice(8, 16)]);
    model.views.indices = new Uint16Array([0, 1, 3, 0, 3, 2, 6, 7, 5, 6, 5, 4]);
    for (const i of [0, 1, 2]) model.json.accessors[i].count = 8;
    const r = json(["inspect", writeGlb(path.join(folder, "seam.glb"), model)]);
    equal(r.vertices, 8, "vertices");
    equal(r.points, 6, "points");
    equal(r.components, 1, "components");
});
await test("custom attributes are maps", folder => {
    const model = strip();
    model.views.stiffness = new Float32Array([0, 0.25, 0.5, 0.75, 1, 1]);
    model.json.accessors.push({ bufferView: 7, componentType: 5126, count: 6, type: "SCALAR" });
    model.json.meshes[0].primitives[0].attributes._STIFFNESS = 7;
    equal(json(["inspect", writeGlb(path.join(folder, "map.glb"), model)]).maps.join(), "_STIFFNESS");
});
await test("the report for people names clips, joints and size", folder => {
    const r = good(["inspect", writeGlb(path.join(folder, "strip.glb"), strip())]);
    match(r.out, /Wave \(1\.00 s\), Nod/);
    match(r.out, /root, tip/);
    match(r.out, /size +1 x 2 x 0 m/);
    match(r.out, /wrong .*open edges/);
});
await test("--unit and --up are obeyed", () => {
    const r = json(["inspect", "builtin:arm", "--unit", "ft", "--up", "z"]);
    near(r.unit, 0.3048, 1e-9, "unit");
    equal(r.up, "z", "up");
});

for (const [name, points, clips, closed] of [["beast", 8000, "walk jump shake", true], ["arm", 3000, "flex twist wave", true]]) {
    await test(`builtin:${name} is what the manual says`, () => {
        const r = json(["inspect", `builtin:${name}`]);
        near(r.points, points, points * 0.3, "points");
        equal(r.clips.map(c => c.name).join(" "), clips, "clips");
        equal(r.closed, closed, "closed");
        equal(r.components, 1, "components");
        equal(r.warnings.length, 0, `warnings: ${r.warnings}`);
    });
}
await test("built-in characters come in other resolutions", () => near(json(["inspect", "builtin:arm?points=30000"]).points, 30000, 6000, "points"));
await test("an unknown built-in character gets the list of them", () => bad(["inspect", "builtin:goat"], 1, /beast/));

// file, stored vertices, triangles, joints, welded points or null where parts and weights keep points apart, clips, closed
// The second skin of soldier has two joints, both of which are among the 49 of the first.
const known = [
    ["cesiumman", 3273, 4672, 19, 2338, [2.0], true],
    ["riggedsimple", 160, 188, 2, 96, [2.08], true],
    ["fox", 1728, 576, 24, 290, [3.42, 0.71, 1.16], true],
    ["soldier", 7434, 11376, 49, 5890, [1.97, 0.7, 0.03, 1.03], false],
    ["robotexpressive", 7214, 3237, 43, 1820, null, false],
];
for (const [name, vertices, triangles, joints, points, clips, closed] of known) {
    await test(`${name} has the numbers of the data set`, () => {
        const r = json(["inspect", shared(`skinned/${name}.glb`)]);
        equal(r.vertices, vertices, "vertices");
        equal(r.triangles, triangles, "triangles");
        equal(r.joints, joints, "joints");
        equal(r.joint_names.length, joints, "names of joints");
        equal(r.parts.reduce((sum, part) => sum + part.points, 0), r.points, "points of all parts");
        equal(r.points, points, "points");
        equal(r.closed, closed, "closed");
        if (clips) r.clips.forEach((c, i) => near(c.seconds, clips[i], 0.0051, c.name));
        equal(r.clips.length, clips ? clips.length : 14, "clips");
        holds(r.clips.every(c => c.seconds > 0), "every clip lasts");
    });
}
await test("soldier's body is 55 open pieces with sums of 0.98", () => {
    const r = json(["inspect", shared("skinned/soldier.glb")]);
    equal(r.components, 55, "components");
    near(r.weight_sum_min, 0.98, 0.006, "smallest sum");
});
await test("the robot's weights sum to as much as 1.755, and it is said", () => {
    const r = json(["inspect", shared("skinned/robotexpressive.glb")]);
    near(r.weight_sum_max, 1.755, 0.0006, "largest sum");
    match(r.warnings.join("\n"), /1\.75/);
});
for (const [name, points, faces, closed] of [["closed-meshes/bunny", 3301, 6598, true], ["horse-gallop/0001", 8431, 16843, false]]) {
    await test(`${name}.obj keeps its vertices and faces`, () => {
        const r = json(["inspect", shared(`${name}.obj`)]);
        equal(r.points, points, "points");
        equal(r.faces, faces, "faces");
        equal(r.closed, closed, "closed");
        equal(r.joints, 0, "joints");
    });
}
await test("files of one mesh are a clip", folder => {
    for (const n of [1, 2, 3]) writeFileSync(path.join(folder, `w${n}.obj`), `v 0 0 ${n}\nv 1 0 0\nv 0 1 0\nf 1 2 3\n`);
    for (const name of [folder, path.join(folder, "w#.obj"), path.join(folder, "*.obj")]) {
        const r = json(["inspect", name, "--fps", "10"]);
        equal(r.points, 3, "points");
        equal(r.clips.length, 1, "clips");
        near(r.clips[0].seconds, 0.2, 1e-6);
    }
    bad(["inspect", path.join(folder, "v*.obj")], 1, /is not a sequence/);
});
await test("a mesh is chosen by name, and a wrong name gets the list of meshes", folder => {
    const file = writeGlb(path.join(folder, "strip.glb"), strip());
    equal(json(["inspect", file, "--mesh", "*"]).points, 6, "points");
    bad(["inspect", file, "--mesh", "Nobody"], 1, /no mesh is named 'Nobody'; there are: '/);
    bad(["inspect", "builtin:arm", "--dress", "Nobody"], 1, /'arm' cannot take --dress 'Nobody'/);
});

finish();
