package dev.cloche.vmm.channel;

import dev.cloche.base.Deadline;
import dev.cloche.vm.AttachPoint;
import dev.cloche.vm.DialRequest;
import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.ExecutionInfo;
import dev.cloche.vm.Guest;
import dev.cloche.vm.GuestException;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.GuestFiles;
import dev.cloche.vm.GuestHello;
import dev.cloche.vm.GuestIdentity;
import dev.cloche.vm.GuestMetrics;
import dev.cloche.vm.GuestStream;
import dev.cloche.vm.PendingIdentity;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmId;
import dev.cloche.vmm.RunningVm;
import dev.cloche.vmm.VmWaits;
import dev.cloche.vmm.protocol.FileRequest;
import dev.cloche.vmm.protocol.Frame;
import dev.cloche.vmm.protocol.FrameEncoder;
import dev.cloche.vmm.protocol.GuestMessage;
import dev.cloche.vmm.protocol.HostFrames;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongFunction;

/** One connection to a guest's agent: the host's side of docs/guest-protocol.md. */
public final class GuestConnection implements Guest, FrameChannel.Listener, AutoCloseable {
    public static final int PROTOCOL_VERSION = 2;
    private static final int MAX_FREEZE_MILLIS = 600_000;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final String name;
    private final FrameChannel frames;
    private final ExecutionTable executions;
    private final DialTable dials;
    private final CompletableFuture<GuestHello> hello = new CompletableFuture<>();
    private final CompletableFuture<VmException> loss = new CompletableFuture<>();

    private GuestConnection(String name, ByteChannel channel, VmWaits.Hindered vm) {
        this.name = name;
        frames = new FrameChannel(name, channel, this, vm);
        executions = new ExecutionTable(frames);
        dials = new DialTable(frames);
    }

    /** Begins a conversation with the guest of a VM, which is asked whether it works while an answer does not come. */
    public static GuestConnection open(VmId id, RunningVm run) {
        return open(id.value(), run.channel(), () -> run.check(id));
    }

    /** Begins one as {@link #open(VmId, RunningVm)} does, with a guest whose last conversation has ended between two frames. */
    public static GuestConnection openAtRest(VmId id, RunningVm run) {
        return begun(id.value(), run.channel(), () -> run.check(id), FrameEncoder::reset);
    }

    /**
     * Begins a conversation on a connected channel, which belongs to the connection from here on. Does not wait: the
     * guest may not even run yet.
     */
    static GuestConnection open(String name, ByteChannel channel, VmWaits.Hindered vm) {
        return begun(name, channel, vm, FrameEncoder::opening);
    }

    private static GuestConnection begun(
            String name, ByteChannel channel, VmWaits.Hindered vm, LongFunction<ByteBuffer> opening) {
        GuestConnection connection = new GuestConnection(name, channel, vm);
        connection.frames.open(opening);
        return connection;
    }

    /** Completes when the guest is ready, exceptionally if the connection is lost before. */
    public CompletableFuture<GuestHello> ready() {
        return hello;
    }

    /**
     * Waits until the guest is ready.
     *
     * @throws VmException.Hindered if it does not become so, and something is known to hinder the VM
     */
    public void awaitReady(Deadline deadline) {
        var _ = frames.await(hello, deadline, "the guest's hello");
    }

    @Override
    public GuestHello hello() {
        return VmWaits.on(hello, Deadline.after(Duration.ZERO), "the guest's hello");
    }

    @Override
    public void ping(Deadline deadline) {
        long value = RANDOM.nextLong();
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        int request = frames.pending().add(new PendingRequest.Ping(answer, value));
        frames.ask(HostFrames.ping(request, value), answer, deadline, "the answer to a ping");
    }

    @Override
    public PendingIdentity beginConfigure(GuestIdentity identity, Deadline deadline) {
        CompletableFuture<Boolean> answer =
                frames.demanded(request -> HostFrames.configure(request, identity), deadline);
        return () -> frames.await(answer, deadline, "the guest's new identity");
    }

    @Override
    public GuestExecution exec(ExecRequest request, Deadline deadline) {
        return executions.exec(request, deadline);
    }

    @Override
    public VmException awaitLoss(Deadline deadline) {
        return VmWaits.on(loss, deadline, "the end of the connection to VM " + name);
    }

