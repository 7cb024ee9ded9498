// bench: what it prints, never how fast it was.
import { bad, equal, finish, good, holds, json, match, test } from "./harness.mjs";
import fs from "node:fs";
import path from "node:path";

const once = ["--repeat", "1", "--threads", "1"];

await test("the JSON holds the machine and a row a scene, with the contract's keys", () => {
    const r = json(["bench", "--scene", "bar/*", ...once]);
    holds(r.machine.copy_gb_s > 0 && r.machine.threads === 1, "the machine's own limit is in the run");
    for (const name of ["bar/linear", "bar/dualquat", "bar/lattice", "bar/smooth"]) {
        const row = r.scenes.find(s => s.name === name);
        holds(row, `${name} is timed`);
        for (const key of ["points", "threads", "ms", "ns_per_point", "reference_ms", "speedup", "copy_fraction"]) holds(key in row, `${name} has ${key}`);
        holds(row.points === 992 && row.ms > 0 && Math.abs(row.ns_per_point - row.ms * 1e6 / row.points) < 1e-6 * row.ns_per_point, `${name} adds up`);
    }
    equal(r.scenes.find(s => s.name === "bar/lattice").reference_ms, null, "no textbook loop");
});

await test("files of the user's are timed as well, and tables go to a folder", folder => {
    const file = path.join(folder, "mine.glb"), tables = path.join(folder, "tables");
    good(["bake", "builtin:bar", file, "--deform", "linear", "--quiet"]);
    match(good(["bench", file, "--scene", "mine/linear", "--csv", tables, ...once]).out, /^mine\/linear +\d+ +1 /m);
    const lines = fs.readFileSync(path.join(tables, "mine-linear.csv"), "utf8").trim().split("\n");
    equal(lines[1], "points,threads,ms,ns_per_point,reference_ms,speedup,copy_fraction");
    equal(lines.length, 3, "a row");
});

await test("every group of scenes runs", () => {
    for (const scene of ["tube-30k/linear", "tube-10k/pose_space", "particles-*62/lattice", "arm-2916-volume/layers", "beam/arm-22x34/*", "bend/*", "series-3840/*", "weights/*", "io/npy_write"])
        match(good(["bench", "--scene", scene, ...once]).out, new RegExp(`^${scene.split("*")[0].replaceAll("/", "\\/")}.* \\d`, "m"));
});

await test("a scene that is not there is said", () => {
    bad(["bench", "--scene", "nothing*"], 1, /no scene is named 'nothing\*'/);
    bad(["bench", "--scenes", "x"], 2, /did you mean --scene\?/);
    bad(["bench", "--repeat", "0"], 2, /whole number/);
});

finish();
