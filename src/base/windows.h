/// base/windows.h: what the files for Windows share: paths as UTF-8, and its error codes as those of errno.h.
#ifndef SUP_BASE_WINDOWS_H
#define SUP_BASE_WINDOWS_H

#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <errno.h>
#include <stdlib.h>
#include <windows.h>

enum { SUP_WINDOWS_PATH = 4096 }; // characters of a path, with the terminating 0

/// The path for functions that end in W. False: too long, or not UTF-8.
static inline bool sup_windows_wide(const char* path, wchar_t out[SUP_WINDOWS_PATH])
{
    return MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, out, SUP_WINDOWS_PATH) > 0;
}

/// And back. False: too long, or not Unicode (file names may hold half a surrogate pair).
static inline bool sup_windows_narrow(const wchar_t* path, char* out, size_t size)
{
    return WideCharToMultiByte(CP_UTF8, WC_ERR_INVALID_CHARS, path, -1, out, (int)size, NULL, NULL) > 0;
}

/// The last error, as a number of errno.h.
static inline int sup_windows_errno(void)
{
    switch (GetLastError()) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_BAD_NETPATH:
    case ERROR_INVALID_DRIVE: return ENOENT;
    case ERROR_ACCESS_DENIED: return EACCES;
    case ERROR_SHARING_VIOLATION:
    case ERROR_LOCK_VIOLATION:
    case ERROR_USER_MAPPED_FILE: return EBUSY;
    case ERROR_FILE_EXISTS:
    case ERROR_ALREADY_EXISTS: return EEXIST;
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL: return ENOSPC;
    case ERROR_WRITE_PROTECT: return EROFS;
    case ERROR_DIRECTORY: return ENOTDIR;
    case ERROR_FILENAME_EXCED_RANGE:
    case ERROR_BUFFER_OVERFLOW: return ENAMETOOLONG;
    case ERROR_INVALID_NAME:
    case ERROR_BAD_PATHNAME: return EINVAL;
    case ERROR_TOO_MANY_OPEN_FILES: return EMFILE;
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_OUTOFMEMORY: return ENOMEM;
    default: return EIO;
    }
}

/// Replaces a file by another. Virus scanners and indexers hold new files open for a moment, so it retries for half a second.
/// Returns 0 or the error number.
static inline int sup_windows_replace(const char* from, const char* to)
{
    wchar_t wide_from[SUP_WINDOWS_PATH], wide_to[SUP_WINDOWS_PATH];
    if (!sup_windows_wide(from, wide_from) || !sup_windows_wide(to, wide_to)) return EINVAL;
    for (int i = 0;; ++i) {
        if (MoveFileExW(wide_from, wide_to, MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH)) return 0;
        int number = sup_windows_errno();
        if ((number != EBUSY && number != EACCES) || i == 10) return number == EACCES ? EBUSY : number;
        Sleep(50);
    }
}

#endif
