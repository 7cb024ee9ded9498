// Binds the session's chains in lanes of their own, simulates ahead, keeps the frames and answers "frame k of chain c". The page's thread
// only sends questions and takes arrays.
import { type Chain, type ChainInfo, type ChainOptions, type CharacterInfo, type DeformerInfo, type Drawing, type Player, type Remote, SuppleError } from "supple-skin";
import { fileBytes } from "./files.ts";
import { type Frame, Frames, seen, shaded } from "./frames.ts";
import { Lane, type MotionSaid, type Shape, characterKey, isFatal, mapsKey, posesKey, sculptsKey, shapeOf, skinKey } from "./lane.ts";
import { type Pull, bindsForces, forcesOf, takeOf, worldWith } from "./touch/take.ts";
import { type Body, bodiesOf, kindsOf, worldMerged } from "./touch/world.ts";
import { Truth } from "./truth.ts";
import { here } from "./words.ts";
import { type ChainSpec, type Session, type Source, type Value, frameCount, frameTime, link, linksText, running, settings } from "./session.ts";

const MOST_BYTES = 600e6;   // of all frames: what a tab may hold on a machine with 4 GB
const LIVE_MS = 1500;       // after the last drag, if nothing was set, the simulation goes on
const SNAPSHOTS = 64;       // of a player: a hand that takes hold goes back to the nearest one
const LIVE_STEP = 1 / 60;   // seconds of tissue a live frame: a machine that cannot keep up shows slower motion, never a later answer
const LONGEST_GAP_MS = 100; // between live frames while a slider stands still
const MOST_RESTARTS = 3;    // of a lane that dies over the same work
const PLAYS = 30;            // frames of plain skinning after which other chains begin to bind
/** The hidden chain that always runs: the skeleton's poses, and something to see while others bind. */
export const BASE = 0;
const BASE_CHAIN: ChainSpec = { id: BASE, links: [link("linear")] };

export interface Status {
    state: "waiting" | "binding" | "simulating" | "ready" | "failed";
    fraction: number;
    /** Our sentence, where it failed. */
    problem: string | null;
}

/** One chain with its lane, its player and its frames. */
class Slot {
    lane: Lane | undefined;
    chain: Remote<Chain> | undefined;
    player: Remote<Player> | undefined;
    info: ChainInfo | undefined;
    readonly frames = new Frames();
    status: Status = { state: "waiting", fraction: 0, problem: null };
    bindKey = "";
    playKey = "";
    motion = "";
    /** Rises with every change of the request; work for an older turn stops. */
    turn = 0;
    restarts = 0;
    /** What links drew of themselves in one frame. */
    drawing: { key: string; at: number; drawing: Drawing } | undefined;
    drawable: string[] | undefined;
    /** The turn whose loop runs; one loop a slot. */
    looping = 0;
    constructor(readonly id: number) {}
}

export interface Span {
    start: number;
    end: number;
    /** Seconds for which its last pose is held after the end. */
    hold: number;
    count: number;
}

export class Engine {
    shape: Shape | undefined;
    deformers: DeformerInfo[] = [];
    builtins: { name: string; summary: string }[] = [];
    /** Why the character could not be read; null: it was. */
    problem: string | null = null;
    readonly truth = new Truth();
    private readonly slots = new Map<number, Slot>();
    private readonly spares: Lane[] = [];
    private readonly listeners = new Set<(what: "character" | "status" | "frames") => void>();
    private session: Session;
    /** The character that is wanted, and the one that is there. */
    private loadedKey = "";
    private shapeKey = "";
    private loading: Promise<void> = Promise.resolve();
    /** What is requested of every frame besides its points. */
    private wanted: { values: string[]; drawn: string[] } = { values: [], drawn: [] };
    private at = 0;

    get playhead(): number { return this.at; }
    set playhead(frame: number) {
        if (frame === this.at) return;
        this.at = frame;
        this.wakeAt();
    }
    /** If a motion is longer than what is kept, frames are computed again when they are viewed. */
    private wakeAt(): void {
        for (const slot of this.slots.values()) if (this.lives()?.slot !== slot && (this.wanted.drawn.length || !slot.frames.get(this.at))) this.wake(slot);
    }

    constructor(session: Session) {
        this.session = session;
        this.truth.onReady = () => this.tell("frames");
    }

    listen(listener: (what: "character" | "status" | "frames") => void): void { this.listeners.add(listener); }
    private tell(what: "character" | "status" | "frames"): void { for (const listener of this.listeners) listener(what); }

    get info(): CharacterInfo | undefined { return this.shape?.info; }

    /** The slot that shows a chain: a bare linear one is the base itself. */
    private slotOf(id: number): Slot | undefined {
        const chain = this.session.chains.find(one => one.id === id);
        return chain && isBase(chain) ? this.slots.get(BASE) : this.slots.get(id);
    }
    frames(id: number): Frames | undefined { return this.slotOf(id)?.frames; }
    status(id: number): Status { return this.slotOf(id)?.status ?? { state: "waiting", fraction: 0, problem: null }; }
    description(id: number): ChainInfo | undefined { return this.slotOf(id)?.info; }
    base(): Frames | undefined { return this.slots.get(BASE)?.frames; }

