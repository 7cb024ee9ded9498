#!/bin/sh
# Debian packages of this checkout: supple (program, manual, completion), libsupple0 (shared libraries), libsupple-dev (headers,
# static libraries, pkg-config and CMake files). scripts/package.sh JOBS [FOLDER]: built in build-package, left in FOLDER
# (build-package), checked with lintian. scripts/package-check.sh installs them in a clean root.
set -eu
cd "$(dirname "$0")/.."
jobs=${1:-2}
build=$PWD/build-package
out=${2:-$build}
version=$(sed -n 's/^project(supple VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
architecture=$(dpkg --print-architecture)
triplet=$(dpkg-architecture -qDEB_HOST_MULTIARCH)
maintainer="Supple maintainers <maintainers@supple.invalid>"
export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}"

# The same objects as of `make`; the linker makes what it relocates read-only.
cmake -G Ninja -S . -B "$build" -DCMAKE_BUILD_TYPE=Release -DSUPPLE_TESTS=OFF -DCMAKE_INSTALL_PREFIX=/usr \
    -DCMAKE_INSTALL_LIBDIR="lib/$triplet" -DCMAKE_SKIP_INSTALL_RPATH=ON -DSUPPLE_ZSH_COMPLETIONS=share/zsh/vendor-completions \
    -DCMAKE_EXE_LINKER_FLAGS="-Wl,-z,relro,-z,now" -DCMAKE_SHARED_LINKER_FLAGS="-Wl,-z,relro,-z,now" >"$build.log" 2>&1 ||
    { cat "$build.log" >&2; exit 1; }
mv "$build.log" "$build/configure.log"
cmake --build "$build" -j "$jobs"
# The studio's page goes with the program.
scripts/build.sh wasm "$jobs" >>"$build/configure.log" 2>&1
scripts/studio.sh build-package/studio
stage=$build/stage
rm -rf "$stage"
mkdir -p "$stage"
DESTDIR=$stage/all cmake --install "$build" >"$build/install.log"

# ------------------------------------------------------------------------------------------------ who gets what

take() { # PACKAGE PATH...: from the whole installation into the package's root
    package=$1
    shift
    for path in "$@"; do
        mkdir -p "$stage/$package/$(dirname "$path")"
        mv "$stage/all/$path" "$stage/$package/$path"
    done
}
cd "$stage/all"
# shellcheck disable=SC2046 # names without blanks
take libsupple0 $(find usr/lib -name 'lib*.so.*')
take libsupple-dev usr/include "usr/lib/$triplet"
take supple usr/bin usr/share
left=$(find . ! -type d)
[ -z "$left" ] || { echo "in no package: $left" >&2; exit 1; }
cd "$stage"
strip --strip-unneeded --remove-section=.comment --remove-section=.note supple/usr/bin/supple
find libsupple0 -type f -name 'lib*.so.*' -exec strip --strip-unneeded --remove-section=.comment --remove-section=.note {} +
find libsupple-dev -name '*.a' -exec strip --strip-debug --enable-deterministic-archives {} +
find supple/usr/share/man -name '*.1' -exec gzip -9n {} +

# ------------------------------------------------------------------------------------------------ papers

document() { # PACKAGE: copyright and changelog
    folder=$1/usr/share/doc/$1
    mkdir -p "$folder"
    {
        echo "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/"
        echo "Upstream-Name: supple"
        echo
        echo "Files: *"
        grep -m1 '^Copyright' ../../LICENSE | sed 's/^Copyright *(c) */Copyright: /'
        echo "License: Expat"
        sed -n '/^Permission/,$p' ../../LICENSE | sed 's/^$/./; s/^/ /'
    } >"$folder/copyright"
    printf 'supple (%s) unstable; urgency=medium\n\n  * Release %s; docs/changes.md tells what is new.\n\n -- %s  %s\n' "$version" "$version" \
        "$maintainer" "$(date -R -u -d "@$SOURCE_DATE_EPOCH")" | gzip -9n >"$folder/changelog.gz"
}

