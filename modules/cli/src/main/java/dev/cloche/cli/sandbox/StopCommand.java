package dev.cloche.cli.sandbox;

import dev.cloche.Cloche;
import dev.cloche.cli.option.GraceOption;
import dev.cloche.cli.terminal.Each;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
        name = "stop",
        description = "End running sandboxes: their processes get SIGTERM, and SIGKILL after a time of grace.")
public final class StopCommand implements Callable<Integer> {
    @Mixin
    private GraceOption time = new GraceOption();

    @Mixin
    private SandboxNames names = new SandboxNames();

    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open()) {
            return Each.of(names.all(), name -> cloche.sandboxes().stop(name, time.grace()));
        }
    }
}
