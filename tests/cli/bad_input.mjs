// Bad input: a message with the object and the cure, exit 1, nothing written. Nothing crashes or hangs.
import { bad, equal, finish, good, holdsOnly, json, match, near, program, run, skip, strip, test, writeGlb } from "./harness.mjs";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

/** Bakes the model into an empty folder and demands the sentence and no file. */
function refuse(folder, model, sentence, flags = []) {
    const file = typeof model === "string" ? model : writeGlb(path.join(folder, "in.glb"), model);
    const target = path.join(folder, "target");
    fs.mkdirSync(target);
    const r = bad(["bake", file, path.join(target, "out.glb"), ...flags], 1, sentence);
    holdsOnly(target, []);
    return r;
}
const change = edit => {
    const model = strip();
    edit(model);
    return model;
};

await test("a file that is not there is named", folder => refuse(folder, path.join(folder, "nobody.glb"), /nobody\.glb/));
await test("a directory without a sequence is no character", folder => refuse(folder, folder, /is not a sequence: .* name a file/));
await test("an unknown ending lists the known ones", folder => {
    fs.writeFileSync(path.join(folder, "in.xyz"), "hello");
    refuse(folder, path.join(folder, "in.xyz"), /glb.*obj/);
});
await test("an unknown ending of the output lists the known ones", folder => {
    bad(["bake", writeGlb(path.join(folder, "in.glb"), strip()), path.join(folder, "out.xyz")], 1, /glb/);
    for (const [name, cure] of [["out.usdz", /usdzip out\.usdz out\.usda/], ["out.fbx", /export FBX from Blender/]])
        bad(["bake", path.join(folder, "in.glb"), path.join(folder, name)], 1, cure);
    holdsOnly(folder, ["in.glb"]);
});
await test("an empty file is refused", folder => {
    fs.writeFileSync(path.join(folder, "in.glb"), "");
    refuse(folder, path.join(folder, "in.glb"), /in\.glb/);
});
await test("every truncation of a file is refused", folder => {
    const whole = fs.readFileSync(writeGlb(path.join(folder, "in.glb"), strip()));
    for (let length = 0; length < whole.length; length += 61) {
        fs.writeFileSync(path.join(folder, "cut.glb"), whole.subarray(0, length));
        bad(["inspect", path.join(folder, "cut.glb")], 1, /cut\.glb/);
    }
});
await test("damaged bytes never crash it", folder => {
    const whole = fs.readFileSync(writeGlb(path.join(folder, "in.glb"), strip()));
    const file = path.join(folder, "hurt.glb"), out = path.join(folder, "out.glb");
    for (let at = 0, n = 0; at < whole.length; at += 29, n++) {
        const hurt = Buffer.from(whole);
        hurt[at] ^= 1 << (n % 8);
        fs.writeFileSync(file, hurt);
        const r = run(["bake", file, out, "--clip", "Wave", "--fps", "4", "--quiet"]);
        if (r.code !== 0) {
            equal(r.code, 1, `byte ${at}: exit code`);
            match(r.err, /supple: error: .+/, `byte ${at}`);
            equal(fs.existsSync(out), false, `byte ${at}: an output file`);
        }
        fs.rmSync(out, { force: true });
    }
});
await test("broken JSON is named with its place", folder => {
    fs.writeFileSync(path.join(folder, "in.gltf"), '{"asset":{"version":"2.0"},\n "nodes":[,]}');
    refuse(folder, path.join(folder, "in.gltf"), /in\.gltf.*(line 2|2:)/);
});
await test("deep nesting is refused", folder => {
    fs.writeFileSync(path.join(folder, "in.gltf"), "[".repeat(100000));
    refuse(folder, path.join(folder, "in.gltf"), /deep|nest/);
});

await test("a clip that is not there gets the list of clips", folder => refuse(folder, strip(), /no clip 'Swim'; it has 'Wave', 'Nod'/, ["--clip", "Swim"]));
await test("a clip of a character without clips", folder =>
    refuse(folder, change(m => delete m.json.animations), /no clips at all/, ["--clip", "Swim"]));
await test("a joint that is not there is named", folder => refuse(folder, strip(), /no joint 'nose'/, ["--pose", "nose=0,0,1"]));
await test("no skin and no clip: nothing to bake", folder =>
    refuse(folder, change(m => {
        delete m.json.skins;
        delete m.json.nodes[2].skin;
        delete m.json.animations;
        const a = m.json.meshes[0].primitives[0].attributes;
        delete a.JOINTS_0;
        delete a.WEIGHTS_0;
    }), /no skin/));
