#!/bin/sh
# Writes the tables of models and of the shared data in docs/formats.md from test runs: scripts/update-formats.sh [BUILD].
set -eu
cd "$(dirname "$0")/.."
build=${1:-build}

# A table goes between <!-- NAME --> and <!-- /NAME -->.
put() {
    table=$("$build/tests/$2" 2>&1 | grep '^|')
    awk -v table="$table" -v name="$1" '
        $0 == "<!-- " name " -->" { print; print table; skip = 1 }
        $0 == "<!-- /" name " -->" { skip = 0 }
        !skip' docs/formats.md >docs/formats.md.new
    mv docs/formats.md.new docs/formats.md
}
put models test_assimp_models
put data test_shared_data
