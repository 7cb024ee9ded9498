// The operating system, with Windows. Words and paths are UTF-8 whatever the code page.
#define _CRT_RAND_S // rand_s
#include "system/system.h"

#include "src/base/windows.h"

#include <fcntl.h>
#include <io.h>
#include <process.h>
#include <shellapi.h>
#include <signal.h>
#include <string.h>

static char* narrow_copy(const wchar_t* text)
{
    int   size = WideCharToMultiByte(CP_UTF8, 0, text, -1, NULL, 0, NULL, NULL);
    char* copy = size > 0 ? malloc((size_t)size) : NULL;
    if (copy) WideCharToMultiByte(CP_UTF8, 0, text, -1, copy, size, NULL, NULL);
    return copy;
}

// The words in Unicode. They live as long as the program.
static void read_words(int* argc, char*** argv)
{
    int       count = 0;
    wchar_t** words = CommandLineToArgvW(GetCommandLineW(), &count);
    char**    copies = words ? calloc((size_t)count + 1, sizeof *copies) : NULL;
    bool      good = copies != NULL;
    for (int i = 0; good && i < count; i++) good = (copies[i] = narrow_copy(words[i])) != NULL;
    LocalFree(words);
    if (!good) return;
    *argc = count;
    *argv = copies;
}

