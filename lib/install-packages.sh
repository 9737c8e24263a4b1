#!/bin/sh
# Installs Debian packages without asking, the only part of ./setup that needs root: lib/install-packages.sh PACKAGE...
# No package may start or enable a service on the way (docker-registry would do both; the tests start their own).
set -eu
export DEBIAN_FRONTEND=noninteractive

policy=/usr/sbin/policy-rc.d # asked by every package before it starts its service; 101 forbids it
if ! [ -e "$policy" ]; then
    trap 'rm -f "$policy"' EXIT
    trap 'exit 1' HUP INT TERM
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod 755 "$policy"
fi

install() {
    apt-get install -y --no-install-recommends "$@"
}
# The lists of a fresh machine are empty, those of an old one out of date: they are fetched only if it fails without.
install "$@" || { apt-get update && install "$@"; }

for package; do
    if [ "$package" = docker-registry ]; then # the helper wants to be told for whom it is called
        DPKG_MAINTSCRIPT_PACKAGE=$package deb-systemd-helper disable docker-registry.service
    fi
done
