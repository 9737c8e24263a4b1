package dev.cloche.interpreter.driver;

import dev.cloche.interpreter.InterpreterException;

/** Begins the contexts of an interpreter in a sandbox. Safe for use from several threads. */
public sealed interface Contexts extends AutoCloseable permits DriverProcess, Shells {
    /** Returns the version of the language's program, in the words of the guest; empty if that has none. */
    String version();

    /**
     * Begins a context.
     *
     * @throws InterpreterException.TooManyContexts if there are 32
     */
    Context context();

    /** Ends all of them, and waits a few seconds for that. Closing twice does nothing. */
    @Override
    void close();
}
