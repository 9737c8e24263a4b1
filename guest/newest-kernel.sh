#!/bin/sh
# Says which package of the distribution a kernel is made of, as far as apt's lists know: guest/newest-kernel.sh KIND
#
# KIND is debian (the cloud kernel, ready made) or small (the kernel's source). Prints package=NAME and version=VERSION,
# the lines of kernel.properties.
set -eu

[ $# -eq 1 ] || { echo "usage: $0 debian|small" >&2; exit 64; }
case $1 in
    debian) meta=linux-image-cloud-amd64 name='linux-image-[0-9].*' ;;
    small) meta=linux-source name='linux-source-[0-9].*' ;;
    *) echo "$0: there is no kernel $1" >&2; exit 64 ;;
esac

package=$(apt-cache depends --no-recommends --no-suggests "$meta" 2>/dev/null |
    sed -n "s/^ *Depends: \($name\)\$/\1/p" | head -n 1)
[ -n "$package" ] || { echo "apt knows no $meta: run apt-get update" >&2; exit 3; }
version=$(apt-cache show --no-all-versions "$package" | sed -n 's/^Version: //p')
printf 'package=%s\nversion=%s\n' "$package" "$version"
