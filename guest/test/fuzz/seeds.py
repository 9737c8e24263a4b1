#!/usr/bin/env python3
"""Writes the inputs that the fuzzers begin with: seeds.py CORPUS"""

import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from cloche_vm import (  # noqa: E402
    ACKNOWLEDGE, ACKNOWLEDGED, ATTACH, CONFIGURE, CREDIT, DETACH, EXEC, LIST, METRICS, PING, QUIESCE, RELEASE, RESET, SIGNAL,
    STDIN, STDIN_EOF, TERMINAL, WITH_STDIN, encode, exec_payload, field, network,
)


def write(name, data):
    path = os.path.join(sys.argv[1], name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)


def frame(kind, payload=b"", stream=0, request=1, flags=0, port=0):
    """As dispatch_fuzz.c reads it."""
    return bytes([0, kind, flags, stream, request]) + struct.pack("<H", len(payload)) + bytes([port]) + payload


def happens(event, which=0, amount=0):
    return bytes([event, which, amount])


WRITE, ENDED, ROOM, LOST, READ = 1, 3, 5 + 8, 5, 6 + 8
identity = field(1, "bell") + field(2, struct.pack("<Q", 1 << 60)) + field(3, bytes(32)) + field(4, "0" * 32)
full = identity + field(5, "A=b") + field(6, "key=value") + field(7, network(1400, b"123456", ["10.0.2.15/24", "fd00::1/64"], ["10.0.2.2"], ["1.1.1.1"]))
command = exec_payload(["sh", "-c", "x"], flags=WITH_STDIN, window=4096, credit=8192)
durable = exec_payload(["sh"], flags=ACKNOWLEDGED, window=4096, limits=[(7, 1, 2)])

write("frame/whole", encode(PING, 0, 1, b"hello") + encode(RESET, payload=bytes(8)))
write("frame/garbage", b"CLHCLH1" + encode(EXEC, 0, 7, command)[:-3] + b"CL" + encode(STDIN, 3, 0, b"x" * 100))
write("exec/plain", command)
write("exec/terminal", exec_payload(["sh"], cwd="", user="bob:wheel", flags=TERMINAL, size=(24, 80), limits=[(0, 1, 1)] * 16))
write("configure/full", full)
write("configure/identity", identity)
write("configure/secrets", identity + field(8, b"") + field(9, b"") + field(6, "key=value"))
write("message/joined", bytes([1, 255] * 15 + [0, 200, 1, 3, 65, 9, 64, 1]))
write("message/long", bytes([1, 255] * 20 + [0, 1]))
write("announcement/port", b"add@/devices/x\0ACTION=add\0SUBSYSTEM=virtio-ports\0SEQNUM=9\0")
write("announcement/stat", b"cpu  1 2 3 4 5 6 7 8 9\ncpu0 1 2\ncpu1 3\nMemTotal:   17 kB\n")
start = frame(EXEC, command)
last = 31  # the process that the fake world takes first
write("dispatch/run", start + frame(STDIN, b"in" * 50, 1, 0) + happens(WRITE, last, 9) + frame(STDIN_EOF, stream=1, request=0) + happens(READ, last)
      + happens(ENDED, last, 2))
write("dispatch/attach", start + happens(WRITE, last, 9) + frame(ATTACH, struct.pack("<IQQ", 100, 0, 0), 1, 2, port=1) + happens(WRITE, last, 30)
      + frame(CREDIT, struct.pack("<II", 1, 1 << 20), 1, 0, port=1) + frame(LIST, bytes(4)) + frame(DETACH, stream=1, port=1) + happens(ENDED, last)
      + frame(ATTACH, struct.pack("<IQQ", 1 << 20, 5000, 0), 1, 2) + frame(RELEASE, stream=1))
write("dispatch/acknowledge", frame(EXEC, durable) + happens(WRITE, last, 40) + frame(ACKNOWLEDGE, struct.pack("<IQ", 1, 300), 1, 0)
      + happens(WRITE, last, 40) + happens(LOST) + frame(ATTACH, struct.pack("<IQQ", 1 << 20, 300, 0), 1, 2) + happens(ENDED, last, 1)
      + frame(ACKNOWLEDGE, struct.pack("<IQ", 1, 1 << 40), 1, 0) + frame(RELEASE, stream=1))
write("dispatch/others", frame(CONFIGURE, full) + frame(QUIESCE) + start + frame(CONFIGURE, identity) + start + frame(SIGNAL, struct.pack("<I", 9), 1)
      + frame(METRICS) + frame(EXEC, command[:20], flags=1) + frame(EXEC, command[20:]) + frame(EXEC, b"x", flags=1) + frame(PING, b"y"))
