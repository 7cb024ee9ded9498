// The manual says what is true: its C code compiles and runs, its links lead somewhere, its commands exist.
import { equal, finish, good, holds, match, source, test } from "./harness.mjs";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

const pages = ["README.md", "CONTRIBUTING.md", ...fs.readdirSync(path.join(source, "docs"), { recursive: true }).filter(f => f.endsWith(".md")).map(f => path.join("docs", f))]
    .filter(f => fs.existsSync(path.join(source, f)));
const read = f => fs.readFileSync(path.join(source, f), "utf8");

await test("the README's C code compiles and runs", folder => {
    const build = process.env.SUPPLE_BUILD ?? path.join(source, "build"), cc = process.env.SUPPLE_CC ?? "cc";
    const code = /```c\n([\s\S]*?)```/.exec(read("README.md"))[1];
    holds(code.split("\n").length <= 16, "it grew too long for a README");
    fs.writeFileSync(path.join(folder, "readme.c"), code);
    const flags = (process.env.SUPPLE_CFLAGS ?? "").split(" ").filter(f => f);
    const r = spawnSync(cc, ["-std=c17", "-Wall", "-Wextra", "-Werror", "-pedantic", ...flags, "-I", path.join(source, "include"), "-o", path.join(folder, "readme"),
        path.join(folder, "readme.c"), path.join(build, "libsupple_io.a"), path.join(build, "libsupple.a"), "-lm", "-pthread"], { encoding: "utf8" });
    equal(r.status, 0, `compiling: ${r.stderr}`);
    const ran = spawnSync(path.join(folder, "readme"), [], { encoding: "utf8", env: { ...process.env, ASAN_OPTIONS: "detect_leaks=0" } });
    equal(ran.status, 0, `running: ${ran.stderr}`);
});
await test("every link of the manual leads somewhere", () => {
    for (const page of pages)
        for (const [, target] of read(page).matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g))
            holds(fs.existsSync(path.join(source, path.dirname(page), target)), `${page} links to ${target}, which does not exist`);
});
await test("every flag that the manual shows exists", () => {
    const help = ["inspect", "bake", "render", "compare", "check", "weights", "fit", "deformers", "demo", "bench"].map(v => good([v, "--help"]).out).join("\n") + " --version --help";
    const shown = new Set(pages.filter(p => p !== "CONTRIBUTING.md").flatMap(p => [...read(p).matchAll(/supple (?:\w+) [^\n`]*/g)].flatMap(m => m[0].match(/--[a-z][a-z-]*/g) ?? [])));
    for (const flag of shown) holds(help.includes(flag), `the manual shows ${flag}, which no verb has`);
});
await test("every deformer has a page with its parameters", () => {
    const names = JSON.parse(good(["deformers", "--json"]).out);
    for (const d of names) {
        const page = read(`docs/deformers/${d.name}.md`);
        match(page, /<!-- params -->[\s\S]*<!-- \/params -->/);
        for (const p of d.params) holds(page.includes(`\`${p.name}\``), `${d.name}.md does not list ${p.name}; run make docs`);
    }
});
await test("the two codes of adding-a-deformer.md are whole", () => equal([...read("docs/adding-a-deformer.md").matchAll(/```c\n/g)].length, 2, "codes"));
finish();
