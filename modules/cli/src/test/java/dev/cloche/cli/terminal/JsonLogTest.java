package dev.cloche.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class JsonLogTest {
    @Test
    void aFaultIsOneLineWithItsStackTrace() {
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        PrintStream err = new PrintStream(written, true, StandardCharsets.UTF_8);

        JsonLog.fault(new IllegalStateException("a \u001b[31mred\nfault"), err);

        String line = written.toString(StandardCharsets.UTF_8);
        assertThat(line.lines()).hasSize(1);
        assertThat(line)
                .startsWith("{\"time\":\"")
                .contains(
                        "\"level\":\"ERROR\"",
                        "Something unexpected happened",
                        "\\tat " + getClass().getName())
                .contains("\"code\":null", "\"remedy\":null")
                .doesNotContain("\u001b");
    }
}
