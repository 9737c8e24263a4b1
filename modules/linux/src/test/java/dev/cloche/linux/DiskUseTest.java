package dev.cloche.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiskUseTest {
    private static final int MIB = 1 << 20;

    @TempDir
    Path root;

    /** By the first letter of what is below the root. */
    private Map<Integer, DiskUse.Sum> use() {
        return DiskUse.below(root, names -> names.getFirst().charAt(0));
    }

    private DiskUse.Sum of(String name) {
        return Optional.ofNullable(use().get((int) name.charAt(0))).orElseThrow();
    }

    private Path directory(String name) throws IOException {
        return Files.createDirectories(root.resolve(name));
    }

    @Test
    void blocksCountAndHolesDoNot() throws IOException {
        Files.write(directory("full/deep/er").resolve("file"), new byte[MIB]);
        try (RandomAccessFile sparse =
                new RandomAccessFile(directory("sparse").resolve("file").toFile(), "rw")) {
            sparse.setLength(64L * MIB);
        }
        assertThat(of("full").bytes()).isBetween((long) MIB, (long) MIB + 100_000);
        assertThat(of("full").files()).isEqualTo(4);
        assertThat(of("sparse").bytes()).isLessThan(100_000);
        assertThat(of("sparse").files()).isEqualTo(2);
    }

    @Test
    void aFileWithSeveralNamesCountsOnceAsTheLeastOfItsKinds() throws IOException {
        Path file = Files.write(directory("b").resolve("file"), new byte[MIB]);
        Files.createLink(directory("c").resolve("other"), file);
        assertThat(of("b").bytes()).isGreaterThanOrEqualTo(MIB);
        assertThat(of("c").bytes()).isLessThan(100_000);
        Files.createLink(directory("a").resolve("third"), file);
        assertThat(of("a").bytes()).isGreaterThanOrEqualTo(MIB);
        assertThat(of("b").bytes()).isLessThan(100_000);
    }

    @Test
    void aLinkIsNotFollowed() throws IOException {
        Files.write(directory("a").resolve("file"), new byte[MIB]);
        Files.createSymbolicLink(directory("b").resolve("link"), root.resolve("a"));
        assertThat(of("b").bytes()).isLessThan(100_000);
        assertThat(of("b").files()).isEqualTo(2);
    }
}
