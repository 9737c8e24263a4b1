package dev.cloche.bench.report;

import java.util.Arrays;

/** Has the measurements of one thing. */
public final class Samples {
    /** Says in what it was measured. */
    public enum Unit {
        MILLISECONDS("ms"),
        MEBIBYTES("MiB");

        private final String symbol;

        Unit(String symbol) {
            this.symbol = symbol;
        }

        String symbol() {
            return symbol;
        }
    }

    private final String name;
    private final Unit unit;
    private final double[] sorted;

    public Samples(String name, Unit unit, double[] values) {
        this.name = name;
        this.unit = unit;
        sorted = values.clone();
        Arrays.sort(sorted);
    }

    /** Durations in milliseconds. */
    public Samples(String name, double[] millis) {
        this(name, Unit.MILLISECONDS, millis);
    }

    Unit unit() {
        return unit;
    }

    public String name() {
        return name;
    }

    int count() {
        return sorted.length;
    }

    /** Returns the smallest value that at least this share of all values does not exceed. */
    public double percentile(double share) {
        int rank = (int) Math.ceil(share * sorted.length);
        return sorted[Math.clamp(rank - 1, 0, sorted.length - 1)];
    }

    public double median() {
        return percentile(0.5);
    }
}
