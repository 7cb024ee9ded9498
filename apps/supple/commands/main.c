// supple: dispatches to the verbs.
#include "commands.h"
#include "complete.h"
#include "input/inputs.h"
#include "manual.h"
#include "progress.h"
#include "report/report.h"
#include "studio/studio_convert.h"
#include "supple/base.h"
#include "system/system.h"

#include <stdio.h>
#include <string.h>

static const verb verbs[] = {
    { "inspect", VERB_INSPECT, "FILE", 1, 1, "What is in a character file, and what is wrong with it",
      "FILE is a .glb, .gltf, .vrm, .obj, .ply, .fbx or .dae file (docs/formats.md has them all), or a built-in character:\n"
      "builtin:beast, builtin:arm, builtin:bar\n"
      "('builtin:arm?points=30000' has another resolution).\n",
      cmd_inspect },
    { "bake", VERB_BAKE, "FILE OUT", 2, 2, "Run a chain of deformers over a clip and write the result",
      "The ending of OUT picks the format: .glb, .gltf, .usda, .abc, .pc2, .mdd, .obj or .npy (docs/formats.md).\n"
      "In a .glb or .gltf the source's meshes, materials and other clips stay as they are.\n"
      "Without a clip and without --pose, the rest pose is one frame.\n\n"
      "  supple bake builtin:beast walk.glb --clip walk --deform dualquat\n"
      "  supple bake fox.glb out.glb --clip Run --fps 60 --json\n"
      "  supple bake builtin:arm bent.glb --pose 'forearm=0,0,90'\n",
      cmd_bake },
    { "render", VERB_RENDER, "FILE OUT", 2, 2, "Make a picture (.png) or a film (.mp4, .webm, .gif)",
      "Several --deform appear side by side. A film shows the clip, or circles a file without clips.\n\n"
      "  supple render builtin:beast beast.png\n"
      "  supple render builtin:beast walk.mp4 --clip walk --deform dualquat\n"
      "  supple render builtin:arm flex.png --clip flex --time 1 --deform linear --deform dualquat --heat stretch\n"
      "  supple render fox.glb run.png --clip Run --sheet 6 --bones\n",
      cmd_render },
    { "compare", VERB_COMPARE, "FILE", 1, 1, "Play several chains over a clip and measure them side by side",
      "Each --deform is one chain; without any, every deformer that fits. --truth gives meshes to measure against, one per "
      "frame.\n\n"
      "  supple compare builtin:arm --clip flex --deform linear --deform dualquat --html arm.html\n"
      "  supple compare character.glb --clip Walk --truth captured/ --json\n"
      "  supple compare character.glb --deform dualquat --max-volume-loss 2% --max-intersections 0\n",
      cmd_compare },
    { "check", VERB_CHECK, "FILE", 1, 1, "The skin doctor: sweep every joint, rank them, say what would help",
      "Every joint bends and twists as far as the file's clips turn it, or 120 and 150 degrees both ways if none does.\n\n"
      "  supple check character.glb\n"
      "  supple check builtin:arm --full --html arm.html\n"
      "  supple check character.glb --deform dualquat --max-volume-loss 5%\n",
      cmd_check },
    { "weights", VERB_WEIGHTS, "FILE OUT", 2, 2, "Automatic weights for a mesh and a skeleton",
      "The skeleton is the file's own, whose weights are replaced, or that of --skeleton. OUT is a .glb with mesh, skin and\n"
      "clips for any other program.\n\n"
      "  supple weights body.obj body.glb --skeleton rig.glb\n"
      "  supple weights body.obj body.glb --skeleton walk.bvh --max-influences 4\n"
      "  supple weights character.glb again.glb --spread 0.5 --cells 64\n",
      cmd_weights },
    { "fit", VERB_FIT, "FILES... OUT", 1, UINT32_MAX, "A rig from a mesh sequence, or parameters from a truth",
      "FILES are shapes of one mesh (.obj, .ply and more), a folder of them, 'walk_####.obj', a point cache (.pc2, .mdd, .npy, "
      "with\n"
      "--rest FILE for the mesh), or one file with a clip, whose skin is sampled: this turns a bake into bones. OUT is a .glb "
      "with\n"
      "joints, weights and the clip 'fit' for any other program.\n\n"
      "  supple fit gallop/ horse.glb --rest reference.obj --bones 10\n"
      "  supple fit frame_*.obj out.glb --error 2 --influences 4\n"
      "  supple fit baked.glb bones.glb --bones 30 --fps 60\n\n"
      "With --deform it finds parameters instead: those with which the chain comes closest to --truth, as a preset. Every "
      "second\n"
      "frame is held out to check them.\n\n"
      "  supple fit horse.glb --deform linear,smooth --truth gallop/ --write horse.json\n",
      cmd_fit },
    { "studio", VERB_STUDIO, "[FILE...]", 0, UINT32_MAX, "The page in a browser: drop a character, see its skin live",
      "Serves the page to this machine only, prints its address and opens it. FILEs are opened at once: characters, motions,\n"
      "presets, worlds and maps. Nothing leaves the machine; the address contains a token that is new in every run.\n\n"
      "  supple studio\n"
      "  supple studio character.glb walk.bvh soft.json\n"
      "  supple studio --port 8017 --no-open\n",
      cmd_studio },
    { "farm", VERB_FARM, "[FILE...]", 0, UINT32_MAX, "Bake many characters and clips, over all cores and machines",
      "FILE is a manifest of jobs (.json), or characters, folders and patterns: every clip of each is baked under every "
      "--deform.\n"
      "Each job is one 'supple bake' in its own process; those that crash, hang or fail do not stop others. Finished jobs do\n"
      "not run again, and runs on the same folder, on any machine, share the work (docs/farm.md).\n\n"
      "  supple farm characters/ --deform layers --out baked --html baked.html\n"
      "  supple farm 'library/**/*.glb' --clips 'Walk*,Run' --deform linear --deform layers --max-volume-loss 5%\n"
      "  supple farm jobs.json\n"
      "  mpirun -np 64 supple farm jobs.json\n",
      cmd_farm },
    { "deformers", VERB_DEFORMERS, "[NAME]", 0, 1, "List the deformers, or the parameters of one", NULL, cmd_deformers },
    { "demo", VERB_DEMO, "[DIR]", 0, 1, "Bake the built-in characters with every deformer into a folder",
      "DIR is out/demo by default; it is created if it is missing. Its index.html shows all results as pictures.\n", cmd_demo },
    { "bench", VERB_BENCH, "[FILE...]", 0, UINT32_MAX, "Time the shared scenes against this machine's own limits",
      "FILEs are characters to time as well. --threads is for the second timing of each scene.\n\n"
      "ms is the best frame after the first: a held pose for deformers without state, a frame of the clip at 30 frames\n"
      "a second for the others. reference_ms is the plain textbook loop (four influences, one thread, the same compiler\n"
      "and flags; for smooth behind it, corrective smoothing likewise) on the same pose, speedup their ratio. copy_gb_s\n"
      "counts bytes read and written by a copy of 256 MB; copy_fraction is 48 bytes a point (rest 12, weights 16, joints 8,\n"
      "result 12: what the textbook loop moves) over the time, as a share of the copy speed of as many threads. Small scenes\n"
      "stay in the caches and exceed 1.\n\n"
      "Scenes io/* read and write files of half a million points on one thread; their textbook is reading the same bytes,\n"
      "MB the peak memory above that before; io/A_to_B writes B from a character that was read from A.\n"
      "MB of a chain is its binding, state and scratch; B/point the same divided by its points (of layers on a mesh, a\n"
      "point is four particles); cpu ms is the CPU time of all threads for a frame, bind ms that of one thread to bind it.\n"
      "arm-2916-PART/layers and so on are a step of 5 ms at the sizes of Deul and Bender: elasticity alone, the cost that\n"
      "volume and contact add, the total; regions are fits of one region with their goals, as points.\n"
      "particles-N/lattice plays 28,059 points and 38 joints in N particles with a step and a frame of 16 ms.\n"
      "weights/beast-30k makes automatic weights of 30,000 points for 40 joints, once; MB is the memory that took.\n"
      "fit/beast-8k finds ten bones in 24 shapes, once.\n"
      "bend/plate-64x64 factors a plate, bend/fixed-loads, moving-load and rings-21x20 are frames of that deformer.\n",
      cmd_bench },
};
enum { VERB_COUNT = sizeof verbs / sizeof *verbs };

