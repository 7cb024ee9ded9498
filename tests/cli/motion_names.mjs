// Captured motion on characters with other joint names: a script changes the names, and every joint that followed a captured joint before must still follow it.
import { bad, equal, finish, good, holds, json, match, shared, test } from "./harness.mjs";
import fs from "node:fs";
import path from "node:path";

// ------------------------------------------------------------------------------------------------ GLB files with other names

function readGlb(file) {
    const bytes = fs.readFileSync(file), length = bytes.readUInt32LE(12);
    return { json: JSON.parse(bytes.subarray(20, 20 + length)), rest: bytes.subarray(20 + length) };
}

function writeGlb(file, glb) {
    let text = Buffer.from(JSON.stringify(glb.json));
    text = Buffer.concat([text, Buffer.alloc((4 - text.length % 4) % 4, 32)]);
    const head = Buffer.alloc(20);
    head.write("glTF", 0);
    head.writeUInt32LE(2, 4);
    head.writeUInt32LE(20 + text.length + glb.rest.length, 8);
    head.writeUInt32LE(text.length, 12);
    head.write("JSON", 16);
    fs.writeFileSync(file, Buffer.concat([head, text, glb.rest]));
}

/** Nodes in another order; everything that counts them follows. */
function shuffle(gltf, seed) {
    const random = () => (seed = (seed * 1103515245 + 12345) & 0x7fffffff) / 0x80000000;
    const to = gltf.nodes.map((_, i) => i);
    for (let i = to.length - 1; i > 0; i--) {
        const k = Math.floor(random() * (i + 1));
        [to[i], to[k]] = [to[k], to[i]];
    }
    const nodes = [];
    gltf.nodes.forEach((node, i) => {
        nodes[to[i]] = node;
        if (node.children) node.children = node.children.map(c => to[c]).sort((a, b) => a - b);
    });
    gltf.nodes = nodes;
    for (const skin of gltf.skins) {
        skin.joints = skin.joints.map(j => to[j]);
        if (skin.skeleton !== undefined) skin.skeleton = to[skin.skeleton];
    }
    for (const clip of gltf.animations ?? [])
        for (const c of clip.channels) if (c.target.node !== undefined) c.target.node = to[c.target.node];
    for (const scene of gltf.scenes) scene.nodes = scene.nodes.map(i => to[i]);
}

const PARTS = ["hips", "spine", "neck", "head", "shoulder", "upper arm", "lower arm", "hand", "upper leg", "lower leg", "foot",
    "toes", "thumb", "index finger", "middle finger", "ring finger", "little finger"];

/** A name in a language, from the role that the joint has by its own name. */
function spoken(words, left, right) {
    const table = words.split(" ");
    return (name, i, role) => {
        const [, side, part, number] = /^(?:(left|right) )?(.*?)(?: (\d))?$/.exec(role ?? "");
        const word = table[PARTS.indexOf(part)];
        return word ? `${word}${side ? `_${side === "left" ? left : right}` : ""}_${number ?? i}` : `x${i}`;
    };
}

const own = name => name.replace(/^(mixamorig\d*[:_]?|Bip\d+ )/, "");
const VARIANTS = {
    "a prefix of its own": name => `Bob_${own(name)}`,
    "a product's prefix": name => `CC_Base_${own(name)}`,
    "a prefix and an ending": name => `hero7-${own(name)}_SHJ`,
    "joints in place of bones": spoken("pelvis spine neck head collar shoulder elbow wrist hip knee ankle toe thumb index middle ring pinky",
        "L", "R"),
    "German": spoken("Becken Wirbelsäule Hals Kopf Schulter Oberarm Unterarm Hand Oberschenkel Unterschenkel Fuß Zehen Daumen "
        + "Zeigefinger Mittelfinger Ringfinger Kleiner", "links", "rechts"),
    "Polish": spoken("Miednica Kręgosłup Szyja Głowa Bark Ramię Przedramię Dłoń Udo Goleń Stopa Palce Kciuk Wskazujący Środkowy "
        + "Serdeczny Mały", "lewy", "prawy"),
    "Japanese": spoken("腰 上半身 首 頭 肩 腕 ひじ 手首 足 ひざ 足首 つま先 親指 人指 中指 薬指 小指", "左", "右"),
    "nothing that means anything": (name, i) => `bone_${String(i).padStart(3, "0")}`,
    "nothing, in another order": (name, i) => `Joint${i}`,
};

/** Writes the renamed file; returns the old name of each new one. */
function rename(file, out, variant, roles, seed) {
    const glb = readGlb(file), skin = new Set(glb.json.skins.flatMap(s => s.joints)), before = new Map();
    glb.json.nodes.forEach((node, i) => {
        if (!skin.has(i)) return;
        const name = VARIANTS[variant](node.name, i, roles.get(node.name));
        before.set(name, node.name);
        node.name = name;
    });
    if (/another order/.test(variant)) shuffle(glb.json, seed);
    writeGlb(out, glb);
    return before;
}

