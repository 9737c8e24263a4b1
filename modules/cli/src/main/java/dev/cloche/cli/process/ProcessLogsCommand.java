package dev.cloche.cli.process;

import dev.cloche.Cloche;
import dev.cloche.ProcessLog;
import dev.cloche.cli.option.LogOptions;
import dev.cloche.cli.terminal.ExitCodes;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
        name = "logs",
        description = {
            "Print what a command of `cloche exec --detach` wrote: its latest 32 to 64 MiB, until it is pruned.",
            "",
            "What no program has fetched from the guest yet is fetched with -f.",
            ""
        })
public final class ProcessLogsCommand implements Callable<Integer> {
    @Mixin
    private LogOptions options = new LogOptions();

    @Parameters(paramLabel = "PROCESS", description = "Id of the process.")
    private String id = "";

    @Override
    public Integer call() throws InterruptedException {
        options.check();
        try (Cloche cloche = Cloche.open();
                ProcessLog log = cloche.processes().log(id)) {
            if (options.follow()) {
                // Who waits may as well bring it about.
                cloche.driveCommands();
            }
            options.print(log::next, () -> log.await(LogOptions.FOR_EVER));
        }
        return ExitCodes.OK;
    }
}
