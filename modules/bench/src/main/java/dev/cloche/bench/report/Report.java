package dev.cloche.bench.report;

import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Tells what benchmarks found, as Markdown tables, and as drawings where they are asked for. */
public final class Report {
    private final PrintStream out;
    private final Optional<Drawings> drawings;
    private String heading = "";

    public Report(PrintStream out, Optional<Drawings> drawings) {
        this.out = out;
        this.drawings = drawings;
    }

    public void heading(String text) {
        heading = text;
        out.printf("%n### %s%n", text);
    }

    public void table(List<Samples> rows) {
        out.println();
        String unit = rows.getLast().unit().symbol();
        out.printf("| | n | p50 %1$s | p95 %1$s | p99 %1$s | ratio of p50 to the last row |%n", unit);
        out.println("|---|---|---|---|---|---|");
        double base = rows.getLast().median();
        for (Samples row : rows) {
            out.printf(
                    Locale.ROOT,
                    "| %s | %d | %s | %s | %s | %.2f |%n",
                    row.name(),
                    row.count(),
                    figure(row.median()),
                    figure(row.percentile(0.95)),
                    figure(row.percentile(0.99)),
                    row.median() / base);
        }
        out.flush();
        drawings.ifPresent(drawn -> drawn.draw(heading, rows));
    }

    private static String figure(double value) {
        return String.format(Locale.ROOT, value < 10 ? "%.2f" : "%.1f", value);
    }

    public void line(String text) {
        out.println(text);
    }

    public void note(String text) {
        out.println();
        out.println(text);
    }
}
