package dev.cloche.bench.compare;

import dev.cloche.bench.probe.BenchVm;
import dev.cloche.bench.probe.Load;
import dev.cloche.bench.probe.RawGuest;
import dev.cloche.bench.probe.Setting;
import dev.cloche.bench.report.Report;
import dev.cloche.bench.report.Samples;
import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.GuestExecution;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/**
 * Measures round trips in a running guest: a ping, and an execution of {@code true} with all that belongs to it. Beside
 * them an echo of the device alone, and what the guest itself needs to fork, execute and wait for {@code true}. Once on
 * an idle channel, then while other streams take all that the channel gives, or are stuck.
 */
public final class ChannelTrips {
    /** A frame with 8 bytes of payload. */
    private static final int PING_BYTES = 36;

    private static final int TALKERS = 50;
    private static final int SETTLE_MILLIS = 1000;

    private final Setting setting;

    public ChannelTrips(Setting setting) {
        this.setting = setting;
    }

    public void measure(int rounds, Report report) throws Exception {
        try (BenchVm vm = BenchVm.boot(setting);
                RawGuest raw = RawGuest.boot(setting)) {
            Path spawn = setting.directory().resolve("spawn");
            setting.compile("spawn.c", spawn);
            vm.install(spawn, "/tmp/spawn");
            int many = rounds * 20;
            warm(vm, raw);
            report.heading("Round trips in a running guest");
            report.table(List.of(
                    pings("ping", vm, many),
                    samples("echo of " + PING_BYTES + " bytes on the device alone", raw.echo(PING_BYTES, many))));
            Samples exec = times("exec of `true`, to its exit code", many / 2, () -> execTrue(vm));
            Samples own = spawned(vm, many / 2);
            Samples echo = samples("echo on the device alone", raw.echo(PING_BYTES, many));
            report.table(List.of(exec, echo, own));
            report.note(String.format(
                    Locale.ROOT,
                    "An exec is %.2f × the guest's own fork, exec and wait and one echo (medians).",
                    exec.median() / (own.median() + echo.median())));
            report.heading("Pings and `true` while the channel carries other things");
            underLoad(vm, many, report);
        }
    }

    private static void underLoad(BenchVm vm, int many, Report report) throws InterruptedException {
        Map<String, Function<BenchVm, Load>> loads = new LinkedHashMap<>();
        loads.put("files of 64 MiB come out", Load::filesOut);
        loads.put("files of 64 MiB go in", Load::filesIn);
        loads.put("files of 64 MiB go both ways at once", Load::filesBothWays);
        loads.put("a program's output is read as fast as it comes", Load::output);
        loads.put("a program's output is never read", Load::unread);
        loads.put("a program's stdin is full", Load::fullStdin);
        loads.put(TALKERS + " programs speak every second", guest -> Load.many(guest, TALKERS));
        List<Samples> pings = new ArrayList<>();
        List<Samples> commands = new ArrayList<>();
        List<String> differences = new ArrayList<>();
        for (Map.Entry<String, Function<BenchVm, Load>> load : loads.entrySet()) {
            Samples idle = pings("ping", vm, many);
            try (Load _ = load.getValue().apply(vm)) {
                Thread.sleep(SETTLE_MILLIS);
                Samples loaded = pings("ping while " + load.getKey(), vm, many);
                pings.add(loaded);
                commands.add(times("`true` while " + load.getKey(), many / 10, () -> execTrue(vm)));
                differences.add(String.format(
                        Locale.ROOT, "- %s: %.1f ms", load.getKey(), loaded.percentile(0.95) - idle.percentile(0.95)));
            }
        }
        pings.add(pings("ping, idle", vm, many));
        commands.add(times("`true`, idle", many / 10, () -> execTrue(vm)));
        report.table(pings);
        report.note("p95 of a ping above that of an idle channel just before:");
        differences.forEach(report::line);
        report.table(commands);
    }

    private static Samples pings(String name, BenchVm vm, int rounds) {
        return times(name, rounds, () -> vm.guest().ping(BenchVm.patience()));
    }

    private static void warm(BenchVm vm, RawGuest raw) throws IOException {
        for (int i = 0; i < 50; i++) {
            vm.guest().ping(BenchVm.patience());
            execTrue(vm);
        }
        var _ = raw.echo(PING_BYTES, 50);
    }

    private static void execTrue(BenchVm vm) {
        try (GuestExecution execution = vm.guest().exec(ExecRequest.of("true"), BenchVm.patience())) {
            if (!execution.await(BenchVm.patience()).success()) {
                throw new IllegalStateException("true is not true");
            }
        }
    }

    private static Samples spawned(BenchVm vm, int rounds) throws IOException {
        double[] millis = vm.output("/tmp/spawn", String.valueOf(rounds))
                .lines()
                .mapToDouble(line -> Long.parseLong(line) / 1e6)
                .toArray();
        return new Samples("fork, exec and wait of `true` in the guest, by its clock", millis);
    }

    private static Samples times(String name, int rounds, Runnable thing) {
        long[] nanos = new long[rounds];
        for (int i = 0; i < rounds; i++) {
            long begin = System.nanoTime();
            thing.run();
            nanos[i] = System.nanoTime() - begin;
        }
        return samples(name, nanos);
    }

    private static Samples samples(String name, long[] nanos) {
        double[] millis = new double[nanos.length];
        for (int i = 0; i < nanos.length; i++) {
            millis[i] = nanos[i] / 1e6;
        }
        return new Samples(name, millis);
    }
}
