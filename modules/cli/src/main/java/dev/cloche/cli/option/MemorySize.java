package dev.cloche.cli.option;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads {@code 512}, {@code 512m} and {@code 2g} as MiB. */
public final class MemorySize implements ITypeConverter<Integer> {
    private static final Pattern FORM = Pattern.compile("(\\d{1,7})([mg]?)(i?b)?");

    @Override
    public Integer convert(String text) {
        Matcher size = FORM.matcher(text.toLowerCase(Locale.ROOT));
        if (!size.matches()) {
            throw new TypeConversionException("\"" + text + "\" is no size: write for example 512m or 2g");
        }
        long mebibytes = Long.parseLong(size.group(1)) * (size.group(2).equals("g") ? 1024 : 1);
        return (int) Math.min(mebibytes, Integer.MAX_VALUE);
    }
}
