// The example as files to serve: bundle(FOLDER, CHARACTER). The module and its worker lie beside the bundle, where it looks for them.
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const here = path.dirname(fileURLToPath(import.meta.url));

export async function bundle(folder, character, entries = { main: path.join(here, "main.ts") }) {
    fs.mkdirSync(folder, { recursive: true });
    await esbuild.build({ entryPoints: entries, outdir: folder, outExtension: { ".js": ".mjs" }, bundle: true, minify: true, format: "esm",
        target: "es2022", logLevel: "warning", nodePaths: [path.join(here, "../node_modules")], absWorkingDir: path.join(here, "..") });
    for (const file of ["supple.wasm", "play.wasm", "worker.mjs"]) fs.copyFileSync(path.join(here, "../dist", file), path.join(folder, file));
    fs.copyFileSync(path.join(here, "index.html"), path.join(folder, "index.html"));
    if (character && fs.existsSync(character)) fs.copyFileSync(character, path.join(folder, "soldier.glb"));
}