static void print_help(void)
{
    puts("supple VERB input [output] [--flags]\n\n"
         "Supple turns a posed character into living skin.\n\nverbs:");
    for (int i = 0; i < VERB_COUNT; i++) printf("  %-10s %-10s %s\n", verbs[i].name, verbs[i].words, verbs[i].summary);
    puts("\n'supple VERB --help' lists a verb's flags; 'supple --version' prints the version.\n"
         "Exit code: 0 done, 1 failed, 2 wrong usage, 3 a quality limit was exceeded.\n\n"
         "Begin with: supple bake builtin:beast beast.glb --clip walk --deform dualquat");
}

static int unknown_verb(const char* word)
{
    const char* names[VERB_COUNT];
    for (int i = 0; i < VERB_COUNT; i++) names[i] = verbs[i].name;
    const char* near = sup_word_nearest(word, names, VERB_COUNT);
    if (near) report_error("there is no verb '%s'; did you mean '%s'?", word, near);
    else report_error("there is no verb '%s'; 'supple --help' lists them", word);
    return EXIT_USAGE;
}

static int run_verb(const verb* v, int argc, char** argv, inputs* read)
{
    options o;
    int     code = EXIT_USAGE;
    if (options_parse(v, argc - 1, argv + 1, &o)) {
        o.inputs = read;
        if (options_has(&o, FLAG_HELP)) {
            options_help(v);
            code = EXIT_DONE;
        } else {
            code = inputs_check_words(&o);
            if (code == EXIT_DONE) code = v->run(&o);
        }
    }
    options_free(&o);
    return code;
}