    clip(session = this.session): { name: string; seconds: number } | undefined {
        const clips = this.info?.clips ?? [];
        return clips.find(one => one.name === session.clip) ?? clips[0];
    }

    /** What is played and baked, in seconds and frames. */
    span(session = this.session): Span {
        const seconds = this.clip(session)?.seconds ?? 0;
        const start = Math.min(Math.max(session.start ?? 0, 0), seconds), end = Math.min(Math.max(session.end ?? seconds, start), seconds);
        const hold = session.cycle ? 0 : takeOf(session, this.clip(session)?.name ?? null).hold;
        return { start, end, hold, count: frameCount(start, end + hold, session.fps, session.cycle) };
    }

    /** Follows the session. */
    sync(session: Session): void {
        const before = this.session, same = (["source", "clip", "chains", "fps", "start", "end", "cycle", "take", "world"] as const).every(name => before[name] === session[name]);
        this.session = session;
        const moved = session.frame !== this.at; // by a step that goes elsewhere: what a hand recorded, undo, another clip
        this.at = session.frame;
        if (same && this.loadedKey) return void (moved && this.wakeAt()); // the playhead, the camera, what is shown
        const key = characterKey(session.source), world = session.source.world?.hash ?? "";
        if (key !== this.loadedKey) {
            this.loadedKey = key;
            this.loading = this.loading.then(() => this.load(key));
        } else if (key !== this.shapeKey) return; // it is being read; chains follow when it is there
        else if (posesKey(session.source) !== this.posed || world !== this.worldKey) this.loading = this.loading.then(() => this.loadBeside());
        else this.syncChains();
    }

    private beside = false;
    /** What changes besides the character while it plays: clips of poses, and the world. */
    private async loadBeside(): Promise<void> {
        this.beside = true;
        try {
            if (posesKey(this.session.source) !== this.posed) await this.loadPoses();
            if ((this.session.source.world?.hash ?? "") !== this.worldKey) await this.loadWorld();
            this.syncChains();
        } catch (error) {
            this.onProblem(sentence(error));
        } finally {
            this.beside = false;
        }
    }

    private posed = "[]";
    /** Makes clips of poses again where plain skinning runs; the character stays the same. */
    private async loadPoses(): Promise<void> {
        const { source } = this.session, lane = this.slots.get(BASE)?.lane;
        this.posed = posesKey(source);
        if (!lane || !this.shape) return;
        await lane.load(source);
        this.shape.info = await lane.character.inspect();
    }
    private world: object | undefined;
    /** The world that was dropped, with what was changed of it here. */
    get worldFile(): object | undefined { return worldMerged(this.world, this.session.world); }
    private pulls(): Pull[] { return takeOf(this.session, this.clip()?.name ?? null).pulls; }
    private worldKey = "";
    private async loadWorld(): Promise<void> {
        const { world } = this.session.source;
        this.worldKey = world?.hash ?? "";
        this.world = world && JSON.parse(new TextDecoder().decode(await fileBytes(world))) as object;
    }

    /** Whether a character can be read, known before the session changes: if not, what plays continues. */
    async probe(source: Source): Promise<CharacterInfo> {
        return this.inSpare(async lane => {
            await lane.load(source);
            const info = await lane.character.inspect();
            this.motions = lane.motions;
            return info;
        });
    }
    /** Whether the core accepts a world, known before it becomes the session's. */
    async probeWorld(world: object): Promise<void> {
        await this.inSpare(async lane => {
            await lane.load(this.session.source);
            await lane.props(this.session.world?.files);
            await (await lane.character.chain({ links: "linear", clip: this.clip()?.name ?? null, world })).free();
        });
    }
    /** Work in a separate lane, which is kept for other work unless it died. */
    private async inSpare<T>(work: (lane: Lane) => Promise<T>): Promise<T> {
        const kept = this.spares.pop(), lane = kept ?? await Lane.open();
        try {
            const made = await work(lane);
            this.spare(lane);
            return made;
        } catch (error) {
            if (isFatal(error)) lane.close();
            else this.spare(lane);
            if (kept && error instanceof SuppleError && error.code === "dead") return this.inSpare(work); // it had died while nobody looked
            throw error;
        }
    }
    /** A file other than the character cannot be read. */
    onProblem: (why: string) => void = () => undefined;
    /** A worker died and was started again. */
    onRestart: (why: string) => void = () => undefined;
    /** What was put onto the rig by the last probe. */
    motions: MotionSaid[] = [];

    /** Values a point that heat maps need in every frame, and the deformers that draw themselves in the frame that is shown. */
    want(values: string[], drawn: string[]): void {
        if (values.join() === this.wanted.values.join() && drawn.join() === this.wanted.drawn.join()) return;
        this.wanted = { values, drawn };
        for (const slot of this.slots.values()) this.wake(slot);
    }

    /** An array of the character as its file has it; undefined: none of that name. */
    async fileArray(name: string): Promise<Float32Array | undefined> {
        return this.slots.get(BASE)?.lane?.character.array(name as "points").then(values => (values as Float32Array).slice(), () => undefined);
    }

    rate(): { fps: number } { return { fps: this.session.fps }; }
    async ready(): Promise<void> { await this.loading; }

