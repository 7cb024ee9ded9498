// What a GLB's bytes are used for: its buffer views by their users.

interface Gltf {
    bufferViews?: { byteLength: number }[];
    accessors?: { bufferView?: number }[];
    meshes?: { primitives: { attributes: Record<string, number>; indices?: number; targets?: Record<string, number>[] }[] }[];
    animations?: { samplers: { input: number; output: number }[] }[];
    skins?: { inverseBindMatrices?: number }[];
    images?: { bufferView?: number }[];
}

const MAGIC = 0x46546c67, JSON_CHUNK = 0x4e4f534a;

export function jsonOfGlb(bytes: Uint8Array): Gltf | undefined {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    try {
        if (bytes.length < 20 || view.getUint32(0, true) !== MAGIC || view.getUint32(16, true) !== JSON_CHUNK) return undefined;
        return JSON.parse(new TextDecoder().decode(bytes.subarray(20, 20 + view.getUint32(12, true)))) as Gltf;
    } catch {
        return undefined;
    }
}

export function bytesByPart(bytes: Uint8Array): [string, number][] {
    const json = jsonOfGlb(bytes);
    if (!json) return [["file", bytes.length]];
    const owner = new Map<number, string>(), own = (accessor: number | undefined, who: string) => {
        const view = accessor === undefined ? undefined : json.accessors?.[accessor]?.bufferView;
        if (view !== undefined && !owner.has(view)) owner.set(view, who);
    };
    for (const mesh of json.meshes ?? []) for (const primitive of mesh.primitives) {
        for (const [name, accessor] of Object.entries(primitive.attributes)) own(accessor, /^(JOINTS|WEIGHTS)/.test(name) ? "weights" : /^TEXCOORD/.test(name) ? "texture coordinates" : "points and normals");
        own(primitive.indices, "faces");
        for (const target of primitive.targets ?? []) for (const accessor of Object.values(target)) own(accessor, "morph targets");
    }
    for (const { samplers } of json.animations ?? []) for (const { input, output } of samplers) own(input, "animation"), own(output, "animation");
    for (const skin of json.skins ?? []) own(skin.inverseBindMatrices, "skeleton");
    for (const image of json.images ?? []) if (image.bufferView !== undefined) owner.set(image.bufferView, "pictures");
    const sums = new Map<string, number>();
    let known = 0;
    (json.bufferViews ?? []).forEach((view, i) => {
        const who = owner.get(i) ?? "other";
        sums.set(who, (sums.get(who) ?? 0) + view.byteLength);
        known += view.byteLength;
    });
    sums.set("description", Math.max(0, bytes.length - known));
    return [...sums].filter(([, size]) => size > 0).sort((a, b) => b[1] - a[1]);
}
