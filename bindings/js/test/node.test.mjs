// The package in Node: every door gives the program's hashes, mistakes are errors with sentences, and the helper for three.js moves
// vertices where three.js does. node test/node.test.mjs PROGRAM [CHARACTERS]; skips (77) where dist/ has not been built.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { fileURLToPath } from "node:url";
import assert from "node:assert/strict";

const [program, characters = ""] = process.argv.slice(2);
const root = path.join(path.dirname(fileURLToPath(import.meta.url)), "..");
if (!fs.existsSync(path.join(root, "dist/index.mjs"))) {
    console.log("skipped: dist/ is not there; make npm builds it");
    process.exit(77);
}
const { compile, connect, open } = await import("supple-skin");
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
        [() => player.live(0.1, new Float32Array(3)), /floats/], [async () => player.live(0.1, await player.pose(), new Float32Array((await player.morphs()).length + 1)), /morphs/], [() => player.evaluate(NaN), /finite/], [() => player.set("layers.nothing", 1), /nothing/],
        [() => arm.map("soft", new Float32Array(2)), /2/], [() => chain.bake({ fps: FPS, end: END, file: "a.nothing" }), /nothing/], [() => chain.play({ clap: 1 }), /clap/],
    ];
    for (const [call, words] of bad)
        await assert.rejects(async () => call(), error => error.name === "SuppleError" && words.test(error.message), `${what}: ${call} with ${words}`);
    // Lists of numbers are taken whatever their type; what is none is an error, and never an address.
    const count = (await arm.inspect()).points;
    for (const values of [Array(count).fill(0.25), new Float64Array(count).fill(0.25), new Float32Array(count).fill(0.25)]) {
        await arm.map("soft", new Float32Array(count));
        await arm.map("soft", values);
        assert.ok((await arm.array("map:soft")).every(value => value === 0.25), `${what}: ${values.constructor.name}`);
    }
    assert.equal((await player.errors(Array.from(await player.skin()))).max, 0, what);
    const odd = [[() => arm.map("soft", 5), /list of numbers/], [() => arm.map("soft", Array(count).fill("x")), /not finite/], [() => arm.map("soft", new BigInt64Array(count)), /list of numbers/],
        [() => supple.load("a.glb", [1, 2, 3]), /ArrayBuffer/], [() => supple.load(5), /text/], [() => arm.weights([0, -1], [0], [1]), /whole numbers/], [() => player.normals(-1), /vertices/],
        [() => supple.make({}), /meshes/], [() => player.live(0.1, undefined), /list of numbers/]];
    for (const [call, words] of odd)
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
const once = await compile(fs.readFileSync(path.join(root, "dist/supple.wasm")));
await checkDoor("a module that was compiled before, one thread", await open({ threads: 1, wasm: once }), clip, wanted);
await checkDoor("the same module in a worker with two threads", await connect({ threads: 2, wasm: once }), clip, wanted);
// What only plays: the same bits, and a sentence for what it left out.
{
    const playing = await import("supple-skin/play"), full = await open({ threads: 1 }), glb = await (await full.load(SOURCE)).write();
    for (const [what, supple] of [["play, this thread", await playing.open({ threads: 1 })], ["play, a worker with two threads", await playing.connect({ threads: 2 })]]) {
        const arm = await supple.load("arm.glb", glb);
        for (const links of ["linear", "dualquat,smooth", "lattice", "layers", "dualquat,wrinkle"]) {
            const player = await (await arm.chain({ links, clip })).play(), own = full.load("arm.glb", glb).chain({ links, clip }).play();
            for (const time of [0, 0.2, 0.1]) {
                own.evaluate(time);
                await player.evaluate(time);
                assert.equal(await player.hash(), own.hash(), `${what}: ${links} at ${time}`);
            }
        }
        const chain = await arm.chain({ links: "linear", clip });
        await assert.rejects(async () => arm.chain("beam"), /no deformer 'beam'/);
        await assert.rejects(async () => chain.bake({}), error => error.name === "SuppleError" && /made without flat_bake/.test(error.message));
        await assert.rejects(async () => supple.load(SOURCE), /none in this build/);
        await assert.rejects(async () => supple.load("a.obj", new TextEncoder().encode("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")), error => error.name === "SuppleError");
        assert.deepEqual((await supple.deformers()).map(({ name }) => name), ["linear", "dualquat", "lattice", "layers", "smooth", "wrinkle"]);
        await supple.close();
        console.log(`ok       ${what}`);
    }
    await full.close();
    const sizes = ["supple.wasm", "play.wasm"].map(file => gzipSync(fs.readFileSync(path.join(root, "dist", file)), { level: 9 }).length);
    assert.ok(sizes[0] < 660e3 && sizes[1] < 400e3, `the modules have ${sizes.join(" and ")} bytes gzipped: the small one may have 400,000`);
}
await assert.rejects(open({ threads: 0 }), /1 to 256/);
await assert.rejects(open({ threads: 1, wasm: new Uint8Array(16) }), /not the module/);

