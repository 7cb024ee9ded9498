// The block of docs/vat.md in Chromium: it reads our textures, and what its vertex shader makes of them is compared with the bake,
// every vertex of every frame. Skips (77) where three or chromium is missing. node tests/three/vat.mjs PROGRAM
import { spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { folder, program, readNpy } from "./playing.mjs";
import { readAlembic, sample } from "../cli/ogawa.mjs";

const here = path.dirname(fileURLToPath(import.meta.url)), three = path.join(here, "../node_modules/three");
process.on("exit", () => fs.rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }));
const chromium = spawnSync("sh", ["-c", "command -v chromium"], { encoding: "utf8" }).stdout.trim();
if (!chromium) {
    console.log("skipped: chromium is missing (Debian's package chromium)");
    process.exit(77);
}
const source = "builtin:arm?points=900", flags = ["--clip", "flex", "--fps", "10", "--deform", "dualquat", "--quiet"];
for (const file of ["walk.glb", "walk.npy", "walk.abc"])
    if (spawnSync(program, ["bake", source, path.join(folder, file), ...flags, ...(file.endsWith("glb") ? ["--vat", "exr"] : [])], { stdio: "inherit" }).status) process.exit(1);
fs.writeFileSync(path.join(folder, "vat.js"), /```js\n([\s\S]*?)```/.exec(fs.readFileSync(path.join(here, "../../docs/vat.md"), "utf8"))[1]);

// Each vertex becomes the texel of its number, with its place or its normal as the color.
fs.writeFileSync(path.join(folder, "page.js"), `
import * as THREE from "three";
import { loadVat } from "/vat.js";
const send = value => fetch("/result", { method: "POST", body: JSON.stringify(value) });
try {
    const vat = await loadVat("walk"), renderer = new THREE.WebGLRenderer(), SIDE = 64, out = [];
    const meshes = [];
    vat.scene.traverse(o => o.isMesh && meshes.push(o));
    const target = new THREE.WebGLRenderTarget(SIDE, SIDE, { type: THREE.FloatType, minFilter: THREE.NearestFilter, magFilter: THREE.NearestFilter });
    const mesh = meshes[0], own = mesh.material.onBeforeCompile, show = { value: 0 };
    mesh.material.onBeforeCompile = shader => {
        own(shader);
        shader.uniforms.show = show;
        shader.vertexShader = "uniform float show; varying vec3 found;\\n" + shader.vertexShader.replace("#include <project_vertex>",
            "#include <project_vertex>\\nfound = show > 0.5 ? objectNormal : transformed; gl_PointSize = 1.0;" +
            "gl_Position = vec4((vec2(gl_VertexID % " + SIDE + ", gl_VertexID / " + SIDE + ") + 0.5) / " + SIDE / 2 + ".0 - 1.0, 0.0, 1.0);");
        shader.fragmentShader = "varying vec3 found;\\n" + shader.fragmentShader.replace("#include <dithering_fragment>", "gl_FragColor = vec4(found, 1.0);");
    };
    const geometry = mesh.geometry.clone();
    geometry.setIndex(null);
    const points = new THREE.Points(geometry, mesh.material), scene = new THREE.Scene(), camera = new THREE.Camera();
    points.frustumCulled = false;
    scene.add(points);
    renderer.debug.onShaderError = (gl, program, vertex, fragment) => { throw new Error(gl.getShaderInfoLog(vertex) + gl.getShaderInfoLog(fragment)); };
    renderer.setRenderTarget(target);
    for (let frame = 0; frame < vat.frames; frame++) {
        vat.seek(frame / vat.fps);
        const read = [0, 1].map(what => {
            const pixels = new Float32Array(4 * SIDE * SIDE);
            show.value = what;
            renderer.clear();
            renderer.render(scene, camera);
            renderer.readRenderTargetPixels(target, 0, 0, SIDE, SIDE, pixels);
            return Array.from(pixels).filter((_, i) => i % 4 !== 3).slice(0, 3 * geometry.attributes.position.count);
        });
        out.push(read);
    }
    await send({ frames: out });
} catch (e) { await send({ error: String(e.stack ?? e) }); }
`);
fs.writeFileSync(path.join(folder, "page.html"), `<!doctype html><script type="importmap">{"imports":{"three":"/three/build/three.module.js","three/addons/":"/three/examples/jsm/"}}</script>
<script type="module" src="/page.js"></script>`);

const kinds = { ".html": "text/html", ".js": "text/javascript", ".json": "application/json" };
const result = await new Promise((resolve, reject) => {
    let browser;
    const server = http.createServer((request, response) => {
        if (request.method === "POST") {
            let body = "";
            request.on("data", piece => body += piece).on("end", () => {
                response.end();
                browser.once("exit", () => resolve(JSON.parse(body))); // until then it writes into the folder that goes with this test
                browser.kill();
                server.close();
            });
            return;
        }
        const name = decodeURIComponent(request.url), file = name.startsWith("/three/") ? path.join(three, name.slice(7)) : path.join(folder, name);
        if (!fs.existsSync(file)) return response.writeHead(404).end();
        response.writeHead(200, { "Content-Type": kinds[path.extname(file)] ?? "application/octet-stream" }).end(fs.readFileSync(file));
    }).listen(0, "127.0.0.1", () => {
        browser = spawn(chromium, ["--headless=new", "--no-sandbox", "--disable-gpu", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-first-run",
            "--disable-background-networking", `--user-data-dir=${path.join(folder, "profile")}`, `http://127.0.0.1:${server.address().port}/page.html`], { stdio: "ignore" });
        setTimeout(() => { browser.kill(); reject(new Error("the page did not answer within four minutes")); }, 240000).unref();
    });
});
if (result.error) throw new Error(result.error);

const frames = readNpy(path.join(folder, "walk.npy")), bounds = JSON.parse(fs.readFileSync(path.join(folder, "walk-remap_info.json"), "utf8"))["os-remap"];
const range = Math.max(...bounds.Max.map((x, i) => x - bounds.Min[i]));
const archive = readAlembic(path.join(folder, "walk.abc")), shape = Object.values(Object.values(archive.top.children)[0].children)[0];
const baked = shape.properties[".geom"].properties.N.properties[".vals"];
let worst = 0, count = 0, tilted = 0;
if (result.frames.length !== frames.length) throw new Error(`${result.frames.length} frames of ${frames.length}`);
result.frames.forEach(([places, normals], f) => {
    // The arm has one stored vertex for each point.
    if (places.length !== frames[f].length) throw new Error(`${places.length / 3} vertices of ${frames[f].length / 3}`);
    places.forEach((x, i) => { worst = Math.max(worst, Number.isNaN(x) ? Infinity : Math.abs(x - frames[f][i])); });
    count += places.length / 3;
    sample(archive, baked, f).forEach((x, i) => { tilted = Math.max(tilted, Number.isNaN(normals[i]) ? Infinity : Math.abs(x - normals[i])); });
});
console.log(`${count} vertices of ${frames.length} frames in Chromium: at worst ${worst.toExponential(1)} off, ${(worst / range).toExponential(1)} of the bounds; normals ${tilted.toExponential(1)}`);
if (!(worst < 1e-6 * range + 1e-6) || !(tilted < 1e-6)) process.exit(1);

process.exit(0);
