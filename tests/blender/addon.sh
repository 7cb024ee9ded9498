#!/bin/sh
# The add-on inside Blender, without a window: addon.sh ZIP PROGRAM. Nothing of the person's own Blender is touched.
set -eu
full() { echo "$(cd "$(dirname "$1")" && pwd)/$(basename "$1")"; }
zip=$(full "$1")
program=$(full "$2")
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT INT TERM
mkdir "$folder/user"
BLENDER_USER_SCRIPTS=$folder/user BLENDER_USER_CONFIG=$folder/user PYTHONDONTWRITEBYTECODE=1 \
    blender --background --factory-startup --python-exit-code 1 --python "$here/addon.py" -- "$zip" "$program" "$folder" \
    >"$folder/log" 2>&1 || {
    grep -E '^(ok|FAILED|[0-9]+ held|Error|  File|.*Error:)' "$folder/log" || tail -30 "$folder/log"
    exit 1
}
grep -E '^(ok|FAILED|[0-9]+ held)' "$folder/log"
! grep -q '^FAILED' "$folder/log"
