package dev.cloche.process.sqlite;

import dev.cloche.catalog.CatalogTransaction;
import dev.cloche.process.Json;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Runs the statements of one transaction, whose failures pass through the rules, which know of no SQL. */
public record SqlStatements(CatalogTransaction transaction) {
    /** Says that a statement failed. */
    public static final class Failed extends RuntimeException {
        private final SQLException failure;

        Failed(SQLException failure) {
            super(failure.getMessage(), failure, false, false);
            this.failure = failure;
        }

        public SQLException failure() {
            return failure;
        }
    }

    <T> List<T> list(CatalogTransaction.RowMapper<T> mapper, String sql, Object... parameters) {
        try {
            return transaction.list(mapper, sql, parameters);
        } catch (SQLException e) {
            throw new Failed(e);
        }
    }

    <T> Optional<T> first(CatalogTransaction.RowMapper<T> mapper, String sql, Object... parameters) {
        try {
            return transaction.first(mapper, sql, parameters);
        } catch (SQLException e) {
            throw new Failed(e);
        }
    }

    int update(String sql, Object... parameters) {
        try {
            return transaction.update(sql, parameters);
        } catch (SQLException e) {
            throw new Failed(e);
        }
    }

    /** Returns a column that may be NULL. */
    static Optional<String> text(ResultSet row, String column) throws SQLException {
        return Optional.ofNullable(row.getString(column));
    }

    static Optional<Json> json(ResultSet row, String column) throws SQLException {
        return text(row, column).map(Json::ofCanonical);
    }

    static Instant instant(ResultSet row, String column) throws SQLException {
        return Instant.ofEpochMilli(row.getLong(column));
    }

    static Optional<String> text(Optional<Json> json) {
        return json.map(Json::text);
    }
}