    @Override
    public GuestStream dial(DialRequest request, Deadline deadline) {
        return dials.dial(request, deadline);
    }

    @Override
    public GuestFiles files() {
        return new ChannelFiles(this, "");
    }

    /** Starts a file operation. */
    ChannelExecution file(FileRequest request, Deadline deadline) {
        return executions.file(request, deadline);
    }

    @Override
    public GuestExecution attach(int execution, AttachPoint from, Deadline deadline) {
        return executions.attach(execution, from, deadline);
    }

    @Override
    public List<ExecutionInfo> executions(Deadline deadline) {
        return executions.list(deadline);
    }

    @Override
    public void release(int execution, Deadline deadline) {
        frames.demand(
                request -> HostFrames.bare(Frame.RELEASE, execution, request), deadline, "the release of an execution");
    }

    @Override
    public GuestMetrics metrics(Deadline deadline) {
        return frames.question(
                        GuestMessage.Measured.class,
                        request -> HostFrames.bare(Frame.METRICS, 0, request),
                        deadline,
                        "the guest's metrics")
                .metrics();
    }

    @Override
    public void freeze(Duration thawAfter, Deadline deadline) {
        long millis = thawAfter.toMillis();
        if (millis < 1 || millis > MAX_FREEZE_MILLIS) {
            throw new VmException.Invalid(
                    "A guest cannot be frozen for " + thawAfter, "Give 1 millisecond to 10 minutes.");
        }
        frames.demand(request -> HostFrames.freeze(request, (int) millis), deadline, "the guest's freezing");
    }

    @Override
    public void thaw(Deadline deadline) {
        frames.demand(request -> HostFrames.bare(Frame.THAW, 0, request), deadline, "the guest's thawing");
    }

    @Override
    public void quiesce(Deadline deadline) {
        frames.demand(request -> HostFrames.bare(Frame.QUIESCE, 0, request), deadline, "the guest's rest");
    }

    @Override
    public void awaitInit(Deadline deadline) {
        frames.demand(request -> HostFrames.bare(Frame.AWAIT_INIT, 0, request), deadline, "the guest's init");
    }

    /** Has the file system of the writable layer fill its disk, which has so many bytes now. */
    public void growDisk(long bytes, Deadline deadline) {
        frames.demand(request -> HostFrames.grow(request, bytes), deadline, "the growth of the guest's disk");
    }

    /** Asks the guest to end; returns when it has said that it will. */
    public void shutdown(Duration grace, Deadline deadline) {
        int millis = Math.clamp(grace.toMillis(), 0, Integer.MAX_VALUE);
        // Also of one that is hindered: it may go on in time.
        VmWaits.on(
                frames.demanded(request -> HostFrames.shutdown(request, millis), deadline),
                deadline,
                "the guest's shutdown");
    }

    @Override
    public void close() {
        frames.fail(new GuestException.ConnectionLost("The connection to VM " + name + " was closed", null));
    }

    @Override
    public void said(GuestMessage message) {
        switch (message) {
            case GuestMessage.Hello(GuestHello words) -> greet(words);
            case GuestMessage.LastWords _ -> {
                // The guard keeps them, also where no owner hears them.
            }
            case GuestMessage.OfExecution event when event.dialed() -> dials.heard(event);
            case GuestMessage.OfExecution event -> executions.heard(event);
            case GuestMessage.ResetAck(long other) ->
                throw new GuestException.ProtocolBroken("it acknowledges a reset twice");
            case GuestMessage.Answer answer -> throw new IllegalArgumentException("an answer: " + answer);
        }
    }

    @Override
    public void ended(VmException reason) {
        hello.completeExceptionally(reason);
        executions.fail(reason);
        dials.fail(reason);
        loss.complete(reason);
    }

    private void greet(GuestHello words) {
        if (words.protocolVersion() != PROTOCOL_VERSION) {
            throw new GuestException.ProtocolBroken(
                    "its version is " + Integer.toUnsignedString(words.protocolVersion())
                            + ", and this Cloche speaks version " + PROTOCOL_VERSION);
        }
        if (!hello.complete(words)) {
            throw new GuestException.ProtocolBroken("it says hello twice");
        }
    }
}
