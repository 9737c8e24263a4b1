#!/bin/sh
# neighbour.sh DIRECTORY alone|grouped|ungrouped COUNT: what an answer of one VM takes while another VM keeps eight threads busy; in a
# guest of one processor, which is the host here. The guard and `neighbour`, which stands for QEMU, are in the directory.
set -eu
guard=$1/cloche-guard
neighbour=$1/neighbour
groups=/sys/fs/cgroup
work=$(mktemp -d)
started=

finish() {
    [ -z "$started" ] || kill $started
    wait
    rm -rf "$work"
}
trap finish EXIT

begin() { # ID WORD...: a VM that does this
    id=$1
    shift
    mkdir "$work/$id"
    : >"$work/$id.said"
    # shellcheck disable=SC2086
    "$guard" --dir "$work/$id" --listen "$work/$id/socket" $options -- "$neighbour" "$@" </dev/null >"$work/$id.said" 2>&1 &
    started="$started $!"
    until grep -q started "$work/$id.said"; do
        kill -0 $! # or this ends, as it does
        sleep 0.05
    done
}

options=
if [ "$2" != ungrouped ]; then
    echo +cpu >$groups/cgroup.subtree_control
    mkdir -p $groups/cloche.vms
    options="--group $groups/cloche.vms"
fi
begin one pong
[ "$2" = alone ] || begin two hog 8
"$neighbour" ping "$work/one/socket" "$3"
