package dev.cloche;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TemporaryDirectoryTest {
    private final String ofTheJvm = System.getProperty("java.io.tmpdir");

    @TempDir
    Path directory;

    @BeforeEach
    @AfterEach
    void choosesNothing() {
        System.clearProperty("org.sqlite.tmpdir");
        System.clearProperty("ZstdTempFolder");
        System.setProperty("java.io.tmpdir", ofTheJvm);
    }

    @Test
    void theDirectoryOfTheJvmIsKeptWhereItCanBeUsed() {
        TemporaryDirectory.choose(Optional.empty(), directory);
        assertThat(System.getProperty("org.sqlite.tmpdir")).isNull();
        assertThat(System.getProperty("ZstdTempFolder")).isNull();
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void theStateRootTakesItsPlaceWhereItCannot() {
        System.setProperty("java.io.tmpdir", directory.resolve("missing").toString());
        TemporaryDirectory.choose(Optional.empty(), directory);
        assertThat(System.getProperty("org.sqlite.tmpdir"))
                .startsWith(directory.resolve("tmp").toString());
    }

    @Test
    void theOneThatWasNamedIsMade() {
        Path named = directory.resolve("a/b");
        assertThat(TemporaryDirectory.isThatOfTheJvm(Optional.of(named))).isFalse();
        TemporaryDirectory.choose(Optional.of(named), directory);
        assertThat(System.getProperty("ZstdTempFolder")).startsWith(named.toString());
    }

    @Test
    void oneThatCannotBeUsedIsRefused() throws IOException {
        Path file = Files.createFile(directory.resolve("file"));
        assertThatThrownBy(() -> TemporaryDirectory.choose(Optional.of(file.resolve("below")), directory))
                .isInstanceOf(HostException.TemporaryUnusable.class)
                .hasMessageContaining("CLOCHE_TMP");
    }
}
