#!/usr/bin/env bash
# Prints what the files of a runtime are made of, as CycloneDX 1.6: lib/runtime-sbom.sh SHARE FILES VERSION
# FILES has kernel/kernel.properties, images/base, emulator/ where QEMU is our own, and programs/ where these are there; SHARE has the lists of holes that their
# versions mend, by Debian's changelogs (lib/mended.sh); VERSION is the artefact's. The same files give the same bytes.
set -euo pipefail
share=$1 files=$2 version=$3
kernel=$files/kernel/kernel.properties
emulator=$files/emulator/emulator.properties
programs=$files/programs/programs.properties
property() { # FILE NAME
    sed -n "s/^$2=//p" "$1"
}

upstream() { # VERSION → without epoch, Debian's revision, and what it says of files that Debian has left out
    local plain=${1#*:}
    plain=${plain%-*}
    plain=${plain%%+*}
    echo "${plain%.dfsg*}"
}

encoded() { # as a part of a package URL
    local text=${1//:/%3A}
    echo "${text//+/%2B}"
}

mended() { # FILE [COMPONENT] → its CVE ids
    [ -r "$1" ] || return 0
    if [ $# = 1 ]; then cat "$1"; else sed -n "s/^$2 //p" "$1"; fi
}

separator=
component() { # TYPE NAME LICENCE PACKAGE VERSION ARCHITECTURE [CPE-VENDOR:PRODUCT] [PATCH]; CVE ids on standard input
    local type=$1 name=$2 licence=$3 package=$4 version=$5 arch=$6 cpe=${7-} patch=${8-} plain id between='' patches=''
    plain=$(upstream "$version")
    printf '%s    {\n' "$separator"
    separator=$',\n'
    printf '      "type": "%s", "bom-ref": "%s", "name": "%s", "version": "%s",\n' "$type" "$name" "$name" "$version"
    printf '      "licenses": [{"expression": "%s"}],\n' "$licence"
    printf '      "purl": "pkg:deb/debian/%s@%s?arch=%s",\n' "$package" "$(encoded "$version")" "$arch"
    if [ -n "$cpe" ]; then printf '      "cpe": "cpe:2.3:%s:%s:*:*:*:*:*:*:*",\n' "$cpe" "$plain"; fi
    printf '      "pedigree": {\n        "ancestors": [{"type": "%s", "name": "%s", "version": "%s"}],\n        "patches": [' \
        "$type" "$name" "$plain"
    if [ -n "$patch" ]; then
        printf '\n          {"type": "unofficial", "diff": {"url": "%s"}}' "$patch"
        patches=,
    fi
    while read -r id; do
        if [ -z "$between" ]; then printf '%s\n          {"type": "backport", "resolves": [' "$patches"; fi
        printf '%s\n            {"type": "security", "id": "%s", "source": {"name": "Debian", "url": "https://security-tracker.debian.org/tracker/%s"}}' \
            "$between" "$id" "$id"
        between=,
    done
    if [ -n "$between" ]; then printf '\n          ]}'; fi
    printf '\n        ]\n      }\n    }'
}

own() { # NAME
    printf '%s    {"type": "application", "bom-ref": "%s", "name": "%s", "version": "%s", "licenses": [{"expression": "Apache-2.0"}]}' \
        "$separator" "$1" "$1" "$(sed -n 's/^  "version": "\(.*\)",$/\1/p' "$files/runtime.json")"
    separator=$',\n'
}

depends() { # NAME ON...
    local name=$1
    shift
    printf '%s    {"ref": "%s", "dependsOn": [%s]}' "$separator" "$name" "$(printf '"%s"\n' "$@" | paste -sd ,)"
    separator=$',\n'
}

libraries=(libc6-dev libglib2.0-dev libpcre2-dev libseccomp-dev libfdt-dev zlib1g-dev)
declare -A licences=([libc6-dev]=LGPL-2.1-or-later [libglib2.0-dev]=LGPL-2.1-or-later [libpcre2-dev]=BSD-3-Clause
    [libseccomp-dev]=LGPL-2.1-only [libfdt-dev]='GPL-2.0-or-later OR BSD-2-Clause' [zlib1g-dev]=Zlib)
declare -A cpes=([libc6-dev]=a:gnu:glibc [libglib2.0-dev]=a:gnome:glib [libpcre2-dev]=a:pcre:pcre2
    [libseccomp-dev]=a:libseccomp_project:libseccomp [libfdt-dev]= [zlib1g-dev]=a:zlib:zlib)

self=pkg:maven/dev.cloche/cloche-runtime-linux-x86_64@$version
cat <<END
{
  "bomFormat": "CycloneDX",
  "specVersion": "1.6",
  "version": 1,
  "metadata": {
    "component": {"type": "library", "bom-ref": "$self", "group": "dev.cloche", "name": "cloche-runtime-linux-x86_64", "version": "$version", "purl": "$self"}
  },
  "components": [
END
parts=(cloche-guard cloche-agent linux busybox)
own cloche-guard
own cloche-agent
mended "$share/kernels/small/kernel/mended" |
    component operating-system linux 'GPL-2.0-only WITH Linux-syscall-note' "$(property "$kernel" package)" "$(property "$kernel" version)" \
        all o:linux:linux_kernel META-INF/cloche/runtime/licences/build/clocks.patch
# The one layer of the image is a gzipped tar with the program, which says which package it is of.
layer=$(find "$files/images/base/blobs" -type f -size +100k)
busybox=$(tar -xzOf "$layer" ./bin/busybox | grep -ao 'BusyBox v[0-9.]* (Debian [^)]*)' | sed -n 's/.*(Debian \(.*\))/\1/p' | head -n 1)
mended "$share/base.mended" | component application busybox GPL-2.0-only busybox-static "${busybox:-unknown}" amd64 a:busybox:busybox
if [ -e "$emulator" ]; then
    parts+=(qemu seabios qboot)
    found=$share/emulators/qemu/mended
    mended "$found" qemu | component application qemu GPL-2.0-only qemu "$(property "$emulator" version)" source a:qemu:qemu
    mended "$found" seabios | component firmware seabios LGPL-3.0-only seabios "$(property "$emulator" seabios)" all
    # It has no releases of its own; QEMU's source has a state of it, and so has the package.
    component firmware qboot GPL-2.0-only qemu-system-data "$(property "$emulator" version)" all </dev/null
    for library in "${libraries[@]}"; do
        mended "$found" "$library" | component library "$library" "${licences[$library]}" "$library" \
            "$(property "$emulator" "$library")" amd64 "${cpes[$library]}"
    done
else
    component library libc6-dev "${licences[libc6-dev]}" libc6-dev "$(dpkg-query -W -f '${Version}' libc6-dev)" amd64 \
        "${cpes[libc6-dev]}" </dev/null
fi
if [ -e "$programs" ]; then
    parts+=(passt e2fsprogs)
    found=$share/emulators/programs/mended
    mended "$found" passt | component application passt 'GPL-2.0-or-later AND BSD-3-Clause' passt "$(property "$programs" passt)" source a:passt:passt
    mended "$found" e2fsprogs | component application e2fsprogs 'GPL-2.0-only AND LGPL-2.0-only AND BSD-3-Clause AND MIT' e2fsprogs \
        "$(property "$programs" e2fsprogs)" source a:e2fsprogs_project:e2fsprogs
fi
printf '\n  ],\n  "dependencies": [\n'
separator=
depends "$self" "${parts[@]}"
depends cloche-guard libc6-dev
depends cloche-agent libc6-dev
if [ -e "$emulator" ]; then depends qemu "${libraries[@]}"; fi
if [ -e "$programs" ]; then
    depends passt libc6-dev
    depends e2fsprogs libc6-dev
fi
printf '\n  ]\n}\n'
