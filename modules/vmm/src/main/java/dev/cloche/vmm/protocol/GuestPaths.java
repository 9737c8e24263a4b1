package dev.cloche.vmm.protocol;

import dev.cloche.base.Printable;
import dev.cloche.base.RawText;
import dev.cloche.vm.VmException;

/** The rules for names and paths of docs/guest-protocol.md; pure. */
public final class GuestPaths {
    /** Bytes of a path. */
    public static final int MAX = 4095;
    /** Bytes of one part of a path. */
    static final int MAX_PART = 255;

    private GuestPaths() {}

    /**
     * Returns a caller's path.
     *
     * @throws VmException.Invalid if it is none
     */
    public static String absolute(String path) {
        byte[] bytes;
        try {
            bytes = RawText.encode(path);
        } catch (IllegalArgumentException e) {
            throw new VmException.Invalid("A path in a guest has half a surrogate pair", "Check the string.");
        }
        if (!path.startsWith("/") || path.indexOf('\0') >= 0 || bytes.length > MAX) {
            throw new VmException.Invalid(
                    "'" + Printable.of(path) + "' is no path in a guest",
                    "Use an absolute path of at most " + MAX + " bytes.");
        }
        return path;
    }

    /** Returns the last part of a path, absolute or not; of the root, the root. */
    public static String last(String path) {
        int end = path.length();
        while (end > 0 && path.charAt(end - 1) == '/') {
            end--;
        }
        return end == 0 ? "/" : path.substring(path.lastIndexOf('/', end - 1) + 1, end);
    }

    /** Returns a name that a guest gave: relative, and leading nowhere but down; or empty. */
    static String relative(PayloadReader in, byte[] bytes) {
        int start = 0;
        for (int i = 0; bytes.length > 0 && i <= bytes.length; i++) {
            if (i == bytes.length || bytes[i] == '/') {
                part(in, bytes, start, i - start);
                start = i + 1;
            }
        }
        return withoutNul(in, bytes);
    }

    private static void part(PayloadReader in, byte[] bytes, int start, int length) {
        boolean dots = length <= 2;
        for (int i = start; i < start + length; i++) {
            dots &= bytes[i] == '.';
        }
        if (dots || length > MAX_PART) {
            throw in.bad("has a name that may not be");
        }
    }

    static String withoutNul(PayloadReader in, byte[] bytes) {
        for (byte b : bytes) {
            if (b == 0) {
                throw in.bad("has a NUL in a name");
            }
        }
        return RawText.decode(bytes);
    }

    /** Returns the path above a relative one; empty for a single part. */
    public static String parent(String relative) {
        int slash = relative.lastIndexOf('/');
        return slash < 0 ? "" : relative.substring(0, slash);
    }

    public static int depth(String relative) {
        return relative.isEmpty()
                ? 0
                : 1 + (int) relative.chars().filter(c -> c == '/').count();
    }
}
