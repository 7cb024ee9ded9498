// Output generated from the tables of verbs and flags: the pages of the manual, and the shells' completions.
import { bad, equal, finish, good, holds, match, program, skip, source, strip, test, writeGlb } from "./harness.mjs";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

const verbs = good(["--help"]).out.match(/\nverbs:\n([^]*?)\n\n/)[1].split("\n").map(line => line.trim().split(" ")[0]);
const flagsOf = verb => [...good([verb, "--help"]).out.matchAll(/\n {2}(--[a-z-]+)(?: (\S+))?/g)].map(m => ({ name: m[1], argument: m[2] }));
const complete = (...words) => good(["complete", ...words]).out.split("\n").filter(Boolean).map(line => line.split("\t")[0]);
const has = (list, ...wanted) => { for (const w of wanted) holds(list.includes(w), `'${w}' is among: ${list.join(" ")}`); };

await test("every verb and every flag has its line in the manual", () => {
    const first = good(["manual"]).out;
    holds(verbs.length >= 10, "the list of verbs was found");
    for (const verb of verbs) {
        match(first, new RegExp(`\\\\fB${verb}\\\\fR`), "supple(1)");
        const page = good(["manual", verb]).out;
        for (const section of ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "SEE ALSO"]) match(page, new RegExp(`\\n\\.SH ${section}\\n`));
        for (const flag of flagsOf(verb)) holds(page.includes(`\\fB${flag.name.replaceAll("-", "\\-")}\\fR`), `${verb} has ${flag.name}`);
    }
    bad(["manual", "bakee"], 2, /no page 'bakee'/);
});

await test("man finds nothing wrong with the pages", () => {
    for (const verb of ["", ...verbs]) {
        const page = good(["manual", ...(verb ? [verb] : [])]).out;
        const r = spawnSync("man", ["--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", "-"], { input: page, encoding: "utf8", env: { ...process.env, MANWIDTH: "100" } });
        if (r.error) skip("man is not installed");
        if (r.status !== 0 && /minimized|cannot|No such/.test(r.stderr)) skip(`man does not run here: ${r.stderr.trim()}`);
        equal(r.stderr, "", `warnings about ${verb || "supple"}`);
    }
});

await test("shells learn every verb and flag", () => {
    has(complete(""), ...verbs, "help", "--version");
    has(complete("help", ""), ...verbs);
    equal(complete("ba").join(" "), "bake");
    for (const verb of verbs) {
        const flags = flagsOf(verb);
        has(complete(verb, "--"), ...flags.map(f => f.name));
        // A flag that names a file completes to files, wherever it appears.
        for (const f of flags.filter(f => /^FILE/.test(f.argument ?? ""))) has(complete(verb, f.name, ""), ":files");
    }
    equal(complete("xyzzy", "").length, 0, "an unknown verb gives nothing");
});

await test("clips, joints and meshes come from the file at hand", folder => {
    const model = strip(), file = writeGlb(path.join(folder, "strip.glb"), model);
    equal(complete("bake", file, "out.glb", "--clip", "").join(" "), "Wave Nod");
    equal(complete("bake", file, "out.glb", "--clip", "N").join(" "), "Nod");
    equal(complete("bake", file, "out.glb", "--clip=W").join(" "), "--clip=Wave");
    has(complete("bake", "--clip", "Nod", file, "--pose", ""), "root=", "tip=");
    equal(complete("check", file, "--joint", "t").join(" "), "tip");
    equal(complete("inspect", file, "--mesh", "").join(" "), "strip");
    has(complete("render", file, "a.png", "--heat", "weights:"), "weights:root", "weights:tip");
    fs.writeFileSync(file, "not a character");
    equal(complete("bake", file, "out.glb", "--clip", "").length, 0, "a broken file gives nothing");
    equal(good(["complete", "bake", path.join(folder, "none.glb"), "o", "--clip", ""]).err, "", "and nothing is said");
});

