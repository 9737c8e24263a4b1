package dev.cloche.vmm.admission;

import dev.cloche.vm.VmLimits;
import java.util.Set;

/**
 * Says what a VM may take of its host at most. Immutable.
 *
 * @param memoryMiB of its guest
 * @param overheadMiB of the programs that run it, translations of a guest's code included
 * @param mapped whether its guest's memory is shared with other clones of a template until it writes to it
 * @param cpus of its guest
 * @param diskMiB what its writable disk may grow to; 0 without one
 * @param labels {@code KEY=VALUE}
 * @param pooled whether it is an entry of a warm pool or makes a template: it is no sandbox, has no other one yield, and comes after
 *     all that wait
 */
public record VmClaim(
        long memoryMiB, long overheadMiB, boolean mapped, int cpus, long diskMiB, Set<String> labels, boolean pooled) {
    /** Stands for a VM that nothing readable is known of: one of a sandbox's usual size. */
    public static final VmClaim UNKNOWN = new VmClaim(512, 304, false, 1, 0, Set.of(), false);

    private static final long LEAST_OF_A_CLONE_MIB = 64;
    private static final int PART_OF_A_CLONE = 4;
    /** More than any host has; sums of thousands of claims stay far from the largest number. */
    private static final long MOST_MIB = 1L << 30;

    private static final int MOST_CPUS = 1 << 16;

    /** @throws IllegalArgumentException if a number is negative or beyond all hosts */
    public VmClaim {
        if (memoryMiB < 0 || overheadMiB < 0 || diskMiB < 0 || cpus < 0) {
            throw new IllegalArgumentException("a negative claim");
        }
        if (memoryMiB > MOST_MIB || overheadMiB > MOST_MIB || diskMiB > MOST_MIB || cpus > MOST_CPUS) {
            throw new IllegalArgumentException("a claim beyond all hosts");
        }
        labels = Set.copyOf(labels);
    }

    /**
     * Returns the memory that counts, at most {@link #wholeMiB()}.
     *
     * @param ownMiB what a clone has of its own at present
     */
    long charged(VmLimits.Clones clones, long ownMiB) {
        if (mapped && clones == VmLimits.Clones.EXPECTED) {
            long expected = Math.max(LEAST_OF_A_CLONE_MIB, memoryMiB / PART_OF_A_CLONE);
            return Math.min(Math.max(expected, ownMiB), wholeMiB());
        }
        return wholeMiB();
    }

    /** Returns what counts of one that is no clone. */
    public long wholeMiB() {
        return memoryMiB + overheadMiB;
    }

    /** Returns the same as that of a VM with these labels, which is in no pool. */
    public VmClaim handedOver(Set<String> toLabels) {
        return new VmClaim(memoryMiB, overheadMiB, mapped, cpus, diskMiB, toLabels, false);
    }
}
