// Requests, their origin, and the answers. All requests pass through one function; civetweb itself serves nothing.
#include "studio_server.h"

#include "commands/options.h"
#include "report/report.h"
#include "system/system.h"

#ifdef SUPPLE_CIVETWEB

#include <civetweb.h>
#include <ctype.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    TOKEN_BYTES = 16,             // 128 bits, which nobody can guess
    WORKERS = 24,                 // a browser opens six connections; the rest outlasts clients that never finish a request
    REQUEST_MILLISECONDS = 8000,  // for a request's header, and for each piece in or out: a slow client loses its connection
    HEAD_BYTES_MAX = 16384,       // of a request's header
    PIECE = 1 << 16,              // bytes per read or write
    UPLOAD_BYTES_MAX = 256 << 20, // of a file to convert: the largest FBX of the test sets has 60 MB
    UPLOAD_SECONDS = 60,          // until it has arrived: it comes from the same machine
    CONVERT_SECONDS = 120,        // for assimp, wall-clock time
    CONVERT_BYTES_MAX = 1 << 30,  // size limit of the GLB
    CONVERT_WAITING_MAX = 6,      // requests that may wait for their turn
    NAME_MAX_BYTES = 120,         // of a file dropped on the page
};

// Scripts, styles and workers only from the page's own files; the page may also generate pictures and films. WebAssembly may be
// compiled, text may not. No frames, no forms, no other sites.
static const char policy[] = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; "
                             "img-src 'self' data: blob:; "
                             "media-src 'self' blob:; font-src 'self'; connect-src 'self' blob: data:; manifest-src 'self'; "
                             "base-uri 'none'; form-action 'none'; "
                             "frame-ancestors 'none'";

struct studio_server {
    const studio_site* site;
    struct mg_context* context;
    int                port;
    char               run[2 * TOKEN_BYTES + 1], token[2 * TOKEN_BYTES + 1], address[160];
    char               program[4096]; ///< for conversions; empty: unknown
    // One conversion at a time; others wait for it.
    pthread_mutex_t turn, state;
    int             waiting;
    bool            ending;
    system_run      convert;
    char            dropped[4300], folder[4096]; ///< the dropped file, and its folder; empty: none
};

typedef struct mg_connection   connection;
typedef struct mg_request_info request;

bool studio_server_available(void) { return true; }

// ---------------------------------------------------------------------------------------------- answers

static const char* reason_of(int status)
{
    switch (status) {
    case 200: return "OK";
    case 303: return "See Other";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 408: return "Request Timeout";
    case 411: return "Length Required";
    case 413: return "Content Too Large";
    case 422: return "Unprocessable Content";
    case 500: return "Internal Server Error";
    case 503: return "Service Unavailable";
    default: return "Bad Request";
    }
}

// In pieces, so that a timeout bounds a piece and not a whole file.
static void send_bytes(connection* c, const void* bytes, size_t size)
{
    const char* at = bytes;
    while (size) {
        size_t piece = size < PIECE ? size : PIECE;
        if (mg_write(c, at, piece) != (int)piece) return;
        at += piece;
        size -= piece;
    }
}

/// more: further header lines, each ended by \r\n, or "".
static int answer(connection* c, int status, const char* type, const char* more, const void* bytes, size_t size)
{
    const request* r = mg_get_request_info(c);
    bool           head_only = r && r->request_method && strcmp(r->request_method, "HEAD") == 0;
    mg_printf(c,
              "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nConnection: close\r\nCache-Control: no-store\r\n"
              "Content-Security-Policy: %s\r\nCross-Origin-Opener-Policy: same-origin\r\nCross-Origin-Embedder-Policy: "
              "require-corp\r\n"
              "Cross-Origin-Resource-Policy: same-origin\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n"
              "X-Frame-Options: DENY\r\nPermissions-Policy: camera=(), microphone=(), geolocation=()\r\n%s\r\n",
              status, reason_of(status), type, size, policy, more);
    if (!head_only) send_bytes(c, bytes, size);
    return status;
}

