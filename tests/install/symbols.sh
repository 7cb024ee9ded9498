#!/bin/sh
# The shared libraries show what the public headers declare, and beside it only what our own libraries take from each other
# (private below): symbols.sh BUILD. After a change on purpose: symbols.sh BUILD --update, and read the diff.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$1
list=$here/symbols.txt
headers=$here/../../include/supple
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
command -v nm >/dev/null || { echo "nm is missing: skipped"; exit 77; }

# Declarations may run over lines; what comes before the opening parenthesis is the name.
cat "$headers"/*.h "$here/../../bindings/flat/flat.h" | tr '\n' ' ' | grep -oE '(SUP_API|FLAT_API)[^;{]*' | grep -oE '\b(sup|flat)_[a-z0-9_]*\(' | tr -d '(' |
    LC_ALL=C sort -u >"$work/declared"
for name in supple supple_io supple_io_extra supple_flat; do
    nm -D --defined-only "$build/lib$name.so" | awk -v library="$name" '$2 ~ /[TDBR]/ { print library, $3 }'
done | LC_ALL=C sort -u >"$work/shown"
awk 'NR == FNR { declared[$1] = 1; next } { print (($2 in declared) ? "public" : "private"), $1, $2 }' "$work/declared" "$work/shown" |
    LC_ALL=C sort >"$work/now"
awk '{ print $3 }' "$work/now" | LC_ALL=C sort -u >"$work/names"
missing=$(LC_ALL=C comm -23 "$work/declared" "$work/names")
[ -z "$missing" ] || { echo "declared in a public header and in no library: $missing" >&2; exit 1; }
if [ "${2:-}" = --update ]; then
    cp "$work/now" "$list"
    exit
fi
diff -u "$list" "$work/now" || { echo "the symbols of the libraries have changed: on purpose? then tests/install/symbols.sh $build --update" >&2; exit 1; }
awk '{ count[$1]++ } END { print count["public"], "public symbols,", count["private"] + 0, "between our own libraries" }' "$work/now"
