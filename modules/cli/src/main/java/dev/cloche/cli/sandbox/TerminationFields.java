package dev.cloche.cli.sandbox;

import dev.cloche.base.EnumNames;
import dev.cloche.cli.terminal.JsonOutput;
import dev.cloche.sandbox.Termination;
import java.util.Optional;
import java.util.OptionalInt;

/** Reads out how a run of a sandbox ended. */
final class TerminationFields {
    private TerminationFields() {}

    static void write(JsonOutput json, Optional<Termination> termination) {
        json.field("reason", termination.map(TerminationFields::reason))
                .field("exitCode", exitCode(termination))
                .field("exitSignal", exitSignal(termination));
    }

    static String reason(Termination termination) {
        return EnumNames.of(termination.reason());
    }

    static OptionalInt exitCode(Optional<Termination> termination) {
        return termination.map(Termination::exitCode).orElse(OptionalInt.empty());
    }

    static OptionalInt exitSignal(Optional<Termination> termination) {
        return termination.map(Termination::exitSignal).orElse(OptionalInt.empty());
    }
}
