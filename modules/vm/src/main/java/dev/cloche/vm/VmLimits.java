package dev.cloche.vm;

import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * Bounds what all VMs of a state root may take of their host together. Immutable.
 *
 * @param memory what the claims of all VMs may come to
 * @param memoryFloor what each start leaves of the host's available memory
 * @param pressure the share of the last ten seconds, in percent, in which all processes may have waited for memory ({@code full
 *     avg10} of {@code /proc/pressure/memory}); empty for any
 * @param diskFloor what is free on the disk of the state root when a VM starts
 * @param stateDisk what the state root may take of its disk when a VM starts, by the last {@linkplain VmProvider#countStateDisk
 *     count}; a share is one of the file system
 * @param total bounds of all VMs
 * @param labels bounds of the VMs with a label, by {@code KEY=VALUE}
 * @param clones what a clone of a template claims
 * @param underPressure what a process that keeps pools does while the host is short of memory
 * @param group where the control group of each VM is made
 */
public record VmLimits(
        Amount memory,
        Amount memoryFloor,
        OptionalInt pressure,
        Amount diskFloor,
        Amount stateDisk,
        Bound total,
        Map<String, Bound> labels,
        Clones clones,
        UnderPressure underPressure,
        Group group) {
    private static final VmLimits OFF = new VmLimits(
            new Amount.None(),
            new Amount.None(),
            OptionalInt.empty(),
            new Amount.None(),
            new Amount.None(),
            Bound.NONE,
            Map.of(),
            Clones.FULL,
            UnderPressure.NOTHING,
            new Group.None());

    /** Is what holds where nothing is configured. */
    public static final VmLimits DEFAULT = new VmLimits(
            new Amount.Share(75, 0),
            new Amount.Share(10, 512),
            OptionalInt.of(10),
            new Amount.Share(5, 1024),
            new Amount.None(),
            Bound.NONE,
            Map.of(),
            Clones.EXPECTED,
            UnderPressure.RETIRE_POOLS,
            new Group.Delegated());

    /** Bounds them in the groups that are delegated to the process that starts a VM. */
    public VmLimits(
            Amount memory,
            Amount memoryFloor,
            OptionalInt pressure,
            Amount diskFloor,
            Amount stateDisk,
            Bound total,
            Map<String, Bound> labels,
            Clones clones,
            UnderPressure underPressure) {
        this(
                memory,
                memoryFloor,
                pressure,
                diskFloor,
                stateDisk,
                total,
                labels,
                clones,
                underPressure,
                new Group.Delegated());
    }

    public VmLimits {
        labels = Map.copyOf(labels);
    }

    /** Says how much of something there may be, or is to be left. */
    public sealed interface Amount {
        /** Returns it in MiB; empty if there is no bound. */
        OptionalLong of(long totalMiB);

        /** No bound. */
        record None() implements Amount {
            @Override
            public OptionalLong of(long totalMiB) {
                return OptionalLong.empty();
            }
        }

        /** A size. */
        record Size(long mib) implements Amount {
            @Override
            public OptionalLong of(long totalMiB) {
                return OptionalLong.of(mib);
            }
        }

        /**
         * A share of what the host has.
         *
         * @param percent 1 to 100
         * @param leastMiB what it comes to at least
         */
        record Share(int percent, long leastMiB) implements Amount {
            @Override
            public OptionalLong of(long totalMiB) {
                return OptionalLong.of(Math.max(leastMiB, totalMiB / 100 * percent));
            }
        }
    }

    /** Bounds what some VMs may have together; what is empty has no bound. VMs of pools are no sandboxes. */
    public record Bound(OptionalLong memoryMiB, OptionalLong cpus, OptionalLong sandboxes, OptionalLong diskMiB) {
        /** Bounds nothing. */
        public static final Bound NONE =
                new Bound(OptionalLong.empty(), OptionalLong.empty(), OptionalLong.empty(), OptionalLong.empty());
    }

    /** Says what a clone of a template claims, which shares its memory with others until it writes to it. */
    public enum Clones {
        /** The greatest of 64 MiB, a quarter of its memory, and what it has of its own at present. */
        EXPECTED,
        /** All of its memory, as a VM that booted. */
        FULL
    }

    /**
     * Says what a process that keeps pools does while there is more {@link VmLimits#pressure} than there may be, or less memory
     * than the {@link VmLimits#memoryFloor}.
     */
    public enum UnderPressure {
        /** Has entries of its pools end, the oldest first, and makes none. */
        RETIRE_POOLS,
        /** Keeps them; none is made, because none is admitted. */
        NOTHING
    }

    /** Says where the control group of a VM is made, which bounds the memory, the processes and the processor time of it. */
    public sealed interface Group {
        /** Nowhere: VMs have none. */
        record None() implements Group {}

        /** Below the group of the process that starts the VM, where that is left to its processes; else nowhere. */
        record Delegated() implements Group {}

        /**
         * Below this one; a VM for which that cannot be done does not start.
         *
         * @param path its directory, absolute
         */
        record Below(String path) implements Group {}
    }

    /** Returns no limits at all: no VM is counted, and none is refused. */
    public static VmLimits off() {
        return OFF;
    }

    /** Returns the same for a VM that runs already, and takes no more of the host than before. */
    public VmLimits withoutFloors() {
        return new VmLimits(
                memory,
                new Amount.None(),
                OptionalInt.empty(),
                new Amount.None(),
                new Amount.None(),
                total,
                labels,
                clones,
                underPressure,
                group);
    }

    /** Returns whether anything is bounded. */
    public boolean on() {
        return !equals(OFF);
    }
}
