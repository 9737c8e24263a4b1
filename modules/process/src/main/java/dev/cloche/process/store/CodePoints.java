package dev.cloche.process.store;

import java.util.Comparator;

/** Compares names as all stores do. Stateless. */
public final class CodePoints {
    /** By code points, which is how both databases compare the bytes of UTF-8; Java's own order differs beyond U+FFFF. */
    public static final Comparator<String> ORDER = CodePoints::compare;

    private CodePoints() {}

    private static int compare(String left, String right) {
        int shared = Math.min(left.length(), right.length());
        for (int i = 0; i < shared; i++) {
            if (left.charAt(i) != right.charAt(i)) {
                // From the differing unit on; a shared high surrogate before it makes both second halves.
                int from = i > 0 && Character.isHighSurrogate(left.charAt(i - 1)) ? i - 1 : i;
                return Integer.compare(left.codePointAt(from), right.codePointAt(from));
            }
        }
        return Integer.compare(left.length(), right.length());
    }
}
