package dev.cloche.sandbox;

import dev.cloche.base.Deadline;
import dev.cloche.base.DurableFiles;
import dev.cloche.vm.RootDisk;
import dev.cloche.vm.SnapshotException;
import dev.cloche.vm.SnapshotName;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmSpec;
import dev.cloche.vm.testing.InMemoryProvider;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The memory of suspended in-memory VMs, which other processes find by a file: one of theirs begins with it, as if it had been
 * read. Of each it is noted that a guest has gone on from it, and that it did so twice.
 */
final class FiledMemories {
    private static final String GONE_ON = ".gone-on";
    static final String TWICE = ".twice";

    private final InMemoryProvider memory;
    private final Path directory;

    FiledMemories(InMemoryProvider memory, Path directory) {
        this.memory = memory;
        this.directory = directory;
    }

    void published(SnapshotRef whole) {
        try {
            DurableFiles.ensureDirectory(directory);
            Files.write(
                    directory.resolve(whole.name().value()),
                    List.of(
                            whole.rootDisk().path().toString(),
                            String.valueOf(whole.memoryMiB()),
                            String.valueOf(whole.cpus())));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Optional<SnapshotRef> find(SnapshotName name) {
        Path file = directory.resolve(name.value());
        if (memory.snapshot(name).isEmpty() && Files.exists(file)) {
            read(name, file);
        }
        return memory.snapshot(name);
    }

    private void read(SnapshotName name, Path file) {
        try {
            List<String> lines = Files.readAllLines(file);
            VmSpec spec = VmSpec.of(VmId.random(), RootDisk.vmdk(Path.of(lines.get(0))))
                    .withMemoryMiB(Integer.parseInt(lines.get(1)))
                    .withCpus(Integer.parseInt(lines.get(2)))
                    .withOutputLogBytes(1 << 20);
            Deadline soon = Deadline.after(Duration.ofMinutes(1));
            try (Vm vm = memory.create(spec)) {
                vm.start(soon);
                var _ = vm.suspend(name, soon);
                vm.destroy();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void delete(SnapshotName name) {
        boolean there = memory.snapshot(name).isPresent();
        try {
            there |= Files.deleteIfExists(directory.resolve(name.value()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (memory.snapshot(name).isPresent()) {
            memory.deleteSnapshot(name);
        }
        if (!there) {
            throw new SnapshotException.NotFound(name);
        }
    }

    void goesOn(SnapshotName name) {
        Path note = directory.resolve(name.value() + GONE_ON);
        try {
            DurableFiles.ensureDirectory(directory);
            Files.createFile(note);
        } catch (FileAlreadyExistsException again) {
            note(directory.resolve(name.value() + TWICE));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void note(Path file) {
        try {
            Files.write(file, new byte[0]);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
