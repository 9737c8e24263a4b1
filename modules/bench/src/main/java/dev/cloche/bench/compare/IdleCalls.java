package dev.cloche.bench.compare;

import com.sun.management.OperatingSystemMXBean;
import dev.cloche.Cloche;
import dev.cloche.Execution;
import dev.cloche.Sandbox;
import dev.cloche.bench.probe.GuardProcess;
import dev.cloche.bench.probe.Setting;
import dev.cloche.bench.probe.Spent;
import dev.cloche.bench.report.Alternation;
import dev.cloche.bench.report.Report;
import dev.cloche.vm.FileWatch;
import dev.cloche.vm.GuestStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Measures what a watch, a reader of output and a connection, of which none has something to tell, take of the processors: of this
 * process, of the guard and of QEMU, beside the same sandbox without them.
 */
public final class IdleCalls {
    private static final OperatingSystemMXBean OWN = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    private static final int PORT = 7000;
    private static final int SETTLE_MILLIS = 1000;
    private static final int WINDOW_MILLIS = 10_000;

    private final Setting setting;

    public IdleCalls(Setting setting) {
        this.setting = setting;
    }

    /** Measures windows of ten seconds. */
    public void measure(int rounds, Report report) throws Exception {
        Path listener = setting.directory().resolve("listener");
        setting.compile("listener.c", listener);
        try (Cloche cloche = Cloche.open(setting.options());
                Sandbox sandbox = cloche.sandbox("base").memoryMib(256).start()) {
            sandbox.files().copyIn(listener, "/bin/listener");
            try (Execution server =
                    sandbox.command("/bin/listener", String.valueOf(PORT)).start()) {
                if (server.stdout().read() != 'l') {
                    throw new IllegalStateException("the server does not listen");
                }
                report.heading("Processor time in " + WINDOW_MILLIS / 1000 + " s of this process, the guard and QEMU");
                report.table(new Alternation()
                        .add("a watch, a reader and a connection, which wait", () -> waiting(sandbox))
                        .add("the sandbox alone", this::window)
                        .run(rounds));
            }
        }
    }

    private long waiting(Sandbox sandbox) throws Exception {
        try (FileWatch watch = sandbox.files().watch("/tmp");
                GuestStream connection = sandbox.dial(PORT);
                Execution silent = sandbox.command("sleep", "600").start()) {
            Thread told = waitFor(() -> watch.next(Duration.ofHours(1)));
            Thread received = waitFor(() -> connection.read(ByteBuffer.allocate(1)));
            Thread read = waitFor(() -> silent.stdout().read());
            long taken = window();
            if (!(told.isAlive() && received.isAlive() && read.isAlive())) {
                throw new IllegalStateException("one of them does not wait any more");
            }
            return taken;
        }
    }

    /** Something that waits for a guest. */
    @FunctionalInterface
    private interface Wait {
        Object next() throws Exception;
    }

    private static Thread waitFor(Wait wait) {
        return Thread.ofVirtual().start(() -> {
            try {
                var _ = wait.next();
            } catch (Exception _) {
                // It is closed at the end.
            }
        });
    }

    private long window() throws IOException, InterruptedException {
        Thread.sleep(SETTLE_MILLIS);
        long before = processor();
        Thread.sleep(WINDOW_MILLIS);
        return processor() - before;
    }

    private long processor() throws IOException {
        ProcessHandle guard = GuardProcess.only(setting.home());
        long sum = OWN.getProcessCpuTime() + Spent.since(0, guard.pid()).processor();
        for (ProcessHandle child : guard.descendants().toList()) {
            sum += Spent.since(0, child.pid()).processor();
        }
        return sum;
    }
}
