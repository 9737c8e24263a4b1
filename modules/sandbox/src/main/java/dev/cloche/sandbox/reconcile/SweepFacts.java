package dev.cloche.sandbox.reconcile;

import dev.cloche.linux.ProcessIdentity;
import dev.cloche.sandbox.SandboxStatus;
import dev.cloche.sandbox.directory.EndHold;
import dev.cloche.sandbox.lifecycle.SandboxContext;
import dev.cloche.sandbox.record.SweepRow;
import dev.cloche.vm.VmInfo;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Gathers what the rule of sweeps needs to know of a sandbox, as little of it as decides. For one thread, and one sweep. */
public final class SweepFacts {
    private static final SweepRule.Owner UNOWNED = new SweepRule.Owner(false, false);

    private final SandboxContext context;
    private final SweepRule rule;
    private final SweepNote before;
    private final Map<ProcessIdentity, Boolean> processes = new HashMap<>();

    public SweepFacts(SandboxContext context, SweepRule rule, SweepNote before) {
        this.context = context;
        this.rule = rule;
        this.before = before;
    }

    /**
     * Judges a row by the facts that it needs. Of a detached sandbox whose VM lives it does not matter which process
     * owns it, and of one that is owned, and neither paused nor draining, what its VM does.
     */
    SweepRule.Verdict judge(SweepRow row) {
        if (row.status().suspends()) {
            return rule.judge(row, owner(row), vm(row), false, Optional.empty());
        }
        boolean detached = row.run().map(SweepRow.Run::detached).orElse(false);
        boolean draining = row.status() == SandboxStatus.DRAINING;
        boolean vmFirst = detached || draining || row.status() == SandboxStatus.PAUSED;
        Optional<VmInfo> vm = vmFirst ? vm(row) : Optional.empty();
        boolean live = vm.filter(info -> info.state().live()).isPresent();
        SweepRule.Owner owner = detached && live ? UNOWNED : owner(row);
        if (!vmFirst && !owner.locked()) {
            vm = vm(row);
        }
        boolean ending = draining && live && EndHold.isTaken(context.locks().directory(row.directory()));
        return rule.judge(row, owner, vm, ending, before.ownerlessSince(row.id()));
    }

    /** Says whether its guard has halted a sandbox at its deadline. */
    boolean isHeld(SweepRow row) {
        return HindranceEvents.isHeld(context.vms(), row);
    }

    private Optional<VmInfo> vm(SweepRow row) {
        return row.run()
                .map(SweepRow.Run::vm)
                .filter(vm ->
                        row.status() != SandboxStatus.STARTING || !context.vms().isPooled(vm))
                .flatMap(context.vms()::get);
    }

    private SweepRule.Owner owner(SweepRow row) {
        boolean locked = context.locks().directory(row.directory()).isHeld();
        boolean alive = !locked
                && row.run()
                        .map(run -> processes.computeIfAbsent(run.owner(), ProcessIdentity::isAlive))
                        .orElse(false);
        return new SweepRule.Owner(locked, alive);
    }
}