    /** Nothing is being bound, simulated or dragged: deferred work may begin. */
    get idle(): boolean { return !this.lives() && this.current && [...this.slots.values()].every(slot => slot.status.state === "ready" || slot.status.state === "failed"); }

    /** One frame of a chain that is not in the session, computed in a separate lane; undefined when `go` cancels. */
    async aside(spec: ChainSpec, at: number, go: () => boolean): Promise<Frame | undefined> {
        const { start } = this.span();
        return this.inSpare(async lane => {
            await lane.load(this.session.source);
            await lane.props(this.session.world?.files);
            const chain = await lane.character.chain(this.chainOptions(spec), go), player = await chain.play(this.playOptions());
            for (const [name, value] of this.frameValues(spec)) await player.set(name, value);
            const [points, shading] = await Promise.all([player.evaluate(frameTime(start, this.session.fps, at)), shaded(player, this.info!.vertices)]);
            await Promise.all([player.free(), chain.free()]);
            return { points, ...shading, hash: "", ms: 0, pose: new Float32Array() };
        }).catch(() => undefined); // stopped, or this character does not take it
    }

    // -------------------------------------------------------------------------------------------- a parameter under the finger

    /**
     * Lends a chain's player to a hand: what simulates ahead stops, and what the hand shows is what is seen of the chain. After the end its last
     * frame stays until the chain has it (`until`, -1: at once).
     */
    lend(id: number): { player: Remote<Player>; alive(): boolean; show(frame: Frame): void; end(until: number): void } | undefined {
        const slot = this.slotOf(id), player = slot?.player;
        if (!slot || !player || slot.id === BASE || slot.status.state === "binding") return undefined;
        const turn = ++slot.turn, living: NonNullable<Engine["living"]> = { slot, values: new Map(), frame: undefined, until: Infinity };
        this.living = living;
        return {
            player, alive: () => turn === slot.turn,
            show: frame => {
                if (this.living === living) living.frame = frame;
                this.tell("frames");
            },
            end: until => {
                living.lasts = until;
                if (until < 0 && this.living === living) this.living = undefined;
                // Nothing else may come of it: the player has forces that the session does not.
                if (until < 0 && turn === slot.turn) void this.play(slot);
            },
        };
    }

    /** Lends a chain to poses from a hand, also while it binds anew, which then begins again. The last frame stays until the chain has it (-1: at once). */
    lendChain(id: number): { chain: Remote<Chain>; values: [string, number][]; alive(): boolean; show(frame: Frame): void; end(until: number): void } | undefined {
        const slot = this.slotOf(id), { chain } = slot ?? {};
        if (!slot || !chain) return undefined;
        const binding = slot.status.state === "binding", turn = ++slot.turn, living: NonNullable<Engine["living"]> = { slot, values: new Map(), frame: undefined, until: Infinity };
        this.living = living;
        return {
            chain, values: this.frameValues(this.specOf(slot)), alive: () => this.living === living && turn === slot.turn,
            show: frame => {
                if (this.living === living) living.frame = frame;
                this.tell("frames");
            },
            end: until => {
                if (until >= 0) living.lasts = until;
                else if (this.living === living) this.living = undefined;
                if (until < 0 && turn === slot.turn) void (binding ? this.bind(slot, slot.bindKey) : this.play(slot));
            },
        };
    }

    private living: { slot: Slot; values: Map<string, number>; frame: Frame | undefined; until: number; lasts?: number } | undefined;
    /** Slider movements that want to be shown. */
    asked = 0;

    /** The skin while a parameter is dragged: the tissue continues in the displayed pose. Not a frame of the bake. */
    liveFrame(id: number): Frame | undefined {
        const living = this.lives();
        return living && living.slot === this.slotOf(id) ? living.frame : undefined;
    }
    /** What is under a hand, or was and still stands for a frame that its chain does not have yet. Over with its chain, and when that frame is there or is not looked at. */
    private lives(): Engine["living"] {
        const { living } = this;
        if (living && (this.slots.get(living.slot.id) !== living.slot || living.lasts !== undefined && (living.slot.frames.get(living.lasts) || this.at !== living.lasts))) this.living = undefined;
        return this.living;
    }

    /** Sets a parameter while it is dragged; the final value comes through the session. */
    live(id: number, name: string, value: number): void {
        const slot = this.slotOf(id);
        if (!slot?.chain || slot.status.state === "binding" || slot.id === BASE) return;
        const until = performance.now() + LIVE_MS;
        ++this.asked;
        const held = this.lives();
        if (held?.slot === slot && held.lasts === undefined) {
            held.values.set(name, value);
            held.until = until;
            this.goOn();
            return;
        }
        this.goOn(); // of the slider before this one
        ++slot.turn; // what simulates ahead makes room
        const living = { slot, values: new Map([[name, value]]), frame: undefined, until };
        this.living = living;
        const { chain } = slot;
        void this.keepLiving(living, chain).catch(error => {
            if (this.living === living && slot.chain === chain) this.onProblem(sentence(error));
        }).finally(() => {
            if (this.living === living) this.living = undefined;
            if (slot.player && slot.looping !== slot.turn && slot.status.state !== "binding") this.goOnWith(slot);
            this.tell("frames");
        });
    }

