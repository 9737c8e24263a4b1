package dev.cloche.sandbox.directory;

import dev.cloche.base.Deadline;
import dev.cloche.vm.ExitStatus;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.Output;
import dev.cloche.vm.TerminalSize;
import dev.cloche.vm.VmException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.concurrent.atomic.AtomicBoolean;

/** Wraps a command whose sandbox is in use until it has ended or its handle is closed. */
public final class UsedExecution implements GuestExecution {
    private final GuestExecution execution;
    private final SandboxUse use;
    private final ExecWatch watch;
    private final AtomicBoolean over = new AtomicBoolean();

    /**
     * Wraps an execution whose end ends a use.
     *
     * @param use that has begun
     * @param watch of a command that has just begun
     */
    public UsedExecution(GuestExecution execution, SandboxUse use, ExecWatch watch) {
        this.execution = execution;
        this.use = use;
        this.watch = watch;
        watch.began(execution.id());
    }

    @Override
    public int id() {
        return execution.id();
    }

    @Override
    public int processId() {
        return execution.processId();
    }

    @Override
    public OutputStream stdin() {
        return execution.stdin();
    }

    @Override
    public long stdinOffset() {
        return execution.stdinOffset();
    }

    @Override
    public InputStream stdout() {
        return execution.stdout();
    }

    @Override
    public InputStream stderr() {
        return execution.stderr();
    }

    @Override
    public long offset(Output output) {
        return execution.offset(output);
    }

    @Override
    public void acknowledge(Output output, long offset) {
        execution.acknowledge(output, offset);
    }

    @Override
    public void signal(int signal, Deadline deadline) {
        execution.signal(signal, deadline);
    }

    @Override
    public void resize(TerminalSize size, Deadline deadline) {
        execution.resize(size, deadline);
    }

    @Override
    public ExitStatus await(Deadline deadline) {
        ExitStatus end;
        try {
            end = execution.await(deadline);
        } catch (VmException.Deadline stillRuns) {
            throw stillRuns;
        } catch (RuntimeException failure) {
            watch.notSeen(failure);
            throw failure;
        }
        if (over.compareAndSet(false, true)) {
            use.end();
            watch.ended(end);
        }
        return end;
    }

    @Override
    public void close() {
        try {
            execution.close();
        } finally {
            if (over.compareAndSet(false, true)) {
                use.end();
                watch.closed();
            }
        }
    }
}
