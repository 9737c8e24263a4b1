#!/usr/bin/env bash
# Makes the image `base`, the smallest system with a shell: lib/base-image.sh TARGET
# An OCI image layout with one layer, made of the static busybox that $BUSYBOX names, or else of this machine's. The same
# busybox gives the same image, byte for byte. Refuses a TARGET that exists.
set -euo pipefail
umask 022
export LC_ALL=C

target=$1
busybox=${BUSYBOX:-/bin/busybox}
if [ -e "$target" ]; then
    echo "base-image: $target exists already." >&2
    exit 1
fi
if ! [ -x "$busybox" ] || grep -aq /lib64/ld- "$busybox"; then
    echo "base-image: there is no static busybox at $busybox (Debian: busybox-static)." >&2
    exit 1
fi

work=$(mktemp -d "$target.XXXXXX")
trap 'rm -rf "$work"' EXIT

# --- the files of the system ---
root=$work/root
mkdir -p "$root"/{bin,sbin,usr/bin,usr/sbin,etc,root,home,tmp,var/tmp,dev,proc,sys,run}
install -m 755 "$busybox" "$root/bin/busybox"
if ! "$root/bin/busybox" --list-full >"$work/applets" 2>/dev/null || ! grep -qx bin/sh "$work/applets"; then
    echo "base-image: $busybox does not know the applet sh." >&2
    exit 1
fi
while read -r applet; do
    mkdir -p "$root/${applet%/*}"
    [ -e "$root/$applet" ] || ln -s /bin/busybox "$root/$applet"
done < <(grep / "$work/applets")
printf '%s\n' 'root:x:0:0:root:/root:/bin/sh' 'nobody:x:65534:65534:nobody:/nonexistent:/bin/false' >"$root/etc/passwd"
printf '%s\n' 'root:x:0:' 'nogroup:x:65534:' >"$root/etc/group"
printf '%s\n' '127.0.0.1 localhost' '::1 localhost' >"$root/etc/hosts"
printf '%s\n' 'ID=cloche-base' 'NAME="Cloche base"' 'PRETTY_NAME="Cloche base"' >"$root/etc/os-release"
chmod 700 "$root/root"
chmod 1777 "$root/tmp" "$root/var/tmp"

# --- one layer, without anything of this machine but the busybox in it ---
tar --sort=name --format=ustar --mtime=@0 --owner=0 --group=0 --numeric-owner -C "$root" -cf "$work/layer.tar" .
diff_id=$(sha256sum <"$work/layer.tar" | cut -d' ' -f1)
gzip -9n "$work/layer.tar"

# --- the layout ---
layout=$work/layout
mkdir -p "$layout/blobs/sha256"
blob() { # FILE → moves it among the blobs, prints its digest and size as the fields of a descriptor
    local digest
    digest=$(sha256sum <"$1" | cut -d' ' -f1)
    printf '"digest":"sha256:%s","size":%d' "$digest" "$(stat -c %s "$1")"
    mv "$1" "$layout/blobs/sha256/$digest"
}
oci=application/vnd.oci.image
layer=$(blob "$work/layer.tar.gz")
cat >"$work/config.json" <<END
{"architecture":"amd64","os":"linux","created":"1970-01-01T00:00:00Z","config":{"Env":["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"],"Cmd":["/bin/sh"],"WorkingDir":"/"},"rootfs":{"type":"layers","diff_ids":["sha256:$diff_id"]},"history":[{"created":"1970-01-01T00:00:00Z","created_by":"lib/base-image.sh"}]}
END
config=$(blob "$work/config.json")
cat >"$work/manifest.json" <<END
{"schemaVersion":2,"mediaType":"$oci.manifest.v1+json","config":{"mediaType":"$oci.config.v1+json",$config},"layers":[{"mediaType":"$oci.layer.v1.tar+gzip",$layer}]}
END
manifest=$(blob "$work/manifest.json")
cat >"$layout/index.json" <<END
{"schemaVersion":2,"mediaType":"$oci.index.v1+json","manifests":[{"mediaType":"$oci.manifest.v1+json",$manifest,"platform":{"architecture":"amd64","os":"linux"},"annotations":{"org.opencontainers.image.ref.name":"base"}}]}
END
echo '{"imageLayoutVersion":"1.0.0"}' >"$layout/oci-layout"

mv -T "$layout" "$target"
