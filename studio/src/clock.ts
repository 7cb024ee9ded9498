// The playhead. It runs by the wall and skips display frames when drawing is slow; which frame is shown never changes what a frame is.
import type { Engine } from "./engine.ts";
import type { Store } from "./store.ts";

const LONGEST = 0.25; // seconds between two draws that still count: a tab that slept does not jump

export class Clock {
    playing = false;
    /** The user drags the playhead: playback continues on release. */
    held = false;
    private seconds = 0;
    private readonly listeners = new Set<() => void>();

    constructor(private readonly store: Store, private readonly engine: Engine) {}

    listen(listener: () => void): void { this.listeners.add(listener); }
    private tell(): void { for (const listener of this.listeners) listener(); }

    play(): void { this.set(true); }
    pause(): void { this.set(false); }
    toggle(): void { this.set(!this.playing); }
    private set(playing: boolean): void {
        if (playing && !this.store.now.repeat && this.store.now.frame >= this.engine.span().count - 1) this.seek(0);
        this.playing = playing;
        this.seconds = this.store.now.frame / this.store.now.fps;
        this.tell();
    }

    seek(frame: number): void {
        const { count } = this.engine.span(), to = Math.max(0, Math.min(count - 1, Math.round(frame)));
        this.engine.playhead = to;
        this.seconds = to / this.store.now.fps;
        this.store.keep(session => (session.frame === to ? session : { ...session, frame: to }));
        this.tell();
    }

    step(by: number): void {
        const { count } = this.engine.span();
        if (this.playing) this.pause();
        this.seek((this.store.now.frame + by + count) % count);
    }

    /** Called before every draw. */
    tick(dt: number): void {
        const { count } = this.engine.span(), { fps, speed, repeat, frame } = this.store.now;
        if (frame >= count) return this.seek(count - 1);
        if (!this.playing || this.held || count < 2) return;
        this.seconds += Math.min(dt, LONGEST) * speed;
        let at = Math.floor(this.seconds * fps + 1e-6);
        if (at >= count) {
            if (!repeat) {
                this.seek(count - 1);
                return this.pause();
            }
            this.seconds %= count / fps;
            at = Math.min(count - 1, Math.floor(this.seconds * fps + 1e-6));
        }
        if (at === frame) return;
        // Never play a frame with nothing to show: time waits until plain skinning has it.
        if (!this.engine.base()?.any(at)) {
            this.seconds = (frame + 1) / fps;
            return;
        }
        this.engine.playhead = at;
        this.store.keep(session => ({ ...session, frame: at }));
        this.tell();
    }
}
