// How much of a swing that nobody sculpted do the dynamics of beam and fourier find?  node scripts/swing.mjs [build/supple] [../shared/data]
// Keys every eight frames are sculpts. Cycles, damping and the rest are chosen by the error of the frames between the keys in the
// first half of a motion and judged in its second half, against the same link standing still. Prints one table, which
// scripts/curve-figures.mjs takes.
import { eachMotion } from "./swing-motions.mjs";

const still = name => `${name}(sway=0)`;
function swinging(name) {
    const list = [];
    for (const cycles of [0.5, 1, 2, 4, 8])
        for (const damping of [0.05, 0.15, 0.5])
            for (const more of name === "beam" ? [""] : ["spread=0", "spread=1"])
                for (const continuity of ["auto", "hermite"]) list.push(`${name}(${[`cycles=${cycles}`, `damping=${damping}`, `continuity=${continuity}`, more].filter(Boolean).join(",")})`);
    return list;
}

console.log("| motion | link | chosen | still, first half | swinging | still, second half | swinging | of the gap closed | the best in hindsight |\n|---|---|---|--:|--:|--:|--:|--:|--:|");
eachMotion(({ name, first, second, skin, rms }) => {
    const errors = text => {
        const all = skin(text);
        return { text, first: rms(all, first), second: rms(all, second) };
    };
    const plain = errors("linear");
    for (const link of ["beam", "fourier"]) {
        const rest = errors(still(link)), all = swinging(link).map(errors), best = all.reduce((a, b) => (b.first < a.first ? b : a));
        const hindsight = Math.min(...all.map(c => c.second)), of = (x, half) => (x[half] / plain[half]).toFixed(4), closed = x => `${(100 * (1 - x / rest.second)).toFixed(1)} %`;
        console.log(`| ${name} | ${link} | ${best.text.slice(link.length + 1, -1)} | ${of(rest, "first")} | ${of(best, "first")} | ${of(rest, "second")} | ${of(best, "second")} | ${closed(best.second)} | ${closed(hindsight)} |`);
    }
});
