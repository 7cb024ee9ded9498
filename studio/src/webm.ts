// A WebM film out of encoded pictures: EBML header, one segment with its length, one track, a cluster for every key picture
// (RFC 9559). Times are milliseconds of the film, not of the wall, so that a slow machine makes the same film.
export interface Picture {
    bytes: Uint8Array;
    /** Milliseconds. */
    time: number;
    key: boolean;
}

type Piece = number[] | Uint8Array;

const sizeOf = (pieces: Piece[]): number => pieces.reduce((sum, piece) => sum + piece.length, 0);
const hex = (id: number): number[] => {
    const bytes: number[] = [];
    for (let rest = id; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
    return bytes;
};
/** A length in eight bytes: the largest there is, and always legal. */
function length(value: number): number[] {
    const bytes = [1, 0, 0, 0, 0, 0, 0, 0];
    for (let i = 7, rest = value; i > 0; --i, rest = Math.floor(rest / 256)) bytes[i] = rest % 256;
    return bytes;
}
const element = (id: number, ...content: Piece[]): Piece[] => [hex(id), length(sizeOf(content)), ...content];
const unsigned = (id: number, value: number): Piece[] => element(id, hex(value).length ? hex(value) : [0]);
const text = (id: number, value: string): Piece[] => element(id, new TextEncoder().encode(value));
function double(id: number, value: number): Piece[] {
    const bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setFloat64(0, value);
    return element(id, bytes);
}

function cluster(pictures: Picture[]): Piece[] {
    const start = pictures[0]!.time;
    return element(0x1f43b675, ...unsigned(0xe7, start), ...pictures.flatMap(one => {
        const late = one.time - start;
        return element(0xa3, [0x81, late >> 8 & 255, late & 255, one.key ? 0x80 : 0], one.bytes);
    }));
}

const LONGEST_MS = 30000; // of a cluster: times in it have 16 bits

/** codec: "V_VP9" or "V_VP8". */
export function webm(pictures: Picture[], codec: string, width: number, height: number, duration: number): Blob {
    const head = element(0x1a45dfa3, ...unsigned(0x4286, 1), ...unsigned(0x42f7, 1), ...unsigned(0x42f2, 4), ...unsigned(0x42f3, 8), ...text(0x4282, "webm"), ...unsigned(0x4287, 4), ...unsigned(0x4285, 2));
    const info = element(0x1549a966, ...unsigned(0x2ad7b1, 1000000), ...double(0x4489, duration), ...text(0x4d80, "supple studio"), ...text(0x5741, "supple studio"));
    const track = element(0x1654ae6b, ...element(0xae, ...unsigned(0xd7, 1), ...unsigned(0x73c5, 1), ...unsigned(0x83, 1), ...text(0x86, codec), ...element(0xe0, ...unsigned(0xb0, width), ...unsigned(0xba, height))));
    const groups: Picture[][] = [];
    for (const one of pictures) {
        const last = groups.at(-1);
        if (!last || one.key || one.time - last[0]!.time > LONGEST_MS) groups.push([one]);
        else last.push(one);
    }
    const segment = element(0x18538067, ...info, ...track, ...groups.flatMap(cluster));
    return new Blob([...head, ...segment].map(piece => (piece instanceof Uint8Array ? piece as Uint8Array<ArrayBuffer> : new Uint8Array(piece))), { type: "video/webm" });
}
