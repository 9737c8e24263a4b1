package dev.cloche.sandbox;

import dev.cloche.vm.ResourceLimit;
import dev.cloche.vm.TerminalSize;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Says how a command is run, where it differs from what the image says.
 *
 * @param environment added to the image's environment, replacing what has the same name
 * @param workingDirectory absolute path in the guest; made if missing when it starts a sandbox
 * @param user {@code name}, {@code uid}, {@code name:group} or {@code uid:gid}
 * @param stdin whether the caller will write to the command's standard input; otherwise it is {@code /dev/null}
 * @param terminal the size of its terminal, if it has one
 * @param acknowledged whether its output is kept in the guest until it is acknowledged; not of a main command that
 *     outlives its starter
 * @param limits of the command's resources, at most one of each
 */
public record CommandOptions(
        Map<String, String> environment,
        Optional<String> workingDirectory,
        Optional<String> user,
        boolean stdin,
        Optional<TerminalSize> terminal,
        boolean acknowledged,
        List<ResourceLimit> limits) {
    private static final CommandOptions NONE = new CommandOptions(Map.of(), Optional.empty(), Optional.empty(), false);

    public CommandOptions {
        environment = Map.copyOf(environment);
        limits = List.copyOf(limits);
        environment.forEach(CommandOptions::checkVariable);
        workingDirectory.ifPresent(CommandOptions::checkDirectory);
    }

    /** Chooses no terminal, limits, or output that is kept until it is acknowledged. */
    public CommandOptions(
            Map<String, String> environment, Optional<String> workingDirectory, Optional<String> user, boolean stdin) {
        this(environment, workingDirectory, user, stdin, Optional.empty(), false, List.of());
    }

    /** Returns options as the image says, without a standard input. */
    public static CommandOptions none() {
        return NONE;
    }

    /** Returns the same, with environment, working directory and user of {@code defaults} where these say nothing. */
    public CommandOptions withDefaults(CommandOptions defaults) {
        Map<String, String> variables = new HashMap<>(defaults.environment);
        variables.putAll(environment);
        return new CommandOptions(
                variables,
                workingDirectory.or(defaults::workingDirectory),
                user.or(defaults::user),
                stdin,
                terminal,
                acknowledged,
                limits);
    }

    private static void checkVariable(String name, String value) {
        if (name.isEmpty() || name.indexOf('=') >= 0 || name.indexOf('\0') >= 0 || value.indexOf('\0') >= 0) {
            throw new SandboxException.InvalidSpecification(
                    "\"" + name.replace("\0", "\\0") + "\" cannot be an environment variable.",
                    "Write it as NAME=value, without NUL characters.");
        }
    }

    private static void checkDirectory(String directory) {
        if (!directory.startsWith("/") || directory.indexOf('\0') >= 0) {
            throw new SandboxException.InvalidSpecification(
                    "The working directory \"" + directory.replace("\0", "\\0") + "\" is not an absolute path.",
                    "Give a path that begins with /.");
        }
    }
}
