// The package in Node: every door gives the program's hashes, mistakes are errors with sentences, and the helper for three.js moves
// vertices where three.js does. node test/node.test.mjs PROGRAM [CHARACTERS]; skips (77) where dist/ has not been built.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import assert from "node:assert/strict";

const [program, characters = ""] = process.argv.slice(2);
const root = path.join(path.dirname(fileURLToPath(import.meta.url)), "..");
if (!fs.existsSync(path.join(root, "dist/index.mjs"))) {
    console.log("skipped: dist/ is not there; make npm builds it");
    process.exit(77);
}
const { connect, open } = await import("supple-skin");
const compat = await import("supple-skin/compat");
const FPS = 12, END = 0.25, SOURCE = "builtin:arm?points=500", LINKS = "layers";

function native(source, clip, links) {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "supple-npm-"));
    const text = execFileSync(program, ["bake", source, path.join(folder, "a.npy"), "--clip", clip, "--deform", links, "--fps", String(FPS), "--end", String(END),
        "--hashes", "--no-verdict", "--json"], { encoding: "utf8" });
    fs.rmSync(folder, { recursive: true });
    return JSON.parse(text).hashes;
}

/** What a door must do, in this thread or in a worker. */
async function checkDoor(what, supple, clip, wanted) {
    const arm = await supple.load(SOURCE), chain = await arm.chain({ links: LINKS, clip }), player = await chain.play(), hashes = [];
    for (let i = 0; i < wanted.length; ++i) {
        await player.evaluate(i / FPS);
        hashes.push(await player.hash());
    }
    assert.deepEqual(hashes, wanted, `${what}: frames`);
    const told = [], bake = await chain.bake({ fps: FPS, end: END }, (fraction, words) => void told.push([fraction, words]));
    assert.deepEqual((await bake.inspect()).hashes, wanted, `${what}: bake`);
    assert.equal((await bake.points()).length, 3 * wanted.length * (await arm.inspect()).points);
    assert.ok(told.length && told.every(([fraction, words]) => fraction >= 0 && fraction <= 1 && words === "bake"), `${what}: progress`);
    await assert.rejects(async () => chain.bake({ fps: FPS }, () => false), { code: "cancelled" }, `${what}: cancel`);

    const bad = [
        [() => supple.load("builtin:nobody"), /nobody/], [() => arm.chain("nonsense"), /nonsense/], [() => supple.load("a.glb", new Uint8Array(8)), /a\.glb/],
        [() => player.live(0.1, new Float32Array(3)), /floats/], [() => player.evaluate(NaN), /finite/], [() => player.set("layers.nothing", 1), /nothing/],
        [() => arm.map("soft", new Float32Array(2)), /2/], [() => chain.bake({ fps: FPS, end: END, file: "a.nothing" }), /nothing/], [() => chain.play({ clap: 1 }), /clap/],
    ];
    for (const [call, words] of bad)
        await assert.rejects(async () => call(), error => error.name === "SuppleError" && words.test(error.message), `${what}: ${call} with ${words}`);
    await player.free();
    await assert.rejects(async () => player.hash(), error => error.name === "SuppleError" && error.code === "dead", `${what}: a freed player`);
    await supple.close();
    console.log(`ok       ${what}`);
}

const inspected = JSON.parse(execFileSync(program, ["inspect", SOURCE, "--json"], { encoding: "utf8" }));
const clip = inspected.clips[0].name, wanted = native(SOURCE, clip, LINKS);
await checkDoor("this thread", await open({ threads: 1 }), clip, wanted);
await checkDoor("three threads", await open({ threads: 3 }), clip, wanted);
await checkDoor("a worker with two threads", await connect({ threads: 2 }), clip, wanted);
await checkDoor("compat, a worker with two threads", await compat.connect({ threads: 2 }), clip, wanted);
await assert.rejects(open({ threads: 0 }), /1 to 256/);
await assert.rejects(open({ threads: 1, wasm: new Uint8Array(16) }), /not the module/);

