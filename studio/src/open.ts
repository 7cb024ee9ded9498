// Files come in: dropped anywhere, chosen by Open, or given to `supple studio` on the command line.
import type { App } from "./app.ts";
import { byId, h } from "./dom.ts";
import { sentence } from "./engine.ts";
import { filesOf, keepFile } from "./files.ts";
import { rigged } from "./lane.ts";
import { linksOfPreset } from "./preset.ts";
import { isAt, placeOf } from "./touch/sculpt_file.ts";
import { readTruth } from "./truth.ts";
import { type FileRef, type Source, around, sessionOf, sourceName, withoutOthersJoints } from "./session.ts";
import { lastSession } from "./store.ts";
import { here } from "./words.ts";

type Role = "character" | "foreign" | "skeleton" | "motion" | "json" | "map" | "beside";
const ROLES: Record<string, Role> = {
    glb: "character", gltf: "character", vrm: "character", obj: "character", ply: "character", mesh: "character",
    fbx: "foreign", dae: "foreign", x: "foreign", blend: "foreign", ms3d: "foreign", md5mesh: "foreign",
    tgf: "skeleton", bvh: "motion", json: "json", txt: "map", dmat: "map",
};
const ending = (name: string): string => /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? "";
const roleOf = (name: string): Role => ROLES[ending(name)] ?? "beside";

interface Given {
    name: string;
    bytes: Uint8Array<ArrayBuffer>;
    /** What it was before it was read by the server: "hero.fbx". */
    given?: string;
}
/** What `supple studio` says of itself; a static host has an empty one. */
interface Server {
    server: string;
    convert: string[];
    files: { id: number; name: string; bytes: number; of: number | null }[];
}
let server: Server = { server: "", convert: [], files: [] };

export const ACCEPTED = Object.keys(ROLES).map(one => `.${one}`).concat([".bin", ".png", ".jpg", ".jpeg", ".mtl"]).join(",");

/** A file that only assimp reads, by the program that serves the page; on a static host by three's loader, as a preview. */
async function converted(app: App, given: Given): Promise<Given> {
    const name = given.name.replace(/\.[^.]+$/, ".glb");
    if (!server.convert.includes(ending(given.name))) {
        if (ending(given.name) !== "fbx" && ending(given.name) !== "dae")
            throw new Error(`'${given.name}' needs 'supple studio ${given.name}', whose server reads this format; or export it as glTF`);
        const { previewToGlb } = await import("./foreign.ts");
        const made = await previewToGlb(given.name, given.bytes);
        app.say(`'${given.name}' was read by three.js as a preview. Weights and units may differ from the program's own reader: run 'supple studio ${given.name}' for the real one.`);
        return { name, bytes: made };
    }
    const answer = await fetch(`api/convert?name=${encodeURIComponent(given.name)}`, { method: "POST", body: given.bytes });
    if (!answer.ok) throw new Error(await answer.text());
    const notes = decodeURIComponent(answer.headers.get("X-Supple-Notes") ?? "").trim();
    if (notes) app.say(here(notes.split("\n")[0]!));
    return { name, bytes: new Uint8Array(await answer.arrayBuffer()), given: given.name };
}

async function kept(app: App, given: Given): Promise<FileRef> {
    const { ref, kept: ok } = await keepFile(given.name, given.bytes);
    if (!ok) app.say(`'${given.name}' does not fit this browser's storage: it works now, and a reload will ask for it again.`);
    return ref;
}

/** Another character in place of the one that is there, once it was read. */
export async function openCharacter(app: App, name: string, source: Source): Promise<void> {
    const { joints } = await app.engine.probe(source), { session, left } = withoutOthersJoints(around(app.store.now, source), joints.map(joint => joint.name));
    app.store.do(`open ${name}`, () => session);
    if (left.length) app.say(`Left out, as '${name}' has no such joint: ${left.join(", ")}.`);
    await app.engine.ready();
}

