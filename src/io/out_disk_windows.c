// The disk operations of out_file.c on Windows. Names are UTF-8 whatever the code page.
#include "base/internal.h"
#include "base/windows.h"
#include "io/out_disk.h"

int sup_disk_look(const char* path, sup_disk_info* out)
{
    wchar_t                   wide[SUP_WINDOWS_PATH];
    WIN32_FILE_ATTRIBUTE_DATA info;
    if (!sup_windows_wide(path, wide)) return EINVAL;
    if (!GetFileAttributesExW(wide, GetFileExInfoStandard, &info)) return sup_windows_errno();
    DWORD attributes = info.dwFileAttributes;
    *out = (sup_disk_info){ .kind = attributes & FILE_ATTRIBUTE_DIRECTORY ? SUP_DISK_FOLDER
                                    : attributes & FILE_ATTRIBUTE_DEVICE  ? SUP_DISK_OTHER
                                                                          : SUP_DISK_FILE,
                            .writable = !(attributes & FILE_ATTRIBUTE_READONLY) };
    return 0;
}

// Links are rare here, and are replaced like files.
int sup_disk_follow(sup_arena* arena, const char** path)
{
    (void)arena;
    (void)path;
    return 0;
}

int sup_disk_create(const char* path, intptr_t* out)
{
    wchar_t wide[SUP_WINDOWS_PATH];
    if (!sup_windows_wide(path, wide)) return EINVAL;
    HANDLE handle =
        CreateFileW(wide, GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ, NULL, CREATE_NEW, FILE_ATTRIBUTE_NORMAL, NULL);
    if (handle == INVALID_HANDLE_VALUE) return sup_windows_errno();
    *out = (intptr_t)handle;
    return 0;
}

static OVERLAPPED at_offset(uint64_t offset)
{
    return (OVERLAPPED){ .Offset = (DWORD)offset, .OffsetHigh = (DWORD)(offset >> 32) };
}

enum { PIECE = 1 << 30 }; // lengths are of 32 bits

int sup_disk_write(intptr_t file, uint64_t offset, const void* data, size_t bytes)
{
    for (const uint8_t* from = data; bytes > 0;) {
        OVERLAPPED place = at_offset(offset);
        DWORD      done = 0;
        if (!WriteFile((HANDLE)file, from, bytes < PIECE ? (DWORD)bytes : PIECE, &done, &place)) return sup_windows_errno();
        if (done == 0) return ENOSPC;
        from += done;
        offset += done;
        bytes -= done;
    }
    return 0;
}

int sup_disk_read(intptr_t file, uint64_t offset, void* data, size_t bytes)
{
    for (uint8_t* to = data; bytes > 0;) {
        OVERLAPPED place = at_offset(offset);
        DWORD      done = 0;
        if (!ReadFile((HANDLE)file, to, bytes < PIECE ? (DWORD)bytes : PIECE, &done, &place)) return sup_windows_errno();
        if (done == 0) return EIO;
        to += done;
        offset += done;
        bytes -= done;
    }
    return 0;
}

// On Windows a file takes its permissions from its folder.
int sup_disk_finish(intptr_t file, const unsigned* rights, bool* closed)
{
    (void)rights;
    *closed = false;
    if (!FlushFileBuffers((HANDLE)file)) return sup_windows_errno();
    *closed = true;
    return CloseHandle((HANDLE)file) ? 0 : sup_windows_errno();
}

void sup_disk_close(intptr_t file) { CloseHandle((HANDLE)file); }
int  sup_disk_rename(const char* from, const char* to) { return sup_windows_replace(from, to); }

void sup_disk_remove(const char* path)
{
    wchar_t wide[SUP_WINDOWS_PATH];
    if (sup_windows_wide(path, wide)) DeleteFileW(wide);
}

long sup_disk_process(void) { return (long)GetCurrentProcessId(); }
