// The house as one picture, from the includes: node scripts/house.mjs [--check]. Fails where an include goes against the order of
// docs/architecture.md, or where the picture is not that of today's includes (--check).
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), "..");
const picture = "docs/images/house.svg";
/** What each room may include, rooms in order of reading; `shows` is its public header. */
const rooms = {
    base: { folder: "src/base", may: [], shows: ["base.h", "json.h"], says: "memory, errors, tasks" },
    math: { folder: "src/math", may: ["base"], shows: [], says: "vectors, rotations, lanes" },
    geom: { folder: "src/geom", may: ["base", "math"], shows: [], says: "surfaces, cells, cages, curves" },
    scene: { folder: "src/scene", may: ["base", "math", "geom"], shows: ["scene.h"], says: "characters, clips, poses" },
    solve: { folder: "src/solve", may: ["base", "math", "geom"], shows: [], says: "kernels on arrays" },
    rig: { folder: "src/rig", may: ["base", "math", "geom", "scene", "solve"], shows: ["rig.h"], says: "weights, retargeting, anatomy" },
    metrics: { folder: "src/metrics", may: ["base", "math", "geom", "scene"], shows: ["metrics.h"], says: "numbers about skin" },
    run: { folder: "src/run", may: ["base", "math", "geom", "scene", "solve"], shows: ["deformer.h"], says: "chain, clock, world" },
    deform: { folder: "src/deform", may: ["base", "math", "geom", "scene", "solve", "rig", "run"], shows: [], says: "the methods" },
    check: { folder: "src/check", may: ["base", "math", "scene", "metrics", "deform"], shows: ["check.h"], says: "the doctor: joints swept" },
    scenes: { folder: "scenes", may: ["base", "math", "scene"], shows: [], says: "built-in characters" },
    io: { folder: "src/io", may: ["base", "math", "scene", "rig", "scenes"], shows: ["io.h"], says: "file formats" },
    io_extra: { folder: "src/io_extra", may: ["base", "math", "scene", "rig", "io"], shows: ["io_extra.h"], says: "assimp, meshoptimizer" },
    system: { folder: "system", may: [], shows: [], says: "POSIX or Windows, for programs" },
    bench: { folder: "bench", may: ["public", "solve", "run", "deform", "system"], shows: [], says: "timings; looks inside" },
    apps: { folder: "apps", may: ["public", "bench", "system"], shows: [], says: "command line, renderer" },
    bindings: { folder: "bindings", may: ["public"], shows: [], says: "flat door, WebAssembly" },
    examples: { folder: "examples", may: ["public"], shows: [], says: "programs to read first" },
};
const publicRooms = Object.keys(rooms).filter(name => rooms[name].shows.length);

function sources(folder) {
    return fs.readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap(entry => {
        const at = path.join(folder, entry.name);
        if (entry.isDirectory()) return entry.name === "node_modules" ? [] : sources(at);
        return /\.(c|h|def)$/.test(entry.name) ? [at] : [];
    });
}

/** The rooms behind what a file includes: none behind headers of others. */
function roomsOf(include, own) {
    const header = /^supple\/(.*)/.exec(include)?.[1];
    if (header === "supple.h") return publicRooms;
    if (header) return publicRooms.filter(name => rooms[name].shows.includes(header));
    const name = include.includes("/") ? include.split("/")[0] : own;
    return rooms[name] ? [name] : [];
}

/** Who may ask the operating system, as docs/architecture.md says: all others are C alone and build for Windows as they are. */
const asks = new Set(["src/base/arena.c", "src/base/pool.c", "src/base/windows.h", "src/io/files.c", "src/io/out_disk.c", "src/io_extra/assimp_apart.c",
    "system/system.c", "system/process.c", "system/system_windows.c", "apps/supple/render/film.c", "apps/supple/studio/studio_server.c"]);
const ofTheSystem = /^(unistd|fcntl|dirent|pthread|sched|poll|dlfcn|spawn|windows|io|process|shellapi|sys\/\w+)\.h$/;

