#!/bin/sh
# The lists of file formats and built-in characters compile when SUPPLE_WITHOUT leaves out every row that it may:
# without.sh SOURCE COMPILER.
set -eu
source=$1
compiler=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT INT TERM
mkdir -p "$folder/scenes" "$folder/io"
: >"$folder/scenes/scenes.def"
grep '(gltf)' "$source/src/io/formats.def" >"$folder/io/formats.def"
for file in builtin formats; do
    "$compiler" -std=c17 -O2 -Wall -Wextra -Wshadow -Wmissing-prototypes -pedantic -Werror -D_POSIX_C_SOURCE=200809L -I"$folder" \
        -I"$source" -I"$source/include" -I"$source/src" -c "$source/src/io/$file.c" -o "$folder/$file.o"
done
