package dev.cloche.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
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
    void aDirectoryGetsItsNameUnlessSomethingIsThere() throws IOException {
        Path target = Files.createDirectory(directory.resolve("target"));
        Path first = Files.createDirectory(directory.resolve("first"));
        Files.createFile(first.resolve("file"));
        DurableFiles.publishDirectory(first, target);
        assertThat(target.resolve("file")).exists();

        Path second = Files.createDirectory(directory.resolve("second"));
        Path file = Files.createFile(directory.resolve("file"));
        for (Path taken : List.of(target, file)) {
            assertThatThrownBy(() -> DurableFiles.publishDirectory(second, taken))
                    .isInstanceOf(FileAlreadyExistsException.class);
        }
        assertThatThrownBy(() -> DurableFiles.publishDirectory(first, directory.resolve("new")))
                .isInstanceOf(NoSuchFileException.class);
        assertThat(second).exists();
    }

    @Test
    void createsDirectoriesForTheOwnerOnly() throws IOException {
        Path nested = DurableFiles.ensureDirectory(directory.resolve("a/b"));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(nested)))
                .isEqualTo("rwx------");
        assertThat(DurableFiles.ensureDirectory(nested)).isEqualTo(nested);
    }

    @Test
    void makesADirectoryThatAnotherRemovesAtTheSameTime() throws Exception {
        Path contested = directory.resolve("contested");
        AtomicBoolean over = new AtomicBoolean();
        CountDownLatch removing = new CountDownLatch(1);
        try (ExecutorService threads = Executors.newSingleThreadExecutor()) {
            Future<Integer> removals = threads.submit(() -> {
                int removed = 0;
                while (!over.get()) {
                    Files.deleteIfExists(DurableFiles.ensureDirectory(contested));
                    removing.countDown();
                    removed++;
                }
                return removed;
            });
            try {
                removing.await();
                for (int i = 0; i < 2_000; i++) {
                    DurableFiles.ensureDirectory(contested);
                    Files.deleteIfExists(contested);
                }
            } finally {
                over.set(true);
            }
            assertThat(removals.get()).isPositive();
        }
    }

    @Test
    void doesNotMakeADirectoryWhereSomethingElseIs() throws IOException {
        Path file = Files.createFile(directory.resolve("file"));
        Path link = Files.createSymbolicLink(directory.resolve("link"), directory.resolve("nothing"));
        assertThatThrownBy(() -> DurableFiles.ensureDirectory(file)).isInstanceOf(FileAlreadyExistsException.class);
        assertThatThrownBy(() -> DurableFiles.ensureDirectory(link)).isInstanceOf(FileAlreadyExistsException.class);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
