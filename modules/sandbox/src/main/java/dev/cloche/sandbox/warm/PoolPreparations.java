package dev.cloche.sandbox.warm;

import dev.cloche.pool.Preparation;
import dev.cloche.pool.Registration;
import dev.cloche.sandbox.CommandOptions;
import dev.cloche.sandbox.MainCommand;
import dev.cloche.sandbox.PoolShape;
import dev.cloche.sandbox.TemplateStore;
import dev.cloche.sandbox.record.CommandLine;
import dev.cloche.sandbox.record.PoolRow;
import dev.cloche.vm.Guest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Says how the VMs of each pool are made: as it is recorded, and with the functions that the application of this
 * process has given. Safe for use from several threads.
 */
public final class PoolPreparations {
    private final Map<PoolShape, Preparation> own = new ConcurrentHashMap<>();
    private final Function<List<String>, Optional<Consumer<Guest>>> interpreters;

    /** @param interpreters finds what is done in a new VM whose template has the driver of an interpreter, by the recipe's words */
    public PoolPreparations(Function<List<String>, Optional<Consumer<Guest>>> interpreters) {
        this.interpreters = interpreters;
    }

    /** Uses these functions for a pool from now on, or none. */
    public void set(PoolShape shape, Preparation preparation) {
        if (preparation.equals(Preparation.NONE)) {
            own.remove(shape);
        } else {
            own.put(shape, preparation);
        }
    }

    /** Returns how the VMs of a pool are made here; empty if that needs functions of another process. */
    Optional<Registration> registration(PoolRow row, PoolSources.Source source) {
        Preparation functions = own.getOrDefault(row.shape(), Preparation.NONE);
        if (row.policy().inProcess() && functions.equals(Preparation.NONE)) {
            return Optional.empty();
        }
        List<Consumer<Guest>> checks = new ArrayList<>();
        if (!row.policy().check().isEmpty()) {
            checks.add(command(row, source));
        }
        row.policy().probes().forEach(probe -> checks.add(new GuestProbe(probe)));
        functions.healthCheck().ifPresent(checks::add);
        Preparation checked = checks.isEmpty() ? functions : functions.withHealthCheck(new InTurn(checks));
        Preparation whole = source.interpreter()
                .flatMap(interpreters)
                .map(cells -> checked.withWarmUp(afterwards(cells, functions.warmUp())))
                .orElse(checked);
        Registration plain = Registration.of(source.snapshot())
                .withDepth(row.policy().depth())
                .withMaxAge(row.policy().maxAge())
                .withPreparation(whole);
        // A prepared template has the port for it only if it was logged itself; its sandboxes have no main command to
        // be logged.
        return Optional.of(source.snapshot().outputLog() ? plain.withOutputLogBytes(TemplateStore.LOG_BYTES) : plain);
    }

    private static Consumer<Guest> afterwards(Consumer<Guest> cells, Optional<Consumer<Guest>> warmUp) {
        return warmUp.<Consumer<Guest>>map(own -> new InTurn(List.of(cells, own)))
                .orElse(cells);
    }

    private static GuestCheck command(PoolRow row, PoolSources.Source source) {
        List<String> words = row.policy().check();
        MainCommand command =
                new MainCommand(words, CommandOptions.none(), Optional.empty(), true, CommandOptions.none(), false);
        return new GuestCheck(CommandLine.mainRequest(row.shape().image().toString(), command, source.config()));
    }

    /** Does several things; equal to another one that does the same. */
    private record InTurn(List<Consumer<Guest>> all) implements Consumer<Guest> {
        @Override
        public void accept(Guest guest) {
            all.forEach(each -> each.accept(guest));
        }
    }
}
