#!/bin/sh
# Brings the modules in build-wasm up to date; skips (77) where the tools for it are missing.
set -eu
cd "$(dirname "$0")/../.."
if ! command -v clang >/dev/null || ! command -v wasm-ld >/dev/null; then
    echo "skipped: clang or lld is missing; scripts/setup.sh test installs them"
    exit 77
fi
scripts/build.sh wasm 2
