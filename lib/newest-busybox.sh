#!/usr/bin/env bash
# Fetches the static busybox of Debian's stable release: lib/newest-busybox.sh DIRECTORY
# Puts it into the empty DIRECTORY as `busybox`, with the CVE ids of holes that its version mends as `mended`, and prints the
# version of its package. That of Debian 12 crashes in `wget -T`.
# Fails where apt knows no mirror of Debian or does not reach it.
set -euo pipefail
umask 022
here=$(dirname "$(readlink -f "$0")")
. "$here/debian-packages.sh"

target=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
apt_of_suite "$work" stable
(cd "$work/none" && "${apt[@]}" download busybox-static >&2)
dpkg-deb -x "$work"/none/*.deb "$work/package"
install -m 755 "$(find "$work/package" -type f -path '*bin/busybox')" "$target/busybox"
version=$(dpkg-deb -f "$work"/none/*.deb Version)
"$here/mended.sh" "$version" "$work/package/usr/share/doc/busybox-static/changelog.Debian.gz" >"$target/mended"
echo "$version"
