// A worker of either kind. Pool: the same module on the same memory with a stack of its own, asleep in the module between jobs.
// Library: a whole session, called by client.ts.
import type { Question, Said } from "./client.ts";
import { type Exports, type Place, inNode, ofNodeItself } from "./module.ts";
import { Bake, Chain, Character, Player, Supple, SuppleError } from "./supple.ts";

interface Port {
    postMessage(message: unknown, transfer?: Transferable[]): void;
}
interface Serve {
    module: WebAssembly.Module;
    memory: WebAssembly.Memory;
    pool: number;
    stack: number;
}

async function serve(port: Port, { module, memory, pool, stack }: Serve): Promise<void> {
    const nobody = () => 0;
    const { exports } = await WebAssembly.instantiate(module, { env: { memory, progress: nobody, read: () => -1n } });
    (exports.__stack_pointer as WebAssembly.Global).value = stack;
    port.postMessage("ready");
    (exports as unknown as Exports).supple_serve!(pool);
}

const things = new Map<number, any>();
let made = 0;

function isThing(value: unknown): boolean {
    return [Supple, Character, Chain, Player, Bake].some(kind => value instanceof kind);
}

/** Copies views of the module's memory, so that they can be transferred. */
function own(value: any, transfer: Transferable[]): unknown {
    if (ArrayBuffer.isView(value)) {
        const copy = (value as Float32Array).slice();
        transfer.push(copy.buffer as ArrayBuffer);
        return copy;
    }
    if (Array.isArray(value)) return value.map(one => own(one, transfer));
    if (value && typeof value === "object") return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, own(one, transfer)]));
    return value;
}

// Polling an address takes a millisecond or two; nobody notices a delay below this.
const ASK_AGAIN = 100; // ms

/** Whether the page has asked to stop. */
function watch(sign: SharedArrayBuffer | string): () => boolean {
    if (typeof sign !== "string") {
        const flag = new Int32Array(sign);
        return () => Atomics.load(flag, 0) !== 0;
    }
    let asked = performance.now();
    return () => {
        if (performance.now() - asked < ASK_AGAIN) return false;
        const request = new XMLHttpRequest();
        try {
            request.open("GET", sign, false);
            request.send();
        } catch {
            return true; // revoked
        }
        asked = performance.now();
        return request.status !== 200;
    };
}

async function answer(port: Port, place: Place, { id, target, method, parameters, listener }: Question): Promise<void> {
    const say = (said: Said, transfer: Transferable[] = []) => port.postMessage(said, transfer);
    try {
        if (listener) {
            const stopped = watch(listener.stop);
            parameters[listener.at] = (fraction: number, what: string) => {
                say({ id, fraction, what });
                return !stopped();
            };
        }
        const thing = things.get(target);
        if (target && !thing) throw new SuppleError("the handle is invalid: it was freed, or never created", "dead");
        const value = target ? (method === "threads" ? thing.threads : await thing[method](...parameters)) : await Supple.open(place, parameters[0] as object);
        if (method === "free") things.delete(target);
        if (isThing(value)) {
            things.set(++made, value);
            say({ id, made });
        } else {
            const transfer: Transferable[] = [];
            say({ id, value: own(value, transfer) }, transfer);
        }
    } catch (error) {
        const { message } = error as Error;
        say(error instanceof SuppleError ? { id, error: message, code: error.code } : { id, error: message });
    }
}

/** Holds a lock as long as this worker lives; resolves when it is acquired, or cannot be: a sandboxed frame has no locks, nor does its page. */
const holdLock = (name: string): Promise<void> => new Promise(resolve => {
    if (!navigator.locks) return resolve();
    navigator.locks.request(name, () => (resolve(), new Promise(() => undefined))).catch(() => resolve());
});

/** Waits for the first message, which selects the kind. Requests are answered one after the other. */
export async function run(place: Place): Promise<void> {
    const port: any = inNode ? (await ofNodeItself("worker_threads")).parentPort : self;
    let last = Promise.resolve(), alive = "", started = 0;
    // The workers of the pool signal that they are alive in the same way.
    const own: Place = { ...place, worker: async () => {
        const worker = await place.worker();
        if (alive) worker.postMessage({ alive, number: ++started });
        return worker;
    } };
    const hear = (message: any) => {
        if (message.alive) last = holdLock(`${alive = message.alive}/${message.number ?? 0}`);
        else if (message.serve) last = last.then(() => serve(port, message.serve));
        else last = last.then(() => answer(port, own, message));
    };
    if (inNode) port.on("message", hear);
    else port.onmessage = (event: MessageEvent) => hear(event.data);
}
