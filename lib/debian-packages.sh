# Sourced by scripts that take packages of another suite of Debian than this machine's: apt verifies the suite's signature and
# each digest, nothing is installed, and apt's own lists stay as they are.

# Sets the array `apt` to an apt-get that knows SUITE of the mirror that this machine's apt uses, binaries and sources alike,
# with all of its state in WORK, and fetches its lists. Fails where apt knows no mirror of Debian or does not reach it.
apt_of_suite() { # WORK SUITE
    local mirror key=/usr/share/keyrings/debian-archive-keyring.gpg
    mirror=$(apt-get indextargets --format '$(REPO_URI) $(COMPONENT) $(ORIGIN)' 'Created-By: Packages' |
        awk '$2 == "main" && $3 == "Debian" { print $1; exit }')
    [ -n "$mirror" ] || {
        echo "$(basename "$0"): apt uses no mirror of Debian." >&2
        return 1
    }
    mkdir -p "$1"/{lists,archives}/partial "$1/none"
    printf '%s\n' "deb [signed-by=$key] $mirror $2 main" "deb-src [signed-by=$key] $mirror $2 main" >"$1/sources.list"
    apt=(apt-get -q -o "Dir::Etc::SourceList=$1/sources.list" -o "Dir::Etc::SourceParts=$1/none"
        -o "Dir::State::Lists=$1/lists" -o "Dir::State::Status=/dev/null" -o "Dir::Cache=$1"
        -o "Dir::Cache::Archives=$1/archives" -o "APT::Sandbox::User=$(id -un)" -o "Acquire::Languages=none"
        -o "APT::Update::Error-Mode=any" -o "Acquire::http::Timeout=20" -o "Acquire::Retries=2")
    "${apt[@]}" update >&2
}
