// supple demo: every deformer on the built-in characters, into one folder.
import { bad, equal, finish, good, holds, json, match, test, validate } from "./harness.mjs";
import fs from "node:fs";
import path from "node:path";

await test("the demo bakes every character, clip and deformer into files that validate, and says what to open", folder => {
    const out = path.join(folder, "a/b");
    const r = good(["demo", out, "--fps", "10"], { timeout: 600 });
    const names = json(["deformers"]).filter(d => !d.needs.includes("examples")).map(d => d.name);
    const files = fs.readdirSync(out);
    for (const [who, clips] of [["beast", ["walk", "jump", "shake"]], ["arm", ["flex", "twist", "wave"]]])
        for (const clip of clips) for (const name of names) holds(files.includes(`${who}-${clip}-${name}.glb`), `${who}-${clip}-${name}.glb is missing`);
    for (const name of ["beam", "fourier"])
        for (const clip of ["arm-flex", "arm-wave", "beast-walk"]) holds(files.includes(`${clip}-${name}.glb`), `${clip}-${name}.glb is missing`);
    holds(files.every(f => f.endsWith(".glb") || f === "index.html"), `strange files: ${files}`);
    for (const f of files) match(r.out, new RegExp(f.replaceAll(".", "\\.")));
    const page = fs.readFileSync(path.join(out, "index.html"), "utf8");
    for (const f of files) if (f !== "index.html") match(page, new RegExp(`<a href="${f}">`));
    equal(page.split("<img ").length - 1, /no pictures/.test(page) ? 0 : files.length - 1, "a picture a file");
    match(r.out, /Blender/);
    for (const name of ["beam", "fourier"]) { // behind the last sculpt the pose is held, so that the skin is seen to come to rest
        const frames = clip => Number(r.out.match(new RegExp(`^\\S+ +${clip} +linear,${name}\\S* +(\\d+) `, "m"))[1]);
        equal([frames("flex"), frames("wave"), frames("walk")].join(), "26,21,28", `frames of ${name}`);
    }
    validate(files.filter(f => f.endsWith(".glb")).map(f => path.join(out, f)));
});
await test("a folder that cannot be made is named", folder => {
    fs.writeFileSync(path.join(folder, "file"), "");
    bad(["demo", path.join(folder, "file/out")], 1, /file/);
    equal(fs.readdirSync(folder).join(), "file", "files");
});
finish();
