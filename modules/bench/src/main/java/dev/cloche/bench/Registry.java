package dev.cloche.bench;

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

/** The registry of processes on SQLite, in a state root of its own. */
record Registry(Catalog catalog, ProcessRegistry processes) implements AutoCloseable {
    static final String TYPE = "note";
    static final String INPUT = "bench";

    static Registry open(Path root) {
        Catalog catalog = Catalog.open(root, List.of(SqliteProcessStore.schema()));
        return new Registry(catalog, ProcessRegistry.over(SqliteProcessStore.open(catalog, root)));
    }

    void register(String id) {
        processes.register(ProcessRegistration.of(
                        id,
                        new ProcessInput(INPUT, Json.parse("{\"tool\":\"grep\"}")),
                        new Provenance(SessionScope.of("bench"), "bench", Optional.empty()))
                .withEventTypes(EventType.plain(TYPE)));
    }

    /** What one of the events has to say: some 200 bytes. */
    static Json payload(long number) {
        return Json.parse("{\"n\":" + number + ",\"text\":\"" + "x".repeat(180) + "\"}");
    }

    @Override
    public void close() {
        processes.close();
        catalog.close();
    }
}
