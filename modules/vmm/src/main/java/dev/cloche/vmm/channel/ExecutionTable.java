package dev.cloche.vmm.channel;

import dev.cloche.base.Deadline;
import dev.cloche.vm.AttachPoint;
import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.ExecutionInfo;
import dev.cloche.vm.ExitStatus;
import dev.cloche.vm.GuestException;
import dev.cloche.vm.Output;
import dev.cloche.vm.TerminalSize;
import dev.cloche.vm.VmException;
import dev.cloche.vmm.protocol.FileRequest;
import dev.cloche.vmm.protocol.Frame;
import dev.cloche.vmm.protocol.FrameEncoder;
import dev.cloche.vmm.protocol.GuestMessage;
import dev.cloche.vmm.protocol.HostFrames;
import dev.cloche.vmm.protocol.ListingReader;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** The executions that one connection is attached to, and how they come and go. */
public final class ExecutionTable {
    /** How much output of each stream may wait on the host. */
    public static final int WINDOW = 256 * 1024;

    private static final int SIGKILL = 9;

    private final FrameChannel channel;
    private final ConcurrentHashMap<Integer, ChannelExecution> executions = new ConcurrentHashMap<>();
    /** Those that are being attached to. */
    private final Set<Integer> attaching = ConcurrentHashMap.newKeySet();

    ExecutionTable(FrameChannel channel) {
        this.channel = channel;
    }

    ChannelExecution exec(ExecRequest request, Deadline deadline) {
        CompletableFuture<ChannelExecution> answer = new CompletableFuture<>();
        boolean acknowledged = request.has(ExecRequest.Option.ACKNOWLEDGED);
        boolean stdin = request.has(ExecRequest.Option.STDIN);
        // One that has a key is found by the caller that asks for it again, which may be another process by now.
        Consumer<ChannelExecution> abandon =
                request.key().isPresent() ? ChannelExecution::close : started -> abandon(started, acknowledged);
        int id = channel.pending()
                .add(new PendingRequest.Start<>(
                        answer, started -> register(new ChannelExecution(this, channel, started, stdin)), abandon));
        String what = "the start of " + request.arguments().getFirst();
        return channel.begin(HostFrames.exec(id, request, WINDOW), answer, abandon, deadline, what);
    }

    ChannelExecution file(FileRequest request, Deadline deadline) {
        CompletableFuture<ChannelExecution> answer = new CompletableFuture<>();
        boolean stdin = request.hasInput();
        int id = channel.pending()
                .add(new PendingRequest.Start<>(
                        answer,
                        started -> register(new ChannelExecution(this, channel, started, stdin)),
                        ChannelExecution::close));
        ByteBuffer frame = FrameEncoder.frame(Frame.FILE, 0, id, request.payload(WINDOW));
        return channel.begin(frame, answer, ChannelExecution::close, deadline, "the start of a file operation");
    }

    ChannelExecution attach(int execution, AttachPoint from, Deadline deadline) {
        // The guest would not notice a take-over within one connection, and what both send would be mixed.
        if (isOpen(execution) || !attaching.add(execution)) {
            throw new VmException.Busy(
                    "Execution " + Integer.toUnsignedString(execution) + " is attached to this connection already",
                    "Use its handle, or close that first.");
        }
        CompletableFuture<ChannelExecution> answer = new CompletableFuture<>();
        int id;
        try {
            id = channel.pending()
                    .add(new PendingRequest.Attach(
                            answer,
                            execution,
                            attached -> register(new ChannelExecution(this, channel, attached, from)),
                            ChannelExecution::close,
                            () -> attaching.remove(execution)));
        } catch (VmException.Busy tooMany) {
            attaching.remove(execution);
            throw tooMany;
        }
        ByteBuffer frame = HostFrames.attach(execution, id, WINDOW, from);
        return channel.begin(frame, answer, ChannelExecution::close, deadline, "the attachment to an execution");
    }

    private boolean isOpen(int execution) {
        ChannelExecution known = executions.get(execution);
        return known != null && !known.letGo();
    }

