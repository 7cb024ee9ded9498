// The truth: the same mesh in its right shape, a file a frame, to measure chains against (`supple compare --truth`).
import { fileBytes } from "./files.ts";
import { Lane } from "./lane.ts";
import type { FileRef } from "./session.ts";

export class Truth {
    private key = "";
    private points: Float32Array[] = [];
    /** Called when it is there. */
    onReady: () => void = () => undefined;

    /** Three floats a point of a frame; undefined where the truth has none. */
    at(frame: number): Float32Array | undefined { return this.points[frame]; }

    /** Reads files, in the order of frames; what was read stays. */
    async follow(files: FileRef[] | undefined, points: number): Promise<void> {
        const key = JSON.stringify([files ?? [], points]);
        if (key === this.key) return;
        this.key = key;
        this.points = [];
        const read = files?.length ? await readTruth(files, points) : [];
        if (key !== this.key) return; // another one by now
        this.points = read;
        this.onReady();
    }
}

/** Fails with a sentence where a file is not of the same mesh. */
export async function readTruth(files: FileRef[], points: number): Promise<Float32Array[]> {
    const lane = await Lane.open(true);
    try {
        const all: Float32Array[] = [];
        for (const file of files) {
            const mesh = await lane.supple.load(file.name, await fileBytes(file)), places = await mesh.array("points") as Float32Array;
            await mesh.free();
            if (places.length !== 3 * points) throw new Error(`'${file.name}' has ${places.length / 3} points and the character ${points}: a truth is the same mesh in another shape`);
            all.push(places);
        }
        return all;
    } finally {
        lane.close();
    }
}
