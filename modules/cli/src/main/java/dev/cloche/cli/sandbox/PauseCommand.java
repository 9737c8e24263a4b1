package dev.cloche.cli.sandbox;

import dev.cloche.Cloche;
import dev.cloche.cli.terminal.Each;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(name = "pause", description = "Halt running sandboxes in their memory.")
public final class PauseCommand implements Callable<Integer> {
    @Mixin
    private SandboxNames names = new SandboxNames();

    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open()) {
            return Each.of(names.all(), cloche.sandboxes()::pause);
        }
    }
}
