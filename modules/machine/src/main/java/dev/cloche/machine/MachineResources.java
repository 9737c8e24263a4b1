package dev.cloche.machine;

/**
 * Says what a machine takes of its host.
 *
 * @param cpus virtual processors, 1 to 64
 * @param memoryMb 128 to 1,048,576 MiB
 * @param diskGb size of its data disk, 1 to 16,384 GiB; the disk takes what is written to it
 */
public record MachineResources(int cpus, int memoryMb, int diskGb) {
    public static final MachineResources DEFAULTS = new MachineResources(2, 2048, 20);
    static final int MAX_CPUS = 64;
    static final int MIN_MEMORY_MB = 128;
    static final int MAX_MEMORY_MB = 1 << 20;
    static final int MAX_DISK_GB = 16 << 10;

    /** @throws MachineException.Invalid if a value is outside of its range */
    public MachineResources {
        within("CPUs", cpus, 1, MAX_CPUS);
        within("MiB of memory", memoryMb, MIN_MEMORY_MB, MAX_MEMORY_MB);
        within("GiB of disk", diskGb, 1, MAX_DISK_GB);
    }

    private static void within(String what, int value, int least, int most) {
        if (value < least || value > most) {
            throw new MachineException.Invalid(
                    value + " " + what + " are out of range.", "Give " + least + " to " + most + ".");
        }
    }

    public MachineResources withCpus(int value) {
        return new MachineResources(value, memoryMb, diskGb);
    }

    public MachineResources withMemoryMb(int value) {
        return new MachineResources(cpus, value, diskGb);
    }

    public MachineResources withDiskGb(int value) {
        return new MachineResources(cpus, memoryMb, value);
    }
}
