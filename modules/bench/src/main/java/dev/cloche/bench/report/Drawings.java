package dev.cloche.bench.report;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.IntSummaryStatistics;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Draws each table of a report into a directory, in a file with the heading's name. For one thread. */
public final class Drawings {
    private final Path directory;
    private final String accelerator;
    private final Map<String, Integer> drawn = new HashMap<>();

    /**
     * Draws into a directory.
     *
     * @param accelerator of the VMs that were measured, as QEMU names it
     */
    public Drawings(Path directory, String accelerator) throws IOException {
        this.directory = Files.createDirectories(directory);
        this.accelerator = accelerator;
    }

    void draw(String heading, List<Samples> rows) {
        String setting = String.format(
                "median, and a line to p95; n %s; %s; %d cores, %s",
                counts(rows),
                LocalDate.now(ZoneOffset.UTC),
                Runtime.getRuntime().availableProcessors(),
                accelerator.equals("kvm") ? "KVM" : "software emulation");
        Path file = directory.resolve(nextName(heading) + ".svg");
        try {
            Files.writeString(file, new BarChart(heading.replace("`", ""), setting, rows).svg());
        } catch (IOException e) {
            throw new UncheckedIOException("could not draw " + file, e);
        }
    }

    /** A heading may have several tables. */
    private String nextName(String heading) {
        String name =
                heading.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-").replaceAll("^-|-$", "");
        int nth = drawn.merge(name, 1, Integer::sum);
        return nth == 1 ? name : name + "-" + nth;
    }

    private static String counts(List<Samples> rows) {
        IntSummaryStatistics counts = rows.stream().mapToInt(Samples::count).summaryStatistics();
        return counts.getMin() == counts.getMax()
                ? String.valueOf(counts.getMin())
                : counts.getMin() + " to " + counts.getMax();
    }
}
