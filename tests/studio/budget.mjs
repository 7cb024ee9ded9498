// The studio's budgets, measured on this machine: node budget.mjs PROGRAM [--minutes N] [--write docs/studio.md]. Prints a table; with
// --write it stands between the marks of that page. Says what was met; never fails on speed, which is the machine's.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import zlib from "node:zlib";
import { browse, change, serve, settled, site, source, studio, watch } from "./harness.mjs";
import { BRUSHES, strokeSteps } from "./strokes.mjs";

const option = (name, standard) => (process.argv.includes(name) ? process.argv[process.argv.indexOf(name) + 1] : standard);
const MINUTES = Number(option("--minutes", 10)), rows = [];
const row = (what, budget, got, met) => {
    rows.push(`| ${what} | ${budget} | ${got} | ${met === null ? "–" : met ? "yes" : "no"} |`);
    console.log(`${what}: ${got} (${budget})`);
};
const block = ms => (ms ? `${ms.toFixed(0)} ms` : "below 50 ms"); // browsers tell of longer ones only
const median = list => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];

// Bytes.
const CORE = ["supple.wasm", "worker.mjs"], files = fs.readdirSync(site, { recursive: true }).filter(name => fs.statSync(path.join(site, name)).isFile());
const size = name => (name.endsWith(".woff2") ? fs.statSync(path.join(site, name)).size : zlib.gzipSync(fs.readFileSync(path.join(site, name)), { level: 9 }).length);
const kB = list => list.reduce((sum, name) => sum + size(name), 0) / 1000;
row("page without the core, gzipped, with what is loaded later", "700 kB", `${kB(files.filter(n => !CORE.includes(n))).toFixed(0)} kB`, kB(files.filter(n => !CORE.includes(n))) <= 700);
row("the core, gzipped", "", `${kB(CORE).toFixed(0)} kB`, null);

// The core, as the page's workers run it.
const { open } = await import(path.join(source, "bindings/js/dist/index.mjs"));
async function perFrame(threads, character, clip, links, frames) {
    const supple = await open({ threads }), player = supple.load(character).chain({ links, clip }).play();
    player.evaluate(0);
    const times = [], cpu = process.cpuUsage();
    for (let i = 1; i <= frames; i++) {
        const begin = performance.now();
        player.evaluate((i % 30) / 30);
        times.push(performance.now() - begin);
    }
    const used = process.cpuUsage(cpu);
    await supple.close();
    return { best: Math.min(...times), median: median(times), mean: times.reduce((a, b) => a + b) / frames, cpu: (used.user + used.system) / 1000 / frames };
}
const linear = await perFrame(1, "builtin:arm?points=30000", "flex", "linear", 200);
row("`linear`, 30,000 points, one worker", "0.5 ms", `${linear.best.toFixed(2)} ms at best, ${linear.median.toFixed(2)} median`, linear.best < 0.5);
for (const [threads, budget] of [[1, 15], [2, 30]]) {
    const got = await perFrame(threads, "builtin:beast", "walk", "layers", 29);
    row(`\`layers\`, beast, ${threads} worker${threads > 1 ? "s" : ""}`, `${budget} frames/s`, `${(1000 / got.mean).toFixed(1)} frames/s (${got.mean.toFixed(0)} ms, ${got.cpu.toFixed(0)} ms of CPU)`, 1000 / got.mean >= budget);
}