    private async keepLiving(living: NonNullable<Engine["living"]>, chain: Remote<Chain>): Promise<void> {
        const player = await chain.play({ live: true }), vertices = this.info!.vertices, spec = this.session.chains.find(one => one.id === living.slot.id);
        try {
            for (const [name, value] of spec ? this.frameValues(spec) : []) await player.set(name, value);
            for (let last = performance.now(), first = true; this.living === living && performance.now() < living.until; first = false) {
                const answers = this.asked;
                for (const [name, value] of living.values) void player.set(name, value);
                living.values.clear();
                const base = this.base()?.any(this.playhead);
                if (!base) return;
                const now = performance.now(), dt = Math.max(1 / 240, Math.min(LIVE_STEP, (now - last) / 1000));
                last = now;
                const [points, shading] = await Promise.all([player.live(dt, base.pose, base.morphs, first), shaded(player, vertices)]);
                if (this.living !== living) return;
                living.frame = { points, ...shading, hash: "", ms: performance.now() - now, pose: base.pose, answers };
                this.tell("frames");
                if (answers === this.asked) await this.seenOrMoved(living.frame, living.until);
            }
        } finally {
            await player.free().catch(() => undefined);
        }
    }

    /** Until a live frame stands on the screen, or the slider moves on: frames that nobody sees take their time from the picture that is waited for (or the hand, which then says goOn). */
    async seenOrMoved(frame: Frame, until = performance.now() + LIVE_MS): Promise<void> {
        this.goOn(); // whoever waits for an older frame waits for one that nobody will see
        let waiting: Engine["waiting"];
        await new Promise<void>(resolve => {
            this.waiting = waiting = { frame, resolve };
            setTimeout(resolve, Math.max(0, until - performance.now())); // a page that is not seen draws nothing
        });
        if (this.waiting === waiting) this.waiting = undefined;
    }
    private waiting: { frame: Frame; resolve(): void } | undefined;
    goOn(): void { this.waiting?.resolve(); }
    /** Frames that the picture on the screen was made of, in so many ms. Where that is long, the next movement of a slider finds the drawing thread free. */
    seen(frames: (Frame | undefined)[], ms: number): void {
        if (this.waiting && frames.includes(this.waiting.frame)) setTimeout(this.waiting.resolve, Math.min(ms, LONGEST_GAP_MS));
    }

    // -------------------------------------------------------------------------------------------- the character

    /** Whether the character that plays, its poses and its world are those that are wanted. */
    get current(): boolean {
        const { source } = this.session;
        return this.shapeKey === this.loadedKey && !this.beside && posesKey(source) === this.posed && (source.world?.hash ?? "") === this.worldKey;
    }

    private async load(key: string): Promise<void> {
        if (key !== this.loadedKey) return; // another one is wanted by now
        const { source } = this.session, base = this.slots.get(BASE) ?? new Slot(BASE);
        this.slots.set(BASE, base);
        ++base.turn; // what runs there stops
        try {
            base.lane ??= await Lane.open(true);
            if (!this.deformers.length) [this.deformers, this.builtins] = await Promise.all([base.lane.supple.deformers(), base.lane.supple.builtins()]);
            await Promise.all([base.lane.load({ ...source, sculpts: [] }), this.loadWorld()]); // what the file itself brings
            const shape = await shapeOf(base.lane.character);
            if (key !== this.loadedKey) return;
            this.shape = shape;
            this.posed = posesKey(source);
            this.shapeKey = key;
            this.weightsAt = skinKey(source);
            this.problem = null;
            base.restarts = 0;
            for (const slot of this.slots.values()) slot.bindKey = slot.playKey = "";
            for (const slot of this.slots.values()) slot.frames.restart(0, false);
            this.tell("character");
            this.syncChains();
        } catch (error) {
            if (key !== this.loadedKey) return;
            if (isFatal(error)) {
                base.lane?.close();
                base.lane = base.chain = base.player = undefined;
                if (++base.restarts <= MOST_RESTARTS) return this.load(key);
            }
            this.problem = sentence(error);
            this.tell("character");
        }
    }

    // -------------------------------------------------------------------------------------------- chains

    private syncChains(): void {
        void this.truth.follow(this.session.source.truth, this.info!.points).catch(error => this.onProblem(sentence(error)));
        const wanted = this.session.chains.filter(chain => !isBase(chain));
        for (const [id, slot] of this.slots) {
            if (id === BASE || wanted.some(chain => chain.id === id)) continue;
            this.slots.delete(id);
            ++slot.turn;
            this.retire(slot);
        }
        for (const spec of [BASE_CHAIN, ...wanted]) {
            const slot = this.slots.get(spec.id) ?? new Slot(spec.id);
            this.slots.set(spec.id, slot);
            const bindKey = this.bindKey(spec);
            if (slot.bindKey !== bindKey && this.readied?.key === bindKey && this.readied.chain) this.adopt(slot, bindKey);
            else if (slot.bindKey !== bindKey) {
                slot.restarts = 0;
                void this.bind(slot, bindKey);
            } else if (slot.playKey !== this.playKey(spec) && slot.chain && (slot.status.state === "ready" || slot.status.state === "simulating")) void this.play(slot);
        }
        this.wakeAt();
        this.tell("status");
    }

