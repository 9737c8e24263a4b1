package dev.cloche.cli.machine;

import dev.cloche.Cloche;
import dev.cloche.MachineBuilder;
import dev.cloche.cli.option.DiskLimitOptions;
import dev.cloche.cli.option.DiskSize;
import dev.cloche.cli.option.KeyValue;
import dev.cloche.cli.option.MemorySize;
import dev.cloche.cli.option.PublishOptions;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.ProgressDisplay;
import dev.cloche.machine.MachineInit;
import dev.cloche.machine.MachineRestartPolicy;
import dev.cloche.vm.WritableLayer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "create",
        description = "Make a machine; start it with: cloche machine start NAME",
        footerHeading = "%nExamples:%n",
        footer = {
            "  cloche machine create dev --image debian",
            "  cloche machine create ci --image debian --cpus 4 --memory 8g --disk 100g --provision setup.sh"
        })
final class MachineCreateCommand implements Callable<Integer> {
    @Option(
            names = "--image",
            required = true,
            paramLabel = "IMAGE",
            description = "What its root begins as, as in Docker: debian, ghcr.io/x/y:tag, …")
    private String image = "";

    @Option(names = "--cpus", paramLabel = "N", description = "Virtual CPUs, 1 to 64 (default: 2).")
    private @Nullable Integer cpus;

    @Option(
            names = {"-m", "--memory"},
            paramLabel = "SIZE",
            description = "Memory, for example 512m or 4g (default: 2g).",
            converter = MemorySize.class)
    private @Nullable Integer memory;

    @Option(
            names = "--disk",
            paramLabel = "SIZE",
            description = "Size of its disk, for example 100g or 1t, a bare number in GiB (default: 20g); it takes here"
                    + " what is written to it.",
            converter = DiskSize.class)
    private @Nullable Integer disk;

    @Mixin
    private DiskLimitOptions diskLimits = new DiskLimitOptions();

    @Mixin
    private PublishOptions published = new PublishOptions();

    @Option(
            names = {"-e", "--env"},
            paramLabel = "NAME=VALUE",
            description = "A variable of every command in it. May be repeated.",
            converter = KeyValue.Converter.class)
    private List<KeyValue> environment = new ArrayList<>();

    @Option(
            names = {"-l", "--label"},
            paramLabel = "NAME=VALUE",
            description = "A note. May be repeated.",
            converter = KeyValue.Converter.class)
    private List<KeyValue> labels = new ArrayList<>();

    @Option(names = "--autostart", description = "Start it with your session; see: cloche machine autostart --help")
    private boolean autostart;

    @Option(
            names = "--restart",
            paramLabel = "POLICY",
            description = "What recovery does if it has ended by itself: no, on-failure or always (default: no).")
    private @Nullable String restart;

    @Option(
            names = "--init",
            paramLabel = "INIT",
            description = "Its process 1: agent (default), systemd, openrc, or the path of a program of the image.")
    private @Nullable String init;

    @Option(
            names = "--provision",
            paramLabel = "FILE",
            description = "A script that runs once in it, at its first start.")
    private @Nullable Path provision;

    @Option(
            names = {"-q", "--quiet"},
            description = "Do not show the progress of a pull.")
    private boolean quiet;

    @Parameters(index = "0", paramLabel = "NAME", description = "1 to 63 of a-z, 0-9 and '-'.")
    private String name = "";

    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open();
                ProgressDisplay progress = ProgressDisplay.forTerminal(quiet)) {
            MachineBuilder builder = cloche.machines().create(name, image).progress(progress);
            configure(builder);
            builder.make();
        }
        System.out.println(name);
        return ExitCodes.OK;
    }

    private void configure(MachineBuilder builder) {
        if (cpus != null) {
            builder.cpus(cpus);
        }
        if (memory != null) {
            builder.memoryMib(memory);
        }
        if (disk != null) {
            builder.diskGib(disk);
        }
        builder.diskLimits(diskLimits.changed(WritableLayer.Throttle.none()));
        published.applyTo(builder::network, builder::publish);
        if (restart != null) {
            builder.restart(MachineRestartPolicy.parse(restart));
        }
        if (init != null) {
            builder.init(new MachineInit(init));
        }
        if (provision != null) {
            builder.provision(provision);
        }
        builder.autostart(autostart);
        environment.forEach(variable -> builder.environment(variable.name(), variable.value()));
        labels.forEach(label -> builder.label(label.name(), label.value()));
    }
}
