package dev.cloche.cli;

import picocli.CommandLine.Option;

/** {@code --format}, the same on every read-out. */
final class FormatOption {
    enum Format {
        table,
        json
    }

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            description = "How to print: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).",
            defaultValue = "table")
    private Format format = Format.table;

    boolean json() {
        return format == Format.json;
    }
}
