#!/bin/sh
# Runs every fuzzer of build-fuzz for some seconds each: scripts/fuzz.sh [SECONDS [SEED [JOBS]]]. Found inputs grow the corpus in
# the build tree; a crash is left there too, and what it showed becomes a seed of its fuzzer with the fix. SEED makes a run that
# can be had again; without it every run tries something new. JOBS fuzzers run side by side.
set -eu
cd "$(dirname "$0")/.."

# One fuzzer: fuzz.sh --one SECONDS SEED PROGRAM. What it says comes at its end, in one piece.
if [ "${1:-}" = --one ]; then
    seconds=$2 seed=$3 program=$4
    name=${program##*/}
    corpus=build-fuzz/corpus/$name
    mkdir -p "$corpus" "build-fuzz/crashes/$name"
    "$program"_replay --write "$corpus" >/dev/null
    log=build-fuzz/$name.log
    if ! "$program" -seed="$seed" -max_total_time="$seconds" -max_len=65536 -timeout=20 -rss_limit_mb=2048 \
        -print_final_stats=1 -verbosity=0 -artifact_prefix="build-fuzz/crashes/$name/" "$corpus" >"$log" 2>&1; then
        tail -n 60 "$log"
        echo "$name: failed; the input is in build-fuzz/crashes/$name" >&2
        exit 255 # xargs starts no other one
    fi
    echo "$name: $seconds seconds,$(sed -n 's/^stat::number_of_executed_units: */ inputs tried: /p' "$log")"
    exit 0
fi

seconds=${1:-20}
seed=${2:-0}
jobs=${3:-1}
for program in build-fuzz/fuzz/fuzz_*; do
    case $program in *_replay) ;; *) echo "$program" ;; esac
done | xargs -P "$jobs" -n 1 scripts/fuzz.sh --one "$seconds" "$seed"
