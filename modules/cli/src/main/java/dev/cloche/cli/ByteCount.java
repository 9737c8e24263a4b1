package dev.cloche.cli;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads {@code 0}, {@code 500m} and {@code 20g} as bytes, in binary units; a bare number is bytes. */
final class ByteCount implements ITypeConverter<Long> {
    private static final Pattern FORM = Pattern.compile("(\\d{1,9})([kmgt]?)(i?b)?");
    private static final int BITS = 10;

    @Override
    public Long convert(String text) {
        Matcher size = FORM.matcher(text.toLowerCase(Locale.ROOT));
        if (!size.matches()) {
            throw new TypeConversionException("\"" + text + "\" is no size: write for example 500m or 20g");
        }
        int unit = size.group(2).isEmpty() ? 0 : "kmgt".indexOf(size.group(2)) + 1;
        return Long.parseLong(size.group(1)) << (BITS * unit);
    }
}
