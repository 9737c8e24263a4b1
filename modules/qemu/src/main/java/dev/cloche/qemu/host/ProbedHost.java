package dev.cloche.qemu.host;

import dev.cloche.qemu.VmLayout;
import dev.cloche.qemu.VmResources;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Holds what the probe finds of this host. The first caller waits for it, and others with it. An answer that is in doubt is used on
 * until the probe has been asked again, by a thread of its own: it may take seconds, which no start is to wait for. Thread-safe.
 */
public final class ProbedHost implements Supplier<HostCapabilities>, AutoCloseable {
    /** To kill a probe's program. */
    private static final Duration END_LIMIT = Duration.ofSeconds(10);

    private static final System.Logger LOG = System.getLogger(ProbedHost.class.getName());

    private final Supplier<HostCapabilities> probe;
    private final Clock clock;
    private final ReentrantLock lock = new ReentrantLock();
    private Optional<HostCapabilities> known = Optional.empty();
    private @Nullable Thread askingAgain;
    private boolean closed;

    /** Holds what there is with these programs. */
    public ProbedHost(VmLayout layout, VmResources resources) {
        this(() -> new HostProbe(resources, layout).facts(), Clock.systemUTC());
    }

    ProbedHost(Supplier<HostCapabilities> probe, Clock clock) {
        this.probe = probe;
        this.clock = clock;
    }

    @Override
    public HostCapabilities get() {
        lock.lock();
        try {
            HostCapabilities answer = known.orElseGet(this::asked);
            known = Optional.of(answer);
            if (!holds(answer) && askingAgain == null && !closed) {
                askingAgain = Thread.ofVirtual().name("host-probe").start(this::askAgain);
            }
            return answer;
        } finally {
            lock.unlock();
        }
    }

    private HostCapabilities asked() {
        HostCapabilities found = probe.get();
        if (!found.capabilities().proven()) {
            LOG.log(System.Logger.Level.WARNING, found.capabilities().acceleratorReason());
        }
        return found;
    }

    private boolean holds(HostCapabilities answer) {
        return answer.askAgainAt().isEmpty()
                || clock.millis() < answer.askAgainAt().getAsLong();
    }

    private void askAgain() {
        Optional<HostCapabilities> found = Optional.empty();
        try {
            found = Optional.of(asked());
        } catch (RuntimeException e) {
            // The next caller has it asked once more.
            LOG.log(System.Logger.Level.DEBUG, "what runs guests here is not found out again", e);
        } finally {
            answered(found);
        }
    }

    private void answered(Optional<HostCapabilities> found) {
        lock.lock();
        try {
            known = found.or(() -> known);
            askingAgain = null;
        } finally {
            lock.unlock();
        }
    }

    /** Ends a probe that is under way. What is known stays known. */
    @Override
    public void close() {
        Thread asking = noneFromNowOn();
        if (asking == null) {
            return;
        }
        asking.interrupt();
        try {
            var _ = asking.join(END_LIMIT);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private @Nullable Thread noneFromNowOn() {
        lock.lock();
        try {
            closed = true;
            return askingAgain;
        } finally {
            lock.unlock();
        }
    }
}
