package dev.cloche.vm.testing;

import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.ExitStatus;
import dev.cloche.vm.Goodbye;
import dev.cloche.vm.GuestFailure;
import dev.cloche.vm.GuestIdentity;
import dev.cloche.vm.VmExit;
import dev.cloche.vmm.channel.GuestConnection;
import dev.cloche.vmm.channel.PipeChannel;
import dev.cloche.vmm.protocol.FileRequest;
import dev.cloche.vmm.protocol.GuestFrames;
import dev.cloche.vmm.protocol.HostRequests;
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
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** A guest inside of this JVM: it speaks the real protocol in real frames, and runs {@link BuiltIns} instead of programs. */
final class InMemoryGuest {
    private static final int SIGKILL = 9;
    private static final Duration UNSENT_LIMIT = Duration.ofSeconds(10);

    private final InMemoryFaults faults;
    private final InMemoryLog log;
    /** Whether it never says hello. */
    private final boolean hangs;

    private final Instant startedAt = Instant.now();
    private final CompletableFuture<VmExit> ended = new CompletableFuture<>();
    private final Set<InMemoryPort> ports = ConcurrentHashMap.newKeySet();
    private final InMemoryExecutions executions = new InMemoryExecutions();
    private final Set<String> directories = ConcurrentHashMap.newKeySet();
    private final InMemoryRules rules = new InMemoryRules(executions, directories);
    private final InMemoryTree tree;
    private final Runnable giveBack;
    private final InMemoryPause pause = new InMemoryPause();
    private volatile boolean stopAsked;
    private volatile boolean shuttingDown;
    private volatile Optional<ExitStatus> mainExit = Optional.empty();
    private volatile boolean needsIdentity;
    private volatile String hostname;
    private volatile Map<String, String> environment = Map.of();
    private volatile Map<String, byte[]> secrets = Map.of();

    /** What a guest remembers that has just booted. */
    static final InMemorySnapshots.Memory BOOTED =
            new InMemorySnapshots.Memory("cloche", Set.of("/", "/tmp", "/root"), Map.of(), false);

    /**
     * @param log takes what the main execution writes
     * @param memory what it begins with
     * @param tree its files
     * @param giveBack run when it has ended, before any caller hears of that
     */
    InMemoryGuest(
            InMemoryFaults faults,
            InMemoryLog log,
            InMemorySnapshots.Memory memory,
            InMemoryTree tree,
            Runnable giveBack) {
        this.faults = faults;
        this.log = log;
        this.tree = tree;
        this.giveBack = giveBack;
        hangs = faults.nextBootHangs();
        hostname = memory.hostname();
        needsIdentity = memory.needsIdentity();
        directories.addAll(memory.directories());
        secrets = memory.secrets();
    }

    InMemoryTree tree() {
        return tree;
    }

