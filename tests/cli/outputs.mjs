// What a run may overwrite, what it may read on a file's behalf, and what remains when it is killed.
import { bad, equal, finish, good, holds, holdsOnly, json, match, program, skip, strip, test, writeGlb } from "./harness.mjs";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

const read = /is an input file.*choose another name, or add --overwrite/;
const triangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

/** The strip as a .gltf with its bytes in a file beside it. */
function writeGltf(folder, name, binary, edit = () => {}) {
    const glb = fs.readFileSync(writeGlb(path.join(folder, "made.glb"), strip()));
    const size = glb.readUInt32LE(12), model = JSON.parse(glb.subarray(20, 20 + size));
    fs.rmSync(path.join(folder, "made.glb"));
    model.buffers[0].uri = binary;
    edit(model);
    fs.mkdirSync(path.dirname(path.join(folder, binary)), { recursive: true });
    fs.writeFileSync(path.join(folder, binary), glb.subarray(28 + size));
    fs.writeFileSync(path.join(folder, name), JSON.stringify(model));
    return path.join(folder, name);
}

// ------------------------------------------------------------------------------------------------ overwriting

await test("no verb replaces its input unasked, however it is spelled", folder => {
    const file = writeGlb(path.join(folder, "in.glb"), strip()), bytes = fs.readFileSync(file);
    fs.symlinkSync("in.glb", path.join(folder, "link.glb"));
    fs.linkSync(file, path.join(folder, "hard.glb"));
    fs.mkdirSync(path.join(folder, "sub"));
    const others = [file, path.join(folder, "sub", "..", "in.glb"), path.join(folder, "link.glb"), path.join(folder, "hard.glb")];
    for (const out of others)
        for (const verb of ["bake", "weights", "render", "fit"]) bad([verb, file, out], 1, read);
    bad(["bake", path.join(folder, "link.glb"), file], 1, read);
    bad(["check", file, "--html", path.join(folder, "link.glb")], 1, read);
    bad(["compare", file, "--html", file], 1, read);
    equal(Buffer.compare(fs.readFileSync(file), bytes), 0, "the input");
    holdsOnly(folder, ["in.glb", "link.glb", "hard.glb", "sub"]);
    good(["bake", file, file, "--overwrite", "--clip", "Wave", "--name", "again", "--quiet"]);
    match(good(["inspect", file]).out, /again/);
});
await test("files that flags name are inputs too", folder => {
    const file = writeGlb(path.join(folder, "in.glb"), strip()), other = writeGlb(path.join(folder, "rig.glb"), strip());
    fs.writeFileSync(path.join(folder, "body.obj"), triangle);
    fs.writeFileSync(path.join(folder, "map.npy"), "1 1 1 1 1 1");
    bad(["bake", path.join(folder, "body.obj"), other, "--skeleton", other], 1, read);
    bad(["bake", file, path.join(folder, "map.npy"), "--map", `belly=${path.join(folder, "map.npy")}`], 1, read);
    bad(["bake", file, path.join(folder, "body.obj"), "--example", `0.5=${path.join(folder, "body.obj")}`], 1, read);
    bad(["fit", file, "--deform", "smooth", "--truth", other, "--write", other], 1, read);
});
await test("what the input's file names is an input", folder => {
    const file = writeGltf(folder, "in.gltf", "points.npy", m => {
        m.images = [{ uri: "skin.png" }];
        m.textures = [{ source: 0 }];
        m.materials = [{ pbrMetallicRoughness: { baseColorTexture: { index: 0 } } }];
    });
    const png = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");
    fs.writeFileSync(path.join(folder, "skin.png"), png);
    bad(["bake", file, path.join(folder, "points.npy")], 1, read);
    bad(["render", file, path.join(folder, "skin.png")], 1, read);
    equal(Buffer.compare(fs.readFileSync(path.join(folder, "skin.png")), png), 0, "the picture");
});
await test("frames of a sequence do not replace the sequence that is read", folder => {
    for (const n of [1, 2, 3]) fs.writeFileSync(path.join(folder, `walk_000${n}.obj`), triangle);
    const frames = path.join(folder, "walk_####.obj"), before = fs.readFileSync(path.join(folder, "walk_0001.obj"), "utf8");
    bad(["bake", frames, path.join(folder, "walk.obj")], 1, read);
    bad(["bake", frames, frames], 1, read);
    equal(fs.readFileSync(path.join(folder, "walk_0001.obj"), "utf8"), before, "the first frame");
    holdsOnly(folder, ["walk_0001.obj", "walk_0002.obj", "walk_0003.obj"]);
    good(["bake", frames, path.join(folder, "walk.obj"), "--overwrite", "--quiet"]);
});
await test("an output that is not an input is replaced as before", folder => {
    const file = writeGlb(path.join(folder, "in.glb"), strip()), out = path.join(folder, "out.glb");
    for (let i = 0; i < 2; i++) good(["bake", file, out, "--clip", "Wave", "--quiet"]);
    holdsOnly(folder, ["in.glb", "out.glb"]);
});

