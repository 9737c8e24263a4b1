package dev.cloche.bench.compare;

import dev.cloche.Cloche;
import dev.cloche.ExecResult;
import dev.cloche.Sandbox;
import dev.cloche.bench.probe.Setting;
import dev.cloche.bench.report.Report;
import dev.cloche.bench.report.Samples;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Measures what an answer of one VM takes while another VM takes all the processor time it gets, with a control group for each and
 * without. In a guest that is a host here, because this host may have no controllers; a small program stands for each QEMU.
 */
public final class Neighbour {
    private static final String DIRECTORY = "/opt/neighbour";
    private static final int PINGS = 200;
    private static final double NANOS_PER_MILLI = 1e6;

    private final Setting setting;

    public Neighbour(Setting setting) {
        this.setting = setting;
    }

    /** Measures so many times 200 answers of each kind, in turn. */
    public void measure(int rounds, Report report) throws Exception {
        Path program = setting.directory().resolve("neighbour");
        setting.compile("neighbour.c", program);
        try (Cloche cloche = Cloche.open(setting.options());
                Sandbox host = cloche.sandbox("base").memoryMib(256).start()) {
            host.files().copyIn(program, DIRECTORY + "/neighbour");
            host.files().copyIn(setting.share().resolve("cloche-guard"), DIRECTORY + "/cloche-guard");
            host.files().copyIn(setting.guestSource("neighbour.sh"), DIRECTORY + "/neighbour.sh");
            List<Double> grouped = new ArrayList<>();
            List<Double> ungrouped = new ArrayList<>();
            List<Double> alone = new ArrayList<>();
            for (int round = 0; round < rounds; round++) {
                grouped.addAll(answers(host, "grouped"));
                ungrouped.addAll(answers(host, "ungrouped"));
                alone.addAll(answers(host, "alone"));
            }
            report.heading("An answer of a VM, in a guest of one processor that is the host of two");
            Samples base = samples("alone", alone);
            Samples beside = samples("beside one with eight busy threads, each in its group", grouped);
            report.table(
                    List.of(samples("beside one with eight busy threads, without groups", ungrouped), beside, base));
            report.note(String.format(
                    Locale.ROOT,
                    "p99 beside it, each in its group: %.2f × that alone",
                    beside.percentile(0.99) / base.percentile(0.99)));
        }
    }

    private static List<Double> answers(Sandbox host, String way) {
        ExecResult said = host.command("sh", DIRECTORY + "/neighbour.sh", DIRECTORY, way, Integer.toString(PINGS))
                .run();
        List<Double> millis = said.stdoutText()
                .lines()
                .map(line -> Long.parseLong(line) / NANOS_PER_MILLI)
                .toList();
        if (millis.size() != PINGS) {
            throw new IllegalStateException(way + ": " + said.exitCode() + ": " + said.stderrText());
        }
        return millis;
    }

    private static Samples samples(String name, List<Double> millis) {
        return new Samples(
                name, millis.stream().mapToDouble(Double::doubleValue).toArray());
    }
}
