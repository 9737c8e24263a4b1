"""Runs cells of Python for Cloche: one process of one thread, which forks a process for each context.

Its first argument is the directory that it makes and listens in; what is said there stands in docs/interpreter.md of
Cloche. The others are modules that it imports before, for all contexts.
Needs Python 3.9 and no package. It ends with the connection of its owner, and all contexts with it, also if it is killed.
"""
import sys

if sys.path and sys.path[0] == __file__.rpartition("/")[0]:
    sys.path[0] = ""  # else files beside this one would be imported in place of Python's own

import ast
import base64
import codeop
import fcntl
import importlib
import json
import linecache
import mmap
import os
import random
import select
import signal
import socket
import struct
import threading
import time
import traceback
import types
import warnings

F_SETSIG = 10  # of Linux; fcntl has no name for it
MOST_CONTEXTS = 32
MOST_TYPES = 32
MOST_FRAMES = 64
LONGEST_HEADER = 256 << 10
LONGEST_PAYLOAD = 16 << 20
PIECE = 64 << 10
ENOUGH = 1 << 20  # of what the host has not taken: nothing more is read for it until then
NUDGE = signal.SIGURG  # makes a call return that waits; nothing else, also where it is not handled
NUDGE_AFTER = 0.1  # seconds
MOST_NUDGES = 20
METHODS = {
    "text/html": "_repr_html_",
    "text/markdown": "_repr_markdown_",
    "image/svg+xml": "_repr_svg_",
    "image/png": "_repr_png_",
    "image/jpeg": "_repr_jpeg_",
    "application/json": "_repr_json_",
    "text/latex": "_repr_latex_",
}


def frame(header, payload=b""):
    text = json.dumps(header).encode("ascii")
    return struct.pack(">II", len(text), len(payload)) + text + payload


class Frames:
    """Cuts what has come of a stream into frames."""

    def __init__(self):
        self.data = bytearray()

    def next(self):
        if len(self.data) < 8:
            return None
        header, payload = struct.unpack_from(">II", self.data)
        if header > LONGEST_HEADER or payload > LONGEST_PAYLOAD:
            raise ValueError("a frame is too long")
        end = 8 + header + payload
        if len(self.data) < end:
            return None
        whole = bytes(self.data[:end])
        del self.data[:end]
        said = json.loads(whole[8 : 8 + header])
        if not isinstance(said, dict):
            raise ValueError("a header is no object")
        return said, whole[8 + header :], whole

    def wait(self, stream):
        """Reads until there is a frame; None at the end of the stream."""
        while True:
            found = self.next()
            if found:
                return found
            piece = stream.recv(PIECE)
            if not piece:
                return None
            self.data += piece


class Interrupt:
    """The last interrupt of a context, in memory that its driver and its process share."""

    def __init__(self):
        self.memory = mmap.mmap(-1, 5)

    def of(self, cell):
        self.memory[:] = struct.pack("=IB", cell & 0xFFFFFFFF, 0)

    def is_of(self, cell):
        return struct.unpack_from("=I", self.memory)[0] == cell & 0xFFFFFFFF

    def see(self):
        self.memory[4] = 1

    def is_seen(self):
        return self.memory[4] == 1


