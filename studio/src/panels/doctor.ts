// The Doctor: `supple check` as a panel. Every joint is swept through what the clips do with it; the worst come first, a click bends
// the joint in the view, and the table says what each deformer would do.
import { Vector3 } from "three";
import type { Checkup } from "supple-skin";
import "./out.css";
import type { App, Panel } from "../app.ts";
import { type Bend, bendName, jointPlace } from "../bend.ts";
import { ICONS, h, icon } from "../dom.ts";
import { sentence } from "../engine.ts";
import { Lane, characterKey, sculptsKey } from "../lane.ts";
import { jointFrames } from "../overlay.ts";
import { type Camera, type Session, type Source, linksText, link } from "../session.ts";

type Joint = Checkup["joints"][number];
const JOINTS_SHOWN = 12;
// What is tried: skinning of both kinds and smoothing cost seconds; simulated flesh takes minutes and runs on request only.
const QUICK = ["linear", "dualquat", "dualquat,smooth"];

const percent = (share: number): string => `${share > 0 ? "+" : ""}${(100 * share).toFixed(1)} %`;
/** Without what the Doctor itself put there. */
const plain = (source: Source): Source => {
    const { bend: _, ...rest } = source;
    return rest;
};

/** The session with a joint bent: one more clip, and the chains of the table side by side. */
export function bent(session: Session, bend: Bend, chains: string[], camera: Camera | null): Session {
    const first = Math.max(...session.chains.map(chain => chain.id)) + 1;
    const made = chains.slice(0, 2).map((text, i) => ({ id: first + i, links: text.split(/\s*[,>›]\s*/).map(name => link(name)) }));
    return { ...session, source: { ...plain(session.source), bend }, clip: bendName(bend), start: null, end: null, cycle: false, frame: 0, chains: made, active: made.at(-1)!.id, compare: made.length > 1 ? "side" : "single", camera };
}

const CLOSE = 1.2; // diagonals from the joint: the limb fills the pane, and one still sees whose it is
const SIDES = 12;     // around the body from which a joint may be looked at
const AROUND = 0.08;  // diagonals: skin nearer to the joint is its own
const SIGHT = 0.05;   // diagonals from the line of sight: what stands nearer to it is before the joint
const LOOKED_AT = 3000; // points
const AS_IT_WAS = 0.004; // of these points, a step around: what hides less is no reason to go there
const IN_PROFILE = 0.03; // of these points, where one would look into the bend

/** The camera at the joint, from the side where least is before it, and the bend in profile: a far leg is not looked at through the near one. */
function closeUp({ engine: { shape }, view: { camera, controls } }: App, { joint, axis }: Bend): Camera | null {
    if (!shape) return null;
    const target = jointPlace(shape.info.joints, shape.jointRest, joint), from = camera.position.clone().sub(controls.target).normalize(), { points, info } = shape;
    const place = from.clone().fromArray(target), near = AROUND * info.diagonal, aside = SIGHT * info.diagonal, step = 3 * Math.max(1, Math.floor(points.length / 3 / LOOKED_AT)), some = Array.from({ length: Math.ceil(points.length / step) }, (_, i) => from.clone().fromArray(points, i * step).sub(place));
    const about = new Vector3(...axis).transformDirection(jointFrames(shape, shape.jointRest)[shape.info.joints.findIndex(one => one.name === joint)]!);
    /** What is before the joint, how far around it is, and how much the bend goes to and from the eye. */
    const cost = (way: typeof from, around: number) => some.reduce((sum, p) => {
        const along = p.dot(way);
        return sum + (along > near && p.lengthSq() - along * along < aside * aside ? 1 : 0);
    }, 0) + (AS_IT_WAS * around + IN_PROFILE * (1 - Math.abs(way.dot(about)))) * some.length;
    const ways = Array.from({ length: SIDES }, (_, i) => ({ way: from.clone().applyAxisAngle(camera.up, 2 * Math.PI * i / SIDES), around: Math.min(i, SIDES - i) }));
    const { way } = ways.map(one => ({ ...one, cost: cost(one.way, one.around) })).reduce((best, one) => (one.cost < best.cost ? one : best)), away = way.multiplyScalar(CLOSE * info.diagonal);
    return { target, position: [target[0] + away.x, target[1] + away.y, target[2] + away.z] };
}

