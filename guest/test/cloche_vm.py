"""Boots a VM under the guard and speaks the guest protocol, for the end-to-end test. An independent second
implementation of docs/guest-protocol.md, kept plain on purpose."""

import json
import os
import queue
import shutil
import signal
import socket
import struct
import subprocess
import threading
import time
import zlib

RESET, PING, CONFIGURE, EXEC, STDIN, STDIN_EOF, SIGNAL, CREDIT, SHUTDOWN = range(1, 10)
(RESET_ACK, PONG, HELLO, DONE, FAILED, STARTED, STDOUT, STDERR, EXITED, STDIN_CREDIT, GOODBYE) = range(0x81, 0x8C)
PORTS = 8
KERNEL_PARAMETERS = "console=ttyS0 quiet panic=-1 reboot=t rdinit=/init cryptomgr.notests"


def encode(kind, stream=0, request=0, payload=b"", flags=0):
    head = b"CLH1" + struct.pack("<HHIII", kind, flags, stream, request, len(payload))
    crc = zlib.crc32(head)
    return head + struct.pack("<I", crc) + payload + struct.pack("<I", crc ^ 0xFFFFFFFF)


def text(value):
    value = value.encode() if isinstance(value, str) else value
    return struct.pack("<I", len(value)) + value


def exec_payload(argv, env=(), cwd="/", user="", flags=0, window=1 << 20):
    env = list(env) or ["PATH=/usr/sbin:/usr/bin:/sbin:/bin"]
    return (
        struct.pack("<III", flags, window, len(argv))
        + b"".join(map(text, argv))
        + struct.pack("<I", len(env))
        + b"".join(map(text, env))
        + text(cwd)
        + text(user)
    )


class Frame:
    def __init__(self, kind, stream, request, payload):
        self.kind, self.stream, self.request, self.payload = kind, stream, request, payload

    def __repr__(self):
        return f"Frame({self.kind:#x}, {self.stream}, {self.request}, {self.payload[:200]!r})"


class Failed(Exception):
    def __init__(self, code, sentence):
        super().__init__(f"{code}: {sentence}")
        self.code, self.sentence = code, sentence


class Execution:
    def __init__(self, channel, stream, pid, credit):
        self.channel, self.stream, self.pid, self.stdin_credit = channel, stream, pid, credit
        self.out, self.err, self.exit = bytearray(), bytearray(), None

    def stdin(self, data):
        """Sends all of it, as credit allows."""
        while data:
            while self.stdin_credit == 0:
                self.channel.step()
            n = min(len(data), self.stdin_credit, 65536)
            self.stdin_credit -= n
            self.channel.send(STDIN, stream=self.stream, payload=data[:n])
            data = data[n:]

    def eof(self):
        self.channel.send(STDIN_EOF, stream=self.stream)

    def credit(self, which, count):
        self.channel.send(CREDIT, stream=self.stream, payload=struct.pack("<II", which, count))

    def signal(self, number):
        return self.channel.request(SIGNAL, struct.pack("<I", number), stream=self.stream)

    def wait(self):
        while self.exit is None:
            self.channel.step()
        return self.exit


