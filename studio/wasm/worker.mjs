// A worker of supple.mjs: the same module on the same memory, with a stack of its own. It sleeps in the module between jobs.
const port = typeof self === "undefined" ? (await import("node:worker_threads")).parentPort : self;

async function serve({ module, memory, pool, stack }) {
    const { exports: wasm } = await WebAssembly.instantiate(module, { env: { memory } });
    wasm.__stack_pointer.value = stack;
    port.postMessage("ready");
    wasm.supple_serve(pool);
}

if (port.once) port.once("message", serve);
else port.onmessage = event => serve(event.data);
