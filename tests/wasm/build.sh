#!/bin/sh
# Brings the module in build-wasm and the package around it up to date; skips (77) where the tools for it are missing.
set -eu
cd "$(dirname "$0")/../.."
if ! command -v clang >/dev/null || ! command -v wasm-ld >/dev/null; then
    echo "skipped: clang or lld is missing; scripts/setup.sh test installs them"
    exit 77
fi
scripts/build.sh wasm 2
exec bindings/js/build.sh