void system_begin(int* argc, char*** argv)
{
    read_words(argc, argv);
    // Files are compared with those of other systems: no CR before LF.
    _setmode(_fileno(stdout), _O_BINARY);
    _setmode(_fileno(stderr), _O_BINARY);
    SetConsoleOutputCP(CP_UTF8);
    // The C library does not buffer stderr here, and would print a sentence letter by letter.
    HANDLE console = GetStdHandle(STD_ERROR_HANDLE);
    DWORD  mode = 0;
    if (GetConsoleMode(console, &mode)) SetConsoleMode(console, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
}

// ---------------------------------------------------------------------------------------------- machine

double system_seconds(void)
{
    LARGE_INTEGER now, rate;
    QueryPerformanceCounter(&now);
    QueryPerformanceFrequency(&rate);
    return (double)now.QuadPart / (double)rate.QuadPart;
}

static double seconds_of(FILETIME t) { return 1e-7 * ((double)t.dwHighDateTime * 4294967296.0 + (double)t.dwLowDateTime); }

double system_cpu_seconds(void)
{
    FILETIME made, ended, kernel, user;
    if (!GetProcessTimes(GetCurrentProcess(), &made, &ended, &kernel, &user)) return 0.0;
    return seconds_of(kernel) + seconds_of(user);
}

double system_free_memory(void)
{
    MEMORYSTATUSEX status = { .dwLength = sizeof status };
    return GlobalMemoryStatusEx(&status) ? (double)status.ullAvailPhys : 0.0;
}

uint32_t system_cores(void)
{
    SYSTEM_INFO info;
    GetSystemInfo(&info);
    return info.dwNumberOfProcessors ? (uint32_t)info.dwNumberOfProcessors : 1;
}

void system_pause(double seconds) { Sleep((DWORD)(1000.0 * seconds)); }

bool system_random(void* out, size_t size)
{
    unsigned value = 0;
    for (size_t i = 0; i < size; i++) {
        if (rand_s(&value) != 0) return false;
        ((uint8_t*)out)[i] = (uint8_t)(value >> 8);
    }
    return true;
}

bool system_program(char* out, size_t size)
{
    wchar_t wide[SUP_WINDOWS_PATH];
    DWORD   length = GetModuleFileNameW(NULL, wide, SUP_WINDOWS_PATH);
    return length && length < SUP_WINDOWS_PATH && sup_windows_narrow(wide, out, size);
}

// The studio, which would use them, is not part of this build.
int system_open(const char* address)
{
    (void)address;
    return ENOSYS;
}

int system_run_wait(system_run* run)
{
    (void)run;
    return ENOSYS;
}

void system_run_end(const system_run* run) { (void)run; }

void system_cpu_name(char* out, size_t size)
{
    static const char key[] = "HARDWARE\\DESCRIPTION\\System\\CentralProcessor\\0";
    DWORD             bytes = (DWORD)size;
    if (RegGetValueA(HKEY_LOCAL_MACHINE, key, "ProcessorNameString", RRF_RT_REG_SZ, NULL, out, &bytes) != ERROR_SUCCESS)
        snprintf(out, size, "unknown");
}

// ---------------------------------------------------------------------------------------------- person

bool system_shows_lines(void)
{
    DWORD mode = 0;
    return GetConsoleMode(GetStdHandle(STD_ERROR_HANDLE), &mode) && (mode & ENABLE_VIRTUAL_TERMINAL_PROCESSING);
}

// One shot each: the C library uninstalls a handler before calling it. SIGBREAK is Ctrl-Break and a closed window.
void system_watch(void (*handler)(int number))
{
    signal(SIGINT, handler);
    signal(SIGTERM, handler);
    signal(SIGBREAK, handler);
}

void system_end_now(int code) { _exit(code); }

void system_print(const char* text, size_t length)
{
    DWORD done;
    WriteFile(GetStdHandle(STD_ERROR_HANDLE), text, (DWORD)length, &done, NULL);
}

// ---------------------------------------------------------------------------------------------- paths

int path_look(const char* path, path_info* out)
{
    wchar_t wide[SUP_WINDOWS_PATH];
    if (!sup_windows_wide(path, wide)) return EINVAL;
    HANDLE file = CreateFileW(wide, 0, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL, OPEN_EXISTING,
                              FILE_FLAG_BACKUP_SEMANTICS, NULL);
    if (file == INVALID_HANDLE_VALUE) return sup_windows_errno();
    BY_HANDLE_FILE_INFORMATION info;
    bool                       known = GetFileInformationByHandle(file, &info);
    CloseHandle(file);
    *out = (path_info){ .kind = PATH_OTHER };
    if (!known) return 0;
    *out = (path_info){ .kind = info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY ? PATH_FOLDER : PATH_FILE,
                        .writable = !(info.dwFileAttributes & FILE_ATTRIBUTE_READONLY),
                        .bytes = (uint64_t)info.nFileSizeHigh << 32 | info.nFileSizeLow,
                        .place = { info.dwVolumeSerialNumber, (uint64_t)info.nFileIndexHigh << 32 | info.nFileIndexLow } };
    return 0;
}

bool path_parts(char c) { return c == '/' || c == '\\'; }
bool path_is_absolute(const char* path) { return path[0] == '/' || path[0] == '\\' || (path[0] && path[1] == ':'); }
void path_resolve(const char* path, char* out, size_t size) { snprintf(out, size, "%s", path); }

int path_make_folder(const char* path)
{
    wchar_t wide[SUP_WINDOWS_PATH];
    if (!sup_windows_wide(path, wide)) return EINVAL;
    return CreateDirectoryW(wide, NULL) ? 0 : sup_windows_errno();
}

void path_remove_folder(const char* path)
{
    wchar_t wide[SUP_WINDOWS_PATH];
    if (sup_windows_wide(path, wide)) RemoveDirectoryW(wide);
}

void path_remove(const char* path)
{
    wchar_t wide[SUP_WINDOWS_PATH];
    if (sup_windows_wide(path, wide)) DeleteFileW(wide);
}

long path_process(void) { return (long)GetCurrentProcessId(); }

int path_make_temporary(char* out, size_t size)
{
    wchar_t place[MAX_PATH + 1];
    char    narrow[1024];
    if (!GetTempPathW(MAX_PATH + 1, place) || !sup_windows_narrow(place, narrow, sizeof narrow)) return ENOENT;
    for (int i = 0; i < 1000; i++) {
        snprintf(out, size, "%ssupple-%ld-%d", narrow, path_process(), i);
        int number = path_make_folder(out);
        if (number != EEXIST) return number;
    }
    return EEXIST;
}

static HANDLE open_to_write(const char* path, DWORD access, DWORD how)
{
    wchar_t wide[SUP_WINDOWS_PATH];
    if (sup_windows_wide(path, wide)) return CreateFileW(wide, access, FILE_SHARE_READ, NULL, how, FILE_ATTRIBUTE_NORMAL, NULL);
    SetLastError(ERROR_INVALID_NAME);
    return INVALID_HANDLE_VALUE;
}

int path_make_new(const char* path)
{
    HANDLE file = open_to_write(path, GENERIC_WRITE, CREATE_NEW);
    if (file == INVALID_HANDLE_VALUE) return sup_windows_errno();
    CloseHandle(file);
    return 0;
}

int path_append(const char* path, const void* bytes, size_t size)
{
    int    number = 0;
    HANDLE file = open_to_write(path, FILE_APPEND_DATA, OPEN_EXISTING);
    if (file == INVALID_HANDLE_VALUE) return sup_windows_errno();
    for (const char* at = bytes; size && !number;) {
        DWORD done = 0, piece = size < (1u << 30) ? (DWORD)size : 1u << 30;
        if (!WriteFile(file, at, piece, &done, NULL)) number = sup_windows_errno();
        at += done;
        size -= done;
    }
    return CloseHandle(file) || number ? number : sup_windows_errno();
}

int path_link(const char* from, const char* to)
{
    wchar_t old[SUP_WINDOWS_PATH], made[SUP_WINDOWS_PATH];
    if (!sup_windows_wide(from, old) || !sup_windows_wide(to, made)) return EINVAL;
    return CreateHardLinkW(made, old, NULL) ? 0 : sup_windows_errno();
}

// A file's permissions come from its folder here.
int path_replace(const char* from, const char* to, const unsigned* rights)
{
    (void)rights;
    return sup_windows_replace(from, to);
}

FILE* path_open(const char* path, const char* mode)
{
    wchar_t wide[SUP_WINDOWS_PATH], wide_mode[8];
    if (!sup_windows_wide(path, wide)) return NULL;
    if (!MultiByteToWideChar(CP_UTF8, 0, mode, -1, wide_mode, 8)) return NULL;
    return _wfopen(wide, wide_mode);
}

int path_shorten(FILE* file)
{
    __int64 place = _ftelli64(file);
    return fflush(file) == 0 && place >= 0 ? _chsize_s(_fileno(file), place) : EIO;
}

int path_seek(FILE* file, uint64_t place) { return _fseeki64(file, (__int64)place, SEEK_SET) == 0 ? 0 : errno; }
int path_sync(FILE* file) { return fflush(file) == 0 && _commit(_fileno(file)) == 0 ? 0 : errno; }
