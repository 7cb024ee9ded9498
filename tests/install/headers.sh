#!/bin/sh
# Every public header compiles alone, in C and in C++: headers.sh INCLUDE COMPILER.
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
for header in "$include"/supple/*.h; do
    line="#include <supple/$(basename "$header")>"
    # shellcheck disable=SC2086 # flags are words
    echo "$line" | "$compiler" -x c -std=c17 $warnings -I"$include" -
    # shellcheck disable=SC2086
    [ -z "$cxx" ] || echo "$line" | "$cxx" -x c++ -std=c++17 $warnings -I"$include" -
    echo "$line"
done
[ -n "$cxx" ] || echo "no C++ compiler here: checked in C only"
