package dev.cloche.cli.sandbox;

import dev.cloche.Cloche;
import dev.cloche.cli.image.CommitCommand;
import dev.cloche.cli.option.FormatOption;
import dev.cloche.cli.option.GraceOption;
import dev.cloche.cli.option.TimeSpan;
import dev.cloche.cli.option.WaitForRoomOption;
import dev.cloche.cli.pool.MakerCommand;
import dev.cloche.cli.terminal.Each;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.UsageError;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Has the commands of sandboxes: those of a few lines here, the others in files of their own. */
public final class SandboxCommands {
    private SandboxCommands() {}

    /** Returns them by name, in the order of the help. */
    public static Map<String, Supplier<Callable<Integer>>> all() {
        Map<String, Supplier<Callable<Integer>>> all = new LinkedHashMap<>();
        all.put("run", RunCommand::new);
        all.put("exec", ExecCommand::new);
        all.put("repl", ReplCommand::new);
        all.put("cp", CpCommand::new);
        all.put("watch", WatchCommand::new);
        all.put("forward", ForwardCommand::new);
        all.put("publish", PublishCommand::new);
        all.put("unpublish", UnpublishCommand::new);
        all.put("port", PortCommand::new);
        all.put("create", CreateCommand::new);
        all.put("start", Start::new);
        all.put("ps", PsCommand::new);
        all.put("inspect", InspectCommand::new);
        all.put("logs", LogsCommand::new);
        all.put("stats", StatsCommand::new);
        all.put("stop", Stop::new);
        all.put("drain", Drain::new);
        all.put("kill", Kill::new);
        all.put("restart", Restart::new);
        all.put("extend", ExtendCommand::new);
        all.put("limit", LimitCommand::new);
        all.put("pause", Pause::new);
        all.put("suspend", Suspend::new);
        all.put("resume", Resume::new);
        all.put("rename", Rename::new);
        all.put("rm", Rm::new);
        all.put("wait", WaitCommand::new);
        all.put("commit", CommitCommand::new);
        all.put("snapshot", SnapshotCommand::new);
        all.put("restore", RestoreCommand::new);
        all.put("fork", ForkCommand::new);
        all.put("events", EventsCommand::new);
        return all;
    }

    @Command(
            name = "start",
            description =
                    "Start sandboxes that were created or have ended: detached, with the image and command that they have."
                            + " Those that are suspended go on.")
    private static final class Start implements Callable<Integer> {
        @Mixin
        private FormatOption format = new FormatOption();

        @Mixin
        private WaitForRoomOption waitForRoom = new WaitForRoomOption();

        @Mixin
        private SandboxNames names = new SandboxNames();

        @Override
        public Integer call() {
            try (Cloche cloche = Cloche.open(MakerCommand.options())) {
                return format.json()
                        ? Each.of(
                                names.all(),
                                name -> StartReport.print(
                                        cloche, cloche.sandboxes().start(name, waitForRoom.longest()), System.out),
                                name -> {})
                        : Each.of(names.all(), name -> cloche.sandboxes().start(name, waitForRoom.longest()));
            }
        }
    }

    @Command(
            name = "stop",
            description = "End running sandboxes: their processes get SIGTERM, and SIGKILL after a time of grace.")
    private static final class Stop implements Callable<Integer> {
        @Mixin
        private GraceOption time = new GraceOption();

        @Mixin
        private SandboxNames names = new SandboxNames();

        @Override
        public Integer call() {
            try (Cloche cloche = Cloche.open()) {
                return Each.of(names.all(), name -> cloche.sandboxes().stop(name, time.grace()));
            }
        }
    }

    @Command(
            name = "drain",
            description = "End sandboxes once the commands in them have finished; further ones are refused at once.")
    private static final class Drain implements Callable<Integer> {
        @Option(
                names = "--wait",
                paramLabel = "TIME",
                description = "How long commands may go on (default: ${DEFAULT-VALUE}).",
                defaultValue = "10m",
                converter = TimeSpan.class)
        private Duration longest = Duration.ofMinutes(10);

        @Mixin
        private GraceOption time = new GraceOption();

        @Mixin
        private SandboxNames names = new SandboxNames();

        @Override
        public Integer call() {
            try (Cloche cloche = Cloche.open()) {
                return Each.of(names.all(), name -> cloche.sandboxes().drain(name, longest, time.grace()));
            }
        }
    }

