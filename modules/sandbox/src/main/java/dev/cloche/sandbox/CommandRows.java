package dev.cloche.sandbox;

import dev.cloche.catalog.Session;
import dev.cloche.vm.ResourceLimit;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** The rows of main commands and labels: a start and {@code inspect} read them, lists and sweeps do not. */
final class CommandRows {
    private CommandRows() {}

    static void insert(Session session, long id, MainCommand main) throws SQLException {
        CommandOptions options = main.options();
        session.update(
                "INSERT INTO sandbox_command (sandbox_id, user, working_directory) VALUES (?, ?, ?)",
                id,
                options.user(),
                options.workingDirectory());
        for (int i = 0; i < main.words().size(); i++) {
            session.update(
                    "INSERT INTO sandbox_word (sandbox_id, position, word) VALUES (?, ?, ?)",
                    id,
                    i,
                    main.words().get(i));
        }
        for (Map.Entry<String, String> variable : options.environment().entrySet()) {
            session.update(
                    "INSERT INTO sandbox_variable (sandbox_id, name, value) VALUES (?, ?, ?)",
                    id,
                    variable.getKey(),
                    variable.getValue());
        }
        for (ResourceLimit limit : options.limits()) {
            session.update(
                    "INSERT INTO sandbox_limit (sandbox_id, resource, soft, hard) VALUES (?, ?, ?, ?)",
                    id,
                    limit.resource().name(),
                    limit.soft(),
                    limit.hard());
        }
    }

    static void replace(Session session, long id, MainCommand main) throws SQLException {
        session.update("DELETE FROM sandbox_command WHERE sandbox_id = ?", id);
        insert(session, id, main);
    }

    /** Empty for a sandbox of a Cloche that did not record it. */
    static Optional<MainCommand> read(Session session, long id) throws SQLException {
        record Head(Optional<String> user, Optional<String> directory) {}
        Optional<Head> head = session.first(
                row -> new Head(Optional.ofNullable(row.getString(1)), Optional.ofNullable(row.getString(2))),
                "SELECT user, working_directory FROM sandbox_command WHERE sandbox_id = ?",
                id);
        if (head.isEmpty()) {
            return Optional.empty();
        }
        List<String> words = session.list(
                row -> row.getString(1), "SELECT word FROM sandbox_word WHERE sandbox_id = ? ORDER BY position", id);
        List<ResourceLimit> limits = session.list(
                row -> new ResourceLimit(
                        ResourceLimit.Resource.valueOf(row.getString(1)), row.getLong(2), row.getLong(3)),
                "SELECT resource, soft, hard FROM sandbox_limit WHERE sandbox_id = ?",
                id);
        CommandOptions options = new CommandOptions(
                map(session, "SELECT name, value FROM sandbox_variable WHERE sandbox_id = ?", id),
                head.get().directory(),
                head.get().user(),
                false,
                Optional.empty(),
                false,
                limits);
        return Optional.of(new MainCommand(words, options));
    }

    static void insertLabels(Session session, long id, Map<String, String> labels) throws SQLException {
        for (Map.Entry<String, String> label : labels.entrySet()) {
            session.update(
                    "INSERT INTO sandbox_label (sandbox_id, key, value) VALUES (?, ?, ?)",
                    id,
                    label.getKey(),
                    label.getValue());
        }
    }

    static Map<String, String> labels(Session session, long id) throws SQLException {
        return map(session, "SELECT key, value FROM sandbox_label WHERE sandbox_id = ?", id);
    }

    private static Map<String, String> map(Session session, String sql, long id) throws SQLException {
        return session.list(row -> Map.entry(row.getString(1), row.getString(2)), sql, id).stream()
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }
}
