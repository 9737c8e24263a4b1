package dev.cloche.sandbox.reconcile;

import dev.cloche.sandbox.SandboxStatus;
import dev.cloche.sandbox.Termination;
import dev.cloche.sandbox.TerminationReason;
import dev.cloche.sandbox.record.SweepRow;
import dev.cloche.vm.VmExit;
import dev.cloche.vm.VmInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Decides what a sweep does about a sandbox that is recorded as active. A pure function of what is known.
 *
 * <p>Times of the record are held against this host's clock, which may have been set since. So a time alone takes
 * nothing for dead: the owner of a sandbox holds its lock.
 *
 * @param now of the clock that the records were written by
 * @param ownerGrace in which guards end VMs whose owner died
 */
public record SweepRule(Instant now, Duration ownerGrace) {
    /** Says what is to be done. */
    public sealed interface Verdict {
        /** It lives, it can be adopted, or its end is another's to record. */
        record Leave() implements Verdict {}

        /** Its owner is dead, and its guard is about to end its VM. */
        record Wait() implements Verdict {}

        /** It is recorded as paused, and its guest is to be halted if it is not. */
        record Halt() implements Verdict {}

        /** A suspension or a resume of it was cut short. */
        record Recover() implements Verdict {}

        /** Its end was asked for, and the processes that were bringing it about are gone. */
        record End() implements Verdict {}

        /** Its guard has not done so in time: it is to be ended, and then settled as said. */
        record Kill(Termination termination) implements Verdict {}

        /** It is over, and that is to be recorded. */
        record Settle(Termination termination) implements Verdict {}
    }

    /**
     * Says what is known of its owner.
     *
     * @param locked whether its owner's lock is held
     * @param processAlive whether the process lives that is recorded as its owner
     */
    public record Owner(boolean locked, boolean processAlive) {}

    /**
     * Judges a sandbox by what is known of it.
     *
     * @param vm what is known of the VM of its run; empty if there is no trace of it
     * @param ending whether a living process brings its end about
     * @param ownerlessSince when an earlier sweep first saw it with a living VM and without an owner
     */
    public Verdict judge(
            SweepRow row, Owner owner, Optional<VmInfo> vm, boolean ending, Optional<Instant> ownerlessSince) {
        if (row.status().terminal()) {
            return new Verdict.Leave();
        }
        boolean live = vm.filter(info -> info.state().live()).isPresent();
        if (row.status().suspends()) {
            boolean cutShort = row.status() != SandboxStatus.SUSPENDED || live;
            return cutShort && !owner.locked() ? new Verdict.Recover() : new Verdict.Leave();
        }
        if (live
                && row.run()
                        .filter(run -> run.detached() || owner.locked() || owner.processAlive())
                        .isPresent()) {
            return living(row.status(), ending);
        }
        if (owner.locked()) {
            return new Verdict.Leave();
        }
        if (row.status() == SandboxStatus.CREATED) {
            return row.ephemeral() && overdue(row)
                    ? new Verdict.Settle(internal("It was not started in time."))
                    : new Verdict.Leave();
        }
        return row.run().map(run -> judge(row, run, owner, vm, ownerlessSince)).orElseGet(() -> withoutRun(row));
    }

    /**
     * Of one whose VM lives with its leave. A living process that has let go of it has its reasons; its guard knows them by the
     * lock that the VM has too.
     */
    private static Verdict living(SandboxStatus status, boolean ending) {
        return switch (status) {
            case PAUSED -> new Verdict.Halt();
            case DRAINING -> ending ? new Verdict.Leave() : new Verdict.End();
            case CREATED, STARTING, RUNNING, SUSPENDING, SUSPENDED, RESUMING, STOPPED, CRASHED -> new Verdict.Leave();
        };
    }

    private Verdict withoutRun(SweepRow row) {
        if (row.status() == SandboxStatus.DRAINING || overdue(row)) {
            return new Verdict.Settle(Termination.ofLeftover(Optional.empty(), asked(row)));
        }
        return new Verdict.Leave();
    }

    private Verdict judge(
            SweepRow row, SweepRow.Run run, Owner owner, Optional<VmInfo> vm, Optional<Instant> ownerlessSince) {
        if (vm.filter(info -> info.state().live()).isPresent()) {
            return ownerless(row, ownerlessSince);
        }
        Optional<VmExit> exit = vm.flatMap(VmInfo::exit);
        boolean begins = row.status() == SandboxStatus.STARTING && !run.identified() && exit.isEmpty();
        if (begins && !startIsOver(row, run, owner)) {
            return new Verdict.Leave();
        }
        return new Verdict.Settle(Termination.ofLeftover(exit, asked(row)));
    }

    private Verdict ownerless(SweepRow row, Optional<Instant> since) {
        if (since.filter(first -> age(first).compareTo(ownerGrace) >= 0).isEmpty()) {
            return new Verdict.Wait();
        }
        Optional<TerminationReason> asked = asked(row);
        return new Verdict.Kill(
                asked.isPresent()
                        ? Termination.ofLeftover(Optional.empty(), asked)
                        : internal("The process that it was attached to is gone."));
    }

    /**
     * Of a start whose VM has not been seen yet. A living starter has until the deadline. What a dead one has begun, a guard
     * may be about to go on with, if that was just before its death.
     */
    private boolean startIsOver(SweepRow row, SweepRow.Run run, Owner owner) {
        if (owner.processAlive()) {
            return age(run.startedAt()).compareTo(row.startTimeout()) >= 0;
        }
        return run.startedAt().isAfter(now) || age(run.startedAt()).compareTo(ownerGrace) >= 0;
    }

    /** Returns the reason of the end that was asked for, also where it was not recorded. */
    private static Optional<TerminationReason> asked(SweepRow row) {
        Optional<TerminationReason> recorded = row.run().flatMap(SweepRow.Run::asked);
        return row.status() == SandboxStatus.DRAINING
                ? recorded.or(() -> Optional.of(TerminationReason.SHUTDOWN_REQUESTED))
                : recorded;
    }

    private boolean overdue(SweepRow row) {
        return age(row.updatedAt()).compareTo(row.startTimeout()) >= 0;
    }

    /** Negative for a time that was written before the clock was set back; what it belongs to is taken for young. */
    private Duration age(Instant then) {
        return Duration.between(then, now);
    }

    private static Termination internal(String detail) {
        return new Termination(
                TerminationReason.INTERNAL_ERROR, false, OptionalInt.empty(), OptionalInt.empty(), detail);
    }
}
