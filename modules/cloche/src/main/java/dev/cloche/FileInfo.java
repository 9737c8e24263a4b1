package dev.cloche;

import java.time.Instant;
import java.util.Optional;

/**
 * A file of a sandbox, as its guest tells it.
 *
 * <pre>{@code
 * sandbox.files().list("/etc").stream().filter(file -> file.kind() == FileInfo.Kind.FILE).forEach(System.out::println);
 * }</pre>
 *
 * @param name the last part of its path; a byte of it that is no UTF-8 is the character U+DC00 + byte
 * @param mode the permission bits, at most 07777
 * @param uid 0 to 2^32 - 1
 * @param gid 0 to 2^32 - 1
 * @param size in bytes
 * @param modified to the nanosecond
 * @param linkTarget of a symbolic link
 */
public record FileInfo(
        String name,
        Kind kind,
        int mode,
        long uid,
        long gid,
        long size,
        Instant modified,
        Optional<String> linkTarget) {
    /** What a file is. */
    public enum Kind {
        FILE,
        DIRECTORY,
        SYMBOLIC_LINK,
        /** A device, FIFO or socket. */
        SPECIAL
    }
}
