// Films of the view: every frame of the span, each for as long as it lasts; how fast this machine draws does not matter.
import type { App } from "./app.ts";
import { type Mp4Codec, mp4, vp9Config } from "./mp4.ts";
import { drawn, flat, paper, whole } from "./output.ts";
import { type Picture, webm } from "./webm.ts";

const KEY_EVERY = 30;        // frames between two that stand alone: one a second
const BITS_A_PIXEL = 0.18;   // of a frame: sharp edges of gray clay, judged by eye at 720p
const VP9_LEVEL = 40;

export type Container = "webm" | "mp4";
interface Kind {
    codec: string;
    wrap(pictures: Picture[], description: Uint8Array, width: number, height: number, duration: number): Blob;
    /** A note for the user. */
    note?: string;
}
const vp9: Mp4Codec = { entry: "vp09", box: "vpcC", config: vp9Config(VP9_LEVEL) };
const KINDS: Record<Container, Kind[]> = {
    webm: [
        { codec: "vp09.00.40.08", wrap: (pictures, _, ...size) => webm(pictures, "V_VP9", ...size) },
        { codec: "vp8", wrap: (pictures, _, ...size) => webm(pictures, "V_VP8", ...size) },
    ],
    mp4: [
        ...["avc1.640028", "avc1.4d0028", "avc1.42e028"].map((codec): Kind => ({ codec, wrap: (pictures, config, ...size) => mp4(pictures, { entry: "avc1", box: "avcC", config }, ...size) })),
        { codec: "vp09.00.40.08", wrap: (pictures, _, ...size) => mp4(pictures, vp9, ...size), note: "This browser encodes no H.264: the MP4 holds VP9, which browsers and VLC play and QuickTime does not." },
    ],
};

export const mayFilm = (): boolean => typeof VideoEncoder === "function";

const settingsOf = (codec: string, width: number, height: number, fps: number): VideoEncoderConfig =>
    ({ codec, width, height, bitrate: Math.round(BITS_A_PIXEL * width * height * fps), framerate: fps, ...(codec.startsWith("avc1") ? { avc: { format: "avc" as const } } : {}) });

async function kindFor(container: Container, width: number, height: number, fps: number): Promise<Kind> {
    for (const kind of KINDS[container]) if ((await VideoEncoder.isConfigSupported(settingsOf(kind.codec, width, height, fps))).supported) return kind;
    throw new Error(`this browser makes no ${container === "mp4" ? "MP4" : "WebM"} film; try the other kind, save a contact sheet, or run 'supple render' for one`);
}

/** `progress` false stops it. */
export async function film(app: App, container: Container, progress: (fraction: number) => boolean): Promise<{ film: Blob; note: string | undefined }> {
    const { view, engine, store } = app, { count } = engine.span(), { fps } = store.now, width = view.pixels.width & ~1, height = view.pixels.height & ~1;
    const kind = await kindFor(container, width, height, fps), pictures: Picture[] = [];
    let problem: Error | undefined, description = new Uint8Array(), go = true;
    const encoder = new VideoEncoder({
        output: (chunk, about) => {
            const bytes = new Uint8Array(chunk.byteLength), told = about?.decoderConfig?.description;
            chunk.copyTo(bytes);
            pictures.push({ bytes, time: Math.round(chunk.timestamp / 1000), key: chunk.type === "key" });
            if (told) description = new Uint8Array(told instanceof ArrayBuffer ? told : (told as ArrayBufferView).buffer.slice(0) as ArrayBuffer);
        },
        error: error => (problem = error),
    });
    encoder.configure(settingsOf(kind.codec, width, height, fps));
    const one = paper(width, height);
    await whole(app, () => (go = progress(0)));
    for (let frame = 0; frame < count && !problem && go; ++frame) {
        await drawn(app, frame, picture => flat(picture, one, 0, 0, width, height));
        const picture = new VideoFrame(one, { timestamp: Math.round(1e6 * frame / fps), duration: Math.round(1e6 / fps) });
        encoder.encode(picture, { keyFrame: frame % KEY_EVERY === 0 });
        picture.close();
        while (encoder.encodeQueueSize > 4) await new Promise(resolve => setTimeout(resolve, 5));
        go = progress((frame + 1) / count);
    }
    if (go && !problem) await encoder.flush();
    encoder.close();
    if (problem) throw problem;
    if (!go) throw new Error("The film was stopped.");
    return { film: kind.wrap(pictures, description, width, height, 1000 * count / fps), note: kind.note };
}
