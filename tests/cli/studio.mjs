// supple studio: who is served and with what, and that nobody else is. Raw sockets, since browsers would not send what an attacker sends.
import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import { bad, equal, finish, good, holds, match, run, skip, start, strip, test, writeGlb } from "./harness.mjs";

const models = "/usr/share/assimp/models";
if (/no web server/.test(run(["studio", "--page", "/nowhere"]).err)) {
    console.log("skipped  this build has no web server (libcivetweb-dev)");
    process.exit(77);
}

/** A page of two files, and a link out of it. */
function makePage(folder) {
    const page = path.join(folder, "page");
    fs.mkdirSync(path.join(page, "deep"), { recursive: true });
    fs.writeFileSync(path.join(page, "index.html"), "<!doctype html><title>page</title>");
    fs.writeFileSync(path.join(page, "deep/main.mjs"), "export {};");
    fs.writeFileSync(path.join(folder, "secret.txt"), "secret");
    fs.symlinkSync("../secret.txt", path.join(page, "out.txt"));
    return page;
}

/** The program serving, until the body is done. */
async function serving(folder, files, body) {
    const child = start(["studio", "--no-open", "--page", makePage(folder), ...files]);
    let err = "";
    child.stderr.on("data", d => (err += d));
    const ended = new Promise(resolve => child.on("exit", (code, signal) => resolve(signal ?? code)));
    let out = "";
    const address = await new Promise((resolve, reject) => {
        child.stdout.on("data", d => {
            const found = /http:\S+[^]*ends it/.test((out += d)) && /http:\S+/.exec(out);
            if (found) resolve(found[0]);
        });
        child.on("exit", () => reject(new Error(`it ended: ${err}`)));
    });
    const [, port, home, token] = /^http:\/\/127\.0\.0\.1:(\d+)(\/[0-9a-f]{32}\/)\?token=([0-9a-f]{32})$/.exec(address);
    const s = { child, ended, address, port: Number(port), home, token, said: () => out };
    s.ask = (target, headers = {}, more = {}) => ask(s, target, { "X-Supple-Token": token, ...headers }, more);
    try {
        await body(s);
    } finally {
        child.kill("SIGTERM");
        await ended;
    }
}

/** One request as it is written; null removes a header. */
function ask(s, target, headers = {}, { method = "GET", body } = {}) {
    const all = { Host: `127.0.0.1:${s.port}`, ...(body === undefined ? {} : { "Content-Length": body.length }), ...headers };
    const head = Object.entries(all).flatMap(([name, value]) => [value].flat().filter(v => v !== null).map(v => `${name}: ${v}\r\n`));
    return new Promise((resolve, reject) => {
        const socket = net.connect(s.port, "127.0.0.1", () => {
            socket.write(`${method} ${target} HTTP/1.1\r\n${head.join("")}\r\n`);
            if (body?.length) socket.write(body);
        });
        const pieces = [];
        socket.on("data", d => pieces.push(d));
        socket.on("error", reject);
        socket.on("close", () => {
            const all = Buffer.concat(pieces), end = all.indexOf("\r\n\r\n");
            const lines = all.subarray(0, end).toString().split("\r\n");
            resolve({
                status: Number(lines[0].split(" ")[1]),
                headers: Object.fromEntries(lines.slice(1).map(l => [l.slice(0, l.indexOf(":")).toLowerCase(), l.slice(l.indexOf(":") + 2)])),
                body: all.subarray(end + 4),
            });
        });
    });
}

await test("the address leads to the page and hands over a cookie; every answer has the headers that keep others out", folder =>
    serving(folder, [], async s => {
        const entry = await ask(s, `${s.home}?token=${s.token}`);
        equal(entry.status, 303);
        equal(entry.headers.location, s.home);
        equal(entry.headers["set-cookie"], `supple=${s.token}; Path=${s.home}; HttpOnly; SameSite=Strict`);
        const cookie = { Cookie: `other=1; supple=${s.token}` };
        const page = await ask(s, s.home, cookie);
        equal(page.status, 200);
        match(page.body.toString(), /<title>page/);
        equal((await ask(s, `${s.home}deep/main.mjs`, cookie)).headers["content-type"], "text/javascript; charset=utf-8");
        for (const answer of [entry, page, await ask(s, "/"), await ask(s, "/", {}, { method: "BREW" })]) {
            const h = answer.headers;
            match(h["content-security-policy"], /default-src 'none'; script-src 'self' 'wasm-unsafe-eval';.*frame-ancestors 'none'/);
            holds(!h["content-security-policy"].includes("unsafe-inline"), "no inline scripts or styles");
            equal(h["cross-origin-opener-policy"], "same-origin");
            equal(h["cross-origin-embedder-policy"], "require-corp");
            equal(h["cross-origin-resource-policy"], "same-origin");
            equal(h["x-content-type-options"], "nosniff");
            equal(h["referrer-policy"], "no-referrer");
            equal(h["cache-control"], "no-store");
            holds(!Object.keys(h).some(k => k.startsWith("access-control")), "no other site is let in");
        }
        const head = await s.ask(s.home, {}, { method: "HEAD" });
        equal(head.status, 200);
        equal(head.body.length, 0, "bytes behind a HEAD");
    }));

