#!/usr/bin/env python3
"""Checks the agent in real VMs: end_to_end.py SHARE [NAME...]

SHARE holds cloche-guard, cloche-tsc, initramfs and kernel/: dist/share, as ./setup makes it. Needs qemu-system-x86_64, mkfs.erofs and a static
busybox. Every check is a function `check_…` that gets a running VM; names on the command line choose among them."""

import os
import shutil
import struct
import subprocess
import sys
import tempfile
import time

from cloche_vm import (
    ACKNOWLEDGED, ATTACH, AWAIT_INIT, CONFIGURE, COPY_IN, COPY_OUT, DATA, DETACH, DONE_RECORD, ENTRY, EXEC,
    FAILED_RECORD, FILE, FREEZE, INIT, LIST_NAMES, LOG, MAIN, MKDIR, PING, PORTS, QUIESCE, READ, RELEASE, REMOVE, RENAME,
    RESET, RESIZE, SHUTDOWN, SIGNAL, STAT, STDIN, STOP_SIGNAL, TERMINAL, THAW, TO_THE_END, WITH_STDIN, WRITE,
    Entry, Failed, FileFailed, Vm, data_record, encode, exec_payload, field, file_payload, frames, network, records_of, text,
)

EXITED_BY, KILLED_BY = 0, 1
PASSWD = "root:x:0:0:root:/root:/bin/sh\nbob:x:1000:1001:Bob:/home/bob:/bin/sh\nbroken line\nnohome:x:7:7::\n"
GROUP = "root:x:0:\nbob:x:1001:\nwheel:x:10:root,bob\ndisk:x:6:bob\nempty:x:\n"


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


def failure(action, code):
    try:
        action()
    except Failed as failed:
        expect(failed.code == code, f"code {code} wanted, came {failed}")
        expect(len(failed.sentence) > 5, "a sentence")
        return failed.sentence
    raise AssertionError(f"failure {code} wanted, but it worked")


def wait_until(condition, what, seconds=300):
    deadline = time.monotonic() + seconds
    while not condition():
        expect(time.monotonic() < deadline, what)
        time.sleep(0.1)


def sh(channel, script, **options):
    return channel.run(["sh", "-c", script], **options)


def check_exec_and_streams(vm, c):
    expect(c.run(["echo", "hello"]) == ((EXITED_BY, 0), b"hello\n", b""), "echo")
    expect(sh(c, "echo out; echo err >&2; exit 7") == ((EXITED_BY, 7), b"out\n", b"err\n"), "streams apart")
    expect(sh(c, "kill -9 $$")[0] == (KILLED_BY, 9), "killed by a signal")
    expect(c.run(["printf", "%s|", "a b", "", "ä"])[1] == "a b||ä|".encode(), "arguments as given")
    out = c.run(["env"], env=["PATH=/bin", "A=b=c", "EMPTY="])[1].decode().splitlines()
    expect(sorted(out) == ["A=b=c", "EMPTY=", "HOME=/root", "PATH=/bin"], out)
    expect(sh(c, "cat; echo end")[1] == b"end\n", "stdin is /dev/null")
    out = sh(c, "ls -l /proc/self/fd | wc -l; ps -o pid,sid,pgid,comm | grep 'sh$'; ulimit -n")[1].decode().split()
    expect(out[0] == "5", "no descriptors leak: " + out[0])  # total, 0, 1, 2 and the listed directory
    expect(out[1] == out[2] == out[3], "own session and group")
    expect(out[-1] == "1024", out)


def check_stdin(vm, c):
    e = c.exec(["cat"], flags=1)
    data = os.urandom(1 << 20)
    e.stdin(data)
    e.eof()
    expect(e.wait() == (EXITED_BY, 0) and bytes(e.out) == data, "1 MiB through cat")
    e = c.exec(["sh", "-c", "exec <&-; echo closed; sleep 1; echo done"], flags=1)
    while b"closed" not in e.out:
        c.step()
    e.stdin(bytes(900000))  # more than the window: a process that does not read must not hang the writer
    expect(e.wait() == (EXITED_BY, 0), "stdin that no process reads")
    # Beyond the credit: the agent drops the excess and lives.
    e = c.exec(["wc", "-c"], flags=1)
    for _ in range(8):
        c.send(STDIN, stream=e.stream, payload=bytes(65536))
    e.eof()
    e.wait()
    expect(4 * 65536 <= int(e.out) <= 8 * 65536, bytes(e.out))


def check_full_stdin_blocks_nobody(vm, c):
    stuck = c.exec(["sleep", "100"], flags=1)
    stuck.stdin(bytes(400000))
    c.send(STDIN, stream=stuck.stream, payload=bytes(min(65536, stuck.stdin_credit) or 1))
    expect(c.request(PING, b"abc").payload == b"abc", "pong")
    expect(c.run(["echo", "x"])[1] == b"x\n", "another execution")
    stuck.signal(9)
    expect(stuck.wait() == (KILLED_BY, 9), "killed")


def check_order(vm, c):
    (kind, code), out, _ = sh(c, "seq 1 10000")
    expect((kind, code) == (0, 0) and out.decode().split() == [str(i) for i in range(1, 10001)], "10,000 lines")
    (kind, code), out, err = sh(c, "head -c 5000000 /dev/zero; head -c 3000000 /dev/zero >&2")
    expect((len(out), len(err)) == (5000000, 3000000), (len(out), len(err)))


def check_output_credit(vm, c):
    c.auto_credit = False
    e = c.exec(["sh", "-c", "yes | head -c 100000; yes | head -c 1000 >&2"], credit=1000)
    while len(e.out) < 1000:
        c.step()
    time.sleep(0.5)
    c.request(PING)
    expect(len(e.out) == 1000 and e.exit is None, f"not more than the credit: {len(e.out)}")
    e.credit(1, 5000)
    while len(e.out) < 6000:
        c.step()
    c.request(PING)
    expect(len(e.out) == 6000, len(e.out))
    other = c.run(["echo", "x"])
    expect(other[1] == b"x\n", "another execution is not held up")
    e.credit(1, 0xFFFFFFFF)
    e.credit(3, 1)
    e.credit(2, 1)
    expect(e.wait() == (EXITED_BY, 0) and len(e.out) == 100000 and len(e.err) == 1000, (len(e.out), len(e.err)))
    # Ended before it was read: what is in the pipe at the end still comes, then EXITED.
    e = c.exec(["sh", "-c", "yes | head -c 30000"], credit=0)
    time.sleep(0.5)
    c.request(PING)
    expect(e.exit is None and len(e.out) == 0, "EXITED follows the last byte")
    e.credit(1, 1 << 20)
    expect(e.wait() == (EXITED_BY, 0) and len(e.out) == 30000, len(e.out))
    c.auto_credit = True


def check_attach_and_windows(vm, c):
    other = vm.connect(1).wait_hello()
    # Plain and attached: what was sent stays in the window, so another reads it again, from where it wants.
    e = c.exec(["sh", "-c", "echo 0123456789; read line; echo $line; echo error >&2; exit 3"], flags=WITH_STDIN)
    e.until(b"9\n")
    e.stdin(b"se")
    c.request(PING)
    taken = other.attach(e.stream, out=4)
    expect(taken.base == [4, 0] and taken.stdin_offset == 2 and taken.flags == WITH_STDIN and taken.pid == e.pid, vars(taken))
    c.request(PING)
    expect(e.detached, "the old one is told")
    e.stdin(b"lost")  # from a port that it is not attached to
    c.request(PING)
    taken.stdin(b"cond\n")
    expect(taken.wait() == (EXITED_BY, 3), taken.exit)
    expect((bytes(taken.out), bytes(taken.err)) == (b"456789\nsecond\n", b"error\n"), (taken.out, taken.err))
    failure(lambda: other.attach(e.stream), 8)  # forgotten with its EXITED
    # Plain and not attached: the oldest go, and the gap is told.
    e = c.exec(["sh", "-c", "read go; seq 1 20000; echo bad >&2; exit 4"], flags=WITH_STDIN, window=4096)
    e.stdin(b"go\n")
    c.request(DETACH, stream=e.stream)
    c.request(DETACH, stream=e.stream)
    wanted = "".join(f"{n}\n" for n in range(1, 20001)).encode()
    # By its end alone, some may still be in its pipe.
    wait_until(lambda: c.list()[e.stream].ended and c.list()[e.stream].out_end == len(wanted), "it ends unattached")
    listed = c.list()[e.stream]
    expect((listed.kind, listed.value, listed.attached, listed.program) == (0, 4, 0, "sh"), listed)
    expect(listed.out_end == len(wanted) and listed.out_start == len(wanted) - 4096, listed)
    expect(abs(listed.end / 1e9 - listed.start / 1e9) < 60 and listed.end >= listed.start > 0, listed)
    failure(lambda: c.request(ATTACH, struct.pack("<IQQ", 0, len(wanted) + 1, 0), stream=e.stream), 1)
    taken = c.attach(e.stream, out=10, credit=0)
    expect(taken.base == [listed.out_start, 0], taken.base)
    taken.credit(1, 1 << 20)
    taken.credit(2, 4)
    expect(taken.wait() == (EXITED_BY, 4) and bytes(taken.out) == wanted[-4096:] and taken.err == b"bad\n", taken.out)
    # An offset at the end brings the rest only; detached in the middle it can be read again.
    c.auto_credit = False
    e = c.exec(["sh", "-c", "yes | head -c 50000; sleep 100"], credit=1000)
    while len(e.out) < 1000:
        c.step()
    other.auto_credit = False
    taken = other.attach(e.stream, out=500, credit=2000)
    while len(taken.out) < 2000:
        other.step()
    other.close()
    wait_until(lambda: not c.list()[e.stream].attached and c.list()[e.stream].out_end == 50000, "it runs on unattached")
    taken = c.attach(e.stream, out=0, credit=1 << 20)
    while len(taken.out) < 50000:
        c.step()
    expect(bytes(taken.out) == b"y\n" * 25000, "all of it again")
    failure(lambda: c.request(RELEASE, stream=e.stream), 14)
    taken.signal(9)
    expect(taken.wait() == (KILLED_BY, 9), taken.exit)
    failure(lambda: c.request(RELEASE, stream=e.stream), 8)
    c.auto_credit = True


