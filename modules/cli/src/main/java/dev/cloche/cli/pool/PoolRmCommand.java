package dev.cloche.cli.pool;

import dev.cloche.Cloche;
import dev.cloche.cli.terminal.ExitCodes;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(name = "rm", description = "Remove a pool and its VMs. Sandboxes that have taken from it go on.")
public final class PoolRmCommand implements Callable<Integer> {
    @Mixin
    private ShapeOptions shape = new ShapeOptions();

    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open()) {
            cloche.pools().remove(shape.image(), shape.memory(), shape.cpus(), shape.network());
        }
        return ExitCodes.OK;
    }
}
