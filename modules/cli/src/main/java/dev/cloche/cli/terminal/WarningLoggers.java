package dev.cloche.cli.terminal;

import dev.cloche.base.ClocheException;
import java.text.MessageFormat;
import java.util.ResourceBundle;
import org.jspecify.annotations.Nullable;

/**
 * Gives this program loggers that print warnings and errors to standard error, each as one sentence, with the message of its
 * cause and without a stack trace. Found by the JDK through {@code META-INF/services}.
 */
public final class WarningLoggers extends System.LoggerFinder {
    @Override
    public System.Logger getLogger(String name, Module module) {
        return new Sentences(name);
    }

    private record Sentences(String name) implements System.Logger {
        @Override
        public String getName() {
            return name;
        }

        @Override
        public boolean isLoggable(Level level) {
            return level != Level.OFF
                    && (level.getSeverity() >= Level.WARNING.getSeverity() || JsonLog.tells(name, level));
        }

        @Override
        public void log(
                Level level, @Nullable ResourceBundle bundle, @Nullable String message, @Nullable Throwable cause) {
            if (!isLoggable(level)) {
                return;
            }
            if (JsonLog.isOn()) {
                JsonLog.line(level, name, String.valueOf(message), cause, System.err);
            } else {
                ErrorReport.print(
                        "warning: " + message + (cause == null ? "" : ": " + ClocheException.sentenceOf(cause)),
                        cause instanceof ClocheException known ? known.remedy() : "",
                        System.err);
            }
        }

        @Override
        public void log(
                Level level, @Nullable ResourceBundle bundle, @Nullable String format, @Nullable Object... parameters) {
            String text = format == null || parameters == null || parameters.length == 0
                    ? format
                    : MessageFormat.format(format, parameters);
            log(level, bundle, text, (Throwable) null);
        }
    }
}