export const doctorPanel: Panel = {
    id: "doctor", title: "Doctor",
    make(app) {
        const { store } = app, list = h("ol", { "aria-label": "Joints, the worst first" }), about = h("p", { class: "quiet", role: "status" }), detail = h("div", { class: "detail" });
        const full = h("input", { type: "checkbox", id: "doctor-full" }), bar = h("progress", { max: 1, value: 0, "aria-label": "Examining", hidden: true });
        const stop = h("button", { class: "small outline", hidden: true, onclick: () => (wanted = false) }, "Stop");
        const start = h("button", { class: "primary", id: "doctor-run", onclick: () => void run() }, icon(ICONS.wand), "Examine");
        const home = h("button", { class: "small outline", id: "doctor-back", hidden: true, onclick: () => {
            const was = before;
            if (was) store.do("leave the bent joint", () => was);
        } }, "Back to the motion");
        let wanted = false, before: Session | undefined, examined = "";
        about.textContent = "Every joint bends and twists as far as the clips turn it; the joints whose skin suffers most come first.";

        const show = (checkup: Checkup, joint: Joint) => {
            const worst = joint.chains.find(one => one.chain === joint.chains[0]!.chain)!, sweep = joint.sweeps.find(one => one.motion === worst.worst_motion) ?? joint.sweeps[0];
            if (!sweep) return;
            if (!store.now.source.bend) before = store.now;
            const best = joint.best, chains = [checkup.chains[0]!, best === checkup.chains[0] ? checkup.chains.find(one => one !== best) ?? best : best];
            const bend = { joint: joint.joint, axis: sweep.axis, from: sweep.from, to: sweep.to };
            store.do(`bend ${joint.joint}`, session => ({ ...bent(session, bend, [...new Set(chains)], closeUp(app, bend)), show: { ...session.show, joint: joint.joint } }));
            home.hidden = false;
            app.clock.play();
            detail.replaceChildren(h("h2", {}, joint.joint), h("p", {}, joint.advice), table(joint));
        };
        const run = async () => {
            const source = plain(store.now.source), clip = app.engine.clip()?.name, lane = await Lane.open();
            wanted = true;
            start.disabled = true;
            bar.hidden = stop.hidden = false;
            list.replaceChildren();
            detail.replaceChildren();
            try {
                await lane.load(source);
                const own = linksText(store.now.chains.find(chain => chain.id === store.now.active) ?? store.now.chains[0]!);
                const tried = QUICK.includes(own) || own.includes("layers") || own.includes("lattice") ? QUICK : [...QUICK, own];
                const checkup = await lane.character.check({ chains: tried, full: full.checked, top: JOINTS_SHOWN, ...(clip && !store.now.source.bend ? { clip } : {}) }, fraction => {
                    bar.value = fraction;
                    return wanted;
                });
                examined = characterKey(source) + sculptsKey(source);
                const most = Math.max(1e-9, ...checkup.joints.map(one => one.badness));
                list.replaceChildren(...checkup.joints.map((joint, at) => {
                    const linear = joint.chains[0]!;
                    return h("li", {}, h("button", { class: "outline", "data-joint": joint.joint, onclick: () => show(checkup, joint) }, h("b", {}, `${at + 1}. ${joint.joint}`),
                        h("meter", { min: 0, max: 1, value: joint.badness / most, "aria-label": `Badness ${joint.badness.toPrecision(2)}` }),
                        h("small", {}, `${linear.worst_motion} of ${Math.round(linear.worst_angle)}°: volume ${percent(linear.volume_change)}, stretch ×${linear.stretch_max.toFixed(2)}; ${joint.best} does best`)));
                }));
                about.textContent = checkup.joints.length ? `${checkup.joints_checked} joints examined under ${checkup.chains.join(", ")}. Click one to bend it.` : "No joint moves any skin.";
                for (const { chain, why } of checkup.left_out) about.append(` ${chain} was left out: ${why}.`);
            } catch (error) {
                about.textContent = wanted ? sentence(error) : "The examination was stopped.";
            } finally {
                wanted = false;
                start.disabled = false;
                bar.hidden = stop.hidden = true;
                lane.close();
            }
        };
        store.listen(now => {
            home.hidden = !now.source.bend || !before;
            if (examined && characterKey(plain(now.source)) + sculptsKey(now.source) !== examined) {
                examined = "";
                list.replaceChildren();
                detail.replaceChildren();
                about.textContent = "Another character: examine it.";
            }
        });
        return h("div", { class: "doctor" }, h("div", { class: "row" }, start, stop, home),
            h("label", { title: "120 degrees of bend and 150 of twist both ways, whatever the clips do" }, full, " The usual range of every joint, whatever the clips do"), bar, about, detail, list);
    },
};

function table(joint: Joint): HTMLElement {
    return h("table", {}, h("thead", {}, h("tr", {}, h("th", {}, "Chain"), h("th", {}, "Volume"), h("th", {}, "Crossings"), h("th", {}, "Stretch"))),
        h("tbody", {}, joint.chains.map(one => h("tr", { class: one.chain === joint.best ? "best" : "" }, h("td", {}, one.chain), h("td", {}, percent(one.volume_change)),
            h("td", {}, one.intersections_added === null ? "–" : String(one.intersections_added)), h("td", {}, `×${one.stretch_max.toFixed(2)}`)))));
}
