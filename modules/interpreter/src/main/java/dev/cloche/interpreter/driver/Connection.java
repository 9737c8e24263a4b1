package dev.cloche.interpreter.driver;

import dev.cloche.base.Deadline;
import dev.cloche.interpreter.InterpreterException;
import dev.cloche.interpreter.protocol.Answer;
import dev.cloche.interpreter.protocol.BrokenFrame;
import dev.cloche.interpreter.protocol.FrameStream;
import dev.cloche.vm.GuestStream;
import dev.cloche.vm.VmException;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/**
 * A connection to a driver: of its owner, or to one of its contexts. Has a thread that reads and one that writes, so that no
 * guest holds up a caller beyond its deadline. Safe for use from several threads.
 */
public final class Connection implements AutoCloseable {
    private final FrameStream frames;
    private final Function<IOException, RuntimeException> lost;
    private final Inbox inbox = new Inbox();
    private final AtomicBoolean busy = new AtomicBoolean();
    private final ExecutorService writer = Executors.newSingleThreadExecutor(
            Thread.ofVirtual().name("cloche-interpreter-out").factory());

    /** @param lost tells what the loss of a connection means */
    public Connection(GuestStream stream, Function<IOException, RuntimeException> lost) {
        this.frames = new FrameStream(stream);
        this.lost = lost;
        Thread.ofVirtual().name("cloche-interpreter-in").start(this::read);
    }

    /**
     * Asks for something that has one answer, and waits for it.
     *
     * @throws InterpreterException.Busy if another answer is waited for
     * @throws VmException.Interrupted if this thread is interrupted; the connection is closed
     * @throws VmException.Deadline if the deadline passes; the connection is closed
     */
    public Answer ask(String operation, byte[] payload, Deadline deadline) {
        begin(operation, payload);
        boolean answered = false;
        try {
            Optional<Answer> answer = inbox.take(deadline);
            answered = answer.isPresent();
            return answer.orElseThrow(() -> new VmException.Deadline("the answer of an interpreter"));
        } catch (InterruptedException e) {
            throw interrupted();
        } finally {
            if (!answered) {
                close();
            }
            finish();
        }
    }

    static VmException.Interrupted interrupted() {
        Thread.currentThread().interrupt();
        return new VmException.Interrupted("the wait for an interpreter");
    }

    /** Asks for something whose answers {@link #take} returns, until {@link #finish}. */
    void begin(String operation, byte[] payload) {
        if (!busy.compareAndSet(false, true)) {
            throw new InterpreterException.Busy();
        }
        try {
            inbox.ask();
        } catch (RuntimeException ended) {
            finish();
            throw ended;
        }
        say(operation, payload);
    }

    void finish() {
        busy.set(false);
    }

    Optional<Answer> take(Deadline deadline) throws InterruptedException {
        return inbox.take(deadline);
    }

    /** Says something that has no answer of its own. Does not wait. */
    public void say(String operation) {
        say(operation, new byte[0]);
    }

    private void say(String operation, byte[] payload) {
        try {
            writer.execute(() -> {
                try {
                    frames.send(operation, payload);
                } catch (IOException | RuntimeException gone) {
                    // The reader learns of it, and of what was said before.
                }
            });
        } catch (RejectedExecutionException closed) {
            // So nothing needs to be said.
        }
    }

    /** Returns whether nothing more can be asked. */
    public boolean isOver() {
        return inbox.isOver();
    }

    private void read() {
        try {
            while (!inbox.isOver()) {
                if (!inbox.put(frames.require())) {
                    throw new BrokenFrame("it came without a question");
                }
            }
        } catch (BrokenFrame broken) {
            String why = broken.why();
            inbox.fail(() -> new InterpreterException.BrokenAnswer(why));
        } catch (IOException gone) {
            inbox.fail(() -> lost.apply(gone));
        } catch (RuntimeException gone) {
            inbox.fail(() -> lost.apply(new IOException(gone)));
        } catch (InterruptedException closed) {
            inbox.fail(Connection::closed);
        } finally {
            close();
        }
    }

    private static RuntimeException closed() {
        return new InterpreterException.ContextEnded("The context was closed.", null);
    }

    /** Lets go of the other side, which ends with it. Closing twice does nothing. */
    @Override
    public void close() {
        inbox.fail(Connection::closed);
        frames.close();
        writer.shutdownNow();
    }
}