    /** What makes another bind. Forces and the places of bodies are given to what plays, where no link knows them since it was bound. */
    private bindKey(spec: ChainSpec, world = this.worldFile): string {
        const { source } = this.session, options = this.chainOptions(spec, world);
        const bound = bindsForces(spec.links) || !options.world ? options : { ...options, world: { ...options.world, bodies: kindsOf(options.world) } };
        return JSON.stringify([characterKey(source), skinKey(source), spec.id === BASE ? "" : mapsKey(source), this.sculpted(spec) ? sculptsKey(source) : "", posesKey(source, this.clip()?.name ?? null), bound, this.session.world?.files?.map(one => one.hash)]);
    }

    // -------------------------------------------------------------------------------------------- a chain for one body more

    /** `play` is what its player was made for: which chain, and everything that changes frames of the same bind. */
    private readied: { id: number; key: string; play: string; lane?: Lane; chain?: Remote<Chain>; info?: ChainInfo; player?: Remote<Player>; at?: number } | undefined;

    /** Binds a chain as it is with other bodies, beside the one that plays: what pokes needs it at once. Nothing when it is there, or cannot be. */
    async readyBodies(id: number, bodies: Body[]): Promise<void> {
        const slot = this.slotOf(id), spec = slot && this.specOf(slot), world = { ...this.worldFile, bodies };
        if (!slot || !spec || slot.id === BASE || bindsForces(spec.links) || !this.idle) return;
        await this.makeReady(id, this.bindKey(spec, world), spec, this.chainOptions(spec, world), bodies);
    }
    /** The same with one spring more, for links that know their forces since they were bound: its keys may then change while it plays. */
    async readyForce(id: number, pull: Pull): Promise<void> {
        const slot = this.slotOf(id), spec = slot && this.specOf(slot);
        if (!slot || !spec || slot.id === BASE || !bindsForces(spec.links)) return;
        const options = this.chainOptions(spec), forces = [...forcesOf(this.worldFile), ...this.pulls(), pull];
        await this.makeReady(id, JSON.stringify(["force", pull, this.bindKey(spec)]), spec, { ...options, world: { ...options.world, forces } }, bodiesOf(this.worldFile));
    }
    private async makeReady(id: number, key: string, spec: ChainSpec, options: ChainOptions, bodies: Body[]): Promise<void> {
        const play = JSON.stringify([id, this.playKey(spec)]), old = this.readied?.key === key ? this.readied : undefined;
        if (old?.play === play) return this.readyAt(old);
        if (this.unreadied?.key === key && this.unreadied.play === play) return; // it would fail again
        // Another chain with the same links, or other values of a frame: the bind stays, its player does not.
        const bound = old?.player && old.chain && old.lane ? { lane: old.lane, chain: old.chain, info: old.info! } : undefined;
        if (bound) void old!.player!.free().catch(() => undefined), this.readied = this.unreadied = undefined;
        else this.unready();
        const readied: NonNullable<Engine["readied"]> = (this.readied = { id, key, play, ...bound }), go = () => this.readied === readied;
        let lane = bound?.lane;
        try {
            lane ??= await Lane.open();
            if (!bound) {
                await lane.load(this.session.source);
                await lane.props(this.session.world?.files);
            }
            const chain = bound?.chain ?? await lane.character.chain(options, go), info = bound?.info ?? await chain.describe(), player = await this.player(chain, spec, bodies);
            if (!go()) return bound ? void player.free().catch(() => undefined) : lane.close(); // a bind that was there has gone to the session, or is closed
            Object.assign(readied, { lane, chain, info, player });
            await this.readyAt(readied);
        } catch (error) {
            if (go() || !bound) lane?.close();
            if (!go()) return;
            this.readied = undefined;
            this.unreadied = { id, key, play, problem: sentence(error) };
            this.onProblem(this.unreadied.problem);
        }
        this.tell("status");
    }
    private unreadied: { id: number; key: string; play: string; problem: string } | undefined;
    /** Why a chain could not be made ready; null: it was, or has not been tried in its current state. */
    readyProblem(id: number): string | null { return this.unreadied?.id === id ? this.unreadied.problem : null; }
    /** What is simulated up to the playhead answers at once. */
    private async readyAt(readied: NonNullable<Engine["readied"]>): Promise<void> {
        const { player } = readied, { at } = this;
        if (!player || readied.at === at) return;
        readied.at = at;
        await player.evaluate(frameTime(this.span().start, this.session.fps, at)).catch(() => undefined);
    }
    /** Whether one body more can be had at once. */
    readyFor(id: number): boolean { return this.readied?.id === id && Boolean(this.readied.player); }
    /** The player of the chain that was made ready. */
    readyPlayer(id: number): Remote<Player> | undefined { return this.readied?.id === id ? this.readied.player : undefined; }
    unready(): void {
        this.readied?.lane?.close();
        this.readied = this.unreadied = undefined;
    }
    /** The chain that was made ready is the session's now. */
    private adopt(slot: Slot, bindKey: string): void {
        const { lane, chain, info, player } = this.readied!;
        this.readied = undefined;
        ++slot.turn;
        void player?.free().catch(() => undefined);
        this.retire(slot);
        Object.assign(slot, { lane, chain, info, player: undefined, drawable: undefined, drawing: undefined, bindKey, restarts: 0 });
        void this.play(slot);
    }

