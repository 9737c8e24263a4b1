package dev.cloche.bench;

import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.GuestExecution;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Round trips in a running guest: a ping, and an execution of {@code true} with all that belongs to it. Beside them an echo of
 * the device alone, and what the guest itself needs to fork, execute and wait for {@code true}. Once on an idle channel, once
 * while another stream takes all that the channel gives.
 */
final class ChannelTrips {
    private static final int PING_BYTES = 36;

    private final Setting setting;

    ChannelTrips(Setting setting) {
        this.setting = setting;
    }

    void measure(int rounds, Report report) throws Exception {
        try (BenchVm vm = BenchVm.boot(setting);
                RawGuest raw = RawGuest.boot(setting)) {
            Path spawn = setting.directory().resolve("spawn");
            setting.compile("spawn.c", spawn);
            vm.install(spawn, "/tmp/spawn");
            int many = rounds * 20;
            warm(vm, raw);
            report.heading("Round trips in a running guest");
            report.table(List.of(
                    times("ping", many, () -> vm.guest().ping(BenchVm.patience())),
                    samples("echo of " + PING_BYTES + " bytes on the device alone", raw.echo(PING_BYTES, many))));
            Samples own = spawned(vm, many / 2);
            report.table(List.of(
                    times("exec of `true`, to its exit code", many / 2, () -> execTrue(vm)),
                    own,
                    samples("echo on the device alone", raw.echo(PING_BYTES, many))));
            try (Bulk _ = new Bulk(vm)) {
                report.heading("The same while another execution's output fills the channel");
                report.table(List.of(
                        times("ping under load", many, () -> vm.guest().ping(BenchVm.patience())),
                        times("exec of `true` under load", many / 10, () -> execTrue(vm))));
            }
        }
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

    /** An endless stream out of the guest, read as fast as it comes. */
    private static final class Bulk implements AutoCloseable {
        private final GuestExecution endless;
        private final CompletableFuture<Void> reader;

        Bulk(BenchVm vm) {
            endless = vm.guest().exec(ExecRequest.of("cat", "/dev/zero"), BenchVm.patience());
            reader = CompletableFuture.runAsync(() -> {
                byte[] chunk = new byte[64 * 1024];
                try {
                    while (endless.stdout().read(chunk) >= 0) {}
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }

        @Override
        public void close() {
            endless.signal(9, BenchVm.patience());
            reader.join();
            endless.close();
        }
    }
}
