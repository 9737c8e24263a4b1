package dev.cloche.process;

import dev.cloche.process.value.NameRules;
import java.util.Optional;

/** Says how a session sees a process that it has a handle to. */
public record HandleDescriptor(Optional<String> kind, Optional<String> label) {
    public static final HandleDescriptor NONE = new HandleDescriptor(Optional.empty(), Optional.empty());

    public HandleDescriptor {
        kind.ifPresent(value -> NameRules.require("a handle's kind", value));
        label.ifPresent(value -> NameRules.require("a handle's label", value));
    }
}
