// The page's side of drawing. The scene lives here, with its camera, for controls, picking and rays; what a picture needs of it is sent to the
// thread that draws, and only what changed. One picture is under way at a time: the next shows the newest state.
import {
    type BufferAttribute, type BufferGeometry, Color, DirectionalLight, HemisphereLight, InstancedBufferAttribute, InstancedMesh, Light, type Material, type Mesh, type Object3D, type PerspectiveCamera,
    DataTexture, Plane, type Scene, Texture, Vector2,
} from "three";
import type { Relief } from "supple-skin/three";
import type { AttributeData, Box, FromDrawer, GeometryData, LightData, MaterialData, Numbers, ObjectData, PaneData, PictureData, Texels, TextureData } from "./picture.ts";

const KEPT = 8;              // pictures that a thing may miss before the thread forgets it
const SMOOTH_MS = 34;        // a picture that takes longer while things move is drawn with fewer pixels
const COARSEST = 0.5;        // of the screen's pixels along a side: beyond it edges fall apart
const SHARPEN = 1.19, COARSEN = 0.84; // steps between: small enough not to be seen one by one
const DRAWABLE = /^(Mesh|Line|LineSegments|LineLoop|Points|InstancedMesh)$/;
const MATERIAL_ONLY_HERE = /^(uuid|name|type|userData|version|defines|isMaterial|.*Map(Type)?$|on[A-Z].*)$/;

interface Sent {
    id: number;
    /** As it was sent last. */
    state: string | number;
    picture: number;
}

export class Painter {
    /** Pixels of the picture that is shown. */
    width = 1;
    height = 1;
    /** Of the last picture, until it is shown. */
    ms = 0;
    /** Of the screen's pixels along a side, while things move. */
    share = 1;
    onProblem: (sentence: string) => void = () => undefined;
    private readonly sent = new Map<object, Sent>();
    private ids = 0;
    private picture = 0;
    private next = this.begun();
    private waiting: { number: number; done(kept: ImageBitmap | undefined): void } | undefined;
    private post: (picture: PictureData, transfer: Transferable[]) => void = () => undefined;

    constructor(readonly canvas: HTMLCanvasElement) {
        if ("transferControlToOffscreen" in canvas) {
            const worker = new Worker(new URL("./draw.mjs", import.meta.url), { type: "module", name: "draw" }), surface = canvas.transferControlToOffscreen();
            worker.onmessage = event => this.heard(event.data as FromDrawer);
            worker.onerror = event => this.heard({ failed: event.message || "the drawing thread could not be started" });
            worker.postMessage({ canvas: surface, alive: this.alive }, [surface]);
            this.post = (picture, transfer) => worker.postMessage(picture, transfer);
        } else { // browsers whose workers cannot draw: here, by the same code
            const drawer = import("./drawer.ts").then(({ Drawer }) => new Drawer(canvas));
            this.post = picture => void drawer.then(one => one.draw(picture)).then(drawn => this.heard(drawn), error => this.heard({ failed: String(error) }));
        }
    }

    /** A picture is being drawn; changes meanwhile go into the next one. */
    get busy(): boolean { return this.waiting !== undefined; }

    private begun(): Omit<PictureData, "number" | "width" | "height" | "ratio" | "keep" | "forget"> {
        return { attributes: [], geometries: [], materials: [], textures: [], panes: [] };
    }

    /** Adds a pane: the current scene. */
    pane(scene: Scene, camera: PerspectiveCamera, scissor: Box, viewport: Box): void {
        scene.updateMatrixWorld();
        camera.updateMatrixWorld();
        const objects: ObjectData[] = [];
        scene.traverseVisible(one => {
            const data = this.object(one);
            if (data) objects.push(data);
        });
        const pane: PaneData = { scissor, viewport, projection: camera.projectionMatrix.toArray(), camera: camera.matrixWorld.toArray(), objects };
        this.next.panes.push(pane);
    }

    /** Draws what was added. Resolves when it is shown, with the picture if it is to be kept; sharp: at full resolution. */
    present(width: number, height: number, ratio: number, sharp: boolean, keep = false): Promise<ImageBitmap | undefined> {
        const number = ++this.picture, forget: number[] = [], sharpness = sharp || keep ? ratio : ratio * this.share;
        for (const [thing, { id, picture }] of this.sent) {
            if (number - picture <= KEPT) continue;
            this.sent.delete(thing);
            forget.push(id);
        }
        const { next } = this, transfer = [...next.attributes.map(one => one.array), ...next.textures.flatMap(({ image }) => ("data" in image ? [image.data] : []))].map(one => one.buffer as ArrayBuffer);
        this.next = this.begun();
        [this.width, this.height] = [Math.floor(width * sharpness), Math.floor(height * sharpness)];
        return new Promise(resolve => {
            this.waiting = { number, done: resolve };
            this.moving = !sharp && !keep;
            this.post({ ...next, number, width, height, ratio: sharpness, keep, forget }, transfer);
        });
    }
    private moving = false;
    private readonly alive = `draw-${Math.random()}`;
    private watched = false;
    private failure = "";

