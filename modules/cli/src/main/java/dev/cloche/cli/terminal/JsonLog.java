package dev.cloche.cli.terminal;

import dev.cloche.base.ClocheException;
import dev.cloche.sandbox.SandboxEvent;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Writes what a service logs as JSON, an object on each line of standard error, for collectors of logs: {@code time} in UTC,
 * {@code level}, {@code logger}, {@code message}, and {@code cause}, {@code code} and {@code remedy}, which may be null. The cause of a fault
 * in Cloche is its stack trace. Besides
 * warnings and errors it has the life of the sandboxes. Off until {@link #use}; safe for use from several threads.
 */
public final class JsonLog {
    private static volatile boolean on;

    private JsonLog() {}

    /** Has this process log as JSON from now on, also what a thread of it ends with. */
    public static void use() {
        on = true;
        Thread.setDefaultUncaughtExceptionHandler((_, fault) -> fault(fault, System.err));
    }

    static boolean isOn() {
        return on;
    }

    /** Says whether a logger's lines of a level that is below a warning are written. */
    static boolean tells(String logger, System.Logger.Level level) {
        return on
                && logger.equals(SandboxEvent.class.getName())
                && level.getSeverity() >= System.Logger.Level.DEBUG.getSeverity();
    }

    static void line(
            System.Logger.Level level, String logger, String message, @Nullable Throwable cause, PrintStream err) {
        Optional<ClocheException> known =
                cause instanceof ClocheException exception ? Optional.of(exception) : Optional.empty();
        line(level, logger, message, Optional.ofNullable(cause).map(ClocheException::sentenceOf), known, err);
    }

    /** Writes the error that ends this process. */
    static void failure(ClocheException error, PrintStream err) {
        line(
                System.Logger.Level.ERROR,
                ErrorReport.class.getName(),
                error.sentence(),
                Optional.empty(),
                Optional.of(error),
                err);
    }

    /** Writes a fault of ours; its cause is the stack trace. */
    static void fault(Throwable fault, PrintStream err) {
        StringWriter trace = new StringWriter();
        fault.printStackTrace(new PrintWriter(trace, true));
        line(
                System.Logger.Level.ERROR,
                ErrorReport.class.getName(),
                ErrorReport.sentence(fault),
                Optional.of(trace.toString()),
                Optional.empty(),
                err);
    }

    private static synchronized void line(
            System.Logger.Level level,
            String logger,
            String message,
            Optional<String> cause,
            Optional<ClocheException> known,
            PrintStream err) {
        JsonOutput.printLine(
                err,
                json -> json.field("time", Instant.now())
                        .field("level", level.getName())
                        .field("logger", logger)
                        .field("message", words(message))
                        .field("cause", cause.map(JsonLog::words))
                        .field("code", known.map(ClocheException::code))
                        .field("remedy", known.map(ClocheException::remedy).map(JsonLog::words)));
    }

    private static String words(String text) {
        return ErrorReport.clean(CommandWords.of(text));
    }
}
