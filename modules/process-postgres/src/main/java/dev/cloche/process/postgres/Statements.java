package dev.cloche.process.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Runs the statements of one transaction. Writes wait until something is read or the transaction ends, and then go to the
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

    /**
     * A statement that writes rows, each column of which it gets as one array: so it is one statement however many rows
     * there are, and the same text for the server, which need not plan it again.
     *
     * @param sql with a parameter for each column
     * @param types of the elements, by column
     */
    record RowWriter(String sql, List<String> types) {
        RowWriter(String sql, String... types) {
            this(sql, List.of(types));
        }
    }

    /** Describes one column of rows. */
    private record Column(String type, List<@Nullable Object> values) {}

    private final Connection connection;
    private final List<Part> waiting = new ArrayList<>();
    /** What is written before anything that is asked for afterwards, by writer. */
    private final Map<RowWriter, List<Object[]>> rows = new LinkedHashMap<>();

    private long written;

    Statements(Connection connection) {
        this.connection = connection;
    }

    /** Returns how many statements were given that may write. */
    long written() {
        return written;
    }

    /** Runs a statement without rows, at the latest when the transaction ends. */
    void later(String sql, Object... parameters) {
        written++;
        add(new Part(sql, List.of(parameters), Optional.empty()));
    }

    /**
     * Writes a row, together with those that are given before the next other statement. Those of different writers are
     * written in no certain order.
     */
    void row(RowWriter writer, Object... values) {
        written++;
        rows.computeIfAbsent(writer, _ -> new ArrayList<>()).add(values);
    }

    /** Adds a query whose rows are received with the next statement that is run. */
    <T> List<T> alongside(RowMapper<T> mapper, String sql, Object... parameters) {
        List<T> all = new ArrayList<>();
        add(new Part(sql, List.of(parameters), Optional.of(found -> collect(found, mapper, all))));
        return all;
    }

    private void add(Part part) {
        gatherRows();
        waiting.add(part);
    }

    private void gatherRows() {
        rows.forEach((writer, gathered) -> {
            List<Object> columns = new ArrayList<>();
            for (int i = 0; i < writer.types().size(); i++) {
                List<@Nullable Object> values = new ArrayList<>();
                for (Object[] row : gathered) {
                    values.add(value(row[i]));
                }
                columns.add(new Column(writer.types().get(i), values));
            }
            waiting.add(new Part(writer.sql(), columns, Optional.empty()));
        });
        rows.clear();
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
        gatherRows();
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
            boolean query = statement.execute();
            int changed = 0;
            for (int i = 0; i < parts.size(); i++) {
                if (i > 0) {
                    query = statement.getMoreResults();
                }
                changed = query ? 0 : Math.max(0, statement.getUpdateCount());
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
        switch (value(parameter)) {
            case null -> statement.setObject(index, null);
            case Column column ->
                statement.setArray(
                        index,
                        connection.createArrayOf(column.type(), column.values().toArray()));
            case Collection<?> texts -> statement.setArray(index, connection.createArrayOf("text", texts.toArray()));
            case Object value -> statement.setObject(index, value);
        }
    }

    private static @Nullable Object value(Object parameter) {
        return parameter instanceof Optional<?> optional ? optional.orElse(null) : parameter;
    }

    private static <T> void collect(ResultSet rows, RowMapper<T> mapper, List<T> all) throws SQLException {
        while (rows.next()) {
            all.add(mapper.map(rows));
        }
    }
}
