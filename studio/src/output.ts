// What leaves the page: bakes in a worker of their own, pictures and films of the view, and the one way to save a file.
import type { BakeInfo } from "supple-skin";
import type { App } from "./app.ts";
import { type Motion, type OutOptions, bakePlan } from "./command.ts";
import { fileBytes } from "./files.ts";
import { Lane } from "./lane.ts";
import type { ChainSpec, Session } from "./session.ts";
import { takeOf, worldWith } from "./touch/take.ts";
import { worldMerged } from "./touch/world.ts";

export interface Baked {
    name: string;
    bytes: Uint8Array<ArrayBuffer>;
    info: BakeInfo;
}

export const motionOf = (app: App): Motion => {
    const { start, end } = app.engine.span();
    return { clip: app.engine.clip()?.name ?? null, start, end };
};

/** The file of `supple bake`, to the byte. `go` false stops it. */
export async function bake(session: Session, chain: ChainSpec, motion: Motion, out: OutOptions, progress: (fraction: number) => boolean): Promise<Baked[]> {
    const lane = await Lane.open();
    try {
        await lane.load(session.source);
        await lane.props(session.world?.files);
        const file = session.source.world ? JSON.parse(new TextDecoder().decode(await fileBytes(session.source.world))) as object : undefined, world = worldWith(worldMerged(file, session.world), takeOf(session, motion.clip).pulls);
        const plan = bakePlan(session, chain, motion, out, world);
        const bound = await lane.character.chain(plan.chain, progress), baked = await bound.bake(plan.bake, progress);
        const [files, info] = await Promise.all([baked.files(), baked.inspect()]);
        return files.map(({ name, bytes }) => ({ name, bytes: bytes as Uint8Array<ArrayBuffer>, info }));
    } finally {
        lane.close();
    }
}

export function save(name: string, content: Blob): void {
    const address = URL.createObjectURL(content), link = document.createElement("a");
    link.href = address;
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 60000); // the browser reads it when it has asked the person where to
}

// ------------------------------------------------------------------------------------------------ pictures

/** The view at a frame, drawn now. */
export async function drawn<T>(app: App, frame: number, use: (picture: ImageBitmap) => T): Promise<T> {
    const picture = await app.view.picture({ ...app.store.now, frame });
    try {
        return use(picture);
    } finally {
        picture.close();
    }
}

const toBlob = (canvas: HTMLCanvasElement): Promise<Blob> => new Promise((resolve, reject) =>
    canvas.toBlob(blob => (blob ? resolve(blob) : reject(new Error("the browser gives no picture of the view; make the window smaller"))), "image/png"));

/** The canvas is transparent where nothing is drawn: the page's own color goes behind it. */
export function flat(canvas: ImageBitmap, paper: HTMLCanvasElement, x: number, y: number, width: number, height: number): void {
    const to = paper.getContext("2d")!;
    to.fillStyle = getComputedStyle(document.getElementById("stage")!).backgroundColor;
    if (/rgba?\(0, 0, 0, 0\)|transparent/.test(String(to.fillStyle))) to.fillStyle = getComputedStyle(document.body).backgroundColor;
    to.fillRect(x, y, width, height);
    to.drawImage(canvas, x, y, width, height);
}

export function paper(width: number, height: number): HTMLCanvasElement {
    const canvas = document.createElement("canvas");
    canvas.width = width;
    canvas.height = height;
    return canvas;
}

export async function picture(app: App): Promise<Blob> {
    const sheet = await drawn(app, app.store.now.frame, canvas => {
        const one = paper(canvas.width, canvas.height);
        flat(canvas, one, 0, 0, canvas.width, canvas.height);
        return one;
    });
    return toBlob(sheet);
}

/** Frames of the span, waited for where they are not simulated yet. */
export async function whole(app: App, go: () => boolean): Promise<void> {
    const { engine, store } = app, { count } = engine.span();
    const done = () => store.now.chains.every(chain => {
        const { state } = engine.status(chain.id);
        return state === "failed" || (engine.frames(chain.id)?.done ?? 0) >= count;
    });
    while (!done() && go()) await new Promise(resolve => setTimeout(resolve, 100));
}

/** `many` frames over the span, in rows, with their numbers. */
export async function contactSheet(app: App, many: number): Promise<Blob> {
    const { count } = app.engine.span(), { fps } = app.store.now, shown = Math.max(1, Math.min(many, count)), columns = Math.ceil(Math.sqrt(shown));
    await whole(app, () => true);
    const { width, height } = app.view.pixels, wide = Math.min(width, 640), high = Math.round(height * wide / width), rows = Math.ceil(shown / columns);
    const sheet = paper(columns * wide, rows * high), on = sheet.getContext("2d")!;
    for (let i = 0; i < shown; ++i) {
        const frame = shown === 1 ? 0 : Math.round(i * (count - 1) / (shown - 1)), x = i % columns * wide, y = Math.floor(i / columns) * high;
        await drawn(app, frame, canvas => flat(canvas, sheet, x, y, wide, high));
        on.fillStyle = getComputedStyle(document.body).color;
        on.font = `${Math.round(wide / 32)}px Inter, sans-serif`;
        on.fillText(`${frame} · ${(frame / fps).toFixed(2)} s`, x + wide / 40, y + high - wide / 40);
    }
    app.view.touch();
    return toBlob(sheet);
}
