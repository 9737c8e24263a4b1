package dev.cloche.sandbox.reconcile;

import dev.cloche.sandbox.MaintenanceStep;
import dev.cloche.sandbox.Termination;
import dev.cloche.sandbox.record.SweepRow;
import dev.cloche.sandbox.record.SweepStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Previews what a sweep would find, without a lease and without doing anything about it. */
public final class SweepPreview {
    private static final int PAGE = 1_000;

    private final SweepStore store;
    private final SweepFacts facts;

    public SweepPreview(SweepStore store, SweepFacts facts) {
        this.store = store;
        this.facts = facts;
    }

    public List<MaintenanceStep> steps() {
        List<MaintenanceStep> steps = new ArrayList<>();
        store.unstarted(PAGE).forEach(row -> step(row).ifPresent(steps::add));
        for (List<SweepRow> page = store.active(0, PAGE);
                !page.isEmpty();
                page = store.active(page.getLast().id(), PAGE)) {
            page.forEach(row -> step(row).ifPresent(steps::add));
        }
        for (List<SweepStore.Ended> page = store.endedEphemerals(0, PAGE);
                !page.isEmpty();
                page = store.endedEphemerals(page.getLast().id(), PAGE)) {
            page.forEach(ended -> steps.add(new MaintenanceStep(
                    ended.name(), MaintenanceStep.Action.REMOVE, "It is ephemeral, and has ended.")));
        }
        return List.copyOf(steps);
    }

    private Optional<MaintenanceStep> step(SweepRow row) {
        return switch (facts.judge(row)) {
            // Most that are recorded as paused are halted, which only their QEMU tells.
            case SweepRule.Verdict.Leave(), SweepRule.Verdict.Halt() ->
                Optional.of(row)
                        .filter(facts::isHeld)
                        .map(held -> new MaintenanceStep(
                                held.name(),
                                MaintenanceStep.Action.SUSPEND,
                                "Its guard has halted it at its deadline."));
            case SweepRule.Verdict.Recover() ->
                Optional.of(new MaintenanceStep(
                        row.name(),
                        MaintenanceStep.Action.RECONCILE,
                        "The process is gone that was suspending or resuming it."));
            case SweepRule.Verdict.End() ->
                Optional.of(new MaintenanceStep(
                        row.name(),
                        MaintenanceStep.Action.END,
                        "Its end was asked for, and the process is gone that was bringing it about."));
            case SweepRule.Verdict.Wait() ->
                Optional.of(new MaintenanceStep(
                        row.name(), MaintenanceStep.Action.WAIT, "Its VM has no owner, and its guard is to end it."));
            case SweepRule.Verdict.Kill(Termination termination) ->
                Optional.of(new MaintenanceStep(row.name(), MaintenanceStep.Action.KILL, termination.detail()));
            case SweepRule.Verdict.Settle(Termination termination) ->
                Optional.of(new MaintenanceStep(row.name(), MaintenanceStep.Action.RECONCILE, termination.detail()));
        };
    }
}
