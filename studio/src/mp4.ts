// An MP4 film out of encoded pictures (ISO/IEC 14496-12): one track, all pictures in one chunk, the index in front so that it plays while it loads.
import type { Picture } from "./webm.ts";

export interface Mp4Codec {
    /** Of the sample entry: "avc1" or "vp09". */
    entry: string;
    /** Its configuration box. */
    box: string;
    config: Uint8Array;
}

const SCALE = 1000; // ticks a second: times are milliseconds

const u16 = (value: number): number[] => [value >> 8 & 255, value & 255];
const u32 = (value: number): number[] => [value >>> 24, value >> 16 & 255, value >> 8 & 255, value & 255];
const letters = (text: string): number[] => [...text].map(letter => letter.charCodeAt(0));
const zeros = (count: number): number[] => new Array<number>(count).fill(0);
function box(name: string, ...parts: (number[] | Uint8Array)[]): number[] {
    const body = parts.flatMap(part => [...part]);
    return [...u32(8 + body.length), ...letters(name), ...body];
}
const full = (name: string, flags: number, ...parts: (number[] | Uint8Array)[]): number[] => box(name, u32(flags), ...parts);
const MATRIX = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000].flatMap(u32);

/** VP9 with eight bits, as its binding for MP4 wants it told. */
export const vp9Config = (level: number): Uint8Array => Uint8Array.from([...u32(0x01000000), 0, level, 8 << 4 | 1 << 1, 2, 2, 2, ...u16(0)]);

/** Runs of equal lengths: where each picture ends is where the next begins. */
function durations(pictures: Picture[], duration: number): number[] {
    const runs: [number, number][] = [];
    pictures.forEach(({ time }, i) => {
        const length = Math.round((pictures[i + 1]?.time ?? duration) - time), last = runs.at(-1);
        if (last?.[1] === length) ++last[0];
        else runs.push([1, length]);
    });
    return [...u32(runs.length), ...runs.flat().flatMap(u32)];
}

export function mp4(pictures: Picture[], codec: Mp4Codec, width: number, height: number, duration: number): Blob {
    const length = u32(Math.round(duration)), keys = pictures.flatMap((one, i) => (one.key ? [i + 1] : []));
    const entry = box(codec.entry, zeros(6), u16(1), zeros(16), u16(width), u16(height), u32(0x480000), u32(0x480000), u32(0), u16(1), zeros(32), u16(24), u16(0xffff), box(codec.box, codec.config));
    const index = (place: number): number[] => box("moov",
        full("mvhd", 0, u32(0), u32(0), u32(SCALE), length, u32(0x10000), u16(0x100), zeros(10), MATRIX, zeros(24), u32(2)),
        box("trak",
            full("tkhd", 3, u32(0), u32(0), u32(1), u32(0), length, zeros(8), u16(0), u16(0), u16(0), u16(0), MATRIX, u32(width << 16), u32(height << 16)),
            box("mdia",
                full("mdhd", 0, u32(0), u32(0), u32(SCALE), length, u16(0x55c4), u16(0)), // of no language
                full("hdlr", 0, u32(0), letters("vide"), zeros(12), letters("supple\0")),
                box("minf", full("vmhd", 1, zeros(8)), box("dinf", full("dref", 0, u32(1), full("url ", 1))),
                    box("stbl", full("stsd", 0, u32(1), entry), full("stts", 0, durations(pictures, duration)), full("stss", 0, u32(keys.length), keys.flatMap(u32)),
                        full("stsc", 0, u32(1), u32(1), u32(pictures.length), u32(1)), full("stsz", 0, u32(0), u32(pictures.length), pictures.flatMap(one => u32(one.bytes.length))),
                        full("stco", 0, u32(1), u32(place)))))));
    const head = box("ftyp", letters("isom"), u32(0x200), letters("isomiso2mp41")), data = pictures.reduce((sum, one) => sum + one.bytes.length, 0);
    const moov = index(head.length + index(0).length + 8);
    return new Blob([new Uint8Array(head), new Uint8Array(moov), new Uint8Array([...u32(8 + data), ...letters("mdat")]), ...pictures.map(one => one.bytes as Uint8Array<ArrayBuffer>)], { type: "video/mp4" });
}