const arrows = new Map(), wrong = [];
for (const [name, room] of Object.entries(rooms)) {
    const may = new Set(room.may.flatMap(other => other === "public" ? publicRooms : [other]));
    for (const file of sources(room.folder))
        for (const [, include] of fs.readFileSync(path.join(root, file), "utf8").matchAll(/^\s*#\s*include\s*[<"]([^>"]+)[>"]/gm)) {
            if (ofTheSystem.test(include) && !asks.has(file) && name !== "examples") wrong.push(`${file} includes ${include}: ask the system through system/system.h or the files that docs/architecture.md names`);
            for (const other of roomsOf(include, name).filter(found => found !== name)) {
                const inside = room.may.includes("public") && !include.startsWith("supple/") && !room.may.includes(other);
                if (!may.has(other) || inside) wrong.push(`${file} includes ${include}: ${name} may not ${inside ? "look inside" : "know"} ${other}`);
                arrows.set(`${name} ${other}`, [name, other]);
            }
        }
}
/** What is kept is what we wrote: no outputs of a bake at the root, nothing large. Outside a repository there is nothing to ask. */
const large = 100_000, mayBeLarge = new Set(["docs/images/beast.gif"]);
const listed = spawnSync("git", ["ls-files", "-z"], { cwd: root, encoding: "utf8" });
for (const file of listed.status === 0 ? listed.stdout.split("\0").filter(name => fs.existsSync(path.join(root, name)) && name) : []) {
    if (!file.includes("/") && !/^\.|\.(md|txt|json)$|^(LICENSE|Makefile)$/.test(file)) wrong.push(`${file} is tracked at the root: git rm it, or give it a folder`);
    if (fs.statSync(path.join(root, file)).size > large && !mayBeLarge.has(file)) wrong.push(`${file} has more than 100 kB: git rm it`);
}
if (wrong.length) {
    console.error(wrong.join("\n"));
    process.exit(1);
}

/** Arrows that no chain of other arrows says. */
const knows = name => [...arrows.values()].filter(([from]) => from === name).map(([, to]) => to);
const reaches = (from, to, skip) => knows(from).some(next => !(skip && next === to) && (next === to || reaches(next, to, false)));
const needed = [...arrows.values()].filter(([from, to]) => !reaches(from, to, true));
const depth = name => Math.max(0, ...knows(name).map(other => 1 + depth(other)));

const WIDTH = 206, HEIGHT = 46, GAP_X = 44, GAP_Y = 20, MARGIN = 16;
const columns = [];
for (const name of Object.keys(rooms)) (columns[depth(name)] ??= []).push(name);
const tallest = Math.max(...columns.map(column => column.length)), full = tallest * (HEIGHT + GAP_Y) - GAP_Y;
const place = {};
columns.forEach((column, x) => column.forEach((name, y) => {
    const used = column.length * (HEIGHT + GAP_Y) - GAP_Y;
    place[name] = { x: MARGIN + x * (WIDTH + GAP_X), y: MARGIN + (full - used) / 2 + y * (HEIGHT + GAP_Y) };
}));
const size = { x: 2 * MARGIN + columns.length * (WIDTH + GAP_X) - GAP_X, y: 2 * MARGIN + full };
const line = ([from, to]) => {
    const a = place[to], b = place[from]; // data goes from what is known to who knows it
    const x0 = a.x + WIDTH, y0 = a.y + HEIGHT / 2, x1 = b.x - 7, y1 = b.y + HEIGHT / 2, bend = (x1 - x0) / 2;
    return `<path d="M${x0} ${y0}C${x0 + bend} ${y0} ${x1 - bend} ${y1} ${x1} ${y1}" marker-end="url(#tip)"/>`;
};
const box = ([name, room]) => `<g><rect x="${place[name].x}" y="${place[name].y}" width="${WIDTH}" height="${HEIGHT}" rx="6"${room.shows.length ? ' class="door"' : ""}/>` +
    `<text x="${place[name].x + 10}" y="${place[name].y + 19}" class="name">${room.folder}</text><text x="${place[name].x + 10}" y="${place[name].y + 36}">${room.says}</text></g>`;
const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.x} ${size.y}" width="${size.x}" height="${size.y}" font-family="sans-serif" font-size="12">
<style>rect{fill:#f6f4ef;stroke:#8a8577}.door{fill:#e3eef7;stroke:#3d7099}path{fill:none;stroke:#8a8577;stroke-width:1.3}text{fill:#333}.name{font-weight:bold;font-size:13px}</style>
<defs><marker id="tip" markerWidth="8" markerHeight="8" refX="1" refY="4" orient="auto"><path d="M0 0L8 4L0 8Z" style="fill:#8a8577;stroke:none"/></marker></defs>
<rect width="${size.x}" height="${size.y}" style="fill:#fff;stroke:none"/>
${needed.map(line).join("\n")}
${Object.entries(rooms).map(box).join("\n")}
</svg>
`;
const target = path.join(root, picture);
if (process.argv.includes("--check")) {
    if (fs.readFileSync(target, "utf8") !== svg) {
        console.error(`${picture} is not that of today's includes: node scripts/house.mjs draws it`);
        process.exit(1);
    }
} else fs.writeFileSync(target, svg);
console.log(`${arrows.size} kinds of include, none against the order`);
