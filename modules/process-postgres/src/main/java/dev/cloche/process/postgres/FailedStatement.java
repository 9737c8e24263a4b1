package dev.cloche.process.postgres;

import java.sql.SQLException;

/** Carries an {@link SQLException} through work that knows nothing of SQL, to where its transaction ends. */
final class FailedStatement extends RuntimeException {
    private final SQLException reason;

    FailedStatement(SQLException reason) {
        super(reason);
        this.reason = reason;
    }

    SQLException reason() {
        return reason;
    }
}
