#!/bin/sh
# jail.sh BUILD: has a hostile program, attack, try the walls of each level that this host has, and of kernels that lack something.
# Says what is not as it must be. BUILD has cloche-guard; patient-guard, which ends no program for how much it is refused; broken-guard,
# which is hostile itself; old, which makes a kernel look older.
set -u
guard=$1/patient-guard
attack=$1/attack
old=
base=$(mktemp -d /tmp/jail-test.XXXXXX)
failed=0

complain() {
    echo "jail.sh: $*"
    failed=1
}

# What the attacker finds, as a VM has it.
prepare() {
    rm -rf "$base/vm" "$base/other"
    mkdir "$base/vm" "$base/other"
    echo secret >"$base/secret"
    echo other >"$base/other/disk.0"
    echo image >"$base/image"
    echo kernel >"$base/kernel"
    head -c 8192 /dev/zero >"$base/memory"
    echo shared >"$base/vm/disk.0"
    chmod 400 "$base/vm/disk.0"
    echo layer >"$base/vm/disk.1"
    ln -s "$base/secret" "$base/vm/disk.3"
    mkfifo "$base/vm/disk.4"
}

# with_all_ids COMMAND...: as root in a namespace of users that has all ids, as the host's first has.
with_all_ids() {
    rm -f "$base/go"
    mkfifo "$base/go"
    unshare --user --keep-caps sh -c 'read -r _ <"$0" && exec "$@"' "$base/go" "$@" &
    until [ "$(readlink "/proc/$!/ns/user")" != "$(readlink /proc/self/ns/user)" ]; do kill -0 $! 2>/dev/null || return 1; done
    echo "0 0 4294967295" >"/proc/$!/uid_map" && echo "0 0 4294967295" >"/proc/$!/gid_map" && echo >"$base/go" && wait $!
}

# jailed LEVEL [DEADLY]; where no user namespaces are to be had, if the level is sealed
jailed() {
    level=$1
    shift
    without=
    [ "$level" != sealed ] || without='echo 0 >/proc/sys/user/max_user_namespaces &&'
    ${enter:-unshare --user --map-current-user --keep-caps} sh -c "$without"' exec "$@" 9</etc/passwd' sh \
        $old "$guard" --dir "$base/vm" --listen "$base/vm/s.mig" --monitor "$base/vm" --isolation "$level" --read "$base/image" \
        --begin "$base/kernel" $recording --copy "$base/memory" --layers "$base/vm" --sockets "$base/vm/s" --threads 64 --max-duration-ms 300000 --owner-grace-ms 300000 \
        -- "$attack" "$base" $$ "$@" </dev/null >"$base/said" 2>&1
}

# Under KVM calls that are not known are let through; what reaches anything must be shut all the same.
for mode in "full refuse" "sealed refuse" "full record"; do
    level=${mode% *}
    recording=
    [ "$mode" != "full record" ] || recording="--unknown-calls record"
    prepare
    # The pid of this shell stands for that of any process of the user.
    if ! jailed "$level"; then
        grep -q "is not to be had" "$base/said" && echo "skipped: $(cat "$base/said")" && continue
        complain "$level: $(cat "$base/said")"
        continue
    fi
    log=$base/vm/console.log
    grep -q '^done$' "$log" || complain "$level: it did not come to its end: $(tail -3 "$log") $(cat "$base/vm/exit.json")"
    grep -E '^(OPEN|BROKEN)' "$log" | while read -r line; do echo "jail.sh: $mode: $line"; done
    grep -qE '^(OPEN|BROKEN)' "$log" && failed=1
    [ "$(cat "$base/secret")$(cat "$base/vm/disk.0")$(cat "$base/vm/disk.1")" = "secretsharedlayer" ] || complain "$level: a file was changed"
    cmp -s -n 8192 "$base/memory" /dev/zero || complain "$level: a template's memory was changed"
    # Requests to KVM: what makes a VM up to the seal, what runs it for ever, and others as unknown calls.
    others=refused
    [ -z "$recording" ] || others=reached
    for row in "0 create reached" "0 run reached" "0 xen $others" "1 create $others" "1 run reached" "1 xen $others"; do
        grep -q "^kvm: $row " "$log" || complain "$mode: not $row: $(grep ^kvm: "$log")"
    done
    for name in create xen; do
        number=$(sed -n "s/^kvm: 1 $name [a-z]* //p" "$log")
        grep -q "^${recording:++}16 $number $" "$base/vm/denied" || complain "$mode: $name is not noted: $(cat "$base/vm/denied")"
    done
    grep -q "secret" "$base/vm/denied" || complain "$level: nothing is noted of what was denied"
    grep -q "\"$level\"" "$base/vm/isolation.json" || complain "$level: the level is not noted"
    for call in $("$attack" deadly); do
        prepare
        jailed "$level" "$call" || complain "$level: $(cat "$base/said")"
        grep -q '"cause":"isolation".*"signal":31' "$base/vm/exit.json" || complain "$level: $call did not kill: $(cat "$base/vm/console.log")"
    done
done

