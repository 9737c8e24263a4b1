#!/usr/bin/env bash
# Makes what of a release is not for Maven, from TREE with lib/app and lib/jre (modules/cli/src/build), the RUNTIME of
# modules/runtime-linux-x86_64 and this clone: lib/release-archive.sh TREE RUNTIME VERSION TIME TARGET
# TARGET gets the archive, and the package of Debian where dpkg-deb is. The same TREE gives the same bytes.
set -euo pipefail
umask 022
export LC_ALL=C
tree=$1 runtime=$2 version=$3 time=$4 target=$5
name=cloche-$version-linux-x86_64
cd "$(dirname "$(readlink -f "$0")")/.."
export SOURCE_DATE_EPOCH
SOURCE_DATE_EPOCH=$(date -d "$time" +%s)

# --- the tree ---
mkdir -p "$tree/bin" "$target"
install -m 755 modules/release/src/archive/bin/cloche "$tree/bin/cloche"
install -m 644 lib/start.sh "$tree/lib/start.sh"
rm -rf "$tree/share" "$tree/licences"
cp -R "$runtime/files" "$tree/share"
cp -R "$runtime/licences" "$tree/licences"
install -m 644 docs/dependencies.md "$tree/licences/libraries.md"
install -m 644 README.md CHANGELOG.md "$tree/"
chmod -R u+w,a+rX,go-w "$tree"

# --- the archive: no owner, no time and no order of this machine; ustar, which every tar reads ---
tar --format=ustar --sort=name --mtime="$time" --owner=0 --group=0 --numeric-owner \
    --transform "flags=r;s,^\.,$name," -C "$tree" -cf - . | gzip -n >"$target/.new"
mv "$target/.new" "$target/$name.tar.gz"

# --- the package ---
if ! command -v dpkg-deb >/dev/null; then
    echo "release-archive: there is no dpkg-deb, so no package of Debian is made." >&2
    exit 0
fi
root=$(mktemp -d "$target/.deb-XXXXXX")
trap 'rm -rf "$root"' EXIT
chmod 755 "$root"
mkdir -p "$root/DEBIAN" "$root/usr/bin" "$root/usr/lib/systemd/system" "$root/usr/share/doc/cloche"
cp -Rp "$tree" "$root/usr/lib/cloche"
ln -s ../lib/cloche/bin/cloche "$root/usr/bin/cloche"
mv "$root/usr/lib/cloche/README.md" "$root/usr/share/doc/cloche/"
gzip -9n <"$root/usr/lib/cloche/CHANGELOG.md" >"$root/usr/share/doc/cloche/changelog.gz"
rm "$root/usr/lib/cloche/CHANGELOG.md"
source=modules/release/src/deb
install -m 644 $source/copyright "$root/usr/share/doc/cloche/copyright"
install -m 644 $source/cloche-keep.service "$root/usr/lib/systemd/system/cloche-keep.service"
install -m 755 $source/postinst $source/prerm $source/postrm "$root/DEBIAN/"

# The newest symbol of libc that any program or library wants.
libc=$(find "$tree/lib" -type f \( -name '*.so' -o -path '*/bin/*' \) -exec grep -aoh 'GLIBC_2\.[0-9]*' {} + |
    sed 's/GLIBC_//' | sort -uV | tail -n 1)
qemu=', qemu-system-x86, qemu-utils'
if [ -e "$tree/share/emulator" ]; then qemu=; fi
programs=', e2fsprogs, passt'
if [ -e "$tree/share/programs" ]; then programs=; fi
sed -e "s/@QEMU@/$qemu/" -e "s/@PROGRAMS@/$programs/" -e "s/@VERSION@/${version/-SNAPSHOT/~snapshot}/" -e "s/@LIBC@/$libc/" \
    -e "s/@SIZE@/$(find "$root/usr" -type f -printf '%s\n' | awk '{ all += $1 } END { print int(all / 1024) }')/" $source/control >"$root/DEBIAN/control"
(cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum) >"$root/DEBIAN/md5sums"
find "$root" -exec touch -h -d "$time" {} +
dpkg-deb --root-owner-group -Zxz -z3 --threads-max=1 --build "$root" "$target/.new" >/dev/null
mv "$target/.new" "$target/cloche_${version}_amd64.deb"
