#!/bin/sh
# Installs what is missing from Debian's packages, and nothing when nothing is: scripts/setup.sh build|studio|test|blender|slurm|package|windows.
# build: what `make` needs. studio: what `make studio` and `make demo` need too. test: what `make test` needs too. blender: what `make test-blender` needs (433 MB).
# slurm: what `make test-slurm` needs, a queue and MPI. package: what `make package` needs too. windows: what `make windows` needs, a compiler and wine (700 MB).
set -eu
cd "$(dirname "$0")/.."
level=${1:-test}
case $level in
build | studio | test | blender | slurm | package | windows) ;;
*) echo "usage: $0 build|studio|test|blender|slurm|package|windows" >&2; exit 2 ;;
esac

missing=
# need PACKAGE COMMAND...: the package is missing unless the command succeeds.
need() {
    package=$1
    shift
    "$@" >/dev/null 2>&1 || missing="$missing $package"
}
have() { command -v "$1"; }
# compiles COMPILER FLAGS...: an empty program, linked.
compiles() { echo 'int main(void){return 0;}' | "$@" -x c - -o /dev/null; }
c_library() { echo '#include <pthread.h>' | gcc -x c -fsyntax-only -; }
cmocka() { printf '#include <stdarg.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <setjmp.h>\n#include <cmocka.h>\n' | gcc -x c -fsyntax-only -; }
header() { printf "#include <stdio.h>\n#include <%s>\n" "$1" | gcc -x c -fsyntax-only -; }
blender_numpy() { python3 -c 'import sys; sys.path.append("/usr/lib/python3/dist-packages"); import numpy'; }
python_has() { /usr/bin/python3 -c "import $1"; } # the package's tests run with Debian's own Python
wine() { have wine64 || test -x /usr/lib/wine/wine64; }
wasi() { echo '#include <stdlib.h>' | clang --target=wasm32-wasi -x c -fsyntax-only -; }

need gcc have gcc
need libc6-dev c_library
need cmake have cmake
need ninja-build have ninja
if [ "$level" = blender ]; then
    need blender have blender
    need python3-numpy blender_numpy
fi
if [ "$level" = slurm ]; then
    need slurm-wlm have slurmctld
    need munge have munged
    need openmpi-bin have mpirun
    need nodejs have node
fi
if [ "$level" = package ]; then
    need dpkg-dev have dpkg-shlibdeps
    need lintian have lintian
    need debootstrap have debootstrap
fi
if [ "$level" = windows ]; then
    need gcc-mingw-w64-x86-64-posix have x86_64-w64-mingw32-gcc-posix
    need wine64 wine
    need nodejs have node
fi
need libembree-dev header embree3/rtcore.h
need libpng-dev header png.h
need libjpeg62-turbo-dev header jpeglib.h
need libassimp-dev header assimp/cimport.h
need libcivetweb-dev header civetweb.h
need libmeshoptimizer-dev header meshoptimizer.h
# The compiler's own libraries carry its number in their names.
version=$(clang -dumpversion 2>/dev/null | cut -d. -f1) || version=
version=${version:-14}
makes_page() { [ "$level" = studio ] || [ "$level" = test ]; }
if makes_page; then
    need clang have clang
    need lld have wasm-ld
    need wasi-libc wasi
    need "libclang-rt-$version-dev-wasm32" compiles clang --target=wasm32-wasi
    need llvm have llvm-ar
    need nodejs have node
    need npm have npm
fi
if [ "$level" = test ]; then
    need "libclang-rt-$version-dev" compiles clang -fsanitize=address
    need libcmocka-dev cmocka
    need pkg-config have pkg-config
    need ffmpeg have ffmpeg
    need python3-numpy python_has numpy
    need python3-pytest python_has pytest
    need chromium have chromium
    need assimp-testmodels test -d /usr/share/assimp/models
fi

if [ -n "$missing" ]; then
    install="apt-get install -y --no-install-recommends$missing"
    echo "missing:$missing"
    if ! command -v apt-get >/dev/null; then
        echo "This is not a Debian system: install what these packages hold with its own tools, then run again." >&2
        exit 1
    elif [ "$(id -u)" = 0 ]; then
        as_root=
    elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
        as_root="sudo"
    else
        echo "I may not install them. Run this, then try again:" >&2
        echo "    sudo $install" >&2
        exit 1
    fi
    # shellcheck disable=SC2086 # package names are words
    {
        $as_root env DEBIAN_FRONTEND=noninteractive apt-get update -q
        $as_root env DEBIAN_FRONTEND=noninteractive $install
    } || {
        echo "Installing failed. Run this by hand, then try again:" >&2
        echo "    sudo apt-get update && sudo $install" >&2
        exit 1
    }
fi

if [ "$level" = test ] && { [ ! -f tests/node_modules/gltf-validator/package.json ] || [ ! -f tests/node_modules/three/package.json ] ||
    [ ! -f tests/node_modules/@gltf-transform/extensions/package.json ]; }; then
    echo "installing the glTF validator, three.js and gltf-transform (npm) into tests/node_modules"
    (cd tests && npm install --no-audit --no-fund) || {
        echo "npm could not fetch the glTF validator, three.js and gltf-transform. With a network, run: cd tests && npm install" >&2
        exit 1
    }
fi
if makes_page && { [ ! -f bindings/js/node_modules/esbuild/package.json ] || [ ! -f bindings/js/node_modules/typescript/package.json ]; }; then
    echo "installing what builds the package for pages (npm) into bindings/js/node_modules"
    (cd bindings/js && npm ci --ignore-scripts --no-audit --no-fund) || {
        echo "npm could not fetch esbuild and TypeScript. With a network, run: cd bindings/js && npm ci" >&2
        exit 1
    }
fi
if makes_page && { [ ! -f studio/node_modules/three/package.json ] || [ ! -f studio/node_modules/playwright-core/package.json ]; }; then
    echo "installing what the studio is made of (npm) into studio/node_modules"
    (cd studio && npm ci --ignore-scripts --no-audit --no-fund) || {
        echo "npm could not fetch what the studio is made of. With a network, run: cd studio && npm ci" >&2
        exit 1
    }
fi
