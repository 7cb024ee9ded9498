// One interface to the workers of a page and of Node.
import { type AnyWorker, inNode, ofNodeItself } from "./module.ts";

/** A worker whose file is missing, or that a page may not start, does not report why. */
const NO_WORKER = "the worker could not be started; copy worker.mjs beside the bundle, or import supple-skin/compat (its worker is a blob, which the page's content security policy must allow)";

function ofPage(worker: Worker): AnyWorker {
    return {
        postMessage: (message, transfer = []) => worker.postMessage(message, transfer),
        terminate: () => worker.terminate(),
        listen(onMessage, onError) {
            worker.onmessage = event => onMessage(event.data);
            worker.onerror = event => onError(new Error(event.message || NO_WORKER));
        },
    };
}

function ofNode(worker: any): AnyWorker {
    return {
        postMessage: (message, transfer = []) => worker.postMessage(message, transfer),
        terminate: () => worker.terminate(),
        listen(onMessage, onError) {
            worker.on("message", onMessage);
            worker.on("error", onError);
        },
    };
}

/** `page` is called where Worker exists; it must contain the `new Worker(new URL(...))` that bundlers look for. */
export async function startWorker(page: () => Worker, inNodeFrom: () => URL | string): Promise<AnyWorker> {
    if (!inNode) return ofPage(page());
    const { Worker: NodeWorker } = await ofNodeItself("worker_threads");
    const source = inNodeFrom();
    const worker = new NodeWorker(source, { eval: typeof source === "string", workerData: source instanceof URL ? undefined : source });
    worker.unref(); // it does not keep the program running
    return ofNode(worker);
}
