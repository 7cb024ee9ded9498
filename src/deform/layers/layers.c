// Skin, fat, muscle and bone: four layers of tissue, made from the rigged surface alone, that stretch, jiggle, keep their
// volume and press on each other (Deul and Bender 2013, corrected: docs/deformers/layers.md says where and why).
#include "deform/layers/layers.h"

#define AT(field) offsetof(layers_params, field)

static const char* const anchor_choices[] = { "blended", "dominant", NULL };
static const char* const cut_choices[] = { "middles", "ends", NULL };

const sup_param layers_rows[ROWS] = {
    [ROW_ANCHOR] = { "foot", SUP_PARAM_CHOICE, SUP_STAGE_BIND, AT(anchor), .standard = 0, .choices = anchor_choices, .unit = "",
                     .help = "The bones a point's tissue is anchored to: all of them, blended, or the dominant one alone as in "
                             "the paper" },
    [ROW_PROJECT_FAT] = { "project_fat", SUP_PARAM_FLOAT, SUP_STAGE_BIND, AT(project_fat), .varies = SUP_VARIES_POINT, .min = 0,
                          .max = 0.95, .standard = 0.15, .unit = "",
                          .help = "Where fat begins, as a share of the distance from the skin (0) to the bone (1)" },
    [ROW_PROJECT_MUSCLE] = { "project_muscle", SUP_PARAM_FLOAT, SUP_STAGE_BIND, AT(project_muscle), .varies = SUP_VARIES_POINT,
                             .min = 0, .max = 0.95, .standard = 0.45, .unit = "",
                             .help = "Where muscle begins; must exceed project_fat" },
    [ROW_PROJECT_BONE] = { "project_bone", SUP_PARAM_FLOAT, SUP_STAGE_BIND, AT(project_bone), .varies = SUP_VARIES_POINT,
                           .min = 0, .max = 0.95, .standard = 0.8, .unit = "",
                           .help = "Where bone begins: tissue below is rigid. Small at ribs and skull" },
    [ROW_STIFFNESS_SKIN] = { "stiffness_skin", SUP_PARAM_FLOAT, SUP_STAGE_FRAME, AT(stiffness[LAYER_SKIN]),
                             .varies = SUP_VARIES_POINT, .min = 0, .max = 1, .standard = 0.8, .unit = "",
                             .help = "Stiffness of the skin; means the same at any step and iteration count" },
    [ROW_STIFFNESS_FAT] = { "stiffness_fat", SUP_PARAM_FLOAT, SUP_STAGE_FRAME, AT(stiffness[LAYER_FAT]),
                            .varies = SUP_VARIES_POINT, .min = 0, .max = 1, .standard = 0.6, .unit = "",
                            .help = "Stiffness of fat; low values jiggle" },
    [ROW_STIFFNESS_MUSCLE] = { "stiffness_muscle", SUP_PARAM_FLOAT, SUP_STAGE_FRAME, AT(stiffness[LAYER_MUSCLE]),
                               .varies = SUP_VARIES_POINT, .min = 0, .max = 1, .standard = 0.7, .unit = "",
                               .help = "Firmness of muscle" },
    [ROW_STIFFNESS_BONE] = { "stiffness_bone", SUP_PARAM_FLOAT, SUP_STAGE_FRAME, AT(stiffness[LAYER_BONE]),
                             .varies = SUP_VARIES_POINT, .min = 0, .max = 1, .standard = 0.8, .unit = "",
                             .help = "Firmness of the layer on the bone; counts where coupling is below 1",
                             .only_with = "coupling!=1" },
    [ROW_RING] = { "ring", SUP_PARAM_INT, SUP_STAGE_BIND, AT(ring), .min = 1, .max = 4, .standard = 1, .unit = "edges",
                   .help = "Reach of the elastic regions; wider is smoother and slower, the material is the same" },
    [ROW_SUBSTEPS] = { "substeps", SUP_PARAM_INT, SUP_STAGE_FRAME, AT(substeps), .min = 0, .max = 16, .standard = 0, .unit = "",
                       .help = "Parts of a 5 ms step; 0: as many as the stiffness asks for (4)" },
    [ROW_ITERATIONS] = { "iterations", SUP_PARAM_INT, SUP_STAGE_FRAME, AT(iterations), .min = 1, .max = 20, .standard = 2,
                         .unit = "", .help = "Rounds of the solver in each substep: 1 for a draft, 2, 4 for a final" },
    [ROW_ELASTIC_EVERY] = { "elastic_every", SUP_PARAM_INT, SUP_STAGE_FRAME, AT(elastic_every), .min = 1, .max = 8,
                            .standard = 1, .unit = "",
                            .help = "Elasticity only in every n-th round of a substep: faster, softer",
                            .only_with = "iterations>1" },
    [ROW_COUPLING] = { "coupling", SUP_PARAM_FLOAT, SUP_STAGE_FRAME, AT(coupling), .varies = SUP_VARIES_POINT, .min = 0,
                       .max = 1, .standard = 1, .unit = "",
                       .help = "How firmly the bone layer follows the skeleton; 1 exactly" },
    [ROW_JOINT_KEEP] = { "joint_keep", SUP_PARAM_FLOAT, SUP_STAGE_FRAME, AT(joint_keep), .min = 0, .max = 1, .standard = 0.95,
                         .unit = "", .help = "Share of its rest distance to a joint that tissue near it keeps; 0 is off" },
    [ROW_SQUEEZE] = { "squeeze", SUP_PARAM_FLOAT, SUP_STAGE_FRAME, AT(squeeze), .min = 0, .max = 0.9, .standard = 0.5,
                      .unit = "",
                      .help = "An edge of the skin resists compression below this share of its rest length, and stretch beyond "
                              "the inverse; 0 is off" },
    [ROW_TETHER] = { "tether", SUP_PARAM_FLOAT, SUP_STAGE_FRAME, AT(tether), .varies = SUP_VARIES_POINT, .min = 0.05, .max = 4,
                     .standard = 0.8, .unit = "depths",
                     .help = "How far tissue can move from its place over the bone, in distances to the bone" },
    [ROW_VOLUME] = { "volume", SUP_PARAM_FLOAT, SUP_STAGE_FRAME, AT(volume), .varies = SUP_VARIES_POINT, .min = 0, .max = 1,
                     .standard = 1, .unit = "",
                     .help = "Share of lost volume given back; a map says which skin may move for it" },
    [ROW_BULGE] = { "bulge", SUP_PARAM_FLOAT, SUP_STAGE_FRAME, AT(bulge), .varies = SUP_VARIES_BONE, .min = 0.7, .max = 1.4,
                    .standard = 1, .unit = "",
                    .help = "Target volume relative to the rest shape; tissue that anatomy holds firm keeps its own",
                    .only_with = "volume>0" },
    [ROW_CUT] = { "cut", SUP_PARAM_CHOICE, SUP_STAGE_BIND, AT(cut), .standard = 0, .choices = cut_choices, .unit = "",
                  .help = "Where sub-volumes end: in the middle of bones, or at their ends as in the paper",
                  .only_with = "volume>0" },
    [ROW_PLANES] = { "planes", SUP_PARAM_TEXT, SUP_STAGE_BIND, AT(planes), .unit = "",
                     .help = "Where cut=middles cuts bones, as shares of them: 'forearm=0.6 finger*=0.4'; @FILE reads the same "
                             "from a file; others are cut in the middle",
                     .only_with = "cut=middles,volume>0" },
    [ROW_CONTACT] = { "contact", SUP_PARAM_BOOL, SUP_STAGE_FRAME, AT(contact), .standard = 1, .unit = "",
                      .help = "The skin does not pass through itself" },
    [ROW_THICKNESS] = { "thickness", SUP_PARAM_FLOAT, SUP_STAGE_FRAME, AT(thickness), .min = 0, .max = 1, .standard = 0.1,
                        .unit = "edges", .help = "Distance kept between touching skin, in local mean edge lengths",
                        .only_with = "contact=true|bodies" },
    [ROW_FRICTION] = { "friction", SUP_PARAM_FLOAT, SUP_STAGE_FRAME, AT(friction), .min = 0, .max = 1, .standard = 0.3,
                       .unit = "", .help = "Of skin on skin", .only_with = "contact=true|bodies" },
    [ROW_RESTITUTION] = { "restitution", SUP_PARAM_FLOAT, SUP_STAGE_FRAME, AT(restitution), .min = 0, .max = 1, .standard = 0,
                          .unit = "", .help = "Restitution: share of the speed with which skin bounces off",
                          .only_with = "contact=true|bodies" },
    [ROW_DAMPING] = { "damping", SUP_PARAM_FLOAT, SUP_STAGE_FRAME, AT(damping), .varies = SUP_VARIES_POINT, .min = 0, .max = 50,
                      .standard = 5, .unit = "1/s", .help = "How fast swinging dies out; does not brake the animation" },
    [ROW_SMOOTHING] = { "smoothing", SUP_PARAM_FLOAT, SUP_STAGE_FRAME, AT(smoothing), .min = 0, .max = 50, .standard = 2,
                        .unit = "1/s", .help = "Damping of motion relative to neighbors; calms ripples, leaves swinging" },
    [ROW_GRAVITY] = { "gravity", SUP_PARAM_FLOAT, SUP_STAGE_FRAME, AT(gravity), .min = 0, .max = 2, .standard = 1, .unit = "",
                      .help = "Share of gravity that acts where a limb is rotated from its rest pose, which already hangs",
                      .only_with = "gravity" },
    [ROW_DRAG] = { "drag", SUP_PARAM_FLOAT, SUP_STAGE_FRAME, AT(drag), .min = 0, .max = 20, .standard = 2, .unit = "1/s",
                   .help = "How hard the world's wind presses on skin that faces it", .only_with = "wind" },
    [ROW_INERTIA] = { "inertia", SUP_PARAM_FLOAT, SUP_STAGE_FRAME, AT(inertia), .min = 0, .max = 1, .standard = 1, .unit = "",
                      .help = "Share of the root's motion that tissue lags behind; 0 keeps only the motion of limbs",
                      .only_with = "root_motion" },
    [ROW_MUSCLE] = { "muscle", SUP_PARAM_FLOAT, SUP_STAGE_FRAME, AT(muscle), .varies = SUP_VARIES_POINT, .min = 0, .max = 1,
                     .standard = 0, .unit = "", .help = "How much flexed muscles shorten and thicken; 0 is off" },
    [ROW_DENSITY] = { "density", SUP_PARAM_FLOAT, SUP_STAGE_BIND, AT(density), .min = 500, .max = 2000, .standard = 1000,
                      .unit = "kg/m^3", .help = "Density of all tissue; matters where forces push", .only_with = "forces" },
    [ROW_CAGE] = { "cage", SUP_PARAM_TEXT, SUP_STAGE_BIND, AT(cage), .standard_text = "auto", .unit = "",
                   .help = "What carries the tissue: mesh, a number of points for a clean surface around it on which the mesh "
                           "rides, or auto: the mesh, unless a core would need over 60 ms for a 33 ms frame of it (4,300 "
                           "points; 3,000 with several limbs), or its pieces pass through each other" },
    [ROW_ANATOMY] = { "anatomy", SUP_PARAM_FLOAT, SUP_STAGE_FRAME, AT(anatomy), .varies = SUP_VARIES_POINT, .min = 0, .max = 1,
                      .standard = 1, .unit = "",
                      .help = "How firm heads, hands, feet, hooves and horns are, up to the skin; 0: as soft as the rest. Goes "
                              "behind bone values of depths and stiffness" },
    [ROW_PAPER_ORDER] = { "paper_order", SUP_PARAM_BOOL, SUP_STAGE_FRAME, AT(paper_order), .standard = 0, .unit = "",
                          .help = "Algorithm 1 of the paper, word for word, to compare with; stiffness then depends on "
                                  "iterations" },
};

