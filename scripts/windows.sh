#!/bin/sh
# The libraries and the program for Windows, in build-windows, and their tests under wine: scripts/windows.sh JOBS.
# wine gets a folder of its own there and no screen; what the native program says is compared with.
set -eu
cd "$(dirname "$0")/.."
jobs=${1:-2}
build=$PWD/build-windows
scripts/build.sh release "$jobs" supple_program supple_flat
scripts/build.sh windows "$jobs"
x86_64-w64-mingw32-gcc-posix -O1 -Wall -Werror tests/windows/hold.c -o "$build/hold.exe" -lshell32

# A stranger's program against the DLL for other languages, and the same one here.
mkdir -p "$build/include/supple"
cp bindings/flat/flat.h "$build/include/supple/"
x86_64-w64-mingw32-gcc-posix -D__USE_MINGW_ANSI_STDIO=1 -I"$build/include" tests/install/consumer/flat.c -o "$build/flat.exe" -L"$build" -lsupple_flat
cc -I"$build/include" tests/install/consumer/flat.c -o "$build/flat_native" -Lbuild -lsupple_flat "-Wl,-rpath,$PWD/build"

wine=$(command -v wine64 || echo /usr/lib/wine/wine64)
for program in supple hold flat; do
    cat >"$build/$program" <<END
#!/bin/sh
unset DISPLAY WAYLAND_DISPLAY
export WINEPREFIX="$build/wine" WINEDEBUG=-all WINEDLLOVERRIDES="mscoree,mshtml,winemenubuilder.exe=" LC_ALL=C.UTF-8
exec "$wine" "$build/$program.exe" "\$@"
END
    chmod +x "$build/$program"
done
"$build/supple" --version # the first start makes wine's folder, which takes half a minute

failed=
node tests/windows/windows.mjs build/supple "$build" || failed="$failed windows"
# The command line from outside, as far as it is the same everywhere.
for name in usage inspect save; do
    SUPPLE_PROGRAM=$build/supple SUPPLE_BUILD=$build node tests/cli/$name.mjs >"$build/$name.log" 2>&1 || { grep -A 6 FAILED "$build/$name.log" || tail -n 5 "$build/$name.log"; failed="$failed $name"; }
    tail -n 1 "$build/$name.log"
done
# The examples check themselves.
for example in "$build"/example_*.exe; do
    env -u DISPLAY WINEPREFIX="$build/wine" WINEDEBUG=-all "$wine" "$example" >"$build/example.log" 2>&1 || { tail -n 3 "$build/example.log"; failed="$failed $(basename "$example")"; }
done
[ -z "$failed" ] || { echo "failed under wine:$failed" >&2; exit 1; }
echo "Windows: supple.exe, $(find "$build" -maxdepth 1 -name '*.dll' | wc -l) libraries; all tests hold under wine"
