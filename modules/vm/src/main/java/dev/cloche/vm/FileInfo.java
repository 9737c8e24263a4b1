package dev.cloche.vm;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * Describes a file of a guest. All of it is the guest's word.
 *
 * @param name the last part of its path; the root's is {@code /}. In a listing of more than one directory it is the path
 *     relative to the first one. Bytes that are no UTF-8 are as in {@link dev.cloche.base.RawText}
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
        Optional<String> linkTarget) {

    /**
     * Describes a file with what takes the guest more than one look. All of it is the guest's word.
     *
     * @param owner the name of its user in the guest's {@code /etc/passwd}; empty if it has none there
     * @param group the name of its group in the guest's {@code /etc/group}; empty if it has none there
     * @param realPath where its path leads to, absolute and without links; empty if it is a link that leads to nothing
     * @param attributes the extended attributes {@code user.*} of a file or directory, by their whole names; those that the user
     *     may not read are missing
     */
    public record Details(
            FileInfo file,
            Optional<String> owner,
            Optional<String> group,
            Optional<String> realPath,
            Map<String, byte[]> attributes) {
        public Details {
            attributes = Map.copyOf(attributes);
        }
    }
}