async function takeJson(app: App, given: Given): Promise<void> {
    let json: unknown;
    try {
        json = JSON.parse(new TextDecoder().decode(given.bytes));
    } catch (error) {
        throw new Error(`'${given.name}' is not JSON: ${sentence(error)}`);
    }
    const session = sessionOf(json);
    if (session) return app.store.do("open a session", () => session);
    const one = json as Record<string, unknown>, WORLD = ["gravity", "wind", "bodies", "forces", "muscles", "keys"];
    if (one && typeof one === "object" && !Array.isArray(one) && !("links" in one) && WORLD.some(name => name in one)) {
        await app.engine.probeWorld(one);
        const ref = await kept(app, given);
        app.store.do(`world ${given.name}`, session => ({ ...session, source: { ...session.source, world: ref } }));
        return app.say(`'${given.name}' is the world now.`);
    }
    const links = linksOfPreset(json);
    if (!links) throw new Error(`'${given.name}' is neither a preset, a world nor a session; docs/world.md shows what each looks like`);
    app.store.do(`preset ${given.name}`, session => ({
        ...session, chains: session.chains.map(chain => (chain.id === session.active ? { ...chain, links } : chain)),
    }));
}

/** Names of the meshes that a world is made of. */
function meshesOf({ bytes }: Given): string[] {
    try {
        const { bodies } = JSON.parse(new TextDecoder().decode(bytes)) as { bodies?: { mesh?: string }[] };
        return Array.isArray(bodies) ? bodies.flatMap(one => (typeof one?.mesh === "string" ? [one.mesh] : [])) : [];
    } catch {
        return []; // takeJson says what is wrong with it
    }
}

/** Takes files in, whatever they are; one that cannot be read says why and leaves the rest alone. */
export async function takeFiles(app: App, given: Given[]): Promise<void> {
    if (!given.length) return;
    app.unsay(); // messages about other files, and what they offered
    const problems: string[] = [], attempt = async (work: () => Promise<void>) => work().catch(error => void problems.push(sentence(error)));
    // Meshes that a world among them names are its bodies; while the world is at hand, any mesh is one.
    const named = given.filter(one => roleOf(one.name) === "json").flatMap(meshesOf), props = given.filter(one => named.includes(one.name)), world = app.store.now.touch?.tool === "world" && app.engine.info !== undefined;
    const meshes = world ? given.filter(one => roleOf(one.name) === "character" && !props.includes(one) && !placeOf(one.bytes)) : [], by = (role: Role) => given.filter(one => roleOf(one.name) === role && !props.includes(one) && !meshes.includes(one));
    for (const one of meshes) await attempt(() => app.prop(one.name, one.bytes));
    for (const one of props) await attempt(async () => {
        const ref = await kept(app, one);
        app.store.keep(session => ({ ...session, world: { ...session.world, bodies: session.world?.bodies ?? [], files: [...(session.world?.files ?? []).filter(each => each.name !== ref.name), ref] } }));
    });
    // What says of itself where it belongs is a sculpt, whatever it came with.
    const sculpts = by("character").filter(one => placeOf(one.bytes)), characters = [...by("character").filter(one => !sculpts.includes(one)), ...by("foreign")];
    // Shapes after the first are sculpts or a sequence only where they are plain meshes; another character replaces.
    const [first, ...others] = characters.sort((a, b) => rank(a.name) - rank(b.name));
    const all = sequenceOf(characters), alone = all.length > 0 && all.length === characters.length && await fits(app, all[0]!); // a truth for the character that is there
    if (first && !alone) await attempt(async () => {
        const main = roleOf(first.name) === "foreign" ? await converted(app, first) : first;
        const beside = await Promise.all(by("beside").map(one => kept(app, one))), ref = await kept(app, main);
        const source: Source = { file: ref, ...(main.given ? { given: main.given } : {}), ...(beside.length ? { beside } : {}) };
        await openCharacter(app, first.name, source);
    });
    const sequence = sequenceOf(first && !/\.(obj|ply|mesh)$/i.test(first.name) ? others : characters);
    if (sequence.length && app.engine.info) await attempt(() => takeTruth(app, sequence));
    for (const one of [...others.filter(each => !sequence.includes(each)), ...sculpts]) await attempt(async () => {
        if (!/\.(obj|ply|mesh)$/i.test(one.name)) throw new Error(`'${one.name}' was left out: one character at a time, and '${first!.name}' is it`);
        const ref = await kept(app, one), { source: old } = app.store.now, place = placeOf(one.bytes) ?? { clip: app.engine.clip()?.name ?? "", time: timeOf(one.name, app) };
        const source = { ...old, sculpts: [...(old.sculpts ?? []).filter(each => !isAt(each, place)), { file: ref, ...place }] };
        await app.engine.probe(source);
        app.store.do(`sculpt ${one.name}`, session => ({ ...session, source }));
        await app.engine.ready();
    });
    for (const one of by("skeleton")) await attempt(async () => {
        if (rigged(app.engine.info)) throw new Error(`'${one.name}' was left out: '${sourceName(app.store.now.source)}' has a skeleton already`);
        await openCharacter(app, one.name, { ...app.store.now.source, skeleton: await kept(app, one) });
        tellSkeleton(app, one.name);
    });
    for (const one of by("motion")) await attempt(async () => {
        // A mesh without joints takes those of the motion first.
        const ref = await kept(app, one), bare = !rigged(app.engine.info), { source: was } = app.store.now, old = bare ? { ...was, skeleton: ref } : was, source = { ...old, motions: [...(old.motions ?? []).filter(each => each.hash !== ref.hash), ref] };
        const { clips } = await app.engine.probe(source), said = app.engine.motions.at(-1), clip = said?.clip ?? clips.at(-1)!.name;
        app.store.do(`motion ${one.name}`, session => ({ ...session, source, clip, start: null, end: null, frame: 0, cycle: false }));
        await app.engine.ready();
        if (bare) return tellSkeleton(app, one.name);
        if (said) app.say(`'${one.name}' moves ${said.pairs} joints${said.guessed ? `, ${said.guessed} of them by a guess` : ""}${said.without.length ? `; ${said.without.length} have no partner and keep their place` : ""}.`);
    });
    for (const one of by("map")) await attempt(async () => {
        const ref = await kept(app, one), name = one.name.replace(/\.[^.]+$/, ""), { source: old } = app.store.now, source = { ...old, maps: [...(old.maps ?? []).filter(map => map.name !== name), { file: ref, name }] };
        await app.engine.probe(source);
        app.store.do(`map ${name}`, session => ({ ...session, source }));
        app.say(`'${one.name}' is the map ${name}.`);
    });
    for (const one of by("json")) await attempt(() => takeJson(app, one));
    if (!first && by("beside").length === given.length) problems.push(`'${given[0]!.name}' is nothing the studio reads; drop a character (.glb, .gltf, .obj, .fbx), a motion (.bvh), a preset or a world (.json)`);
    for (const problem of problems) app.say(problem, "bad");
}