    List<ExecutionInfo> list(Deadline deadline) {
        List<ExecutionInfo> all = new ArrayList<>();
        List<ExecutionInfo> page = listAbove(0, deadline);
        while (!page.isEmpty()) {
            all.addAll(page);
            if (all.size() > ListingReader.MAX_EXECUTIONS) {
                throw new GuestException.ProtocolBroken("it lists more executions than it can have");
            }
            page = listAbove(all.getLast().id(), deadline);
        }
        return List.copyOf(all);
    }

    private List<ExecutionInfo> listAbove(int id, Deadline deadline) {
        List<ExecutionInfo> page = channel.question(
                        GuestMessage.Listing.class,
                        request -> HostFrames.list(request, id),
                        deadline,
                        "the list of executions")
                .executions();
        if (!page.isEmpty() && Integer.compareUnsigned(page.getFirst().id(), id) <= 0) {
            throw new GuestException.ProtocolBroken("it lists executions again");
        }
        return page;
    }

    void signal(int execution, int signal, Deadline deadline) {
        channel.demand(request -> HostFrames.signal(execution, request, signal), deadline, "the delivery of a signal");
    }

    void resize(int execution, TerminalSize size, Deadline deadline) {
        channel.demand(request -> HostFrames.resize(execution, request, size), deadline, "the new size of a terminal");
    }

    /** Waits only while the guest does not read at all. */
    void acknowledge(int execution, Output output, long offset) {
        channel.send(HostFrames.acknowledge(execution, output, offset), Deadline.none());
    }

    /** Tells the guest, without waiting, that a closed execution is not read here any more. */
    void detach(ChannelExecution execution) {
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        // Until the answer, what was on its way may still arrive.
        var _ = answer.handle((done, failed) -> executions.remove(execution.id(), execution));
        channel.cleanUp(answer, request -> HostFrames.bare(Frame.DETACH, execution.id(), request));
    }

    /**
     * Takes what the guest says of an execution.
     *
     * @throws GuestException.ProtocolBroken if it may not say that
     */
    void heard(GuestMessage.OfExecution event) {
        switch (event) {
            case GuestMessage.Written written -> known(written.execution()).arrived(written);
            case GuestMessage.Ended(int id, ExitStatus status) -> {
                ChannelExecution execution = known(id);
                executions.remove(id);
                execution.ended(status);
            }
            case GuestMessage.OutputEnded(int id) -> throw notDialed(id);
            case GuestMessage.ResetByGuest(int id) -> throw notDialed(id);
            // These two may cross the end of the execution, or a word of this side.
            case GuestMessage.StdinCredit(int id, int bytes) ->
                Optional.ofNullable(executions.get(id)).ifPresent(execution -> execution.granted(bytes));
            case GuestMessage.Detached(int id) ->
                Optional.ofNullable(executions.remove(id))
                        .ifPresent(execution -> execution.fail(new GuestException.ExecutionTaken(id)));
        }
    }

    void fail(VmException reason) {
        executions.values().forEach(execution -> execution.fail(reason));
    }

    private ChannelExecution known(int id) {
        ChannelExecution execution = executions.get(id);
        if (execution == null) {
            throw new GuestException.ProtocolBroken("it speaks of an execution that is not attached");
        }
        return execution;
    }

    private static GuestException.ProtocolBroken notDialed(int id) {
        return new GuestException.ProtocolBroken(
                "it speaks of execution " + Integer.toUnsignedString(id) + " as of a connection");
    }

    private ChannelExecution register(ChannelExecution execution) {
        if (execution.id() < 0) {
            throw new GuestException.ProtocolBroken("an execution has the id of a connection");
        }
        if (executions.putIfAbsent(execution.id(), execution) != null) {
            throw new GuestException.ProtocolBroken("an execution has the id of another");
        }
        channel.pending().closed().ifPresent(execution::fail);
        return execution;
    }

    /** Ends an execution that has no waiter any more, and has it forgotten. */
    private void abandon(ChannelExecution execution, boolean acknowledged) {
        execution.abandon();
        if (acknowledged) {
            var _ = execution
                    .status()
                    .thenRun(() -> channel.cleanUp(
                            new CompletableFuture<>(),
                            request -> HostFrames.bare(Frame.RELEASE, execution.id(), request)));
        }
        channel.cleanUp(new CompletableFuture<>(), request -> HostFrames.signal(execution.id(), request, SIGKILL));
    }
}
