package dev.cloche.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** The guard, and what takes from its host in the place of a VM, for hosts that are guests themselves. */
final class GuardPrograms {
    private GuardPrograms() {}

    /** Makes both in a directory, and returns them with the script that tries them; skips the test where there is no compiler. */
    static List<Path> make(Path directory) throws IOException, InterruptedException {
        for (String tool : List.of("make", "gcc")) {
            Assumptions.assumeTrue(
                    Stream.of(System.getenv("PATH").split(":", -1))
                            .anyMatch(each -> Files.isExecutable(Path.of(each, tool))),
                    tool + " is missing: run ./setup");
        }
        Path sources = Program.root().resolve("guard");
        Path guard = directory.resolve("cloche-guard");
        Path taker = directory.resolve("taker");
        Process make = new ProcessBuilder(
                        "make",
                        "-s",
                        "-C",
                        sources.toString(),
                        "BUILD=" + directory,
                        guard.toString(),
                        taker.toString())
                .inheritIO()
                .start();
        assertThat(make.waitFor()).isZero();
        return List.of(guard, taker, sources.resolve("test/group.sh"));
    }
}
