// Any bytes as FBX, COLLADA, OFF or STL through assimp: whatever assimp itself survives, we read or refuse with words, and give
// all memory back. assimp was written for trust and does die of hostile files, so each input has a process of its own with
// bounds on time and memory, where assimp is asked alone first: only what comes after is ours.
#define _DEFAULT_SOURCE
#include "fuzz.h"

#include "fuzz_read.h"
#include "supple/io_extra.h"

#include <assimp/cimport.h>
#include <assimp/scene.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS_MAX = 2, INPUT_MAX = 1 << 16 };

static const char* const endings[] = { "fbx", "dae", "off", "stl" };
enum { ENDINGS = sizeof endings / sizeof *endings };

static void bound(void)
{
    const struct rlimit seconds = { SECONDS_MAX, SECONDS_MAX }, none = { 0, 0 };
    setrlimit(RLIMIT_CPU, &seconds);
    setrlimit(RLIMIT_CORE, &none);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__clang__) // their shadow is larger than any bound
    const struct rlimit bytes = { (rlim_t)2 << 30, (rlim_t)2 << 30 };
    setrlimit(RLIMIT_AS, &bytes);
#endif
}

// The reader is the last of the extra formats that knows the ending.
static const sup_file_format* reader(void)
{
    const sup_extra* extra = sup_extra_get();
    return extra->format_count ? extra->formats[extra->format_count - 1] : NULL;
}

static void read_here(const char* ending, const uint8_t* data, size_t size, volatile int* stage)
{
    char path[16] = "a.";
    strcat(path, ending);
    aiReleaseImport(aiImportFileFromMemory((const char*)data, (unsigned)size, 0, ending));
    *stage = 1;
    size_t         live = 0;
    sup_allocator  memory = { fuzz_allocate, fuzz_release, &live };
    sup_files      files = { .read = fuzz_refuse, .user = NULL };
    sup_read_input in = { .path = path, .bytes = { data, size }, .files = &files, .allocator = &memory };
    sup_character* character = NULL;
    sup_error      error = { SUP_OK, "" };
    sup_result     result = reader()->read(&in, &character, &error);
    if ((result == SUP_OK) != (character != NULL)) abort();
    if (result != SUP_OK && (error.code != result || !error.text[0])) abort();
    if (strstr(error.text, "assimp crashed")) abort(); // the reader has assimp in a process of its own, and assimp survived before
    sup_character_destroy(character);
    if (live) abort();
}

// The first byte picks the ending.
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    if (size < 2 || size > INPUT_MAX || !reader()) return 0;
    volatile int* stage = mmap(NULL, sizeof *stage, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (stage == MAP_FAILED) abort();
    pid_t child = fork();
    if (child < 0) abort();
    if (child == 0) {
        bound();
        read_here(endings[data[0] % ENDINGS], data + 1, size - 1, stage);
        _exit(0); // without the leaks that are not ours
    }
    int status = 0;
    waitpid(child, &status, 0);
    bool ours = *stage == 1 && !(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    fuzz_good = true; // what the other process read it keeps to itself
    munmap((void*)(uintptr_t)stage, sizeof *stage);
    if (ours) abort();
    return 0;
}

static void put(fuzz_seed_fn* seed, void* user, char ending, const char* text)
{
    char buffer[4096] = { ending };
    strcat(buffer, text);
    seed(user, buffer, strlen(buffer));
}

void fuzz_seeds(fuzz_seed_fn* seed, void* user)
{
    put(seed, user, 'd', // 'd' % 4 is 0: FBX
        "; FBX 7.4.0 project file\nFBXHeaderExtension:  {\n FBXVersion: 7400\n}\nObjects:  {\n"
        " Geometry: 1000, \"Geometry::Tri\", \"Mesh\" {\n  Vertices: *9 {\n   a: 2,0,0,3,0,0,2,1,0\n  }\n"
        "  PolygonVertexIndex: *3 {\n   a: 0,1,-3\n  }\n  GeometryVersion: 124\n }\n"
        " Model: 2000, \"Model::Arm\", \"Mesh\" {\n  Version: 232\n }\n}\n"
        "Connections:  {\n C: \"OO\",2000,0\n C: \"OO\",1000,2000\n}\n");
    put(seed, user, 'e',
        "<COLLADA version=\"1.4.1\"><library_geometries><geometry id=\"g\"><mesh><source id=\"p\"><float_array id=\"a\" "
        "count=\"9\">0 "
        "0 0 1 0 0 0 1 0</float_array><technique_common><accessor source=\"#a\" count=\"3\" stride=\"3\"><param name=\"X\" "
        "type=\"float\"/><param name=\"Y\" type=\"float\"/><param name=\"Z\" "
        "type=\"float\"/></accessor></technique_common></source><vertices id=\"v\"><input semantic=\"POSITION\" "
        "source=\"#p\"/></vertices><triangles count=\"1\"><input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/><p>0 1 "
        "2</p></triangles></mesh></geometry></library_geometries><library_visual_scenes><visual_scene id=\"s\"><node "
        "id=\"n\"><instance_geometry url=\"#g\"/></node></visual_scene></library_visual_scenes><scene><instance_visual_scene "
        "url=\"#s\"/></scene></COLLADA>");
    put(seed, user, 'f', "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n");
    put(seed, user, 'g',
        "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a\n");
}
