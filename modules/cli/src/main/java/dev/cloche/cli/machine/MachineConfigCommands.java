package dev.cloche.cli.machine;

import dev.cloche.Cloche;
import dev.cloche.MachineChange;
import dev.cloche.MachineChanged;
import dev.cloche.base.ClocheException;
import dev.cloche.cli.option.DiskLimitOptions;
import dev.cloche.cli.option.DiskSize;
import dev.cloche.cli.option.KeyValue;
import dev.cloche.cli.option.MemorySize;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.ProgressDisplay;
import dev.cloche.cli.terminal.UsageError;
import dev.cloche.machine.MachineInit;
import dev.cloche.machine.MachineRestartPolicy;
import dev.cloche.vm.Network;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Has the commands that change what a machine is made of. */
final class MachineConfigCommands {
    private MachineConfigCommands() {}

    @Command(
            name = "edit",
            description = {
                "Edit the configuration of a machine, also a broken one, with $VISUAL, $EDITOR or vi.",
                "",
                "What is wrong never replaces what is there; it is kept, and its place is told.",
                ""
            })
    static final class Edit implements Callable<Integer> {
        @Parameters(index = "0", paramLabel = "NAME", description = "The machine.")
        private String name = "";

        @Override
        public Integer call() throws Exception {
            byte[] seen;
            try (Cloche cloche = Cloche.open()) {
                seen = cloche.machines().configuration(name).getBytes(StandardCharsets.UTF_8);
            }
            Path draft = Files.createTempFile("cloche-" + Path.of(name).getFileName() + "-", ".toml");
            Files.write(draft, seen);
            int editor = edit(draft);
            byte[] text = Files.readAllBytes(draft);
            boolean same = Arrays.equals(seen, text);
            if (same) {
                Files.delete(draft);
            }
            if (editor != 0) {
                throw new UsageError(
                        "The editor ended with exit code " + editor + ", so nothing is changed.",
                        same ? "Set $EDITOR to one that works." : "What was written is in " + draft + ".");
            }
            if (same) {
                System.err.println("cloche: nothing is changed");
                return ExitCodes.OK;
            }
            replace(seen, text, draft);
            Files.delete(draft);
            return ExitCodes.OK;
        }

        private void replace(byte[] seen, byte[] text, Path draft) {
            try (Cloche cloche = Cloche.open()) {
                Change.report(cloche.machines()
                        .replaceConfiguration(
                                name,
                                new String(seen, StandardCharsets.UTF_8),
                                new String(text, StandardCharsets.UTF_8)));
            } catch (ClocheException refused) {
                System.err.println("cloche: the configuration stays as it was; what was written is in " + draft);
                throw refused;
            }
        }

        static int edit(Path draft) throws IOException, InterruptedException {
            String editor = first(System.getenv("VISUAL"), first(System.getenv("EDITOR"), "vi"));
            // The variable may have options in it, which a shell takes apart as everywhere.
            return new ProcessBuilder(List.of("sh", "-c", editor + " \"$1\"", "sh", draft.toString()))
                    .inheritIO()
                    .start()
                    .waitFor();
        }

        static String first(@org.jspecify.annotations.Nullable String given, String otherwise) {
            return given == null || given.isBlank() ? otherwise : given;
        }
    }

    @Command(
            name = "set",
            description = {
                "Change a machine. A larger disk is there at once, also while it runs, and so are limits of the disk; all else from its next start.",
                ""
            },
            footerHeading = "%nExamples:%n",
            footer = {"  cloche machine set dev --memory 8g --disk 100g", "  cloche machine set dev --label team="})
    static final class Change implements Callable<Integer> {
        @Option(names = "--cpus", paramLabel = "N", description = "Virtual CPUs, 1 to 64.")
        private @Nullable Integer cpus;

        @Option(
                names = {"-m", "--memory"},
                paramLabel = "SIZE",
                description = "Memory, for example 512m or 4g.",
                converter = MemorySize.class)
        private @Nullable Integer memory;

        @Option(
                names = "--disk",
                paramLabel = "SIZE",
                description = "Size of its disk, for example 100g or 1t, a bare number in GiB; not less than it has.",
                converter = DiskSize.class)
        private @Nullable Integer disk;

