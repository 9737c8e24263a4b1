#!/usr/bin/env bash
# Collects what the licences of the files of VMs want to be passed on with them: lib/licences.sh SHARE TARGET
# SHARE has kernel/kernel.properties and images/base. TARGET gets the licences, the exact versions of what has another
# author, and the patches and scripts that it is built with.
set -euo pipefail
share=$1
out=$2
cd "$(dirname "$(readlink -f "$0")")/.."
rm -rf "$out"
mkdir -p "$out/build"
cp LICENSE NOTICE "$out/"
cp /usr/share/common-licenses/{GPL-2,LGPL-2.1} "$out/"
cp guest/build-kernel.sh guest/newest-kernel.sh guest/kernel/* lib/base-image.sh lib/newest-busybox.sh "$out/build/"

property() { # NAME → its value in the kernel's properties
    sed -n "s/^$1=//p" "$share/kernel/kernel.properties"
}
# The one layer of the image is a gzipped tar with the program.
layer=$(find "$share/images/base/blobs" -type f -size +100k)
busybox=$(tar -xzOf "$layer" ./bin/busybox | grep -ao 'BusyBox v[0-9.]* ([^)]*)' | sort -u)
cat >"$out/README" <<END
Cloche is licensed under the Apache License 2.0 (LICENSE, NOTICE). The files that VMs are made with include programs of
others, each of whose sources Debian has at https://snapshot.debian.org under the version named here:

kernel         Linux, Debian's package $(property package) $(property version), GPL-2.0-only (GPL-2),
               changed by build/clocks.patch, configured by build/small.config, built by build/build-kernel.sh
images/base    $busybox, Debian's package busybox-static, GPL-2.0-only (GPL-2),
               unchanged; build/base-image.sh makes the image
cloche-guard, cloche-tsc, initramfs
               our own programs, linked with Debian's libc6-dev $(dpkg-query -W -f '${Version}' libc6-dev), LGPL-2.1-or-later (LGPL-2.1)
END
