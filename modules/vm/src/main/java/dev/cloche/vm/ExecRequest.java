package dev.cloche.vm;

import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Describes a program to start in a guest. Texts are sent as UTF-8. Immutable; begin with {@link #of}.
 *
 * @param arguments the program and its arguments; the program is searched in the {@code PATH} of {@code environment}
 * @param environment all of it, apart from what the guest's identity adds where it is missing, {@code HOME}, and with a
 *     terminal {@code TERM}
 * @param workingDirectory absolute path in the guest
 * @param user {@code name}, {@code uid}, {@code name:group} or {@code uid:gid}; empty is root
 * @param options what is asked for besides
 * @param terminal the size of its terminal, if it has one
 * @param window how many bytes of each output the guest keeps, 4,096 to 16 Mi
 * @param limits at most one of each resource
 * @param key the host's name of an acknowledged execution, 1 to 128 bytes: as long as the guest knows an execution of that
 *     key, it starts no other with it
 * @param stopSignal the signal, 1 to 64, that asks it to end when the guest is shut down ({@link #withStopSignal}), and an
 *     init to end the system
 */
public record ExecRequest(
        List<String> arguments,
        Map<String, String> environment,
        String workingDirectory,
        String user,
        Set<Option> options,
        Optional<TerminalSize> terminal,
        int window,
        List<ResourceLimit> limits,
        Optional<String> key,
        Optional<Integer> stopSignal) {
    /** The {@code PATH} of {@link #of}. */
    public static final String DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
    /** The window of {@link #of}: as much as a pipe holds. */
    public static final int DEFAULT_WINDOW = 64 * 1024;

    private static final int MIN_WINDOW = 4096;
    private static final int MAX_WINDOW = 16 << 20;
    private static final int MAX_TEXTS = 65_536;
    /** A message's limit is 1 MiB; this leaves room for the lengths that are written beside the texts. */
    private static final int MAX_BYTES = 1 << 20;
    /** Everything of fixed size. */
    private static final int FIXED_BYTES = 44;

    private static final int LIMIT_BYTES = 20;

    private static final int MAX_KEY = 128;

    private static final int MAX_SIGNAL = 64;

    /** Says what an execution may be, besides a program that runs. */
    public enum Option {
        /** The host writes its input; otherwise that is {@code /dev/null}. */
        STDIN,
        /** Has the VM power off when it ends. */
        MAIN,
        /** A missing working directory is made. */
        CREATE_WORKING_DIRECTORY,
        /** The guest keeps its output until that is acknowledged, and its end until it is released. */
        ACKNOWLEDGED,
        /** It is process 1 of all that runs in the guest. */
        INIT
    }

    /**
     * @throws VmException.Invalid if a text has a NUL, a value is out of range, parts exclude each other, or all of it
     *     is larger than a message may be (1 MiB)
     */
    public ExecRequest {
        arguments = List.copyOf(arguments);
        environment = Map.copyOf(environment);
        options = Set.copyOf(options);
        limits = List.copyOf(limits);
        if (arguments.isEmpty() || arguments.getFirst().isEmpty()) {
            throw invalid("There is no command to execute", "Name a program.");
        }
        if (arguments.size() > MAX_TEXTS || environment.size() > MAX_TEXTS) {
            throw invalid("There are too many arguments or variables", "Give at most 65,536 of each.");
        }
        if (!workingDirectory.startsWith("/")) {
            throw invalid("The working directory '" + workingDirectory + "' is not absolute", "Begin it with '/'.");
        }
        if (window < MIN_WINDOW || window > MAX_WINDOW) {
            throw invalid("A window of " + window + " bytes cannot be kept", "Give 4,096 bytes to 16 MiB.");
        }
        if (options.contains(Option.MAIN) && options.contains(Option.ACKNOWLEDGED)) {
            throw invalid(
                    "The output of the main command cannot wait for an acknowledgement",
                    "The VM ends with that command: choose one.");
        }
        if (key.isPresent() && !(options.contains(Option.ACKNOWLEDGED) && isKey(key.get()))) {
            throw invalid("The key of the execution cannot be used", "Give 1 to 128 bytes, to an acknowledged one.");
        }
        if (stopSignal.filter(signal -> signal < 1 || signal > MAX_SIGNAL).isPresent()) {
            throw invalid("There is no signal " + stopSignal.get(), "Give one from 1 to 64.");
        }
        if (options.contains(Option.INIT) && !mayBeInit(options, terminal, stopSignal)) {
            throw invalid(
                    "The program cannot become the guest's init",
                    "Make it the main command without stdin and terminal, and give it a signal that ends it.");
        }
        if (limits.stream().map(ResourceLimit::resource).distinct().count() < limits.size()) {
            throw invalid("A resource is limited twice", "Give one limit of each resource.");
        }
        if (bytes(arguments, environment, workingDirectory, user, limits)
                        + key.map(ExecRequest::size).orElse(0L)
                > MAX_BYTES) {
            throw invalid("Arguments and environment are too large", "Keep them below 1 MiB; use a file or the stdin.");
        }
    }

    /** Runs them as root in {@code /}, with {@link #DEFAULT_PATH} as the only variable, no stdin, terminal or limits. */
    public static ExecRequest of(String... arguments) {
        return new ExecRequest(
                List.of(arguments),
                Map.of("PATH", DEFAULT_PATH),
                "/",
                "",
                Set.of(),
                Optional.empty(),
                DEFAULT_WINDOW,
                List.of(),
                Optional.empty(),
                Optional.empty());
    }

    public ExecRequest withEnvironment(Map<String, String> value) {
        return new ExecRequest(
                arguments, value, workingDirectory, user, options, terminal, window, limits, key, stopSignal);
    }

    public ExecRequest withWorkingDirectory(String value, boolean create) {
        Set<Option> changed = create ? plus(Option.CREATE_WORKING_DIRECTORY) : minus(Option.CREATE_WORKING_DIRECTORY);
        return new ExecRequest(arguments, environment, value, user, changed, terminal, window, limits, key, stopSignal);
    }

    public ExecRequest withUser(String value) {
        return new ExecRequest(
                arguments, environment, workingDirectory, value, options, terminal, window, limits, key, stopSignal);
    }

    /** Has its input written by the host. */
    public ExecRequest withStdin() {
        return with(plus(Option.STDIN));
    }

    /** Has the VM power off when it ends. */
    public ExecRequest asMain() {
        return with(plus(Option.MAIN));
    }

    /**
     * Has the guest keep what was not acknowledged, also while no connection is attached: nothing is lost, the program waits.
     * It is known to the guest until {@link Guest#release}.
     */
    public ExecRequest acknowledged() {
        return with(plus(Option.ACKNOWLEDGED));
    }

    /**
     * Does what {@link #acknowledged()} does, and started once, however often it is asked for: {@link GuestFailure#KEY_TAKEN}
     * says that the guest knows it already, and {@link Guest#executions} under which id. For a host that may die, or lose its
     * connection, before it knows whether its request arrived.
     */
    public ExecRequest acknowledgedAs(String name) {
        return new ExecRequest(
                arguments,
                environment,
                workingDirectory,
                user,
                plus(Option.ACKNOWLEDGED),
                terminal,
                window,
                limits,
                Optional.of(name),
                stopSignal);
    }

    /**
     * Makes it process 1 of all that runs in the guest; the VM powers off when it ends: by itself, by {@code reboot(2)},
     * or because the guest is shut down, which it is asked for by a signal. Its streams are the guest's console. There is at
     * most one, and it has to be the first execution.
     *
     * @param signal 1 to 64
     */
    public ExecRequest asInit(int signal) {
        return with(plus(Option.MAIN, Option.INIT), Optional.of(signal));
    }

    /**
     * Has it asked to end, when the guest is shut down, by this signal in place of SIGTERM, and what it has started by nothing
     * but itself; what it leaves behind, after its end, by SIGTERM.
     *
     * @param signal 1 to 64
     */
    public ExecRequest withStopSignal(int signal) {
        return with(options, Optional.of(signal));
    }

    /** Makes its three streams a terminal of this size. */
    public ExecRequest withTerminal(TerminalSize value) {
        return new ExecRequest(
                arguments,
                environment,
                workingDirectory,
                user,
                options,
                Optional.of(value),
                window,
                limits,
                key,
                stopSignal);
    }

    public ExecRequest withWindow(int bytes) {
        return new ExecRequest(
                arguments, environment, workingDirectory, user, options, terminal, bytes, limits, key, stopSignal);
    }

    public ExecRequest withLimits(List<ResourceLimit> value) {
        return new ExecRequest(
                arguments, environment, workingDirectory, user, options, terminal, window, value, key, stopSignal);
    }

    /** Returns whether this was asked for. */
    public boolean has(Option option) {
        return options.contains(option);
    }

    private ExecRequest with(Set<Option> value) {
        return with(value, stopSignal);
    }

    private ExecRequest with(Set<Option> value, Optional<Integer> signal) {
        return new ExecRequest(
                arguments, environment, workingDirectory, user, value, terminal, window, limits, key, signal);
    }

    private Set<Option> plus(Option... more) {
        EnumSet<Option> all = EnumSet.noneOf(Option.class);
        all.addAll(options);
        all.addAll(List.of(more));
        return all;
    }

    private Set<Option> minus(Option option) {
        EnumSet<Option> rest = EnumSet.noneOf(Option.class);
        rest.addAll(options);
        rest.remove(option);
        return rest;
    }

    private static long bytes(
            List<String> arguments,
            Map<String, String> environment,
            String workingDirectory,
            String user,
            List<ResourceLimit> limits) {
        long bytes = FIXED_BYTES + LIMIT_BYTES * (long) limits.size() + size(workingDirectory) + size(user);
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
        return bytes;
    }

    private static boolean mayBeInit(
            Set<Option> options, Optional<TerminalSize> terminal, Optional<Integer> stopSignal) {
        boolean plain = options.equals(Set.of(Option.MAIN, Option.INIT))
                || options.equals(Set.of(Option.MAIN, Option.INIT, Option.CREATE_WORKING_DIRECTORY));
        return plain && terminal.isEmpty() && stopSignal.isPresent();
    }

    private static boolean isKey(String text) {
        return !text.isEmpty() && size(text) <= size("") + MAX_KEY;
    }

    private static long size(String text) {
        if (text.indexOf('\0') >= 0) {
            throw invalid("An argument, variable or path has a NUL character in it", "Remove it.");
        }
        return 4L + text.getBytes(StandardCharsets.UTF_8).length;
    }

    private static VmException.Invalid invalid(String sentence, String remedy) {
        return new VmException.Invalid(sentence, remedy);
    }
}
