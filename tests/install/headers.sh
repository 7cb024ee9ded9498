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
[ -n "$have_clang" ] || echo "no clang here: not checked by the rules of Microsoft's compiler"
[ -n "$cxx" ] || echo "no C++ compiler here: checked in C only"
