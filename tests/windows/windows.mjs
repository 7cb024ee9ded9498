// The program for Windows under wine, beside the native one: the same bits, and what is different there: names, line ends, files
// that others hold open. node windows.mjs NATIVE BUILD: BUILD/supple runs BUILD/supple.exe.
import { spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

const [native, build] = process.argv.slice(2).map(p => path.resolve(p));
process.env.SUPPLE_PROGRAM = path.join(build, "supple");
const { bad, equal, finish, good, holds, holdsOnly, json, match, source, strip, test, writeGlb } = await import("../cli/harness.mjs");

const windows = file => `Z:${file.replaceAll("/", "\\")}`;
const bakeNatively = words => spawnSync(native, ["bake", ...words], { encoding: "utf8" });

// ------------------------------------------------------------------------------------------------ bits

const deformers = JSON.parse(spawnSync(native, ["deformers", "--json"], { encoding: "utf8" }).stdout);
for (const { name } of deformers)
    await test(`${name}: the same hashes and the same file`, folder => {
        const words = out => ["builtin:arm?points=600", path.join(folder, out), "--clip", "flex", "--deform", name === "smooth" ? "linear,smooth" : name,
            "--end", "0.25", "--fps", "12", "--threads", "2", "--hashes", "--no-verdict", "--json"];
        const here = bakeNatively(words("native.glb"));
        equal(here.status, 0, `${name} natively: ${here.stderr}`);
        const there = JSON.parse(good(["bake", ...words("wine.glb")]).out);
        equal(there.hashes.join(" "), JSON.parse(here.stdout).hashes.join(" "), "hashes");
        holds(fs.readFileSync(path.join(folder, "native.glb")).equals(fs.readFileSync(path.join(folder, "wine.glb"))), "the files are equal");
    });

await test("every format is written byte by byte as elsewhere", folder => {
    for (const ending of ["gltf", "usda", "pc2", "mdd", "npy", "obj"]) {
        const made = ["native", "wine"].map(who => {
            const out = path.join(folder, who);
            fs.mkdirSync(out, { recursive: true });
            const words = ["builtin:bar", path.join(out, `bar.${ending}`), "--clip", "bend", "--end", "0.1", "--quiet"];
            if (who === "native") equal(bakeNatively(words).status, 0, ending);
            else good(["bake", ...words]);
            return fs.readdirSync(out).filter(n => n.startsWith("bar")).sort().map(n => [n, fs.readFileSync(path.join(out, n), "latin1")]);
        });
        equal(JSON.stringify(made[1]), JSON.stringify(made[0]), ending);
    }
});

// ------------------------------------------------------------------------------------------------ names

await test("backslashes, drives, blanks and letters of all the world", folder => {
    const place = path.join(folder, "Größe 日本 ✓");
    fs.mkdirSync(place);
    const file = writeGlb(path.join(place, "стрип é.glb"), strip());
    equal(json(["inspect", windows(file)]).points, 6, "points");
    good(["bake", windows(file), windows(path.join(place, "выход.gltf")), "--clip", "Wave", "--quiet"]);
    equal(json(["inspect", windows(path.join(place, "выход.gltf"))]).points, 6, "and its buffer beside it");
    good(["bake", windows(file), `${windows(place)}\\frame_##.obj`, "--clip", "Wave", "--end", "0.1", "--quiet"]);
    holds(fs.existsSync(path.join(place, "frame_01.obj")), "numbers stand where they were asked for");
    bad(["inspect", windows(path.join(place, "нет.glb"))], 1, /cannot read '.*нет\.glb': No such file/);
    bad(["bake", windows(file), `${windows(place)}\\`], 1, /directory/);
    bad(["bake", windows(file), `${windows(place)}\\none\\out.glb`, "--clip", "Wave"], 1, /the folder does not exist/);
    holds(!fs.readdirSync(place).some(n => n.endsWith(".part")), "nothing half-written");
});

await test("an output that is the input by another spelling is refused", folder => {
    const file = writeGlb(path.join(folder, "strip.glb"), strip());
    bad(["bake", file, `${windows(folder)}\\STRIP.glb`.replace("STRIP", "strip"), "--clip", "Wave"], 1, /--overwrite/);
});

// ------------------------------------------------------------------------------------------------ line ends

await test("files with the line ends of Windows read as others do", folder => {
    const obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
    const world = '{\n  "gravity": [0, -9.81, 0]\n}\n', map = "0\n0.5\n1\n0.25\n", skeleton = "1 0 0 0\n2 1 0 0\n#\n1 2 1 0 0\n";
    const hashes = ["\n", "\r\n"].map((end, i) => {
        const write = (name, text) => { const p = path.join(folder, `${i}${name}`); fs.writeFileSync(p, text.replaceAll("\n", end)); return p; };
        const words = [write(".obj", obj), windows(path.join(folder, `out${i}.glb`)), "--skeleton", write(".tgf", skeleton), "--deform", "lattice", "--world", write(".json", world),
            "--map", `soft=${write(".txt", map)}`, "--no-verdict"];
        return json(["bake", ...words]).hash;
    });
    equal(hashes[1], hashes[0], "hash");
});

await test("what is printed has the line ends of everywhere", () => holds(!good(["--help"]).out.includes("\r"), "no CR"));

// ------------------------------------------------------------------------------------------------ replacing

await test("a file that another program holds open stays, and the sentence says why", async folder => {
    const out = path.join(folder, "out.glb");
    fs.writeFileSync(out, "old");
    const holder = spawn(path.join(build, "hold"), [windows(out)], { stdio: ["pipe", "pipe", "inherit"] });
    match(String(await new Promise(resolve => holder.stdout.once("data", resolve))), /held/, "the other program");
    const words = ["bake", "builtin:bar", windows(out), "--clip", "bend", "--end", "0.1", "--quiet"];
    bad(words, 1, /another program has the file open; close it in that program/);
    equal(fs.readFileSync(out, "utf8"), "old", "the file");
    holder.stdin.end();
    await new Promise(resolve => holder.once("exit", resolve));
    good(words);
    equal(fs.readFileSync(out).subarray(0, 4).toString(), "glTF", "then it is replaced");
    holdsOnly(folder, ["out.glb"]);
});

// ------------------------------------------------------------------------------------------------ what is not there

await test("pictures and the formats of assimp are missing with a sentence", folder => {
    bad(["render", "builtin:bar", path.join(folder, "bar.png")], 1, /draws no pictures/);
    fs.writeFileSync(path.join(folder, "a.fbx"), "Kaydara FBX Binary  \0");
    bad(["inspect", path.join(folder, "a.fbx")], 1, /this build has no assimp/);
    holdsOnly(folder, ["a.fbx"]);
});

// ------------------------------------------------------------------------------------------------ libraries

const objdump = file => spawnSync("x86_64-w64-mingw32-objdump", ["-p", path.join(build, file)], { encoding: "utf8", maxBuffer: 1 << 28 }).stdout;

await test("program and libraries need nothing but Windows and each other", () => {
    for (const file of ["supple.exe", "libsupple.dll", "libsupple_io.dll", "libsupple_io_extra.dll", "libsupple_flat.dll"]) {
        const needed = [...objdump(file).matchAll(/DLL Name: (\S+)/g)].map(m => m[1].toLowerCase());
        holds(needed.length > 0, `${file} was read`);
        for (const name of needed) holds(/^(kernel32|msvcrt|shell32|advapi32|user32|libsupple(_io)?)\.dll$/.test(name), `${file} needs ${name}`);
        if (/exe|flat/.test(file)) holds(!needed.some(n => n.startsWith("libsupple")), `${file} stands alone`);
    }
});

await test("a stranger's program gets the same frame from the DLL", () => {
    const [there, here] = ["flat", "flat_native"].map(name => spawnSync(path.join(build, name), { encoding: "utf8" }));
    match(here.stdout, /^[0-9a-f]{16}\n$/, `here: ${here.stderr}`);
    equal(there.stdout.replaceAll("\r", ""), here.stdout, "hash");
});

await test("the libraries show what they show elsewhere, and no more", () => {
    const listed = fs.readFileSync(path.join(source, "tests/install/symbols.txt"), "utf8").trim().split("\n").map(l => l.split(" "));
    for (const library of new Set(listed.map(l => l[1]))) {
        const shown = [...objdump(`lib${library}.dll`).split("[Ordinal/Name Pointer] Table")[1].split("\n\n")[0].matchAll(/\[ *\d+\] (\S+)/g)].map(m => m[1]).sort();
        equal(shown.join(" "), listed.filter(l => l[1] === library).map(l => l[2]).sort().join(" "), library);
        holds(fs.existsSync(path.join(build, `lib${library}.dll.a`)), `an import library of ${library}`);
    }
});

finish();
