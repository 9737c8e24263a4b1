#!/usr/bin/env bash
# Collects what VMs are made with as resources of the runtime artefact: lib/runtime-artefact.sh SHARE DIRECTORY [VERSION]
# VERSION is the artefact's, by default the runtime's. The small kernel it is, which is of no distribution, and our QEMU and programs if they are there (./setup --runtime). The index lists each
# file; dev.cloche.runtime reads it.
set -euo pipefail
share=$1
out=$2/META-INF/cloche/runtime
small=$share/kernels/small
if ! [ -e "$small/kernel/vmlinux" ]; then
    echo "runtime-artefact: there is no small kernel in $share: run ./setup --kernel small first." >&2
    exit 1
fi
rm -rf "$out"
mkdir -p "$out/files/kernel"
cp "$small/kernel/vmlinux" "$small/kernel/kernel.properties" "$out/files/kernel/"
cp "$small/initramfs" "$share/cloche-guard" "$share/cloche-tsc" "$out/files/"
cp -R "$share/images" "$out/files/"
if [ -e "$share/emulators/qemu" ]; then
    cp -R "$share/emulators/qemu" "$out/files/emulator"
fi
if [ -e "$share/emulators/programs" ]; then
    cp -R "$share/emulators/programs" "$out/files/programs"
fi
# The date that ./setup has found; a copy of dist/share has it, though not the times of its files.
built=$(sed -n 's/^  "built": "\([0-9-]*\)",$/\1/p' "$share/runtime.json" 2>/dev/null || true)
"$(dirname "$0")/runtime-manifest.sh" "$out/files" ${built:+"$built"} >"$out/runtime.json"
mv "$out/runtime.json" "$out/files/"
"$(dirname "$0")/licences.sh" "$out/files" "$out/licences"
version=${3:-$(sed -n 's/^  "version": "\(.*\)",$/\1/p' "$out/files/runtime.json")}
"$(dirname "$0")/runtime-sbom.sh" "$share" "$out/files" "$version" >"$out/licences/sbom.cdx.json"
rm -rf "$out/files"/{emulator,programs}/{licences,mended} # they are with the others now
chmod -R u=rwX,go=rX "$out" # jars of sources record modes, and those of dist/share are its maker's
cd "$out/files"
{
    echo 'cloche-runtime 1'
    find . -type f -printf '%P\n' | LC_ALL=C sort | while read -r file; do
        mode=0644
        if [ -x "$file" ]; then mode=0755; fi
        echo "$mode $(stat -c %s "$file") $(sha256sum "$file" | cut -d ' ' -f 1) $file"
    done
} >../index
