"""Boots a VM under the guard and speaks the guest protocol, for the end-to-end test. An independent second
implementation of docs/guest-protocol.md, kept plain on purpose."""

import collections
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

(RESET, PING, CONFIGURE, EXEC, STDIN, STDIN_EOF, SIGNAL, CREDIT, SHUTDOWN, RESIZE, ATTACH, DETACH, ACKNOWLEDGE, RELEASE,
 LIST, FILE, METRICS, FREEZE, THAW, QUIESCE, GROW, AWAIT_INIT) = range(1, 23)
(RESET_ACK, PONG, HELLO, DONE, FAILED, STARTED, STDOUT, STDERR, EXITED, STDIN_CREDIT, GOODBYE, LOG, DETACHED, ATTACHED,
 LISTING, MEASURED) = range(0x81, 0x91)
PORTS = 8
KERNEL_PARAMETERS = "console=ttyS0 quiet panic=-1 reboot=t rdinit=/init cryptomgr.notests"


IGNORE_SHARED = ("migrate-set-capabilities", {"capabilities": [{"capability": "x-ignore-shared", "state": True}]})


def encode(kind, stream=0, request=0, payload=b"", flags=0):
    head = b"CLH1" + struct.pack("<HHIII", kind, flags, stream, request, len(payload))
    crc = zlib.crc32(head)
    return head + struct.pack("<I", crc) + payload + struct.pack("<I", crc ^ 0xFFFFFFFF)


def field(tag, value):
    return struct.pack("<I", tag) + text(value)


def network(mtu=0, mac=b"", addresses=(), gateways=(), servers=()):
    lists = b"".join(struct.pack("<I", len(x)) + b"".join(map(text, x)) for x in (addresses, gateways, servers))
    return struct.pack("<I", mtu) + text(mac) + lists


def text(value):
    value = value.encode() if isinstance(value, str) else value
    return struct.pack("<I", len(value)) + value


WITH_STDIN, MAIN, MAKE_DIRECTORY, TERMINAL, ACKNOWLEDGED, INIT, STOP_SIGNAL = 1, 2, 4, 8, 16, 64, 128


def exec_payload(argv, env=(), cwd="/", user="", flags=0, credit=1 << 20, window=1 << 16, size=(0, 0), limits=(), stop=None):
    env = list(env) or ["PATH=/usr/sbin:/usr/bin:/sbin:/bin"]
    return (
        struct.pack("<IIII", flags, credit, window, len(argv))
        + b"".join(map(text, argv))
        + struct.pack("<I", len(env))
        + b"".join(map(text, env))
        + text(cwd)
        + text(user)
        + struct.pack("<III", *size, len(limits))
        + b"".join(struct.pack("<IQQ", *limit) for limit in limits)
        + (b"" if stop is None else struct.pack("<I", stop))
    )


STAT, LIST_NAMES, READ, WRITE, MKDIR, REMOVE, RENAME, COPY_OUT, COPY_IN = range(1, 10)
ENTRY, DATA, RECORD_DONE, RECORD_FAILED = range(1, 5)
TO_THE_END = 2**64 - 1


def file_payload(operation, path, flags=0, credit=1 << 20, mode=0, offset=0, length=0, target="", user=""):
    numbers = struct.pack("<IIIIQQ", operation, flags, credit, mode, offset, length)
    return numbers + text(path) + text(target) + text(user)


class Entry:
    """The content of an ENTRY; kinds count from 1: file, directory, link, FIFO, character device, block device, socket."""

    def __init__(self, name, kind=1, mode=0o644, uid=0, gid=0, size=0, seconds=0, nanoseconds=0, major=0, minor=0, target=b""):
        self.name = name.encode() if isinstance(name, str) else name
        self.kind, self.mode, self.uid, self.gid, self.size = kind, mode, uid, gid, size
        self.seconds, self.nanoseconds, self.major, self.minor = seconds, nanoseconds, major, minor
        self.target = target.encode() if isinstance(target, str) else target

    def record(self):
        numbers = (self.kind, self.mode, self.uid, self.gid, self.size, self.seconds, self.nanoseconds, self.major, self.minor)
        body = struct.pack("<IIIIQqIII", *numbers) + text(self.name) + text(self.target)
        return struct.pack("<II", ENTRY, len(body)) + body

    @staticmethod
    def of(body):
        numbers = struct.unpack_from("<IIIIQqIII", body)
        length = struct.unpack_from("<I", body, 44)[0]
        return Entry(body[48 : 48 + length], *numbers, target=body[52 + length :])


def data_record(offset, data):
    return struct.pack("<IIQ", DATA, 8 + len(data), offset) + data


DONE_RECORD = struct.pack("<II", RECORD_DONE, 0)
FAILED_RECORD = struct.pack("<III", RECORD_FAILED, 20, 5) + text("/gone") + text("bad")