class Channel:
    """One connection to one port. A thread reads, so that the socket never fills while we write."""

    def __init__(self, path, handshake=True, timeout=60):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.timeout, self.next_request, self.executions, self.answers = timeout, 1, {}, {}
        self.auto_credit = True
        self.hello = self.goodbye = None
        self.frames = queue.Queue()
        self.nonce = os.urandom(8)
        threading.Thread(target=self._read, daemon=True).start()
        if handshake:
            self.socket.sendall(bytes(65540) + encode(RESET, payload=self.nonce))

    def _read(self):
        data, start, mark = bytearray(), False, encode(RESET_ACK, payload=self.nonce)
        while True:
            try:
                more = self.socket.recv(1 << 16)
            except OSError:
                more = b""
            if not more:
                self.frames.put(None)
                return
            data += more
            if not start:
                at = data.find(mark)
                if at < 0:
                    del data[: max(0, len(data) - len(mark))]
                    continue
                start = True
                del data[: at + len(mark)]
            while len(data) >= 28:
                magic, kind, flags, stream, request, length, crc = struct.unpack_from("<4sHHIIII", data)
                assert magic == b"CLH1" and crc == zlib.crc32(data[:20]) and length <= 65536, "broken header"
                if len(data) < 28 + length:
                    break
                payload = bytes(data[24 : 24 + length])
                assert struct.unpack_from("<I", data, 24 + length)[0] == crc ^ 0xFFFFFFFF, "broken seal"
                del data[: 28 + length]
                self.frames.put(Frame(kind, stream, request, payload))

    def close(self):
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()

    def send(self, kind, stream=0, request=0, payload=b"", flags=0):
        self.socket.sendall(encode(kind, stream, request, payload, flags))

    def step(self):
        frame = self.frames.get(timeout=self.timeout)
        if frame is None:
            raise EOFError("the connection has ended")
        self._handle(frame)
        return frame

    def _handle(self, frame):
        if frame.kind == HELLO:
            self.hello = frame.payload
        elif frame.kind == GOODBYE:
            self.goodbye = struct.unpack("<III", frame.payload)
        elif frame.kind == STARTED:
            pid, credit = struct.unpack("<II", frame.payload)
            self.executions[frame.stream] = Execution(self, frame.stream, pid, credit)
            self.answers[frame.request] = frame
        elif frame.kind in (STDOUT, STDERR):
            e = self.executions[frame.stream]
            buffer = e.out if frame.kind == STDOUT else e.err
            assert struct.unpack_from("<Q", frame.payload)[0] == len(buffer), "offset"
            assert len(frame.payload) > 8
            buffer += frame.payload[8:]
            if self.auto_credit:
                try:
                    e.credit(1 if frame.kind == STDOUT else 2, len(frame.payload) - 8)
                except OSError:
                    pass  # the VM has ended, what it said before is still to be read
        elif frame.kind == EXITED:
            e = self.executions[frame.stream]
            assert e.exit is None
            e.exit = struct.unpack("<II", frame.payload)
        elif frame.kind == STDIN_CREDIT:
            self.executions[frame.stream].stdin_credit += struct.unpack("<I", frame.payload)[0]
        else:
            self.answers[frame.request] = frame

    def wait_hello(self):
        while self.hello is None:
            self.step()
        return self

    def begin(self, kind, payload=b"", stream=0, piece=65536):
        request = self.next_request
        self.next_request += 1
        pieces = [payload[i : i + piece] for i in range(0, len(payload), piece)] or [b""]
        for i, part in enumerate(pieces):
            self.send(kind, stream, request, part, flags=int(i + 1 < len(pieces)))
        return request

    def answer(self, request):
        while request not in self.answers:
            self.step()
        frame = self.answers.pop(request)
        if frame.kind == FAILED:
            code, length = struct.unpack_from("<II", frame.payload)
            raise Failed(code, frame.payload[8 : 8 + length].decode())
        return frame

    def request(self, kind, payload=b"", stream=0):
        return self.answer(self.begin(kind, payload, stream))

    def exec(self, argv, **options):
        frame = self.request(EXEC, exec_payload(argv, **options))
        return self.executions[frame.stream]

    def run(self, argv, **options):
        e = self.exec(argv, **options)
        return e.wait(), bytes(e.out), bytes(e.err)


def kernel_facts(share):
    """What is recorded beside the kernel (docs/vm.md)."""
    with open(f"{share}/kernel/kernel.properties") as file:
        return dict(line.rstrip("\n").split("=", 1) for line in file)


