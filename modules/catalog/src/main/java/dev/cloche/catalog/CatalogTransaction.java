package dev.cloche.catalog;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;

/**
 * Runs the statements of one transaction. Valid only inside the call that received it, in that call's thread.
 *
 * <p>Parameters are {@link String}, {@link Long}, {@link Integer}, {@code byte[]} or {@link Optional} of these (empty is
 * NULL). Statements stay prepared for the life of the connection, so give the same text again and put values into
 * parameters.
 */
public final class CatalogTransaction {
    /** Turns the current row into a value; it does not move the cursor. */
    @FunctionalInterface
    public interface RowMapper<T> {
        T map(ResultSet row) throws SQLException;
    }

    private final Connection connection;
    private final LongAdder statements;
    private final Map<String, PreparedStatement> prepared = new HashMap<>();

    /** @param statements counts them */
    CatalogTransaction(Connection connection, LongAdder statements) {
        this.connection = connection;
        this.statements = statements;
    }

    /** Returns every row that the query yields, in its order. */
    public <T> List<T> list(RowMapper<T> mapper, String sql, Object... parameters) throws SQLException {
        return run(sql, parameters, statement -> {
            try (ResultSet rows = statement.executeQuery()) {
                List<T> all = new ArrayList<>();
                while (rows.next()) {
                    all.add(mapper.map(rows));
                }
                return List.copyOf(all);
            }
        });
    }

    /** Returns the first row that the query yields, if any. */
    public <T> Optional<T> first(RowMapper<T> mapper, String sql, Object... parameters) throws SQLException {
        return run(sql, parameters, statement -> {
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next() ? Optional.of(mapper.map(rows)) : Optional.empty();
            }
        });
    }

    /** Runs an INSERT, UPDATE or DELETE and returns how many rows it changed. */
    public int update(String sql, Object... parameters) throws SQLException {
        return run(sql, parameters, PreparedStatement::executeUpdate);
    }

    /** Runs what begins or ends a transaction, and is not counted. */
    void border(String sql) throws SQLException {
        var _ = usedOnlyIfItSucceeds(sql, () -> prepared(sql).executeUpdate());
    }

    private interface Step<T> {
        T run(PreparedStatement statement) throws SQLException;
    }

    private interface Use<T> {
        T run() throws SQLException;
    }

    private <T> T run(String sql, Object[] parameters, Step<T> step) throws SQLException {
        return usedOnlyIfItSucceeds(sql, () -> step.run(bind(sql, parameters)));
    }

    /** A statement that failed is not used again: the driver may never let it execute any more. */
    private <T> T usedOnlyIfItSucceeds(String sql, Use<T> use) throws SQLException {
        try {
            return use.run();
        } catch (SQLException failure) {
            PreparedStatement failed = prepared.remove(sql);
            if (failed != null) {
                try {
                    failed.close();
                } catch (SQLException second) {
                    failure.addSuppressed(second);
                }
            }
            throw failure;
        }
    }

    private PreparedStatement bind(String sql, Object... parameters) throws SQLException {
        statements.increment();
        PreparedStatement statement = prepared(sql);
        for (int i = 0; i < parameters.length; i++) {
            Object value = parameters[i];
            statement.setObject(i + 1, value instanceof Optional<?> optional ? optional.orElse(null) : value);
        }
        return statement;
    }

    private PreparedStatement prepared(String sql) throws SQLException {
        PreparedStatement statement = prepared.get(sql);
        if (statement == null) {
            statement = connection.prepareStatement(sql);
            prepared.put(sql, statement);
        }
        return statement;
    }
}
