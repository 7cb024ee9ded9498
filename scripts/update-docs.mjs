// Writes the parameter table of every page in docs/deformers, and the lists of deformers and verbs in docs/index.md, from the
// program's own description: node scripts/update-docs.mjs PROGRAM [--check]. With --check it writes nothing, and an old table is an error.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const [program, mode] = process.argv.slice(2);
if (!program) {
    console.error("usage: node update-docs.mjs PROGRAM [--check]");
    process.exit(2);
}
const docs = path.join(path.dirname(fileURLToPath(import.meta.url)), "../docs");

const cell = text => String(text).replaceAll("|", "\\|").replaceAll("\n", " ");

function range(row) {
    if (row.choices?.length) return row.choices.map(choice => `\`${choice}\``).join(", ");
    if (row.type === "bool" || row.type === "text") return "";
    return `${row.min} .. ${row.max}`;
}

// Clauses that must all hold, each a list of alternatives.
const alternative = one => one.param ? `\`${one.param}${one.is}${one.value || "''"}\`` : one.words;
const onlyWith = row => (row.only_with ?? []).map(clause => clause.map(alternative).join(" or ")).join("; ");

function table(deformer) {
    if (deformer.params.length === 0) return "None.\n";
    const varies = { point: "per point", bone: "per bone" };
    const rows = deformer.params.map(row => [`\`${row.name}\``, row.type, range(row), row.default ?? "", row.unit ?? "", row.stage,
        varies[row.varies] ?? "", onlyWith(row), row.help]);
    return ["name", "type", "range", "default", "unit", "stage", "varies", "only with", "help"].reduce((line, name) => `${line} ${name} |`, "|") +
        "\n" + "|---".repeat(9) + "|\n" + rows.map(row => `| ${row.map(cell).join(" | ")} |\n`).join("");
}

const list = all => "| deformer | does |\n|---|---|\n" + all.map(one =>
    `| [${one.name}](deformers/${one.name}.md) | ${cell(one.summary)} |\n`).join("");

// The verbs of `supple --help`, each with its page where it has one.
function verbs() {
    const help = execFileSync(program, ["--help"], { encoding: "utf8" });
    const rows = [...help.matchAll(/^  (\w+) +((?:\[?[A-Z]{2,}(?:\.\.\.)?\]? +)*)(.*)$/gm)];
    const page = name => fs.existsSync(path.join(docs, `${name}.md`)) ? `; see [${name}.md](${name}.md)` : "";
    return "| verb | does |\n|---|---|\n" + rows.map(([, name, words, does]) => `| \`${`${name} ${words}`.trim()}\` | ${cell(does)}${page(name)} |\n`).join("");
}

let stale = 0;
/** Puts `text` between the marks of a page, or says that it is not what stands there. */
function refresh(name, mark, text) {
    const file = path.join(docs, name), page = fs.readFileSync(file, "utf8"), begin = `<!-- ${mark} -->\n`, end = `<!-- /${mark} -->`;
    const from = page.indexOf(begin), to = page.indexOf(end);
    if (from < 0 || to < from) {
        console.error(`docs/${name}: has no table between ${begin.trim()} and ${end}`);
        process.exit(1);
    }
    const fresh = page.slice(0, from + begin.length) + text + page.slice(to);
    if (fresh === page) return;
    stale++;
    if (mode === "--check") console.error(`docs/${name}: the table '${mark}' is old; run make docs`);
    else {
        fs.writeFileSync(file, fresh);
        console.log(`docs/${name}: written`);
    }
}

const deformers = JSON.parse(execFileSync(program, ["deformers", "--json"], { encoding: "utf8" }));
for (const deformer of deformers) refresh(`deformers/${deformer.name}.md`, "params", table(deformer));
refresh("index.md", "deformers", list(deformers));
refresh("index.md", "verbs", verbs());
if (mode === "--check" && stale) process.exitCode = 1;
