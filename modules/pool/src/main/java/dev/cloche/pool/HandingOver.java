package dev.cloche.pool;

import dev.cloche.base.Deadline;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmException;

/** Makes entries their acquirers': chosen, claimed, limited, continued, and acknowledged by their guests. Blocks. */
record HandingOver(Checks checks, Disposal disposal) {
    /** How a hand-off ended. */
    sealed interface Outcome {
        record Done() implements Outcome {}

        /** The VM is no good; another may be. */
        record Broken(Eviction cause) implements Outcome {}

        /** The acquirer's own doing, or an error of this JVM; the VM may be as it was. */
        record Failed(Throwable why, boolean usable) implements Outcome {
            /** What the acquirer is thrown; an error is thrown here. */
            RuntimeException thrown() {
                if (why instanceof Error error) {
                    throw error;
                }
                return why instanceof RuntimeException known ? known : new IllegalStateException(why);
            }
        }
    }

    /** @param check whether its last verdict is too old */
    Outcome of(Vm vm, boolean check, HandOff handOff, Deadline deadline) {
        Checks due = check ? checks : checks.withoutValidator();
        if (due.of(vm, deadline.remainingNanos()) instanceof Verdict.Unhealthy) {
            return Thread.currentThread().isInterrupted()
                    ? new Outcome.Failed(new PoolException.Interrupted(), true)
                    : new Outcome.Broken(Eviction.VALIDATION);
        }
        try {
            handOff.chosen(vm.id());
        } catch (Throwable e) {
            return new Outcome.Failed(e, true);
        }
        try {
            vm.claim();
        } catch (VmException retired) {
            Disposal.log("pool entry " + vm.id() + " cannot be claimed", retired);
            return new Outcome.Broken(Eviction.AGE);
        } catch (Throwable e) {
            var _ = disposal.of(vm);
            return new Outcome.Failed(e, false);
        }
        return resume(vm, handOff, deadline);
    }

    private Outcome resume(Vm vm, HandOff handOff, Deadline deadline) {
        Identity identity = new Identity(handOff);
        try {
            handOff.longest().ifPresent(vm::limit);
            vm.resume(identity::ask, deadline);
            return new Outcome.Done();
        } catch (Throwable e) {
            boolean interrupted = Thread.interrupted();
            // Before its acquirer writes down another: a claimed VM is on no list of the pool any more.
            var _ = disposal.of(vm);
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
            if (e instanceof Error || identity.wrong(e) || deadline.passed() || interrupted) {
                return new Outcome.Failed(e, false);
            }
            Disposal.log("pool entry " + vm.id() + " does not come back", e);
            return new Outcome.Broken(Eviction.HAND_OFF);
        }
    }
}
