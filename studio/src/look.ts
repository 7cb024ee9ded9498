// Materials and texture coordinates of a glTF file, for the surface as the core has it. three's loader reads them; points never come from it.
import { type Material, Mesh, MeshStandardMaterial } from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
import type { Shape } from "./lane.ts";

export interface Look {
    /** Two floats a stored vertex. */
    uv: Float32Array;
    materials: Material[];
    /** Which material each stored vertex has: faces never mix them. */
    materialOf: Uint16Array;
}

const MOST_METAL = 0.25; // there is nothing around that metal could mirror: more of it would be black

/** Null where the file's meshes are not those of the character, vertex by vertex. */
export async function lookOf(shape: Shape, bytes: Uint8Array, beside: Record<string, Uint8Array>): Promise<Look | null> {
    const addresses: string[] = [];
    try {
        const loader = new GLTFLoader();
        loader.manager.setURLModifier(url => {
            const file = beside[decodeURIComponent(url).replace(/^\.\//, "")];
            if (!file) return url;
            addresses.push(URL.createObjectURL(new Blob([file as Uint8Array<ArrayBuffer>])));
            return addresses.at(-1)!;
        });
        const text = bytes[0] === 0x7b ? new TextDecoder().decode(bytes) : bytes.slice().buffer as ArrayBuffer;
        const gltf = await loader.parseAsync(text, ""), meshes: Mesh[] = [];
        gltf.scene.traverse(object => object instanceof Mesh && meshes.push(object));
        const uv = new Float32Array(2 * shape.info.vertices), materialOf = new Uint16Array(shape.info.vertices), materials: Material[] = [];
        for (const part of shape.info.parts) {
            const found = meshesOf(part.name, part.vertex_count, meshes);
            if (!found) return null;
            let at = part.vertex_begin;
            for (const mesh of found) {
                const { uv: own, position } = mesh.geometry.attributes, n = position!.count;
                for (let i = 0; own && i < n; ++i) uv[2 * (at + i)] = own.getX(i), uv[2 * (at + i) + 1] = own.getY(i);
                materialOf.fill(materials.length, at, at + n);
                materials.push(plain(mesh.material as Material));
                at += n;
            }
        }
        return { uv, materials, materialOf };
    } finally {
        for (const address of addresses) URL.revokeObjectURL(address);
    }
}

/** The meshes in a row whose vertices are those of a part; taken from the list. */
function meshesOf(name: string, vertices: number, meshes: Mesh[]): Mesh[] | undefined {
    const plainName = (one: string) => one.toLowerCase().replace(/[^a-z0-9]/g, "");
    const begins = meshes.map((mesh, i) => ({ i, same: plainName(mesh.name).startsWith(plainName(name)) || plainName(mesh.parent?.name ?? "") === plainName(name) })).sort((a, b) => Number(b.same) - Number(a.same));
    for (const { i } of begins) {
        let sum = 0, end = i;
        while (end < meshes.length && sum < vertices) sum += meshes[end++]!.geometry.attributes["position"]!.count;
        if (sum === vertices) return meshes.splice(i, end - i);
    }
    return undefined;
}

function plain(material: Material): Material {
    const own = material.clone();
    if (own instanceof MeshStandardMaterial) own.metalness = Math.min(own.metalness, MOST_METAL);
    return own;
}
