// Arguments of the command line: help, version, and every way to get them wrong.
import { bad, equal, finish, good, holds, json, match, program, test } from "./harness.mjs";
import { spawnSync } from "node:child_process";
import fs from "node:fs";

const verbs = ["inspect", "bake", "render", "compare", "check", "weights", "fit", "studio", "deformers", "demo", "bench"];

await test("help lists every verb and goes to stdout", () => {
    const r = good(["--help"]);
    for (const verb of verbs) match(r.out, new RegExp(`\\n  ${verb} `));
    equal(r.err, "", "stderr");
});
for (const verb of verbs)
    await test(`${verb} --help explains itself`, () => match(good([verb, "--help"]).out, new RegExp(`supple ${verb}`)));
await test("bake --help prints every flag of the manual", () => {
    const r = good(["bake", "--help"]);
    for (const flag of "deform set preset world clip pose start end fps preroll loop step map unit up mesh dress flat name hashes threads json quiet help".split(" "))
        match(r.out, new RegExp(`\\n  --${flag}\\b`));
});
await test("help VERB is VERB --help", () => equal(good(["help", "bake"]).out, good(["bake", "--help"]).out));
await test("help about help is help", () => equal(good(["help", "help"]).out, good(["--help"]).out));
await test("help about nothing known is wrong usage", () => bad(["help", "bakee"], 2, /did you mean 'bake'/));
await test("help works beside missing words", () => good(["bake", "-h"]));
await test("version is one line", () => match(good(["--version"]).out, /^supple \d+\.\d+\.\d+\n$/));

await test("no verb is wrong usage", () => bad([], 2, /verb is missing/));
await test("an unknown verb gets the nearest", () => bad(["bakee"], 2, /no verb 'bakee'; did you mean 'bake'/));
await test("a hopeless verb gets the way to the list", () => bad(["xyzzy"], 2, /'supple --help'/));
await test("verbs of later versions do not exist", () => bad(["paint"], 2, /no verb/));
await test("an unknown flag gets the nearest", () => bad(["bake", "a.glb", "b.glb", "--thread", "2"], 2, /did you mean --threads/));
await test("an output given by a flag is told its place", () => {
    for (const flag of ["-o", "--out", "--output"]) bad(["bake", "a.glb", flag, "b.glb"], 2, /bake takes its output as an argument.*supple bake FILE OUT/);
});
await test("a word that agrees with none is not taken for one", () => bad(["inspect", "a.glb", "--out", "b"], 2, /no flag --out; 'supple inspect --help'/));
await test("swapped letters are one mistake", () => bad(["bake", "a.glb", "b.glb", "--cilp", "Walk"], 2, /did you mean --clip/));
await test("a flag of another verb is unknown", () => bad(["inspect", "a.glb", "--step", "5"], 2, /inspect has no flag --step/));
await test("a missing value is wrong usage", () => bad(["bake", "a.glb", "b.glb", "--clip"], 2, /--clip needs a value/));
await test("a flag is not a value", () => bad(["bake", "a.glb", "b.glb", "--clip", "--json"], 2, /--clip needs a value/));
await test("an empty value is a missing value", () => bad(["bake", "a.glb", "b.glb", "--clip="], 2, /--clip needs a value/));
await test("a switch takes no value", () => bad(["bake", "a.glb", "b.glb", "--json=1"], 2, /--json takes no value/));
await test("single dashes are not flags", () => bad(["bake", "a.glb", "b.glb", "-q"], 2, /two dashes/));
await test("standard input is refused", () => bad(["inspect", "-"], 2, /not supported/));
await test("a missing input is wrong usage", () => bad(["inspect"], 2, /inspect needs an input/));
await test("a missing output is wrong usage", () => bad(["bake", "a.glb"], 2, /bake needs an output/));
await test("too many words are wrong usage", () => bad(["inspect", "a.glb", "b.glb"], 2, /'b\.glb'/));

await test("numbers are checked", () => {
    const bake = ["bake", "builtin:bar", "never.glb"];
    bad([...bake, "--fps", "fast"], 2, /--fps needs a number, not 'fast'/);
    bad([...bake, "--fps", "0"], 2, /--fps 0 is out of range/);
    bad([...bake, "--fps", "nan"], 2, /--fps needs a number/);
    bad([...bake, "--fps", "-30"], 2, /out of range/);
    bad([...bake, "--end", "1e9"], 2, /out of range/);
    bad([...bake, "--fps", "10000", "--end", "999999"], 2, /frames; lower --fps or --end/);
    bad([...bake, "--start", "0.5", "--end", "0.25"], 2, /before --start/);
    bad([...bake, "--threads", "1.5"], 2, /whole number/);
    bad([...bake, "--unit", "parsec"], 2, /is not a unit/);
    bad([...bake, "--up", "w"], 2, /is not an axis/);
    bad([...bake, "--pose", "joint"], 2, /JOINT=X,Y,Z/);
    bad([...bake, "--pose", "root=1,2"], 2, /JOINT=X,Y,Z/);
    bad([...bake, "--map", "stiffness"], 2, /NAME=FILE/);
    holds(!fs.existsSync("never.glb"), "a file was written");
});
await test("two dashes end the flags", () => bad(["inspect", "--", "--json"], 1, /--json/));
await test("both spellings of a value are read", () => {
    equal(json(["inspect", "builtin:bar", "--unit=cm"]).unit, 0.01, "unit");
    equal(json(["inspect", "--unit", "mm", "builtin:bar"]).unit, 0.001, "unit");
});

await test("deformers lists what the registry holds", () => {
    const names = json(["deformers"]).map(d => d.name);
    holds(names.includes("linear") && names.includes("dualquat"), `list: ${names}`);
    const text = good(["deformers"]).out;
    for (const name of names) match(text, new RegExp(`\\n${name} `));
});
await test("every deformer describes itself with the contract's keys", () => {
    for (const d of json(["deformers"])) {
        for (const key of ["name", "summary", "paper", "needs", "dynamic", "presets", "params"]) holds(key in d, `${d.name} lacks ${key}`);
        for (const p of d.params)
            for (const key of ["name", "type", "min", "max", "default", "choices", "unit", "help", "stage", "varies"])
                holds(key in p, `${d.name}.${p.name} lacks ${key}`);
        equal(json(["deformers", d.name]).name, d.name, "one alone");
        const text = good(["deformers", d.name]).out;
        for (const p of d.params) match(text, new RegExp(`\\n${p.name} `));
    }
});
await test("an unknown deformer gets the nearest", () => bad(["deformers", "dualquad"], 1, /did you mean 'dualquat'/));

await test("a full disk under stdout is a failure", () => {
    const full = fs.openSync("/dev/full", "w");
    const r = spawnSync(program, ["deformers", "--json"], { stdio: ["ignore", full, "pipe"], encoding: "utf8" });
    fs.closeSync(full);
    equal(r.status, 1, "exit code");
    match(r.stderr, /supple: error: the result could not be written/);
});
await test("a closed pipe under stdout is a failure", () => {
    const r = spawnSync("bash", ["-c", `{ sleep 0.3; "${program}" deformers --json; echo "code $?" >&2; } | true`], { encoding: "utf8" });
    match(r.stderr, /supple: error: the result could not be written/);
    match(r.stderr, /code 1\n/);
});
finish();
