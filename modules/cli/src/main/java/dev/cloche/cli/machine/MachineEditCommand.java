package dev.cloche.cli.machine;

import dev.cloche.Cloche;
import dev.cloche.base.ClocheException;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.UsageError;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(
        name = "edit",
        description = {
            "Edit the configuration of a machine, also a broken one, with $VISUAL, $EDITOR or vi.",
            "",
            "What is wrong never replaces what is there; it is kept, and its place is told.",
            ""
        })
final class MachineEditCommand implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "NAME", description = "The machine.")
    private String name = "";

    @Override
    public Integer call() throws Exception {
        byte[] seen;
        try (Cloche cloche = Cloche.open()) {
            seen = cloche.machines().configuration(name).getBytes(StandardCharsets.UTF_8);
        }
        Path draft = Files.createTempFile("cloche-" + Path.of(name).getFileName() + "-", ".toml");
        Files.write(draft, seen);
        int editor = edit(draft);
        byte[] text = Files.readAllBytes(draft);
        boolean same = Arrays.equals(seen, text);
        if (same) {
            Files.delete(draft);
        }
        if (editor != 0) {
            throw new UsageError(
                    "The editor ended with exit code " + editor + ", so nothing is changed.",
                    same ? "Set $EDITOR to one that works." : "What was written is in " + draft + ".");
        }
        if (same) {
            System.err.println("cloche: nothing is changed");
            return ExitCodes.OK;
        }
        replace(seen, text, draft);
        Files.delete(draft);
        return ExitCodes.OK;
    }

    private void replace(byte[] seen, byte[] text, Path draft) {
        try (Cloche cloche = Cloche.open()) {
            MachineSetCommand.report(cloche.machines()
                    .replaceConfiguration(
                            name, new String(seen, StandardCharsets.UTF_8), new String(text, StandardCharsets.UTF_8)));
        } catch (ClocheException refused) {
            System.err.println("cloche: the configuration stays as it was; what was written is in " + draft);
            throw refused;
        }
    }

    private static int edit(Path draft) throws IOException, InterruptedException {
        String editor = first(System.getenv("VISUAL"), first(System.getenv("EDITOR"), "vi"));
        // The variable may have options in it, which a shell takes apart as everywhere.
        return new ProcessBuilder(List.of("sh", "-c", editor + " \"$1\"", "sh", draft.toString()))
                .inheritIO()
                .start()
                .waitFor();
    }

    private static String first(@org.jspecify.annotations.Nullable String given, String otherwise) {
        return given == null || given.isBlank() ? otherwise : given;
    }
}
