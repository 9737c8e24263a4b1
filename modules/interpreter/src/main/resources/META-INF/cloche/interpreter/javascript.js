/*
 * Runs cells of JavaScript for Cloche by Node's own prompt: a process that starts a process for each context.
 *
 * Its argument is the directory that it makes and listens in. What is said there stands in docs/interpreter.md of Cloche.
 * Needs Node 18 and no package. It ends with the connection of its owner, and all contexts with it; an `sh` sees to
 * these if it is killed.
 */
"use strict";

const MOST_CONTEXTS = 32;
const LONGEST_HEADER = 256 << 10;
const LONGEST_PAYLOAD = 16 << 20;
const PIECE = 64 << 10;
const ENOUGH = 1 << 20; // Of the output of one kind that is taken at once.

function frame(header, payload) {
  const text = Buffer.from(JSON.stringify(header).replace(/[\u007f-\uffff]/g, escaped));
  const data = payload || Buffer.alloc(0);
  const lengths = Buffer.alloc(8);
  lengths.writeUInt32BE(text.length, 0);
  lengths.writeUInt32BE(data.length, 4);
  return Buffer.concat([lengths, text, data]);
}

function escaped(character) {
  return "\\u" + character.charCodeAt(0).toString(16).padStart(4, "0");
}

/** Cuts what has come of a stream into frames. */
class Frames {
  constructor() {
    this.pieces = [];
    this.size = 0;
  }

  add(piece) {
    this.pieces.push(piece);
    this.size += piece.length;
  }

  /** Returns the next frame; undefined if it has not come yet. */
  next() {
    if (this.size < 8) {
      return undefined;
    }
    if (this.pieces[0].length < 8) {
      this.join();
    }
    const header = this.pieces[0].readUInt32BE(0);
    const payload = this.pieces[0].readUInt32BE(4);
    if (header > LONGEST_HEADER || payload > LONGEST_PAYLOAD) {
      throw new Error("a frame is too long");
    }
    const end = 8 + header + payload;
    if (this.size < end) {
      return undefined;
    }
    this.join();
    const whole = this.pieces[0].subarray(0, end);
    this.pieces = [this.pieces[0].subarray(end)];
    this.size -= end;
    const said = JSON.parse(whole.subarray(8, 8 + header).toString());
    if (said === null || typeof said !== "object") {
      throw new Error("a header is no object");
    }
    return { said, whole, payload: whole.subarray(8 + header) };
  }

  join() {
    if (this.pieces.length > 1) {
      this.pieces = [Buffer.concat(this.pieces)];
    }
  }
}

/**
 * Kills the contexts once this process is gone, however it ended: a context whose code does not pause sees no end of a
 * stream. A shell starts in less time than a thread of Node, and one is enough for all contexts. An image without one has
 * contexts all the same.
 */
class Watch {
  constructor() {
    this.groups = new Set();
    this.shell = require("child_process").spawn("sh", ["-c", WATCHING], {
      cwd: "/",
      detached: true, // So that what is sent to the driver's group does not end it too.
      stdio: ["pipe", "ignore", "ignore"],
    });
    this.shell.on("error", () => {});
    this.shell.stdin.on("error", () => {});
  }

  add(group) {
    this.groups.add(group);
    this.tell();
  }

  remove(group) {
    this.groups.delete(group);
    this.tell();
  }

  tell() {
    this.shell.stdin.write([...this.groups].join(" ") + "\n");
  }
}

/** The last whole line counts. */
const WATCHING =
  'while read -r line; do groups=$line; done; for group in $groups; do kill -KILL "-$group"; done';

