package dev.cloche.vm;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What a VM is made of. Immutable; begin with {@link #of} and narrow with the {@code with…} methods.
 *
 * @param memoryMiB guest RAM, 64 to 1,048,576 MiB
 * @param cpus virtual processors, 1 to 64
 * @param attached whether the VM ends when the process that started it does; otherwise it outlives it from the start
 * @param maxDuration hard limit of the VM's life, enforced by its guard; at least one millisecond
 * @param ownerGrace how long an attached VM lives on after its owner is gone, unless another process takes it over; at least one
 *     millisecond
 * @param outputLogBytes how much of what the main execution writes is kept for {@link VmProvider#outputLog}, 256 KiB to 1 GiB;
 *     absent for nothing
 */
public record VmSpec(
        VmId id,
        int memoryMiB,
        int cpus,
        RootDisk rootDisk,
        boolean attached,
        Optional<Duration> maxDuration,
        Duration ownerGrace,
        OptionalLong outputLogBytes) {
    private static final int MIN_MEMORY_MIB = 64;
    private static final int MAX_MEMORY_MIB = 1 << 20;
    private static final int MAX_CPUS = 64;
    private static final long MIN_LOG = 256 << 10;
    private static final long MAX_LOG = 1 << 30;
    private static final Duration LONGEST = Duration.ofDays(3650);

    /** @throws InvalidVmSpecException if a value is outside of its range */
    public VmSpec {
        if (memoryMiB < MIN_MEMORY_MIB || memoryMiB > MAX_MEMORY_MIB) {
            throw outside("memory", memoryMiB + " MiB", MIN_MEMORY_MIB + " to " + MAX_MEMORY_MIB + " MiB");
        }
        if (cpus < 1 || cpus > MAX_CPUS) {
            throw outside("processors", String.valueOf(cpus), "1 to " + MAX_CPUS);
        }
        if (maxDuration.isPresent() && !within(maxDuration.get())) {
            throw outside("maximum duration", maxDuration.get().toString(), "1 ms to 3650 days");
        }
        if (!within(ownerGrace)) {
            throw outside("owner's grace", ownerGrace.toString(), "1 ms to 3650 days");
        }
        if (outputLogBytes.isPresent()
                && (outputLogBytes.getAsLong() < MIN_LOG || outputLogBytes.getAsLong() > MAX_LOG)) {
            throw outside("output log", outputLogBytes.getAsLong() + " bytes", "256 KiB to 1 GiB");
        }
    }

    /** An attached VM of 256 MiB and one processor, without a limit of its life and with 10 seconds of grace. */
    public static VmSpec of(VmId id, RootDisk rootDisk) {
        return new VmSpec(id, 256, 1, rootDisk, true, Optional.empty(), Duration.ofSeconds(10), OptionalLong.empty());
    }

    public VmSpec withMemoryMiB(int value) {
        return new VmSpec(id, value, cpus, rootDisk, attached, maxDuration, ownerGrace, outputLogBytes);
    }

    public VmSpec withCpus(int value) {
        return new VmSpec(id, memoryMiB, value, rootDisk, attached, maxDuration, ownerGrace, outputLogBytes);
    }

    public VmSpec withAttached(boolean value) {
        return new VmSpec(id, memoryMiB, cpus, rootDisk, value, maxDuration, ownerGrace, outputLogBytes);
    }

    public VmSpec withMaxDuration(Duration value) {
        return new VmSpec(id, memoryMiB, cpus, rootDisk, attached, Optional.of(value), ownerGrace, outputLogBytes);
    }

    public VmSpec withOwnerGrace(Duration value) {
        return new VmSpec(id, memoryMiB, cpus, rootDisk, attached, maxDuration, value, outputLogBytes);
    }

    public VmSpec withOutputLogBytes(long value) {
        return new VmSpec(id, memoryMiB, cpus, rootDisk, attached, maxDuration, ownerGrace, OptionalLong.of(value));
    }

    private static boolean within(Duration value) {
        return value.compareTo(Duration.ofMillis(1)) >= 0 && value.compareTo(LONGEST) <= 0;
    }

    private static InvalidVmSpecException outside(String what, String value, String range) {
        return new InvalidVmSpecException("The VM's " + what + " cannot be " + value, "Choose " + range + ".");
    }
}
