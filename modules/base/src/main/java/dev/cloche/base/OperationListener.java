package dev.cloche.base;

import java.util.function.Consumer;

/**
 * Is told of operations. Called by the threads that do them, from several at once; an operation waits until this returns. What
 * it throws is logged and otherwise ignored.
 *
 * <pre>{@code
 * ClocheOptions.ofEnvironment().withListener(operation -> {
 *     if (operation instanceof SandboxOperation.Start start) {
 *         System.out.println(start.sandbox() + " took " + start.took());
 *     }
 * });
 * }</pre>
 */
@FunctionalInterface
public interface OperationListener {
    /** Hears that an operation has ended. */
    void ended(Operation operation);

    /**
     * Hears that an operation begins, on the thread that asks for it.
     *
     * @param kind class of what it will be told as
     * @param subject name of the sandbox or the image
     * @return what is told of its end in place of {@link #ended}, once, perhaps on another thread
     */
    default Consumer<Operation> begins(Class<? extends Operation> kind, String subject) {
        return this::ended;
    }

    /** Returns a listener that hears nothing. */
    static OperationListener none() {
        return Operations.NO_LISTENER;
    }
}
