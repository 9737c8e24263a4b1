package dev.cloche.catalog;

import java.lang.System.Logger.Level;
import org.flywaydb.core.api.logging.Log;
import org.flywaydb.core.api.logging.LogCreator;

/**
 * Flyway's log as debug lines of this room. By itself it greets on standard error at each migration; and what it calls
 * an error comes to the caller as an exception too.
 */
public final class QuietFlywayLog implements LogCreator {
    /** Called by Flyway, reflectively. */
    public QuietFlywayLog() {}

    @Override
    public Log createLogger(Class<?> source) {
        System.Logger logger = System.getLogger("dev.cloche.catalog");
        return new Log() {
            @Override
            @SuppressWarnings({"deprecation", "InlineMeSuggester"}) // abstract, so it must be here
            public boolean isDebugEnabled() {
                return logger.isLoggable(Level.TRACE);
            }

            @Override
            public void debug(String message) {
                logger.log(Level.TRACE, message);
            }

            @Override
            public void info(String message) {
                logger.log(Level.DEBUG, message);
            }

            @Override
            public void notice(String message) {
                logger.log(Level.DEBUG, message);
            }

            @Override
            public void warn(String message) {
                logger.log(Level.WARNING, message);
            }

            @Override
            public void error(String message) {
                logger.log(Level.DEBUG, message);
            }

            @Override
            public void error(String message, Exception cause) {
                logger.log(Level.DEBUG, message, cause);
            }
        };
    }
}