static int refuse(connection* c, int status, const char* format, ...) SUP_FORMAT(3, 4);
static int refuse(connection* c, int status, const char* format, ...)
{
    char    sentence[2400];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    if (length > (int)sizeof sentence - 1) length = (int)sizeof sentence - 1;
    return answer(c, status, "text/plain; charset=utf-8", status == 405 ? "Allow: GET, HEAD, POST\r\n" : "", sentence,
                  (size_t)length);
}

// civetweb's own errors: a request that is too long or malformed.
static int on_error(connection* c, int status, const char* words)
{
    (void)words;
    refuse(c, status, "the request is malformed");
    return 0;
}

static const char* type_of(const char* name)
{
    static const char* const types[][2] = {
        { ".html", "text/html; charset=utf-8" },
        { ".js", "text/javascript; charset=utf-8" },
        { ".mjs", "text/javascript; charset=utf-8" },
        { ".css", "text/css; charset=utf-8" },
        { ".wasm", "application/wasm" },
        { ".json", "application/json" },
        { ".svg", "image/svg+xml" },
        { ".png", "image/png" },
        { ".jpg", "image/jpeg" },
        { ".webp", "image/webp" },
        { ".ico", "image/x-icon" },
        { ".woff2", "font/woff2" },
        { ".txt", "text/plain; charset=utf-8" },
        { ".webmanifest", "application/manifest+json" },
    };
    const char* dot = strrchr(name, '.');
    for (size_t i = 0; i < sizeof types / sizeof *types && dot; i++)
        if (strcmp(dot, types[i][0]) == 0) return types[i][1];
    return "application/octet-stream";
}

static int give(connection* c, const site_file* file, const char* type, const char* more)
{
    sup_arena* arena = sup_arena_create(NULL);
    sup_bytes  bytes = { 0 };
    sup_error  error = { 0 };
    int        status;
    if (!arena) status = refuse(c, 500, "out of memory");
    else if (site_file_read(file, arena, &bytes, &error) != SUP_OK) status = refuse(c, 404, "%s", error.text);
    else status = answer(c, 200, type, more, bytes.data, bytes.size);
    sup_arena_destroy(arena);
    return status;
}

// ---------------------------------------------------------------------------------------------- who asks

// Constant-time comparison: the time does not tell which byte differs.
static bool same_secret(const char* given, size_t length, const char* secret)
{
    unsigned difference = (unsigned)(length ^ strlen(secret));
    for (size_t i = 0; secret[i]; i++)
        difference |= (unsigned)(unsigned char)(i < length ? given[i] : 0) ^ (unsigned char)secret[i];
    return difference == 0;
}

static bool same_word(const char* a, const char* b)
{
    while (*a && tolower((unsigned char)*a) == tolower((unsigned char)*b)) a++, b++;
    return !*a && !*b;
}

/// The header's value; NULL: absent. A repeated header counts as forged: *twice.
static const char* header(const request* r, const char* name, bool* twice)
{
    const char* value = NULL;
    for (int i = 0; i < r->num_headers; i++) {
        if (!same_word(r->http_headers[i].name, name)) continue;
        if (value) *twice = true;
        value = r->http_headers[i].value;
    }
    return value;
}

// A name that another site gave to this machine (DNS rebinding) is not ours.
static bool is_our_host(const studio_server* s, const char* host)
{
    char own[64];
    for (int i = 0; i < 2; i++) {
        const char* name = i ? "localhost" : "127.0.0.1";
        snprintf(own, sizeof own, "%s:%d", name, s->port);
        if (same_word(host, own) || (s->port == 80 && same_word(host, name))) return true;
    }
    return false;
}

static bool is_our_origin(const char* origin, const char* host)
{
    return strncmp(origin, "http://", 7) == 0 && same_word(origin + 7, host);
}

