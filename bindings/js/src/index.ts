// supple-skin: the module and its worker are files beside this one.
import { connect as connectIn } from "./client.ts";
import { type Place, readBeside } from "./module.ts";
import { startWorker } from "./place.ts";
import { type OpenOptions, Supple } from "./supple.ts";

export type { Remote } from "./client.ts";
export { compile, maySharedMemory } from "./module.ts";
export { Bake, Chain, Character, type CharacterArray, type OpenOptions, Player, Supple, SuppleError } from "./supple.ts";
export type * from "./types.ts";

/** @internal */
export const place: Place = {
    bytes: () => readBeside(new URL("./supple.wasm", import.meta.url)),
    worker: () => startWorker(() => new Worker(new URL("./worker.mjs", import.meta.url), { type: "module" }),
        () => new URL("./worker.mjs", import.meta.url)),
};

/** Runs the library in this thread: for Node, for a worker of your own, for small tasks in a page. */
export const open = (options?: OpenOptions) => Supple.open(place, options);
/** Runs the library in a worker: for pages. */
export const connect = (options?: OpenOptions) => connectIn(place, options);
