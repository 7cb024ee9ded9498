#!/bin/sh
# Runs every fuzzer of build-fuzz for some seconds each: scripts/fuzz.sh [SECONDS [SEED]]. Found inputs grow the corpus in the
# build tree; a crash is left there too, and what it showed becomes a seed of its fuzzer with the fix. SEED makes a run that
# can be had again; without it every run tries something new.
set -eu
cd "$(dirname "$0")/.."
seconds=${1:-20}
seed=${2:-0}
for program in build-fuzz/fuzz/fuzz_*; do
    case $program in *_replay) continue ;; esac
    name=${program##*/}
    corpus=build-fuzz/corpus/$name
    mkdir -p "$corpus" "build-fuzz/crashes/$name"
    "$program"_replay --write "$corpus" >/dev/null
    echo "$name: $seconds seconds"
    log=build-fuzz/$name.log
    if ! "$program" -seed="$seed" -max_total_time="$seconds" -max_len=65536 -timeout=20 -rss_limit_mb=2048 \
        -print_final_stats=1 -verbosity=0 -artifact_prefix="build-fuzz/crashes/$name/" "$corpus" >"$log" 2>&1; then
        tail -n 60 "$log"
        echo "$name: failed; the input is in build-fuzz/crashes/$name" >&2
        exit 1
    fi
    sed -n 's/^stat::number_of_executed_units: */  inputs tried: /p' "$log"
done
