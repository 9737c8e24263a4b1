#!/bin/sh
# Builds the small kernel from the distribution's kernel source: guest/build-kernel.sh OUT
#
# Publishes OUT/kernel/ with vmlinux, config, kernel.properties and mended, the CVE ids of holes that this version of the package
# mends; everything is built in, there are no modules. Takes
# minutes and 2.5 GB of disk while it works. Needs apt-get, dpkg and no rights; gcc, make, bc, bison, flex, patch,
# xz-utils and libelf-dev. The same source, compiler and files in guest/kernel/ give the same bytes. Exit code 3: apt could
# not get the source, fresh lists may help.
set -eu
umask 022

[ $# -eq 1 ] || { echo "usage: $0 OUT" >&2; exit 64; }
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)

newest=$("$here/newest-kernel.sh" small)
package=$(echo "$newest" | sed -n 's/^package=//p')
version=$(echo "$newest" | sed -n 's/^version=//p')

work=$(mktemp -d "$out/.kernel-XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT HUP TERM
# As root apt downloads as its own user, which has to reach the directory.
chmod 755 "$work"
(cd "$work" && apt-get download -qq -o APT::Sandbox::User="$(id -un)" "$package=$version") || exit 3
dpkg-deb --fsys-tarfile "$work"/*.deb | tar -xO "./usr/src/$package.tar.xz" | tar -xJ -C "$work"
dpkg-deb --fsys-tarfile "$work"/*.deb | tar -xO "./usr/share/doc/$package/changelog.Debian.gz" > "$work/changelog"
rm "$work"/*.deb
source=$work/$package
patch -s -d "$source" -p1 < "$here/kernel/clocks.patch"

# What the caller's environment could change is kept out; so are the time, the user and the host of the build.
date=$(LC_ALL=C date -u -r "$source/Makefile")
kbuild() {
    env -i PATH="$PATH" LC_ALL=C KBUILD_BUILD_TIMESTAMP="$date" KBUILD_BUILD_USER=cloche KBUILD_BUILD_HOST=cloche \
        KBUILD_BUILD_VERSION=1 nice make -s -C "$source" "$@"
}

kbuild KCONFIG_ALLCONFIG="$here/kernel/small.config" allnoconfig
kbuild olddefconfig
if grep '^CONFIG_' "$here/kernel/small.config" | grep -vxFf "$source/.config" > "$work/lost"; then
    echo "$0: $package $version does not take these options of small.config:" >&2
    cat "$work/lost" >&2
    exit 1
fi

kbuild -j"$(nproc)" vmlinux

new=$work/kernel
mkdir "$new"
strip -s -o "$new/vmlinux" "$source/vmlinux"
chmod 644 "$new/vmlinux"
cp "$source/.config" "$new/config"
"$here/../lib/mended.sh" "$version" "$work/changelog" > "$new/mended"
# QEMU's local APIC timer counts nanoseconds. Without noreplace-smp the kernel rewrites itself for one processor, which
# under emulation costs more time than it saves.
printf '%s\n' kind=small "$newest" "release=$(cat "$source/include/config/kernel.release")" modules=no acpi=off \
    'parameters=lapic_timer_khz=1000000 noreplace-smp' > "$new/kernel.properties"

# Two renames: between them, and only then, no kernel is there.
rm -rf "$out/.kernel-old"
[ ! -e "$out/kernel" ] || mv "$out/kernel" "$out/.kernel-old"
mv "$new" "$out/kernel"
rm -rf "$out/.kernel-old"
