#!/usr/bin/env bash
# Builds the programs that a host may lack, each static: programs/build.sh OUT
#
# Publishes OUT/programs/ with bin/passt (and passt.avx2, which it becomes where the processor can), bin/mkfs.ext4, the licences,
# programs.properties, and mended: which holes their versions mend. From the source packages that programs/sources names. Of
# these it takes archive and changes alone, which apt checks by the suite's signature like the description: a mirror may lack
# that, or the signature of the authors that it names. Needs apt-get, dpkg-dev, gcc, make, patch, xz-utils, and no rights.
set -euo pipefail
umask 022

[ $# -eq 1 ] || { echo "usage: $0 OUT" >&2; exit 64; }
here=$(dirname "$(readlink -f "$0")")
. "$here/../lib/debian-packages.sh"
mkdir -p "$1"
out=$(readlink -f "$1")

wanted() { # NAME → its value in programs/sources
    sed -n "s/^$1=//p" "$here/sources"
}

work=$(mktemp -d "$out/.programs-XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT HUP TERM
chmod 755 "$work"
new=$work/programs
mkdir -p "$work/packages" "$new"/{bin,licences}
apt_of_suite "$work/apt" "$(wanted suite)"

unpack() { # PACKAGE → $work/PACKAGE with Debian's patches; its lines of properties and mended
    local package=$1 source=$work/$1 name version
    cd "$work/packages"
    for part in tar diff; do "${apt[@]}" source --only-source --download-only --$part-only "$package" 2>&1; done
    mkdir "$source"
    tar -xf "$package"_*.orig.tar.* --no-same-owner --strip-components=1 -C "$source"
    tar -xf "$package"_*.debian.tar.* --no-same-owner -C "$source"
    version=$(dpkg-parsechangelog -l "$source/debian/changelog" -S Version)
    if [ "${version%-*}" != "$(wanted "$package")" ]; then
        echo "build: the suite has $package $version, which is not $(wanted "$package"): look at it, then change programs/sources." >&2
        exit 1
    fi
    sed 's/[[:space:]]*#.*//; /^[[:space:]]*$/d' "$source/debian/patches/series" | while read -r name; do
        patch -d "$source" -p1 -s <"$source/debian/patches/$name"
    done
    echo "$package=$version" >>"$new/programs.properties"
    "$here/../lib/mended.sh" "$version" "$source/debian/changelog" | sed "s/^/$package /" >>"$new/mended"
    cp "$source/debian/copyright" "$new/licences/$package.copyright"
}

# What the caller's environment could change is kept out, and so are the directory and the time.
clean() {
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C HOME="$work" SOURCE_DATE_EPOCH=0 nice "$@"
}
hardened="-D_FORTIFY_SOURCE=2 -fstack-protector-strong -fPIE -ffile-prefix-map=$work=."
static="-static-pie -Wl,--build-id=none -Wl,-z,relro,-z,now"

keep() { # FILE NAME
    strip -s -o "$new/bin/$2" "$1"
    chmod 755 "$new/bin/$2"
    if readelf -l "$new/bin/$2" | grep -q INTERP; then
        echo "build: $2 is not static." >&2
        exit 1
    fi
}

unpack passt
cd "$work/passt"
# Without the libraries of names of users, which no static program can load: as root it becomes 65534.
# One after the other: side by side, make gives the first the flags of the second, and it would need AVX2.
for program in passt passt.avx2; do
    clean make $program VERSION="$(sed -n 's/^passt=//p' "$new/programs.properties")" \
        CFLAGS="$hardened -DGLIBC_NO_STATIC_NSS" LDFLAGS="$static"
    keep $program $program
done
if cmp -s "$new/bin/passt" "$new/bin/passt.avx2"; then
    echo "build: passt was built for AVX2 alone." >&2
    exit 1
fi

unpack e2fsprogs
cd "$work/e2fsprogs"
cp "$here/mke2fs.conf" misc/mke2fs.conf.custom.in
sed -i 's|@root_sysconfdir@|/nonexistent|' lib/dirpaths.h.in
mkdir "$work/made"
cd "$work/made"
clean ../e2fsprogs/configure --disable-nls --disable-uuidd --disable-fuse2fs --disable-debugfs --disable-imager --disable-resizer \
    --disable-defrag --disable-e2initrd-helper --disable-tdb --disable-mmp --disable-backtrace --enable-libuuid --enable-libblkid \
    --without-libarchive --without-pthread CFLAGS="-O2 $hardened" LDFLAGS="$static"
clean make -j"$(nproc)" libs
clean make -C misc mke2fs
keep misc/mke2fs mkfs.ext4

echo "libc6-dev=$(dpkg-query -W -f '${Version}' libc6-dev)" >>"$new/programs.properties"
"$here/../lib/mended.sh" "$(dpkg-query -W -f '${Version}' libc6-dev)" /usr/share/doc/libc6-dev/changelog.Debian.gz |
    sed 's/^/libc6-dev /' >>"$new/mended"
rm -rf "$out/programs"
mv "$new" "$out/programs"
