package dev.cloche.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SetupIT {
    @TempDir
    Path directory;

    @Test
    void checkReportsWhatIsMissingAndChangesNothing() throws Exception {
        Path checkout = copyOfTheScripts();
        Map<Path, Object> before = tree(checkout);

        Shell.Result result = Shell.run(directory, Map.of(), List.of(checkout + "/setup", "--check"));

        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.err()).isEmpty();
        assertThat(result.out().lines()).anyMatch(line -> line.matches("jdk +ok .*"));
        for (String step : List.of("kernel", "guard", "initramfs", "base", "program")) {
            assertThat(result.out().lines()).anyMatch(line -> line.matches(step + " +missing, ./setup makes it: .+"));
        }
        assertThat(tree(checkout)).isEqualTo(before);
    }

    @Test
    void anUnknownOptionIsRefusedBeforeAnyEffect() throws Exception {
        Path checkout = copyOfTheScripts();
        Map<Path, Object> before = tree(checkout);

        Shell.Result result = Shell.run(directory, Map.of(), List.of(checkout + "/setup", "--tests", "--bogus"));

        assertThat(result)
                .isEqualTo(new Shell.Result(2, "", "setup: there is no option --bogus, see ./setup --help.\n"));
        assertThat(tree(checkout)).isEqualTo(before);
    }

    private Path copyOfTheScripts() throws IOException {
        Path checkout = Files.createDirectory(directory.resolve("checkout"));
        Files.copy(Shell.CHECKOUT.resolve("setup"), checkout.resolve("setup"));
        Files.createDirectory(checkout.resolve("lib"));
        try (Stream<Path> scripts = Files.list(Shell.CHECKOUT.resolve("lib"))) {
            for (Path script : scripts.toList()) {
                Files.copy(script, checkout.resolve("lib").resolve(script.getFileName()));
            }
        }
        return checkout;
    }

    private static Map<Path, Object> tree(Path root) throws IOException {
        Map<Path, Object> tree = new TreeMap<>();
        try (Stream<Path> files = Files.walk(root)) {
            for (Path file : files.toList()) {
                tree.put(file, Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS));
            }
        }
        return tree;
    }
}
