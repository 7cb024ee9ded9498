// node serve.mjs [FOLDER [PORT]]: build/studio on the loopback with the headers of `supple studio` (threads, a strict policy), for work on
// the page. `plain` in place of the port's sign: serve(folder, port, false) leaves the headers out, as a simple host does.
import fs from "node:fs";
import http from "node:http";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const TYPES = { ".html": "text/html; charset=utf-8", ".mjs": "text/javascript", ".css": "text/css", ".wasm": "application/wasm", ".woff2": "font/woff2", ".json": "application/json", ".png": "image/png" };
const HEADERS = {
    "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp", "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; img-src 'self' data: blob:; " +
        "media-src 'self' blob:; font-src 'self'; connect-src 'self' blob: data:; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

/** Serves the folder on the loopback; isolated: with the headers. Resolves to the server. */
export function serve(folder, port = 0, isolated = true) {
    const root = path.resolve(folder);
    const server = http.createServer((request, response) => {
        const file = path.join(root, path.normalize(new URL(request.url, "http://localhost").pathname).replace(/\/$/, "/index.html"));
        if (!file.startsWith(root + path.sep) || !fs.existsSync(file) || !fs.statSync(file).isFile()) return response.writeHead(404).end("not found");
        response.writeHead(200, { "Content-Type": TYPES[path.extname(file)] ?? "application/octet-stream", "Cache-Control": "no-store", ...(isolated ? HEADERS : {}) });
        return fs.createReadStream(file).pipe(response);
    });
    return new Promise(resolve => server.listen(port, "127.0.0.1", () => resolve(server)));
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
    const here = path.dirname(fileURLToPath(import.meta.url)), server = await serve(process.argv[2] ?? path.join(here, "../build/studio"), Number(process.argv[3] ?? 8080));
    console.log(`http://127.0.0.1:${server.address().port}/`);
}
