// The report of check: the ranking, and for each bad joint its curves and its picture at the worst angle.
#include "chain_measure.h"
#include "check_report.h"
#include "html.h"
#include "input/common.h"
#include "render/portrait.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Pictures of more chains would bury the page; the first ones and the best are shown.
enum { PICTURES_MAX = 4 };

// ---------------------------------------------------------------------------------------------- table

static void put_row(html* h, const sup_checkup* c, uint32_t rank, uint32_t chain)
{
    const sup_check_joint*  joint = &c->joints[rank];
    const sup_check_result* r = &joint->results[chain];
    char                    where[80], crossings[24];
    sup_checkup_where(joint, r->worst, where, sizeof where);
    html_add(h, "<tr>");
    if (chain == 0) {
        html_add(h, "<td class=\"l\" rowspan=\"%u\">%u. <a href=\"#j%u\">", c->chain_count, rank + 1, rank + 1);
        html_text(h, joint->name);
        html_add(h, "</a></td>");
    }
    html_add(h, "<td class=\"l\">");
    html_swatch(h, chain);
    html_text(h, sup_chain_text(c->chains[chain]));
    bool best = c->chain_count > 1 && chain == joint->best;
    html_add(h, best ? "</td><td><b>%+.1f&nbsp;%%</b></td>" : "</td><td>%+.1f&nbsp;%%</td>",
             100.0 * r->values[r->worst].volume);
    html_add(h, "<td class=\"l\">%s</td>", where);
    crossings_text(r->intersections, crossings, sizeof crossings);
    html_add(h, "<td>%s</td>", crossings);
    html_add(h, "<td>%.2f</td><td>%.2f</td></tr>\n", r->stretch, r->roughness);
}

static void put_table(html* h, const sup_checkup* c, uint32_t top)
{
    html_add(h, "<div class=\"wide\"><table><thead><tr><th class=\"l\">joint</th><th class=\"l\">chain</th><th>volume</th>"
                "<th class=\"l\">worst "
                "when</th><th>intersec&shy;tions</th><th>stretch</th><th>rough&shy;ness</th></tr></thead><tbody>\n");
    for (uint32_t j = 0; j < top; j++)
        for (uint32_t k = 0; k < c->chain_count; k++) put_row(h, c, j, k);
    html_add(h, "</tbody></table></div>\n");
}

// ---------------------------------------------------------------------------------------------- plots

typedef struct plotter {
    double*      x; // chains x poses
    double*      y;
    html_series* series;
} plotter;

static void put_plot(html* h, const sup_checkup* c, const sup_check_joint* joint, const sup_sweep* w, const plotter* p)
{
    uint32_t poses = joint->sweeps.pose_count;
    for (uint32_t k = 0; k < c->chain_count; k++) {
        double * x = p->x + (size_t)k * poses, *y = p->y + (size_t)k * poses;
        uint32_t n = 0;
        // Dynamic chains are measured only at the ends: a line connects the values known.
        for (uint32_t i = w->begin; i < w->begin + w->count; i++) {
            if (!isfinite(joint->results[k].values[i].volume)) continue;
            x[n] = joint->sweeps.angles[i];
            y[n++] = 100.0 * joint->results[k].values[i].volume;
        }
        p->series[k] = (html_series){ sup_chain_text(c->chains[k]), x, y, n };
    }
    html_plot_add(h, &(html_plot){ w->twist                    ? "Twist along the bone"
                                   : w == joint->sweeps.sweeps ? "Bend"
                                                               : "Bend the other way",
                                   "degrees", "% volume", c->chain_count, p->series, NAN });
}

// ---------------------------------------------------------------------------------------------- pictures

typedef struct gallery {
    const sup_checkup* c;
    portrait           portrait;
    sup_vec3*          points;
    float*             heat;
    bool               ready;
} gallery;

static sup_vec3 joint_place(const sup_affine* m) { return (sup_vec3){ m->m[0][3], m->m[1][3], m->m[2][3] }; }

static float distance(sup_vec3 a, sup_vec3 b)
{
    return sqrtf((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z));
}

// The radius to show around a joint: most of the longer bone that meets there, and at least the thickness of the skin.
static float reach_of(const sup_checkup* c, uint32_t joint)
{
    const sup_skeleton* s = &c->desc.character->skeleton;
    const sup_weights*  w = &c->desc.character->weights;
    sup_vec3            at = joint_place(&c->bind.global[joint]);
    float               bone = 0.0f, sum = 0.0f, count = 0.0f;
    for (uint32_t i = 0; i < s->bone_count; i++) {
        const sup_bone* b = &s->bones[i];
        if (b->joint == joint || b->child == joint) bone = fmaxf(bone, distance(b->head, b->tail));
    }
    for (uint32_t p = 0; p < c->desc.character->mesh.point_count; p++) {
        for (uint32_t i = w->begin[p]; i < w->begin[p + 1]; i++) {
            if (w->joints[i] != joint) continue;
            sum += w->values[i] * distance(at, c->desc.character->mesh.points[p]);
            count += w->values[i];
        }
    }
    float reach = fmaxf(0.8f * bone, count > 0.0f ? 1.3f * sum / count : 0.0f);
    return reach > 0.0f ? reach : 0.2f * c->desc.character->mesh.diagonal;
}

