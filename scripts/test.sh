#!/bin/sh
# Everything that must hold, in one run: scripts/test.sh [JOBS]. The release tests come last, so that the output ends in
# CTest's summary of all of them. Any failure stops.
set -eu
cd "$(dirname "$0")/.."
jobs=${1:-2}

say() { printf '\n== %s\n' "$*"; }
run_tests() {
    folder=$1
    shift
    ctest --test-dir "$folder" -j "$jobs" --output-on-failure --no-tests=error "$@"
}

say "setup"
scripts/setup.sh test

say "release, gcc"
scripts/build.sh release "$jobs"

say "WebAssembly"
scripts/build.sh wasm "$jobs"

say "clang, -O2 with assertions"
scripts/build.sh clang "$jobs"
run_tests build-clang -LE slow

say "address and undefined behavior sanitizers"
scripts/build.sh asan "$jobs"
run_tests build-asan -LE slow

say "thread sanitizer"
scripts/build.sh tsan "$jobs" threaded_tests
run_tests build-tsan -L threads -LE slow

say "fuzzers"
scripts/build.sh fuzz "$jobs"
scripts/fuzz.sh 10 1 "$jobs" # one seed, so that red means this change and not this minute

say "release, all tests"
run_tests build
