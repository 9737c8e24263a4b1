package dev.cloche.erofs;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Describes a name space of extended attributes, which EROFS stores as a number instead of text.
 *
 * @param index the number
 * @param text what the number replaces; one that ends with a dot needs a name after it, the others are whole names
 */
record XattrPrefix(int index, Bytes text) {
    private static final List<XattrPrefix> ALL = List.of(
            new XattrPrefix(1, Bytes.utf8("user.")),
            new XattrPrefix(2, Bytes.utf8("system.posix_acl_access")),
            new XattrPrefix(3, Bytes.utf8("system.posix_acl_default")),
            new XattrPrefix(4, Bytes.utf8("trusted.")),
            new XattrPrefix(6, Bytes.utf8("security.")));

    private boolean fits(Bytes name) {
        boolean open = text.at(text.length() - 1) == '.';
        return name.startsWith(text) && (name.length() > text.length()) == open;
    }

    static @Nullable XattrPrefix of(Bytes name) {
        for (XattrPrefix prefix : ALL) {
            if (prefix.fits(name)) {
                return prefix;
            }
        }
        return null;
    }

    static @Nullable XattrPrefix of(int index) {
        for (XattrPrefix prefix : ALL) {
            if (prefix.index == index) {
                return prefix;
            }
        }
        return null;
    }
}
