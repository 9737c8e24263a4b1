#!/bin/sh
# group.sh BUILD [GROUPS]: has takers, in the place of a guard's program, take what they can from their control group, and leave
# behind what they can. Says what is not as it must be, and what this host cannot show: without controllers there are no limits.
# GROUPS is where cgroup2 is mounted, whose controllers may be given to the groups in it. For root. In a guest, where all are to be
# had, ControlGroupIT runs it.
set -u
guard=$1/cloche-guard
taker=$1/taker
failed=0

complain() {
    echo "group.sh: $*"
    failed=1
}

is_groups() { [ -e "$1/cgroup.kill" ] || { [ -e "$1/cgroup.controllers" ] && mkdir "$1/cloche.try" 2>/dev/null && rmdir "$1/cloche.try"; }; }

groups=
for each in "${2:-/sys/fs/cgroup}" /sys/fs/cgroup/unified; do
    is_groups "$each" && groups=$each && break
done
if [ -z "$groups" ] || [ "$(id -u)" != 0 ]; then
    echo "skipped: groups, for there is no cgroup2 that may be written, or this is not root"
    exit 0
fi
if [ -n "${2:-}" ]; then
    for controller in memory pids cpu io; do echo "+$controller" >"$groups/cgroup.subtree_control"; done
fi
base=$(mktemp -d "${TMPDIR:-/tmp}/group-test.XXXXXX")
parent=$groups/cloche.test-$$