// ------------------------------------------------------------------------------------------------ links

await test("a link beside a glTF must not lead out of its folder", folder => {
    fs.writeFileSync(path.join(folder, "secret.bin"), fs.readFileSync(writeGltf(folder, "x.gltf", "x.bin").replace("gltf", "bin")));
    fs.mkdirSync(path.join(folder, "got", "deep"), { recursive: true });
    const file = writeGltf(path.join(folder, "got"), "in.gltf", "in.bin"), link = path.join(folder, "got", "in.bin");
    const refuse = () => {
        bad(["inspect", file], 1, /in\.bin' is a link that leads out of the folder of the file that mentions it/);
        bad(["inspect", "in.gltf"], 1, /leads out of the folder/, { cwd: path.join(folder, "got") });
    };
    fs.rmSync(link);
    fs.symlinkSync("../secret.bin", link);
    refuse();
    fs.rmSync(link);
    fs.symlinkSync(path.join(folder, "secret.bin"), link);
    refuse();
    // also if a folder on the path is the link, and through several
    fs.rmSync(link);
    fs.symlinkSync("..", path.join(folder, "got", "up"));
    fs.symlinkSync("up/secret.bin", link);
    refuse();
    // a link within the folder stays within it
    fs.rmSync(link);
    fs.copyFileSync(path.join(folder, "secret.bin"), path.join(folder, "got", "deep", "real.bin"));
    fs.symlinkSync("deep/real.bin", link);
    good(["inspect", file]);
});
await test("a folder whose name begins like another is another", folder => {
    fs.mkdirSync(path.join(folder, "got"));
    fs.mkdirSync(path.join(folder, "got2"));
    const file = writeGltf(path.join(folder, "got"), "in.gltf", "in.bin");
    fs.renameSync(path.join(folder, "got", "in.bin"), path.join(folder, "got2", "in.bin"));
    fs.symlinkSync("../got2/in.bin", path.join(folder, "got", "in.bin"));
    bad(["inspect", file], 1, /leads out of the folder/);
});
await test("materials and pictures behind links that lead out are not read", folder => {
    fs.mkdirSync(path.join(folder, "got"));
    fs.writeFileSync(path.join(folder, "secret.mtl"), "newmtl red\nKd 1 0 0\n");
    fs.symlinkSync("../secret.mtl", path.join(folder, "got", "in.mtl"));
    const obj = path.join(folder, "got", "in.obj");
    fs.writeFileSync(obj, "mtllib in.mtl\nusemtl red\n" + triangle);
    const linked = json(["inspect", obj]);
    fs.rmSync(path.join(folder, "got", "in.mtl"));
    const absent = json(["inspect", obj]);
    equal(JSON.stringify(linked), JSON.stringify(absent), "a link out of the folder is as good as no file");
});
// ------------------------------------------------------------------------------------------------ kills

// Ends the program like a power cut, before the system call with number KILL_AT, counting those that can change a folder.
const shim = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>
static void count(void)
{
    static int calls;
    const char* at = getenv("KILL_AT");
    if (at && ++calls == atoi(at)) kill(getpid(), SIGKILL);
}
#define NEXT(type, name, ...) ((type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name))
static int open_with(const char* name, const char* path, int flags, mode_t mode)
{
    if (flags & (O_CREAT | O_WRONLY | O_RDWR)) count();
    return ((int (*)(const char*, int, ...))dlsym(RTLD_NEXT, name))(path, flags, mode);
}
#define OPEN(name) int name(const char* path, int flags, ...) { \\
    va_list a; va_start(a, flags); mode_t mode = flags & O_CREAT ? va_arg(a, mode_t) : 0; va_end(a); \\
    return open_with(#name, path, flags, mode); }
OPEN(open) OPEN(open64)
ssize_t pwrite(int f, const void* d, size_t n, off_t o) { count(); return NEXT(ssize_t, pwrite, int, const void*, size_t, off_t)(f, d, n, o); }
ssize_t pwrite64(int f, const void* d, size_t n, off_t o) { count(); return NEXT(ssize_t, pwrite64, int, const void*, size_t, off_t)(f, d, n, o); }
int fsync(int f) { count(); return NEXT(int, fsync, int)(f); }
int fchmod(int f, mode_t m) { count(); return NEXT(int, fchmod, int, mode_t)(f, m); }
int rename(const char* a, const char* b) { count(); return NEXT(int, rename, const char*, const char*)(a, b); }
int unlink(const char* a) { count(); return NEXT(int, unlink, const char*)(a); }
`;

/** Builds the shim; the test is skipped where that cannot be. */
function makeShim(folder) {
    if (/-fsanitize/.test(process.env.SUPPLE_CFLAGS ?? "")) skip("a sanitizer wants to be the first library");
    const code = path.join(folder, "shim.c"), library = path.join(folder, "shim.so");
    fs.writeFileSync(code, shim);
    const made = spawnSync(process.env.SUPPLE_CC ?? "cc", ["-shared", "-fPIC", "-w", "-O1", "-o", library, code, "-ldl"], { encoding: "utf8" });
    if (made.status !== 0) skip("no shared library can be built here");
    return library;
}

/** Runs the bake over an old result again and again, killed in front of every call in turn; `look` judges what is left. */
function killEverywhere(library, prepare, args, look) {
    let kills = 0;
    for (let at = 1;; at++) {
        const folder = prepare();
        const r = spawnSync(program, args(folder), { env: { ...process.env, LD_PRELOAD: library, KILL_AT: String(at) }, encoding: "utf8" });
        if (r.signal !== "SIGKILL") {
            equal(r.status, 0, `the run without a kill: ${r.stderr}`);
            look(folder, true);
            return kills;
        }
        kills++;
        look(folder, false);
        if (at > 2000) throw new Error("the program never comes to an end");
    }
}

/** What a reader of the glTF sees: the text and the bytes it names. */
function seen(folder) {
    const text = fs.readFileSync(path.join(folder, "out.gltf"), "utf8");
    return text + fs.readFileSync(path.join(folder, decodeURIComponent(JSON.parse(text).buffers[0].uri)), "hex");
}
const copyFolder = (from, to) => {
    fs.rmSync(to, { recursive: true, force: true });
    fs.cpSync(from, to, { recursive: true });
    return to;
};

await test("a .gltf and its bytes are wholly old or wholly new, whenever the bake is killed", folder => {
    const library = makeShim(folder), file = writeGlb(path.join(folder, "in.glb"), strip());
    const before = path.join(folder, "before"), after = path.join(folder, "after"), work = path.join(folder, "work");
    const bake = (where, clip) => ["bake", file, path.join(where, "out.gltf"), "--clip", clip, "--fps", clip === "Wave" ? "10" : "15", "--quiet"];
    for (const [where, clip] of [[before, "Wave"], [after, "Nod"]]) {
        fs.mkdirSync(where);
        good(bake(where, clip));
        equal(fs.readdirSync(where).length, 2, "files");
    }
    const old = seen(before), fresh = seen(after);
    let olds = 0, news = 0;
    const kills = killEverywhere(library, () => copyFolder(before, work), w => bake(w, "Nod"), (w, whole) => {
        const now = seen(w);
        if (now !== old && now !== fresh) throw new Error("a mixture of old and new");
        if (whole) equal(now === fresh, true, "the new result");
        now === old ? olds++ : news++;
        for (const name of fs.readdirSync(w))
            if (!/^(out\.gltf|out\.[0-9a-f]{16}\.bin|\.out\..*\.part)$/.test(name)) throw new Error(`litter: ${name}`);
        if (whole) equal(fs.readdirSync(w).sort().join(), fs.readdirSync(after).sort().join(), "files");
    });
    holds(kills >= 8 && olds >= 6 && news >= 2, `${kills} kills, ${olds} times the old, ${news} times the new`);
});
await test("a single file is wholly old or wholly new, whenever the bake is killed", folder => {
    const library = makeShim(folder), file = writeGlb(path.join(folder, "in.glb"), strip()), work = path.join(folder, "work");
    for (const ending of ["glb", "npy", "usda", "pc2"]) {
        const out = `out.${ending}`, bake = (where, clip) => ["bake", file, path.join(where, out), "--clip", clip, "--fps", clip === "Wave" ? "10" : "15", "--quiet"];
        const made = ["Wave", "Nod"].map(clip => {
            fs.mkdirSync(path.join(folder, ending + clip));
            good(bake(path.join(folder, ending + clip), clip));
            return fs.readFileSync(path.join(folder, ending + clip, out), "hex");
        });
        const kills = killEverywhere(library, () => copyFolder(path.join(folder, `${ending}Wave`), work), w => bake(w, "Nod"), (w, whole) => {
            const now = fs.readFileSync(path.join(w, out), "hex");
            if (!made.includes(now)) throw new Error(`${ending}: neither old nor new`);
            for (const name of fs.readdirSync(w))
                if (name !== out && (whole || !/^\.out\..*\.part$/.test(name))) throw new Error(`litter: ${name}`);
        });
        holds(kills >= 4, `${ending}: ${kills} kills`);
    }
});
await test("the files of an OBJ sequence are whole each, and new only when all are on the disk", folder => {
    const library = makeShim(folder), file = writeGlb(path.join(folder, "in.glb"), strip()), work = path.join(folder, "work");
    const before = path.join(folder, "before"), after = path.join(folder, "after");
    const bake = (where, clip) => ["bake", file, path.join(where, "out.obj"), "--clip", clip, "--fps", "2", "--quiet"];
    for (const where of [before, after]) fs.mkdirSync(where);
    good(bake(before, "Wave"));
    good(["bake", file, path.join(after, "out.obj"), "--clip", "Nod", "--deform", "dualquat", "--fps", "2", "--quiet"]);
    const names = fs.readdirSync(before).sort(), text = (where, name) => fs.readFileSync(path.join(where, name), "utf8");
    equal(names.length, 3);
    killEverywhere(library, () => copyFolder(before, work),
        w => ["bake", file, path.join(w, "out.obj"), "--clip", "Nod", "--deform", "dualquat", "--fps", "2", "--quiet"], w => {
            for (const name of names)
                if (text(w, name) !== text(before, name) && text(w, name) !== text(after, name)) throw new Error(`${name} is neither`);
            const parts = fs.readdirSync(w).filter(n => n.endsWith(".part")).length;
            const renewed = names.filter(n => text(w, n) === text(after, n) && text(after, n) !== text(before, n)).length;
            if (renewed && renewed + parts < names.filter(n => text(after, n) !== text(before, n)).length) throw new Error("renamed before all were written");
        });
});
await test("an old .bin that an input names stays", folder => {
    const file = writeGlb(path.join(folder, "in.glb"), strip()), out = path.join(folder, "out.gltf");
    good(["bake", file, out, "--clip", "Wave", "--quiet"]);
    fs.copyFileSync(out, path.join(folder, "copy.gltf"));
    good(["bake", path.join(folder, "copy.gltf"), out, "--clip", "Nod", "--quiet"]);
    good(["inspect", path.join(folder, "copy.gltf")]);
    // foreign bytes are never touched
    const other = writeGltf(folder, "other.gltf", "other.bin");
    good(["bake", file, other, "--clip", "Nod", "--quiet"]);
    holds(fs.existsSync(path.join(folder, "other.bin")), "a .bin of another program is gone");
});
finish();