int run_words(int argc, char** argv, inputs* read)
{
    for (int i = 0; i < VERB_COUNT; i++)
        if (strcmp(argv[0], verbs[i].name) == 0) return run_verb(&verbs[i], argc, argv, read);
    return unknown_verb(argv[0]);
}

static bool is_help(const char* word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0;
}

static int run(int argc, char** argv)
{
    if (argc < 2) {
        report_error("a verb is missing; write: supple VERB input [output] [--flags], 'supple --help' explains");
        return EXIT_USAGE;
    }
    const char* word = argv[1];
    if (strcmp(word, "--version") == 0) {
        printf("supple %s\n", SUP_VERSION);
        return EXIT_DONE;
    }
    // Three verbs for machines, which no list shows: completion for shells, the pages of the manual, and conversion for the
    // studio's server.
    if (strcmp(word, "complete") == 0) return complete_words(verbs, VERB_COUNT, argc - 2, argv + 2);
    if (strcmp(word, "manual") == 0) return manual_page(verbs, VERB_COUNT, argc - 2, argv + 2);
    if (strcmp(word, "convert") == 0 && argc == 3) return convert_file(argv[2]);
    // "help bake" is "bake --help".
    char  flag[] = "--help";
    char* asked[] = { argc > 2 ? argv[2] : NULL, flag, NULL };
    bool  helps = is_help(word);
    if (helps && (argc == 2 || is_help(argv[2]))) {
        print_help();
        return EXIT_DONE;
    }
    inputs read;
    inputs_begin(&read);
    int code = helps ? run_words(2, asked, &read) : run_words(argc - 1, argv + 1, &read);
    inputs_free(&read);
    return code;
}

int main(int argc, char** argv)
{
    system_begin(&argc, &argv);
    interrupts_watch();
    int code = run(argc, argv);
    if (!finish_stdout() && code == EXIT_DONE) code = EXIT_FAILED;
    return code;
}