def check_acknowledged_output(vm, c):
    """Nothing is lost that was not acknowledged, with a reader or without."""
    total = 2000000  # more than fits into the window and the largest pipe, so that it has not ended before it is read
    e = c.exec(["sh", "-c", f"seq 1 400000 | head -c {total}; exit 6"], flags=ACKNOWLEDGED, window=20000)
    while len(e.out) < 20000:
        c.step()
    time.sleep(0.5)
    c.request(PING)
    expect(len(e.out) == 20000, f"it waits for the acknowledgement: {len(e.out)}")
    data = bytes(e.out)
    e.acknowledge(1, 5000)
    while len(e.out) < 25000:
        c.step()
    data = bytes(e.out)
    e.acknowledge(1, 1 << 60)  # more than it can have
    c.request(DETACH, stream=e.stream)
    time.sleep(0.5)
    listed = c.list()[e.stream]
    expect(not listed.ended and listed.out_end - listed.out_start <= 20000, listed)
    position, exit = 25000, None
    while exit is None:
        taken = c.attach(e.stream, out=position, credit=30000)
        expect(taken.base[0] == position, "no gap")
        taken.acknowledge(1, position)  # also what came with the detaching: a full window brings nothing more
        c.step()
        data += bytes(taken.out)
        position += len(taken.out)
        taken.acknowledge(1, position)
        exit = taken.exit
        c.request(DETACH, stream=e.stream)
        data += bytes(taken.out)[position - taken.base[0] :]
        position = len(data)
    wanted = b"".join(b"%d\n" % n for n in range(1, 400001))[:total]
    expect(data == wanted and exit == (EXITED_BY, 6), (len(data), exit))
    again = c.attach(e.stream, out=position)
    expect(again.wait() == (EXITED_BY, 6), "its end is kept")
    expect(c.list()[e.stream].ended, "and listed")
    c.request(RELEASE, stream=e.stream)
    expect(e.stream not in c.list(), "until it is released")
    failure(lambda: c.request(EXEC, exec_payload(["true"], flags=ACKNOWLEDGED | MAIN)), 1)
    failure(lambda: c.request(EXEC, exec_payload(["true"], window=4095)), 1)
    failure(lambda: c.request(EXEC, exec_payload(["true"], window=(16 << 20) + 1)), 1)


def check_kept_executions(vm, c):
    """The latest 64 that ended unattached, and more acknowledged ones than one LISTING holds."""
    other = vm.connect(1).wait_hello()
    plain = []
    for i in range(70):
        plain.append(other.exec(["sh", "-c", f"read x; echo {i}; exit {i}"], flags=WITH_STDIN, window=4096))
    for e in plain:
        e.stdin(b"x\n")
        other.request(DETACH, stream=e.stream)
    other.close()
    ids = {e.stream for e in plain}
    wait_until(lambda: all(x.ended for i, x in c.list().items() if i in ids) and len(ids & c.list().keys()) <= 64, "all end")
    listed = c.list()
    kept = [i for i, e in enumerate(plain) if e.stream in listed]
    expect(len(kept) == 64, kept)
    for i in kept:
        e = c.attach(plain[i].stream)
        expect(e.wait() == (EXITED_BY, i) and bytes(e.out) == b"%d\n" % i, i)
    expect(not ids & c.list().keys(), "read to the end and forgotten")
    many = [c.exec(["/bin/sh", "-c", "exit 1", "x" * 200], flags=ACKNOWLEDGED) for _ in range(20)]
    for e in many:
        e.wait()
    listed = c.list()
    expect(all(listed[e.stream].ended and listed[e.stream].flags == ACKNOWLEDGED for e in many), listed)
    for e in many:
        c.request(RELEASE, stream=e.stream)


def check_descendants_do_not_hold_exited(vm, c):
    start = time.monotonic()
    e = c.exec(["sh", "-c", "sleep 30 & echo started"])
    expect(e.wait() == (EXITED_BY, 0) and bytes(e.out) == b"started\n", "ends at once")
    expect(time.monotonic() - start < 20, "did not wait for the descendant")
    # An orphan becomes the agent's child and is reaped.
    sh(c, "(sleep 0.2 &) ; sleep 1")
    expect(b"Z" not in sh(c, "cat /proc/[0-9]*/stat | cut -d' ' -f3")[1], "no zombies")


def check_failures(vm, c):
    failure(lambda: c.exec(["nosuch"]), 3)
    failure(lambda: c.exec(["/bin/nosuch"]), 3)
    failure(lambda: c.exec([""]), 3)
    failure(lambda: c.exec(["/etc/passwd"]), 4)
    failure(lambda: c.exec(["/etc"]), 4)
    failure(lambda: c.exec(["/opt/no-interpreter"]), 4)
    failure(lambda: c.exec(["echo"], cwd="/nosuch"), 5)
    failure(lambda: c.exec(["echo"], cwd="/etc/passwd"), 5)
    failure(lambda: c.exec(["echo"], cwd="relative"), 1)
    failure(lambda: c.exec(["echo"], user="alice"), 6)
    failure(lambda: c.exec(["echo"], user="bob:nosuch"), 7)
    failure(lambda: c.exec(["echo"], env=["NOEQUALS"]), 1)
    failure(lambda: c.exec(["echo", "a\0b"]), 1)
    failure(lambda: c.exec(["echo"], flags=256), 2)
    failure(lambda: c.request(EXEC, b""), 1)
    failure(lambda: c.request(EXEC, struct.pack("<IIII", 0, 0, 4096, 0xFFFFFFFF)), 1)
    failure(lambda: c.request(SIGNAL, struct.pack("<I", 9), stream=999999), 8)
    failure(lambda: c.request(0x30), 2)
    failure(lambda: c.request(PING, bytes(65)), 1)
    failure(lambda: c.request(EXEC, exec_payload(["echo", "x" * 200000])), 9)  # longer than the kernel's MAX_ARG_STRLEN
    expect(c.run(["echo", "x"])[1] == b"x\n", "alive")


def check_messages_of_many_frames(vm, c):
    many = [f"argument-{i}" for i in range(20000)]
    request = c.begin(EXEC, exec_payload(["sh", "-c", "echo $#", "sh"] + many), piece=30000)
    e = c.executions[c.answer(request).stream]
    expect(e.wait() == (EXITED_BY, 0) and bytes(e.out) == b"20000\n", bytes(e.out))
    request = c.begin(EXEC, bytes(1100000))
    failure(lambda: c.answer(request), 1)
    c.send(EXEC, request=70000, payload=b"xx", flags=1)
    c.request(PING)
    failure(lambda: c.answer(70000), 1)


def check_users(vm, c):
    def ident(user):
        return sh(c, "id -u; id -g; id -G; echo $HOME", user=user)[1].decode().split("\n")[:4]

    expect(ident("") == ["0", "0", "0 10", "/root"], ident(""))
    expect(ident("bob") == ["1000", "1001", "1001 6 10", "/home/bob"] or sorted(ident("bob")[2].split()) == ["10", "1001", "6"], ident("bob"))
    expect(ident("1000")[3] == "/home/bob", ident("1000"))
    expect(ident("bob:wheel")[:3] == ["1000", "10", "10"], ident("bob:wheel"))
    expect(ident("1234:4321") == ["1234", "4321", "4321", "/"], ident("1234:4321"))
    expect(ident("4242") == ["4242", "0", "0", "/"], ident("4242"))
    expect(sh(c, "echo x > /dev/stderr", user="bob")[2] == b"x\n", "a user may reopen its streams")
    # Longer than what is read at a time, with a line that is so by itself.
    filler = "awk 'BEGIN { for (i = 0; i < 2000; i++) print \"%s\" i \":x:\" i + 5000 \"%s\"; while (n++ < 20000) printf \"x\"; print \"%s\" }' >> %s"
    sh(c, "cp /etc/passwd /tmp/passwd; cp /etc/group /tmp/group")
    sh(c, filler % ("user", ":5000::/home/other:/bin/sh", ":x:4444:4444::/long:/bin/sh", "/etc/passwd") + "; echo far:x:3333:3334::/far:/bin/sh >> /etc/passwd")
    sh(c, filler % ("group", ":far", ":x:4444:far", "/etc/group") + "; echo last:x:3335:far >> /etc/group")
    uid, gid, groups, home = ident("far")
    expect((uid, gid, home) == ("3333", "3334", "/far") and len(groups.split()) == 257, (uid, gid, groups, home))
    expect(ident("user1999:last")[:2] == ["6999", "3335"], ident("user1999:last"))
    failure(lambda: c.exec(["true"], user="x" * 400), 6)
    sh(c, "mv /tmp/passwd /etc/passwd; mv /tmp/group /etc/group")


