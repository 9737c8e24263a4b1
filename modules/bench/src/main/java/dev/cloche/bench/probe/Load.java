package dev.cloche.bench.probe;

import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.GuestFileInput;
import dev.cloche.vm.GuestFileOutput;
import dev.cloche.vm.WriteOptions;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Keeps a guest at work while something else is measured; closing ends it. */
public final class Load implements AutoCloseable {
    private static final int KILL = 9;
    private static final int CHUNK = 64 * 1024;
    private static final int FILE_CHUNKS = 1024;

    private final BenchVm vm;
    private final List<GuestExecution> executions = new ArrayList<>();
    private final List<CompletableFuture<Void>> work = new ArrayList<>();
    private volatile boolean ended;

    private Load(BenchVm vm) {
        this.vm = vm;
    }

    /** Begins an endless output, which is read as fast as it comes. */
    public static Load output(BenchVm vm) {
        Load load = new Load(vm);
        GuestExecution endless = load.start(ExecRequest.of("cat", "/dev/zero"));
        load.inBackground(() -> drain(endless.stdout()));
        return load;
    }

    /** Begins to copy files of 64 MiB, one after the other, out of the guest. */
    public static Load filesOut(BenchVm vm) {
        Load load = new Load(vm);
        load.takeFiles();
        return load;
    }

    /** Begins to copy files of 64 MiB, one after the other, into the guest. */
    public static Load filesIn(BenchVm vm) {
        Load load = new Load(vm);
        load.giveFiles();
        return load;
    }

    public static Load filesBothWays(BenchVm vm) {
        Load load = new Load(vm);
        load.takeFiles();
        load.giveFiles();
        return load;
    }

    /** Begins a program that never reads, whose writer waits in the host because its pipe is full. */
    public static Load fullStdin(BenchVm vm) {
        Load load = new Load(vm);
        GuestExecution sleeper = load.start(ExecRequest.of("sleep", "86400").withStdin());
        load.inBackground(() -> {
            byte[] chunk = new byte[CHUNK];
            try (OutputStream stdin = sleeper.stdin()) {
                while (true) {
                    stdin.write(chunk);
                }
            } catch (IOException endedWithIt) {
                // It was killed: that is how this load ends.
            }
        });
        return load;
    }

    /** Begins an endless output without a reader. */
    public static Load unread(BenchVm vm) {
        Load load = new Load(vm);
        var _ = load.start(ExecRequest.of("cat", "/dev/zero"));
        return load;
    }

    /** Starts {@code count} programs that each write a line every second, and reads what they write. */
    public static Load many(BenchVm vm, int count) {
        Load load = new Load(vm);
        for (int i = 0; i < count; i++) {
            GuestExecution talker = load.start(ExecRequest.of("sh", "-c", "while sleep 1; do echo here; done"));
            load.inBackground(() -> drain(talker.stdout()));
        }
        return load;
    }

    private GuestExecution start(ExecRequest request) {
        GuestExecution execution = vm.guest().exec(request, BenchVm.patience());
        executions.add(execution);
        return execution;
    }

    private void takeFiles() {
        writeFile("/tmp/out");
        inBackground(() -> {
            while (!ended) {
                try (GuestFileInput in = vm.guest().files().read("/tmp/out", 0, Long.MAX_VALUE, BenchVm.patience())) {
                    drain(in);
                }
            }
        });
    }

    private void giveFiles() {
        inBackground(() -> {
            while (!ended) {
                writeFile("/tmp/in");
            }
        });
    }

    private void writeFile(String path) {
        byte[] chunk = new byte[CHUNK];
        try (GuestFileOutput out = vm.guest().files().write(path, WriteOptions.REPLACE, BenchVm.patience())) {
            for (int i = 0; i < FILE_CHUNKS && !ended; i++) {
                out.write(chunk);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void drain(InputStream in) throws IOException {
        byte[] chunk = new byte[CHUNK];
        while (in.read(chunk) >= 0) {}
    }

    private interface Work {
        void run() throws IOException;
    }

    private void inBackground(Work thing) {
        work.add(CompletableFuture.runAsync(
                () -> {
                    try {
                        thing.run();
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                },
                task -> Thread.ofVirtual().start(task)));
    }

    @Override
    public void close() {
        ended = true;
        executions.forEach(execution -> execution.signal(KILL, BenchVm.patience()));
        work.forEach(CompletableFuture::join);
        executions.forEach(GuestExecution::close);
    }
}
