// --motion, --motion-map, --skeleton and --weights: what a character does not come with.
import { bad, equal, finish, good, holds, json, match, near, shared, test, validate } from "./harness.mjs";
import fs from "node:fs";
import path from "node:path";

await test("a BVH file shows its joints and frames, and is no character", () => {
    const walk = shared("mocap/07_01-walk.bvh");
    const r = json(["inspect", walk]);
    equal(r.joints, 31, "joints");
    equal(r.frames, 317, "frames");
    match(good(["inspect", walk]).out, /no mesh: play it on a character with --motion/);
    bad(["bake", walk, "x.glb"], 1, /motion but no mesh/);
});

await test("a walk is baked, and its GLB plays it without us", folder => {
    const man = shared("skinned/cesiumman.glb"), out = path.join(folder, "walk.glb");
    const r = json(["bake", man, out, "--motion", shared("mocap/07_01-walk.bvh"), "--fps", "10"]);
    equal(r.frames, 27, "frames");
    const back = json(["inspect", out]);
    holds(back.clips.length === 2, "the source's clip stays");
    match(back.clips[1].name, /07_01-walk/);
    near(back.clips[1].seconds, 2.625, 0.01, "seconds");
    validate(out, man);
});

await test("baked motion is glTF on every character that can walk", folder => {
    const walk = shared("mocap/07_01-walk.bvh");
    for (const name of ["soldier", "cesiumman"]) {
        const file = shared(`skinned/${name}.glb`), outs = ["", "--sparse", "--flat"].map(flag => {
            const out = path.join(folder, `${name}${flag}.glb`);
            good(["bake", file, out, "--motion", walk, "--fps", "4", "--quiet", ...(flag ? [flag] : [])]);
            return out;
        });
        validate(outs, file);
    }
});

await test("captured joints in any mesh play the whole motion, and leave a skin that viewers take", folder => {
    const walk = shared("mocap/07_01-walk.bvh");
    for (const file of [shared("skinned/robotexpressive.glb"), shared("closed-meshes/human_man.obj")]) {
        const out = path.join(folder, "captured.glb");
        const r = good(["bake", file, out, "--skeleton", walk, "--motion", walk, "--fps", "4"]);
        holds(!/no partner|loses its skin/.test(r.err), "every joint moves, and every mesh keeps its skin");
        match(r.err, /viewers support four/);
        equal(json(["inspect", out]).influences_max, 4, "influences");
        validate(out, file.endsWith(".glb") ? file : undefined);
    }
});

await test("a map tells who follows whom, as lines and as JSON", folder => {
    const man = shared("skinned/cesiumman.glb"), walk = shared("mocap/07_01-walk.bvh"), out = path.join(folder, "a.glb");
    const lines = path.join(folder, "map.txt"), tree = path.join(folder, "map.json"), wrong = path.join(folder, "wrong.txt");
    fs.writeFileSync(lines, "# arms rest\nSkeleton_arm_joint_R = -\n leg_joint_L_1 =\tLeftUpLeg\r\n");
    fs.writeFileSync(tree, '{"Skeleton_arm_joint_R": null, "leg_joint_L_1": "LeftUpLeg"}');
    fs.writeFileSync(wrong, "leg_joint_L_1 = Tentacle\n");
    const bake = ["bake", man, out, "--motion", walk, "--fps", "5"];
    const plain = json(bake).hash, first = json([...bake, "--motion-map", lines]).hash;
    holds(plain !== first, "the map changes the motion");
    equal(json([...bake, "--motion-map", tree]).hash, first, "hash");
    bad([...bake, "--motion-map", wrong], 1, /'Tentacle'/);
    bad(["bake", man, out, "--motion-map", lines], 2, /--motion-map needs --motion/);
});

await test("joints that found no partner are listed", folder => {
    const r = good(["bake", shared("skinned/soldier.glb"), path.join(folder, "s.glb"), "--motion", shared("mocap/07_01-walk.bvh"),
        "--fps", "2"]);
    match(r.err, /27 have no partner in it .*LeftHandThumb1.* and 19 more/);
    match(r.err, /first frame of '07_01-walk' only shows a reference pose/);
});

await test("a character without legs says what to do", folder => {
    bad(["bake", "builtin:arm", path.join(folder, "a.glb"), "--motion", shared("mocap/07_01-walk.bvh")], 1, /--motion-map/);
});

await test("research rigs play all their frames", folder => {
    const mesh = shared("libigl-rigs/elephant.obj"), rig = ["--skeleton", shared("libigl-rigs/elephant.tgf"), "--weights",
        shared("libigl-rigs/elephant-weights.dmat")];
    const r = json(["bake", mesh, path.join(folder, "e.glb"), ...rig, "--motion", shared("libigl-rigs/elephant-anim.dmat")]);
    equal(r.frames, 457, "frames");
    equal(json(["inspect", mesh, ...rig]).joints, 24, "joints");
    bad(["bake", mesh, path.join(folder, "x.glb"), ...rig.slice(2)], 2, /--weights needs --skeleton/);
    bad(["bake", mesh, path.join(folder, "x.glb"), "--motion", shared("libigl-rigs/elephant-anim.dmat")], 2, /--skeleton/);
});

finish();
