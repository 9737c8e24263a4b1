package dev.cloche.image.tar;

import dev.cloche.erofs.Bytes;
import dev.cloche.image.CorruptArchiveException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Extended headers (POSIX {@code pax}): the global ones, which stay until replaced, and those of the next entry, which
 * go first. Keys and values are bytes; a well-known library that reads them as text damages binary attributes.
 */
final class PaxHeaders {
    private static final Bytes XATTR = Bytes.utf8("SCHILY.xattr.");
    private static final Bytes SPARSE_OFFSET = Bytes.utf8("GNU.sparse.offset");
    private static final Bytes SPARSE_LENGTH = Bytes.utf8("GNU.sparse.numbytes");

    private final int maxBytes;
    private final Map<Bytes, Bytes> global = new HashMap<>();
    private final Map<Bytes, Bytes> local = new HashMap<>();
    /** The only keys that may stand several times in one header, in their order. */
    private final List<Bytes> sparsePairs = new ArrayList<>();

    PaxHeaders(int maxBytes) {
        this.maxBytes = maxBytes;
    }

    void addGlobal(byte[] records) {
        parse(records, global);
        sparsePairs.clear();
        long bytes = 0;
        for (Map.Entry<Bytes, Bytes> entry : global.entrySet()) {
            bytes += entry.getKey().length() + entry.getValue().length();
        }
        if (bytes > maxBytes) {
            throw new CorruptArchiveException("its global headers have more than " + maxBytes + " bytes");
        }
    }

    void replaceLocal(byte[] records) {
        clearLocal();
        parse(records, local);
    }

    void clearLocal() {
        local.clear();
        sparsePairs.clear();
    }

    /** Returns the value that applies to the next entry; an empty value takes a key away and so counts as none. */
    @Nullable
    Bytes get(Bytes key) {
        Bytes value = local.get(key);
        if (value == null) {
            value = global.get(key);
        }
        return value == null || value.isEmpty() ? null : value;
    }

    /** Offsets and lengths of a sparse file in the format 0.0, in turn. */
    List<Bytes> sparsePairs() {
        return sparsePairs;
    }

    /** Extended attributes of the next entry, by full name; here an empty value is a value. */
    Map<Bytes, Bytes> xattrs() {
        if (local.isEmpty() && global.isEmpty()) {
            return Map.of();
        }
        Map<Bytes, Bytes> xattrs = new TreeMap<>();
        collectXattrs(global, xattrs);
        collectXattrs(local, xattrs);
        return xattrs;
    }

    private static void collectXattrs(Map<Bytes, Bytes> from, Map<Bytes, Bytes> into) {
        from.forEach((key, value) -> {
            if (key.startsWith(XATTR)) {
                into.put(decodeName(key.slice(XATTR.length(), key.length())), value);
            }
        });
    }

    /** GNU tar writes {@code =} in a name as {@code %3D}, since it would end the key, and {@code %} as {@code %25}. */
    private static Bytes decodeName(Bytes name) {
        if (!name.contains('%')) {
            return name;
        }
        byte[] decoded = new byte[name.length()];
        int length = 0;
        for (int i = 0; i < name.length(); i++) {
            Bytes triple = name.slice(i, Math.min(i + 3, name.length()));
            if (triple.equals(Bytes.utf8("%3D")) || triple.equals(Bytes.utf8("%25"))) {
                decoded[length++] = (byte) (triple.at(1) == '3' ? '=' : '%');
                i += 2;
            } else {
                decoded[length++] = name.at(i);
            }
        }
        return Bytes.of(decoded, 0, length);
    }

    /** Records of the form {@code "<length> <key>=<value>\n"}, where the length counts the whole record. */
    private void parse(byte[] records, Map<Bytes, Bytes> into) {
        Bytes all = Bytes.of(records);
        int at = 0;
        while (at < all.length()) {
            int blank = all.indexOf(' ', at);
            if (blank < 0) {
                throw malformed();
            }
            long length = TarNumbers.decimal(all, at, blank);
            if (length > all.length() - at || length < blank - at + 2 || all.at((int) (at + length - 1)) != '\n') {
                throw malformed();
            }
            int end = (int) (at + length - 1);
            int equals = all.indexOf('=', blank + 1);
            if (equals < 0 || equals >= end || equals == blank + 1) {
                throw malformed();
            }
            put(all.slice(blank + 1, equals), all.slice(equals + 1, end), into);
            at = end + 1;
        }
    }

    private void put(Bytes key, Bytes value, Map<Bytes, Bytes> into) {
        if (key.equals(SPARSE_OFFSET) || key.equals(SPARSE_LENGTH)) {
            if ((sparsePairs.size() % 2 == 0) != key.equals(SPARSE_OFFSET)) {
                throw new CorruptArchiveException("a sparse file's map is malformed");
            }
            sparsePairs.add(value);
        } else {
            into.put(key, value);
        }
    }

    private static CorruptArchiveException malformed() {
        return new CorruptArchiveException("an extended header is malformed");
    }
}
