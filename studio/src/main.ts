// The page: the session, the engine that follows it, and what shows both.
import "./style.css";
import { Clock } from "./clock.ts";
import { Engine } from "./engine.ts";
import { openStudio } from "./hook.ts";
import { chrome } from "./chrome.ts";
import { Store } from "./store.ts";
import { View } from "./view.ts";
import { byId } from "./dom.ts";

const store = await Store.open(), engine = new Engine(store.now), view = new View(byId<HTMLCanvasElement>("view"), engine), clock = new Clock(store, engine);
chrome(store, engine, view, clock);
store.listen((now, before) => {
    if (now !== before) view.touch();
    engine.sync(now);
});
engine.listen(what => {
    if (what === "character" && engine.shape) view.setShape(engine.shape, store.now);
    view.touch();
});
engine.sync(store.now);
clock.play();
openStudio(store, engine, view, clock);

let before = performance.now();
function tick(now: number): void {
    clock.tick((now - before) / 1000);
    before = now;
    view.draw(store.now);
    requestAnimationFrame(tick);
}
requestAnimationFrame(tick);
