// supple farm: many bakes at once that stop, crash, hang and share work without losing anything.
import { bad, equal, finish, holds, holdsOnly, match, program, run, start, strip, test, writeGlb } from "./harness.mjs";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

// The address sanitizer reserves more address space than any limit allows.
const limited = /-fsanitize/.test(process.env.SUPPLE_CFLAGS ?? "") ? [] : ["--memory-limit", "2GB"];
const pause = ms => new Promise(done => setTimeout(done, ms));
const farm = (args, options) => run(["farm", ...args, "--json"], options);
const results = r => JSON.parse(r.out).results;
const names = folder => fs.readdirSync(folder).filter(n => n !== "_farm").sort();

/** Several strips in a folder, each a little different. */
function characters(folder, count) {
    fs.mkdirSync(folder);
    for (let i = 0; i < count; i++) {
        const model = strip();
        model.views.positions[0] = -0.001 * i;
        model.json.accessors[0].min[0] = Math.fround(-0.001 * i);
        writeGlb(path.join(folder, `c${String(i).padStart(3, "0")}.glb`), model);
    }
    return folder;
}

/** Starts a farm and gives what it printed and how it ended. */
function begin(args) {
    const child = start(["farm", ...args, "--json"]);
    let out = "", err = "";
    child.stdout.on("data", d => (out += d));
    child.stderr.on("data", d => (err += d));
    return { child, ended: new Promise(done => child.on("close", (code, signal) => done({ code, signal, out, err }))) };
}

await test("characters x clips x chains x outputs are baked, once", async folder => {
    const out = path.join(folder, "out"), words = [characters(path.join(folder, "in"), 2), "--deform", "linear", "--deform", "dualquat", "--outputs", ".glb,.pc2", "--out", out];
    const first = farm(words);
    equal(first.code, 0, "exit code");
    equal(results(first).length, 2 * 2 * 2 * 2, "jobs");
    holds(results(first).every(j => j.state === "done" && j.fresh), "every job is done by this run");
    equal(names(out).length, 16, "files");
    equal(names(out)[0], "c000_Nod_dualquat.glb", "first name");
    const again = farm(words);
    holds(results(again).every(j => j.state === "done" && !j.fresh), "no job runs twice");
    holds(results(again).every((j, i) => j.result.hash === results(first)[i].result.hash), "verdicts are kept");
});

await test("a job runs again when its input, its flags or its output changed, and only then", async folder => {
    const there = characters(path.join(folder, "in"), 3), out = path.join(folder, "out"), words = [there, "--clips", "Wave", "--out", out];
    farm(words);
    const fresh = more => results(farm([...words, ...more])).filter(j => j.fresh).map(j => j.job).join(" ");
    const model = strip();
    model.views.positions[0] = -0.5;
    model.json.accessors[0].min[0] = -0.5;
    writeGlb(path.join(there, "c001.glb"), model);
    equal(fresh([]), "c001_Wave_linear.glb", "after an input changed");
    fs.rmSync(path.join(out, "c002_Wave_linear.glb"));
    equal(fresh([]), "c002_Wave_linear.glb", "after an output was removed");
    equal(fresh(["--fps", "24"]).split(" ").length, 3, "jobs after a flag changed");
    equal(fresh(["--fps", "24"]), "", "after nothing changed");
});

await test("outputs among the characters are not taken for characters", async folder => {
    const there = characters(path.join(folder, "in"), 2);
    fs.writeFileSync(path.join(there, "walk.bvh"), "HIERARCHY");
    const words = [`${folder}/**/*.glb`, there, "--clips", "Wave", "--outputs", "{character}.{clip}.glb", "--out", there];
    equal(farm([there, ...words.slice(2)]).code, 0, "exit code");
    equal(results(farm([there, ...words.slice(2)])).map(j => j.job).join(" "), "c000.Wave.glb c001.Wave.glb", "jobs of a folder");
    equal(results(farm([words[0], ...words.slice(2)])).map(j => j.job).join(" "), "c000.Wave.glb c001.Wave.glb", "jobs of a pattern");
});

