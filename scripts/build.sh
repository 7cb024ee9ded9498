#!/bin/sh
# Configures a preset where that was not done yet (CMake does it again by itself when its files change) and builds:
# scripts/build.sh PRESET JOBS [TARGET...]. No target: everything.
set -eu
cd "$(dirname "$0")/.."
preset=$1
jobs=$2
shift 2
folder=build
[ "$preset" = release ] || folder=build-$preset
for tool in cmake ninja; do
    command -v $tool >/dev/null || { echo "$tool is missing: run scripts/setup.sh build" >&2; exit 1; }
done
# Until a configuration has come through whole there is no build.ninja.
if [ ! -f "$folder/build.ninja" ] || { [ $# -eq 0 ] && grep -q 'CMOCKA_LIBRARY.*NOTFOUND' "$folder/CMakeCache.txt"; }; then
    cmake --preset "$preset"
fi
targets=
[ $# -eq 0 ] || targets="--target $*"
# shellcheck disable=SC2086 # target names are words
exec cmake --build "$folder" -j "$jobs" $targets
