// How assimp accesses files: through the host's own functions, and only beside or below the file being read, as with glTF.
// Every file is read completely, once.
#include "io_extra/assimp.h"

#include "io/path.h"

#include <assimp/cfileio.h>
#include <assimp/cimport.h>
#include <assimp/config.h>
#include <string.h>

typedef struct known_file {
    const char*        path;
    sup_bytes          bytes;
    bool               there;
    struct known_file* next;
} known_file;

typedef struct library {
    const sup_read_input* in;
    sup_arena*            arena;
    known_file*           first;
} library;

typedef struct reading {
    struct aiFile file;
    sup_bytes     bytes;
    size_t        at;
} reading;

static reading* of(struct aiFile* file) { return (reading*)(void*)file->UserData; }

static size_t read_bytes(struct aiFile* file, char* out, size_t size, size_t count)
{
    reading* f = of(file);
    if (size == 0) return 0;
    size_t whole = (f->bytes.size - f->at) / size;
    if (whole > count) whole = count;
    if (whole) memcpy(out, f->bytes.data + f->at, whole * size);
    f->at += whole * size;
    return whole;
}

static size_t write_nothing(struct aiFile* file, const char* bytes, size_t size, size_t count)
{
    (void)file, (void)bytes, (void)size, (void)count;
    return 0;
}

static size_t tell(struct aiFile* file) { return of(file)->at; }
static size_t file_size(struct aiFile* file) { return of(file)->bytes.size; }
static void   flush_nothing(struct aiFile* file) { (void)file; }

static enum aiReturn seek(struct aiFile* file, size_t offset, enum aiOrigin origin)
{
    reading* f = of(file);
    size_t   base = origin == aiOrigin_CUR ? f->at : origin == aiOrigin_END ? f->bytes.size : 0;
    size_t   to = base + offset; // a negative offset wraps around correctly
    if (to > f->bytes.size) return aiReturn_FAILURE;
    f->at = to;
    return aiReturn_SUCCESS;
}

bool assimp_file_read(const sup_read_input* in, const char* relative, sup_arena* arena, sup_bytes* out)
{
    size_t folder = sup_path_folder(in->path), length = strlen(relative);
    if (!sup_path_stays_below(relative)) return false;
    char* path = sup_arena_alloc(arena, folder + length + 1, 1);
    if (!path) return false;
    memcpy(path, in->path, folder);
    memcpy(path + folder, relative, length);
    for (char* c = path + folder; *c; ++c)
        if (*c == '\\') *c = '/';
    sup_error error;
    return sup_path_read(in->files, path, folder, arena, out, &error) == SUP_OK;
}

static const known_file* find(library* l, const char* path)
{
    for (known_file* k = l->first; k; k = k->next)
        if (strcmp(k->path, path) == 0) return k;
    known_file* k = SUP_NEW(l->arena, known_file, 1);
    char*       kept = sup_arena_text(l->arena, path, strlen(path));
    if (!k || !kept) return NULL;
    size_t folder = sup_path_folder(l->in->path);
    k->path = kept;
    k->next = l->first;
    if (strcmp(path, l->in->path) == 0) {
        k->bytes = l->in->bytes;
        k->there = true;
    } else if (strncmp(path, l->in->path, folder) == 0) {
        k->there = assimp_file_read(l->in, path + folder, l->arena, &k->bytes);
    }
    l->first = k;
    return k;
}

static struct aiFile* open_file(struct aiFileIO* io, const char* path, const char* mode)
{
    library* l = (library*)(void*)io->UserData;
    if (strpbrk(mode, "wa+")) return NULL;
    const known_file* k = find(l, path);
    reading*          f = k && k->there ? SUP_NEW(l->arena, reading, 1) : NULL;
    if (!f) return NULL;
    f->bytes = k->bytes;
    f->file = (struct aiFile){ .ReadProc = read_bytes,
                               .WriteProc = write_nothing,
                               .TellProc = tell,
                               .FileSizeProc = file_size,
                               .SeekProc = seek,
                               .FlushProc = flush_nothing,
                               .UserData = (char*)(void*)f };
    return &f->file;
}

static void close_file(struct aiFileIO* io, struct aiFile* file) { (void)io, (void)file; }

const struct aiScene* assimp_import(const sup_read_input* in, sup_arena* work)
{
    library                 l = { .in = in, .arena = work };
    struct aiFileIO         io = { .OpenProc = open_file, .CloseProc = close_file, .UserData = (char*)(void*)&l };
    struct aiPropertyStore* properties = aiCreatePropertyStore();
    // Without separate pivot nodes, animated ones come out wrong. Skeletons without skin need no dummy mesh.
    aiSetImportPropertyInteger(properties, AI_CONFIG_IMPORT_FBX_PRESERVE_PIVOTS, 1);
    aiSetImportPropertyInteger(properties, AI_CONFIG_IMPORT_NO_SKELETON_MESHES, 1);
    // No post-processing: it would cut influences, triangulate and drop bones.
    const struct aiScene* scene = aiImportFileExWithProperties(in->path, 0, &io, properties);
    aiReleasePropertyStore(properties);
    return scene;
}
