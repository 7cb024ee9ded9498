// Draws pictures as the page describes them, in a worker of its own: compiling shaders, uploading and reading back never hold the page's thread.
import {
    BufferAttribute, BufferGeometry, Color, DataTexture, DirectionalLight, FloatType, HemisphereLight, InstancedBufferAttribute, InstancedMesh, type Light, Line, LineBasicMaterial, LineDashedMaterial, LineLoop, LineSegments,
    type Material, Mesh, MeshBasicMaterial, MeshLambertMaterial, MeshNormalMaterial, MeshPhysicalMaterial, MeshStandardMaterial, NeutralToneMapping, type Object3D, PCFShadowMap, PerspectiveCamera, Plane,
    RGBAFormat, Points, PointsMaterial, Scene, ShaderChunk, ShadowMaterial, Sphere, Texture, Vector2, Vector3, WebGLRenderer,
} from "three";
import { folded } from "supple-skin/three";
import { squared } from "./patterns.ts";
import type { AttributeData, DrawnData, GeometryData, LightData, MaterialData, ObjectData, PaneData, PictureData, TextureData } from "./picture.ts";

const MATERIALS: Record<string, new () => Material> = {
    MeshStandardMaterial, MeshPhysicalMaterial, MeshBasicMaterial, MeshLambertMaterial, MeshNormalMaterial, LineBasicMaterial, LineDashedMaterial, PointsMaterial, ShadowMaterial,
};
const MESHES: Record<string, new (geometry: BufferGeometry, material: Material | Material[]) => Object3D> = { Mesh, Line, LineSegments, LineLoop, Points };
// A triangle on edge is drawn from behind in some of its pixels. Its normals are turned only where the skin is clearly seen from inside: turned at the
// outline of a body, they lined it with dark pixels.
ShaderChunk.normal_fragment_begin = ShaderChunk.normal_fragment_begin.replace("gl_FrontFacing ?", `gl_FrontFacing
    #if defined( STANDARD ) && ! defined( FLAT_SHADED )
        || dot( normalize( vNormal ), normalize( vViewPosition ) ) > - 0.3
    #endif
    ?`);
const EVERYWHERE = new Sphere(new Vector3(), Infinity);
const POLL_MS = 2; // between two looks at whether the picture stands
const LONGEST_WAIT_MS = 5000; // a fence that never comes (a lost context) holds nothing up

type Surface = Pick<PictureData, "width" | "height" | "ratio" | "panes">;
type Drawable = Mesh<BufferGeometry, Material | Material[]>;

export class Drawer {
    private readonly renderer: WebGLRenderer;
    private readonly scene = new Scene();
    private readonly camera = new PerspectiveCamera();
    private readonly attributes = new Map<number, BufferAttribute>();
    private readonly geometries = new Map<number, BufferGeometry>();
    private readonly materials = new Map<number, Material>();
    private readonly textures = new Map<number, Texture>();
    private readonly objects = new Map<number, Object3D>();
    /** Materials with folds, by what they are made of. */
    private readonly foldeds = new Map<string, { of: number[]; material: Material }>();
    private shadows = "";
    /** What is on the screen. */
    private shown: Surface | undefined;

    constructor(private readonly canvas: OffscreenCanvas | HTMLCanvasElement) {
        this.renderer = new WebGLRenderer({ canvas, antialias: true, alpha: true, stencil: true });
        this.renderer.debug.checkShaderErrors = false;
        this.renderer.toneMapping = NeutralToneMapping;
        this.renderer.toneMappingExposure = 1.08;
        this.renderer.setClearColor(new Color(0, 0, 0), 0);
        this.renderer.autoClear = false;
        this.renderer.localClippingEnabled = true;
        this.renderer.shadowMap.enabled = true;
        this.renderer.shadowMap.type = PCFShadowMap;
        this.renderer.shadowMap.autoUpdate = false;
        this.camera.matrixAutoUpdate = false;
    }

    /** Draws, and resolves when the picture is shown. */
    async draw(picture: PictureData): Promise<DrawnData> {
        const began = performance.now(), { number } = picture;
        this.take(picture);
        this.surface(picture);
        const kept = picture.keep ? createImageBitmap(this.canvas) : undefined; // before the browser takes the buffer away
        if (!kept) this.shown = picture;
        else if (this.shown) this.surface(this.shown); // in the same turn: nobody sees the other one
        await this.stands();
        return { number, ms: performance.now() - began, ...(kept ? { kept: await kept } : {}) };
    }

    private surface({ width, height, ratio, panes }: Surface): void {
        const { renderer, canvas } = this;
        if (renderer.getPixelRatio() !== ratio) renderer.setPixelRatio(ratio);
        if (canvas.width !== Math.floor(width * ratio) || canvas.height !== Math.floor(height * ratio)) renderer.setSize(width, height, false);
        renderer.setScissorTest(false);
        renderer.clear();
        renderer.setScissorTest(true);
        for (const pane of panes) this.pane(pane);
    }

