package dev.cloche.interpreter;

import dev.cloche.interpreter.driver.Contexts;
import dev.cloche.interpreter.driver.DriverProcess;
import dev.cloche.interpreter.driver.Shells;
import dev.cloche.sandbox.RunningSandbox;
import java.util.List;

/** Starts interpreters. Stateless. */
public final class Interpreters {
    private Interpreters() {}

    /**
     * Starts what runs cells of a language in a sandbox: its driver, or a shell.
     *
     * @param modules what is imported for all contexts
     * @param whenClosed done after the interpreter has been closed
     * @throws InterpreterException.Invalid if the modules are none that it can import
     * @throws InterpreterException.NotInstalled if the sandbox has not the program of the language
     * @throws InterpreterException.NotStarted if that does not come up
     */
    public static Interpreter open(
            RunningSandbox sandbox, Language language, List<String> modules, Runnable whenClosed) {
        PreparedDriver.checkModules(language, modules);
        Contexts contexts = language.driver()
                .<Contexts>map(driver -> DriverProcess.start(sandbox, language, driver, modules))
                .orElseGet(() -> Shells.start(sandbox));
        return new Interpreter(language, contexts, whenClosed);
    }
}
