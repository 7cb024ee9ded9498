// What stands on the disk after a bake, whichever way it ends: the whole file, or what was there before.
#include "tube_support.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

static int make(void** state)
{
    (void)state;
    return make_of(test_tube(6, 5, 3, 3, 0.5f));
}

static void assert_text(const char* path, const char* text)
{
    char  found[64] = { 0 };
    FILE* file = fopen(path, "rb");
    assert_non_null(file);
    size_t length = fread(found, 1, sizeof found - 1, file);
    fclose(file);
    assert_int_equal(length, strlen(text));
    assert_string_equal(found, text);
}

static test_bake to(const char* path)
{
    return (test_bake){ .character = tube, .clip = tube->clips, .path = path, .fps = 5, .frames = 6 };
}

// The first step fails with these words, and nothing new stands in the folder.
static void assert_refused(const char* path, sup_result code, const char* words)
{
    int           before = test_folder_count(&folder);
    test_bake     b = to(path);
    sup_bake_desc desc = test_bake_desc(&b);
    sup_bake*     bake = NULL;
    sup_error     error = { 0 };
    assert_int_equal(sup_bake_begin(&desc, NULL, &bake, &error), code);
    assert_null(bake);
    if (!strstr(error.text, words)) fail_msg("'%s' does not say '%s'", error.text, words);
    assert_int_equal(test_folder_count(&folder), before);
}

static void endings_that_cannot_be_written_are_refused_with_those_that_can(void** state)
{
    (void)state;
    assert_refused(test_folder_file(&folder, "out.xyz"), SUP_ERROR_INPUT, "the ending '.xyz' is not known");
    assert_refused(test_folder_file(&folder, "out.xyz"), SUP_ERROR_INPUT, ".glb");
    assert_refused(test_folder_file(&folder, "out.vrm"), SUP_ERROR_INPUT, "can be read but not baked to");
    assert_refused(test_folder_file(&folder, "out"), SUP_ERROR_INPUT, "no ending");
    assert_refused(test_folder_file(&folder, "out.GL"), SUP_ERROR_INPUT, "not known");
}

static void a_directory_is_refused(void** state)
{
    (void)state;
    const char* path = test_folder_file(&folder, "folder.glb");
    assert_int_equal(mkdir(path, 0777), 0);
    assert_refused(path, SUP_ERROR_FILE, "is a directory");
    rmdir(path);
    assert_refused(folder.path, SUP_ERROR_FILE, "is a directory");
    assert_refused(".", SUP_ERROR_FILE, "is a directory");
    assert_refused(test_folder_file(&folder, "new.glb/"), SUP_ERROR_FILE, "is a directory");
    assert_refused("", SUP_ERROR_INPUT, "no ending");
}

static void a_missing_folder_is_refused(void** state)
{
    (void)state;
    assert_refused(test_folder_file(&folder, "nowhere/out.glb"), SUP_ERROR_FILE, "the folder does not exist");
}

static void a_device_is_refused(void** state)
{
    (void)state;
    const char* path = test_folder_file(&folder, "fifo.glb");
    assert_int_equal(mkfifo(path, 0666), 0);
    assert_refused(path, SUP_ERROR_FILE, "not a regular file");
    unlink(path);
}

static void missing_rights_are_refused(void** state)
{
    (void)state;
    if (geteuid() == 0) {
        print_message("skipped: root may write everywhere\n");
        skip();
    }
    const char* path = test_folder_file(&folder, "kept.glb");
    test_write(path, "old", 3);
    chmod(path, 0444);
    assert_refused(path, SUP_ERROR_FILE, "write-protected");
    unlink(path);
    chmod(folder.path, 0555);
    assert_refused(path, SUP_ERROR_FILE, "no permission");
    chmod(folder.path, 0777);
}

