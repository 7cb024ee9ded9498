// One run, one table: other engines and ours on the same machine, in CPU time of all threads.
// node peers.mjs PROGRAM CHARACTERS DOCUMENT: the table goes between the marks in DOCUMENT.
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { open } from "../../bindings/js/dist/index.mjs";
import { SIDE, block } from "./block.mjs";
import { STEP, jolt, rapier } from "./engines.mjs";

const [program, characters, document] = process.argv.slice(2);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "supple-peers-"));
const FRAME = 1 / 30;
/** What layers does in a frame by default: steps of 5 ms in four substeps of two rounds, on four particles a point. */
const LAYERS_ROUNDS = FRAME / 0.005 * 4 * 2, LAYERS_PARTICLES = 4;
const MARKS = /(<!-- peers begin -->\n)[\s\S]*(<!-- peers end -->)/;
if (!MARKS.test(fs.readFileSync(document, "utf8")))
    throw new Error(`${document}: the marks <!-- peers begin --> and <!-- peers end --> are missing, so the table has no place`);
const rows = [];

/** Mean milliseconds of calls after a few that warm up, over at least a second of CPU: of the CPU, and on the clock. */
function timed(call) {
    for (let i = 0; i < 5; ++i) call(i);
    const begin = process.cpuUsage(), start = performance.now();
    let calls = 0;
    for (let used = 0; used < 1e6 || calls < 10; ++calls) {
        call(5 + calls);
        const { user, system } = process.cpuUsage(begin);
        used = user + system;
    }
    const { user, system } = process.cpuUsage(begin);
    return { cpu: (user + system) / 1000 / calls, wall: (performance.now() - start) / calls };
}
const cpu = call => timed(call).cpu;

/** work: particles times rounds a step, for nanoseconds each; null where that means nothing. */
function row(scene, engine, milliseconds, seconds, work, does) {
    const each = work ? (milliseconds * 1e6 / work).toFixed(0) : "–";
    rows.push([scene, engine, milliseconds.toFixed(milliseconds < 0.1 ? 3 : milliseconds < 10 ? 2 : 0), (1000 * seconds).toFixed(0), each, does]);
    console.error(rows.at(-1).join(" | "));
}

async function engines(given) {
    const particles = given.positions.length / 3;
    const scene = `block, ${particles} particles, ${given.tetrahedra.length} tetrahedra`;
    for (const iterations of [1, 5]) {
        const made = await jolt(given, iterations);
        row(scene, "jolt-physics 1.1, WebAssembly", cpu(made.step), STEP, particles * iterations,
            `edges and volumes of tetrahedra, ${iterations} iteration${iterations > 1 ? "s" : ""}; no self-contact, no skin`);
    }
    for (const [model, words] of [["Volume", "edges and volumes as constraints"], ["NeoHookean", "neo-Hookean cells"], ["FEM", "finite elements"]]) {
        const made = await rapier(given, model);
        row(scene, "rapier3d 0.21, WebAssembly", cpu(made.step), STEP, particles * made.iterations,
            `${words}, ${made.iterations} iterations; no self-contact, no skin`);
    }
}

