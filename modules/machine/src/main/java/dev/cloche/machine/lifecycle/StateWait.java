package dev.cloche.machine.lifecycle;

import dev.cloche.base.Deadline;
import dev.cloche.linux.FileSignal;
import dev.cloche.linux.PinnedProcess;
import dev.cloche.linux.ProcessIdentity;
import dev.cloche.machine.CurrentMachine;
import dev.cloche.machine.MachineException;
import dev.cloche.machine.MachineManager;
import dev.cloche.machine.MachineName;
import dev.cloche.machine.MachineState;
import dev.cloche.machine.PersistedMachine;
import dev.cloche.vm.VmInfo;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Waits for a state of one machine without polling: it looks when the log of events has grown, and when the guard of the
 * machine's VM has ended, which perhaps no other process sees. That look records the end.
 */
final class StateWait implements AutoCloseable {
    /** Only for what causes no event: a worker that was killed before there was a VM, or a log that cannot be written. */
    private static final Duration SAFETY_NET = Duration.ofSeconds(15);

    private final MachineContext context;
    private final MachineViews views;
    private final FileSignal signal;
    private Optional<ProcessIdentity> known = Optional.empty();
    private Optional<PinnedProcess> guard = Optional.empty();

    StateWait(MachineContext context, MachineViews views) {
        this.context = context;
        this.views = views;
        signal = context.store().directories().listen();
    }

    /** Does what {@link MachineManager#await} promises. */
    CurrentMachine until(MachineName name, Set<MachineState> states, Deadline deadline) {
        while (true) {
            CurrentMachine now = views.get(name);
            if (states.contains(now.state())) {
                return now;
            }
            if (watches(now.machine())) {
                // It may have ended before that.
                continue;
            }
            if (deadline.passed()) {
                throw new MachineException.OutOfTime(wanted(name, states));
            }
            try {
                var _ = signal.await(deadline.orAfter(SAFETY_NET));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new MachineException.Interrupted(wanted(name, states));
            }
        }
    }

    /** Watches the guard of a machine's VM; false if it is the one of before, or there is none. */
    private boolean watches(PersistedMachine machine) {
        Optional<ProcessIdentity> present = context.vm(machine).flatMap(VmInfo::guard);
        if (present.equals(known)) {
            return false;
        }
        known = present;
        closeGuard();
        guard = present.flatMap(PinnedProcess::open);
        guard.ifPresent(process -> {
            var _ = process.onEnd().thenRun(signal::wake);
        });
        return present.isPresent();
    }

    private static String wanted(MachineName name, Set<MachineState> states) {
        String words = states.stream().map(MachineState::word).sorted().collect(Collectors.joining(" or "));
        return "the machine \"" + name + "\" to be " + words;
    }

    private void closeGuard() {
        guard.ifPresent(PinnedProcess::close);
        guard = Optional.empty();
    }

    @Override
    public void close() {
        closeGuard();
        signal.close();
    }
}
