// Runs the glTF validator over files: node validate.mjs OUT.glb[=SOURCE.glb]...
// Fails on any error or warning that the source file does not have at the same place: we add to files, and what was wrong
// with them before is not ours to hide.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';

const require = createRequire(import.meta.url);
let validator;
try {
    validator = require('gltf-validator');
} catch {
    console.log('skipped: npm package gltf-validator is not installed here');
    process.exit(77);
}

const ERROR = 0;
const WARNING = 1;

async function issues(path) {
    const report = await validator.validateBytes(new Uint8Array(readFileSync(path)), {
        uri: path,
        maxIssues: 10000,
        externalResourceFunction: async uri => new Uint8Array(readFileSync(resolve(dirname(path), decodeURIComponent(uri)))),
    });
    return report.issues.messages.filter(m => m.severity <= WARNING);
}

let failed = false;
for (const argument of process.argv.slice(2)) {
    const [output, source] = argument.split('=');
    const place = m => `${m.code} ${m.pointer}`;
    const known = new Set(source ? (await issues(source)).map(place) : []);
    const found = await issues(output);
    const ours = found.filter(m => !known.has(place(m)));
    for (const m of ours.slice(0, 20)) console.log(`${output}: ${m.severity === ERROR ? 'error' : 'warning'} ${m.code} at ${m.pointer}: ${m.message}`);
    const count = severity => found.filter(m => m.severity === severity).length;
    console.log(`${output}: ${count(ERROR)} errors, ${count(WARNING)} warnings, ${ours.length} of them not in the source`);
    failed ||= ours.length > 0;
}
process.exit(failed ? 1 : 0);
