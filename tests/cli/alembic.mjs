// Writes Alembic and reads it with our own reader (ogawa.mjs): Debian has no library and builds its Blender without one.
import { bad, equal, finish, good, holds, match, near, shared, strip, test, writeGlb } from "./harness.mjs";
import { readAlembic, sample } from "./ogawa.mjs";
import fs from "node:fs";
import path from "node:path";

function npy(file) {
    const bytes = fs.readFileSync(file), size = bytes.readUInt16LE(8), shape = /\((\d+), (\d+), 3\)/.exec(bytes.toString("latin1", 10, 10 + size));
    return { frames: +shape[1], points: +shape[2], at: i => bytes.readFloatLE(10 + size + 4 * i) };
}

/** The one mesh under a transform: its properties by name. */
function meshOf(archive, name) {
    const transform = archive.top.children[name];
    equal(transform.meta.schema, "AbcGeom_Xform_v3", "schema of the transform");
    equal(transform.meta.schemaObjTitle, "AbcGeom_Xform_v3:.xform", "title of the transform");
    const shape = transform.children[`${name}Shape`];
    equal(shape.meta.schemaObjTitle, "AbcGeom_PolyMesh_v1:.geom", "title of the mesh");
    equal(shape.properties[".geom"].meta.schema, "AbcGeom_PolyMesh_v1", "schema of the geometry");
    return shape.properties[".geom"].properties;
}

