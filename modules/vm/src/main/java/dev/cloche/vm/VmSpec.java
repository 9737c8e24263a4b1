package dev.cloche.vm;

import java.time.Duration;
import java.util.Optional;

/**
 * What a VM is made of. Immutable; begin with {@link #of} and narrow with the {@code with…} methods.
 *
 * @param memoryMiB guest RAM, 64 to 1,048,576 MiB
 * @param cpus virtual processors, 1 to 64
 * @param attached whether the VM ends when the process that started it does; otherwise it outlives it from the start
 * @param maxDuration hard limit of the VM's life, enforced by its guard; at least one millisecond
 * @param ownerGrace how long an attached VM lives on after its owner is gone, unless another process takes it over
 */
public record VmSpec(
        VmId id,
        int memoryMiB,
        int cpus,
        RootDisk rootDisk,
        boolean attached,
        Optional<Duration> maxDuration,
        Duration ownerGrace) {
    private static final int MIN_MEMORY_MIB = 64;
    private static final int MAX_MEMORY_MIB = 1 << 20;
    private static final int MAX_CPUS = 64;
    private static final Duration LONGEST = Duration.ofDays(3650);

    /** @throws InvalidVmSpecException if a value is outside of its range */
    public VmSpec {
        if (memoryMiB < MIN_MEMORY_MIB || memoryMiB > MAX_MEMORY_MIB) {
            throw outside("memory", memoryMiB + " MiB", MIN_MEMORY_MIB + " to " + MAX_MEMORY_MIB + " MiB");
        }
        if (cpus < 1 || cpus > MAX_CPUS) {
            throw outside("processors", String.valueOf(cpus), "1 to " + MAX_CPUS);
        }
        if (maxDuration.isPresent() && !within(maxDuration.get(), Duration.ofMillis(1))) {
            throw outside("maximum duration", maxDuration.get().toString(), "1 ms to 3650 days");
        }
        if (!within(ownerGrace, Duration.ZERO)) {
            throw outside("owner's grace", ownerGrace.toString(), "0 to 3650 days");
        }
    }

    /** An attached VM of 256 MiB and one processor, without a limit of its life and with 10 seconds of grace. */
    public static VmSpec of(VmId id, RootDisk rootDisk) {
        return new VmSpec(id, 256, 1, rootDisk, true, Optional.empty(), Duration.ofSeconds(10));
    }

    public VmSpec withMemoryMiB(int value) {
        return new VmSpec(id, value, cpus, rootDisk, attached, maxDuration, ownerGrace);
    }

    public VmSpec withCpus(int value) {
        return new VmSpec(id, memoryMiB, value, rootDisk, attached, maxDuration, ownerGrace);
    }

    public VmSpec withAttached(boolean value) {
        return new VmSpec(id, memoryMiB, cpus, rootDisk, value, maxDuration, ownerGrace);
    }

    public VmSpec withMaxDuration(Duration value) {
        return new VmSpec(id, memoryMiB, cpus, rootDisk, attached, Optional.of(value), ownerGrace);
    }

    public VmSpec withOwnerGrace(Duration value) {
        return new VmSpec(id, memoryMiB, cpus, rootDisk, attached, maxDuration, value);
    }

    private static boolean within(Duration value, Duration least) {
        return value.compareTo(least) >= 0 && value.compareTo(LONGEST) <= 0;
    }

    private static InvalidVmSpecException outside(String what, String value, String range) {
        return new InvalidVmSpecException("The VM's " + what + " cannot be " + value, "Choose " + range + ".");
    }
}
