// supple check: every joint swept, ranked, with sentences made from the numbers.
import { bad, equal, finish, good, holds, holdsOnly, json, match, near, run, shared, strip, test, writeGlb } from "./harness.mjs";
import fs from "node:fs";
import path from "node:path";

const arm = ["check", "builtin:arm?points=800"];
const joint = (r, name) => r.joints.find(j => j.joint === name);
const chain = (j, name) => j.chains.find(c => c.chain === name);

await test("the JSON has the manual's keys", () => {
    const r = json(arm);
    for (const key of ["joints_checked", "self_intersections_rest", "chains", "joints"]) holds(key in r, `lacks ${key}`);
    equal(r.chains.slice(0, 2).join(" "), "linear dualquat", "chains");
    for (const j of r.joints) {
        for (const key of ["joint", "badness", "range", "sweeps", "chains", "best", "advice"]) holds(key in j, `${j.joint} lacks ${key}`);
        for (const s of j.sweeps) {
            for (const key of ["motion", "axis", "from", "to"]) holds(key in s, `a sweep lacks ${key}`);
            near(Math.hypot(...s.axis), 1, 1e-5, "length of the axis");
            holds(s.from <= 0 && s.to >= -s.from, "the bind pose lies within, most of the motion is positive");
        }
        for (const c of j.chains)
            for (const key of ["chain", "volume_change", "worst_motion", "worst_angle", "volume_loss", "intersections_added", "stretch_max", "roughness_max", "badness"]) holds(key in c, `a chain lacks ${key}`);
    }
});
await test("what does nothing is not listed, and simulations are offered with their cost", () => {
    const bar = json(["check", "builtin:bar", "--top", "1"]);
    equal(bar.chains.join(" "), "linear dualquat linear,smooth", "no loads and no sculpts: no bend, beam, fourier and pose_space");
    equal(bar.offers.map(o => o.chain).join(" "), "lattice layers", "offers");
    for (const o of bar.offers) holds(o.seconds === null || (o.seconds > 0 && o.seconds < 3600), `${o.chain}: ${o.seconds} s`);
    match(good(["check", "builtin:bar", "--top", "1"]).out, /^(layers would take about \d+ (s|minutes)|layers has no estimate: .*); add --deform linear --deform layers/m);
    const sculpted = run(["check", "builtin:arm", "--json", "--top", "1"]);
    equal(JSON.parse(sculpted.out).chains.join(" "), "linear dualquat linear,pose_space linear,smooth", "those that follow a clip's time have no answer, and wrinkle has too few points");
    match(sculpted.err, /linear,beam is left out: it depends on the time of 'flex'/);
    const named = good(["check", "builtin:bar", "--top", "1", "--deform", "linear", "--deform", "bend"]);
    match(named.err, /bend: it does nothing without pressure other than 0 or .*example/);
    match(named.out, /linear,bend/);
    equal(json(["check", "builtin:bar", "--deform", "linear"]).offers.length, 0, "nothing is offered to who has chosen");
});
await test("the ranges are those of the clips: flex bends the forearm by 120 degrees, twist turns the hand by 150", () => {
    const r = json(arm), forearm = joint(r, "forearm"), hand = joint(r, "hand");
    equal(forearm.range, "clips", "range of the forearm");
    near(forearm.sweeps.find(s => s.motion === "bend").to, 120, 1, "bend of the forearm");
    near(hand.sweeps.find(s => s.motion === "twist").to, 150, 1, "twist of the hand");
});
await test("linear loses the elbow and the wrist, dual quaternions keep them", () => {
    const r = json(["check", "builtin:arm"]), forearm = joint(r, "forearm"), hand = joint(r, "hand");
    holds(chain(forearm, "linear").volume_change < -0.04, "linear at the elbow");
    near(chain(forearm, "linear").worst_angle, 120, 1, "worst angle");
    equal(chain(forearm, "linear").worst_motion, "bend", "worst motion");
    holds(Math.abs(chain(forearm, "dualquat").volume_change) < 0.01, "dualquat at the elbow");
    holds(chain(hand, "linear").volume_change < -0.04, "linear at the wrist");
    equal(chain(hand, "linear").worst_motion, "twist", "worst motion");
    match(forearm.advice, /^forearm loses \d+\.\d % bent by 120 degrees under linear; [\w,]+ keeps it within 0\.\d %/);
    equal(r.joints.at(-1).joint, "upper_arm", "the joint that hardly moves comes last");
});
await test("joints are ranked by badness under the first chain", () => {
    const r = json([...arm, "--full"]);
    for (let i = 1; i < r.joints.length; i++) holds(r.joints[i - 1].badness >= r.joints[i].badness, "order");
    for (const j of r.joints) equal(j.badness, j.chains[0].badness, j.joint);
});
await test("--full sweeps 120 degrees of bend and 150 of twist both ways", () => {
    for (const j of json([...arm, "--full"]).joints) {
        equal(j.range, "usual", "range");
        equal(j.sweeps.map(s => `${s.motion} ${s.from} ${s.to}`).join(", "), "bend -120 120, bend -120 120, twist -150 150", "sweeps");
    }
});
await test("joints that no clip turns come last and break no limit where others are turned", () => {
    const beast = ["check", "builtin:beast?points=1500", "--deform", "linear"], r = json([...beast, "--top", "100"]);
    const ranges = r.joints.map(j => j.range);
    holds(ranges.includes("clips") && ranges.includes("usual"), `ranges: ${ranges}`);
    equal(ranges.lastIndexOf("clips") + 1, ranges.indexOf("usual"), "first joint of the usual range");
    const worst = range => Math.max(...r.joints.filter(j => j.range === range).map(j => j.chains[0].volume_loss));
    holds(worst("usual") > worst("clips"), "the test needs an idle joint that would be worse");
    equal(run([...beast, "--quiet", "--max-volume-loss", String((worst("usual") + worst("clips")) / 2)]).code, 0, "exit code");
});
await test("a file without clips gets the usual range", folder => {
    // A closed box of two joints: the strip is flat and has no volume.
    const m = box(8);
    delete m.json.animations;
    const r = json(["check", writeGlb(path.join(folder, "box.glb"), m)]);
    equal(r.joints[0].range, "usual", "range");
    equal(r.joints[0].joint, "tip", "joint");
});
// A square tube of rings along y, closed, the upper half on "tip".
function box(rings) {
    const m = strip(), ring = [[0, 0], [1, 0], [1, 1], [0, 1]], positions = [], joints = [], weights = [], indices = [];
    for (let r = 0; r <= rings; r++)
        for (const [x, z] of ring) {
            const y = (2 * r) / rings, w = Math.min(1, Math.max(0, 2 * (y - 0.75)));
            positions.push(x, y, z);
            joints.push(0, 1, 0, 0);
            weights.push(1 - w, w, 0, 0);
        }
    for (let r = 0; r < rings; r++)
        for (let k = 0; k < 4; k++) {
            const a = 4 * r + k, b = 4 * r + ((k + 1) % 4);
            indices.push(a, a + 4, b, b, a + 4, b + 4);
        }
    const t = 4 * rings;
    indices.push(0, 1, 2, 0, 2, 3, t, t + 2, t + 1, t, t + 3, t + 2);
    Object.assign(m.views, { positions: new Float32Array(positions), joints: new Uint8Array(joints), weights: new Float32Array(weights), indices: new Uint16Array(indices) });
    for (const i of [0, 1, 2]) m.json.accessors[i].count = positions.length / 3;
    m.json.accessors[0].max = [1, 2, 1];
    m.json.accessors[3].count = indices.length;
    return m;
}
await test("a mesh that is inside out has the same volumes, and a verdict", folder => {
    const about = turned => {
        const m = box(8), file = path.join(folder, `box${turned}.glb`);
        if (turned) m.views.indices.reverse();
        writeGlb(file, m);
        const r = json(["check", file, "--deform", "linear"]);
        return { joint: r.joints[0].joint, change: r.joints[0].chains[0].volume_change, verdict: json(["bake", file, path.join(folder, "o.npy"), "--clip", "Wave"]).verdict };
    };
    const plain = about(false), turned = about(true);
    equal(turned.joint, plain.joint, "joint");
    holds(Math.abs(plain.change) > 0.01, `the box changes its volume: ${plain.change}`);
    near(turned.change, plain.change, 1e-6, "volume");
    equal(turned.verdict.part, plain.verdict.part, "part of the verdict");
    near(turned.verdict.volume_change, plain.verdict.volume_change, 1e-6, "volume of the verdict");
});
await test("--top cuts the list, and the joints are counted all the same", () => {
    const r = json([...arm, "--top", "1"]);
    equal(r.joints.length, 1, "joints");
    equal(r.joints_checked, 3, "joints checked");
    bad([...arm, "--top", "0"], 2, /--top 0 is out of range/);
    bad([...arm, "--top", "1.5"], 2, /whole number/);
});
await test("the numbers do not depend on the threads", () => {
    const by = threads => JSON.stringify({ ...json([...arm, "--threads", threads]), offers: [] }); // what a simulation would cost does
    equal(by("1"), by("4"), "JSON");
});
await test("--joint checks only the joints it names", () => {
    const all = json(arm), some = json([...arm, "--joint", "fore*", "--joint", "hand"]);
    equal(some.joints.map(j => j.joint).sort().join(" "), "forearm hand", "joints");
    equal(some.joints_checked, 2, "count");
    equal(JSON.stringify(joint(some, "forearm")), JSON.stringify(joint(all, "forearm")), "what is said of one does not depend on the others");
    bad([...arm, "--joint", "leg*"], 1, /joint 'leg\*': no joint of '.*' of that name has skin/);
});
await test("a simulation is measured at the ends of each range: volume and intersections", () => {
    const r = json([...arm, "--joint", "forearm", "--deform", "layers"]), c = chain(joint(r, "forearm"), "linear,layers");
    holds(Math.abs(c.volume_change) < 0.02 && c.intersections_added === 0, JSON.stringify(c));
});
await test("one chain alone is judged by itself", () => {
    const r = json([...arm, "--deform", "dualquat"]);
    equal(r.chains.join(" "), "dualquat", "chains");
    holds(!r.joints.some(j => /no chain checked/.test(j.advice)), "it compares with nothing");
});

