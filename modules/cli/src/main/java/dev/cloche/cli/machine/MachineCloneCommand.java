package dev.cloche.cli.machine;

import dev.cloche.Cloche;
import dev.cloche.cli.terminal.ExitCodes;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "clone",
        description = {
            "Make a machine with a copy of another one's disk; a running one goes on, its files are frozen for a moment.",
            "",
            "The clone has an identity of its own, and publishes no ports.",
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
            boolean published = !cloche.machines().get(name).publish().isEmpty();
            var _ = cloche.machines().copy(name, next, memory);
            if (published) {
                System.err.println(
                        "cloche: the ports that " + name + " publishes are not cloned; give the clone its own"
                                + " with: cloche machine set " + next + " --publish PORT");
            }
        }
        System.out.println(next);
        return ExitCodes.OK;
    }
}
