package dev.cloche.sandbox.reconcile;

import dev.cloche.base.Deadline;
import dev.cloche.sandbox.SandboxStatus;
import dev.cloche.sandbox.record.SweepRow;
import dev.cloche.sandbox.record.SweepStore;
import dev.cloche.vm.VmHindrance;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmProvider;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Records as events which running sandboxes do not work at present, and which do again: a guard knows, and cannot write to the
 * catalog. For one thread, and one sweep.
 */
final class HindranceEvents {
    private static final String ALARM = "(isolation alarm) QEMU was refused calls that it never makes by itself."
            + " Stop it unless you know why; its isolation says how many there were.";

    private static final Optional<VmHindrance> HELD = Optional.of(VmHindrance.HELD);

    private final VmProvider vms;
    private final SweepStore store;
    private final Map<Long, String> seen = new HashMap<>();
    private final List<Long> held = new ArrayList<>();

    HindranceEvents(VmProvider vms, SweepStore store) {
        this.vms = vms;
        this.store = store;
    }

    /** Returns what an event says; empty for a sandbox that works. */
    static String told(VmHindrance why) {
        return "(" + why.name().toLowerCase(Locale.ROOT).replace('_', ' ') + ") " + why.remedy();
    }

    /** Returns what an event says of a QEMU that was refused calls, of which it makes none by itself; else nothing. */
    private String alarm(VmId vm) {
        return vms.isAlarmed(vm) ? ALARM : "";
    }

    /** Says whether its guard has halted a sandbox at its deadline. */
    static boolean isHeld(VmProvider vms, SweepRow row) {
        return hasGuest(row)
                && row.run().map(SweepRow.Run::vm).flatMap(vms::hindrance).equals(HELD);
    }

    private static boolean hasGuest(SweepRow row) {
        return row.status() == SandboxStatus.RUNNING || row.status() == SandboxStatus.PAUSED;
    }

    void look(SweepRow row) {
        if (!hasGuest(row)) {
            return;
        }
        Optional<VmId> vm = row.run().map(SweepRow.Run::vm);
        Optional<VmHindrance> hindrance = vm.flatMap(vms::hindrance);
        if (hindrance.equals(HELD)) {
            held.add(row.id());
        }
        if (row.status() == SandboxStatus.RUNNING && vm.isPresent()) {
            seen.put(row.id(), hindrance.map(HindranceEvents::told).orElseGet(() -> alarm(vm.get())));
        }
    }

    /** Returns the sandboxes that their guards have halted at their deadlines. */
    List<Long> held() {
        return List.copyOf(held);
    }

    /** Records what was not told before. Others that write to the catalog go first, up to the deadline. */
    void tell(Deadline deadline) {
        Map<Long, String> known = store.hindered();
        seen.entrySet()
                .removeIf(sandbox -> known.getOrDefault(sandbox.getKey(), "").equals(sandbox.getValue()));
        if (!seen.isEmpty()) {
            store.tellRunning(seen, Duration.ofNanos(deadline.remainingNanos()));
        }
    }
}
