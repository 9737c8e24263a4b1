package dev.cloche.vm.testing;

import dev.cloche.vm.AttachPoint;
import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.Output;
import dev.cloche.vmm.channel.FrameSink;
import dev.cloche.vmm.protocol.Frame;
import dev.cloche.vmm.protocol.GuestFrames;
import java.io.IOException;
import java.util.concurrent.locks.Condition;

/**
 * Holds both outputs of an execution of an in-memory guest: how much its program may write, and what the attached port is
 * sent of it. Everything is called with the lock of the execution held.
 */
final class InMemoryOutputs {
    private static final int MAX_CHUNK = Frame.MAX_PAYLOAD - Long.BYTES;

    private final int id;
    private final ExecRequest request;
    private final Condition changed;
    private final RetainedOutput stdout;
    private final RetainedOutput stderr;

    /** @param changed signalled when there is room for the program */
    InMemoryOutputs(int id, ExecRequest request, Condition changed) {
        this.id = id;
        this.request = request;
        this.changed = changed;
        stdout = new RetainedOutput(request.window());
        stderr = new RetainedOutput(request.window());
    }

    RetainedOutput of(Output output) {
        return output == Output.STDOUT ? stdout : stderr;
    }

    /** Returns how many bytes the program may write. */
    int room(Output output, boolean attached) {
        RetainedOutput retained = of(output);
        if (request.has(ExecRequest.Option.ACKNOWLEDGED)) {
            return retained.roomIfAcknowledged();
        }
        return attached ? retained.roomIfSent() : request.window();
    }

    /** Returns whether so much was written. */
    boolean reach(AttachPoint point) {
        return point.stdout() <= stdout.end() && point.stderr() <= stderr.end();
    }

    /**
     * A reader wants both from there on.
     *
     * @return where it gets them from: what is not kept any more is left out
     */
    AttachPoint restart(AttachPoint from, int credit) {
        stdout.restart(from.stdout(), credit);
        stderr.restart(from.stderr(), credit);
        return new AttachPoint(stdout.sent(), stderr.sent());
    }

    /** Returns whether everything went to the reader. */
    boolean drained() {
        return stdout.drained() && stderr.drained();
    }

    /** Sends a piece of each, as far as there is one that the reader may have; false if there is none. */
    boolean sendNext(FrameSink port) throws IOException {
        // Both in turn, so that neither starves the other.
        boolean some = sendNext(port, Output.STDOUT);
        return sendNext(port, Output.STDERR) || some;
    }

    private boolean sendNext(FrameSink port, Output output) throws IOException {
        RetainedOutput retained = of(output);
        long at = retained.sent();
        byte[] bytes = retained.next(MAX_CHUNK);
        if (bytes.length > 0) {
            // The program may wait for this room.
            changed.signalAll();
            port.sendPatiently(GuestFrames.output(id, output, at, bytes), () -> true);
        }
        return bytes.length > 0;
    }
}
