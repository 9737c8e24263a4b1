package dev.cloche.cli.option;

import picocli.CommandLine.Option;

/** The options for the size of a guest. */
public final class SizeOptions {
    @Option(
            names = "--cpus",
            paramLabel = "N",
            description = "Virtual CPUs of the guest, not more than the host has (default: ${DEFAULT-VALUE}).",
            defaultValue = "1")
    private int cpus = 1;

    @Option(
            names = {"-m", "--memory"},
            paramLabel = "SIZE",
            description = "Memory of the guest, for example 512m or 2g (default: ${DEFAULT-VALUE}).",
            defaultValue = "512m",
            converter = MemorySize.class)
    private int memory;

    public int cpus() {
        return cpus;
    }

    /** Returns the memory in MiB. */
    public int memory() {
        return memory;
    }
}