def check_working_directory(vm, c):
    expect(sh(c, "pwd", cwd="/tmp")[1] == b"/tmp\n", "cwd")
    expect(sh(c, "pwd", cwd="")[1] == b"/\n", "empty is /")
    out = sh(c, "pwd; touch mine; stat -c %u .", cwd="/work/a/b", flags=4, user="bob")
    expect(out == ((EXITED_BY, 0), b"/work/a/b\n1000\n", b""), out)


def check_signals(vm, c):
    e = c.exec(["sh", "-c", "trap 'echo got; exit 3' TERM; echo ready; while :; do sleep 0.1; done"])
    while b"ready" not in e.out:
        c.step()
    e.signal(15)
    expect(e.wait() == (EXITED_BY, 3) and bytes(e.out) == b"ready\ngot\n", bytes(e.out))
    failure(lambda: e.signal(15), 8)
    e = c.exec(["sleep", "100"])
    failure(lambda: e.signal(0), 1)
    failure(lambda: e.signal(65), 1)
    e.signal(9)
    expect(e.wait() == (KILLED_BY, 9), "killed")
    other = vm.connect(6).wait_hello()
    e = c.exec(["sleep", "100"])
    other.request(SIGNAL, struct.pack("<I", 2), stream=e.stream)
    expect(e.wait() == (KILLED_BY, 2), "a signal from another port")
    other.close()


def check_configure(vm, c):
    moment = 1_900_000_000 * 10**9
    c.request(CONFIGURE, field(1, "bell") + field(2, struct.pack("<Q", moment)) + field(3, os.urandom(64)) + field(4, "0123456789abcdef" * 2))
    out = sh(c, "hostname; cat /etc/hostname; date +%s; cat /etc/machine-id; ping -c1 -W1 127.0.0.1 >/dev/null && echo up")[1].decode().split()
    expect(out[:2] == ["bell", "bell"] and 0 <= int(out[2]) - 1_900_000_000 < 30, out)
    expect(out[3:] == ["0123456789abcdef" * 2, "up"], out)
    expect(b"bell" in sh(c, "cat /etc/hosts")[1], "the name is in /etc/hosts")
    failure(lambda: c.request(CONFIGURE, field(1, "other") + field(77, "x")), 2)
    failure(lambda: c.request(CONFIGURE, field(1, "other") + field(4, "short")), 1)
    failure(lambda: c.request(CONFIGURE, field(1, "other") + b"abc"), 1)
    expect(sh(c, "hostname")[1] == b"bell\n", "a refused frame has no effect")
    failure(lambda: c.request(CONFIGURE, field(1, "a") + field(1, "b")), 1)
    failure(lambda: c.request(CONFIGURE, field(7, network(addresses=["10.0.2.15/24"]))), 2)  # there is no interface


def check_variables_and_secrets(vm, c):
    c.request(CONFIGURE, field(5, "A=1") + field(5, "B=x=y") + field(5, "HOME=/elsewhere"))
    out = c.run(["env"], env=["PATH=/bin", "A=own"])[1].decode().splitlines()
    expect(sorted(out) == ["A=own", "B=x=y", "HOME=/elsewhere", "PATH=/bin"], out)
    c.request(CONFIGURE, field(5, "C=3"))
    expect(b"B=" not in c.run(["env"])[1] and b"C=3" in c.run(["env"])[1], "later ones replace all")
    failure(lambda: c.request(CONFIGURE, field(5, "=x")), 1)
    failure(lambda: c.request(CONFIGURE, field(5, "X=1") * 1025), 1)
    big = os.urandom(65536)
    c.request(CONFIGURE, field(6, b"key=abc\0=\n") + field(6, b"big=" + big) + field(6, "empty="))
    out = sh(c, "cd /run/secrets; ls -A; stat -c %a:%u * ; sha1sum big; cat key; grep /run/secrets /proc/mounts")[1]
    import hashlib

    for wanted in (b"big\nempty\nkey\n400:0\n400:0\n400:0\n", hashlib.sha1(big).hexdigest().encode(), b"abc\0=\n", b"tmpfs /run/secrets tmpfs"):
        expect(wanted in out, (wanted, out))
    expect(sh(c, "cat /run/secrets/key", user="bob")[0] == (EXITED_BY, 1), "only root reads them")
    c.request(CONFIGURE, field(6, "other=1"))
    out = sh(c, "ls -A /run/secrets; grep -c /run/secrets /proc/mounts")
    expect(out[1] == b"other\n1\n", out)
    for bad in ("no-equals", "=x", ".x=1", "a/b=1", "n" * 65 + "=1", "x=" + "y" * 65537):
        failure(lambda: c.request(CONFIGURE, field(6, bad)), 1)
    failure(lambda: c.request(CONFIGURE, field(6, "x=1") + field(6, "x=2")), 1)
    # EXEC right behind CONFIGURE: one after the other.
    for i in range(5):
        first = c.begin(CONFIGURE, field(1, f"bell{i}") + field(5, f"N={i}"))
        second = c.begin(EXEC, exec_payload(["sh", "-c", "hostname; echo $N"]))
        e = c.executions[c.answer(second).stream]
        c.answer(first)
        expect(e.wait() == (EXITED_BY, 0) and bytes(e.out) == b"bell%d\n%d\n" % (i, i), bytes(e.out))
    c.request(CONFIGURE, field(5, "N=0"))


def check_configure_does_not_hang_on_a_hostile_root(vm, c):
    """/etc is a FIFO's directory that blocks a process that opens it for writing; the agent's child waits at most."""
    out = sh(c, "mkdir /x && mount -t tmpfs x /x && mkfifo /x/hostname.cloche-new /x/hostname && mount --bind /x /etc")
    expect(out[0] == (EXITED_BY, 0), out)
    try:
        c.request(CONFIGURE, field(1, "other"))
    except Failed as failed:
        expect(failed.code == 10, failed)
    expect(sh(c, "umount /etc; umount /x")[0] == (EXITED_BY, 0), "back")


def check_limits(vm, c):
    unlimited = 2**64 - 1
    out = sh(c, "ulimit -n; ulimit -Hn; ulimit -c; ulimit -f", limits=[(7, 100, 200), (4, 0, unlimited), (1, 1024, 1024)])
    expect(out[1].split() == [b"100", b"200", b"0", b"2"], out)
    failure(lambda: c.exec(["true"], limits=[(99, 1, 1)]), 13)
    failure(lambda: c.exec(["true"], limits=[(7, 2, 1)]), 13)
    failure(lambda: c.exec(["true"], limits=[(7, 1, 1)] * 17), 1)
    expect(sh(c, "while :; do :; done", limits=[(0, 1, 1)])[0] == (KILLED_BY, 9), "a second of processor time")
    out = sh(c, "awk '{ print $19 }' /proc/1/stat /proc/self/stat")[1]
    expect(out == b"-10\n0\n", ("the agent goes first, its children do not", out))


def check_terminal(vm, c):
    e = c.exec(["sh", "-c", "tty; stty size; echo $TERM; test -t 2 && echo all; ls -l /proc/self/fd 2>&1 | grep -c pts; read x; echo got:$x; cat; echo end"],
               flags=TERMINAL | WITH_STDIN, size=(33, 99), user="bob")
    e.stdin(b"hi\n")
    e.until(b"got:hi\r\n")
    lines = bytes(e.out).decode().replace("hi\r\n", "", 1).splitlines()
    expect(lines[0].startswith("/dev/pts/") and lines[1:5] == ["33 99", "xterm", "all", "1"], lines)
    c.request(RESIZE, struct.pack("<II", 50, 120), stream=e.stream)
    failure(lambda: c.request(RESIZE, struct.pack("<II", 0, 120), stream=e.stream), 1)
    e.eof()
    expect(e.wait() == (EXITED_BY, 0) and bytes(e.out).endswith(b"end\r\n") and not e.err, bytes(e.out))
    # The new size arrives by signal, and Ctrl-C goes to the foreground group.
    e = c.exec(["sh", "-c", "trap 'stty size' WINCH; trap 'echo int; exit 9' INT; echo ready; while :; do sleep 0.1; done"],
               flags=TERMINAL | WITH_STDIN, size=(1, 1))
    e.until(b"ready")
    c.request(RESIZE, struct.pack("<II", 7, 77), stream=e.stream)
    e.until(b"7 77")
    e.stdin(b"\x03")
    expect(e.wait() == (EXITED_BY, 9), (e.exit, e.out))
    # Nobody reads: nothing is lost, and what descendants hold open does not hold up the end.
    c.auto_credit = False
    e = c.exec(["sh", "-c", "trap '' HUP; sleep 60 & seq 1 30000; echo last"], flags=TERMINAL, size=(24, 80), credit=0, window=4096)
    time.sleep(1)
    expect(c.request(PING, b"x").payload == b"x" and e.exit is None, "waits")
    c.auto_credit = True
    e.credit(1, 1 << 20)
    wanted = "".join(f"{n}\r\n" for n in range(1, 30001)).encode() + b"last\r\n"
    expect(e.wait() == (EXITED_BY, 0) and bytes(e.out) == wanted, (e.exit, len(e.out), len(wanted)))
    e = c.exec(["sh", "-c", "setsid sh -c 'trap \"echo hup > /tmp/hup\" HUP; while sleep 0.1; do echo x; done' & sleep 0.3"], flags=TERMINAL, size=(24, 80))
    expect(e.wait() == (EXITED_BY, 0), "ends while a descendant writes")
    plain = c.exec(["sleep", "9"])
    failure(lambda: c.request(RESIZE, struct.pack("<II", 1, 1), stream=plain.stream), 1)
    plain.signal(9)
    plain.wait()
    failure(lambda: c.request(RESIZE, struct.pack("<II", 1, 1), stream=plain.stream), 8)
    failure(lambda: c.exec(["true"], flags=TERMINAL), 1)


