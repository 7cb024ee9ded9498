// What is seen: the chains' skins on one stage, in one to four panes with one camera, wiped, ghosted or blinking.
import {
    DoubleSide, type Material, MeshNormalMaterial, MeshStandardMaterial, type Object3D, PerspectiveCamera, Plane, Vector3,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { styleColor } from "./app.ts";
import { Painter } from "./draw/painter.ts";
import type { Engine } from "./engine.ts";
import type { Frame } from "./frames.ts";
import { HeatMap } from "./heat.ts";
import type { Shape } from "./lane.ts";
import type { Look } from "./look.ts";
import { Bones, Drawn, jointPlaces } from "./overlay.ts";
import type { Session } from "./session.ts";
import { Skin, type Surface, checker, clay, surfaceOf } from "./skin.ts";
import { Stage } from "./stage.ts";

const FIELD_OF_VIEW = 28; // degrees: a portrait lens, little perspective
const BLINK_MS = 700;
const MARGIN = 1.04; // around what is framed
export const TOOLBAR = 64; // pixels at the left that the tools lie over, below the first label
const FLIGHT_MS = 350;
const TRAVELS = 0.4; // diagonals: a character that goes farther is followed
const MOST_PIXELS = 2; // a pixel of the page is at most so many of the screen: more costs and is not seen
const PORTRAIT = -1; // the skin of pictures that are no chain's
const CLOSE = 0.62; // of the camera's distance in a small picture, at least: the body fills it, head and feet stay in it, its ends may leave it
const LEAST_BOX = 0.01, MOST_BOX = 1000; // diagonals that a motion fills
const STILL_MS = 200; // without a change, after which a picture that was drawn with fewer pixels is drawn with all

export interface Pane {
    chain: number;
    /** In pixels of the canvas's box. */
    left: number;
    width: number;
    top: number;
    height: number;
}

const UPS = { x: new Vector3(1, 0, 0), y: new Vector3(0, 1, 0), z: new Vector3(0, 0, 1) };
/** Where nothing tells: +Z where Y is up, -Y where Z is up, as `supple render` has it. */
const FRONTS = { x: new Vector3(0, 0, 1), y: new Vector3(0, 0, 1), z: new Vector3(0, -1, 0) };
const NEAR_AXIS = Math.cos(25 * Math.PI / 180); // within 25 degrees of an axis, the axis is meant

/** Which way is up, and which way the character looks in a pose: told by its left and right limbs. */
export function axes(shape: Shape, pose: Float32Array): { up: Vector3; front: Vector3 } {
    const { info } = shape, up = UPS[info.up].clone(), places = jointPlaces(shape, pose), byName = new Map(info.joints.map((joint, i) => [joint.name.toLowerCase(), places[i]!])), left = new Vector3();
    for (const [name, place] of byName) {
        const other = /left/.test(name) ? name.replace("left", "right") : name.replace(/(^|[^a-z])l([^a-z]|$)/, "$1r$2"), partner = other === name ? undefined : byName.get(other);
        if (partner) left.add(place).sub(partner);
    }
    const front = new Vector3().crossVectors(left, up);
    if (front.length() < 1e-3 * info.diagonal) return { up, front: FRONTS[info.up].clone() };
    front.normalize();
    const axis = Object.values(UPS).find(one => Math.abs(front.dot(one)) > NEAR_AXIS);
    return { up, front: axis ? axis.clone().multiplyScalar(Math.sign(front.dot(axis))) : front };
}

export class View {
    readonly painter: Painter;
    readonly camera = new PerspectiveCamera(FIELD_OF_VIEW, 1, 0.01, 100);
    readonly controls: OrbitControls;
    readonly stage: Stage;
    readonly skins = new Map<number, Skin>();
    private surface: Surface | undefined;
    private shape: Shape | undefined;
    private axes = { up: new Vector3(0, 1, 0), front: new Vector3(0, 0, 1) };
    private middle = new Vector3();
    private readonly low = new Vector3();
    private readonly high = new Vector3();
    private bones: Bones | undefined;
    private readonly drawnLinks = new Drawn();
    readonly heat: HeatMap;
    private path: { revision: number; places: Vector3[] } = { revision: -1, places: [] };
    private followed = new Vector3();
    private dirty = true;
    private materials = new Map<string, Material[]>();
    panes: Pane[] = [];
    /** Pictures shown, and the longest task of the page's thread, in ms. */
    drawn = 0;
    /** Which movement of a slider the last of them shows (engine.ts, answers). */
    answered = 0;
    longest = 0;
    /** The last picture was drawn with fewer pixels than the screen has, and when. */
    private coarse = false;
    private changed = 0;
    /** Called with the chains' places whenever they change. */
    onPanes: (panes: Pane[]) => void = () => undefined;
    onCamera: () => void = () => undefined;
    /** A frame to show in place of the chain's: what a brush makes of it. */
    instead: (chain: number, at: number) => Frame | undefined = () => undefined;
    playing: () => boolean = () => false;

    constructor(readonly canvas: HTMLCanvasElement, private readonly engine: Engine) {
        this.painter = new Painter(canvas);
        this.stage = new Stage();
        this.stage.scene.add(this.drawnLinks.group);
        this.heat = new HeatMap(engine);
        this.controls = new OrbitControls(this.camera, canvas);
        this.controls.enableDamping = true;
        this.controls.dampingFactor = 0.12;
        this.controls.addEventListener("change", () => (this.dirty = true));
        this.controls.addEventListener("end", () => this.onCamera());
        new ResizeObserver(() => {
            Object.assign(this.size, { width: canvas.clientWidth, height: canvas.clientHeight }); // laid out by now
            this.dirty = this.resized = true;
        }).observe(canvas);
        new MutationObserver(() => {
            this.materials.delete("ghost"); // it has a color of the theme
            this.dirty = true;
        }).observe(document.documentElement, { attributeFilter: ["data-theme"] });
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
        const { up } = (this.axes = axes(shape, shape.jointRest)), low = this.low.setScalar(Infinity), high = this.high.setScalar(-Infinity), p = new Vector3();
        this.bones?.dispose();
        this.bones = new Bones(shape);
        this.stage.scene.add(this.bones.group);
        this.path.revision = -1;
        this.look_ = null;
        for (let i = 0; i < shape.points.length; i += 3) {
            p.fromArray(shape.points, i);
            low.min(p);
            high.max(p);
        }
        this.box.low.copy(low);
        this.box.high.copy(high);
        this.fitted = this.seen = false;
        this.flight = undefined;
        this.middle.copy(low).add(high).multiplyScalar(0.5);
        this.followed.copy(this.middle);
        const diagonal = shape.info.diagonal || 1;
        this.fitStage();
        this.camera.up.copy(up);
        this.camera.near = diagonal / 200;
        this.camera.far = diagonal * 40;
        this.controls.minDistance = diagonal / 20;
        this.controls.maxDistance = diagonal * 12;
        if (session.camera) {
            this.camera.position.fromArray(session.camera.position);
            this.controls.target.fromArray(session.camera.target);
        } else this.look("home", false);
        this.dirty = true;
    }

    private fitStage(): void {
        const { up, front } = this.axes, floor = Math.min(up.dot(this.low), up.dot(this.high));
        this.stage.fit(this.followed, this.shape!.info.diagonal || 1, floor, up, front);
    }

    /** Looks from a side; the whole character fits. */
    look(from: "home" | "front" | "side" | "top" | "back", told = true): void {
        if (!this.shape) return;
        const { up, front } = this.axes, side = new Vector3().crossVectors(up, front), at = new Vector3();
        if (from === "home") at.addScaledVector(front, 0.72).addScaledVector(side, 0.78).addScaledVector(up, 0.34);
        else if (from === "side") at.copy(side).addScaledVector(up, 0.05);
        else if (from === "top") at.copy(up).addScaledVector(front, 0.001);
        else at.copy(front).multiplyScalar(from === "back" ? -1 : 1).addScaledVector(up, 0.05);
        // Every corner of the box that the motion fills lies within the picture.
        const away = at.normalize(), right = new Vector3().crossVectors(up, away).normalize(), over = new Vector3().crossVectors(away, right);
        const { clientWidth, clientHeight } = this.canvas, pane = this.sideBySide ? this.panes[0] : undefined;
        const room = pane?.width ?? clientWidth - this.covered_.left, beside = this.covered_.left ? 0 : 2 * Math.min(TOOLBAR, room / 8); // a panel lies beside the tools already
        const aspect = (room - beside) / Math.max(1, pane?.height ?? clientHeight - this.covered_.below);
        const tan = Math.tan(FIELD_OF_VIEW / 2 * Math.PI / 180), { low, high } = this.box, middle = low.clone().add(high).multiplyScalar(0.5), corner = new Vector3();
        let distance = 0;
        for (let i = 0; i < 8; ++i) {
            corner.set(i & 1 ? high.x : low.x, i & 2 ? high.y : low.y, i & 4 ? high.z : low.z).sub(middle);
            distance = Math.max(distance, corner.dot(away) + MARGIN * Math.max(Math.abs(corner.dot(right)) / (tan * aspect), Math.abs(corner.dot(over)) / tan));
        }
        const target = middle.add(this.followed).sub(this.middle);
        this.fly(target, target.clone().addScaledVector(away, distance), from === "home" && !this.seen);
        this.seen = true;
        this.dirty = true;
        if (told) this.onCamera();
    }

    /** Turns around the target, in radians to the right and up, and zooms by a factor. */
    turn(right: number, up: number, closer = 1): void {
        const { target, minDistance, maxDistance } = this.controls, away = this.camera.position.clone().sub(target), axis = this.axes.up, side = new Vector3().crossVectors(axis, away).normalize();
        this.flight = undefined;
        away.applyAxisAngle(axis, right);
        side.applyAxisAngle(axis, right);
        const high = Math.PI / 2 - axis.angleTo(away), to = Math.max(-1.5, Math.min(1.5, high + up)); // not over the pole
        away.applyAxisAngle(side, high - to).setLength(Math.max(minDistance, Math.min(maxDistance, away.length() * closer)));
        this.camera.position.copy(target).add(away);
        this.controls.update();
        this.dirty = true;
        this.onCamera();
    }

    /** Pixels at the left, or below, that a tool's panel lies over: what is looked at stands in the middle of the rest. */
    get covered(): { left: number; below: number } { return this.covered_; }
    set covered(pixels: { left: number; below: number }) {
        if (pixels.left === this.covered_.left && pixels.below === this.covered_.below) return;
        this.covered_ = pixels;
        this.dirty = this.resized = true;
    }
    private covered_ = { left: 0, below: 0 };
    /** The camera for a picture of this size: everything beside the panel, or without a panel. */
    private frame(width: number, height: number, beside: boolean, camera = this.camera): void {
        const { left, below } = this.covered_;
        camera.aspect = width / height;
        // What fits into the rest at the lens's angle is drawn as much smaller as the rest is lower.
        camera.fov = 2 * Math.atan(Math.tan(FIELD_OF_VIEW / 2 * Math.PI / 180) * (beside ? height / Math.max(1, height - below) : 1)) * 180 / Math.PI;
        if (beside && (left || below)) camera.setViewOffset(width, height, -left / 2, below / 2, width, height);
        else camera.clearViewOffset();
        camera.updateProjectionMatrix();
    }
    /** The pixel of the camera's target on the canvas. */
    get center(): { x: number; y: number } { return { x: (this.canvas.clientWidth + this.covered_.left) / 2, y: (this.canvas.clientHeight - this.covered_.below) / 2 }; }
    /** What tools draw: pictures of the character are without it. */
    readonly marks: Object3D[] = [];

    private readonly size = { width: 0, height: 0 }; // of the canvas; asked of the page in every picture, it would lay itself out for the answer
    private seen = false;
    private resized = false;
    private sideBySide = false;
    private layout = 1; // panes beside each other
    /** All panes are cut out of one picture. */
    get wiped(): boolean { return !this.sideBySide; }
    private readonly box = { low: new Vector3(), high: new Vector3() };
    private flight: { began: number; target: [Vector3, Vector3]; position: [Vector3, Vector3] } | undefined;

    /** Moves the camera there, in a moment or at once. */
    private fly(target: Vector3, position: Vector3, atOnce: boolean): void {
        if (atOnce || matchMedia("(prefers-reduced-motion: reduce)").matches) {
            this.controls.target.copy(target);
            this.camera.position.copy(position);
            this.flight = undefined;
            this.controls.update();
        } else this.flight = { began: performance.now(), target: [this.controls.target.clone(), target], position: [this.camera.position.clone(), position] };
    }

    private flying(): void {
        if (!this.flight) return;
        const { began, target, position } = this.flight, t = Math.min(1, (performance.now() - began) / FLIGHT_MS), s = t * t * (3 - 2 * t);
        this.controls.target.lerpVectors(...target, s);
        this.camera.position.lerpVectors(...position, s);
        if (t === 1) this.flight = undefined;
        this.dirty = true;
    }

    /** The box that the motion fills, once all of it is known; a camera that nobody has moved yet looks at all of it. */
    private fitMotion(session: Session): void {
        const base = this.engine.base();
        if (this.fitted || !base || !base.count || base.done < base.count) return;
        this.fitted = true;
        this.axes = axes(this.shape!, base.get(0)!.pose); // motions often stand otherwise than the rest pose
        this.fitStage();
        const { low, high } = this.box, p = new Vector3(), shift = new Vector3();
        low.setScalar(Infinity);
        high.setScalar(-Infinity);
        for (let i = 0; i < base.count; ++i) {
            const { points } = base.get(i)!, step = 3 * Math.max(1, Math.floor(points.length / 3000));
            shift.copy(this.travel(i) ?? shift.set(0, 0, 0));
            for (let k = 0; k < points.length; k += step) {
                p.fromArray(points, k).sub(shift);
                low.min(p);
                high.max(p);
            }
        }
        // One that shrinks to nothing or grows beyond all view is looked at as it is at rest.
        const size = high.distanceTo(low) / (this.shape!.info.diagonal || 1);
        if (!(size > LEAST_BOX && size < MOST_BOX)) low.copy(this.low), high.copy(this.high);
        if (!session.camera) this.look("home", false);
    }
    private fitted = false;

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
    frameOf(chain: number, at: number): { frame: Frame; whose: "own" | "stale" | "base" | "live" } | undefined {
        const live = this.instead(chain, at) ?? this.engine.liveFrame(chain);
        if (live) return { frame: live, whose: "live" };
        const frames = this.engine.frames(chain), own = frames?.get(at);
        if (own) return { frame: own, whose: "own" };
        const stale = frames?.any(at);
        if (stale) return { frame: stale, whose: "stale" };
        const base = this.engine.base()?.any(at);
        return base && { frame: base, whose: "base" };
    }

    private materialsFor(session: Session, ghost = false): Material[] {
        const heat = session.show.heat !== "none" || this.paint_ !== undefined, key = ghost ? "ghost" : heat ? "heat" : session.show.shading;
        let found = this.materials.get(key);
        if (!found) {
            const make = (): Material => {
                if (ghost) return new MeshStandardMaterial({ color: styleColor("--a") || "#9db7cf", roughness: 0.8, transparent: true, opacity: 0.5, depthWrite: false, polygonOffset: true, polygonOffsetFactor: 2, polygonOffsetUnits: 4 }); // seen where the two differ
                if (heat) return new MeshStandardMaterial({ vertexColors: true, roughness: 0.8, side: DoubleSide });
                if (key === "file" && this.shape!.colors) return new MeshStandardMaterial({ vertexColors: true, roughness: 0.58, side: DoubleSide });
                if (key === "normals") return new MeshNormalMaterial({ side: DoubleSide });
                if (key === "checker") return checker(this.shape!.info.diagonal);
                return clay();
            };
            found = key === "file" && this.look_ ? this.look_.materials : this.shape!.info.parts.map(make);
            this.materials.set(key, found);
        }
        const plane = this.cutPlane(session);
        for (const material of found) material.clippingPlanes = plane;
        return found;
    }

    /** Colors of a map under the brush, three floats a point; undefined: what the session shows. */
    set painted(colors: Float32Array | undefined) {
        if (colors === this.paint_) return;
        this.paint_ = colors;
        this.dirty = true;
    }
    private paint_: Float32Array | undefined;
    hasPainted(colors: Float32Array): boolean { return this.paint_ === colors; }
    /** Some of the colors changed in place. */
    repaint(): void {
        ++this.repaints;
        this.dirty = true;
    }
    private repaints = 0;

    /** Materials of the file; null: it has none that could be read. */
    set fileLook(look: Look | null) {
        this.look_ = look;
        this.materials.delete("file");
        this.dirty = true;
    }
    private look_: Look | null = null;
    private readonly planes = [new Plane()];
    private cutPlane(session: Session): Plane[] | null {
        const { cut } = session.show;
        if (!cut || !this.shape) return null;
        const axis = "xyz".indexOf(cut.axis), low = this.low.getComponent(axis), high = this.high.getComponent(axis), shift = this.followed.getComponent(axis) - this.middle.getComponent(axis);
        this.planes[0]!.normal.set(0, 0, 0).setComponent(axis, -1);
        this.planes[0]!.constant = low + cut.at * (high - low) + shift;
        return this.planes;
    }

    /** The panes of the compare mode; of a picture that is kept, as if no panel lay over the view. */
    private arrange(session: Session, width: number, height: number, keep: boolean): Pane[] {
        const { left: panel, below } = keep ? { left: 0, below: 0 } : this.covered_, ids = session.chains.map(chain => chain.id), whole = (chain: number): Pane => ({ chain, left: 0, width, top: 0, height });
        if (session.compare === "side" && ids.length > 1) {
            const columns = ids.length === 4 && width < 1.6 * height ? 2 : width < height ? 1 : ids.length, rows = Math.ceil(ids.length / columns);
            const beside = panel || (columns > 2 ? TOOLBAR : 0), w = Math.floor((width - beside) / columns), hgt = Math.floor((height - below) / rows); // all of them beside a panel; narrow ones beside the tools
            return ids.map((chain, i) => ({ chain, left: beside + i % columns * w, width: w, top: Math.floor(i / columns) * hgt, height: hgt }));
        }
        if (session.compare === "wipe" && ids.length > 1) {
            const cut = Math.round(session.wipe * width), second = session.active === ids[0] ? ids[1]! : session.active;
            return [{ ...whole(ids[0]!), width: cut }, { ...whole(second), left: cut, width: width - cut }];
        }
        if (session.compare === "blink" && ids.length > 1) return [whole(ids[Math.floor(performance.now() / BLINK_MS) % ids.length]!)];
        return [whole(session.active)];
    }

    /** Draws if anything has changed and the last picture is shown. */
    draw(session: Session): void {
        this.flying();
        this.controls.update();
        this.fitMotion(session);
        if (session.compare === "blink") this.dirty = true;
        if (this.painter.busy) return;
        const sharp = !this.dirty;
        if (sharp && !(this.coarse && performance.now() - this.changed > STILL_MS)) return;
        void this.paint(session, sharp, false);
    }

    /** Nothing is in progress and nothing waits: the view shows the session at full resolution. */
    get still(): boolean { return !this.dirty && !this.coarse && !this.painter.busy; }

    /** A small picture of a frame that no chain shows, from where the camera stands. */
    async portrait(session: Session, frame: Frame, width: number, height: number): Promise<ImageBitmap | undefined> {
        while (this.painter.busy) await new Promise(resolve => setTimeout(resolve, 1));
        if (!this.shape) return undefined;
        const skin = this.skin(PORTRAIT);
        skin.show(frame);
        skin.dress(this.materialsFor({ ...session, show: { ...session.show, heat: "none", shading: "clay", cut: null } }), null);
        skin.fold();
        skin.wired = false;
        for (const [id, other] of this.skins) other.group.visible = id === PORTRAIT;
        // A separate camera: presses on the skin meanwhile use the other one.
        const camera = this.camera.clone();
        this.frame(width, height, false, camera);
        camera.position.sub(this.controls.target).multiplyScalar(Math.max(CLOSE, Math.min(1, 0.95 * this.tall(camera)))).add(this.controls.target);
        const hidden = [this.bones?.group, this.drawnLinks.group, ...this.marks].filter(one => one?.visible);
        for (const one of hidden) one!.visible = false;
        this.painter.pane(this.stage.scene, camera, [0, 0, width, height], [0, 0, width, height]);
        for (const one of hidden) one!.visible = true;
        skin.group.visible = false;
        return this.painter.present(width, height, Math.min(devicePixelRatio, MOST_PIXELS), true, true);
    }

    /** Half pictures that the character spans above or below the middle. */
    private tall(camera: PerspectiveCamera): number {
        const shift = this.followed.clone().sub(this.middle), corner = new Vector3();
        camera.updateMatrixWorld();
        let most = 0;
        for (let i = 0; i < 8; ++i) {
            corner.set((i & 1 ? this.low : this.high).x, (i & 2 ? this.low : this.high).y, (i & 4 ? this.low : this.high).z).add(shift).project(camera);
            most = Math.max(most, Math.abs(corner.y));
        }
        return most;
    }

    /** Of a picture with all pixels of the screen. */
    get pixels(): { width: number; height: number } {
        const ratio = Math.min(devicePixelRatio, MOST_PIXELS);
        return { width: Math.floor(this.canvas.clientWidth * ratio), height: Math.floor(this.canvas.clientHeight * ratio) };
    }

    /** A picture of the view at a frame, without a background. */
    async picture(session: Session): Promise<ImageBitmap> {
        while (this.painter.busy) await new Promise(resolve => setTimeout(resolve, 1));
        const kept = await this.paint(session, true, true);
        this.dirty = true;
        if (!kept) throw new Error("the browser gives no picture of the view; make the window smaller");
        return kept;
    }

    private async paint(session: Session, sharp: boolean, keep: boolean): Promise<ImageBitmap | undefined> {
        const { width, height } = this.size, ratio = Math.min(devicePixelRatio, MOST_PIXELS);
        if (!this.shape || !width || !height) return undefined;
        if (!sharp) this.changed = performance.now();
        this.dirty = false;
        const panes = this.arrange(session, width, height, keep);
        if (!keep) this.panes = panes;
        const layout = session.compare === "side" ? panes.length : 1;
        if (layout !== this.layout) this.resized = true;
        this.layout = layout;
        this.sideBySide = layout > 1;
        if (this.resized && !session.camera && this.seen) { // nobody has moved the camera: it frames the character in the new shape
            this.seen = false;
            this.look("home", false);
        }
        this.resized = false;
        this.follow(session);
        this.stage.shadow = session.show.shadow;
        this.stage.dark = document.documentElement.dataset["theme"] !== "light";
        const frames = panes.map(pane => (pane.width > 0 ? this.compose(session, pane, width, height, keep) : undefined));
        if (keep && this.panes[0]) this.lens(session, this.panes[0], width, height, false); // what is seen and pressed on is not the kept picture
        this.coarse = !sharp && !keep && this.painter.share < 1;
        const presented = this.painter.present(width, height, ratio, sharp, keep);
        this.onPanes(this.panes);
        const kept = await presented;
        ++this.drawn;
        this.answered = Math.max(this.answered, ...frames.map(frame => frame?.answers ?? 0));
        this.engine.seen(frames, this.painter.ms);
        return kept;
    }

    /** One pane: its chain's skin and what is shown with it. Returns the frame that it shows. */
    private compose(session: Session, pane: Pane, width: number, height: number, keep: boolean): Frame | undefined {
        // What a link draws of itself comes when it can: the skin waits for it, so that both are of one instant.
        const drawn = this.engine.drawing(pane.chain), at = drawn && this.playing() ? drawn.at : session.frame, shown = this.frameOf(pane.chain, at);
        if (!shown) return undefined;
        const skin = this.skin(pane.chain);
        skin.show(shown.frame);
        skin.dress(this.materialsFor(session), session.show.shading === "file" && session.show.heat === "none" && !this.paint_ ? this.look_ : null);
        skin.paint(this.paint_ ?? this.heat.colors(session, this.shape!, shown.frame, at) ?? (session.show.shading === "file" ? this.shape!.colors : undefined), this.repaints);
        skin.fold();
        skin.wired = session.show.wire;
        const planes = this.cutPlane(session);
        skin.cap.cut(planes);
        skin.wire.material.clippingPlanes = planes;
        skin.mesh.castShadow = true;
        const ghost = session.compare === "ghost" && session.chains.length > 1 ? session.chains.find(one => one.id !== pane.chain)!.id : undefined;
        for (const [id, other] of this.skins) other.group.visible = id === pane.chain || id === ghost;
        if (ghost !== undefined) {
            const under = this.frameOf(ghost, at), over = this.skin(ghost);
            if (under) over.show(under.frame);
            over.group.visible = Boolean(under);
            over.dress(this.materialsFor(session, true), null);
            over.fold();
            over.wire.visible = over.mesh.castShadow = over.cap.group.visible = false;
        }
        const pose = shown.whose === "live" ? shown.frame.pose : this.engine.base()?.any(at)?.pose;
        if (this.bones && pose) {
            this.bones.group.visible = session.show.bones || session.show.heat === "weights" || session.touch?.tool === "pose" || session.touch?.tool === "weights";
            if (this.bones.group.visible) this.bones.show(pose, session.show.joint);
        }
        this.drawnLinks.show(drawn && drawn.at === at ? drawn.drawing : undefined, this.shape!.info.diagonal);
        const wipe = session.compare === "wipe", y = height - pane.top - pane.height;
        this.lens(session, pane, width, height, keep);
        const box: [number, number, number, number] = [pane.left, y, pane.width, pane.height];
        this.painter.pane(this.stage.scene, this.camera, box, wipe ? [0, 0, width, height] : box);
        return shown.frame;
    }

    /** The camera as a pane is seen through it. */
    private lens({ compare }: Session, pane: Pane, width: number, height: number, keep: boolean): void {
        this.frame(compare === "wipe" ? width : pane.width, compare === "wipe" ? height : pane.height, !this.sideBySide && !keep);
    }

    /** Camera and light go with a character that travels; steps, sways and jumps are seen. */
    private follow(session: Session): void {
        const to = session.show.follow ? this.travel(session.frame) : undefined, by = this.middle.clone().add(to ?? new Vector3()).sub(this.followed);
        if (by.lengthSq() === 0) return;
        this.followed.add(by);
        this.controls.target.add(by);
        this.camera.position.add(by);
        this.stage.move(by);
        this.controls.update();
    }

    /** How far the middle has travelled on the ground by a frame, without its steps and sways: a mean over a second. */
    private travel(frame: number): Vector3 | undefined {
        const base = this.engine.base();
        if (!base || base.done < base.count || !this.shape) return undefined;
        if (this.path.revision !== base.revision) {
            const { up } = this.axes, { fps } = this.engine.rate(), half = Math.round(fps / 2);
            const middles = Array.from({ length: base.count }, (_, i) => meanOf(base.get(i)!.points)), rest = meanOf(this.shape.points), places: Vector3[] = [];
            for (let i = 0; i < middles.length; ++i) {
                const reach = Math.min(half, i, middles.length - 1 - i), sum = new Vector3();
                for (let k = i - reach; k <= i + reach; ++k) sum.add(middles[k]!);
                const by = sum.divideScalar(2 * reach + 1).sub(rest);
                places.push(by.addScaledVector(up, -by.dot(up)));
            }
            const far = Math.max(...places.map(one => one.distanceTo(places[0]!)));
            this.path = { revision: base.revision, places: far < TRAVELS * this.shape.info.diagonal ? [] : places };
        }
        return this.path.places[frame];
    }

    /** Joints on the screen, in pixels of the canvas, for the first pane; none while bones are hidden. */
    joints(session: Session): { name: string; x: number; y: number }[] {
        const pane = this.panes[0];
        if (!pane || !this.bones?.group.visible || !this.shape) return [];
        const { clientWidth, clientHeight } = this.canvas, wipe = session.compare === "wipe", left = wipe ? 0 : pane.left, width = wipe ? clientWidth : pane.width, height = wipe ? clientHeight : pane.height, top = wipe ? 0 : pane.top;
        const p = new Vector3();
        return this.bones.places.map((place, i) => {
            p.copy(place).project(this.camera);
            return { name: this.shape!.info.joints[i]!.name, x: left + (p.x + 1) / 2 * width, y: top + (1 - p.y) / 2 * height };
        });
    }

    /** Where a point of a chain's skin is on the page. */
    pixel(point: number, chain: number, at: number): { x: number; y: number } | null {
        const pane = this.panes.find(one => one.chain === chain), shown = this.frameOf(chain, at);
        if (!pane || !shown) return null;
        const { left: x, top: y, width: w, height: hgt } = this.canvas.getBoundingClientRect(), [left, top, width, height] = this.wiped ? [0, 0, w, hgt] : [pane.left, pane.top, pane.width, pane.height];
        const p = new Vector3().fromArray(shown.frame.points, 3 * point).project(this.camera);
        return { x: x + left + (p.x + 1) / 2 * width, y: y + top + (1 - p.y) / 2 * height };
    }
}

/** From five hundred points, which suffice. */
function meanOf(points: Float32Array): Vector3 {
    const step = 3 * Math.max(1, Math.floor(points.length / 1500)), sum = new Vector3();
    let count = 0;
    for (let i = 0; i < points.length; i += step, ++count) sum.x += points[i]!, sum.y += points[i + 1]!, sum.z += points[i + 2]!;
    return sum.divideScalar(count || 1);
}
