// What is seen: the chains' skins on one stage, in one to four panes with one camera, wiped, ghosted or blinking.
import {
    Color, type Material, MeshNormalMaterial, MeshStandardMaterial, NeutralToneMapping, PerspectiveCamera, Vector3, WebGLRenderer,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import type { Engine } from "./engine.ts";
import type { Frame } from "./frames.ts";
import type { Shape } from "./lane.ts";
import type { Session } from "./session.ts";
import { Skin, type Surface, clay, surfaceOf } from "./skin.ts";
import { Stage } from "./stage.ts";

const FIELD_OF_VIEW = 28; // degrees: a portrait lens, little perspective
const BLINK_MS = 700;
const MOST_PIXELS = 2; // a pixel of the page is at most so many of the screen: more costs and is not seen

export interface Pane {
    chain: number;
    /** In pixels of the canvas's box. */
    left: number;
    width: number;
    top: number;
    height: number;
}

/** From the axis and the skeleton: which way is up, and which way it looks. */
export function axes(up: "x" | "y" | "z"): { up: Vector3; front: Vector3 } {
    if (up === "z") return { up: new Vector3(0, 0, 1), front: new Vector3(0, -1, 0) };
    if (up === "x") return { up: new Vector3(1, 0, 0), front: new Vector3(0, 0, 1) };
    return { up: new Vector3(0, 1, 0), front: new Vector3(0, 0, 1) };
}

export class View {
    readonly renderer: WebGLRenderer;
    readonly camera = new PerspectiveCamera(FIELD_OF_VIEW, 1, 0.01, 100);
    readonly controls: OrbitControls;
    readonly stage: Stage;
    private skins = new Map<number, Skin>();
    private surface: Surface | undefined;
    private shape: Shape | undefined;
    private middle = new Vector3();
    private followed = new Vector3();
    private dirty = true;
    private materials = new Map<string, Material[]>();
    panes: Pane[] = [];
    /** Frames drawn, and the longest time between two turns of the page's thread, in ms. */
    drawn = 0;
    longest = 0;
    /** Called with the chains' places whenever they change. */
    onPanes: (panes: Pane[]) => void = () => undefined;
    onCamera: () => void = () => undefined;

    constructor(readonly canvas: HTMLCanvasElement, private readonly engine: Engine) {
        this.renderer = new WebGLRenderer({ canvas, antialias: true, alpha: true, preserveDrawingBuffer: false });
        this.renderer.toneMapping = NeutralToneMapping;
        this.renderer.toneMappingExposure = 1.08;
        this.renderer.setClearColor(new Color(0, 0, 0), 0);
        this.renderer.autoClear = false;
        this.stage = new Stage(this.renderer);
        this.controls = new OrbitControls(this.camera, canvas);
        this.controls.enableDamping = true;
        this.controls.dampingFactor = 0.12;
        this.controls.addEventListener("change", () => (this.dirty = true));
        this.controls.addEventListener("end", () => this.onCamera());
        new ResizeObserver(() => (this.dirty = true)).observe(canvas);
    }

    /** Something changed that is seen. */
    touch(): void { this.dirty = true; }

    /** Another character. */
    setShape(shape: Shape, session: Session): void {
        for (const skin of this.skins.values()) skin.dispose();
        this.skins.clear();
        this.materials.clear();
        this.shape = shape;
        this.surface = surfaceOf(shape);
        const { up, front } = axes(shape.info.up), low = new Vector3(Infinity, Infinity, Infinity), high = new Vector3(-Infinity, -Infinity, -Infinity), p = new Vector3();
        for (let i = 0; i < shape.points.length; i += 3) {
            p.fromArray(shape.points, i);
            low.min(p);
            high.max(p);
        }
        this.middle.copy(low).add(high).multiplyScalar(0.5);
        this.followed.copy(this.middle);
        const diagonal = shape.info.diagonal || 1, floor = up.dot(low);
        this.stage.fit(this.middle, diagonal, floor, up, front);
        this.camera.up.copy(up);
        this.camera.near = diagonal / 200;
        this.camera.far = diagonal * 40;
        this.controls.minDistance = diagonal / 20;
        this.controls.maxDistance = diagonal * 12;
        if (session.camera) {
            this.camera.position.fromArray(session.camera.position);
            this.controls.target.fromArray(session.camera.target);
        } else this.look("home");
        this.dirty = true;
    }

    /** Looks from a side; the whole character fits. */
    look(from: "home" | "front" | "side" | "top" | "back"): void {
        if (!this.shape) return;
        const { up, front } = axes(this.shape.info.up), side = new Vector3().crossVectors(up, front), at = new Vector3();
        if (from === "home") at.addScaledVector(front, 0.72).addScaledVector(side, 0.78).addScaledVector(up, 0.34);
        else if (from === "side") at.copy(side).addScaledVector(up, 0.05);
        else if (from === "top") at.copy(up).addScaledVector(front, 0.001);
        else at.copy(front).multiplyScalar(from === "back" ? -1 : 1).addScaledVector(up, 0.05);
        const box = this.canvas.getBoundingClientRect(), narrow = Math.min(1, (this.panes[0]?.width ?? box.width) / Math.max(1, box.height));
        const distance = 0.56 * this.shape.info.diagonal / Math.tan(FIELD_OF_VIEW / 2 * Math.PI / 180) / Math.max(0.45, narrow);
        this.controls.target.copy(this.followed);
        this.camera.position.copy(this.followed).addScaledVector(at.normalize(), distance);
        this.controls.update();
        this.dirty = true;
        this.onCamera();
    }

    private skin(chain: number): Skin {
        let skin = this.skins.get(chain);
        if (!skin) {
            skin = new Skin(this.shape!, this.surface!);
            this.skins.set(chain, skin);
            this.stage.scene.add(skin.group);
        }
        return skin;
    }

    /** The frame to show of a chain: its own, an older one, or plain skinning. */
    frameOf(chain: number, at: number): { frame: Frame; whose: "own" | "stale" | "base" } | undefined {
        const frames = this.engine.frames(chain), own = frames?.get(at);
        if (own) return { frame: own, whose: "own" };
        const stale = frames?.any(at);
        if (stale) return { frame: stale, whose: "stale" };
        const base = this.engine.base()?.any(at);
        return base && { frame: base, whose: "base" };
    }

    private materialsFor(session: Session): Material[] {
        const heat = session.show.heat !== "none", key = heat ? "heat" : session.show.shading;
        let found = this.materials.get(key);
        if (!found) {
            const make = (): Material => {
                if (heat) return new MeshStandardMaterial({ vertexColors: true, roughness: 0.75, side: 2 });
                if (key === "normals") return new MeshNormalMaterial({ side: 2 });
                return clay();
            };
            found = this.shape!.info.parts.map(make);
            this.materials.set(key, found);
        }
        return found;
    }

    /** The panes of the compare mode. */
    private arrange(session: Session, width: number, height: number): Pane[] {
        const ids = session.chains.map(chain => chain.id), whole = (chain: number): Pane => ({ chain, left: 0, width, top: 0, height });
        if (session.compare === "side" && ids.length > 1) {
            const columns = ids.length === 4 && width < 1.6 * height ? 2 : width < height ? 1 : ids.length, rows = Math.ceil(ids.length / columns);
            const w = Math.floor(width / columns), hgt = Math.floor(height / rows);
            return ids.map((chain, i) => ({ chain, left: i % columns * w, width: w, top: Math.floor(i / columns) * hgt, height: hgt }));
        }
        if (session.compare === "wipe" && ids.length > 1) {
            const cut = Math.round(session.wipe * width), second = session.active === ids[0] ? ids[1]! : session.active;
            return [{ ...whole(ids[0]!), width: cut }, { ...whole(second), left: cut, width: width - cut }];
        }
        if (session.compare === "blink" && ids.length > 1) return [whole(ids[Math.floor(performance.now() / BLINK_MS) % ids.length]!)];
        return [whole(session.active)];
    }

    /** Draws if anything changed. Returns the panes' states for labels. */
    draw(session: Session): boolean {
        this.controls.update();
        if (session.compare === "blink") this.dirty = true;
        if (!this.dirty || !this.shape) return false;
        this.dirty = false;
        const { clientWidth: width, clientHeight: height } = this.canvas;
        if (!width || !height) return false;
        const ratio = Math.min(devicePixelRatio, MOST_PIXELS);
        if (this.renderer.getPixelRatio() !== ratio) this.renderer.setPixelRatio(ratio);
        if (this.canvas.width !== Math.floor(width * ratio) || this.canvas.height !== Math.floor(height * ratio)) this.renderer.setSize(width, height, false);
        this.panes = this.arrange(session, width, height);
        this.follow(session);
        this.stage.shadow = session.show.shadow;
        this.renderer.setScissorTest(false);
        this.renderer.clear();
        this.renderer.setScissorTest(true);
        const materials = this.materialsFor(session);
        for (const pane of this.panes) {
            if (pane.width <= 0) continue;
            const shown = this.frameOf(pane.chain, session.frame);
            if (!shown) continue;
            const skin = this.skin(pane.chain);
            skin.show(shown.frame);
            skin.materials = materials;
            skin.wire.visible = session.show.wire;
            for (const other of this.skins.values()) other.group.visible = other === skin;
            const wipe = session.compare === "wipe", y = height - pane.top - pane.height;
            this.renderer.setScissor(pane.left, y, pane.width, pane.height);
            if (wipe) this.renderer.setViewport(0, 0, width, height);
            else this.renderer.setViewport(pane.left, y, pane.width, pane.height);
            this.camera.aspect = wipe ? width / height : pane.width / pane.height;
            this.camera.updateProjectionMatrix();
            this.renderer.render(this.stage.scene, this.camera);
        }
        ++this.drawn;
        this.onPanes(this.panes);
        return true;
    }

    /** Camera and light go with a character that travels. */
    private follow(session: Session): void {
        const frame = this.engine.base()?.any(session.frame);
        if (!frame || !session.show.follow) return;
        const { up } = axes(this.shape!.info.up), middle = new Vector3(), { points } = frame;
        const step = Math.max(1, Math.floor(points.length / 3 / 500)); // five hundred points tell the middle well enough
        let count = 0;
        for (let i = 0; i < points.length; i += 3 * step, ++count) middle.x += points[i]!, middle.y += points[i + 1]!, middle.z += points[i + 2]!;
        middle.divideScalar(count || 1);
        const rest = this.restMiddle(step);
        const now = this.middle.clone().add(middle.sub(rest)), by = now.sub(this.followed);
        by.addScaledVector(up, -by.dot(up)); // jumps are seen
        if (by.lengthSq() === 0) return;
        this.followed.add(by);
        this.controls.target.add(by);
        this.camera.position.add(by);
        this.stage.move(by);
        this.controls.update();
    }

    private restMiddle(step: number): Vector3 {
        const { points } = this.shape!, middle = new Vector3();
        let count = 0;
        for (let i = 0; i < points.length; i += 3 * step, ++count) middle.x += points[i]!, middle.y += points[i + 1]!, middle.z += points[i + 2]!;
        return middle.divideScalar(count || 1);
    }
}
