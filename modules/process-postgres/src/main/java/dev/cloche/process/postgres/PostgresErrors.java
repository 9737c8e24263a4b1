package dev.cloche.process.postgres;

import dev.cloche.process.ProcessException;
import java.sql.SQLException;
import java.util.Set;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/** Tells PostgreSQL's errors apart, see its manual, appendix A. Stateless. */
final class PostgresErrors {
    private static final Set<String> UNDONE = Set.of("40001", "40P01");
    /** The server ends the connection: by an administrator, by a crash of another connection, or while it starts. */
    private static final Set<String> ENDED = Set.of("57P01", "57P02", "57P03");

    private PostgresErrors() {}

    /** Returns whether the server undid the transaction for the sake of another one, and it can be run again. */
    static boolean isUndone(SQLException e) {
        return UNDONE.contains(state(e));
    }

    /** Returns whether the connection is gone, and with it the transaction, unless it was just being committed. */
    static boolean isDisconnected(SQLException e) {
        String state = state(e);
        return state.startsWith("08") || ENDED.contains(state);
    }

    static ProcessException.StoreFailed failed(SQLException e) {
        String remedy = isDisconnected(e)
                ? "Repeat the call when the server is back."
                : "Repeat the call; if it fails again, look into the server's log.";
        return new ProcessException.StoreFailed(describe(e) + ".", remedy, e);
    }

    /** Returns what happened, without the values that the server may add to it. */
    static String describe(Throwable e) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql && !state(sql).isEmpty()) {
                return message(sql) + " (SQLSTATE " + state(sql) + ")";
            }
        }
        return e.toString();
    }

    private static String message(SQLException e) {
        if (e instanceof PSQLException fromServer) {
            ServerErrorMessage message = fromServer.getServerErrorMessage();
            if (message != null && message.getMessage() != null) {
                return message.getMessage();
            }
        }
        return String.valueOf(e.getMessage());
    }

    private static String state(SQLException e) {
        String state = e.getSQLState();
        return state == null ? "" : state;
    }
}
