package dev.cloche.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DurableFilesTest {
    @TempDir
    Path directory;

    @Test
    void replacesTheContentAndLeavesNoTemporaryFile() throws IOException {
        Path target = directory.resolve("value");
        DurableFiles.write(target, bytes("old"));
        DurableFiles.write(target, bytes("new"));

        assertThat(target).hasContent("new");
        assertThat(directory).isDirectoryNotContaining(path -> !path.equals(target));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(target)))
                .isEqualTo("rw-------");
    }

    @Test
    void aFailedPublishKeepsTheOldContentAndLeavesNoTemporaryFile() throws IOException {
        Path target = directory.resolve("occupied");
        Files.createDirectories(target.resolve("child"));

        assertThatThrownBy(() -> DurableFiles.write(target, bytes("x"))).isInstanceOf(IOException.class);
        assertThat(directory).isDirectoryNotContaining(path -> !path.equals(target));
    }

    @Test
    void aNewNameNeverReplacesAFile() throws IOException {
        Path target = directory.resolve("new");
        Path temporary = DurableFiles.temporaryBeside(target);
        Files.write(temporary, bytes("first"));
        DurableFiles.publishNew(temporary, target);
        assertThat(target).hasBinaryContent(bytes("first"));
        assertThat(temporary).doesNotExist();

        Path second = DurableFiles.temporaryBeside(target);
        assertThatThrownBy(() -> DurableFiles.publishNew(second, target))
                .isInstanceOf(FileAlreadyExistsException.class);
        assertThat(target).hasBinaryContent(bytes("first"));
    }

    @Test
    void createsDirectoriesForTheOwnerOnly() throws IOException {
        Path nested = DurableFiles.ensureDirectory(directory.resolve("a/b"));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(nested)))
                .isEqualTo("rwx------");
        assertThat(DurableFiles.ensureDirectory(nested)).isEqualTo(nested);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
