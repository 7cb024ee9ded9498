// Cells around any mesh (Chen, Tsai, Lin, Lu 2012, corrected): the skeleton poses the corners of the cells, joints get back the
// volume that skinning takes from them, and the corners swing about their pose as an elastic body. The skin rides in the cells.
//
//   pose      y = skinning of the corners by weights diffused through the cells; then every part gets its volume back
//   motion    minimizes, per step,  m/(2 dt^2) |x - xh|^2 + ks m/2 |x - g|^2 + kp m/2 |x - y|^2
//             xh = x + dt v + dt^2 a    g = goal of the rigid regions around the corner    ks, kp = (2 pi shape_hz,
//             pose_hz)^2
//   skin      trilinear in the cells, or a smooth spline
#include "deform/lattice/lattice.h"

#include "base/parts.h"

#define AT(member) offsetof(lattice_params, member)

static const char* const measure_choices[] = { "skin", "cells", NULL };
static const char* const weight_choices[] = { "auto", "screened", "diffuse", "file", NULL };
static const char* const blend_choices[] = { "dualquat", "linear", NULL };
static const char* const reference_choices[] = { "pose", "rest", NULL };
static const char* const integrator_choices[] = { "implicit", "symplectic", NULL };

const sup_param lattice_rows[ROW_COUNT] = {
    { "cells", SUP_PARAM_INT, SUP_STAGE_BIND, AT(cells), .min = 0, .max = 160, .standard = 0, .unit = "",
      .help = "Cells along the longest side, 16 or more; 0: 48, or more if limbs under three cells thick need it, up to 8000 "
              "particles. More cells follow finer detail and cost in proportion" },
    { "region", SUP_PARAM_INT, SUP_STAGE_BIND, AT(region), .min = 1, .max = REGIONS_REACH_MAX, .standard = 2, .unit = "cells",
      .help = "Reach of the rigid regions: wider ones swing as larger pieces and cost nearly the same" },
    { "shape_hz", SUP_PARAM_FLOAT, SUP_STAGE_FRAME, AT(shape_hz), .varies = SUP_VARIES_POINT, .min = 1, .max = 30,
      .standard = 8, .unit = "Hz", .help = "How fast the flesh springs back into shape: low is jelly, high is rubber" },
    { "pose_hz", SUP_PARAM_FLOAT, SUP_STAGE_FRAME, AT(pose_hz), .varies = SUP_VARIES_POINT, .min = 0.5, .max = 20,
      .standard = 3.2, .unit = "Hz", .help = "How fast it swings about its pose: low lags and jiggles far, high follows" },
    { "damping_ratio", SUP_PARAM_FLOAT, SUP_STAGE_FRAME, AT(damping_ratio), .varies = SUP_VARIES_POINT, .min = 0, .max = 2,
      .standard = 0.15, .unit = "", .help = "Damping ratio: 1 returns without overshoot, 0 swings for a long time" },
    { "bone_radius", SUP_PARAM_FLOAT, SUP_STAGE_BIND, AT(bone_radius), .min = 0, .max = 0.9, .standard = 0.25, .unit = "",
      .help = "Core around the bones that does not swing, as a fraction of the local thickness; 0: none" },
    { "limit", SUP_PARAM_FLOAT, SUP_STAGE_FRAME, AT(limit), .min = 0, .max = 2, .standard = 0.1, .unit = "",
      .help =
          "Flesh stiffens: the pull to the pose doubles at this displacement, a fraction of the local thickness; 0: never" },
    { "volume", SUP_PARAM_FLOAT, SUP_STAGE_FRAME, AT(volume), .varies = SUP_VARIES_BONE, .min = 0, .max = 1, .standard = 1,
      .unit = "", .help = "Fraction of the lost volume that a joint's part gets back; per bone with @" },
    { "sweeps", SUP_PARAM_INT, SUP_STAGE_FRAME, AT(sweeps), .min = 1, .max = 4, .standard = 3, .unit = "",
      .help = "Rounds of the volume correction; a round moves the skin by at most half a cell", .only_with = "volume>0" },
    { "fade", SUP_PARAM_FLOAT, SUP_STAGE_BIND, AT(fade), .min = 0, .max = 0.5, .standard = 0.25, .unit = "",
      .help = "Fraction of a part's length over which its correction fades towards the next part", .only_with = "volume>0" },
    { "parts", SUP_PARAM_TEXT, SUP_STAGE_BIND, AT(parts), .unit = "",
      .help = "Joints whose parts are one volume, as globs: 'Spine*|Hand* Finger*' makes two groups; @FILE: one group per "
              "line, as --save lattice=FILE writes them; empty: every joint by itself",
      .only_with = "volume>0" },
    { "measure", SUP_PARAM_CHOICE, SUP_STAGE_BIND, AT(measure), .standard = MEASURE_SKIN, .choices = measure_choices,
      .unit = "", .help = "What the volume correction measures: the skin, or the cells around it as in the paper" },
    { "weights", SUP_PARAM_CHOICE, SUP_STAGE_BIND, AT(weights), .standard = WEIGHTS_AUTO, .choices = weight_choices, .unit = "",
      .help = "Weights of the cells' corners: diffused from the bones, the paper's averaging, or the file's, which the skin "
              "then keeps exactly; auto: the file's if it has any" },
    { "blend", SUP_PARAM_CHOICE, SUP_STAGE_BIND, AT(blend), .standard = BLEND_DUALQUAT, .choices = blend_choices, .unit = "",
      .help = "How bones turn cells and skin: dualquat where they twist, so that a limb stays round, and linear where they "
              "bend; linear: pinches twists",
      .only_with = "linear_front" },
    { "spread", SUP_PARAM_FLOAT, SUP_STAGE_BIND, AT(spread), .min = 0.1, .max = 10, .standard = 1, .unit = "",
      .help = "Automatic weights: larger is sharper at the joints",
      .only_with = "weights=screened|weights=diffuse|unweighted" },
    { "strength", SUP_PARAM_FLOAT, SUP_STAGE_BIND, AT(strength), .varies = SUP_VARIES_BONE, .min = 0.1, .max = 10,
      .standard = 1, .unit = "",
      .help = "Automatic weights: a stronger bone keeps more of the cells around it; per bone with @",
      .only_with = "weights=screened|weights=diffuse|unweighted" },
    { "reference", SUP_PARAM_CHOICE, SUP_STAGE_BIND, AT(reference), .standard = REFERENCE_POSE, .choices = reference_choices,
      .unit = "", .help = "Goal shape of the regions: the pose (comes to rest on it), or the rest shape as in the paper" },
    { "integrator", SUP_PARAM_CHOICE, SUP_STAGE_FRAME, AT(integrator), .standard = INTEGRATOR_IMPLICIT,
      .choices = integrator_choices, .unit = "",
      .help = "Implicit is stable at any step; symplectic is the paper's, corrected" },
    { "delta", SUP_PARAM_FLOAT, SUP_STAGE_FRAME, AT(delta), .min = -1, .max = 1, .standard = -1, .unit = "",
      .help = "Symplectic: the paper's amount of swinging, 0 is skinning alone; negative: from pose_hz",
      .only_with = "integrator=symplectic" },
    { "smooth_embedding", SUP_PARAM_BOOL, SUP_STAGE_BIND, AT(smooth_embedding), .standard = 0, .unit = "",
      .help = "The skin follows a spline through the cells instead of straight lines: no creases at cell faces" },
    { "gravity", SUP_PARAM_FLOAT, SUP_STAGE_FRAME, AT(gravity), .varies = SUP_VARIES_POINT, .min = 0, .max = 2, .standard = 0,
      .unit = "", .help = "Fraction of the world's gravity that acts; flesh sags by gravity / (2 pi pose_hz)^2",
      .only_with = "gravity" },
    { "gravity_rest", SUP_PARAM_BOOL, SUP_STAGE_FRAME, AT(gravity_rest), .standard = 1, .unit = "",
      .help = "The rest shape already hangs: it only sags when it turns away from that. Off: plain gravity",
      .only_with = "gravity>0" },
    { "drag", SUP_PARAM_FLOAT, SUP_STAGE_FRAME, AT(drag), .min = 0, .max = 20, .standard = 2, .unit = "1/s",
      .help = "How hard the world's wind blows on the outside", .only_with = "wind" },
    { "density", SUP_PARAM_FLOAT, SUP_STAGE_FRAME, AT(density), .min = 100, .max = 5000, .standard = 1000, .unit = "kg/m^3",
      .help = "Density; heavier flesh moves less under the world's forces", .only_with = "forces" },
    { "inertia", SUP_PARAM_FLOAT, SUP_STAGE_FRAME, AT(inertia), .min = 0, .max = 1, .standard = 1, .unit = "",
      .help = "Fraction of the root's motion that acts on the flesh", .only_with = "root_motion" },
};

