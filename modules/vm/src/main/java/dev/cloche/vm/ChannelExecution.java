package dev.cloche.vm;

import dev.cloche.base.Deadline;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.concurrent.CompletableFuture;

/** The host's side of one execution. */
final class ChannelExecution implements GuestExecution {
    private final GuestConnection connection;
    private final int id;
    private final int processId;
    private final CreditedStream stdin;
    private final OutputWindow stdout;
    private final OutputWindow stderr;
    private final CompletableFuture<ExitStatus> status = new CompletableFuture<>();

    ChannelExecution(GuestConnection connection, GuestMessage.Started started, boolean wantsStdin) {
        this.connection = connection;
        this.id = started.execution();
        processId = started.processId();
        stdin = wantsStdin
                ? new CreditedStream(
                        connection,
                        started.stdinCredit(),
                        (bytes, offset, length) -> HostFrames.stdin(id, bytes, offset, length),
                        () -> connection.sendNow(HostFrames.stdinEof(id)))
                : CreditedStream.closed(connection);
        stdout = window("stdout", false);
        stderr = window("stderr", true);
    }

    private OutputWindow window(String name, boolean error) {
        return new OutputWindow(
                name + " of execution " + Integer.toUnsignedString(id),
                GuestConnection.WINDOW,
                bytes -> connection.sendNow(HostFrames.credit(id, error, bytes)));
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
    public InputStream stdout() {
        return stdout;
    }

    @Override
    public InputStream stderr() {
        return stderr;
    }

    @Override
    public void signal(int signal, Deadline deadline) {
        if (signal < 1 || signal > 64) {
            throw new InvalidVmSpecException("There is no signal " + signal, "Signals are 1 to 64.");
        }
        connection.signal(id, signal, deadline);
    }

    @Override
    public ExitStatus await(Deadline deadline) {
        return Waiting.on(status, deadline, "the end of execution " + Integer.toUnsignedString(id));
    }

    @Override
    public void close() {
        stdout.close();
        stderr.close();
    }

    void arrived(GuestMessage.Output output) {
        (output.error() ? stderr : stdout).arrived(output.offset(), output.bytes());
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
}