def check_metrics(vm, c):
    before = c.metrics()
    expect(set(before) == set(range(1, 12)), before)
    e = c.exec(["sh", "-c", "head -c 3000000 /dev/zero > /tmp/m; touch /tmp/m2; echo; i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done; cat"], flags=WITH_STDIN)
    e.until(b"\n")
    time.sleep(0.5)
    after = c.metrics()
    expect(after[1] > before[1] and after[2] == 1 and after[3] > before[3], (before, after))
    expect(after[4] == before[4] and 100 << 20 < after[4] < 256 << 20 and 0 < after[5] < after[4], after)
    listed = int(sh(c, "ls -d /proc/[0-9]* | wc -l")[1])
    expect(abs(after[6] - listed) < 15 and after[6] > 10, (after[6], listed))
    expect(before[8] - after[8] >= 3000000 and after[7] == before[7] and before[10] - after[10] >= 2, (before, after))
    expect(after[11] == before[11] + 1, after)
    e.signal(9)
    e.wait()
    sh(c, "mount -t tmpfs x /proc")
    try:
        expect(c.metrics()[4] == after[4], "the guest's /proc does not matter")
    finally:
        sh(c, "umount /proc")


def check_quiesce(vm, c):
    e = c.exec(["cat"], flags=WITH_STDIN)
    c.request(QUIESCE)
    failure(lambda: c.exec(["echo"]), 11)
    c.request(CONFIGURE, field(1, "bell"))
    failure(lambda: c.exec(["echo"]), 11)
    e.stdin(b"on")
    e.until(b"on")
    e.signal(9)
    c.request(CONFIGURE, field(3, os.urandom(32)))
    expect(c.run(["echo", "x"])[1] == b"x\n", "with entropy it goes on")
    c.request(FREEZE, struct.pack("<I", 1000))  # a layer in memory
    expect(sh(c, "echo x > /tmp/x && cat /tmp/x")[1] == b"x\n", "nothing is frozen")
    c.request(THAW)
    failure(lambda: c.request(FREEZE, struct.pack("<I", 0)), 1)


def check_unplugged_ports(vm, c):
    other = vm.connect(4).wait_hello()
    e = other.exec(["sh", "-c", "echo 1; sleep 100"])
    e.until(b"1")
    vm.qmp(("device_del", {"id": "p4"}))
    wait_until(lambda: not c.list()[e.stream].attached, "its executions run on unattached")
    wait_until(lambda: b"vport0p5" not in sh(c, "ls /sys/class/virtio-ports")[1], "the port is gone")
    other.close()
    wait_until(lambda: vm.plug_device(4), "QEMU lets go of the port, too")
    other = vm.connect(4).wait_hello()
    taken = other.attach(e.stream)
    taken.until(b"1")
    taken.signal(9)
    expect(taken.wait() == (KILLED_BY, 9), "another port of the same name takes over")
    other.close()


def check_root(vm, c):
    out = sh(c, "cat /proc/mounts; ls -ld / /tmp /dev/shm; readlink /dev/fd; touch /new && echo written; cat /proc/1/cmdline")[1].decode()
    for wanted in ["overlay / overlay rw", "/sys/fs/cgroup cgroup2", "/dev/pts", "/dev/mqueue", "/proc/self/fd", "written"]:
        expect(wanted in out, f"{wanted} in {out}")
    expect(" erofs " not in out and "rootfs" not in out, "nothing below the overlay is reachable: " + out)
    expect(b"0123" in sh(c, "head -c 4 /data/big; tail -c 4 /data/big")[1], "data of the image")


def check_reset_in_mid_frame(vm, c):
    other = vm.connect(1).wait_hello()
    survivor = other.exec(["sh", "-c", "sleep 2; echo late >> /tmp/survived"])
    frame = encode(EXEC, request=9, payload=exec_payload(["sh", "-c", "echo never > /tmp/never"] + ["x" * 1000] * 50))
    for cut in (3, 20, 24, 500, len(frame) - 1):
        other.socket.sendall(frame[:cut])
        other.close()
        other = vm.connect(1).wait_hello()  # the owner died; the next one comes at once
        expect(other.request(PING, b"hi").payload == b"hi", f"cut at {cut}")
    other.socket.sendall(b"CLH1 garbage CLH1CLH1" + os.urandom(5000))
    expect(other.request(PING, b"yo").payload == b"yo", "garbage between frames is passed over")
    broken = bytearray(encode(PING, request=77, payload=b"broken"))
    broken[-1] ^= 1
    other.socket.sendall(broken)
    expect(other.request(PING, b"ok").payload == b"ok" and 77 not in other.answers, "a broken seal is no frame")
    deadline = time.monotonic() + 300
    while sh(c, "cat /tmp/survived; ls /tmp/never")[1] != b"late\n":
        expect(time.monotonic() < deadline, "executions survive their connection")
        time.sleep(0.3)
    other.close()


def check_owner_dies_with_output_in_flight(vm, c):
    other = vm.connect(2).wait_hello()
    other.auto_credit = False
    e = other.exec(["sh", "-c", "i=0; while [ $i -lt 300 ]; do head -c 10000 /dev/zero; i=$((i+1)); done; echo done > /tmp/flood"], credit=50000)
    while len(e.out) < 50000:
        other.step()
    expect(e.exit is None, "held up by its credit")
    other.close()
    wait_until(lambda: sh(c, "cat /tmp/flood")[1] == b"done\n", "without a connection an execution goes on")
    again = vm.connect(2).wait_hello()
    expect(again.run(["echo", "x"])[1] == b"x\n", "the port works again")
    again.close()


def check_a_host_that_does_not_read_blocks_nobody(vm, c):
    import socket

    vm.plug(3)
    deaf = socket.socket(socket.AF_UNIX)
    deaf.connect(vm.path("c3"))
    deaf.sendall(bytes(65540) + encode(RESET, payload=bytes(8)))
    deaf.settimeout(2)
    try:
        deaf.sendall(encode(EXEC, request=1, payload=exec_payload(["yes"], credit=1 << 24)))
        for i in range(500000):  # more answers than any queue holds
            deaf.sendall(encode(PING, request=i + 2, payload=bytes(64)))
    except TimeoutError:
        pass
    else:
        raise AssertionError("the agent took any number of requests without room for their answers")
    expect(c.request(PING, b"alive").payload == b"alive", "another port")
    expect(sh(c, "seq 1 2000")[1].count(b"\n") == 2000, "another port's output")
    deaf.close()
    back = vm.connect(3).wait_hello()
    expect(back.request(PING, b"back").payload == b"back", "its successor is served")
    sh(back, "killall yes")
    back.close()


def check_a_root_that_forges_ports_keeps_none_from_coming(vm, c):
    """It mounts its own /sys and /dev, where each port is a pipe without a reader, and announces ports without end."""
    out = sh(c, """
        mkdir -p /real /forged/dev
        for i in 1 2 3 4 5 6 7; do
            mkdir -p /forged/class/virtio-ports/vport9p$i
            echo cloche.$i > /forged/class/virtio-ports/vport9p$i/name
            echo 1:3 > /forged/class/virtio-ports/vport9p$i/dev
            mkfifo /forged/dev/vport9p$i
        done
        mount --bind /sys /real && ls -d /real/class/virtio-ports/*/uevent
    """)
    expect(out[0] == (EXITED_BY, 0), out)
    flood = c.exec(["sh", "-c", """
        for port in /real/class/virtio-ports/*/uevent; do
            (while :; do echo change; done > $port) &
            (while :; do echo add; done > $port) &
        done
        mount --bind /forged /sys && mount --bind /forged/dev /dev && echo flooding
        wait
    """])
    while b"flooding" not in flood.out:
        c.step()
    expect(c.request(PING, b"alive").payload == b"alive", "the port that was there")
    other = vm.connect(5).wait_hello()
    expect(other.request(PING, b"new").payload == b"new", "a port that comes meanwhile")
    flood.signal(9)
    expect(flood.wait() == (KILLED_BY, 9), (flood.exit, flood.err))
    wait_until(lambda: sh(c, "umount /real")[0] == (EXITED_BY, 0), "all of the flood have ended")
    out = sh(c, "umount /dev && umount /sys && cat /sys/class/virtio-ports/*/name", flags=1)
    expect(out[0] == (EXITED_BY, 0) and b"cloche.5\n" in out[1], out)
    other.close()


def file_failure(action, number):
    try:
        action()
    except FileFailed as failed:
        expect(failed.error == number, f"errno {number} wanted, came {failed}")
        expect(failed.path.startswith("/") and failed.sentence.endswith("."), f"{failed}")
        return failed
    raise AssertionError(f"errno {number} wanted, but it worked")