    /** Whether sculpts drive a link of it. */
    sculpted(spec: ChainSpec): boolean { return spec.links.some(one => !one.muted && this.deformers.find(each => each.name === one.deformer)?.needs.includes("examples")); }
    /** The chain of a slot as the session has it now. */
    private specOf(slot: Slot): ChainSpec { return this.session.chains.find(one => one.id === slot.id) ?? BASE_CHAIN; }
    /** What makes other frames of the same bind. */
    private playKey(spec: ChainSpec): string { return JSON.stringify([this.motionKey(), this.frameValues(spec), this.pulls(), this.session.world?.forces, bodiesOf(this.worldFile)]); }
    /** What makes another motion: frames of one are no older result of another. */
    private motionKey(): string { return JSON.stringify([characterKey(this.session.source), this.clip()?.name, this.playOptions(), this.session.fps]); }

    /** Whether a value may change while playing; those of bones are part of the bind. */
    private isLive(deformer: string, name: string, value: Value): boolean {
        return typeof value === "number" && !name.includes("@") && this.deformers.find(one => one.name === deformer)?.params.find(one => one.name === name)?.stage === "frame";
    }

    private chainOptions(spec: ChainSpec, all = this.worldFile): ChainOptions {
        const given = forcesOf(this.world), world = spec.id === BASE ? undefined : bindsForces(spec.links) ? worldWith(all, this.pulls()) : all && { ...all, ...(given.length ? { forces: given } : { forces: undefined }) };
        const bound = { ...spec, links: spec.links.map(one => ({ ...one, values: Object.fromEntries(Object.entries(one.values).filter(([name, value]) => !this.isLive(one.deformer, name, value))) })) };
        return { links: linksText(spec), clip: this.clip()?.name ?? null, set: settings(bound), ...(world ? { world } : {}) };
    }

    private frameValues(spec: ChainSpec): [string, number][] {
        return running(spec).flatMap(({ link: one, name }) => Object.entries(one.values)
            .filter(([parameter, value]) => this.isLive(one.deformer, parameter, value)).map(([parameter, value]): [string, number] => [`${name}.${parameter}`, value as number]));
    }

    private playOptions(): { start: number; end: number; loop: boolean } {
        const { start, end, hold } = this.span();
        return { start, end: end + hold, loop: this.session.cycle && Boolean(this.clip()) };
    }

    /** Binds in a spare lane while the old result keeps playing, then takes its place. */
    private async bind(slot: Slot, bindKey: string): Promise<void> {
        const turn = ++slot.turn, { source } = this.session, options = this.chainOptions(this.specOf(slot));
        slot.bindKey = bindKey;
        // From now on the existing frames are an older result: their hashes are not the session's.
        slot.frames.restart(this.span().count, slot.motion === this.motionKey());
        if (this.living?.slot === slot && this.living.lasts === undefined) this.living = undefined;
        slot.status = { state: "binding", fraction: 0, problem: null };
        this.tell("status");
        let lane: Lane | undefined;
        try {
            // What plays at once comes first: binding takes every core.
            if (slot.id !== BASE) await this.moves();
            if (turn !== slot.turn) return;
            lane = slot.id === BASE && slot.lane ? slot.lane : this.spares.pop() ?? await Lane.open();
            await lane.load(source);
            await lane.props(this.session.world?.files);
            if (slot.id === BASE) await this.takeWeights(lane, skinKey(source));
            const chain = await lane.character.chain(options, fraction => {
                if (turn === slot.turn) {
                    slot.status = { state: "binding", fraction, problem: null };
                    this.tell("status");
                }
                return turn === slot.turn;
            });
            const info = await chain.describe();
            if (turn !== slot.turn) {
                await chain.free();
                if (slot.lane !== lane) this.spare(lane);
                return;
            }
            if (slot.lane !== lane) this.retire(slot);
            else await Promise.all([slot.player?.free(), slot.chain?.free()]);
            Object.assign(slot, { lane, chain, info, player: undefined, drawable: undefined, drawing: undefined });
            await this.play(slot);
        } catch (error) {
            const stopped = error instanceof SuppleError && error.code === "cancelled";
            if (lane && slot.lane !== lane) isFatal(error) ? lane.close() : this.spare(lane);
            if (turn !== slot.turn || stopped) return;
            this.failed(slot, error);
        }
    }

    /** The weights that the shape has are those of the session. */
    private async takeWeights(lane: Lane, key: string): Promise<void> {
        const { shape } = this;
        if (!shape || key === this.weightsAt) return;
        const [weightBegin, weightJoints, weightValues] = await Promise.all([lane.character.array("weight_begin"), lane.character.array("weight_joints"), lane.character.array("weight_values")]);
        Object.assign(shape, { weightBegin, weightJoints, weightValues });
        this.weightsAt = key;
        this.tell("frames");
    }
    /** Which painted weights the shape has; "": those of the file. */
    weightsAt = "";

