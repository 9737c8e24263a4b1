package dev.cloche.vmm.channel;

import dev.cloche.base.Deadline;
import dev.cloche.vm.AttachPoint;
import dev.cloche.vm.ExitStatus;
import dev.cloche.vm.GuestException;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.Output;
import dev.cloche.vm.TerminalSize;
import dev.cloche.vm.VmException;
import dev.cloche.vmm.VmWaits;
import dev.cloche.vmm.protocol.GuestMessage;
import dev.cloche.vmm.protocol.HostFrames;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.concurrent.CompletableFuture;

/** The host's side of one execution. */
final class ChannelExecution implements GuestExecution {
    private final ExecutionTable table;
    private final FrameSink sink;
    private final int id;
    private final int processId;
    private final long stdinOffset;
    private final CreditedStream stdin;
    private final OutputWindow stdout;
    private final OutputWindow stderr;
    private final CompletableFuture<ExitStatus> status = new CompletableFuture<>();
    private volatile boolean letGo;

    /** An execution from its beginning. */
    ChannelExecution(ExecutionTable table, FrameSink sink, GuestMessage.Started started, boolean wantsStdin) {
        this.table = table;
        this.sink = sink;
        id = started.execution();
        processId = started.processId();
        stdinOffset = 0;
        stdin = stdin(wantsStdin, started.stdinCredit());
        stdout = window(Output.STDOUT, AttachPoint.BEGINNING, AttachPoint.BEGINNING);
        stderr = window(Output.STDERR, AttachPoint.BEGINNING, AttachPoint.BEGINNING);
    }

    /**
     * The rest of an execution.
     *
     * @throws GuestException.ProtocolBroken if it begins before what was asked for
     */
    ChannelExecution(ExecutionTable table, FrameSink sink, GuestMessage.Attached attached, AttachPoint wanted) {
        AttachPoint first = attached.from();
        if (first.stdout() < wanted.stdout() || first.stderr() < wanted.stderr()) {
            throw new GuestException.ProtocolBroken("an execution goes on before the wanted offset");
        }
        this.table = table;
        this.sink = sink;
        id = attached.execution();
        processId = attached.processId();
        stdinOffset = attached.stdinOffset();
        stdin = stdin(attached.stdin(), attached.stdinCredit());
        stdout = window(Output.STDOUT, wanted, first);
        stderr = window(Output.STDERR, wanted, first);
    }

    private CreditedStream stdin(boolean present, int credit) {
        return present
                ? new CreditedStream(
                        sink,
                        credit,
                        (bytes, offset, length) -> HostFrames.stdin(id, bytes, offset, length),
                        () -> sink.sendNow(HostFrames.stdinEof(id)))
                : CreditedStream.closed(sink);
    }

    private OutputWindow window(Output output, AttachPoint wanted, AttachPoint first) {
        return new OutputWindow(
                name(output),
                ExecutionTable.WINDOW,
                wanted.of(output),
                first.of(output),
                bytes -> sink.sendNow(HostFrames.credit(id, output, bytes)));
    }

    private String name(Output output) {
        return (output == Output.STDOUT ? "stdout" : "stderr") + " of execution " + Integer.toUnsignedString(id);
    }

    @Override
    public int id() {
        return id;
    }

    @Override
    public int processId() {
        return processId;
    }

    @Override
    public OutputStream stdin() {
        return stdin;
    }

    @Override
    public long stdinOffset() {
        return stdinOffset;
    }

    @Override
    public InputStream stdout() {
        return stdout;
    }

    @Override
    public InputStream stderr() {
        return stderr;
    }

    @Override
    public long offset(Output output) {
        return window(output).offset();
    }

    @Override
    public void acknowledge(Output output, long offset) {
        if (offset < 0 || offset > offset(output)) {
            throw new VmException.Invalid(
                    name(output) + " was not read up to offset " + offset, "Acknowledge what was read.");
        }
        table.acknowledge(id, output, offset);
    }

    @Override
    public void signal(int signal, Deadline deadline) {
        if (signal < 1 || signal > 64) {
            throw new VmException.Invalid("There is no signal " + signal, "Signals are 1 to 64.");
        }
        table.signal(id, signal, deadline);
    }

    @Override
    public void resize(TerminalSize size, Deadline deadline) {
        table.resize(id, size, deadline);
    }

    @Override
    public ExitStatus await(Deadline deadline) {
        return VmWaits.on(status, deadline, "the end of execution " + Integer.toUnsignedString(id));
    }

    @Override
    public void close() {
        // Whether the guest is to be told is decided once: an execution that has ended is not attached any more.
        boolean runs = status.completeExceptionally(new GuestException.ExecutionClosed(id));
        stdin.cut();
        stdout.cut();
        stderr.cut();
        if (runs) {
            table.detach(this);
            letGo = true;
        }
    }

    /** Returns whether the guest was told, so that what is sent from here on is of another attachment. */
    boolean letGo() {
        return letGo;
    }

    /** Gives it up: its id was given to no caller, so no reader will come, and what it still writes is dropped. */
    void abandon() {
        stdin.cut();
        stdout.close();
        stderr.close();
    }

    CompletableFuture<ExitStatus> status() {
        return status;
    }

    void arrived(GuestMessage.Written written) {
        window(written.output()).arrived(written.offset(), written.bytes());
    }

    void granted(int bytes) {
        stdin.granted(bytes);
    }

    void ended(ExitStatus how) {
        stdin.end();
        stdout.end();
        stderr.end();
        status.complete(how);
    }

    void fail(VmException cause) {
        stdin.fail(cause);
        stdout.fail(cause);
        stderr.fail(cause);
        status.completeExceptionally(cause);
    }

    private OutputWindow window(Output output) {
        return output == Output.STDOUT ? stdout : stderr;
    }
}
