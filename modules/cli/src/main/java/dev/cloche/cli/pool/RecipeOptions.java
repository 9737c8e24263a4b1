package dev.cloche.cli.pool;

import dev.cloche.Ready;
import dev.cloche.SnapshotInfo;
import dev.cloche.Templates;
import dev.cloche.cli.option.TimeSpan;
import dev.cloche.cli.terminal.UsageError;
import dev.cloche.sandbox.SandboxException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options by which {@code template make} says how a template is prepared. */
final class RecipeOptions {
    @Option(names = "--as", paramLabel = "NAME", description = "Prepare a template of this name.")
    private @Nullable String name;

    @Option(
            names = "--copy-in",
            paramLabel = "PATH:GUESTPATH",
            description = "Copy a file or a directory of this host into it, first of all. May be repeated.")
    private List<String> copies = new ArrayList<>();

    @Option(names = "--run", paramLabel = "COMMAND", description = "Run a command in it, in turn. May be repeated.")
    private List<String> commands = new ArrayList<>();

    @Option(
            names = "--start",
            paramLabel = "COMMAND",
            description = "Start a command in it after all others, which runs on in each of its sandboxes.")
    private @Nullable String start;

    @Option(names = "--ready-port", paramLabel = "PORT", description = "Wait until a program listens on a port of it.")
    private @Nullable Integer readyPort;

    @Option(
            names = "--ready-http",
            paramLabel = "PORT/PATH",
            description = "Wait until it answers a GET well, with a status from 200 to 399.")
    private @Nullable String readyPage;

    @Option(names = "--ready", paramLabel = "COMMAND", description = "Wait until a command ends with 0 in it.")
    private @Nullable String ready;

    @Option(
            names = "--ready-timeout",
            paramLabel = "TIME",
            description = "How long that may take (default: 5m).",
            converter = TimeSpan.class)
    private @Nullable Duration readyLimit;

    @Option(
            names = "--on-clone",
            paramLabel = "COMMAND",
            description =
                    "Run a command in each of its sandboxes before that is used, such as one that draws a new seed.")
    private @Nullable String onClone;

    @Option(
            names = {"-e", "--env"},
            paramLabel = "NAME=VALUE",
            description = "Set a variable for these commands and all of its sandboxes. May be repeated.")
    private List<String> environment = new ArrayList<>();

    /** Returns whether a name was given, without which the steps have no meaning. */
    boolean wanted() {
        boolean steps = !copies.isEmpty()
                || !commands.isEmpty()
                || start != null
                || readyPort != null
                || readyPage != null
                || ready != null
                || readyLimit != null
                || onClone != null
                || !environment.isEmpty();
        if (name == null && steps) {
            throw new UsageError("A template that is prepared has a name.", "Give it one with --as.");
        }
        return name != null;
    }

    String name() {
        return name == null ? "" : name;
    }

    /** Does the steps; what they write goes to standard error. */
    SnapshotInfo make(Templates.Preparation preparation, boolean quiet) {
        for (String variable : environment) {
            int equals = variable.indexOf('=');
            if (equals < 1) {
                throw new UsageError("\"" + variable + "\" is no variable with a value.", "Write it as NAME=value.");
            }
            preparation.environment(variable.substring(0, equals), variable.substring(equals + 1));
        }
        for (String copy : copies) {
            int colon = copy.lastIndexOf(':');
            if (colon < 1 || !copy.startsWith("/", colon + 1)) {
                throw new UsageError(
                        "\"" + copy + "\" does not say what is copied where.", "Write it as PATH:/PATH-IN-THE-GUEST.");
            }
            preparation.copyIn(Path.of(copy.substring(0, colon)), copy.substring(colon + 1));
        }
        commands.forEach(command -> preparation.run(shell(command)));
        if (start != null) {
            preparation.start(shell(start));
        }
        if (readyPort != null) {
            preparation.ready(Ready.port(readyPort));
        }
        if (readyPage != null) {
            preparation.ready(HealthOptions.http(readyPage));
        }
        if (ready != null) {
            preparation.ready(Ready.command(shell(ready)));
        }
        if (readyLimit != null) {
            preparation.readyLimit(readyLimit);
        }
        if (onClone != null) {
            preparation.onClone(shell(onClone));
        }
        return made(preparation, quiet);
    }

    private static SnapshotInfo made(Templates.Preparation preparation, boolean quiet) {
        try {
            return preparation
                    .output(quiet ? OutputStream.nullOutputStream() : System.err)
                    .make();
        } catch (SandboxException.PreparationFailed failed) {
            if (quiet) {
                System.err.print(failed.output());
            }
            throw failed;
        }
    }

    private static String[] shell(String command) {
        return new String[] {"/bin/sh", "-c", command};
    }
}
