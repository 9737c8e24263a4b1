package dev.cloche.cli;

import dev.cloche.cli.host.CatalogCommand;
import dev.cloche.cli.host.CatalogCommands;
import dev.cloche.cli.host.DoctorCommand;
import dev.cloche.cli.host.KeepCommand;
import dev.cloche.cli.host.MaintainCommand;
import dev.cloche.cli.host.SystemCommand;
import dev.cloche.cli.host.SystemCommands;
import dev.cloche.cli.image.ImageCommand;
import dev.cloche.cli.image.ImageCommands;
import dev.cloche.cli.image.ImagesCommand;
import dev.cloche.cli.image.LoginCommand;
import dev.cloche.cli.image.LogoutCommand;
import dev.cloche.cli.image.PullCommand;
import dev.cloche.cli.machine.MachineCommand;
import dev.cloche.cli.machine.MachineCommands;
import dev.cloche.cli.pool.PoolCommand;
import dev.cloche.cli.pool.PoolCommands;
import dev.cloche.cli.pool.TemplateCommand;
import dev.cloche.cli.pool.TemplateCommands;
import dev.cloche.cli.process.ProcessCommand;
import dev.cloche.cli.process.ProcessCommands;
import dev.cloche.cli.sandbox.SandboxCommands;
import dev.cloche.cli.sandbox.SnapshotCommands;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Supplier;

/** Lists all commands, in the order of the help. */
final class Commands {
    static final Map<String, Supplier<Callable<Integer>>> ALL = new LinkedHashMap<>();

    /** The commands within those that are only a name for several. */
    static final Map<String, Map<String, Supplier<Callable<Integer>>>> GROUPS = new LinkedHashMap<>();

    /** The commands that stand for a command in a guest, and so have Docker's exit codes. */
    static final Set<String> RUNS_A_COMMAND = Set.of("run", "exec");

    /** The commands that end with the exit code of a guest's command, so that 1 and 2 cannot be Cloche's. */
    static final Set<String> ENDS_AS_A_COMMAND = Set.of("run", "exec", "shell");

    /** The commands that describe the others. */
    private static final Set<String> DESCRIBING = Set.of("completion", "help");

    private static final Set<String> AT_WORK = Set.of(
            "run",
            "create",
            "start",
            "exec",
            "repl",
            "cp",
            "watch",
            "forward",
            "port-forward",
            "publish",
            "unpublish",
            "port",
            "ps",
            "inspect",
            "logs",
            "stats",
            "stop",
            "drain",
            "kill",
            "restart",
            "extend",
            "limit",
            "pause",
            "suspend",
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
            "commit",
            "snapshot",
            "restore",
            "fork",
            "machine",
            "pool");

    private static final Set<String> VERSION = Set.of("-V", "--version");

    static {
        ALL.putAll(SandboxCommands.all());
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
        ALL.put("system", SystemCommand::new);
        ALL.put("login", LoginCommand::new);
        ALL.put("logout", LogoutCommand::new);
        ALL.put("doctor", DoctorCommand::new);
        ALL.put("version", VersionCommand::new);
        ALL.put("completion", CompletionCommand::new);
        ALL.put("help", HelpCommand::new);

        GROUPS.put("image", ImageCommands.all());
        GROUPS.put("machine", MachineCommands.all());
        GROUPS.put("template", TemplateCommands.all());
        GROUPS.put("snapshot", SnapshotCommands.all());
        GROUPS.put("pool", PoolCommands.all());
        GROUPS.put("catalog", CatalogCommands.all());
        GROUPS.put("process", ProcessCommands.all());
        GROUPS.put("system", SystemCommands.all());
    }

    private Commands() {}

    /** Returns whether these arguments name a command that works with images or sandboxes. */
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
