package dev.cloche.cli.sandbox;

import dev.cloche.Cloche;
import dev.cloche.Sandbox;
import dev.cloche.cli.option.FormatOption;
import dev.cloche.cli.terminal.ByteSize;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.JsonOutput;
import dev.cloche.cli.terminal.Table;
import dev.cloche.vm.GuestMetrics;
import dev.cloche.vm.VmIsolation;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.function.LongFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
        name = "stats",
        customSynopsis = "cloche stats [OPTIONS] SANDBOX",
        description = {
            "Show once what a running sandbox uses.",
            "",
            "The numbers are those of its guest, which may say what it likes; what it cannot tell is shown as -. Only HOST PEAK"
                    + " is the kernel's: the most memory of this host that its VM has had, where it has a control group.",
            ""
        },
        footerHeading = "%nExamples:%n",
        footer = {"  cloche stats web", "  cloche stats --format json web"})
public final class StatsCommand implements Callable<Integer> {
    private static final String UNKNOWN = "-";

    @Mixin
    private FormatOption format = new FormatOption();

    @Parameters(index = "0", paramLabel = "SANDBOX", description = "Name of the sandbox.")
    private String name = "";

    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open();
                Sandbox sandbox = cloche.connect(name)) {
            GuestMetrics metrics = sandbox.metrics();
            print(name, metrics, hostPeak(cloche), format.json(), System.out);
        }
        return ExitCodes.OK;
    }

    private OptionalLong hostPeak(Cloche cloche) {
        return cloche.sandboxes()
                .inspect(name)
                .isolation()
                .flatMap(VmIsolation::group)
                .map(VmIsolation.Group::memoryPeak)
                .orElse(OptionalLong.empty());
    }

    /** @param hostPeak the most bytes of its host that it has had */
    public static void print(String name, GuestMetrics metrics, OptionalLong hostPeak, boolean json, PrintStream out) {
        if (json) {
            JsonOutput.print(out, output -> write(output, name, metrics, hostPeak));
            return;
        }
        Table table = new Table("NAME", "CPU TIME", "MEMORY", "DISK", "PROCESSES", "NET IN", "NET OUT", "HOST PEAK");
        table.row(
                name,
                shown(metrics.cpuNanos(), StatsCommand::seconds),
                used(metrics.memoryBytes(), metrics.memoryAvailableBytes()),
                used(metrics.diskBytes(), metrics.diskFreeBytes()),
                shown(metrics.processes(), Long::toString),
                shown(metrics.receivedBytes(), ByteSize::of),
                shown(metrics.sentBytes(), ByteSize::of),
                shown(hostPeak, ByteSize::of));
        table.print(out);
    }

    private static void write(JsonOutput json, String name, GuestMetrics metrics, OptionalLong hostPeak) {
        json.object(() -> json.field("name", name)
                .field("uptimeNanos", metrics.uptimeNanos())
                .field("cpus", metrics.cpus())
                .field("cpuNanos", metrics.cpuNanos())
                .field("memoryBytes", metrics.memoryBytes())
                .field("memoryAvailableBytes", metrics.memoryAvailableBytes())
                .field("processes", metrics.processes())
                .field("diskBytes", metrics.diskBytes())
                .field("diskFreeBytes", metrics.diskFreeBytes())
                .field("inodes", metrics.inodes())
                .field("inodesFree", metrics.inodesFree())
                .field("executions", metrics.executions())
                .field("receivedBytes", metrics.receivedBytes())
                .field("sentBytes", metrics.sentBytes())
                .field("hostPeakBytes", hostPeak));
    }

    private static String used(OptionalLong total, OptionalLong free) {
        if (total.isEmpty() || free.isEmpty()) {
            return UNKNOWN;
        }
        long used = Math.max(0, total.getAsLong() - free.getAsLong());
        return ByteSize.of(used) + " / " + ByteSize.of(total.getAsLong());
    }

    private static String shown(OptionalLong value, LongFunction<String> form) {
        return value.isPresent() ? form.apply(value.getAsLong()) : UNKNOWN;
    }

    private static String seconds(long nanos) {
        return String.format(
                Locale.ROOT, "%.1f s", (double) nanos / Duration.ofSeconds(1).toNanos());
    }
}
