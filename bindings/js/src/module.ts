// The WebAssembly module and its memory, which is private or shared with workers that take part of its work.

const FIRST_PAGES = 64; // as linked in CMakeLists.txt
// Address space only, but shared memory is reserved at once, and phones refuse more.
const MOST_PAGES = 65536;
const MOST_SHARED_PAGES = 16384;
const STACK = 1 << 20;

/** The functions of the module: those of flat.h, where 64-bit numbers are bigint, and those of wasm.c. */
export type Exports = Record<string, (...parameters: (number | bigint)[]) => number | bigint>;

/** The callbacks of the module into JavaScript. */
export interface Imports {
    progress(user: number, fraction: number, what: number): number;
    read(user: number, path: number, out: number, room: bigint): bigint;
}

export interface Instance {
    exports: Exports;
    memory: WebAssembly.Memory;
    session: number;
    threads: number;
    end(): Promise<void>;
}

/** Starts workers and provides the module's bytes; the package's entry points differ only in this. */
export interface Place {
    bytes(): Promise<BufferSource>;
    /** A Worker of the page or of Node, running worker.ts. */
    worker(): Promise<AnyWorker>;
}

/** The part of Worker that Node's class has as well. */
export interface AnyWorker {
    postMessage(message: unknown, transfer?: Transferable[]): void;
    terminate(): unknown;
    listen(onMessage: (message: any) => void, onError: (error: Error) => void): void;
}

export const inNode = typeof process !== "undefined" && Boolean(process.versions?.node);
declare const process: { versions?: { node?: string } } | undefined;

/** A built-in module of Node, which bundlers for pages must not resolve. */
export function ofNodeItself(name: string): Promise<any> {
    return import(/* webpackIgnore: true */ /* @vite-ignore */ `node:${name}`);
}

/** Whether memory can be shared: a page must be cross-origin isolated. */
export function maySharedMemory(): boolean {
    return typeof SharedArrayBuffer !== "undefined" && (inNode || (globalThis as { crossOriginIsolated?: boolean }).crossOriginIsolated === true);
}

/** The module imports a shared memory; here the import becomes a private one. Atomic instructions work on both. */
export function withOwnMemory(source: BufferSource): Uint8Array<ArrayBuffer> {
    const bytes = source instanceof ArrayBuffer ? new Uint8Array(source).slice() : new Uint8Array(source.buffer, source.byteOffset, source.byteLength).slice();
    let at = 8;
    const number = () => {
        let value = 0;
        for (let shift = 0; ; shift += 7) {
            const byte = bytes[at++]!;
            value |= (byte & 127) << shift;
            if (!(byte & 128)) return value >>> 0;
        }
    };
    const IMPORTS = 2, FUNCTION = 0, MEMORY = 2, SHARED = 3, LIMITED = 1;
    while (at < bytes.length) {
        const section = bytes[at++], size = number(), end = at + size;
        if (section !== IMPORTS) {
            at = end;
            continue;
        }
        for (let left = number(); left > 0; --left) {
            for (let name = 0; name < 2; ++name) {
                const length = number();
                at += length;
            }
            const kind = bytes[at++];
            if (kind === MEMORY && bytes[at] === SHARED) {
                bytes[at] = LIMITED;
                return bytes as Uint8Array<ArrayBuffer>;
            }
            if (kind !== FUNCTION) break;
            number();
        }
        break;
    }
    throw new Error("these bytes are not the module of this package: they import no shared memory");
}

/** Resolves when the worker has announced that it is about to serve. */
function isReady(worker: AnyWorker): Promise<void> {
    return new Promise((resolve, reject) => worker.listen(() => resolve(), reject));
}

async function startWorkers(place: Place, module: WebAssembly.Module, memory: WebAssembly.Memory, exports: Exports, pool: number, count: number) {
    const workers: AnyWorker[] = [];
    for (let i = 1; i < count; ++i) {
        const worker = await place.worker();
        const ready = isReady(worker);
        const stack = Number(exports.flat_alloc!(BigInt(STACK)));
        if (!stack) throw new Error("out of memory for the stack of a worker");
        worker.postMessage({ serve: { module, memory, pool, stack: stack + STACK } });
        workers.push(worker);
        await ready;
    }
    return workers;
}

/** The module, compiled once for everything that a page opens: from its bytes, or while they arrive. */
export async function compile(source: BufferSource | Response): Promise<WebAssembly.Module> {
    if (source instanceof Response && maySharedMemory() && /^application\/wasm/.test(source.headers.get("Content-Type") ?? "")) return WebAssembly.compileStreaming(source);
    const bytes = source instanceof Response ? await source.arrayBuffer() : source;
    return WebAssembly.compile(maySharedMemory() ? bytes : withOwnMemory(bytes));
}

/** Starts the module with a session of that many threads. A compiled module runs on the memory that it was compiled for. */
export async function start(place: Place, threads: number, imports: Imports, given?: BufferSource | WebAssembly.Module): Promise<Instance> {
    const compiled = given instanceof WebAssembly.Module ? given : undefined;
    const shared = (threads > 1 || compiled !== undefined) && maySharedMemory();
    let module = compiled;
    if (!module) {
        const bytes = given as BufferSource | undefined ?? await place.bytes();
        module = await WebAssembly.compile(shared ? bytes : withOwnMemory(bytes));
    }
    const memory = new WebAssembly.Memory({ initial: FIRST_PAGES, maximum: shared ? MOST_SHARED_PAGES : MOST_PAGES, shared });
    const env = { memory, progress: imports.progress, read: imports.read };
    const { exports: raw } = await WebAssembly.instantiate(module, { env });
    const exports = raw as unknown as Exports;
    exports._initialize!();
    const session = Number(exports.flat_open!(shared ? threads : 1));
    if (!session) throw new Error("out of memory while opening a session");
    const pool = Number(exports.supple_pool!(session));
    if (typeof window !== "undefined") exports.supple_on_main_thread!(pool);
    const workers = shared ? await startWorkers(place, module, memory, exports, pool, threads) : [];
    const end = async () => {
        exports.flat_free!(session);
        await Promise.all(workers.splice(0).map(worker => worker.terminate()));
    };
    return { exports, memory, session, threads: workers.length + 1, end };
}

/** The module as a file beside this one. */
export async function readBeside(address: URL): Promise<BufferSource> {
    if (inNode && address.protocol === "file:") return (await ofNodeItself("fs/promises")).readFile(address);
    const answer = await fetch(address);
    const name = address.pathname.replace(/.*\//, "");
    if (!answer.ok) throw new Error(`${address}: the server answered ${answer.status}; copy ${name} beside the bundle, or import supple-skin/compat`);
    return answer.arrayBuffer();
}
