package outside.suite;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

class TasksTest extends WithServers {
    private static final String NEXT = "SELECT name FROM task ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED";

    @Test
    void twoWorkersTakeTwoTasks() throws SQLException {
        database.update("INSERT INTO task (name) VALUES ('first'), ('second')");
        try (Connection one = open();
                Connection other = open()) {
            assertThat(next(one)).isEqualTo("first");
            assertThat(next(other)).isEqualTo("second");
            one.rollback();
            other.rollback();
        }
    }

    private Connection open() throws SQLException {
        Connection connection = database.getDataSource().getConnection();
        connection.setAutoCommit(false);
        return connection;
    }

    private static String next(Connection connection) throws SQLException {
        try (ResultSet row = connection.createStatement().executeQuery(NEXT)) {
            return row.next() ? row.getString(1) : "";
        }
    }
}
