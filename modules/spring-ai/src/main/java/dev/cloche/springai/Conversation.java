package dev.cloche.springai;

import dev.cloche.Sandbox;
import dev.cloche.base.ClocheException;
import dev.cloche.interpreter.Interpreter;
import dev.cloche.interpreter.Language;
import dev.cloche.tools.InterpreterTools;
import dev.cloche.tools.ToolSettings;
import java.util.HashMap;
import java.util.Map;

/** What a conversation has: a sandbox, and interpreters in it for those tools that ask for one. Thread-safe. */
final class Conversation implements AutoCloseable {
    private final Sandbox sandbox;
    /** Guarded by this. */
    private final Map<Wanted, Session> sessions = new HashMap<>();

    /** What tools share an interpreter: those of the same language and settings. */
    private record Wanted(Language language, ToolSettings settings) {}

    /** An interpreter and the tools that have it to themselves. */
    private record Session(Interpreter interpreter, InterpreterTools tools) {}

    Conversation(Sandbox sandbox) {
        this.sandbox = sandbox;
    }

    Sandbox sandbox() {
        return sandbox;
    }

    /**
     * Returns tools whose variables stay as long as the sandbox.
     *
     * @throws ClocheException if the language does not start in it; the next call tries again
     */
    synchronized InterpreterTools interpreter(Language language, ToolSettings settings) {
        Wanted wanted = new Wanted(language, settings);
        Session session = sessions.get(wanted);
        if (session == null) {
            Interpreter started = sandbox.interpreter(language);
            session = new Session(started, InterpreterTools.of(started, settings));
            sessions.put(wanted, session);
        }
        return session.tools();
    }

    boolean isAlive() {
        try {
            return switch (sandbox.status()) {
                case STOPPED, CRASHED -> false;
                case CREATED, STARTING, RUNNING, PAUSED, SUSPENDING, SUSPENDED, RESUMING, DRAINING -> true;
            };
        } catch (ClocheException removed) {
            return false;
        }
    }

    /** Ends the sandbox; the interpreters have nothing more to say then, and are let go of without a wait. */
    @Override
    public void close() {
        try {
            sandbox.close();
        } finally {
            sessions().forEach(session -> session.interpreter().close());
        }
    }

    private synchronized Iterable<Session> sessions() {
        return Map.copyOf(sessions).values();
    }
}
