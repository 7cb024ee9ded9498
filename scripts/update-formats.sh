#!/bin/sh
# Writes the table of models in docs/formats.md from a test run: scripts/update-formats.sh [BUILD].
set -eu
cd "$(dirname "$0")/.."
build=${1:-build}
table=$("$build/tests/test_assimp_models" 2>&1 | grep '^|')
awk -v table="$table" '
    /^<!-- models -->$/ { print; print table; skip = 1 }
    /^<!-- \/models -->$/ { skip = 0 }
    !skip' docs/formats.md >docs/formats.md.new
mv docs/formats.md.new docs/formats.md
