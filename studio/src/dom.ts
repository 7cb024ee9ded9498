// Elements in one line each.
type Props = Record<string, unknown>;
type Child = Node | string | number | false | null | undefined;

/** An element: on… are listeners, data-…, aria-… and role are attributes, the rest are properties. */
export function h<K extends keyof HTMLElementTagNameMap>(tag: K, props: Props = {}, ...children: (Child | Child[])[]): HTMLElementTagNameMap[K] {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(props)) {
        if (value === undefined) continue;
        if (name.startsWith("on")) element.addEventListener(name.slice(2), value as EventListener);
        else if (name === "class") element.className = String(value);
        else if (/^(data-|aria-|role$|for$|list$|colspan$)/.test(name)) element.setAttribute(name, String(value));
        else (element as unknown as Props)[name] = value;
    }
    element.append(...children.flat().filter((child): child is Node | string | number => child !== null && child !== undefined && child !== false).map(child => (child instanceof Node ? child : String(child))));
    return element;
}

export const byId = <T extends HTMLElement = HTMLElement>(id: string): T => {
    const found = document.getElementById(id);
    if (!found) throw new Error(`index.html has no #${id}`);
    return found as T;
};

const SVG = "http://www.w3.org/2000/svg";
/** A 16 by 16 icon drawn with lines of the text's color. */
export function icon(path: string): SVGSVGElement {
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("viewBox", "0 0 16 16");
    svg.setAttribute("aria-hidden", "true");
    svg.classList.add("icon");
    const line = document.createElementNS(SVG, "path");
    line.setAttribute("d", path);
    svg.append(line);
    return svg;
}

export const ICONS = {
    play: "M5 3.2v9.6L12.6 8z", pause: "M5.2 3.5v9M10.8 3.5v9", first: "M4 3.5v9M12 3.6v8.8L6.4 8z", back: "M10.5 3.5 6 8l4.5 4.5", next: "M5.5 3.5 10 8l-4.5 4.5",
    undo: "M6 4 3 7l3 3M3.2 7H9a3.5 3.5 0 0 1 0 7H7", redo: "M10 4l3 3-3 3M12.8 7H7a3.5 3.5 0 0 0 0 7h2", close: "M4 4l8 8M12 4l-8 8", add: "M8 3v10M3 8h10",
    up: "M4 10l4-4 4 4", down: "M4 6l4 4 4-4", eye: "M1.8 8S4 3.8 8 3.8 14.2 8 14.2 8 12 12.2 8 12.2 1.8 8 1.8 8zM8 6.2a1.8 1.8 0 1 0 0 3.6 1.8 1.8 0 0 0 0-3.6z",
    off: "M1.8 8S4 3.8 8 3.8 14.2 8 14.2 8 12 12.2 8 12.2 1.8 8 1.8 8zM3 13 13 3", help: "M6 6.2a2 2 0 1 1 2.9 1.8c-.6.3-.9.7-.9 1.4M8 11.8v.1", open: "M2.5 12.5v-9h4l1.5 2h5.5v7z",
    theme: "M8 2.5a5.5 5.5 0 1 0 0 11zM8 2.5a5.5 5.5 0 0 1 0 11", reset: "M3.5 8a4.5 4.5 0 1 0 1.4-3.2M3.2 2.8v2.6h2.6", loop: "M3 9V7a2.5 2.5 0 0 1 2.5-2.5H12M10 2.5l2.2 2-2.2 2M13 7v2a2.5 2.5 0 0 1-2.5 2.5H4M6 13.5l-2.2-2 2.2-2",
    menu: "M2.5 4.5h11M2.5 8h11M2.5 11.5h11", save: "M8 2.5v7M5 7l3 3 3-3M3 13h10", wand: "M3 13l7-7M11 2v3M9.5 3.5h3M13 7v2M12 8h2",
};
