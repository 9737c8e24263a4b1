package dev.cloche.vmm.channel;

import dev.cloche.base.Deadline;
import dev.cloche.vm.GuestException;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.GuestFileException;
import dev.cloche.vm.VmException;
import dev.cloche.vmm.VmWaits;
import dev.cloche.vmm.protocol.FileRecord;
import dev.cloche.vmm.protocol.FileRecordReader;
import dev.cloche.vmm.protocol.FileRecordWriter;
import dev.cloche.vmm.protocol.FileRequest;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * One file operation of a guest under way: its records, its deadline, and its end in one of this room's errors. For one
 * thread at a time.
 */
final class FileCall implements AutoCloseable {
    /** What the guest has to remove what it was writing, when an operation is given up. */
    private static final Duration CLEANING = Duration.ofSeconds(5);

    private final GuestExecution execution;
    private final FileRequest request;
    private final String what;
    private final FileRecordReader in;
    private final FileRecordWriter out;
    /** Ends the operation from another thread when time is up: its streams know no deadlines. */
    private final CompletableFuture<Boolean> watch = new CompletableFuture<>();

    private volatile boolean expired;
    private boolean over;

    /**
     * @param what for messages, as in "Not in time: reading /x"
     */
    FileCall(GuestExecution execution, FileRequest request, String what, Deadline deadline) {
        this.execution = execution;
        this.request = request;
        this.what = what;
        in = new FileRecordReader(execution.stdout());
        out = new FileRecordWriter(execution.stdin());
        if (deadline.remainingNanos() < Long.MAX_VALUE) {
            var _ = watch.orTimeout(deadline.remainingNanos(), TimeUnit.NANOSECONDS)
                    .whenComplete((done, late) -> expireIf(late != null));
        }
    }

    private void expireIf(boolean late) {
        if (late) {
            expired = true;
            // Wakes the reader or writer; both only send small frames, and never wait.
            closeStreams();
        }
    }

    /** Something that writes records. */
    interface Writing {
        void to(FileRecordWriter records) throws IOException;
    }

    /** Writes records; if the guest has ended the operation meanwhile, throws why. */
    void write(Writing writing) {
        try {
            writing.to(out);
        } catch (InterruptedIOException e) {
            throw VmWaits.interrupted(what);
        } catch (IOException e) {
            throw expired ? late() : refusal();
        }
    }

    /** Returns the next record; FAILED is thrown as what it means. */
    FileRecord next() {
        Optional<FileRecord> record;
        try {
            record = in.next();
        } catch (InterruptedIOException e) {
            throw VmWaits.interrupted(what);
        } catch (IOException e) {
            throw expired ? late() : new GuestException.ConnectionLost("The handle was closed meanwhile: " + what, e);
        }
        if (record.isEmpty()) {
            over = true;
            throw expired ? late() : GuestFileException.of(GuestFileException.Other.IO, request.path());
        }
        if (record.get() instanceof FileRecord.Failed(int errno, String path)) {
            over = true;
            throw GuestFileException.of(errno, path.isEmpty() ? request.path() : path);
        }
        return record.get();
    }

    /** The next record, which has to be the last. */
    void done() {
        if (!(next() instanceof FileRecord.Done)) {
            throw new GuestException.ProtocolBroken("a file operation has records that do not belong to it");
        }
        over = true;
    }

    /** Says that the last record was DONE. */
    void isDone() {
        over = true;
    }

    private VmException refusal() {
        try {
            FileRecord early = next();
            return new GuestException.ProtocolBroken(
                    "a file operation ends before its time: " + early.getClass().getSimpleName());
        } catch (VmException why) {
            return why;
        }
    }

    private VmException.Deadline late() {
        return new VmException.Deadline(what);
    }

    /** Ends the call; one that is not over is given up, and the guest removes what was being written. */
    @Override
    public void close() {
        watch.complete(true);
        // Of one that is over, the end is on its way.
        closeStreams();
        if (over) {
            return;
        }
        if (!request.hasInput()) {
            execution.close();
        } else if (expired || Thread.currentThread().isInterrupted()) {
            Thread.ofVirtual().name("cloche-file-abort").start(this::awaitCleaning);
        } else {
            awaitCleaning();
        }
    }

    /** An input that ends without DONE is the same to the guest as FAILED, and needs no credit. */
    private void awaitCleaning() {
        try {
            execution.await(Deadline.after(CLEANING));
        } catch (VmException stuck) {
            execution.close();
        }
    }

    /** Ends the input, and drops what still comes. Only says so, and never waits. */
    private void closeStreams() {
        try {
            execution.stdout().close();
            execution.stderr().close();
            execution.stdin().close();
        } catch (IOException e) {
            throw new IllegalStateException("closing a stream only says so", e);
        }
    }
}
