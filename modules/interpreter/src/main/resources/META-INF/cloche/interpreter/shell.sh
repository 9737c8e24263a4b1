# Runs one cell of the shell for Cloche: the second part of a group of commands that is redirected by 7>&1 8>&2 2>/dev/null, so
# that a trace of them (set -x) is not seen, and what a cell does to its outputs is undone behind it. Before it stand
# _cloche_code and _cloche_status, of the cell before; behind it the call of _cloche with the mark of the beginning, and of
# _cloche_end with that of the end, which the code of the cell does not get to see. All names are quoted that an alias could have.

# As long as this is 1, an interrupt ends the cell; 2 says that one has.
_cloche_on=
\unset _cloche_no

_cloche_run() {
    _cloche_on=1
    \command \printf '\036%s%3s' "$1" 0 >&8
    \set --
    case $_cloche_status in
    0) ;;
    *) (\exit "$_cloche_status") ;;
    esac
    \command \eval "$_cloche_code" </dev/null >&7 2>&8 7>&- 8>&-
}

# An error of the code ends what `command eval` evaluates, and not the shell.
_cloche() {
    \command \eval '_cloche_run "$1"'
    \set -- "$?"
    case $_cloche_on in
    2) \set -- 130 ;;
    esac
    _cloche_on=
    \return "$1"
}

# A status of 2 may be an error of syntax, which a shell tells that only reads the code.
_cloche_end() {
    case $2 in
    2)
        \command \printf '%s\n' "$_cloche_code" | \command sh -n >/dev/null
        case $? in
        2) \set -- "$1" syn ;;
        esac
        ;;
    esac
    \unset _cloche_code
    \command \printf '\036%s%3s' "$@" >&7
    \command \printf '\036%s%3s' "$@" >&8
}

# An interrupt leaves all functions, files and loops of the cell: by an error, of an expansion. That would end bash, which can be
# had to return from one after the other by a trap that comes before each command.
\trap 'case ${_cloche_on-},${BASH_VERSION-} in
1,)
    _cloche_on=2
    { : "${_cloche_no?}"; } 2>/dev/null
    ;;
1,*)
    _cloche_on=2
    set -T
    trap "case \${FUNCNAME-} in _cloche) trap - DEBUG; set +T ;; *) return 130 ;; esac" DEBUG
    return 130
    ;;
esac' INT
