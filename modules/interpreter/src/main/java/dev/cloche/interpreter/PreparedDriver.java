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

    /**
     * Validates it.
     *
     * @throws InterpreterException.Invalid if there are too many modules, one has a name that no module has, or the contexts of
     *     the language share no process that could import them
     */
    public PreparedDriver {
        modules = List.copyOf(modules);
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
        return place() + "-" + language.driver();
    }

    /** Returns the command that writes its file in the guest. */
    public List<String> write() {
        String source = new String(DriverProcess.source(language.driver()), UTF_8);
        return switch (language) {
            case PYTHON -> List.of(language.program(), "-c", WRITE_PYTHON, file(), source);
            case JAVASCRIPT -> List.of(language.program(), "-e", WRITE_JAVASCRIPT, file(), source);
            case JAVA -> List.of("sh", "-c", WRITE_JAVA, "sh", file(), source);
        };
    }

    /** Returns the command that runs on in each sandbox of the template. */
    public List<String> start() {
        return DriverProcess.command(language, file(), place(), modules);
    }

    /** Returns the command that ends with 0 once it listens, and removes its file. */
    public List<String> ready() {
        String socket = DriverProcess.socket(place());
        return switch (language) {
            case PYTHON -> List.of(language.program(), "-c", CONNECT_PYTHON, socket, file());
            case JAVASCRIPT -> List.of(language.program(), "-e", CONNECT_JAVASCRIPT, socket, file());
            case JAVA -> List.of("sh", "-c", CONNECT_JAVA, "sh", socket, file());
        };
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
}