        @Mixin
        private DiskLimitOptions diskLimits = new DiskLimitOptions();

        @Option(
                names = {"-e", "--env"},
                paramLabel = "NAME=VALUE",
                description = "A variable of every command in it; with an empty value, without it. May be repeated.",
                converter = KeyValue.Converter.class)
        private List<KeyValue> environment = new ArrayList<>();

        @Option(
                names = {"-l", "--label"},
                paramLabel = "NAME=VALUE",
                description = "A note; with an empty value, without it. May be repeated.",
                converter = KeyValue.Converter.class)
        private List<KeyValue> labels = new ArrayList<>();

        @Option(names = "--autostart", negatable = true, description = "Whether it is started with your session.")
        private @Nullable Boolean autostart;

        @Option(
                names = "--restart",
                paramLabel = "POLICY",
                description = "What recovery does if it has ended by itself: no, on-failure or always.")
        private @Nullable String restart;

        @Option(
                names = "--init",
                paramLabel = "INIT",
                description = "Its process 1: agent, systemd, openrc, or a path.")
        private @Nullable String init;

        @Option(names = "--network", paramLabel = "NETWORK", description = "none or user.")
        private @Nullable Network network;

        @Option(
                names = {"-p", "--publish"},
                paramLabel = "[ADDR:][HOST:]GUEST[/udp]",
                description =
                        "A port that it publishes from now on, in place of all that it has published; an empty one for"
                                + " none. May be repeated.")
        private @Nullable List<String> ports;

        @Parameters(index = "0", paramLabel = "NAME", description = "The machine.")
        private String name = "";

        @Override
        public Integer call() {
            boolean nothing = Stream.of(cpus, memory, disk, autostart, restart, init, network, ports)
                    .allMatch(Objects::isNull);
            if (nothing && diskLimits.isEmpty() && environment.isEmpty() && labels.isEmpty()) {
                throw new UsageError("Nothing is to be changed.", "Say what, for example: --memory 4g");
            }
            MachineChange change = new MachineChange();
            if (cpus != null) {
                change.cpus(cpus);
            }
            if (memory != null) {
                change.memoryMib(memory);
            }
            if (disk != null) {
                change.diskGib(disk);
            }
            if (!diskLimits.isEmpty()) {
                change.diskLimits(diskLimits::changed);
            }
            if (autostart != null) {
                change.autostart(autostart);
            }
            if (restart != null) {
                change.restart(MachineRestartPolicy.parse(restart));
            }
            if (init != null) {
                change.init(new MachineInit(init));
            }
            if (network != null) {
                change.network(network);
            }
            if (ports != null) {
                change.publish(ports.stream().filter(port -> !port.isEmpty()).toList());
            }
            environment.forEach(variable -> change.environment(variable.name(), variable.value()));
            labels.forEach(label -> change.label(label.name(), label.value()));
            try (Cloche cloche = Cloche.open()) {
                report(cloche.machines().change(name, change));
            }
            return ExitCodes.OK;
        }

        static void report(MachineChanged changed) {
            System.out.println(changed.machine().name());
            for (String key : changed.unknownKeys()) {
                System.err.println("cloche: the key " + key + " means nothing to Cloche; it is kept as it is");
            }
            if (changed.atNextStart()) {
                System.err.println("cloche: some of it is in force from the next start: cloche machine restart "
                        + changed.machine().name());
            }
        }
    }

    @Command(
            name = "apply",
            description = {
                "Make the machine that a TOML file describes, or change it to match.",
                "",
                "Keys: name, image, cpus, memory_mb, disk_gb, init, network, publish, env, labels, autostart,"
                        + " restart_policy, isolation, disk_iops, disk_bps, provision. What is left out stays as it is.",
                ""
            })
    static final class Apply implements Callable<Integer> {
        @Option(
                names = {"-q", "--quiet"},
                description = "Do not show the progress of a pull.")
        private boolean quiet;

        @Parameters(index = "0", paramLabel = "FILE", description = "The file.")
        private Path file = Path.of("");

        @Override
        public Integer call() {
            try (Cloche cloche = Cloche.open();
                    ProgressDisplay progress = ProgressDisplay.forTerminal(quiet)) {
                Change.report(cloche.machines().apply(file, progress));
            }
            return ExitCodes.OK;
        }
    }
}
