// A figure on two legs, made of boxes around the bones of a captured walk: texts of an OBJ and a BVH file.
const BODY = ["Hips", [0, 90, 0], [
    ["LeftUpLeg", [10, 0, 0], [["LeftLeg", [0, -40, 0], [["LeftFoot", [0, -40, 0], []]]]]],
    ["RightUpLeg", [-10, 0, 0], [["RightLeg", [0, -40, 0], [["RightFoot", [0, -40, 0], []]]]]],
    ["Spine", [0, 20, 0], [
        ["Neck", [0, 30, 0], [["Head", [0, 10, 0], []]]],
        ["LeftArm", [15, 25, 0], [["LeftForeArm", [25, 0, 0], [["LeftHand", [25, 0, 0], []]]]]],
        ["RightArm", [-15, 25, 0], [["RightForeArm", [-25, 0, 0], [["RightHand", [-25, 0, 0], []]]]]],
    ]],
]];

export function walk(frames, frameTime) {
    const lines = ["HIERARCHY"], names = [];
    const put = ([name, offset, children], root) => {
        names.push(name);
        lines.push(`${root ? "ROOT" : "JOINT"} ${name}`, "{", `OFFSET ${offset.join(" ")}`, `CHANNELS ${root ? "6 Xposition Yposition Zposition" : "3"} Zrotation Xrotation Yrotation`);
        children.forEach(child => put(child, false));
        if (!children.length) lines.push("End Site", "{", "OFFSET 0 -8 8", "}");
        lines.push("}");
    };
    put(BODY, true);
    lines.push("MOTION", `Frames: ${frames}`, `Frame Time: ${frameTime}`);
    for (let i = 0; i < frames; i++) {
        const swing = name => (/Up|Arm$/.test(name) ? 20 : /Leg|Fore/.test(name) ? 12 : 0) * Math.sin(i * 0.9) * (name.startsWith("Left") ? 1 : -1);
        lines.push([`0 90 ${i}`, ...names.map(name => `0 ${swing(name).toFixed(3)} 0`)].join(" "));
    }
    return `${lines.join("\n")}\n`;
}

/** A closed box of 2 x 4 points around every bone, in the units of the walk. */
export function figure() {
    const lines = [];
    let points = 0;
    const box = ([ax, ay, az], [bx, by, bz]) => {
        const half = 4, along = [bx - ax, by - ay, bz - az], flat = Math.abs(along[0]) > Math.abs(along[1]);
        for (const [x, y, z] of [[ax, ay, az], [bx, by, bz]])
            for (const [u, v] of [[-half, -half], [half, -half], [half, half], [-half, half]]) lines.push(flat ? `v ${x} ${y + u} ${z + v}` : `v ${x + u} ${y} ${z + v}`);
        const down = flat ? along[0] < 0 : along[1] > 0, face = (...c) => lines.push(`f ${(down ? c : c.reverse()).map(i => points + i).join(" ")}`);
        face(4, 3, 2, 1);
        face(5, 6, 7, 8);
        for (let i = 1; i <= 4; i++) face(i, i % 4 + 1, i % 4 + 5, i + 4);
        points += 8;
    };
    const visit = ([, offset, children], from) => {
        const here = offset.map((value, i) => value + from[i]);
        for (const child of children) box(here, here.map((value, i) => value + child[1][i]));
        if (!children.length) box(here, [here[0] + (here[1] > 100 && Math.abs(here[0]) > 20 ? Math.sign(here[0]) * 8 : 0), here[1] - (here[1] > 100 ? Math.abs(here[0]) > 20 ? 0 : -10 : 8), here[2]]);
        children.forEach(child => visit(child, here));
    };
    visit(BODY, [0, 0, 0]);
    return `${lines.join("\n")}\n`;
}
