// node build.mjs MODULE PLAYER: dist/ from the sources and the two modules, with sizes as a page loads them.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import zlib from "node:zlib";
import * as esbuild from "esbuild";

const here = path.dirname(fileURLToPath(import.meta.url));
const module = process.argv[2] ?? path.join(here, "../../build-wasm/supple.wasm");
const out = name => path.join(here, "dist", name);
const common = { absWorkingDir: here, bundle: true, minify: true, target: "es2022", legalComments: "none", logLevel: "warning", external: ["three"] };

fs.rmSync(out(""), { recursive: true, force: true });
fs.mkdirSync(out(""));
fs.copyFileSync(module, out("supple.wasm"));
fs.copyFileSync(process.argv[3] ?? path.join(here, "../../build-wasm-play/supple.wasm"), out("play.wasm"));
for (const file of ["supple.wasm", "play.wasm"]) fs.chmodSync(out(file), 0o644);
fs.copyFileSync(path.join(here, "../../LICENSE"), out("LICENSE"));

const bundle = (entry, file, more = {}) => esbuild.build({ ...common, format: "esm", entryPoints: [`src/${entry}.ts`], outfile: out(file), ...more });
await bundle("index", "index.mjs");
await bundle("play", "play.mjs");
await bundle("three", "three.mjs");
await bundle("worker_file", "worker.mjs");
const inside = await bundle("worker_inside", "", { format: "iife", write: false, outfile: undefined });
const wasm = fs.readFileSync(module);
const text = `export const packed = ${JSON.stringify(zlib.gzipSync(wasm, { level: 9 }).toString("base64"))};
export const workerText = ${JSON.stringify(inside.outputFiles[0].text)};`;
await bundle("compat", "compat.mjs", {
    plugins: [{ name: "inside", setup: build => build.onLoad({ filter: /[\\/]inside\.ts$/ }, () => ({ contents: text, loader: "ts" })) }],
});

function compile(project) {
    const run = spawnSync(process.execPath, [path.join(here, "node_modules/typescript/bin/tsc"), "-p", path.join(here, project)], { stdio: "inherit" });
    if (run.status !== 0) process.exit(run.status ?? 1);
}
compile(".");
for (const file of fs.readdirSync(out("")).filter(name => name.endsWith(".d.ts"))) // declarations name files as others find them
    fs.writeFileSync(out(file), fs.readFileSync(out(file), "utf8").replace(/(["'])(\.\/[a-z_]+)\.ts\1/g, "$1$2.js$1"));
["inside", "worker", "worker_file", "worker_inside"].forEach(name => fs.rmSync(out(`${name}.d.ts`)));
compile("example"); // as somebody's page sees the types

await import("./api.mjs");

const size = file => zlib.gzipSync(fs.readFileSync(out(file)), { level: 9 }).length;
const sum = (...files) => `${(files.reduce((bytes, file) => bytes + size(file), 0) / 1000).toFixed(0)} kB`;
console.log(`gzipped, as a page loads them: ${sum("index.mjs", "worker.mjs", "supple.wasm")}; play: ${sum("play.mjs", "worker.mjs", "play.wasm")}; compat: ${sum("compat.mjs")}; three helper: ${sum("three.mjs")}`);