def content(records):
    """The bytes of one file, holes filled."""
    data = bytearray()
    for kind, body in records:
        expect(kind == DATA, kind)
        at = struct.unpack_from("<Q", body)[0]
        expect(at >= len(data), "offsets rise")
        data += bytes(at - len(data)) + body[8:]
    return bytes(data)


def check_files_small(vm, c):
    """Each operation, and each of its failures."""
    c.files(MKDIR, "/f/a/b", mode=0o750, flags=1)
    c.files(MKDIR, "/f/a/b", mode=0o750, flags=1)
    file_failure(lambda: c.files(MKDIR, "/f/a", mode=0o700), 17)
    file_failure(lambda: c.files(MKDIR, "/f/none/x", mode=0o700), 2)
    c.files(WRITE, "/f/file", data_record(0, b"hello ") + data_record(6, b"world") + DONE_RECORD, mode=0o4711)
    expect(content(c.files(READ, "/f/file", length=TO_THE_END)) == b"hello world", "read")
    expect(content(c.files(READ, "/f/file", offset=4, length=3))[4:] == b"o w", "read in part")
    c.files(WRITE, "/f/file", data_record(0, b"!") + DONE_RECORD, flags=2)
    c.files(WRITE, "/f/file", data_record(0, b"J") + DONE_RECORD)
    expect(sh(c, "cat /f/file; stat -c ' %a %u' /f/file")[1] == b"Jello world! 4711 0\n", "written")
    file_failure(lambda: c.files(WRITE, "/f/file", DONE_RECORD, flags=1), 17)
    c.files(WRITE, "/f/file", DONE_RECORD, flags=4)
    expect(c.files(READ, "/f/file", length=TO_THE_END) == [], "truncated")
    file_failure(lambda: c.files(READ, "/f", length=1), 21)
    sh(c, "ln -s ../etc/passwd /f/link; mkfifo /f/fifo; touch -d @1000000000 /f/a")
    link = Entry.of(c.files(STAT, "/f/link")[0][1])
    expect((link.kind, link.name, link.target) == (3, b"", b"../etc/passwd"), vars(link))
    file = Entry.of(c.files(STAT, "/f/link", flags=1)[0][1])
    expect((file.kind, file.mode, file.size) == (1, 0o644, len(PASSWD)), vars(file))
    listed = {e.name: e for e in (Entry.of(body) for kind, body in c.files(LIST_NAMES, "/f") if kind == ENTRY)}
    expect(listed.keys() == {b"a", b"file", b"link", b"fifo"} and listed[b"fifo"].kind == 4, listed.keys())
    expect(listed[b"a"].seconds == 1000000000 and listed[b"link"].target == b"../etc/passwd", "details")
    expect(Entry.of(c.files(STAT, "/dev/null")[0][1]).minor == 3, "device numbers")
    file_failure(lambda: c.files(RENAME, "/f/file", target="/f/link", flags=1), 17)
    file_failure(lambda: c.files(RENAME, "/f/file", target="/dev/shm/file"), 18)
    c.files(RENAME, "/f/file", target="/f/link")
    file_failure(lambda: c.files(STAT, "/f/file"), 2)
    file_failure(lambda: c.files(REMOVE, "/f"), 39)
    sh(c, "mkdir /f/mounted && mount -t tmpfs none /f/mounted && touch /f/mounted/kept")
    file_failure(lambda: c.files(REMOVE, "/f", flags=1), 16)
    expect(sh(c, "cat /f/mounted/kept && umount /f/mounted")[0] == (EXITED_BY, 0), "what is mounted stays")
    c.files(REMOVE, "/f", flags=1)
    file_failure(lambda: c.files(LIST_NAMES, "/f"), 2)
    file_failure(lambda: c.files(WRITE, "/proc/version", DONE_RECORD + b"", flags=1), 17)
    file_failure(lambda: c.files(WRITE, "/sys/none", DONE_RECORD, mode=0o600), 13)
    expect(content(c.files(READ, "/proc/version", length=TO_THE_END)).startswith(b"Linux"), "a file without a size")


def check_files_as_a_user(vm, c):
    sh(c, "mkdir -m 700 /private; echo x > /private/x; mkdir -p /home/bob; chown bob /home/bob; mkdir -m 770 /wheel; chgrp wheel /wheel")
    for operation in (STAT, LIST_NAMES, COPY_OUT):
        file_failure(lambda: c.files(operation, "/private/x" if operation == STAT else "/private", user="bob"), 13)
    file_failure(lambda: c.files(MKDIR, "/private/y", mode=0o700, user="bob"), 13)
    file_failure(lambda: c.files(WRITE, "/y", DONE_RECORD, user="1000"), 13)
    file_failure(lambda: c.files(REMOVE, "/private/x", user="bob"), 13)
    tree = Entry("", 2, 0o555, 1, 2, seconds=5).record() + Entry("f", 1, 0o640, 1, 2, 3).record() + data_record(0, b"abc")
    c.files(COPY_IN, "/home/bob/tree", tree + DONE_RECORD, user="bob")
    expect(sh(c, "stat -c '%u %g %a %Y' /home/bob/tree; stat -c '%u %g %a' /home/bob/tree/f")[1] == b"1000 1001 555 5\n1000 1001 640\n", "bob's")
    file_failure(lambda: c.files(COPY_IN, "/home/bob/owned", tree + DONE_RECORD, user="bob", flags=1), 1)
    file_failure(lambda: c.files(COPY_IN, "/etc/tree", tree + DONE_RECORD, user="bob"), 13)
    device = Entry("", 5, 0o666, major=1, minor=3).record()
    file_failure(lambda: c.files(COPY_IN, "/home/bob/null", device + DONE_RECORD, user="bob"), 1)
    c.files(MKDIR, "/wheel/by-group", mode=0o700, user="bob")
    c.files(COPY_IN, "/owned", tree + DONE_RECORD, flags=1)
    expect(sh(c, "stat -c '%u %g' /owned /owned/f")[1] == b"1 2\n1 2\n", "owners of the records")
    failure(lambda: c.files(STAT, "/", user="nobody-here"), 6)
    failure(lambda: c.files(STAT, "/", user="bob:no-group"), 7)
    failure(lambda: c.request(FILE, file_payload(STAT, "relative")), 1)
    failure(lambda: c.request(FILE, file_payload(42, "/")), 2)
    failure(lambda: c.request(FILE, file_payload(STAT, "/", flags=4)), 2)
    failure(lambda: c.request(FILE, b"short"), 1)


def check_copies(vm, c):
    """A tree of everything goes out, in again under another name, and is the same to the guest's own tar."""
    sh(c, """
        mkdir -p /tree/a/empty /tree/b && cd /tree && head -c 300000 /dev/urandom > big && echo x > "a/$(printf 'n\\nl')"
        dd if=/dev/urandom of=sparse bs=4096 count=1 seek=2000 2>/dev/null; truncate -s 20M sparse; ln -s /etc/shadow link
        mkfifo -m 600 fifo; mknod null c 1 3; chmod 4755 big; chown 5:6 a/empty; touch -d @123456789 a big b; chmod 500 b
    """)
    e = c.file(COPY_OUT, "/tree")
    expect(e.wait() == (EXITED_BY, 0), e.exit)
    records = records_of(e.out)
    names = [Entry.of(body).name for kind, body in records if kind == ENTRY]
    expect(names[0] == b"" and set(names[1:]) == {b"a", b"a/empty", b"a/n\nl", b"b", b"big", b"sparse", b"link", b"fifo", b"null"}, names)
    expect(sum(len(body) for kind, body in records if kind == DATA) < 400000, "holes are not sent")
    c.files(COPY_IN, "/again", bytes(e.out), flags=1)
    out = sh(c, "cd /tree && tar cf - . | md5sum; cd /again && tar cf - . | md5sum; du -k /again/sparse")[1].split()
    listing = "cd %s; find . | sort | while read f; do stat -c '%%n %%a %%u %%g %%t %%T %%Y' \"$f\"; done"
    expect(sh(c, listing % "/tree")[1] == sh(c, listing % "/again")[1], "the same attributes")
    expect(sh(c, "cmp /tree/big /again/big && cmp /tree/sparse /again/sparse")[0] == (EXITED_BY, 0), out)
    expect(int(out[4]) < 100, "the hole is one again")
    sh(c, "ln -s /tree /to-tree")
    expect(Entry.of(c.files(COPY_OUT, "/to-tree")[0][1]).kind == 3, "a link")
    expect(Entry.of(c.files(COPY_OUT, "/to-tree", flags=1)[0][1]).kind == 2, "what it leads to")
    file_failure(lambda: c.files(COPY_OUT, "/none"), 2)


