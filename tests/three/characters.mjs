// Characters that nobody tuned to: every file of a folder is inspected, checked, baked by several chains and played by three.js,
// which must show the points of the npy bake; a page of pictures is left to look at.
//   node tests/three/characters.mjs build/supple FOLDER OUT [SECONDS of the first clip]
// Files without a clip get the walk of MOTION (a .bvh), if the environment names one.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { GLTFLoader, THREE, bake, folder, fps, meshes, playOnce, pointOfVertex, program, readNpy, withoutPictures, worst } from "./playing.mjs";

const [source, out, seconds = "0.5"] = process.argv.slice(3);
const chains = ["dualquat", "lattice", "layers"];
let failures = 0;

function run(...flags) {
    const began = process.hrtime.bigint();
    const { status, signal, stdout, stderr } = spawnSync(program, flags, { encoding: "utf8", maxBuffer: 1 << 28 });
    if (status !== 0) throw new Error(`supple ${flags.join(" ")}: ${signal ?? `exit ${status}`}: ${stderr.trim().split("\n").at(-1)}`);
    return { stdout, stderr, seconds: Number(process.hrtime.bigint() - began) / 1e9 };
}

async function played(file, flags) {
    const frames = readNpy(bake(file, "a.npy", flags).out);
    const gltf = await new GLTFLoader().parseAsync(withoutPictures(bake(file, "a.glb", [...flags, "--name", "baked"]).out), "");
    const mixer = new THREE.AnimationMixer(gltf.scene), at = pointOfVertex(file, gltf);
    playOnce(mixer, gltf.animations.find(a => a.name === "baked"));
    let error = meshes(gltf.scene).length ? 0 : Infinity;
    frames.forEach((points, f) => {
        mixer.setTime(Math.fround(f / fps));
        error = Math.max(error, worst(gltf.scene, points, at));
    });
    if (!(error <= 1e-5)) throw new Error(`three.js is ${error.toExponential(1)} of the diagonal from the points`);
    return error;
}

async function attempt(what, body) {
    try {
        console.log(`ok       ${what}${await body()}`);
    } catch (e) {
        failures++;
        console.log(`FAILED   ${what}: ${e.message}`);
    }
}

async function meet(name) {
    const file = path.join(source, name);
    let about;
    await attempt(`${name}: inspect`, () => {
        about = JSON.parse(run("inspect", file, "--json").stdout);
        return `: ${about.points} points, ${about.joints} joints, ${about.clips.length} clips; ${about.warnings.join("; ") || "nothing is wrong"}`;
    });
    if (!about) return "";
    const first = about.clips.find(clip => clip.seconds > 0), walk = !first && process.env.MOTION;
    const motion = first ? ["--clip", first.name] : walk ? ["--motion", walk] : ["--pose", `${about.joint_names[0]}=0,0,20`];
    const part = first ? ["--end", `${Math.min(Number(seconds), first.seconds)}`] : walk ? ["--end", seconds] : [];
    await attempt(`${name}: check`, () => `: ${run("check", file, "--deform", "linear", "--deform", "dualquat").stdout.trim().split("\n").at(-1)}`);
    for (const chain of chains)
        await attempt(`${name}: ${chain}`, async () => `: three.js shows it to ${(await played(file, [...motion, ...part, "--deform", chain])).toExponential(1)} of the diagonal`);
    const picture = `${name}.png`, time = first || walk ? ["--time", part[1]] : [];
    await attempt(`${name}: picture`, () => {
        run("render", file, path.join(out, picture), ...motion, ...time, "--color", "file", "--size", "1600x500", ...["linear", ...chains].flatMap(chain => ["--deform", chain]));
        return `: ${path.join(out, picture)}`;
    });
    return `<h2>${name}</h2><p>${about.points} points</p><img src="${picture}">`;
}

fs.mkdirSync(out, { recursive: true });
const sections = [];
try {
    for (const name of fs.readdirSync(source).filter(name => /\.(glb|gltf|vrm|fbx|dae)$/i.test(name)).sort()) sections.push(await meet(name));
} finally {
    fs.rmSync(folder, { recursive: true, force: true });
}
fs.writeFileSync(path.join(out, "index.html"), `<!doctype html><meta charset="utf-8"><title>Characters</title><style>body{font:14px sans-serif;margin:2em}img{max-width:100%}</style>${sections.join("\n")}`);
console.log(`${path.join(out, "index.html")} shows them; ${failures} failed`);
process.exit(failures ? 1 : 0);