await test("a broken limit is exit 3 and names chain, joint and angle", folder => {
    const page = path.join(folder, "check.html");
    const r = run([...arm, "--json", "--deform", "linear", "--max-volume-loss", "3%", "--html", page]);
    equal(r.code, 3, "exit code");
    match(r.err, /^supple: error: linear loses \d+\.\d % of the volume around '\w+', (bent|twisted) by \d+ degrees; the limit is 3 %; 2 joints are over it\n$/);
    equal(JSON.parse(r.out).joints_checked, 3, "joints");
    match(fs.readFileSync(page, "utf8"), /Over the limit: linear loses/);
    const code = (...flags) => run([...arm, "--quiet", "--deform", "linear", ...flags]).code;
    equal(code("--max-volume-loss", "50%"), 0, "volume kept");
    equal(code("--max-intersections", "0"), 3, "intersections");
    equal(code("--max-intersections", "100000"), 0, "intersections kept");
    equal(code("--max-stretch", "1.5"), 3, "stretch");
    equal(code("--max-stretch", "1000"), 0, "stretch kept");
});
await test("bad input is named", folder => {
    bad(["check"], 2, /check needs an input/);
    bad([...arm, "--max-volume-loss", "much"], 2, /'much' is not a limit/);
    bad([...arm, "--truth", "a.obj"], 2, /check has no flag --truth/);
    bad([...arm, "--deform", "nothing"], 1, /nothing/);
    bad([...arm, "--clip", "Jump"], 1, /no clip 'Jump'/);
    bad(["check", writeGlb(path.join(folder, "flat.glb"), strip())], 1, /no joint of 'flat' has enough skin around it/);
    fs.writeFileSync(path.join(folder, "bare.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    bad(["check", path.join(folder, "bare.obj")], 1, /has no skin/);
    bad([...arm, "--html", path.join(folder, "missing", "a.html")], 1, /folder does not exist/);
});
await test("the report is one file that fetches nothing and repeats", folder => {
    const page = path.join(folder, "check.html"), args = [...arm, "--html", page, "--quiet"];
    good(args);
    const first = fs.readFileSync(page, "utf8");
    good([...args]);
    equal(fs.readFileSync(page, "utf8") === first, true, "the same bytes");
    holdsOnly(folder, ["check.html"]);
    holds(!/<script|https?:|<link|src="(?!data:image\/png;base64,)/.test(first), "it fetches something");
    for (const word of ["forearm", "Bend", "Twist along the bone", "degrees", "Repeat it"]) holds(first.includes(word), `lacks ${word}`);
    if (first.includes("draws no pictures")) return;
    const pictures = [...first.matchAll(/src="data:image\/png;base64,([^"]+)"/g)].map(m => Buffer.from(m[1], "base64"));
    holds(pictures.length >= 6, "a picture a joint and chain");
    for (const p of pictures) equal(p.toString("latin1", 1, 4), "PNG", "signature");
});

await test("cesiumman is checked whole", () => {
    const r = json(["check", shared("skinned/cesiumman.glb")]);
    equal(r.joints_checked, 19, "joints");
    const knee = joint(r, "leg_joint_L_2");
    holds(chain(knee, "linear").volume_change < -0.2, "linear collapses the knee");
    holds(Math.abs(chain(knee, "dualquat").volume_change) < 0.1, "dualquat keeps it better");
});
for (const name of ["riggedsimple", "fox", "soldier", "robotexpressive"])
    await test(`${name}: real files are checked without complaint`, () => {
        const r = json(["check", shared(`skinned/${name}.glb`), "--quiet"]);
        for (const j of r.joints) for (const c of j.chains) for (const key of ["volume_change", "stretch_max", "roughness_max", "badness"]) holds(Number.isFinite(c[key]), `${j.joint} ${c.chain} ${key}: ${c[key]}`);
    });
finish();
