# Sourced by the tests of what is in dist/release: an expectation, and roots with next to nothing in them.
failed=0

expect() { # WHAT CODE PATTERN COMMAND...: the exit code, and a pattern of bash that all output matches
    local what=$1 code=$2 pattern=$3 out status=0
    shift 3
    out=$("$@" 2>&1 </dev/null) || status=$?
    # shellcheck disable=SC2053
    if [ $status = "$code" ] && [[ $out == $pattern ]]; then
        echo "ok      $what"
    else
        printf 'FAILED  %s: exit code %s, not %s\n%s\n' "$what" "$status" "$code" "$out"
        failed=1
    fi
}

released() { # NAME WHAT PATTERN [FILE] → the file, by default the one in dist/release; refuses to go on without, or without root
    local file
    # shellcheck disable=SC2086
    file=$(readlink -f "${4:-$(echo $3)}") || file=
    if ! [ -f "$file" ]; then
        echo "$1: there is no $2 in dist/release: run ./build -Prelease first." >&2
        return 1
    fi
    if [ "$(id -u)" != 0 ] || ! command -v mmdebstrap >/dev/null; then
        echo "$1: not tested: it needs root and mmdebstrap." >&2
        return 1
    fi
    echo "$file"
}

plain_root() { # SUITE DIRECTORY: libc6 and busybox of Debian's suite, three devices, and nothing else
    mmdebstrap --quiet --variant=extract --include=libc6,busybox-static "$1" "$2" 2>"$2.log" || {
        cat "$2.log" >&2
        return 1
    }
    local name
    for name in bin lib lib64; do # what base-files would bring
        if [ -d "$2/usr/$name" ] && ! [ -e "$2/$name" ]; then ln -s "usr/$name" "$2/$name"; fi
    done
    mkdir -p "$2"/{proc,sys,opt,dev,home}
    device "$2" null 1 3
    device "$2" random 1 8
    device "$2" urandom 1 9
    chmod 1777 "$2/tmp"
}

device() { # ROOT NAME MAJOR MINOR
    [ -c "$1/dev/$2" ] || mknod -m 666 "$1/dev/$2" c "$3" "$4"
}

# Sets `enter` to a program that runs a command in another root, made of enter.c in DIRECTORY.
build_enter() { # DIRECTORY
    enter=$1/enter
    gcc -O2 -Wall -Wextra -Werror -o "$enter" integration/enter.c
}
