package dev.cloche.vm;

/**
 * Says how a copy is made. Modes and modification times are always kept.
 *
 * @param owners whether the owners' numbers are kept too; otherwise all belongs to the user that writes it. Out of a guest
 *     only for root
 * @param specialBits whether the set-user-id, set-group-id and sticky bits are kept on the host; a guest always gets them
 * @param followLink whether a source that is a symbolic link is replaced by what it leads to; links below are never
 *     followed
 * @param maxBytes of all files together, holes included
 * @param maxEntries of files, directories and links
 * @param maxDepth of directories in each other
 */
public record CopyOptions(
        boolean owners, boolean specialBits, boolean followLink, long maxBytes, long maxEntries, int maxDepth) {
    /** No owners, no special bits, no link followed; 64 GiB, a million entries, 256 directories deep. */
    public static final CopyOptions DEFAULT = new CopyOptions(false, false, false, 64L << 30, 1_000_000, 256);

    /** @throws VmException.Invalid if a limit is not positive, or the depth above 1,000 */
    public CopyOptions {
        if (maxBytes < 1 || maxEntries < 1 || maxDepth < 1 || maxDepth > 1_000) {
            throw new VmException.Invalid(
                    "A limit of a copy is not in its range", "Use positive limits, and a depth of at most 1,000.");
        }
    }

    public CopyOptions withOwners(boolean value) {
        return new CopyOptions(value, specialBits, followLink, maxBytes, maxEntries, maxDepth);
    }

    public CopyOptions withSpecialBits(boolean value) {
        return new CopyOptions(owners, value, followLink, maxBytes, maxEntries, maxDepth);
    }

    public CopyOptions withFollowLink(boolean value) {
        return new CopyOptions(owners, specialBits, value, maxBytes, maxEntries, maxDepth);
    }

    public CopyOptions withMaxBytes(long value) {
        return new CopyOptions(owners, specialBits, followLink, value, maxEntries, maxDepth);
    }

    public CopyOptions withMaxEntries(long value) {
        return new CopyOptions(owners, specialBits, followLink, maxBytes, value, maxDepth);
    }

    public CopyOptions withMaxDepth(int value) {
        return new CopyOptions(owners, specialBits, followLink, maxBytes, maxEntries, value);
    }
}
