#!/bin/sh
# Packs the agent and its modules: guest/mkinitramfs.sh KERNEL_DIR OUT
#
# KERNEL_DIR is what fetch-kernel.sh or build-kernel.sh made; a kernel with modules=no in its kernel.properties has all
# built in, and the agent is packed alone. OUT holds cloche-agent and gets initramfs. The same input gives the same
# bytes. Not compressed: unpacking under emulation costs more than the bytes do.
set -eu

[ $# -eq 2 ] || { echo "usage: $0 KERNEL_DIR OUT" >&2; exit 64; }
here=$(cd "$(dirname "$0")" && pwd)
kernel=$1
out=$2

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT HUP TERM
mkdir "$work/modules"
: > "$work/seen"

# add NAME [DEVICE]: the module and, before it, what it depends on. A module that the kernel has built in is left out.
# The package has no modules.dep (depmod makes it at installation), so the module's own note is read.
add() {
    grep -qxF "$1" "$work/seen" && return
    echo "$1" >> "$work/seen"
    file=$(find "$kernel/modules/kernel" -name "$1.ko")
    if [ -z "$file" ]; then
        grep -q "/$1\.ko\$" "$kernel/modules/modules.builtin" && return
        echo "$0: the kernel has no module $1" >&2
        exit 1
    fi
    cp "$file" "$work/modules/$1.ko"
    chmod 644 "$work/modules/$1.ko"
    for needed in $(tr '\0' '\n' < "$file" | sed -n 's/^depends=//p' | tr ',' ' '); do
        add_dependency "$needed" "${2-}"
    done
    echo "$1${2:+ $2}" >> "$work/modules/list"
}

# In a dependency's name an underscore may stand for the hyphen of the file's. A subshell keeps the caller's variables.
add_dependency() {
    dependency=$1
    [ -n "$(find "$kernel/modules/kernel" -name "$1.ko")" ] || dependency=$(echo "$1" | tr _ -)
    (add "$dependency" "${2-}")
}

if ! grep -qx modules=no "$kernel/kernel.properties"; then
    # First what the ports need; after the line "-" the rest, each with the virtio device type without which it is not
    # needed (virtio specification, section 5: 1 network, 4 entropy).
    for module in virtio_ring virtio virtio_mmio virtio_console; do add "$module"; done
    echo - >> "$work/modules/list"
    for module in virtio_blk libcrc32c erofs overlay; do add "$module"; done
    add virtio-rng 0x0004
    add virtio_net 0x0001
fi

${CC:-gcc} -std=gnu11 -O2 -Wall -Wextra -Werror -o "$work/newcpio" "$here/tools/newcpio.c"
cp "$out/cloche-agent" "$work/init"
chmod 755 "$work/init"
set -- "init=$work/init"
[ ! -f "$work/modules/list" ] || set -- "$@" "modules/list=$work/modules/list"
for module in $(sed -n 's/^\([^-][^ ]*\).*/\1/p' "$work/modules/list" 2>/dev/null); do
    set -- "$@" "modules/$module.ko=$work/modules/$module.ko"
done
"$work/newcpio" "$@" > "$work/initramfs"
cmp -s "$work/initramfs" "$out/initramfs" || { cp "$work/initramfs" "$out/initramfs.tmp" && mv "$out/initramfs.tmp" "$out/initramfs"; }
