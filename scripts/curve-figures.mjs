// One source for the figures in the pages about curves (beam, fourier, bend, realism): docs/curves.json.
//   node scripts/curve-figures.mjs measure [build]   measures all of them by the tests and the program of a build, and writes the file
//   node scripts/curve-figures.mjs write             puts them between <!-- figure:NAME --> and <!-- /figure --> of the pages
//   node scripts/curve-figures.mjs verify [build]    measures some of them again (FIGURES=lags) and fails where they are no longer so
//   node scripts/curve-figures.mjs check             fails where a page says something else, or a figure is on no page
// Names that begin with "realism/" are cells of the tables that `make realism` wrote: realism/SEQUENCE/METHOD/COLUMN@DIGITS.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const [task = "check", build = "build"] = process.argv.slice(2);
const root = path.join(path.dirname(fileURLToPath(import.meta.url)), ".."), source = path.join(root, "docs/curves.json");
const pages = ["deformers/beam.md", "deformers/fourier.md", "deformers/bend.md", "realism.md"].map(f => path.join(root, "docs", f));

// ------------------------------------------------------------------------------------------------ measuring

function run(program, ...args) {
    const r = spawnSync(program, args, { encoding: "utf8", maxBuffer: 1 << 28, cwd: root });
    if (r.status !== 0) throw new Error(`${program} ${args.slice(0, 4).join(" ")}: ${r.stderr}`);
    return r.stdout + r.stderr;
}
const tested = name => run(path.resolve(build, "tests", name));
const program = path.resolve(build, "supple");

/** The frames of a bake, points in a row. */
function bake(folder, ...args) {
    const file = path.join(folder, "skin.pc2");
    run(program, "bake", args[0], file, ...args.slice(1), "--overwrite", "--quiet");
    const bytes = fs.readFileSync(file), count = 3 * bytes.readInt32LE(16), all = new Float32Array(bytes.buffer.slice(bytes.byteOffset + 32, bytes.byteOffset + bytes.length));
    return Array.from({ length: bytes.readInt32LE(28) }, (_, f) => all.subarray(count * f, count * (f + 1)));
}
function farthest(a, b) {
    let most = 0;
    for (let i = 0; i < a.length; i += 3) most = Math.max(most, Math.hypot(a[i] - b[i], a[i + 1] - b[i + 1], a[i + 2] - b[i + 2]));
    return 1000 * most;
}
const far = (a, b) => Math.max(...a.map((f, i) => farthest(f, b[i])));
const table = (head, rows) => [`| ${head.join(" | ")} |`, `|${head.map((_, i) => (i ? "--:" : "---")).join("|")}|`, ...rows.map(r => `| ${r.join(" | ")} |`)].join("\n");

function bodies(out) {
    const pattern = /^ {2}(\S+) +(\d+) points +(\d+) joints: +(\d+) rings in +(\d+) limbs, +(\d+) open, +(\d+) fragments, (\d+) crossings, +([\d.]+)% covered, uneven ([\d.]+), +(\d+) ms/;
    const found = tested("test_curve_bodies").split("\n").map(l => l.match(pattern)).filter(m => m);
    const own = { arm: "`builtin:arm`", beast: "`builtin:beast`", bar: "`builtin:bar`", "horse-gallop": "horse-gallop, fitted bones", samba: "samba, fitted bones", "elastic-cow": "elastic-cow, fitted bones", "cat-poses": "cat-poses, fitted bones" };
    const seen = new Set(), label = name => (seen.has(name) ? (name === "arm" ? "libigl arm" : name) : (seen.add(name), own[name] ?? name));
    const rows = found.map(([, name, points, joints, ...rest]) => [label(name), points, joints === "0" ? "–" : joints, ...rest.slice(0, 5), `${rest[5]} %`, rest[6], rest[7]]);
    out["bodies"] = table(["body", "points", "joints", "rings", "limbs", "open", "fragments", "crossings", "between two rings", "uneven", "processor ms"], rows);
    out["bodies.count"] = `${rows.length}`;
    out["bodies.covered"] = Math.min(...found.map(m => Number(m[9]))).toFixed(1);
    out["bodies.uneven"] = Math.max(...found.map(m => Number(m[10]))).toFixed(2);
}

