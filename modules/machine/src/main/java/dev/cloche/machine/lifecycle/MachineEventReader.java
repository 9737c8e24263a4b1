package dev.cloche.machine.lifecycle;

import dev.cloche.base.Deadline;
import dev.cloche.linux.FileSignal;
import dev.cloche.machine.MachineEvent;
import dev.cloche.machine.MachineException;
import dev.cloche.machine.MachineManager;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/** Reads the log of events as it is now, and follows it. */
public final class MachineEventReader {
    /** Only for events of which the kernel does not tell. */
    private static final Duration SAFETY_NET = Duration.ofSeconds(15);

    private final MachineContext context;

    public MachineEventReader(MachineContext context) {
        this.context = context;
    }

    /** Does what {@link MachineManager#events} promises. */
    public List<MachineEvent> all() {
        try {
            return context.events().all();
        } catch (IOException e) {
            throw new MachineException.Storage("The events of machines cannot be read: " + e.getMessage() + ".", e);
        }
    }

    /** Does what {@link MachineManager#follow} promises. */
    public void follow(Consumer<MachineEvent> listener, Deadline deadline) {
        try (FileSignal signal = context.store().directories().listen()) {
            List<MachineEvent> seen = all();
            while (!deadline.passed()) {
                var _ = signal.await(deadline.orAfter(SAFETY_NET));
                List<MachineEvent> now = all();
                newOnes(seen, now).forEach(listener);
                seen = now;
            }
            throw new MachineException.OutOfTime("events of machines");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new MachineException.Interrupted("events of machines");
        }
    }

    /** Returns what is in the log and was not before: all behind the last one that was. */
    private static List<MachineEvent> newOnes(List<MachineEvent> before, List<MachineEvent> now) {
        int last = before.isEmpty() ? -1 : now.lastIndexOf(before.getLast());
        return now.subList(last + 1, now.size());
    }
}