# What the files need of other packages. Our own libraries are in libsupple0.
depends() { # PACKAGE
    printf 'Source: supple\n\nPackage: %s\nArchitecture: any\n' "$1" >debian/control
    # shellcheck disable=SC2046
    dpkg-shlibdeps -O -Ldebian/shlibs.local -l"$stage/libsupple0/usr/lib/$triplet" $(find "$1" -type f \( -name 'lib*.so.*' -o -path '*/bin/*' \)) 2>debian/notes |
        sed 's/^shlibs:Depends=//; s/\(, \)\?libsupple0[^,]*//; s/^, //'
}

control() { # PACKAGE SECTION DEPENDS MORE SUMMARY; the description on standard input
    mkdir -p "$1/DEBIAN"
    size=$(du -sk --exclude=DEBIAN "$1" | cut -f1)
    {
        printf 'Package: %s\nSource: supple\nVersion: %s\nArchitecture: %s\nMaintainer: %s\nInstalled-Size: %s\n' "$1" "$version" "$architecture" \
            "$maintainer" "$size"
        [ -z "$3" ] || printf 'Depends: %s\n' "$3"
        [ -z "$4" ] || printf '%s\n' "$4"
        printf 'Section: %s\nPriority: optional\nDescription: %s\n' "$2" "$5"
        sed 's/^/ /'
    } >"$1/DEBIAN/control"
    (cd "$1" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum) >"$1/DEBIAN/md5sums"
}

mkdir -p debian
for library in supple supple_io supple_io_extra supple_flat; do echo "lib$library 0 libsupple0 (= $version)"; done >debian/shlibs.local
for package in supple libsupple0 libsupple-dev; do document $package; done

# One package for libraries that are released as one: they are found by their own names all the same.
mkdir -p libsupple0/usr/share/lintian/overrides libsupple0/DEBIAN
echo 'libsupple0: package-name-doesnt-match-sonames *' >libsupple0/usr/share/lintian/overrides/libsupple0
for library in libsupple0/usr/lib/"$triplet"/lib*.so.0; do
    name=$(basename "$library" .so.0)
    echo "$name 0 libsupple0 (>= $version)"
done >libsupple0/DEBIAN/shlibs
echo 'activate-noawait ldconfig' >libsupple0/DEBIAN/triggers

control supple graphics "$(depends supple)" "Recommends: ffmpeg, xdg-utils" "deforms the skin of rigged characters" <<END
Supple reads a character and its motion (glTF, FBX, COLLADA, OBJ, BVH, ...),
runs a chain of deformers over it, and writes, draws or measures the skin.
.
This is the command line, with its manual and completion for three shells.
END
control libsupple0 libs "$(depends libsupple0)" "Multi-Arch: same" "deformers of skin, shared libraries" <<END
Supple turns a posed character into living skin: skinning, smoothing, flesh
with volume and contact, curves and sculpts between poses.
.
These are the libraries that programs load.
END
control libsupple-dev libdevel "libsupple0 (= $version), libc6-dev" "Multi-Arch: same" "deformers of skin, for building programs" <<END
Supple turns a posed character into living skin: skinning, smoothing, flesh
with volume and contact, curves and sculpts between poses.
.
These are headers, static libraries, and what pkg-config and CMake read.
END

# ------------------------------------------------------------------------------------------------ packages

find . -type d -exec chmod 755 {} +
find . -type f ! -path '*/bin/*' -exec chmod 644 {} +
mkdir -p "$out"
made=
for package in supple libsupple0 libsupple-dev; do
    file=$out/${package}_${version}_$architecture.deb
    find $package -newermt "@$SOURCE_DATE_EPOCH" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
    dpkg-deb --root-owner-group -Zxz --build $package "$file" >/dev/null
    made="$made $file"
done
# shellcheck disable=SC2086 # paths of ours
lintian --allow-root --fail-on error,warning --tag-display-limit 0 $made
# shellcheck disable=SC2086
ls -l $made
