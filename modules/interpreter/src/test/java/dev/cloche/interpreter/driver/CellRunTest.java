package dev.cloche.interpreter.driver;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.Deadline;
import dev.cloche.interpreter.CellListener;
import dev.cloche.interpreter.CellOutcome;
import dev.cloche.interpreter.CellResult;
import dev.cloche.interpreter.FakeGuest;
import dev.cloche.interpreter.InterpreterException;
import dev.cloche.vm.Output;
import dev.cloche.vm.VmException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One cell against a guest that says what no driver of ours would. */
class CellRunTest {
    private static final String DONE = "{\"type\":\"done\",\"status\":\"ok\"}";
    private static final String OUT = "{\"type\":\"stdout\"}";

    private final FakeGuest guest = new FakeGuest();
    private final Connection context = new Connection(
            guest.stream(), cause -> new InterpreterException.ContextEnded("The connection was lost.", cause));

    @AfterEach
    void close() {
        context.close();
        guest.close();
    }

    private CompletableFuture<CellResult> start() {
        return start(Optional.empty(), CellListener.NONE);
    }

    private CompletableFuture<CellResult> start(Optional<Duration> timeout, CellListener listener) {
        return start(timeout, listener, Duration.ofMinutes(1));
    }

    private CompletableFuture<CellResult> start(
            Optional<Duration> timeout, CellListener listener, Duration untilKilled) {
        CompletableFuture<CellResult> result = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try {
                result.complete(new CellRun(context, timeout, listener, untilKilled).run(new byte[0]));
            } catch (RuntimeException failure) {
                result.completeExceptionally(failure);
            }
        });
        assertThat(guest.hear()).contains("run");
        return result;
    }

    @Test
    void outputAndValuesAreGatheredInTheirOrder() {
        StringBuilder heard = new StringBuilder();
        CompletableFuture<CellResult> result = start(Optional.empty(), new CellListener() {
            @Override
            public void output(Output output, byte[] piece) {
                heard.append(output)
                        .append(' ')
                        .append(new String(piece, UTF_8))
                        .append('\n');
            }
        });
        guest.say(OUT, "one".getBytes(UTF_8));
        guest.say("{\"type\":\"stderr\"}", "two".getBytes(UTF_8));
        guest.say(
                "{\"type\":\"display\",\"result\":true,\"cut\":false,\"forms\":[[\"text/plain\",1]]}",
                "3".getBytes(UTF_8));
        guest.say(DONE);
        CellResult end = result.join();
        assertThat(end.outcome()).isEqualTo(CellOutcome.COMPLETED);
        assertThat(end.text()).isEqualTo("3");
        assertThat(end.stdout()).isEqualTo("one");
        assertThat(end.stderr()).isEqualTo("two");
        assertThat(end.notice()).isEmpty();
        assertThat(heard.toString()).isEqualTo("STDOUT one\nSTDERR two\n");
    }

    @Test
    void aBrokenAnswerEndsTheContextWithOneSentence() {
        CompletableFuture<CellResult> result = start();
        guest.say("{\"type\":\"pwned\"}");
        assertThatThrownBy(result::join)
                .isInstanceOf(CompletionException.class)
                .cause()
                .isInstanceOf(InterpreterException.BrokenAnswer.class)
                .hasMessageStartingWith(
                        "The context was ended, because its answer was none: it is of no kind that is known.");
        assertThatThrownBy(() -> new CellRun(context, Optional.empty(), CellListener.NONE).run(new byte[0]))
                .isInstanceOf(InterpreterException.BrokenAnswer.class);
        assertThat(context.isOver()).isTrue();
    }

    @Test
    void anAnswerToSomethingElseEndsTheContext() {
        CompletableFuture<CellResult> result = start();
        guest.say("{\"type\":\"ready\"}");
        assertThatThrownBy(result::join).cause().isInstanceOf(InterpreterException.BrokenAnswer.class);
        assertThat(context.isOver()).isTrue();
    }

    @Test
    void anAnswerWithoutAQuestionEndsTheContext() {
        CompletableFuture<CellResult> result = start();
        guest.say(DONE);
        assertThat(result.join().outcome()).isEqualTo(CellOutcome.COMPLETED);
        guest.say(DONE);
        // Nothing is asked any more, so the guest sees that its connection is closed.
        assertThat(guest.hear()).isEmpty();
        assertThatThrownBy(() -> context.run(new byte[0]))
                .isInstanceOf(InterpreterException.BrokenAnswer.class)
                .hasMessageContaining("it came without a question");
    }

    @Test
    void theEndOfItsProcessIsAResultAndEndsTheContext() {
        CompletableFuture<CellResult> result = start();
        guest.say(OUT, "before".getBytes(UTF_8));
        guest.say("{\"type\":\"ended\",\"code\":3}");
        CellResult end = result.join();
        assertThat(end.outcome()).isEqualTo(CellOutcome.CONTEXT_ENDED);
        assertThat(end.contextLost()).isTrue();
        assertThat(end.stdout()).isEqualTo("before");
        assertThat(end.notice())
                .isEqualTo("The process of the context ended with exit code 3. Its variables are lost.");
        assertThatThrownBy(() -> context.run(new byte[0]))
                .isInstanceOf(InterpreterException.ContextEnded.class)
                .hasMessageContaining("ended with exit code 3");
    }

    @Test
    void theLossOfTheConnectionIsAnError() {
        CompletableFuture<CellResult> result = start();
        guest.end();
        assertThatThrownBy(result::join).cause().isInstanceOf(InterpreterException.ContextEnded.class);
    }

    @Test
    void oneCellRunsAtATime() {
        CompletableFuture<CellResult> result = start();
        assertThatThrownBy(() -> context.run(new byte[0])).isInstanceOf(InterpreterException.Busy.class);
        guest.say(DONE);
        assertThat(result.join().outcome()).isEqualTo(CellOutcome.COMPLETED);
    }

    @Test
    void beyond64MibOutputIsLeftOutAndTheCellGoesOn() {
        CompletableFuture<CellResult> result = start();
        byte[] piece = new byte[16 << 20];
        for (int i = 0; i < 5; i++) {
            guest.say(OUT, piece);
        }
        guest.say(DONE);
        CellResult end = result.join();
        assertThat(end.stdout()).hasSize(64 << 20);
        assertThat(end.truncated()).isTrue();
        assertThat(end.notice()).isEqualTo("Not all is here: what is larger than the limits allow was left out.");
    }

    @Test
    void emptyValuesCountToo() {
        CompletableFuture<CellResult> result = start();
        for (int i = 0; i < (64 << 10) + 1; i++) {
            guest.say("{\"type\":\"display\",\"result\":false,\"cut\":false,\"forms\":[]}");
        }
        guest.say(DONE);
        assertThat(result.join().displays()).hasSize(64 << 10);
        assertThat(result.join().truncated()).isTrue();
    }

    @Test
    void aCellThatTakesTooLongIsInterrupted() {
        CompletableFuture<CellResult> result = start(Optional.of(Duration.ofMillis(10)), CellListener.NONE);
        assertThat(guest.hear()).contains("interrupt");
        guest.say("{\"type\":\"done\",\"status\":\"interrupted\"}");
        assertThat(result.join().outcome()).isEqualTo(CellOutcome.TIMED_OUT);
        assertThat(result.join().contextLost()).isFalse();
        assertThat(result.join().notice()).isEqualTo("The cell took longer than 10ms and was interrupted.");
    }

    @Test
    void oneThatDoesNotStopIsKilledAndADriverThatDoesNotAnswerIsLeft() {
        CompletableFuture<CellResult> result =
                start(Optional.of(Duration.ofMillis(10)), CellListener.NONE, Duration.ofSeconds(1));
        assertThat(guest.hear()).contains("interrupt");
        assertThat(guest.hear()).contains("kill");
        CellResult end = result.join();
        assertThat(end.outcome()).isEqualTo(CellOutcome.TIMED_OUT);
        assertThat(end.contextLost()).isTrue();
        assertThat(end.notice()).contains("its context was ended, and its variables are lost");
        assertThat(context.isOver()).isTrue();
    }

    @Test
    void anInterruptOfTheThreadEndsTheContext() throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        CompletableFuture<Throwable> failure = new CompletableFuture<>();
        Thread runner = Thread.ofVirtual().start(() -> {
            try {
                new CellRun(context, Optional.empty(), CellListener.NONE).run(new byte[0]);
            } catch (VmException.Interrupted interrupted) {
                failure.complete(interrupted);
            } finally {
                over.countDown();
            }
        });
        assertThat(guest.hear()).contains("run");
        runner.interrupt();
        over.await();
        assertThat(failure).isCompleted();
        assertThat(context.isOver()).isTrue();
    }

    @Test
    void aQuestionWithoutAnAnswerEndsAtItsDeadline() {
        assertThatThrownBy(() -> context.ask("check", new byte[0], Deadline.after(Duration.ofMillis(10))))
                .isInstanceOf(VmException.Deadline.class);
        assertThat(context.isOver()).isTrue();
    }
}
