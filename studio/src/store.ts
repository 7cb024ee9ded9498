// The session, every change of it as a command that can be undone, and its place in the address.
import { type Session, firstSession, sessionOf } from "./session.ts";

const MOST_UNDO = 300;       // steps; a session is a few kilobytes
const MERGE_MS = 800;        // changes of one thing (a drag) closer than this are one step
const AUTOSAVE_MS = 500;     // after the first change that is not saved, never while a pointer is down

/** Begins the names of things that are one step however long they take. */
export const STROKE = "stroke ";

interface Step {
    before: Session;
    after: Session;
    label: string;
    /** Steps with the same one, soon after each other, become one. */
    merge: string;
    at: number;
}

export class Store {
    private undone: Step[] = [];
    private done: Step[] = [];
    private readonly listeners = new Set<(now: Session, before: Session) => void>();
    private waiting = false;
    /** Whether the address still contains an older session. */
    unsaved = false;
    private pointerDown = false;

    private constructor(private session: Session) {
        addEventListener("pointerdown", () => (this.pointerDown = true), true);
        addEventListener("pointerup", () => (this.pointerDown = false), true);
        addEventListener("pointercancel", () => (this.pointerDown = false), true);
    }

    /** From the address, or the first one. */
    static async open(): Promise<Store> {
        return new Store(await fromAddress() ?? firstSession());
    }

    get now(): Session { return this.session; }
    get canUndo(): string | undefined { return this.done.at(-1)?.label; }
    get canRedo(): string | undefined { return this.undone.at(-1)?.label; }

    /** A change by the user: undo restores the state before it. */
    do(label: string, change: (session: Session) => Session, merge = ""): void {
        const before = this.session, after = change(before), at = Date.now();
        if (after === before) return;
        const last = this.done.at(-1);
        if (merge && last?.merge === merge && (at - last.at < MERGE_MS || merge.startsWith(STROKE))) Object.assign(last, { after, at });
        else this.done.push({ before, after, label, merge, at });
        if (this.done.length > MOST_UNDO) this.done.shift();
        this.undone = [];
        this.become(after);
    }

    /** A change that is kept but is no step of undo: the playhead, the camera, what a file turned out to contain. */
    keep(change: (session: Session) => Session): void {
        const after = change(this.session);
        if (after !== this.session) this.become(after);
    }

    undo(): string | undefined { return this.travel(this.done, this.undone, "before"); }
    redo(): string | undefined { return this.travel(this.undone, this.done, "after"); }

    listen(listener: (now: Session, before: Session) => void): void {
        this.listeners.add(listener);
    }

    /** The same, without what changes in every picture while it plays: the playhead, and where one looks from. */
    follow(listener: () => void): void {
        this.listeners.add((now, before) => {
            const names = Object.keys({ ...now, ...before }) as (keyof Session)[];
            if (names.some(name => name !== "frame" && name !== "camera" && now[name] !== before[name])) listener();
        });
    }

    private travel(from: Step[], to: Step[], which: "before" | "after"): string | undefined {
        const step = from.pop();
        if (!step) return undefined;
        to.push(step);
        // The camera is not part of a step: it stays where it is.
        const { frame, camera, source } = this.session, next = step[which], what = ({ file, builtin, bend }: Session["source"]) => JSON.stringify([file?.hash, builtin, bend]);
        // Another character, or a joint that the Doctor bends, is seen as it was: where this one is looked at from says nothing of it.
        this.become(what(next.source) === what(source) ? { ...next, frame, camera } : next);
        return step.label;
    }

    private become(after: Session): void {
        const before = this.session;
        this.session = after;
        this.saveSoon();
        for (const listener of this.listeners) {
            try {
                listener(after, before);
            } catch (error) {
                reportError(error); // a part of the page that fails takes no other with it
            }
        }
    }

    /** Not after the last change: a playhead that moves on and on would put it off for as long as it plays. */
    private saveSoon(): void {
        this.unsaved = true;
        if (this.waiting) return;
        this.waiting = true;
        setTimeout(() => this.save(), AUTOSAVE_MS);
    }

    /** Writes the session to the address, but never in the middle of a drag. */
    private async save(): Promise<void> {
        this.waiting = false;
        if (this.pointerDown) return this.saveSoon();
        const saved = this.session, packed = await pack(saved);
        history.replaceState(null, "", `#s=${packed}`);
        if (this.done.length) keepLast(packed); // a person did something
        if (saved !== this.session) this.saveSoon();
        else this.unsaved = false;
    }
}

async function through(bytes: Uint8Array<ArrayBuffer>, stream: GenericTransformStream): Promise<Uint8Array<ArrayBuffer>> {
    return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream as ReadableWritablePair<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>)).arrayBuffer());
}

export async function pack(session: Session): Promise<string> {
    const bytes = await through(new TextEncoder().encode(JSON.stringify(session)), new CompressionStream("deflate-raw"));
    let letters = "";
    for (let i = 0; i < bytes.length; i += 8192) letters += String.fromCharCode(...bytes.subarray(i, i + 8192)); // a call takes only so many arguments
    return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

const fromAddress = (): Promise<Session | undefined> => unpack(/[#&]s=([\w-]+)/.exec(location.hash)?.[1]);

const LAST = "supple-studio-last";
function keepLast(packed: string): void {
    try {
        localStorage.setItem(LAST, packed);
    } catch {
        // Storage may be forbidden; the address contains it anyway.
    }
}
/** What was worked on last in this browser, under whatever address. */
export async function lastSession(): Promise<Session | undefined> {
    try {
        return await unpack(localStorage.getItem(LAST) ?? undefined);
    } catch {
        return undefined;
    }
}

async function unpack(packed: string | undefined): Promise<Session | undefined> {
    if (!packed) return undefined;
    try {
        const bytes = Uint8Array.from(atob(packed.replaceAll("-", "+").replaceAll("_", "/")), letter => letter.charCodeAt(0));
        return sessionOf(JSON.parse(new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw")))));
    } catch {
        return undefined; // somebody else's address, or a cut one: begin anew
    }
}
