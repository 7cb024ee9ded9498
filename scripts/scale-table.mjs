// The table of docs/scale.md: our budget beside what gltfpack and gltf-transform make of our plain bake at the same error.
//   node scripts/scale-table.mjs build/supple NPM_FOLDER [points]
// NPM_FOLDER is one in which `npm install three gltfpack @gltf-transform/cli` was run. Errors of all files are measured alike: three.js
// plays them, and the vertex of a file that is nearest in the first frame stands for each vertex of the plain bake.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [program, npm, ...only] = process.argv.slice(2);
const load = name => import(pathToFileURL(path.resolve(npm, "node_modules/three", name)));
const THREE = await load("build/three.module.js");
const { GLTFLoader } = await load("examples/jsm/loaders/GLTFLoader.js");
const { MeshoptDecoder } = await load("examples/jsm/libs/meshopt_decoder.module.js");
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "supple-scale-"));
const at = name => path.join(folder, name);
const tool = name => path.join(npm, "node_modules/.bin", name);
const data = name => path.join(path.dirname(new URL(import.meta.url).pathname), "../../shared/data", name);

const cases = [
    { name: "beast", title: "built-in beast, walk, `layers`, 37 frames", source: "builtin:beast", flags: ["--deform", "layers"], mm: 0.5 },
    { name: "cesiumman", title: "CesiumMan, CMU walk 07_01, `layers`, 79 frames", source: data("skinned/cesiumman.glb"), flags: ["--deform", "layers", "--motion", data("mocap/07_01-walk.bvh")], mm: 0.5 },
    { name: "fox", title: "Fox (1.55 m), Run, `dualquat,smooth`, 36 frames", source: data("skinned/fox.glb"), flags: ["--clip", "Run", "--unit", "cm", "--deform", "dualquat,smooth"], mm: 0.5, unit: 0.01 },
].filter(c => !only.length || only.includes(c.name));

// Pictures cannot be decoded outside a browser and are not compared.
function withoutPictures(file) {
    const bytes = fs.readFileSync(file), length = bytes.readUInt32LE(12), json = JSON.parse(bytes.toString("utf8", 20, 20 + length));
    for (const m of json.materials ?? []) for (const key of ["pbrMetallicRoughness", "normalTexture", "occlusionTexture", "emissiveTexture"]) delete m[key];
    for (const m of json.materials ?? []) delete m.extensions;
    delete json.images, delete json.textures;
    const text = Buffer.from(JSON.stringify(json)), chunk = Buffer.alloc((text.length + 3) & ~3, " "), rest = bytes.subarray(20 + length);
    text.copy(chunk);
    const out = Buffer.alloc(20);
    bytes.copy(out, 0, 0, 20);
    out.writeUInt32LE(20 + chunk.length + rest.length, 8), out.writeUInt32LE(chunk.length, 12);
    const all = Buffer.concat([out, chunk, rest]);
    return all.buffer.slice(all.byteOffset, all.byteOffset + all.length);
}

async function play(file) {
    const gltf = await new GLTFLoader().setMeshoptDecoder(MeshoptDecoder).parseAsync(withoutPictures(file), "");
    const mixer = new THREE.AnimationMixer(gltf.scene), clip = gltf.animations.find(a => a.name === "baked"), meshes = [];
    gltf.scene.traverse(o => o.isMesh && meshes.push(o));
    mixer.clipAction(clip).setLoop(THREE.LoopOnce).play().clampWhenFinished = true;
    return time => {
        const points = [], v = new THREE.Vector3();
        mixer.setTime(time);
        gltf.scene.updateMatrixWorld(true);
        for (const mesh of meshes) {
            mesh.skeleton?.update();
            for (let i = 0; i < mesh.geometry.attributes.position.count; i++) points.push(mesh.getVertexPosition(i, v).applyMatrix4(mesh.matrixWorld).clone());
        }
        return points;
    };
}

// For each of a the nearest of b.
function match(a, b) {
    const cell = 0.01 * new THREE.Box3().setFromPoints(a).getSize(new THREE.Vector3()).length(), cells = new Map();
    const key = (x, y, z) => `${Math.floor(x / cell)},${Math.floor(y / cell)},${Math.floor(z / cell)}`;
    b.forEach((p, i) => (cells.get(key(p.x, p.y, p.z)) ?? cells.set(key(p.x, p.y, p.z), []).get(key(p.x, p.y, p.z))).push(i));
    return a.map(p => {
        let best = -1, distance = Infinity;
        for (let n = 0; n < 27; n++)
            for (const i of cells.get(key(p.x + (n % 3 - 1) * cell, p.y + (Math.floor(n / 3) % 3 - 1) * cell, p.z + (Math.floor(n / 9) - 1) * cell)) ?? [])
                if (p.distanceTo(b[i]) < distance) (distance = p.distanceTo(b[i])), (best = i);
        return best;
    });
}

async function measure(plain, file, frames, fps, unit) {
    const a = await play(plain), b = await play(file), pairs = match(a(0), b(0));
    let squares = 0, worst = 0, count = 0;
    for (let f = 0; f < frames; f += Math.max(1, Math.floor(frames / 12))) {
        const wanted = a(Math.fround(f / fps)), got = b(Math.fround(f / fps));
        wanted.forEach((p, i) => {
            const off = pairs[i] < 0 ? Infinity : p.distanceTo(got[pairs[i]]) * unit * 1000;
            (squares += off * off), (worst = Math.max(worst, off)), count++;
        });
    }
    return { rms: Math.sqrt(squares / count), worst };
}

const quiet = { stdio: ["ignore", "ignore", "ignore"] };
const row = (cells) => console.log(`| ${cells.join(" | ")} |`);
row(["clip", "written by", "kB", "rms mm", "worst mm"]);
row(["---", "---", "---:", "---:", "---:"]);
try {
    for (const c of cases) {
        const bake = (file, more) => JSON.parse(execFileSync(program, ["bake", c.source, at(file), "--name", "baked", "--no-verdict", "--json", "--quiet", ...c.flags, ...more], { encoding: "utf8" }));
        const { frames } = bake("plain.glb", []), show = async (title, file) => {
            const e = await measure(at("plain.glb"), at(file), frames, 30, c.unit ?? 1);
            return { title, kb: fs.statSync(at(file)).size / 1000, ...e };
        };
        const rows = [await show("`supple bake`, a target for each frame", "plain.glb")];
        // The coarsest grid that is within the error is their best.
        for (const [title, run] of [["`gltfpack -cc -vp`", bits => execFileSync(tool("gltfpack"), ["-i", at("plain.glb"), "-o", at("g.glb"), "-cc", "-kn", "-vp", `${bits}`], quiet)],
                                    ["`gltf-transform meshopt --level high --quantize-position`", bits => execFileSync(tool("gltf-transform"), ["meshopt", at("plain.glb"), at("g.glb"), "--level", "high", "--quantize-position", `${bits}`], quiet)]])
            for (let bits = 10; bits <= 16; bits++) {
                run(bits);
                const made = await show(`${title} ${bits}`, "g.glb");
                if (made.rms > c.mm && bits < 16) continue;
                rows.push(made);
                break;
            }
        bake("ours.glb", ["--rms-error", `${c.mm}mm`]);
        rows.push(await show(`\`supple bake --rms-error ${c.mm}mm\``, "ours.glb"));
        rows.forEach((r, i) => row([i ? "" : c.title, r.title, r.kb.toFixed(0), r.rms.toFixed(3), r.worst.toFixed(2)]));
    }
} finally {
    fs.rmSync(folder, { recursive: true, force: true });
}
