package dev.cloche.cli.sandbox;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Parameters;

/** The sandboxes that a command is for: one or more. */
final class SandboxNames {
    @Parameters(arity = "1..*", paramLabel = "SANDBOX", description = "Names of sandboxes.")
    private List<String> names = new ArrayList<>();

    List<String> all() {
        return names;
    }
}