static void more_than_a_glb_holds_is_refused_before_any_work(void** state)
{
    (void)state;
    test_bake     b = to(test_folder_file(&folder, "huge.glb"));
    sup_bake_desc desc = test_bake_desc(&b);
    sup_bake*     bake = NULL;
    sup_error     error;
    desc.frame_count = 1000000;
    assert_int_equal(sup_bake_begin(&desc, NULL, &bake, &error), SUP_ERROR_INPUT);
    assert_non_null(strstr(error.text, "at most 4.2"));
    assert_non_null(strstr(error.text, "fewer frames"));
    assert_int_equal(test_folder_count(&folder), 0);
}

static void nonsense_rates_and_times_are_refused(void** state)
{
    (void)state;
    test_bake b = to(test_folder_file(&folder, "rate.glb"));
    sup_error error;
    b.fps = 0;
    assert_int_equal(test_bake_run(&b, NULL, &error), SUP_ERROR_INPUT);
    b.fps = 1e12;
    assert_int_equal(test_bake_run(&b, NULL, &error), SUP_OK); // near zero, floats are fine enough
    b.fps = 1e300;
    assert_int_equal(test_bake_run(&b, NULL, &error), SUP_ERROR_INPUT);
    assert_non_null(strstr(error.text, "too close"));
    b.fps = 30;
    b.start = -1;
    assert_int_equal(test_bake_run(&b, NULL, &error), SUP_ERROR_INPUT);
    unlink(b.path);
    assert_int_equal(test_folder_count(&folder), 0);
}

static void an_interrupted_bake_leaves_the_old_file_and_nothing_else(void** state)
{
    (void)state;
    const char* path = test_folder_file(&folder, "old.glb");
    test_write(path, "old", 3);
    test_bake     b = to(path);
    sup_bake_desc desc = test_bake_desc(&b);
    sup_bake*     bake;
    sup_error     error;
    assert_ok(sup_bake_begin(&desc, NULL, &bake, &error), error);
    assert_int_equal(test_folder_count(&folder), 2); // the old one and the one beside it
    assert_text(path, "old");
    sup_bake_destroy(bake);
    assert_int_equal(test_folder_count(&folder), 1);
    assert_text(path, "old");
    unlink(path);
}

static void a_whole_bake_replaces_the_old_file_and_keeps_its_rights(void** state)
{
    (void)state;
    const char* path = test_folder_file(&folder, "old.glb");
    struct stat info;
    sup_error   error;
    test_write(path, "old", 3);
    chmod(path, 0640);
    test_bake b = to(path);
    assert_ok(test_bake_run(&b, NULL, &error), error);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_size, b.bytes);
    assert_int_equal(info.st_mode & 0777, 0640);
    assert_int_equal(test_folder_count(&folder), 1);
    unlink(path);
}

