package dev.cloche.vm;

import java.nio.file.Path;

/**
 * The read-only disk that a VM boots from: an EROFS image, or a VMDK descriptor whose extents are its parts.
 *
 * @param path absolute; what QEMU opens, so a descriptor's extents are found from here
 */
public record RootDisk(Path path, Format format) {
    /** How QEMU reads the file. It is always given explicitly, because a guest's bytes must never choose it. */
    public enum Format {
        RAW("raw"),
        VMDK("vmdk");

        private final String driver;

        Format(String driver) {
            this.driver = driver;
        }

        /** QEMU's name of the block driver. */
        String driver() {
            return driver;
        }
    }

    /** @throws InvalidVmSpecException if the path is not absolute */
    public RootDisk {
        if (!path.isAbsolute()) {
            throw new InvalidVmSpecException(
                    "The root disk's path " + path + " is not absolute", "Give an absolute path.");
        }
    }

    /** A file system image as it is. */
    public static RootDisk raw(Path path) {
        return new RootDisk(path, Format.RAW);
    }

    /** A VMDK descriptor. */
    public static RootDisk vmdk(Path path) {
        return new RootDisk(path, Format.VMDK);
    }
}