const chains = ["linear", "dualquat", "beam(modes=0)", "beam", "dualquat,beam", "beam(ramp=linear)", "fourier(ramp=smoothstep)"];
function beamTest(out) {
    const said = tested("test_beam"), parts = said.split(/ {2}against /).slice(1);
    const row = (text, chain) => text.split("\n").find(l => l.trim().startsWith(`${chain}: `)).trim().slice(chain.length + 2);
    const truths = [["a lattice at rest", "`lattice(weights=screened)` at rest in every pose"], ["layers that move", "`layers` playing the clip"]];
    out["two-sculpts"] = table(["truth", ...chains.map(c => `\`${c}\``)], truths.map(([begin, label]) => {
        const part = parts.find(p => p.startsWith(begin));
        return [label, ...chains.map(c => row(part, c))];
    }));
    out["static"] = said.match(/dynamic against static: ([\d.]+)%/)[1];
    for (const [key, chain] of [["linear", "linear"], ["beam", "beam"], ["dualquat", "dualquat,beam"]])
        out[`twist.${key}`] = said.match(new RegExp(`^ {2}${chain}: radius ([\\d.]+ to [\\d.]+) of rest`, "m"))[1];
    out["twist.eight"] = said.match(/turned ([\d.]+) degrees/)[1];
}

function networks(out) {
    const pattern = /^ {2}(\w+): (\d+) curves, (\d+) nodes for (\d+) points: rebuilt to ([\d.]+)%/gm, ways = ["along", "along", "around"];
    out["networks"] = table(["character", "points", "way", "curves", "nodes", "rms, % of the diagonal"],
        [...tested("test_curve_net").matchAll(pattern)].map((m, i) => [`\`builtin:${m[1]}\``, m[4], ways[i], m[2], m[3], m[5]]));
}

function fourierTests(out) {
    const said = tested("test_fourier").match(/N = 3 ([\d.]+), 5 ([\d.]+), 9 ([\d.]+); with half precision residuals ([\d.]+)/);
    [out["series.3"], out["series.5"], out["series.9"], out["series.half"]] = said.slice(1);
    const pattern = /^ {2}(\S+), (flex|twist), largest error in % of the diagonal: linear ([\d.]+), dualquat ([\d.]+), fourier ([\d.]+)/gm;
    const rows = [...tested("test_fourier_real").matchAll(pattern)].map(m => [`\`${m[1]}\``, m[2], ...m.slice(3)]);
    out["two-sculpts.largest"] = table(["truth", "clip", "linear", "dualquat", "fourier"], rows);
    const times = rows.map(r => r[2] / r[4]);
    out["two-sculpts.factors"] = `${Math.min(...times).toFixed(1)} to ${Math.max(...times).toFixed(1)}`;
}

/** What a newcomer sees: the preset soft and the defaults against the same link standing still, in mm. */
function lags(out, folder) {
    for (const clip of ["flex", "wave"]) {
        const on = ["builtin:arm", "--clip", clip], soft = bake(folder, ...on, "--deform", "beam(preset=soft)");
        out[`soft.${clip}`] = far(soft, bake(folder, ...on, "--deform", "beam(preset=soft,sway=0)")).toFixed(0);
        out[`default.${clip}`] = far(bake(folder, ...on, "--deform", "beam"), bake(folder, ...on, "--deform", "beam(sway=0)")).toFixed(1);
        if (clip === "flex") {
            const held = [...on, "--hold", "3"], skin = bake(folder, ...held, "--deform", "beam(preset=soft)");
            const rest = bake(folder, ...held, "--deform", "beam(sway=0)");
            out["soft.rings"] = far(skin.slice(30), rest.slice(30)).toFixed(0);
            out["soft.rests"] = far(skin.slice(105), rest.slice(105)).toFixed(1);
        }
        out[`sculpted.${clip}`] = far(bake(folder, ...on, "--deform", "beam(sway=0)"), bake(folder, ...on, "--deform", "linear")).toFixed(0);
    }
}

