// make npm-sizes: the tables of README.md's "Size", measured. Every row is a build of the module in its own folder without what
// it names (SUPPLE_WITHOUT), in kB as a page loads it.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import zlib from "node:zlib";

const here = path.dirname(fileURLToPath(import.meta.url)), root = path.join(here, "../.."), build = path.join(root, "build-wasm-sizes");
const rows = (file, word) => [...fs.readFileSync(path.join(root, file), "utf8").matchAll(new RegExp(`${word}\\(([a-z0-9_]+)`, "g"))].map(match => match[1]);
const builtins = rows("scenes/scenes.def", "SUP_SCENE"), formats = rows("src/io/formats.def", "SUP_FILE_FORMAT").filter(name => name !== "gltf");
const deformers = rows("src/deform/deformers.def", "SUP_DEFORMER"), only = (...names) => deformers.filter(name => !names.includes(name));

function measure(without) {
    execFileSync("cmake", ["--preset", "wasm", "-B", build, `-DSUPPLE_WITHOUT=${without.join(";")}`], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
    execFileSync("cmake", ["--build", build, "-j", "2"], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
    return Math.round(zlib.gzipSync(fs.readFileSync(path.join(build, "supple.wasm")), { level: 9 }).length / 1000);
}
function table(head, lines) {
    const measured = lines.map(([what, without]) => [what, measure(without)]);
    measured.forEach(([what, size]) => console.log(`${size} kB  ${what}`));
    return [`| ${head} | kB gzipped |`, "|---|---|", ...measured.map(([what, size]) => `| ${what} | ${size} |`)].join("\n");
}

const play = ["check", "weigh", "motion", "fit", "bake", "write", ...builtins, ...formats];
const text = [
    table("left out", [
        ["nothing", []],
        ["built-in characters", builtins],
        ["`check`, the doctor", ["check"]],
        ["`weigh`, automatic weights for skeletons of files", ["weigh"]],
        ["`motion` and bvh, retargeting", ["motion", "bvh"]],
        ["`fit`, rigs from shapes", ["fit"]],
        ["`bake` and `write`, files out", ["bake", "write"]],
        ["all formats but glTF", formats],
        ["all of these: what plays a glTF", play],
    ]),
    "",
    "A page that plays glTF files needs that last row and the deformers of its chains:",
    "",
    table("deformers", [
        ["all ten", play],
        ["without beam, fourier and bend", [...play, "beam", "fourier", "bend"]],
        ["linear, dualquat, smooth, wrinkle, layers", [...play, ...only("linear", "dualquat", "smooth", "wrinkle", "layers")]],
        ["linear, dualquat, layers", [...play, ...only("linear", "dualquat", "layers")]],
        ["linear, dualquat, lattice", [...play, ...only("linear", "dualquat", "lattice")]],
        ["linear, dualquat, smooth, pose_space", [...play, ...only("linear", "dualquat", "smooth", "pose_space")]],
        ["linear, dualquat", [...play, ...only("linear", "dualquat")]],
    ]),
].join("\n");

const readme = path.join(here, "README.md"), parts = fs.readFileSync(readme, "utf8").split(/(<!-- sizes -->|<!-- end of sizes -->)/);
if (parts.length !== 5) throw new Error("README.md has no place for the tables");
parts[2] = `\n${text}\n`;
fs.writeFileSync(readme, parts.join(""));