    /** Resolves when plain skinning plays, or cannot. */
    private async moves(): Promise<void> {
        const base = this.slots.get(BASE)!, enough = () => base.status.state === "failed" || base.status.state === "ready" || base.frames.done >= Math.min(base.frames.count, PLAYS);
        while (!enough() || !base.frames.count) await new Promise(resolve => setTimeout(resolve, 5));
    }

    /** A lane that died is replaced, and its work restarted from the session; an error of ours is shown. */
    private failed(slot: Slot, error: unknown): void {
        if (isFatal(error)) {
            slot.lane?.close();
            slot.lane = slot.chain = slot.player = undefined;
            if (++slot.restarts <= MOST_RESTARTS) {
                this.onRestart(sentence(error));
                void this.bind(slot, slot.bindKey);
                return;
            }
        }
        slot.status = { state: "failed", fraction: 0, problem: sentence(error) };
        this.tell("status");
    }

    private retire(slot: Slot): void {
        const { lane, chain, player } = slot;
        slot.lane = slot.chain = slot.player = undefined;
        if (!lane) return;
        void Promise.all([player?.free(), chain?.free()]).then(() => this.spare(lane), () => lane.close());
    }

    private spare(lane: Lane): void {
        if (this.spares.length) lane.close();
        else this.spares.push(lane);
    }

    // -------------------------------------------------------------------------------------------- frames

    /** A new motion from the start: what was simulated becomes stale and new frames take its place. */
    private async play(slot: Slot): Promise<void> {
        const turn = ++slot.turn, { chain } = slot, spec = this.specOf(slot), motion = this.motionKey();
        if (!chain) return;
        if (this.living?.slot === slot && this.living.lasts === undefined) this.living = undefined;
        slot.playKey = this.playKey(spec);
        slot.frames.restart(this.span().count, slot.motion === motion);
        slot.motion = motion;
        slot.status = { state: "simulating", fraction: 0, problem: null };
        this.tell("status");
        try {
            const old = slot.player;
            slot.player = undefined;
            await old?.free();
            const player = await this.player(chain, spec, bodiesOf(this.worldFile));
            if (turn !== slot.turn) return void player.free();
            slot.player = player;
            await this.simulate(slot, turn);
        } catch (error) {
            if (turn === slot.turn) this.failed(slot, error);
        }
    }

    /** What plays a chain as the session has it. */
    private async player(chain: Remote<Chain>, spec: ChainSpec, bodies: Body[]): Promise<Remote<Player>> {
        const player = await chain.play({ ...this.playOptions(), snapshots: SNAPSHOTS }), { end, hold } = this.span(), forces = [...forcesOf(this.worldFile), ...this.pulls()];
        if (hold) await player.hold(end);
        if (!bindsForces(spec.links) && spec.id !== BASE) {
            if (forces.length) await player.forces(forces, -1);
            if (bodies.length) await player.bodies(bodies, -1);
        }
        for (const [name, value] of this.frameValues(spec)) await player.set(name, value);
        return player;
    }

    private wake(slot: Slot): void {
        if (slot.status.state === "ready" && slot.player && slot.looping !== slot.turn) this.goOnWith(slot);
    }
    private goOnWith(slot: Slot): void {
        const { turn } = slot;
        void this.simulate(slot, turn).catch(error => turn === slot.turn && this.failed(slot, error));
    }

    /** The frame to work on next: one missing in the window, else one without values, else one that was not measured. */
    private next(slot: Slot): { at: number; what: "frame" | "values" | "measure" | "draw" } | undefined {
        const { count } = this.span(), { frames } = slot, room = this.room(slot);
        // Plain skinning has no past: it begins where one looks.
        const begin = count <= room && slot.id !== BASE ? 0 : this.playhead, size = Math.min(count, room);
        if (this.linksDrawn(slot).length && frames.get(this.at) && slot.drawing?.key !== this.drawKey(slot)) return { at: this.at, what: "draw" };
        for (let i = 0; i < size; ++i) if (!frames.get((begin + i) % count)) return { at: (begin + i) % count, what: "frame" };
        for (let i = 0; i < size; ++i) {
            const at = (this.playhead + i) % count, frame = frames.get(at);
            if (frame && this.wanted.values.some(name => !frame.values?.[name])) return { at, what: "values" };
        }
        if (this.lives() || [...this.slots.values()].some(one => (one.status.state === "simulating" || one.status.state === "binding") && one !== slot)) return undefined;
        for (let i = 0; i < size; ++i) {
            const at = (begin + i) % count;
            if (frames.get(at) && !frames.get(at)!.measures) return { at, what: "measure" };
        }
        return undefined;
    }

    /** Indices of the links that are to draw themselves, in the chain as bound. */
    private linksDrawn(slot: Slot): [number, string][] {
        return (slot.info?.links ?? []).flatMap((one, i) => this.wanted.drawn.filter(name => name.startsWith(`${one.name}.`)).map((name): [number, string] => [i, name.slice(one.name.length + 1)]));
    }
    private drawKey(slot: Slot): string { return `${slot.turn}|${this.at}|${this.linksDrawn(slot).join()}`; }
    /** What the links of a chain can draw of themselves: "layers.cage". */
    drawable(id: number): string[] { return this.slotOf(id)?.drawable ?? []; }
    /** What the links of a chain drew last. */
    drawing(id: number): { at: number; drawing: Drawing } | undefined { return this.wanted.drawn.length ? this.slotOf(id)?.drawing : undefined; }

