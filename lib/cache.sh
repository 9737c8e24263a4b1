# Sourced by ./setup: keeps what steps make in the user's cache, for the next clone. An entry is an archive of what the
# step made, named by a digest of all that it depends on. Only whole entries that are this user's alone are ever used, and
# one that is damaged is made anew: a cache can make ./setup faster, and nothing else.

cache_root() { # → the directory of the cache, made if it is missing; fails if there is none that can be trusted
    local base=${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}} root
    case $base in
        /*) ;;
        *) return 1 ;;
    esac
    root=$base/cloche
    mkdir -p "$base" 2>/dev/null && { [ -d "$root" ] || mkdir -m 700 "$root" 2>/dev/null; } || return 1
    is_ours "$root" || return 1
    mkdir -p -m 700 "$root/setup" 2>/dev/null && is_ours "$root/setup" && echo "$root/setup"
}

is_ours() { # DIRECTORY: no link, this user's, and not writable for others
    [ -d "$1" ] && ! [ -L "$1" ] && [ -O "$1" ] && [ "$(stat -c %a "$1")" = 700 ]
}

cache_key() { # STEP INPUTS → the name of its entry; fails if it has none
    local made_by
    made_by=$(made_by "$1") || return
    [ -n "$2" ] && echo "$1-$(printf '%s\n' "$(uname -m)" "$2" "$made_by" | sha256sum | cut -d' ' -f1)"
}

cache_has() { # KEY; makes nothing
    local base=${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}}
    [ -n "$base" ] && is_ours "$base/cloche/setup/$1"
}

cache_take() { # KEY STAGE: puts what was kept into the empty STAGE; fails if there is nothing whole
    local root entry
    root=$(cache_root) || return
    entry=$root/$1
    is_ours "$entry" || return
    # Checks and unpacks a copy, so that no other process changes it in between.
    if cp "$entry/archive" "$2/.archive" 2>/dev/null &&
        [ "$(sha256sum <"$2/.archive" | cut -d' ' -f1)" = "$(cat "$entry/sha256" 2>/dev/null)" ] &&
        tar -xpf "$2/.archive" --no-same-owner -C "$2" 2>/dev/null; then
        rm "$2/.archive"
        touch "$entry"
        return 0
    fi
    rm -rf "$entry"
    find "$2" -mindepth 1 -delete
    return 1
}

cache_keep() { # KEY STAGE NAME...: what a step has just made; no failure of it is the step's
    local key=$1 stage=$2 root new
    shift 2
    root=$(cache_root) || return 0
    new=$(mktemp -d "$root/.new-XXXXXX" 2>/dev/null) || return 0
    if tar -cf "$new/archive" -C "$stage" "$@" 2>/dev/null &&
        sha256sum <"$new/archive" | cut -d' ' -f1 >"$new/sha256" &&
        sync -f "$new" && ! [ -e "$root/$key" ]; then
        mv -T "$new" "$root/$key" 2>/dev/null || true
    fi
    rm -rf "$new"
    cache_prune "$root"
}

cache_prune() { # ROOT: of each step the four entries that were used last stay; halves of dead processes go after a day
    local step old
    for step in "${steps[@]}"; do
        find "$1" -maxdepth 1 -type d -name "$step-*" -printf '%T@ %p\n' | sort -rn | tail -n +5 | cut -d' ' -f2- |
            while read -r old; do rm -rf "$old"; done
    done
    find "$1" -maxdepth 1 -name '.new-*' -mtime +0 -exec rm -rf {} +
}
