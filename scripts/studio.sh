#!/bin/sh
# The studio's page as a folder that any web server can host: scripts/studio.sh [FOLDER] (build/studio). Needs build-wasm/supple.wasm
# (scripts/build.sh wasm) and npm's packages of bindings/js and studio; exit 77 where those are missing.
set -eu
cd "$(dirname "$0")/.."
out=${1:-build/studio}
case $out in /*) ;; *) out=$PWD/$out ;; esac
if [ ! -d studio/node_modules/esbuild ] || [ ! -d studio/node_modules/three ]; then
    echo "skipped: the studio's packages are missing; run: cd studio && npm ci"
    exit 77
fi
[ bindings/js/dist/index.mjs -nt build-wasm/supple.wasm ] || bindings/js/build.sh
# Beside the old one, which is replaced when all went well: a server may be reading it.
node studio/build.mjs "$out.new"
# Where supple studio answers what it has, any other server has nothing.
mkdir -p "$out.new/api"
echo '{"server":false,"convert":[],"files":[]}' >"$out.new/api/session.json"
# What others wrote goes with their terms.
for package in three three-mesh-bvh uplot @fontsource-variable/inter; do
    printf '%s\n\n' "$package"
    cat "studio/node_modules/$package/LICENSE"
    printf '\n\n'
done >"$out.new/licenses.txt"
rm -rf "$out"
mv "$out.new" "$out"
