package dev.cloche.cli.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.Ready;
import dev.cloche.base.ClocheException;
import dev.cloche.cli.terminal.UsageError;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class HealthOptionsTest {
    private static List<Ready> conditions(String... arguments) {
        return CommandLine.populateCommand(new HealthOptions(), arguments).conditions();
    }

    @Test
    void portsAndPagesAreAskedFor() {
        assertThat(conditions()).isEmpty();
        assertThat(conditions(
                        "--health-http",
                        "8000/health?deep=1",
                        "--health-port",
                        "5432",
                        "--health-http=65535/",
                        "--health-port=1"))
                .containsExactly(
                        Ready.port(5432), Ready.port(1), Ready.http(8000, "/health?deep=1"), Ready.http(65_535, "/"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"8000", "/health", "web/health", "-1/health", "99999999999/health", ""})
    void whatIsNoPortAndPageIsRefusedWithAnExample(String text) {
        assertThatThrownBy(() -> conditions("--health-http=" + text))
                .isInstanceOf(UsageError.class)
                .hasMessageContaining("8000/health");
    }

    @Test
    void noPortIsBeyondTheirRange() {
        assertThatThrownBy(() -> conditions("--health-port=65536")).isInstanceOf(ClocheException.class);
        assertThatThrownBy(() -> conditions("--health-http=65536/")).isInstanceOf(ClocheException.class);
        assertThatThrownBy(() -> conditions("--health-http=80/a b")).isInstanceOf(ClocheException.class);
    }
}