const sorted = map => JSON.stringify([...map].sort());

// ------------------------------------------------------------------------------------------------ claims

const bake = (file, out, motion, more = []) => json(["bake", file, out, "--motion", motion, "--fps", "1", ...more]);

for (const character of ["cesiumman", "soldier", "hvgirl", "readyplayer", "robotexpressive"])
    for (const motion of ["07_01-walk", "pirouette"])
        await test(`${character} follows ${motion} the same whatever its joints are called`, folder => {
            const file = shared(`skinned/${character}.glb`), bvh = shared(`mocap/${motion}.bvh`);
            const other = path.join(folder, "other.glb"), out = path.join(folder, "o.npy");
            const plain = bake(file, out, bvh), wanted = new Map(plain.motion.pairs.map(p => [p.joint, p.follows]));
            const roles = new Map(plain.motion.pairs.map(p => [p.joint, p.as]));
            equal(plain.motion.guessed, 0, "guesses with its own names");
            holds(wanted.size > 16, "a body follows");
            for (const variant of Object.keys(VARIANTS)) {
                const before = rename(file, other, variant, roles, wanted.size), r = bake(other, out, bvh);
                const got = new Map(r.motion.pairs.map(p => [before.get(p.joint), p.follows]));
                holds(sorted(got) === sorted(wanted), `${variant}: ${JSON.stringify([...wanted].filter(([k, v]) => got.get(k) !== v))}`);
                if (!/order/.test(variant)) equal(r.hash, plain.hash, `${variant}: hash`);
                // Pairs matched only by shape are reported as guesses, and no others are.
                const silent = /^nothing/.test(variant);
                holds(r.motion.pairs.every(p => p.by === "shape") === silent, `${variant}: who was guessed`);
            }
        });

await test("captured joints without names move a character as the named ones do", folder => {
    const file = shared("skinned/soldier.glb"), out = path.join(folder, "o.npy"), numbered = path.join(folder, "n.bvh");
    for (const motion of ["07_01-walk", "09_01-run", "02_04-jump-balance", "05_03-dance", "pirouette"]) {
        const bvh = shared(`mocap/${motion}.bvh`);
        let count = 0;
        fs.writeFileSync(numbered, fs.readFileSync(bvh, "utf8").replace(/^(\s*(?:ROOT|JOINT)\s+)\S+/gm, (_, a) => `${a}J${count++}`));
        const plain = bake(file, out, bvh), r = bake(file, out, numbered);
        equal(r.hash, plain.hash, `${motion}: hash`);
        equal(r.motion.frames_left_out, plain.motion.frames_left_out, `${motion}: frames left out`);
    }
});

await test("guesses are listed, and a map corrects them", folder => {
    const file = shared("skinned/cesiumman.glb"), bvh = shared("mocap/07_01-walk.bvh"), other = path.join(folder, "other.glb");
    const before = rename(file, other, "nothing that means anything", new Map(), 1);
    const knee = [...before].find(([, name]) => name === "leg_joint_L_2")[0], out = path.join(folder, "o.npy");
    const note = good(["bake", other, out, "--motion", bvh, "--fps", "1"]).err;
    match(note, /19 joints were matched by the shape of the skeleton/);
    match(note, new RegExp(`${knee} = left lower leg`));
    match(note, /--motion-map FILE corrects/);
    match(good(["inspect", other, "--motion", bvh]).out, new RegExp(`${knee} +LeftLeg +left lower leg +shape`));
    const map = path.join(folder, "map.txt");
    fs.writeFileSync(map, `${knee} = -\n`);
    const told = bake(other, out, bvh, ["--motion-map", map]);
    holds(!told.motion.pairs.some(p => p.joint === knee), "the knee follows nobody");
    equal(told.motion.without_partner.length, 1, "joints without a partner");
    holds(!/matched by the shape/.test(good(["bake", file, out, "--motion", bvh, "--fps", "1"]).err), "names need no guess");
});

await test("animals on four legs are told from people, by names and by shape", folder => {
    const walk = shared("mocap/07_01-walk.bvh"), out = path.join(folder, "o.npy"), other = path.join(folder, "other.glb");
    const fox = shared("skinned/fox.glb"), map = path.join(folder, "map.txt");
    rename(fox, other, "nothing that means anything", new Map(), 1);
    for (const animal of [fox, other, "builtin:beast"]) bad(["bake", animal, out, "--motion", walk], 1, /has four legs.*--motion-map/);
    fs.writeFileSync(map, "b_Hip_01 = Hips\n");
    good(["bake", fox, out, "--motion", walk, "--motion-map", map, "--fps", "1"]);
});

await test("what stands for nothing is said to be no body", folder => {
    bad(["bake", shared("skinned/riggedsimple.glb"), path.join(folder, "o.npy"), "--motion", shared("mocap/07_01-walk.bvh")], 1,
        /no hips and legs were found .* neither by their names nor by their positions.*--motion-map/);
});

finish();
