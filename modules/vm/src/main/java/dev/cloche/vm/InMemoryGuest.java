package dev.cloche.vm;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** A guest inside of this JVM: it speaks the real protocol in real frames, and runs {@link BuiltIns} instead of programs. */
final class InMemoryGuest {
    private static final int SIGTERM = 15;
    private static final int SIGKILL = 9;

    private final InMemoryFaults faults;
    private final InMemoryLog log;
    /** Whether it never says hello. */
    private final boolean hangs;

    private final Instant startedAt = Instant.now();
    private final CompletableFuture<VmExit> ended = new CompletableFuture<>();
    private final AtomicInteger ids = new AtomicInteger();
    private final Set<InMemoryPort> ports = ConcurrentHashMap.newKeySet();
    private final Set<InMemoryExecution> executions = ConcurrentHashMap.newKeySet();
    private final Set<String> directories = ConcurrentHashMap.newKeySet();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition resumed = lock.newCondition();
    private boolean paused;
    private volatile boolean stopAsked;
    private volatile String hostname = "cloche";

    /** What an EXEC frame says. */
    record Command(
            int request,
            boolean stdin,
            boolean main,
            boolean createWorkingDirectory,
            int window,
            List<String> arguments,
            Map<String, String> environment,
            String workingDirectory,
            String user) {}

    /** @param log takes what the main execution writes */
    InMemoryGuest(InMemoryFaults faults, InMemoryLog log) {
        this.faults = faults;
        this.log = log;
        hangs = faults.nextBootHangs();
        directories.addAll(List.of("/", "/tmp", "/root"));
    }

    /** A new connection; the host's end. */
    ByteChannel connect() throws IOException {
        PipeChannel.Pair pair = PipeChannel.Pair.open();
        InMemoryPort port = new InMemoryPort(this, pair.guest());
        ports.add(port);
        port.start();
        if (ended.isDone()) {
            port.cut();
        }
        return pair.host();
    }

    CompletableFuture<VmExit> ended() {
        return ended;
    }

    void greet(InMemoryPort port) {
        if (!hangs) {
            port.sendNow(GuestFrames.hello(
                    GuestConnection.PROTOCOL_VERSION, Duration.ofMillis(1), Duration.ofMillis(2), "in-memory"));
        }
    }

    void rename(String name) {
        hostname = name;
    }

    void closed(InMemoryPort port) {
        ports.remove(port);
    }

    void pause(boolean value) {
        lock.lock();
        try {
            paused = value;
            resumed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** A paused guest hears nothing. What its programs compute is not halted: this guest has no processor to stop. */
    void awaitRunning() {
        lock.lock();
        try {
            while (paused && !ended.isDone()) {
                resumed.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Makes an execution that is not started yet, or answers why it cannot. */
    Optional<InMemoryExecution> spawn(InMemoryPort port, Command command) {
        Optional<GuestFailure> failure = failure(command);
        if (failure.isPresent()) {
            port.sendNow(GuestFrames.failed(
                    command.request(), failure.get(), command.arguments().getFirst() + " cannot be started"));
            return Optional.empty();
        }
        InMemoryExecution execution = new InMemoryExecution(
                ids.incrementAndGet(),
                port,
                command.stdin(),
                command.window(),
                BuiltIns.find(command.arguments().getFirst()).orElseThrow(),
                (in, out, err) -> new BuiltIns.Call(
                        command.arguments(),
                        command.environment(),
                        command.workingDirectory(),
                        hostname,
                        in,
                        command.main() ? log.tee(out, false) : out,
                        command.main() ? log.tee(err, true) : err));
        executions.add(execution);
        var _ = execution.ended().thenAccept(status -> {
            executions.remove(execution);
            if (command.main()) {
                powerOff(new Goodbye(Goodbye.Reason.MAIN_ENDED, Optional.of(status)));
            }
        });
        return Optional.of(execution);
    }

    private Optional<GuestFailure> failure(Command command) {
        String program = command.arguments().getFirst();
        String[] user = command.user().split(":", 2);
        if (!Set.of("", "root", "0").contains(user[0])) {
            return Optional.of(GuestFailure.UNKNOWN_USER);
        }
        if (user.length > 1 && !Set.of("root", "0").contains(user[1])) {
            return Optional.of(GuestFailure.UNKNOWN_GROUP);
        }
        if (command.createWorkingDirectory()) {
            directories.add(command.workingDirectory());
        }
        if (!directories.contains(command.workingDirectory())) {
            return Optional.of(GuestFailure.BAD_WORKING_DIRECTORY);
        }
        if (directories.contains(program)) {
            return Optional.of(GuestFailure.COMMAND_NOT_EXECUTABLE);
        }
        return BuiltIns.find(program).isEmpty() ? Optional.of(GuestFailure.COMMAND_NOT_FOUND) : Optional.empty();
    }

    void shutdown() {
        executions.forEach(execution -> execution.signal(SIGTERM));
        CompletableFuture<?>[] all =
                executions.stream().map(InMemoryExecution::ended).toArray(CompletableFuture<?>[]::new);
        var _ = CompletableFuture.allOf(all)
                .thenRun(() -> powerOff(new Goodbye(Goodbye.Reason.SHUTDOWN_REQUESTED, Optional.empty())));
    }

    void stopAsked() {
        stopAsked = true;
    }

    private void powerOff(Goodbye goodbye) {
        if (faults.goodbyesLost()) {
            die(VmExit.Cause.EXITED);
            return;
        }
        List<InMemoryPort> told = new ArrayList<>(ports);
        ByteBuffer words = GuestFrames.goodbye(goodbye);
        told.forEach(port -> port.sendNow(words.duplicate()));
        told.forEach(InMemoryPort::finish);
        end(VmExit.Cause.EXITED, Optional.of(goodbye));
        killAll();
    }

    /** Ends without a word. */
    void die(VmExit.Cause cause) {
        end(cause, Optional.empty());
        ports.forEach(InMemoryPort::cut);
        // Not before: nobody would hear how a program ended whose machine is gone.
        killAll();
    }

    /** Sends these bytes on every connection. */
    void babble(byte[] bytes) {
        ports.forEach(port -> port.sendNow(ByteBuffer.wrap(bytes)));
    }

    private void end(VmExit.Cause cause, Optional<Goodbye> goodbye) {
        boolean exited = cause == VmExit.Cause.EXITED;
        ended.complete(new VmExit(
                exited && goodbye.isEmpty() && stopAsked ? VmExit.Cause.STOPPED : cause,
                goodbye,
                exited ? OptionalInt.of(0) : OptionalInt.empty(),
                exited ? OptionalInt.empty() : OptionalInt.of(SIGKILL),
                startedAt,
                Instant.now()));
        pause(false);
        log.end();
    }

    private void killAll() {
        executions.forEach(execution -> execution.signal(SIGKILL));
    }
}
