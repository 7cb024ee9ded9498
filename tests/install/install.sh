#!/bin/sh
# Installs a build tree into itself and builds a stranger's program against it four ways: install.sh BUILD COMPILER [FLAGS].
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$1
compiler=$2
flags=${3:-}
prefix=$build/install-test/prefix
work=$build/install-test/work
rm -rf "$build/install-test"
mkdir -p "$work"
cmake --install "$build" --prefix "$prefix" >"$work/install.log"
libraries=$(dirname "$(find "$prefix" -name libsupple.a)")
export PKG_CONFIG_PATH="$libraries/pkgconfig"

# The prefix of the .pc file must be where it stands, not where CMake first thought of.
[ "$(cd "$(pkg-config --variable=libdir supple)" && pwd)" = "$(cd "$libraries" && pwd)" ]

cd "$work"
# shellcheck disable=SC2046,SC2086 # flags are words
$compiler $flags "$here/consumer/consumer.c" -o pc_shared $(pkg-config --cflags --libs supple) "-Wl,-rpath,$libraries"
static=$(pkg-config --static --libs supple | sed 's/-lsupple_io -lsupple/-Wl,-Bstatic & -Wl,-Bdynamic/')
# shellcheck disable=SC2046,SC2086
$compiler $flags "$here/consumer/consumer.c" -o pc_static $(pkg-config --cflags supple) $static
cmake -G Ninja -S "$here/consumer" -B found -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$compiler" -DCMAKE_C_FLAGS="$flags" \
    >configure.log
cmake --build found >build.log || { cat build.log; exit 1; }

# The flat library stands alone, and its header is one for C++ too.
# shellcheck disable=SC2086
for language in c c++; do
    $compiler $flags -x $language -I"$prefix/include" "$here/consumer/flat.c" -x none -L"$libraries" -lsupple_flat -o flat_$language "-Wl,-rpath,$libraries"
done
[ "$(./flat_c)" = "$(./flat_c++)" ] || { echo "the flat library says otherwise from C++" >&2; exit 1; }
[ "$(ldd flat_c | grep -c libsupple)" = 1 ] || { echo "the flat library needs others of ours" >&2; exit 1; }

first=$(./pc_shared)
for program in ./pc_static found/consumer_shared found/consumer_static; do
    [ "$($program)" = "$first" ] || { echo "$program says otherwise: $($program), not $first" >&2; exit 1; }
done
ldd pc_shared | grep -q libsupple || { echo "the shared program is not shared" >&2; exit 1; }
if ldd pc_static | grep -q libsupple; then
    echo "the static program is not static" >&2
    exit 1
fi
"$prefix/bin/supple" --version
# One page for the program and one for each verb, and completion for three shells.
for verb in $("$prefix/bin/supple" --help | sed -n '/^verbs:/,/^$/s/^  \([a-z]*\) .*/-\1/p') ""; do
    [ -s "$prefix/share/man/man1/supple$verb.1" ] || { echo "supple$verb.1 was not installed" >&2; exit 1; }
done
for script in bash-completion/completions/supple zsh/site-functions/_supple fish/vendor_completions.d/supple.fish; do
    [ -s "$prefix/share/$script" ] || { echo "$script was not installed" >&2; exit 1; }
done
echo "four programs agree: $first"
