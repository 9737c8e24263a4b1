package dev.cloche.vm;

import java.time.Instant;
import java.util.Optional;

/**
 * Describes a file of a guest. All of it is the guest's word.
 *
 * @param name the last part of its path; the root's is {@code /}. Bytes that are no UTF-8 are as in
 *     {@link dev.cloche.base.RawText}
 * @param mode the permission bits, at most 07777
 * @param uid 0 to 2^32 - 1
 * @param gid 0 to 2^32 - 1
 * @param size in bytes
 * @param modified to the nanosecond
 * @param linkTarget of a symbolic link
 */
public record FileInfo(
        String name,
        FileKind kind,
        int mode,
        long uid,
        long gid,
        long size,
        Instant modified,
        Optional<String> linkTarget) {}
