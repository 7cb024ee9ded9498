// node example/serve.mjs [CHARACTER.glb [PORT]]: the example on http://localhost:8080, with the headers that allow threads.
import fs from "node:fs";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { bundle } from "./bundle.mjs";

const TYPES = { ".html": "text/html", ".mjs": "text/javascript", ".wasm": "application/wasm", ".glb": "model/gltf-binary" };

/** Serves the folder; isolated: with the two headers. Resolves to the server. */
export function serve(folder, port, isolated = true) {
    const server = http.createServer((request, response) => {
        const file = path.join(folder, path.normalize(new URL(request.url, "http://localhost").pathname).replace(/\/$/, "/index.html"));
        if (!file.startsWith(folder) || !fs.existsSync(file)) return response.writeHead(404).end("not found");
        response.writeHead(200, {
            "Content-Type": TYPES[path.extname(file)] ?? "application/octet-stream",
            ...(isolated ? { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp" } : {}),
        });
        return fs.createReadStream(file).pipe(response);
    });
    return new Promise(resolve => server.listen(port, "127.0.0.1", () => resolve(server)));
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "supple-example-"));
    await bundle(folder, process.argv[2]);
    const server = await serve(folder, Number(process.argv[3] ?? 8080));
    console.log(`http://localhost:${server.address().port}`);
}