await test("a manifest names jobs by flags, and its errors name the object and the cure", async folder => {
    const file = path.join(folder, "jobs.json"), write = document => fs.writeFileSync(file, typeof document === "string" ? document : JSON.stringify(document));
    characters(path.join(folder, "in"), 2);
    write({ out: "baked", fps: 10, deform: "linear", jobs: [
        { characters: "in/*.glb", clips: ["Wave", "N*"] },
        { characters: "in/c000.glb", clips: "Wave", deform: ["linear", "dualquat"], outputs: "{chain}/{character}.npy" }] });
    const r = farm([file]);
    equal(r.code, 0, "exit code");
    equal(results(r).map(j => path.relative(path.join(folder, "baked"), j.output)).join(" "),
        "c000_Wave_linear.glb c000_Nod_linear.glb c001_Wave_linear.glb c001_Nod_linear.glb linear/c000.npy dualquat/c000.npy", "outputs");
    holds(results(r).every(j => j.result.frames === 11), "fps holds for all");
    for (const [document, sentence] of [
        ["{", /jobs\.json/], [[], /a manifest is an object with a list "jobs"/], [{ jobs: {} }, /"jobs" is an object; give a list/],
        [{ jobs: [1] }, /jobs\[0\] is a number; give an object/], [{ jobs: [{ charcters: "a" }] }, /jobs\[0\]: there is no "charcters"; did you mean "characters"\?/],
        [{ jobs: [{ clips: "Wave" }] }, /jobs\[0\]: there is no character/], [{ jobs: [{ characters: "in/*.fbx" }] }, /nothing matches '.*in\/\*\.fbx'/],
        [{ jobs: [{ characters: "in/*.glb", fps: {} }] }, /jobs\[0\]: "fps" is an object; give a text or a number/],
        [{ jobs: [{ characters: "in/*.glb", loop: 3 }] }, /"loop" is a number; give true/],
        [{ jobs: [{ characters: "in/*.glb", retries: 3 }] }, /jobs\[0\]: "retries" holds for all jobs; put it beside "jobs"/],
        [{ jobs: [{ characters: "in/*.glb", clips: "Wave", outputs: "one.glb" }] }, /two jobs write '.*one\.glb'.*\{character\}/],
        [{ jobs: [{ characters: "in/*.glb", outputs: "../{clip}.glb" }] }, /leads out of the folder/],
    ]) {
        write(document);
        bad(["farm", file], 1, sentence);
    }
    bad(["farm"], 2, /farm needs characters/);
    bad(["farm", "x.glb", "--time-limit", "soon"], 2, /--time-limit 'soon' is not a time/);
});

await test("a job that fails, crashes, hangs or takes too much memory stops no other", async folder => {
    const there = characters(path.join(folder, "in"), 2), out = path.join(folder, "out");
    fs.writeFileSync(path.join(there, "broken.glb"), "glTF");
    const file = path.join(folder, "jobs.json");
    fs.writeFileSync(file, JSON.stringify({ out: "out", jobs: [{ characters: "in/*.glb", clips: "Wave" },
        { characters: "builtin:beast?points=100000", clips: "walk", deform: "layers" }] }));
    const r = farm([file, "--time-limit", "4s", ...limited, "--retries", "0", "--jobs", "2"]);
    equal(r.code, 1, "exit code");
    const by = Object.fromEntries(results(r).map(j => [j.job, j]));
    equal(by["broken_Wave_linear.glb"].state, "failed", "broken file");
    match(by["broken_Wave_linear.glb"].reason, /broken\.glb/, "reason");
    match(fs.readFileSync(path.join(out, "_farm/logs/broken_Wave_linear.glb.log"), "utf8"), /supple: error: .*broken\.glb/, "log");
    const slow = by["beast-points-100000_walk_layers.glb"];
    equal(slow.state, "failed", "slow one");
    match(slow.reason, /took longer than --time-limit \(4 s\)|out of memory/, "its reason");
    equal(results(r).filter(j => j.state === "done").length, 2, "others");
    equal(names(out).length, 2, "files");
    holdsOnly(path.join(out, "_farm/claims"), []);
});

if (limited.length) // the sanitizer reserves more than any limit
    await test("a job that takes too much memory says which limit it met", async folder => {
        const r = farm(["builtin:beast?points=60000", "--clips", "walk", "--deform", "layers", "--out", path.join(folder, "out"), "--retries", "0", "--memory-limit", "100MB"]);
        equal(r.code, 1, "exit code");
        match(results(r)[0].reason, /^out of memory.*; --memory-limit allows 100 MB$/, "its reason");
    });

await test("a job that fails is tried again as often as --retries says", async folder => {
    fs.writeFileSync(path.join(folder, "broken.glb"), "glTF");
    const r = farm([path.join(folder, "broken.glb"), "--clips", "Wave", "--out", path.join(folder, "out"), "--retries", "2"]);
    equal(r.code, 1, "exit code");
    equal(results(r)[0].attempts, 3, "attempts");
});

await test("a crash is told from a failure", async folder => {
    const out = path.join(folder, "out"), { child, ended } = begin(["builtin:beast?points=60000", "--clips", "walk", "--deform", "layers", "--out", out, "--retries", "0"]);
    for (let kids = ""; !kids; await pause(10)) {
        try {
            kids = fs.readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").trim();
            if (kids) process.kill(Number(kids.split(" ")[0]), "SIGABRT");
        } catch {
            break;
        }
    }
    const r = await ended;
    equal(r.code, 1, "exit code");
    match(results(r)[0].reason, /it crashed \(signal 6\)/, "reason");
    holdsOnly(out, ["_farm"]);
});

