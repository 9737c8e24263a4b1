package dev.cloche.bench.compare;

import dev.cloche.bench.probe.Setting;
import dev.cloche.bench.report.Alternation;
import dev.cloche.bench.report.Report;
import dev.cloche.bench.report.Samples;
import dev.cloche.machine.MachineName;
import dev.cloche.machine.PersistedMachine;
import dev.cloche.machine.config.MachineStore;
import dev.cloche.machine.config.StagingDirectory;
import dev.cloche.vm.VmId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.List;

/**
 * Measures a durable change of a machine's file, beside what no durable change can do without: write, fsync, rename and
 * fsync of the directory.
 */
public final class MachineConfig {
    private static final int ROUNDS_EACH = 20;
    private static final int WARM_UP = 200;

    private final Setting setting;

    public MachineConfig(Setting setting) {
        this.setting = setting;
    }

    public void measure(int rounds, Report report) throws Exception {
        Path base = Files.createTempDirectory(setting.directory(), "machines");
        MachineStore store = new MachineStore(base);
        MachineName name = new MachineName("bench");
        try (StagingDirectory staging = StagingDirectory.create(store)) {
            store.publish(staging, PersistedMachine.of(name, new VmId("bench"), Instant.now()));
        }
        Path bare = Files.createDirectory(base.resolve(".bare"));
        byte[] content = store.text(name);
        int[] cpus = {1};
        List<Samples> samples = new Alternation()
                .warmUp(WARM_UP)
                .add(
                        "update of a machine's file",
                        () -> timed(() -> {
                            cpus[0] = cpus[0] % 64 + 1;
                            store.update(
                                    name,
                                    machine -> machine.withResources(
                                            machine.resources().withCpus(cpus[0])));
                        }))
                .add("write, fsync, rename, fsync of the directory", () -> timed(() -> write(bare, content)))
                .run(rounds * ROUNDS_EACH);
        report.heading("Durable update of a machine's configuration");
        report.table(samples);
        report.note("In a warm JVM, on the file system of the temporary directory, " + content.length
                + " bytes. The update also locks, reads, parses, changes one line and parses again.");
    }

    private interface Work {
        void run() throws IOException;
    }

    private static long timed(Work work) throws IOException {
        long begin = System.nanoTime();
        work.run();
        return System.nanoTime() - begin;
    }

    private static void write(Path directory, byte[] content) throws IOException {
        Path temporary = directory.resolve("temporary");
        try (FileChannel file = FileChannel.open(
                temporary, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
            ByteBuffer left = ByteBuffer.wrap(content);
            while (left.hasRemaining()) {
                file.write(left);
            }
            file.force(true);
        }
        Files.move(temporary, directory.resolve("target"), StandardCopyOption.ATOMIC_MOVE);
        try (FileChannel parent = FileChannel.open(directory, StandardOpenOption.READ)) {
            parent.force(true);
        }
    }
}
