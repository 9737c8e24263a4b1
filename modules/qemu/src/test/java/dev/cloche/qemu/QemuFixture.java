package dev.cloche.qemu;

import dev.cloche.base.ChildJvm;
import dev.cloche.base.Deadline;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmInfo;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A state root with real VMs, which are ended with it, and other processes that use it. */
final class QemuFixture implements AutoCloseable {
    private final Path directory;
    private final VmResources resources;
    private final List<Process> children = new ArrayList<>();

    /** @param directory of this test alone */
    QemuFixture(Path directory, VmResources resources) {
        this.directory = directory;
        this.resources = resources;
    }

    Path stateRoot() {
        return directory.resolve("state");
    }

    VmLayout layout() {
        return VmLayout.of(stateRoot());
    }

    QemuProvider open() {
        return new QemuProvider(layout(), resources);
    }

    /** Starts {@link OtherProcess} and answers the first line that it prints. */
    String inAnotherJvm(String... arguments) throws IOException {
        BufferedReader reader = begin(arguments).inputReader();
        return String.valueOf(reader.readLine());
    }

    /** Starts {@link OtherProcess}. */
    Process begin(String... arguments) throws IOException {
        List<String> command = ChildJvm.command(
                OtherProcess.class,
                stateRoot().toString(),
                resources.guard().resolveSibling("").toString());
        command.addAll(List.of(arguments));
        Process child = new ProcessBuilder(command)
                .redirectError(
                        directory.resolve("child-" + children.size() + ".log").toFile())
                .start();
        children.add(child);
        return child;
    }

    /** What the latest child wrote to its standard error, for who finds that it is not well. */
    String errorsOfLatestChild() {
        try {
            return Files.readString(directory.resolve("child-" + (children.size() - 1) + ".log"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Process latestChild() {
        return children.getLast();
    }

    static void killAndWait(Process process) throws InterruptedException {
        process.destroyForcibly();
        process.waitFor();
    }

    /** What QEMU does for our own sake its jail lets it do. */
    private void requireNothingDenied(VmId id) throws IOException {
        Path denied = layout().directory(id).resolve("denied");
        if (Files.exists(denied)) {
            throw new AssertionError("QEMU was denied: " + Files.readString(denied));
        }
    }

    @Override
    public void close() throws IOException {
        children.forEach(Process::destroyForcibly);
        if (!Files.isDirectory(stateRoot())) {
            return;
        }
        try (QemuProvider provider = open()) {
            for (VmInfo info : provider.list()) {
                requireNothingDenied(info.id());
                if (info.state().live()) {
                    provider.kill(info.id(), Deadline.after(Duration.ofMinutes(5)));
                }
                provider.destroy(info.id());
            }
        }
        Files.delete(layout().runtimeDirectory());
        Files.deleteIfExists(layout().sharedMemory());
    }
}
