#!/bin/sh
# The fourteen settings of the strip study in one picture: tests/strip/pictures.sh build/supple docs/images/fourier-strip.png
# Needs ImageMagick.
set -eu
program=$1
out=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# An even load on each of the eight curves along the bar that grows for a second.
forces=
for curve in 0 1 2 3 4 5 6 7; do
    forces="$forces${forces:+,}{\"name\":\"load $curve\",\"curve\":$curve,\"from\":0,\"to\":1,\"value\":[0,-5,0],
        \"keys\":[{\"time\":0,\"value\":0},{\"time\":1,\"value\":1}]}"
done
echo "{\"gravity\":[0,0,0],\"forces\":[$forces]}" > "$work/load.json"
number=10
for setting in 1,0.5,1e5,0.3 2,0.5,1e5,0.3 4,0.5,1e5,0.3 8,0.5,1e5,0.3 1,0,1e5,0.3 1,5,1e5,0.3 1,50,1e5,0.3 1,500,1e5,0.3 \
    1,0.5,2e5,0.3 1,0.5,4e5,0.3 1,0.5,1e6,0.3 1,0.5,1e5,0 1,0.5,1e5,0.45 1,0.5,1e5,0.5; do
    numbers=$(echo "$setting" | sed 's/\(.*\),\(.*\),\(.*\),\(.*\)/density=\1,viscosity=\2,young=\3,poisson=\4/')
    "$program" render builtin:bar "$work/$number.png" --clip still --time 1 --world "$work/load.json" --show fourier.curves \
        --camera orbit:-20,8,1.5 --size 200x130 --quiet --no-ground --background white \
        --deform "fourier(way=along,curves=8,ends=free,terms=24,expert=1,restoring=0,thickness=0.1,$numbers)"
    number=$((number + 1))
done
montage "$work"/??.png -tile 4x -geometry +1+1 "$work/sheet.png"
convert "$work/sheet.png" -colors 64 "PNG8:$out"