static bool has_cookie(const studio_server* s, const char* cookies)
{
    size_t length = sizeof "supple=" - 1;
    while (cookies && *cookies) {
        cookies += strspn(cookies, "; ");
        size_t one = strcspn(cookies, ";");
        if (one > length && strncmp(cookies, "supple=", length) == 0 && same_secret(cookies + length, one - length, s->token))
            return true;
        cookies += one;
    }
    return false;
}

// ---------------------------------------------------------------------------------------------- conversion

static void remove_dropped(studio_server* s)
{
    if (s->dropped[0]) path_remove(s->dropped);
    if (s->folder[0]) path_remove_folder(s->folder);
    s->dropped[0] = s->folder[0] = 0;
}

/// The page's file name, made safe: it appears in messages, and its ending selects the format.
static void plain_name(char* name)
{
    for (char* at = name; *at; at++)
        if ((unsigned char)*at < 32 || strchr("/\\:*?\"<>|", *at)) *at = '_';
    while (name[0] == '.' || name[0] == '-') name[0] = '_';
}

/// Stores the request's body in the file. Returns 0, or the status to refuse it with.
static int take_body(connection* c, const char* path, long long size)
{
    static const char go_on[] = "HTTP/1.1 100 Continue\r\n\r\n";
    const char*       expected = mg_get_header(c, "Expect");
    if (expected && same_word(expected, "100-continue")) mg_write(c, go_on, sizeof go_on - 1);
    FILE*  file = path_open(path, "wbe");
    char*  piece = malloc(PIECE);
    double until = system_seconds() + UPLOAD_SECONDS;
    int    status = file && piece ? 0 : refuse(c, 500, "the file could not be stored: %s", strerror(errno));
    while (!status && size > 0) {
        int got = mg_read(c, piece, size < PIECE ? (size_t)size : PIECE);
        if (got <= 0 || system_seconds() > until) status = refuse(c, 408, "the file did not arrive; drop it again");
        else if (fwrite(piece, 1, (size_t)got, file) != (size_t)got)
            status = refuse(c, 500, "the file could not be stored: %s; make room on the disk", strerror(errno));
        size -= got;
    }
    if (file && fclose(file) != 0 && !status)
        status = refuse(c, 500, "the file could not be stored: %s; make room on the disk", strerror(errno));
    free(piece);
    return status;
}

// Lines of "supple: warning: ..." as a header's value, without that prefix.
static void encode_notes(const char* said, char* out, size_t capacity)
{
    static const char digits[] = "0123456789ABCDEF";
    size_t            at = 0;
    static const char mark[] = "supple: warning: ";
    for (; *said && at + 4 < capacity; said++) {
        while (strncmp(said, mark, sizeof mark - 1) == 0) said += sizeof mark - 1;
        if (!*said) break;
        unsigned char b = (unsigned char)*said;
        if (isalnum(b) || strchr("-_.~", b)) out[at++] = (char)b;
        else out[at++] = '%', out[at++] = digits[b >> 4], out[at++] = digits[b & 15];
    }
    out[at] = 0;
}

static int answer_converted(connection* c, const system_run* run, const char* name)
{
    char notes[3 * sizeof run->said + 64];
    if (run->late) return refuse(c, 422, "'%s' was not read within %d s; export it as glTF", name, CONVERT_SECONDS);
    if (run->large)
        return refuse(c, 422, "'%s' becomes more than %d MB; simplify it, or export it as glTF", name, CONVERT_BYTES_MAX >> 20);
    if (run->code == EXIT_DONE) {
        int length = snprintf(notes, sizeof notes, "X-Supple-Notes: ");
        encode_notes(run->said, notes + length, sizeof notes - (size_t)length - 2);
        strcat(notes, "\r\n");
        return answer(c, 200, "model/gltf-binary", notes, run->out, run->size);
    }
    // The last error, without "supple: error: ".
    static const char mark[] = "error: ";
    const char*       sentence = NULL;
    for (const char* at = run->said; (at = strstr(at, mark)); at += sizeof mark - 1) sentence = at + sizeof mark - 1;
    if (!sentence) return refuse(c, 422, "'%s' cannot be read: the program that reads it crashed; export it as glTF", name);
    return refuse(c, 422, "%.*s", (int)strcspn(sentence, "\r\n"), sentence);
}

