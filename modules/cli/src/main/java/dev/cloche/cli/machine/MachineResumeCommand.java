package dev.cloche.cli.machine;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(name = "resume", description = "Continue suspended machines where they were; the same as start.")
final class MachineResumeCommand implements Callable<Integer> {
    @Option(
            names = {"-q", "--quiet"},
            description = "Do not show the progress of a pull.")
    private boolean quiet;

    @Parameters(arity = "1..*", paramLabel = "NAME", description = "Names of machines.")
    private List<String> names = new ArrayList<>();

    @Override
    public Integer call() {
        return MachineStarts.all(names, quiet);
    }
}
