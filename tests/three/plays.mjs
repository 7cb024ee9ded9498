// GLTFLoader plays the baked clip, USDLoader the skeleton and the points. The points are those of the npy bake of the same clip.
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { GLTFLoader, MeshoptDecoder, THREE, USDAParser, USDLoader, bake, folder, fps, meshes, playOnce, pointOfVertex, readNpy, withoutPictures, worst } from "./playing.mjs";

const real = name => path.join(path.dirname(fileURLToPath(import.meta.url)), "../../../shared/data/skinned", `${name}.glb`);
let failures = 0;

function claim(what, error, limit) {
    const good = error <= limit;
    if (!good) failures++;
    console.log(`${good ? "ok      " : "FAILED  "} ${what}: ${error.toExponential(1)} of the diagonal${good ? "" : `, wanted ${limit}`}`);
}

// `part`: --start and --end, for both; what is baked then begins at 0.
async function playGlb(what, source, clip, chain, more = [], part = []) {
    const flags = ["--clip", clip, "--deform", chain, ...part];
    const frames = readNpy(bake(source, "a.npy", flags).out);
    const { out } = bake(source, "a.glb", [...flags, "--name", "baked", ...more]);
    const bytes = fs.readFileSync(out);
    const gltf = await new GLTFLoader().parseAsync(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), "");
    const mixer = new THREE.AnimationMixer(gltf.scene);
    const baked = gltf.animations.find(a => a.name === "baked");
    playOnce(mixer, baked);
    let error = part.length && Math.abs(baked.duration - (part[3] - part[1])) > 1e-6 ? Infinity : 0;
    frames.forEach((points, f) => {
        mixer.setTime(Math.fround(f / fps));
        // _POINT numbers the points within a part; these characters have one.
        error = Math.max(error, worst(gltf.scene, points, (mesh, i) => mesh.geometry.attributes._point.getX(i)));
    });
    if (!meshes(gltf.scene).length) error = NaN;
    claim(`${what} (${[chain, ...more, ...part].join(" ")}), ${frames.length} frames, by GLTFLoader`, error, 1e-5);
}

// A bake within a budget: no vertex is farther off than was promised, whatever way was taken.
async function playBudget(what, source, clip, chain, share, more = []) {
    const flags = ["--clip", clip, "--deform", chain];
    const frames = readNpy(bake(source, "a.npy", flags).out);
    const { out, budget } = bake(source, "a.glb", [...flags, "--name", "baked", "--max-error", `${100 * share}%`, ...more]);
    const gltf = await new GLTFLoader().setMeshoptDecoder(MeshoptDecoder).parseAsync(withoutPictures(out), "");
    const mixer = new THREE.AnimationMixer(gltf.scene), baked = gltf.animations.find(a => a.name === "baked");
    playOnce(mixer, baked);
    let error = 0;
    const used = gltf.parser.json.extensionsUsed ?? [];
    if (more.includes("unreal") && used.length) error = Infinity;
    frames.forEach((points, f) => {
        mixer.setTime(Math.fround(f / fps));
        error = Math.max(error, worst(gltf.scene, points, (mesh, i) => mesh.geometry.attributes._point.getX(i)));
    });
    // `share` is of the rest shape's diagonal, the error of the frame's, which bent limbs make smaller.
    claim(`${what} (${[chain, ...more].join(" ")}) in ${budget.components} components (${used.join(", ") || "no extensions"}), by GLTFLoader`, error, 1.3 * share);
}

// The other clips of a baked file play as they do in the source, skinned, whatever its weights sum to.
async function playOthers(what, source, baked, clips) {
    const { out } = bake(source, "a.glb", ["--clip", baked, "--deform", "dualquat", "--name", "baked"]);
    const gltf = await new GLTFLoader().parseAsync(withoutPictures(out), "");
    const at = pointOfVertex(source, gltf);
    let error = meshes(gltf.scene).some(m => m.isSkinnedMesh) ? 0 : Infinity;
    for (const clip of clips) {
        const frames = readNpy(bake(source, "a.npy", ["--clip", clip, "--deform", "linear"]).out);
        const mixer = new THREE.AnimationMixer(gltf.scene);
        playOnce(mixer, gltf.animations.find(a => a.name === clip));
        for (let f = 0; f < frames.length; f += 3) {
            mixer.setTime(Math.fround(f / fps));
            error = Math.max(error, worst(gltf.scene, frames[f], at));
        }
        mixer.stopAllAction();
    }
    claim(`${what} with ${baked} baked: ${clips.join(", ")}, by GLTFLoader`, error, 1e-5);
}

