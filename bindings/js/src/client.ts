// The library in a worker of its own, so that the page's thread never waits: the same names, but every method returns a promise.
import { type AnyWorker, type Place, inNode } from "./module.ts";
import { type Bake, type Chain, type Character, type OpenOptions, type Player, type Supple, SuppleError } from "./supple.ts";

type Thing = Supple | Character | Chain | Player | Bake;
type Answer<R> = R extends Thing ? Remote<R> : Awaited<R>;
/** The same object in a worker: its methods return promises of their results, and arrays are copies. */
export type Remote<T> = { [K in keyof T]: T[K] extends (...parameters: infer P) => infer R ? (...parameters: P) => Promise<Answer<R>> : Promise<T[K]> };

/** A request to the worker, and its replies. */
export interface Question {
    id: number;
    target: number;
    method: string;
    parameters: unknown[];
    /** Which parameter is a listener, and the signal to stop: a number in shared memory or, where memory cannot be shared, an address that gets
     * revoked. */
    listener?: { at: number; stop: SharedArrayBuffer | string };
}
export type Said =
    | { id: number; value?: unknown; made?: number }
    | { id: number; error: string; code?: SuppleError["code"] }
    | { id: number; fraction: number; what: string };

interface Waiting {
    resolve(value: unknown): void;
    reject(error: Error): void;
    told?: (fraction: number, what: string) => void;
    end?: () => void;
}

/** A busy worker receives no messages. It can poll shared memory or, without that, an address of the page until it is revoked. */
function stopper(): { sign: SharedArrayBuffer | string; stop(): void; end(): void } {
    if (typeof SharedArrayBuffer !== "undefined") {
        const sign = new SharedArrayBuffer(4);
        return { sign, stop: () => void Atomics.store(new Int32Array(sign), 0, 1), end() {} };
    }
    const sign = URL.createObjectURL(new Blob(["go on"])), end = () => URL.revokeObjectURL(sign);
    return { sign, stop: end, end };
}

class Line {
    private readonly waiting = new Map<number, Waiting>();
    private next = 1;
    private dead: Error | undefined;
    /** The workers end on request. */
    closing = false;

    constructor(private readonly worker: AnyWorker) {
        worker.listen(said => this.hear(said as Said), error => this.fail(error));
    }

    ask(target: number, method: string, parameters: unknown[]): Promise<unknown> {
        if (this.dead) return Promise.reject(this.dead);
        const id = this.next++;
        const at = parameters.findIndex(one => typeof one === "function");
        const question: Question = { id, target, method, parameters: parameters.map(one => (typeof one === "function" ? undefined : one)) };
        const waiting = {} as Waiting;
        if (at >= 0) {
            const { sign, stop, end } = stopper(), progress = parameters[at] as (fraction: number, what: string) => unknown;
            question.listener = { at, stop: sign };
            waiting.end = end;
            waiting.told = (fraction, what) => {
                if (progress(fraction, what) === false) stop();
            };
        }
        return new Promise((resolve, reject) => {
            this.waiting.set(id, Object.assign(waiting, { resolve, reject }));
            this.worker.postMessage(question);
        });
    }

    end(why = "the worker was closed"): void {
        this.worker.terminate();
        this.fail(this.dead = new SuppleError(why, "dead"));
    }

    private hear(said: Said): void {
        const waiting = this.waiting.get(said.id);
        if (!waiting) return;
        if ("fraction" in said) return waiting.told?.(said.fraction, said.what);
        this.waiting.delete(said.id);
        waiting.end?.();
        if ("error" in said) waiting.reject(said.code ? new SuppleError(said.error, said.code) : new Error(said.error));
        else waiting.resolve(said.made === undefined ? said.value : remote(this, said.made));
    }

    private fail(error: Error): void {
        for (const { reject, end } of this.waiting.values()) {
            end?.();
            reject(error);
        }
        this.waiting.clear();
    }
}

/** An object whose methods all call the worker. Not a thenable, although `await` asks for `then`. */
function remote(line: Line, target: number): unknown {
    return new Proxy({}, {
        get(_, name) {
            if (typeof name !== "string" || name === "then") return undefined;
            if (name === "threads") return line.ask(target, name, []);
            return async (...parameters: unknown[]) => {
                line.closing ||= name === "close";
                const answer = await line.ask(target, name, parameters);
                if (name === "close") line.end();
                return answer;
            };
        },
    });
}

/** Starts a worker that runs the library. */
export async function connect(place: Place, options: OpenOptions = {}): Promise<Remote<Supple>> {
    const worker = await place.worker(), line = new Line(worker), name = `supple-${Math.random()}`, locks = inNode ? undefined : globalThis.navigator?.locks;
    if (locks) worker.postMessage({ alive: name });
    try {
        const supple = await line.ask(0, "open", [options]) as Remote<Supple>, threads = locks ? await supple.threads : 0;
        // A worker that the browser kills (for memory, say) sends no event. Each worker holds a lock, which the page acquires when it dies.
        for (let i = 0; i < threads; ++i) void locks!.request(`${name}/${i}`, () => line.closing || line.end("the browser ended a worker, perhaps because memory ran out")).catch(() => undefined);
        return supple;
    } catch (error) {
        line.end();
        throw error;
    }
}