def check_copies_that_fail_leave_nothing(vm, c):
    sh(c, "mkdir /disk && mount -t tmpfs -o size=1m none /disk")
    big = Entry("", size=4 << 20).record() + b"".join(data_record(i << 15, os.urandom(1 << 15)) for i in range(128))
    failed = file_failure(lambda: c.files(COPY_IN, "/disk/big", big + DONE_RECORD), 28)
    expect(failed.path == "/disk/big" and "No space left" in failed.sentence, failed)
    file_failure(lambda: c.files(WRITE, "/disk/big", big[len(Entry("").record()) :] + DONE_RECORD, mode=0o600), 28)
    sh(c, "mount -o remount,ro /disk")
    file_failure(lambda: c.files(COPY_IN, "/disk/x", Entry("").record() + DONE_RECORD), 30)
    file_failure(lambda: c.files(MKDIR, "/disk/x", mode=0o700), 30)
    file_failure(lambda: c.files(COPY_IN, "/disk/x", Entry("", size=3).record() + FAILED_RECORD), 30)
    expect(sh(c, "ls -A /disk; umount /disk")[1] == b"", "leftovers")
    sh(c, "mkdir /in")
    file_failure(lambda: c.files(COPY_IN, "/in/x", Entry("", size=3).record() + data_record(0, b"ab") + FAILED_RECORD), 125)
    file_failure(lambda: c.files(COPY_IN, "/in/x", Entry("", size=3).record() + data_record(0, b"ab")), 125)
    for name in (b"/etc/evil", b"../evil", b"a/../../evil", b"", b"./evil", b"link/evil", b"none/evil", b"a\0b"):
        tree = Entry("", 2).record() + Entry("link", 3, target="/etc").record() + Entry(name, size=4).record() + data_record(0, b"evil")
        file_failure(lambda: c.files(COPY_IN, "/in/tree", tree + DONE_RECORD), 22)
    expect(sh(c, "find / -xdev -name '*evil*'; ls -A /in /in/tree")[1] == b"/in:\ntree\n\n/in/tree:\nlink\n", "nothing but the tree")


def check_a_file_operation_that_blocks_delays_nobody(vm, c):
    sh(c, "mkfifo /stuck; cat /data/big /data/big /data/big > /tmp/stuck-big")
    pipes = [c.file(READ, "/stuck", length=TO_THE_END), c.file(READ, "/stuck", length=TO_THE_END)]
    unread = c.file(COPY_OUT, "/tmp/stuck-big", credit=0)
    unfed = c.file(COPY_IN, "/tmp/unfed")
    for _ in range(20):
        expect(c.request(PING, b"x").payload == b"x", "a ping")
    expect(c.run(["echo", "x"])[1] == b"x\n", "another execution")
    expect(not any(e.exit for e in [*pipes, unread, unfed]), "still at it")
    for e in (*pipes, unfed, unread):
        e.signal(15)
    for e in pipes:
        expect(e.wait() == (EXITED_BY, 128 + 15), e.exit)
    expect(unfed.wait() == (EXITED_BY, 128 + 15), unfed.exit)
    unread.credit(1, 1 << 24)
    expect(unread.wait() == (EXITED_BY, 128 + 15), unread.exit)


def check_a_copy_ends_with_its_port(vm, c):
    children = "grep -lx init /proc/[0-9]*/comm | wc -l"
    expect(sh(c, f"mkdir /tmp/cut; {children}")[1] == b"1\n", "nothing but the agent")
    other = vm.connect(4).wait_hello()
    e = other.file(COPY_IN, "/tmp/cut/tree")
    e.stdin(Entry("", 2).record() + Entry("whole", size=1).record() + data_record(0, b"w"))
    e.stdin(Entry("half", size=1 << 20).record() + data_record(0, bytes(60000)))
    other.file(COPY_OUT, "/", credit=100)
    other.file(WRITE, "/tmp/cut/written", mode=0o600).stdin(data_record(0, b"abc"))
    deadline = time.monotonic() + 300
    while sh(c, f"ls /tmp/cut/tree/whole /tmp/cut/written >&2; {children}")[1:] != (b"4\n", b"/tmp/cut/tree/whole\n/tmp/cut/written\n"):
        expect(time.monotonic() < deadline, "they run")
    expect(b"half" not in sh(c, "ls -A /tmp/cut/tree")[1], "no name before it is complete")
    other.close()
    while (found := sh(c, f"cd /tmp/cut; find . | sort; {children}")[1]) != b".\n./tree\n./tree/whole\n1\n":
        expect(time.monotonic() < deadline, f"neither a child nor a half file is left: {found}")
        time.sleep(0.3)


def check_eight_ports_at_once(vm, c):
    channels = [c] + [vm.connect(i).wait_hello() for i in range(1, PORTS)]
    running = [(channel, channel.exec(["sh", "-c", f"seq {i} 3000; cat"], flags=1)) for i, channel in enumerate(channels)]
    for i, (channel, e) in enumerate(running):
        e.stdin(b"%d" % i * 100000)
        e.eof()
    for i, (channel, e) in enumerate(running):
        expect(e.wait() == (EXITED_BY, 0), "exit")
        wanted = "".join(f"{n}\n" for n in range(i, 3001)).encode() + b"%d" % i * 100000
        expect(bytes(e.out) == wanted, f"port {i}: {len(e.out)} of {len(wanted)}")
    for channel in channels[1:]:
        channel.close()


def check_many_executions(vm, c):
    requests = [c.begin(EXEC, exec_payload(["sh", "-c", f"echo {i}; exit {i % 200}"])) for i in range(100)]
    for i, request in enumerate(requests):
        e = c.executions[c.answer(request).stream]
        expect(e.wait() == (EXITED_BY, i % 200) and bytes(e.out) == b"%d\n" % i, i)


def check_idle_agent_sleeps(vm, c):
    """Ports without a host report a hang-up for ever; the loop must not spin on it."""
    ticks = "cut -d' ' -f14,15 /proc/1/stat"
    used = []
    for _ in range(5):  # a processor that stands still while the agent works is counted as the agent's
        before = sum(map(int, sh(c, ticks)[1].split()))
        time.sleep(3)
        used.append(sum(map(int, sh(c, ticks)[1].split())) - before)
        if used[-1] < 60:
            return
    expect(False, f"{used} ticks in three seconds of idleness each")


def check_shutdown(vm, c):
    """Last: it ends the VM."""
    e = c.exec(["sh", "-c", "trap 'echo bye; exit 5' TERM; echo ready; while :; do sleep 0.1; done"])
    stubborn = c.exec(["sh", "-c", "trap '' TERM; echo ready; exec sleep 1000"])
    while not (e.out and stubborn.out):
        c.step()
    # What belongs to no execution, is stopped even, is asked as well, and counted if it does not hear.
    sh(c, "setsid sh -c 'trap \"echo asked >/dev/console; exit\" TERM; touch /tmp/polite; while :; do sleep 0.1; done' >/dev/null 2>&1 & echo $! >/tmp/pid")
    sh(c, "trap '' TERM; setsid sleep 1000 >/dev/null 2>&1 &")
    wait_until(lambda: sh(c, "ls /tmp/polite")[0] == (EXITED_BY, 0), "the daemon has its handler")
    sh(c, "kill -STOP $(cat /tmp/pid)")
    c.request(SHUTDOWN, struct.pack("<I", 8000))
    failure(lambda: c.exec(["echo"]), 9)
    try:
        while True:
            c.step()
    except EOFError:
        pass
    expect(e.exit == (EXITED_BY, 5) and bytes(e.out).endswith(b"bye\n"), (e.exit, e.out))
    expect(stubborn.exit == (KILLED_BY, 9), stubborn.exit)
    expect(c.goodbye == (1, 0, 2), c.goodbye)
    expect("asked" in vm.console(), vm.console())
    record = vm.ended()
    expect('"cause":"exited","exitCode":0' in record, record)
    expect(encode(0x8B, payload=struct.pack("<III", 1, 0, 2)).hex() in record, record)


def check_main_execution(share, image, directory):
    vm = Vm(share, image, directory)
    try:
        c = vm.connect().wait_hello()
        e = c.exec(["sh", "-c", "echo last; exit 9"], flags=2)
        try:
            while True:
                c.step()
        except EOFError:
            pass
        expect(e.exit == (EXITED_BY, 9) and bytes(e.out) == b"last\n", (e.exit, e.out))
        expect(c.goodbye == (2, 0, 9), c.goodbye)
        expect(encode(0x8B, payload=struct.pack("<III", 2, 0, 9)).hex() in vm.ended(), "goodbye")
    finally:
        vm.destroy()


def check_main_execution_that_is_stopped(share, image, directory):
    """As its image wants it: its workers are its own to end, and its end is told."""
    vm = Vm(share, image, directory)
    try:
        c = vm.connect().wait_hello()
        worker = "trap 'echo hurried' TERM; trap 'echo done; exit' USR1; echo works; while :; do sleep 0.1; done"
        script = f"({worker}) & w=$!; trap 'kill -USR1 $w; wait $w; exit 6' QUIT; echo ready; while :; do sleep 0.1; done"
        e = c.exec(["sh", "-c", script], flags=MAIN | STOP_SIGNAL, stop=3)
        other = c.exec(["sh", "-c", "trap 'exit 4' TERM; echo ready; while :; do sleep 0.1; done"])
        # It ignores SIGTERM, and is not to cost the others their grace.
        shell = c.exec(["sh", "-i"], flags=TERMINAL, size=(24, 80))
        # Each has its traps by then; which of the two says so first is not known.
        e.until(b"ready\n")
        e.until(b"works\n")
        other.until(b"ready")
        shell.until(b"# ")
        c.request(SHUTDOWN, struct.pack("<I", 20000))
        try:
            while True:
                c.step()
        except EOFError:
            pass
        expect(shell.exit == (KILLED_BY, 1), shell.exit)
        expect(e.exit == (EXITED_BY, 6), e.exit)
        expect(sorted(e.out.split()) == [b"done", b"ready", b"works"] and e.out.endswith(b"done\n"), e.out)
        expect(other.exit == (EXITED_BY, 4), other.exit)
        expect(c.goodbye == (3, 0, 6, 0), c.goodbye)
        expect(encode(0x8B, payload=struct.pack("<IIII", 3, 0, 6, 0)).hex() in vm.ended(), "goodbye")
    finally:
        vm.destroy()