function tellSkeleton({ say, engine }: App, name: string): void {
    const { info } = engine, outside = info?.weights?.outside_joints.length ?? 0;
    say(`${info?.joints.length} joints of '${name}' were put into the mesh, with automatic weights.${outside ? ` ${outside} of them lie outside: the mesh should stand as the skeleton does.` : ""}`);
}

/** Rigged formats before plain meshes. */
const rank = (name: string): number => ["glb", "gltf", "vrm", "fbx", "dae"].includes(ending(name)) ? 0 : 1;
/** A sculpt's frame from its name ("arm_012.obj" is frame 12), else where the playhead stands. */
function timeOf(name: string, app: App): number {
    const number = /(\d+)\.[^.]+$/.exec(name)?.[1], { count, start } = app.engine.span(), { fps, frame } = app.store.now;
    const at = number && Number(number) < count ? Number(number) : frame;
    return start + at / fps;
}

async function given(files: File[]): Promise<Given[]> {
    return Promise.all(files.map(async file => ({ name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) })));
}

/** Drop anywhere, the hidden input behind Open, and what the server was given. */
export function openFiles(app: App): HTMLInputElement {
    const cover = byId("drop"), input = h("input", { type: "file", id: "file-input", multiple: true, accept: ACCEPTED, class: "visually-hidden", tabIndex: -1, "aria-hidden": "true" });
    input.addEventListener("change", async () => {
        const files = [...(input.files ?? [])];
        input.value = "";
        await takeFiles(app, await given(files));
    });
    let depth = 0;
    const isFile = (event: DragEvent) => [...(event.dataTransfer?.types ?? [])].includes("Files");
    addEventListener("dragenter", event => {
        if (!isFile(event)) return;
        ++depth;
        cover.classList.add("over");
    });
    addEventListener("dragleave", event => {
        if (isFile(event) && --depth <= 0) {
            depth = 0;
            cover.classList.remove("over");
        }
    });
    addEventListener("dragover", event => event.preventDefault());
    addEventListener("drop", async event => {
        event.preventDefault();
        depth = 0;
        cover.classList.remove("over");
        if (event.dataTransfer) await takeFiles(app, await given(await filesOf(event.dataTransfer)));
    });
    document.body.append(input);
    return input;
}

