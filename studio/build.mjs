// node build.mjs [FOLDER]: the page as a folder that any web server can host (default ../build/studio), with its size as a browser
// loads it. Needs `npm ci` here and bindings/js/dist (make npm). Fails where the types are wrong or the page outgrows its budget.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import zlib from "node:zlib";
import * as esbuild from "esbuild";

const here = path.dirname(fileURLToPath(import.meta.url)), out = path.resolve(process.argv[2] ?? path.join(here, "../build/studio"));
const skin = path.join(here, "../bindings/js/dist");
const BUDGET_KB = 700; // all that a browser loads but the core, gzipped; phones on slow lines are the reason

if (!fs.existsSync(path.join(skin, "index.mjs"))) {
    console.error("bindings/js/dist is not there: make npm builds it");
    process.exit(1);
}
const types = spawnSync(process.execPath, [path.join(here, "node_modules/typescript/bin/tsc"), "-p", here], { stdio: "inherit" });
if (types.status !== 0) process.exit(types.status ?? 1);

/** The package as it is built here; what it takes from three is the page's own three. */
function resolvePackage(build) {
    build.onResolve({ filter: /^supple-skin(\/three)?$/ }, ({ path: name }) => ({ path: path.join(skin, name.endsWith("/three") ? "three.mjs" : "index.mjs") }));
    build.onResolve({ filter: /^three$/ }, ({ resolveDir, kind }) => (resolveDir === skin ? build.resolve("three", { resolveDir: here, kind }) : undefined));
}

fs.rmSync(out, { recursive: true, force: true });
fs.mkdirSync(out, { recursive: true });
const { metafile } = await esbuild.build({
    metafile: true, absWorkingDir: here, entryPoints: { studio: "src/main.ts", draw: "src/draw/worker.ts" }, outdir: out, outExtension: { ".js": ".mjs" }, bundle: true, minify: true, format: "esm",
    splitting: true, chunkNames: "[name]-[hash]", target: "es2022", legalComments: "none", logLevel: "warning", loader: { ".woff2": "file" },
    assetNames: "[name]", plugins: [{ name: "package", setup: resolvePackage }],
});
for (const file of ["supple.wasm", "worker.mjs"]) fs.copyFileSync(path.join(skin, file), path.join(out, file));
// What the entry imports is asked for together with it.
const entry = Object.values(metafile.outputs).find(one => one.entryPoint === "src/main.ts");
const preloads = entry.imports.filter(one => one.kind === "import-statement").map(one => `<link rel="modulepreload" href="./${path.basename(one.path)}">\n`).join("");
fs.writeFileSync(path.join(out, "index.html"), fs.readFileSync(path.join(here, "index.html"), "utf8").replace(/(<link rel="modulepreload"[^\n]*\n)/, (_, first) => first + preloads));
fs.mkdirSync(path.join(out, "api"));
fs.writeFileSync(path.join(out, "api/session.json"), '{"server":"","convert":[],"files":[]}\n'); // `supple studio` answers with its own

const size = file => {
    const bytes = fs.readFileSync(path.join(out, file));
    return file.endsWith(".woff2") ? bytes.length : zlib.gzipSync(bytes, { level: 9 }).length;
};
const CORE = ["supple.wasm", "worker.mjs"];
const page = fs.readdirSync(out).filter(name => !CORE.includes(name) && name !== "api");
const kB = files => Math.round(files.reduce((sum, file) => sum + size(file), 0) / 1000);
console.log(`studio: ${kB(page)} kB gzipped (at most ${BUDGET_KB}): ${page.map(name => `${name} ${kB([name])}`).join(", ")}; the core ${kB(CORE)} kB`);
if (kB(page) > BUDGET_KB) {
    console.error(`the page is ${kB(page)} kB gzipped and may be ${BUDGET_KB}`);
    process.exit(1);
}
