package dev.cloche.bench.probe;

import dev.cloche.catalog.Catalog;
import dev.cloche.process.EventType;
import dev.cloche.process.Json;
import dev.cloche.process.ProcessInput;
import dev.cloche.process.ProcessRegistration;
import dev.cloche.process.ProcessRegistry;
import dev.cloche.process.Provenance;
import dev.cloche.process.SessionScope;
import dev.cloche.process.SqliteProcessStore;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Opens the registry of processes on SQLite, in a state root of its own. */
public record Registry(Catalog catalog, ProcessRegistry processes) implements AutoCloseable {
    public static final String TYPE = "note";
    public static final String INPUT = "bench";

    public static Registry open(Path root) {
        Catalog catalog = Catalog.open(root, List.of(SqliteProcessStore.schema()));
        return new Registry(catalog, ProcessRegistry.over(SqliteProcessStore.open(catalog, root)));
    }

    public void register(String id) {
        processes.register(ProcessRegistration.of(
                        id,
                        new ProcessInput(INPUT, Json.parse("{\"tool\":\"grep\"}")),
                        new Provenance(SessionScope.of("bench"), "bench", Optional.empty()))
                .withEventTypes(EventType.plain(TYPE)));
    }

    /** Returns the payload of one event: some 200 bytes. */
    public static Json payload(long number) {
        return Json.parse("{\"n\":" + number + ",\"text\":\"" + "x".repeat(180) + "\"}");
    }

    @Override
    public void close() {
        processes.close();
        catalog.close();
    }
}
