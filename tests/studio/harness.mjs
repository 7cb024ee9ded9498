// What the tests of the studio share: the program serving the page, Debian's chromium driving it, and small files to drop.
import { spawn, spawnSync } from "node:child_process";
import crypto from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";

export const source = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
export const program = path.resolve(process.argv[2] ?? path.join(source, "build/supple"));
/** The page: beside the program, as it is found without --page. */
export const site = path.join(path.dirname(program), "studio");
export const folder = fs.mkdtempSync(path.join(os.tmpdir(), "supple-studio-test-"));
export const at = name => path.join(folder, name);
process.on("exit", () => fs.rmSync(folder, { recursive: true, force: true }));

export function skip(why) {
    console.log(`skipped: ${why}`);
    process.exit(77);
}
const studioPackages = createRequire(path.join(source, "studio/package.json"));
const found = name => {
    try {
        return studioPackages.resolve(name);
    } catch {
        return skip(`${name} is missing: cd studio && npm ci`);
    }
};
export const axe = () => fs.readFileSync(found("axe-core/axe.min.js"), "utf8");

export function supple(...args) {
    const r = spawnSync(program, args, { encoding: "utf8", maxBuffer: 1 << 28 });
    if (r.status !== 0) throw new Error(`supple ${args.join(" ")} ended with ${r.status}: ${r.stderr}`);
    return r.stdout;
}
/** Runs a line as a person pastes it into a shell, with our program as `supple`. */
export function shell(line, cwd = folder) {
    const r = spawnSync("sh", ["-c", line], { encoding: "utf8", cwd, env: { ...process.env, PATH: `${path.dirname(program)}:${process.env.PATH}` }, maxBuffer: 1 << 28 });
    if (r.status !== 0) throw new Error(`${line} ended with ${r.status}: ${r.stderr}`);
    return r.stdout;
}
export const sha = bytes => crypto.createHash("sha256").update(bytes).digest("hex");

// ------------------------------------------------------------------------------------------------ claims

let failures = 0, held = 0;
const pages = [];
/** What a page shows when a claim about it has failed. */
async function situation(page) {
    const told = await page.evaluate(() => JSON.stringify({ notices: [...document.querySelectorAll("#notices p")].map(p => p.textContent), chains: globalThis.studio.chains(), hand: globalThis.studio.hand().frame, drawn: globalThis.studio.drawn(), session: globalThis.studio.session() }));
    return `${told.slice(0, 4000)}; complaints: ${page.problems.join("; ") || "none"}`;
}
const asked = process.argv[3]; // a part of the claims to try
export async function test(claim, body) {
    if (asked && !claim.includes(asked)) return;
    const begin = Date.now();
    try {
        await body();
        held++;
        console.log(`ok       ${claim} (${((Date.now() - begin) / 1000).toFixed(1)} s)`);
    } catch (error) {
        failures++;
        console.log(`FAILED   ${claim}\n         ${String(error.stack ?? error).replaceAll("\n", "\n         ")}`);
        for (const page of pages) console.log(`         ${await situation(page).catch(why => `no page: ${why.message}`)}`);
    }
}
export async function finish(...ends) {
    for (const end of ends) await end();
    console.log(`${held} held, ${failures} failed`);
    process.exit(failures ? 1 : 0);
}
export function holds(condition, what) {
    if (!condition) throw new Error(what);
}
export function equal(got, wanted, what = "value") {
    if (JSON.stringify(got) !== JSON.stringify(wanted)) throw new Error(`${what}: got ${JSON.stringify(got)}, wanted ${JSON.stringify(wanted)}`);
}

// ------------------------------------------------------------------------------------------------ server and browser

/** The program serving the page; { address, end }. */
export async function serve(...words) {
    const child = spawn(program, ["studio", "--no-open", "--page", site, ...words], { stdio: ["ignore", "pipe", "pipe"], cwd: folder });
    process.on("exit", () => child.kill()); // also where a test ends otherwise
    let out = "", err = "";
    child.stderr.on("data", d => (err += d));
    const ended = new Promise(resolve => child.on("exit", resolve));
    const address = await new Promise((resolve, reject) => {
        child.stdout.on("data", d => {
            const line = /http:\S+/.exec((out += d));
            if (line) resolve(line[0]);
        });
        child.on("exit", code => reject(new Error(`supple studio ended with ${code}: ${err}`)));
    }).catch(error => (/no web server/.test(error.message) ? skip("this build has no web server (libcivetweb-dev)") : Promise.reject(error)));
    return { address, pid: child.pid, end: async () => (child.kill("SIGTERM"), await ended) };
}

// As a browser does on a machine without graphics: WebGL by software, the page itself put together without it.
const FLAGS = ["--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-gpu-compositing"];

