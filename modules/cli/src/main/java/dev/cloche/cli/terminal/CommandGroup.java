package dev.cloche.cli.terminal;

import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** A command that only has commands below it: without one of them there is only the help to show. */
public abstract class CommandGroup implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public final Integer call() {
        spec.commandLine().usage(System.out);
        return ExitCodes.OK;
    }
}