class Context:
    """A context as its driver sees it: the host's connection, the process, and the pipes between."""

    def __init__(self, host, pid, control, outputs, silent, interrupt):
        self.host, self.pid, self.control, self.outputs, self.silent = host, pid, control, outputs, silent
        self.last = interrupt
        self.cell, self.nudge_at, self.nudges = 0, None, 0
        self.process = os.pidfd_open(pid)
        self.running = True  # until it has said that it is ready
        self.ended = False
        self.to_host, self.to_child = bytearray(), bytearray()
        self.from_host, self.from_child = Frames(), Frames()
        for stream in (host, control):
            stream.setblocking(False)
        for pipe in outputs.values():
            os.set_blocking(pipe, False)

    def events(self):
        """Returns what is waited for, by descriptor. Output between two cells waits in its pipe for the next."""
        wanted = {self.host.fileno(): (0 if self.ended else select.POLLIN) | (select.POLLOUT if self.to_host else 0)}
        if not self.ended:
            wanted[self.process] = select.POLLIN
            reading = self.running and len(self.to_host) < ENOUGH
            control = (select.POLLIN if reading else 0) | (select.POLLOUT if self.to_child else 0)
            if control:
                wanted[self.control.fileno()] = control
            if reading:
                wanted.update((pipe, select.POLLIN) for pipe in self.outputs.values())
        return wanted

    def step(self, ready):
        """Does what can be done without a wait; False when the connection is over."""
        try:
            if self.host.fileno() in ready and not self.ended and not self.hear():
                return False
            if not self.ended and self.process in ready:
                self.end()
            elif not self.ended and self.running:
                self.collect(PIECE)
                if not self.listen():
                    self.end()
            if self.to_child and not self.ended and not self.pass_on():
                self.end()
            self.flush(self.host, self.to_host)
            return bool(self.to_host) or not self.ended
        except (OSError, ValueError, KeyError):
            return False

    def hear(self):
        piece = receive(self.host)
        if piece == b"":
            return False
        self.from_host.data += piece or b""
        for header, _, whole in iter(self.from_host.next, None):
            if header["op"] == "interrupt":
                if self.running:
                    self.interrupt()
            elif header["op"] == "kill":
                self.signal(signal.SIGKILL)
            else:
                self.running = True
                self.cell += header["op"] == "run"
                self.to_child += whole
        return True

    def interrupt(self):
        """Interrupts the cell. A signal between Python's last look and a system call is not seen until that returns."""
        self.last.of(self.cell)
        self.signal(signal.SIGINT)
        self.nudge_at, self.nudges = time.monotonic() + NUDGE_AFTER, 0

    def nudge(self):
        """Has a call that waits look for an interrupt. A handler of the cell's own is not known to have it: hence an end."""
        if self.nudge_at is None or self.nudge_at > time.monotonic():
            return
        self.nudges += 1
        self.nudge_at += NUDGE_AFTER
        if self.ended or not self.running or self.last.is_seen() or self.nudges > MOST_NUDGES:
            self.nudge_at = None
        else:
            os.kill(self.pid, NUDGE)

    def signal(self, number):
        try:
            os.killpg(self.pid, number)
        except ProcessLookupError:
            os.kill(self.pid, number)  # it had no time to become the leader of its group

    def collect(self, most):
        """Takes the output that is there."""
        for name, pipe in list(self.outputs.items()):
            taken = 0
            while taken < most:
                try:
                    piece = os.read(pipe, PIECE)
                except BlockingIOError:
                    break
                if not piece:
                    os.close(self.outputs.pop(name))  # every process has closed it
                    break
                taken += len(piece)
                self.to_host += frame({"type": name}, piece)

    def pass_on(self):
        """Passes on what the host says; False if the process has ended and only its status has not come yet."""
        try:
            self.flush(self.control, self.to_child)
            return True
        except (BrokenPipeError, ConnectionResetError):
            return False

    def listen(self):
        """Passes on what the process says, behind the output that it wrote before; False if it can say no more."""
        piece = receive(self.control)
        self.from_child.data += piece or b""
        while self.running:  # what is shown after a cell comes with the next
            header, _, whole = self.from_child.next() or (None, None, None)
            if not whole:
                break
            self.collect(ENOUGH)
            self.to_host += whole
            if header["type"] in ("ready", "done", "checked"):
                self.running = False
        return piece != b""

    def end(self):
        if self.running:
            self.collect(ENOUGH)
            self.listen()
            self.collect(ENOUGH)
        status = self.kill()
        self.to_host += frame({"type": "ended", "code": os.waitstatus_to_exitcode(status)})

    def kill(self):
        """Ends the process and what it has started, before its number can be another's."""
        if self.ended:
            return 0
        self.ended = True
        self.signal(signal.SIGKILL)
        status = os.waitpid(self.pid, 0)[1]
        self.control.close()
        for descriptor in (self.process, self.silent, *self.outputs.values()):
            os.close(descriptor)
        return status

    @staticmethod
    def flush(stream, data):
        while data:
            try:
                del data[: stream.send(data[:PIECE])]
            except BlockingIOError:
                return


