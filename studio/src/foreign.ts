// FBX and COLLADA where no server reads them: three's loaders, and out again as GLB for the core. Loaded only when needed.
import type { Object3D } from "three";
import { GLTFExporter } from "three/addons/exporters/GLTFExporter.js";

export async function previewToGlb(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
    let scene: Object3D;
    if (/\.dae$/i.test(name)) {
        const { ColladaLoader } = await import("three/addons/loaders/ColladaLoader.js");
        const read = new ColladaLoader().parse(new TextDecoder().decode(bytes), "");
        if (!read) throw new Error(`'${name}' cannot be read; export it as glTF`);
        scene = read.scene;
    } else {
        const { FBXLoader } = await import("three/addons/loaders/FBXLoader.js");
        try {
            scene = new FBXLoader().parse(bytes.buffer, "");
        } catch (error) {
            throw new Error(`'${name}' cannot be read: ${(error as Error).message}; export it as glTF`);
        }
    }
    const glb = await new GLTFExporter().parseAsync(scene, { binary: true, animations: scene.animations, onlyVisible: false });
    return new Uint8Array(glb as ArrayBuffer);
}