/** A context as its driver sees it: the process, and the host's connection once one has asked for it. */
class Context {
  constructor(source, watch, whenOver) {
    const { spawn } = require("child_process");
    this.child = spawn(process.execPath, ["-", "context"], {
      detached: true, // A group of its own: what it starts is interrupted and ends with it.
      stdio: ["pipe", "pipe", "pipe", "pipe", "pipe"],
    });
    this.watch = watch;
    this.whenOver = whenOver;
    this.running = true; // Until it has said that it is ready.
    this.begun = false; // Has said that the code of its cell can be interrupted.
    this.interrupting = false; // As soon as it can be.
    this.signalled = false; // Since its cell began.
    this.held = undefined; // What it said at the end of a cell that was signalled, until no signal is left.
    this.ended = false;
    this.fromChild = new Frames();
    this.fromHost = new Frames();
    this.early = [];
    this.requests = this.child.stdio[3];
    this.answers = this.child.stdio[4];
    this.streams = [this.child.stdout, this.child.stderr, this.answers];
    for (const stream of [...this.streams, this.requests, this.child.stdin]) {
      stream.on("error", () => {}); // Its end is told by the end of the process.
    }
    this.child.on("error", () => this.over());
    if (this.child.pid) {
      watch.add(this.child.pid);
    }
    this.child.stdout.on("data", (piece) => this.tell(frame({ type: "stdout" }, piece)));
    this.child.stderr.on("data", (piece) => this.tell(frame({ type: "stderr" }, piece)));
    this.answers.on("data", (piece) => this.guarded(() => this.hear(piece)));
    this.answers.on("end", () => this.kill());
    this.child.on("exit", (code, signal) => this.exited(code, signal));
    this.child.stdin.end(source);
  }

  /** Gives it to a host, which is told what it has said so far. */
  attach(host, rest) {
    this.host = host;
    host.on("drain", () => this.resume());
    host.on("data", (piece) => this.guarded(() => this.ask(piece)));
    host.on("close", () => this.over());
    this.early.forEach((whole) => this.tell(whole));
    this.early = [];
    this.resume();
    this.guarded(() => this.ask(rest));
  }

  guarded(work) {
    try {
      work();
    } catch {
      this.over();
    }
  }

  ask(piece) {
    this.fromHost.add(piece);
    for (let next = this.fromHost.next(); next; next = this.fromHost.next()) {
      if (next.said.op === "interrupt") {
        this.interrupting = this.running;
        this.interrupt();
      } else if (next.said.op === "kill") {
        this.kill();
      } else {
        this.running = true;
        this.resume();
        this.requests.write(next.whole);
      }
    }
  }

  /** A signal that comes before the code of the cell has a handler is lost. */
  interrupt() {
    if (this.interrupting && this.begun) {
      this.interrupting = false;
      this.signalled = true;
      this.signal("SIGINT");
    }
  }

  /** Says something to the host; nothing more is read until it takes that. */
  tell(whole) {
    if (!this.host) {
      this.early.push(whole);
    } else if (!this.host.write(whole)) {
      this.streams.forEach((stream) => stream.pause());
    }
  }

  resume() {
    if (this.running && !(this.host && this.host.writableNeedDrain)) {
      this.streams.forEach((stream) => stream.resume());
    }
  }

  hear(piece) {
    this.fromChild.add(piece);
    this.pass();
  }

  /** Passes on what the process says, behind the output that it wrote before. */
  pass() {
    for (let next = this.running && this.fromChild.next(); next; next = this.running && this.fromChild.next()) {
      if (next.said.type === "begun") {
        this.begun = true;
        this.interrupt();
        continue;
      }
      if (next.said.type === "done") {
        this.begun = false;
      }
      if (next.said.type === "done" && this.signalled) {
        this.signalled = false;
        this.held = next;
        this.requests.write(frame({ op: "settle" }));
        continue;
      }
      if (next.said.type === "settled") {
        next = this.held;
        this.held = undefined;
        if (!next) {
          continue; // Code said it.
        }
      }
      this.collect();
      this.tell(next.whole);
      if (["ready", "done", "checked"].includes(next.said.type)) {
        this.running = this.interrupting = false;
        // What is written between two cells waits in its pipe for the next.
        this.streams.forEach((stream) => stream.pause());
      }
    }
  }

  /** Takes the output that is there, without a turn of the loop. */
  collect() {
    this.take(this.child.stdout, (piece) => this.tell(frame({ type: "stdout" }, piece)));
    this.take(this.child.stderr, (piece) => this.tell(frame({ type: "stderr" }, piece)));
  }

