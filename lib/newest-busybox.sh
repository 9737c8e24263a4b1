#!/usr/bin/env bash
# Fetches the static busybox of Debian's stable release: lib/newest-busybox.sh DIRECTORY
# Puts it into the empty DIRECTORY as `busybox` and prints the version of its package. That of Debian 12 crashes in `wget -T`.
# It comes from the mirror that this machine's apt uses, and apt verifies the release's signature and the package's digest;
# nothing is installed, and apt's own lists stay as they are. Fails where apt knows no such mirror or does not reach it.
set -euo pipefail
umask 022

target=$1
mirror=$(apt-get indextargets --format '$(REPO_URI) $(COMPONENT) $(ORIGIN)' 'Created-By: Packages' |
    awk '$2 == "main" && $3 == "Debian" { print $1; exit }')
[ -n "$mirror" ] || { echo "newest-busybox: apt uses no mirror of Debian." >&2; exit 1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/{lists,archives}/partial "$work/none"
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror stable main" >"$work/sources.list"
apt=(apt-get -q -o "Dir::Etc::SourceList=$work/sources.list" -o "Dir::Etc::SourceParts=$work/none"
    -o "Dir::State::Lists=$work/lists" -o "Dir::State::Status=/dev/null" -o "Dir::Cache=$work"
    -o "Dir::Cache::Archives=$work/archives" -o "APT::Sandbox::User=$(id -un)" -o "Acquire::Languages=none"
    -o "APT::Update::Error-Mode=any" -o "Acquire::http::Timeout=20" -o "Acquire::Retries=2")
"${apt[@]}" update >&2
(cd "$work/none" && "${apt[@]}" download busybox-static >&2)
dpkg-deb -x "$work"/none/*.deb "$work/package"
install -m 755 "$(find "$work/package" -type f -path '*bin/busybox')" "$target/busybox"
dpkg-deb -f "$work"/none/*.deb Version