/** The paper's figures 5 and 6: how far the skin stands out at the begin and at the end. */
function materials(out, folder) {
    const on = ["builtin:beast", "--clip", "walk"], linear = bake(folder, ...on, "--deform", "linear");
    const torso = ["bend(closed=foundation,support=2.5,terms=3)", "--set", "bend.pressure@spine_*=0.2", "--set", "bend.pressure@hips=0.2"];
    const neck = ["bend(line=neck_*,curves=8,closed=foundation,support=6,terms=3,pressure=0.3)"];
    for (const [world, chain] of [["swell", torso], ["poisson", torso], ["neck", neck], ["thickness", neck]]) {
        const skin = bake(folder, ...on, "--world", `examples/bend/${world}.json`, "--deform", ...chain), last = skin.length - 1;
        out[`material.${world}`] = `${farthest(skin[0], linear[0]).toFixed(0)} to ${farthest(skin[last], linear[last]).toFixed(0)}`;
    }
}

function swings(out) {
    const rows = script => run("node", path.join(root, "scripts", script), program).split("\n").filter(l => l.startsWith("|"));
    const most = (table, k) => Math.max(...table.slice(2).map(r => Number.parseFloat(r.split("|")[k]))).toFixed(1);
    const settings = rows("swing.mjs"), any = rows("swing-most.mjs");
    out["swing"] = settings.join("\n");
    out["swing.closed"] = most(settings, 8);
    out["swing.hindsight"] = most(settings, 9);
    out["swing.most"] = any.join("\n");
    out["swing.most.closed"] = most(any, 5);
    out["swing.most.hindsight"] = most(any, 6);
}

/** All, or those that FIGURES names by the functions above. */
function measure() {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "supple-figures-")), out = {};
    const only = process.env.FIGURES?.split(","), list = { bodies, beamTest, networks, fourierTests, lags, materials, swings };
    for (const [name, take] of Object.entries(list)) if (!only || only.includes(name)) take(out, folder), console.error(`${name}: measured`);
    fs.rmSync(folder, { recursive: true, force: true });
    return out;
}
const known = () => JSON.parse(fs.readFileSync(source, "utf8"));
function keep(out) {
    const old = process.env.FIGURES && fs.existsSync(source) ? known() : {};
    fs.writeFileSync(source, JSON.stringify({ ...old, ...out }, null, 1) + "\n");
}
function verify(out) {
    const old = known(), moved = Object.keys(out).filter(name => out[name] !== old[name]);
    for (const name of moved) console.error(`docs/curves.json: ${name} is ${out[name]} now, not ${old[name]}; run node scripts/curve-figures.mjs measure`);
    return moved.length;
}

// ------------------------------------------------------------------------------------------------ pages

function cell(name) {
    const [, sequence, method, rest] = name.split("/"), [column, digits] = rest.split("@");
    const text = fs.readFileSync(pages[3], "utf8"), lines = text.slice(text.indexOf(`### ${sequence}\n`)).split("\n");
    const head = lines.find(l => l.startsWith("| method")).split("|").map(s => s.trim()), row = lines.find(l => l.startsWith(`| ${method} |`));
    const at = head.findIndex(h => h === column || h === `rms %, ${column}`);
    if (!row || at < 0) throw new Error(`no cell ${name}`);
    return Number(row.split("|")[at].replaceAll("*", "")).toFixed(Number(digits));
}

function put(check) {
    const figures = known(), used = new Set();
    let wrong = 0;
    for (const page of pages) {
        const text = fs.readFileSync(page, "utf8");
        const fresh = text.replace(/<!-- figure:([^>]+?) -->(\s*)([\s\S]*?)(\s*)<!-- \/figure -->/g, (all, name, before, was, after) => {
            used.add(name);
            const now = name.startsWith("realism/") ? cell(name) : figures[name];
            if (now === undefined) throw new Error(`${path.relative(root, page)}: ${name} is not in docs/curves.json`);
            if (now !== was && check) console.error(`${path.relative(root, page)}: ${name} is ${now}, not ${was}; run node scripts/curve-figures.mjs write`), wrong++;
            return `<!-- figure:${name} -->${before}${now}${after}<!-- /figure -->`;
        });
        if (!check && fresh !== text) fs.writeFileSync(page, fresh), console.error(`${path.relative(root, page)}: written`);
    }
    for (const name of Object.keys(figures)) if (!used.has(name)) console.error(`docs/curves.json: ${name} is on no page`), wrong++;
    return wrong;
}

if (task === "measure") keep(measure());
const wrong = task === "verify" ? verify(measure()) : put(task === "check");
if (wrong) process.exit(1);
