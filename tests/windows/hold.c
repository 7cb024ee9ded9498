// Holds a file open as careless programs do, so that nobody may replace it, until its input ends: hold FILE (UTF-8 in the
// command line of Windows).
#include <stdio.h>
#include <windows.h>
// behind it, as it demands
#include <shellapi.h>

int main(void)
{
    int       count;
    wchar_t** words = CommandLineToArgvW(GetCommandLineW(), &count);
    HANDLE    file = CreateFileW(words[1], GENERIC_READ, FILE_SHARE_READ, NULL, OPEN_EXISTING, 0, NULL);
    puts(file == INVALID_HANDLE_VALUE ? "failed" : "held");
    fflush(stdout);
    while (getchar() != EOF) {
    }
    return 0;
}
