// The session as other programs say it: the line for a shell, and code in three languages. What the page bakes goes through the same
// texts, so that the file is the same to the byte.
import type { BakeOptions, ChainOptions } from "supple-skin";
import { takeOf, worldName } from "./touch/take.ts";
import { type ChainSpec, type Session, type Source, givenWord, linksText, settings, sourceWord, weightsName } from "./session.ts";

/** What the page knows of the motion: the clip's name, and the span that is played. */
export interface Motion {
    clip: string | null;
    start: number;
    end: number;
}
export interface OutOptions {
    file: string;
    sparse?: boolean;
    flat?: boolean;
}

/** A word as a shell reads it back; the same rule as the program's own reports (options.c, put_word). */
export function quoted(word: string): string {
    return /^[\w\-./,:=+@%]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Why no command line reproduces the view; null: one does. */
export function onlyHere(session: Session): string | null {
    if (session.source.bend) return "This motion was made by the Doctor. Choose a clip of the file, and the line for it stands here.";
    const over = posedOf(session, session.clip)?.over ?? null;
    const motions = session.source.motions?.length ?? 0;
    if (posedOf(session, over) || posedOf(session, session.clip) && motions) return "Two motions play here, and the command line takes one at a time. Save the GLB in the tool Pose: it has both.";
    if (motions > 1) return "The command line puts one motion at a time onto a rig: remove the others in the panel Character.";
    return null;
}

/** The clip of poses that is played; it is a file of its own. */
const posedOf = ({ source }: Pick<Session, "source">, clip: string | null) => source.poses?.find(one => one.clip === clip);

const seconds = (value: number): string => String(Number(value.toFixed(6)));

const unitWords = ({ unit, up }: Source): string[] => [...(unit === undefined ? [] : ["--unit", String(unit)]), ...(up === undefined ? [] : ["--up", up])];

/** The words of `supple bake`, not yet quoted. */
export function bakeWords(session: Session, chain: ChainSpec, motion: Motion, out: OutOptions): string[] {
    const { source } = session, words = ["supple", "bake", sourceWord(source), out.file];
    const [moved] = source.motions ?? [], posed = posedOf(session, motion.clip);
    if (posed) words.push("--motion", `${posed.clip}.json`);
    else if (moved) words.push("--motion", moved.name);
    if (motion.clip !== null) words.push("--clip", motion.clip);
    words.push("--deform", linksText(chain));
    for (const one of settings(chain)) words.push("--set", one);
    const world = worldName(session, motion.clip), { hold } = takeOf(session, motion.clip);
    if (world) words.push("--world", world);
    for (const { name, file } of source.maps ?? []) words.push("--map", `${name}=${file.name}`);
    // With all digits: a sculpt of another clip than the one that is played is taken at its time to the bit, not at the nearest frame.
    for (const { clip, time, file } of source.sculpts ?? []) words.push("--example", `${clip === motion.clip ? "" : `${clip}@`}${time}=${file.name}`);
    words.push(...(source.skeleton ? [] : unitWords(source)));
    if (session.start !== null) words.push("--start", seconds(motion.start));
    if (session.end !== null) words.push("--end", seconds(motion.end));
    if (hold && !session.cycle) words.push("--hold", seconds(hold));
    if (session.cycle && motion.clip !== null) words.push("--loop");
    words.push("--fps", String(session.fps));
    if (out.flat) words.push("--flat");
    if (out.sparse) words.push("--sparse");
    return words;
}

/** What the page hands to the library for the same file; the world is read by whoever has its bytes. */
export function bakePlan(session: Session, chain: ChainSpec, motion: Motion, out: OutOptions, world?: object): { chain: ChainOptions; bake: BakeOptions } {
    const loop = session.cycle && motion.clip !== null, { hold } = takeOf(session, motion.clip);
    return {
        chain: { links: linksText(chain), clip: motion.clip, set: settings(chain), ...(world ? { world } : {}), ...(loop ? { cycle: [motion.start, motion.end] as [number, number] } : {}) },
        bake: {
            file: out.file, fps: session.fps, loop,
            ...(session.start === null ? {} : { start: Number(seconds(motion.start)) }), ...(session.end === null ? {} : { end: Number(seconds(motion.end)) }),
            ...(hold && !loop ? { hold } : {}), ...(out.flat ? { flat: true } : {}), ...(out.sparse ? { sparse: true } : {}),
        },
    };
}

export function commandLine(session: Session, chain: ChainSpec, motion: Motion, out: OutOptions): string {
    const { source } = session, words = bakeWords(session, chain, motion, out);
    if (source.skin || source.weights !== "automatic" && !source.skeleton) return words.map(quoted).join(" ");
    const weighted = weightsName(source);
    words[2] = weighted;
    return `${["supple", "weights", givenWord(source), weighted, ...(source.skeleton ? ["--skeleton", source.skeleton.name, ...unitWords(source)] : [])].map(quoted).join(" ")} && ${words.map(quoted).join(" ")}`;
}

// ------------------------------------------------------------------------------------------------ code

/** What the session puts on the character, in the order in which it is put there. */
function besides({ source }: Session, clip: string | null): { motions: string[]; maps: { name: string; file: string }[]; sculpts: { clip: string; time: number; file: string }[]; weigh: string | true | undefined } {
    const posed = posedOf({ source }, clip);
    return {
        motions: posed ? [`${posed.clip}.json`] : (source.motions ?? []).slice(0, 1).map(one => one.name),
        maps: (source.maps ?? []).map(({ name, file }) => ({ name, file: file.name })),
        sculpts: (source.sculpts ?? []).map(({ clip: of, time, file }) => ({ clip: of, time, file: file.name })),
        weigh: source.skin ? undefined : source.skeleton?.name ?? (source.weights === "automatic" || undefined),
    };
}

/** What the C code leaves to the other three; null: it has everything. */
export function notInC(session: Session, clip: string | null): string | null {
    const { motions, maps, sculpts, weigh } = besides(session, clip), world = worldName(session, clip);
    const left = [...(weigh ? ["the automatic weights"] : []), ...motions.map(one => `the motion ${one}`), ...maps.map(one => `the map ${one.name}`), ...(sculpts.length ? ["the sculpts"] : []), ...(world ? ["the world"] : [])];
    return left.length ? `This C code plays the character as its file has it, without ${left.join(", ").replace(/, ([^,]*)$/, " and $1")}. The other three have them.` : null;
}

const literal = (value: unknown): string => JSON.stringify(value);
const object = (pairs: [string, unknown][]): string => `{ ${pairs.filter(([, value]) => value !== undefined).map(([name, value]) => `${name}: ${literal(value)}`).join(", ")} }`;

export function codeJavaScript(session: Session, chain: ChainSpec, motion: Motion, out: OutOptions): string {
    const { source } = session, world = worldName(session, motion.clip), plan = bakePlan(session, chain, motion, out), read = source.builtin && !source.skin ? `supple.load(${literal(source.builtin)}` : `await supple.fetch(${literal(source.skin ? sourceWord(source) : givenWord(source))}`;
    const load = object([["unit", source.unit], ["up", source.up]]), hasLoad = source.unit !== undefined || source.up !== undefined, { motions, maps, sculpts, weigh } = besides(session, motion.clip);
    const props = (session.world?.files ?? []).map(one => one.name), reads = Boolean(world) || motions.length > 0 || maps.length > 0 || props.length > 0 || typeof weigh === "string";
    return [
        `import { open } from "supple-skin";`, ``, `const supple = await open();`,
        ...(reads ? [`const read = globalThis.process ? (await import("node:fs/promises")).readFile : async name => new Uint8Array(await (await fetch(name)).arrayBuffer());`] : []),
        ...(maps.length || world ? [`const text = async name => new TextDecoder().decode(await read(name));`] : []),
        `${weigh ? "let" : "const"} character = ${read}${hasLoad ? `${source.builtin ? ", undefined" : ""}, ${load}` : ""});`,
        ...(weigh === true ? [`character = character.weigh();`] : weigh ? [`character = supple.load(${literal(weightsName(source))}, character.weigh({}, undefined, { name: ${literal(weigh)}, bytes: await read(${literal(weigh)}) }).write());`] : []),
        ...maps.map(({ name, file }) => `character.map(${literal(name)}, Float32Array.from((await text(${literal(file)})).match(/[^\\s,;[\\]]+/g), Number));`),
        ...motions.map(name => `character.motion(${literal(name)}, await read(${literal(name)}));`),
        ...(sculpts.length ? [`character.example({}); // those of the file`] : []),
        ...sculpts.map(({ clip, time, file }) => `character.example(${object([["name", file], ["clip", clip || undefined], ["time", time]])}, (await supple.fetch(${literal(file)})).array("points"));`),
        ...props.map(name => `character.prop(${literal(name)}, await read(${literal(name)}));`),
        ...(world ? [`const world = JSON.parse(await text(${literal(world)}));`] : []),
        `const chain = character.chain(${object(Object.entries(plan.chain)).replace(/ }$/, world ? ", world }" : " }")});`,
        `const [file] = chain.bake(${object(Object.entries(plan.bake))}).files(); // file.bytes is ${out.file}`,
        `const player = chain.play(${object([["clip", motion.clip], ["loop", session.cycle || undefined]])}); // or frame by frame:`,
        `const points = player.evaluate(${seconds(motion.start)}); // three floats a point`,
    ].join("\n");
}

export function codePython(session: Session, chain: ChainSpec, motion: Motion, out: OutOptions): string {
    const { source } = session, py = (value: unknown): string => (value === true ? "True" : value === null ? "None" : literal(value));
    const named = (pairs: [string, unknown][]) => pairs.filter(([, value]) => value !== undefined && value !== false).map(([name, value]) => `, ${name}=${py(value)}`).join("");
    const set = settings(chain), { motions, maps, sculpts, weigh } = besides(session, motion.clip);
    return [
        ...(maps.length ? [`import re`] : []), `import supple`, ``,
        `character = supple.load(${literal(source.skin ? sourceWord(source) : givenWord(source))}${named([["unit", source.unit], ["up", source.up]])})`,
        ...(weigh === true ? [`character = character.weigh()`] : weigh ? [`character = supple.load_bytes(${literal(weightsName(source))}, character.weigh(${literal(weigh)}).to_bytes())`] : []),
        ...maps.map(({ name, file }) => `character.maps[${literal(name)}] = [float(one) for one in re.findall(r"[^\\s,;\\[\\]]+", open(${literal(file)}).read())]`),
        ...motions.map(name => `character.add_motion(${literal(name)})`),
        ...(sculpts.length ? [`character.clear_examples()  # those of the file`] : []),
        ...sculpts.map(({ clip, time, file }) => `character.add_example(supple.load(${literal(file)}).points, ${time}${named([["clip", clip || undefined], ["name", file]])})`),
        `chain = character.chain(${literal(linksText(chain))}${named([["set", set.length ? set : undefined], ["world", worldName(session, motion.clip) ?? undefined]])})`,
        `chain.bake(${literal(out.file)}${named([["clip", motion.clip ?? undefined], ["start", session.start === null ? undefined : Number(seconds(motion.start))],
            ["end", session.end === null ? undefined : Number(seconds(motion.end))], ["hold", takeOf(session, motion.clip).hold || undefined], ["fps", session.fps], ["loop", session.cycle], ["flat", out.flat], ["sparse", out.sparse]])})`,
    ].join("\n");
}

export function codeC(session: Session, chain: ChainSpec, motion: Motion): string {
    const { source } = session, set = settings(chain);
    return [
        `#include <supple/supple.h>`, `#include <stdio.h>`, `#include <stdlib.h>`, ``, `int main(void)`, `{`,
        `    sup_error      error = { 0 };`, `    sup_character* character = NULL;`, `    sup_chain*     chain = NULL;`, `    sup_instance*  instance = NULL;`,
        ...(set.length ? [`    const char*    set[] = { ${set.map(literal).join(", ")} };`] : []),
        `    if (sup_load(${literal(sourceWord(source))}, NULL, &character, &error)) return fprintf(stderr, "%s\\n", error.text), 1;`,
        `    const sup_clip* clip = ${motion.clip === null ? "NULL" : `sup_character_clip(character, ${literal(motion.clip)})`};`,
        `    sup_chain_desc  links = { .character = character, .clip = clip, .links = ${literal(linksText(chain))}${set.length ? `, .settings = set, .setting_count = ${set.length}` : ""}${session.cycle ? `, .cycle_begin = ${seconds(motion.start)}, .cycle_end = ${seconds(motion.end)}` : ""} };`,
        `    if (sup_chain_create(&links, &chain, &error)) return fprintf(stderr, "%s\\n", error.text), 1;`,
        `    sup_instance_desc play = { .chain = chain, .clip = clip, .start = ${seconds(motion.start)}, .end = ${seconds(motion.end)}, .preroll = -1${session.cycle ? ", .loop = true" : ""} };`,
        `    if (sup_instance_create(&play, &instance, &error)) return fprintf(stderr, "%s\\n", error.text), 1;`,
        `    sup_vec3* points = malloc(character->mesh.point_count * sizeof *points);`,
        `    void*     scratch = sup_scratch_create(sup_chain_scratch_size(chain), NULL);`,
        `    for (unsigned i = 0; i < sup_frame_count(play.start, play.end, ${session.fps}, play.loop); i++)`,
        `        sup_instance_evaluate(instance, sup_frame_time(play.start, ${session.fps}, i), scratch, NULL, points);`, `}`,
    ].join("\n");
}