  take(stream, to) {
    while (stream.read() !== null) {
      // Its listener has it.
    }
    const descriptor = stream._handle ? stream._handle.fd : -1;
    const piece = Buffer.alloc(PIECE);
    for (let taken = 0, length = 1; descriptor >= 0 && length > 0 && taken < ENOUGH; taken += length) {
      try {
        length = require("fs").readSync(descriptor, piece);
      } catch {
        return; // There is none.
      }
      if (length > 0) {
        to(Buffer.from(piece.subarray(0, length)));
      }
    }
  }

  signal(name) {
    try {
      process.kill(-this.child.pid, name);
    } catch {
      // It is gone.
    }
  }

  kill() {
    if (!this.ended && this.child.pid) {
      this.signal("SIGKILL");
    }
  }

  exited(code, signal) {
    this.kill(); // What it has started.
    this.ended = true;
    this.watch.remove(this.child.pid);
    if (this.running) {
      this.guarded(() => this.take(this.answers, (piece) => this.hear(piece)));
      this.collect();
    }
    const number = signal ? -require("os").constants.signals[signal] : code;
    this.tell(frame({ type: "ended", code: number }));
    this.streams.forEach((stream) => stream.destroy());
    if (this.host) {
      this.host.end();
    }
    this.whenOver(this);
  }

  over() {
    this.kill();
    if (this.host) {
      this.host.destroy();
    }
    this.whenOver(this);
  }
}

function drive(directory) {
  const fs = require("fs");
  const net = require("net");
  const source = fs.readFileSync(__filename);
  const watch = new Watch();
  const contexts = new Set();
  let spare;
  let owner;

  const begun = () => {
    const context = new Context(source, watch, (over) => {
      contexts.delete(over);
      spare = spare === over ? undefined : spare;
    });
    return context;
  };

  const close = () => {
    contexts.forEach((context) => context.kill());
    if (spare) {
      spare.kill();
    }
    fs.rmSync(directory, { recursive: true, force: true });
    process.exit(0);
  };

  const admit = (stream, said, rest) => {
    if (said.op === "own" && !owner) {
      owner = stream;
      stream.on("close", close);
      stream.write(frame({ type: "driver", language: "javascript", version: process.versions.node }));
      spare = spare || begun(); // Not before: a template has no context, whose random numbers would be in each of its sandboxes.
    } else if (said.op === "context" && contexts.size < MOST_CONTEXTS) {
      const context = spare || begun();
      spare = undefined;
      contexts.add(context);
      context.attach(stream, rest);
      spare = owner && contexts.size < MOST_CONTEXTS ? begun() : undefined;
    } else {
      stream.end(frame({ type: "refused" }));
    }
  };

  fs.mkdirSync(directory, 0o700);
  const server = net.createServer((stream) => {
    const frames = new Frames();
    stream.on("error", () => {});
    stream.setTimeout(5000, () => stream.destroy());
    const first = (piece) => {
      try {
        frames.add(piece);
        const next = frames.next();
        if (next) {
          stream.off("data", first);
          stream.setTimeout(0);
          admit(stream, next.said, Buffer.concat(frames.pieces));
        }
      } catch {
        stream.destroy();
      }
    };
    stream.on("data", first);
  });
  server.listen(directory + "/socket", () => process.stdout.write("listening\n"));
}

/* What follows runs in the process of a context. */

const MOST_TYPES = 32;
const MOST_FRAMES = 64;
const SETTLE_MS = 50;
const LONGEST_SETTLE_MS = 10000; // Of a thread that the host lets wait.
const MOST_SIGNALS = 16; // That one cell may leave.
const LONGEST_WORDS = 16 << 10;
const MOST_WAITING = 1000; // Displays of one cell, until it waits or ends.
const WORK = Symbol.for("cloche.work");
const RICH = Symbol.for("Jupyter.display");

