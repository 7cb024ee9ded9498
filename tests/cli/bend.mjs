// The bend deformer from outside: the worlds of examples/bend, one for each kind of load, center lines from files, and every way to ask for something that does
// not exist.
import { equal, finish, good, holds, json, match, run, source, test } from "./harness.mjs";
import fs from "node:fs";
import path from "node:path";

const beast = "builtin:beast?points=2000", worlds = path.join(source, "examples/bend");
const line = "bend(line=spine_*,curves=9)";

/** Bakes a few frames, gives the document with what was said on the side. */
function bake(folder, chain, world, ...flags) {
    const args = ["bake", beast, path.join(folder, "out.glb"), "--clip", "walk", "--fps", "5", "--hashes", "--json"];
    const r = good([...args, "--deform", chain, ...(world ? ["--world", world] : []), ...flags]);
    return { ...JSON.parse(r.out), err: r.err };
}
function refused(folder, chain, world, words, ...flags) {
    const file = path.join(folder, "bad.json"), out = path.join(folder, "never.glb");
    fs.writeFileSync(file, typeof world === "string" ? world : JSON.stringify(world ?? {}));
    const r = run(["bake", beast, out, "--clip", "walk", "--fps", "5", "--deform", chain, "--world", file, ...flags]);
    equal(r.code, 1, `exit of ${chain} with ${JSON.stringify(world)}`);
    match(r.err, /^supple: error: /, "message");
    for (const word of [words].flat()) match(r.err, word, "message");
    holds(!fs.existsSync(out), "something was written");
}
const force = f => ({ forces: [{ name: "f", value: [0, 1, 0], ...f }] });

/** A map of the left flank, painted by where the points are. */
function belly(folder) {
    const obj = path.join(folder, "rest.obj");
    good(["bake", beast, obj, "--pose", "head=0,0,0", "--deform", "linear", "--quiet"]);
    const points = fs.readFileSync(obj, "utf8").split("\n").filter(l => l.startsWith("v ")).map(l => l.split(" ").slice(1).map(Number));
    const file = path.join(folder, "belly.txt");
    fs.writeFileSync(file, points.map(([x, y, z]) => x > 0.12 && Math.abs(y - 0.4) < 0.08 && Math.abs(z - 0.01) < 0.035 ? 1 : 0).join("\n") + "\n");
    return `belly=${file}`;
}

await test("every load of examples/bend moves the skin", folder => {
    const plain = bake(folder, "linear").hashes;
    const torso = ["bend(closed=foundation,support=2.5,terms=3)", "--set", "bend.pressure@spine_*=0.2", "--set", "bend.pressure@hips=0.2"];
    const neck = ["bend(line=neck_*,curves=8,closed=foundation,support=6,terms=3,pressure=0.3)"];
    const kinds = {
        "point.json": ["bend"], "part.json": ["bend"], "nearest.json": ["bend"], "bone.json": ["bend"], "material.json": ["bend"],
        "map.json": [line, "--map", belly(folder)], "range.json": ["bend(line=spine_*,curves=9,thickness=20)"], "place.json": ["bend(line=spine_*,curves=9,thickness=20)"], "swell.json": torso, "poisson.json": torso, "neck.json": neck, "thickness.json": neck,
        "press.json": ["bend"], "mesh.json": ["bend"], "shin.json": ["bend"], "release.json": ["bend(dynamics=on,young=200)"],
        "tail.json": ["bend(preset=trunk,support=8,curves=48)"],
    };
    for (const name of fs.readdirSync(worlds).filter(f => f.endsWith(".json"))) {
        holds(kinds[name], `${name} is not tried`);
        const [chain, ...flags] = kinds[name];
        const got = bake(folder, chain, path.join(worlds, name), ...flags);
        holds(got.hashes.some((h, i) => h !== plain[i]), `${name} moves nothing`);
        equal(got.err, "", `what ${name} says on the side`);
    }
});

