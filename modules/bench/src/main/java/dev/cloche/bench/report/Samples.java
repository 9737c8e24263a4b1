package dev.cloche.bench.report;

import java.util.Arrays;
import java.util.Locale;

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

    /** Standard errors of a rank for an interval of 95 %. */
    private static final double WIDTH = 1.96;

    private final String name;
    private final Unit unit;
    /** As they were measured, one after the other. */
    private final double[] measured;

    private final double[] sorted;

    public Samples(String name, Unit unit, double[] values) {
        this.name = name;
        this.unit = unit;
        measured = values.clone();
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

    /** Returns by how much each of these is above the one that was measured beside it. */
    private Samples above(Samples other) {
        double[] differences = new double[measured.length];
        Arrays.setAll(differences, i -> measured[i] - other.measured[i]);
        return new Samples(name + " above " + other.name, unit, differences);
    }

    /**
     * Describes by how much these are above others of the same rounds: the median of the differences, and an interval that holds it
     * in 95 of 100 runs, for any distribution (by ranks).
     */
    public String difference(Samples other) {
        Samples differences = above(other);
        double half = WIDTH / 2 / Math.sqrt(measured.length);
        return String.format(
                Locale.ROOT,
                "Median of the differences: %.2f %s (95 %% interval %.2f to %.2f).",
                differences.median(),
                unit.symbol(),
                differences.percentile(Math.max(0, 0.5 - half)),
                differences.percentile(Math.min(1, 0.5 + half)));
    }
}
