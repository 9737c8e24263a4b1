package dev.cloche.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The cache of {@code ./setup}, by the script itself. */
class SetupCacheIT {
    private static final String SCRIPT = """
            set -euo pipefail
            steps=(kernel guard)
            made_by() { echo 'a compiler 1'; }
            . "$0/lib/cache.sh"
            "$@"
            """;

    @TempDir
    Path directory;

    private Path made;

    @BeforeEach
    void make() throws Exception {
        made = Files.createDirectory(directory.resolve("made"));
        Files.writeString(made.resolve("cloche-guard"), "the program");
        Files.setPosixFilePermissions(made.resolve("cloche-guard"), PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.writeString(made.resolve("leftover.o"), "no result");
    }

    @Test
    void whatIsKeptIsTakenAsItWas() throws Exception {
        keep("guard-1");
        Path stage = taken("guard-1");
        try (Stream<Path> files = Files.list(stage)) {
            assertThat(files).containsExactly(stage.resolve("cloche-guard"));
        }
        assertThat(stage.resolve("cloche-guard")).hasContent("the program");
        assertThat(Files.isExecutable(stage.resolve("cloche-guard"))).isTrue();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(entry("guard-1"))))
                .isEqualTo("rwx------");
    }

    @Test
    void theNameOfAnEntryDependsOnInputsAndTools() throws Exception {
        String key = run("cache_key", "guard", "inputs").out();
        assertThat(key)
                .matches("guard-[0-9a-f]{64}\n")
                .isNotEqualTo(run("cache_key", "guard", "others").out());
        assertThat(run("cache_key", "guard", "").exitCode()).isNotZero();
    }

    @Test
    void aDamagedEntryIsNotUsedAndGoes() throws Exception {
        keep("guard-1");
        byte[] archive = Files.readAllBytes(entry("guard-1").resolve("archive"));
        archive[600] ^= 1;
        Files.write(entry("guard-1").resolve("archive"), archive);
        assertNotTaken("guard-1");
        assertThat(entry("guard-1")).doesNotExist();
        keep("guard-1");
        taken("guard-1");
    }

    @Test
    void whatOthersCouldHaveWrittenIsNotUsed() throws Exception {
        keep("guard-1");
        Files.setPosixFilePermissions(entry("guard-1"), PosixFilePermissions.fromString("rwxrwxrwx"));
        assertNotTaken("guard-1");
        Files.setPosixFilePermissions(entry("guard-1"), PosixFilePermissions.fromString("rwx------"));
        Files.move(entry("guard-1"), directory.resolve("elsewhere"));
        Files.createSymbolicLink(entry("guard-1"), directory.resolve("elsewhere"));
        assertNotTaken("guard-1");
    }

    @Test
    void ofEachStepTheFourThatWereUsedLastStay() throws Exception {
        for (int i = 1; i <= 6; i++) {
            keep("guard-" + i);
            if (i >= 2) {
                taken("guard-1");
            }
        }
        keep("kernel-1");
        assertThat(entry("guard-1")).exists();
        assertThat(entry("guard-6")).exists();
        assertThat(entry("guard-2")).doesNotExist();
        try (Stream<Path> entries = Files.list(directory.resolve("cache/cloche/setup"))) {
            assertThat(entries).hasSize(5);
        }
    }

    private Path entry(String key) {
        return directory.resolve("cache/cloche/setup").resolve(key);
    }

    private void keep(String key) throws Exception {
        assertThat(run("cache_keep", key, made.toString(), "cloche-guard").exitCode())
                .isZero();
    }

    private Path taken(String key) throws Exception {
        Path stage = Files.createTempDirectory(directory, "stage");
        assertThat(run("cache_take", key, stage.toString()).exitCode()).isZero();
        return stage;
    }

    private void assertNotTaken(String key) throws Exception {
        Path stage = Files.createTempDirectory(directory, "stage");
        assertThat(run("cache_take", key, stage.toString()).exitCode()).isNotZero();
        assertThat(stage).isEmptyDirectory();
    }

    private Shell.Result run(String... call) throws Exception {
        List<String> command = new ArrayList<>(List.of("bash", "-c", SCRIPT, Shell.CHECKOUT.toString()));
        command.addAll(List.of(call));
        return Shell.run(
                directory, Map.of("XDG_CACHE_HOME", directory.resolve("cache").toString()), command);
    }
}