// Motion of others, automatic weights, the doctor and values of points, in this thread and in a worker.
for (const [what, supple] of [["this thread", await open({ threads: 1 })], ["a worker with two threads", await connect({ threads: 2 })]]) {
    const arm = await supple.load("builtin:arm?points=300"), beast = await supple.load("builtin:beast?points=1000");
    const report = await beast.motion("twin.glb", await (await supple.load("builtin:beast?points=1000")).write(), { name: "again", clip: "walk" });
    assert.ok(report.clip === "again" && report.guessed === 0 && report.pairs.length > 10 && report.pairs.every(pair => pair.by === "name"));
    assert.ok((await beast.inspect()).clips.some(({ name }) => name === "again"));
    const weighed = await arm.weigh({ influences: 3 }), { weights } = await weighed.inspect();
    assert.equal(weights.influences_max, 3);
    await assert.rejects(async () => beast.weigh({}, () => false), { code: "cancelled" });
    await assert.rejects(async () => arm.motion("a.bvh", new Uint8Array(4)), error => error.name === "SuppleError");

    const told = [], native = JSON.parse(execFileSync(program, ["check", "builtin:arm?points=300", "--deform", "linear", "--deform", "layers", "--joint", "forearm", "--json", "--quiet"], { encoding: "utf8" }));
    const seen = await arm.check({ chains: ["linear", "layers"], joints: ["forearm"] }, fraction => void told.push(fraction));
    assert.deepEqual(seen.joints, native.joints, `${what}: the doctor`);
    assert.ok(told.length > 4 && told.every((fraction, i) => fraction >= (told[i - 1] ?? 0) && fraction <= 1));
    await assert.rejects(async () => arm.check({ chains: ["layers"] }, () => false), { code: "cancelled" });
    const chain = await arm.chain({ links: "layers", clip: 0 });
    assert.equal((await chain.check({ joints: ["forearm"] })).joints[0].chains[0].volume_change, native.joints[0].chains[1].volume_change, `${what}: a bound chain`);

    const player = await chain.play(), first = (await player.evaluate(0)).slice(), start = await player.hash();
    await player.evaluate(0.5);
    const far = await player.values("distance", first), volume = await player.values("volume"), weight = await player.values("weight:forearm");
    assert.ok(far.length === first.length / 3 && Math.max(...far) > 0.05 && volume.some(value => value !== 0));
    assert.ok(Math.max(...weight) === 1 && Math.min(...weight) === 0);
    await assert.rejects(async () => player.values("weight:nobody"), /nobody/);
    await assert.rejects(async () => player.values("distance"), /floats/);
    await player.evaluate(0);
    assert.equal(await player.hash(), start, `${what}: back at the start`);
    await supple.close();
    console.log(`ok       ${what}: motion, weights, the doctor, values`);
}

