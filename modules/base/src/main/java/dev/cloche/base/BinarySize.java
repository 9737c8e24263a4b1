package dev.cloche.base;

import java.util.Locale;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sizes as people write them: {@code 0}, {@code 500m}, {@code 20g}, {@code 20GiB}. Pure. */
public final class BinarySize {
    private static final Pattern FORM = Pattern.compile("(\\d{1,9})([kmgt]?)(i?b)?");
    private static final int BITS = 10;

    private BinarySize() {}

    /** Returns the bytes, in binary units; a bare number is bytes. Empty if the text is no size, or one of more than 8 EiB. */
    public static OptionalLong parse(String text) {
        Matcher size = FORM.matcher(text.toLowerCase(Locale.ROOT));
        if (!size.matches()) {
            return OptionalLong.empty();
        }
        int unit = size.group(2).isEmpty() ? 0 : "kmgt".indexOf(size.group(2)) + 1;
        long count = Long.parseLong(size.group(1));
        return count > Long.MAX_VALUE >> (BITS * unit) ? OptionalLong.empty() : OptionalLong.of(count << (BITS * unit));
    }
}
