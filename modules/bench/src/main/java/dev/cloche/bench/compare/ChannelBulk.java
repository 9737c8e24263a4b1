package dev.cloche.bench.compare;

import dev.cloche.bench.probe.BenchVm;
import dev.cloche.bench.probe.RawGuest;
import dev.cloche.bench.probe.Setting;
import dev.cloche.bench.report.Alternation;
import dev.cloche.bench.report.Report;
import dev.cloche.bench.report.Samples;
import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.GuestExecution;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;

/**
 * Moves bytes through the guest channel in both directions, beside the device without a protocol, and beside what any
 * channel for a program's streams has to do besides: a pipe between two processes of the guest.
 */
public final class ChannelBulk {
    private static final int MEBIBYTE = 1 << 20;
    private static final long BYTES = 128L * MEBIBYTE;
    private static final int PIECE = 32 * 1024;

    private final Setting setting;

    public ChannelBulk(Setting setting) {
        this.setting = setting;
    }

    public void measure(int rounds, Report report) throws Exception {
        try (BenchVm vm = BenchVm.boot(setting);
                RawGuest raw = RawGuest.boot(setting)) {
            report.heading("Bulk through the channel, " + BYTES / MEBIBYTE + " MiB each");
            rates(
                    report,
                    new Alternation()
                            .add("guest to host: standard output of `dd bs=4k`", () -> out(vm, 4))
                            .add("guest to host: a pipe of 4 KiB writes and the device", () -> raw.talker(PIECE, BYTES))
                            .add("guest to host: standard output of `dd bs=64k`", () -> out(vm, 64))
                            .add("guest to host: a pipe and the device", () -> raw.pipedSource(PIECE, BYTES))
                            .add("guest to host: the device alone", () -> raw.source(PIECE, BYTES))
                            .run(rounds));
            rates(
                    report,
                    new Alternation()
                            .add("host to guest: standard input of `cat > /dev/null`", () -> in(vm))
                            .add("host to guest: a pipe and the device", () -> raw.pipedSink(PIECE, BYTES))
                            .add("host to guest: the device alone", () -> raw.sink(PIECE, BYTES))
                            .run(rounds));
            new BulkDigests(vm).measure(report);
        }
    }

    private static void rates(Report report, List<Samples> rows) {
        report.table(rows);
        report.note("At the median:");
        rows.forEach(row -> report.line(
                "- %s: %.0f MiB/s".formatted(row.name(), BYTES / (double) MEBIBYTE / (row.median() / 1000))));
    }

    static long out(BenchVm vm, int kibibytes) throws IOException {
        byte[] chunk = new byte[64 * 1024];
        String size = "bs=" + kibibytes + "k";
        String count = "count=" + BYTES / 1024 / kibibytes;
        long begin = System.nanoTime();
        try (GuestExecution dd =
                vm.guest().exec(ExecRequest.of("dd", "if=/dev/zero", size, count), BenchVm.patience())) {
            long total = 0;
            for (int n = dd.stdout().read(chunk); n >= 0; n = dd.stdout().read(chunk)) {
                total += n;
            }
            if (total != BYTES) {
                throw new IllegalStateException(total + " bytes have come");
            }
        }
        return System.nanoTime() - begin;
    }

    static long in(BenchVm vm) throws IOException {
        byte[] chunk = new byte[64 * 1024];
        long begin = System.nanoTime();
        try (GuestExecution cat =
                vm.guest().exec(ExecRequest.of("sh", "-c", "cat > /dev/null").withStdin(), BenchVm.patience())) {
            try (OutputStream stdin = cat.stdin()) {
                for (long left = BYTES; left > 0; left -= chunk.length) {
                    stdin.write(chunk);
                }
            }
            if (!cat.await(BenchVm.patience()).success()) {
                throw new IllegalStateException("cat failed");
            }
        }
        return System.nanoTime() - begin;
    }
}
