package dev.cloche.sandbox.record;

import dev.cloche.catalog.CatalogTransaction;
import dev.cloche.sandbox.CommandOptions;
import dev.cloche.sandbox.MainCommand;
import dev.cloche.sandbox.StopSignal;
import dev.cloche.vm.ResourceLimit;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Describes the tables of main commands, of sandboxes or of snapshots: {@code X_command}, {@code X_word}, {@code
 * X_variable}, {@code X_default_variable} and {@code X_limit}, all with a column {@code X_id}.
 *
 * @param of the word for X
 */
record CommandTables(String of) {
    void insert(CatalogTransaction transaction, long id, MainCommand main) throws SQLException {
        CommandOptions options = main.options();
        transaction.update(
                sql("""
                        INSERT INTO X_command (X_id, user, working_directory, stop_signal, whole, default_user, default_directory, stays)
                        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                        """),
                id,
                options.user(),
                options.workingDirectory(),
                main.stopSignal().map(StopSignal::number),
                SandboxRows.flag(main.whole()),
                main.defaults().user(),
                main.defaults().workingDirectory(),
                SandboxRows.flag(main.stays()));
        for (int i = 0; i < main.words().size(); i++) {
            transaction.update(
                    sql("INSERT INTO X_word (X_id, position, word) VALUES (?, ?, ?)"),
                    id,
                    i,
                    main.words().get(i));
        }
        insertVariables(transaction, id, "X_variable", options.environment());
        insertVariables(transaction, id, "X_default_variable", main.defaults().environment());
        for (ResourceLimit limit : options.limits()) {
            transaction.update(
                    sql("INSERT INTO X_limit (X_id, resource, soft, hard) VALUES (?, ?, ?, ?)"),
                    id,
                    limit.resource().name(),
                    limit.soft(),
                    limit.hard());
        }
    }

    private void insertVariables(CatalogTransaction transaction, long id, String table, Map<String, String> variables)
            throws SQLException {
        for (Map.Entry<String, String> variable : variables.entrySet()) {
            transaction.update(
                    sql("INSERT INTO " + table + " (X_id, name, value) VALUES (?, ?, ?)"),
                    id,
                    variable.getKey(),
                    variable.getValue());
        }
    }

    /** Reads a main command; empty for a sandbox of a Cloche that did not record it. */
    Optional<MainCommand> read(CatalogTransaction transaction, long id) throws SQLException {
        record Head(
                Optional<String> user,
                Optional<String> directory,
                Optional<StopSignal> stopSignal,
                boolean whole,
                Optional<String> defaultUser,
                Optional<String> defaultDirectory,
                boolean stays) {}
        Optional<Head> head = transaction.first(
                row -> new Head(
                        Optional.ofNullable(row.getString(1)),
                        Optional.ofNullable(row.getString(2)),
                        row.getString(3) == null ? Optional.empty() : Optional.of(new StopSignal(row.getInt(3))),
                        row.getInt(4) == 1,
                        Optional.ofNullable(row.getString(5)),
                        Optional.ofNullable(row.getString(6)),
                        row.getInt(7) == 1),
                sql("""
                        SELECT user, working_directory, stop_signal, whole, default_user, default_directory, stays
                        FROM X_command WHERE X_id = ?
                        """),
                id);
        if (head.isEmpty()) {
            return Optional.empty();
        }
        List<String> words = transaction.list(
                row -> row.getString(1), sql("SELECT word FROM X_word WHERE X_id = ? ORDER BY position"), id);
        List<ResourceLimit> limits = transaction.list(
                row -> new ResourceLimit(
                        ResourceLimit.Resource.valueOf(row.getString(1)), row.getLong(2), row.getLong(3)),
                sql("SELECT resource, soft, hard FROM X_limit WHERE X_id = ?"),
                id);
        CommandOptions options = new CommandOptions(
                map(transaction, sql("SELECT name, value FROM X_variable WHERE X_id = ?"), id),
                head.get().directory(),
                head.get().user(),
                false,
                Optional.empty(),
                false,
                limits);
        CommandOptions defaults = new CommandOptions(
                map(transaction, sql("SELECT name, value FROM X_default_variable WHERE X_id = ?"), id),
                head.get().defaultDirectory(),
                head.get().defaultUser(),
                false);
        return Optional.of(new MainCommand(
                words,
                options,
                head.get().stopSignal(),
                head.get().whole(),
                defaults,
                head.get().stays()));
    }

    private String sql(String text) {
        return text.replace("X_", of + "_");
    }

    static Map<String, String> map(CatalogTransaction transaction, String sql, long id) throws SQLException {
        return transaction.list(row -> Map.entry(row.getString(1), row.getString(2)), sql, id).stream()
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }
}