// The page: as it is, and with a thread that draws nothing, which tells what this machine's software renderer takes of it.
const server = await serve(), browser = await browse();
async function opened(drawing) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } }), page = await context.newPage();
    watch(page);
    if (!drawing) await page.route("**/draw.mjs", route => route.fulfill({ contentType: "text/javascript", headers: { "Cross-Origin-Embedder-Policy": "require-corp", "Cross-Origin-Resource-Policy": "same-origin" },
        body: "onmessage = ({ data }) => data.canvas || postMessage({ number: data.number, ms: 0 });" }));
    await page.addInitScript(() => {
        globalThis.first = null;
        globalThis.longest = { opening: 0, simulating: 0 };
        const look = () => {
            const s = globalThis.studio;
            if (!globalThis.first && s?.session().frame > 0 && s.drawn().frames > 1) globalThis.first = performance.now() - performance.getEntriesByType("navigation")[0].responseStart;
            requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
        new PerformanceObserver(list => list.getEntries().forEach(e => {
            const when = globalThis.first ? "simulating" : "opening";
            globalThis.longest[when] = Math.max(globalThis.longest[when], e.duration);
        })).observe({ type: "longtask", buffered: true });
    });
    await page.goto(server.address, { waitUntil: "commit" });
    await page.waitForFunction(() => globalThis.first, undefined, { timeout: 120000 });
    await settled(page);
    return { page, context, first: await page.evaluate(() => globalThis.first), ...await page.evaluate(() => globalThis.longest) };
}
const MOVES = 12;
/** From a live slider's event until the skin made with it stands on the screen: the first event of a drag begins the live simulation, the others are what a person feels. */
async function slider(page) {
    await change(page, s => ({ ...s, chains: [{ id: 1, links: [{ deformer: "lattice", muted: false, values: {} }] }], active: 1, compare: "single" }));
    await settled(page);
    await studio(page, "pause");
    await studio(page, "seek", 8);
    return page.evaluate(async moves => {
        const live = ["stiffness", "damping", "gravity", "inertia"], found = [...document.querySelectorAll('.field input[type="range"]')].find(e => live.some(name => e.closest(".field").dataset.parameter.startsWith(name)) && !e.closest(".field").querySelector("label i"));
        const s = globalThis.studio, times = [];
        for (let i = 0; i <= moves; i++) {
            const begin = performance.now();
            found.value = String((Number(found.value) + 37) % 900 + 50);
            found.dispatchEvent(new Event("input", { bubbles: true }));
            while (s.drawn().answered < s.drawn().asked && performance.now() - begin < 20000) await new Promise(resolve => setTimeout(resolve, 1));
            times.push(performance.now() - begin);
            await new Promise(requestAnimationFrame);
        }
        found.dispatchEvent(new Event("change", { bubbles: true }));
        return times;
    }, MOVES);
}
const DRAWS = [[false, " (nothing drawn)"], [true, ", drawn by software"]];
let page, context;
for (const [drawing, how] of DRAWS) {
    const got = await opened(drawing);
    row(`first movement after the first byte${how}`, "2 s", `${(got.first / 1000).toFixed(1)} s`, got.first < 2000);
    row(`longest block of the page's thread while it opens${how}`, "", block(got.opening), null);
    row(`longest block while simulating${how}`, "50 ms", block(got.simulating), got.simulating <= 50);
    const [begins, ...felt] = await slider(got.page);
    row(`live slider on \`lattice\` (beast) to the skin with it${how}`, "50 ms", `${median(felt).toFixed(0)} ms median of ${felt.length}; ${begins.toFixed(0)} ms for the first of a drag`, median(felt) < 50);
    if (!drawing) await got.context.close();
    ({ page, context } = got);
}

// Brushes.
for (const brush of BRUSHES) {
    const steps = await strokeSteps(page, brush), share = t => steps[Math.floor(t * (steps.length - 1))];
    row(`a step of a stroke, 30,000 points: ${brush}`, "4 ms", `${share(0.5).toFixed(1)} ms median of ${steps.length}, ${share(0.9).toFixed(1)} for nine of ten`, share(0.5) < 4);
}
await change(page, s => ({ ...s, source: { builtin: "builtin:beast" }, end: null, touch: { ...s.touch, tool: "look" } }));

// Memory while it plays.
await change(page, s => ({ ...s, chains: [{ id: 1, links: [{ deformer: "linear", muted: false, values: {} }] }, { id: 2, links: [{ deformer: "dualquat", muted: false, values: {} }, { deformer: "smooth", muted: false, values: {} }] }], active: 2, compare: "side" }));
await settled(page);
await studio(page, "play");
const cdp = await context.newCDPSession(page), memory = [];
for (let minute = 0; minute <= MINUTES; minute++) {
    await cdp.send("HeapProfiler.collectGarbage");
    const { metrics } = await cdp.send("Performance.enable").then(() => cdp.send("Performance.getMetrics")), used = metrics.find(m => m.name === "JSHeapUsedSize").value;
    memory.push(used / 1e6);
    if (minute < MINUTES) await page.waitForTimeout(60000);
}
const rise = memory.at(-1) - memory[Math.min(1, memory.length - 1)];
row(`memory of the page over ${MINUTES} minutes of play`, "steady", `${memory.map(m => m.toFixed(1)).join(", ")} MB a minute`, rise < 0.02 * memory.at(-1) + 0.5);
if (page.problems.length) console.log(`the page complained: ${page.problems.join("; ")}`);
await browser.close();
await server.end();

const table = `${os.cpus()[0].model.trim()}, ${os.cpus().length} cores, load ${os.loadavg()[0].toFixed(1)}; Chromium draws by software (SwiftShader)\n\n| what | budget | measured | met |\n|---|---|---|---|\n${rows.join("\n")}\n`;
const target = option("--write", "");
if (target) fs.writeFileSync(target, fs.readFileSync(target, "utf8").replace(/(<!-- budget -->\n)[^]*(<!-- end -->)/, (_, a, b) => `${a}${table}${b}`));
else console.log(`\n${table}`);
process.exit(0);
