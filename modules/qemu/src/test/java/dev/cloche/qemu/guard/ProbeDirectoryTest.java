package dev.cloche.qemu.guard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.qemu.VmLayout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What killed probes leave, which is a directory that no process has locked. */
class ProbeDirectoryTest {
    @TempDir
    Path directory;

    private VmLayout layout;
    private Path left;

    @BeforeEach
    void leave() throws IOException {
        layout = VmLayout.of(directory.resolve("state"), Files.createDirectory(directory.resolve("t")));
        left = leaveIn(layout);
    }

    private static Path leaveIn(VmLayout layout) throws IOException {
        Path left = Files.createTempDirectory(layout.runtimeDirectory(), "probe-");
        Files.createFile(left.resolve("output.txt"));
        return left;
    }

    @Test
    void theNextProbeRemovesWhatAKilledOneLeft() throws IOException {
        try (ProbeDirectory mine = ProbeDirectory.open(layout.runtimeDirectory())) {
            assertThat(left).doesNotExist();
            Files.createFile(mine.path().resolve("output.txt"));
        }
        assertThat(layout.runtimeDirectory()).isEmptyDirectory();
    }

    @Test
    void aProbeThatGoesOnKeepsItsOwn() throws IOException {
        try (ProbeDirectory first = ProbeDirectory.open(layout.runtimeDirectory());
                ProbeDirectory second = ProbeDirectory.open(layout.runtimeDirectory())) {
            RuntimeDirectory.sweep(layout);
            assertThat(first.path()).exists();
            assertThat(second.path()).exists();
        }
    }

    @Test
    void theSweepOfTheirStateRootRemovesThem() {
        RuntimeDirectory.sweep(layout);

        assertThat(layout.runtimeDirectory()).isEmptyDirectory();
    }

    @Test
    void theyDoNotKeepTheDirectoryOfAStateRootThatIsGone() throws IOException {
        VmLayout gone = VmLayout.of(directory.resolve("gone"), directory.resolve("t"));
        leaveIn(gone);
        Files.delete(gone.vms());
        Files.delete(gone.stateRoot());

        RuntimeDirectory.sweep(layout);

        assertThat(gone.runtimeDirectory()).doesNotExist();
    }
}