await test("Ctrl-C ends with 130, and the same command goes on", async folder => {
    const there = characters(path.join(folder, "in"), 40), out = path.join(folder, "out"), words = [there, "--out", out, "--jobs", "2"];
    const { child, ended } = begin(words);
    while (!fs.existsSync(path.join(out, "_farm/records")) || fs.readdirSync(path.join(out, "_farm/records")).length < 5) await pause(2);
    child.kill("SIGINT");
    const r = await ended, before = results(r).filter(j => j.state === "done").length;
    equal(r.code, 130, "exit code");
    match(r.err, /finished jobs stay/, "words");
    holds(before >= 5 && before < 80, `${before} jobs were done`);
    holdsOnly(path.join(out, "_farm/claims"), []);
    const rest = farm(words);
    equal(rest.code, 0, "exit code");
    equal(results(rest).filter(j => !j.fresh).length, before, "jobs that were kept");
});

await test("two runs on one folder share the work, and no job runs in both", async folder => {
    const there = characters(path.join(folder, "in"), 60), out = path.join(folder, "out"), words = [there, "--out", out, "--jobs", "1"];
    const both = await Promise.all([begin(words).ended, begin(words).ended]);
    const fresh = both.map(r => new Set(results(r).filter(j => j.fresh).map(j => j.job)));
    holds(both.every(r => r.code === 0), "both end well");
    holds(both.every(r => results(r).every(j => j.state === "done")), "both know of all");
    equal(fresh[0].size + fresh[1].size, 120, "jobs run");
    holds([...fresh[0]].every(j => !fresh[1].has(j)), "none twice");
    holds(fresh[0].size > 0 && fresh[1].size > 0, `they share: ${fresh[0].size} and ${fresh[1].size}`);
    holdsOnly(path.join(out, "_farm/runs"), []);
});

await test("a claim of another machine holds while that gives signs of life, and no longer", async folder => {
    const there = characters(path.join(folder, "in"), 1), out = path.join(folder, "out"), claims = path.join(out, "_farm/claims");
    fs.mkdirSync(claims, { recursive: true });
    const zero = n => String(n).padStart(20, "0"), claim = path.join(claims, "c000_Wave_linear.glb");
    let beat = 1;
    const write = () => fs.writeFileSync(claim, `0123456789abcdef\nelsewhere pid:[1]\n${zero(1)} ${zero(1)} ${zero(beat++)}\n`);
    write();
    const { ended } = begin([there, "--clips", "Wave", "--out", out, "--claim-timeout", "3s"]);
    for (let i = 0; i < 20; i++) await pause(250), write();
    holds(!fs.existsSync(path.join(out, "c000_Wave_linear.glb")), "it waits for who is alive");
    const r = await ended;
    equal(r.code, 0, "exit code");
    holds(results(r)[0].fresh, "it takes over from who is dead");
});

// SUPPLE_KILLS=100 is the long form.
const kills = Number(process.env.SUPPLE_KILLS ?? 10);
await test(`${kills} kills at random lose no finished job and no file`, async folder => {
    const count = 6 * kills, there = characters(path.join(folder, "in"), count), out = path.join(folder, "out");
    const work = [there, "--clips", "Wave", "--fps", "1000"], words = [...work, "--out", out, "--jobs", "2"]; // jobs that last long enough to be killed
    const wanted = results(farm([...work, "--out", path.join(folder, "wanted")]));
    const records = path.join(out, "_farm/records"), seen = new Map();
    const look = () => {
        for (const name of fs.existsSync(records) ? fs.readdirSync(records) : []) {
            if (!name.endsWith(".json")) continue;
            const text = fs.readFileSync(path.join(records, name), "utf8"), file = path.join(out, name.slice(0, -5));
            equal(JSON.parse(text).state, "done", name);
            equal(fs.statSync(file).size, JSON.parse(text).output_bytes, `bytes of ${name}`);
            if (seen.has(name)) equal(text, seen.get(name), `record of ${name}`);
            seen.set(name, text);
        }
    };
    const done = () => (fs.existsSync(records) ? fs.readdirSync(records).filter(name => name.endsWith(".json")).length : 0);
    let seed = 12345, killed = 0;
    const random = () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648;
    for (let i = 0; i < kills; i++) {
        const { child, ended } = begin(words);
        // By progress and not by the clock, or a fast machine finishes before the last kill.
        for (const enough = done() + Math.floor(4 * random()); child.exitCode === null && done() < enough;) await pause(2);
        await pause(10 * random());
        // The whole, or one of its jobs.
        let victim = child.pid;
        try {
            const kids = fs.readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").trim().split(" ").filter(Boolean);
            if (kids.length && random() < 0.3) victim = Number(kids[0]);
        } catch {}
        try { process.kill(victim, "SIGKILL"), killed++; } catch {}
        if (victim !== child.pid) await pause(20 * random()), child.kill("SIGKILL");
        await ended;
        look();
    }
    holds(killed > kills / 2, `${killed} of ${kills} kills came in time`);
    const r = farm(words);
    equal(r.code, 0, "exit code");
    look();
    results(r).forEach((j, i) => equal(j.result.hash, wanted[i].result.hash, j.job));
    equal(names(out).join(" "), names(path.join(folder, "wanted")).join(" "), "files, and nothing beside them");
    for (const name of names(out)) holds(fs.readFileSync(path.join(out, name)).equals(fs.readFileSync(path.join(folder, "wanted", name))), `${name} is whole`);
    holdsOnly(path.join(out, "_farm/claims"), []);
    holdsOnly(path.join(out, "_farm/runs"), []);
    equal(fs.readdirSync(records).filter(name => !name.endsWith(".json")).join(" "), "", "records that were never finished");
});