# Root's programs are users of their own, where there are such ids.
recording=
if [ "$(id -u)" = 0 ] && grep -q ' 4294967295$' /proc/self/uid_map; then
    enter=with_all_ids
    # In a directory that they cannot enter.
    cp "$attack" "$base/attack"
    attack=$base/attack
    for level in full sealed; do
        prepare
        jailed "$level" || complain "own id, $level: $(cat "$base/said")"
        log=$base/vm/console.log
        grep -q '^done$' "$log" || complain "own id, $level: it did not come to its end: $(tail -3 "$log") $(cat "$base/vm/exit.json")"
        grep -qE '^ids: (1879[01][0-9]{5}) \1, 0 more$' "$log" || complain "own id, $level: $(grep ^ids "$log")"
        grep -E '^(OPEN|BROKEN)' "$log" && failed=1
        grep -q "\"level\":\"$level\"" "$base/vm/isolation.json" || complain "own id: $(cat "$base/vm/isolation.json")"
    done
    enter=
    attack=$1/attack
    prepare
    jailed full || complain "no id of its own: $(cat "$base/said")"
    grep -q '"missing":"an id of its own: they do not exist' "$base/vm/isolation.json" || complain "$(cat "$base/vm/isolation.json")"
else
    echo "skipped: ids of their own, for this is not root with all ids"
fi

# ended CAUSE WORD...: how a program ends that is refused so much.
ended() {
    cause=$1
    shift
    prepare
    jailed sealed "$@" || complain "$*: $(cat "$base/said")"
    grep -q "\"cause\":\"$cause\"" "$base/vm/exit.json" || complain "$recording $*: $(cat "$base/vm/exit.json")"
}

guard=$1/cloche-guard
for recording in "" "--unknown-calls record"; do
    ended exited opens 12
    grep -q '^done$' "$base/vm/console.log" || complain "it was ended for little: $(cat "$base/vm/console.log")"
    ended isolation opens 100000
    [ "$(wc -l <"$base/vm/denied")" -le 64 ] || complain "more than 64 calls are noted"
done
recording=
ended exited calls 996
ended isolation calls 100000
[ "$(wc -l <"$base/vm/denied")" -eq 64 ] || complain "not 64 calls are noted"

# A guard that QEMU has broken, in both of its threads, as far as this kernel has Landlock.
guard=$1/broken-guard
recording=
landlock="full sealed"
"$attack" landlock || { landlock= && echo "skipped: a guard that is broken, for this kernel has no Landlock"; }
for level in $landlock; do
    prepare
    rm -f "$base/broken.log"
    export BROKEN_LOG="$base/broken.log"
    jailed "$level" broken || { grep -q "is not to be had" "$base/said" && continue; complain "broken: $(cat "$base/said")"; }
    grep -q '^done$' "$base/vm/console.log" || complain "broken: its program did not come to its end: $(cat "$base/vm/console.log")"
    grep -q BROKEN "$base/vm/console.log" && complain "broken: $(cat "$base/vm/console.log")"
    for thread in "the loop" "the broker"; do
        grep -q "^tried: $thread" "$base/broken.log" || complain "broken: $thread did not try"
    done
    grep -E '^(OPEN|BROKEN)' "$base/broken.log" && failed=1
    [ "$(cat "$base/secret")$(cat "$base/vm/disk.1")" = "secretlayer" ] || complain "broken: a file was changed"
done
unset BROKEN_LOG

# On an older kernel: the walls that it has hold, and what it lacks is said.
old="$1/old 5.14"
guard=$1/patient-guard
for level in full sealed; do
    prepare
    jailed "$level" || complain "old: $(cat "$base/said")"
    grep -q '^done$' "$base/vm/console.log" || complain "old $level: it did not come to its end: $(tail -3 "$base/vm/console.log")"
    grep -E '^(OPEN|BROKEN)' "$base/vm/console.log" && failed=1
    grep -q "\"$level\"" "$base/vm/isolation.json" || complain "old $level: $(cat "$base/vm/isolation.json")"
done
for lacking in listener seccomp; do
    old="$1/old $lacking"
    prepare
    jailed auto reduced || complain "$lacking: $(cat "$base/said")"
    grep -q '"level":"reduced","missing":"the seal: ' "$base/vm/isolation.json" || complain "$lacking: $(cat "$base/vm/isolation.json")"
    grep -q '^done$' "$base/vm/console.log" || complain "$lacking: $(cat "$base/vm/console.log")"
    prepare
    jailed sealed && complain "$lacking: a level that is not to be had"
    grep -q "^failed the isolation sealed is not to be had (the seal: " "$base/said" || complain "$lacking: $(cat "$base/said")"
    grep -q . "$base/vm/console.log" 2>/dev/null && complain "$lacking: a program was started"
done
old="$1/old pidfd"
prepare
jailed auto reduced && complain "pidfd: nothing is said"
grep -q "^failed cannot watch the program: Function not implemented" "$base/said" || complain "pidfd: $(cat "$base/said")"
old=

prepare
guard=$1/cloche-guard
jailed reduced reduced || complain "reduced: $(cat "$base/said")"
log=$base/vm/console.log
grep -q '^done$' "$log" || complain "reduced: it did not come to its end: $(tail -3 "$log")"
grep -E '^(OPEN|BROKEN)' "$log" && failed=1
[ "$(cat "$base/secret")" = "secret" ] || complain "reduced: a file was changed"

prepare
jailed perfect && complain "a level that there is not"
rm -rf "$base"
[ "$failed" = 0 ] && echo ok
exit "$failed"
