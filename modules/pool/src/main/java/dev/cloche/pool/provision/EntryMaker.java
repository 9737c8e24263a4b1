package dev.cloche.pool.provision;

import dev.cloche.base.ClocheException;
import dev.cloche.base.Deadline;
import dev.cloche.pool.PoolConfig;
import dev.cloche.pool.PoolEvent;
import dev.cloche.pool.PoolException;
import dev.cloche.pool.Preparation;
import dev.cloche.pool.Registration;
import dev.cloche.pool.StackKey;
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
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * Makes pool entries: restored, exercised, warmed up, checked, halted and shelved. Safe for use from several threads; blocks.
 *
 * @param events told how long preparations take
 */
public record EntryMaker(VmProvider provider, PoolConfig config, Disposal disposal, Consumer<PoolEvent> events) {
    /** Runs in almost every image; where it is missing, the guest has looked for it, which is most of the exercise. */
    private static final ExecRequest EXERCISE = ExecRequest.of("true");

    /** Says how the making of an entry ended. */
    public sealed interface Made {
        /** The entry lies on its shelf, and no process owns it. */
        record Ready(Duration took) implements Made {}

        /**
         * The making has failed, without an entry.
         *
         * @param left whether its VM resisted its removal
         */
        record Failed(Throwable why, boolean left) implements Made {
            public boolean rejected() {
                return why instanceof PoolException.Rejected;
            }
        }
    }

    public Made make(VmId id, StackKey key, Registration registration) {
        long begin = System.nanoTime();
        Vm vm;
        try {
            vm = provider.create(spec(id, registration), new PoolSlot(key.label(), registration.maxAge()));
        } catch (Throwable e) {
            return new Made.Failed(e, false);
        }
        try {
            Deadline deadline = Deadline.after(config.restoreWithin());
            vm.prepare(guest -> prepare(guest, id, key, registration.preparation(), deadline), deadline);
            vm.shelve();
            vm.close();
            return new Made.Ready(Duration.ofNanos(System.nanoTime() - begin));
        } catch (Throwable e) {
            // An interrupt was for the restore, not for cleaning up after it.
            Thread.interrupted();
            Optional<String> resists = disposal.of(vm);
            resists.ifPresent(why -> {
                e.addSuppressed(new IllegalStateException(why));
                disposal.letGo(vm);
            });
            return new Made.Failed(e, resists.isPresent());
        }
    }

    /** Returns the code that a failure is counted under. */
    public static String code(Throwable why) {
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

    private void prepare(Guest guest, VmId id, StackKey key, Preparation preparation, Deadline deadline) {
        exercise(guest, deadline);
        if (preparation.warmUp().isEmpty() && preparation.healthCheck().isEmpty()) {
            return;
        }
        long begin = System.nanoTime();
        boolean healthy = false;
        try {
            preparation.warmUp().ifPresent(work -> within("warm-up", work, guest, deadline));
            preparation.healthCheck().ifPresent(work -> within("health check", work, guest, deadline));
            healthy = true;
        } finally {
            events.accept(new PoolEvent.Checked(key, id, Duration.ofNanos(System.nanoTime() - begin), healthy));
        }
    }

    private static void exercise(Guest guest, Deadline deadline) {
        try (GuestExecution done = guest.exec(EXERCISE, deadline)) {
            var _ = done.await(deadline);
        } catch (SpawnException missing) {
            return;
        }
    }

    /** Does work in a guest within its time; work that takes longer is interrupted, and does not hold us up. */
    private void within(String what, Consumer<Guest> work, Guest guest, Deadline deadline) {
        FutureTask<Boolean> task = new FutureTask<>(() -> {
            work.accept(guest);
            return true;
        });
        Thread worker =
                Thread.ofVirtual().name("pool-" + what.replace(' ', '-')).start(task);
        long nanos = Math.min(deadline.remainingNanos(), config.prepareWithin().toNanos());
        try {
            var _ = task.get(nanos, TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            worker.interrupt();
            throw new PoolException.Rejected(
                    "The " + what + " of a pool's VM took longer than "
                            + Duration.ofNanos(nanos).toMillis() + " ms",
                    e);
        } catch (ExecutionException e) {
            throw new PoolException.Rejected("The " + what + " of a pool's VM failed: " + reason(e), e);
        } catch (InterruptedException e) {
            worker.interrupt();
            Thread.currentThread().interrupt();
            throw new PoolException.Interrupted();
        }
    }

    private static String reason(ExecutionException failure) {
        Throwable why = Optional.ofNullable(failure.getCause()).orElse(failure);
        return ClocheException.sentenceOf(why);
    }
}
