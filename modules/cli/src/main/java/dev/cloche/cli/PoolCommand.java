package dev.cloche.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

@Command(
        name = "pool",
        description = "Keep warm VMs, from which sandboxes start without a wait.",
        synopsisSubcommandLabel = "COMMAND")
final class PoolCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    /** Without a command there is only the help to show. */
    @Override
    public Integer call() {
        spec.commandLine().usage(System.out);
        return ExitCodes.OK;
    }
}
