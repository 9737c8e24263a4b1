package outside;

import dev.cloche.Cloche;
import dev.cloche.Sandbox;
import java.util.List;
import org.springframework.boot.CommandLineRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.jdbc.core.JdbcTemplate;

/** Has a database with a migration of its own, which no dependency of Cloche may touch, and starts a sandbox. */
@SpringBootApplication
public class Application implements CommandLineRunner {
    private final JdbcTemplate database;

    public Application(JdbcTemplate database) {
        this.database = database;
    }

    public static void main(String[] args) {
        SpringApplication.run(Application.class, args).close();
    }

    @Override
    public void run(String... args) {
        try (Cloche cloche = Cloche.open();
                Sandbox sandbox = cloche.sandbox("base").start()) {
            require(sandbox.exec("echo", "hello").stdoutText(), "hello\n");
        }
        require(strings("SELECT \"version\" FROM \"flyway_schema_history\" WHERE \"type\" = 'SQL'"), List.of("1"));
        require(
                strings("SELECT table_name FROM information_schema.tables WHERE table_schema = 'PUBLIC' ORDER BY 1"),
                List.of("NOTE", "flyway_schema_history"));
        require(strings("SELECT text FROM note"), List.of("from our own migration"));
        System.out.println("as it should be");
    }

    private List<String> strings(String query) {
        return database.queryForList(query, String.class);
    }

    private static void require(Object actual, Object expected) {
        if (!actual.equals(expected)) {
            throw new AssertionError(actual + " for " + expected);
        }
    }
}
