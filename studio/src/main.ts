// The page: the session, the engine that follows it, and what shows both.
import "./style.css";
import { type App, say, unsay } from "./app.ts";
import { chrome } from "./chrome.ts";
import { Clock } from "./clock.ts";
import { byId } from "./dom.ts";
import { Engine, sentence } from "./engine.ts";
import { fileBytes } from "./files.ts";
import { valuesWanted } from "./heat.ts";
import { openStudio } from "./hook.ts";
import { keys } from "./keys.ts";
import { openFiles, takeServed } from "./open.ts";
import { panels } from "./panels/index.ts";
import { side } from "./side.ts";
import { Store } from "./store.ts";
import { timeline } from "./timeline.ts";
import { poseKeys } from "./touch/pose_keys.ts";
import { touchTools } from "./touch/tools.ts";
import { View } from "./view.ts";

const fresh = !/[#&]s=/.test(location.hash), store = await Store.open(), engine = new Engine(store.now);
engine.sync(store.now); // the worker starts while the rest is built
const view = new View(byId<HTMLCanvasElement>("view"), engine), clock = new Clock(store, engine), app: App = { store, engine, view, clock, say, unsay, prop: (name, bytes) => tools.outside.addMesh(name, bytes) };

const follow = () => {
    engine.sync(store.now);
    engine.want(valuesWanted(store.now), store.now.show.drawn);
    view.touch();
};
store.listen(follow);
engine.listen(what => {
    if (what === "character" && engine.shape) view.setShape(engine.shape, store.now);
    if (what === "character" && engine.problem) say(engine.problem, "bad");
    view.touch();
});
// Materials of the file are read when first needed. Without any the character is clay, and a note says so.
let lookedAt: unknown, shadingBefore = store.now.show.shading;
async function look(): Promise<void> {
    const { shape } = engine, { source, show } = store.now, asked = show.shading !== shadingBefore;
    shadingBefore = show.shading;
    if (show.shading !== "file" || !shape || (lookedAt === shape && !asked)) return;
    const none = () => { if (asked && !shape.colors) say(source.file ? "The file has no materials that the studio can draw on this surface: clay is shown." : "This built-in character has no colors: clay is shown."); };
    if (!source.file || !/\.(glb|gltf|vrm)$/i.test(source.file.name)) return none();
    if (lookedAt === shape) return;
    lookedAt = shape;
    try {
        const [{ lookOf }, bytes, beside] = await Promise.all([import("./look.ts"), fileBytes(source.file), Promise.all((source.beside ?? []).map(async one => [one.name, await fileBytes(one)] as const))]);
        const found = await lookOf(shape, bytes, Object.fromEntries(beside));
        if (shape === engine.shape) view.fileLook = found;
        if (!found) none();
    } catch (error) {
        say(`The file's materials could not be read: ${sentence(error)}`);
    }
}
store.listen(() => void look());
engine.listen(what => what === "character" && void look());
engine.onProblem = why => say(why, "bad");
engine.onRestart = why => say(`A worker stopped (${why}) and was started again with the session: nothing is lost.`);
view.painter.onProblem = why => say(why, "bad", { label: "Reload", run: () => location.reload() });
view.playing = () => clock.playing && !clock.held;
view.onCamera = () => store.keep(session => ({ ...session, camera: { position: view.camera.position.toArray(), target: view.controls.target.toArray() } }));
/** Between parts of the page: what arrives meanwhile is heard, and nothing holds the thread for long. */
const breathe = () => new Promise(resolve => setTimeout(resolve));
await breathe();
const tools = touchTools(app); // before the view's own listeners: a press on the skin is the hand's
await breathe();
chrome(app, openFiles(app), keys(app));
await breathe();
side(app, panels);
await breathe();
timeline(app);
poseKeys(app, tools.poser);
engine.want(valuesWanted(store.now), store.now.show.drawn);
clock.play();
openStudio(store, engine, view, clock, tools);
void takeServed(app, fresh);

let before = performance.now();
function tick(now: number): void {
    requestAnimationFrame(tick); // first: whatever goes wrong in one picture, the next one comes
    clock.tick((now - before) / 1000);
    before = now;
    view.draw(store.now);
}
requestAnimationFrame(tick);
if (typeof PerformanceObserver !== "undefined" && PerformanceObserver.supportedEntryTypes.includes("longtask"))
    new PerformanceObserver(list => list.getEntries().forEach(entry => (view.longest = Math.max(view.longest, entry.duration)))).observe({ type: "longtask", buffered: true });
