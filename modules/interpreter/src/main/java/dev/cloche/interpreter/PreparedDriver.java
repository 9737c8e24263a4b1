package dev.cloche.interpreter;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.cloche.base.EnumNames;
import dev.cloche.base.Printable;
import dev.cloche.interpreter.driver.DriverExercise;
import dev.cloche.interpreter.driver.DriverProcess;
import dev.cloche.sandbox.RunningSandbox;
import dev.cloche.vm.Guest;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Describes a driver that runs in a prepared template, so that each sandbox of it has one, with its modules imported. It has no
 * owner and no context in the template: contexts are begun in the sandbox, which has its own entropy by then.
 *
 * @param modules what it imports for all contexts, such as {@code numpy} or {@code matplotlib.pyplot}; at most 100
 */
public record PreparedDriver(Language language, List<String> modules) {
    private static final Pattern MODULE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*(\\.[A-Za-z_][A-Za-z0-9_]*)*");
    private static final int LONGEST_MODULE = 200;
    private static final int MOST_MODULES = 100;
    private static final Set<Language> EXERCISED = Set.of(Language.PYTHON, Language.JAVASCRIPT);

    /**
     * Validates it.
     *
     * @throws InterpreterException.Invalid if there are too many modules, one has a name that no module has, the contexts of the
     *     language share no process that could import them, or the language has no driver
     */
    public PreparedDriver {
        modules = List.copyOf(modules);
        checkModules(language, modules);
        var _ = Words.of(language);
    }

    /** Returns whether the language has a driver that can be prepared. */
    public static boolean isOf(Language language) {
        return language.driver().isPresent();
    }

    /**
     * Checks what is to be imported.
     *
     * @throws InterpreterException.Invalid as the constructor does
     */
    public static void checkModules(Language language, List<String> modules) {
        if (language != Language.PYTHON && !modules.isEmpty()) {
            throw new InterpreterException.Invalid(
                    "Contexts of " + language.title() + " share no modules.", "Load them in the first cell of each.");
        }
        if (modules.size() > MOST_MODULES) {
            throw new InterpreterException.Invalid(
                    "An interpreter has " + modules.size() + " modules to import.",
                    "Give it at most " + MOST_MODULES + ".");
        }
        for (String module : modules) {
            if (module.length() > LONGEST_MODULE || !MODULE.matcher(module).matches()) {
                throw new InterpreterException.Invalid(
                        "No module of " + language.title() + " has the name \"" + brief(module) + "\".",
                        "Write it as in an import, such as numpy or matplotlib.pyplot.");
            }
        }
    }

    private static String brief(String module) {
        return Printable.brief(module, LONGEST_MODULE);
    }

    private String place() {
        return "/tmp/cloche-" + language.program();
    }

    private String file() {
        return place() + "-" + driver();
    }

    private String driver() {
        return language.driver().orElseThrow();
    }

    /** Returns the command that writes its file in the guest. */
    public List<String> write() {
        return Words.with(Words.of(language).write(), file(), new String(DriverProcess.source(driver()), UTF_8));
    }

    /** Returns the command that runs on in each sandbox of the template. */
    public List<String> start() {
        return DriverProcess.command(language, file(), place(), modules);
    }

    /** Returns the command that ends with 0 once it listens, and removes its file. */
    public List<String> ready() {
        return Words.with(Words.of(language).connect(), DriverProcess.socket(place()), file());
    }

    /** Returns what the recipe of its template says of it, for {@link #exercise}. */
    public List<String> recipe() {
        return List.of(EnumNames.of(language), DriverProcess.socket(place()));
    }

    /**
     * Returns what a new VM of a pool does whose template has this driver, before it waits: some cells, each in a context that
     * ends with it, by the way that the cells of callers come. Empty for Java, each of whose contexts is a JVM that gains nothing
     * by the one before.
     *
     * @param recipe as {@link #recipe()} has it; of another build it may say what this one does not know
     */
    public static Optional<Consumer<Guest>> exercise(List<String> recipe) {
        return EXERCISED.stream()
                .filter(language -> EnumNames.of(language).equals(recipe.getFirst()))
                .findFirst()
                .map(_ -> new DriverExercise(recipe.getLast()));
    }

    /**
     * Takes the one that runs in a sandbox of the template.
     *
     * @param whenClosed done after the interpreter has been closed
     * @throws InterpreterException.NotStarted if what listens is no driver
     */
    public Interpreter in(RunningSandbox sandbox, Runnable whenClosed) {
        return new Interpreter(language, DriverProcess.running(sandbox, language, place()), whenClosed);
    }

    /**
     * Has the beginnings of commands that need nothing but the program of a language.
     *
     * @param write what writes its second argument to the file that is its first
     * @param connect what connects to the socket that is its first argument, and removes the file that is its second
     */
    private record Words(List<String> write, List<String> connect) {
        private static final String WRITE_PYTHON = "import sys; open(sys.argv[1], 'w').write(sys.argv[2])";
        /** What has been imported is there: the driver listens after that. */
        private static final String CONNECT_PYTHON =
                "import os, socket, sys; socket.socket(socket.AF_UNIX).connect(sys.argv[1]); os.remove(sys.argv[2])";

        private static final String WRITE_JAVASCRIPT = "require('fs').writeFileSync(process.argv[1], process.argv[2])";
        private static final String CONNECT_JAVASCRIPT = "require('net').connect(process.argv[1]).on('connect', () => {"
                + "require('fs').unlinkSync(process.argv[2]); process.exit() })";
        /** A JDK has no words that write a file. */
        private static final String WRITE_JAVA = "printf %s \"$2\" >\"$1\"";
        /** Its socket gets its name when it listens. */
        private static final String CONNECT_JAVA = "test -S \"$1\" && rm \"$2\"";

        static Words of(Language language) {
            String program = language.program();
            return switch (language) {
                case PYTHON -> new Words(List.of(program, "-c", WRITE_PYTHON), List.of(program, "-c", CONNECT_PYTHON));
                case JAVASCRIPT ->
                    new Words(List.of(program, "-e", WRITE_JAVASCRIPT), List.of(program, "-e", CONNECT_JAVASCRIPT));
                case JAVA -> new Words(List.of("sh", "-c", WRITE_JAVA, "sh"), List.of("sh", "-c", CONNECT_JAVA, "sh"));
                case SHELL ->
                    throw new InterpreterException.Invalid(
                            "A shell has no driver that a template could hold.",
                            "Start it without. What its cells need can be in a template of its image.");
            };
        }

        static List<String> with(List<String> command, String... arguments) {
            return Stream.concat(command.stream(), Stream.of(arguments)).toList();
        }
    }
}
