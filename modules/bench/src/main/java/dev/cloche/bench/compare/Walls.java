package dev.cloche.bench.compare;

import dev.cloche.bench.probe.BenchVm;
import dev.cloche.bench.probe.Setting;
import dev.cloche.bench.report.Alternation;
import dev.cloche.bench.report.Report;
import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.Isolation;
import dev.cloche.vm.NetworkSpec;
import dev.cloche.vm.PublishedPort;
import dev.cloche.vm.VmSpec;
import dev.cloche.vm.WritableLayer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Measures what the walls around QEMU take of a guest's disk and its network, at the level {@code full} beside {@code reduced}.
 */
public final class Walls {
    private static final int DISK_MIB = 512;
    private static final int PORT = 7000;
    /** What the guest's listener sends, and is sent. */
    private static final int BYTES = 128 << 20;

    private final Setting setting;

    public Walls(Setting setting) {
        this.setting = setting;
    }

    public void measure(int rounds, Report report) throws Exception {
        try (BenchVm full = boot(Isolation.FULL);
                BenchVm reduced = boot(Isolation.REDUCED)) {
            report.heading("A guest's disk and network behind the walls");
            report.table(new Alternation()
                    .add("64 MiB written and forced to disk, full", () -> written(full))
                    .add("64 MiB written and forced to disk, reduced", () -> written(reduced))
                    .run(rounds));
            report.table(new Alternation()
                    .add("64 MiB read from disk, full", () -> read(full))
                    .add("64 MiB read from disk, reduced", () -> read(reduced))
                    .run(rounds));
            try (GuestExecution one = listening(full);
                    GuestExecution other = listening(reduced)) {
                report.table(new Alternation()
                        .add("128 MiB from the guest by a published port, full", () -> sent(full))
                        .add("128 MiB from the guest by a published port, reduced", () -> sent(reduced))
                        .run(rounds));
                report.table(new Alternation()
                        .add("128 MiB to the guest by a published port, full", () -> received(full))
                        .add("128 MiB to the guest by a published port, reduced", () -> received(reduced))
                        .run(rounds));
                one.signal(9, BenchVm.patience());
                other.signal(9, BenchVm.patience());
            }
        }
    }

    private BenchVm boot(Isolation least) throws IOException, InterruptedException {
        BenchVm vm = BenchVm.boot(
                setting,
                (VmSpec spec) -> spec.withWritable(WritableLayer.disk(DISK_MIB))
                        .withIsolation(Optional.of(least))
                        .withNetwork(NetworkSpec.user().withPorts(PublishedPort.parse("127.0.0.1:0:" + PORT))));
        vm.requireWalls(least);
        Path listener = setting.directory().resolve("listener-" + least);
        setting.compile("listener.c", listener);
        vm.install(listener, "/bin/listener");
        return vm;
    }

    private static GuestExecution listening(BenchVm vm) throws IOException {
        GuestExecution server =
                vm.guest().exec(ExecRequest.of("/bin/listener", String.valueOf(PORT)), BenchVm.patience());
        if (server.stdout().read() < 0) {
            throw new IllegalStateException("the listener ended");
        }
        return server;
    }

    private static long written(BenchVm vm) throws IOException {
        long begin = System.nanoTime();
        var _ = vm.output("dd", "if=/dev/zero", "of=/root/written", "bs=1M", "count=64", "conv=fsync");
        return System.nanoTime() - begin;
    }

    private static long read(BenchVm vm) throws IOException {
        var _ = vm.output("sh", "-c", "echo 3 >/proc/sys/vm/drop_caches");
        long begin = System.nanoTime();
        var _ = vm.output("dd", "if=/root/written", "of=/dev/null", "bs=1M");
        return System.nanoTime() - begin;
    }

    private static Socket connect(BenchVm vm, char what) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), vm.hostPort());
        socket.getOutputStream().write(what);
        return socket;
    }

    private static long sent(BenchVm vm) throws IOException {
        byte[] piece = new byte[64 * 1024];
        long begin = System.nanoTime();
        try (Socket socket = connect(vm, 'o')) {
            long total = 0;
            for (int n = socket.getInputStream().read(piece);
                    n >= 0;
                    n = socket.getInputStream().read(piece)) {
                total += n;
            }
            if (total != BYTES) {
                throw new IllegalStateException(total + " bytes have come");
            }
        }
        return System.nanoTime() - begin;
    }

    private static long received(BenchVm vm) throws IOException {
        byte[] piece = new byte[64 * 1024];
        long begin = System.nanoTime();
        try (Socket socket = connect(vm, 'i')) {
            for (int left = BYTES; left > 0; left -= piece.length) {
                socket.getOutputStream().write(piece);
            }
            socket.shutdownOutput();
            if (socket.getInputStream().read() >= 0) {
                throw new IllegalStateException("something came back");
            }
        }
        return System.nanoTime() - begin;
    }
}
