package dev.cloche.vm;

import java.nio.file.Path;

/** Says where the guest's writes to its root go. */
public sealed interface WritableLayer {
    /** In the guest's memory, of which they count as a part. */
    record InMemory() implements WritableLayer {}

    /**
     * On a disk of the VM's own, which grows on the host as it is written to.
     *
     * @param sizeMiB what the guest sees, 64 to 16,777,216 MiB (16 TiB)
     */
    public record Disk(int sizeMiB) implements WritableLayer {
        static final int MIN_MIB = 64;
        static final int MAX_MIB = 1 << 24;

        /** @throws VmException.Invalid if the size is outside of its range */
        public Disk {
            requireSize(sizeMiB);
        }

        public static void requireSize(int sizeMiB) {
            if (sizeMiB < MIN_MIB || sizeMiB > MAX_MIB) {
                throw new VmException.Invalid(
                        "The VM's writable disk cannot have " + sizeMiB + " MiB",
                        "Choose " + MIN_MIB + " to " + MAX_MIB + " MiB.");
            }
        }
    }

    /**
     * On a disk that outlives the VM, see {@link PersistentDisks}. One VM has it at a time.
     *
     * @param directory of the disk, absolute
     */
    record Persistent(Path directory) implements WritableLayer {
        /** @throws VmException.Invalid if the directory is not absolute */
        public Persistent {
            if (!directory.isAbsolute()) {
                throw new VmException.Invalid(
                        "The directory of a disk is not absolute: " + directory, "Give an absolute path.");
            }
        }
    }

    static WritableLayer inMemory() {
        return new InMemory();
    }

    /**
     * Returns a disk of so many MiB.
     *
     * @throws VmException.Invalid if the size is outside of its range
     */
    static WritableLayer disk(int sizeMiB) {
        return new Disk(sizeMiB);
    }

    /**
     * Returns the persistent disk in this directory.
     *
     * @throws VmException.Invalid if the directory is not absolute
     */
    static WritableLayer persistent(Path directory) {
        return new Persistent(directory);
    }
}
