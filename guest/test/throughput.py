#!/usr/bin/env python3
"""Measures the streams of an execution against raw loops on a port: throughput.py SHARE [MEBIBYTES]

Each figure is the best of three, taken in turns, because the machine may be busy."""

import os
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

from cloche_vm import CREDIT, EXEC, EXITED, RESET, RESET_ACK, STARTED, STDIN, STDIN_CREDIT, STDIN_EOF, STDOUT, WITH_STDIN, Vm, encode, exec_payload
from end_to_end import make_image

HERE = os.path.dirname(os.path.abspath(__file__))


class Fast:
    """A connection that does no more than it must."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        nonce = os.urandom(8)
        self.socket.sendall(bytes(65540) + encode(RESET, payload=nonce))
        mark, data = encode(RESET_ACK, payload=nonce), b""
        while mark not in data:
            data += self.socket.recv(65536)
        self.buffer, self.have = bytearray(8 << 20), data.index(mark) + len(mark)
        rest = data[self.have :]
        self.buffer[: len(rest)] = rest
        self.have, self.at = len(rest), 0

    def frames(self):
        view = memoryview(self.buffer)
        while True:
            while self.have - self.at >= 28:
                at = self.at
                _, kind, _, stream, _, length = struct.unpack_from("<4sHHIII", self.buffer, at)
                if self.have - at < 28 + length:
                    break
                self.at += 28 + length
                yield kind, stream, length, at + 24
            self.buffer[: self.have - self.at] = self.buffer[self.at : self.have]
            self.have -= self.at
            self.at = 0
            self.have += self.socket.recv_into(view[self.have :])

    def stdout(self, total):
        self.socket.sendall(encode(EXEC, request=1, payload=exec_payload(["throughput", "produce", str(total)], credit=4 << 20, window=1 << 18)))
        got = owed = 0
        for kind, stream, length, _ in self.frames():
            if kind == STDOUT:
                got += length - 8
                owed += length - 8
                if owed >= 1 << 20:
                    self.socket.sendall(encode(CREDIT, stream=stream, payload=struct.pack("<II", 1, owed)))
                    owed = 0
            elif kind == EXITED:
                assert got == total
                return

    def stdin(self, total):
        self.socket.sendall(encode(EXEC, request=1, payload=exec_payload(["throughput", "consume", str(total)], flags=WITH_STDIN)))
        left, chunk = total, bytes(65536)
        for kind, stream, length, at in self.frames():
            credit = 0
            if kind == STARTED:
                credit = struct.unpack_from("<I", self.buffer, at + 4)[0]
            elif kind == STDIN_CREDIT:
                credit = struct.unpack_from("<I", self.buffer, at)[0]
            elif kind == EXITED:
                assert left == 0
                return
            while credit > 0 and left > 0:
                n = min(credit, left, 65536)
                self.socket.sendall(encode(STDIN, stream=stream, payload=chunk[:n]))
                credit -= n
                left -= n
                if left == 0:
                    self.socket.sendall(encode(STDIN_EOF, stream=stream))


def main():
    share, total = os.path.abspath(sys.argv[1]), int(sys.argv[2] if len(sys.argv) > 2 else 256) << 20
    work = tempfile.mkdtemp(prefix="cloche-throughput-")
    try:
        image = make_image(work)
        subprocess.run(["gcc", "-O2", "-static", "-o", f"{work}/tree/bin/throughput", f"{HERE}/throughput.c"], check=True)
        subprocess.run(["mkfs.erofs", "-d0", image, f"{work}/tree"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        extra = ["-chardev", f"socket,id=raw,path={work}/raw,server=on,wait=off", "-device", "virtserialport,chardev=raw,name=raw,nr=12"]
        vm = Vm(share, image, f"{work}/vm", extra=extra)
        try:
            measure(vm, f"{work}/raw", total)
        finally:
            vm.destroy()
    finally:
        shutil.rmtree(work)


def measure(vm, path, total):
    owner = vm.connect().wait_hello()
    raw = socket.socket(socket.AF_UNIX)
    raw.connect(path)
    port = owner.run(["sh", "-c", "for p in /sys/class/virtio-ports/*; do grep -q raw $p/name && echo /dev/${p##*/}; done"])[1].decode().strip()
    fast = Fast((vm.plug(1), vm.path("c1"))[1])
    buffer = bytearray(1 << 20)

    def from_guest(script):
        execution = owner.exec(["sh", "-c", script])
        left = total
        while left > 0:
            left -= raw.recv_into(buffer)
        execution.wait()

    def to_guest():
        execution = owner.exec(["throughput", "consume", str(total), port])
        sender = threading.Thread(target=lambda: [raw.sendall(bytes(65536)) for _ in range(total >> 16)])
        sender.start()
        execution.wait()
        sender.join()

    rows = {
        "raw loop to the host": lambda: from_guest(f"throughput write {port} {total}"),
        "pipe and raw loop to the host": lambda: from_guest(f"throughput produce {total} | throughput relay {port}"),
        "stdout of an execution": lambda: fast.stdout(total),
        "raw loop to the guest": to_guest,
        "stdin of an execution": lambda: fast.stdin(total),
    }
    best = dict.fromkeys(rows, 0.0)
    for _ in range(3):
        for name, action in rows.items():
            start = time.monotonic()
            action()
            best[name] = max(best[name], total / (time.monotonic() - start) / 1e6)
    for name, figure in best.items():
        print(f"{name:32} {figure:7.1f} MB/s", flush=True)


if __name__ == "__main__":
    main()
