package dev.cloche.interpreter;

import dev.cloche.interpreter.driver.DriverProcess;
import dev.cloche.sandbox.RunningSandbox;
import java.util.List;

/** Starts interpreters. Stateless. */
public final class Interpreters {
    private Interpreters() {}

    /**
     * Starts the driver of a language in a sandbox.
     *
     * @param modules what is imported for all contexts
     * @param whenClosed done after the interpreter has been closed
     * @throws InterpreterException.NotInstalled if the sandbox has not the program of the language
     * @throws InterpreterException.NotStarted if that does not come up
     */
    public static Interpreter open(
            RunningSandbox sandbox, Language language, List<String> modules, Runnable whenClosed) {
        return new Interpreter(
                language, DriverProcess.start(sandbox, language, language.driver(), modules), whenClosed);
    }
}
