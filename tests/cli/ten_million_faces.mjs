// Ten million faces: read completely or refused with a message, in bounded memory and time.
import { equal, finish, match, run, test } from "./harness.mjs";
import fs from "node:fs";
import path from "node:path";

// A sheet of n x n quads, written in pieces so that the test itself stays small.
function writeSheet(file, n) {
    const out = fs.openSync(file, "w");
    for (let y = 0; y <= n; y++) {
        const rows = [];
        for (let x = 0; x <= n; x++) rows.push(`v ${x} ${y} 0`);
        fs.writeSync(out, rows.join("\n") + "\n");
    }
    for (let y = 0; y < n; y++) {
        const rows = [];
        for (let x = 0, at = y * (n + 1) + 1; x < n; x++, at++) rows.push(`f ${at} ${at + 1} ${at + n + 2} ${at + n + 1}`);
        fs.writeSync(out, rows.join("\n") + "\n");
    }
    fs.closeSync(out);
}

await test("ten million faces are counted, or refused with a sentence", folder => {
    const file = path.join(folder, "sheet.obj"), n = 3163; // 3163^2 = 10,004,569 quads
    writeSheet(file, n);
    const r = run(["inspect", file, "--json"], { timeout: 300 });
    if (r.code === 1) match(r.err, /supple: error: .*sheet/);
    else {
        equal(r.code, 0, "exit code");
        match(r.err, /sheet\.obj' is \d+ MB; reading it takes up to [\d.]+ GB of memory/, "said before it is read");
        const info = JSON.parse(r.out);
        equal(info.faces, n * n, "faces");
        equal(info.points, (n + 1) * (n + 1), "points");
        equal(info.boundary_edges, 4 * n, "boundary edges");
    }
});
finish();