static void a_link_is_followed(void** state)
{
    (void)state;
    const char* real = test_folder_file(&folder, "real.glb");
    const char* link = test_folder_file(&folder, "link.glb");
    struct stat info;
    sup_error   error;
    assert_int_equal(symlink("real.glb", link), 0); // its target does not exist yet
    test_bake b = to(link);
    assert_ok(test_bake_run(&b, NULL, &error), error);
    assert_int_equal(lstat(link, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_int_equal(lstat(real, &info), 0);
    assert_int_equal(info.st_size, b.bytes);
    assert_int_equal(test_folder_count(&folder), 2);
    unlink(link);
    unlink(real);
    assert_int_equal(symlink("round.glb", test_folder_file(&folder, "round.glb")), 0);
    assert_refused(test_folder_file(&folder, "round.glb"), SUP_ERROR_FILE, "loop");
    unlink(test_folder_file(&folder, "round.glb"));
}

// The limit stands in for a full disk: a write comes back short, then fails.
static void a_full_disk_leaves_the_old_file_and_nothing_else(void** state)
{
    (void)state;
    const char* path = test_folder_file(&folder, "old.glb");
    test_write(path, "old", 3);
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    for (rlim_t limit = 0; limit < 12000; limit += 4000) {
        test_bake b = to(path);
        sup_error error;
        small = before;
        small.rlim_cur = limit;
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
        sup_result result = test_bake_run(&b, NULL, &error);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_int_equal(result, SUP_ERROR_FILE);
        assert_non_null(strstr(error.text, "larger than the system allows"));
        assert_text(path, "old");
        assert_int_equal(test_folder_count(&folder), 1);
    }
    signal(SIGXFSZ, handler);
    unlink(path);
}

static void starve(const char* path)
{
    test_bake b = to(path);
    test_bake_starved(&b, &folder);
    unlink(path);
}

static void failing_allocations_leave_nothing(void** state)
{
    (void)state;
    starve(test_folder_file(&folder, "starved.glb"));
    starve(test_folder_file(&folder, "starved.gltf"));
    assert_int_equal(test_folder_unlink(&folder, ".bin"), 1);
}

// A folder stands where the bytes belong: then there is no text that names them either.
static void text_and_bytes_appear_together(void** state)
{
    (void)state;
    char        name[256] = "";
    const char* path = test_folder_file(&folder, "half.gltf");
    test_bake   b = to(path);
    sup_error   error;
    assert_ok(test_bake_run(&b, NULL, &error), error);
    DIR* dir = opendir(folder.path);
    assert_non_null(dir);
    for (struct dirent* entry; (entry = readdir(dir));)
        if (strstr(entry->d_name, ".bin")) snprintf(name, sizeof name, "%s", entry->d_name);
    closedir(dir);
    assert_true(strlen(name) == strlen("half.0123456789abcdef.bin"));
    // The same bytes again take the same name.
    b = to(path);
    assert_ok(test_bake_run(&b, NULL, &error), error);
    assert_int_equal(test_folder_count(&folder), 2);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(unlink(test_folder_file(&folder, name)), 0);
    assert_int_equal(mkdir(test_folder_file(&folder, name), 0777), 0);
    b = to(path);
    assert_int_equal(test_bake_run(&b, NULL, &error), SUP_ERROR_FILE);
    assert_non_null(strstr(error.text, name));
    assert_int_equal(test_folder_count(&folder), 1);
    assert_int_equal(rmdir(test_folder_file(&folder, name)), 0);
}

// Says no to what is too large and yes to smaller requests after it, as a machine short of memory does.
typedef struct miser {
    sup_allocator allocator;
    size_t        left;
} miser;

static void* miser_allocate(void* user, size_t bytes)
{
    miser* m = user;
    if (bytes > m->left) return NULL;
    m->left -= bytes;
    return malloc(bytes);
}

static void miser_release(void* user, void* memory, size_t bytes)
{
    (void)user, (void)bytes;
    free(memory);
}

static void little_memory_leaves_nothing(void** state)
{
    (void)state;
    const char* path = test_folder_file(&folder, "miser.glb");
    int         failed = 0;
    for (size_t budget = 1 << 10; budget < 64 << 20; budget += budget / 3) {
        miser     m = { { miser_allocate, miser_release, &m }, budget };
        test_bake b = to(path);
        sup_error error;
        b.frames = 600;
        b.fps = 600;
        sup_result result = test_bake_run(&b, &m.allocator, &error);
        if (result == SUP_OK) break;
        assert_int_equal(result, SUP_ERROR_MEMORY);
        assert_int_equal(test_folder_count(&folder), 0);
        failed++;
    }
    assert_true(failed > 10);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(endings_that_cannot_be_written_are_refused_with_those_that_can),
        cmocka_unit_test(a_directory_is_refused),
        cmocka_unit_test(a_missing_folder_is_refused),
        cmocka_unit_test(a_device_is_refused),
        cmocka_unit_test(missing_rights_are_refused),
        cmocka_unit_test(more_than_a_glb_holds_is_refused_before_any_work),
        cmocka_unit_test(nonsense_rates_and_times_are_refused),
        cmocka_unit_test(an_interrupted_bake_leaves_the_old_file_and_nothing_else),
        cmocka_unit_test(a_whole_bake_replaces_the_old_file_and_keeps_its_rights),
        cmocka_unit_test(a_link_is_followed),
        cmocka_unit_test(a_full_disk_leaves_the_old_file_and_nothing_else),
        cmocka_unit_test(failing_allocations_leave_nothing),
        cmocka_unit_test(text_and_bytes_appear_together),
        cmocka_unit_test(little_memory_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, make, unmake);
}
