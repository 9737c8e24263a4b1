package dev.cloche.bench.compare;

import dev.cloche.Cloche;
import dev.cloche.Sandbox;
import dev.cloche.bench.probe.Setting;
import dev.cloche.bench.report.Report;
import dev.cloche.bench.report.Samples;
import dev.cloche.sandbox.StartTimings;
import java.util.ArrayList;
import java.util.List;

/** Measures the control plane's share of a start in a running JVM: all of it but the VM's boot. */
public final class StartShare {
    private final Setting setting;

    public StartShare(Setting setting) {
        this.setting = setting;
    }

    public void measure(int rounds, Report report) throws Exception {
        List<Double> share = new ArrayList<>();
        List<Double> whole = new ArrayList<>();
        List<Double> end = new ArrayList<>();
        try (Cloche cloche = Cloche.open(setting.options())) {
            for (int round = -2; round < rounds; round++) {
                Sandbox sandbox = cloche.sandbox("base").start();
                StartTimings timings = sandbox.startTimings().orElseThrow();
                long closing = System.nanoTime();
                sandbox.close();
                if (round >= 0) {
                    share.add(timings.total().minus(timings.boot()).toNanos() / 1e6);
                    whole.add(timings.total().toNanos() / 1e6);
                    end.add((System.nanoTime() - closing) / 1e6);
                }
            }
        }
        report.heading("A start in a running JVM");
        report.table(List.of(
                samples("control plane: all but the VM's boot", share),
                samples("end of the sandbox: kill, record, remove", end),
                samples("the whole start, to a guest that answers", whole)));
    }

    private static Samples samples(String name, List<Double> millis) {
        return new Samples(
                name, millis.stream().mapToDouble(Double::doubleValue).toArray());
    }
}
