package dev.cloche.cli.option;

import picocli.CommandLine.Option;

/** {@code --format}, the same on every read-out. */
public final class FormatOption {
    public enum Format {
        table,
        json
    }

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            description = "How to print: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).",
            defaultValue = "table")
    private Format format = Format.table;

    public boolean json() {
        return format == Format.json;
    }
}
