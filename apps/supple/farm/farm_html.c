// One page for the whole farm: what failed and why, pictures of the worst frames, and every job in a table.
#include "farm.h"
#include "farm_store.h"
#include "input/common.h"
#include "report/html.h"
#include "report/report.h"
#include "system/system.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PICTURES_MAX = 6, ROWS_MAX = 20000 };

static double number(const farm_job* job, const char* key)
{
    return sup_json_number(sup_json_get(sup_json_get(job->result, "verdict"), key), 0);
}

static double volume_lost(const farm_job* job) { return fabs(number(job, "volume_change")); }
static double crossings_more(const farm_job* job) { return number(job, "crossings") - number(job, "crossings_rest"); }

static int order(double x, double y, const farm_job* a, const farm_job* b)
{
    return x > y ? -1 : x < y ? 1 : strcmp(a->name, b->name);
}

static int by_volume(const void* a, const void* b)
{
    const farm_job *x = *(farm_job*const*)a, *y = *(farm_job*const*)b;
    return order(volume_lost(x), volume_lost(y), x, y);
}

static int by_crossings(const void* a, const void* b)
{
    const farm_job *x = *(farm_job*const*)a, *y = *(farm_job*const*)b;
    return order(crossings_more(x), crossings_more(y), x, y);
}

static void put_failures(html* h, const farm* f)
{
    bool any = false;
    for (uint32_t i = 0; i < f->job_count; i++) {
        const farm_job* job = &f->jobs[i];
        if (job->state != JOB_FAILED && !job->broken) continue;
        if (!any) html_add(h, "<h2>What needs a look</h2>\n<div class=\"wide\"><table><tbody>\n");
        any = true;
        html_add(h, "<tr><td class=\"l\">");
        html_text(h, job->name);
        html_add(h, "</td><td class=\"l bad\">%s</td><td class=\"say\">", job->state == JOB_FAILED ? "failed" : "over a limit");
        html_text(h, job->broken ? job->broken : job->reason ? job->reason : "");
        html_add(h, "</td></tr>\n");
    }
    if (any) html_add(h, "</tbody></table></div>\n");
    else html_add(h, "<p class=\"good\">Every job is done, and no limit is exceeded.</p>\n");
}

static void put_picture(html* h, const farm* f, const farm_job* job, bool crossings)
{
    char   path[4096], caption[512];
    size_t size = 0;
    farm_picture_path(f, job, crossings, path, sizeof path);
    char* bytes = store_read(path, &size);
    if (crossings)
        snprintf(caption, sizeof caption, "%s: %.0f pairs of triangles cross at %.2f s (%.0f at rest)", job->name,
                 number(job, "crossings"), number(job, "crossings_time"), number(job, "crossings_rest"));
    else
        snprintf(caption, sizeof caption, "%s: %+.1f %% of %s at %.2f s", job->name, 100.0 * number(job, "volume_change"),
                 sup_json_string(sup_json_get(sup_json_get(job->result, "verdict"), "part"), "the volume"),
                 number(job, "volume_time"));
    html_png(h, bytes, size, caption, caption);
    free(bytes);
}

// The worst jobs of one kind, without those that have nothing of it to show.
static int put_worst(html* h, farm* f, farm_job** jobs, uint32_t count, bool crossings)
{
    uint32_t shown = 0;
    qsort(jobs, count, sizeof *jobs, crossings ? by_crossings : by_volume);
    while (shown < count && shown < PICTURES_MAX &&
           (crossings ? crossings_more(jobs[shown]) > 0 : volume_lost(jobs[shown]) > 0.001))
        shown++;
    if (!shown) return EXIT_DONE;
    int code = farm_pictures(f, jobs, shown, crossings);
    html_add(h,
             "<h2>%s</h2>\n<p class=\"soft\">In the color of the length of edges against rest, each on its own scale.</p>\n"
             "<div class=\"grid\">\n",
             crossings ? "Where skin crosses most" : "Where volume changes most");
    for (uint32_t i = 0; i < shown; i++) put_picture(h, f, jobs[i], crossings);
    html_add(h, "</div>\n");
    return code;
}

static int put_pictures(html* h, farm* f)
{
    farm_job** done = sup_arena_alloc(f->arena, f->job_count, sizeof *done);
    uint32_t   count = 0;
    if (!done) return fail_memory();
    for (uint32_t i = 0; i < f->job_count; i++)
        if (f->jobs[i].state == JOB_DONE) done[count++] = &f->jobs[i];
    if (!picture_available()) {
        html_add(h, "<p class=\"soft\">This build of supple draws no pictures (it was made without Embree).</p>\n");
        return EXIT_DONE;
    }
    int code = put_worst(h, f, done, count, false);
    return code == EXIT_DONE ? put_worst(h, f, done, count, true) : code;
}

static void put_row(html* h, const farm_job* job)
{
    bool bad = job->state != JOB_DONE || job->broken;
    html_add(h, "<tr><td class=\"l\">");
    html_text(h, job->name);
    html_add(h, "</td><td class=\"l %s\">%s</td>", bad ? "bad" : "good",
             job->broken                ? "over a limit"
             : job->state == JOB_DONE   ? "done"
             : job->state == JOB_FAILED ? "failed"
                                        : "left");
    if (job->result)
        html_add(h, "<td>%.0f</td><td>%.2f</td><td>%.0f</td><td>%+.1f&nbsp;%%</td><td>%.0f</td>",
                 sup_json_number(sup_json_get(job->result, "frames"), 0), job->seconds, job->memory / 1e6,
                 100.0 * number(job, "volume_change"), number(job, "crossings"));
    else html_add(h, "<td></td><td></td><td></td><td></td><td></td>");
    const char* const cells[] = { path_name(job->character), job->clip, job->chain };
    for (int i = 0; i < 3; i++) {
        html_add(h, "<td class=\"l\">");
        html_text(h, cells[i]);
        html_add(h, "</td>");
    }
    html_add(h, "</tr>\n");
}

static void put_table(html* h, const farm* f)
{
    html_add(h, "<h2>All jobs</h2>\n<div class=\"wide\"><table><thead><tr><th class=\"l\">job</th><th class=\"l\">state</th>"
                "<th>frames</th><th>seconds</th><th>MB</th><th>volume,<br>worst part</th><th>crossings</th>"
                "<th class=\"l\">character</th><th class=\"l\">clip</th><th class=\"l\">chain</th></tr></thead><tbody>\n");
    for (uint32_t i = 0; i < f->job_count && i < ROWS_MAX; i++) put_row(h, &f->jobs[i]);
    html_add(h, "</tbody></table></div>\n");
    if (f->job_count > ROWS_MAX)
        html_add(h, "<p class=\"soft\">The first %u of %u; --json has all.</p>\n", (unsigned)ROWS_MAX, f->job_count);
}

int farm_write_html(farm* f, const char* path)
{
    html      h;
    sup_error error = { 0 };
    char      title[80], place[6000], *command = options_command(f->given);
    uint32_t  done = 0;
    for (uint32_t i = 0; i < f->job_count; i++) done += f->jobs[i].state == JOB_DONE;
    snprintf(title, sizeof title, "%u of %u jobs are done", done, f->job_count);
    snprintf(place, sizeof place, "Outputs in %s, records and logs in %s", f->out, f->home);
    html_begin(&h, title, place);
    put_failures(&h, f);
    int code = put_pictures(&h, f);
    put_table(&h, f);
    html_end(&h, command ? command : "supple farm");
    if (code == EXIT_DONE && !html_write(&h, path, &error)) code = fail_with(&error);
    html_free(&h);
    free(command);
    return code;
}
