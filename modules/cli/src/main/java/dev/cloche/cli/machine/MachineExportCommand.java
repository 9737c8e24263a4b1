package dev.cloche.cli.machine;

import dev.cloche.Cloche;
import dev.cloche.cli.terminal.ExitCodes;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "export",
        description = "Write a machine into one file: configuration and disk, with checksums, compressed by zstd.")
final class MachineExportCommand implements Callable<Integer> {
    @Option(
            names = {"-o", "--output"},
            required = true,
            paramLabel = "FILE",
            description = "A file that does not exist yet.")
    private Path output = Path.of("");

    @Parameters(index = "0", paramLabel = "NAME", description = "The machine; it does not run.")
    private String name = "";

    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open()) {
            cloche.machines().export(name, output);
        }
        System.out.println(output);
        return ExitCodes.OK;
    }
}