static sup_vec3 up_of(sup_axis up)
{
    return up == SUP_AXIS_Y ? (sup_vec3){ 0, 1, 0 } : up == SUP_AXIS_Z ? (sup_vec3){ 0, 0, 1 } : (sup_vec3){ 1, 0, 0 };
}

static float dot(sup_vec3 a, sup_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

// From the center of the body to the joint, and a little to the front: the side from which it is seen best.
static sup_vec3 outwards(const sup_checkup* c, uint32_t joint)
{
    const sup_mesh* mesh = &c->desc.character->mesh;
    sup_vec3        at = joint_place(&c->bind.global[joint]);
    double          x = 0.0, y = 0.0, z = 0.0;
    for (uint32_t i = 0; i < mesh->point_count; i++) {
        x += (double)mesh->points[i].x / mesh->point_count;
        y += (double)mesh->points[i].y / mesh->point_count;
        z += (double)mesh->points[i].z / mesh->point_count;
    }
    sup_vec3 out = { at.x - (float)x, at.y - (float)y, at.z - (float)z };
    if (c->desc.character->up == SUP_AXIS_Z) out.y -= 0.3f * mesh->diagonal;
    else out.z += 0.3f * mesh->diagonal;
    return out;
}

// Along the axis of a bend, or across the bone of a twist: from outside the body, never from below, a little from the side.
static picture_camera camera_of(const sup_checkup* c, const sup_check_joint* joint, const sup_sweep* w)
{
    sup_vec3 axis = sup_sweep_axis(w, &c->bind, joint->sweeps.joint), up = up_of(c->desc.character->up), view = axis;
    sup_vec3 out = outwards(c, joint->sweeps.joint);
    if (w->twist) {
        // A horizontal bone is seen from its side; an upright one, from where it is nearest to the outside.
        float along = dot(out, axis);
        view = (sup_vec3){ up.y * axis.z - up.z * axis.y, up.z * axis.x - up.x * axis.z, up.x * axis.y - up.y * axis.x };
        if (dot(view, view) < 0.25f)
            view = (sup_vec3){ out.x - along * axis.x, out.y - along * axis.y, out.z - along * axis.z };
    }
    bool steep = fabsf(dot(view, up)) > 0.7f * sqrtf(dot(view, view));
    if (dot(view, steep ? up : out) < 0.0f) view = (sup_vec3){ -view.x, -view.y, -view.z };
    picture_camera camera = portrait_camera_along(c->desc.character->up, view);
    camera.azimuth += 12.0;
    camera.elevation = fmax(-5.0, fmin(65.0, camera.elevation + 10.0));
    return camera;
}

static bool put_picture(html* h, gallery* g, const sup_check_joint* joint, uint32_t chain, uint32_t pose, sup_error* error)
{
    const sup_checkup* c = g->c;
    image              picture = { 0 };
    char               caption[300], where[80];
    if (sup_checkup_points(c, joint, chain, pose, g->points, error) != SUP_OK) return false;
    sup_meter_stretch(c->desc.meter, g->points, g->heat);
    if (!portrait_take(&g->portrait, g->points, g->heat, 1.0, true, &picture, error)) return false;
    sup_checkup_where(joint, pose, where, sizeof where);
    double volume = joint->results[chain].values[pose].volume;
    if (isfinite(volume))
        snprintf(caption, sizeof caption, "%.150s, %s: volume %+.1f %%", sup_chain_text(c->chains[chain]), where,
                 100.0 * volume);
    else snprintf(caption, sizeof caption, "%.150s, %s", sup_chain_text(c->chains[chain]), where);
    html_picture(h, &picture, caption, caption);
    image_free(&picture);
    return true;
}

static bool put_pictures(html* h, gallery* g, const sup_check_joint* joint, sup_error* error)
{
    const sup_checkup* c = g->c;
    uint32_t           pose = joint->results[0].worst;
    sup_vec3           at = joint_place(&c->bind.global[joint->sweeps.joint]);
    float              reach = reach_of(c, joint->sweeps.joint);
    sup_vec3           box[2] = { { at.x - reach, at.y - reach, at.z - reach }, { at.x + reach, at.y + reach, at.z + reach } };
    g->portrait.camera = camera_of(c, joint, sup_sweep_of(&joint->sweeps, pose));
    portrait_frame_clear(&g->portrait);
    portrait_include(&g->portrait, box, 2);
    html_add(h, "<div class=\"grid\">\n");
    for (uint32_t k = 0; k < c->chain_count; k++)
        if ((k < PICTURES_MAX || k == joint->best) && !put_picture(h, g, joint, k, pose, error)) return false;
    html_add(h, "</div>\n");
    return true;
}

// ---------------------------------------------------------------------------------------------- page

static bool put_joint(html* h, gallery* g, uint32_t rank, const plotter* p, sup_error* error)
{
    const sup_check_joint* joint = &g->c->joints[rank];
    html_add(h, "<h2 id=\"j%u\">%u. ", rank + 1, rank + 1);
    html_text(h, joint->name);
    html_add(h, "</h2>\n<p>");
    html_text(h, joint->advice);
    html_add(h, ".%s</p>\n", joint->sweeps.assumed ? " The range is the usual one: no clip turns this joint." : "");
    if (g->ready && !put_pictures(h, g, joint, error)) return false;
    html_add(h, "<div class=\"grid next\">\n");
    for (uint32_t i = 0; i < joint->sweeps.sweep_count; i++) put_plot(h, g->c, joint, &joint->sweeps.sweeps[i], p);
    html_add(h, "</div>\n");
    return true;
}

static void put_head(html* h, const sup_checkup* c, uint32_t top, const char* broken)
{
    char title[300], subtitle[400], crossings[24];
    crossings_text(crossings_number(c->rest_intersections), crossings, sizeof crossings);
    snprintf(title, sizeof title, "%.150s: the skin, joint by joint", c->desc.character->name);
    snprintf(subtitle, sizeof subtitle,
             "%u joints swept under %u chain%s, %u shown, worst first. %u points, %u triangles, %s intersections at rest.",
             c->joint_count, c->chain_count, c->chain_count == 1 ? "" : "s", top, c->desc.character->mesh.point_count,
             c->desc.character->mesh.triangle_count, crossings);
    html_begin(h, title, subtitle);
    html_verdict(h, broken);
}

static bool gallery_open(gallery* g, sup_arena* arena, sup_error* error)
{
    uint32_t count = g->c->desc.character->mesh.point_count;
    if (!picture_available()) return true;
    if (portrait_create(g->c->desc.character, g->c->desc.tasks, arena, &g->portrait, error) != SUP_OK) return false;
    g->portrait.ground = false;
    g->points = sup_arena_alloc(arena, count, sizeof *g->points);
    g->heat = sup_arena_alloc(arena, count, sizeof *g->heat);
    g->ready = g->points && g->heat;
    if (!g->ready) sup_fail(error, SUP_ERROR_MEMORY, "out of memory while preparing pictures; leave --html out");
    return g->ready;
}

static bool put_joints(html* h, const sup_checkup* c, uint32_t top, progress* bar, sup_arena* arena, sup_error* error)
{
    gallery  g = { .c = c };
    uint32_t poses = 1;
    for (uint32_t j = 0; j < top; j++)
        if (c->joints[j].sweeps.pose_count > poses) poses = c->joints[j].sweeps.pose_count;
    size_t  items = (size_t)poses * c->chain_count;
    plotter p = { sup_arena_alloc(arena, items, sizeof *p.x), sup_arena_alloc(arena, items, sizeof *p.y),
                  sup_arena_alloc(arena, c->chain_count, sizeof *p.series) };
    if (!p.x || !p.y || !p.series) return sup_fail(error, SUP_ERROR_MEMORY, "out of memory while plotting") == SUP_OK;
    if (!gallery_open(&g, arena, error)) return false;
    g.portrait.bar = bar;
    g.portrait.wanted = top * (c->chain_count < PICTURES_MAX ? c->chain_count : PICTURES_MAX);
    if (g.ready) html_legend(h, "Length of edges relative to rest, in the pictures", "\u00d70.5", "\u00d72", true);
    else html_add(h, "<p class=\"soft\">This build of supple draws no pictures (it was made without Embree).</p>\n");
    for (uint32_t j = 0; j < top; j++)
        if (!put_joint(h, &g, j, &p, error)) return false;
    return true;
}

int check_write_html(const sup_checkup* c, const options* o, uint32_t top, const char* broken, const char* path,
                     sup_arena* arena)
{
    html      h = { 0 };
    progress  bar;
    sup_error error = { 0 };
    char*     command = options_command(o);
    if (!command) return fail_memory();
    put_head(&h, c, top, broken);
    put_table(&h, c, top);
    progress_begin(&bar, "report", options_has(o, FLAG_QUIET));
    bool good = put_joints(&h, c, top, &bar, arena, &error);
    progress_end(&bar);
    html_add(&h,
             "<h2>What the numbers mean</h2>\n<dl>"
             "<dt>volume</dt><dd>of the skin around the joint, cut off in the middle of its bones, against rest</dd>"
             "<dt>intersections</dt><dd>pairs of triangles that pass through each other, beyond those at rest</dd>"
             "<dt>stretch</dt><dd>the worst edge: how many times longer or shorter than at rest</dd>"
             "<dt>roughness</dt><dd>change of mean curvature over the whole skin, root mean square, times the diagonal</dd>"
             "<dt>ranking</dt><dd>under the first chain: volume lost + half of that gained + triangles in contact as a share "
             "of the part's + 0.05 log2 of the stretch</dd></dl>\n");
    html_end(&h, command);
    if (good) good = html_write(&h, path, &error);
    free(command);
    html_free(&h);
    return good ? EXIT_DONE : fail_with(&error);
}