def begin_init(vm):
    """busybox as the image's init, with an agent that serves on; it writes what it does to /data."""
    c = vm.connect().wait_hello()
    inittab = "::sysinit:/bin/sh -c 'echo booted $$ >/data/log'\n::once:/bin/sleep 1000\n::shutdown:/bin/sh -c 'echo down >/data/log'\n"
    c.files(WRITE, "/etc/inittab", data_record(0, inittab.encode()) + DONE_RECORD, mode=0o644)
    kept = c.exec(["sleep", "1000"])
    failure(lambda: c.exec(["init"], flags=INIT | MAIN, stop=12), 1)
    kept.signal(9)
    kept.wait()
    failure(lambda: c.exec(["/no/init"], flags=INIT | MAIN, stop=12), 3)
    failure(lambda: c.request(AWAIT_INIT), 1)
    expect(sh(c, "ls /proc/self/fd && ! ls /proc/9999")[0] == (EXITED_BY, 0), "the agent's /proc is back")
    e = c.exec(["/bin/busybox", "init"], flags=INIT | MAIN, stop=12)
    wait_until(lambda: b"booted" in sh(c, "cat /data/log")[1], "the init's first action")
    return c, e


def check_init(share, image, directory):
    vm = Vm(share, image, directory)
    try:
        c, e = begin_init(vm)
        expect(sh(c, "cat /proc/1/comm")[1] == b"busybox\n", "process 1 is the init")
        expect(b"sleep 1000" in sh(c, "ps")[1] and b"/init" not in sh(c, "ps")[1], "what it started is seen, the agent is not")
        expect(sh(c, "kill -9 1; kill -2 1; kill -0 1")[0] == (EXITED_BY, 0), "process 1 survives its own")
        expect(sh(c, "(sleep 0.2; true) & echo $!")[0] == (EXITED_BY, 0), "orphans")
        expect(sh(c, "stat -f -c %T /run; mount | grep -c ' /proc '")[1] == b"tmpfs\n2\n", "its own /run and /proc")
        expect(c.files(STAT, "/data/log")[0][0] == ENTRY, "files")
        terminal = c.exec(["sh", "-c", "tty; ls -l /proc/self/fd/0"], flags=TERMINAL, size=(24, 80))
        expect(terminal.wait() == (EXITED_BY, 0) and terminal.out.count(b"/dev/pts/0") == 2, bytes(terminal.out))
        c.request(CONFIGURE, field(1, "renamed"))
        c.request(FREEZE, struct.pack("<I", 1000))
        c.request(THAW)
        expect(sh(c, "hostname")[1] == b"renamed\n", "CONFIGURE")
        c.request(SHUTDOWN, struct.pack("<I", 20000))
        try:
            while True:
                c.step()
        except EOFError:
            pass
        expect(c.goodbye == (1, 0, 0) and e.exit == (KILLED_BY, 2), (c.goodbye, e.exit))
        expect("panic" not in vm.console(), vm.console())
    finally:
        vm.destroy()


def check_init_that_ends_by_itself(share, image, directory):
    for command, goodbye in ((["poweroff"], (1, 0, 0)), (["reboot"], (1, 0, 0))):
        vm = Vm(share, image, directory)
        try:
            c, e = begin_init(vm)
            c.exec(command)
            try:
                while True:
                    c.step()
            except EOFError:
                pass
            expect(c.goodbye == goodbye, (command, c.goodbye, e.exit))
        finally:
            vm.destroy()
    vm = Vm(share, image, directory)
    try:
        c = vm.connect().wait_hello()
        e = c.exec(["sh", "-c", "sleep 0.1; exit 9"], flags=INIT | MAIN, stop=15)
        try:
            while True:
                c.step()
        except EOFError:
            pass
        expect(c.goodbye == (2, 0, 9), c.goodbye)
    finally:
        vm.destroy()


def check_init_that_does_not_end(share, image, directory):
    vm = Vm(share, image, directory)
    try:
        c = vm.connect().wait_hello()
        # With a handler: the kernel does not even tell an init of a signal that it has none for.
        stubborn = "trap 'echo was asked' TERM; echo ready >/data/log; while :; do sleep 0.1; done"
        e = c.exec(["sh", "-c", stubborn], flags=INIT | MAIN, stop=15)
        wait_until(lambda: sh(c, "cat /data/log")[1] == b"ready\n", "the init has its handler")
        other = c.exec(["sh", "-c", "trap 'exit 4' TERM; echo ready; while :; do sleep 0.1; done"])
        other.until(b"ready")
        c.request(SHUTDOWN, struct.pack("<I", 8000))
        try:
            while True:
                c.step()
        except EOFError:
            pass
        expect(other.exit == (EXITED_BY, 4) and e.exit == (KILLED_BY, 9), (other.exit, e.exit))
        expect(c.goodbye == (1, 0, 1), f"one had to be killed, by {c.goodbye}")
        expect("was asked" in vm.console(), vm.console())
        expect('"cause":"exited","exitCode":0' in vm.ended(), "the guest ended by itself nevertheless")
    finally:
        vm.destroy()


def check_network(share, image, directory):
    mac = bytes.fromhex("525400123456")
    vm = Vm(share, image, directory, extra=["-netdev", "user,id=net", "-device", "virtio-net-device,netdev=net"])
    try:
        c = vm.connect().wait_hello()
        wanted = network(1400, mac, ["10.0.2.15/24", "10.0.9.9/16"], ["10.0.2.2"], ["10.0.2.3", "1.2.3.4"])
        c.request(CONFIGURE, field(7, wanted))
        out = sh(c, "ip addr show eth0; ip route; cat /etc/resolv.conf; ping -c1 -W5 10.0.2.2 && echo reached")[1].decode()
        for line in ("mtu 1400", "52:54:00:12:34:56", "inet 10.0.2.15/24", "inet 10.0.9.9/16", "default via 10.0.2.2", "nameserver 10.0.2.3\nnameserver 1.2.3.4\n", "reached"):
            expect(line in out, (line, out))
        metrics = c.metrics()
        expect(metrics[12] > 0 and metrics[13] > 0, metrics)
        c.request(CONFIGURE, field(7, network(addresses=["10.0.2.16/24"])))
        out = sh(c, "ip addr show eth0; ip route; cat /etc/resolv.conf")[1].decode()
        expect("10.0.2.16/24" in out and "10.0.2.15" not in out and "10.0.9.9" not in out and "default" not in out, out)
        expect("nameserver" not in out and "UP" in out, out)
        for bad in (network(67), network(mac=b"12345"), network(addresses=["10.0.2.15"]), network(addresses=["10.0.2.15/33"]),
                    network(addresses=["x/1"]), network(gateways=["1.2.3.4/5"]), network(servers=["1.1.1.1"] * 4), network(mac=b"\x01\0\0\0\0\1"), network(addresses=["127.0.0.1/8"]), b"", network() + b"x"):
            failure(lambda: c.request(CONFIGURE, field(7, bad)), 1)
    finally:
        vm.destroy()


def check_log(share, image, directory):
    log = f"{directory}.log"
    vm = Vm(share, image, directory, extra=["-chardev", f"file,id=log,path={log}", "-device", "virtserialport,chardev=log,name=cloche.log,nr=10"])
    try:
        c = vm.connect().wait_hello()
        c.run(["echo", "not the main one"])
        c.exec(["sh", "-c", "seq 1 50000; echo problem >&2; exit 3"], flags=MAIN, window=4096)
        try:
            while True:
                c.step()
        except EOFError:
            pass
        expect(c.goodbye == (2, 0, 3), c.goodbye)
        vm.ended()
        with open(log, "rb") as file:
            found = frames(file.read())
        texts = {1: b"", 2: b""}
        for frame in found:
            wall, offset = struct.unpack_from("<QQ", frame.payload)
            expect(frame.kind == LOG and frame.request == 0 and len(frame.payload) > 16 and wall > 0, frame)
            expect(offset == len(texts[frame.stream]), "every byte once")
            texts[frame.stream] += frame.payload[16:]
        expect(texts == {1: "".join(f"{n}\n" for n in range(1, 50001)).encode(), 2: b"problem\n"}, {k: len(v) for k, v in texts.items()})
    finally:
        vm.destroy()