static const char* const stiff[][2] = { { "shape_hz", "14" }, { "pose_hz", "6" }, { "damping_ratio", "0.4" }, { NULL, NULL } };
static const char* const jelly[][2] = {
    { "shape_hz", "4" }, { "pose_hz", "1.8" }, { "damping_ratio", "0.08" }, { "bone_radius", "0.15" }, { "limit", "0.15" },
    { "region", "3" },   { NULL, NULL }
};
static const char* const paper[][2] = {
    { "integrator", "symplectic" }, { "reference", "rest" }, { "weights", "diffuse" }, { "blend", "linear" },
    { "measure", "cells" },         { "fade", "0" },         { "delta", "0.9" },       { NULL, NULL }
};
static const char* const still[][2] = { { "pose_hz", "20" }, { "damping_ratio", "2" }, { NULL, NULL } };

static const sup_preset presets[] = {
    { "stiff", "Trained bodies: short, small swings", stiff },
    { "jelly", "Soft bodies: slow, wide swings", jelly },
    { "still", "Volume and weights only, almost no swinging", still },
    { "paper", "As printed in Chen et al. 2012, with its equations corrected", paper },
    { NULL, NULL, NULL },
};

static bool is_unweighted(const sup_bind_input* in, const sup_binding* binding)
{
    const lattice_bound* b = binding->data;
    (void)in;
    return !b->keeps_file;
}