// The caller holds the turn. `given` NULL: the file is the request's body.
static int convert(studio_server* s, connection* c, const site_file* given, char* name, long long size)
{
    char path[4200];
    int  status = 0, why = 0;
    if (!given) {
        plain_name(name);
        why = path_make_temporary(s->folder, sizeof s->folder);
        if (why) s->folder[0] = 0;
        else snprintf(s->dropped, sizeof s->dropped, "%s/%s", s->folder, name);
        status = why ? refuse(c, 500, "there is no folder for the file: %s", strerror(why)) : take_body(c, s->dropped, size);
    } else path_resolve(given->path, path, sizeof path);
    if (!status) {
        const char* words[] = { s->program, "convert", given ? path : name, NULL };
        pthread_mutex_lock(&s->state);
        s->convert = (system_run){
            .words = words, .folder = given ? NULL : s->folder, .seconds = CONVERT_SECONDS, .bytes_max = CONVERT_BYTES_MAX
        };
        bool ending = s->ending;
        pthread_mutex_unlock(&s->state);
        why = ending ? ECANCELED : system_run_wait(&s->convert);
        status = why ? refuse(c, 500, "no process could be started to read the file: %s", strerror(why))
                     : answer_converted(c, &s->convert, name);
        free(s->convert.out);
        s->convert.out = NULL;
    }
    pthread_mutex_lock(&s->state);
    remove_dropped(s);
    pthread_mutex_unlock(&s->state);
    return status;
}

static bool take_place(studio_server* s)
{
    pthread_mutex_lock(&s->state);
    bool free_place = s->waiting < CONVERT_WAITING_MAX;
    s->waiting += free_place;
    pthread_mutex_unlock(&s->state);
    return free_place;
}

static int answer_convert(studio_server* s, connection* c, const request* r)
{
    char             name[NAME_MAX_BYTES + 1] = "", id[16] = "";
    size_t           length = r->query_string ? strlen(r->query_string) : 0;
    const site_file* given = NULL;
    bool             by_id = mg_get_var(r->query_string, length, "id", id, sizeof id) > 0;
    if (by_id) {
        char*         end = NULL;
        unsigned long number = strtoul(id, &end, 10);
        given = isdigit((unsigned char)id[0]) && !*end && number < s->site->given.count ? &s->site->given.files[number] : NULL;
        if (!given) return refuse(c, 404, "no file with that number was given");
        snprintf(name, sizeof name, "%s", given->name);
    } else if (mg_get_var(r->query_string, length, "name", name, sizeof name) <= 0)
        return refuse(c, 400, "the file has no name, or one of more than %d letters; rename it", NAME_MAX_BYTES);
    if (!by_id && r->content_length < 0) return refuse(c, 411, "the request does not say how large the file is");
    if (r->content_length > UPLOAD_BYTES_MAX)
        return refuse(c, 413, "'%s' has more than %d MB; give it on the command line: supple studio FILE", name,
                      UPLOAD_BYTES_MAX >> 20);
    if (!s->program[0])
        return refuse(c, 503, "this system does not tell the program where it is, and so it cannot read '%s'", name);
    if (!take_place(s)) return refuse(c, 503, "too many files are being read; drop '%s' again in a moment", name);
    pthread_mutex_lock(&s->turn);
    int status = convert(s, c, given, name, r->content_length);
    pthread_mutex_unlock(&s->turn);
    pthread_mutex_lock(&s->state);
    s->waiting--;
    pthread_mutex_unlock(&s->state);
    return status;
}

