#!/bin/sh
# versions.sh LIBRARY PROGRAM: the wheel in a fresh environment of every Python from 3.9 on that is here (on the path, or of pyenv),
# without numpy and without a compiler to be found: stranger.py. 77 where no Python can make an environment.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT INT TERM
library=$1
program=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
wanted=$("$program" bake "builtin:beast?points=2000" "$folder/a.npy" --clip walk --deform layers --fps 12 --end 0.25 --no-verdict --json --quiet |
    sed -n 's/.*"hash": *"\([0-9a-f]*\)".*/\1/p' | head -n 1)
python3 "$here/../build_wheel.py" "$library" "$folder" >"$folder/log"
tried=
for python in python3.9 python3.10 python3.11 python3.12 python3.13 python3.14 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.*/bin/python3; do
    command -v "$python" >/dev/null || continue
    version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2] if sys.version_info >= (3, 9) else "")' 2>/dev/null) || continue
    [ -n "$version" ] || continue
    case "$tried " in *" $version "*) continue ;; esac
    rm -rf "$folder/env"
    "$python" -m venv "$folder/env" >"$folder/log" 2>&1 || { echo "skipped $version: it makes no environments (python3-venv)"; continue; }
    "$folder/env/bin/python" -m pip install --quiet --no-index --disable-pip-version-check "$folder"/supple-*.whl
    (cd "$folder" && env -i HOME="$folder" PATH=/nowhere "$folder/env/bin/python" -W error -X dev "$here/stranger.py" "$wanted")
    tried="$tried $version"
done
[ -n "$tried" ] || { echo "skipped: no Python from 3.9 on makes environments here"; exit 77; }
echo "the wheel works in Python$tried"
