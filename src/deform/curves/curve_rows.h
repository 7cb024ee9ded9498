/// deform/curves/curve_rows.h: rows of the parameter tables that beam, bend, fourier and pose_space share, so that a name means
/// the same everywhere and is explained once. `at`: its offset in the link's own struct. `with`: when it has an effect, NULL
/// for always.
#ifndef SUP_DEFORM_CURVES_CURVE_ROWS_H
#define SUP_DEFORM_CURVES_CURVE_ROWS_H

#define SUP_ROW_WAY(at, usual, with)                                                                                           \
    {                                                                                                                          \
        "way", SUP_PARAM_CHOICE, SUP_STAGE_BIND, at, .choices = sup_curve_ways, .standard = (usual), .unit = "",               \
                                                     .help = "How curves are laid: rings around limbs, open lines along "      \
                                                             "them, or, as in the papers, plane cuts across center "           \
                                                             "lines or edge loops of the mesh",                                \
                                                     .only_with = (with)                                                       \
    }
/// `more`: text appended to the sentence.
#define SUP_ROW_CURVES(at, usual, more)                                                                                        \
    {                                                                                                                          \
        "curves", SUP_PARAM_INT, SUP_STAGE_BIND, at, .min = 3, .max = 256, .standard = (usual), .unit = "",                    \
                                                     .help = "Number of curves on the longest limb (rings) or the thickest "   \
                                                             "one (lines); others in proportion. way=planes: on "              \
                                                             "every limb" more                                                 \
    }
#define SUP_ROW_SPACING(at, with)                                                                                              \
    {                                                                                                                          \
        "spacing", SUP_PARAM_FLOAT, SUP_STAGE_BIND, at,                                                                        \
            .min = 0, .max = 0.5, .standard = 0, .unit = "diagonal",                                                           \
            .help = "Distance between rings, as a share of the diagonal; 0: set by the number of curves", .only_with = (with)  \
    }
#define SUP_ROW_SNAP(at, with)                                                                                                 \
    {                                                                                                                          \
        "snap", SUP_PARAM_FLOAT, SUP_STAGE_BIND, at,                                                                           \
            .min = 0, .max = 0.5, .standard = 0.25, .unit = "edge",                                                            \
            .help = "Curve points closer to a vertex than this share of their edge snap to it", .only_with = (with)            \
    }
#define SUP_ROW_GROUPS(at, with)                                                                                               \
    {                                                                                                                          \
        "groups", SUP_PARAM_TEXT, SUP_STAGE_BIND, at,                                                                          \
            .unit = "",                                                                                                        \
            .help = "Lays curves only where maps with matching names (_GROUP_*) are painted; each map is a separate part",     \
            .only_with = (with)                                                                                                \
    }
#define SUP_ROW_TRANSFER(at)                                                                                                   \
    {                                                                                                                          \
        "transfer", SUP_PARAM_CHOICE, SUP_STAGE_BIND, at,                                                                      \
            .choices = sup_curve_transfers, .unit = "",                                                                        \
            .help = "Skin between curves takes their displacement, or rotates with the frame between them"                     \
    }

#define SUP_ROW_DAMPING(at)                                                                                                    \
    {                                                                                                                          \
        "damping", SUP_PARAM_FLOAT, SUP_STAGE_BIND, at,                                                                        \
            .min = 0, .max = 2, .standard = 0.15, .unit = "",                                                                  \
            .help = "How soon it comes to rest: 0.05 jiggles on, 0.15 settles in a few swings, 1 does not ring",               \
            .only_with = "expert=false"                                                                                        \
    }
/// `shape`: "mode" or "wave".
#define SUP_ROW_LAW(at, shape)                                                                                                 \
    {                                                                                                                          \
        "law", SUP_PARAM_CHOICE, SUP_STAGE_BIND, at,                                                                           \
            .choices = sup_curve_laws, .unit = "",                                                                             \
            .help = "How damping varies with the " shape ": constant, falling (mass) or rising (stiffness)",                   \
            .only_with = "expert=false"                                                                                        \
    }
#define SUP_ROW_CONTINUITY(at, shape, with)                                                                                    \
    {                                                                                                                          \
        "continuity", SUP_PARAM_CHOICE, SUP_STAGE_BIND, at, .choices = sup_curve_continuities, .unit = "",                     \
                                                            .help = "Velocities at examples: prescribed (auto, where " shape   \
                                                                    "s that are too fast do not swing, or hermite, where "     \
                                                                    "they carry on), carried through, or reset to zero",       \
                                                            .only_with = (with)                                                \
    }
#define SUP_ROW_HOLD(at)                                                                                                       \
    {                                                                                                                          \
        "hold", SUP_PARAM_FLOAT, SUP_STAGE_BIND, at, .min = 0, .max = 100, .standard = 0, .unit = "s",                         \
                                                     .help = "continuity=auto, several examples: how long each one acts; in "  \
                                                             "longer gaps the skin returns to plain skinning "                 \
                                                             "and does not swing. 0: until the next example",                  \
                                                     .only_with = "continuity=auto,third_example"                              \
    }
#define SUP_ROW_SETTLE(at, with)                                                                                               \
    {                                                                                                                          \
        "settle", SUP_PARAM_BOOL, SUP_STAGE_FRAME, at,                                                                         \
            .unit = "", .help = "Keeps swinging after the last example instead of stopping", .only_with = (with)               \
    }
#define SUP_ROW_SWAY(at, with)                                                                                                 \
    {                                                                                                                          \
        "sway", SUP_PARAM_FLOAT, SUP_STAGE_FRAME, at, .min = 0, .max = 3, .standard = 1, .unit = "",                           \
                                                      .help = "Scales lag and swing; examples stay exact", .only_with = (with) \
    }

/// `which`: of the examples a pose lies between; `more`: text appended to the sentence.
#define SUP_ROW_TRUST(at, which, more, with)                                                                                   \
    {                                                                                                                          \
        "trust", SUP_PARAM_BOOL, SUP_STAGE_FRAME, at, .standard = 1, .unit = "",                                               \
                                                      .help = "Examples fade out as the pose leaves the path between " which   \
                                                              ": down to a third at 16 degrees plus a sixth of "               \
                                                              "the path's length" more,                                        \
                                                      .only_with = (with)                                                      \
    }
#define SUP_ROW_TURNING(at, with)                                                                                              \
    {                                                                                                                          \
        "turning", SUP_PARAM_BOOL, SUP_STAGE_BIND, at, .standard = 1, .unit = "",                                              \
                                                       .help = "Separates how sections of a limb rotate beyond the skeleton "  \
                                                               "(spread twists) and interpolates that as rotation",            \
                                                       .only_with = (with)                                                     \
    }
#define SUP_ROW_STRENGTH(at, map)                                                                                              \
    {                                                                                                                          \
        "strength", SUP_PARAM_FLOAT, SUP_STAGE_FRAME, at,                                                                      \
            .varies = SUP_VARIES_POINT, .min = 0, .max = 1, .standard = 1, .unit = "",                                         \
            .help = "0 passes the skin through unchanged; paint " map " to keep regions"                                       \
    }

#endif