def receive(stream):
    """Returns a piece; nothing at the end; None if there is none yet."""
    try:
        return stream.recv(PIECE)
    except BlockingIOError:
        return None
    except ConnectionResetError:
        return b""  # it has ended before it read what was said to it


class Driver:
    def __init__(self, listener):
        self.listener = listener
        self.owner = None
        self.contexts = []

    def serve(self):
        while True:
            wanted = {self.listener.fileno(): select.POLLIN}
            if self.owner:
                wanted[self.owner.fileno()] = select.POLLIN
            for context in self.contexts:
                wanted.update(context.events())
            poll = select.poll()
            for descriptor, events in wanted.items():
                poll.register(descriptor, events)
            nudges = [context.nudge_at for context in self.contexts if context.nudge_at is not None]
            wait = max(0, min(nudges) - time.monotonic()) * 1000 + 1 if nudges else None
            ready = {descriptor for descriptor, _ in poll.poll(wait)}
            for context in self.contexts:
                context.nudge()
            if self.owner and self.owner.fileno() in ready:
                return
            for context in [one for one in self.contexts if not ready.isdisjoint(one.events())]:
                if not context.step(ready):
                    context.kill()
                    context.host.close()
                    self.contexts.remove(context)
            if self.listener.fileno() in ready:
                self.admit(self.listener.accept()[0])

    def admit(self, stream):
        stream.settimeout(5)
        try:
            header = (Frames().wait(stream) or [{}])[0]
            if header.get("op") == "own" and self.owner is None:
                self.owner = stream
                version = ".".join(map(str, sys.version_info[:3]))
                stream.sendall(frame({"type": "driver", "language": "python", "version": version}))
            elif header.get("op") == "context" and len(self.contexts) < MOST_CONTEXTS:
                self.contexts.append(self.fork(stream))
                stream.setblocking(False)
            else:
                stream.sendall(frame({"type": "refused"}))
                stream.close()
        except (OSError, ValueError):
            stream.close()

    def fork(self, stream):
        control, theirs = socket.socketpair()
        pipes = os.pipe(), os.pipe()
        life, silent = os.pipe()  # nothing is written to it: it ends with this process, however that ends
        interrupt = Interrupt()
        pid = os.fork()
        if pid == 0:
            try:
                for one in [self.listener, stream, control, *([self.owner] if self.owner else [])]:
                    one.detach()  # so that no end of an object closes a number that is another's by then
                for context in self.contexts:
                    context.host.detach()
                    context.control.detach()
                run_context(theirs.detach(), pipes[0][1], pipes[1][1], life, interrupt)
            finally:
                os._exit(70)
        theirs.close()
        for pipe in pipes:
            os.close(pipe[1])
        os.close(life)
        return Context(stream, pid, control, {"stdout": pipes[0][0], "stderr": pipes[1][0]}, silent, interrupt)

    def close(self):
        for context in self.contexts:
            context.kill()


# What follows runs in the process of a context.


class Cell:
    """The state of the one cell that runs."""

    running = False
    interrupted = False
    number = 0
    link = None
    interrupt = None
    process = 0
    lock = threading.Lock()
    saying = False  # by the thread that interrupts come to: an interrupt waits, for half a frame would be none
    pending = False


def on_interrupt(_number, _frame):
    if os.getpid() == Cell.process:
        Cell.interrupt.see()
    if Cell.running:
        Cell.interrupted = True
        if Cell.saying:
            Cell.pending = True
        else:
            raise KeyboardInterrupt


def reseed():
    """Runs in every process that is forked; Python does the same for random."""
    random.seed()
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed()