finish() {
    for group in "$parent"/*/ "$parent"; do
        [ ! -e "$group/cgroup.kill" ] || echo 1 >"$group/cgroup.kill"
    done
    find "$parent" -depth -type d -exec rmdir {} \; 2>/dev/null
    rm -rf "$base"
}
trap finish EXIT

# new ID: the directory of a VM
new() {
    rm -rf "$base/$1"
    mkdir "$base/$1"
}

# begin ID OPTION... -- WORD...: a guard in the background, whose program is a taker
begin() {
    id=$1
    shift
    new "$id"
    options=
    while [ "$1" != -- ]; do
        options="$options $1"
        shift
    done
    shift
    "$guard" --dir "$base/$id" --group "$parent" $options --owner-grace-ms 300000 -- "$taker" "$@" </dev/null >"$base/$id.said" 2>&1 &
    eval "guard_$(echo "$id" | tr -d -)=$!"
}

# await WHAT COMMAND...: until it is so
await() {
    what=$1
    shift
    tries=0
    until "$@"; do
        tries=$((tries + 1))
        [ "$tries" -lt 600 ] || { complain "never: $what" && return 1; }
        sleep 0.1
    done
}

said() { grep -q "$2" "$base/$1/console.log" 2>/dev/null; }
gone() { [ ! -e "$1" ]; }
dead() { [ ! -e "/proc/$1" ] || grep -q '^State:.[ZX]' "/proc/$1/status" 2>/dev/null; }
left() { sed -n 's/^left //p' "$base/$1/console.log"; }

# whole ID OPTION... -- WORD...: until the end
whole() {
    begin "$@"
    wait $!
}

exit_has() { grep -q "$2" "$base/$1/exit.json" || complain "$1: not $2: $(cat "$base/$1/exit.json" "$base/$1.said") $(cat "$base/$1/console.log")"; }

# The group is there while its program is, under the VM's name, with all that belongs to it.
begin one --ports "$base/s" -- wait
await "one waits" said one waiting
[ -d "$parent/cloche-one" ] || complain "no group: $(ls "$parent") $(cat "$base/one/group.json")"
grep -q "\"path\":\"$parent/cloche-one\"" "$base/one/group.json" || complain "$(cat "$base/one/group.json")"
[ "$(wc -l <"$parent/cloche-one/cgroup.procs")" = 3 ] || complain "not its program and two helpers: $(cat "$parent/cloche-one/cgroup.procs")"
grep -qx "$guard_one" "$parent/cloche-one/cgroup.procs" && complain "the guard is in it"

first=$guard_one

# A copy of the state root has the same ids; neither touches the other's, nor that of a third.
mv "$base/one" "$base/first"
begin one -- wait
await "the copy waits" said one waiting
[ -d "$parent/cloche-one.1" ] || complain "no second group: $(ls "$parent")"
whole three -- leave
await "what was left is dead" dead "$(left three)"
gone "$parent/cloche-three" || complain "the group of one that has ended is there: $(cat "$parent/cloche-three/cgroup.procs")"
kill "$guard_one"
await "the copy's group is gone" gone "$parent/cloche-one.1"
[ "$(wc -l <"$parent/cloche-one/cgroup.procs")" = 3 ] || complain "a copy's end has ended the first"

# What guards leave that were killed is removed by the next one, under any name.
begin two -- stay
await "two waits" said two waiting
kill -9 "$guard_two"
wait "$guard_two" 2>/dev/null
dead "$(left two)" && complain "two's grandchild does not outlive its guard, and nothing is shown"
whole four -- escape /nowhere
await "two's grandchild is dead" dead "$(left two)"
gone "$parent/cloche-two" || complain "the group of a guard that was killed is there"
begin two -- stay
await "two waits again" said two waiting
kill -9 "$guard_two"
wait "$guard_two" 2>/dev/null
grandchild=$(left two)
begin two -- wait
await "two waits for the third time" said two waiting
dead "$grandchild" || complain "what was left under the same name lives"
[ -d "$parent/cloche-two" ] && [ ! -d "$parent/cloche-two.1" ] || complain "not the same name: $(ls "$parent")"
kill "$guard_two"
[ -d "$parent/cloche-one" ] || complain "one's group was swept while its guard lives"

# What is no directory of a group's own is not touched.
mkdir "$parent/other"
whole four -- escape /nowhere
[ -d "$parent/other" ] || complain "a group of another name was removed"

# Starts that fail leave nothing; nor does a name that is no group's.
new five
"$guard" --dir "$base/five" --group "$parent" -- /nowhere </dev/null >"$base/five.said" 2>&1 && complain "nothing was started, and nothing said"
gone "$parent/cloche-five" || complain "a failed start leaves its group"
for place in "$base" "$base/nothing" /proc "$parent/no/where"; do
    new five
    "$guard" --dir "$base/five" --group "$place" -- "$taker" wait </dev/null >"$base/five.said" 2>&1
    [ $? = 70 ] || complain "$place: $(cat "$base/five.said")"
    grep -q "^failed the group $place is not to be had (" "$base/five.said" || complain "$place: $(cat "$base/five.said")"
    [ ! -e "$base/five/console.log" ] || complain "$place: a program was started"
done
gone "$base/nothing" || complain "a directory was made that is no group"
"$guard" --dir "$base/five" --group relative -- "$taker" wait </dev/null >"$base/five.said" 2>&1
grep -q '^failed --group needs auto or an absolute path: relative' "$base/five.said" || complain "relative: $(cat "$base/five.said")"

# Behind walls it is the same, and none of its files is reached.
for level in reduced sealed full; do
    rm -rf "$base/walls"
    begin walls --isolation "$level" -- escape "$parent/cloche-walls"
    wait $!
    grep -q "is not to be had (" "$base/walls.said" && echo "skipped: $level, $(cat "$base/walls.said")" && continue
    said walls '^tried' || complain "$level: $(cat "$base/walls.said" "$base/walls/console.log")"
    # At reduced it is Landlock that shuts them.
    [ "$level" = reduced ] && ! grep -q landlock /sys/kernel/security/lsm 2>/dev/null && continue
    said walls OPEN && complain "$level: $(cat "$base/walls/console.log")"
done
gone "$parent/cloche-walls" || complain "the group of one behind walls is there"

# One whose groups are not delegated goes on without, and says so.
begin none --group auto -- wait
await "none waits" said none waiting
grep -q '"path":null,"missing":"' "$base/none/group.json" || complain "auto: $(cat "$base/none/group.json")"
kill "$guard_none"

if ! grep -qw memory "$parent/cgroup.controllers"; then
    grep -q '"missing":"memory: the group around it does not have it; tasks: ' "$base/two/group.json" && complain "a limit is missed that was not asked for"
    whole six --group-memory 67108864 --group-tasks 20 --group-weight 200 -- eat 1
    grep -q '"missing":"memory: the group around it does not have it; tasks: the group around it does not have it; processor time: ' \
        "$base/six/group.json" || complain "$(cat "$base/six/group.json")"
    exit_has six '"goodbye":""}'
    echo "skipped: the limits of groups, for there are no controllers at $groups"
else
    limits="--group-memory 67108864 --group-tasks 20 --group-weight 200"
    whole six $limits -- eat 20
    exit_has six '"exitCode":0'
    exit_has six '"memoryPeak":2[0-9]\{7\},"oomKills":0'
    grep -q '"missing":""' "$base/six/group.json" || complain "$(cat "$base/six/group.json")"
    whole six $limits -- eat 100
    exit_has six '"cause":"exited","exitCode":null,"signal":9,.*"memoryPeak":6[0-9]\{7\},"oomKills":[1-9]'
    whole six $limits -- fill "$base/file" 100
    said six 'filled 100' || complain "what is written to a disk counts for ever: $(cat "$base/six/exit.json")"
    rm -f "$base/file"
    whole six $limits -- crowd
    said six '^crowd [12][0-9]$' || complain "more than it may have: $(cat "$base/six/console.log")"
    begin six $limits -- wait
    await "six waits" said six waiting
    [ "$(cat "$parent/cloche-six/cpu.weight")" = 200 ] || complain "its weight is $(cat "$parent/cloche-six/cpu.weight")"
    # The host's end of it is told like its group's: both count there.
    kill -9 "$(head -1 "$parent/cloche-six/cgroup.procs")"
    wait $!
    exit_has six '"cause":"exited",.*"signal":9,.*"oomKills":0'
    if [ -d /dev/shm ]; then
        mkdir /dev/shm/cloche-memory-disk
        whole six $limits --monitor /dev/shm/cloche-memory-disk -- eat 1
        grep -q '"missing":"memory: the disk is in memory itself"' "$base/six/group.json" || complain "$(cat "$base/six/group.json")"
        rmdir /dev/shm/cloche-memory-disk
        mkdir /dev/shm/cloche-memory-vm
        "$guard" --dir /dev/shm/cloche-memory-vm --group "$parent" $limits --monitor "$base" -- "$taker" eat 1 </dev/null >/dev/null
        grep -q '"missing":"memory: the disk is in memory itself"' /dev/shm/cloche-memory-vm/group.json ||
            complain "$(cat /dev/shm/cloche-memory-vm/group.json)"
        rm -r /dev/shm/cloche-memory-vm
    fi
    # As an ordinary user, to whom a group was left in which its processes are: the guard moves them out of the way.
    scope=$parent/test.scope
    mkdir "$scope"
    chmod 755 "$parent" "$base"
    chown -R 1000:1000 "$scope"
    "$taker" delegate "$scope" || complain "it cannot be marked as delegated"
    new user
    chown 1000 "$base/user"
    sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$scope" "$taker" as 1000 "$guard" --dir "$base/user" --group auto $limits \
        --owner-grace-ms 300000 -- "$taker" wait </dev/null >"$base/user.said" 2>&1 &
    user=$!
    await "the user's waits" said user waiting
    [ -d "$scope/cloche-user" ] || complain "no group for a user: $(cat "$base/user/group.json" "$base/user.said")"
    grep -q '"missing":""' "$base/user/group.json" || complain "$(cat "$base/user/group.json")"
    grep -q "$scope/cloche.owners$" "/proc/$user/cgroup" || sed -n 's/^0:://p' "/proc/$user/cgroup" | grep -q '/test.scope/cloche.owners$' ||
        complain "its owners are in $(cat "/proc/$user/cgroup")"
    # Another one from there finds the same group; one that is ended takes all of its own with it.
    new next
    chown 1000 "$base/next"
    sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$scope/cloche.owners" "$taker" as 1000 "$guard" --dir "$base/next" --group auto $limits \
        -- "$taker" eat 100 </dev/null >"$base/next.said" 2>&1
    exit_has next '"signal":9,.*"oomKills":[1-9]'
    gone "$scope/cloche-next" || complain "the user's second group is there"
    kill -9 "$user"
    wait "$user" 2>/dev/null
    new next
    chown 1000 "$base/next"
    sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$scope/cloche.owners" "$taker" as 1000 "$guard" --dir "$base/next" --group auto $limits \
        -- "$taker" eat 1 </dev/null >"$base/next.said" 2>&1
    gone "$scope/cloche-user" || complain "the user's killed guard has left its group"
    # Of a service the guard leaves the group as it is; where its processes are beside, that gives what a scope gives.
    service=$parent/test.service
    mkdir -p "$service/main"
    "$taker" delegate "$service"
    for place in service service/main; do
        new next
        sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$parent/test.$place" "$guard" --dir "$base/next" --group auto $limits \
            -- "$taker" eat 1 </dev/null >"$base/next.said" 2>&1
        case $place in
            service) grep -q '"path":null,"missing":"this process is in that of its service itself' "$base/next/group.json" ;;
            *) grep -q "\"path\":\"$service/cloche-next\",\"missing\":\"\"" "$base/next/group.json" ;;
        esac || complain "$place: $(cat "$base/next/group.json")"
        gone "$service/cloche.owners" || complain "processes of a service were moved"
    done
    # From outside of what it was left a user has no way in, and is told so.
    new next
    chown 1000 "$base/next"
    "$taker" as 1000 "$guard" --dir "$base/next" --group "$scope" -- "$taker" wait </dev/null >"$base/next.said" 2>&1
    grep -q "^failed the group $scope is not to be had (Permission denied)" "$base/next.said" || complain "outside: $(cat "$base/next.said")"
    gone "$scope/cloche-next" || complain "a group that could not be entered is there"
fi
kill "$first"
await "one's group is gone" gone "$parent/cloche-one"
[ "$failed" = 0 ] && echo ok
exit "$failed"
