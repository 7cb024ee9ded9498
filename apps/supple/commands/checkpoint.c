// The file: a header, two slots for the state that are written alternately, and the frames. A slot is valid if its checksum is
// right, so a run killed while writing one leaves the other.
#include "checkpoint.h"

#include "amounts.h"
#include "input/identity.h"
#include "input/inputs.h"
#include "report/output.h"
#include "report/report.h"
#include "system/system.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC 0x3154504b43505553ull // "SUPCKPT1" in the order of the bytes

typedef struct head {
    uint64_t       magic;
    char           program[48];
    char           command[1024];
    checkpoint_key key;
    uint64_t       state_size;
} head;

typedef struct slot_head {
    uint64_t sequence;
    uint64_t hash; // of the frames' bytes
    uint32_t frames, stat_count;
    struct {
        char     name[56];
        uint64_t times;
    } stats[SUP_STATS_MAX];
} slot_head;

// ---------------------------------------------------------------------------------------------- flags

int checkpoint_flags(const options* o, const char* output, checkpoint* out)
{
    *out = (checkpoint){ .restart = options_has(o, FLAG_RESTART) };
    int code = amount_time(o, FLAG_CHECKPOINT, 0.001, 1e7, &out->every);
    if (code != EXIT_DONE || out->every == 0) return code;
    if (snprintf(out->path, sizeof out->path, "%s.checkpoint", output) >= (int)sizeof out->path) {
        report_error("the name of the output is too long for a checkpoint beside it");
        return EXIT_FAILED;
    }
    o->inputs->track = true;
    return EXIT_DONE;
}

// Flags that do not change any bit of the points.
static bool is_idle(flag_id id)
{
    static const flag_id idle[] = { FLAG_CHECKPOINT, FLAG_RESTART, FLAG_THREADS,    FLAG_JSON,     FLAG_QUIET,
                                    FLAG_HASHES,     FLAG_VERBOSE, FLAG_NO_VERDICT, FLAG_OVERWRITE };
    for (size_t i = 0; i < sizeof idle / sizeof *idle; i++)
        if (idle[i] == id) return true;
    return false;
}

void checkpoint_identify(const options* o, checkpoint* c)
{
    c->key.flags = identity_text(SUP_HASH_START, strncmp(o->words[0], "builtin:", 8) == 0 ? o->words[0] : "");
    c->key.inputs = SUP_HASH_START;
    for (uint32_t i = 0; i < o->inputs->count; i++)
        c->key.inputs = sup_hash(c->key.inputs, &o->inputs->places[i].hash, sizeof o->inputs->places[i].hash);
    for (uint32_t i = 0; i < o->flag_count; i++) {
        const flag_row* row = options_flag(o->flags[i].id);
        char            path[4096];
        uint64_t        hash;
        if (is_idle(row->id)) continue;
        c->key.flags = identity_text(c->key.flags, row->name);
        if (!o->flags[i].value) continue;
        if (!identity_flag_path(row, o->flags[i].value, path, sizeof path)) {
            c->key.flags = identity_text(c->key.flags, o->flags[i].value);
            continue;
        }
        // The location of a file does not matter: another machine has it elsewhere.
        size_t before = strchr(row->argument, '=') ? strcspn(o->flags[i].value, "=") : 0;
        c->key.flags = sup_hash(c->key.flags, o->flags[i].value, before);
        if (identity_file(path, &hash)) c->key.inputs = sup_hash(c->key.inputs, &hash, sizeof hash);
    }
}

// ---------------------------------------------------------------------------------------------- file

static size_t   frame_bytes(const checkpoint* c) { return (size_t)c->key.points * sizeof(sup_vec3); }
static uint64_t slot_place(const checkpoint* c, uint32_t slot)
{
    return sizeof(head) + slot * (sizeof(slot_head) + c->state_size + sizeof(uint64_t));
}
static uint64_t frame_place(const checkpoint* c, uint32_t frame) { return slot_place(c, 2) + (uint64_t)frame * frame_bytes(c); }

static bool read_at(const checkpoint* c, uint64_t place, void* out, size_t size)
{
    return path_seek(c->file, place) == 0 && fread(out, 1, size, c->file) == size;
}

