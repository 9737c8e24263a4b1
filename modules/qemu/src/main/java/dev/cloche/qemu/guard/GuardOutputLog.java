package dev.cloche.qemu.guard;

import dev.cloche.base.Deadline;
import dev.cloche.linux.FileSignal;
import dev.cloche.vm.OutputLog;
import dev.cloche.vm.OutputLogEntry;
import dev.cloche.vm.VmException;
import dev.cloche.vmm.VmWaits;
import dev.cloche.vmm.protocol.Frame;
import dev.cloche.vmm.protocol.FrameDecoder;
import dev.cloche.vmm.protocol.LogPiece;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The log that a guard keeps in its VM's directory; see docs/guard.md. */
public final class GuardOutputLog implements OutputLog {
    /** A guard that was killed leaves no file that would wake up a reader. */
    private static final Duration LOOK_AGAIN = Duration.ofSeconds(1);

    private final Path directory;
    private final BooleanSupplier running;
    private final EarlierOutput earlier;
    private final RotatingFile file;
    private final FrameDecoder decoder = new FrameDecoder();
    private long expectedOut;
    private long expectedErr;
    private @Nullable FileSignal changes;

    /** @param running whether the VM runs; asked before each look for the end */
    public GuardOutputLog(Path directory, BooleanSupplier running) {
        this.directory = directory;
        this.running = running;
        earlier = new EarlierOutput(directory);
        file = new RotatingFile(directory.resolve("output.log"), directory.resolve("output.log.1"));
    }

    @Override
    public Optional<OutputLogEntry> next() {
        try {
            while (true) {
                Optional<Frame> frame = decoder.next();
                while (frame.isPresent()) {
                    Optional<OutputLogEntry> entry = LogPiece.of(frame.get()).map(this::entry);
                    if (entry.isPresent()) {
                        return entry;
                    }
                    frame = decoder.next();
                }
                ByteBuffer space = decoder.space();
                boolean more;
                try {
                    more = earlier.read(space) || file.read(space);
                } finally {
                    decoder.filled();
                }
                if (!more) {
                    return Optional.empty();
                }
            }
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    private OutputLogEntry entry(LogPiece piece) {
        long expected = piece.error() ? expectedErr : expectedOut;
        if (piece.error()) {
            expectedErr = piece.end();
        } else {
            expectedOut = piece.end();
        }
        return new OutputLogEntry(piece.error(), piece.time(), Math.max(0, piece.offset() - expected), piece.bytes());
    }

    @Override
    public Optional<OutputLogEntry> await(Deadline deadline) {
        try {
            while (true) {
                FileSignal changes = listening();
                boolean mayGrow = running.getAsBoolean();
                Optional<OutputLogEntry> entry = next();
                if (entry.isPresent() || !mayGrow) {
                    return entry;
                }
                if (deadline.passed()) {
                    throw new VmException.Deadline("the output of a VM");
                }
                var _ = changes.await(deadline.orAfter(LOOK_AGAIN));
            }
        } catch (IOException e) {
            throw unreadable(e);
        } catch (InterruptedException e) {
            throw VmWaits.interrupted("the output of a VM");
        }
    }

    private FileSignal listening() throws IOException {
        FileSignal present = changes;
        if (present == null) {
            present = FileSignal.listen(directory);
            changes = present;
        }
        return present;
    }

    @Override
    public void close() {
        try (EarlierOutput _ = earlier;
                RotatingFile _ = file;
                FileSignal _ = changes) {
            changes = null;
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    private VmException.Storage unreadable(Exception cause) {
        return new VmException.Storage(
                "The log of the output in " + directory + " cannot be read: " + cause.getMessage(),
                "Check the disk, and whether the sandbox still exists.",
                cause);
    }
}