await test("a force on a bent tail moves all of it the same way, without beads at its joints", folder => {
    const points = (name, chain) => {
        const obj = path.join(folder, name);
        good(["bake", "builtin:beast", obj, "--pose", "tail_2=0,40,0", "--pose", "tail_4=0,-50,0", "--quiet", "--world", path.join(folder, "lift.json"), "--deform", chain]);
        return fs.readFileSync(obj, "utf8").split("\n").filter(l => l.startsWith("v ")).map(l => l.split(" ").slice(1).map(Number));
    };
    fs.writeFileSync(path.join(folder, "lift.json"), JSON.stringify(force({ bone: "tail_5", ratio: 1, radius: 0.55, value: [0, 0, 100] })));
    const plain = points("plain.obj", "linear"), lifted = points("lifted.obj", "bend(closed=foundation,support=10,terms=3)");
    let along = 0, aside = 0;
    lifted.forEach((p, i) => {
        along = Math.max(along, p[2] - plain[i][2]);
        aside = Math.max(aside, Math.hypot(p[0] - plain[i][0], p[1] - plain[i][1]));
    });
    holds(along > 0.05, `the tail goes ${along} m`);
    holds(aside < 0.13 * along, `${(100 * aside / along).toFixed(1)} % of it aside`); // 20 % when each ring turned with one joint alone
});
await test("a world with keys of a link stands beside chains without it", folder => {
    const world = path.join(worlds, "swell.json"), two = ["--deform", "linear", "--deform", "bend"];
    const got = json(["compare", beast, ...two, "--world", world, "--end", "0.1"]);
    equal(got.chains.length, 2, "chains");
    const wrong = path.join(folder, "wrong.json");
    fs.writeFileSync(wrong, JSON.stringify({ keys: { "bent.young": [{ time: 0, value: 1 }] } }));
    const r = run(["compare", beast, ...two, "--world", wrong, "--end", "0.1"]);
    equal(r.code, 1, "exit");
    match(r.err, /keys of "bent.young": no chain has a link 'bent'/, "message");
});

await test("the command of the issue: a press baked into a GLB", folder => {
    const out = path.join(folder, "out.glb");
    const got = json(["bake", "builtin:beast", out, "--deform", "bend", "--world", path.join(worlds, "press.json"), "--end", "0.4"]);
    holds(got.fallbacks["bend.points_pressed"] > 0 && fs.statSync(out).size > 1e5, "no press in the file");
});