class FileFailed(Exception):
    def __init__(self, error, path, sentence):
        super().__init__(f"{error}: {path}: {sentence}")
        self.error, self.path, self.sentence = error, path, sentence


def records_of(stream):
    """What a whole stream says, as (type, body); FAILED at its end is raised."""
    at, found = 0, []
    while at < len(stream):
        kind, length = struct.unpack_from("<II", stream, at)
        assert length <= 65536 and at + 8 + length <= len(stream), "broken record"
        found.append((kind, bytes(stream[at + 8 : at + 8 + length])))
        at += 8 + length
    if found[-1][0] == RECORD_FAILED:
        body = found[-1][1]
        error, length = struct.unpack_from("<II", body)
        raise FileFailed(error, body[8 : 8 + length].decode(errors="replace"), body[12 + length :].decode())
    assert found[-1] == (RECORD_DONE, b""), found[-1]
    return found[:-1]


def frames(data):
    """All frames of these bytes."""
    found, at = [], 0
    while at < len(data):
        magic, kind, flags, stream, request, length, crc = struct.unpack_from("<4sHHIIII", data, at)
        assert magic == b"CLH1" and crc == zlib.crc32(data[at : at + 20])
        found.append(Frame(kind, stream, request, bytes(data[at + 24 : at + 24 + length])))
        assert struct.unpack_from("<I", data, at + 24 + length)[0] == crc ^ 0xFFFFFFFF, "broken seal"
        at += 28 + length
    return found


class Frame:
    def __init__(self, kind, stream, request, payload):
        self.kind, self.stream, self.request, self.payload = kind, stream, request, payload

    def __repr__(self):
        return f"Frame({self.kind:#x}, {self.stream}, {self.request}, {self.payload[:200]!r})"


class Failed(Exception):
    def __init__(self, code, sentence):
        super().__init__(f"{code}: {sentence}")
        self.code, self.sentence = code, sentence


Listed = collections.namedtuple(
    "Listed", "pid flags ended kind value attached start end out_start out_end err_start err_end program"
)


class Execution:
    def __init__(self, channel, stream, pid, credit):
        self.channel, self.stream, self.pid, self.stdin_credit = channel, stream, pid, credit
        self.out, self.err, self.exit = bytearray(), bytearray(), None
        self.base = [0, 0]  # the offsets at which out and err begin
        self.detached = False

    def stdin(self, data):
        """Sends all of it, as credit allows; drops it once the execution has ended."""
        while data and self.exit is None:
            if self.stdin_credit == 0:
                self.channel.step()
                continue
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

    def acknowledge(self, which, offset):
        self.channel.send(ACKNOWLEDGE, stream=self.stream, payload=struct.pack("<IQ", which, offset))

    def until(self, wanted):
        """Reads until the output has it."""
        while wanted not in self.out:
            assert self.exit is None, (wanted, bytes(self.out), self.exit)
            self.channel.step()
        return bytes(self.out)

    def wait(self):
        while self.exit is None:
            self.channel.step()
        return self.exit


class Channel:
    """One connection to one port. A thread reads, so that the socket never fills while we write."""

    def __init__(self, path, handshake=True, timeout=300):
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
            self.goodbye = struct.unpack(f"<{len(frame.payload) // 4}I", frame.payload)
        elif frame.kind == STARTED:
            pid, credit = struct.unpack("<II", frame.payload)
            self.executions[frame.stream] = Execution(self, frame.stream, pid, credit)
            self.answers[frame.request] = frame
        elif frame.kind in (STDOUT, STDERR):
            e = self.executions[frame.stream]
            buffer = e.out if frame.kind == STDOUT else e.err
            assert struct.unpack_from("<Q", frame.payload)[0] == e.base[frame.kind - STDOUT] + len(buffer), "offset"
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
        elif frame.kind == ATTACHED:
            pid, flags, credit, taken, out, err = struct.unpack("<IIIQQQ", frame.payload)
            e = self.executions[frame.stream] = Execution(self, frame.stream, pid, credit)
            e.base, e.flags, e.stdin_offset = [out, err], flags, taken
            self.answers[frame.request] = frame
        elif frame.kind == DETACHED:
            self.executions[frame.stream].detached = True
        elif frame.kind == STDIN_CREDIT:
            self.executions[frame.stream].stdin_credit += struct.unpack("<I", frame.payload)[0]
        else:
            self.answers[frame.request] = frame

    def wait_hello(self):
        while self.hello is None:
            self.step()
        return self

    def metrics(self):
        payload = self.request(METRICS).payload
        assert len(payload) % 12 == 0
        return dict(struct.unpack_from("<IQ", payload, at) for at in range(0, len(payload), 12))

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

    def file(self, operation, path, **options):
        """Begins a file operation."""
        frame = self.request(FILE, file_payload(operation, path, **options))
        return self.executions[frame.stream]

    def files(self, operation, path, records=b"", **options):
        """Does a whole one and answers its records."""
        e = self.file(operation, path, **options)
        if records:
            e.stdin(records)
        e.eof()
        ended = e.wait()
        try:
            found = records_of(e.out)
        except FileFailed:
            assert ended == (0, 1), ended
            raise
        assert ended == (0, 0), ended
        return found

    def attach(self, stream, out=0, err=0, credit=1 << 20):
        self.request(ATTACH, struct.pack("<IQQ", credit, out, err), stream=stream)
        return self.executions[stream]

    def list(self, above=0):
        """All executions, by id."""
        found = {}
        while True:
            payload = self.request(LIST, struct.pack("<I", above)).payload
            count, at = struct.unpack_from("<I", payload)[0], 4
            if count == 0:
                return found
            for _ in range(count):
                entry = struct.unpack_from("<IIIIIIIQQQQQQI", payload, at)
                at += 28 + 48 + 4
                above, length = entry[0], entry[-1]
                found[above] = Listed(*entry[1:-1], payload[at : at + length].decode())
                at += length
            assert at == len(payload)

    def run(self, argv, **options):
        e = self.exec(argv, **options)
        return e.wait(), bytes(e.out), bytes(e.err)


