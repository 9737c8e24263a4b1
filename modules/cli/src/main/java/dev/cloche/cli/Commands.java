package dev.cloche.cli;

import dev.cloche.cli.host.CatalogBackupCommand;
import dev.cloche.cli.host.CatalogCheckCommand;
import dev.cloche.cli.host.CatalogCommand;
import dev.cloche.cli.host.CatalogMigrateCommand;
import dev.cloche.cli.host.CatalogRestoreCommand;
import dev.cloche.cli.host.DoctorCommand;
import dev.cloche.cli.host.KeepCommand;
import dev.cloche.cli.host.MaintainCommand;
import dev.cloche.cli.image.ImageCommand;
import dev.cloche.cli.image.ImageInspectCommand;
import dev.cloche.cli.image.ImageLoadCommand;
import dev.cloche.cli.image.ImagePruneCommand;
import dev.cloche.cli.image.ImageRmCommand;
import dev.cloche.cli.image.ImageSaveCommand;
import dev.cloche.cli.image.ImageTagCommand;
import dev.cloche.cli.image.ImagesCommand;
import dev.cloche.cli.image.LoginCommand;
import dev.cloche.cli.image.LogoutCommand;
import dev.cloche.cli.image.PullCommand;
import dev.cloche.cli.machine.MachineCommand;
import dev.cloche.cli.machine.MachineCommands;
import dev.cloche.cli.pool.PoolCommand;
import dev.cloche.cli.pool.PoolFillCommand;
import dev.cloche.cli.pool.PoolLsCommand;
import dev.cloche.cli.pool.PoolRmCommand;
import dev.cloche.cli.pool.PoolSetCommand;
import dev.cloche.cli.pool.PoolStatsCommand;
import dev.cloche.cli.pool.TemplateCommand;
import dev.cloche.cli.pool.TemplateInspectCommand;
import dev.cloche.cli.pool.TemplateLsCommand;
import dev.cloche.cli.pool.TemplateMakeCommand;
import dev.cloche.cli.pool.TemplatePruneCommand;
import dev.cloche.cli.pool.TemplateRmCommand;
import dev.cloche.cli.process.ProcessAwaitCommand;
import dev.cloche.cli.process.ProcessCancelCommand;
import dev.cloche.cli.process.ProcessCommand;
import dev.cloche.cli.process.ProcessEventsCommand;
import dev.cloche.cli.process.ProcessInspectCommand;
import dev.cloche.cli.process.ProcessLogsCommand;
import dev.cloche.cli.process.ProcessLsCommand;
import dev.cloche.cli.process.ProcessPruneCommand;
import dev.cloche.cli.sandbox.CpCommand;
import dev.cloche.cli.sandbox.CreateCommand;
import dev.cloche.cli.sandbox.DrainCommand;
import dev.cloche.cli.sandbox.EventsCommand;
import dev.cloche.cli.sandbox.ExecCommand;
import dev.cloche.cli.sandbox.ForkCommand;
import dev.cloche.cli.sandbox.InspectCommand;
import dev.cloche.cli.sandbox.KillCommand;
import dev.cloche.cli.sandbox.LogsCommand;
import dev.cloche.cli.sandbox.PauseCommand;
import dev.cloche.cli.sandbox.PsCommand;
import dev.cloche.cli.sandbox.RenameCommand;
import dev.cloche.cli.sandbox.RestartCommand;
import dev.cloche.cli.sandbox.RestoreCommand;
import dev.cloche.cli.sandbox.ResumeCommand;
import dev.cloche.cli.sandbox.RmCommand;
import dev.cloche.cli.sandbox.RunCommand;
import dev.cloche.cli.sandbox.SnapshotCommand;
import dev.cloche.cli.sandbox.SnapshotCreateCommand;
import dev.cloche.cli.sandbox.SnapshotInspectCommand;
import dev.cloche.cli.sandbox.SnapshotLsCommand;
import dev.cloche.cli.sandbox.SnapshotRmCommand;
import dev.cloche.cli.sandbox.StartCommand;
import dev.cloche.cli.sandbox.StatsCommand;
import dev.cloche.cli.sandbox.StopCommand;
import dev.cloche.cli.sandbox.WaitCommand;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Supplier;

/** All commands, in the order of the help. */
final class Commands {
    static final Map<String, Supplier<Callable<Integer>>> ALL = new LinkedHashMap<>();

    /** The commands within those that are only a name for several. */
    static final Map<String, Map<String, Supplier<Callable<Integer>>>> GROUPS = new LinkedHashMap<>();

    /** Those that stand for a command in a guest, and so have Docker's exit codes. */
    static final Set<String> RUNS_A_COMMAND = Set.of("run", "exec");

    /** Those that describe the others. */
    private static final Set<String> DESCRIBING = Set.of("completion", "help");

    private static final Set<String> AT_WORK = Set.of(
            "run",
            "create",
            "start",
            "exec",
            "cp",
            "ps",
            "inspect",
            "logs",
            "stats",
            "stop",
            "drain",
            "kill",
            "restart",
            "pause",
            "resume",
            "rename",
            "rm",
            "wait",
            "events",
            "keep",
            "pull",
            "images",
            "image",
            "process",
            "maintain",
            "snapshot",
            "restore",
            "fork",
            "machine",
            "pool");

