package dev.cloche.bench.compare;

import dev.cloche.Cloche;
import dev.cloche.Execution;
import dev.cloche.Sandbox;
import dev.cloche.SandboxBuilder;
import dev.cloche.bench.probe.GuardProcess;
import dev.cloche.bench.probe.ProportionalSize;
import dev.cloche.bench.probe.Setting;
import dev.cloche.bench.report.Alternation;
import dev.cloche.bench.report.Report;
import dev.cloche.bench.report.Samples;
import dev.cloche.vm.Network;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;

/**
 * Reaches a server of a guest by a published port: through the guest channel, and through passt, as the network {@code user}
 * publishes it. The clients are plain sockets of this host.
 */
public final class Ports {
    private static final int MEBIBYTE = 1 << 20;
    private static final int BYTES = 128 * MEBIBYTE;
    private static final int PORT = 7000;
    private static final int MEMORY_MIB = 256;

    private final Setting setting;

    public Ports(Setting setting) {
        this.setting = setting;
    }

    /** Has a sandbox with a server behind a published port. */
    private record Server(Sandbox sandbox) implements AutoCloseable {
        static Server start(SandboxBuilder builder, Path listener) throws IOException {
            Sandbox sandbox = builder.publish("127.0.0.1:0:" + PORT).start();
            sandbox.files().copyIn(listener, "/bin/listener");
            Execution running =
                    sandbox.command("/bin/listener", String.valueOf(PORT)).start();
            if (running.stdout().read() != 'l') {
                throw new IllegalStateException("the server does not listen");
            }
            return new Server(sandbox);
        }

        /** @param what the listener does with the connection */
        Socket connect(char what) throws IOException {
            var socket = new Socket();
            socket.setTcpNoDelay(true);
            socket.connect(sandbox.ports().of(PORT).address());
            socket.getOutputStream().write(what);
            return socket;
        }

        @Override
        public void close() {
            sandbox.close();
        }
    }

    /** Measures connections one after the other, then what each way takes of the host's memory. */
    public void measure(int rounds, Report report) throws Exception {
        Path listener = setting.directory().resolve("listener");
        setting.compile("listener.c", listener);
        try (Cloche cloche = Cloche.open(setting.options());
                Server channel = Server.start(sandbox(cloche), listener);
                Server passt = Server.start(sandbox(cloche).network(Network.USER), listener)) {
            report.heading("A published port, to the first byte that comes back");
            report.table(new Alternation()
                    .warmUp(rounds)
                    .add("through the guest channel", () -> echo(channel))
                    .add("through passt", () -> echo(passt))
                    .run(rounds * 10));
            report.heading("A published port, " + BYTES / MEBIBYTE + " MiB out of the guest");
            report.table(new Alternation()
                    .add("through the guest channel", () -> out(channel))
                    .add("through passt", () -> out(passt))
                    .run(rounds));
            report.heading("A published port, " + BYTES / MEBIBYTE + " MiB into the guest");
            report.table(new Alternation()
                    .add("through the guest channel", () -> in(channel))
                    .add("through passt", () -> in(passt))
                    .run(rounds));
        }
        memory(rounds, report);
    }

    private static SandboxBuilder sandbox(Cloche cloche) {
        return cloche.sandbox("base").memoryMib(MEMORY_MIB);
    }

    private void memory(int rounds, Report report) throws IOException {
        try (Cloche cloche = Cloche.open(setting.options())) {
            report.heading("Memory (PSS) of a guard and what it has started, without QEMU");
            report.table(List.of(
                    guard(
                            "a port through the guest channel",
                            rounds,
                            sandbox(cloche).publish(PORT)),
                    guard(
                            "a port through passt",
                            rounds,
                            sandbox(cloche).network(Network.USER).publish(PORT)),
                    guard("no port, no network", rounds, sandbox(cloche))));
        }
    }

    private Samples guard(String name, int rounds, SandboxBuilder builder) throws IOException {
        double[] mebibytes = new double[rounds];
        for (int i = 0; i < rounds; i++) {
            try (Sandbox _ = builder.start()) {
                mebibytes[i] = ProportionalSize.ofGuarded(GuardProcess.only(setting.home()))
                        .parent();
            }
        }
        return new Samples(name, Samples.Unit.MEBIBYTES, mebibytes);
    }

    private static long echo(Server server) throws IOException {
        long begin = System.nanoTime();
        try (Socket socket = server.connect('e')) {
            int back = socket.getInputStream().read();
            if (back != 0) {
                throw new IllegalStateException("this came back: " + back);
            }
            return System.nanoTime() - begin;
        }
    }

    private static long out(Server server) throws IOException {
        long begin = System.nanoTime();
        try (Socket socket = server.connect('o');
                InputStream in = socket.getInputStream()) {
            long total = in.transferTo(OutputStream.nullOutputStream());
            if (total != BYTES) {
                throw new IllegalStateException(total + " bytes have come");
            }
        }
        return System.nanoTime() - begin;
    }

    private static long in(Server server) throws IOException {
        byte[] chunk = new byte[64 * 1024];
        long begin = System.nanoTime();
        try (Socket socket = server.connect('i')) {
            OutputStream out = socket.getOutputStream();
            for (int left = BYTES; left > 0; left -= chunk.length) {
                out.write(chunk);
            }
            socket.shutdownOutput();
            if (socket.getInputStream().read() >= 0) {
                throw new IllegalStateException("something came back");
            }
        }
        return System.nanoTime() - begin;
    }
}
