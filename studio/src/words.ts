// Messages of the core name flags of the command line as cures. Here they name the page's own controls.
const SKELETON = "drop a motion (.bvh) or a skeleton (.tgf) onto it, or use a rigged character";
const HERE: [RegExp, string][] = [
    [/give one with --skeleton( FILE|, or (use|make).*)?$/, SKELETON], [/give a skeleton with --skeleton( FILE|, or make.*)?$/, SKELETON], [/give it one: 'supple weights MESH.*$/, SKELETON],
    [/--unit \S+ makes that its size, --unit \S+ keeps the file's/, "the panel Character says which unit is meant"], [/so give --unit if it is wrong/, "so choose the unit in the panel Character if it is wrong"],
    [/give another file with --skeleton/, "drop another one"], [/flat_inspect lists its \d+/, "the panel Character lists those it has"],
    [/give (one|some|them) with --example( T=FILE)?/, "make one with the tool Sculpt, or drop some"],
    [/give (one|some) with --world/, "the tool World has it"],
    [/give one with --clip/, "choose a clip"], [/give one with --map \S+=FILE/, "drop its text file"],
    [/add --motion-map FILE with lines like .*$/, "give 'supple bake --motion-map FILE' the pairs of joints"],
];
export const here = (sentence: string): string => HERE.reduce((text, [flag, words]) => text.replace(flag, words), sentence);
