package dev.cloche.cli.option;

import dev.cloche.CommandSetup;
import dev.cloche.SandboxBuilder;
import dev.cloche.cli.terminal.UsageError;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options by which {@code run} and {@code exec} say how a command is run. */
public final class CommandSettings {
    @Option(
            names = {"-e", "--env"},
            paramLabel = "NAME[=VALUE]",
            description = "Set an environment variable; without a value it is taken from here. May be repeated.")
    private List<String> environment = new ArrayList<>();

    @Option(
            names = {"-w", "--workdir"},
            paramLabel = "DIR",
            description = "Working directory in the guest, an absolute path.")
    private @Nullable String workingDirectory;

    @Option(
            names = {"-u", "--user"},
            paramLabel = "USER[:GROUP]",
            description = "User and group to run as, by name or number, as the image's passwd and group files say.")
    private @Nullable String user;

    @Option(
            names = "--ulimit",
            paramLabel = "NAME=SOFT[:HARD]",
            description = "Limit a resource, for example nofile=1024:2048 or nproc=100. May be repeated.",
            converter = Ulimit.Converter.class)
    private List<Ulimit> limits = new ArrayList<>();

    /** Refuses what can be no command's, before anything is done for it. */
    public void check() {
        for (String variable : environment) {
            if (variable.isEmpty() || variable.startsWith("=")) {
                throw new UsageError(
                        "\"" + variable + "\" names no environment variable.", "Write it as NAME=value, or NAME.");
            }
        }
    }

    /** Applies what was given to {@code command}. */
    public <T extends CommandSetup<T>> T applyTo(T command) {
        eachVariable(command::environment);
        applyLimitsTo(command);
        if (workingDirectory != null) {
            command.workingDirectory(workingDirectory);
        }
        if (user != null) {
            command.user(user);
        }
        return command;
    }

    /** Applies the limits to the command that a sandbox is for; all else is the {@linkplain #applyDefaultsTo sandbox's}. */
    public <T extends CommandSetup<T>> T applyLimitsTo(T command) {
        for (Ulimit limit : limits) {
            command.limit(limit.resource(), limit.soft(), limit.hard());
        }
        return command;
    }

    /** Applies all but the limits to a sandbox, for every command in it. */
    public SandboxBuilder applyDefaultsTo(SandboxBuilder sandbox) {
        eachVariable(sandbox::environment);
        if (workingDirectory != null) {
            sandbox.workingDirectory(workingDirectory);
        }
        return user == null ? sandbox : sandbox.user(user);
    }

    private void eachVariable(BiConsumer<String, String> setter) {
        for (String variable : environment) {
            int equals = variable.indexOf('=');
            if (equals >= 0) {
                setter.accept(variable.substring(0, equals), variable.substring(equals + 1));
            } else {
                String inherited = System.getenv(variable);
                if (inherited != null) {
                    setter.accept(variable, inherited);
                }
            }
        }
    }

    /** Returns the words of the guest's command; a first {@code --} only separates it from the options. */
    public static String[] words(List<String> positional) {
        boolean separated = !positional.isEmpty() && positional.getFirst().equals("--");
        return positional.stream().skip(separated ? 1 : 0).toArray(String[]::new);
    }
}
