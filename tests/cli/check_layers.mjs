// supple check on real characters: bending any joint crosses no more triangles under layers than under linear.
import { data, equal, finish, holds, json, skip, test } from "./harness.mjs";
import fs from "node:fs";
import path from "node:path";

const file = name => path.join(data, name);
const walk = file("mocap/07_01-walk.bvh");

/** Claim, arguments, joints that are checked, pairs that cross in all under linear at least and under layers at most. */
for (const [claim, args, joints, linear, layers, chain = "layers"] of [
    ["a fox, every joint", [file("skinned/fox.glb")], 9, 1, 0],
    ["cesiumman, every joint", [file("skinned/cesiumman.glb")], 19, 50, 0],
    ["human_man's feet, with automatic weights", [file("closed-meshes/human_man.obj"), "--skeleton", walk, "--motion", walk, "--joint", "*Foot"], 2, 0, 0],
])
    await test(claim, () => {
        if (!fs.existsSync(args[0])) skip("the shared data set is not beside the checkout");
        const r = json(["check", ...args, "--top", "100", "--deform", "linear", "--deform", chain]), all = [0, 0];
        equal(r.joints_checked, joints, "joints");
        for (const j of r.joints) {
            const [flat, soft] = j.chains.map(c => c.intersections_added);
            holds(soft <= flat, `${j.joint}: ${soft} pairs cross, under linear ${flat}`);
            all[0] += flat, all[1] += soft;
        }
        holds(all[0] >= linear && all[1] <= layers, `pairs in all: linear ${all[0]}, layers ${all[1]}`);
    });
finish();