export async function browse() {
    if (!fs.existsSync(path.join(site, "index.html"))) skip("build/studio is not there; make studio builds it");
    const chromium = spawnSync("sh", ["-c", "command -v chromium"], { encoding: "utf8" }).stdout.trim();
    if (!chromium) skip("chromium is missing (Debian's package chromium)");
    const { chromium: kind } = await import(pathToFileURL(found("playwright-core")).href).then(m => m.default ?? m);
    return kind.launch({ executablePath: chromium, headless: true, args: FLAGS });
}

// Wide enough for every panel, and half a pixel a point: the tests assert on state and pixels, and software draws every one of them.
// A claim that fails waits as long in vain; one that holds may be made on a machine that builds and tests beside it.
const PATIENCE = Number(process.env.SUPPLE_PATIENCE ?? 120000);
export const SMALL = { width: 1000, height: 640 };

/** A page of its own storage, on the address; what it complains about is in page.problems. */
export async function visit(browser, address, viewport = SMALL, more = {}) {
    const context = await browser.newContext({ viewport, acceptDownloads: true, deviceScaleFactor: 0.5, reducedMotion: "reduce", ...more });
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    context.setDefaultTimeout(PATIENCE);
    const page = await context.newPage();
    watch(page);
    pages.push(page);
    page.on("close", () => pages.splice(pages.indexOf(page), 1));
    await page.goto(address, { waitUntil: "commit" });
    await ready(page);
    return page;
}
export function watch(page) {
    page.problems = [];
    page.on("pageerror", error => page.problems.push(error.message));
    page.on("console", message => message.type() === "error" && page.problems.push(message.text()));
}
export async function ready(page) {
    await page.waitForFunction(() => globalThis.studio?.character?.()).catch(async error => {
        const shown = await page.evaluate(() => document.body.innerText.replace(/\s+/g, " ").slice(0, 300)).catch(() => "nothing");
        throw new Error(`no character is shown at ${page.url().slice(0, 300)}; the page says: ${shown}; it complained: ${page.problems.join("; ") || "of nothing"}`, { cause: error });
    });
}
export const studio = (page, name, ...args) => page.evaluate(([n, a]) => globalThis.studio[n](...a), [name, args]);
/** What never comes fails the claim, which then shows the page; an evaluation alone would wait until the test is killed. */
async function inTime(what, wanted) {
    let timer;
    const late = new Promise((_, reject) => (timer = setTimeout(() => reject(new Error(`not within ${PATIENCE / 1000} s: ${what}`)), PATIENCE)));
    return Promise.race([wanted, late]).finally(() => clearTimeout(timer));
}
export const settled = page => inTime("every chain has its frames", page.evaluate(() => globalThis.studio.settled(), undefined));
/** Until the tool can be used, the view shows the session, and a reload brings it back. */
export const rested = page => inTime("the page rests", page.evaluate(() => globalThis.studio.rested(), undefined));

/** Another session by a change of the one there is; the policy of the page forbids sending it as text. */
export async function change(page, body) {
    await studio(page, "set", body(await studio(page, "session")));
}

/** Drops paths of the disk, folders too, as the system's own drag does. */
export async function dropPaths(page, ...paths) {
    const cdp = await page.context().newCDPSession(page), data = { items: [], files: paths.map(one => path.resolve(one)), dragOperationsMask: 1 };
    for (const type of ["dragEnter", "dragOver", "drop"]) await cdp.send("Input.dispatchDragEvent", { type, x: 300, y: 300, data });
    await cdp.detach();
}

/** Drops files on the page as a person does; what is not a path is { name, bytes }. */
export async function drop(page, ...files) {
    const list = files.map(f => (typeof f === "string" ? { name: path.basename(f), bytes: fs.readFileSync(f).toString("base64") } : { name: f.name, bytes: Buffer.from(f.bytes).toString("base64") }));
    const transfer = await page.evaluateHandle(all => {
        const data = new DataTransfer();
        for (const { name, bytes } of all) data.items.add(new File([Uint8Array.from(atob(bytes), c => c.charCodeAt(0))], name));
        return data;
    }, list);
    for (const kind of ["dragenter", "dragover", "drop"]) await page.dispatchEvent("body", kind, { dataTransfer: transfer });
}

// ------------------------------------------------------------------------------------------------ what a person does

/** The small arm that claims of the hand are tried on, as a file in a page of its own, and what each of them asks again and again. */
export async function openArm(viewport, more = { hasTouch: true }) {
    supple("bake", "builtin:arm?points=400", at("arm.glb"), "--clip", "flex", "--deform", "linear", "--fps", "10", "--name", "unused");
    const server = await serve(at("arm.glb")), browser = await browse(), page = await visit(browser, server.address, viewport, more);
    await page.waitForFunction(() => globalThis.studio.character()?.name === "arm");
    return {
        page, end: () => finish(() => browser.close(), () => server.end()),
        session: () => studio(page, "session"), all: () => frames(page), still: frame => stillAt(page, frame), spot: of => skinSpot(page, of), line: () => outLine(page),
    };
}
/** One step: undo gives the frames of before, redo those of after, and so does a reload. */
export async function comesBack(page, before, after) {
    await page.locator("#view").focus();
    await page.keyboard.press("Control+z");
    equal(await frames(page), before, "frames after undo");
    await page.keyboard.press("Control+Shift+z");
    equal(await frames(page), after, "frames after redo");
    await rested(page);
    await page.reload();
    await ready(page);
    equal(await frames(page), after, "frames after a reload");
}

