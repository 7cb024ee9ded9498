// The table of handles. It is the library's one global, because callers from other languages have no place to keep it.
#include "handles.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/// A handle is a slot and the number of its earlier uses, so that an old handle does not reach the slot's new object.
enum { SLOT_BITS = 16, SLOTS_MAX = 1 << SLOT_BITS };

static struct {
    atomic_flag  lock;
    flat_object* objects[SLOTS_MAX];
    uint16_t     uses[SLOTS_MAX];
    uint32_t     hint;
} table = { .lock = ATOMIC_FLAG_INIT };

static void lock(void)
{
    while (atomic_flag_test_and_set_explicit(&table.lock, memory_order_acquire)) {
    }
}
static void unlock(void) { atomic_flag_clear_explicit(&table.lock, memory_order_release); }

// ---------------------------------------------------------------------------------------------- objects

flat_object* flat_object_new(flat_kind kind, flat_object* parent)
{
    flat_object* o = calloc(1, sizeof *o);
    if (!o) {
        if (parent) sup_fail(&parent->error, SUP_ERROR_MEMORY, "out of memory");
        return NULL;
    }
    o->kind = kind;
    o->references = 1;
    o->parent = parent;
    lock();
    if (parent) ++parent->references;
    unlock();
    return o;
}

static void destroy(flat_object* o)
{
    sup_instance_destroy(o->instance);
    sup_scratch_destroy(o->scratch);
    sup_scratch_destroy(o->meter_scratch);
    sup_scratch_destroy(o->normals_scratch);
    free(o->skin);
    sup_bake_destroy(o->baked.files);
    sup_arena_destroy(o->written);
    for (int i = 0; i < 2; ++i) free(o->joints[i].data);
    free(o->colors.data);
    flat_props_free(o->props);
    for (int i = 0; i < 4; ++i) free(o->drawn[i].data);
    free(o->ripples);
    sup_chain_destroy(o->chain);
    sup_meter_destroy(o->meter);
    sup_character_destroy(o->character);
    sup_arena_destroy(o->arena);
    sup_pool_destroy(o->pool);
    free(o->text.data);
    free(o);
}

void flat_object_release(flat_object* o)
{
    while (o) {
        flat_object* parent = o->parent;
        lock();
        bool last = --o->references == 0;
        unlock();
        if (!last) return;
        destroy(o);
        o = parent;
    }
}

flat_handle flat_object_publish(flat_object* o)
{
    flat_handle handle = 0;
    lock();
    for (uint32_t i = 0; i < SLOTS_MAX && !handle; ++i) {
        uint32_t slot = (table.hint + i) % SLOTS_MAX;
        if (table.objects[slot]) continue;
        if (!++table.uses[slot]) ++table.uses[slot]; // 0 would make handle 0 of slot 0
        table.objects[slot] = o;
        table.hint = slot + 1; // the slot freed last is reused last
        handle = (flat_handle)table.uses[slot] << SLOT_BITS | slot;
    }
    unlock();
    if (handle) return handle;
    if (o->parent) sup_fail(&o->parent->error, SUP_ERROR_MEMORY, "%d handles are in use; free some", SLOTS_MAX);
    flat_object_release(o);
    return 0;
}

// ---------------------------------------------------------------------------------------------- handles

static flat_object* alive(flat_handle handle)
{
    uint32_t slot = handle % SLOTS_MAX;
    return handle && table.uses[slot] == handle >> SLOT_BITS ? table.objects[slot] : NULL;
}

/// Reports on the object that it is of another kind than the call takes.
static void report_kind(flat_object* o, uint32_t kinds)
{
    static const char* const names[] = { "a session", "a character", "a chain", "an instance", "a draft", "a bake" };
    char                     wanted[96] = "";
    const char*              own = "";
    for (uint32_t i = 0; i < sizeof names / sizeof *names; ++i) {
        if (o->kind & 1u << i) own = names[i];
        if (!(kinds & 1u << i)) continue;
        if (wanted[0]) strcat(wanted, " or ");
        strcat(wanted, names[i]);
    }
    sup_fail(&o->error, SUP_ERROR_INPUT, "the handle is %s, but this function takes %s", own, wanted);
}

flat_object* flat_enter(flat_handle handle, uint32_t kinds, int32_t* status)
{
    lock();
    flat_object* o = alive(handle);
    bool         fits = o && o->kind & kinds;
    if (o && !fits && !o->busy) report_kind(o, kinds);
    *status = !fits ? FLAT_DEAD : o->busy ? FLAT_BUSY : FLAT_OK;
    if (*status == FLAT_OK) o->busy = 1;
    unlock();
    return *status == FLAT_OK ? o : NULL;
}

void flat_leave(flat_object* o)
{
    lock();
    o->busy = 0;
    if (o->readers == UINT32_MAX) o->readers = 0; // a writer had it
    unlock();
}

flat_handle flat_leave_with(flat_object* o, flat_object* made, sup_result result)
{
    if (made && result != SUP_OK) flat_object_release(made), made = NULL;
    flat_handle handle = made ? flat_object_publish(made) : 0;
    if (o) flat_leave(o);
    return handle;
}

bool flat_read_begin(flat_object* o)
{
    lock();
    bool free_to_read = o->readers != UINT32_MAX;
    if (free_to_read) ++o->readers;
    unlock();
    return free_to_read;
}

void flat_read_end(flat_object* o)
{
    lock();
    --o->readers;
    unlock();
}