/** Adds a clip of a second to a GLB: its last joint nods. */
function addNod(file) {
    const bytes = fs.readFileSync(file);
    const length = bytes.readUInt32LE(12);
    const json = JSON.parse(bytes.subarray(20, 20 + length).toString());
    const binary = bytes.subarray(28 + length, 28 + length + json.buffers[0].byteLength);
    const keys = Array.from({ length: 31 }, (_, i) => i / 30);
    const turns = keys.flatMap(t => { const half = 0.35 * Math.sin(2 * Math.PI * t) ** 2; return [Math.sin(half), 0, 0, Math.cos(half)]; });
    const data = Buffer.from(new Float32Array([...keys, ...turns]).buffer);
    const begin = Math.ceil(binary.length / 4) * 4;
    const views = json.bufferViews.push({ buffer: 0, byteOffset: begin, byteLength: 4 * keys.length },
        { buffer: 0, byteOffset: begin + 4 * keys.length, byteLength: 4 * turns.length });
    const count = json.accessors.push({ bufferView: views - 2, componentType: 5126, count: keys.length, type: "SCALAR", min: [0], max: [1] },
        { bufferView: views - 1, componentType: 5126, count: keys.length, type: "VEC4" });
    json.animations = [{ name: "nod", samplers: [{ input: count - 2, output: count - 1 }],
        channels: [{ sampler: 0, target: { node: json.skins[0].joints.at(-1), path: "rotation" } }] }];
    json.buffers[0].byteLength = begin + data.length;
    const text = Buffer.from(JSON.stringify(json).padEnd(Math.ceil(JSON.stringify(json).length / 4) * 4));
    const body = Buffer.concat([binary, Buffer.alloc(begin - binary.length), data]);
    const head = Buffer.alloc(20), chunk = Buffer.alloc(8);
    [0x46546c67, 2, 28 + text.length + body.length, text.length, 0x4e4f534a].forEach((word, i) => head.writeUInt32LE(word, 4 * i));
    [body.length, 0x004e4942].forEach((word, i) => chunk.writeUInt32LE(word, 4 * i));
    fs.writeFileSync(file, Buffer.concat([head, text, chunk, body]));
}

/** The block's surface as a skinned character of ours: two bones from top to bottom, the lower of which nods. */
function writeBlock(given) {
    const points = [...new Set(given.surface.flat())];
    const place = new Map(points.map((point, i) => [point, i + 1]));
    const text = points.map(p => `v ${given.positions.slice(3 * p, 3 * p + 3).join(" ")}`);
    text.push(...given.surface.map(face => `f ${face.map(p => place.get(p)).join(" ")}`));
    fs.writeFileSync(path.join(folder, "block.obj"), `${text.join("\n")}\n`);
    fs.writeFileSync(path.join(folder, "block.tgf"), "1 0.25 0.45 0.25\n2 0.25 0.25 0.25\n3 0.25 0.05 0.25\n#\n1 2 1 0 0 0\n2 3 1 0 0 0\n");
    execFileSync(program, ["weights", path.join(folder, "block.obj"), path.join(folder, "block.glb"), "--skeleton", path.join(folder, "block.tgf"), "--quiet"]);
    addNod(path.join(folder, "block.glb"));
    return path.join(folder, "block.glb");
}

/** points: of a mesh that layers simulates itself, for nanoseconds a particle; 0 where a cage may stand in for it. */
const layersWork = (link, points) => link === "layers" && points ? points * LAYERS_PARTICLES * LAYERS_ROUNDS : null;

function native(file, scene, words, points = 0) {
    const out = execFileSync(program, ["bench", file, "--scene", `${path.basename(file, path.extname(file))}/l*`, "--json"], { encoding: "utf8", maxBuffer: 1 << 26 });
    const name = path.basename(file, path.extname(file));
    for (const link of ["linear", "lattice", "layers"])
        for (const found of JSON.parse(out).scenes.filter(s => s.name === `${name}/${link}`))
            row(scene, `supple ${link}, native, ${found.threads} thread${found.threads > 1 ? "s" : ""}`, found.threads > 1 ? found.ms : found.cpu_ms, FRAME,
                found.threads > 1 ? null : layersWork(link, points), `${words[link]}${found.threads > 1 ? "; wall time" : ""}`);
}

async function inModule(file, scene, words, points = 0) {
    for (const count of [1, 2]) {
        const supple = await open({ threads: count });
        const character = await supple.fetch(file);
        const seconds = character.inspect().clips[0]?.seconds ?? 1;
        for (const link of ["lattice", "layers"]) {
            const chain = character.chain({ links: link, clip: 0 }), player = chain.play();
            const used = timed(frame => player.evaluate(frame * FRAME % seconds));
            row(scene, `supple ${link}, WebAssembly, ${count} thread${count > 1 ? "s" : ""}`, count > 1 ? used.wall : used.cpu, FRAME,
                count > 1 ? null : layersWork(link, points), `${words[link]}${count > 1 ? "; wall time" : ""}`);
            player.free();
            chain.free();
        }
        await supple.close();
    }
}

