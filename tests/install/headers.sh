#!/bin/sh
# Every public header compiles alone, in C11, C17 and C++17, and by the rules of Microsoft's compiler where clang is there to know
# them: headers.sh INCLUDE COMPILER.
set -eu
include=$1
compiler=$2
cxx=
for candidate in clang g++ c++; do
    if echo 'int main(){}' | "$candidate" -x c++ -fsyntax-only - 2>/dev/null; then
        cxx=$candidate
        break
    fi
done
warnings="-Wall -Wextra -pedantic -Werror -fsyntax-only"
# Freestanding: the few standard headers that ours need are clang's own, and no kit of Microsoft's is.
microsoft="--target=x86_64-pc-windows-msvc -fms-extensions -ffreestanding"
have_clang=
if command -v clang >/dev/null; then have_clang=yes; fi
for header in "$include"/supple/*.h "$include"/../bindings/flat/flat.h; do
    [ -f "$header" ] || continue
    line="#include \"$header\""
    for standard in c11 c17; do
        # shellcheck disable=SC2086 # flags are words
        echo "$line" | "$compiler" -x c -std=$standard $warnings -I"$include" -
    done
    # shellcheck disable=SC2086
    [ -z "$cxx" ] || echo "$line" | "$cxx" -x c++ -std=c++17 $warnings -I"$include" -
    # shellcheck disable=SC2086
    [ -z "$have_clang" ] || echo "$line" | clang $microsoft -x c -std=c17 $warnings -I"$include" -
    # shellcheck disable=SC2086
    [ -z "$have_clang" ] || echo "$line" | clang $microsoft -x c++ -std=c++17 $warnings -I"$include" -
    echo "$line"
done
# What may change says so, to who asks for it alone.
use="#include \"$include/supple/supple.h\"
uint32_t f(const sup_instance* i) { return sup_instance_relief(i, 0, 0, 0); }
size_t   g(const sup_chain* c) { return sup_chain_scratch_size(c); }"
# shellcheck disable=SC2086
echo "$use" | "$compiler" -x c -std=c17 $warnings -I"$include" -
# shellcheck disable=SC2086
said=$(echo "$use" | "$compiler" -x c -std=c17 $warnings -DSUP_WARN_EXPERIMENTAL -I"$include" - 2>&1) &&
    { echo "SUP_WARN_EXPERIMENTAL does not warn of sup_instance_relief" >&2; exit 1; }
case $said in
*sup_chain_scratch_size*is\ deprecated*) echo "a stable function is marked as experimental" >&2; exit 1 ;;
*sup_instance_relief*) ;;
*) echo "$said" >&2; exit 1 ;;
esac
[ -n "$have_clang" ] || echo "no clang here: not checked by the rules of Microsoft's compiler"
[ -n "$cxx" ] || echo "no C++ compiler here: checked in C only"
