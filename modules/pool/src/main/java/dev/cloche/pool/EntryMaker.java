package dev.cloche.pool;

import dev.cloche.base.ClocheException;
import dev.cloche.base.Deadline;
import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.Guest;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.NetworkSpec;
import dev.cloche.vm.PoolSlot;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.SpawnException;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmProvider;
import dev.cloche.vm.VmSpec;
import java.time.Duration;
import java.util.Optional;

/** Makes pool entries: restored, exercised, judged, halted and shelved. Safe for use from several threads; blocks. */
record EntryMaker(VmProvider provider, PoolConfig config, Checks checks, Disposal disposal) {
    /** Something that almost every image has; where it is missing, the guest has looked for it, which is most of it. */
    private static final ExecRequest EXERCISE = ExecRequest.of("true");

    /** What came of it. */
    sealed interface Made {
        /** It is on its shelf, and this process's until the handle is closed. */
        record Ready(Vm vm, Duration took) implements Made {}

        /** It was made, and its validator does not like it. */
        record Rejected(Vm vm, String reason) implements Made {}

        /** No entry came of it; what is left resisted its removal. */
        record Failed(Throwable why, Optional<Vm> left) implements Made {}
    }

    Made make(VmId id, StackKey key, Registration registration, Duration maxAge) {
        long begin = System.nanoTime();
        Vm vm;
        try {
            vm = provider.create(spec(id, registration), new PoolSlot(key.label(), maxAge));
        } catch (Throwable e) {
            return new Made.Failed(e, Optional.empty());
        }
        try {
            Deadline deadline = Deadline.after(config.restoreWithin());
            vm.prepare(guest -> exercise(guest, deadline), deadline);
            if (checks.of(vm, deadline.remainingNanos()) instanceof Verdict.Unhealthy unhealthy) {
                return new Made.Rejected(vm, unhealthy.reason());
            }
            vm.shelve();
            return new Made.Ready(vm, Duration.ofNanos(System.nanoTime() - begin));
        } catch (Throwable e) {
            // An interrupt was for the restore, not for cleaning up after it.
            Thread.interrupted();
            Optional<String> resists = disposal.of(vm);
            resists.ifPresent(why -> e.addSuppressed(new IllegalStateException(why)));
            return new Made.Failed(e, resists.map(why -> vm));
        }
    }

    /** What a failure is counted as. */
    static String code(Throwable why) {
        return why instanceof ClocheException known
                ? known.code()
                : why.getClass().getSimpleName();
    }

    private static VmSpec spec(VmId id, Registration registration) {
        SnapshotRef snapshot = registration.snapshot();
        VmSpec plain =
                VmSpec.restored(id, snapshot).withNetwork(snapshot.network() ? NetworkSpec.user() : NetworkSpec.none());
        return registration.outputLogBytes().isPresent()
                ? plain.withOutputLogBytes(registration.outputLogBytes().getAsLong())
                : plain;
    }

    private static void exercise(Guest guest, Deadline deadline) {
        try (GuestExecution done = guest.exec(EXERCISE, deadline)) {
            var _ = done.await(deadline);
        } catch (SpawnException missing) {
            return;
        }
    }
}