// three plays no time samples of points: its parser must find them, every one of every frame, with the stage's own times.
function readUsdPoints(what, source, clip, chain, part = []) {
    const flags = ["--clip", clip, "--deform", chain, ...part];
    const frames = readNpy(bake(source, "a.npy", flags).out);
    const stage = new USDAParser().parseText(fs.readFileSync(bake(source, "a.usda", flags).out, "utf8"));
    const root = stage[Object.keys(stage).find(k => k.startsWith("def Xform"))];
    const mesh = root[Object.keys(root).find(k => k.startsWith("def Mesh"))];
    const numbers = text => text.match(/-?[\d.]+(e[-+]?\d+)?/g).map(Number);
    const samples = key => Object.entries(mesh[`${key}.timeSamples`]).map(([code, text]) => [Number(code), numbers(text)]);
    const points = samples("point3f[] points"), normals = samples("normal3f[] normals"), boxes = samples("float3[] extent");
    let error = [points, normals, boxes].every(list => list.length === frames.length) ? 0 : Infinity;
    frames.forEach((wanted, f) => {
        const [code, got] = points[f] ?? [];
        if (code !== f || got.length !== wanted.length || normals[f][1].length !== wanted.length) error = Infinity;
        else wanted.forEach((x, i) => (error = Math.max(error, Math.abs(x - Math.fround(got[i])))));
        for (let i = 0; i < 3; i++) {
            const axis = wanted.filter((_, n) => n % 3 === i);
            if (Math.fround(boxes[f][1][i]) !== Math.min(...axis) || Math.fround(boxes[f][1][3 + i]) !== Math.max(...axis)) error = Infinity;
        }
    });
    const counts = numbers(mesh["int[] faceVertexCounts"]), indices = numbers(mesh["int[] faceVertexIndices"]);
    if (counts.reduce((a, b) => a + b) !== indices.length || Math.max(...indices) !== frames[0].length / 3 - 1) error = Infinity;
    if (Number(stage["#usda 1.0"].timeCodesPerSecond) !== fps || Number(stage["#usda 1.0"].endTimeCode) !== frames.length - 1) error = Infinity;
    claim(`${what} (${[chain, ...part].join(" ")}) as USD points, by USDAParser`, error, 0);
}

async function playUsdSkeleton(what, source, clip, part = []) {
    const flags = ["--clip", clip, "--deform", "linear", ...part];
    const frames = readNpy(bake(source, "a.npy", flags).out);
    const text = fs.readFileSync(bake(source, "a.usda", flags).out, "utf8");
    const scene = new USDLoader().parse(text, "");
    const mixer = new THREE.AnimationMixer(scene);
    playOnce(mixer, scene.animations[0]);
    // three takes meshes apart into corners: the nearest point stands for each, and every one must be met.
    let error = 0;
    const v = new THREE.Vector3();
    for (let f = 0; f < frames.length; f += 3) {
        mixer.setTime(f / fps);
        scene.updateMatrixWorld(true);
        const points = frames[f], met = new Set(), size = new THREE.Box3().setFromArray(points).getSize(v).length();
        const cells = new Map(), key = (x, y, z) => [x, y, z].map(c => Math.round(c / (1e-3 * size))).join();
        for (let p = 0; p < points.length; p += 3) {
            const k = key(points[p], points[p + 1], points[p + 2]);
            cells.has(k) ? cells.get(k).push(p) : cells.set(k, [p]);
        }
        for (const mesh of meshes(scene)) {
            mesh.skeleton?.update();
            for (let i = 0; i < mesh.geometry.attributes.position.count; i++) {
                mesh.getVertexPosition(i, v).applyMatrix4(mesh.matrixWorld);
                let best = Infinity, who = -1;
                for (let c = 0; c < 27; c++) {
                    const d = [c % 3, Math.floor(c / 3) % 3, Math.floor(c / 9)].map(n => (n - 1) * 1e-3 * size);
                    for (const p of cells.get(key(v.x + d[0], v.y + d[1], v.z + d[2])) ?? []) {
                        const distance = Math.hypot(v.x - points[p], v.y - points[p + 1], v.z - points[p + 2]);
                        if (distance < best) (best = distance), (who = p);
                    }
                }
                met.add(who);
                error = Math.max(error, best / size);
            }
        }
        if (met.size < points.length / 3 * 0.99) error = Infinity;
    }
    claim(`${[what, ...part].join(" ")} as UsdSkel, by USDLoader`, error, 1e-5);
}

