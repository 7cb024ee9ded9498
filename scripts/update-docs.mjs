// Writes the parameter table of every page in docs/deformers from the program's own description:
// node scripts/update-docs.mjs PROGRAM [--check]. With --check nothing is written and an old table is an error.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const [program, mode] = process.argv.slice(2);
if (!program) {
    console.error("usage: node update-docs.mjs PROGRAM [--check]");
    process.exit(2);
}
const folder = path.join(path.dirname(fileURLToPath(import.meta.url)), "../docs/deformers");
const begin = "<!-- params -->\n";
const end = "<!-- /params -->";

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

let stale = 0;
for (const deformer of JSON.parse(execFileSync(program, ["deformers", "--json"], { encoding: "utf8" }))) {
    const file = path.join(folder, `${deformer.name}.md`);
    const page = fs.readFileSync(file, "utf8");
    const from = page.indexOf(begin);
    const to = page.indexOf(end);
    if (from < 0 || to < from) {
        console.error(`${file}: has no table between ${begin.trim()} and ${end}`);
        process.exit(1);
    }
    const fresh = page.slice(0, from + begin.length) + table(deformer) + page.slice(to);
    if (fresh === page) continue;
    stale++;
    if (mode === "--check") console.error(`docs/deformers/${deformer.name}.md: the parameter table is old; run make docs`);
    else {
        fs.writeFileSync(file, fresh);
        console.log(`docs/deformers/${deformer.name}.md: written`);
    }
}
if (mode === "--check" && stale) process.exit(1);