def end_with(life):
    """Has the kernel kill the group of this process when a pipe ends, also while code runs that lets nothing else run.

    If it has ended before, no signal comes; but no code does either.
    """
    fcntl.fcntl(life, fcntl.F_SETOWN, -os.getpid())
    fcntl.fcntl(life, F_SETSIG, signal.SIGKILL)
    fcntl.fcntl(life, fcntl.F_SETFL, os.O_ASYNC)


def on_nudge(_number, _frame):
    pass


def handle_signals():
    """Is called before anything is said that a cell can follow, for its interrupt can come at once."""
    signal.signal(signal.SIGINT, on_interrupt)
    signal.signal(NUDGE, on_nudge)


def run_context(control, out, err, life, interrupt):
    os.setsid()
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(out, 1)
    os.dup2(err, 2)
    # Out of the way of numbers that programs use; the second is the higher one.
    link, life = (fcntl.fcntl(one, fcntl.F_DUPFD_CLOEXEC, 200) for one in (control, life))
    os.closerange(3, link)
    os.closerange(link + 1, life)
    os.closerange(life + 1, 4096)
    end_with(life)
    Cell.link = socket.socket(fileno=link)
    sys.stdin = open(0, closefd=False)
    sys.stdout = open(1, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)
    sys.stderr = open(2, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)
    sys.argv = [""]
    warnings.filterwarnings("ignore", message="FigureCanvasAgg is non-interactive")
    main = sys.modules["__main__"] = types.ModuleType("__main__")
    main.__dict__.update(__builtins__=__builtins__, display=display)
    Cell.interrupt, Cell.process = interrupt, os.getpid()
    requests = Frames()
    handle_signals()
    say({"type": "ready"})
    while True:
        request = requests.wait(Cell.link)
        if request is None:
            os._exit(0)
        header, code, _ = request
        code = code.decode("utf-8", "replace")
        if header["op"] == "check":
            say({"type": "checked", "complete": is_complete(code)})
            continue
        status = run_cell(code, main.__dict__)
        if os.getpid() != Cell.process:
            os._exit(0)  # a child that the cell has forked and let run out of it
        say({"type": "done", "status": status})


def say(header, payload=b""):
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):
            pass  # the cell has closed or replaced it
    whole = frame(header, payload)
    if threading.current_thread() is not threading.main_thread():
        with Cell.lock:
            Cell.link.sendall(whole)
        return
    try:
        Cell.saying = True
        with Cell.lock:
            Cell.link.sendall(whole)
    finally:
        Cell.saying = False
    if Cell.pending:
        Cell.pending = False
        if Cell.running:
            raise KeyboardInterrupt


def is_complete(code):
    try:
        return codeop.compile_command(code) is not None
    except (SyntaxError, ValueError, OverflowError, MemoryError, RecursionError):
        return True  # running it tells what is wrong


def run_cell(code, names):
    Cell.number += 1
    Cell.interrupted = False
    try:
        try:
            Cell.running = True
            if Cell.interrupt.is_of(Cell.number):  # its signal came before there was a cell
                on_interrupt(signal.SIGINT, None)
            value = evaluate(code, "<cell %d>" % Cell.number, names)
            if value is not None:
                names["_"] = value
                show(value, True)
            show_figures()
        finally:
            Cell.running = False
            handle_signals()  # the cell may have set others
        return "ok"
    except BaseException as error:
        Cell.running = False
        handle_signals()
        tell(error)
        return "interrupted" if Cell.interrupted and isinstance(error, KeyboardInterrupt) else "error"


def evaluate(code, name, names):
    linecache.cache[name] = (len(code), None, code.splitlines(True), name)
    tree = ast.parse(code, name)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, name, "exec", dont_inherit=True), names)
    return eval(compile(ast.Expression(last.value), name, "eval", dont_inherit=True), names) if last else None


