// supple-skin/compat: one file that contains the module and its worker, for bundlers and hosts that cannot serve them separately.
import { connect as connectIn } from "./client.ts";
import type { Place } from "./module.ts";
import { startWorker } from "./place.ts";
import { type OpenOptions, Supple } from "./supple.ts";
import { packed, workerText } from "./inside.ts";

export type { Remote } from "./client.ts";
export { maySharedMemory } from "./module.ts";
export { Bake, Chain, Character, type CharacterArray, type OpenOptions, Player, Supple, SuppleError } from "./supple.ts";
export type * from "./types.ts";

/** The module, compressed with gzip and encoded in base64. */
async function unpack(): Promise<ArrayBuffer> {
    const bytes = Uint8Array.from(atob(packed), letter => letter.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

const place: Place = {
    bytes: unpack,
    worker: () => startWorker(() => {
        const address = URL.createObjectURL(new Blob([workerText], { type: "text/javascript" }));
        return new Worker(address);
    }, () => workerText),
};

/** Runs the library in this thread: for Node, for a worker of your own, for small tasks in a page. */
export const open = (options?: OpenOptions) => Supple.open(place, options);
/** Runs the library in a worker: for pages. The bytes are sent once. */
export const connect = async (options: OpenOptions = {}) => connectIn(place, { ...options, wasm: options.wasm ?? await unpack() });