// A glTF as text with its bytes beside it.
{
    const supple = await open({ threads: 1 }), folder = fs.mkdtempSync(path.join(os.tmpdir(), "supple-npm-"));
    const chain = supple.load("builtin:arm?points=200").chain({ links: "linear", clip: 0 });
    const files = chain.bake({ fps: 6, end: 0.2, file: "arm.gltf" }).files();
    assert.equal(files.length, 2);
    const beside = { [files[1].name]: files[1].bytes };
    assert.equal(supple.load("arm.gltf", files[0].bytes, {}, beside).inspect().points, supple.load("builtin:arm?points=200").inspect().points);
    assert.throws(() => supple.load("arm.gltf", files[0].bytes), /handed over/);
    fs.rmSync(folder, { recursive: true });
    await supple.close();
    console.log("ok       files beside a file");
}

// three.js: linear skinning through the helper is three's own, wherever the character stands, with box and rays.
const soldier = path.join(characters, "soldier.glb");
let THREE, GLTFLoader, SuppleSkin;
try {
    THREE = await import("three");
    ({ GLTFLoader } = await import("three/addons/loaders/GLTFLoader.js"));
    ({ SuppleSkin } = await import("supple-skin/three"));
} catch (error) {
    console.log(`skipped: three is missing: ${error.message}`);
}
function withoutPictures(file) {
    const bytes = fs.readFileSync(file), length = bytes.readUInt32LE(12), document = JSON.parse(bytes.toString("utf8", 20, 20 + length));
    for (const key of ["materials", "textures", "images"]) delete document[key];
    document.meshes.forEach(mesh => mesh.primitives.forEach(primitive => delete primitive.material));
    return Uint8Array.from(Buffer.concat([bytes.subarray(0, 20), Buffer.from(JSON.stringify(document).padEnd(length, " ")), bytes.subarray(20 + length)])).buffer;
}
if (THREE && !fs.existsSync(soldier)) console.log("skipped: soldier.glb is not there");
else if (THREE) {
    const gltf = await new GLTFLoader().parseAsync(withoutPictures(soldier), ""), holder = new THREE.Group().add(gltf.scene);
    holder.position.set(1, 2, 3);
    holder.rotation.y = 0.5;
    holder.scale.setScalar(1.5);
    const mixer = new THREE.AnimationMixer(gltf.scene), supple = await open({ threads: 1 });
    mixer.clipAction(gltf.animations.find(one => one.name === "Run")).play();
    const skin = await SuppleSkin.attach(supple, gltf.scene, { chain: "linear" }), a = new THREE.Vector3(), b = new THREE.Vector3(), seen = new THREE.Box3();
    let worst = 0;
    for (let frame = 0; frame < 3; ++frame) {
        holder.position.x += 0.1;
        mixer.update(0.1);
        skin.update(0.1);
        holder.updateMatrixWorld(true);
        seen.makeEmpty();
        for (const mesh of skin.meshes)
            for (let i = 0; i < mesh.geometry.attributes.position.count; ++i) {
                const source = mesh.userData.skinOf;
                if (!i) source.skeleton.update();
                source.getVertexPosition(i, a).applyMatrix4(source.matrixWorld);
                b.fromBufferAttribute(mesh.geometry.attributes.position, i).applyMatrix4(mesh.matrixWorld);
                worst = Math.max(worst, a.distanceTo(b));
                seen.expandByPoint(b);
            }
    }
    assert.ok(worst < 1e-5, `the helper's linear skinning is ${worst} from three's`);
    const box = new THREE.Box3();
    skin.meshes.forEach(mesh => box.expandByObject(mesh));
    assert.ok(box.containsBox(seen.clone().expandByScalar(-1e-4)) && box.getSize(a).length() < 1.6 * seen.getSize(b).length(), "the bounding box");
    const rays = new THREE.Raycaster(seen.getCenter(new THREE.Vector3()).add(new THREE.Vector3(0, 0, 9)), new THREE.Vector3(0, 0, -1));
    const [hit] = rays.intersectObjects(skin.meshes);
    assert.ok(hit && seen.distanceToPoint(hit.point) < 1e-4, "a ray hits the skin");
    await skin.detach();
    assert.ok(gltf.scene.getObjectByProperty("isSkinnedMesh", true).visible, "three's own is back");
    await supple.close();
    console.log(`ok       three.js: linear skinning within ${worst.toExponential(1)} of three's own; box and rays`);
}
