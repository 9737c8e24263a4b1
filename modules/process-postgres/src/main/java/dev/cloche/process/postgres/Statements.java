package dev.cloche.process.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The statements of one transaction. Writes wait until something is read or the transaction ends, and then go to the
 * server together: a round trip costs more than most of the statements do.
 *
 * <p>Parameters are {@link String}, {@link Long}, {@link Integer}, {@link Boolean}, collections of strings, or an
 * {@link Optional} of one of these. For one thread.
 */
final class Statements {
    /** Turns the current row into a value; it does not move the cursor. */
    @FunctionalInterface
    interface RowMapper<T> {
        T map(ResultSet row) throws SQLException;
    }

    /** Takes the rows of one statement. */
    @FunctionalInterface
    private interface Receiver {
        void receive(ResultSet rows) throws SQLException;
    }

    private record Part(String sql, List<Object> parameters, Optional<Receiver> receiver) {}

    private final Connection connection;
    private final List<Part> waiting = new ArrayList<>();
    private long written;

    Statements(Connection connection) {
        this.connection = connection;
    }

    /** How many statements were given that may write. */
    long written() {
        return written;
    }

    /** Runs a statement without rows, at the latest when the transaction ends. */
    void later(String sql, Object... parameters) {
        written++;
        waiting.add(new Part(sql, List.of(parameters), Optional.empty()));
    }

    /** Adds a query whose rows are received with the next statement that is run. */
    <T> List<T> alongside(RowMapper<T> mapper, String sql, Object... parameters) {
        List<T> all = new ArrayList<>();
        waiting.add(new Part(sql, List.of(parameters), Optional.of(rows -> collect(rows, mapper, all))));
        return all;
    }

    <T> List<T> list(RowMapper<T> mapper, String sql, Object... parameters) throws SQLException {
        List<T> all = alongside(mapper, sql, parameters);
        run();
        return List.copyOf(all);
    }

    <T> Optional<T> first(RowMapper<T> mapper, String sql, Object... parameters) throws SQLException {
        return list(mapper, sql, parameters).stream().findFirst();
    }

    /** Runs what waits; the number of rows that the last statement changed, or 0 if that was a query. */
    int run() throws SQLException {
        if (waiting.isEmpty()) {
            return 0;
        }
        List<Part> parts = List.copyOf(waiting);
        waiting.clear();
        String sql = parts.stream().map(Part::sql).collect(Collectors.joining(";\n"));
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            int index = 0;
            for (Part part : parts) {
                for (Object parameter : part.parameters()) {
                    index++;
                    bind(statement, index, parameter);
                }
            }
            boolean rows = statement.execute();
            int changed = 0;
            for (int i = 0; i < parts.size(); i++) {
                if (i > 0) {
                    rows = statement.getMoreResults();
                }
                changed = rows ? 0 : Math.max(0, statement.getUpdateCount());
                Optional<Receiver> receiver = parts.get(i).receiver();
                if (receiver.isPresent()) {
                    try (ResultSet result = statement.getResultSet()) {
                        receiver.get().receive(result);
                    }
                }
            }
            return changed;
        }
    }

    /** Runs what waits with one statement more. */
    int update(String sql, Object... parameters) throws SQLException {
        later(sql, parameters);
        return run();
    }

    private void bind(PreparedStatement statement, int index, Object parameter) throws SQLException {
        Object value = parameter instanceof Optional<?> optional ? optional.orElse(null) : parameter;
        switch (value) {
            case null -> statement.setObject(index, null);
            case Collection<?> texts -> statement.setArray(index, connection.createArrayOf("text", texts.toArray()));
            default -> statement.setObject(index, value);
        }
    }

    private static <T> void collect(ResultSet rows, RowMapper<T> mapper, List<T> all) throws SQLException {
        while (rows.next()) {
            all.add(mapper.map(rows));
        }
    }
}