await test("an accessor beyond its buffer is named", folder => refuse(folder, change(m => (m.json.accessors[0].count = 6000)), /accessor/));
await test("an index beyond the vertices is named", folder => refuse(folder, change(m => (m.views.indices[5] = 600)), /600|ind(ex|ices)/));
await test("a joint number beyond the skin is named", folder =>
    refuse(folder, change(m => {
        m.views.joints[1] = 200;
        m.views.weights[1] = 0.5;
    }), /joint/));
await test("a cycle of joints is named", folder => refuse(folder, change(m => (m.json.nodes[1].children = [0])), /cycle|itself|parent|tip|root/));
await test("a position that is not a number is named", folder => refuse(folder, change(m => (m.views.positions[4] = NaN)), /NaN|not a number|finite/));
await test("an infinite weight is named", folder => refuse(folder, change(m => (m.views.weights[0] = Infinity)), /NaN|not a number|finite/));
await test("a turn that is not a number is named", folder => refuse(folder, change(m => (m.views.turns[5] = NaN)), /NaN|not a number|finite/));
await test("key times that go backwards are named", folder =>
    refuse(folder, change(m => m.views.times.set([1, 0])), /Wave.*|times?|keys?/));
await test("an empty mesh is refused", folder =>
    refuse(folder, change(m => (m.json.accessors[3].count = 0)), /.+/));
await test("a file without meshes is refused", folder => refuse(folder, change(m => {
    delete m.json.meshes;
    delete m.json.nodes[2].mesh;
    delete m.json.nodes[2].skin;
}), /mesh/));

await test("weights that sum to 0 are mended and said", folder => {
    const file = writeGlb(path.join(folder, "in.glb"), change(m => m.views.weights.fill(0, 0, 4)));
    const r = json(["inspect", file]);
    equal(r.weight_sum_min, 0, "smallest sum");
    match(r.warnings.join("\n"), /weight/);
    good(["bake", file, path.join(folder, "out.glb"), "--clip", "Wave"]);
});
await test("weights that sum to 1.755 are normalized and said", folder => {
    const file = writeGlb(path.join(folder, "in.glb"), change(m => m.views.weights.set([1.255, 0.5, 0, 0])));
    const r = json(["inspect", file]);
    near(r.weight_sum_max, 1.755, 1e-4, "largest sum");
    match(r.warnings.join("\n"), /1\.755/);
});
await test("faces without area are kept and said", folder => {
    const file = writeGlb(path.join(folder, "in.glb"), change(m => m.views.indices.set([0, 0, 3], 0)));
    match(json(["inspect", file]).warnings.join("\n"), /no area|zero area|degenerate/);
    good(["bake", file, path.join(folder, "out.glb"), "--clip", "Wave", "--deform", "dualquat"]);
});

await test("a directory as output is refused", folder => {
    const file = writeGlb(path.join(folder, "in.glb"), strip());
    fs.mkdirSync(path.join(folder, "out.glb"));
    bad(["bake", file, path.join(folder, "out.glb"), "--clip", "Wave"], 1, /out\.glb.*director|director.*out\.glb/);
    holdsOnly(path.join(folder, "out.glb"), []);
    holdsOnly(folder, ["in.glb", "out.glb"]);
});
await test("a missing folder for the output is named", folder =>
    bad(["bake", writeGlb(path.join(folder, "in.glb"), strip()), path.join(folder, "nowhere/out.glb"), "--clip", "Wave"], 1, /nowhere/));
await test("no rights in the output's folder", folder => {
    // Root may write everywhere: then an unprivileged user runs it, if that user can reach the program at all.
    const nobody = process.getuid() === 0 ? { uid: 65534, gid: 65534 } : {};
    if (spawnSync(program, ["--version"], nobody).status !== 0) skip("a user without rights cannot reach the program");
    const file = writeGlb(path.join(folder, "in.glb"), strip());
    fs.chmodSync(folder, 0o755);
    fs.mkdirSync(path.join(folder, "locked"), { mode: 0o555 });
    bad(["bake", file, path.join(folder, "locked/out.glb"), "--clip", "Wave"], 1, /locked.*rights|locked.*[Pp]ermission/, nobody);
    holdsOnly(path.join(folder, "locked"), []);
    fs.chmodSync(file, 0o600);
    if (nobody.uid) bad(["inspect", file], 1, /in\.glb/, nobody);
});
await test("a disk that fills up while writing leaves nothing and the old file as it was", folder => {
    // A limit on the size of files replaces the full disk: the write fails in the middle just the same.
    const out = path.join(folder, "out.glb");
    fs.writeFileSync(out, "the old one");
    const r = spawnSync("bash", ["-c", `ulimit -f 200; exec "${program}" bake builtin:arm "${out}" --clip flex --quiet`], { encoding: "utf8" });
    equal(r.signal, null, "killed by");
    equal(r.status, 1, "exit code");
    match(r.stderr, /supple: error: .*out\.glb/);
    holdsOnly(folder, ["out.glb"]);
    equal(fs.readFileSync(out, "utf8"), "the old one", "the old file");
});

