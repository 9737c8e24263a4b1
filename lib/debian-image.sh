#!/usr/bin/env bash
# Makes an OCI archive of a Debian 12 with some packages: lib/debian-image.sh ARCHIVE PACKAGES HOOK [UMOCI_CONFIG_ARGUMENT]...
# PACKAGES are separated by commas; HOOK is a script that gets the root file system as $1, or empty. The root file system stays
# in ARCHIVE.root. Does nothing if the archive is there. Needs root, mmdebstrap and umoci: ./setup --tests.
set -euo pipefail
archive=$1 packages=$2 hook=$3
shift 3
[ ! -e "$archive" ] || exit 0
layout=$archive.layout
rm -rf "$archive.root" "$layout"
mmdebstrap --quiet --variant=minbase --include="$packages" ${hook:+"--customize-hook=$hook"} bookworm "$archive.root"
umoci init --layout "$layout"
umoci new --image "$layout:12"
umoci insert --image "$layout:12" "$archive.root" /
umoci config --image "$layout:12" --config.env LANG=C.UTF-8 \
    --config.env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"
tar -C "$layout" -cf "$archive.new" .
mv "$archive.new" "$archive"
rm -rf "$layout"