await test("every frame of a character has the points of the bake, to the bit, on faces that run clockwise", folder => {
    const out = path.join(folder, "walk.abc"), file = shared("skinned/cesiumman.glb");
    good(["bake", file, out, "--fps", "10", "--deform", "dualquat", "--quiet"]);
    good(["bake", file, path.join(folder, "walk.npy"), "--fps", "10", "--deform", "dualquat", "--quiet"]);
    const archive = readAlembic(out), points = npy(path.join(folder, "walk.npy")), g = meshOf(archive, Object.keys(archive.top.children)[0]);
    equal(archive.version, 0, "version");
    equal(g.P.samples, points.frames, "frames");
    equal(archive.clocks[g.P.clock].step, 0.1, "seconds from frame to frame");
    equal(archive.clocks[g.P.clock].samples, points.frames, "samples of the clock");
    for (let f = 0; f < points.frames; f++) {
        const p = sample(archive, g.P, f), box = sample(archive, g[".selfBnds"], f);
        equal(p.length, 3 * points.points, "coordinates");
        for (let i = 0; i < p.length; i++) equal(p[i], points.at(f * p.length + i), `coordinate ${i} of frame ${f}`);
        for (let k = 0; k < 3; k++) equal(box[k], Math.min(...p.filter((_, i) => i % 3 === k)), "the box");
    }
    // The sum over faces of a . (b x c) / 6 is the volume: negative where faces run clockwise.
    const p = sample(archive, g.P, 0), corners = sample(archive, g[".faceIndices"], 0), counts = sample(archive, g[".faceCounts"], 0);
    equal(corners.length, 3 * 4672, "corners");
    holds(counts.every(c => c === 3), "triangles");
    let volume = 0;
    for (let c = 0; c < corners.length; c += 3) {
        const [a, b, d] = [0, 1, 2].map(i => p.slice(3 * corners[c + i], 3 * corners[c + i] + 3));
        volume += (a[0] * (b[1] * d[2] - b[2] * d[1]) + a[1] * (b[2] * d[0] - b[0] * d[2]) + a[2] * (b[0] * d[1] - b[1] * d[0])) / 6;
    }
    holds(volume < -0.03 && volume > -0.2, `a volume of ${volume}`);
    // Normals point out of their faces, and texture coordinates belong to corners.
    const n = sample(archive, g.N.properties[".vals"], 0), which = sample(archive, g.N.properties[".indices"], 0);
    const uv = sample(archive, g.uv.properties[".vals"], 0), place = sample(archive, g.uv.properties[".indices"], 0);
    equal(g.N.meta.geoScope, "fvr", "scope of normals");
    equal(n.length, 3 * 3273, "normals of stored vertices");
    equal(uv.length, 2 * 3273, "places of stored vertices");
    equal(which.join(), place.join(), "both go by stored vertices");
    let out_of = 0;
    for (let c = 0; c < corners.length; c += 3) {
        const [a, b, d] = [0, 1, 2].map(i => p.slice(3 * corners[c + i], 3 * corners[c + i] + 3)), u = b.map((x, k) => x - a[k]), v = d.map((x, k) => x - a[k]);
        const m = n.slice(3 * which[c], 3 * which[c] + 3), across = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
        out_of += across[0] * m[0] + across[1] * m[1] + across[2] * m[2] < 0;
        near(Math.hypot(...m), 1, 1e-5, "length of a normal");
    }
    holds(out_of > 0.98 * corners.length / 3, `${out_of} normals look out of their faces`);
});
await test("two meshes are two objects, z up becomes y up, and what stands still is written once", folder => {
    const model = strip(), file = path.join(folder, "in.glb"), out = path.join(folder, "out.abc");
    model.json.nodes.push({ name: "still / one", mesh: 1, translation: [5, 0, 0] });
    model.json.meshes.push({ name: "other", primitives: [{ attributes: { POSITION: 0 }, indices: 3 }] });
    model.json.scenes[0].nodes.push(3);
    match(good(["bake", writeGlb(file, model), out, "--clip", "Wave", "--fps", "4", "--up", "z"]).err, /assume y: the character was turned/);
    const archive = readAlembic(out);
    equal(Object.keys(archive.top.children).join(), "strip,still___one", "objects");
    match(archive.meta._ai_Description, /^Wave by linear, y up, 1 unit is 1 m$/);
    const g = meshOf(archive, "still___one");
    equal(g.P.samples, 1, "samples of a mesh that stands still");
    // Points are numbered as faces first use them.
    equal(sample(archive, g.P, 3).join(), "5,0,0,6,0,0,6,0,-1,5,0,-1,6,0,-2,5,0,-2", "(x, y, z) is (x, z, -y)");
    equal(meshOf(archive, "strip").P.samples, 5, "samples of the one that moves");
    equal(sample(archive, g[".faceIndices"], 0).join(), "2,1,0,3,2,0,4,2,3,5,4,3", "faces, turned");
    holds(archive.top.children.strip.hash !== archive.top.children.still___one.hash, "objects have hashes of their own");
    equal(g.uv, undefined, "no places where the file has none");
});
await test("polygons and seams of an OBJ stay", folder => {
    const file = path.join(folder, "in.obj"), out = path.join(folder, "out.abc");
    fs.writeFileSync(file, "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 2 0 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 0.25\nf 1/1 2/2 3/3 4/4\nf 2/1 5/2 3/3\n");
    good(["bake", file, out, "--pose", "in=0,0,0", "--quiet"]);
    const archive = readAlembic(out), g = meshOf(archive, Object.keys(archive.top.children)[0]);
    equal(sample(archive, g[".faceCounts"], 0).join(), "4,3", "corners of faces");
    equal(sample(archive, g[".faceIndices"], 0).join(), "3,2,1,0,2,4,1", "faces, turned");
    const uv = sample(archive, g.uv.properties[".vals"], 0), which = sample(archive, g.uv.properties[".indices"], 0);
    equal(which.map(i => uv.slice(2 * i, 2 * i + 2).join(" ")).join(), "0 0.25,1 1,1 0,0 0,1 1,1 0,0 0", "places, v upwards");
});
await test("an Alembic file is not read, and says what to do", folder => {
    const out = path.join(folder, "out.abc");
    good(["bake", "builtin:arm", out, "--quiet"]);
    bad(["inspect", out], 1, /cannot be read; export its frames as \.obj, or its points as \.pc2 or \.mdd/);
});
finish();