await test("a missing or wrong token, a foreign Host, Origin or Sec-Fetch-Site and other methods are refused", folder =>
    serving(folder, [], async s => {
        const refused = async (what, status, target, headers, more) => equal((await ask(s, target, headers, more)).status, status, what);
        const key = { "X-Supple-Token": s.token };
        await refused("no token", 403, s.home, {});
        await refused("no token for the session", 403, `${s.home}api/session.json`, {});
        await refused("a short token", 403, s.home, { "X-Supple-Token": s.token.slice(0, -1) });
        await refused("a longer token", 403, s.home, { "X-Supple-Token": `${s.token}0` });
        await refused("an empty cookie", 403, s.home, { Cookie: "supple=" });
        await refused("a wrong token in the address", 403, `${s.home}?token=${"0".repeat(32)}`, {});
        await refused("another run", 403, `/${"0".repeat(32)}/`, key);
        await refused("no run", 403, "/", key);
        await refused("no Host", 403, s.home, { ...key, Host: null });
        for (const host of ["evil.example", `evil.example:${s.port}`, "127.0.0.1", `127.0.0.1:${s.port + 1}`, `127.0.0.1.evil.example:${s.port}`, "[::1]"])
            await refused(`Host ${host}`, 403, s.home, { ...key, Host: host });
        await refused("two Hosts", 400, s.home, { ...key, Host: [`127.0.0.1:${s.port}`, "evil.example"] });
        equal((await s.ask(s.home, { Host: `localhost:${s.port}` })).status, 200, "localhost");
        for (const origin of ["http://evil.example", "null", "", `https://127.0.0.1:${s.port}`, `http://127.0.0.1:${s.port + 1}`, `http://127.0.0.1:${s.port}.evil.example`])
            await refused(`Origin ${origin}`, 403, s.home, { ...key, Origin: origin });
        equal((await s.ask(s.home, { Origin: `http://127.0.0.1:${s.port}` })).status, 200, "our own Origin");
        for (const site of ["cross-site", "same-site"]) await refused(`Sec-Fetch-Site ${site}`, 403, s.home, { ...key, "Sec-Fetch-Site": site });
        for (const method of ["PUT", "DELETE", "OPTIONS", "PATCH", "CONNECT", "PROPFIND"]) await refused(method, 405, s.home, key, { method });
        await refused("a post to a file", 405, s.home, key, { method: "POST", body: Buffer.from("x") });
        await refused("a form of another site", 403, `${s.home}api/convert?name=a.fbx`, { Cookie: `supple=${s.token}`, Origin: "http://evil.example" },
            { method: "POST", body: Buffer.from("x") });
        await refused("a post by cookie without an Origin", 403, `${s.home}api/convert?name=a.fbx`, { Cookie: `supple=${s.token}` },
            { method: "POST", body: Buffer.from("x") });
        await refused("a head of 20 kB", 400, s.home, { ...key, Long: "a".repeat(20000) });
    }));

await test("only the page's files and the given ones are served: no path, and no link, leads out", folder =>
    serving(folder, [], async s => {
        for (const target of ["../secret.txt", "../page/index.html", "deep/../../secret.txt", "%2e%2e/secret.txt", "..%2fsecret.txt", "deep%00/main.mjs", "deep", "deep/",
            "//etc/passwd", "/etc/passwd", "out.txt", "api/files/0", "api/files/", "api/files/-1", "api/files/00000000000000000000001", "api/files/../../secret.txt", "..\\secret.txt"]) {
            const answer = await s.ask(`${s.home}${target}`);
            holds([400, 403, 404].includes(answer.status), `${target}: ${answer.status}`);
            holds(!answer.body.includes("secret\n") && answer.body.toString() !== "secret", `${target} leads out`);
        }
    }));

