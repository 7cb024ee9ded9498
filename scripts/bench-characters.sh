#!/bin/sh
# One 33 ms frame of `layers` on every character of the test data, human_man and the horse: supple bench, rows */layers.
#   scripts/bench-characters.sh [FLAGS OF BENCH...]
set -eu
cd "$(dirname "$0")/.."
supple=${SUPPLE:-build/supple} data=${SUPPLE_DATA:-../shared/data}
if [ ! -d "$data/skinned" ]; then
    echo "bench-characters: $data/skinned is not there; the characters of the test data are left out" >&2
    exec "$supple" bench --scene 'beast/layers' "$@"
fi
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
walk=$data/mocap/07_01-walk.bvh
"$supple" bake "$data/closed-meshes/human_man.obj" "$made/human_man.glb" --skeleton "$walk" --motion "$walk" \
    --deform linear --end 1.5 --quiet 2>/dev/null
"$supple" fit "$data/horse-gallop" "$made/horse.glb" --rest "$data/horse-gallop/reference.obj" --bones 10 --quiet
"$supple" bench --scene '*/layers' "$@" "$data"/skinned/* "$made/human_man.glb" "$made/horse.glb"
