// The file system of Windows, for reading. Names are UTF-8 whatever the code page; both / and \ are separators.
#include "base/internal.h"
#include "base/windows.h"
#include "supple/io.h"

#include <string.h>

// The largest size that a GLB's length field can hold.
#define FILE_BYTES_MAX (4ull << 30)

static sup_result fail_reading(sup_error* error, const char* path, int number)
{
    const char* why = number == EBUSY    ? "another program has it open; close it in that program"
                      : number == EINVAL ? "Windows does not allow such a name"
                                         : strerror(number);
    return sup_fail(error, SUP_ERROR_FILE, "cannot read '%s': %s", path, why);
}

static sup_result read_open(HANDLE file, const char* path, sup_arena* arena, sup_bytes* out, sup_error* error)
{
    LARGE_INTEGER size;
    if (GetFileType(file) != FILE_TYPE_DISK)
        return sup_fail(error, SUP_ERROR_FILE, "cannot read '%s': it is not a plain file; save it to one first", path);
    if (!GetFileSizeEx(file, &size)) return fail_reading(error, path, sup_windows_errno());
    if ((unsigned long long)size.QuadPart > FILE_BYTES_MAX)
        return sup_fail(error, SUP_ERROR_FILE, "cannot read '%s': it is larger than 4 GiB; split it or reduce it", path);
    size_t   bytes = (size_t)size.QuadPart;
    uint8_t* data = sup_arena_alloc(arena, bytes, 1);
    if (!data) return sup_fail_memory(error, path);
    for (size_t at = 0; at < bytes;) {
        DWORD done = 0, piece = bytes - at < (1u << 30) ? (DWORD)(bytes - at) : 1u << 30;
        if (!ReadFile(file, data + at, piece, &done, NULL)) return fail_reading(error, path, sup_windows_errno());
        if (done == 0)
            return sup_fail(error, SUP_ERROR_FILE, "cannot read '%s': it became shorter while it was read; try again", path);
        at += done;
    }
    *out = (sup_bytes){ data, bytes };
    return SUP_OK;
}

// Others may write, rename and delete meanwhile: a reader must not block them.
static HANDLE open_to_read(const wchar_t* path)
{
    return CreateFileW(path, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL, OPEN_EXISTING,
                       FILE_FLAG_BACKUP_SEMANTICS, NULL);
}

static bool is_folder(HANDLE file)
{
    BY_HANDLE_FILE_INFORMATION info;
    return GetFileInformationByHandle(file, &info) && (info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY);
}

static sup_result open_path(const char* path, HANDLE* out, sup_error* error)
{
    wchar_t wide[SUP_WINDOWS_PATH];
    if (!sup_windows_wide(path, wide)) return fail_reading(error, path, EINVAL);
    *out = open_to_read(wide);
    return *out == INVALID_HANDLE_VALUE ? fail_reading(error, path, sup_windows_errno()) : SUP_OK;
}

static sup_result read_file(void* user, const char* path, sup_arena* arena, sup_bytes* out, sup_error* error)
{
    (void)user;
    HANDLE     file;
    sup_result result = open_path(path, &file, error);
    if (result != SUP_OK) return result;
    if (is_folder(file))
        result = sup_fail(error, SUP_ERROR_FILE, "cannot read '%s': it is a directory; name a file in it", path);
    else result = read_open(file, path, arena, out, error);
    CloseHandle(file);
    return result;
}

static bool final_path(HANDLE file, wchar_t* out)
{
    DWORD length = GetFinalPathNameByHandleW(file, out, SUP_WINDOWS_PATH, FILE_NAME_NORMALIZED | VOLUME_NAME_DOS);
    return length > 0 && length < SUP_WINDOWS_PATH;
}

// Whether the open file lies in the folder, wherever links have led.
static bool lies_below(HANDLE file, const char* folder)
{
    wchar_t wide[SUP_WINDOWS_PATH], root[SUP_WINDOWS_PATH], real[SUP_WINDOWS_PATH];
    HANDLE  handle = sup_windows_wide(folder, wide) ? open_to_read(wide) : INVALID_HANDLE_VALUE;
    bool    known = handle != INVALID_HANDLE_VALUE && final_path(handle, root) && final_path(file, real);
    if (handle != INVALID_HANDLE_VALUE) CloseHandle(handle);
    if (!known) return false;
    size_t length = wcslen(root);
    return _wcsnicmp(real, root, length) == 0 && (real[length] == L'\\' || (length && root[length - 1] == L'\\'));
}

static sup_result read_below(void* user, const char* path, size_t folder, sup_arena* arena, sup_bytes* out, sup_error* error)
{
    (void)user;
    HANDLE file;
    char*  text = sup_arena_text(arena, folder ? path : ".", folder ? folder : 1);
    if (!text) return sup_fail_memory(error, path);
    sup_result result = open_path(path, &file, error);
    if (result != SUP_OK) return result;
    if (!lies_below(file, text))
        result = sup_fail(error, SUP_ERROR_INPUT,
                          "'%s' is a link that leads out of the folder of the file that mentions it; put the file itself there",
                          path);
    else result = read_open(file, path, arena, out, error);
    CloseHandle(file);
    return result;
}

static sup_result add_name(const WIN32_FIND_DATAW* found, const char* folder, sup_arena* arena, const char*** names,
                           uint32_t* count, uint32_t* capacity, sup_error* error)
{
    char name[3 * MAX_PATH + 1];
    if (!sup_windows_narrow(found->cFileName, name, sizeof name)) return SUP_OK; // a name that cannot be asked for
    if (*count == *capacity) {
        const char** more = SUP_NEW(arena, const char*, *capacity = *capacity ? 2 * *capacity : 64);
        if (!more) return sup_fail_memory(error, folder);
        if (*count) memcpy(more, *names, *count * sizeof *more);
        *names = more;
    }
    (*names)[*count] = sup_arena_text(arena, name, strlen(name));
    return (*names)[(*count)++] ? SUP_OK : sup_fail_memory(error, folder);
}

static sup_result list_folder(void* user, const char* folder, sup_arena* arena, const char*** names, uint32_t* count,
                              sup_error* error)
{
    (void)user;
    wchar_t wide[SUP_WINDOWS_PATH + 2];
    if (!sup_windows_wide(folder[0] ? folder : ".", wide)) return fail_reading(error, folder, EINVAL);
    wcscat(wide, L"\\*");
    WIN32_FIND_DATAW found;
    HANDLE           search = FindFirstFileW(wide, &found);
    if (search == INVALID_HANDLE_VALUE) return fail_reading(error, folder, sup_windows_errno());
    uint32_t   capacity = 0;
    sup_result result = SUP_OK;
    *count = 0;
    do result = add_name(&found, folder, arena, names, count, &capacity, error);
    while (result == SUP_OK && FindNextFileW(search, &found));
    if (result == SUP_OK && GetLastError() != ERROR_NO_MORE_FILES) result = fail_reading(error, folder, sup_windows_errno());
    FindClose(search);
    return result;
}

const sup_files* sup_files_system(void)
{
    static const sup_files files = { .read = read_file, .list = list_folder, .read_below = read_below };
    return &files;
}
