#!/bin/sh
# Installs the packages of scripts/package.sh in a clean root and tries them there: scripts/package-check.sh [FOLDER].
# As root, with debootstrap and a mirror, the root is a Debian of its own (build-package/root, kept for the next time), and apt
# finds what the packages depend on. Otherwise they are taken apart into a folder and the loader is pointed at it: that is said.
set -eu
cd "$(dirname "$0")/.."
packages=${1:-build-package}
root=$PWD/build-package/root
suite=$(. /etc/os-release && echo "${VERSION_CODENAME:-stable}")
mirror=$(sed -n 's/^URIs: *//p; s/^deb \(\[[^]]*\] \)\?\([^ ]*\) .*/\2/p' /etc/apt/sources.list /etc/apt/sources.list.d/*.sources 2>/dev/null | head -n 1)

fresh_root() {
    [ "$(id -u)" = 0 ] && command -v debootstrap >/dev/null || return 1
    [ -f "$root.tar" ] || {
        rm -rf "$root"
        debootstrap --variant=minbase --include=ca-certificates "$suite" "$root" "${mirror:-http://deb.debian.org/debian}" >"$root.log" 2>&1 || return 1
        tar -C "$root" -cf "$root.tar" . || return 1
    }
    rm -rf "$root"
    mkdir -p "$root" && tar -C "$root" -xf "$root.tar" || return 1
    # How this machine reaches the mirror holds there as well.
    cp /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null || true
    cp -r /etc/apt/apt.conf.d/. "$root/etc/apt/apt.conf.d/"
    if [ -d /etc/apt/keyrings ]; then cp -r /etc/apt/keyrings "$root/etc/apt/"; fi
    if [ -d /usr/local/share/ca-certificates ]; then cp -r /etc/ssl/certs/. "$root/etc/ssl/certs/"; fi
    rm -f "$root"/etc/apt/apt.conf.d/docker-clean
}
inside() { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive "$@"; }

if fresh_root; then
    mkdir -p "$root/packages"
    cp "$packages"/*.deb "$root/packages/"
    inside apt-get update -q >"$root.log" 2>&1 || { cat "$root.log" >&2; exit 1; }
    inside sh -c 'apt-get install -y --no-install-recommends /packages/*.deb gcc pkg-config' >>"$root.log" 2>&1 || { tail -n 30 "$root.log" >&2; exit 1; }
    echo "installed by apt in a clean root of Debian $suite"
    in_root() { inside "$@"; }
else
    echo "no Debian root can be made here (that needs root, debootstrap and a mirror): the packages are taken apart into a folder instead"
    rm -rf "$root"
    mkdir -p "$root/tmp"
    for package in "$packages"/*.deb; do dpkg-deb -x "$package" "$root"; done
    libraries=$(dirname "$(find "$root" -name 'libsupple.so.0')")
    in_root() { env LD_LIBRARY_PATH="$libraries" PATH="$root/usr/bin:$PATH" PKG_CONFIG_SYSROOT_DIR="$root" PKG_CONFIG_PATH="$libraries/pkgconfig" "$@"; }
fi

# The program, with all that it links to; every page; completion.
in_root supple --version
in_root sh -c 'cd /tmp && supple bake builtin:arm arm.glb --clip flex --deform dualquat --quiet && supple inspect arm.glb >/dev/null && rm arm.glb'
verbs=$(in_root supple --help | sed -n '/^verbs:/,/^$/s/^  \([a-z]*\) .*/\1/p')
for verb in $verbs; do
    [ -s "$root/usr/share/man/man1/supple-$verb.1.gz" ] || { echo "no page supple-$verb(1)" >&2; exit 1; }
done
in_root bash -c '. '"$([ -x "$root/bin/bash" ] || echo "$root")"'/usr/share/bash-completion/completions/supple
    COMP_LINE="supple ba" COMP_POINT=9 COMP_WORDS=(supple ba) COMP_CWORD=1; _supple; [ "${COMPREPLY[*]}" = bake ]'
# A stranger's program against the headers and the shared libraries, by pkg-config.
cp tests/install/consumer/consumer.c tests/install/consumer/flat.c "$root/tmp/"
if [ -x "$root/usr/bin/gcc" ]; then
    in_root sh -c 'cd /tmp && gcc consumer.c -o consumer $(pkg-config --cflags --libs supple) && ./consumer && ldd consumer | grep -q libsupple_io.so.0'
    in_root sh -c 'cd /tmp && gcc flat.c -o flat -lsupple_flat && ./flat'
else
    in_root sh -c 'cd "$0" && gcc consumer.c -o consumer $(pkg-config --cflags --libs supple) && ./consumer && ldd consumer | grep -q libsupple_io.so.0' "$root/tmp"
fi
if [ -f "$root/var/lib/dpkg/status" ]; then
    inside sh -c 'dpkg --verify supple libsupple0 libsupple-dev && apt-get purge -y supple libsupple0 libsupple-dev' >>"$root.log" 2>&1
    left=$(find "$root/usr" -name '*supple*' ! -name 'consumer*')
    [ -z "$left" ] || { echo "left behind after removal: $left" >&2; exit 1; }
fi
echo "the packages hold"
