package dev.cloche.execution;

import dev.cloche.base.ClocheException;
import dev.cloche.base.Deadline;
import dev.cloche.process.AwaitOutput;
import dev.cloche.process.EventType;
import dev.cloche.process.ProcessEvent;
import dev.cloche.process.ProcessRegistry;
import dev.cloche.vm.ExitStatus;
import dev.cloche.vm.GuestExecution;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Ends an execution on request: SIGTERM, and SIGKILL after a grace. */
final class Cancellation implements AutoCloseable {
    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(30);
    private static final int SIGTERM = 15;
    private static final int SIGKILL = 9;

    private final Thread watcher;
    private final CountDownLatch over = new CountDownLatch(1);
    private volatile Optional<String> reason = Optional.empty();

    private Cancellation(ProcessRegistry registry, String process, GuestExecution execution, Duration grace) {
        watcher = Thread.ofVirtual()
                .name("cancellation-" + process)
                .unstarted(() -> await(registry, process, execution, grace));
    }

    static Cancellation watch(ProcessRegistry registry, String process, GuestExecution execution, Duration grace) {
        Cancellation cancellation = new Cancellation(registry, process, execution, grace);
        cancellation.watcher.start();
        return cancellation;
    }

    /** Returns the reason of a request for it. */
    static String reason(ProcessEvent request) {
        return request.payload().fields().text("reason").orElse("");
    }

    private void await(ProcessRegistry registry, String process, GuestExecution execution, Duration grace) {
        try {
            ProcessEvent request = registry.awaitEventAfter(process, EventType.CANCEL_REQUESTED, 0, Deadline.none());
            reason = Optional.of(reason(request));
            execution.signal(SIGTERM, Deadline.after(ANSWER_LIMIT));
            if (!over.await(grace.toNanos(), TimeUnit.NANOSECONDS)) {
                execution.signal(SIGKILL, Deadline.after(ANSWER_LIMIT));
            }
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        } catch (ClocheException endedMeanwhile) {
            // The caller that awaits the execution finds out what became of it.
        }
    }

    /** Returns how it ended, given how the command did. */
    AwaitOutput outcome(ExitStatus exit) {
        return reason.<AwaitOutput>map(why -> ExecutionOutcomes.cancelled(why, exit))
                .orElseGet(() -> ExecutionOutcomes.success(exit));
    }

    @Override
    public void close() {
        over.countDown();
        watcher.interrupt();
    }
}
