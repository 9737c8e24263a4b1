package dev.cloche.migration;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Reads the history that Flyway kept for an earlier Cloche. Never writes it. */
final class FlywayHistory {
    private static final Pattern VERSION = Pattern.compile("[1-9][0-9]{0,5}");

    private FlywayHistory() {}

    /** Returns the migrations that its table has, in the order in which they were applied. */
    static List<AppliedMigration> read(Connection connection, String table) throws SQLException, MigrationException {
        List<AppliedMigration> applied = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows =
                        statement.executeQuery("SELECT installed_rank, version, type, script, checksum, success FROM "
                                + table + " ORDER BY installed_rank")) {
            while (rows.next()) {
                String version = String.valueOf(rows.getString(2));
                if (isBeginning(rows.getString(3), version)) {
                    continue;
                }
                int checksum = rows.getInt(5);
                boolean hasChecksum = !rows.wasNull();
                if (!hasChecksum
                        || !"SQL".equals(rows.getString(3))
                        || !VERSION.matcher(version).matches()
                        || !rows.getBoolean(6)) {
                    throw new MigrationException.Unfit("entry " + rows.getInt(1) + " of Flyway's table " + table
                            + " is no migration of Cloche that succeeded");
                }
                applied.add(new AppliedMigration(Integer.parseInt(version), rows.getString(4), checksum, 0));
            }
        }
        return List.copyOf(applied);
    }

    /** Flyway begins with an entry of its own: that there was a database already, or that it made the schema. */
    private static boolean isBeginning(String type, String version) {
        return "SCHEMA".equals(type) || ("BASELINE".equals(type) && version.equals("0"));
    }
}
