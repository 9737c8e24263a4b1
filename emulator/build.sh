#!/usr/bin/env bash
# Builds QEMU for the guests of Cloche and nothing else, in one static program: emulator/build.sh OUT
#
# Publishes OUT/emulator/ with bin/qemu-system-x86_64, bin/qemu-img, the firmware below share/qemu, where QEMU looks for it, the
# licences, emulator.properties, and mended: which holes the versions of the packages in it mend. From the source package that emulator/sources names; Meson is the same suite's, unpacked and
# not installed. Takes some minutes of all cores and 1 GB of disk meanwhile. Needs apt-get, dpkg-dev, gcc, ninja-build,
# pkg-config, python3-venv, flex, bison, the libraries' headers and archives (libglib2.0-dev, libpcre2-dev, libseccomp-dev, libfdt-dev,
# zlib1g-dev), and no rights.
set -euo pipefail
umask 022

[ $# -eq 1 ] || { echo "usage: $0 OUT" >&2; exit 64; }
here=$(dirname "$(readlink -f "$0")")
. "$here/../lib/debian-packages.sh"
mkdir -p "$1"
out=$(readlink -f "$1")

wanted() { # NAME → its value in emulator/sources
    sed -n "s/^$1=//p" "$here/sources"
}

work=$(mktemp -d "$out/.emulator-XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT HUP TERM
chmod 755 "$work"

# --- what it is made from ---
apt_of_suite "$work/apt" "$(wanted suite)"
mkdir "$work/packages"
cd "$work/packages"
"${apt[@]}" source --only-source --download-only qemu 2>&1 # apt-get has checked it by the suite's signature
"${apt[@]}" download meson seabios qemu-system-data
version=$(sed -n 's/^Version: //p' qemu_*.dsc | head -n 1)
case $version in
    "$(wanted version)") ;;
    "$(wanted series)"*) echo "build: the suite has QEMU $version now; emulator/sources names $(wanted version)." ;;
    *)
        echo "build: the suite has QEMU $version, which is none of $(wanted series)*: look at it, then change emulator/sources." >&2
        exit 1
        ;;
esac
dpkg-source -x qemu_*.dsc "$work/source"
dpkg-deb -x meson_*.deb "$work/meson"
dpkg-deb -x seabios_*.deb "$work/firmware"
dpkg-deb -x qemu-system-data_*.deb "$work/firmware"
cp "$here/devices.mak" "$work/source/configs/devices/x86_64-softmmu/cloche.mak"

# --- the build; what the caller's environment could change is kept out, and so are the directory and the time ---
mkdir "$work/build"
cd "$work/build"
clean() {
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C HOME="$work" PYTHONPATH="$work/meson/usr/lib/python3/dist-packages" \
        SOURCE_DATE_EPOCH=0 nice "$@"
}
clean ../source/configure --python=/usr/bin/python3 --static --target-list=x86_64-softmmu --without-default-features \
    --without-default-devices --with-devices-x86_64=cloche --enable-system --enable-tools --enable-kvm --enable-tcg \
    --enable-seccomp --enable-vmdk --enable-stack-protector --disable-werror --disable-docs --disable-guest-agent \
    --disable-debug-info --disable-install-blobs --disable-download \
    --extra-cflags="-O2 -D_FORTIFY_SOURCE=2 -ffile-prefix-map=$work=." --extra-ldflags="-Wl,--build-id=none -Wl,-z,relro,-z,now"
clean ninja -j"$(nproc)" qemu-system-x86_64 qemu-img

# --- what is kept of it ---
new=$work/emulator
mkdir -p "$new"/{bin,share/qemu,licences}
for program in qemu-system-x86_64 qemu-img; do
    strip -s -o "$new/bin/$program" $program
    chmod 755 "$new/bin/$program"
    if readelf -l "$new/bin/$program" | grep -q INTERP; then
        echo "build: $program is not static." >&2
        exit 1
    fi
done
# Without ACPI QEMU wants qboot, with ACPI SeaBIOS; a kernel is handed over by one of the other two.
firmware=$work/firmware/usr/share
install -m 644 "$firmware"/qemu/{qboot.rom,linuxboot_dma.bin,pvh.bin} "$firmware/seabios/bios-microvm.bin" "$new/share/qemu/"
install -m 644 ../source/{COPYING,COPYING.LIB} "$new/licences/"
install -m 644 ../source/debian/copyright "$new/licences/qemu.copyright"
install -m 644 "$firmware/doc/seabios/copyright" "$new/licences/seabios.copyright"
{
    echo "package=qemu"
    echo "version=$version"
    echo "seabios=$(dpkg-deb -f "$work"/packages/seabios_*.deb Version)"
    for library in libc6-dev libglib2.0-dev libpcre2-dev libseccomp-dev libfdt-dev zlib1g-dev; do
        echo "$library=$(dpkg-query -W -f '${Version}' $library)"
    done
} >"$new/emulator.properties"

holes() { # PACKAGE VERSION CHANGELOG → its lines of mended
    "$here/../lib/mended.sh" "$2" "$3" | sed "s/^/$1 /"
}
{
    holes qemu "$version" ../source/debian/changelog
    holes seabios "$(dpkg-deb -f "$work"/packages/seabios_*.deb Version)" "$firmware/doc/seabios/changelog.Debian.gz"
    for library in libc6-dev libglib2.0-dev libpcre2-dev libseccomp-dev libfdt-dev zlib1g-dev; do
        holes $library "$(dpkg-query -W -f '${Version}' $library)" /usr/share/doc/$library/changelog.Debian.gz
    done
} >"$new/mended"

rm -rf "$out/emulator"
mv "$new" "$out/emulator"
