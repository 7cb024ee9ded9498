// A line that is drawn around something, seen while it is drawn.
const SVG = "http://www.w3.org/2000/svg";
const LEAST = 3; // corners of a line that has an inside

/** Follows the pointer until it is lifted, then gives the line in pixels of the page; the pointer is captured by the element. */
export function drawLine(press: PointerEvent, done: (line: { x: number; y: number }[]) => void): void {
    const on = press.target as HTMLElement, line = [{ x: press.clientX, y: press.clientY }], seen = document.createElementNS(SVG, "svg"), path = document.createElementNS(SVG, "polygon");
    seen.classList.add("lasso");
    seen.setAttribute("aria-hidden", "true");
    seen.append(path);
    document.body.append(seen);
    const move = (event: PointerEvent) => {
        if (event.pointerId !== press.pointerId) return;
        event.stopImmediatePropagation();
        line.push({ x: event.clientX, y: event.clientY });
        path.setAttribute("points", line.map(({ x, y }) => `${x},${y}`).join(" "));
    };
    const end = (event: PointerEvent) => {
        if (event.pointerId !== press.pointerId) return;
        event.stopImmediatePropagation();
        for (const [name, listener] of [["pointermove", move], ["pointerup", end], ["pointercancel", end]] as const) on.removeEventListener(name, listener, true);
        seen.remove();
        if (event.type === "pointerup" && line.length >= LEAST) done(line);
    };
    for (const [name, listener] of [["pointermove", move], ["pointerup", end], ["pointercancel", end]] as const) on.addEventListener(name, listener, true);
}
