package dev.cloche.vm;

/** Where the guest's writes to its root go. */
public sealed interface WritableLayer {
    /** In the guest's memory, of which they count as a part. */
    record InMemory() implements WritableLayer {}

    /**
     * On a disk of the VM's own, which grows on the host as it is written to.
     *
     * @param sizeMiB what the guest sees, 64 to 16,777,216 MiB (16 TiB)
     */
    record Disk(int sizeMiB) implements WritableLayer {
        private static final int MIN_MIB = 64;
        private static final int MAX_MIB = 1 << 24;

        /** @throws InvalidVmSpecException if the size is outside of its range */
        public Disk {
            if (sizeMiB < MIN_MIB || sizeMiB > MAX_MIB) {
                throw new InvalidVmSpecException(
                        "The VM's writable disk cannot have " + sizeMiB + " MiB",
                        "Choose " + MIN_MIB + " to " + MAX_MIB + " MiB.");
            }
        }
    }

    static WritableLayer inMemory() {
        return new InMemory();
    }

    /** A disk of so many MiB. @throws InvalidVmSpecException if the size is outside of its range */
    static WritableLayer disk(int sizeMiB) {
        return new Disk(sizeMiB);
    }
}
