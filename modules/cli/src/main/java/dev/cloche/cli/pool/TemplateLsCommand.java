package dev.cloche.cli.pool;

import dev.cloche.Cloche;
import dev.cloche.TemplateInfo;
import dev.cloche.cli.option.FormatOption;
import dev.cloche.cli.terminal.Age;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.JsonOutput;
import dev.cloche.cli.terminal.Table;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(name = "ls", description = "List the templates.")
public final class TemplateLsCommand implements Callable<Integer> {
    @Mixin
    private FormatOption format = new FormatOption();

    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open()) {
            List<TemplateInfo> templates = cloche.templates().list();
            if (format.json()) {
                JsonOutput.print(
                        System.out,
                        json -> json.array(() -> templates.forEach(template -> TemplateFields.write(json, template))));
            } else {
                Clock clock = Clock.systemUTC();
                Table table = new Table("NAME", "IMAGE", "MEMORY", "CPUS", "USED");
                templates.forEach(template -> table.row(
                        template.name(),
                        template.usable()
                                ? template.image()
                                        .map(TemplateLsCommand::shortened)
                                        .orElse("")
                                : "gone",
                        template.memoryMib() + "m",
                        String.valueOf(template.cpus()),
                        Age.of(template.lastUsedAt(), clock)));
                table.print(System.out);
            }
        }
        return ExitCodes.OK;
    }

    private static String shortened(String digest) {
        return digest.length() > 19 ? digest.substring(0, 19) : digest;
    }
}
