package dev.cloche.qemu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.base.ChildJvm;
import dev.cloche.base.Deadline;
import dev.cloche.vm.ExitStatus;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmId;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Processes that stream through a VM are killed in the middle of frames: the next one goes on, and no byte is missing. */
class KilledOwnerIT {
    private static final VmId VM = new VmId("passed-on");
    private static final long LAST_PART = 1_000_000;
    /** What the processes write, with the errors that end them. */
    private static final String LOG = "children.log";

    @TempDir
    Path directory;

    @Test
    void everyByteComesOnceThroughEveryKill() throws Exception {
        passOn(5);
    }

    @Test
    @Tag("slow")
    void everyByteComesOnceHoweverManyAreKilled() throws Exception {
        passOn(200);
    }

    private void passOn(int rounds) throws Exception {
        VmResources resources = QemuInstallation.resources();
        Path disk = QemuInstallation.disk(directory);
        VmLayout layout = VmLayout.of(directory.resolve("state"));
        Path id = directory.resolve("id");
        Path output = directory.resolve("output");
        Random random = new Random(rounds);
        try (QemuProvider provider = new QemuProvider(layout, resources)) {
            try {
                for (int round = 0; round < rounds; round++) {
                    Process child = start(resources, id, output, round == 0 ? List.of(disk.toString()) : List.of());
                    try {
                        killWhileItStreams(child, output, random.nextInt(2_000_000));
                    } finally {
                        child.destroyForcibly().waitFor();
                    }
                }
                try (Vm vm = provider.connect(VM, soon());
                        GuestExecution rest = StreamingProcess.resume(vm.guest(), id, output)) {
                    long end = rest.stdinOffset() + LAST_PART;
                    StreamingProcess.stream(rest, output, end);
                    assertThat(rest.await(soon())).isEqualTo(new ExitStatus.Exited(0));
                    vm.guest().release(rest.id(), soon());
                    assertThat(Files.size(output)).isEqualTo(end);
                    assertWhole(output);
                }
            } finally {
                provider.kill(VM, soon());
                provider.destroy(VM);
                Files.delete(layout.runtimeDirectory());
            }
        }
    }

    private void killWhileItStreams(Process child, Path output, int bytes) {
        long[] from = {-1};
        Awaitility.await()
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(5))
                .until(() -> {
                    assertThat(child.isAlive())
                            .as(() -> "the streaming process has ended: " + childrensLog())
                            .isTrue();
                    long size = Files.exists(output) ? Files.size(output) : -1;
                    from[0] = from[0] < 0 ? size : from[0];
                    return from[0] >= 0 && size > from[0] + bytes;
                });
    }

    private String childrensLog() {
        try {
            return Files.readString(directory.resolve(LOG));
        } catch (IOException unreadable) {
            return unreadable.toString();
        }
    }

    private Process start(VmResources resources, Path id, Path output, List<String> more) throws IOException {
        List<String> command = ChildJvm.command(
                StreamingProcess.class,
                directory.resolve("state").toString(),
                resources.guard().resolveSibling("").toString(),
                VM.value(),
                id.toString(),
                output.toString());
        command.addAll(more);
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(
                        ProcessBuilder.Redirect.appendTo(directory.resolve(LOG).toFile()))
                .start();
    }

    private static void assertWhole(Path output) throws IOException {
        try (InputStream in = new BufferedInputStream(Files.newInputStream(output))) {
            long at = 0;
            for (int b = in.read(); b >= 0; b = in.read()) {
                if ((byte) b != StreamingProcess.at(at)) {
                    throw new AssertionError("a wrong byte at offset " + at);
                }
                at++;
            }
        }
    }

    private static Deadline soon() {
        return Deadline.after(Duration.ofMinutes(5));
    }
}
