package dev.cloche.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the program on one state root, on which each of them leaves nothing. */
abstract class OnOneHome {
    @TempDir
    static Path home;

    static Program cloche;

    @BeforeAll
    static void install() {
        cloche = Program.in(home);
    }

    @AfterEach
    void nothingIsLeftBehind() throws IOException {
        assertThat(cloche.run("ps", "-a", "--format", "json").stdout().strip()).isEqualTo("[ ]");
        assertThat(cloche.vmProcesses()).isEmpty();
        assertThat(cloche.vmDirectories()).isEmpty();
    }
}