    InMemorySnapshots.Memory memory() {
        return new InMemorySnapshots.Memory(hostname, directories, secrets, needsIdentity);
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

    /** Takes a new identity, or says why not. */
    Optional<GuestFailure> configure(GuestIdentity identity) {
        if (faults.nextIdentityIsRefused()) {
            return Optional.of(GuestFailure.OUT_OF_RESOURCES);
        }
        if (identity.network().isPresent()) {
            return Optional.of(GuestFailure.UNSUPPORTED);
        }
        if (identity.endsExecutions()) {
            executions.endAll();
        }
        identity.hostname().ifPresent(name -> hostname = name);
        environment = identity.environment().isEmpty() ? environment : identity.environment();
        secrets = identity.secrets().isEmpty() && !identity.removesSecrets() ? secrets : identity.secrets();
        needsIdentity = needsIdentity && identity.entropy().isEmpty();
        return Optional.empty();
    }

    /** Returns whether the host hears of it. */
    boolean quiesce() {
        needsIdentity = true;
        return !faults.nextQuiesceIsUnheard();
    }

    InMemoryExecutions executions() {
        return executions;
    }

    /** By the tags of the guest protocol. */
    Map<Integer, Long> metrics() {
        Runtime jvm = Runtime.getRuntime();
        long running = executions.running();
        Map<Integer, Long> values = new TreeMap<>();
        values.put(1, Duration.between(startedAt, Instant.now()).toNanos());
        values.put(2, (long) jvm.availableProcessors());
        values.put(4, jvm.maxMemory());
        // The heap may grow between the two looks at it.
        values.put(5, Math.clamp(jvm.maxMemory() - jvm.totalMemory() + jvm.freeMemory(), 1, jvm.maxMemory()));
        values.put(6, running + 1);
        values.put(11, running);
        return values;
    }

    void closed(InMemoryPort port) {
        executions.detach(port);
        ports.remove(port);
    }

    /** Returns whether it is halted, and the wait for its end. */
    InMemoryPause pause() {
        return pause;
    }

    /** Starts a program that is attached to a port, or answers why it cannot be started. */
    void spawn(InMemoryPort port, int answering, HostRequests.Exec exec) {
        ExecRequest request = exec.request();
        String program = request.arguments().getFirst();
        Optional<GuestFailure> failure = rules.refuses(request, needsIdentity);
        if (failure.isPresent()) {
            port.sendNow(GuestFrames.failed(answering, failure.get(), program + " cannot be started"));
            return;
        }
        Map<String, String> variables = new TreeMap<>(environment);
        variables.putAll(request.environment());
        Map<String, byte[]> files = secrets;
        boolean logged = request.has(ExecRequest.Option.MAIN);
        InMemoryExecution execution = new InMemoryExecution(
                executions.nextId(),
                request,
                BuiltIns.find(program).orElseThrow(),
                (in, out, err, terminal) -> new BuiltIns.Call(
                        request,
                        variables,
                        hostname,
                        files,
                        in,
                        logged ? log.tee(out, false) : out,
                        logged ? log.tee(err, true) : err,
                        terminal),
                this::ended);
        executions.add(execution);
        execution.start(port, answering, exec.credit());
    }

    /** Begins a file operation, or answers why it cannot. */
    void file(InMemoryPort port, int answering, FileRequest.Received received) {
        Optional<GuestFailure> failure = Optional.of(
                        needsIdentity ? GuestFailure.NEEDS_IDENTITY : GuestFailure.OUT_OF_RESOURCES)
                .filter(refused -> needsIdentity || executions.full());
        if (!InMemoryFileOperation.knows(received.request())) {
            // As an agent of before.
            failure = Optional.of(GuestFailure.UNSUPPORTED);
        }
        Optional<InMemoryExecution> operation = failure.isPresent()
                ? Optional.empty()
                : InMemoryFileOperation.of(tree, received.request(), executions.nextId(), executions::remove);
        if (operation.isEmpty()) {
            port.sendNow(GuestFrames.failed(
                    answering, failure.orElse(GuestFailure.UNKNOWN_USER), "the files cannot be reached"));
            return;
        }
        executions.addFileOperation(operation.get());
        operation.get().start(port, answering, received.credit());
    }

    private void ended(InMemoryExecution execution) {
        if (execution.main() && !execution.init()) {
            mainExit = execution.end();
        }
        executions.ended(execution);
        if (execution.main() && !shuttingDown) {
            powerOff(new Goodbye(
                    Goodbye.Reason.MAIN_ENDED, Optional.of(execution.settled().join())));
        }
    }

    void shutdown() {
        shuttingDown = true;
        executions.stop();
        // What a program has written need not be read. The real agent waits less long; tests run on busy hosts.
        var _ = executions
                .settled()
                .orTimeout(UNSENT_LIMIT.toMillis(), TimeUnit.MILLISECONDS)
                .handle((done, late) -> {
                    powerOff(new Goodbye(
                            Goodbye.Reason.SHUTDOWN_REQUESTED,
                            executions.mainExit().or(() -> mainExit),
                            faults.killedAtShutdown()));
                    return done;
                });
    }

    void stopAsked() {
        stopAsked = true;
    }

    boolean isStopAsked() {
        return stopAsked;
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
        // Not before: no port would hear how a program ended whose machine is gone.
        killAll();
    }

    /** Sends these bytes on every connection. */
    void babble(byte[] bytes) {
        ports.forEach(port -> port.sendNow(ByteBuffer.wrap(bytes)));
    }

    private void end(VmExit.Cause cause, Optional<Goodbye> goodbye) {
        boolean exited = cause == VmExit.Cause.EXITED;
        giveBack.run();
        ended.complete(new VmExit(
                exited && goodbye.isEmpty() && stopAsked ? VmExit.Cause.STOPPED : cause,
                goodbye,
                exited ? OptionalInt.of(0) : OptionalInt.empty(),
                exited ? OptionalInt.empty() : OptionalInt.of(SIGKILL),
                startedAt,
                Instant.now()));
        pause.end();
        log.end();
    }

    private void killAll() {
        executions.signal(SIGKILL);
    }
}
