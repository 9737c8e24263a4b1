package dev.cloche.erofs;

import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The extended attributes of an inode: full names ({@code user.x}) to binary values, in the order of their names. */
public final class Xattrs {
    /** No attributes. */
    public static final Xattrs NONE = new Xattrs(Collections.emptySortedMap());

    private final SortedMap<Bytes, Bytes> values;

    private Xattrs(SortedMap<Bytes, Bytes> values) {
        this.values = values;
    }

    /**
     * Returns these attributes, in the order of their names.
     *
     * @throws IllegalArgumentException if EROFS cannot hold one of them ({@link #representable}) or not all together
     */
    public static Xattrs of(Map<Bytes, Bytes> values) {
        if (values.isEmpty()) {
            return NONE;
        }
        values.forEach((name, value) -> {
            if (!representable(name, value)) {
                throw new IllegalArgumentException("EROFS cannot hold the extended attribute " + name);
            }
        });
        Xattrs xattrs = new Xattrs(new TreeMap<>(values));
        if (XattrCodec.size(xattrs) > XattrCodec.MAX_SIZE) {
            throw new IllegalArgumentException("extended attributes of one inode are limited to " + XattrCodec.MAX_SIZE
                    + " bytes, these have " + XattrCodec.size(xattrs));
        }
        return xattrs;
    }

    /**
     * Returns whether EROFS can hold such an attribute: a name in {@code user.}, {@code trusted.} or {@code security.} or
     * one of the two POSIX ACLs, without NUL, with at most 255 bytes after the prefix, and a value of at most 65,535 bytes.
     */
    public static boolean representable(Bytes name, Bytes value) {
        XattrPrefix prefix = XattrPrefix.of(name);
        return prefix != null
                && !name.contains('\0')
                && name.length() - prefix.text().length() <= XattrCodec.MAX_NAME
                && value.length() <= XattrCodec.MAX_VALUE;
    }

    public @Nullable Bytes get(Bytes name) {
        return values.get(name);
    }

    public boolean isEmpty() {
        return values.isEmpty();
    }

    public void forEach(BiConsumer<Bytes, Bytes> action) {
        values.forEach(action);
    }

    /** Returns these with one more, or with another value of one. */
    public Xattrs with(Bytes name, Bytes value) {
        SortedMap<Bytes, Bytes> more = new TreeMap<>(values);
        more.put(name, value);
        return of(more);
    }

    /** Returns those of these whose name does not match. */
    public Xattrs without(Predicate<Bytes> names) {
        if (values.keySet().stream().noneMatch(names)) {
            return this;
        }
        SortedMap<Bytes, Bytes> fewer = new TreeMap<>(values);
        fewer.keySet().removeIf(names);
        return of(fewer);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Xattrs xattrs && values.equals(xattrs.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return values.keySet().toString();
    }
}