await test("unknown links, parameters and values are named", folder => {
    refuse(folder, strip(), /dualquad/, ["--clip", "Wave", "--deform", "dualquad"]);
    const target = path.join(folder, "out.glb"), file = path.join(folder, "in.glb");
    bad(["bake", file, target, "--clip", "Wave", "--set", "linear.softness=1"], 1, /softness/);
    bad(["bake", file, target, "--clip", "Wave", "--set", "nonsense"], 1, /nonsense/);
    bad(["bake", file, target, "--clip", "Wave", "--deform", "linear("], 1, /linear/);
    bad(["bake", file, target, "--clip", "Wave", "--deform", ",,"], 1, /.+/);
    holdsOnly(folder, ["in.glb", "target"]);
});
await test("a bad world or preset is named with its key", folder => {
    const file = writeGlb(path.join(folder, "in.glb"), strip()), world = path.join(folder, "world.json"), out = path.join(folder, "out.glb");
    const flags = ["bake", file, out, "--clip", "Wave"];
    fs.writeFileSync(world, '{"gravity":"down"}');
    bad([...flags, "--world", world], 1, /gravity/);
    fs.writeFileSync(world, '{"gravity":');
    bad([...flags, "--world", world], 1, /world\.json/);
    fs.writeFileSync(world, '{"supple":1,"links":[{"name":"dualquad"}]}');
    bad([...flags, "--preset", world], 1, /dualquad/);
    bad([...flags, "--world", path.join(folder, "none.json")], 1, /none\.json/);
    holdsOnly(folder, ["in.glb", "world.json"]);
});
await test("a joint that grows beyond all numbers is said in every format, and none of them holds NaN", folder => {
    const model = change(m => {
        m.json.nodes.find(n => n.name === "tip").scale = [3e38, 3e38, 3e38];
    });
    const file = writeGlb(path.join(folder, "in.glb"), model);
    for (const ending of ["npy", "pc2", "mdd", "obj", "usda", "glb", "gltf"]) {
        const out = path.join(folder, `out.${ending}`);
        match(good(["bake", file, out, "--clip", "Wave", "--end", "0"]).err, /warning: \d+ baked positions were not finite/, ending);
        const bytes = fs.readFileSync(out);
        if (ending === "obj" || ending === "usda") match(bytes.toString(), /^(?!.*(nan|inf\b))/s, ending);
        const begin = { npy: 128, pc2: 32, mdd: 12 }[ending];
        const floats = i => (ending === "mdd" ? bytes.readFloatBE(i) : bytes.readFloatLE(i));
        for (let i = begin ?? bytes.length; i < bytes.length; i += 4)
            if (!Number.isFinite(floats(i))) throw new Error(`${ending} holds ${floats(i)}`);
    }
});
await test("a file is what its bytes say, and the name is noted", folder => {
    const glb = writeGlb(path.join(folder, "in.glb"), strip()), obj = path.join(folder, "in.obj"), ply = path.join(folder, "in.ply");
    fs.writeFileSync(obj, "# made by hand\n\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    fs.writeFileSync(ply, "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n" +
        "element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n");
    const named = (from, name) => {
        fs.copyFileSync(from, path.join(folder, name));
        return path.join(folder, name);
    };
    for (const name of ["glb.obj", "glb.ply", "glb.fbx", "glb.xyz", "glb.dae", "nothing"]) {
        const said = json(["inspect", named(glb, name)]);
        equal(said.points, 6, name);
        match(JSON.stringify(said), /'[a-z.]*' has another ending, but its contents are glTF 2\.0: it is read as that/, name);
    }
    for (const from of [obj, ply])
        for (const name of ["mesh.glb", "mesh.gltf", "mesh.txt"]) equal(json(["inspect", named(from, name)]).points, 3, name);
    equal(json(["inspect", named(obj, "obj.ply")]).points, 3);
    match(good(["bake", path.join(folder, "glb.obj"), path.join(folder, "out.npy"), "--clip", "Wave"]).err, /warning: 'glb\.obj' has another ending/);
    match(JSON.stringify(json(["inspect", glb])), /^(?!.*has another ending)/);
});
await test("what is no character at all is told with the cure", folder => {
    const refuseBytes = (name, bytes, sentence) => {
        fs.writeFileSync(path.join(folder, name), bytes);
        bad(["inspect", path.join(folder, name)], 1, sentence);
    };
    for (const name of ["a.glb", "a.gltf", "a.obj", "a.ply", "a.fbx", "a.mesh", "a"]) {
        refuseBytes(name, "", /is empty; copy or download it again/);
        refuseBytes(name, "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", /Git LFS.*git lfs pull/);
        refuseBytes(name, "<!DOCTYPE html>\n<html></html>", /web page; download the file itself/);
    }
    for (const name of ["a.glb", "a.obj", "a.ply"]) {
        refuseBytes(name, "PK\x03\x04and more", /zip archive; unpack it/);
        refuseBytes(name, Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]), /is a picture/);
        refuseBytes(name, '<?xml version="1.0"?>\n<COLLADA></COLLADA>', /is COLLADA .*\.dae/);
    }
    refuseBytes("text.glb", "hello world\n", /text\.glb: this is not a glTF file: a \.glb begins with the letters glTF/);
    refuseBytes("cache.npy", "\x93NUMPY", /holds no character: NumPy array.*name the file with the mesh/);
    refuseBytes("what.xyz", "hello", /the ending of .*these are read: \.glb/);
});
await test("Draco is refused with a cure that works", folder => {
    const model = strip();
    model.json.extensionsRequired = model.json.extensionsUsed = ["KHR_draco_mesh_compression"];
    refuse(folder, model, /KHR_draco_mesh_compression, .*'gltf-transform copy IN\.glb OUT\.glb'/);
});
await test("a folder in which no file can be made is told apart from one that is missing", folder => {
    if (!fs.existsSync("/proc/self")) skip("there is no /proc here");
    const file = writeGlb(path.join(folder, "in.glb"), strip());
    for (const name of ["x.glb", "x.gltf", "x.npy", "x.obj", "x.pc2", "x.usda"])
        bad(["bake", file, `/proc/${name}`, "--clip", "Wave"], 1, /no file can be created in that folder; write elsewhere/);
    bad(["check", file, "--html", "/proc/x.html"], 1, /no file can be created in that folder|no permission/);
    bad(["bake", file, path.join(folder, "none", "x.glb"), "--clip", "Wave"], 1, /the folder does not exist; make it first/);
});
await test("a number of the world that is too large is told apart from what is not a number", folder => {
    const world = path.join(folder, "world.json"), bake = ["bake", "builtin:bar", path.join(folder, "o.npy"), "--world", world];
    const refuseWorld = (json, sentence) => {
        fs.writeFileSync(world, JSON.stringify(json));
        bad(bake, 1, sentence);
    };
    refuseWorld({ gravity: [0, 1e30, 0] }, /"gravity" has a number beyond 1e9; write for example/);
    refuseWorld({ gravity: [0, "down", 0] }, /"gravity" must be three numbers; write for example/);
    refuseWorld({ gravity: [0, 1] }, /"gravity" must be three numbers/);
    refuseWorld({ keys: { gravity: [{ time: 0, value: [0, -1e20, 0] }] } }, /"value" has a number beyond 1e9/);
});
await test("weights names its format before the work", folder => {
    const file = writeGlb(path.join(folder, "in.glb"), strip());
    bad(["weights", file, path.join(folder, "out.obj")], 1, /weights writes \.glb files/);
});
await test("a picture with examples takes the first clip, as the help says", folder => {
    const file = writeGlb(path.join(folder, "in.glb"), strip()), sculpt = path.join(folder, "sculpt.obj");
    good(["bake", file, sculpt, "--clip", "Wave", "--start", "0.5", "--end", "0.5", "--quiet"]);
    const said = good(["render", file, path.join(folder, "o.png"), "--deform", "pose_space", "--example", `0.5=${sculpt}`, "--size", "32x32", "--samples", "1"]);
    match(said.err, /note: taking the clip 'Wave'/);
});
await test("an OBJ face that names a missing vertex is named with its line", folder => {
    fs.writeFileSync(path.join(folder, "in.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n");
    bad(["inspect", path.join(folder, "in.obj")], 1, /in\.obj.*4|line 4/);
});
await test("an OBJ without faces is refused", folder => {
    fs.writeFileSync(path.join(folder, "in.obj"), "v 0 0 0\n");
    bad(["inspect", path.join(folder, "in.obj")], 1, /in\.obj/);
});
finish();
