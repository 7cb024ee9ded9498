// supple studio: serves the page on this machine until Ctrl-C.
#include "commands.h"
#include "progress.h"
#include "report/report.h"
#include "studio/studio_server.h"
#include "system/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef SUPPLE_PAGE_FROM_PROGRAM
#define SUPPLE_PAGE_FROM_PROGRAM "../share/supple/studio"
#endif

// Polling interval for a stop request: the signal may be delivered to a thread of the server.
static const double LISTEN_SECONDS = 0.05;

// The installed page, or that of the build folder that contains the program.
static int find_page(char* out, size_t size)
{
    static const char* const places[] = { SUPPLE_PAGE_FROM_PROGRAM, "studio" };
    char                     program[3000];
    if (system_program(program, sizeof program)) {
        size_t folder = (size_t)(path_name(program) - program);
        for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
            snprintf(out, size, "%.*s%s", (int)folder, program, places[i]);
            if (path_is_folder(out)) return EXIT_DONE;
        }
    }
    report_error(
        "the studio's page is not installed; build it with 'make studio', or name its folder: supple studio --page DIR");
    return EXIT_FAILED;
}

// Browsers store files by address, so a user gets the same port in every run. Two users of one machine get different ones
// (nearly always), since one would find what the other's page has stored. The range is below the ephemeral ports of common
// systems and contains no port that browsers refuse.
enum { OWN_PORT_FIRST = 20000, OWN_PORT_COUNT = 10000 };

static uint32_t own_port(void)
{
    const char* home = getenv("HOME");
    if (!home) home = getenv("USERPROFILE");
    uint32_t hash = 2166136261u; // FNV-1a
    for (const char* c = home ? home : ""; *c; c++) hash = (hash ^ (unsigned char)*c) * 16777619u;
    return OWN_PORT_FIRST + hash % OWN_PORT_COUNT;
}

static int serve(const options* o, const studio_site* site, uint32_t port)
{
    // From here on a signal only sets a flag: there may be a child process to end and a file to remove.
    interrupts_hold();
    uint32_t       own = options_has(o, FLAG_PORT) ? 0 : own_port();
    studio_server* server = studio_server_begin(site, port, own);
    if (!server) return EXIT_FAILED;
    const char* address = studio_server_address(server);
    printf("The studio is at %s\nCtrl-C ends it.\n", address);
    if (own && studio_server_port(server) != own)
        printf("Port %u, under which your browser keeps the studio's files and sessions, is taken (by another studio?): "
               "this one uses a free port and starts empty.\n",
               own);
    if (!finish_stdout()) return EXIT_FAILED;
    if (!options_has(o, FLAG_NO_OPEN)) system_open(address); // without a display the user opens the address
    while (!interrupts_signal()) system_pause(LISTEN_SECONDS);
    studio_server_end(server);
    system_end_now(EXIT_DONE); // at once: connections end with the process
    return EXIT_DONE;
}

int cmd_studio(const options* o)
{
    char        found[4096];
    double      port = 0.0;
    const char* page = options_text(o, FLAG_PAGE, NULL);
    int         code = EXIT_DONE;
    if (!options_number(o, FLAG_PORT, 0.0, 65535.0, 0.0, &port)) return EXIT_USAGE;
    if (port != (double)(uint32_t)port) {
        report_error("--port needs a whole number, 0 for a free one");
        return EXIT_USAGE;
    }
    if (!studio_server_available()) {
        report_error("this build has no web server (it was built without civetweb: install libcivetweb-dev and build again); "
                     "'make studio' puts the page into build/studio for any other web server");
        return EXIT_FAILED;
    }
    if (page) snprintf(found, sizeof found, "%s", page);
    else code = find_page(found, sizeof found);
    // "page/" is "page"
    for (size_t length = strlen(found); length > 1 && path_parts(found[length - 1]); length--) found[length - 1] = 0;
    studio_site site = { 0 };
    if (code == EXIT_DONE) code = studio_site_open(&site, found, o->words, o->word_count);
    if (code == EXIT_DONE) code = serve(o, &site, (uint32_t)port);
    studio_site_close(&site);
    return code;
}
