// Preset files, as `supple bake --preset` reads and writes them: {"supple":1,"links":[{"name","set":{},"bones":{"Spine*":{}}}]}.
import { type ChainSpec, type Link, type Value, link, running } from "./session.ts";

export function linksOfPreset(preset: unknown): Link[] | undefined {
    const links = (preset as { links?: unknown } | null)?.links;
    if (!Array.isArray(links) || !links.length) return undefined;
    return links.map(one => {
        const { name, set = {}, bones = {} } = one as { name?: unknown; set?: Record<string, Value>; bones?: Record<string, Record<string, Value>> };
        const values: Record<string, Value> = { ...set };
        for (const [bone, some] of Object.entries(bones)) for (const [parameter, value] of Object.entries(some)) values[`${parameter}@${bone}`] = value;
        return link(String(name), values);
    });
}

export function presetOf(chain: ChainSpec): object {
    return {
        supple: 1,
        links: running(chain).map(({ link: { deformer, values } }) => {
            const set: Record<string, Value> = {}, bones: Record<string, Record<string, Value>> = {};
            for (const [name, value] of Object.entries(values)) {
                const [parameter, bone] = name.split("@") as [string, string | undefined];
                if (bone === undefined) set[parameter] = value;
                else (bones[bone] ??= {})[parameter] = value;
            }
            return { name: deformer, ...(Object.keys(set).length ? { set } : {}), ...(Object.keys(bones).length ? { bones } : {}) };
        }),
    };
}
