// Every client of --for, opened by other people's readers: three.js plays the file; gltf-transform reads it and writes it again without
// compression, and what Supple finds in that is compared with the bake; assimp counts what it finds where no extension is used.
// Where gltf-transform or assimp is missing, its claims are left out with a message.
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { GLTFLoader, MeshoptDecoder, THREE, bake, folder, fps, playOnce, program, readNpy, withoutPictures, worst } from "./playing.mjs";

const share = 0.001; // of the diagonal at rest, at worst
const extensions = { web: "EXT_meshopt_compression", three: "EXT_meshopt_compression", unreal: "", unity: "KHR_mesh_quantization", godot: "" };
const source = "builtin:arm?points=900", flags = ["--clip", "flex", "--deform", "dualquat"];
let failures = 0;
process.on("exit", () => fs.rmSync(folder, { recursive: true, force: true }));

function claim(what, good, words = "") {
    if (!good) failures++;
    console.log(`${good ? "ok      " : "FAILED  "} ${what}${words && `: ${words}`}`);
}

const transform = await (async () => {
    try {
        const { NodeIO } = await import("@gltf-transform/core"), { ALL_EXTENSIONS, EXTMeshoptCompression } = await import("@gltf-transform/extensions");
        await MeshoptDecoder.ready;
        const io = new NodeIO().registerExtensions(ALL_EXTENSIONS).registerDependencies({ "meshopt.decoder": MeshoptDecoder });
        return async (file, out) => {
            const document = await io.read(file);
            document.getRoot().listExtensionsUsed().forEach(e => e.extensionName === EXTMeshoptCompression.EXTENSION_NAME && e.dispose());
            await io.write(out, document);
        };
    } catch (e) {
        console.log(`skipped  gltf-transform is not installed (cd tests && npm install): ${e.message.split("\n")[0]}`);
    }
})();
const assimp = spawnSync("assimp", ["version"]).status === 0;
if (!assimp) console.log("skipped  assimp is not installed (Debian's package assimp-utils)");

const frames = readNpy(bake(source, "truth.npy", flags).out), box = new THREE.Box3(), size = new THREE.Vector3();
const inspected = JSON.parse(execFileSync(program, ["inspect", source, "--json"], { encoding: "utf8" }));
for (const client of Object.keys(extensions)) {
    const { out, budget } = bake(source, `${client}.glb`, [...flags, "--name", "baked", "--max-error", `${100 * share}%`, "--for", client]);
    const gltf = await new GLTFLoader().setMeshoptDecoder(MeshoptDecoder).parseAsync(withoutPictures(out), ""), mixer = new THREE.AnimationMixer(gltf.scene);
    playOnce(mixer, gltf.animations.find(a => a.name === "baked"));
    let error = 0;
    frames.forEach((points, f) => {
        mixer.setTime(Math.fround(f / fps));
        error = Math.max(error, worst(gltf.scene, points, (mesh, i) => mesh.geometry.attributes._point.getX(i)));
    });
    // `share` is of the rest shape's diagonal, the error of the frame's, which bent limbs make smaller.
    const used = gltf.parser.json.extensionsUsed ?? [], plain = !["web", "three"].includes(client);
    claim(`--for ${client}, ${(fs.statSync(out).size / 1000).toFixed(1)} kB in ${budget.components} components, by GLTFLoader`, error <= 1.3 * share, `${error.toExponential(1)} of the diagonal`);
    claim(`--for ${client}: ${used.join() || "no extensions"}`, used.join() === extensions[client]);
    const weights = gltf.animations.find(a => a.name === "baked").tracks.filter(t => t.name.endsWith("morphTargetInfluences")).flatMap(t => Array.from(t.values));
    if (plain) claim(`--for ${client}: weights from 0 to 1, which is all that some know`, weights.length > 0 && weights.every(w => w >= 0 && w <= 1));
    const sets = gltf.parser.json.meshes.flatMap(m => m.primitives.flatMap(p => Object.keys(p.attributes)));
    claim(`--for ${client}: four influences`, sets.includes("JOINTS_0") && !sets.includes("JOINTS_1"));
    if (transform) {
        const again = path.join(folder, "again.glb");
        await transform(out, again);
        const { out: points } = bake(again, "again.npy", ["--clip", "baked", "--deform", "linear"]);
        let most = 0;
        readNpy(points).forEach((got, f) => {
            box.setFromArray(frames[f]).getSize(size);
            for (let i = 0; i < got.length; i += 3) most = Math.max(most, Math.hypot(got[i] - frames[f][i], got[i + 1] - frames[f][i + 1], got[i + 2] - frames[f][i + 2]) / size.length());
        });
        claim(`--for ${client}, through gltf-transform and back`, most <= 1.3 * share, `${most.toExponential(1)} of the diagonal`);
    }
    if (assimp && plain) {
        const said = spawnSync("assimp", ["info", out], { encoding: "utf8" }).stdout, number = word => Number(new RegExp(`^${word}:\\s+(\\d+)`, "m").exec(said)?.[1]);
        claim(`--for ${client}, by assimp`, number("Faces") === inspected.triangles && number("Animations") >= 1 && number("Vertices") > 0,
            `${number("Vertices")} vertices, ${number("Faces")} faces, ${number("Animations")} clips, ${number("Bones")} bones`);
    }
}
process.exit(failures ? 1 : 0);