    @Command(name = "kill", description = "Kill running sandboxes at once.")
    private static final class Kill implements Callable<Integer> {
        @Mixin
        private SandboxNames names = new SandboxNames();

        @Override
        public Integer call() {
            try (Cloche cloche = Cloche.open()) {
                return Each.of(names.all(), cloche.sandboxes()::kill);
            }
        }
    }

    @Command(name = "restart", description = "Stop sandboxes, unless they have ended, and start them again.")
    private static final class Restart implements Callable<Integer> {
        @Mixin
        private GraceOption time = new GraceOption();

        @Mixin
        private SandboxNames names = new SandboxNames();

        @Override
        public Integer call() {
            try (Cloche cloche = Cloche.open()) {
                return Each.of(names.all(), name -> cloche.sandboxes().restart(name, time.grace()));
            }
        }
    }

    @Command(name = "pause", description = "Halt running sandboxes in their memory.")
    private static final class Pause implements Callable<Integer> {
        @Mixin
        private SandboxNames names = new SandboxNames();

        @Override
        public Integer call() {
            try (Cloche cloche = Cloche.open()) {
                return Each.of(names.all(), cloche.sandboxes()::pause);
            }
        }
    }

    @Command(
            name = "suspend",
            description = {
                "Write the memory of running sandboxes to disk and end their VMs; resume continues from there, also after a"
                        + " reboot.",
                "The memory on the disk holds the secrets of a sandbox (docs/security.md)."
            })
    private static final class Suspend implements Callable<Integer> {
        @Option(
                names = "--drop-secrets",
                description =
                        "Overwrite and remove /run/secrets in the guest before, and forget them on this host; what"
                                + " programs have copied stays in the memory. resume takes --secret.")
        private boolean dropSecrets;

        @Mixin
        private SandboxNames names = new SandboxNames();

        @Override
        public Integer call() {
            try (Cloche cloche = Cloche.open()) {
                return Each.of(
                        names.all(),
                        dropSecrets ? cloche.sandboxes()::suspendWithoutSecrets : cloche.sandboxes()::suspend);
            }
        }
    }

    @Command(name = "resume", description = "Let paused and suspended sandboxes go on.")
    private static final class Resume implements Callable<Integer> {
        @Mixin
        private SecretOptions secrets = new SecretOptions();

        @Option(
                names = "--disk-only",
                description = "Give up the memory of suspended ones, and start them from their disks, in a new run.")
        private boolean diskOnly;

        @Mixin
        private SandboxNames names = new SandboxNames();

        @Override
        public Integer call() {
            try (Cloche cloche = Cloche.open()) {
                Map<String, byte[]> given = new TreeMap<>();
                secrets.give(given::put);
                if (diskOnly && !given.isEmpty()) {
                    throw new UsageError(
                            "--secret is for a sandbox that goes on from its memory.",
                            "Leave --secret or --disk-only out.");
                }
                if (diskOnly) {
                    return Each.of(names.all(), cloche.sandboxes()::startFromDisk);
                }
                if (given.isEmpty()) {
                    return Each.of(names.all(), cloche.sandboxes()::resume);
                }
                return Each.of(names.all(), name -> cloche.sandboxes().resume(name, given));
            }
        }
    }

    @Command(
            name = "rename",
            description = "Give a sandbox another name. The host name of its guest follows with its next start.")
    private static final class Rename implements Callable<Integer> {
        @Parameters(index = "0", paramLabel = "SANDBOX", description = "Its name.")
        private String name = "";

        @Parameters(index = "1", paramLabel = "NEW-NAME", description = "The name that it gets.")
        private String newName = "";

        @Override
        public Integer call() {
            try (Cloche cloche = Cloche.open()) {
                cloche.sandboxes().rename(name, newName);
            }
            return ExitCodes.OK;
        }
    }

    @Command(name = "rm", description = "Remove sandboxes that have ended, with all that belongs to them.")
    private static final class Rm implements Callable<Integer> {
        @Option(
                names = {"-f", "--force"},
                description = "Kill those that run.")
        private boolean force;

        @Mixin
        private SandboxNames names = new SandboxNames();

        @Override
        public Integer call() {
            try (Cloche cloche = Cloche.open()) {
                return Each.of(names.all(), name -> cloche.sandboxes().remove(name, force));
            }
        }
    }
}