static const char* const arm_values[][2] = {
    { "project_fat", "0.15" },  { "project_muscle", "0.45" },  { "project_bone", "0.8" },   { "stiffness_skin", "0.8" },
    { "stiffness_fat", "0.6" }, { "stiffness_muscle", "0.7" }, { "stiffness_bone", "0.8" }, { NULL, NULL },
};
static const char* const hand_values[][2] = {
    { "project_fat", "0.1" },   { "project_muscle", "0.5" },     { "project_bone", "0.8" },     { "stiffness_skin", "0.6" },
    { "stiffness_fat", "0.6" }, { "stiffness_muscle", "0.675" }, { "stiffness_bone", "0.675" }, { NULL, NULL },
};
static const char* const man_values[][2] = {
    { "project_fat", "0.25" },   { "project_muscle", "0.55" },    { "project_bone", "0.8" },      { "stiffness_skin", "0.525" },
    { "stiffness_fat", "0.45" }, { "stiffness_muscle", "0.675" }, { "stiffness_bone", "0.7125" }, { NULL, NULL },
};

static const sup_preset presets[] = {
    { "arm", "The paper's arm", arm_values },
    { "hand", "The paper's hand: thin skin, firm muscle", hand_values },
    { "big_man", "The belly of the paper's Big Man: thick and soft", man_values },
    { NULL, NULL, NULL },
};

const sup_deformer sup_deformer_layers = {
    .name = "layers",
    .summary = "Skin, fat, muscle and bone that stretch, jiggle, keep their volume and press against each other",
    .paper = "Deul, Bender: Physically-Based Character Skinning, 2013",
    .needs = SUP_NEEDS_WEIGHTS,
    .dynamic = true,
    .params = layers_rows,
    .param_count = ROWS,
    .params_size = sizeof(layers_params),
    .presets = presets,
    .bind = layers_bind,
    .reset = layers_reset,
    .evaluate = layers_evaluate,
    .present = layers_present,
    .draw = layers_draw,
};
