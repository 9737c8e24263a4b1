package dev.cloche.pool;

import dev.cloche.vm.Vm;
import dev.cloche.vm.VmState;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Gets a verdict in a bounded time, whatever the validator does. */
final class Checks {
    static final EntryValidator NO_VALIDATOR = vm -> Verdict.HEALTHY;

    private final EntryValidator validator;
    private final Duration within;

    Checks(EntryValidator validator, Duration within) {
        this.validator = validator;
        this.within = within;
    }

    /** Which looks only whether a VM is there. */
    Checks withoutValidator() {
        return new Checks(EntryValidator.none(), within);
    }

    /** Judges a prepared VM, in at most this many nanoseconds. */
    Verdict of(Vm vm, long nanos) {
        if (vm.state() != VmState.PAUSED) {
            return new Verdict.Unhealthy("its VM is " + vm.state());
        }
        if (validator.equals(NO_VALIDATOR)) {
            // It needs no watching, and every hand-off would wait for two threads to wake each other.
            return Verdict.HEALTHY;
        }
        FutureTask<Verdict> judging = new FutureTask<>(() -> validator.validate(vm.id()));
        Thread judge = Thread.ofVirtual().name("pool-check-" + vm.id()).start(judging);
        try {
            return judging.get(Math.min(nanos, within.toNanos()), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            judge.interrupt();
            return new Verdict.Unhealthy("no verdict within " + within);
        } catch (ExecutionException e) {
            return new Verdict.Unhealthy("the validator failed: " + e.getCause());
        } catch (InterruptedException e) {
            judge.interrupt();
            Thread.currentThread().interrupt();
            return new Verdict.Unhealthy("the check was interrupted");
        }
    }
}
