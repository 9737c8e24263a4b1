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
import java.util.function.Function;

/**
 * A connection to a driver: of its owner, or to one of its contexts. Has a thread that reads and one that writes, so that no
 * guest holds up a caller beyond its deadline. Safe for use from several threads.
 */
public final class Connection implements Context {
    private final FrameStream frames;
    private final Function<IOException, RuntimeException> lost;
    private final Inbox inbox = new Inbox();
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
            throw Context.interrupted();
        } finally {
            if (!answered) {
                close();
            }
            finish();
        }
    }

    private void begin(String operation, byte[] payload) {
        inbox.ask();
        say(operation, payload);
    }

    @Override
    public void run(byte[] code) {
        begin("run", code);
    }

    @Override
    public Optional<Answer> take(Deadline deadline) throws InterruptedException {
        return inbox.take(deadline);
    }

    @Override
    public void finish() {
        inbox.finish();
    }

    @Override
    public void interrupt() {
        say("interrupt", new byte[0]);
    }

    @Override
    public void kill() {
        say("kill", new byte[0]);
    }

    @Override
    public boolean isComplete(byte[] code, Deadline deadline) {
        return !(ask("check", code, deadline) instanceof Answer.Checked(boolean complete)) || complete;
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

    @Override
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
            inbox.fail(CellText::closed);
        } finally {
            close();
        }
    }

    /** Lets go of the other side, which ends with it. Closing twice does nothing. */
    @Override
    public void close() {
        inbox.fail(CellText::closed);
        frames.close();
        writer.shutdownNow();
    }
}