def check_upper_disk(share, image, directory):
    disk = f"{directory}.ext4"
    if shutil.which("mkfs.ext4") is None:
        raise Skipped("there is no mkfs.ext4")
    subprocess.run(["truncate", "-s", "64M", disk], check=True)
    subprocess.run(["mkfs.ext4", "-q", "-F", disk], check=True, stdin=subprocess.DEVNULL)
    extra = ["-drive", f"if=none,id=upper,file={disk},format=raw", "-device", "virtio-blk-device,drive=upper,serial=cloche-upper"]
    for size, first in (("64M", True), ("200M", False)):
        subprocess.run(["truncate", "-s", size, disk], check=True)
        vm = Vm(share, image, f"{directory}-{size}", extra=extra)
        try:
            c = vm.connect().wait_hello()
            if first:
                sh(c, "echo kept > /kept; rm /data/big")
                start = time.monotonic()
                c.request(FREEZE, struct.pack("<I", 10000))
                failure(lambda: c.request(CONFIGURE, field(1, "x")), 12)
                e = c.exec(["sh", "-c", "echo before; echo x > /frozen; sync; echo after"])
                e.until(b"before")
                expect(c.request(PING, b"x").payload == b"x" and b"after" not in e.out, "a writer waits, the agent does not")
                expect(e.wait() == (EXITED_BY, 0) and time.monotonic() - start > 9, "it thaws by itself")
                c.request(FREEZE, struct.pack("<I", 600000))
                # Children that cannot go on before their command share the agent's memory, and hold no other process up.
                waiting = [c.begin(EXEC, exec_payload(["sh", "-c", "pwd; echo $N"], env=[f"N={i}"], cwd=f"/new/{i}", flags=4)) for i in range(20)]
                expect(c.request(PING, b"y").payload == b"y", "a ping beside children that wait")
                expect(sh(c, "echo runs")[1] == b"runs\n" and not set(waiting) & set(c.answers), "another execution beside them")
                c.request(THAW)
                for i, request in enumerate(waiting):
                    e = c.executions[c.answer(request).stream]
                    expect(e.wait() == (EXITED_BY, 0) and bytes(e.out) == f"/new/{i}\n{i}\n".encode(), bytes(e.out))
                c.request(FREEZE, struct.pack("<I", 600000))
                c.request(THAW)
                c.request(THAW)
                expect(sh(c, "echo y > /frozen && cat /frozen")[1] == b"y\n", "thawed")
                c.request(FREEZE, struct.pack("<I", 600000))
            else:
                out = sh(c, "cat /kept; ls /data; grep ' / ' /proc/mounts")[1]
                expect(out.startswith(b"kept\noverlay"), out)
                metrics = c.metrics()
                expect(metrics[7] > 150 << 20 and metrics[8] > 100 << 20, metrics)
            c.request(SHUTDOWN, struct.pack("<I", 1000))
            try:
                while True:
                    c.step()
            except EOFError:
                pass
            expect(c.goodbye == (1, 0, 0), "also while it is frozen")
            vm.ended()
        finally:
            vm.destroy()


def check_configure_beside_one_that_is_stuck(share, image, directory):
    """A child that shares the agent's memory hangs in the kernel, where no signal ends it: the next has a copy, and all goes on."""
    disk = f"{directory}.ext4"
    if shutil.which("mkfs.ext4") is None:
        raise Skipped("there is no mkfs.ext4")
    subprocess.run(["truncate", "-s", "16M", disk], check=True)
    subprocess.run(["mkfs.ext4", "-q", "-F", disk], check=True, stdin=subprocess.DEVNULL)
    vm = Vm(share, image, directory, extra=["-drive", f"if=none,id=etc,file={disk},format=raw", "-device", "virtio-blk-device,drive=etc"])
    try:
        c = vm.connect().wait_hello()
        out = sh(c, "mkdir /x && mount -t ext4 /dev/vdb /x && cp -a /etc/. /x && mount --move /x /etc && fsfreeze --freeze /etc")
        expect(out[0] == (EXITED_BY, 0), out)
        for name in ("first", "second"):
            stuck = c.begin(CONFIGURE, field(1, name) + field(2, struct.pack("<Q", 10**18)) + field(3, os.urandom(64)))
            expect(c.request(PING, b"x").payload == b"x", "a ping meanwhile")
            failure(lambda: c.answer(stuck), 10)
        out = sh(c, "fsfreeze --unfreeze /etc; while [ $(pidof init | wc -w) != 1 ]; do sleep 0.1; done; hostname")
        expect(out == ((EXITED_BY, 0), b"second\n", b""), out)
        for i in range(50):
            c.request(CONFIGURE, field(1, f"bell{i}") + field(3, os.urandom(64)) + field(4, f"{i:032x}"))
            out = sh(c, "hostname; cat /etc/hostname /etc/machine-id")[1]
            expect(out == f"bell{i}\nbell{i}\n{i:032x}\n".encode(), out)
    finally:
        vm.destroy()


def check_restore(share, image, directory):
    """The owner died in the middle of a frame, and output was on its way, when the snapshot was taken."""
    ram, state = f"{directory}.ram", f"{directory}.state"
    vm = Vm(share, image, f"{directory}-template", ram=ram)
    try:
        c = vm.connect().wait_hello()
        c.auto_credit = False
        e = c.exec(["sh", "-c", "yes | head -c 50000; echo end; read x; echo $x"], flags=WITH_STDIN, credit=10000)
        while len(e.out) < 10000:
            c.step()
        c.request(QUIESCE)
        c.socket.sendall(encode(EXEC, request=9, payload=exec_payload(["sh", "-c", "echo never > /tmp/never"] + ["x" * 1000] * 50))[:30000])
        time.sleep(0.3)  # until the agent has it
        vm.snapshot(state)
    finally:
        vm.destroy()
    for i in range(2):
        vm = Vm(share, image, f"{directory}-clone{i}", ram=ram, private=True)
        try:
            vm.restore(state)
            c = vm.connect().wait_hello()
            failure(lambda: c.exec(["echo"]), 11)
            c.request(CONFIGURE, field(1, f"clone{i}") + field(3, os.urandom(64)))
            expect(sh(c, "hostname; ls /tmp")[1] == b"clone%d\n" % i, "half a frame did nothing")
            taken = c.attach(e.stream)
            taken.until(b"end\n")
            expect(taken.base == [0, 0] and bytes(taken.out) == b"y\n" * 25000 + b"end\n", (taken.base, len(taken.out)))
            taken.stdin(b"new owner\n")
            expect(taken.wait() == (EXITED_BY, 0) and taken.out.endswith(b"new owner\n"), taken.out[-30:])
        finally:
            vm.destroy()


def check_no_root_disk(share, directory):
    vm = Vm(share, None, directory)
    try:
        expect('"goodbye":""' in vm.ended(), "a crash has no goodbye")
        expect("there is no root disk" in vm.console(), vm.console())
    finally:
        vm.destroy()


def make_image(work):
    tree = f"{work}/tree"
    for directory in ("bin", "etc", "tmp", "data", "opt", "home/bob"):
        os.makedirs(f"{tree}/{directory}")
    os.chmod(f"{tree}/tmp", 0o1777)
    busybox = shutil.which("busybox")
    shutil.copy(busybox, f"{tree}/bin/busybox")
    for name in subprocess.run([busybox, "--list"], stdout=subprocess.PIPE, text=True, check=True).stdout.split():
        if name != "busybox":
            os.symlink("busybox", f"{tree}/bin/{name}")
    for name, content in (("etc/passwd", PASSWD), ("etc/group", GROUP), ("opt/no-interpreter", "#!/no/such\n"), ("data/big", "0123" * 300000)):
        with open(f"{tree}/{name}", "w") as file:
            file.write(content)
    os.chmod(f"{tree}/opt/no-interpreter", 0o755)
    image = f"{work}/image.erofs"
    subprocess.run(["mkfs.erofs", "-d0", image, tree], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    return image


class Skipped(Exception):
    """A check that lacks something of this machine, with what."""


def main():
    share, chosen = os.path.abspath(sys.argv[1]), sys.argv[2:]
    work = tempfile.mkdtemp(prefix="cloche-e2e-")
    failed = skipped = 0
    try:
        image = make_image(work)
        checks = [(n, f) for n, f in globals().items() if n.startswith("check_") and (not chosen or n[6:] in chosen)]
        shared = [(n, f) for n, f in checks if f.__code__.co_varnames[:2] == ("vm", "c")]
        alone = [(n, f) for n, f in checks if (n, f) not in shared]

        def run(name, action):
            nonlocal failed, skipped
            start = time.monotonic()
            try:
                action()
                print(f"ok   {name[6:]} ({time.monotonic() - start:.1f} s)", flush=True)
                return True
            except Skipped as reason:
                # Continuous integration has all that the checks need.
                skipped += 1
                failed += 1 if os.environ.get("CI") else 0
                print(f"skip {name[6:]}: {reason}", flush=True)
                return True
            except BaseException as error:
                if os.environ.get("TRACE"):
                    import traceback
                    traceback.print_exc()
                failed += 1
                print(f"FAIL {name[6:]}: {type(error).__name__}: {error}", flush=True)
                if isinstance(error, KeyboardInterrupt):
                    raise
                return False

        vm = channel = None
        try:
            for name, check in shared:
                if vm is None:
                    vm = Vm(share, image, f"{work}/shared")
                    channel = vm.connect().wait_hello()
                if not run(name, lambda: check(vm, channel)):
                    print(vm.console()[-3000:])
                    vm.destroy()
                    vm = None
        finally:
            if vm is not None:
                vm.destroy()
        for name, check in alone:
            if check.__code__.co_varnames[:2] == ("share", "image"):
                run(name, lambda: check(share, image, f"{work}/alone"))
            else:
                run(name, lambda: check(share, f"{work}/alone"))
    finally:
        shutil.rmtree(work, ignore_errors=True)
    left_out = f", {skipped} skipped" if skipped else ""
    print((f"{failed} failed" if failed else "all others passed" if skipped else "all passed") + left_out)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