// ---------------------------------------------------------------------------------------------- requests

static int answer_given(const studio_server* s, connection* c, const char* id)
{
    char*         end = NULL;
    unsigned long number = strtoul(id, &end, 10);
    if (!isdigit((unsigned char)id[0]) || *end || number >= s->site->given.count)
        return refuse(c, 404, "no file with that number was given");
    // Never as a page of ours, whatever it contains.
    return give(c, &s->site->given.files[number], "application/octet-stream", "Content-Disposition: attachment\r\n");
}

static int answer_inside(studio_server* s, connection* c, const request* r, const char* name, bool posted)
{
    if (strcmp(name, "api/convert") == 0)
        return posted ? answer_convert(s, c, r) : refuse(c, 405, "files to convert are sent by POST");
    if (posted) return refuse(c, 405, "only files to convert are sent by POST");
    if (strcmp(name, "api/session.json") == 0)
        return answer(c, 200, "application/json", "", s->site->session, s->site->session_size);
    if (strncmp(name, "api/files/", 10) == 0) return answer_given(s, c, name + 10);
    const site_file* file = site_list_find(&s->site->page, *name ? name : "index.html");
    return file ? give(c, file, type_of(file->name), "") : refuse(c, 404, "the page has no such file");
}

// The first visit: moves the token from the address into a cookie.
static int answer_entry(const studio_server* s, connection* c)
{
    char more[400];
    snprintf(more, sizeof more, "Location: /%s/\r\nSet-Cookie: supple=%s; Path=/%s/; HttpOnly; SameSite=Strict\r\n", s->run,
             s->token, s->run);
    return answer(c, 303, "text/plain; charset=utf-8", more, "", 0);
}