    private static final Set<String> VERSION = Set.of("-V", "--version");

    static {
        ALL.put("run", RunCommand::new);
        ALL.put("exec", ExecCommand::new);
        ALL.put("cp", CpCommand::new);
        ALL.put("create", CreateCommand::new);
        ALL.put("start", StartCommand::new);
        ALL.put("ps", PsCommand::new);
        ALL.put("inspect", InspectCommand::new);
        ALL.put("logs", LogsCommand::new);
        ALL.put("stats", StatsCommand::new);
        ALL.put("stop", StopCommand::new);
        ALL.put("drain", DrainCommand::new);
        ALL.put("kill", KillCommand::new);
        ALL.put("restart", RestartCommand::new);
        ALL.put("pause", PauseCommand::new);
        ALL.put("resume", ResumeCommand::new);
        ALL.put("rename", RenameCommand::new);
        ALL.put("rm", RmCommand::new);
        ALL.put("wait", WaitCommand::new);
        ALL.put("snapshot", SnapshotCommand::new);
        ALL.put("restore", RestoreCommand::new);
        ALL.put("fork", ForkCommand::new);
        ALL.put("events", EventsCommand::new);
        ALL.put("keep", KeepCommand::new);
        ALL.put("pull", PullCommand::new);
        ALL.put("images", ImagesCommand::new);
        ALL.put("image", ImageCommand::new);
        ALL.put("process", ProcessCommand::new);
        ALL.put("machine", MachineCommand::new);
        ALL.put("template", TemplateCommand::new);
        ALL.put("pool", PoolCommand::new);
        ALL.put("catalog", CatalogCommand::new);
        ALL.put("maintain", MaintainCommand::new);
        ALL.put("login", LoginCommand::new);
        ALL.put("logout", LogoutCommand::new);
        ALL.put("doctor", DoctorCommand::new);
        ALL.put("version", VersionCommand::new);
        ALL.put("completion", CompletionCommand::new);
        ALL.put("help", HelpCommand::new);

        Map<String, Supplier<Callable<Integer>>> image = new LinkedHashMap<>();
        image.put("ls", ImagesCommand::new);
        image.put("inspect", ImageInspectCommand::new);
        image.put("pull", PullCommand::new);
        image.put("tag", ImageTagCommand::new);
        image.put("rm", ImageRmCommand::new);
        image.put("prune", ImagePruneCommand::new);
        image.put("load", ImageLoadCommand::new);
        image.put("save", ImageSaveCommand::new);
        GROUPS.put("image", image);
        GROUPS.put("machine", MachineCommands.all());
        Map<String, Supplier<Callable<Integer>>> template = new LinkedHashMap<>();
        template.put("ls", TemplateLsCommand::new);
        template.put("inspect", TemplateInspectCommand::new);
        template.put("make", TemplateMakeCommand::new);
        template.put("rm", TemplateRmCommand::new);
        template.put("prune", TemplatePruneCommand::new);
        GROUPS.put("template", template);
        Map<String, Supplier<Callable<Integer>>> snapshot = new LinkedHashMap<>();
        snapshot.put("create", SnapshotCreateCommand::new);
        snapshot.put("ls", SnapshotLsCommand::new);
        snapshot.put("inspect", SnapshotInspectCommand::new);
        snapshot.put("rm", SnapshotRmCommand::new);
        GROUPS.put("snapshot", snapshot);
        Map<String, Supplier<Callable<Integer>>> pool = new LinkedHashMap<>();
        pool.put("set", PoolSetCommand::new);
        pool.put("ls", PoolLsCommand::new);
        pool.put("stats", PoolStatsCommand::new);
        pool.put("fill", PoolFillCommand::new);
        pool.put("rm", PoolRmCommand::new);
        GROUPS.put("pool", pool);
        Map<String, Supplier<Callable<Integer>>> catalog = new LinkedHashMap<>();
        catalog.put("check", CatalogCheckCommand::new);
        catalog.put("backup", CatalogBackupCommand::new);
        catalog.put("restore", CatalogRestoreCommand::new);
        catalog.put("migrate", CatalogMigrateCommand::new);
        GROUPS.put("catalog", catalog);
        Map<String, Supplier<Callable<Integer>>> process = new LinkedHashMap<>();
        process.put("ls", ProcessLsCommand::new);
        process.put("inspect", ProcessInspectCommand::new);
        process.put("events", ProcessEventsCommand::new);
        process.put("await", ProcessAwaitCommand::new);
        process.put("logs", ProcessLogsCommand::new);
        process.put("cancel", ProcessCancelCommand::new);
        process.put("prune", ProcessPruneCommand::new);
        GROUPS.put("process", process);
    }

    private Commands() {}

    /** Whether these arguments name a command that works with images or sandboxes. */
    static boolean opensTheStateRoot(String... arguments) {
        return arguments.length > 0 && AT_WORK.contains(arguments[0]);
    }

    /** The commands that may be meant, or have to be described. */
    static Set<String> neededFor(String... arguments) {
        String first = arguments.length == 0 ? "" : arguments[0];
        if (VERSION.contains(first)) {
            return Set.of();
        }
        return ALL.containsKey(first) && !DESCRIBING.contains(first) ? Set.of(first) : ALL.keySet();
    }
}