// Two squares side by side: materials of faces, and texture coordinates that differ where they meet.
function wearUsd() {
    const at = name => path.join(folder, name);
    fs.writeFileSync(at("strip.mtl"), "newmtl red\nKd 1 0.25 0\nPr 0.5\nnewmtl blue\nKd 0 0 1\nPm 1\n");
    fs.writeFileSync(at("strip.obj"), "mtllib strip.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 2 0 0\nv 2 1 0\n" +
        "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nvt 0.5 0.25\nusemtl red\nf 1/1 2/2 3/3 4/4\nusemtl blue\nf 2/1 5/2 6/3 3/5\n");
    const text = fs.readFileSync(bake(at("strip.obj"), "strip.usda", ["--pose", "strip=0,0,10", "--flat"]).out, "utf8");
    const [mesh] = meshes(new USDLoader().parse(text, "")), uv = mesh.geometry.attributes.uv, place = mesh.geometry.attributes.position;
    const looks = mesh.material.map(m => [...m.color.toArray(), m.roughness, m.metalness].join());
    let error = looks.join(" ") === "1,0.25,0,0.5,0 0,0,1,0.8,1" ? 0 : Infinity;
    // Of the corners at the upper end of the shared edge, those of the first square are at 1 1 and those of the second at 0.5 0.25.
    const shared = new Set();
    for (let i = 0; i < uv.count; i++) {
        const turned = [Math.cos(Math.PI / 18) - Math.sin(Math.PI / 18), Math.sin(Math.PI / 18) + Math.cos(Math.PI / 18)];
        if (Math.hypot(place.getX(i) - turned[0], place.getY(i) - turned[1]) < 1e-4 || Math.hypot(place.getX(i) - 1, place.getY(i) - 1) < 1e-4)
            shared.add(`${i < 6 ? "first" : "second"} ${uv.getX(i)} ${uv.getY(i)}`);
    }
    if ([...shared].sort().join() !== "first 1 1,second 0.5 0.25") error = Infinity;
    claim("materials and seams of an OBJ as USD, by USDLoader", error, 0);
}

try {
    wearUsd();
    await playGlb("arm", "builtin:arm?points=800", "flex", "dualquat");
    await playGlb("arm", "builtin:arm?points=800", "twist", "linear");
    await playGlb("arm", "builtin:arm?points=800", "flex", "dualquat", ["--flat"]);
    await playGlb("arm", "builtin:arm?points=800", "flex", "dualquat", ["--sparse"]);
    await playGlb("beast", "builtin:beast?points=1500", "walk", "dualquat");
    await playBudget("beast", "builtin:beast?points=1500", "walk", "dualquat", 1e-3);
    await playBudget("beast", "builtin:beast?points=1500", "walk", "dualquat", 1e-3, ["--for", "unreal"]);
    await playBudget("arm", "builtin:arm?points=800", "flex", "dualquat", 1e-4, ["--flat"]);
    readUsdPoints("arm", "builtin:arm?points=800", "flex", "dualquat");
    await playUsdSkeleton("arm", "builtin:arm?points=800", "flex");
    await playUsdSkeleton("beast", "builtin:beast?points=1500", "walk");
    const part = ["--start", "0.37", "--end", "0.97"];
    await playGlb("arm", "builtin:arm?points=800", "flex", "dualquat", [], part);
    readUsdPoints("arm", "builtin:arm?points=800", "flex", "dualquat", part);
    await playUsdSkeleton("arm", "builtin:arm?points=800", "flex", part);
    if (fs.existsSync(real("hvgirl"))) await playGlb("hvgirl", real("hvgirl"), "Samba", "dualquat", [], ["--start", "4", "--end", "4.5"]);
    if (fs.existsSync(real("soldier"))) await playOthers("soldier", real("soldier"), "Run", ["Walk", "Idle"]);
    if (fs.existsSync(real("robotexpressive"))) await playOthers("robotexpressive", real("robotexpressive"), "Running", ["Walking", "Wave"]);
    // Mixamo's soldier stands under a scale of 0.01.
    for (const [name, clip] of [["soldier", "Walk"], ["fox", "Run"]])
        if (fs.existsSync(real(name))) await playUsdSkeleton(name, real(name), clip);
} finally {
    fs.rmSync(folder, { recursive: true, force: true });
}
process.exit(failures ? 1 : 0);