    private heard(said: FromDrawer): void {
        const { waiting } = this;
        if ("failed" in said && said.failed !== this.failure) this.onProblem(`The view could not be drawn: ${this.failure = said.failed}. Reload the page; the session stays.`);
        if (!("failed" in said) && said.number !== waiting?.number) return;
        this.waiting = undefined;
        if (!("failed" in said)) {
            // A thread that the browser ends, ends without a word: then its lock is free.
            if (!this.watched && "locks" in navigator) void navigator.locks.request(this.alive, () => this.heard({ failed: "the browser ended the drawing thread, perhaps because memory ran out" }));
            this.watched = true;
            this.ms = said.ms;
            if (this.moving) this.share = Math.max(COARSEST, Math.min(1, said.ms > SMOOTH_MS ? this.share * COARSEN : said.ms < SMOOTH_MS / 2 ? this.share * SHARPEN : this.share));
        }
        waiting?.done("failed" in said ? undefined : said.kept);
    }

    // -------------------------------------------------------------------------------------------- the scene as data

    /** The number of an object; `changed` is called if it has not been sent in its current state. */
    private known(thing: object, state: string | number, changed: (id: number) => void): number {
        let one = this.sent.get(thing);
        if (!one) this.sent.set(thing, one = { id: ++this.ids, state: "", picture: 0 });
        one.picture = this.picture + 1;
        if (one.state !== state) {
            one.state = state;
            changed(one.id);
        }
        return one.id;
    }

    private object(one: Object3D): ObjectData | undefined {
        const place = { type: one.type, matrix: one.matrixWorld.toArray() as number[], order: one.renderOrder, cast: one.castShadow, receive: one.receiveShadow };
        if (one instanceof Light) return { id: this.known(one, 0, () => undefined), ...place, light: lightOf(one) };
        if (!DRAWABLE.test(one.type)) return undefined; // groups and cameras
        const mesh = one as Mesh, material = Array.isArray(mesh.material) ? mesh.material.map(each => this.material(each)) : this.material(mesh.material);
        const data: ObjectData = { id: this.known(one, 0, () => undefined), ...place, type: one instanceof InstancedMesh ? "InstancedMesh" : one.type, geometry: this.geometry(mesh.geometry), material };
        if (one instanceof InstancedMesh) data.instances = { count: one.count, matrix: this.attribute(one.instanceMatrix), color: one.instanceColor && this.attribute(one.instanceColor) };
        const relief = one.userData["relief"] as Relief | undefined;
        if (relief) data.relief = { waves: this.texture(relief.waves), heights: this.texture(relief.heights) };
        return data;
    }

    private attribute(one: BufferAttribute): number {
        return this.known(one, one.version, id => {
            const data: AttributeData = { id, array: (one.array as Numbers).slice(), size: one.itemSize, normalized: one.normalized, instanced: one instanceof InstancedBufferAttribute };
            this.next.attributes.push(data);
        });
    }

    private geometry(one: BufferGeometry): number {
        const attributes = Object.fromEntries(Object.entries(one.attributes).map(([name, each]) => [name, this.attribute(each as BufferAttribute)]));
        const data: GeometryData = { id: 0, attributes, index: one.index && this.attribute(one.index), groups: one.groups, range: [one.drawRange.start, one.drawRange.count] };
        return this.known(one, JSON.stringify(data), id => this.next.geometries.push({ ...data, id }));
    }

    private material(one: Material): number {
        const values: MaterialData["values"] = {}, textures: Record<string, number> = {};
        for (const [name, value] of Object.entries(one) as [string, unknown][]) {
            if (value instanceof Texture) textures[name] = this.texture(value);
            else if (MATERIAL_ONLY_HERE.test(name)) continue;
            else if (value instanceof Color) values[name] = { color: value.toArray() as [number, number, number] };
            else if (value instanceof Vector2) values[name] = { vector: value.toArray() as [number, number] };
            else if (Array.isArray(value) && value.every(each => each instanceof Plane)) values[name] = { planes: (value as Plane[]).map(({ normal, constant }) => [normal.x, normal.y, normal.z, constant]) };
            else if (value === null || typeof value === "number" || typeof value === "string" || typeof value === "boolean") values[name] = value;
        }
        const squares = one.userData["squares"] as number | undefined, data: MaterialData = { id: 0, type: one.type, values, textures, ...(squares === undefined ? {} : { squares }) };
        return this.known(one, JSON.stringify(data), id => this.next.materials.push({ ...data, id }));
    }

    private texture(one: Texture): number {
        return this.known(one, one.version, id => {
            const { flipY, wrapS, wrapT, colorSpace, channel, minFilter, magFilter, anisotropy, premultiplyAlpha } = one;
            const data: TextureData = { id, image: one instanceof DataTexture ? texelsOf(one) : one.image as ImageBitmap, values: { flipY, wrapS, wrapT, colorSpace, channel, minFilter, magFilter, anisotropy, premultiplyAlpha }, repeat: [one.repeat.x, one.repeat.y], offset: [one.offset.x, one.offset.y] };
            this.next.textures.push(data);
        });
    }
}

/** Sent while the page writes the next ones. */
function texelsOf({ image: { data, width, height } }: DataTexture): Texels {
    return { data: (data as Float32Array).slice(), width, height };
}

function lightOf(one: Light): LightData {
    const data: LightData = { color: one.color.getHex(), intensity: one.intensity };
    if (one instanceof HemisphereLight) data.ground = one.groundColor.getHex();
    if (!(one instanceof DirectionalLight)) return data;
    data.target = one.target.position.toArray();
    if (!one.castShadow) return data;
    const { camera, bias, normalBias, radius, mapSize } = one.shadow;
    data.shadow = { bias, normalBias, radius, size: mapSize.x, box: [camera.left, camera.right, camera.top, camera.bottom, camera.near, camera.far] };
    return data;
}