static bool write_at(const checkpoint* c, uint64_t place, const void* bytes, size_t size)
{
    return path_seek(c->file, place) == 0 && fwrite(bytes, 1, size, c->file) == size;
}

static sup_result refuse(const checkpoint* c, const char* what, const head* h, sup_error* error)
{
    return sup_fail(error, SUP_ERROR_INPUT,
                    "'%s' was left by a bake %s (%.600s); repeat that one, or add --restart to drop it and start over", c->path,
                    what, h->command);
}

// Checks the header of what an earlier run left. *fits: it belongs to this bake.
static sup_result check_head(const checkpoint* c, bool* fits, sup_error* error)
{
    head h;
    *fits = false;
    bool known = read_at(c, 0, &h, sizeof h) && h.magic == MAGIC;
    if (!known && c->restart) return SUP_OK;
    if (!known)
        return sup_fail(error, SUP_ERROR_INPUT,
                        "'%s' is not a checkpoint of this program; move it away, or add --restart to replace it", c->path);
    h.program[sizeof h.program - 1] = h.command[sizeof h.command - 1] = 0;
    sup_text_clean(h.command);
    const char* what = strcmp(h.program, identity_program()) != 0 ? "of another version of the program"
                       : h.key.flags != c->key.flags              ? "with other flags"
                       : memcmp(&h.key, &c->key, sizeof h.key) != 0 || h.state_size != c->state_size ? "of other files"
                                                                                                     : NULL;
    *fits = !what;
    return *fits || c->restart ? SUP_OK : refuse(c, what, &h, error);
}

// The checksum of a slot, which its last eight bytes must equal.
static uint64_t slot_sum(const slot_head* h, const uint8_t* state, size_t size)
{
    return sup_hash(sup_hash(MAGIC, h, sizeof *h), state, size);
}

static bool read_slot(const checkpoint* c, uint32_t slot, slot_head* h)
{
    uint64_t sum;
    return read_at(c, slot_place(c, slot), h, sizeof *h) && fread(c->state, 1, c->state_size, c->file) == c->state_size &&
           fread(&sum, 1, sizeof sum, c->file) == sizeof sum && sum == slot_sum(h, c->state, c->state_size) &&
           h->sequence % 2 == slot && h->frames <= c->key.frames && h->stat_count <= SUP_STATS_MAX;
}

static sup_result take_stats(const slot_head* h, sup_stats* stats, sup_arena* arena, sup_error* error)
{
    for (uint32_t i = 0; i < h->stat_count; i++) {
        const char* name = sup_arena_text(arena, h->stats[i].name, strnlen(h->stats[i].name, sizeof h->stats[i].name));
        if (!name) return sup_fail(error, SUP_ERROR_MEMORY, "out of memory for a checkpoint");
        sup_stats_add(stats, name, h->stats[i].times);
    }
    return SUP_OK;
}

// The frames must match the slot: a full disk, or a truncated copy, is noticed before any work is done.
static bool frames_are(const checkpoint* c, const slot_head* h)
{
    sup_vec3* points = malloc(frame_bytes(c) ? frame_bytes(c) : 1);
    uint64_t  hash = 0;
    bool      good = points != NULL;
    for (uint32_t i = 0; i < h->frames && good; i++) {
        good = read_at(c, frame_place(c, i), points, frame_bytes(c));
        if (good) hash = sup_hash(hash, points, frame_bytes(c));
    }
    free(points);
    return good && hash == h->hash;
}

static sup_result resume(checkpoint* c, sup_instance* instance, sup_stats* stats, sup_arena* arena, sup_error* error)
{
    slot_head slots[2];
    bool      good[2];
    for (uint32_t i = 0; i < 2; i++) good[i] = read_slot(c, i, &slots[i]);
    for (int tries = 0; tries < 2; tries++) {
        uint32_t best = good[1] && (!good[0] || slots[1].sequence > slots[0].sequence);
        if (!good[best]) return SUP_OK; // killed before the first save
        good[best] = false;
        if (!frames_are(c, &slots[best]) || !read_slot(c, best, &slots[best])) continue;
        sup_instance_state_load(instance, c->state);
        c->sequence = slots[best].sequence;
        c->resumed = c->done = slots[best].frames;
        c->found = true;
        c->hash = slots[best].hash;
        return take_stats(&slots[best], stats, arena, error);
    }
    return SUP_OK;
}

