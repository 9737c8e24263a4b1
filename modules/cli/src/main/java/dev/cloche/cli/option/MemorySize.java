package dev.cloche.cli.option;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads {@code 512}, {@code 512m}, {@code 2g} and {@code 1t} as MiB. */
public final class MemorySize implements ITypeConverter<Integer> {
    private static final Pattern FORM = Pattern.compile("(\\d{1,7})([mgt]?)(i?b)?");

    @Override
    public Integer convert(String text) {
        Matcher size = FORM.matcher(text.toLowerCase(Locale.ROOT));
        if (!size.matches()) {
            throw new TypeConversionException("\"" + text + "\" is no size: write for example 512m or 2g");
        }
        int shift = switch (size.group(2)) {
            case "g" -> 10;
            case "t" -> 20;
            default -> 0;
        };
        return (int) Math.min(Long.parseLong(size.group(1)) << shift, Integer.MAX_VALUE);
    }
}