await test("a center line stands in a file, with stations or without", folder => {
    const world = path.join(worlds, "tail.json"), file = path.join(worlds, "tail.txt");
    const eight = path.join(folder, "tip.json");
    fs.writeFileSync(eight, JSON.stringify({ forces: [{ name: "tip", curve: 8, from: 0, to: 1, value: [0, 2, 0] }] }));
    const [places, stations] = fs.readFileSync(file, "utf8").replace(/#.*\n/g, "").split("stations");
    const typed = `bend(closed=foundation,line=${places.trim().replaceAll("\n", "; ")},stations=${stations.trim()})`;
    const wanted = bake(folder, typed, eight).hash;
    equal(bake(folder, `bend(closed=foundation,line=@${file})`, eight).hash, wanted, "in the chain");
    equal(bake(folder, "bend(closed=foundation)", eight, "--set", `bend.line=@${file}`).hash, wanted, "by --set");
    const preset = path.join(folder, "preset.json");
    fs.writeFileSync(preset, JSON.stringify({ supple: 1, links: [{ name: "bend", set: { closed: "foundation", line: `@${file}` } }] }));
    equal(json(["bake", beast, path.join(folder, "out.glb"), "--clip", "walk", "--fps", "5", "--preset", preset, "--world", eight]).hash, wanted, "by a preset");
    good(["compare", beast, "--clip", "walk", "--fps", "5", "--deform", `bend(line=@${file})`, "--deform", "linear", "--quiet"]);
    // stations on the command line win; evenly without any; at the places themselves
    holds(bake(folder, `bend(closed=foundation,line=@${file},stations=0.2 0.3 0.4 0.5 0.55 0.6 0.7 0.8 0.9)`, eight).hash !== wanted, "stations are not taken");
    const bare = path.join(folder, "bare.txt");
    fs.writeFileSync(bare, fs.readFileSync(file, "utf8").replace(/^stations.*$/m, ""));
    good(["bake", beast, path.join(folder, "out.glb"), "--clip", "walk", "--end", "0", "--deform", `bend(closed=foundation,line=@${bare},curves=21)`, "--world", world, "--quiet"]);
    fs.writeFileSync(bare, fs.readFileSync(file, "utf8").replace(/^stations.*$/m, "stations places"));
    refused(folder, `bend(line=@${bare})`, force({ curve: 99 }), /this link has 0 to 4 \(hips to tail_5\)/);
    refused(folder, "bend(line=@nowhere.txt)", {}, [/bend\.line/, /nowhere\.txt/]);
    fs.writeFileSync(bare, "0 0 0\n0 1\n");
    refused(folder, `bend(line=@${bare})`, {}, /places of three numbers/);
    fs.writeFileSync(bare, "# nothing\n");
    refused(folder, `bend(line=@${bare})`, {}, /no bone/);
    fs.writeFileSync(bare, "tail_*\nstations 0.3 0.2\n");
    refused(folder, `bend(line=@${bare})`, {}, /put them in order/);
});

await test("loads on what does not exist name what does", folder => {
    refused(folder, "bend", force({ curve: 999 }), [/force 'f' is on curve 999/, /0 to \d+ \(\w+ to \w+\)/, /tail_5/]);
    refused(folder, line, force({ region: { curves: [1, 99] } }), /this link has 0 to 8/);
    refused(folder, "bend", force({ region: { curves: [2, 40], to: 0.4 } }), /not beside the curves from 2 on, which are 2/);
    refused(folder, "bend", force({ curve: { bone: "wing" } }), [/no joint 'wing'/, /spine_1/]);
    refused(folder, "bend", force({ region: "belly" }), /belly/);
    refused(folder, "bend(drive=bulge=head:0:90)", {}, /has no examples/);
});

await test("regions without a boundary are refused", folder => {
    refused(folder, line, force({ region: { curves: [2, 6] } }), /goes all around/);
    refused(folder, line, force({ region: { curves: [2, 3], to: 0.4 } }), /needs three curves/);
    const map = path.join(folder, "all.txt");
    fs.writeFileSync(map, "1\n".repeat(json(["inspect", beast]).points));
    refused(folder, line, force({ region: "belly" }), /touches curve \d+, the last of its limb/, "--map", `belly=${map}`);
});

await test("times out of order and materials that cannot be are refused", folder => {
    const keys = (...list) => list.map(([time, value]) => ({ time, value }));
    refused(folder, "bend", force({ curve: 1, keys: keys([1, 0], [0.5, 1]) }), [/'f'/, /put the keys in order/]);
    refused(folder, "bend", { keys: { "bend.thickness": keys([0, 50], [1, -3]) } }, [/bend\.thickness/, /-3/]);
    refused(folder, "bend", { keys: { "bend.young": keys([1, 50], [1, 60]) } }, [/bend\.young/, /order/]);
    refused(folder, "bend", { keys: { "bend.curves": keys([0, 5]) } }, /cannot have keys/);
    for (const [value, words] of [["thickness=-3", /thickness cannot be -3/], ["thickness=0", /thickness/], ["young=0", /young/], ["young=-1", /young/],
        ["poisson=0.6", /poisson/], ["poisson=-1", /poisson/], ["width=0", /width/], ["width=-1", /width/], ["support=0", /support/], ["density=0", /density/],
        ["damping=-1", /damping/], ["intervals=2", /intervals/], ["terms=0", /terms/], ["young=nan", /young/]])
        refused(folder, `bend(${value})`, {}, words);
    refused(folder, "bend", '{"forces":[{"name":"f","curve":1,"value":[0,1e999,0]}]}', /./);
});

await test("sculpts that are not finite, or are of another mesh, are named", folder => {
    const obj = path.join(folder, "sculpt.obj");
    good(["bake", beast, obj, "--clip", "walk", "--end", "0", "--deform", "linear", "--quiet"]);
    const text = fs.readFileSync(obj, "utf8");
    fs.writeFileSync(obj, text.replace(/^v \S+/m, "v nan"));
    refused(folder, "bend", {}, /sculpt\.obj/, "--example", `0.5=${obj}`);
    fs.writeFileSync(obj, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    refused(folder, "bend", {}, /sculpt\.obj/, "--example", `0.5=${obj}`);
});

await test("a pressure that throws the skin away is counted and said, and leaves the skinned skin", folder => {
    const extreme = "bend(intervals=256,equivalent=exact,pressure=-1000,way=along)";
    const said = good(["bake", "builtin:arm", path.join(folder, "o.npy"), "--deform", extreme, "--end", "0.1"]);
    match(said.err, /warning: linear,bend.*: \d+ times a point was lost .*put back to its skinned place/);
    const points = new Float32Array(fs.readFileSync(path.join(folder, "o.npy")).buffer.slice(128));
    if (!points.every(x => Math.abs(x) < 100)) throw new Error("points lie over a hundred units away");
    match(good(["compare", "builtin:arm", "--deform", extreme, "--end", "0.1"]).err, /warning: .*a point was lost/);
});

await test("what does nothing says so", folder => {
    const said = (chain, world) => {
        const file = path.join(folder, "world.json");
        fs.writeFileSync(file, JSON.stringify(world));
        return bake(folder, chain, file).err;
    };
    match(said(line, force({ curve: 4, from: 0, to: 1 })), /note: .*force 'f' is spread over all of curve 4.*closed=foundation/);
    match(said("bend(line=spine_*,curves=9,weight=1)", {}), /note: .*weight does nothing/);
    match(said("bend(closed=foundation,terms=60)", {}), /note: .*60 terms need 121 intervals.*raise intervals/);
    fs.writeFileSync(path.join(folder, "sheet.obj"), "v 0.2 0.3 0\nv 0.3 0.3 0\nv 0.2 0.4 0\nf 1 2 3\n");
    const beyond = path.join(folder, "beyond.txt");
    fs.writeFileSync(beyond, "0 0.475 -0.35\n0 0.665 -0.572\n0 0.9 -0.58\nstations 0.1 0.3 0.5 0.7 0.99\n");
    match(said(`bend(line=@${beyond})`, {}), /note: .*station 0.99 misses its limb/);
    match(said("bend", { bodies: [{ name: "sheet", mesh: "sheet.obj" }] }), /note: .*body 'sheet' has holes/);
});

await test("a mesh without a rig bakes under loads, and its curves are drawn without a sculpt", folder => {
    const obj = path.join(folder, "still.obj"), world = path.join(folder, "push.json"), out = path.join(folder, "out.glb");
    good(["bake", beast, obj, "--pose", "head=0,0,0", "--deform", "linear", "--quiet"]);
    fs.writeFileSync(world, JSON.stringify({ gravity: [0, 0, 0], forces: [{ name: "f", curve: 3, ratio: 0.5, value: [0, 20, 0],
        keys: [{ time: 0, value: 0 }, { time: 0.5, value: 1 }] }] }));
    for (const link of ["bend", "beam", "fourier"]) {
        const r = JSON.parse(good(["bake", obj, out, "--deform", link, "--world", world, "--end", "0.5", "--fps", "4", "--hashes", "--json", "--overwrite"]).out);
        holds(new Set(r.hashes ?? r.frames?.map(f => f.hash)).size > 1, `${link} moves it`);
        good(["render", obj, path.join(folder, `${link}.png`), "--deform", link, "--show", `${link}.curves`, "--draft", "--size", "64x64"]);
    }
    const without = run(["bake", obj, out, "--deform", "bend"]);
    equal(without.code, 1, "exit without a world");
    match(without.err, /--world/, "message");
});

finish();
