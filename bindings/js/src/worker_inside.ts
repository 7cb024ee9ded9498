// The worker that compat.mjs contains as text: its creator sends the module's bytes, and further workers are made from the same text.
import { inNode, ofNodeItself } from "./module.ts";
import { startWorker } from "./place.ts";
import { run } from "./worker.ts";

void (async () => {
    const text: string = inNode ? (await ofNodeItself("worker_threads")).workerData : "";
    await run({
        bytes: () => Promise.reject(new Error("the page brought no module")),
        worker: () => startWorker(() => new Worker(self.location.href), () => text),
    });
})();
