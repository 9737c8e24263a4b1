package dev.cloche.cli;

import dev.cloche.Cloche;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(name = "restart", description = "Stop sandboxes, unless they have ended, and start them again.")
final class RestartCommand implements Callable<Integer> {
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
