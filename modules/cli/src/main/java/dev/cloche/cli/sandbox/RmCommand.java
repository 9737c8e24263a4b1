package dev.cloche.cli.sandbox;

import dev.cloche.Cloche;
import dev.cloche.cli.terminal.Each;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(name = "rm", description = "Remove sandboxes that have ended, with all that belongs to them.")
public final class RmCommand implements Callable<Integer> {
    @Option(
            names = {"-f", "--force"},
            description = "Kill those that run.")
    private boolean force;

    @Mixin
    private SandboxNames names = new SandboxNames();

    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open()) {
            return Each.of(names.all(), name -> cloche.sandboxes().remove(name, force));
        }
    }
}