class Session {
  constructor() {
    this.fs = require("fs");
    this.util = require("util");
    this.vm = require("vm");
    this.sources = new Map();
    this.number = 0;
    this.waiting = undefined; // What the code that runs has shown.
    // Of its own, for code may change what is global. Gives the processor to Node's thread.
    const { wait } = Atomics;
    const never = new Int32Array(new SharedArrayBuffer(4));
    this.pause = () => wait(never, 0, 0, SETTLE_MS);
    this.work = undefined; // What a script is to call.
    // Once and for all, and the function before any code runs: code may freeze what is global, or look at it.
    Object.defineProperty(globalThis, WORK, {
      get: () => {
        const { work } = this;
        this.work = undefined;
        return work;
      },
    });
    this.call = new this.vm.Script('globalThis[Symbol.for("cloche.work")]()');
    this.interrupt = undefined; // Ends the wait for a promise of the cell that runs.
    this.loader = this.vm.constants
      ? this.vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER
      : (name) => import(name);
    const warn = process.emitWarning;
    process.emitWarning = (warning, ...rest) =>
      /USE_MAIN_CONTEXT_DEFAULT_LOADER/.test(String(warning)) || warn.call(process, warning, ...rest);
    const repl = require("repl");
    const stream = require("stream");
    for (const [name, descriptor] of Object.entries({ stdout: 1, stderr: 2 })) {
      Object.defineProperty(process, name, { value: new Output(descriptor), configurable: true, enumerable: true });
    }
    this.Recoverable = repl.Recoverable;
    // For what it gives to code: require, the modules of Node, await outside of functions.
    this.prompt = repl.start({
      prompt: "",
      input: new stream.PassThrough(),
      output: new stream.Writable({
        write: (piece, _encoding, done) => {
          this.fs.writeSync(2, piece); // Errors of what runs on after its cell.
          done();
        },
      }),
      terminal: false,
      useGlobal: true,
    });
    // What a cell with await throws comes here, and not to the one who asked; so does what a timer throws, which has a mark.
    const domain = this.prompt._domain;
    if (domain) {
      domain.removeAllListeners("error");
      domain.on("error", (error) =>
        this.failed && !(error && error.domainThrown) ? this.failed(error) : this.complain(error),
      );
    }
    Object.defineProperty(globalThis, "display", {
      value: (...values) => values.forEach((value) => this.show(value)),
      writable: true,
      configurable: true,
    });
    // Between two cells, or while one waits: while code runs, vm has SIGINT to itself.
    process.on("SIGINT", () => this.interrupt && this.interrupt());
    process.on("uncaughtException", (error) => this.complain(error));
    process.on("unhandledRejection", (error) => this.complain(error));
  }

  complain(error) {
    this.fs.writeSync(2, "Uncaught " + this.util.inspect(error) + "\n");
  }

  converse() {
    const requests = new (require("net").Socket)({ fd: 3, readable: true, writable: false });
    const frames = new Frames();
    let turn = Promise.resolve();
    requests.on("data", (piece) => {
      frames.add(piece);
      for (let next = frames.next(); next; next = frames.next()) {
        const { said, payload } = next;
        turn = turn.then(() => this.answer(said, payload.toString()));
      }
    });
    requests.on("end", () => process.exit(0));
    requests.on("error", () => process.exit(0));
    this.say({ type: "ready" });
  }

  async answer(said, code) {
    if (said.op === "check") {
      this.say({ type: "checked", complete: this.isComplete(code) });
    } else if (said.op === "settle") {
      this.settle();
      this.say({ type: "settled" });
    } else {
      this.say({ type: "done", status: await this.run(code) });
    }
  }

  /**
   * Takes a signal that came just as its code ended. Node keeps what its own thread was too late for, and would interrupt the
   * next code with it.
   */
  settle() {
    for (let tries = 0, left = true; left && tries < MOST_SIGNALS; tries++) {
      const before = this.threads();
      try {
        this.breakable(() => this.awaitNodesThread(before));
        left = false;
      } catch (error) {
        left = isInterrupt(error);
      }
    }
  }

  /** Asleep, it has taken all signals: it is begun with each run that can be interrupted. */
  awaitNodesThread(before) {
    for (let looks = 0, waited = 0; looks < 2 && waited < LONGEST_SETTLE_MS; waited += SETTLE_MS) {
      this.pause();
      const own = this.threads().filter((thread) => !before.includes(thread));
      looks = own.every((thread) => this.isAsleep(thread)) ? looks + 1 : 0;
    }
  }

