// docs/images/curves-bodies.jpg and fourier-curves.jpg: rings of the bodies of the data set, and of those without a rig.
//   node scripts/curves-sheet.mjs [build/supple] [../shared/data]   (needs ffmpeg)
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

const [program = "build/supple", data = "../shared/data"] = process.argv.slice(2);
const work = fs.mkdtempSync(path.join(os.tmpdir(), "supple-sheet-")), at = file => path.join(data, file);
const rigged = name => ["--skeleton", at(`${name}.tgf`), "--weights", at(`${name}-weights.dmat`)];
const bodies = [
    ["builtin:arm"], ["builtin:beast"], ["builtin:bar"], ...["cesiumman.glb", "soldier.glb", "xbot.glb", "readyplayer.glb", "hvgirl.glb", "riggedsimple.glb", "robotexpressive.glb", "fox.glb"].map(f => [at(`skinned/${f}`)]),
    [at("libigl-rigs/arm.obj"), ...rigged("libigl-rigs/arm")], [at("libigl-rigs/elephant.obj"), ...rigged("libigl-rigs/elephant")], [at("wolf-rig/wolf.obj"), ...rigged("wolf-rig/wolf")],
    ...["archer.fbx", "warrior.fbx", "animation_with_skeleton.fbx", "stormtrooper.dae"].map(f => [at(`skinned/${f}`)]),
    ...["libigl-rigs/hand.mesh", "closed-meshes/hand_closed.obj", "closed-meshes/human_man.obj", "closed-meshes/decimated-knight.off", "closed-meshes/armadillo.obj", "closed-meshes/bunny.obj", "closed-meshes/fish_low_resolution.obj",
        "closed-meshes/octopus-low.mesh", "horse-gallop/reference.obj", "elastic-cow/0001.obj", "samba/mesh_0000.obj", "cat-poses/reference.obj"].map(f => [at(f)]),
];
function run(name, ...args) {
    const r = spawnSync(name, args, { encoding: "utf8" });
    if (r.status !== 0) throw new Error(`${name} ${args.slice(0, 3).join(" ")}: ${r.stderr}`);
}
const named = (...names) => names.map(n => bodies.find(([file]) => file.endsWith(n)));
const bare = named("reference.obj", "cat-poses/reference.obj", "human_man.obj", "hand.mesh", "armadillo.obj", "bunny.obj", "octopus-low.mesh", "fish_low_resolution.obj", "decimated-knight.off");

function sheet(name, list, link, columns, width, height) {
    const folder = fs.mkdtempSync(path.join(work, "s"));
    list.forEach(([file, ...rig], i) => {
        const out = path.join(folder, `${String(i).padStart(3, "0")}.png`);
        run(program, "render", file, out, ...rig, "--deform", `${link}(way=around)`, "--show", `${link}.curves`, "--size", `${2 * width}x${2 * height}`, "--quiet");
    });
    const fit = `scale=${width}:${height}:flags=area,tile=${columns}x${Math.ceil(list.length / columns)}:color=white`;
    run("ffmpeg", "-loglevel", "error", "-y", "-i", path.join(folder, "%03d.png"), "-vf", fit, "-frames:v", "1", "-q:v", "8", `docs/images/${name}`);
}
sheet("curves-bodies.jpg", bodies, "beam", 8, 150, 150);
sheet("fourier-curves.jpg", bare, "fourier", 3, 250, 190);
fs.rmSync(work, { recursive: true });