    private async stands(): Promise<void> {
        const gl = this.renderer.getContext() as WebGL2RenderingContext, fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0), began = performance.now();
        gl.flush();
        do await new Promise(resolve => setTimeout(resolve, POLL_MS));
        while (fence && !gl.isContextLost() && performance.now() - began < LONGEST_WAIT_MS && gl.clientWaitSync(fence, 0, 0) === gl.TIMEOUT_EXPIRED);
        if (fence) gl.deleteSync(fence);
    }

    private pane({ scissor, viewport, projection, camera, objects }: PaneData): void {
        const shown = new Set<Object3D>();
        for (const data of objects) if (this.known(data)) shown.add(this.object(data));
        for (const one of this.scene.children) one.visible = shown.has(one);
        this.camera.matrix.fromArray(camera);
        this.camera.matrixWorldNeedsUpdate = true;
        this.camera.projectionMatrix.fromArray(projection);
        this.camera.projectionMatrixInverse.copy(this.camera.projectionMatrix).invert();
        this.renderer.setScissor(...scissor);
        this.renderer.setViewport(...viewport);
        const shadows = this.shadowKey(objects);
        if (shadows !== this.shadows) {
            this.shadows = shadows;
            this.renderer.shadowMap.needsUpdate = true;
        }
        this.renderer.render(this.scene, this.camera);
    }

    /** False of what was forgotten since: a picture that is shown again may name it. */
    private known({ light: lamp, geometry, material, relief }: ObjectData): boolean {
        return Boolean(lamp) || this.geometries.has(geometry!) && [material!].flat().every(id => this.materials.has(id)) && (!relief || this.textures.has(relief.waves) && this.textures.has(relief.heights));
    }

    /** What throws shadows, and how: while that stays, so does the map of them, wherever the camera goes. */
    private shadowKey(objects: ObjectData[]): string {
        const lights = objects.filter(one => one.light?.shadow), all = lights.length ? objects.filter(one => one.cast && one.geometry !== undefined) : [];
        return JSON.stringify([lights.map(one => [one.matrix, one.light]), all.map(one => [one.id, one.matrix, this.versionOf(one.geometry!)])]);
    }
    private versionOf(id: number): number[] {
        const geometry = this.geometries.get(id);
        return geometry ? [id, (geometry.attributes["position"] as BufferAttribute | undefined)?.version ?? 0] : [];
    }

    // -------------------------------------------------------------------------------------------- what is sent

    private take({ attributes, geometries, materials, textures, forget }: PictureData): void {
        for (const id of forget) this.forget(id);
        for (const one of attributes) this.attribute(one);
        for (const one of geometries) this.geometry(one);
        for (const one of textures) this.texture(one);
        for (const one of materials) this.material(one);
    }

    private attribute({ id, array, size, normalized, instanced }: AttributeData): void {
        const known = this.attributes.get(id);
        if (known && known.array.length === array.length) {
            known.array.set(array);
            known.needsUpdate = true;
        } else this.attributes.set(id, instanced ? new InstancedBufferAttribute(array, size, normalized) : new BufferAttribute(array, size, normalized));
    }

    private geometry({ id, attributes, index, groups, range }: GeometryData): void {
        const geometry = this.geometries.get(id) ?? new BufferGeometry();
        geometry.boundingSphere = EVERYWHERE; // nothing here is culled: three.js would go over all points for nothing
        this.geometries.set(id, geometry);
        for (const name of Object.keys(geometry.attributes)) if (!(name in attributes)) geometry.deleteAttribute(name);
        for (const [name, one] of Object.entries(attributes)) geometry.setAttribute(name, this.attributes.get(one)!);
        geometry.setIndex(index === null ? null : this.attributes.get(index)!);
        geometry.clearGroups();
        for (const { start, count, materialIndex } of groups) geometry.addGroup(start, count, materialIndex);
        geometry.setDrawRange(...range);
    }

    private texture({ id, image, values, repeat, offset }: TextureData): void {
        const known = this.textures.get(id);
        if (known instanceof DataTexture && "data" in image) { // what reads it keeps it
            known.image.data = image.data;
            known.needsUpdate = true;
            return;
        }
        const texture = Object.assign("data" in image ? new DataTexture(image.data, image.width, image.height, RGBAFormat, FloatType) : new Texture(image), values);
        texture.repeat.fromArray(repeat);
        texture.offset.fromArray(offset);
        texture.needsUpdate = true;
        known?.dispose();
        this.textures.set(id, texture);
    }

    private material({ id, type, values, textures, squares }: MaterialData): void {
        const known = this.materials.get(id), Kind = MATERIALS[type];
        if (!Kind) throw new Error(`the drawing thread has no material '${type}'; name it in draw/drawer.ts`);
        const material = known ?? new Kind(), to = material as unknown as Record<string, unknown>;
        this.materials.set(id, material);
        for (const [name, value] of Object.entries(values)) {
            if (value === null || typeof value !== "object") to[name] = value;
            else if ("color" in value) (to[name] as Color).setRGB(...value.color);
            else if ("vector" in value) (to[name] as Vector2).fromArray(value.vector);
            else to[name] = value.planes.map(([x, y, z, constant]) => new Plane(new Vector3(x, y, z), constant));
        }
        for (const [name, one] of Object.entries(textures)) to[name] = this.textures.get(one) ?? null;
        if (squares !== undefined && !known) squared(material as MeshStandardMaterial, squares);
        material.needsUpdate = true;
        this.unfold(id);
    }

    private object(data: ObjectData): Object3D {
        let one = this.objects.get(data.id);
        if (!one) {
            one = this.make(data);
            one.matrixAutoUpdate = one.frustumCulled = false;
            this.objects.set(data.id, one);
            this.scene.add(one);
        }
        one.matrix.fromArray(data.matrix);
        one.matrixWorldNeedsUpdate = true;
        one.renderOrder = data.order;
        one.castShadow = data.cast;
        one.receiveShadow = data.receive;
        if (data.light) light(one as Light, data.light);
        else {
            (one as Drawable).geometry = this.geometries.get(data.geometry!)!;
            (one as Drawable).material = this.materialsOf(data.material!, data.relief);
        }
        if (data.instances) {
            const { count, matrix, color } = data.instances, many = one as InstancedMesh;
            many.instanceMatrix = this.attributes.get(matrix) as InstancedBufferAttribute;
            many.instanceColor = color === null ? null : this.attributes.get(color) as InstancedBufferAttribute;
            many.count = count;
        }
        return one;
    }

    private materialsOf(ids: number | number[], relief?: ObjectData["relief"]): Material | Material[] {
        const one = (id: number) => (relief ? this.folded(id, relief) : this.materials.get(id)!);
        return typeof ids === "number" ? one(ids) : ids.map(one);
    }

    private folded(id: number, { waves, heights }: NonNullable<ObjectData["relief"]>): Material {
        const of = [id, waves, heights], key = of.join();
        let known = this.foldeds.get(key);
        if (!known) this.foldeds.set(key, known = { of, material: folded(this.materials.get(id)!, { waves: this.textures.get(waves)!, heights: this.textures.get(heights)! }) });
        return known.material;
    }

    /** What was made of a material or a texture goes with it. */
    private unfold(id: number): void {
        for (const [key, { of, material }] of this.foldeds) {
            if (!of.includes(id)) continue;
            material.dispose();
            this.foldeds.delete(key);
        }
    }

    private make(data: ObjectData): Object3D {
        if (data.type === "HemisphereLight") return new HemisphereLight();
        if (data.type === "DirectionalLight") return new DirectionalLight();
        const geometry = this.geometries.get(data.geometry!)!, material = this.materialsOf(data.material!, data.relief);
        if (data.instances) return new InstancedMesh(geometry, material, data.instances.count);
        const Kind = MESHES[data.type];
        if (!Kind) throw new Error(`the drawing thread has no object '${data.type}'; name it in draw/drawer.ts`);
        return new Kind(geometry, material);
    }

    private forget(id: number): void {
        this.unfold(id);
        this.attributes.delete(id);
        this.geometries.get(id)?.dispose();
        this.geometries.delete(id);
        this.materials.get(id)?.dispose();
        this.materials.delete(id);
        this.textures.get(id)?.dispose();
        this.textures.delete(id);
        const object = this.objects.get(id);
        object?.removeFromParent();
        if (object instanceof InstancedMesh) object.dispose();
        this.objects.delete(id);
    }
}

function light(one: Light, { color, intensity, ground, target, shadow }: LightData): void {
    one.color.setHex(color);
    one.intensity = intensity;
    if (one instanceof HemisphereLight && ground !== undefined) one.groundColor.setHex(ground);
    if (!(one instanceof DirectionalLight)) return;
    if (target) {
        one.target.position.fromArray(target);
        one.target.updateMatrixWorld();
    }
    one.castShadow = Boolean(shadow);
    if (!shadow) return;
    const { camera } = one.shadow, [left, right, top, bottom, near, far] = shadow.box;
    Object.assign(one.shadow, { bias: shadow.bias, normalBias: shadow.normalBias, radius: shadow.radius });
    one.shadow.mapSize.set(shadow.size, shadow.size);
    Object.assign(camera, { left, right, top, bottom, near, far });
    camera.updateProjectionMatrix();
}
