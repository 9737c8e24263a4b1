#!/bin/sh
# Fetches the distribution's cloud kernel without installing it: guest/fetch-kernel.sh OUT
#
# Publishes OUT/kernel/ with vmlinuz, vmlinux (unpacked; boots faster under emulation, absent if the kernel is not
# packed by LZ4), modules/ (the tree of /lib/modules) and kernel.properties. Needs apt-get, dpkg and a C compiler, and
# no rights. A version that is already there is left alone; a half-made one is never seen. Exit code 3: apt could not get
# the package, fresh lists may help.
set -eu

[ $# -eq 1 ] || { echo "usage: $0 OUT" >&2; exit 64; }
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)

newest=$("$here/newest-kernel.sh" debian)
package=$(echo "$newest" | sed -n 's/^package=//p')
version=$(echo "$newest" | sed -n 's/^version=//p')

if grep -qsxF kind=debian "$out/kernel/kernel.properties" &&
    grep -qxF "package=$package" "$out/kernel/kernel.properties" &&
    grep -qxF "version=$version" "$out/kernel/kernel.properties"; then
    exit 0
fi

work=$(mktemp -d "$out/.kernel-XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT HUP TERM
# As root apt downloads as its own user, which has to reach the directory.
chmod 755 "$work"
(cd "$work" && apt-get download -qq -o APT::Sandbox::User="$(id -un)" "$package=$version") || exit 3
dpkg-deb -x "$work"/*.deb "$work/x"

new=$work/kernel
mkdir "$new"
release=${package#linux-image-}
cp "$work/x/boot/vmlinuz-$release" "$new/vmlinuz"
[ -d "$work/x/usr/lib/modules" ] && tree=$work/x/usr/lib/modules || tree=$work/x/lib/modules
mv "$tree/$release" "$new/modules"

${CC:-gcc} -std=gnu11 -O2 -Wall -Wextra -Werror -o "$work/unpack" "$here/tools/vmlinux.c"
code=0
"$work/unpack" "$new/vmlinuz" > "$new/vmlinux" || code=$?
if [ "$code" -eq 2 ]; then
    rm "$new/vmlinux"
elif [ "$code" -ne 0 ]; then
    exit "$code"
fi
printf '%s\n' kind=debian "$newest" "release=$release" > "$new/kernel.properties"

# Two renames: between them, and only then, no kernel is there.
rm -rf "$out/.kernel-old"
[ ! -e "$out/kernel" ] || mv "$out/kernel" "$out/.kernel-old"
mv "$new" "$out/kernel"
rm -rf "$out/.kernel-old"
