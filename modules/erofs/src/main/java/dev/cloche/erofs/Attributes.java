package dev.cloche.erofs;

/**
 * Says what every inode has beside its type.
 *
 * @param permissions the twelve lower mode bits: set-user-id, set-group-id, sticky, and rwx three times
 * @param uid owner, an unsigned 32-bit number
 * @param gid group, an unsigned 32-bit number
 * @param seconds modification time since 1970, negative before
 * @param nanos nanoseconds after {@code seconds}, 0 to 999,999,999
 * @param xattrs extended attributes
 */
public record Attributes(int permissions, int uid, int gid, long seconds, int nanos, Xattrs xattrs) {
    public Attributes {
        if ((permissions & ~07777) != 0) {
            throw new IllegalArgumentException("permissions outside 07777: " + Integer.toOctalString(permissions));
        }
        if (nanos < 0 || nanos > 999_999_999) {
            throw new IllegalArgumentException("nanoseconds outside a second: " + nanos);
        }
    }

    /** Returns those of root:root, at 1970, without extended attributes. */
    public static Attributes ofRoot(int permissions) {
        return new Attributes(permissions, 0, 0, 0, 0, Xattrs.NONE);
    }

    public Attributes withXattrs(Xattrs other) {
        return other.equals(xattrs) ? this : new Attributes(permissions, uid, gid, seconds, nanos, other);
    }
}
