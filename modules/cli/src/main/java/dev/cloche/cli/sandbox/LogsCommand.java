package dev.cloche.cli.sandbox;

import dev.cloche.Cloche;
import dev.cloche.SandboxLog;
import dev.cloche.cli.option.LogOptions;
import dev.cloche.cli.terminal.ExitCodes;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
        name = "logs",
        description = {
            "Print what the command of a detached sandbox writes: its latest 16 MiB, also after its end.",
            "",
            "Its standard output and error go to those of this command.",
            ""
        })
final class LogsCommand implements Callable<Integer> {
    @Mixin
    private LogOptions options = new LogOptions();

    @Parameters(paramLabel = "SANDBOX", description = "Name of the sandbox.")
    private String name = "";

    @Override
    public Integer call() throws InterruptedException {
        options.check();
        try (Cloche cloche = Cloche.open();
                SandboxLog log = cloche.sandboxes().log(name)) {
            options.print(log::next, () -> log.await(LogOptions.FOR_EVER));
        }
        return ExitCodes.OK;
    }
}
