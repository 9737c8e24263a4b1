package dev.cloche.process;

import dev.cloche.process.value.NameRules;
import java.util.Optional;

/** Says what a process is called in the system that runs it. */
public record ExternalRef(String backend, String id, Optional<Json> metadata) {
    public ExternalRef {
        NameRules.require("a backend", backend);
        NameRules.require("an external id", id);
    }
}
