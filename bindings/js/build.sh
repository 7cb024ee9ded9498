#!/bin/sh
# bindings/js/dist from the sources and build-wasm/supple.wasm; exit 77 where npm's packages are missing.
set -eu
cd "$(dirname "$0")"
if [ ! -d node_modules/esbuild ] || [ ! -d node_modules/typescript ]; then
    echo "skipped: esbuild or typescript is missing; run: cd bindings/js && npm ci"
    exit 77
fi
exec node build.mjs ../../build-wasm/supple.wasm
