#!/bin/sh
# run.sh LIBRARY PROGRAM: the package's tests with the first Python that has pytest and numpy; 77 where none has.
# A library that a sanitizer watches brings the sanitizer's own with it, before Python.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
for python in /usr/bin/python3 python3; do
    if "$python" -c 'import pytest, numpy' 2>/dev/null; then
        SUPPLE_FLAT=$1 SUPPLE_PROGRAM=$2
        PYTHONPATH=$here/.. PYTHONDONTWRITEBYTECODE=1
        export SUPPLE_FLAT SUPPLE_PROGRAM PYTHONPATH PYTHONDONTWRITEBYTECODE
        watcher=$(ldd "$1" | sed -n 's/.*lib[a-z_]*asan[^ ]* => \([^ ]*\) .*/\1/p')
        if [ -n "$watcher" ]; then
            LD_PRELOAD=$watcher ASAN_OPTIONS=detect_leaks=0
            export LD_PRELOAD ASAN_OPTIONS
        fi
        exec "$python" -m pytest -q -p no:cacheprovider "$here"
    fi
done
echo "skipped: no Python here has pytest and numpy (scripts/setup.sh test installs them)"
exit 77