flat_object* flat_enter_to_change(flat_handle handle, int32_t* status)
{
    lock();
    flat_object* o = alive(handle);
    if (o && o->kind != FLAT_CHARACTER && !o->busy) report_kind(o, FLAT_CHARACTER);
    *status = !o || o->kind != FLAT_CHARACTER ? FLAT_DEAD : o->busy || o->readers ? FLAT_BUSY : FLAT_OK;
    if (*status == FLAT_OK) o->busy = 1, o->readers = UINT32_MAX;
    unlock();
    return *status == FLAT_OK ? o : NULL;
}

int32_t flat_free(flat_handle handle)
{
    int32_t      status = FLAT_OK;
    flat_object* o = handle ? flat_enter(handle, FLAT_ANY, &status) : NULL;
    if (!o) return handle ? status : FLAT_OK;
    lock();
    table.objects[handle % SLOTS_MAX] = NULL;
    o->busy = 0;
    unlock();
    flat_object_release(o);
    return FLAT_OK;
}

const char* flat_error(flat_handle handle)
{
    lock();
    flat_object* o = alive(handle);
    const char*  text = !o                                    ? "the handle is invalid: it was freed, or never created"
                        : o->busy || o->readers == UINT32_MAX ? "another thread is using the handle"
                                                              : o->error.text;
    unlock();
    return text;
}

int32_t flat_status_of(flat_handle handle)
{
    lock();
    flat_object* o = alive(handle);
    int32_t      status = !o ? FLAT_DEAD : o->busy ? FLAT_BUSY : (int32_t)o->error.code;
    unlock();
    return status;
}

// ---------------------------------------------------------------------------------------------- what objects share

flat_object* flat_ancestor(flat_object* o, flat_kind kind)
{
    while (o && o->kind != kind) o = o->parent;
    return o;
}

const sup_tasks* flat_tasks(flat_object* o)
{
    flat_object* session = flat_ancestor(o, FLAT_SESSION);
    return session ? sup_pool_tasks(session->pool) : NULL;
}

bool flat_bytes_add(flat_bytes* b, const void* data, size_t size)
{
    if (size >= b->capacity - b->used) {
        size_t capacity = (b->used + size) * 2 + 256;
        char*  more = realloc(b->data, capacity);
        if (!more) return false;
        b->data = more;
        b->capacity = capacity;
    }
    if (size) memcpy(b->data + b->used, data, size);
    b->used += size;
    b->data[b->used] = 0;
    return true;
}

const char* flat_map_name(const char* text, sup_arena* arena)
{
    size_t length = strlen(text), at = 0;
    char*  name = sup_arena_alloc(arena, length + 2, 1);
    if (!name) return NULL;
    if (text[0] != '_') name[at++] = '_';
    for (size_t i = 0; i < length; ++i) name[at++] = (char)(text[i] >= 'a' && text[i] <= 'z' ? text[i] - 32 : text[i]);
    return name;
}

bool flat_true(const sup_json* value) { return value && value->type == SUP_JSON_TRUE; }

sup_result flat_number(const sup_json* object, const char* key, double min, double max, double standard, double* out,
                       sup_error* error)
{
    const sup_json* value = sup_json_get(object, key);
    *out = sup_json_number(value, standard);
    if (!value || (value->type == SUP_JSON_NUMBER && *out >= min && *out <= max)) return SUP_OK;
    return sup_fail(error, SUP_ERROR_INPUT, "%s must be a number from %g to %g", key, min, max);
}

bool flat_fits(flat_object* o, const char* what, const void* buffer, uint64_t floats, uint64_t needed)
{
    if (buffer ? floats == needed : !needed) return true;
    sup_fail(&o->error, SUP_ERROR_INPUT, "%s take %llu floats, but the buffer has %llu", what, (unsigned long long)needed,
             buffer ? (unsigned long long)floats : 0ull);
    return false;
}

bool flat_all_finite(flat_object* o, const char* what, const float* values, uint64_t count)
{
    for (uint64_t i = 0; i < count; ++i)
        if (!isfinite(values[i])) {
            sup_fail(&o->error, SUP_ERROR_INPUT, "number %llu of %s is not finite", (unsigned long long)i, what);
            return false;
        }
    return true;
}

static bool add_text(void* user, const char* bytes, size_t length) { return flat_bytes_add(user, bytes, length); }

const char* flat_text(flat_object* o, const sup_json* tree)
{
    o->text.used = 0;
    return sup_json_write(tree, 0, &(sup_text_sink){ add_text, &o->text }) ? o->text.data : NULL;
}

const char* flat_answer(flat_handle handle, uint32_t kinds, flat_build_fn* build)
{
    int32_t      status;
    flat_object* o = flat_enter(handle, kinds, &status);
    if (!o) return NULL;
    sup_fail(&o->error, SUP_ERROR_MEMORY, "out of memory while writing an answer"); // unless `build` reports something else
    sup_arena*  arena = sup_arena_create(NULL);
    sup_json*   tree = arena ? build(o, arena) : NULL;
    const char* text = tree ? flat_text(o, tree) : NULL;
    sup_arena_destroy(arena);
    flat_leave(o);
    return text;
}

void flat_digits(uint64_t hash, char digits[17])
{
    for (int i = 0; i < 16; ++i) digits[i] = "0123456789abcdef"[hash >> (60 - 4 * i) & 15];
    digits[16] = 0;
}

bool flat_report(void* user, double fraction, const char* what)
{
    const flat_listener* l = user;
    return l->progress(l->user, fraction, what) != 0;
}
