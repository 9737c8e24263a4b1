package dev.cloche.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Draws each table of a report into a directory, in a file with the heading's name.
 *
 * @param accelerator of the VMs that were measured
 * @param drawn how many tables of a name there are
 */
record Drawings(Path directory, String accelerator, Map<String, Integer> drawn) {
    static Drawings into(Path directory, String accelerator) throws IOException {
        return new Drawings(Files.createDirectories(directory), accelerator, new HashMap<>());
    }

    void draw(String heading, List<Samples> rows) {
        String name =
                heading.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-").replaceAll("^-|-$", "");
        int nth = drawn.merge(name, 1, Integer::sum);
        String setting = String.format(
                "median, and a line to p95; n %d; %s; %d cores, %s",
                rows.getLast().count(),
                LocalDate.now(ZoneOffset.UTC),
                Runtime.getRuntime().availableProcessors(),
                accelerator.equals("kvm") ? "KVM" : "software emulation");
        try {
            Files.writeString(
                    directory.resolve(name + (nth == 1 ? "" : "-" + nth) + ".svg"),
                    new BarChart(heading.replace("`", ""), setting, rows).svg());
        } catch (IOException e) {
            throw new UncheckedIOException("could not draw " + name, e);
        }
    }
}
