package dev.cloche.cli.pool;

import dev.cloche.Cloche;
import dev.cloche.TemplateInfo;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.JsonOutput;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(name = "inspect", description = "Print what is known of a template, as JSON.")
public final class TemplateInspectCommand implements Callable<Integer> {
    @Parameters(paramLabel = "NAME", description = "Name of the template.")
    private String name = "";

    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open()) {
            TemplateInfo template = cloche.templates().get(name);
            JsonOutput.print(System.out, json -> TemplateFields.write(json, template));
        }
        return ExitCodes.OK;
    }
}
