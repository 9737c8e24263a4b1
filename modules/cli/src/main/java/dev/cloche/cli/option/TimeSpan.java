package dev.cloche.cli.option;

import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads {@code 500ms}, {@code 30}, {@code 30s}, {@code 5m}, {@code 2h} and {@code 7d}; a bare number is seconds. */
public final class TimeSpan implements ITypeConverter<Duration> {
    private static final Pattern FORM = Pattern.compile("(\\d{1,9})(ms|s|m|h|d)?");

    @Override
    public Duration convert(String text) {
        Matcher span = FORM.matcher(text.toLowerCase(Locale.ROOT));
        if (!span.matches()) {
            throw new TypeConversionException("\"" + text + "\" is no time: write for example 30s, 5m or 2h");
        }
        long count = Long.parseLong(span.group(1));
        return switch (span.group(2)) {
            case "ms" -> Duration.ofMillis(count);
            case "m" -> Duration.ofMinutes(count);
            case "h" -> Duration.ofHours(count);
            case "d" -> Duration.ofDays(count);
            case null, default -> Duration.ofSeconds(count);
        };
    }
}
