package dev.cloche.cli.sandbox;

import dev.cloche.Cloche;
import dev.cloche.cli.option.DiskLimitOptions;
import dev.cloche.cli.terminal.Each;
import dev.cloche.cli.terminal.UsageError;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
        name = "limit",
        description = {
            "Limit what sandboxes may ask of their disks: at once where they run, and at each later start.",
            "",
            "What is not said stays as it is. While a sandbox is being stopped or suspended the limits do not hold, so that what it has"
                    + " not written yet is not lost.",
            ""
        },
        footerHeading = "%nExamples:%n",
        footer = {"  cloche limit build --disk-iops 500 --disk-bps 20m", "  cloche limit build --disk-bps none"})
final class LimitCommand implements Callable<Integer> {
    @Mixin
    private DiskLimitOptions disk = new DiskLimitOptions();

    @Mixin
    private SandboxNames names = new SandboxNames();

    @Override
    public Integer call() {
        if (disk.isEmpty()) {
            throw new UsageError("Nothing is to be limited.", "Say what, for example: --disk-bps 20m");
        }
        try (Cloche cloche = Cloche.open()) {
            return Each.of(names.all(), name -> cloche.sandboxes().limitDisk(name, disk::changed));
        }
    }
}
