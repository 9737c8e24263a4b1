package dev.cloche.cli.machine;

import dev.cloche.Cloche;
import dev.cloche.MachineInfo;
import dev.cloche.MachineList;
import dev.cloche.Machines;
import dev.cloche.base.NameSuggestions;
import dev.cloche.cli.option.GraceOption;
import dev.cloche.cli.option.WaitForRoomOption;
import dev.cloche.cli.terminal.Each;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.UsageError;
import dev.cloche.machine.BrokenMachine;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Has the commands of {@code cloche machine}: those of a few lines here, the others in files of their own. */
public final class MachineCommands {
    private MachineCommands() {}

    /** Returns them by name, in the order of the help. */
    public static Map<String, Supplier<Callable<Integer>>> all() {
        Map<String, Supplier<Callable<Integer>>> all = new LinkedHashMap<>();
        all.put("create", MachineCreateCommand::new);
        all.put("start", Start::new);
        all.put("stop", Stop::new);
        all.put("restart", Restart::new);
        all.put("ls", MachineLsCommand::new);
        all.put("inspect", MachineInspectCommand::new);
        all.put("shell", MachineShellCommand::new);
        all.put("exec", MachineExecCommand::new);
        all.put("cp", MachineCpCommand::new);
        all.put("edit", MachineConfigCommands.Edit::new);
        all.put("set", MachineConfigCommands.Change::new);
        all.put("apply", MachineConfigCommands.Apply::new);
        all.put("suspend", Suspend::new);
        all.put("resume", Resume::new);
        all.put("snapshot", MachineSnapshotCommands.Snapshot::new);
        all.put("restore", MachineSnapshotCommands.Restore::new);
        all.put("clone", MachineCopyCommands.Clone::new);
        all.put("adopt", MachineCopyCommands.Adopt::new);
        all.put("export", MachineCopyCommands.Export::new);
        all.put("import", MachineCopyCommands.Import::new);
        all.put("rename", Rename::new);
        all.put("rm", Rm::new);
        all.put("wait", MachineWaitCommand::new);
        all.put("events", MachineEventsCommand::new);
        all.put("default", MachineDefaultCommand::new);
        all.put("autostart", MachineAutostartCommand::new);
        all.put("recover", MachineRecoverCommand::new);
        return all;
    }

    @Command(name = "start", description = "Start machines, or continue suspended ones; returns when they are usable.")
    private static final class Start implements Callable<Integer> {
        @Option(
                names = {"-q", "--quiet"},
                description = "Do not show the progress of a pull.")
        private boolean quiet;

        @Mixin
        private WaitForRoomOption waitForRoom = new WaitForRoomOption();

        @Parameters(arity = "1..*", paramLabel = "NAME", description = "Names of machines.")
        private List<String> names = new ArrayList<>();

        @Override
        public Integer call() {
            return MachineStarts.all(names, quiet, waitForRoom.longest());
        }
    }

    @Command(
            name = "stop",
            description =
                    "Stop machines: their init, or their processes, are asked to end, and killed after a time of grace.")
    private static final class Stop implements Callable<Integer> {
        @Mixin
        private GraceOption time = new GraceOption();

        @Parameters(arity = "1..*", paramLabel = "NAME", description = "Names of machines.")
        private List<String> names = new ArrayList<>();

        @Override
        public Integer call() {
            try (Cloche cloche = Cloche.open()) {
                return Each.of(names, name -> cloche.machines().stop(name, time.grace()));
            }
        }
    }

    @Command(name = "restart", description = "Stop machines and start them again.")
    private static final class Restart implements Callable<Integer> {
        @Mixin
        private GraceOption time = new GraceOption();

        @Parameters(arity = "1..*", paramLabel = "NAME", description = "Names of machines.")
        private List<String> names = new ArrayList<>();

        @Override
        public Integer call() {
            try (Cloche cloche = Cloche.open()) {
                Machines machines = cloche.machines();
                return Each.of(names, name -> {
                    machines.stop(name, time.grace());
                    machines.start(name).close();
                    MachineStarts.warn(machines, name);
                });
            }
        }
    }

    @Command(
            name = "suspend",
            description = "Write the memory of running machines to disk and end them; start continues from there.")
    private static final class Suspend implements Callable<Integer> {
        @Parameters(arity = "1..*", paramLabel = "NAME", description = "Names of machines.")
        private List<String> names = new ArrayList<>();

        @Override
        public Integer call() {
            try (Cloche cloche = Cloche.open()) {
                return Each.of(names, name -> cloche.machines().suspend(name));
            }
        }
    }

    @Command(name = "resume", description = "Continue suspended machines where they were; the same as start.")
    private static final class Resume implements Callable<Integer> {
        @Option(
                names = {"-q", "--quiet"},
                description = "Do not show the progress of a pull.")
        private boolean quiet;

        @Mixin
        private WaitForRoomOption waitForRoom = new WaitForRoomOption();

        @Parameters(arity = "1..*", paramLabel = "NAME", description = "Names of machines.")
        private List<String> names = new ArrayList<>();

        @Override
        public Integer call() {
            return MachineStarts.all(names, quiet, waitForRoom.longest());
        }
    }

    @Command(name = "rename", description = "Give a machine that does not run another name.")
    private static final class Rename implements Callable<Integer> {
        @Parameters(index = "0", paramLabel = "NAME", description = "The machine.")
        private String name = "";

        @Parameters(index = "1", paramLabel = "NEW", description = "Its new name.")
        private String next = "";

        @Override
        public Integer call() {
            try (Cloche cloche = Cloche.open()) {
                cloche.machines().rename(name, next);
            }
            System.out.println(next);
            return ExitCodes.OK;
        }
    }

    @Command(name = "rm", description = "Remove machines with their disks and all that belongs to them.")
    private static final class Rm implements Callable<Integer> {
        @Option(
                names = {"-f", "--force"},
                description = "Also those that run or are broken; one that is gone is no error.")
        private boolean force;

        @Parameters(arity = "1..*", paramLabel = "NAME", description = "Names of machines.")
        private List<String> names = new ArrayList<>();

        @Override
        public Integer call() {
            try (Cloche cloche = Cloche.open()) {
                return Each.of(names, name -> remove(cloche.machines(), name));
            }
        }

        private void remove(Machines machines, String name) {
            if (!machines.remove(name, force) && !force) {
                MachineList all = machines.list();
                List<String> there = Stream.concat(
                                all.machines().stream().map(MachineInfo::name),
                                all.broken().stream().map(BrokenMachine::name))
                        .toList();
                throw new UsageError(
                        "There is no machine named \"" + name + "\".",
                        NameSuggestions.remedy(name, there, "List them with: cloche machine ls"));
            }
        }
    }
}
