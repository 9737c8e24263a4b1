package dev.cloche.vm;

import java.nio.file.Path;
import java.util.OptionalInt;
import java.util.OptionalLong;

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

    /**
     * Bounds what a guest may ask of its writable disk, reads and writes together. Both bounds hold at once; a tenth of a second's
     * worth may come in one go. What lies in layers below it counts too, the image that the VM boots from does not.
     *
     * @param iops requests per second, small and large ones alike, {@value #MIN_IOPS} to {@value #MAX_IOPS}; empty for any number
     * @param bytesPerSecond 64 KiB to 1 TiB; empty for any number
     */
    record Throttle(OptionalInt iops, OptionalLong bytesPerSecond) {
        /** Is enough for a guest to boot in seconds. */
        public static final int MIN_IOPS = 10;

        public static final int MAX_IOPS = 1_000_000;
        /** Is enough for the largest request of a guest, of about a MiB, to be done before its kernel complains. */
        public static final long MIN_BYTES = 64 << 10;

        public static final long MAX_BYTES = 1L << 40;

        private static final Throttle NONE = new Throttle(OptionalInt.empty(), OptionalLong.empty());

        /** @throws VmException.Invalid if a bound is outside of its range */
        public Throttle {
            iops.ifPresent(Throttle::requireIops);
            bytesPerSecond.ifPresent(Throttle::requireBytes);
        }

        private static void requireIops(int value) {
            if (value < MIN_IOPS || value > MAX_IOPS) {
                throw new VmException.Invalid(
                        "A limit of " + value + " requests per second to a disk is out of range",
                        "Give " + MIN_IOPS + " to " + MAX_IOPS + ", or leave the limit out.");
            }
        }

        private static void requireBytes(long value) {
            if (value < MIN_BYTES || value > MAX_BYTES) {
                throw new VmException.Invalid(
                        "A limit of " + value + " bytes per second to a disk is out of range",
                        "Give " + (MIN_BYTES >> 10) + " KiB to " + (MAX_BYTES >> 40) + " TiB, or leave the limit out.");
            }
        }

        /** Returns no bound. */
        public static Throttle none() {
            return NONE;
        }

        public boolean isNone() {
            return equals(NONE);
        }

        /** Returns the same with a bound of requests per second. */
        public Throttle withIops(int value) {
            return new Throttle(OptionalInt.of(value), bytesPerSecond);
        }

        /** Returns the same with a bound of bytes per second. */
        public Throttle withBytesPerSecond(long value) {
            return new Throttle(iops, OptionalLong.of(value));
        }

        /** Returns the same without a bound of requests. */
        public Throttle withAnyIops() {
            return new Throttle(OptionalInt.empty(), bytesPerSecond);
        }

        /** Returns the same without a bound of bytes. */
        public Throttle withAnyBytes() {
            return new Throttle(iops, OptionalLong.empty());
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
