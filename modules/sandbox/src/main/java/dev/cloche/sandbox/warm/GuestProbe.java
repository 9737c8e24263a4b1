package dev.cloche.sandbox.warm;

import dev.cloche.base.Deadline;
import dev.cloche.sandbox.PoolStatus;
import dev.cloche.vm.Guest;
import dev.cloche.vm.ready.HttpQuestion;
import dev.cloche.vm.ready.Listeners;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/** Asks a guest for a port or a page, which is good if it is served. */
record GuestProbe(PoolStatus.Probe probe) implements Consumer<Guest> {
    /** For a program that was started just before, by the pool's command or its warm-up. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    /** For one answer, however busy the host is. */
    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(30);

    private static final Duration PAUSE = Duration.ofMillis(100);

    /** @throws IllegalStateException if it is not served, also after the patience */
    @Override
    public void accept(Guest guest) {
        Deadline patience = Deadline.after(PATIENCE);
        Optional<String> trouble = trouble(guest);
        while (trouble.isPresent()) {
            if (patience.passed()) {
                throw new IllegalStateException(trouble.get());
            }
            try {
                Thread.sleep(PAUSE);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(trouble.get(), e);
            }
            trouble = trouble(guest);
        }
    }

    private Optional<String> trouble(Guest guest) {
        Deadline deadline = Deadline.after(ANSWER_LIMIT);
        if (probe.path().isPresent()) {
            return new HttpQuestion(guest::dial, probe.port(), probe.path().get()).trouble(deadline);
        }
        return Listeners.has(probe.port(), guest.files(), deadline)
                ? Optional.empty()
                : Optional.of("no program listens on port " + probe.port() + " of its guest");
    }
}