  /** Returns none where there is no /proc. */
  threads() {
    try {
      return this.fs.readdirSync("/proc/self/task");
    } catch {
      return [];
    }
  }

  isAsleep(thread) {
    try {
      const status = this.fs.readFileSync("/proc/self/task/" + thread + "/stat", "latin1");
      return status.slice(status.lastIndexOf(")") + 2, status.lastIndexOf(")") + 3) === "S";
    } catch {
      return true; // It has ended.
    }
  }

  say(header, payload) {
    const whole = frame(header, payload);
    for (let at = 0; at < whole.length; ) {
      at += this.fs.writeSync(4, whole, at);
    }
  }

  async run(code) {
    const name = "<cell " + ++this.number + ">";
    this.sources.set(name, code.split("\n"));
    let interrupted = false;
    try {
      const { value } = await this.evaluate(code, name); // A promise stays one, as at the prompt.
      if (value !== undefined) {
        if (!this.prompt.underscoreAssigned) {
          this.prompt.last = value;
        }
        this.say(...this.breakable(() => this.bundle(value, true)));
      }
      return "ok";
    } catch (error) {
      interrupted = isInterrupt(error);
      try {
        this.say(this.breakable(() => this.told(error)));
      } catch {
        this.say({ type: "error", name: "Error", value: "", cut: true, frames: [] });
      }
      return interrupted ? "interrupted" : "error";
    }
  }

  async evaluate(code, name) {
    let script;
    try {
      script = this.compiled(code, name);
    } catch (error) {
      if (!(error instanceof SyntaxError) || !/\bawait\b/.test(code)) {
        throw error;
      }
      return this.awaited(code, name);
    }
    const waiting = (this.waiting = []);
    try {
      const value = this.breakable(() => {
        this.say({ type: "begun" });
        return script.runInThisContext({ displayErrors: false });
      });
      return { value };
    } finally {
      this.waiting = undefined;
      waiting.forEach((display) => this.say(...display));
    }
  }

  /** As Node's prompt does it, an object may stand where a block does. */
  compiled(code, name) {
    const options = { filename: name, importModuleDynamically: this.loader };
    if (/^\s*\{/.test(code) && !/;\s*$/.test(code)) {
      try {
        return new this.vm.Script("(" + code.trim() + "\n)", options);
      } catch {
        // A block, or nothing.
      }
    }
    return new this.vm.Script(code, options);
  }

  awaited(code, name) {
    return new Promise((resolve, reject) => {
      this.failed = reject;
      this.interrupt = () => reject(new Interrupted());
      this.say({ type: "begun" });
      this.prompt.eval(code, this.prompt.context, name, (error, value) =>
        error ? reject(error instanceof this.Recoverable ? error.err : error) : resolve({ value }),
      );
    }).finally(() => (this.interrupt = this.failed = undefined));
  }

  /** Calls a function that SIGINT interrupts; it may say nothing. */
  breakable(work) {
    this.work = work;
    return this.call.runInThisContext({ breakOnSigint: true, displayErrors: false });
  }

  isComplete(code) {
    try {
      this.compiled(code, "<check>");
      return true;
    } catch (error) {
      return !/^(Unexpected end of input|Unterminated template literal|missing \) after argument list)/.test(error.message);
    }
  }

  /** While code runs that SIGINT interrupts, this waits for its end: half of a frame would be none. */
  show(value) {
    const display = this.bundle(value, false);
    if (!this.waiting) {
      this.say(...display);
    } else if (this.waiting.length < MOST_WAITING) {
      this.waiting.push(display);
    }
  }

  bundle(value, isResult) {
    const forms = { "text/plain": this.prompt.writer(value) };
    try {
      const rich = value !== null && typeof value === "object" && typeof value[RICH] === "function" && value[RICH]();
      if (rich && typeof rich === "object") {
        Object.assign(forms, rich);
      }
    } catch (error) {
      if (isInterrupt(error)) {
        throw error;
      }
      // A value whose forms fail has its text.
    }
    const kinds = [];
    const pieces = [];
    let size = 0;
    let cut = false;
    for (const [kind, form] of Object.entries(forms)) {
      let data;
      try {
        data = encoded(kind, form);
      } catch {
        cut = true;
        continue;
      }
      const room = LONGEST_PAYLOAD - size;
      if (kind === "text/plain" && data.length > room) {
        data = whole(data, room);
        cut = true;
      }
      if (data.length > room || kinds.length === MOST_TYPES || !/^[!-~]{1,100}$/.test(kind)) {
        cut = true;
        continue;
      }
      kinds.push([kind, data.length]);
      pieces.push(data);
      size += data.length;
    }
    return [{ type: "display", result: isResult, cut, forms: kinds }, Buffer.concat(pieces)];
  }

