#!/usr/bin/env bash
# Collects what the licences of the files of VMs want to be passed on with them: lib/licences.sh SHARE TARGET
# SHARE has kernel/kernel.properties, images/base, emulator/ where QEMU is our own, and programs/ where these are there. TARGET gets the licences, the exact versions of what has another
# author, and the patches and scripts that it is built with.
set -euo pipefail
share=$1
out=$2
cd "$(dirname "$(readlink -f "$0")")/.."
rm -rf "$out"
mkdir -p "$out/build"
cp LICENSE NOTICE "$out/"
cp /usr/share/common-licenses/{GPL-2,GPL-3,LGPL-2.1,LGPL-3} "$out/"
cp guest/build-kernel.sh guest/newest-kernel.sh guest/kernel/* lib/base-image.sh lib/newest-busybox.sh lib/mended.sh "$out/build/"

property() { # NAME → its value in the kernel's properties
    sed -n "s/^$1=//p" "$share/kernel/kernel.properties"
}
emulator() { # NAME → its value in the emulator's properties
    sed -n "s/^$1=//p" "$share/emulator/emulator.properties"
}
program() { # NAME → its value in the programs' properties
    sed -n "s/^$1=//p" "$share/programs/programs.properties"
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
if [ -e "$share/emulator/emulator.properties" ]; then
    cp -R "$share/emulator/licences" "$out/emulator"
    mkdir "$out/build/emulator"
    cp emulator/* lib/debian-packages.sh "$out/build/emulator/"
    cat >>"$out/README" <<END
emulator/bin   QEMU, Debian's source package qemu $(emulator version), GPL-2.0-only and others (GPL-2, emulator/),
               unchanged; configured by build/emulator/devices.mak, built by build/emulator/build.sh; linked with Debian's
               libc6-dev $(emulator libc6-dev), libglib2.0-dev $(emulator libglib2.0-dev), libseccomp-dev $(emulator libseccomp-dev) (LGPL-2.1),
               libpcre2-dev $(emulator libpcre2-dev), zlib1g-dev $(emulator zlib1g-dev), libfdt-dev $(emulator libfdt-dev)
emulator/share bios-microvm.bin is SeaBIOS, Debian's package seabios $(emulator seabios), LGPL-3.0-only (emulator/seabios.copyright);
               the others are of Debian's package qemu-system-data, made of the same source as QEMU
END
fi
if [ -e "$share/programs/programs.properties" ]; then
    cp -R "$share/programs/licences" "$out/programs"
    mkdir "$out/build/programs"
    cp programs/* lib/debian-packages.sh "$out/build/programs/"
    cat >>"$out/README" <<END
programs/bin   passt, Debian's source package passt $(program passt), GPL-2.0-or-later (GPL-2) with parts under BSD-3-Clause
               (programs/passt.copyright); mkfs.ext4, Debian's source package e2fsprogs $(program e2fsprogs), GPL-2.0-only (GPL-2),
               with libraries under LGPL-2.0 and others (programs/e2fsprogs.copyright), configured by build/programs/mke2fs.conf;
               both with Debian's patches, built by build/programs/build.sh, linked with Debian's libc6-dev $(program libc6-dev)
END
fi
