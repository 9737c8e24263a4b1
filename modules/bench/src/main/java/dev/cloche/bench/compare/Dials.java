package dev.cloche.bench.compare;

import dev.cloche.bench.probe.BenchVm;
import dev.cloche.bench.probe.Setting;
import dev.cloche.bench.report.Alternation;
import dev.cloche.bench.report.Report;
import dev.cloche.vm.DialRequest;
import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.GuestStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Connects to a server of the guest, to its first byte and in bulk, beside what could be done before: an execution of {@code cat},
 * and the streams of an execution.
 */
public final class Dials {
    private static final int MEBIBYTE = 1 << 20;
    private static final long BYTES = 128L * MEBIBYTE;
    private static final int PORT = 7000;

    private final Setting setting;

    public Dials(Setting setting) {
        this.setting = setting;
    }

    public void measure(int rounds, Report report) throws Exception {
        try (BenchVm vm = BenchVm.boot(setting)) {
            Path listener = setting.directory().resolve("listener");
            setting.compile("listener.c", listener);
            vm.install(listener, "/bin/listener");
            try (GuestExecution server =
                    vm.guest().exec(ExecRequest.of("/bin/listener", String.valueOf(PORT)), BenchVm.patience())) {
                measure(vm, rounds, report);
                server.signal(9, BenchVm.patience());
            }
        }
    }

    private static void measure(BenchVm vm, int rounds, Report report) throws Exception {
        report.heading("Connections into the guest, to the first byte that comes back");
        report.table(new Alternation()
                .warmUp(rounds)
                .add("a connection that is dialed and echoes a byte", () -> dialed(vm))
                .add("an execution of `cat` that echoes a byte", () -> executed(vm))
                .run(rounds * 10));
        report.heading("Connections into the guest, " + BYTES / MEBIBYTE + " MiB each");
        report.table(new Alternation()
                .add("guest to host: a connection", () -> out(vm))
                .add("guest to host: standard output of `dd bs=64k`", () -> ChannelBulk.out(vm, 64))
                .run(rounds));
        report.table(new Alternation()
                .add("host to guest: a connection", () -> in(vm))
                .add("host to guest: standard input of `cat > /dev/null`", () -> ChannelBulk.in(vm))
                .run(rounds));
    }

    /** @param what the listener does with it */
    private static GuestStream dial(BenchVm vm, char what) throws IOException {
        GuestStream stream =
                vm.guest().dial(DialRequest.port(PORT).withPatience(Duration.ofMinutes(1)), BenchVm.patience());
        stream.write(ByteBuffer.wrap(new byte[] {(byte) what}));
        return stream;
    }

    private static long dialed(BenchVm vm) throws IOException {
        long begin = System.nanoTime();
        try (GuestStream stream = dial(vm, 'e')) {
            if (stream.read(ByteBuffer.allocate(1)) != 1) {
                throw new IllegalStateException("nothing came back");
            }
            return System.nanoTime() - begin;
        }
    }

    private static long executed(BenchVm vm) throws IOException {
        long begin = System.nanoTime();
        try (GuestExecution cat = vm.guest().exec(ExecRequest.of("cat").withStdin(), BenchVm.patience())) {
            cat.stdin().write('e');
            if (cat.stdout().read() != 'e') {
                throw new IllegalStateException("nothing came back");
            }
            long taken = System.nanoTime() - begin;
            cat.stdin().close();
            cat.await(BenchVm.patience());
            return taken;
        }
    }

    private static long out(BenchVm vm) throws IOException {
        ByteBuffer chunk = ByteBuffer.allocate(64 * 1024);
        long begin = System.nanoTime();
        try (GuestStream stream = dial(vm, 'o')) {
            long total = 0;
            for (int n = stream.read(chunk); n >= 0; n = stream.read(chunk.clear())) {
                total += n;
            }
            if (total != BYTES) {
                throw new IllegalStateException(total + " bytes have come");
            }
        }
        return System.nanoTime() - begin;
    }

    private static long in(BenchVm vm) throws IOException {
        ByteBuffer chunk = ByteBuffer.allocate(64 * 1024);
        long begin = System.nanoTime();
        try (GuestStream stream = dial(vm, 'i')) {
            for (long left = BYTES; left > 0; left -= chunk.capacity()) {
                stream.write(chunk.clear());
            }
            stream.shutdownOutput();
            if (stream.read(chunk.clear()) >= 0) {
                throw new IllegalStateException("something came back");
            }
        }
        return System.nanoTime() - begin;
    }
}
