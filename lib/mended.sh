#!/bin/sh
# Prints which known holes a package of Debian mends, a CVE id a line: lib/mended.sh VERSION CHANGELOG
# They are those that its changelog (gzipped or not) names under the same upstream version: what that release mends, and what
# Debian's patches mend besides. What earlier releases mended is not repeated. Prints nothing for a changelog that is not there.
set -eu
version=${1#*:}
upstream=${version%-*}
[ -r "$2" ] || exit 0
gzip -cdf "$2" | awk -v upstream="$upstream" '
    /^[a-z0-9][a-z0-9+.-]* \(.*\)/ {
        version = $2
        gsub(/[()]/, "", version)
        sub(/^[0-9]+:/, "", version)
        sub(/-[^-]*$/, "", version)
        ours = version == upstream
    }
    ours' | { grep -oE 'CVE-[0-9]{4}-[0-9]{4,}' || true; } | LC_ALL=C sort -uV
