package dev.cloche.pool.provision;

import dev.cloche.base.Deadline;
import dev.cloche.pool.Eviction;
import dev.cloche.pool.HandOff;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmProvider;
import dev.cloche.vm.VmState;
import java.time.Duration;

/**
 * Hands entries over to their acquirers: adopted, chosen, claimed, limited, continued, and acknowledged by their
 * guests. Blocks.
 *
 * @param adoptWithin what the adoption has; a VM that takes longer is left alone
 */
public record HandOffProcedure(VmProvider provider, Disposal disposal, Duration adoptWithin) {
    /** Says how a hand-off ended. */
    public sealed interface Outcome {
        record Done(Vm vm) implements Outcome {}

        /** The VM is no good, or another process has it; another VM may be good. */
        record Broken(Eviction cause) implements Outcome {}

        /**
         * The hand-off failed by the acquirer's own doing, or by an error of this JVM; the VM may be as it was, on its
         * shelf.
         */
        record Failed(Throwable why, boolean usable) implements Outcome {
            /** Returns what the acquirer is thrown; an error is thrown here. */
            public RuntimeException thrown() {
                if (why instanceof Error error) {
                    throw error;
                }
                return why instanceof RuntimeException known ? known : new IllegalStateException(why);
            }
        }
    }

    public Outcome of(VmId id, HandOff handOff, Deadline deadline) {
        Vm vm;
        try {
            vm = provider.adopt(id, deadline.orAfter(adoptWithin));
        } catch (VmException.Interrupted e) {
            return new Outcome.Failed(e, true);
        } catch (VmException gone) {
            Disposal.log("pool entry " + id + " is not adopted", gone);
            return new Outcome.Broken(gone instanceof VmException.Busy ? Eviction.ELSEWHERE : Eviction.ENDED);
        } catch (Throwable e) {
            return new Outcome.Failed(e, true);
        }
        return of(vm, handOff, deadline);
    }

    private Outcome of(Vm vm, HandOff handOff, Deadline deadline) {
        if (vm.state() != VmState.PAUSED) {
            dispose(vm);
            return new Outcome.Broken(Eviction.ENDED);
        }
        try {
            handOff.chosen(vm.id());
        } catch (Throwable e) {
            disposal.letGo(vm);
            return new Outcome.Failed(e, true);
        }
        try {
            vm.claim();
        } catch (VmException retired) {
            Disposal.log("pool entry " + vm.id() + " cannot be claimed", retired);
            dispose(vm);
            return new Outcome.Broken(Eviction.AGE);
        } catch (Throwable e) {
            dispose(vm);
            return new Outcome.Failed(e, false);
        }
        return resume(vm, handOff, deadline);
    }

    private Outcome resume(Vm vm, HandOff handOff, Deadline deadline) {
        AcquirerCalls acquirer = new AcquirerCalls(handOff, vm.id());
        try {
            handOff.longest().ifPresent(vm::limit);
            if (!handOff.throttle().isNone()) {
                // Before its guest goes on.
                provider.throttleDisk(vm.id(), handOff::throttle, deadline);
            }
            vm.resume(acquirer::identity, acquirer::meanwhile, deadline);
            return new Outcome.Done(vm);
        } catch (Throwable e) {
            boolean interrupted = Thread.interrupted();
            // Before its acquirer writes down another: a claimed VM is on no list of the pool any more.
            dispose(vm);
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
            if (e instanceof Error || acquirer.wrong(e) || deadline.passed() || interrupted) {
                return new Outcome.Failed(e, false);
            }
            Disposal.log("pool entry " + vm.id() + " does not come back", e);
            return new Outcome.Broken(Eviction.HAND_OFF);
        }
    }

    /**
     * Destroys a VM; one that resists is let go of: an entry lies there for the next sweep, a claimed VM is written
     * down by its acquirer.
     */
    private void dispose(Vm vm) {
        disposal.of(vm).ifPresent(why -> disposal.letGo(vm));
    }
}