  told(error) {
    const isError = this.util.types.isNativeError(error) || error instanceof Error;
    const name = isError ? String(error.name) : "Uncaught";
    const value = isError ? String(error.message) : this.prompt.writer(error);
    const frames = isError ? this.frames(String(error.stack), error instanceof SyntaxError) : [];
    const said = {
      type: "error",
      name: name.slice(0, 400),
      value: value.slice(0, LONGEST_WORDS),
      cut: value.length > LONGEST_WORDS,
      frames,
    };
    while (JSON.stringify(said).length * 6 > LONGEST_HEADER && said.frames.length) {
      said.frames.shift();
      said.cut = true;
    }
    return said;
  }

  /** Returns the frames of cells and files, the innermost as the last. */
  frames(stack, isSyntax) {
    const found = [];
    const place = isSyntax && /^(<cell \d+>):(\d+)\n/.exec(stack);
    if (place) {
      found.push(this.at(place[1], place[2], ""));
    }
    for (const line of stack.slice(0, 256 << 10).split("\n")) {
      const frame = /^ {4}at (?:(?:async )?(.*?) \()?(.*?):(\d+):\d+\)?$/.exec(line);
      if (frame && !/^(node:|\[stdin\]|evalmachine)/.test(frame[2]) && found.length < MOST_FRAMES) {
        found.push(this.at(frame[2], frame[3], frame[1] || ""));
      }
    }
    return found.reverse();
  }

  at(file, line, name) {
    const number = Math.min(Number(line), 0x7fffffff);
    const source = (this.sources.get(file) || [])[number - 1] || "";
    return { file: file.slice(0, 400), line: number, function: name.slice(0, 400), source: source.trim().slice(0, 400) };
  }
}

/** Writes at once and has no state: code that is interrupted at any point of a write does not harm the next one. */
class Output extends require("stream").Writable {
  constructor(descriptor) {
    super();
    this.fd = descriptor;
  }

  write(chunk, encoding, done) {
    const data = typeof chunk === "string" ? Buffer.from(chunk, typeof encoding === "string" ? encoding : "utf8") : chunk;
    try {
      for (let at = 0; at < data.length; ) {
        at += require("fs").writeSync(this.fd, data, at);
      }
    } catch (error) {
      if (isInterrupt(error)) {
        throw error;
      }
      // The code has closed it.
    }
    const after = typeof encoding === "function" ? encoding : done;
    if (after) {
      process.nextTick(after);
    }
    return true;
  }
}

class Interrupted extends Error {
  constructor() {
    super("the cell was interrupted");
    this.name = "Interrupted";
    this.stack = "";
  }
}

function isInterrupt(error) {
  try {
    return error instanceof Interrupted || error.code === "ERR_SCRIPT_EXECUTION_INTERRUPTED";
  } catch {
    return false;
  }
}

/** Returns the bytes of a form. */
function encoded(kind, form) {
  if (form instanceof Uint8Array) {
    return Buffer.from(form);
  }
  if (kind === "application/json" || kind.endsWith("+json")) {
    return Buffer.from(JSON.stringify(form));
  }
  if (kind.startsWith("image/") && kind !== "image/svg+xml") {
    return Buffer.from(String(form), "base64");
  }
  return Buffer.from(String(form));
}

/** Cuts no character in two. */
function whole(data, most) {
  let end = most;
  while (end > 0 && (data[end] & 0xc0) === 0x80) {
    end--;
  }
  return data.subarray(0, end);
}

if (process.argv[2] === "context") {
  process.argv.length = 1;
  new Session().converse();
} else {
  drive(process.argv[2]);
}
