package dev.cloche.cli.sandbox;

import dev.cloche.Cloche;
import dev.cloche.cli.option.GraceOption;
import dev.cloche.cli.terminal.Each;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(name = "restart", description = "Stop sandboxes, unless they have ended, and start them again.")
public final class RestartCommand implements Callable<Integer> {
    @Mixin
    private GraceOption time = new GraceOption();

    @Mixin
    private SandboxNames names = new SandboxNames();

    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open()) {
            return Each.of(names.all(), name -> cloche.sandboxes().restart(name, time.grace()));
        }
    }
}