class Vm:
    def __init__(self, share, image, directory, kernel="vmlinux", extra=(), parameters="", memory=256, guard_options=()):
        self.directory = directory
        os.makedirs(directory, mode=0o700)
        sockets = [self.path("qmp"), self.path("c0")]
        command = [f"{share}/cloche-guard", "--dir", directory, *guard_options]
        for path in sockets:
            command += ["--listen", path]
        facts = kernel_facts(share)
        acpi = facts.get("acpi", "on")
        command += ["--", "qemu-system-x86_64", "-M", f"microvm,acpi={acpi}", "-nodefaults", "-no-user-config"]
        command += ["-display", "none", "-no-reboot", "-accel", "tcg", "-cpu", "max,-erms,-fsrm", "-m", str(memory), "-smp", "1"]
        command += ["-kernel", f"{share}/kernel/{kernel}", "-initrd", f"{share}/initramfs"]
        tsc = subprocess.run([f"{share}/cloche-tsc"], stdout=subprocess.PIPE, text=True).stdout.strip()
        if tsc:
            parameters = f"tsc=reliable tsc_early_khz={tsc} {parameters}"
        words = [KERNEL_PARAMETERS, facts.get("parameters", ""), parameters]
        command += ["-append", " ".join(filter(None, words))]
        command += ["-sandbox", "on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny"]
        command += ["-chardev", "stdio,id=console,signal=off", "-serial", "chardev:console"]
        command += ["-chardev", "socket,id=qmp,fd=4,server=on,wait=off", "-mon", "chardev=qmp,mode=control"]
        if image:
            command += ["-drive", f"if=none,id=root,file={image},format=raw,readonly=on"]
            command += ["-device", "virtio-blk-device,drive=root"]
        command += ["-device", "virtio-serial-device,max_ports=16"]
        command += ["-chardev", "socket,id=c0,fd=5,server=on,wait=off"]
        command += ["-device", "virtserialport,chardev=c0,name=cloche.0,nr=1"]
        command += ["-chardev", "file,id=goodbye,path=/dev/fd/3"]
        command += ["-device", "virtserialport,chardev=goodbye,name=cloche.goodbye,nr=9", *extra]
        self.plugged = {0}
        self.started = time.monotonic()
        self.guard = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        line = self.guard.stdout.readline().decode()
        assert line.startswith("started "), line
        self.pid = int(line.split()[1])

    def path(self, name):
        return f"{self.directory}/{name}"

    def plug(self, port):
        """Plugs a client's port in, unless that was done before."""
        if port in self.plugged:
            return
        address = {"type": "unix", "data": {"path": self.path(f"c{port}")}}
        backend = {"type": "socket", "data": {"addr": address, "server": True, "wait": False}}
        device = {"driver": "virtserialport", "id": f"p{port}", "chardev": f"c{port}", "name": f"cloche.{port}", "nr": port + 1}
        with socket.socket(socket.AF_UNIX) as monitor:
            monitor.connect(self.path("qmp"))
            lines = monitor.makefile()
            assert "QMP" in json.loads(lines.readline())
            for command, arguments in (
                ("qmp_capabilities", {}), ("chardev-add", {"id": f"c{port}", "backend": backend}), ("device_add", device)
            ):
                monitor.sendall(json.dumps({"execute": command, "arguments": arguments}).encode() + b"\n")
                answer = {}
                while not answer.keys() & {"return", "error"}:  # events stand in between
                    answer = json.loads(lines.readline())
                assert "return" in answer, answer
        self.plugged.add(port)

    def connect(self, port=0, **options):
        self.plug(port)
        return Channel(self.path(f"c{port}"), **options)

    def console(self):
        with open(self.path("console.log"), errors="replace") as file:
            return file.read()

    def ended(self, timeout=60):
        """Waits for the end and answers exit.json as text."""
        self.guard.wait(timeout)
        with open(self.path("exit.json")) as file:
            return file.read()

    def destroy(self):
        if self.guard.poll() is None:
            self.guard.send_signal(signal.SIGTERM)
        self.guard.wait(30)
        self.guard.stdin.close()
        self.guard.stdout.close()
        shutil.rmtree(self.directory)
