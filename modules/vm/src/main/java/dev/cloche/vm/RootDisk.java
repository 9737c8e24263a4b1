package dev.cloche.vm;

import java.nio.file.Path;
import java.util.Optional;

/**
 * Describes the read-only disk that a VM boots from: an EROFS image, or a VMDK descriptor whose extents are its parts.
 *
 * @param path absolute; what QEMU opens, so a descriptor's extents are found from here
 * @param contents names what is on the disk, for example by the digest of an image's manifest: a snapshot is restored onto
 *     any disk of the same contents. Without it, only onto the same, unchanged file.
 */
public record RootDisk(Path path, Format format, Optional<String> contents) {
    /** Says how QEMU reads the file. It is always given explicitly, because a guest's bytes must never choose it. */
    public enum Format {
        RAW,
        VMDK
    }

    /** @throws VmException.Invalid if the path is not absolute */
    public RootDisk {
        if (!path.isAbsolute()) {
            throw new VmException.Invalid(
                    "The root disk's path " + path + " is not absolute", "Give an absolute path.");
        }
    }

    /** Returns a file system image as it is. */
    public static RootDisk raw(Path path) {
        return new RootDisk(path, Format.RAW, Optional.empty());
    }

    /** Returns a VMDK descriptor. */
    public static RootDisk vmdk(Path path) {
        return new RootDisk(path, Format.VMDK, Optional.empty());
    }

    /** Returns the same disk, whose content has a name. */
    public RootDisk withContents(String name) {
        return new RootDisk(path, format, Optional.of(name));
    }
}
