// What is seen: look, what is drawn over it, heat, the cut, the camera.
import { type Panel, soon } from "../app.ts";
import { h } from "../dom.ts";
import { HEATS } from "../heat.ts";
import type { Heat, Shading, Show } from "../session.ts";

const LOOKS: [Shading, string][] = [["clay", "Clay"], ["file", "File"], ["checker", "Checker"], ["normals", "Normals"]];

export const showPanel: Panel = {
    id: "show", title: "Show",
    make({ store, engine, view }) {
        const set = (label: string, change: Partial<Show>, merge = "") => store.do(label, session => ({ ...session, show: { ...session.show, ...change } }), merge);
        const looks = LOOKS.map(([key, label]) => h("button", { "data-look": key, onclick: () => set(`look: ${label.toLowerCase()}`, { shading: key }) }, label));
        const toggles = ([["wire", "Wireframe"], ["bones", "Bones"], ["names", "Names of joints"], ["shadow", "Shadow"], ["follow", "Camera follows"]] as const).map(([key, label]) => {
            const box = h("input", { type: "checkbox", id: `show-${key}`, onchange: () => set(label.toLowerCase(), key === "names" && box.checked ? { names: true, bones: true } : { [key]: box.checked }) });
            return { key, box, row: h("div", { class: "row-toggle" }, h("label", { for: `show-${key}` }, label), box) };
        });
        const heat = h("select", { "aria-label": "Heat map", onchange: () => set("heat map", { heat: heat.value as Heat }) }, h("option", { value: "none" }, "None"), Object.entries(HEATS).map(([key, { name }]) => h("option", { value: key }, name)));
        const heatHelp = h("p", { class: "about" });
        const joint = h("select", { "aria-label": "Joint", onchange: () => set("choose a joint", { joint: joint.value || null }) });
        const axis = h("select", { "aria-label": "Cut along", onchange: () => set("cut", { cut: axis.value ? { axis: axis.value as "x", at: store.now.show.cut?.at ?? 0.5 } : null }) }, h("option", { value: "" }, "Whole"), ["x", "y", "z"].map(one => h("option", { value: one }, `Cut along ${one}`)));
        const at = h("input", { type: "range", min: "0", max: "100", "aria-label": "Where it is cut", oninput: () => store.now.show.cut && set("cut", { cut: { ...store.now.show.cut, at: Number(at.value) / 100 } }, "cut") });
        const inside = h("div", { class: "stack tight" });
        const views = h("div", { class: "segments" }, ([["home", "Home"], ["front", "Front"], ["side", "Side"], ["top", "Top"], ["back", "Back"]] as const).map(([from, label]) => h("button", { onclick: () => view.look(from) }, label)));
        let before = "", jointsBefore = "";
        const update = () => {
            const { show } = store.now;
            for (const one of looks) one.setAttribute("aria-pressed", String(one.dataset["look"] === show.shading));
            for (const { key, box } of toggles) box.checked = show[key];
            const truth = heat.querySelector<HTMLOptionElement>('option[value="truth"]')!;
            truth.disabled = !store.now.source.truth?.length;
            truth.textContent = truth.disabled ? "Distance to the truth (drop its meshes)" : HEATS.truth.name;
            heat.value = show.heat;
            heatHelp.textContent = show.heat === "none" ? "" : `${HEATS[show.heat].help}.`;
            const joints = engine.info?.joints.map(one => one.name) ?? [], key = joints.join();
            if (key !== jointsBefore) {
                jointsBefore = key;
                joint.replaceChildren(h("option", { value: "" }, "No joint"), ...joints.map(name => h("option", { value: name }, name)));
            }
            joint.value = show.joint ?? "";
            axis.value = show.cut?.axis ?? "";
            at.disabled = !show.cut;
            at.value = String(Math.round(100 * (show.cut?.at ?? 0.5)));
            at.style.setProperty("--at", `${at.value}%`);
            const names = [...new Set(store.now.chains.flatMap(chain => engine.drawable(chain.id)))], drawKey = JSON.stringify([names, show.drawn]);
            if (drawKey !== before) {
                before = drawKey;
                inside.replaceChildren(...(names.length ? names.map(name => {
                    const [link, what] = name.split(".") as [string, string];
                    const box = h("input", { type: "checkbox", id: `draw-${name}`, checked: show.drawn.includes(name), onchange: () => set(`inside: ${what}`, { drawn: box.checked ? [...store.now.show.drawn, name] : store.now.show.drawn.filter(one => one !== name) }) });
                    return h("div", { class: "row-toggle" }, h("label", { for: `draw-${name}` }, `${what[0]!.toUpperCase()}${what.slice(1)} `, h("small", {}, `of ${link}`)), box);
                }) : [h("p", { class: "about" }, "None of the links has an inside to draw: layers, lattice and the curve deformers have.")]));
            }
        };
        store.follow(soon(update));
        engine.listen(soon(update));
        update();
        return h("div", { class: "stack" },
            h("h2", {}, "Look"), h("div", { class: "segments", role: "group", "aria-label": "Look" }, looks), ...toggles.map(({ row }) => row),
            h("h2", {}, "Heat map"), heat, heatHelp, h("h2", {}, "Joint"), joint,
            h("h2", {}, "Inside"), inside, h("div", { class: "row" }, axis, at), h("h2", {}, "Camera"), views);
    },
};
