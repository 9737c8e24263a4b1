#!/usr/bin/env bash
# Prints what the parts of a runtime are, as JSON: lib/runtime-manifest.sh SHARE [DATE]
# SHARE has kernel/, initramfs, cloche-guard, cloche-tsc and images/base, emulator/ where QEMU is our own, and programs/ where passt and mkfs.ext4
# are there for hosts without them. The runtime is as old as its newest part, or of
# DATE (2026-11-23) where the parts are copies. dev.cloche.runtime reads it; the format is in docs/compatibility.md.
set -euo pipefail
share=$(readlink -f "$1")
root=$(dirname "$(readlink -f "$0")")/..
cd "$share"
parts=(cloche-guard cloche-tsc images/base/index.json initramfs kernel/kernel.properties)
for kernel in kernel/vmlinux kernel/vmlinuz; do
    if [ -e $kernel ]; then parts+=($kernel); fi
done
system=(qemu-system-x86_64 qemu-img passt mkfs.ext4)
if [ -e emulator/emulator.properties ]; then
    parts+=(emulator/bin/qemu-system-x86_64 emulator/bin/qemu-img emulator/share/qemu/*)
    system=(passt mkfs.ext4)
fi
if [ -e programs/programs.properties ]; then parts+=(programs/bin/*); fi
built=${2-}
if [ -z "$built" ]; then
    newest=$(stat -Lc %Y "${parts[@]}" | sort -n | tail -n 1)
    built=$(date -u -d "@$newest" +%F)
fi
version=$(sed -n 's/^static const char AGENT_VERSION\[\] = "\([0-9.]*\)";$/\1/p' "$root/guest/src/control/hello.c")
protocol=$(sed -n 's/^enum { PROTOCOL_VERSION = \([0-9]*\) };$/\1/p' "$root/guest/src/control/hello.c")
guard=$(sed -n 's/^enum { GUARD_OPTIONS = \([0-9]*\) };$/\1/p' "$root/guard/src/options.h")
[ -n "$version" ] && [ -n "$protocol" ] && [ -n "$guard" ]

version_of() { # PART
    case $1 in
        emulator/*/bios-*) sed -n 's/^seabios=//p' emulator/emulator.properties ;;
        emulator/*) sed -n 's/^version=//p' emulator/emulator.properties ;;
        programs/*/passt*) sed -n 's/^passt=//p' programs/programs.properties ;;
        programs/*) sed -n 's/^e2fsprogs=//p' programs/programs.properties ;;
        kernel/*) sed -n 's/^version=//p' kernel/kernel.properties ;;
        *) echo "$version" ;;
    esac
}

echo '{'
echo '  "format": 1,'
echo "  \"version\": \"$version\","
echo "  \"built\": \"$built\","
echo "  \"guestProtocol\": $protocol,"
echo "  \"guard\": $guard,"
echo '  "parts": ['
separator=
for part in "${parts[@]}"; do
    printf '%s    {"path": "%s", "version": "%s", "sha256": "%s"}' "$separator" "$part" "$(version_of "$part")" \
        "$(sha256sum <"$part" | cut -d ' ' -f 1)"
    separator=$',\n'
done
printf '\n  ],\n'
printf '  "system": ["%s"]\n' "$(printf '%s\n' "${system[@]}" | paste -sd ' ' | sed 's/ /", "/g')"
echo '}'
