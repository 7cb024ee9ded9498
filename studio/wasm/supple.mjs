// The WebAssembly modules from JavaScript, in a page, a worker or Node: plain calls become names, texts and arrays.
//
//   const supple = await load({ single: bytes });                           // one thread, runs everywhere
//   const supple = await load({ single: bytes, threads: bytes, count: 4 }); // workers, where memory may be shared
//   const arm = supple.builtin("arm", 1000);
//   const player = supple.play(arm, 0, "layers");
//   const points = player.evaluate(0.5);                                    // Float32Array, valid until the next call

// As linked in CMakeLists.txt. The maximum is only address space; a phone that refuses it gets one thread.
const PAGE = 65536;
const FIRST_PAGES = 64;
const MOST_PAGES = 16384;
const STACK = 1 << 20;

const decoder = new TextDecoder();
const encoder = new TextEncoder();
const node = typeof process !== "undefined" && Boolean(process.versions?.node);

/** Whether this place may share memory: a page must be cross-origin isolated. */
export function maySharedMemory() {
    return typeof SharedArrayBuffer !== "undefined" && (node || globalThis.crossOriginIsolated === true);
}

async function startWorker() {
    const url = new URL("./worker.mjs", import.meta.url);
    if (!node) return new Worker(url, { type: "module" });
    const { Worker: NodeWorker } = await import("node:worker_threads");
    const worker = new NodeWorker(url);
    worker.unref();
    return worker;
}

/** Resolves when the worker has said that it is about to serve. */
function isReady(worker) {
    return new Promise((resolve, reject) => {
        if (node) {
            worker.once("message", resolve);
            worker.once("error", reject);
        } else {
            worker.onmessage = resolve;
            worker.onerror = event => reject(new Error(event.message));
        }
    });
}

async function startWorkers(module, memory, wasm, pool, count) {
    const workers = [];
    for (let i = 1; i < count; ++i) {
        const worker = await startWorker();
        const ready = isReady(worker);
        worker.postMessage({ module, memory, pool, stack: wasm.supple_alloc(STACK) + STACK });
        workers.push(worker);
        await ready;
    }
    return workers;
}

/** A module on its own memory, or on a shared one with count - 1 workers. */
export async function load({ single, threads, count = 1 }) {
    if (threads && count > 1 && maySharedMemory()) {
        const module = await WebAssembly.compile(threads);
        const memory = new WebAssembly.Memory({ initial: FIRST_PAGES, maximum: MOST_PAGES, shared: true });
        const { exports: wasm } = await WebAssembly.instantiate(module, { env: { memory } });
        wasm._initialize();
        const pool = wasm.supple_pool(count);
        if (!pool) throw new Error("out of memory while making the pool");
        if (typeof window !== "undefined") wasm.supple_on_main_thread(pool);
        return new Supple(wasm, memory, await startWorkers(module, memory, wasm, pool, count), pool);
    }
    const { exports: wasm } = await WebAssembly.instantiate(await WebAssembly.compile(single), {});
    wasm._initialize();
    return new Supple(wasm, wasm.memory, [], 0);
}

class Player {
    constructor(supple, address, points) {
        Object.assign(this, { supple, address, points });
    }

    evaluate(seconds) {
        const at = this.supple.wasm.supple_evaluate(this.address, seconds);
        return new Float32Array(this.supple.memory.buffer, at, this.points * 3);
    }

    /** The hash of the frame evaluated last, as `supple bake --hashes` prints it. */
    hash() {
        const { wasm } = this.supple;
        return [wasm.supple_hash_high(this.address), wasm.supple_hash_low(this.address)]
            .map(half => (half >>> 0).toString(16).padStart(8, "0")).join("");
    }

    free() {
        this.supple.wasm.supple_player_free(this.address);
    }
}

class Supple {
    constructor(wasm, memory, workers, pool) {
        Object.assign(this, { wasm, memory, workers, pool });
    }

    get threads() {
        return this.workers.length + 1;
    }

    /** The text at an address, which ends in 0. A shared memory must be copied from. */
    text(address) {
        const bytes = new Uint8Array(this.memory.buffer, address);
        return decoder.decode(bytes.slice(0, bytes.indexOf(0)));
    }

    error() {
        return new Error(this.text(this.wasm.supple_error()));
    }

    /** Calls use(address, size) with bytes in the module's memory. */
    withBytes(bytes, use) {
        const address = this.wasm.supple_alloc(bytes.length);
        if (!address) throw new Error(`out of memory: ${Math.ceil(bytes.length / PAGE)} pages`);
        new Uint8Array(this.memory.buffer, address, bytes.length).set(bytes);
        try {
            return use(address, bytes.length);
        } finally {
            this.wasm.supple_free(address);
        }
    }

    withText(text, use) {
        return this.withBytes(encoder.encode(`${text}\0`), use);
    }

    deformers() {
        const address = this.wasm.supple_deformers();
        if (!address) throw this.error();
        const list = JSON.parse(this.text(address));
        this.wasm.supple_free(address);
        return list;
    }

    builtins() {
        return Array.from({ length: this.wasm.supple_builtin_count() }, (_, i) => this.text(this.wasm.supple_builtin_name(i)));
    }

    /** A built-in character; points 0 is its own size. */
    builtin(name, points = 0) {
        return this.#made(this.withText(name, address => this.wasm.supple_load_builtin(address, points)));
    }

    /** A character from the bytes of a file; its name's ending tells the format. */
    open(name, bytes) {
        return this.#made(this.withText(name, path => this.withBytes(bytes, (at, size) => this.wasm.supple_load_bytes(path, at, size))));
    }

    clips(character) {
        return Array.from({ length: this.wasm.supple_clip_count(character) }, (_, clip) => ({
            name: this.text(this.wasm.supple_clip_name(character, clip)),
            seconds: this.wasm.supple_clip_seconds(character, clip),
        }));
    }

    free(character) {
        this.wasm.supple_character_free(character);
    }

    play(character, clip, chain) {
        const address = this.withText(chain, links => this.wasm.supple_play(character, clip, links));
        return new Player(this, this.#made(address), this.wasm.supple_point_count(character));
    }

    /** Ends the workers. After the players. */
    async close() {
        if (this.pool) this.wasm.supple_pool_free(this.pool);
        this.pool = 0;
        await Promise.all(this.workers.splice(0).map(worker => worker.terminate()));
    }

    #made(address) {
        if (!address) throw this.error();
        return address;
    }
}
