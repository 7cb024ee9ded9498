#!/bin/sh
# Blender opens what we bake: run.sh PROGRAM. Characters of the shared data set join in where it is beside the checkout.
set -eu
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
here=$(cd "$(dirname "$0")" && pwd)
data=$here/../../../shared/data/skinned
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT INT TERM

# character NAME SOURCE CLIP FPS [NAME_IN_BLENDER]: one folder with everything that is compared.
character() {
    out=$folder/$1
    mkdir "$out"
    echo "$4" >"$out/fps"
    echo "${5:-$3}" >"$out/clip"
    for chain in linear dualquat; do
        for file in $chain.pc2 $chain.mdd $chain.npy $chain.glb; do
            "$program" bake "$2" "$out/$file" --clip "$3" --fps "$4" --deform $chain --name baked --quiet
        done
    done
    "$program" bake "$2" "$out/flat.glb" --clip "$3" --fps "$4" --deform dualquat --name baked --flat --quiet 2>/dev/null
    "$program" bake "$2" "$out/sparse.glb" --clip "$3" --fps "$4" --deform dualquat --name baked --sparse --quiet
    for client in unreal unity godot; do
        "$program" bake "$2" "$out/$client.glb" --clip "$3" --fps "$4" --deform dualquat --name baked --max-error 0.1% --for $client --quiet
    done
    "$program" bake "$2" "$out/obj.obj" --clip "$3" --fps "$4" --deform dualquat --quiet
}

character arm builtin:arm flex 30
character twist builtin:arm twist 30
character beast builtin:beast walk 30
[ ! -f "$data/cesiumman.glb" ] || character cesiumman "$data/cesiumman.glb" "clip 0" 24 Anim_0
[ ! -f "$data/fox.glb" ] || character fox "$data/fox.glb" Walk 24

# What a mesh wears stays when its joints are others, and reaches a GLB from an OBJ.
mkdir "$folder/wear"
if [ -f "$data/cesiumman.glb" ]; then
    cp "$data/cesiumman.glb" "$folder/wear/rigged-source.glb"
    "$program" weights "$data/cesiumman.glb" "$folder/wear/rigged.glb" --skeleton "$data/cesiumman.glb" --max-influences 4 --quiet
fi
printf 'newmtl red\nKd 1 0 0\nnewmtl blue\nKd 0 0 1\n' >"$folder/wear/strip.mtl"
printf 'mtllib strip.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 2 0 0\nv 2 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nvt 0.5 0.25\n' >"$folder/wear/strip-source.obj"
printf 'usemtl red\nf 1/1 2/2 3/3 4/4\nusemtl blue\nf 2/1 5/2 6/3 3/5\n' >>"$folder/wear/strip-source.obj"
"$program" bake "$folder/wear/strip-source.obj" "$folder/wear/strip.glb" --pose 'strip-source=0,0,0' --quiet

blender --background --factory-startup --python-exit-code 1 --python "$here/check.py" -- "$folder" >"$folder/log" 2>&1 || {
    grep -E '^(ok|FAILED|[0-9]+ held|Error|  File|.*Error:)' "$folder/log" || tail "$folder/log"
    exit 1
}
grep -E '^(ok|FAILED|[0-9]+ held)' "$folder/log"
! grep -q '^FAILED' "$folder/log"
