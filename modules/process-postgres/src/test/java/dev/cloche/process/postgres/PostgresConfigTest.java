package dev.cloche.process.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class PostgresConfigTest {
    private static final String URL = "jdbc:postgresql://localhost:1/x";
    private static final PostgresConfig CONFIG = PostgresConfig.of(URL, "ann", "s3cret");

    @Test
    void thePasswordIsInNoText() {
        assertThat(CONFIG.toString()).contains(URL, "ann").doesNotContain("s3cret");
        StringWriter text = new StringWriter();
        assertThatThrownBy(() -> PostgresProcessStore.open(CONFIG))
                .isInstanceOf(PostgresException.Unavailable.class)
                .satisfies(e -> e.printStackTrace(new PrintWriter(text, true)));
        assertThat(text.toString()).contains("localhost:1").doesNotContain("s3cret");
    }

    @Test
    void credentialsInTheUrlAreRefused() {
        for (String url : List.of(
                URL + "?password=s3cret", URL + "?ssl=true&user=ann", "jdbc:postgresql://ann:s3cret@localhost/x")) {
            assertThatThrownBy(() -> PostgresConfig.of(url, "ann", ""))
                    .isInstanceOf(PostgresException.Refused.class)
                    .hasMessageNotContaining("s3cret");
        }
    }

    @Test
    void whatCannotBeANameOrAWindowIsRefused() {
        for (String schema : List.of("", "Upper", "a b", "x;drop", "pg_x", "a".repeat(49))) {
            assertThatThrownBy(() -> CONFIG.withSchema(schema)).isInstanceOf(PostgresException.Refused.class);
        }
        assertThatThrownBy(() -> CONFIG.withConnections(0)).isInstanceOf(PostgresException.Refused.class);
        assertThatThrownBy(() -> CONFIG.withStatementTimeout(Duration.ZERO))
                .isInstanceOf(PostgresException.Refused.class);
        assertThatThrownBy(() -> CONFIG.withSafetyPoll(Duration.ofDays(1)))
                .isInstanceOf(PostgresException.Refused.class);
        assertThatThrownBy(() -> PostgresConfig.of("jdbc:mysql://x", "ann", ""))
                .isInstanceOf(PostgresException.Refused.class);
    }

    @Test
    void theDefaultsAreWhatIsDocumented() {
        assertThat(CONFIG)
                .isEqualTo(new PostgresConfig(
                        URL, "ann", "s3cret", "cloche", 8, Duration.ofSeconds(30), Duration.ofSeconds(5)));
    }
}
