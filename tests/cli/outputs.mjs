// What a run may write over, and what it may read on a file's behalf.
import { bad, equal, finish, good, holdsOnly, json, match, strip, test, writeGlb } from "./harness.mjs";
import fs from "node:fs";
import path from "node:path";

const read = /is a file that is read here.*choose another name, or add --overwrite/;
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
await test("an output that is no input is replaced as before", folder => {
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
        bad(["inspect", file], 1, /in\.bin' is a link that leads out of the folder of the file that names it/);
        bad(["inspect", "in.gltf"], 1, /leads out of the folder/, { cwd: path.join(folder, "got") });
    };
    fs.rmSync(link);
    fs.symlinkSync("../secret.bin", link);
    refuse();
    fs.rmSync(link);
    fs.symlinkSync(path.join(folder, "secret.bin"), link);
    refuse();
    // also where a folder on the way is the link, and through several
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
finish();
