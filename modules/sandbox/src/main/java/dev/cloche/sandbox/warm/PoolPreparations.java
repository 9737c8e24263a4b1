package dev.cloche.sandbox.warm;

import dev.cloche.pool.Preparation;
import dev.cloche.pool.Registration;
import dev.cloche.sandbox.CommandOptions;
import dev.cloche.sandbox.MainCommand;
import dev.cloche.sandbox.PoolShape;
import dev.cloche.sandbox.TemplateStore;
import dev.cloche.sandbox.record.CommandLine;
import dev.cloche.sandbox.record.PoolRow;
import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.Guest;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Says how the VMs of each pool are made: as it is recorded, and with the functions that the application of this
 * process has given. Safe for use from several threads.
 */
public final class PoolPreparations {
    private final Map<PoolShape, Preparation> own = new ConcurrentHashMap<>();

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
        Preparation whole = row.policy().check().isEmpty()
                ? functions
                : functions.withHealthCheck(checked(row, source, functions.healthCheck()));
        Registration plain = Registration.of(source.snapshot())
                .withDepth(row.policy().depth())
                .withMaxAge(row.policy().maxAge())
                .withPreparation(whole);
        // A prepared template has the port for it only if it was logged itself; its sandboxes have no main command to
        // be logged.
        return Optional.of(source.snapshot().outputLog() ? plain.withOutputLogBytes(TemplateStore.LOG_BYTES) : plain);
    }

    private static Consumer<Guest> checked(PoolRow row, PoolSources.Source source, Optional<Consumer<Guest>> function) {
        List<String> words = row.policy().check();
        MainCommand command =
                new MainCommand(words, CommandOptions.none(), Optional.empty(), true, CommandOptions.none(), false);
        ExecRequest request = CommandLine.mainRequest(row.shape().image().toString(), command, source.config());
        GuestCheck check = new GuestCheck(request);
        return function.isEmpty() ? check : new Both(check, function.get());
    }

    private record Both(Consumer<Guest> first, Consumer<Guest> second) implements Consumer<Guest> {
        @Override
        public void accept(Guest guest) {
            first.accept(guest);
            second.accept(guest);
        }
    }
}
