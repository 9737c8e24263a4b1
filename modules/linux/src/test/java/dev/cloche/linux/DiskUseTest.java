package dev.cloche.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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

    /** Each directory is gone, or its place is taken by a file, between its name and a look into it. */
    @Test
    void whatVanishesMeanwhileMayBeInItOrNot() throws IOException {
        Files.write(directory("z").resolve("file"), new byte[MIB]);
        for (String name : List.of("empty", "full", "other")) {
            directory(name);
        }
        Files.createFile(root.resolve("full/file"));
        Map<Integer, DiskUse.Sum> use = DiskUse.below(root, names -> {
            if (names.size() == 1 && !names.getFirst().equals("z")) {
                vanish(root.resolve(names.getFirst()));
            }
            return names.getFirst().charAt(0);
        });
        DiskUse.Sum kept = Optional.ofNullable(use.get((int) 'z')).orElseThrow();
        assertThat(kept.files()).isEqualTo(2);
        assertThat(kept.bytes()).isGreaterThanOrEqualTo(MIB);
        assertThat(root.resolve("other")).isRegularFile();
    }

    private static void vanish(Path directory) {
        try {
            Files.deleteIfExists(directory.resolve("file"));
            Files.delete(directory);
            if (directory.endsWith("other")) {
                Files.createFile(directory);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void aLinkIsNotFollowed() throws IOException {
        Files.write(directory("a").resolve("file"), new byte[MIB]);
        Files.createSymbolicLink(directory("b").resolve("link"), root.resolve("a"));
        assertThat(of("b").bytes()).isLessThan(100_000);
        assertThat(of("b").files()).isEqualTo(2);
    }
}
