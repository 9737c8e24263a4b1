package outside;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/** Times of one kind, and the row that tells them. */
final class Samples {
    private final String name;
    private final List<Double> values = new ArrayList<>();

    Samples(String name) {
        this.name = name;
    }

    void add(double value) {
        values.add(value);
    }

    String name() {
        return name;
    }

    double percentile(int percent) {
        List<Double> sorted = new ArrayList<>(values);
        Collections.sort(sorted);
        return sorted.get(Math.max(0, (int) Math.ceil(sorted.size() * percent / 100.0) - 1));
    }

    /** Tells the median and its 95 % confidence interval, by the order of the values, which assumes no distribution. */
    void printMedian() {
        List<Double> sorted = new ArrayList<>(values);
        Collections.sort(sorted);
        int n = sorted.size();
        int reach = (int) Math.ceil(0.98 * Math.sqrt(n));
        int low = Math.max(0, n / 2 - reach);
        int high = Math.min(n - 1, (n - 1) / 2 + reach);
        System.out.printf(
                Locale.ROOT,
                "%s: median %+.1f ms (95 %% interval: %+.1f to %+.1f), n %d%n",
                name,
                percentile(50),
                sorted.get(low),
                sorted.get(high),
                n);
    }

    static void print(String unit, Samples... rows) {
        System.out.printf("| | n | p50 %1$s | p95 %1$s | p50 above the first |%n|---|---|---|---|---|%n", unit);
        for (Samples row : rows) {
            double above = row.percentile(50) - rows[0].percentile(50);
            System.out.printf(
                    Locale.ROOT,
                    "| %s | %d | %.1f | %.1f | %s |%n",
                    row.name,
                    row.values.size(),
                    row.percentile(50),
                    row.percentile(95),
                    row == rows[0] ? "" : String.format(Locale.ROOT, "%+.1f", above));
        }
        System.out.println();
    }
}
