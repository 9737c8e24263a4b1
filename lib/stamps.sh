# Sourced by ./setup: a step is up to date if its results are there and its stamp names the inputs as they are now.
# A step that is made for one of the kernels has a stamp for each.

stamp_of() { # STEP
    case $1 in
        kernel | initramfs) echo "dist/stamps/$1-$kernel" ;;
        *) echo "dist/stamps/$1" ;;
    esac
}

digest_of() { # PATH... → one digest of the names and contents of all files there
    find "$@" -name target -prune -o -type f -print0 | LC_ALL=C sort -z | xargs -0r sha256sum | sha256sum | cut -d' ' -f1
}

step_state() { # STEP → ok, missing or outdated
    local step=$1 result
    for result in $(results_of "$step"); do
        if ! [ -e "$result" ]; then
            echo missing
            return
        fi
    done
    if [ "$(cat "$(stamp_of "$step")" 2>/dev/null)" = "$(inputs_of "$step")" ]; then
        echo ok
    else
        echo outdated
    fi
}

stamp() { # STEP DIGEST: only after its results were published
    mkdir -p dist/stamps
    echo "$2" >"dist/stamps/.$1.new"
    mv "dist/stamps/.$1.new" "$(stamp_of "$1")"
}

publish() { # FILE-OR-DIRECTORY TARGET: by rename, so that no process sees half of it; a directory has to step aside first
    mkdir -p "$(dirname "$2")" || return
    if [ -d "$2" ]; then
        rm -rf "$2.old" && mv -T "$2" "$2.old" || return
    fi
    mv -T "$1" "$2" && rm -rf "$2.old"
}