await test("a half-written record goes with its run, and stays while that is alive", async folder => {
    const out = path.join(folder, "out"), there = characters(path.join(folder, "in"), 1), home = path.join(out, "_farm");
    fs.mkdirSync(path.join(home, "records"), { recursive: true }), fs.mkdirSync(path.join(home, "runs"));
    fs.writeFileSync(path.join(home, "runs/00000000000000aa"), `00000000000000aa\nelsewhere pid:[1]\n${"0".repeat(19)}1 ${"0".repeat(19)}1 ${"0".repeat(20)}\n`);
    for (const id of ["00000000000000aa", "00000000000000bb"]) fs.writeFileSync(path.join(home, `records/x.glb.json.${id}.part`), "{");
    equal(farm([there, "--clips", "Wave", "--out", out]).code, 0, "exit code");
    equal(fs.readdirSync(path.join(home, "records")).filter(name => name.endsWith(".part")).join(" "), "x.glb.json.00000000000000aa.part", "what is left");
});

await test("a limit that is exceeded ends with 3, and the page shows the worst frame", async folder => {
    const out = path.join(folder, "out"), page = path.join(folder, "page.html"), words = ["builtin:bar", "--clips", "twist", "--deform", "linear", "--deform", "dualquat", "--out", out];
    const r = farm([...words, "--max-volume-loss", "5%", "--html", page]);
    equal(r.code, 3, "exit code");
    equal(results(r).filter(j => j.limits).map(j => j.job).join(" "), "bar_twist_linear.glb", "jobs over the limit");
    match(results(r)[0].limits, /loses 9\.\d % of its volume at [\d.]+ s, more than 5 %/, "words");
    const text = fs.readFileSync(page, "utf8");
    match(text, /2 of 2 jobs are done/, "title");
    match(text, /src="data:image\/png;base64,/, "pictures");
    holds(!/src="(?!data:)|href="http|<script/.test(text), "it fetches nothing");
    equal(farm([...words, "--max-volume-loss", "15%"]).code, 0, "exit code of another limit, without baking again");
});

await test("--dry-run lists commands and starts none", async folder => {
    const out = path.join(folder, "out"), r = run(["farm", "builtin:bar", "--clips", "bend,tw*", "--out", out, "--dry-run"]);
    equal(r.code, 0, "exit code");
    match(r.out, /^to do supple bake builtin:bar \S+bar_bend_linear\.glb --clip bend .*\nto do .*bar_twist_linear.*\n2 jobs, 2 to do\n$/, "list");
    holds(!fs.existsSync(out), "nothing is made");
});

await test("ranks of mpirun share the jobs", async folder => {
    const found = ["/usr/bin", "/usr/local/bin"].map(f => path.join(f, "mpirun")).find(fs.existsSync);
    if (!found) return console.log("note     mpirun is not installed (openmpi-bin): ranks are not tried");
    const there = characters(path.join(folder, "in"), 30), out = path.join(folder, "out");
    const text = execFileSync(found, ["--allow-run-as-root", "--oversubscribe", "-np", "3", program, "farm", there, "--out", out, "--json"], { encoding: "utf8" });
    const r = JSON.parse(text); // of the first rank alone
    equal(r.done, 60, "jobs done");
    const took = r.results.filter(j => !j.fresh).length; // how many depends on who was first
    console.log(`note     other ranks took ${took} of 60`);
});

finish();
