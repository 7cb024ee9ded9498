// A reader of Alembic files in Ogawa containers, written from the format's description and independently of the writer: it follows offsets, types, sizes and
// clocks as found in the file and assumes no order of properties.
import fs from "node:fs";

const types = { 0: [1, "readUInt8"], 5: [4, "readUInt32LE"], 6: [4, "readInt32LE"], 10: [4, "readFloatLE"], 11: [8, "readDoubleLE"] };

class Ogawa {
    constructor(file) {
        this.bytes = fs.readFileSync(file);
        if (this.bytes.toString("latin1", 0, 5) !== "Ogawa") throw new Error("no Ogawa file");
        if (this.bytes[5] !== 0xff) throw new Error("the file was not finished");
        if (this.bytes.readUInt16BE(6) !== 1) throw new Error("another version of Ogawa");
        this.root = this.group(this.bytes.readBigUInt64LE(8));
    }
    number(at) {
        const value = this.bytes.readBigUInt64LE(Number(at));
        return value;
    }
    group(at) {
        if (at === 0n) return [];
        const count = Number(this.number(at));
        return Array.from({ length: count }, (_, i) => this.number(at + 8n + 8n * BigInt(i)));
    }
    static isData(child) { return child >> 63n === 1n; }
    data(child) {
        if (!Ogawa.isData(child)) throw new Error("a group where data should be");
        const at = child & ((1n << 63n) - 1n);
        if (at === 0n) return Buffer.alloc(0);
        const size = Number(this.number(at)), begin = Number(at) + 8;
        if (begin + size > this.bytes.length) throw new Error("data behind the end of the file");
        return this.bytes.subarray(begin, begin + size);
    }
    subgroup(child) {
        if (Ogawa.isData(child)) throw new Error("data where a group should be");
        return this.group(child);
    }
}

function metaOf(text) { return Object.fromEntries(text.split(";").filter(Boolean).map(pair => pair.split("="))); }

function text(buffer, at, size) {
    if (at + size > buffer.length) throw new Error("a text behind the end of its headers");
    return buffer.toString("utf8", at, at + size);
}

function readProperties(file, group, metas) {
    const list = {};
    if (group.length === 0) return list;
    const head = file.data(group.at(-1));
    for (let at = 0, index = 0; at < head.length; index++) {
        const info = head.readUInt32LE(at), hint = info >> 2 & 3, width = 1 << hint;
        at += 4;
        const next = () => { const value = head.readUIntLE(at, width); at += width; return value; };
        const p = { kind: info & 3, type: info >> 4 & 15, extent: info >> 12 & 255, clock: 0, children: file.subgroup(group[index]) };
        if (p.kind !== 0) {
            p.samples = next();
            p.first = 1;
            p.last = p.samples - 1;
            if (info & 0x200) [p.first, p.last] = [next(), next()];
            else if (info & 0x800) p.first = p.last = 0;
            if (info & 0x100) p.clock = next();
        }
        const name = text(head, at + width, head.readUIntLE(at, width)), number = info >>> 20 & 255;
        at += width + Buffer.byteLength(name);
        if (number === 0xff) {
            const size = next();
            p.meta = metaOf(text(head, at, size));
            at += size;
        } else p.meta = metas[number];
        if (p.kind === 0) p.properties = readProperties(file, p.children, metas);
        list[name] = p;
    }
    return list;
}

function readObject(file, group, metas) {
    const head = file.data(group.at(-1)), object = { properties: readProperties(file, file.subgroup(group[0]), metas), children: {} };
    const end = head.length - 32; // hashes
    object.hash = head.toString("hex", end);
    for (let at = 0, index = 1; at < end; index++) {
        const size = head.readUInt32LE(at), name = text(head, at + 4, size), number = head[at + 4 + size];
        at += 5 + size;
        let meta = metas[number];
        if (number === 0xff) {
            const length = head.readUInt32LE(at);
            meta = metaOf(text(head, at + 4, length));
            at += 4 + length;
        }
        object.children[name] = { meta, ...readObject(file, file.subgroup(group[index]), metas) };
    }
    return object;
}

/** { version, meta, clocks: [{ samples, step, times }], top: { properties, children } } */
export function readAlembic(path) {
    const file = new Ogawa(path), root = file.root, metas = [{}];
    const table = file.data(root[5]), time = file.data(root[4]), clocks = [];
    for (let at = 0; at < table.length; at += 1 + table[at]) metas.push(metaOf(text(table, at + 1, table[at])));
    for (let at = 0; at < time.length;) {
        const count = time.readUInt32LE(at + 12);
        clocks.push({ samples: time.readUInt32LE(at), step: time.readDoubleLE(at + 4),
                      times: Array.from({ length: count }, (_, i) => time.readDoubleLE(at + 16 + 8 * i)) });
        at += 16 + 8 * count;
    }
    return { file, version: file.data(root[0]).readInt32LE(0), meta: metaOf(file.data(root[3]).toString()), clocks,
             top: readObject(file, file.subgroup(root[2]), metas) };
}

/** The numbers of a property's sample: an array of values x extent. */
export function sample(archive, p, index) {
    const stored = index < p.first || (p.first === 0 && p.last === 0) ? 0 : index >= p.last ? p.last - p.first + 1 : index - p.first + 1;
    const bytes = archive.file.data(p.children[p.kind === 1 ? stored : 2 * stored]), [size, read] = types[p.type];
    if (p.kind !== 1 && archive.file.data(p.children[2 * stored + 1]).length) throw new Error("dimensions of a list are not written");
    if (bytes.length === 0) return [];
    if ((bytes.length - 16) % (size * p.extent)) throw new Error("a sample of half a value");
    return Array.from({ length: (bytes.length - 16) / size }, (_, i) => bytes[read](16 + size * i)); // behind its key
}