/** Hashes of all frames of the first chain, once it has them. */
export async function frames(page) {
    await settled(page);
    await page.waitForFunction(() => { const [c] = globalThis.studio.chains(); return c.state === "ready" && c.done >= c.frames; });
    const [{ id, frames: count }] = await studio(page, "chains");
    return Promise.all(Array.from({ length: count }, (_, i) => studio(page, "hash", id, i)));
}
/** The page at rest at a frame, with the hashes of all of them. */
export async function stillAt(page, frame) {
    const hashes = await frames(page);
    await studio(page, "pause");
    await studio(page, "seek", frame);
    await rested(page);
    return hashes;
}
/** The point that is nearest to the middle of the skin beside the tool's panel, in pixels of the page, once the view rests; `of` says which points count. */
export async function skinSpot(page, of = i => i % 7 === 0) {
    await rested(page);
    const box = await page.locator("#view").boundingBox(), { points } = await studio(page, "character"), wanted = Array.from({ length: points }, (_, i) => i).filter(of);
    const places = await page.evaluate(all => all.map(i => globalThis.studio.pixel(i)), wanted);
    const seen = places.filter(p => p && p.x > box.x + 380 && p.x < box.x + box.width - 30), mean = k => seen.reduce((sum, p) => sum + p[k], 0) / seen.length;
    const x = mean("x"), y = mean("y"); // of a bent arm, or between legs, no skin may be there
    seen.sort((a, b) => Math.hypot(a.x - x, a.y - y) - Math.hypot(b.x - x, b.y - y));
    const spot = await page.evaluate(all => all.find(p => [[0, 0], [6, 0], [-6, 0], [0, 6], [0, -6]].every(([dx, dy]) => globalThis.studio.pointAt(p.x + dx, p.y + dy) !== null)), seen);
    holds(spot, `skin beside the panel, with skin around it, among ${seen.length} points of ${points}`);
    return spot;
}
/** Presses, moves in steps, does `each` behind every one and lets go; what `inside` gives before that is returned. */
export async function dragBy(page, from, by, { steps = 5, each = () => undefined, inside = () => undefined } = {}) {
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    for (let i = 1; i <= steps; ++i) {
        await page.mouse.move(from.x + by.x * i / steps, from.y + by.y * i / steps);
        await each();
    }
    const seen = await inside();
    await page.mouse.up();
    return seen;
}
/** The same with a finger. */
export async function fingerBy(page, from, by, { steps = 5, each = () => undefined, inside = () => undefined } = {}) {
    const cdp = await page.context().newCDPSession(page), send = (type, t) => cdp.send("Input.dispatchTouchEvent", { type, touchPoints: type === "touchEnd" ? [] : [{ x: from.x + by.x * t, y: from.y + by.y * t }] });
    await send("touchStart", 0);
    for (let i = 1; i <= steps; ++i) {
        await send("touchMove", i / steps);
        await each();
    }
    const seen = await inside();
    await send("touchEnd", 1);
    await cdp.detach();
    return seen;
}
/** Saves what a button gives, under its own name. */
export async function saved(page, button) {
    const [down] = await Promise.all([page.waitForEvent("download"), (typeof button === "string" ? page.locator(button) : button).click()]);
    await down.saveAs(at(down.suggestedFilename()));
    return at(down.suggestedFilename());
}
/** The line of the command line that the panel Out has. */
export async function outLine(page) {
    await page.getByRole("tab", { name: "Out", exact: true }).click();
    return page.locator("#out-code").textContent();
}
/** The hashes that it gives; a line that makes weights first says what it made before. */
export const lineHashes = line => JSON.parse(shell(`${line} --hashes --json --no-verdict --overwrite`).replace(/^[^{]*/, "")).hashes;
/** What axe-core finds serious, in all of the page or where asked. */
export async function axeFinds(page, ...within) {
    await page.evaluate(axe());
    return page.evaluate(async where => (await globalThis.axe.run(where.length ? { include: where } : document)).violations.filter(one => ["serious", "critical"].includes(one.impact)).map(one => `${one.id}: ${one.nodes.map(node => node.html.slice(0, 120)).join(" | ")}`), within);
}
/** The same in the dark and in the light. */
export async function accessible(page, ...within) {
    for (const colorScheme of ["dark", "light"]) {
        await page.emulateMedia({ colorScheme });
        equal(await axeFinds(page, ...within), [], colorScheme);
    }
}
