package dev.cloche.cli;

import dev.cloche.cli.option.FormatOption;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.JsonOutput;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(name = "version", description = "Print the version of Cloche and of the JVM that runs it.")
final class VersionCommand implements Callable<Integer> {
    @Mixin
    private FormatOption format = new FormatOption();

    @Override
    public Integer call() {
        String jvm = System.getProperty("java.runtime.version", "unknown");
        if (format.json()) {
            JsonOutput.print(
                    System.out,
                    json -> json.object(
                            () -> json.field("cloche", Version.current()).field("java", jvm)));
        } else {
            System.out.println("cloche " + Version.current() + " (Java " + jvm + ")");
        }
        return ExitCodes.OK;
    }
}