static bool is_linear_front(const sup_bind_input* in, const sup_binding* binding)
{
    (void)binding;
    return in->skinning != SUP_SKINNING_DUALQUAT;
}

static const sup_condition conditions[] = {
    { "linear_front", "linear skinning in front", "take dualquat out of the chain", is_linear_front },
    { "unweighted", "a file without weights", "set weights=screened", is_unweighted },
    { 0 },
};

const sup_deformer sup_deformer_lattice = {
    .name = "lattice",
    .summary = "Cells around any mesh: automatic weights, joints that keep their volume, flesh that swings",
    .paper =
        "Chen, Tsai, Lin, Lu: Skeleton-driven surface deformation through lattices for real-time character animation, 2012",
    .needs = SUP_NEEDS_WEIGHTS,
    .dynamic = true,
    .step = 1.0 / 60, // the paper's 16 ms; frames at 30 and 60 per second are multiples
    .params = lattice_rows,
    .param_count = SUP_COUNT_OF(lattice_rows),
    .params_size = sizeof(lattice_params),
    .presets = presets,
    .conditions = conditions,
    .bind = lattice_bind,
    .reset = lattice_reset,
    .evaluate = lattice_evaluate,
    .draw = lattice_draw,
    .save = SUP_HAS_RUNTIME_FILES ? lattice_save : NULL,
};
