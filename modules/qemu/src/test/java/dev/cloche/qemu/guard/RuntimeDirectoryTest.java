package dev.cloche.qemu.guard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.linux.LockFile;
import dev.cloche.qemu.VmLayout;
import dev.cloche.vm.VmId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The directories of sockets of state roots that come and go. */
class RuntimeDirectoryTest {
    @TempDir
    Path directory;

    private Path temporary;
    private VmLayout mine;
    private VmLayout other;

    @BeforeEach
    void makeTwo() throws IOException {
        temporary = Files.createDirectory(directory.resolve("t"));
        mine = VmLayout.of(directory.resolve("mine"), temporary);
        other = VmLayout.of(directory.resolve("other"), temporary);
        Files.createFile(other.monitorSocket(new VmId("dead")));
    }

    @Test
    void oneWhoseStateRootIsGoneIsRemoved() throws IOException {
        remove(other);

        RuntimeDirectory.sweep(mine);

        assertThat(other.runtimeDirectory()).doesNotExist();
        assertThat(note(other)).doesNotExist();
        assertThat(mine.runtimeDirectory()).exists();
    }

    @Test
    void oneWhoseStateRootIsThereStays() {
        RuntimeDirectory.sweep(mine);

        assertThat(other.monitorSocket(new VmId("dead"))).exists();
    }

    @Test
    void oneInWhichAGuardListensStays() throws IOException {
        remove(other);
        try (LockFile _ = LockFile.tryLockDirectory(other.runtimeDirectory()).orElseThrow()) {
            RuntimeDirectory.sweep(mine);
        }

        assertThat(other.monitorSocket(new VmId("dead"))).exists();
    }

    @Test
    void oneWithoutANoteOfItsOwnerStays() throws IOException {
        remove(other);
        Files.writeString(note(other), mine.stateRoot().toString());

        RuntimeDirectory.sweep(mine);

        assertThat(other.runtimeDirectory()).exists();
    }

    @Test
    void oneThatACleanerHasTakenAwayIsMadeAgain() throws IOException {
        VmRemoval.empty(mine.runtimeDirectory());
        Files.delete(note(mine));

        RuntimeDirectory.ensure(mine);

        assertThat(mine.runtimeDirectory()).isEmptyDirectory();
        assertThat(note(mine)).hasContent(mine.stateRoot().toString());
    }

    private static Path note(VmLayout layout) {
        return layout.runtimeDirectory()
                .resolveSibling(layout.runtimeDirectory().getFileName() + ".of");
    }

    private static void remove(VmLayout layout) throws IOException {
        Files.delete(layout.vms());
        Files.delete(layout.stateRoot());
    }
}
