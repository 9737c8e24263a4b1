package dev.cloche.vm;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/**
 * A program to start in a guest. Texts are sent as UTF-8. Immutable; begin with {@link #of}.
 *
 * @param arguments the program and its arguments; the program is searched in the {@code PATH} of {@code environment}
 * @param environment all of it; only {@code HOME} is added where it is missing
 * @param workingDirectory absolute path in the guest
 * @param user {@code name}, {@code uid}, {@code name:group} or {@code uid:gid}; empty is root
 * @param stdin whether the program's input is written by the host; otherwise it is {@code /dev/null}
 * @param main whether the VM powers off when this program ends
 * @param createWorkingDirectory whether a missing working directory is made
 */
public record ExecRequest(
        List<String> arguments,
        Map<String, String> environment,
        String workingDirectory,
        String user,
        boolean stdin,
        boolean main,
        boolean createWorkingDirectory) {
    /** The {@code PATH} of {@link #of}. */
    public static final String DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

    private static final int MAX_TEXTS = 65_536;
    /** A message's limit is 1 MiB; this leaves room for the lengths that are written beside the texts. */
    private static final int MAX_BYTES = 1 << 20;

    /** @throws InvalidVmSpecException if a text has a NUL or all of them are larger than a message may be (1 MiB) */
    public ExecRequest {
        arguments = List.copyOf(arguments);
        environment = Map.copyOf(environment);
        if (arguments.isEmpty() || arguments.getFirst().isEmpty()) {
            throw invalid("There is no command to execute", "Name a program.");
        }
        if (arguments.size() > MAX_TEXTS || environment.size() > MAX_TEXTS) {
            throw invalid("There are too many arguments or variables", "Give at most 65,536 of each.");
        }
        if (!workingDirectory.startsWith("/")) {
            throw invalid("The working directory '" + workingDirectory + "' is not absolute", "Begin it with '/'.");
        }
        long bytes = 28L + size(workingDirectory) + size(user);
        for (String argument : arguments) {
            bytes += size(argument);
        }
        for (Map.Entry<String, String> variable : environment.entrySet()) {
            if (variable.getKey().isEmpty() || variable.getKey().contains("=")) {
                throw invalid(
                        "'" + variable.getKey() + "' is no name of a variable", "Names are not empty, without '='.");
            }
            bytes += size(variable.getKey()) + 1L + size(variable.getValue());
        }
        if (bytes > MAX_BYTES) {
            throw invalid("Arguments and environment are too large", "Keep them below 1 MiB; use a file or the stdin.");
        }
    }

    /** As root in {@code /}, with {@link #DEFAULT_PATH} as the only variable and no stdin. */
    public static ExecRequest of(String... arguments) {
        return new ExecRequest(List.of(arguments), Map.of("PATH", DEFAULT_PATH), "/", "", false, false, false);
    }

    public ExecRequest withEnvironment(Map<String, String> value) {
        return new ExecRequest(arguments, value, workingDirectory, user, stdin, main, createWorkingDirectory);
    }

    public ExecRequest withWorkingDirectory(String value, boolean create) {
        return new ExecRequest(arguments, environment, value, user, stdin, main, create);
    }

    public ExecRequest withUser(String value) {
        return new ExecRequest(arguments, environment, workingDirectory, value, stdin, main, createWorkingDirectory);
    }

    public ExecRequest withStdin() {
        return new ExecRequest(arguments, environment, workingDirectory, user, true, main, createWorkingDirectory);
    }

    public ExecRequest asMain() {
        return new ExecRequest(arguments, environment, workingDirectory, user, stdin, true, createWorkingDirectory);
    }

    private static long size(String text) {
        if (text.indexOf('\0') >= 0) {
            throw invalid("An argument, variable or path has a NUL character in it", "Remove it.");
        }
        return 4L + text.getBytes(StandardCharsets.UTF_8).length;
    }

    private static InvalidVmSpecException invalid(String sentence, String remedy) {
        return new InvalidVmSpecException(sentence, remedy);
    }
}
