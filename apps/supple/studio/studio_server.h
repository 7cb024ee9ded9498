/// studio_server.h: the web server behind `supple studio`. Only its implementation uses civetweb; in a build without it
/// studio_server_available() is false.
///
/// The address that is printed is http://127.0.0.1:PORT/RUN/?token=TOKEN; both words are new in every run. It answers with a
/// cookie (HttpOnly, SameSite=Strict, for /RUN/ alone, since cookies go to every port of a host) and leads to /RUN/, so that
/// the token stays in no address and no history. Everything else needs the cookie, or the token in the header X-Supple-Token:
///
///   GET  /RUN/NAME                        a file of the page
///   GET  /RUN/api/session.json            what was given, see studio_site.h
///   GET  /RUN/api/files/ID                the bytes of a given file
///   POST /RUN/api/convert?name=hero.fbx   bytes of a file in, GLB out; 422 and a sentence when it cannot be read
///   POST /RUN/api/convert?id=ID           the same for a given file, with the pictures beside it; no body
///
/// Warnings of the reader come back in the header X-Supple-Notes, percent-encoded lines. Errors are one sentence of plain text.
///
/// A request is refused (403) when its Host is not this address, when its Origin or Sec-Fetch-Site is another site's, or when
/// the token is missing.
#ifndef SUPPLE_APP_STUDIO_SERVER_H
#define SUPPLE_APP_STUDIO_SERVER_H

#include "studio_site.h"

typedef struct studio_server studio_server;

bool studio_server_available(void);
/// Serves the site on the loopback interface. port 0: the preferred one (0: none) if it is free, else any free one. Prints what
/// is wrong and returns NULL.
studio_server* studio_server_begin(const studio_site* site, uint32_t port, uint32_t preferred);
uint32_t       studio_server_port(const studio_server* server);
/// Includes the token.
const char* studio_server_address(const studio_server* server);
/// Ends conversions and removes their files. Connections end with the process.
void studio_server_end(studio_server* server);

#endif
