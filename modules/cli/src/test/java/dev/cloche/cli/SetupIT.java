package dev.cloche.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
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

        Shell.Result result = check(checkout);

        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.err()).isEmpty();
        assertThat(result.out().lines()).anyMatch(line -> line.matches("jdk +ok .*"));
        for (String step : List.of("kernel", "guard", "initramfs", "choice", "base", "manifest", "program")) {
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

    @Test
    void checkNamesTheKernelThatIsAskedForNowOrWasBefore() throws Exception {
        Path checkout = copyOfTheScripts();

        Shell.Result byDefault = check(checkout);
        Shell.Result asked = check(checkout, "--kernel", "small");
        Files.writeString(Files.createDirectory(checkout.resolve("dist")).resolve("kernel"), "small\n");
        Shell.Result remembered = check(checkout);

        assertThat(byDefault.out().lines())
                .anyMatch(line -> line.matches("choice +missing.* named debian and the system's QEMU"));
        assertThat(asked.out().lines())
                .anyMatch(line -> line.matches("choice +missing.* named small and the system's QEMU"));
        assertThat(remembered).isEqualTo(asked);
    }

    @Test
    void checkNamesOurOwnQemuOnlyWhereTheRuntimeIsAskedForNowOrWasBefore() throws Exception {
        Path checkout = copyOfTheScripts();

        Shell.Result asked = check(checkout, "--runtime");
        Files.writeString(Files.createDirectory(checkout.resolve("dist")).resolve("kernel"), "runtime\n");
        Shell.Result remembered = check(checkout);
        Shell.Result back = check(checkout, "--kernel", "small");

        assertThat(asked.out().lines())
                .anyMatch(line -> line.matches("emulator +missing, ./setup makes it: our own QEMU.*"))
                .anyMatch(line -> line.matches("programs +missing, ./setup makes it: passt and mkfs.ext4.*"))
                .anyMatch(line -> line.matches("choice +missing.* named small and our QEMU"));
        assertThat(remembered).isEqualTo(asked);
        assertThat(back.out().lines())
                .noneMatch(line -> line.startsWith("emulator") || line.startsWith("programs"))
                .anyMatch(line -> line.matches("choice +missing.* named small and the system's QEMU"));
    }

    @Test
    void aKernelThatThereIsNotIsRefused() throws Exception {
        for (List<String> arguments : List.of(List.of("--kernel"), List.of("--kernel", "huge"))) {
            List<String> command = new ArrayList<>(List.of(copyOfTheScripts() + "/setup"));
            command.addAll(arguments);
            assertThat(Shell.run(directory, Map.of(), command))
                    .isEqualTo(new Shell.Result(2, "", "setup: --kernel wants debian or small, see ./setup --help.\n"));
        }
    }

    /** With an empty cache, for the user's own may have all that setup makes. */
    private Shell.Result check(Path checkout, String... more) throws Exception {
        List<String> command = new ArrayList<>(List.of(checkout + "/setup", "--check"));
        command.addAll(List.of(more));
        return Shell.run(directory, Map.of("XDG_CACHE_HOME", directory.toString()), command);
    }

    private Path copyOfTheScripts() throws IOException {
        Path checkout = Files.createTempDirectory(directory, "checkout");
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
