package dev.cloche.cli.pool;

import dev.cloche.Cloche;
import dev.cloche.cli.terminal.Each;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(name = "rm", description = "Remove templates. Sandboxes of them boot then, and others are made.")
public final class TemplateRmCommand implements Callable<Integer> {
    @Parameters(arity = "1..*", paramLabel = "NAME", description = "Names of templates.")
    private List<String> names = new ArrayList<>();

    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open()) {
            return Each.of(names, cloche.templates()::remove);
        }
    }
}
