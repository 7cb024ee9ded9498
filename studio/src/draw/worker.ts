// draw.mjs: the thread that draws. The first message brings the canvas, every other one is a picture.
import { Drawer } from "./drawer.ts";
import type { FromDrawer, PictureData } from "./picture.ts";

const page = self as unknown as { postMessage(message: FromDrawer, transfer?: Transferable[]): void; onmessage: (event: MessageEvent<{ canvas: OffscreenCanvas; alive: string } | PictureData>) => void };
let drawer: Drawer | undefined;
page.onmessage = async ({ data }) => {
    try {
        if ("canvas" in data) {
            void navigator.locks?.request(data.alive, () => new Promise(() => undefined)); // held for as long as this thread lives
            return void (drawer = new Drawer(data.canvas));
        }
        const drawn = await drawer!.draw(data);
        page.postMessage(drawn, drawn.kept ? [drawn.kept] : []);
    } catch (error) {
        page.postMessage({ failed: error instanceof Error ? error.message : String(error) });
    }
};