await test("given files come by number, with what they name beside themselves and nothing behind a link", async folder => {
    const model = strip();
    writeGlb(path.join(folder, "a.glb"), model);
    const bin = Buffer.concat(Object.values(model.views).map(v => { // as writeGlb lays them out, beside the file
        const b = Buffer.from(v.buffer, v.byteOffset, v.byteLength);
        return Buffer.concat([b, Buffer.alloc((4 - (b.length % 4)) % 4)]);
    }));
    fs.writeFileSync(path.join(folder, "beside.bin"), bin);
    const gltf = { ...model.json, buffers: [{ byteLength: bin.length, uri: "beside.bin" }] };
    fs.writeFileSync(path.join(folder, "b.gltf"), JSON.stringify(gltf));
    fs.mkdirSync(path.join(folder, "inner"));
    fs.symlinkSync("../beside.bin", path.join(folder, "inner/beside.bin"));
    fs.copyFileSync(path.join(folder, "b.gltf"), path.join(folder, "inner/c.gltf"));
    fs.writeFileSync(path.join(folder, "body.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    fs.writeFileSync(path.join(folder, "world.json"), JSON.stringify({ bodies: [{ name: "b", mesh: "body.obj" }, { name: "p", mesh: "/etc/passwd" }, { name: "q", mesh: "../secret" }] }));
    fs.writeFileSync(path.join(folder, "preset.json"), JSON.stringify({ world: "world.json" }));
    const given = ["a.glb", "b.gltf", "inner/c.gltf", "preset.json"].map(f => path.join(folder, f));
    await serving(folder, [...given, "builtin:arm"], async s => {
        const session = JSON.parse((await s.ask(`${s.home}api/session.json`)).body);
        equal(session.server, true);
        equal(session.version, good(["--version"]).out.trim().split(" ")[1]);
        const list = session.files.map(f => `${f.name}${f.of === undefined ? "" : ` of ${session.files[f.of].name}`}`);
        equal(list.join(", "), "a.glb, b.gltf, beside.bin of b.gltf, c.gltf, preset.json, world.json of preset.json, body.obj of preset.json, builtin:arm");
        const get = async i => (await s.ask(`${s.home}api/files/${i}`)).body;
        holds((await get(0)).equals(fs.readFileSync(given[0])), "bytes of the first");
        holds((await get(2)).equals(bin), "bytes of the one beside");
        const answer = await s.ask(`${s.home}api/files/0`);
        equal(answer.headers["content-type"], "application/octet-stream");
        equal(answer.headers["content-disposition"], "attachment");
        fs.rmSync(path.join(folder, "beside.bin")); // what changes meanwhile is looked at anew
        fs.symlinkSync("/etc/passwd", path.join(folder, "beside.bin"));
        equal((await s.ask(`${s.home}api/files/2`)).status, 404, "a file that became a link");
    });
});

await test("FBX becomes GLB, dropped or given, with the frames that bake gives; a bad file gives its sentence", async folder => {
    const fbx = path.join(models, "FBX/huesitos.fbx");
    if (!fs.existsSync(fbx)) skip("assimp-testmodels is not installed");
    await serving(folder, [fbx], async s => {
        if (!JSON.parse((await s.ask(`${s.home}api/session.json`)).body).convert.includes("fbx")) skip("this build has no assimp");
        const convert = (query, body) => s.ask(`${s.home}api/convert?${query}`, {}, { method: "POST", body });
        const dropped = await convert("name=huesitos.fbx", fs.readFileSync(fbx));
        equal(dropped.status, 200, dropped.body.toString("latin1").slice(0, 200));
        const given = await convert("id=0", Buffer.alloc(0));
        holds(given.body.equals(dropped.body), "both ways give the same");
        fs.writeFileSync(path.join(folder, "h.glb"), dropped.body);
        const hashes = file => good(["bake", file, path.join(folder, "o.glb"), "--deform", "linear", "--hashes", "--overwrite"]).out.match(/ [0-9a-f]{16}$/gm).join();
        equal(hashes(path.join(folder, "h.glb")), hashes(fbx), "hashes of the frames");
        const broken = await convert("name=..%2f..%2fbad.fbx", Buffer.from("Kaydara FBX Binary  \0 and nothing else"));
        equal(broken.status, 422);
        match(broken.body.toString(), /^'_\._\.\._bad\.fbx' cannot be read .*export it as glTF$/);
        equal((await convert("name=", Buffer.from("x"))).status, 400, "no name");
        equal((await convert(`name=${"a".repeat(200)}.fbx`, Buffer.from("x"))).status, 400, "a long name");
        equal((await convert("id=1", Buffer.alloc(0))).status, 404, "a number too many");
        equal((await s.ask(`${s.home}api/convert?name=a.fbx`, { "Content-Length": 1e10 }, { method: "POST" })).status, 413, "ten gigabytes");
        equal((await s.ask(`${s.home}api/convert?name=a.fbx`, { "Transfer-Encoding": "chunked" }, { method: "POST", body: undefined })).status, 411, "without a length");
        const several = await Promise.all([1, 2, 3].map(() => convert("name=huesitos.fbx", fs.readFileSync(fbx))));
        holds(several.every(a => a.status === 200 && a.body.equals(dropped.body)), "three at once wait for each other");
    });
});

await test("clients that never end their request lose their place; others are served meanwhile", folder =>
    serving(folder, [], async s => {
        const closed = [], slow = [];
        for (let i = 0; i < 12; i++) {
            const socket = net.connect(s.port, "127.0.0.1", () => socket.write(`GET ${s.home} HTTP/1.1\r\nHost: 127.0.0.1`));
            closed.push(new Promise(resolve => socket.on("close", resolve)));
            socket.on("error", () => {});
            socket.resume();
            slow.push(socket);
        }
        const drip = setInterval(() => slow.forEach(socket => socket.writable && socket.write("0")), 1000); // one letter a second
        equal((await s.ask(s.home)).status, 200);
        await Promise.race([Promise.all(closed), new Promise((_, reject) => setTimeout(() => reject(new Error("still open after a minute")), 60000).unref())]);
        clearInterval(drip);
    }));

await test("Ctrl-C and SIGTERM end it at once, with open connections and a conversion under way, and leave nothing behind", async folder => {
    const before = fs.readdirSync(process.env.TMPDIR ?? "/tmp").filter(f => /^supple-[A-Za-z0-9]{6}$/.test(f));
    for (const signal of ["SIGINT", "SIGTERM"])
        await serving(path.join(fs.mkdirSync(path.join(folder, signal), { recursive: true })), [], async s => {
            const half = net.connect(s.port, "127.0.0.1", () => half.write(`GET ${s.home} HTTP/1.1\r\n`));
            half.on("error", () => {});
            const sending = net.connect(s.port, "127.0.0.1", () => // a file that never arrives whole
                sending.write(`POST ${s.home}api/convert?name=a.fbx HTTP/1.1\r\nHost: 127.0.0.1:${s.port}\r\nX-Supple-Token: ${s.token}\r\nContent-Length: 1000\r\n\r\nKaydara`));
            sending.on("error", () => {});
            await new Promise(resolve => setTimeout(resolve, 300));
            const begin = Date.now();
            s.child.kill(signal);
            equal(await s.ended, 0, "exit code");
            holds(Date.now() - begin < 8000, `it took ${Date.now() - begin} ms`); // a connection that never ends its sentence is given more
        });
    const left = fs.readdirSync(process.env.TMPDIR ?? "/tmp").filter(f => /^supple-[A-Za-z0-9]{6}$/.test(f) && !before.includes(f));
    equal(left.filter(f => fs.existsSync(path.join(process.env.TMPDIR ?? "/tmp", f, "a.fbx"))).join(), "", "files left behind");
});

await test("a person has the same port in every run, since browsers keep files by address; while it is taken, another one, and the program says so", async folder => {
    process.env.HOME = folder;
    const ports = [], at = name => (fs.mkdirSync(path.join(folder, name)), path.join(folder, name));
    await serving(at("one"), [], async s => {
        ports.push(s.port);
        await serving(at("two"), [], async other => {
            holds(other.port !== s.port, "the second has a port of its own");
            match(other.said(), new RegExp(`Port ${s.port}, under which your browser keeps .* is taken`));
        });
        match(s.said(), /^The studio is at \S+\nCtrl-C ends it\.\n$/);
    });
    await serving(at("three"), [], async s => ports.push(s.port));
    equal(ports[1], ports[0], "the port of the next run");
    await serving(at("four"), ["--port", "0"], async s => holds(s.port !== ports[0], "a free one is another"));
});

await test("what cannot be served is said before anything starts", async folder => {
    const page = makePage(folder);
    bad(["studio", "--no-open", "--page", path.join(folder, "nowhere")], 1, /page is not in .*make studio/);
    fs.mkdirSync(path.join(folder, "empty"));
    bad(["studio", "--no-open", "--page", path.join(folder, "empty")], 1, /no index\.html/);
    bad(["studio", "--no-open", "--page", page, path.join(folder, "missing.glb")], 1, /missing\.glb/);
    bad(["studio", "--no-open", "--page", page, folder], 1, /not a plain file/);
    bad(["studio", "--port", "70000"], 2, /out of range/);
    bad(["studio", "--port", "80.5"], 2, /whole number/);
    const taken = net.createServer().listen(0, "127.0.0.1");
    await new Promise(resolve => taken.once("listening", resolve));
    bad(["studio", "--no-open", "--page", page, "--port", String(taken.address().port)], 1, /another program uses it/);
    taken.close();
});

finish();
