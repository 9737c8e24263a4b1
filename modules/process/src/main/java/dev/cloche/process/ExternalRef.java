package dev.cloche.process;

import dev.cloche.process.value.Names;
import java.util.Optional;

/** What a process is called in the system that runs it. */
public record ExternalRef(String backend, String id, Optional<Json> metadata) {
    public ExternalRef {
        Names.require("a backend", backend);
        Names.require("an external id", id);
    }
}
