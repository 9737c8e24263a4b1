package dev.cloche.vm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What docs/guard.md says of limits that are given to a guard that is at work. */
@Timeout(120)
class GuardLimitTest {
    private static Path binary = Path.of("");

    @TempDir
    Path directory = Path.of("");

    @BeforeAll
    static void compile() throws IOException, InterruptedException {
        binary = GuardBinary.compile();
    }

    private GuardRun guard(String... options) throws IOException {
        return GuardRun.script(binary, directory, List.of(options), "exec sleep 100");
    }

    private void announce(GuardRun guard, String limit) throws Exception {
        Path written = Files.writeString(directory.resolve("limit.tmp"), limit);
        Files.move(written, directory.resolve("limit"), StandardCopyOption.ATOMIC_MOVE);
        guard.signal("USR1");
    }

    @Test
    void endsTheProgramWhenALaterLimitHasPassed() throws Exception {
        try (var guard = guard()) {
            announce(guard, "200");
            assertThat(guard.ending()).contains("\"cause\":\"max-duration\"", "\"signal\":9");
        }
    }

    @Test
    void aLaterLimitReplacesAnEarlierOne() throws Exception {
        try (var guard = guard("--max-duration-ms", "3600000")) {
            announce(guard, "7200000");
            announce(guard, "100");
            assertThat(guard.ending()).contains("\"cause\":\"max-duration\"");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0", "-1", "1 ", "1\n", "ten", "1000000000000000"})
    void aLimitThatCannotBeReadIsOneThatHasPassed(String text) throws Exception {
        try (var guard = guard()) {
            announce(guard, text);
            assertThat(guard.ending()).contains("\"cause\":\"max-duration\"");
        }
    }

    @Test
    void aMissingOrALinkedLimitIsOneThatHasPassed() throws Exception {
        try (var guard = guard()) {
            guard.signal("USR1");
            assertThat(guard.ending()).contains("\"cause\":\"max-duration\"");
        }
        Path elsewhere = Files.writeString(directory.resolve("elsewhere"), "3600000");
        Files.createSymbolicLink(directory.resolve("limit"), elsewhere);
        try (var guard = guard()) {
            guard.signal("USR1");
            assertThat(guard.ending()).contains("\"cause\":\"max-duration\"");
        }
    }
}
