package dev.cloche.cli.option;

import java.time.Clock;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads {@code 10m} as ten minutes ago, and dates and times as in ISO 8601, without an offset in the local zone. */
public final class PointInTime implements ITypeConverter<Instant> {
    private final Clock clock;

    public PointInTime() {
        this(Clock.systemDefaultZone());
    }

    public PointInTime(Clock clock) {
        this.clock = clock;
    }

    @Override
    public Instant convert(String text) {
        try {
            return clock.instant().minus(new TimeSpan().convert(text));
        } catch (TypeConversionException noSpan) {
            return date(text);
        }
    }

    private Instant date(String text) {
        ZoneId zone = clock.getZone();
        try {
            return OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeException noOffset) {
            try {
                return LocalDateTime.parse(text).atZone(zone).toInstant();
            } catch (DateTimeException noTime) {
                return day(text, zone);
            }
        }
    }

    private static Instant day(String text, ZoneId zone) {
        try {
            return LocalDate.parse(text).atStartOfDay(zone).toInstant();
        } catch (DateTimeException noDate) {
            throw new TypeConversionException(
                    "\"" + text + "\" is no point in time: write for example 10m, 2026-01-31 or 2026-01-31T08:00:00Z");
        }
    }
}