// A glTF as text with its bytes beside it.
{
    const supple = await open({ threads: 1 }), folder = fs.mkdtempSync(path.join(os.tmpdir(), "supple-npm-"));
    const chain = supple.load("builtin:arm?points=200").chain({ links: "linear", clip: 0 });
    const files = chain.bake({ fps: 6, end: 0.2, file: "arm.gltf" }).files();
    assert.equal(files.length, 2);
    const beside = { [files[1].name]: files[1].bytes };
    assert.equal(supple.load("arm.gltf", files[0].bytes, {}, beside).inspect().points, supple.load("builtin:arm?points=200").inspect().points);
    assert.throws(() => supple.load("arm.gltf", files[0].bytes), /was not passed/);
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
/** The farthest that the shown vertices are from where three's own skinning has them, in the world. */
function farthest(skin, box) {
    const a = new THREE.Vector3(), b = new THREE.Vector3();
    let worst = 0;
    for (const mesh of skin.meshes) {
        const source = mesh.userData.skinOf;
        source.skeleton.update();
        for (let i = 0; i < mesh.geometry.attributes.position.count; ++i) {
            source.getVertexPosition(i, a).applyMatrix4(source.matrixWorld);
            b.fromBufferAttribute(mesh.geometry.attributes.position, i).applyMatrix4(mesh.matrixWorld);
            worst = Math.max(worst, a.distanceTo(b));
            box.expandByPoint(b);
        }
    }
    return worst;
}

/** A tube on two bones with a morph, made by hand: with or without an index, bound away from the origin, moved by its matrix. */
function makeTube(indexed = false) {
    const cylinder = new THREE.CylinderGeometry(0.1, 0.1, 1, 12, 8, true).translate(0, 0.5, 0), geometry = indexed ? cylinder : cylinder.toNonIndexed(), { position } = geometry.attributes;
    const upper = Float32Array.from({ length: position.count }, (_, i) => Math.min(1, Math.max(0, 2 * position.getY(i) - 0.5)));
    geometry.setAttribute("skinIndex", new THREE.Uint16BufferAttribute(Array.from(upper, () => [0, 1, 0, 0]).flat(), 4));
    geometry.setAttribute("skinWeight", new THREE.Float32BufferAttribute(Array.from(upper, w => [1 - w, w, 0, 0]).flat(), 4));
    geometry.morphAttributes.position = [new THREE.Float32BufferAttribute(Array.from(upper, w => [0.1 * w, 0, 0.05]).flat(), 3)];
    geometry.morphTargetsRelative = true;
    const mesh = new THREE.SkinnedMesh(geometry, new THREE.MeshBasicMaterial()), bones = [new THREE.Bone(), new THREE.Bone()], group = new THREE.Group();
    bones[0].add(bones[1]);
    bones[1].position.y = 0.5;
    mesh.position.set(0, 0.2, 0.3);
    mesh.add(bones[0]);
    group.add(mesh);
    group.updateMatrixWorld(true);
    mesh.bind(new THREE.Skeleton(bones));
    mesh.morphTargetDictionary = { bulge: 0 };
    mesh.morphTargetInfluences = [0];
    return { group, mesh, bones };
}

if (THREE) {
    const { group, mesh, bones } = makeTube(), supple = await open({ threads: 1 }), skin = await SuppleSkin.attach(supple, group, { chain: "linear" });
    group.matrixAutoUpdate = false;
    for (let frame = 1; frame < 4; ++frame) {
        group.matrix.makeRotationZ(0.2 * frame).setPosition(frame, 0, 1);
        bones[1].rotation.x = 0.3 * frame;
        bones[1].scale.setScalar(1 + 0.1 * frame);
        mesh.morphTargetInfluences[0] = 0.3 * frame;
        skin.update(0.05);
        group.updateMatrixWorld(true);
        const worst = farthest(skin, new THREE.Box3());
        assert.ok(worst < 1e-5, `frame ${frame} of the tube is ${worst} from three's`);
    }
    // Folds too fine for the points: triangles without common vertices, where the source's are, and heights that come with the bend.
    const tube = makeTube(true), creased = await SuppleSkin.attach(supple, tube.group, { chain: "linear,wrinkle" }), [shown] = creased.meshes;
    const heights = () => creased.relief.heights.image.data, { index } = tube.mesh.geometry;
    assert.ok(!shown.geometry.index && shown.geometry.attributes.rippleCorners.count === index.count, "every triangle has vertices of its own");
    assert.ok(heights().every(one => one === 0), "nothing folds at rest");
    tube.bones[1].rotation.x = 1.2;
    creased.update(0.05);
    assert.ok(heights().some(one => one !== 0), "the bend folds");
    tube.group.updateMatrixWorld(true);
    const at = new THREE.Vector3(), wanted = new THREE.Vector3(), places = shown.geometry.attributes.position;
    for (let i = 0; i < places.count; ++i) {
        tube.mesh.getVertexPosition(index.getX(i), wanted).applyMatrix4(tube.mesh.matrixWorld);
        assert.ok(at.fromBufferAttribute(places, i).applyMatrix4(shown.matrixWorld).distanceTo(wanted) < 1e-5, `vertex ${i} is where its own is`);
    }
    await creased.detach();
    await assert.rejects(SuppleSkin.attach(supple, new THREE.Group(), { chain: "linear" }), /no SkinnedMesh/);
    await assert.rejects(SuppleSkin.attach(supple, makeTube().group, { chain: "nonsense" }), /nonsense/);
    await supple.close();
    console.log("ok       three.js: a tube made by hand, with a morph, scaled bones, folds and a matrix of its own");
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
        worst = Math.max(worst, farthest(skin, seen.makeEmpty()));
    }
    assert.ok(worst < 1e-5, `the helper's linear skinning is ${worst} from three's`);
    const box = new THREE.Box3();
    skin.meshes.forEach(mesh => box.expandByObject(mesh));
    assert.ok(box.containsBox(seen.clone().expandByScalar(-1e-4)) && box.getSize(a).length() < 1.6 * seen.getSize(b).length(), "the bounding box");
    const rays = new THREE.Raycaster(seen.getCenter(new THREE.Vector3()).add(new THREE.Vector3(0, 0, 9)), new THREE.Vector3(0, 0, -1));
    const [hit] = rays.intersectObjects(skin.meshes);
    assert.ok(hit && seen.distanceToPoint(hit.point) < 1e-4, "a ray hits the skin");
    const own = skin.meshes.map(mesh => mesh.userData.skinOf), seenBy = new THREE.Layers();
    assert.ok(own.every(mesh => !mesh.layers.test(seenBy) && mesh.visible), "three's own is not drawn, but what hangs on it is");
    await skin.detach();
    assert.ok(own.every(mesh => mesh.layers.test(seenBy)) && !skin.meshes.some(mesh => mesh.parent), "three's own is back");
    assert.throws(() => skin.update(0.1), /detached/);
    await supple.close();
    console.log(`ok       three.js: linear skinning within ${worst.toExponential(1)} of three's own; box and rays`);
}
