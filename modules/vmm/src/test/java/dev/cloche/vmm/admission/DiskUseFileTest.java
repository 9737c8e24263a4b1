package dev.cloche.vmm.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.Deadline;
import dev.cloche.vm.VmException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DiskUseFileTest {
    private static final int MIB = 1 << 20;

    @TempDir
    Path root;

    private void count() throws IOException {
        DiskUseFile.count(root, Deadline.none());
    }

    @Test
    void isWhatWasCountedLastInBlocksAndEachFileOnce() throws IOException {
        assertThat(DiskUseFile.readMiB(root)).isEmpty();
        Path file = Files.write(Files.createDirectories(root.resolve("a/b")).resolve("file"), new byte[3 * MIB]);
        Files.createLink(root.resolve("same"), file);
        try (RandomAccessFile sparse =
                new RandomAccessFile(root.resolve("sparse").toFile(), "rw")) {
            sparse.setLength(64L * MIB);
        }
        count();
        assertThat(DiskUseFile.readMiB(root)).hasValue(3);
        assertThat(root.resolve(DiskUseFile.NAME)).content().matches("1 3[0-9]{6}\n");

        Files.delete(file);
        Files.delete(root.resolve("same"));
        assertThat(DiskUseFile.readMiB(root)).hasValue(3);
        count();
        assertThat(DiskUseFile.readMiB(root)).hasValue(0);
        try (Stream<Path> files = Files.list(root)) {
            assertThat(files.map(path -> path.getFileName().toString()))
                    .containsExactlyInAnyOrder("a", "sparse", DiskUseFile.NAME);
        }
    }

    @Test
    void aCountThatTakesTooLongLeavesTheFormerOne() throws IOException {
        Files.write(root.resolve("file"), new byte[2 * MIB]);
        count();
        Files.write(root.resolve("more"), new byte[2 * MIB]);
        assertThatThrownBy(() -> DiskUseFile.count(root, Deadline.after(Duration.ZERO)))
                .isInstanceOf(VmException.Deadline.class);
        assertThat(DiskUseFile.readMiB(root)).hasValue(2);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "1",
                "1 ",
                "2 5\n",
                "1 5",
                "1 -5\n",
                "1 5 \n",
                "1 5\n\n",
                "1 much\n",
                "1 9999999999999999999\n",
                "1 000000000000000000000000000000000000000000000000000000000000000000005\n"
            })
    void whatIsDamagedIsNotCountedYet(String content) throws IOException {
        Files.writeString(root.resolve(DiskUseFile.NAME), content);
        assertThat(DiskUseFile.readMiB(root)).isEmpty();
    }

    @Test
    void whatCannotBeReadIsNotCountedYet() throws IOException {
        Files.createDirectory(root.resolve(DiskUseFile.NAME));
        assertThat(DiskUseFile.readMiB(root)).isEmpty();
    }
}