def kernel_facts(share):
    """What is recorded beside the kernel (docs/vm.md)."""
    with open(f"{share}/kernel/kernel.properties") as file:
        return dict(line.rstrip("\n").split("=", 1) for line in file)


class Vm:
    def __init__(self, share, image, directory, kernel="vmlinux", extra=(), parameters="", memory=256, guard_options=(), ram=None, private=False):
        """`ram` is a file for the guest's memory. If it is private the VM waits for restore()."""
        self.directory = directory
        os.makedirs(directory, mode=0o700)
        sockets = [self.path("qmp"), self.path("c0")]
        command = [f"{share}/cloche-guard", "--dir", directory, *guard_options]
        for path in sockets:
            command += ["--listen", path]
        facts = kernel_facts(share)
        machine = f"microvm,acpi={facts.get('acpi', 'on')}" + (",memory-backend=ram" if ram else "")
        command += ["--", "qemu-system-x86_64", "-M", machine, "-nodefaults", "-no-user-config"]
        if ram:
            backend = f"memory-backend-file,id=ram,size={memory}M,mem-path={ram},share={'off' if private else 'on'}"
            command += ["-object", backend] + (["-incoming", "defer"] if private else [])
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
        self.qmp(("chardev-add", {"id": f"c{port}", "backend": backend}))
        self.plug_device(port)
        self.plugged.add(port)

    def plug_device(self, port):
        """False if its socket still serves a port that was unplugged."""
        name = f"cloche.{port}"
        return self.qmp(("device_add", {"driver": "virtserialport", "id": f"p{port}", "chardev": f"c{port}", "name": name, "nr": port + 1})) is not None

    def qmp(self, *commands, path=None):
        """Answers what the last command returned; None if what it needs is still in use."""
        with socket.socket(socket.AF_UNIX) as monitor:
            monitor.connect(path or self.path("qmp"))
            lines = monitor.makefile()
            assert "QMP" in json.loads(lines.readline())
            for command, arguments in (("qmp_capabilities", {}), *commands):
                monitor.sendall(json.dumps({"execute": command, "arguments": arguments}).encode() + b"\n")
                answer = {}
                while not answer.keys() & {"return", "error"}:  # events stand in between
                    answer = json.loads(lines.readline())
                if "is in use" in str(answer.get("error")):
                    return None
                assert "return" in answer, answer
            return answer["return"]

    def connect(self, port=0, **options):
        self.plug(port)
        return Channel(self.path(f"c{port}"), **options)

    def snapshot(self, state):
        """Stops the VM and writes its state, but for the memory, to the file."""
        server = socket.socket(socket.AF_UNIX)
        server.bind(self.path("state"))
        server.listen()
        self.qmp(("stop", {}), IGNORE_SHARED, ("migrate", {"uri": "unix:" + self.path("state")}))
        stream, _ = server.accept()
        with open(state, "wb") as file:
            while data := stream.recv(1 << 20):
                file.write(data)
        stream.close()
        server.close()
        assert self.qmp(("query-migrate", {}))["status"] == "completed"

    def restore(self, state):
        self.qmp(IGNORE_SHARED, ("migrate-incoming", {"uri": "unix:" + self.path("state")}))
        with socket.socket(socket.AF_UNIX) as stream, open(state, "rb") as file:
            stream.connect(self.path("state"))
            stream.sendall(file.read())
        while (status := self.qmp(("query-migrate", {})).get("status")) != "completed":
            assert status != "failed", status
        self.qmp(("cont", {}))

    def console(self):
        with open(self.path("console.log"), errors="replace") as file:
            return file.read()

    def ended(self, timeout=300):
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