await test("deformers, parameters and their values come from the tables", () => {
    const all = JSON.parse(good(["deformers", "--json"]).out);
    const list = Array.isArray(all) ? all : all.deformers;
    has(complete("deformers", ""), ...list.map(d => d.name));
    has(complete("bake", "a", "b", "--deform", ""), ...list.map(d => d.name));
    equal(complete("bake", "a", "b", "--deform", "linear,smoo").join(" "), "linear,smooth");
    for (const d of list) {
        const params = d.params ?? d.parameters;
        has(complete("bake", "a", "b", "--set", `${d.name}.`), ...params.map(p => `${d.name}.${p.name}=`));
        has(complete("bake", "a", "b", "--deform", `linear,${d.name}(`), ...params.map(p => `linear,${d.name}(${p.name}=`));
    }
    equal(complete("bake", "a", "b", "--deform", "linear,smooth", "--set", "").join(" "), "linear. smooth.", "links of the chain");
    equal(complete("bake", "builtin:arm", "b", "--set", "smooth.iterations@fore").join(" "), "smooth.iterations@forearm=");
    has(complete("bake", "a", "b", "--set", "layers.contact="), "layers.contact=true", "layers.contact=false");
    equal(complete("inspect", "builtin:a").join(" "), "builtin:arm :files");
});

// ------------------------------------------------------------------------------------------------ real shells

const scripts = path.join(source, "apps/supple/completion");
const at = path.dirname(program);

function shell(command, args, options = {}) {
    const r = spawnSync(command, args, { encoding: "utf8", timeout: 60000, env: { ...process.env, PATH: `${at}:${process.env.PATH}` }, ...options });
    if (r.error?.code === "ENOENT") skip(`${command} is not installed`);
    if (r.status !== 0) throw new Error(`${command} ended with ${r.status}: ${r.stderr}`);
    return r.stdout.split("\n").filter(Boolean);
}

// As readline does: pieces of the line, cut at blanks and at = and :.
const inBash = (line, cwd) => shell("bash", ["--norc", "-c", `
    source '${scripts}/supple.bash'
    COMP_LINE=$1 COMP_POINT=\${#1} COMP_WORDBREAKS=$' \\t\\n"\\'><=;|&(:'
    shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _supple; printf '%s\\n' "\${COMPREPLY[@]}"`, "bash", line, ...line.split(/([=:])| /).filter((w, i, all) => w || i === all.length - 1)], { cwd });

await test("bash completes", folder => {
    const model = strip();
    writeGlb(path.join(folder, "strip.glb"), model);
    equal(inBash("supple ba", folder).join(" "), "bake");
    equal(inBash("supple bake strip.glb out.glb --clip W", folder).join(" "), "Wave");
    equal(inBash("supple bake strip.glb out.glb --clip=W", folder).join(" "), "Wave", "behind the sign bash replaces the rest alone");
    equal(inBash("supple inspect builtin:b", folder).join(" "), "bar beast");
    equal(inBash("supple inspect st", folder).join(" "), "strip.glb");
    equal(inBash("supple bake strip.glb o.glb --set smooth.it", folder).join(" "), "smooth.iterations=");
});

await test("fish completes", folder => {
    writeGlb(path.join(folder, "strip.glb"), strip());
    const ask = line => shell("fish", ["--no-config", "-c", `source '${scripts}/supple.fish'; complete -C '${line}'`], { cwd: folder }).map(l => l.split("\t")[0]);
    equal(ask("supple ba").join(" "), "bake");
    equal(ask("supple bake strip.glb out.glb --clip W").join(" "), "Wave");
    has(ask("supple inspect s"), "strip.glb");
});

await test("zsh completes", folder => {
    writeGlb(path.join(folder, "my strip.glb"), strip());
    // Its widgets run only in a terminal; these replace what the script calls.
    const stubs = `compadd() { while [[ $1 != -- ]]; do shift; done; shift; print -rl -- "$@" }; _files() { print FILES }; _call_program() { shift; eval "$*" }`;
    const ask = (...words) => shell("zsh", ["-f", "-c", `${stubs}; complete_supple() { . '${scripts}/_supple' }; words=("$@"); CURRENT=$#words; complete_supple`, "zsh", "supple", ...words], { cwd: folder });
    equal(ask("ba").join(" "), "bake");
    equal(ask("bake", "my\\ strip.glb", "out.glb", "--clip", "W").join(" "), "Wave");
    equal(ask("bake", "my\\ strip.glb", "out.glb", "--clip", "").sort().join(" "), "Nod Wave", "an empty word is the one to complete");
    equal(ask("bake", "").join(" ").includes("FILES"), true, "files");
});

finish();