/** A new address begins with the first session; what was done in this browser before is one click away. */
async function offerLast(app: App): Promise<void> {
    const last = await lastSession();
    if (last && !app.store.canUndo) app.say(`Your last session (${sourceName(last.source)}) is kept in this browser.`, "note", { label: "Continue", run: () => app.store.do("continue the last session", () => last) });
}

/** Files of the command line; only where the address holds no session yet. */
export async function takeServed(app: App, fresh: boolean): Promise<void> {
    const answer = await fetch("api/session.json").catch(() => undefined);
    if (!answer?.ok) return;
    server = await answer.json() as Server;
    if (fresh && !server.files.length) return offerLast(app);
    if (!fresh) return;
    const taken: Given[] = [];
    for (const file of server.files) {
        if (file.name.startsWith("builtin:")) {
            app.store.do(`open ${file.name}`, session => around(session, { builtin: file.name }));
            continue;
        }
        const foreign = server.convert.includes(ending(file.name));
        const got = foreign ? await fetch(`api/convert?id=${file.id}`, { method: "POST" }) : await fetch(`api/files/${file.id}`);
        if (!got.ok) {
            app.say(await got.text(), "bad");
            continue;
        }
        const bytes = new Uint8Array(await got.arrayBuffer());
        taken.push(foreign ? { name: file.name.replace(/\.[^.]+$/, ".glb"), bytes, given: file.name } : { name: file.name, bytes });
    }
    await takeFiles(app, taken);
}

const LEAST_SEQUENCE = 3; // meshes that are numbered in a row: fewer are sculpts
/** Plain meshes whose names differ in a number at the end, by that number: a shape a frame. */
function sequenceOf(files: Given[]): Given[] {
    const numbered = files.flatMap(file => {
        const [, stem, number] = /^(.*?)(\d+)\.(?:obj|ply|mesh)$/i.exec(file.name) ?? [];
        return stem === undefined ? [] : [{ file, stem, number: Number(number) }];
    });
    return numbered.length < LEAST_SEQUENCE || numbered.some(one => one.stem !== numbered[0]!.stem) ? [] : numbered.sort((a, b) => a.number - b.number).map(one => one.file);
}

/** Whether it is the mesh that is there, in whatever shape. */
async function fits(app: App, file: Given): Promise<boolean> {
    if (!app.engine.info) return false;
    const { ref } = await keepFile(file.name, file.bytes);
    return readTruth([ref], app.engine.info.points).then(() => true, () => false);
}

/** The truth of the character that is there; one click makes its meshes sculpts instead. */
async function takeTruth(app: App, files: Given[]): Promise<void> {
    const refs: FileRef[] = [];
    for (const one of files) refs.push(await kept(app, one));
    await readTruth(refs, app.engine.info!.points);
    const before = app.store.now;
    app.store.do(`truth ${files[0]!.name} …`, session => ({ ...session, source: { ...session.source, truth: refs }, show: { ...session.show, heat: "truth" } }));
    app.say(`${files.length} meshes are the truth of frames 0 to ${files.length - 1}: colors show the distance to it.`, "note", { label: "Use as sculpts", run: () => {
        const clip = app.engine.clip()?.name ?? "", { start } = app.engine.span(), { fps } = app.store.now;
        app.store.do("sculpts", session => ({ ...session, show: before.show, source: { ...before.source, sculpts: [...(before.source.sculpts ?? []), ...refs.map((file, i) => ({ file, clip, time: start + i / fps }))] } }));
    } });
}