    /** How many frames of a chain are kept. */
    private room({ frames }: Slot): number {
        const folds = frames.any(this.at)?.folds?.heights.byteLength ?? 0;
        return Math.max(2, Math.floor(MOST_BYTES / this.slots.size / (12 * this.info!.points + 6 * this.info!.vertices + folds)));
    }

    private forget(slot: Slot): void {
        const { count } = this.span(), room = this.room(slot);
        if (count <= room) return;
        for (let at = 0; at < count; ++at) if ((at - this.playhead + count) % count >= room) slot.frames.drop(at);
    }

    private async simulate(slot: Slot, turn: number): Promise<void> {
        slot.looping = turn;
        try {
            await this.loop(slot, turn);
        } finally {
            if (slot.looping === turn) slot.looping = 0;
        }
    }

    /** Asks for nothing, so that links only say what they have; those without an inside refuse. */
    private async askDrawable(slot: Slot, player: Remote<Player>): Promise<string[]> {
        const all = await Promise.all((slot.info?.links ?? []).map(({ name }, i) => player.draw(i, "-").then(drawing => drawing.names.map(what => `${name}.${what}`), () => [] as string[])));
        return [...new Set(all.flat())];
    }

    private async loop(slot: Slot, turn: number): Promise<void> {
        const player = slot.player!, { start, count } = this.span(), { fps } = this.session, vertices = this.info!.vertices;
        for (;;) {
            const job = this.next(slot);
            if (turn !== slot.turn) return;
            if (!job) break;
            const began = performance.now(), evaluated = player.evaluate(frameTime(start, fps, job.at)).then(points => ({ points, ms: performance.now() - began }));
            const known = slot.frames.get(job.at), names = this.wanted.values.filter(name => !known?.values?.[name]);
            const values = Promise.all(names.map(async name => [name, await player.values(name as "stretch")] as const)).then(Object.fromEntries) as Promise<Record<string, Float32Array>>;
            if (job.what === "draw") {
                const key = this.drawKey(slot), [drawings] = await Promise.all([Promise.all(this.linksDrawn(slot).map(([at, what]) => player.draw(at, what).catch(() => undefined))), evaluated, values]);
                if (turn !== slot.turn) return;
                slot.drawing = { key, at: job.at, drawing: joined(drawings) };
            } else if (job.what === "frame") {
                const [{ points, ms }, shading, hash, pose, more, morphs] = await Promise.all([evaluated, shaded(player, vertices), player.hash(), player.pose(), values, this.info!.morphs.length ? player.morphs() : undefined]);
                if (turn !== slot.turn) return;
                slot.drawable ??= await this.askDrawable(slot, player);
                const unseen = seen(points, this.shape!.points, this.info!.diagonal);
                slot.frames.put(job.at, { ...(unseen ? { unseen } : {}), points, ...shading, hash, ms, pose, values: more, ...(morphs ? { morphs } : {}) });
                this.forget(slot);
                slot.status = { state: "simulating", fraction: slot.frames.done / count, problem: null };
            } else {
                const [measures, more] = await Promise.all([job.what === "measure" ? player.measure() : undefined, values, evaluated]);
                if (turn !== slot.turn) return;
                if (known) {
                    known.values = { ...known.values, ...more };
                    if (measures) known.measures = measures;
                    ++slot.frames.revision;
                }
                slot.status = { state: "ready", fraction: 1, problem: null };
            }
            this.tell("frames");
        }
        slot.status = { state: "ready", fraction: 1, problem: null };
        this.tell("status");
        slot.looping = 0;
        for (const other of this.slots.values()) if (other !== slot && this.next(other)) this.wake(other);
    }

    /** The user no longer wants this binding: the older result stays visible, marked as such. */
    cancel(id: number): void {
        const slot = this.slotOf(id);
        if (!slot || slot.status.state !== "binding") return;
        ++slot.turn;
        slot.status = { state: "failed", fraction: 0, problem: "The bind was stopped; what is shown is older than the values. Undo, change a value, or bind again." };
        this.tell("status");
    }

    /** Binds a chain that failed or was stopped once more. */
    retry(id: number): void {
        const slot = this.slotOf(id);
        if (!slot || slot.status.state !== "failed") return;
        slot.restarts = 0;
        void this.bind(slot, slot.bindKey);
    }
}

const isBase = (chain: ChainSpec): boolean => linksText(chain) === "linear";
export const sentence = (error: unknown): string => here(error instanceof Error ? error.message : String(error));

function joined(drawings: (Drawing | undefined)[]): Drawing {
    const one = (name: "lines" | "points" | "triangles") => {
        const parts = drawings.flatMap(drawing => (drawing ? [drawing[name]] : [])), out = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
        let at = 0;
        for (const part of parts) out.set(part, at), at += part.length;
        return out;
    };
    return { lines: one("lines"), points: one("points"), triangles: one("triangles"), names: [] };
}
