// The world file from outside: bodies read from files beside it, in the picture, and every wrong name.
import { bad, equal, finish, good, holds, holdsOnly, json, run, skip, strip, test, writeGlb } from "./harness.mjs";
import fs from "node:fs";
import path from "node:path";

const probe = run(["render", "builtin:bar", "never.png", "--size", "16x16", "--samples", "1"]);
fs.rmSync("never.png", { force: true });
const arm = "builtin:arm?points=400", small = ["--size", "96x72", "--samples", "4", "--clip", "flex", "--time", "0.2"];

function worldFile(folder, world, name = "world.json") {
    const file = path.join(folder, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, JSON.stringify(world));
    return file;
}
function box(folder, name = "box.obj") {
    const corners = [...Array(8).keys()].map(i => `v ${[1, 2, 4].map((bit, k) => (i & bit ? 0.08 : -0.08) + [0.2, 0.3, 0][k]).join(" ")}`);
    const faces = [[1, 3, 4, 2], [5, 6, 8, 7], [1, 2, 6, 5], [3, 7, 8, 4], [1, 5, 7, 3], [2, 4, 8, 6]].map(f => `f ${f.join(" ")}`);
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    fs.writeFileSync(path.join(folder, name), [...corners, ...faces].join("\n") + "\n");
    return name;
}
const ball = { name: "ball", sphere: { center: [0.3, 0.2, 0], radius: 0.06 } };

await test("every example of the manual is accepted", folder => {
    const page = fs.readFileSync(new URL("../../docs/world.md", import.meta.url), "utf8");
    box(folder, "table.obj");
    writeGlb(path.join(folder, "paddle.glb"), strip());
    const friend = strip();
    friend.json.animations[0].name = "Hug";
    writeGlb(path.join(folder, "friend.glb"), friend);
    const map = path.join(folder, "belly.txt");
    fs.writeFileSync(map, "0.5\n".repeat(json(["inspect", arm]).points));
    const blocks = [...page.slice(0, page.indexOf("## Preset file")).matchAll(/```json\n([\s\S]*?)```/g)].map(m => m[1]);
    holds(blocks.length >= 7, `the manual shows ${blocks.length} pieces of world files`);
    let tried = 0;
    for (const block of blocks) {
        let world;
        if (block.startsWith("{\n")) world = JSON.parse(block);
        else if (block.startsWith('"')) world = JSON.parse(`{${block}}`);
        else {
            const items = JSON.parse(`[${block.trim().replace(/\}\n\{/g, "},\n{")}]`);
            world = items[0].value || items[0].spring || items[0].bone || items[0].curve !== undefined ? { forces: items } : { bodies: items };
        }
        const file = worldFile(folder, world);
        good(["bake", arm, path.join(folder, "out.glb"), "--clip", "flex", "--fps", "5", "--deform", "dualquat,smooth,smooth", "--world", file, "--map", `belly=${map}`, "--quiet"]);
        tried++;
    }
    equal(tried, blocks.length, "examples");
});

await test("a mesh is read beside the world file, once, from wherever one stands", folder => {
    box(path.join(folder, "sub"), "props/box.obj");
    const file = worldFile(folder, { bodies: [{ mesh: "props/box.obj" }, { mesh: "props/box.obj", joint: "hand" }] }, "sub/world.json");
    good(["bake", arm, path.join(folder, "out.glb"), "--clip", "flex", "--world", file, "--quiet"]);
    const preset = path.join(folder, "preset.json");
    fs.writeFileSync(preset, JSON.stringify({ supple: 1, links: [{ name: "linear" }], world: "sub/world.json" }));
    good(["bake", arm, path.join(folder, "out.glb"), "--clip", "flex", "--preset", preset, "--quiet"]);
    good(["compare", arm, "--clip", "flex", "--deform", "linear", "--deform", "dualquat", "--fps", "5", "--world", file, "--quiet"]);
});

await test("bodies are in the picture, and move", folder => {
    if (probe.code !== 0) skip("this build has no pictures (libembree-dev, libpng-dev)");
    const picture = (name, world, ...flags) => {
        good(["render", arm, path.join(folder, name), ...small, "--world", worldFile(folder, world), "--quiet", ...flags]);
        return fs.readFileSync(path.join(folder, name));
    };
    const none = picture("none.png", {}), one = picture("one.png", { bodies: [ball] });
    holds(!none.equals(one), "the ball is not in the picture");
    const still = { bodies: [{ ...ball, keys: [{ time: 0 }] }] }, moved = { bodies: [{ ...ball, keys: [{ time: 0 }, { time: 0.4, move: [0.1, 0, 0] }] }] };
    holds(picture("still.png", still).equals(one), "a body whose keys do nothing is another picture");
    holds(!picture("moved.png", moved).equals(one), "the ball did not move");
    box(folder);
    holds(!picture("box.png", { bodies: [{ mesh: "box.obj" }] }).equals(none), "the box is not in the picture");
    const other = { bodies: [{ mesh: "builtin:bar", clip: "bend", keys: [{ time: 0, move: [0, -0.2, 0] }] }] };
    const early = picture("early.png", other, "--time", "0"), late = picture("late.png", other, "--time", "0.9");
    holds(!early.equals(late), "the second character did not move");
});

await test("a wrong world is named and nothing is written", folder => {
    fs.writeFileSync(path.join(folder, "broken.obj"), "v 1 2\n");
    const tries = [
        [{ bodies: [{ name: "b", mesh: "none.obj" }] }, /world: body 'b': .*none\.obj/],
        [{ bodies: [{ name: "b", mesh: "broken.obj" }] }, /world: body 'b': .*broken\.obj/],
        [{ bodies: [{ name: "b", mesh: "builtin:bar", clip: "hop" }] }, /body 'b': 'builtin:bar' has no clip 'hop'; there are: bend/],
        [{ bodies: [{ ...ball, joint: "wrist" }] }, /body 'ball': 'arm' has no joint 'wrist'; there are: shoulder, upper_arm, forearm, hand/],
        [{ bodies: [{ ...ball, keys: [{ time: 1 }, { time: 0.5 }] }] }, /key 2 of body 'ball': time 0.5 is not after 1/],
        [{ forces: [{ region: "belly", value: [0, 0, 1] }] }, /no map 'belly'; give one with --map/],
        [{ muscles: { "leg*": 1 } }, /muscle 'leg\*': no joint of 'arm'/],
        [{ bodys: [] }, /"bodys" is not known; there are: gravity, wind, bodies/],
    ];
    for (const [world, sentence] of tries) {
        const file = worldFile(folder, world);
        bad(["bake", arm, path.join(folder, "out.glb"), "--clip", "flex", "--world", file], 1, sentence);
    }
    holdsOnly(folder, ["broken.obj", "world.json"]);
});

finish();
