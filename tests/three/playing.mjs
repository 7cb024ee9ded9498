// What three.js makes of our files, on the processor: shared by plays.mjs and characters.mjs. Exit 77 (CTest's skip) where three
// is not installed.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

export let THREE, GLTFLoader, MeshoptDecoder, USDLoader, USDAParser;
try {
    THREE = await import("three");
    ({ GLTFLoader } = await import("three/addons/loaders/GLTFLoader.js"));
    ({ MeshoptDecoder } = await import("three/addons/libs/meshopt_decoder.module.js"));
    ({ USDLoader } = await import("three/addons/loaders/USDLoader.js"));
    ({ USDAParser } = await import("three/addons/loaders/usd/USDAParser.js"));
} catch (e) {
    console.log(`skipped: three is not installed (cd tests && npm install): ${e.message}`);
    process.exit(77);
}

export const program = process.argv[2];
export const fps = 12;
/** Baked files go here; the test that runs removes it. */
export const folder = fs.mkdtempSync(path.join(os.tmpdir(), "supple-three-"));

/** Bakes into the folder; what the program says as JSON, and the path. */
export function bake(source, file, flags) {
    const out = path.join(folder, file);
    const text = execFileSync(program, ["bake", source, out, "--fps", `${fps}`, "--json", "--quiet", ...flags], { encoding: "utf8" });
    return { out, ...JSON.parse(text) };
}

/** The frames of an npy file of floats, each a Float32Array of points. */
export function readNpy(file) {
    const bytes = fs.readFileSync(file), begin = 10 + bytes.readUInt16LE(8);
    const [frames, points] = /\((\d+), (\d+), 3\)/.exec(bytes.toString("latin1", 10, begin)).slice(1).map(Number);
    return Array.from({ length: frames }, (_, f) => new Float32Array(bytes.buffer.slice(bytes.byteOffset + begin + 12 * points * f, bytes.byteOffset + begin + 12 * points * (f + 1))));
}

export function meshes(root) {
    const list = [];
    root.traverse(o => o.isMesh && list.push(o));
    return list;
}

/** How far three's vertices are from the points, over their diagonal. `at` names the point of a vertex. */
export function worst(root, points, at) {
    let most = 0;
    const v = new THREE.Vector3();
    root.updateMatrixWorld(true);
    for (const mesh of meshes(root)) {
        mesh.skeleton?.update();
        for (let i = 0; i < mesh.geometry.attributes.position.count; i++) {
            mesh.getVertexPosition(i, v).applyMatrix4(mesh.matrixWorld);
            const p = 3 * at(mesh, i), distance = Math.hypot(v.x - points[p], v.y - points[p + 1], v.z - points[p + 2]);
            most = Math.max(most, Number.isNaN(distance) ? Infinity : distance);
        }
    }
    const box = new THREE.Box3().setFromArray(points);
    return most / box.getSize(v).length();
}

/** Once and held at the end: a repeating action shows its beginning there. */
export function playOnce(mixer, clip) {
    const action = mixer.clipAction(clip).setLoop(THREE.LoopOnce);
    action.clampWhenFinished = true;
    action.play();
}

/** The GLB without its materials: node has nothing to decode pictures with. */
export function withoutPictures(file) {
    const bytes = fs.readFileSync(file), length = bytes.readUInt32LE(12), document = JSON.parse(bytes.toString("utf8", 20, 20 + length));
    for (const key of ["materials", "textures", "images"]) delete document[key];
    document.meshes.forEach(mesh => mesh.primitives.forEach(primitive => delete primitive.material));
    const text = Buffer.from(JSON.stringify(document).padEnd(length, " "));
    return Uint8Array.from(Buffer.concat([bytes.subarray(0, 20), text, bytes.subarray(20 + length)])).buffer;
}

/** For `worst`: the point of a vertex, where the source has several parts. A loaded mesh knows which one of the file it is. */
export function pointOfVertex(source, gltf) {
    const begins = new Map();
    JSON.parse(execFileSync(program, ["inspect", source, "--json"], { encoding: "utf8" })).parts.reduce((at, part) => (begins.set(part.name, at), at + part.points), 0);
    const { json, associations } = gltf.parser;
    const beginOf = new Map(meshes(gltf.scene).map(mesh => {
        const index = associations.get(mesh).meshes; // parts are called after their mesh or, where that has no name, its node
        return [mesh, [json.meshes[index], ...json.nodes.filter(node => node.mesh === index)].map(o => begins.get(o.name)).find(at => at !== undefined)];
    }));
    return (mesh, i) => beginOf.get(mesh) + mesh.geometry.attributes._point.getX(i);
}
