// The manual is accurate: its C code compiles and runs, its links lead somewhere, its commands exist.
import { equal, finish, good, holds, match, source, test } from "./harness.mjs";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

const pages = ["README.md", "CONTRIBUTING.md", ...fs.readdirSync(path.join(source, "docs"), { recursive: true }).filter(f => f.endsWith(".md")).map(f => path.join("docs", f))]
    .filter(f => fs.existsSync(path.join(source, f)));
const read = f => fs.readFileSync(path.join(source, f), "utf8");

// Every C block of the manual is compiled. A block with main() is a program: it is linked and run. One without is a fragment, and `around` contains what its
// reader already has; the two of adding-a-deformer.md are one deformer and its test.
const build = process.env.SUPPLE_BUILD ?? path.join(source, "build"), cc = process.env.SUPPLE_CC ?? "cc";
const own = (process.env.SUPPLE_CFLAGS ?? "").split(" ").filter(f => f);
const strict = ["-std=c17", "-Wall", "-Wextra", "-Werror", "-pedantic", "-Wno-psabi", ...own, "-I", path.join(source, "include")];
const libraries = ["libsupple_io.a", "libsupple.a"].map(f => path.join(build, f)).concat("-lm", "-pthread");
const around = {
    "docs/fit.md": {
        includes: ["supple/io.h", "supple/rig.h"],
        has: "sup_pool* pool, uint32_t point_count, uint32_t frame_count, const sup_vec3* rest, const sup_vec3* frames, sup_arena* arena, " +
            "const sup_character* character, sup_character* rigged, sup_error error",
    },
    "docs/deformers/fourier.md": { includes: ["stdlib.h"], has: "const void* bytes, size_t size, double seconds", flags: ["-I", path.join(source, "examples"), "-Wno-unused-variable"] },
};
const blocks = page => [...read(page).matchAll(/^```c\n([\s\S]*?)^```/gm)].map(m => m[1]);

function compile(what, ...args) {
    const r = spawnSync(cc, args, { encoding: "utf8" });
    equal(r.status, 0, `compiling ${what}: ${r.stderr}`);
}
function execute(what, file) {
    const r = spawnSync(file, [], { encoding: "utf8", env: { ...process.env, ASAN_OPTIONS: "detect_leaks=0" } });
    equal(r.status, 0, `running ${what}: ${r.stdout}${r.stderr}`);
}

// A fragment as the body of a function; its own includes come first.
function whole(page, code) {
    const context = around[page];
    holds(context, `${page} has a piece of C that this test cannot compile; make it a program, or tell the test what stands around it`);
    const lines = code.split("\n"), includes = lines.filter(l => l.startsWith("#include"));
    return `${context.includes.map(f => `#include <${f}>\n`).join("")}${includes.join("\n")}\nvoid piece(${context.has});\nvoid piece(${context.has})\n{\n` +
        `${lines.filter(l => !l.startsWith("#include")).join("\n")}\n}\n`;
}

for (const page of pages.filter(p => p !== "docs/adding-a-deformer.md" && blocks(p).length))
    await test(`the C code of ${page} compiles`, folder => {
        blocks(page).forEach((code, i) => {
            const file = path.join(folder, `block${i}.c`), out = path.join(folder, `block${i}`), program = /\bint main\(/.test(code);
            fs.writeFileSync(file, program ? code : whole(page, code));
            if (page === "README.md") holds(program && code.split("\n").length <= 16, "a README shows short programs");
            compile(`block ${i + 1} of ${page}`, ...strict, ...(around[page]?.flags ?? []), ...(program ? ["-o", out, file, ...libraries] : ["-c", "-o", out, file]));
            if (program) execute(`block ${i + 1} of ${page}`, out);
        });
    });
await test("the deformer of adding-a-deformer.md compiles, registers and passes its test", folder => {
    const codes = blocks("docs/adding-a-deformer.md"), at = name => path.join(folder, name);
    equal(codes.length, 2, "a deformer and its test");
    fs.mkdirSync(at("deform"));
    fs.writeFileSync(at("deform/deformers.def"), read("src/deform/deformers.def") + "SUP_DEFORMER(shrink)\n");
    fs.writeFileSync(at("shrink.c"), codes[0]);
    fs.writeFileSync(at("test_shrink.c"), codes[1]);
    // The registry with one more line replaces the library's own.
    const inside = ["-I", folder, "-I", path.join(source, "src"), "-I", path.join(source, "tests")];
    compile("adding-a-deformer.md", ...strict, ...inside, "-o", at("test_shrink"), at("shrink.c"), at("test_shrink.c"), path.join(source, "src/deform/registry.c"),
        path.join(build, "libsupple_test_support.a"), ...libraries, "-lcmocka");
    execute("the test of adding-a-deformer.md", at("test_shrink"));
});
await test("every link of the manual leads somewhere", () => {
    for (const page of pages)
        for (const [, target] of read(page).matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g))
            holds(fs.existsSync(path.join(source, path.dirname(page), target)), `${page} links to ${target}, which does not exist`);
});
await test("every flag that the manual shows exists", () => {
    const help = ["inspect", "bake", "render", "compare", "check", "weights", "fit", "deformers", "demo", "bench", "farm"].map(v => good([v, "--help"]).out).join("\n") + " --version --help";
    const shown = new Set(pages.filter(p => p !== "CONTRIBUTING.md").flatMap(p => [...read(p).matchAll(/supple (?:\w+) [^\n`]*/g)].flatMap(m => m[0].match(/--[a-z][a-z-]*/g) ?? [])));
    for (const flag of shown) holds(help.includes(flag), `the manual shows ${flag}, which no verb has`);
});
await test("figures of the pages about curves are those that were measured, and still come out so", () => {
    const figures = (task, env) => spawnSync(process.execPath, [path.join(source, "scripts/curve-figures.mjs"), task, build], { encoding: "utf8", env: { ...process.env, ...env } });
    for (const r of [figures("check"), figures("verify", { FIGURES: "lags" })]) equal(r.status, 0, r.stderr);
});

await test("every deformer has a page with its parameters", () => {
    const names = JSON.parse(good(["deformers", "--json"]).out);
    for (const d of names) {
        const page = read(`docs/deformers/${d.name}.md`);
        match(page, /<!-- params -->[\s\S]*<!-- \/params -->/);
        for (const p of d.params) holds(page.includes(`\`${p.name}\``), `${d.name}.md does not list ${p.name}; run make docs`);
    }
});
finish();
