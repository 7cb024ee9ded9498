#!/bin/sh
# scripts/test.sh [JOBS [full]]: the product, built once as people build it, and its tests; with `full` what else must hold before a
# change goes in: another compiler, the sanitizers, fuzzers and the slow tests. Any failure stops. Each stage says how long it took.
set -eu
cd "$(dirname "$0")/.."
jobs=${1:-2}
what=${2:-product}

stage=
since=0
say() {
    now=$(date +%s)
    [ -z "$stage" ] || printf '== %s: %d s\n' "$stage" $((now - since))
    stage=$1
    since=$now
    [ -z "$stage" ] || printf '\n== %s\n' "$stage"
}
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

if [ "$what" = full ]; then
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

    say "release, slow tests"
    run_tests build -L slow
else
    say "release tests"
    run_tests build -LE slow
fi
say ""