async function threeSkinning(file, scene) {
    const THREE = await import("three");
    const { GLTFLoader } = await import("three/examples/jsm/loaders/GLTFLoader.js");
    globalThis.self ??= globalThis;
    const bytes = fs.readFileSync(file);
    const gltf = await new GLTFLoader().parseAsync(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), "");
    const meshes = [];
    gltf.scene.traverse(object => object.isSkinnedMesh && meshes.push(object));
    gltf.scene.updateMatrixWorld(true);
    const point = new THREE.Vector3();
    const used = cpu(() => {
        for (const mesh of meshes)
            for (let i = 0; i < mesh.geometry.attributes.position.count; ++i) mesh.getVertexPosition(i, point);
    });
    row(scene, `three.js ${THREE.REVISION}, skinning on the CPU`, used, FRAME, null, "linear skinning of vertices, for picking; its GPU does the same for the picture");
}

function blender(file, clip, scene) {
    const here = path.dirname(fileURLToPath(import.meta.url));
    const run = spawnSync("blender", ["--background", "--factory-startup", "--python", path.join(here, "blender.py"), "--", file, clip], { encoding: "utf8" });
    const line = run.stdout?.split("\n").find(text => text.startsWith("RESULT "));
    if (!line) throw new Error(`blender said nothing: ${run.error?.message ?? run.stderr?.slice(-500)}`);
    const { version, points, ...times } = JSON.parse(line.slice(7));
    const words = { armature: "linear or dual quaternion skinning", "corrective smooth": "skinning, then smoothing",
        "soft body": "springs on edges and goals; no volume", "soft body, self-collision": "springs, and balls around points that repel" };
    for (const [name, milliseconds] of Object.entries(times))
        row(scene, `Blender ${version}, ${name}`, milliseconds, 1 / 24, null, `${words[name]}; ${points} vertices`);
}

const does = {
    linear: "skinning",
    lattice: "shape matching on cells, volume of parts; no self-contact",
    layers: "four layers of tissue, volume of parts, self-contact",
};
try {
    const given = block();
    await engines(given);
    const blockFile = writeBlock(given);
    const surface = `block, surface of ${SIDE}^3`;
    const points = new Set(given.surface.flat()).size;
    native(blockFile, surface, does, points);
    await inModule(blockFile, surface, does, points);
    const beast = path.join(folder, "beast-walk.glb");
    execFileSync(program, ["bake", "builtin:beast", beast, "--clip", "walk", "--deform", "linear", "--quiet"]);
    const files = [beast, ...["cesiumman", "soldier", "xbot"].map(name => path.join(characters, `${name}.glb`)).filter(fs.existsSync)];
    for (const file of files) {
        const name = path.basename(file, ".glb");
        native(file, name, does);
        await inModule(file, name, does);
        await threeSkinning(file, name).catch(error => console.error(`three.js could not read ${name}: ${error.message}`));
    }
    blender(beast, "walk", "beast-walk");
    const cores = `${os.cpus()[0]?.model.trim()}, ${os.cpus().length} cores`;
    const table = [`Measured on ${cores}, Node ${process.version}.`, "",
        "| scene | engine | ms | of | ns a particle and iteration | what it does |", "|---|---|---|---|---|---|",
        ...rows.map(cells => `| ${cells.slice(0, 3).join(" | ")} | ${cells[3]} ms | ${cells.slice(4).join(" | ")} |`)].join("\n");
    const text = fs.readFileSync(document, "utf8");
    fs.writeFileSync(document, text.replace(MARKS, (_, begin, end) => `${begin}${table}\n${end}`));
    console.log(table);
} finally {
    fs.rmSync(folder, { recursive: true, force: true });
}
