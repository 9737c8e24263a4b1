package dev.cloche.bench;

import java.util.Arrays;

/** Durations of one thing, measured several times, in milliseconds. */
final class Samples {
    private final String name;
    private final double[] sorted;

    Samples(String name, double[] millis) {
        this.name = name;
        sorted = millis.clone();
        Arrays.sort(sorted);
    }

    String name() {
        return name;
    }

    int count() {
        return sorted.length;
    }

    /** The smallest value that at least this share of all values does not exceed. */
    double percentile(double share) {
        int rank = (int) Math.ceil(share * sorted.length);
        return sorted[Math.clamp(rank - 1, 0, sorted.length - 1)];
    }

    double median() {
        return percentile(0.5);
    }
}