def tell(error):
    frames = []
    if isinstance(error, SyntaxError):
        frames.append({"file": str(error.filename), "line": error.lineno or 0, "function": "", "source": error.text})
    for one in traceback.extract_tb(error.__traceback__)[-MOST_FRAMES:]:
        if one.filename not in (__file__, ast.__file__):
            frames.append({"file": one.filename, "line": one.lineno or 0, "function": one.name, "source": one.line})
    for one in frames:
        one.update((key, str(one[key] or "").strip()[:400]) for key in ("file", "function", "source"))
    try:
        value = str(error)
    except BaseException:
        value = ""
    name = type(error).__name__[:400]
    said = {"type": "error", "name": name, "value": value[: 16 << 10], "cut": len(value) > 16 << 10, "frames": frames}
    while len(json.dumps(said)) > LONGEST_HEADER:
        said.update(cut=True, frames=said["frames"][1:])
    say(said)


def display(*values):
    """Shows each value, in the richest forms that it has."""
    for value in values:
        show(value, False)


def show(value, is_result):
    send_bundle(bundle(value), is_result)


def bundle(value):
    forms = {"text/plain": repr(value)}
    if not isinstance(value, type):
        many = form(value, "_repr_mimebundle_")
        forms.update(many if isinstance(many, dict) else {})
        for kind, method in METHODS.items():
            if kind not in forms:
                forms[kind] = form(value, method)
    return forms


def form(value, method):
    try:
        wishes = {"include": None, "exclude": None} if method == "_repr_mimebundle_" else {}
        found = getattr(value, method)(**wishes)
        return found[0] if isinstance(found, tuple) else found
    except Exception:
        return None  # a value without this form, or whose form fails, has its others


def encoded(kind, data):
    """Returns the bytes of a form, None if it has none."""
    if data is None:
        return None
    if kind == "application/json" or kind.endswith("+json"):
        return json.dumps(data).encode()
    if isinstance(data, (bytes, bytearray)):
        return bytes(data)
    if kind.startswith("image/") and kind != "image/svg+xml":
        return base64.b64decode(data)
    return str(data).encode("utf-8", "backslashreplace")


def send_bundle(forms, is_result):
    payload, kinds, cut = b"", [], False
    for kind, data in forms.items():
        try:
            data = encoded(kind, data)
        except Exception:
            cut = True
            continue
        if data is None:
            continue
        room = LONGEST_PAYLOAD - len(payload)
        if kind == "text/plain" and len(data) > room:
            data, cut = data[:room].decode("utf-8", "ignore").encode(), True
        if len(data) > room or len(kinds) == MOST_TYPES or len(kind) > 100:
            cut = True
            continue
        kinds.append([kind, len(data)])
        payload += data
    say({"type": "display", "result": is_result, "cut": cut, "forms": kinds}, payload)


def show_figures():
    """Shows the figures that are open and closes them."""
    plots = sys.modules.get("matplotlib.pyplot")
    if plots:
        import io

        for number in plots.get_fignums():
            figure = plots.figure(number)
            picture = io.BytesIO()
            figure.savefig(picture, format="png", bbox_inches="tight")
            plots.close(figure)
            send_bundle({"text/plain": repr(figure), "image/png": picture.getvalue()}, False)


def main():
    if sys.version_info < (3, 9):
        sys.exit("Python %d.%d is too old: 3.9 is needed" % sys.version_info[:2])
    directory = sys.argv[1]
    os.environ.setdefault("MPLBACKEND", "Agg")
    sys.stdout = sys.stderr  # what a module prints is not what is waited for
    for module in sys.argv[2:]:
        importlib.import_module(module)
    sys.stdout = sys.__stdout__
    os.mkdir(directory, 0o700)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(directory + "/socket")
    listener.listen(64)
    os.register_at_fork(after_in_child=reseed)
    print("listening", flush=True)
    driver = Driver(listener)
    try:
        driver.serve()
    finally:
        driver.close()
        os.unlink(directory + "/socket")
        os.rmdir(directory)


main()
