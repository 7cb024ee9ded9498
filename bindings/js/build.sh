#!/bin/sh
# bindings/js/dist from the sources, build-wasm/supple.wasm, and a smaller module that only plays (build-wasm-play); exit 77 where npm's packages are missing.
set -eu
cd "$(dirname "$0")"
if [ ! -d node_modules/esbuild ] || [ ! -d node_modules/typescript ]; then
    echo "skipped: esbuild or typescript is missing; run: cd bindings/js && npm ci"
    exit 77
fi
../../scripts/build.sh wasm-play 2
exec node build.mjs ../../build-wasm/supple.wasm ../../build-wasm-play/supple.wasm
