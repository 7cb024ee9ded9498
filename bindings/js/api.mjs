// api.md from the declarations that tsc made: node api.mjs. What is private stays out.
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const read = name => fs.readFileSync(path.join(here, "dist", `${name}.d.ts`), "utf8")
    .replace(/^import [^;]*;\n/gm, "")
    .replace(/^export (type )?\{[^}]*\};?\n/gm, "")
    .replace(/^ +(private|protected) [^;]*;\n/gm, "");

/** The declarations of a file, each with the comment before it. */
function declarations(text) {
    const starts = [...text.matchAll(/^(?:\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)?(?:export )?(?:declare )?(?:class|interface|type|const|function) (\w+)/gm)];
    return starts.map((start, i) => ({
        name: start[1], shown: /export /.test(start[0]), text: text.slice(start.index, starts[i + 1]?.index ?? text.length).trim().replace(/^export (declare )?/gm, ""),
    }));
}

const CHAPTERS = [
    ["Opening", "index", ["open", "connect"]], ["In a worker", "client", ["Remote"]],
    ["Classes", "supple", ["OpenOptions", "Supple", "Character", "CharacterArray", "Chain", "Player", "Bake", "SuppleError"]],
    ["three.js", "three", ["SkinOptions", "SuppleSkin"]], ["Folds in three.js", "relief", ["Relief", "cornersOf", "folded"]], ["Descriptions and answers", "types", null],
];
const out = ["# supple-skin: everything there is to call", "", "Made from the types by `node api.mjs`. Classes hold what they inherit: `free()` ends any of them but `Supple`, which has `close()`."];
for (const [title, file, names] of CHAPTERS) {
    const all = declarations(read(file)), chosen = names ? names.map(name => all.find(one => one.name === name)) : all.filter(one => one.shown);
    if (chosen.includes(undefined)) throw new Error(`${file}.d.ts lacks one of ${names.join(", ")}`);
    out.push("", `## ${title}`);
    for (const { name, text } of chosen) out.push("", `### ${name}`, "", "```ts", text, "```");
}
fs.writeFileSync(path.join(here, "api.md"), `${out.join("\n")}\n`);
