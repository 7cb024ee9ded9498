// From flags to a clip or a pose, a time span and a frame rate.
#include "clip_timing.h"

#include "report/report.h"

// Longer runs are refused: 1,000,000 frames are nine hours at 30 a second, and surely a typing mistake.
static const double FRAMES_MAX = 1e6;
static const double SECONDS_MAX = 1e6;

int motion_flags(const options* o, motion* out)
{
    out->loop = options_has(o, FLAG_LOOP);
    if (!options_number(o, FLAG_START, 0.0, SECONDS_MAX, 0.0, &out->start)) return EXIT_USAGE;
    if (!options_number(o, FLAG_END, 0.0, SECONDS_MAX, -1.0, &out->end)) return EXIT_USAGE;
    if (!options_number(o, FLAG_HOLD, 0.0, SECONDS_MAX, 0.0, &out->hold)) return EXIT_USAGE;
    if (!options_number(o, FLAG_FPS, 0.001, 10000.0, 30.0, &out->fps)) return EXIT_USAGE;
    if (!options_number(o, FLAG_PREROLL, 0.0, 600.0, 0.5, &out->preroll)) return EXIT_USAGE;
    if (out->end >= 0.0 && out->end < out->start) {
        report_error("--end %g is before --start %g", out->end, out->start);
        return EXIT_USAGE;
    }
    if ((out->end - out->start) * out->fps > FRAMES_MAX) {
        report_error("%g seconds at %g frames a second are more than %.0f frames; lower --fps or --end", out->end - out->start,
                     out->fps, FRAMES_MAX);
        return EXIT_USAGE;
    }
    if (out->loop && out->hold > 0.0) {
        report_error("--loop and --hold cannot be combined: a cycle has no last pose; leave one out");
        return EXIT_USAGE;
    }
    if (options_has(o, FLAG_POSE) && (options_has(o, FLAG_CLIP) || out->loop)) {
        report_error("--pose and --%s cannot be combined; leave one out", out->loop ? "loop" : "clip");
        return EXIT_USAGE;
    }
    return EXIT_DONE;
}

static int choose(const options* o, const sup_character* character, sup_arena* arena, sup_pose* pose, motion* m)
{
    bool posed = options_has(o, FLAG_POSE);
    int  code = posed ? EXIT_DONE : clip_choose(o, character, &m->clip);
    if (code != EXIT_DONE || m->clip) return code;
    if (!posed && character->skeleton.skin_joint_count == 0 && !options_has(o, FLAG_WORLD)) { // a world may push it
        report_error(
            "'%s' has no skin and no clip: nothing moves it, so there is nothing to %s; give a --world with forces, "
            "joints with "
            "--skeleton FILE, or make them from a sequence with fit",
            character->name, o->verb->name);
        return EXIT_FAILED;
    }
    if (!posed && !options_has(o, FLAG_QUIET))
        report_note("'%s' has no clips: using its rest pose; --pose turns joints", character->name);
    m->pose = pose;
    return pose_read(o, character, arena, pose);
}

int motion_close_end(const sup_clip* clip, double start, double fps, double hold, double* end, double* still)
{
    double natural_end = clip ? clip->seconds : start;
    if (start > natural_end) {
        report_error("--start %g is past the end of the clip '%s' (%.3f s)", start, clip->name, natural_end);
        return EXIT_FAILED;
    }
    // Lengths are printed rounded: an end less than a frame past the clip's counts as the clip's end.
    if (clip && *end - natural_end >= 1.0 / fps) {
        report_error("--end %g is past the end of the clip '%s' (%.3f s); give at most that, or --hold S to hold its last pose",
                     *end, clip->name, natural_end);
        return EXIT_FAILED;
    }
    if (*end < 0.0 || (clip && *end > natural_end)) *end = natural_end;
    *still = hold > 0.0 ? *end : 0.0;
    *end += hold;
    return EXIT_DONE;
}

// Fills in an open end, and what only the clip determines.
static int close_span(motion* m)
{
    int code = motion_close_end(m->clip, m->start, m->fps, m->hold, &m->end, &m->still);
    if (code != EXIT_DONE) return code;
    if (m->loop && !(m->end > m->start)) {
        report_error("--loop needs a span; %s", m->clip ? "put --end behind --start" : "this file has no clip");
        return EXIT_FAILED;
    }
    if ((m->end - m->start) * m->fps <= FRAMES_MAX) return EXIT_DONE;
    report_error("%g seconds at %g frames a second are more than %.0f frames; lower --fps, --end or --hold", m->end - m->start,
                 m->fps, FRAMES_MAX);
    return EXIT_FAILED;
}

int motion_choose(const options* o, const sup_character* character, sup_arena* arena, sup_pose* pose, motion* m)
{
    int code = choose(o, character, arena, pose, m);
    return code == EXIT_DONE ? close_span(m) : code;
}

sup_instance_desc motion_instance(const motion* m, const sup_chain* chain, const sup_tasks* tasks)
{
    return (sup_instance_desc){ .chain = chain,
                                .clip = m->clip,
                                .pose = m->pose,
                                .start = m->start,
                                .end = m->end,
                                .still = m->still,
                                .preroll = m->preroll > 0 ? m->preroll : SUP_NO_PREROLL,
                                .loop = m->loop,
                                .tasks = tasks };
}