static int on_request(connection* c)
{
    studio_server* s = mg_get_user_data(mg_get_context(c));
    const request* r = mg_get_request_info(c);
    mg_disable_connection_keep_alive(c); // otherwise it would wait for the rest of a refused body
    const char *method = r->request_method ? r->request_method : "", *path = r->local_uri ? r->local_uri : "";
    bool        twice = false, posted = strcmp(method, "POST") == 0;
    const char *host = header(r, "Host", &twice), *origin = header(r, "Origin", &twice),
               *from = header(r, "Sec-Fetch-Site", &twice), *sent = header(r, "X-Supple-Token", &twice),
               *cookies = header(r, "Cookie", &twice);
    header(r, "Content-Length", &twice);
    if (twice) return refuse(c, 400, "the request repeats a header");
    if (!host || !is_our_host(s, host)) return refuse(c, 403, "this is not the address of supple studio");
    if (origin && !is_our_origin(origin, host)) return refuse(c, 403, "another site may not talk to supple studio");
    if (!posted && strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
        return refuse(c, 405, "the method %.20s is not supported", method);

    size_t run = strlen(s->run);
    bool   inside = path[0] == '/' && strlen(path) > run + 1 && same_secret(path + 1, run, s->run) && path[run + 1] == '/';
    char   token[2 * TOKEN_BYTES + 2] = "";
    if (r->query_string) mg_get_var(r->query_string, strlen(r->query_string), "token", token, sizeof token);
    if (inside && !posted && !path[run + 2] && token[0] && same_secret(token, strlen(token), s->token))
        return answer_entry(s, c);
    if (from && strcmp(from, "same-origin") != 0 && strcmp(from, "none") != 0)
        return refuse(c, 403, "another site may not talk to supple studio");
    bool known = (sent && same_secret(sent, strlen(sent), s->token)) || has_cookie(s, cookies);
    if (!inside || !known) return refuse(c, 403, "the token is missing: open the address that supple studio printed");
    // A post must carry an Origin, which browsers add to every post, or the token itself.
    if (posted && !origin && !sent) return refuse(c, 403, "a request with a file must carry its Origin");
    return answer_inside(s, c, r, path + run + 2, posted);
}

// ---------------------------------------------------------------------------------------------- start and end

static bool make_secret(char* out)
{
    unsigned char bytes[TOKEN_BYTES];
    if (!system_random(bytes, sizeof bytes)) return false;
    for (int i = 0; i < TOKEN_BYTES; i++) snprintf(out + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

// civetweb reports why it did not start; that goes to the user.
static int on_log(const connection* c, const char* words)
{
    (void)c;
    (void)words;
    return 1;
}

// Listens on a loopback port, 0 for any free one; false: it is taken.
static bool open_port(studio_server* s, uint32_t port)
{
    char listen[32], workers[16], wait[16], head[16];
    snprintf(listen, sizeof listen, "127.0.0.1:%u", port);
    snprintf(workers, sizeof workers, "%d", WORKERS);
    snprintf(wait, sizeof wait, "%d", REQUEST_MILLISECONDS);
    snprintf(head, sizeof head, "%d", HEAD_BYTES_MAX);
    const char*               settings[] = { "listening_ports",
                                             listen,
                                             "num_threads",
                                             workers,
                                             "request_timeout_ms",
                                             wait,
                                             "max_request_size",
                                             head,
                                             "enable_keep_alive",
                                             "no",
                                             "access_control_allow_origin",
                                             "",
                                             "access_control_allow_methods",
                                             "",
                                             NULL };
    const struct mg_callbacks calls = { .begin_request = on_request, .http_error = on_error, .log_message = on_log };
    s->context = mg_start(&calls, s, settings);
    // civetweb ignores the end of children, which we wait for.
    signal(SIGCHLD, SIG_DFL);
    struct mg_server_port ports[2];
    if (!s->context || mg_get_server_ports(s->context, 2, ports) < 1) return false;
    s->port = ports[0].port;
    return true;
}

studio_server* studio_server_begin(const studio_site* site, uint32_t port, uint32_t preferred)
{
    studio_server* s = calloc(1, sizeof *s);
    if (!s || !make_secret(s->run) || !make_secret(s->token)) {
        report_error(s ? "the system provides no random numbers, without which anybody could open the page" : "out of memory");
        free(s);
        return NULL;
    }
    s->site = site;
    pthread_mutex_init(&s->turn, NULL);
    pthread_mutex_init(&s->state, NULL);
    if (!system_program(s->program, sizeof s->program)) s->program[0] = 0;
    mg_init_library(0);
    if (!(port ? open_port(s, port) : (preferred && open_port(s, preferred)) || open_port(s, 0))) {
        if (port)
            report_error(
                "port %u cannot be opened: another program uses it, or you are not allowed to; leave --port out for a free one",
                port);
        else report_error("no port could be opened on this machine");
        free(s);
        return NULL;
    }
    snprintf(s->address, sizeof s->address, "http://127.0.0.1:%d/%s/?token=%s", s->port, s->run, s->token);
    return s;
}

uint32_t studio_server_port(const studio_server* s) { return (uint32_t)s->port; }

const char* studio_server_address(const studio_server* s) { return s->address; }

// Does not wait for connections: civetweb would take seconds. The memory is freed with the process, because threads still use
// it.
void studio_server_end(studio_server* s)
{
    pthread_mutex_lock(&s->state);
    s->ending = true;
    system_run_end(&s->convert);
    remove_dropped(s);
    pthread_mutex_unlock(&s->state);
}

#else

bool           studio_server_available(void) { return false; }
studio_server* studio_server_begin(const studio_site* site, uint32_t port, uint32_t preferred)
{
    (void)site;
    (void)port;
    (void)preferred;
    return NULL;
}
uint32_t studio_server_port(const studio_server* server)
{
    (void)server;
    return 0;
}
const char* studio_server_address(const studio_server* server)
{
    (void)server;
    return "";
}
void studio_server_end(studio_server* server) { (void)server; }

#endif
