package dev.cloche.linux;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.linux.LibraryDirectory.Fitness;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LibraryDirectoryTest {
    @TempDir
    Path temporary;

    @BeforeEach
    @AfterEach
    void choosesNothing() {
        System.clearProperty("org.sqlite.tmpdir");
        System.clearProperty("ZstdTempFolder");
    }

    /** Prints how fit a directory is, for {@link #aFileSystemThatIsMountedNoexecIsNotFit}. */
    static final class Program {
        private Program() {}

        public static void main(String[] arguments) {
            System.out.print(LibraryDirectory.fitness(Path.of(arguments[0])));
        }
    }

    @Test
    void aDirectoryIsFitIfFilesInItCanBeExecuted() throws IOException {
        assertThat(LibraryDirectory.fitness(temporary)).isEqualTo(Fitness.FIT);
        assertThat(LibraryDirectory.fitness(temporary.resolve("missing"))).isEqualTo(Fitness.NOT_WRITABLE);
        assertThat(temporary).isEmptyDirectory();
    }

    @Test
    void aFileSystemThatIsMountedNoexecIsNotFit() throws Exception {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        Process program = new ProcessBuilder(
                        "unshare",
                        "--mount",
                        "sh",
                        "-c",
                        "mount -t tmpfs -o noexec none \"$0\" || exit 77; exec \"$@\"",
                        temporary.toString(),
                        java,
                        "-cp",
                        System.getProperty("java.class.path"),
                        Program.class.getName(),
                        temporary.toString())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String said = new String(program.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        Assumptions.assumeTrue(program.waitFor() == 0, "this user cannot mount a file system");
        assertThat(said).isEqualTo("NOT_EXECUTABLE");
    }

    @Test
    void eachJvmHasADirectoryOfItsOwn() throws IOException {
        LibraryDirectory.use(temporary);
        Path mine = Path.of(System.getProperty("org.sqlite.tmpdir"));
        assertThat(mine).isDirectory().hasParent(temporary);
        assertThat(System.getProperty("ZstdTempFolder")).isEqualTo(mine.toString());
        assertThat(Files.getPosixFilePermissions(mine)).hasSize(3);
        LibraryDirectory.sweep(temporary);
        assertThat(mine).exists();
    }

    @Test
    void whatTheApplicationHasSetStays() throws IOException {
        System.setProperty("org.sqlite.tmpdir", "/its/own");
        LibraryDirectory.use(temporary);
        assertThat(System.getProperty("org.sqlite.tmpdir")).isEqualTo("/its/own");
        assertThat(System.getProperty("ZstdTempFolder")).startsWith(temporary.toString());
        assertThat(LibraryDirectory.isChosen()).isTrue();
    }

    @Test
    void aDirectoryOfAJvmThatIsGoneIsRemoved() throws IOException {
        Path left = Files.createDirectory(temporary.resolve("cloche-native-left"));
        Files.createFile(left.resolve("lock"));
        Files.createFile(left.resolve("libsqlitejdbc.so"));
        Path used = Files.createDirectory(temporary.resolve("cloche-native-used"));
        Path begun = Files.createDirectory(temporary.resolve(".cloche-native-begun"));
        Path abandoned = Files.createDirectory(temporary.resolve(".cloche-native-abandoned"));
        Files.setLastModifiedTime(abandoned, FileTime.from(Instant.now().minus(Duration.ofHours(2))));
        Path others = Files.createDirectory(temporary.resolve("others"));
        try (LockFile _ = LockFile.tryLock(used.resolve("lock")).orElseThrow()) {
            LibraryDirectory.sweep(temporary);
        }
        assertThat(List.of(left, abandoned)).allSatisfy(gone -> assertThat(gone).doesNotExist());
        assertThat(List.of(used, begun, others))
                .allSatisfy(stays -> assertThat(stays).exists());
    }
}
