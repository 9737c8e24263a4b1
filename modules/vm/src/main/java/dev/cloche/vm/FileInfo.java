package dev.cloche.vm;

import dev.cloche.base.Printable;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Stream;

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

    /**
     * Says what is to be set of a file; what it does not name stays as it is.
     *
     * @param mode the permission bits, at most 07777
     * @param owner {@code name}, {@code uid}, {@code name:group} or {@code uid:gid} in the guest
     * @param attributes extended attributes that are set, by their whole names, which begin with {@code user.}
     * @param removed extended attributes that are taken away, by their whole names; one that is missing is no error
     */
    public record Change(
            OptionalInt mode, Optional<String> owner, Map<String, byte[]> attributes, Set<String> removed) {
        /** The most attributes that one change names. */
        public static final int MAX_ATTRIBUTES = 1024;

        /** The most bytes that the names and values of one change have. */
        public static final int MAX_BYTES = 1 << 20;

        /** The most bytes of one value. */
        public static final int MAX_VALUE = 65_273;

        private static final int MAX_MODE = 07777;
        private static final int MAX_NAME = 255;
        private static final String USER = "user.";

        /** Sets nothing. */
        public static final Change NONE = new Change(OptionalInt.empty(), Optional.empty(), Map.of(), Set.of());

        /**
         * Validates it.
         *
         * @throws VmException.Invalid if a part is out of its range
         */
        public Change {
            attributes = Map.copyOf(attributes);
            removed = Set.copyOf(removed);
            if (mode.isPresent() && (mode.getAsInt() < 0 || mode.getAsInt() > MAX_MODE)) {
                throw new VmException.Invalid("A mode is not in its range", "Modes are at most 07777.");
            }
            owner.ifPresent(GuestFiles::checkOwner);
            long bytes = Stream.concat(attributes.keySet().stream(), removed.stream())
                            .mapToLong(Change::checkedName)
                            .sum()
                    + attributes.values().stream()
                            .mapToLong(Change::checkedValue)
                            .sum();
            if (attributes.size() + removed.size() > MAX_ATTRIBUTES || bytes > MAX_BYTES) {
                throw new VmException.Invalid(
                        "A change of a file has too many extended attributes, or too large ones",
                        "It has at most " + MAX_ATTRIBUTES + " attributes and " + MAX_BYTES + " bytes of them.");
            }
        }

        private static long checkedName(String name) {
            int length = name.getBytes(StandardCharsets.UTF_8).length;
            if (!name.startsWith(USER)
                    || name.length() == USER.length()
                    || length > MAX_NAME
                    || name.indexOf('\0') >= 0) {
                throw new VmException.Invalid(
                        "'" + Printable.of(name) + "' is no extended attribute that can be set",
                        "Its name begins with 'user.' and has at most " + MAX_NAME + " bytes.");
            }
            return length;
        }

        private static long checkedValue(byte[] value) {
            if (value.length > MAX_VALUE) {
                throw new VmException.Invalid(
                        "The value of an extended attribute has " + value.length + " bytes",
                        "It has at most " + MAX_VALUE + ".");
            }
            return value.length;
        }

        /**
         * Returns one that sets the mode too.
         *
         * @param bits at most 07777
         */
        public Change withMode(int bits) {
            return new Change(OptionalInt.of(bits), owner, attributes, removed);
        }

        /**
         * Returns one that sets the owner too.
         *
         * @param name {@code name}, {@code uid}, {@code name:group} or {@code uid:gid}
         */
        public Change withOwner(String name) {
            return new Change(mode, Optional.of(name), attributes, removed);
        }

        /**
         * Returns one that sets an extended attribute too.
         *
         * @param name begins with {@code user.}
         * @param value may be empty
         */
        public Change withAttribute(String name, byte[] value) {
            Map<String, byte[]> more = new HashMap<>(attributes);
            more.put(name, value.clone());
            Set<String> fewer = new HashSet<>(removed);
            fewer.remove(name);
            return new Change(mode, owner, more, fewer);
        }

        /**
         * Returns one that takes an extended attribute away too.
         *
         * @param name begins with {@code user.}
         */
        public Change withoutAttribute(String name) {
            Map<String, byte[]> fewer = new HashMap<>(attributes);
            fewer.remove(name);
            Set<String> more = new HashSet<>(removed);
            more.add(name);
            return new Change(mode, owner, fewer, more);
        }
    }
}