sup_result checkpoint_open(checkpoint* c, sup_instance* instance, sup_stats* stats, sup_arena* arena, sup_error* error)
{
    bool fits = false;
    c->state_size = sup_instance_state_size(instance);
    c->state = sup_arena_alloc(arena, 1, c->state_size + 1);
    c->saved = system_seconds();
    if (!c->state) return sup_fail(error, SUP_ERROR_MEMORY, "out of memory for a checkpoint");
    c->file = path_open(c->path, "r+b");
    sup_result result = c->file ? check_head(c, &fits, error) : SUP_OK;
    if (result == SUP_OK && fits) return resume(c, instance, stats, arena, error);
    if (c->file) fclose(c->file);
    c->file = NULL;
    return result;
}

// ---------------------------------------------------------------------------------------------- frames

static sup_result fail_file(const checkpoint* c, const char* what, sup_error* error)
{
    return sup_fail(error, SUP_ERROR_FILE,
                    "the checkpoint '%s' cannot be %s (%s); free some space, or bake without --checkpoint", c->path, what,
                    errno ? strerror(errno) : "it is too short");
}

sup_result checkpoint_read(checkpoint* c, uint32_t frame, sup_vec3* points, sup_error* error)
{
    errno = 0;
    return read_at(c, frame_place(c, frame), points, frame_bytes(c)) ? SUP_OK : fail_file(c, "read", error);
}

static bool begin_file(checkpoint* c)
{
    head h = { .magic = MAGIC, .key = c->key, .state_size = c->state_size };
    snprintf(h.program, sizeof h.program, "%s", identity_program());
    snprintf(h.command, sizeof h.command, "%s", c->command);
    c->file = path_open(c->path, "w+b");
    return c->file && write_at(c, 0, &h, sizeof h);
}

// Writes the frames first, then the older slot: whatever interrupts it, the other slot is complete.
static bool save(checkpoint* c, const sup_instance* instance, const sup_stats* stats)
{
    slot_head h = { .sequence = c->sequence + 1, .hash = c->hash, .frames = c->done, .stat_count = stats->count };
    for (uint32_t i = 0; i < stats->count; i++) {
        snprintf(h.stats[i].name, sizeof h.stats[i].name, "%s", stats->items[i].name);
        h.stats[i].times = stats->items[i].times;
    }
    sup_instance_state_save(instance, c->state);
    uint64_t sum = slot_sum(&h, c->state, c->state_size);
    bool     good = path_sync(c->file) == 0 && write_at(c, slot_place(c, (uint32_t)(h.sequence % 2)), &h, sizeof h) &&
                fwrite(c->state, 1, c->state_size, c->file) == c->state_size &&
                fwrite(&sum, 1, sizeof sum, c->file) == sizeof sum && path_sync(c->file) == 0;
    if (!good) return false;
    c->sequence++;
    c->saved = system_seconds();
    return true;
}

sup_result checkpoint_write(checkpoint* c, uint32_t frame, const sup_vec3* points, sup_error* error)
{
    errno = 0;
    if (!c->file && !begin_file(c)) return fail_file(c, "written", error);
    if (!write_at(c, frame_place(c, frame), points, frame_bytes(c))) return fail_file(c, "written", error);
    c->hash = sup_hash(c->hash, points, frame_bytes(c));
    c->done = frame + 1;
    return SUP_OK;
}

sup_result checkpoint_save(checkpoint* c, const sup_instance* instance, const sup_stats* stats, bool now, sup_error* error)
{
    errno = 0;
    if (!now && system_seconds() - c->saved < c->every) return SUP_OK;
    if (!c->file && !begin_file(c)) return fail_file(c, "written", error);
    return save(c, instance, stats) ? SUP_OK : fail_file(c, "written", error);
}

void checkpoint_close(checkpoint* c, bool finished)
{
    if (c->file) fclose(c->file);
    c->file = NULL;
    if (finished && c->every > 0) path_remove(c->path);
}
