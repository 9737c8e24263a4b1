package dev.cloche.cli;

import dev.cloche.Cloche;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "clone",
        description = {
            "Make a machine with a copy of another one's disk; a running one goes on, its files are frozen for a moment.",
            "",
            "The clone has an identity of its own.",
            ""
        })
final class MachineCloneCommand implements Callable<Integer> {
    @Option(names = "--memory", description = "Of a running machine: its memory too; the clone continues where it was.")
    private boolean memory;

    @Parameters(index = "0", paramLabel = "NAME", description = "The machine.")
    private String name = "";

    @Parameters(index = "1", paramLabel = "NEW", description = "The name of the clone.")
    private String next = "";

    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open()) {
            cloche.machines().copy(name, next, memory);
        }
        System.out.println(next);
        return ExitCodes.OK;
    }
}
